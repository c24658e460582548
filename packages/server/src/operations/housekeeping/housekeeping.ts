import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { keepAnalyzed } from "../../infra/jobs/analyze.ts"
import { findEnded, purge } from "../purge/purge.ts"
import { purgeRemoved } from "../purge/purge-removed.ts"
import { retained, type Retention } from "./retained.ts"

const batchMax = 1000

/** Repeats a statement, with a pause, while it affects as many rows as its limit. */
const inBatches = (step: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  step.pipe(Effect.repeat({ while: (rows) => rows.length === batchMax, schedule: Schedule.spaced("50 millis") }))

/** The earliest of the times. A single column is not wrapped in `least`, so that its index is used. */
const earliest = (sql: Sql, [first, ...others]: Retention["since"]) =>
  others.length === 0
    ? sql`${sql(first)}`
    : sql`least(${sql.csv([first, ...others].map((column) => sql`${sql(column)}`))})`

/** Deletes expired data once. */
export const sweep = Effect.fnUntraced(function* (sql: Sql) {
  yield* inBatches(
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
  )
  yield* Effect.forEach(
    retained,
    ({ interval, since, table }) =>
      inBatches(
        sql`DELETE FROM ${sql(table)} WHERE ctid IN (
          SELECT ctid FROM ${sql(table)}
          WHERE ${earliest(sql, since)} < now() - ${interval}::interval
          LIMIT ${batchMax}) RETURNING 1 AS one`
      ),
    { discard: true }
  )
  // Catalogs whose URL was not requested for a month: the operator has configured another one.
  yield* sql`DELETE FROM model_catalogs WHERE tried_at < now() - interval '30 days'`
  yield* purgeRemoved(sql)
  const endedOrganizations = yield* findEnded(sql)
  yield* Effect.forEach(endedOrganizations, ({ id }) => purge(sql, id), { discard: true })
})

/**
 * Deletes expired data every hour. Removes expired unclaimed workspaces and their sessions. Rows are deleted in
 * batches, so that no statement blocks the database for long. Also updates the statistics of the embedded database.
 */
export const housekeeping = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const sweepOnce = sweep(sql)
  const sweeping = sweepOnce.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Housekeeping failed. Retrying in one hour.", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.delay("1 minute"),
    // Uses separate connections, so that long statements do not time out those of requests.
    Effect.provideService(StatementMillisMax, longStatementMillis)
  )
  yield* Effect.all([sweeping, keepAnalyzed(sql)], { concurrency: 2, discard: true })
})
