/** Queues runs of the configuration source, whose files are in a branch of a connector. */
import type { ConfigurationRunTrigger } from "@orgplane/schema/configuration-runs"
import { runsMax } from "@orgplane/schema/configuration-runs"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { wake } from "../../infra/sql/wakes.ts"

interface Wanted {
  readonly trigger: ConfigurationRunTrigger
  /** Only if the files are in one of these branches. Default: in any branch. */
  readonly targetIds?: ReadonlyArray<Id<"ctg">>
  /** Only if this is not the commit of the last run. */
  readonly newRevision?: string
  readonly startedBy?: Id<"om"> | null
}

/**
 * Queues a run in the current transaction, and returns its ID; undefined if the organization has no enabled source in these
 * branches. A run that waits already is returned, and no longer waits for its next attempt. Locks the source, as everything
 * does that queues a run. Transactions that also lock a connector lock it first.
 */
export const queueRun = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  { newRevision, startedBy = null, targetIds, trigger }: Wanted
) {
  // A run that a push queued is dropped if its commit was read before. With the trigger of a member, it is not.
  const isRead = trigger === "manual" || trigger === "source"
  const [row] = yield* sql<{ id: Id<"cfr"> }>`INSERT INTO configuration_runs AS r (organization_id, id, source_version,
      connector_instance_id, connector_target_id, branch, path, mode, trigger, status, changes_json, problems_json,
      membership_id, started_by_membership_id, attempts, due_at, status_attempts, created_at)
    SELECT s.organization_id, ${makeId("cfr")}, s.version, s.connector_instance_id, s.connector_target_id, s.branch, s.path,
      s.mode, ${trigger}, 'queued', '[]', '[]', s.membership_id, ${startedBy}, 0, now(), 0, now()
    FROM configuration_sources s
    WHERE s.organization_id = ${organizationId} AND s.is_enabled
      AND (${targetIds === undefined} OR s.connector_target_id = ANY(${texts(targetIds ?? [])}::text[]))
      AND (${newRevision ?? null}::text IS NULL OR s.last_revision IS DISTINCT FROM ${newRevision ?? null}::text)
    FOR UPDATE
    ON CONFLICT (organization_id) WHERE status = 'queued' DO UPDATE SET due_at = least(r.due_at, now()),
      trigger = CASE WHEN ${isRead} AND r.approved_digest IS NULL THEN excluded.trigger ELSE r.trigger END,
      started_by_membership_id = CASE WHEN ${isRead} AND r.approved_digest IS NULL
        THEN excluded.started_by_membership_id ELSE r.started_by_membership_id END
    RETURNING r.id`
  if (row === undefined) return undefined
  yield* sql`DELETE FROM configuration_runs WHERE organization_id = ${organizationId} AND id IN (
    SELECT o.id FROM configuration_runs o WHERE o.organization_id = ${organizationId}
    ORDER BY o.id DESC OFFSET ${runsMax})`
  yield* wake(sql, "configuration")
  return row.id
})
