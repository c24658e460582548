import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { isAdminRole } from "../../identity/auth/permissions.ts"
import { cancelInvitationsOf } from "../../identity/members/end.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { subjectsOf } from "./end.ts"
import * as repo from "./memberships-repo.ts"

/**
 * Updates the roles of these users to what their groups assign. Call it inside the transaction that changed the
 * members of a group, its role, or that created the membership (with the role `member`). Announce the subjects inside
 * the transaction, and evict them after it.
 */
export const applyRoles = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  scimUserIds: ReadonlyArray<Id<"scu">>
) {
  const changed = scimUserIds.length === 0 ? [] : yield* repo.assignRoles(sql, organizationId, scimUserIds)
  const ids = changed.map(({ id }) => id)
  // Pending invitations may grant more than the member is now allowed to grant. A member who is now an admin was not
  // one before.
  const demoted = changed.filter(({ before }) => isAdminRole(before)).map(({ id }) => id)
  if (demoted.length > 0) yield* cancelInvitationsOf(sql, organizationId, demoted)
  return { changed: ids, subjects: subjectsOf(organizationId, ids) }
})
