import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf, shortPause } from "../../infra/sql/wakes.ts"
import * as repo from "./repo.ts"

interface Watched {
  head: number
  readonly waiting: Set<Latch.Latch>
  streams: number
}

/**
 * The last sequence number of the organizations that have live streams in this process. It is read once for all streams
 * when events were sealed.
 */
export class EventHeads extends Context.Service<EventHeads>()("@orgplane/server/events/Heads", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const watched = new Map<Id<"org">, Watched>()

    const round = Effect.gen(function* () {
      if (watched.size === 0) return restSeconds
      for (const { organization_id: organizationId, sequence } of yield* repo.heads(sql, [...watched.keys()])) {
        const one = watched.get(organizationId)
        if (one === undefined || sequence <= one.head) continue
        one.head = sequence
        for (const latch of one.waiting) latch.openUnsafe()
      }
      return restSeconds
    }).pipe(
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("Cannot read the latest events. Retrying.", cause), 1))
    )
    yield* Effect.forkScoped(roundsOf(sql, ["changes"], round, shortPause))

    /** The number of live streams of the organization in this process. */
    const streamsOf = (organizationId: Id<"org">) => watched.get(organizationId)?.streams ?? 0

    /** Watches an organization until the scope closes. Returns a function that waits for events after a number. */
    const watch = (organizationId: Id<"org">, head: number) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const one = watched.get(organizationId) ?? { head, waiting: new Set<Latch.Latch>(), streams: 0 }
          one.head = Math.max(one.head, head)
          one.streams += 1
          watched.set(organizationId, one)
          return one
        }),
        (one) =>
          Effect.sync(() => {
            one.streams -= 1
            if (one.streams === 0) watched.delete(organizationId)
          })
      ).pipe(
        Effect.map(
          (one) => (after: number, seconds: number) =>
            Effect.suspend(() => {
              if (one.head > after) return Effect.succeed(one.head)
              const latch = Latch.makeUnsafe(false)
              one.waiting.add(latch)
              return Effect.timeoutOption(latch.await, `${seconds} seconds`).pipe(
                Effect.ensuring(Effect.sync(() => one.waiting.delete(latch))),
                Effect.map(() => one.head)
              )
            })
        )
      )

    return { watch, streamsOf } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
