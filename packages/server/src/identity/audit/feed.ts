import type { AuditEvent } from "@orgplane/schema/audit"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeId } from "../../infra/ids.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf, shortPause } from "../../infra/sql/wakes.ts"
import { AuditChain } from "./chain.ts"
import * as repo from "./feed-repo.ts"
import { toWire } from "./repo.ts"

/** A committed change, in the order of all changes. */
export interface Change extends AuditEvent {
  /** Increases with each change, across organizations. Numbers can be skipped. */
  readonly position: number
}

export interface FollowOptions {
  /**
   * The name of a consumer, whose position is stored. Each change is handled at least once, even after a restart, by one
   * process at a time. Without a name, only changes that are committed later are handled.
   */
  readonly consumer?: string
  /** Where a new consumer starts: at the next change, or at the first one that has a position. Default: `now`. */
  readonly from?: "now" | "start"
  readonly handle: (change: Change) => Promise<void>
  /** Succeeds as soon as later changes will be handled. */
  readonly ready?: Deferred.Deferred<void, unknown>
}

const batchMax = 100
const leaseSeconds = 30
const renewal = Duration.seconds(leaseSeconds / 3)
const retrySecondsMax = 30
/** How often the position is stored within a batch. */
const saveMillis = 1_000

/** Changes as they are committed, by any process on the database. They are delivered after they are sealed. */
export class ChangeFeed extends Context.Service<ChangeFeed>()("@orgplane/server/audit/Feed", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const chain = yield* AuditChain

    /**
     * Handles changes until there are none. Returns the position that is handled, and the error of a handler. The position
     * is stored with each batch, once per second while handlers are slow, and when the work is interrupted.
     */
    const drain = (
      start: number,
      handle: FollowOptions["handle"],
      store: (position: number) => Effect.Effect<boolean, unknown>
    ) => {
      let position = start
      let storedPosition = start
      const save = Effect.suspend(() => (position === storedPosition ? Effect.succeed(true) : store(position))).pipe(
        Effect.tap(() => Effect.sync(() => (storedPosition = position)))
      )
      const handleAll = Effect.gen(function* () {
        let savedAt = yield* Clock.currentTimeMillis
        for (;;) {
          const rows = yield* repo.after(sql, position, batchMax)
          let failure: unknown
          for (const row of rows) {
            const outcome = yield* Effect.exit(
              Effect.tryPromise({
                try: () => handle({ ...toWire(row), position: row.position }),
                catch: (error) => error
              })
            )
            if (outcome._tag === "Failure") {
              failure = outcome.cause
              break
            }
            position = row.position
            const now = yield* Clock.currentTimeMillis
            if (now - savedAt < saveMillis) continue
            if (!(yield* save)) return { position, failure, isOurs: false }
            savedAt = now
          }
          if (!(yield* save)) return { position, failure, isOurs: false }
          if (failure !== undefined || rows.length < batchMax) return { position, failure, isOurs: true }
        }
      })
      return Effect.onInterrupt(handleAll, () => Effect.ignore(save))
    }

    const followLive = (handle: FollowOptions["handle"], start: number) => {
      let position = start
      const store = (handled: number) => Effect.sync(() => ((position = handled), true))
      // A change is not redelivered to a listener without a name, so a failure must not block the next change.
      const attempt = (change: Change) =>
        handle(change).catch((error: unknown) => {
          failed.push(error)
        })
      const failed: Array<unknown> = []
      const round = Effect.gen(function* () {
        yield* drain(position, attempt, store)
        for (const error of failed.splice(0)) yield* Effect.logWarning("A change listener failed.", error)
        return restSeconds
      }).pipe(Effect.catchCause((cause) => Effect.as(Effect.logWarning("Cannot read changes. Retrying.", cause), 1)))
      return roundsOf(sql, ["changes"], round, shortPause)
    }

    const followNamed = (handle: FollowOptions["handle"], consumer: string) => {
      const holder = makeId("req")
      let retrySeconds = 1
      const renew = Effect.forever(
        Effect.andThen(Effect.sleep(renewal), Effect.ignore(repo.lease(sql, consumer, holder, leaseSeconds)))
      )
      const round = Effect.gen(function* () {
        const position = yield* repo.lease(sql, consumer, holder, leaseSeconds)
        if (position === undefined) return retrySecondsMax / 2
        const store = (handled: number) => repo.advance(sql, consumer, holder, handled)
        const outcome = yield* Effect.raceFirst(drain(position, handle, store), renew)
        if (outcome.failure === undefined) {
          retrySeconds = 1
          return restSeconds
        }
        retrySeconds = Math.min(retrySeconds * 2, retrySecondsMax)
        yield* Effect.logWarning(
          `The consumer "${consumer}" failed to handle a change. Retrying in ${retrySeconds} s.`,
          outcome.failure
        )
        return retrySeconds
      }).pipe(Effect.catchCause((cause) => Effect.as(Effect.logWarning("Cannot read changes. Retrying.", cause), 1)))
      return Effect.ensuring(
        roundsOf(sql, ["changes"], round, shortPause),
        Effect.ignore(repo.release(sql, consumer, holder))
      )
    }

    /** Handles changes until it is interrupted. */
    const follow = Effect.fnUntraced(function* ({ consumer, from = "now", handle, ready }: FollowOptions) {
      // Changes that are committed but not sealed have no position yet, and must not be treated as new.
      if (from === "now") yield* chain.seal
      const start = from === "start" ? 0 : yield* repo.head(sql)
      if (consumer !== undefined) yield* repo.createConsumer(sql, consumer, start)
      if (ready !== undefined) yield* Deferred.succeed(ready, undefined)
      return yield* consumer === undefined ? followLive(handle, start) : followNamed(handle, consumer)
    })

    return { follow } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
