import type { CallerPermissions } from "@orgplane/schema/access"
import type { Member } from "@orgplane/schema/shared/caller"
import { catalog } from "@orgplane/schema/shared/permissions"

/** The permissions of the caller, in the order of the catalog. */
export const permissionsOf = ({
  isAdmin,
  isOwner,
  organizationId,
  permissions,
  principal
}: Member): CallerPermissions => ({
  organizationId,
  orgMembershipId: principal.kind === "session" ? principal.membershipId : null,
  apiKeyId: principal.kind === "key" ? principal.keyId : null,
  isOwner,
  managesAllObjects: isAdmin,
  permissions: catalog.flatMap(({ permission }) => (permissions.has(permission) ? [permission] : []))
})
