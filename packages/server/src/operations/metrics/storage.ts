import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readGauge } from "../../infra/metrics/metrics.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { allUsage, limitOf, type Quotas } from "../../infra/storage/index.ts"

const everyMillis = 60_000
const timeout = "5 seconds"
const highShare = 0.8

const levels = ["low", "high", "full", "unlimited"] as const
type Level = (typeof levels)[number]

const levelOf = (bytes: number, limit: number | null): Level =>
  limit === null ? "unlimited" : bytes >= limit ? "full" : bytes >= highShare * limit ? "high" : "low"

/** Registers the metrics of stored content, and returns the effect that reads them from the database. */
export const watchStorage = (context: Context.Context<never>, sql: Sql, quotas: Quotas): Effect.Effect<void> => {
  const counts = new Map<Level, number>()
  let total = 0
  let largest = 0
  let triedAt = Number.NEGATIVE_INFINITY
  readGauge(context, "orgplane_storage_bytes", {}, () => total)
  readGauge(context, "orgplane_storage_largest_bytes", {}, () => largest)
  for (const usage of levels) {
    readGauge(context, "orgplane_storage_organizations", { usage }, () => counts.get(usage) ?? 0)
  }
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - triedAt < everyMillis) return
    triedAt = now
    const rows = yield* allUsage(sql).pipe(Effect.timeout(timeout))
    counts.clear()
    total = 0
    largest = 0
    for (const row of rows) {
      total += row.bytes
      largest = Math.max(largest, row.bytes)
      const level = levelOf(row.bytes, limitOf(quotas, row))
      counts.set(level, (counts.get(level) ?? 0) + 1)
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The metrics of stored content could not be read.", cause)))
}
