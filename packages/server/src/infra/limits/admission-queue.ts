import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

interface Waiter {
  readonly key: string
  readonly amount: number
  readonly admitted: Deferred.Deferred<void>
  isIn: boolean
}

export interface AdmissionLimits {
  /** Maximum total amount. */
  readonly max: number
  /** Maximum amount per key. */
  readonly perKeyMax: number
  /** Maximum number waiting; further requests are refused. */
  readonly waitersMax: number
  /** Maximum number waiting per key; `waitersMax` by default. */
  readonly waitersPerKeyMax?: number
}

/**
 * A budget of memory or request slots for which requests wait. Keys (source addresses, connections) are served in turn,
 * so a key with many or slow requests delays only its own requests.
 */
export const makeAdmissionQueue = ({ max, perKeyMax, waitersMax, waitersPerKeyMax = waitersMax }: AdmissionLimits) => {
  let held = 0
  let waiting = 0
  const heldBy = new Map<string, number>()
  /** In the order in which the keys are served. */
  const queues = new Map<string, Set<Waiter>>()

  const forget = (waiter: Waiter) => {
    const queue = queues.get(waiter.key)
    if (queue === undefined || !queue.delete(waiter)) return
    waiting -= 1
    if (queue.size === 0) queues.delete(waiter.key)
  }

  /** Admits waiting requests that fit: the first of each key, one key after the other. */
  const admit = () => {
    for (let admitted = true; admitted;) {
      admitted = false
      for (const [key, queue] of [...queues]) {
        const [first] = queue
        if (first === undefined) continue
        // Smaller requests must not keep overtaking a large one.
        if (held + first.amount > max) return
        const own = heldBy.get(key) ?? 0
        if (own + first.amount > perKeyMax) continue
        forget(first)
        if (queues.delete(key)) queues.set(key, queue)
        held += first.amount
        heldBy.set(key, own + first.amount)
        first.isIn = true
        admitted = true
        Deferred.doneUnsafe(first.admitted, Effect.void)
      }
    }
  }

  const leave = (waiter: Waiter) => {
    forget(waiter)
    if (waiter.isIn) {
      held -= waiter.amount
      const left = (heldBy.get(waiter.key) ?? 0) - waiter.amount
      if (left > 0) heldBy.set(waiter.key, left)
      else heldBy.delete(waiter.key)
    }
    admit()
  }

  /** Waits for its amount and reserves it until the scope ends; false when too many are waiting. */
  const enter = (key: string, amount: number): Effect.Effect<boolean, never, Scope.Scope> =>
    Effect.suspend(() => {
      const ofKey = queues.get(key)?.size ?? 0
      if (waiting >= waitersMax || ofKey >= waitersPerKeyMax) return Effect.succeed(false)
      const waiter: Waiter = {
        key,
        amount: Math.min(amount, max, perKeyMax),
        admitted: Deferred.makeUnsafe<void>(),
        isIn: false
      }
      return Effect.addFinalizer(() => Effect.sync(() => leave(waiter))).pipe(
        Effect.andThen(
          Effect.suspend(() => {
            const queue = queues.get(key)
            if (queue === undefined) queues.set(key, new Set([waiter]))
            else queue.add(waiter)
            waiting += 1
            admit()
            return Deferred.await(waiter.admitted)
          })
        ),
        Effect.as(true)
      )
    })

  return { enter, held: () => held, waiting: () => waiting } as const
}
