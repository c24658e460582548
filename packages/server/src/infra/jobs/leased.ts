import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { makeId } from "../ids.ts"
import type { Sql } from "../sql/client.ts"
import { restSeconds, roundsOf, shortPause, type Written } from "../sql/wakes.ts"

/** What a lease is used for. */
export interface Turn {
  /** Never reused, so work whose lease ended stops even if this process has taken the lease again. */
  readonly holder: string
  /** Whether to release the lease, so that what was due before is served first. */
  readonly isOver: Effect.Effect<boolean>
}

export interface LeasedOptions<Row, E, R> {
  readonly sql: Sql
  readonly wakes: ReadonlyArray<Written>
  /** How many are served at a time. Most of them wait for a receiver. */
  readonly atOnce: number
  readonly turnMillis: number
  /** What is served, such as `webhook endpoints`. */
  readonly subject: string
  /** Takes the lease of those that are due, those that have waited longest first. */
  readonly claim: (holder: string, limit: number) => Effect.Effect<ReadonlyArray<Row>, unknown, R>
  /** The seconds until the next one without a lease is due; null if none is. */
  readonly secondsUntilDue: Effect.Effect<number | null, unknown, R>
  /** Serves one until its time slice ends, and then releases its lease. */
  readonly serve: (row: Row, turn: Turn) => Effect.Effect<void, E, R>
  /** Logs an error of this server, for example of its database, and releases the lease with a pause. */
  readonly onError: (row: Row, turn: Turn, cause: Cause.Cause<E>) => Effect.Effect<unknown, unknown, R>
  /** Releases the lease, if it is still held, when the server stops. */
  readonly release: (row: Row, turn: Turn) => Effect.Effect<unknown, unknown, R>
}

/**
 * Serves what is due, until it is interrupted: each with its own fiber and lease, so that a slow one delays no other. With a
 * backlog, a lease is released when its time slice ends. After a crash, another process continues when the lease has ended.
 */
export const serveLeased = <Row, E, R>({
  atOnce,
  claim,
  onError,
  release,
  secondsUntilDue,
  serve,
  sql,
  subject,
  turnMillis,
  wakes
}: LeasedOptions<Row, E, R>) =>
  Effect.gen(function* () {
    const fibers = yield* FiberSet.make()
    const serveOne = (row: Row, holder: string) =>
      Effect.gen(function* () {
        const until = (yield* Clock.currentTimeMillis) + turnMillis
        const turn: Turn = { holder, isOver: Effect.map(Clock.currentTimeMillis, (now) => now >= until) }
        yield* serve(row, turn).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.ignore(onError(row, turn, cause))
          ),
          Effect.onInterrupt(() => Effect.ignore(release(row, turn)))
        )
      })
    const round = Effect.gen(function* () {
      const free = atOnce - (yield* FiberSet.size(fibers))
      if (free <= 0) return 1
      const holder = makeId("req")
      const claimed = yield* claim(holder, free)
      for (const row of claimed) yield* FiberSet.run(fibers, serveOne(row, holder))
      const seconds = yield* secondsUntilDue
      return seconds === null ? restSeconds : Math.max(1, Math.min(Math.ceil(seconds) + 1, restSeconds))
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(Effect.logWarning(`Cannot read which ${subject} are due. Retrying.`, cause), 1)
      )
    )
    return yield* roundsOf(sql, wakes, round, shortPause)
  }).pipe(Effect.scoped)
