/** Wakes background work when something was committed for it, so that it need not ask the database again and again. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { Sql } from "./client.ts"
import { Notices } from "./notices.ts"

/** What was written: the audit's events, telemetry, memories, or what is wanted of workers' runtimes. */
export type Written = "audit" | "telemetry" | "memories" | "runtimes"
const kinds: ReadonlyArray<Written> = ["audit", "telemetry", "memories", "runtimes"]

interface Listener {
  readonly of: ReadonlyArray<Written>
  readonly latch: Latch.Latch
  /** Tells other processes; what they tell is nothing to tell again. */
  readonly relays: boolean
}

const listeners = new WeakMap<Sql, Set<Listener>>()
const channel = "orgplane_written"

/** Between two rounds of the same work, however much is written. */
const pause = "1 second"
/** The longest pause: finds what was written by a process that ended before it could tell. */
export const restSeconds = 15

const wakeHere = (sql: Sql, written: string, isFromHere: boolean) => {
  for (const { latch, of, relays } of listeners.get(sql) ?? []) {
    if ((isFromHere || !relays) && of.some((one) => one === written)) latch.openUnsafe()
  }
}

/** Wakes the work that follows from what is written here: at once, or when and if the transaction commits. */
export const wake = (sql: Sql, written: Written) => sql.afterCommit(Effect.sync(() => wakeHere(sql, written, true)))

const listenTo = (sql: Sql, of: ReadonlyArray<Written>, relays: boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listener: Listener = { of, latch: Latch.makeUnsafe(false), relays }
      const all = listeners.get(sql) ?? new Set()
      listeners.set(sql, all.add(listener))
      return listener
    }),
    (listener) => Effect.sync(() => listeners.get(sql)?.delete(listener))
  )

/**
 * Repeats a round for as long as it runs: as soon as something of these kinds was written, and otherwise when the round
 * wants to be repeated (in seconds; after `restSeconds` at most), but once a second at most.
 */
export const roundsOf = <R>(sql: Sql, of: ReadonlyArray<Written>, round: Effect.Effect<number, never, R>) =>
  Effect.gen(function* () {
    const { latch } = yield* listenTo(sql, of, false)
    while (true) {
      latch.closeUnsafe()
      const seconds = yield* round
      yield* Effect.sleep(pause)
      if (seconds > 1) yield* Effect.timeoutOption(latch.await, `${Math.min(seconds, restSeconds) - 1} seconds`)
    }
  }).pipe(Effect.scoped)

/**
 * Lets processes on one database wake each other's work. Most work is done by the process that was written to, so only
 * a process without workers tells of everything; runtimes belong to the processes with their provisioner.
 */
export const shareWakes = (sql: Sql, hasWorkers: boolean) =>
  Effect.gen(function* () {
    // An embedded database has one process.
    if (sql.config.stream !== undefined) return
    const notices = yield* Notices
    const hear = notices.subscribe(channel).pipe(
      Stream.runForEach((notice) =>
        Effect.sync(() => {
          // `Listening` says that notices may have been missed.
          for (const written of notice._tag === "Notice" ? [notice.payload] : kinds) wakeHere(sql, written, false)
        })
      )
    )
    const tell = (written: Written) =>
      Effect.gen(function* () {
        const { latch } = yield* listenTo(sql, [written], true)
        while (true) {
          yield* latch.await
          latch.closeUnsafe()
          yield* Effect.ignore(notices.publish(channel, written))
          yield* Effect.sleep(pause)
        }
      }).pipe(Effect.scoped)
    yield* Effect.all(hasWorkers ? [hear, tell("runtimes")] : kinds.map(tell), {
      concurrency: "unbounded",
      discard: true
    })
  })
