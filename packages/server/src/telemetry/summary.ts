import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlDatabase } from "../sql/client.ts"
import * as repo from "./summary-repo.ts"

/** So many that a batch is over in a second or so, and what it holds is small. */
const eventsMax = 20_000

/**
 * Keeps the sums that figures are read from. Events and changes carry the number of the transaction that wrote them; one
 * process at a time adds those of transactions that have all ended, and moves the watermark in the same transaction: what
 * commits late is among the next ones, and whoever is killed in the middle has added nothing.
 */
export class TelemetrySummary extends Context.Service<TelemetrySummary>()("@orgplane/server/telemetry/Summary", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase

    /** Adds one batch; true when there is more that can be added now. */
    const pass = Effect.gen(function* () {
      const held = yield* repo.lock(sql)
      if (held === undefined) return false
      const to = yield* repo.batchEnd(sql, held, eventsMax)
      yield* repo.addEvents(sql, held.watermark, to)
      yield* repo.addChanges(sql, held.watermark, to)
      yield* repo.move(sql, held, to)
      return to !== held.ended
    }).pipe(sql.withTransaction)

    const round = Effect.gen(function* () {
      if (!(yield* repo.hasNews(sql))) return
      while (yield* pass) yield* Effect.yieldNow
    })

    /** Sums up for as long as it runs. */
    const worker = round.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Telemetry could not be summed up; it is tried again.", cause)),
      Effect.repeat(Schedule.spaced("1 second"))
    )

    /** All that was acknowledged before this moment is in what is read after it. */
    const summedAt = repo.summedAt(sql)

    return { worker, summedAt } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
