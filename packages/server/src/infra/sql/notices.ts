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
import { openConnection } from "./client.ts"

/**
 * `Listening`: from here on nothing is missed. It comes first, and again after every time that something may have been
 * missed (the connection was cut, the subscriber fell behind): whoever keeps a copy of anything reads it anew then.
 */
export type Notice =
  | { readonly _tag: "Listening" }
  | { readonly _tag: "Notice"; readonly channel: string; readonly payload: string }

export interface NoticesOptions {
  /** How often the listening connection is asked whether it lives, while somebody inquires when it was last heard. */
  readonly beatMillis?: number
  readonly reconnectMillisMax?: number
}

const listening: Notice = { _tag: "Listening" }
/** A subscriber further behind than this is told to read anew instead. */
const behindMax = 1024
const reconnectMillisMin = 100
/** Nobody inquired for so long: the connection is asked only so often. */
const restingMillis = 10_000
const answerMillisMax = 10_000

/** Words from process to process over the database, on a connection of their own that is made again when it is cut. */
export class Notices extends Context.Service<
  Notices,
  {
    /** Tells every subscriber of every process; inside a transaction, when and if that commits. At most 7999 bytes. */
    readonly publish: (channel: string, payload: string) => Effect.Effect<void, SqlError>
    readonly subscribe: (channel: string) => Stream.Stream<Notice>
    /** When (in epoch milliseconds) the listening connection was last asked whether it hears, and did. */
    readonly lastHeard: Effect.Effect<number | undefined>
    /** The same, at once. */
    readonly lastHeardUnsafe: () => number | undefined
    /** How often the listening connection was lost: what was heard before the last time may not have been all. */
    readonly cutsUnsafe: () => number
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
  // In process there is no network to fail, and a question would only queue behind others' transactions.
  const asks = sql.config.stream === undefined

  const subscribers = new Map<string, Set<Queue.Queue<Notice>>>()
  /** Channels the present connection listens to. */
  const heardNow = new Set<string>()
  const pokes = yield* Queue.sliding<void>(1)
  let lastHeard: number | undefined
  const restingBeat = Duration.max(beat, Duration.millis(restingMillis))
  let inquiredAt = clock.currentTimeMillisUnsafe()
  /** Whoever relies on what was heard wants it fresh: an idle connection is asked at once, and then often again. */
  const inquire = () => {
    const now = clock.currentTimeMillisUnsafe()
    if (Math.abs(now - inquiredAt) > restingMillis) Queue.offerUnsafe(pokes, undefined)
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

  /** One connection's life; fails when it is cut. */
  const listenOnce = Effect.gen(function* () {
    const connection = yield* openConnection(sql)
    const pinned = yield* connection.pin
    const lost = yield* Deferred.make<never, SqlError>()
    while (true) {
      for (const channel of subscribers.keys()) {
        if (heardNow.has(channel)) continue
        const notifications = yield* pinned.listen(channel)
        heardNow.add(channel)
        yield* Queue.take(notifications).pipe(
          Effect.tap(({ payload }) => deliver(channel, { _tag: "Notice", channel, payload })),
          Effect.forever,
          Effect.catchCause((cause) => Deferred.failCause(lost, cause)),
          Effect.forkScoped
        )
        yield* deliver(channel, listening)
      }
      // An answer that was long on its way says nothing of what happened meanwhile; nor does a late notice.
      const asked = clock.currentTimeMillisUnsafe()
      if (asks) yield* Effect.timeout(pinned.query("SELECT 1", [], false), answerMillisMax)
      lastHeard = asked
      wait = reconnectMillisMin
      const pause = Math.abs(asked - inquiredAt) > restingMillis ? restingBeat : beat
      yield* Effect.raceFirst(Deferred.await(lost), Effect.timeoutOption(Queue.take(pokes), pause))
    }
  }).pipe(
    Effect.scoped,
    Effect.ensuring(
      Effect.sync(() => {
        cuts += 1
        heardNow.clear()
      })
    )
  )

  yield* Effect.exit(listenOnce).pipe(
    Effect.tap((exit) =>
      Exit.isFailure(exit) ? Effect.logDebug("Listening for notices was cut", exit.cause) : Effect.void
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
    publish: (channel, payload) => Effect.asVoid(sql`SELECT pg_notify(${channel}, ${payload})::text`),
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
          if (heardNow.has(channel)) Queue.offerUnsafe(queue, listening)
          else Queue.offerUnsafe(pokes, undefined)
          return Stream.fromQueue(queue)
        })
      ),
    lastHeard: Effect.sync(inquire),
    lastHeardUnsafe: inquire,
    cutsUnsafe: () => cuts
  })
})
