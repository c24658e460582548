import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { advisoryLocks } from "./advisory-locks.ts"
import { openConnection } from "./client.ts"
import { lockKey, ownName } from "./schema.ts"

/**
 * `Listening` means that no notification is missed from now on. It is delivered first, and again whenever notifications
 * may have been missed, because the connection was lost or the subscriber fell behind. Subscribers with cached data
 * must then reload it.
 */
export type Notice =
  | { readonly _tag: "Listening" }
  | { readonly _tag: "Notice"; readonly channel: string; readonly payload: string }

/** A shared advisory lock, which shows a fact about this process to others. Both numbers have 32 bits. */
export interface SharedLock {
  readonly kind: number
  readonly id: number
}

export interface NoticesOptions {
  /** How often the listening connection is probed while `lastHeard` is used. */
  readonly beatMillis?: number
  readonly reconnectMillisMax?: number
}

const listening: Notice = { _tag: "Listening" }
/** A subscriber with more pending notifications gets `Listening` instead. */
const behindMax = 1024
const reconnectMillisMin = 100
/** When `lastHeard` was not used for this long, the connection is probed only this often. */
const restingMillis = 10_000
const probeMillisMax = 10_000

/**
 * Messages between processes over the database, on a separate connection that is reopened when it is lost. The connection
 * also holds the lock that shows that a server uses the tables.
 */
export class Notices extends Context.Service<
  Notices,
  {
    /** Notifies every subscriber in every process; in a transaction, when it commits. At most 7999 bytes. */
    readonly publish: (channel: string, payload: string) => Effect.Effect<void, SqlError>
    readonly subscribe: (channel: string) => Stream.Stream<Notice>
    /** When the listening connection last responded to a probe, in epoch milliseconds. */
    readonly lastHeard: Effect.Effect<number | undefined>
    /** The same, synchronously. */
    readonly lastHeardUnsafe: () => number | undefined
    /**
     * How often the listening connection has been lost. Notifications from before the last loss may have been missed.
     */
    readonly cutsUnsafe: () => number
    /**
     * Holds these locks, and no earlier ones, on the listening connection, also after it is reopened. Returns when it
     * holds them. An embedded database has no other process that could read them, so it returns at once.
     */
    readonly hold: (locks: ReadonlyArray<SharedLock>) => Effect.Effect<void>
  }
>()("@orgplane/server/sql/Notices") {
  static readonly layer = (options: NoticesOptions = {}): Layer.Layer<Notices, never, PgClient.PgClient> =>
    Layer.effect(Notices, make(options))
}

const make = Effect.fnUntraced(function* (options: NoticesOptions) {
  const sql = yield* PgClient.PgClient
  const clock = yield* Clock.Clock
  const beat = Duration.millis(options.beatMillis ?? 5000)
  const reconnectMillisMax = options.reconnectMillisMax ?? 5000
  // The in-process engine has no network that can fail, and a probe would only queue behind transactions.
  const isServer = sql.config.stream === undefined

  const subscribers = new Map<string, Set<Queue.Queue<Notice>>>()
  /** Channels that the current connection listens on. */
  const channels = new Set<string>()
  const wakes = yield* Queue.sliding<void>(1)
  let wantedLocks: ReadonlyMap<string, SharedLock> = new Map()
  const heldLocks = new Map<string, SharedLock>()
  const lockWaiters: Array<Deferred.Deferred<void>> = []
  let lastHeard: number | undefined
  const restingBeat = Duration.max(beat, Duration.millis(restingMillis))
  let inquiredAt = clock.currentTimeMillisUnsafe()
  /** Callers need a recent value, so an idle connection is probed immediately and then at short intervals. */
  const readLastHeard = () => {
    const now = clock.currentTimeMillisUnsafe()
    if (Math.abs(now - inquiredAt) > restingMillis) Queue.offerUnsafe(wakes, undefined)
    inquiredAt = now
    return lastHeard
  }
  let wait = reconnectMillisMin
  let cuts = 0

  const deliver = (channel: string, notice: Notice) =>
    Effect.forEach(
      subscribers.get(channel) ?? [],
      (queue) =>
        Effect.suspend(() =>
          Queue.offerUnsafe(queue, notice)
            ? Effect.void
            : Effect.andThen(
                Queue.clear(queue),
                Effect.sync(() => Queue.offerUnsafe(queue, listening))
              )
        ),
      { discard: true }
    )

  /** Takes and releases shared locks, which no other process ever takes exclusively. */
  const updateLocks = Effect.fnUntraced(function* (run: (statement: string) => Effect.Effect<unknown, SqlError>) {
    const waiters = lockWaiters.splice(0)
    const wanted = wantedLocks
    for (const [name, { id, kind }] of wanted) {
      if (heldLocks.has(name)) continue
      yield* run(`SELECT pg_advisory_lock_shared(${kind}, ${id})::text`)
      heldLocks.set(name, { id, kind })
    }
    for (const [name, { id, kind }] of [...heldLocks]) {
      if (wanted.has(name)) continue
      yield* run(`SELECT pg_advisory_unlock_shared(${kind}, ${id})::text`)
      heldLocks.delete(name)
    }
    for (const waiter of waiters) yield* Deferred.succeed(waiter, undefined)
  })

  /** Listens on one connection; fails when it is lost. */
  const listenOnce = Effect.gen(function* () {
    const connection = yield* openConnection(sql)
    const pinned = yield* connection.pin
    // An embedded database has one process.
    if (isServer) {
      yield* pinned.query(`SELECT pg_advisory_lock_shared(${lockKey(sql, advisoryLocks.servers)})::text`, [], false)
    }
    const lost = yield* Deferred.make<never, SqlError>()
    while (true) {
      if (isServer) yield* updateLocks((statement) => pinned.query(statement, [], false))
      for (const channel of subscribers.keys()) {
        if (channels.has(channel)) continue
        const notifications = yield* pinned.listen(ownName(sql, channel))
        channels.add(channel)
        yield* Queue.take(notifications).pipe(
          Effect.tap(({ payload }) => deliver(channel, { _tag: "Notice", channel, payload })),
          Effect.forever,
          Effect.catchCause((cause) => Deferred.failCause(lost, cause)),
          Effect.forkScoped
        )
        yield* deliver(channel, listening)
      }
      // A late response does not show that the connection has worked since the probe was sent, and neither does a late
      // notification.
      const probedAt = clock.currentTimeMillisUnsafe()
      if (isServer) yield* Effect.timeout(pinned.query("SELECT 1", [], false), probeMillisMax)
      lastHeard = probedAt
      wait = reconnectMillisMin
      const pause = Math.abs(probedAt - inquiredAt) > restingMillis ? restingBeat : beat
      yield* Effect.raceFirst(Deferred.await(lost), Effect.timeoutOption(Queue.take(wakes), pause))
    }
  }).pipe(
    Effect.scoped,
    Effect.ensuring(
      Effect.sync(() => {
        cuts += 1
        channels.clear()
        heldLocks.clear()
      })
    )
  )

  yield* Effect.exit(listenOnce).pipe(
    Effect.tap((exit) =>
      Exit.isFailure(exit)
        ? Effect.logDebug("Lost the connection that listens for PostgreSQL notifications.", exit.cause)
        : Effect.void
    ),
    Effect.andThen(
      Effect.suspend(() => {
        const pause = wait * (0.5 + Math.random() / 2)
        wait = Math.min(wait * 2, reconnectMillisMax)
        return Effect.sleep(pause)
      })
    ),
    Effect.forever,
    Effect.forkScoped
  )

  return Notices.of({
    publish: (channel, payload) => Effect.asVoid(sql`SELECT pg_notify(${ownName(sql, channel)}, ${payload})::text`),
    subscribe: (channel) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const queue = yield* Effect.acquireRelease(Queue.dropping<Notice>(behindMax), (queue) =>
            Effect.andThen(
              Effect.sync(() => {
                const of = subscribers.get(channel)
                of?.delete(queue)
                if (of?.size === 0) subscribers.delete(channel)
              }),
              Queue.shutdown(queue)
            )
          )
          const of = subscribers.get(channel)
          if (of === undefined) subscribers.set(channel, new Set([queue]))
          else of.add(queue)
          if (channels.has(channel)) Queue.offerUnsafe(queue, listening)
          else Queue.offerUnsafe(wakes, undefined)
          return Stream.fromQueue(queue)
        })
      ),
    lastHeard: Effect.sync(readLastHeard),
    lastHeardUnsafe: readLastHeard,
    cutsUnsafe: () => cuts,
    hold: (locks) =>
      Effect.suspend(() => {
        if (!isServer) return Effect.void
        wantedLocks = new Map(locks.map((lock) => [`${lock.kind}/${lock.id}`, lock]))
        const waiter = Deferred.makeUnsafe<void>()
        lockWaiters.push(waiter)
        Queue.offerUnsafe(wakes, undefined)
        return Deferred.await(waiter)
      })
  })
})
