/** What the person may do: the console offers only what the API would not refuse. */
import type { CallerPermissions, Permission } from "@orgplane/client"
import { queryOptions, useQuery } from "@tanstack/react-query"
import { client } from "./client.ts"

/** The queries of the frame, which start before a page does. */
export const me = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => client.users.get({ signal }),
  staleTime: 60_000
})
export const ownOrganizations = queryOptions({
  queryKey: ["organizations"],
  queryFn: ({ signal }) => client.users.organizations({ limit: 100 }, { signal })
})
export const ownPermissions = queryOptions({
  queryKey: ["access", "permissions"],
  queryFn: ({ signal }) => client.access.permissions({ signal }),
  staleTime: 60_000
})

export const useOwnPermissions = () => useQuery(ownPermissions)

export const has = (own: CallerPermissions | undefined, permission: Permission): boolean =>
  own?.permissions.includes(permission) === true

/** A permission of the organization, or being one of its owners. */
export type Need = Permission | "owner"

/** Whether the person has all that is needed. */
export const isPermitted = (own: CallerPermissions, needs: Need | ReadonlyArray<Need> | undefined): boolean =>
  needs === undefined || [needs].flat().every((need) => (need === "owner" ? own.isOwner : has(own, need)))

/** The same for the person who is signed in; undefined while that is read. If it cannot be read, the API decides. */
export const usePermits = (): ((needs: Need | ReadonlyArray<Need> | undefined) => boolean | undefined) => {
  const { data, isError } = useOwnPermissions()
  return (needs) => needs === undefined || isError || (data === undefined ? undefined : isPermitted(data, needs))
}

export const usePermitted = (needs: Need | ReadonlyArray<Need> | undefined): boolean | undefined => usePermits()(needs)
