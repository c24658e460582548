import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { AuditChain } from "../../identity/audit/chain.ts"
import { type Retention, retentionDefaults } from "../../infra/config/retention.ts"
import { Settings } from "../../infra/config/settings.ts"
import { keepAnalyzed } from "../../infra/jobs/analyze.ts"
import { aloneAndEvery } from "../../infra/jobs/lease.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { findEnded, purge } from "../purge/purge.ts"
import { removalSteps } from "../purge/purge-removed.ts"
import { boundsOf, type DayBound, type Expiry, intervalOf, type Newest, type Unused, unusedFor } from "./bounds.ts"
import { checkBounds } from "./check.ts"
import { earliest } from "./earliest.ts"
import { ownStep, runSteps, type Step } from "./steps.ts"

const batchMax = 1000
const sweepMinutes = 60
const checkMinutes = 24 * 60
/** A tolerance, so that a run that starts slightly early is not skipped. */
const slackMinutes = 5

/** Counts the deleted rows of a table. */
const report = (table: string, rows: number) =>
  rows === 0 ? Effect.void : Metric.update(counter("orgplane_retention_rows_deleted_total", { table }), rows)

/** Repeats a statement, with a pause, while it affects as many rows as its limit. */
const inBatches = <E, R>(table: string, step: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  step.pipe(
    Effect.tap((rows) => report(table, rows.length)),
    Effect.repeat({ while: (rows) => rows.length === batchMax, schedule: Schedule.spaced("50 millis") })
  )

/** Ends unclaimed workspaces that have expired. Their data is deleted like that of other ended organizations. */
const endUnclaimed = (sql: Sql) =>
  sql`WITH ended AS (
        UPDATE organizations SET deleted_at = now(), updated_at = now()
        WHERE id IN (SELECT id FROM organizations
          WHERE provisional_until < now() AND deleted_at IS NULL LIMIT ${batchMax})
        RETURNING id),
      opened AS (DELETE FROM sealed_values WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
      credentials AS (DELETE FROM oauth_credentials WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
      clients AS (DELETE FROM oauth_clients WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
      states AS (DELETE FROM oauth_states WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
      freed AS (UPDATE domains SET removed_at = now(), updated_at = now()
        WHERE organization_id IN (SELECT id FROM ended) AND removed_at IS NULL RETURNING 1)
      SELECT id FROM ended`

const deleteExpired = (sql: Sql, table: string, expiry: Expiry, retention: Retention) =>
  sql`DELETE FROM ${sql(table)} WHERE ctid IN (
      SELECT ctid FROM ${sql(table)}
      WHERE ${earliest(sql, expiry.since)} < now() - ${intervalOf(expiry, retention)}::interval
      LIMIT ${batchMax}) RETURNING 1 AS one`

const deleteDays = (sql: Sql, table: string, { day, keptDays }: DayBound) =>
  sql`DELETE FROM ${sql(table)} WHERE ctid IN (
      SELECT ctid FROM ${sql(table)}
      WHERE ${sql(day)} < (now() AT TIME ZONE 'UTC')::date - ${keptDays}::int
      LIMIT ${batchMax}) RETURNING 1 AS one`

/** A transaction that starts to refer to a row locks it, and sets its time of use. */
const deleteUnused = (sql: Sql, table: string, unused: Unused) =>
  sql`DELETE FROM ${sql(table)} WHERE ctid IN (
      SELECT r.ctid FROM ${sql(table)} r
      WHERE r.used_at < now() - ${unusedFor}::interval AND NOT EXISTS (SELECT 1 FROM ${sql(unused.by)} k
        WHERE k.organization_id = r.organization_id AND k.${sql(unused.column)} = r.digest)
      LIMIT ${batchMax} FOR UPDATE OF r SKIP LOCKED) RETURNING 1 AS one`

/** Deletes all but the newest syncs of each branch. */
const deleteOlderSyncs = Effect.fnUntraced(function* (sql: Sql, max: number) {
  const branches = yield* sql<{ organization_id: string; target_id: string; last: string }>`
    SELECT t.organization_id, t.id AS target_id, e.id AS last FROM connector_targets t
    CROSS JOIN LATERAL (SELECT s.id FROM sync_events s
      WHERE s.organization_id = t.organization_id AND s.connector_target_id = t.id AND s.ended_at IS NOT NULL
      ORDER BY s.id DESC OFFSET ${max} LIMIT 1) e`
  for (const { last, organization_id: organizationId, target_id: targetId } of branches) {
    yield* inBatches(
      "sync_events",
      sql`DELETE FROM sync_events WHERE organization_id = ${organizationId} AND id IN (
          SELECT id FROM sync_events WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
            AND id <= ${last} AND ended_at IS NOT NULL LIMIT ${batchMax}) RETURNING 1 AS one`
    )
  }
})

/** Contents that a sync staged and did not publish, because its process exited. */
const deleteAbandoned = (sql: Sql) =>
  sql`DELETE FROM sync_staged WHERE ctid IN (
      SELECT s.ctid FROM sync_staged s
      LEFT JOIN sync_events e ON e.organization_id = s.organization_id AND e.id = s.sync_event_id
      WHERE e.id IS NULL OR e.ended_at < now() - interval '1 day' LIMIT ${batchMax}) RETURNING 1 AS one`

const syncsOf = ({ max }: Newest, retention: Retention) => (max === "syncsMax" ? retention.syncsMax : max)

/** The steps that delete expired data. Each is named after the table that it deletes from. */
const sweepSteps = (sql: Sql, retention: Retention): ReadonlyArray<Step> => [
  ownStep("unclaimed_workspaces", inBatches("organizations", endUnclaimed(sql))),
  ...boundsOf("expires").map(({ bound, table }) => ({
    name: table,
    work: inBatches(table, deleteExpired(sql, table, bound, retention))
  })),
  ...boundsOf("day").map(({ bound, table }) => ({
    name: table,
    work: inBatches(table, deleteDays(sql, table, bound))
  })),
  ...boundsOf("unused").map(({ bound, table }) => ({
    name: table,
    work: inBatches(table, deleteUnused(sql, table, bound))
  })),
  ...boundsOf("newest").flatMap(({ bound, table }) =>
    table === "sync_events" ? [{ name: table, work: deleteOlderSyncs(sql, syncsOf(bound, retention)) }] : []
  ),
  { name: "sync_staged", work: inBatches("sync_staged", deleteAbandoned(sql)) },
  ...removalSteps(sql, retention, report),
  {
    name: "organizations",
    work: Effect.flatMap(findEnded(sql), (ended) =>
      // If an organization cannot be purged, the others are still purged.
      Effect.partition(ended, ({ id }) => Effect.andThen(purge(sql, id), report("organizations", 1))).pipe(
        Effect.flatMap(([[failure]]) => (failure === undefined ? Effect.void : Effect.fail(failure)))
      )
    )
  }
]

/** Deletes expired data once. */
export const sweep = (sql: Sql, retention: Retention = retentionDefaults) => runSteps(sweepSteps(sql, retention))

/** Runs the steps that are due, in one process at a time. */
export const runHousekeeping = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { retention, telemetry } = yield* Settings
  const { truncate } = yield* AuditChain
  const { maintenance } = yield* Storage
  const { auditDays } = retention
  const sweeping: ReadonlyArray<Step> = [
    ...sweepSteps(sql, retention),
    ...(auditDays === null ? [] : [{ name: "audit_events", work: truncate(auditDays, report) }]),
    ...maintenance
  ]
  const checking = checkBounds(sql, { retention, telemetryDays: telemetry.retentionDays })
  for (const [run, everyMinutes, steps] of [
    ["sweep", sweepMinutes - slackMinutes, sweeping],
    ["check", checkMinutes - sweepMinutes, [ownStep("check", checking)]]
  ] as const) {
    // The failures are already in the log. The run counts as not finished, so it is repeated an hour later.
    yield* aloneAndEvery(sql, run, everyMinutes, runSteps(steps)).pipe(
      Effect.catchTag("StepsFailed", () => Effect.void)
    )
  }
}).pipe(
  // Uses separate connections, so that long statements do not time out those of requests.
  Effect.provideService(StatementMillisMax, longStatementMillis)
)

/**
 * Deletes expired rows every hour, in one process at a time, and checks once a day that none are left. Rows are deleted in
 * batches, so that no statement blocks the database for long. Also updates the statistics of the embedded database.
 */
export const housekeeping = Effect.gen(function* () {
  const sweeping = runHousekeeping.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Housekeeping failed. Retrying in one hour.", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.delay("1 minute")
  )
  yield* Effect.all([sweeping, keepAnalyzed(yield* SqlDatabase)], { concurrency: 2, discard: true })
})
