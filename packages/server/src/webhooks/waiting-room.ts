import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

interface Waiter {
  readonly address: string
  readonly amount: number
  readonly admitted: Deferred.Deferred<void>
  isIn: boolean
}

export interface RoomLimits {
  /** Maximum total amount. */
  readonly max: number
  /** Maximum amount per source address. */
  readonly perAddressMax: number
  /** Maximum number waiting; further requests are refused. */
  readonly waitersMax: number
}

/**
 * A memory budget that requests wait for. Source addresses are served in turn, so an address that sends a lot, or
 * slowly, delays only its own requests.
 */
export const makeWaitingRoom = ({ max, perAddressMax, waitersMax }: RoomLimits) => {
  let held = 0
  let waiting = 0
  const heldBy = new Map<string, number>()
  /** In the order of turns. */
  const queues = new Map<string, Set<Waiter>>()

  const forget = (waiter: Waiter) => {
    const queue = queues.get(waiter.address)
    if (queue === undefined || !queue.delete(waiter)) return
    waiting -= 1
    if (queue.size === 0) queues.delete(waiter.address)
  }

  /** Admits waiting requests that fit: the first of each address, one address after the other. */
  const admit = () => {
    for (let admitted = true; admitted;) {
      admitted = false
      for (const [address, queue] of [...queues]) {
        const [first] = queue
        if (first === undefined) continue
        // Smaller requests must not overtake a large one forever.
        if (held + first.amount > max) return
        const own = heldBy.get(address) ?? 0
        if (own + first.amount > perAddressMax) continue
        forget(first)
        if (queues.delete(address)) queues.set(address, queue)
        held += first.amount
        heldBy.set(address, own + first.amount)
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
      const left = (heldBy.get(waiter.address) ?? 0) - waiter.amount
      if (left > 0) heldBy.set(waiter.address, left)
      else heldBy.delete(waiter.address)
    }
    admit()
  }

  /** Waits for memory and reserves it until the scope ends; false when too many are waiting. */
  const enter = (address: string, amount: number): Effect.Effect<boolean, never, Scope.Scope> =>
    Effect.suspend(() => {
      if (waiting >= waitersMax) return Effect.succeed(false)
      const waiter: Waiter = {
        address,
        amount: Math.min(amount, max, perAddressMax),
        admitted: Deferred.makeUnsafe<void>(),
        isIn: false
      }
      return Effect.addFinalizer(() => Effect.sync(() => leave(waiter))).pipe(
        Effect.andThen(
          Effect.suspend(() => {
            const queue = queues.get(address)
            if (queue === undefined) queues.set(address, new Set([waiter]))
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
