import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { counter, readGauge } from "../../infra/metrics/metrics.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { checkedTables } from "../housekeeping/bounds.ts"
import { retentionState } from "../housekeeping/state-repo.ts"
import { stepNames } from "../housekeeping/steps.ts"

/** The check runs once a day. */
const everyMillis = 60_000
const timeout = "2 seconds"

/** The counters of deleted rows, so that they are 0 and not absent before the first deletion. */
export const deletedRows = checkedTables.map((table) => counter("orgplane_retention_rows_deleted_total", { table }))

/** The counters of failed steps. Prometheus detects the first failure only if it has read the counter as 0 before. */
export const failedSteps = stepNames.map((step) => counter("orgplane_housekeeping_failures_total", { step }))

/** Registers the metrics of the retention, and returns the effect that reads them from the database. */
export const watchRetention = (context: Context.Context<never>, sql: Sql): Effect.Effect<void> => {
  let tables: ReadonlyMap<string, { readonly rows: number; readonly seconds: number }> = new Map()
  let checkedMillis = Number.NaN
  let now = 0
  let triedAt = Number.NEGATIVE_INFINITY
  for (const table of checkedTables) {
    readGauge(context, "orgplane_retention_overdue_rows", { table }, () => tables.get(table)?.rows ?? 0)
    readGauge(context, "orgplane_retention_overdue_seconds", { table }, () => tables.get(table)?.seconds ?? 0)
  }
  readGauge(context, "orgplane_retention_check_age_seconds", {}, () =>
    Number.isNaN(checkedMillis) ? 0 : Math.max(0, (now - checkedMillis) / 1000)
  )
  return Effect.gen(function* () {
    now = yield* Clock.currentTimeMillis
    if (now - triedAt < everyMillis) return
    triedAt = now
    const state = yield* retentionState(sql).pipe(Effect.timeout(timeout))
    tables = new Map(state.tables.map(({ rows, seconds, table }) => [table, { rows, seconds }]))
    checkedMillis = now - state.ageSeconds * 1000
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The metrics of the retention could not be read.", cause)))
}
