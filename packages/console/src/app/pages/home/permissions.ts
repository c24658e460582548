/** The person's own permissions: what a page asks only those for whom it would not be refused. */
import type { CallerPermissions, Permission } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { client } from "../../api/client.ts"

export const useOwnPermissions = () =>
  useQuery({
    queryKey: ["access", "permissions"],
    queryFn: ({ signal }) => client.access.permissions({ signal }),
    staleTime: 60_000
  })

export const has = (own: CallerPermissions | undefined, permission: Permission): boolean =>
  own?.permissions.includes(permission) === true
