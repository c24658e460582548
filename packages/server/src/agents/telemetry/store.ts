import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { type EventBatch, EventsNotStored, EventStore } from "../../infra/ports/event-store.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { databaseAway } from "../../infra/sql/unavailable.ts"
import * as partitions from "./partitions-repo.ts"
import { append } from "./repo.ts"

/** A stretch of time whose partitions are known to be there. */
interface Known {
  from: number
  until: number
}
const nothing = (): Known => ({ from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY })

const codeOf = (error: SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined
}

/** A row that no partition takes. */
const isHomeless = (error: SqlError) => codeOf(error) === "23514"

const notStored = (error: SqlError) =>
  new EventsNotStored({
    // A connection that was cut says nothing of what the server did with the statement.
    fault: error.reason._tag === "ConnectionError" ? "unknown" : databaseAway(error) ? "away" : "refused",
    cause: error
  })

/** Events in our own database, in partitions that are made when the first event of their time comes. */
const make = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const write = append(sql)
  let events = nothing()
  let ledger = nothing()

  const known = (
    partitioned: partitions.Partitioned,
    at: Known,
    from: number,
    until: number
  ): Effect.Effect<Known, SqlError> =>
    partitions.ensure(sql, partitioned, from, until).pipe(
      Effect.as({
        from: partitions.beginningOf(partitioned, Math.min(from, at.from)),
        until: partitions.beginningOf(partitioned, Math.max(until, at.until), 1) - 1
      })
    )

  const prepare = Effect.fnUntraced(function* (batches: ReadonlyArray<EventBatch>) {
    const earliest = Math.min(...batches.map((batch) => batch.earliest))
    const latest = Math.max(...batches.map((batch) => batch.latest))
    const [from, until] = [Math.min(earliest, events.from), Math.max(latest, events.until)]
    if (from < events.from || until > events.until) events = yield* known(partitions.events, events, from, until)
    const now = yield* Clock.currentTimeMillis
    const received = batches.map((batch) => batch.receivedAt)
    const [first, last] = [Math.min(now, ...received), Math.max(now, ...received)]
    if (first < ledger.from || last > ledger.until) ledger = yield* known(partitions.ledger, nothing(), first, last)
  })

  const isPrepared = (batches: ReadonlyArray<EventBatch>) => {
    for (const { earliest, latest, receivedAt } of batches) {
      if (earliest < events.from || latest > events.until) return false
      if (receivedAt < ledger.from || receivedAt > ledger.until) return false
    }
    return true
  }

  const attempt = (batches: ReadonlyArray<EventBatch>) =>
    isPrepared(batches) ? write(batches) : Effect.andThen(prepare(batches), write(batches))

  return EventStore.of({
    append: (batches) =>
      attempt(batches).pipe(
        Effect.catchIf(isHomeless, () => {
          // Somebody has dropped what this process knew to be there.
          events = nothing()
          ledger = nothing()
          return attempt(batches)
        }),
        Effect.mapError(notStored)
      )
  })
})

export const layerEventStore = Layer.effect(EventStore, make)
