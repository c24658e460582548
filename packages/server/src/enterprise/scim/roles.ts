import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { isAdminRole } from "../../identity/auth/permissions.ts"
import { cancelInvitationsOf } from "../../identity/members/end.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { subjectsOf } from "./end.ts"
import * as repo from "./memberships-repo.ts"

/**
 * Brings the roles of these users to what their groups give by now. Inside the transaction that changed who is in a
 * group, what a group gives, or that made the membership (with the role `member`). The subjects have to be announced
 * inside it, and forgotten after it.
 */
export const applyRoles = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  scimUserIds: ReadonlyArray<Id<"scu">>
) {
  const changed = scimUserIds.length === 0 ? [] : yield* repo.giveRoles(sql, organizationId, scimUserIds)
  const ids = changed.map(({ id }) => id)
  // Links to more than they hold by now would be a way back. Whoever is an admin by now was none before.
  const fallen = changed.filter(({ before }) => isAdminRole(before)).map(({ id }) => id)
  if (fallen.length > 0) yield* cancelInvitationsOf(sql, organizationId, fallen)
  return { changed: ids, subjects: subjectsOf(organizationId, ids) }
})
