import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { type EventBatch, EventsNotStored, EventStore } from "../../infra/ports/event-store.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { makeConnectionLeases } from "../../infra/sql/connection-leases.ts"
import { databaseAway } from "../../infra/sql/unavailable.ts"
import * as partitions from "./partitions-repo.ts"
import { append } from "./repo.ts"

/** A time range whose partitions are known to exist. */
interface PreparedRange {
  from: number
  until: number
}
const emptyRange = (): PreparedRange => ({ from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY })

const codeOf = (error: SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined
}

/** No partition exists for the row. */
const isMissingPartition = (error: SqlError) => codeOf(error) === "23514"

const notStored = (error: SqlError) =>
  new EventsNotStored({
    // If the connection is lost, it is unknown whether the statement was executed.
    fault: error.reason._tag === "ConnectionError" ? "unknown" : databaseAway(error) ? "away" : "refused",
    cause: error
  })

/** Stores events in the server's database, in partitions created when the first event of their period arrives. */
const make = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const write = append(sql, yield* makeConnectionLeases(sql))
  let events = emptyRange()
  let ledger = emptyRange()

  const ensurePartitions = (
    partitioned: partitions.Partitioned,
    prepared: PreparedRange,
    from: number,
    until: number
  ): Effect.Effect<PreparedRange, SqlError> =>
    partitions.ensure(sql, partitioned, from, until).pipe(
      Effect.as({
        from: partitions.startOf(partitioned, Math.min(from, prepared.from)),
        until: partitions.startOf(partitioned, Math.max(until, prepared.until), 1) - 1
      })
    )

  const prepare = Effect.fnUntraced(function* (batches: ReadonlyArray<EventBatch>) {
    const earliest = Math.min(...batches.map((batch) => batch.earliest))
    const latest = Math.max(...batches.map((batch) => batch.latest))
    const [from, until] = [Math.min(earliest, events.from), Math.max(latest, events.until)]
    if (from < events.from || until > events.until)
      events = yield* ensurePartitions(partitions.events, events, from, until)
    const now = yield* Clock.currentTimeMillis
    const received = batches.map((batch) => batch.receivedAt)
    const [first, last] = [Math.min(now, ...received), Math.max(now, ...received)]
    if (first < ledger.from || last > ledger.until)
      ledger = yield* ensurePartitions(partitions.ledger, emptyRange(), first, last)
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
        Effect.catchIf(isMissingPartition, () => {
          // Another process has dropped partitions that this process assumed to exist.
          events = emptyRange()
          ledger = emptyRange()
          return attempt(batches)
        }),
        Effect.mapError(notStored)
      )
  })
})

export const layerEventStore = Layer.effect(EventStore, make)
