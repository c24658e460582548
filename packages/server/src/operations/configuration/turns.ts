/** Limits how many plans, applies and exports run at once, before they take a connection. */
import { ConfigurationBusy } from "@orgplane/schema/configuration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { retryAfter } from "../../infra/http/retry-after.ts"

/** Per process, of each type. Each may read 32 MiB of content, and a plan holds a connection. */
const atOnce = 2
/** Per process: running and waiting. Each holds a document of up to 8 MiB. */
const lineMax = 64
const waitSecondsMax = 30
const retrySeconds = 2

export const busy = () => retryAfter(new ConfigurationBusy(), retrySeconds)

export interface Turns {
  /** Plans, applies and adoptions: one per organization. */
  readonly change: <A, E, R>(
    organizationId: string,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ConfigurationBusy, R>
  /** Exports. */
  readonly read: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ConfigurationBusy, R>
}

interface Line {
  readonly turn: Semaphore.Semaphore
  length: number
}

export const makeTurns = (): Turns => {
  const [changes, reads] = [Semaphore.makeUnsafe(atOnce), Semaphore.makeUnsafe(atOnce)]
  const lines = new Map<string, Line>()
  let length = 0

  /** Takes the semaphores in order until the scope closes. */
  const taken = (semaphores: ReadonlyArray<Semaphore.Semaphore>) =>
    Effect.forEach(
      semaphores,
      (semaphore) => Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true }),
      { discard: true }
    ).pipe(Effect.timeoutOrElse({ duration: `${waitSecondsMax} seconds`, orElse: () => Effect.fail(busy()) }))

  const inLine = <A, E, R>(
    semaphores: ReadonlyArray<Semaphore.Semaphore>,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ConfigurationBusy, R> =>
    Effect.suspend((): Effect.Effect<A, E | ConfigurationBusy, R> => {
      if (length >= lineMax) return Effect.fail(busy())
      length += 1
      return Effect.scoped(Effect.andThen(taken(semaphores), work) as Effect.Effect<A, E | ConfigurationBusy, R>).pipe(
        Effect.ensuring(Effect.sync(() => (length -= 1)))
      )
    })

  return {
    read: (work) => inLine([reads], work),
    change: (organizationId, work) =>
      Effect.suspend(() => {
        const line = lines.get(organizationId) ?? { turn: Semaphore.makeUnsafe(1), length: 0 }
        line.length += 1
        lines.set(organizationId, line)
        return inLine([line.turn, changes], work).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              line.length -= 1
              if (line.length === 0) lines.delete(organizationId)
            })
          )
        )
      })
  }
}
