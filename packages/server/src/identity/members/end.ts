import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { leave as leaveMemories } from "../users/memories-repo.ts"
import { leaveOrganization } from "../sessions/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** The ids as the rows of a subquery. */
const rowsOf = (sql: Sql, ids: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(ids)})`

/**
 * Cancels the pending invitations of members who may no longer invite, so that they cannot return by their own link.
 */
export const cancelInvitationsOf = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql`UPDATE invitations SET cancelled_at = now()
    WHERE organization_id = ${organizationId} AND created_by_membership_id IN (${rowsOf(sql, membershipIds)})
      AND accepted_at IS NULL AND cancelled_at IS NULL`

export interface EndedMembership {
  readonly id: Id<"om">
  readonly user_id: Id<"usr">
}

/**
 * Ends memberships and everything that depends on them, inside the caller's transaction: team memberships, grants,
 * desktop policy assignments, plugin assignments and choices, devices, pending invitations, the members' own credentials,
 * workers, and sessions bound to the organization. Returns the memberships that had not ended before. A member who joins again starts without previous
 * access, except for their memories, which are kept for a month. After the commit, evict them from the cache of
 * `Principals`.
 */
export const endMemberships = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  Effect.gen(function* () {
    const ended = yield* sql<EndedMembership>`UPDATE memberships SET removed_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (${rowsOf(sql, membershipIds)}) AND removed_at IS NULL
      RETURNING id, user_id`
    if (ended.length === 0) return ended
    const ids = ended.map(({ id }) => id)
    const userIds = ended.map(({ user_id }) => user_id)
    const idRows = rowsOf(sql, ids)
    yield* sql`DELETE FROM team_members WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    yield* sql`UPDATE grants SET removed_at = now()
      WHERE organization_id = ${organizationId} AND membership_id IN (${idRows}) AND removed_at IS NULL`
    yield* sql`DELETE FROM mcp_tool_looks WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    // A policy with explicit assignments does not apply to anyone after its last assignment is removed.
    yield* sql`WITH ended AS (DELETE FROM desktop_policy_members
        WHERE organization_id = ${organizationId} AND membership_id IN (${idRows}) RETURNING policy_id)
      UPDATE desktop_policies SET version = version + 1, updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (SELECT policy_id FROM ended)`
    yield* sql`WITH ended AS (DELETE FROM assignment_members
        WHERE organization_id = ${organizationId} AND membership_id IN (${idRows}) RETURNING assignment_id),
      choices AS (DELETE FROM plugin_choices
        WHERE organization_id = ${organizationId} AND membership_id IN (${idRows}))
      UPDATE assignments SET version = version + 1, updated_at = now()
      WHERE organization_id = ${organizationId} AND id IN (SELECT assignment_id FROM ended)`
    yield* sql`DELETE FROM devices WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    yield* sql`DELETE FROM removed_devices WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    yield* leaveMemories(sql, organizationId, userIds)
    yield* cancelInvitationsOf(sql, organizationId, ids)
    yield* sql`DELETE FROM oauth_credentials WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    yield* sql`DELETE FROM oauth_states WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    yield* sql`UPDATE worker_tokens SET revoked_at = now()
      WHERE organization_id = ${organizationId} AND created_by_membership_id IN (${idRows}) AND revoked_at IS NULL`
    yield* sql`UPDATE workers SET status = 'stopped', status_reason = 'Its owner left the organization.'
      WHERE organization_id = ${organizationId} AND created_by_membership_id IN (${idRows}) AND removed_at IS NULL`
    yield* sql`UPDATE worker_instances i SET wanted = 'stopped', settled = false, updated_at = now()
      FROM workers w
      WHERE i.organization_id = ${organizationId} AND w.organization_id = i.organization_id AND w.id = i.worker_id
        AND w.created_by_membership_id IN (${idRows}) AND i.wanted = 'running'`
    // The SCIM user stays as the directory sent it, without a membership.
    yield* sql`UPDATE scim_users SET membership_id = NULL, group_role = NULL
      WHERE organization_id = ${organizationId} AND membership_id IN (${idRows})`
    yield* leaveOrganization(sql, organizationId, userIds)
    return ended
  })

/** Ends one membership; false when it had ended before. */
export const endMembership = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  Effect.map(endMemberships(sql, organizationId, [membershipId]), (ended) => ended.length === 1)
