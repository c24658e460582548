/** Roles in documents: the names of built-in roles, and the keys of custom ones. */
import { builtInRoles } from "@orgplane/schema/shared/configuration-document"
import type { RoleName } from "@orgplane/schema/members"
import type { Names, Path, Reference } from "./kind.ts"

type BuiltIn = (typeof builtInRoles)[number]

const isBuiltIn = (role: string): role is BuiltIn => builtInRoles.some((one) => one === role)

/** The role in a document; undefined if it was removed. */
export const roleKeyOf = (role: string, names: Names): string | undefined =>
  isBuiltIn(role) ? role : names.keyOf("roles", role)

/** The role in requests. One that does not exist was reported by the plan. */
export const roleOf = (key: string, names: Names): RoleName =>
  isBuiltIn(key) ? key : ((names.idOf("roles", key) ?? key) as RoleName)

export const roleReferences = (key: string, path: Path): ReadonlyArray<Reference> =>
  isBuiltIn(key) ? [] : [{ path, kind: "roles", key }]
