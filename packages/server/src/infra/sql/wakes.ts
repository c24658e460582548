/** Wakes background work when changes for it are committed, so that it need not poll the database. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import type { Sql } from "./client.ts"
import { Notices } from "./notices.ts"

/**
 * The kind of change: audit events, sealed audit events, messages for webhook endpoints, event streams, telemetry,
 * memories, the desired state of worker runtimes, runs of the configuration source, or new rollouts.
 */
export type Written =
  | "audit"
  | "changes"
  | "webhooks"
  | "streams"
  | "telemetry"
  | "memories"
  | "runtimes"
  | "configuration"
  | "rollouts"
const kinds: ReadonlyArray<Written> = [
  "audit",
  "changes",
  "webhooks",
  "streams",
  "telemetry",
  "memories",
  "runtimes",
  "configuration",
  "rollouts"
]

interface Listener {
  readonly of: ReadonlyArray<Written>
  readonly latch: Latch.Latch
  /** Notifies other processes; it does not pass on their notifications. */
  readonly relays: boolean
}

const listeners = new WeakMap<Sql, Set<Listener>>()
const channel = "orgplane_written"

/** Minimum pause between two rounds of the same work. */
const pauseDefault = "1 second"
/** The same for sealing audit events and for what follows them, and between two notifications of other processes. */
export const shortPause = "200 millis"
/** Maximum pause, to find changes by a process that exited before it could notify others. */
export const restSeconds = 15

const wakeHere = (sql: Sql, written: string, isFromHere: boolean) => {
  for (const { latch, of, relays } of listeners.get(sql) ?? []) {
    if ((isFromHere || !relays) && of.some((one) => one === written)) latch.openUnsafe()
  }
}

/** Wakes the work that depends on changes of this kind, immediately or when the transaction commits. */
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
 * Repeats a round as soon as a change of these kinds is committed, and otherwise after the number of seconds that the
 * round returns (at most `restSeconds`), but at most once per `pause`.
 */
export const roundsOf = <R>(
  sql: Sql,
  of: ReadonlyArray<Written>,
  round: Effect.Effect<number, never, R>,
  pause: Duration.Input = pauseDefault
) =>
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
 * Lets processes on one database wake each other's work. Most work is done by the process that made the change, so only
 * a process without workers notifies others of every kind. Runtimes belong to the processes with a provisioner, and every
 * process can have listeners for changes.
 */
export const shareWakes = (sql: Sql, hasWorkers: boolean) =>
  Effect.gen(function* () {
    // An embedded database has one process.
    if (sql.config.stream !== undefined) return
    const notices = yield* Notices
    const receive = notices.subscribe(channel).pipe(
      Stream.runForEach((notice) =>
        Effect.sync(() => {
          // `Listening` means that notifications may have been missed.
          for (const written of notice._tag === "Notice" ? [notice.payload] : kinds) wakeHere(sql, written, false)
        })
      )
    )
    const relay = (written: Written) =>
      Effect.gen(function* () {
        const { latch } = yield* listenTo(sql, [written], true)
        while (true) {
          yield* latch.await
          latch.closeUnsafe()
          yield* Effect.ignore(notices.publish(channel, written))
          yield* Effect.sleep(shortPause)
        }
      }).pipe(Effect.scoped)
    const relays = hasWorkers ? (["runtimes", "changes"] as const) : kinds
    yield* Effect.all([receive, ...relays.map(relay)], {
      concurrency: "unbounded",
      discard: true
    })
  })
