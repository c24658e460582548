/** Parts of pages for people with a permission, or with a role on the object of the page. Others do not see them. */
import type { GrantedObjectKind, GrantRole } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext } from "react"
import { client } from "../api/client.ts"
import { type Need, useOwnPermissions, usePermits } from "../api/permissions.ts"

export interface Allowance {
  /** The permission of the operation. Without it, the API would refuse the operation. */
  readonly permission?: Need | ReadonlyArray<Need> | undefined
  /** The role on the object of the page, within `OnObject`. */
  readonly access?: "editor" | "manager" | undefined
}

const levels: Readonly<Record<GrantRole, number>> = { viewer: 1, editor: 2, manager: 3 }

/** The person's role on the object of the page: null if there is none, undefined while it is read. */
const ObjectRole = createContext<GrantRole | null | undefined>("manager")

/** Reads the person's role on an object for the parts inside. */
export const OnObject = ({
  children,
  id,
  kind
}: {
  readonly kind: GrantedObjectKind
  readonly id: string
  readonly children: ReactNode
}) => {
  const own = useOwnPermissions()
  const managesAll = own.isError || own.data?.managesAllObjects === true
  const query = useQuery({
    queryKey: ["access", "role", kind, id],
    queryFn: async ({ signal }) => {
      const { level } = await client.access.explain({ object: { kind, id }, action: "view" }, { signal })
      return level
    },
    enabled: own.data?.managesAllObjects === false
  })
  // If it cannot be read, the API decides.
  return <ObjectRole value={managesAll || query.isError ? "manager" : query.data}>{children}</ObjectRole>
}

/** Whether the person may use something; undefined while that is read. */
export const useAllows = (): ((allowance: Allowance) => boolean | undefined) => {
  const permits = usePermits()
  const role = useContext(ObjectRole)
  return ({ access, permission }) => {
    const isPermitted = permits(permission)
    if (access === undefined || isPermitted === false) return isPermitted
    if (role === undefined) return undefined
    return role !== null && levels[role] >= levels[access] ? isPermitted : false
  }
}

/** Leaves out what the person may not use. The space is kept while that is read, so that the page does not move. */
export const Allowed = ({
  children,
  instead = null,
  ...allowance
}: Allowance & {
  readonly children: ReactNode
  /** Shown to people who may not use it. */
  readonly instead?: ReactNode
}) => {
  const isAllowed = useAllows()(allowance)
  if (isAllowed === undefined) return <span style={{ visibility: "hidden" }}>{children}</span>
  return <>{isAllowed ? children : instead}</>
}
