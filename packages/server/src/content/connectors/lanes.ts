import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Id } from "@orgplane/schema/shared/ids"
import type { InstanceRow } from "./repo.ts"
import { originOf } from "./repository.ts"

/**
 * The organization that the work belongs to, and the host it depends on; null if it does not depend on another machine.
 */
export interface Lane {
  readonly organizationId: string
  readonly origin: string | null
}

export interface LaneLimits {
  readonly total: number
  readonly perOrganization: number
  readonly perOrigin: number
}

/** The lane for reading an instance's repository. */
export const laneOf = (organizationId: Id<"org">, instance: Pick<InstanceRow, "remote_id" | "adapter">): Lane => ({
  organizationId,
  // A local path has no host to wait for. A repository that is read by its identifier uses the single configured host.
  origin: instance.remote_id.startsWith("file:")
    ? null
    : URL.canParse(instance.remote_id)
      ? originOf(instance.remote_id)
      : instance.adapter
})

/**
 * Limits concurrent work per process, organization and origin, so that a slow host or a busy organization never uses
 * all slots. A slot is released when its effect ends, regardless of the outcome.
 */
export const makeLanes = (limits: LaneLimits) => {
  const inUse = new Map<string, number>()
  const waiting = new Set<Deferred.Deferred<void>>()
  const countOf = (key: string) => inUse.get(key) ?? 0
  const keysOf = ({ organizationId, origin }: Lane) => [
    { key: "all", max: limits.total },
    { key: `organization ${organizationId}`, max: limits.perOrganization },
    ...(origin === null ? [] : [{ key: `origin ${origin}`, max: limits.perOrigin }])
  ]

  /**
   * Takes a slot. Returns the key of the limit that is reached (`all`, the organization or the origin), or undefined on
   * success.
   */
  const enter = (lane: Lane): string | undefined => {
    const keys = keysOf(lane)
    const full = keys.find(({ key, max }) => countOf(key) >= max)
    if (full !== undefined) return full.key
    for (const { key } of keys) inUse.set(key, countOf(key) + 1)
    return undefined
  }

  const leave = (lane: Lane) => {
    for (const { key } of keysOf(lane)) {
      const left = countOf(key) - 1
      if (left > 0) inUse.set(key, left)
      else inUse.delete(key)
    }
    // A woken fiber may start waiting again immediately.
    const woken = [...waiting]
    waiting.clear()
    for (const waiter of woken) Deferred.doneUnsafe(waiter, Effect.void)
  }

  /** Runs the effect if a slot is free. Otherwise runs `otherwise` with the limit that is reached. */
  const tryWithin = <A, E, R, B, E2, R2>(
    lane: Lane,
    effect: Effect.Effect<A, E, R>,
    otherwise: (full: string) => Effect.Effect<B, E2, R2>
  ): Effect.Effect<A | B, E | E2, R | R2> =>
    Effect.acquireUseRelease(
      Effect.sync(() => enter(lane)),
      (full): Effect.Effect<A | B, E | E2, R | R2> => (full === undefined ? effect : otherwise(full)),
      (full) => Effect.sync(() => full === undefined && leave(lane))
    )

  /** Runs the effect as soon as a slot is free. */
  const within = <A, E, R>(lane: Lane, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const attempt: Effect.Effect<A, E, R> = tryWithin(
      lane,
      Effect.map(effect, (value) => ({ value })),
      () =>
        Effect.sync(() => {
          const waiter = Deferred.makeUnsafe<void>()
          waiting.add(waiter)
          return waiter
        })
    ).pipe(
      Effect.flatMap((entered) =>
        "value" in entered ? Effect.succeed(entered.value) : Effect.andThen(Deferred.await(entered), attempt)
      )
    )
    return attempt
  }

  return { tryWithin, within } as const
}
