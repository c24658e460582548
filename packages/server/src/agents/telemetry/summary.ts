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

/** Events, and changes in the audit: so many that a batch is over in a second or so, and what it holds is small. */
const batchMax = 20_000
/** Rows that one statement forgets. */
const rowsMax = 5000
const dayMillis = 86_400_000

/**
 * Keeps the sums that figures are read from. Events and changes carry the number of the transaction that wrote them; one
 * process at a time adds those of transactions that have all ended, and moves the watermark in the same transaction: what
 * commits late is among the next ones, and whoever is killed in the middle has added nothing.
 */
export class TelemetrySummary extends Context.Service<TelemetrySummary>()("@orgplane/server/telemetry/Summary", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const { telemetry } = yield* Settings

    if (yield* repo.resume(sql)) {
      yield* Effect.logInfo("The database comes from another server; the summary of its telemetry goes on from here.")
    }

    /** Adds one batch; true when there is more that can be added now. */
    const pass = Effect.gen(function* () {
      const held = yield* repo.lock(sql)
      if (held === undefined) return false
      yield* repo.takeTime(sql)
      const to = yield* repo.batchEnd(sql, held, batchMax)
      yield* repo.addEvents(sql, held, to)
      yield* repo.addChanges(sql, held, to)
      yield* repo.move(sql, held, to)
      return to !== held.ended
    }).pipe(sql.withTransaction, Effect.provideService(StatementMillisMax, longStatementMillis))

    /** In how many seconds to look again: soon while there is news, since a transaction under way may hold some back. */
    const round = Effect.gen(function* () {
      if (!(yield* repo.hasNews(sql))) return restSeconds
      while (yield* pass) yield* Effect.yieldNow
      return 0
    })

    /** Forgets what the events are gone of. */
    const forget = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const first = new Date(now - telemetry.retentionDays * dayMillis).toISOString().slice(0, 10)
      while ((yield* repo.forgetBefore(sql, first, rowsMax)) === rowsMax) yield* Effect.sleep("50 millis")
      // Nobody adds to them meanwhile; where somebody does, the next hour is soon enough.
      const emptied = Effect.flatMap(repo.lock(sql), (held) =>
        held === undefined ? Effect.void : Effect.asVoid(repo.forgetEmptied(sql))
      )
      yield* sql.withTransaction(emptied)
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning("Old sums were not forgotten; it is tried again in an hour.", cause)
      ),
      Effect.repeat(Schedule.spaced("1 hour"))
    )

    /** Sums up for as long as it runs. */
    const adding = roundsOf(
      sql,
      ["audit", "telemetry"],
      Effect.catchCause(round, (cause) =>
        Effect.as(Effect.logWarning("Telemetry could not be summed up; it is tried again.", cause), 0)
      )
    )
    const worker = Effect.all([adding, forget], { concurrency: 2, discard: true })

    /** All that was acknowledged before this moment is in what is read after it. */
    const summedAt = repo.summedAt(sql)

    return { worker, summedAt } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
