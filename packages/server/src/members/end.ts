import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { leave as leaveMemories } from "../memory/repo.ts"
import { leaveOrganization } from "../sessions/repo.ts"
import type { Sql } from "../sql/client.ts"

/** Ends the open invitations of whoever may not invite any more, so that nobody comes back by a link of their own. */
export const cancelInvitationsOf = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql`UPDATE invitations SET cancelled_at = now()
    WHERE organization_id = ${organizationId} AND created_by_membership_id = ${membershipId}
      AND accepted_at IS NULL AND cancelled_at IS NULL`

/**
 * Ends a membership with all that hung on it, inside the caller's transaction: teams, grants, desktop policies assigned
 * to it, open invitations, credentials of their own, workers, sessions bound to the organization. False when it had ended
 * before.
 * Whoever comes back starts empty, but for what they had remembered, which waits for them for a month.
 * Afterwards, outside the transaction, the principals must forget the membership.
 */
export const endMembership = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  Effect.gen(function* () {
    const [ended] = yield* sql<{ user_id: Id<"usr"> }>`UPDATE memberships SET removed_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ${membershipId} AND removed_at IS NULL RETURNING user_id`
    if (ended === undefined) return false
    yield* sql`DELETE FROM team_members
      WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}`
    yield* sql`UPDATE grants SET removed_at = now()
      WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} AND removed_at IS NULL`
    yield* sql`DELETE FROM mcp_tool_looks
      WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}`
    // Such a policy says by itself for whom it is: without its last assignment it is for nobody.
    yield* sql`WITH ended AS (DELETE FROM desktop_policy_members
        WHERE organization_id = ${organizationId} AND membership_id = ${membershipId} RETURNING policy_id)
      UPDATE desktop_policies SET version = version + 1, updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (SELECT policy_id FROM ended)`
    yield* leaveMemories(sql, organizationId, ended.user_id)
    yield* cancelInvitationsOf(sql, organizationId, membershipId)
    yield* sql`DELETE FROM oauth_credentials
      WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}`
    yield* sql`DELETE FROM oauth_states WHERE organization_id = ${organizationId} AND membership_id = ${membershipId}`
    yield* sql`UPDATE worker_tokens SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND created_by_membership_id = ${membershipId} AND revoked_at IS NULL`
    yield* sql`UPDATE workers SET status = 'stopped', status_reason = 'The person it belonged to left.'
      WHERE organization_id = ${organizationId} AND created_by_membership_id = ${membershipId} AND removed_at IS NULL`
    yield* sql`UPDATE worker_instances i SET wanted = 'stopped', settled = false, updated_at = now()
      FROM workers w
      WHERE i.organization_id = ${organizationId} AND w.organization_id = i.organization_id AND w.id = i.worker_id
        AND w.created_by_membership_id = ${membershipId} AND i.wanted = 'running'`
    yield* leaveOrganization(sql, organizationId, ended.user_id)
    return true
  })
