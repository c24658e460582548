/** The assignments of a plugin that a repository removed and has added again, as a new plugin. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"

/**
 * Copies to new imported plugins the assignments of the plugin that was last removed with the same key of the same branch.
 * Otherwise a push could end a block. A pin is copied too: its release belongs to the removed plugin, so nothing is delivered
 * until someone changes it.
 */
export const inherit = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  pluginIds: ReadonlyArray<Id<"plg">>
) {
  if (pluginIds.length === 0) return
  const rows = yield* sql<{ from: Id<"asg">; plugin_id: Id<"plg"> }>`SELECT a.id AS "from", n.id AS plugin_id
    FROM assignments a
    JOIN plugins o ON o.organization_id = ${organizationId} AND o.id = a.plugin_id AND o.deleted_at IS NOT NULL
    JOIN plugins n ON n.organization_id = ${organizationId} AND n.connector_target_id = o.connector_target_id
      AND n.candidate_key = o.candidate_key AND n.deleted_at IS NULL
    WHERE a.organization_id = ${organizationId} AND a.plugin_id IS NOT NULL
      AND n.id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))
      AND NOT EXISTS (SELECT 1 FROM plugins l WHERE l.organization_id = ${organizationId}
        AND l.connector_target_id = o.connector_target_id AND l.candidate_key = o.candidate_key
        AND (l.deleted_at, l.id) > (o.deleted_at, o.id))
    ORDER BY a.id`
  if (rows.length === 0) return
  const copies = sql`jsonb_to_recordset(${sql.json(rows.map((row) => ({ ...row, id: makeId("asg") })))})
    AS c(id text, "from" text, plugin_id text)`
  yield* sql`INSERT INTO assignments (organization_id, id, plugin_id, mode, priority, pinned_digest, for_organization,
      created_by_membership_id, created_at, updated_at)
    SELECT ${organizationId}, c.id, c.plugin_id, a.mode, a.priority, a.pinned_digest, a.for_organization,
      a.created_by_membership_id, a.created_at, now()
    FROM ${copies} JOIN assignments a ON a.organization_id = ${organizationId} AND a.id = c."from"`
  yield* sql`INSERT INTO assignment_members (organization_id, assignment_id, membership_id)
    SELECT ${organizationId}, c.id, m.membership_id
    FROM ${copies} JOIN assignment_members m ON m.organization_id = ${organizationId} AND m.assignment_id = c."from"`
  yield* sql`INSERT INTO assignment_teams (organization_id, assignment_id, team_id)
    SELECT ${organizationId}, c.id, t.team_id
    FROM ${copies} JOIN assignment_teams t ON t.organization_id = ${organizationId} AND t.assignment_id = c."from"`
})
