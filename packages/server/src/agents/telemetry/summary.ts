import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Settings } from "../../infra/config/settings.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf } from "../../infra/sql/wakes.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import * as repo from "./summary-repo.ts"

/** The maximum events and audited changes per batch: it takes about a second and little memory. */
const batchMax = 20_000
/** The maximum rows that one statement deletes. */
const rowsMax = 5000
const dayMillis = 86_400_000

/**
 * Maintains the sums that analytics read. Events and changes carry the ID of the transaction that wrote them; one
 * process at a time adds those of completed transactions and moves the watermark in the same transaction. Late commits
 * are part of a later batch, and a process killed in the middle has added nothing.
 */
export class TelemetrySummary extends Context.Service<TelemetrySummary>()("@orgplane/server/telemetry/Summary", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const { telemetry } = yield* Settings

    if (yield* repo.resume(sql)) {
      yield* Effect.logInfo(
        "The database was restored from another server. The telemetry summary continues from its current state."
      )
    }

    /** Adds one batch; true when more can be added now. */
    const addBatch = Effect.gen(function* () {
      const lock = yield* repo.lock(sql)
      if (lock === undefined) return false
      yield* repo.disableStatementTimeout(sql)
      const to = yield* repo.batchEnd(sql, lock, batchMax)
      yield* repo.addEvents(sql, lock, to)
      yield* repo.addChanges(sql, lock, to)
      yield* repo.moveWatermark(sql, lock, to)
      return to !== lock.ended
    }).pipe(sql.withTransaction, Effect.provideService(StatementMillisMax, longStatementMillis))

    /**
     * Returns the seconds until the next pass: 0 while anything is pending, because an open transaction can delay
     * some of it.
     */
    const pass = Effect.gen(function* () {
      if (!(yield* repo.hasPending(sql))) return restSeconds
      while (yield* addBatch) yield* Effect.yieldNow
      return 0
    })

    /** Deletes the sums of expired events. */
    const purgeOldSums = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const first = new Date(now - telemetry.retentionDays * dayMillis).toISOString().slice(0, 10)
      // Waits while a process is adding, because both change the sums of the same periods.
      const deleteSome = Effect.flatMap(repo.lock(sql), (lock) =>
        lock === undefined ? Effect.succeed(rowsMax) : repo.deleteBefore(sql, first, rowsMax)
      )
      while ((yield* sql.withTransaction(deleteSome)) === rowsMax) yield* Effect.sleep("50 millis")
      // Runs only while no process is adding; otherwise it waits for the next hour.
      const deleteEmpty = Effect.flatMap(repo.lock(sql), (lock) =>
        lock === undefined ? Effect.void : Effect.asVoid(repo.deleteEmptyDimensions(sql))
      )
      yield* sql.withTransaction(deleteEmpty)
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning("Cannot delete old telemetry aggregates. Retrying in an hour.", cause)
      ),
      Effect.repeat(Schedule.spaced("1 hour"))
    )

    /** Aggregates events until it is interrupted. */
    const sumUp = roundsOf(
      sql,
      ["audit", "telemetry"],
      Effect.catchCause(pass, (cause) =>
        Effect.as(Effect.logWarning("Cannot aggregate telemetry events. Retrying.", cause), 0)
      )
    )
    const worker = Effect.all([sumUp, purgeOldSums], { concurrency: 2, discard: true })

    /** Later reads include everything that was acknowledged before this time. */
    const summedAt = repo.summedAt(sql)

    return { worker, summedAt } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
