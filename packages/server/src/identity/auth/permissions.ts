import { type BuiltInRole, builtInRoles, catalogue, type Permission } from "@orgplane/schema/shared/permissions"

const byRole = new Map<string, ReadonlySet<Permission>>(
  Object.entries(builtInRoles).map(([role, permissions]) => [role, new Set<Permission>(permissions)])
)
const known: ReadonlySet<string> = new Set(catalogue.map((row) => row.permission))
const isKnown = (text: string): text is Permission => known.has(text)

/** Owners and admins reach more than their permissions say: every object of the organization. */
export const isAdminRole = (role: string): boolean => role === "owner" || role === "admin"

/** Each once, in the order of the catalogue, so that equal sets are kept alike. */
export const ordered = (permissions: ReadonlyArray<Permission>): ReadonlyArray<Permission> => {
  const wanted = new Set(permissions)
  return catalogue.flatMap(({ permission }) => (wanted.has(permission) ? [permission] : []))
}

export const isBuiltIn = (role: string): role is BuiltInRole => byRole.has(role)

/**
 * What is kept as somebody's permissions, read again: what this release does not know is no right, and nothing kept is
 * none at all.
 */
export const permissionsFrom = (held: ReadonlyArray<string> | null | undefined): ReadonlySet<Permission> =>
  new Set((held ?? []).filter(isKnown))

/** What a role holds: a built-in one by its word, a custom one by what is kept of it. */
export const permissionsOf = (role: string, held?: ReadonlyArray<string> | null): ReadonlySet<Permission> =>
  byRole.get(role) ?? permissionsFrom(held)
