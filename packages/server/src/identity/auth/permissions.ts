import { type BuiltInRole, builtInRoles, catalog, type Permission } from "@orgplane/schema/shared/permissions"

const byRole = new Map<string, ReadonlySet<Permission>>(
  Object.entries(builtInRoles).map(([role, permissions]) => [role, new Set<Permission>(permissions)])
)
const knownPermissions: ReadonlySet<string> = new Set(catalog.map((row) => row.permission))
const isPermission = (text: string): text is Permission => knownPermissions.has(text)

/** Owners and admins reach every object of the organization, beyond their permissions. */
export const isAdminRole = (role: string): boolean => role === "owner" || role === "admin"

/** Each permission once, in the order of the catalog, so that equal sets are stored alike. */
export const ordered = (permissions: ReadonlyArray<Permission>): ReadonlyArray<Permission> => {
  const requested = new Set(permissions)
  return catalog.flatMap(({ permission }) => (requested.has(permission) ? [permission] : []))
}

export const isBuiltIn = (role: string): role is BuiltInRole => byRole.has(role)

/**
 * Reads stored permissions. Permissions that this release does not have are ignored; without stored permissions there
 * are none.
 */
export const permissionsFrom = (stored: ReadonlyArray<string> | null | undefined): ReadonlySet<Permission> =>
  new Set((stored ?? []).filter(isPermission))

/** The permissions of a role: of a built-in role by its name, of a custom role as stored. */
export const permissionsOf = (role: string, stored?: ReadonlyArray<string> | null): ReadonlySet<Permission> =>
  byRole.get(role) ?? permissionsFrom(stored)

/** The built-in roles with a permission. */
export const rolesWith = (permission: Permission): ReadonlyArray<string> =>
  [...byRole].flatMap(([role, permissions]) => (permissions.has(permission) ? [role] : []))
