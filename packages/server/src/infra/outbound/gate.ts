export interface GateLimits {
  readonly perOrganization: number
  readonly perProcess: number
  readonly waitingPerOrganization: number
  readonly waitingPerProcess: number
}

export interface Ticket {
  /** Settles when the ticket is admitted. Never settles if the ticket is released before. */
  readonly admitted: Promise<void>
  /** Releases the slot, as soon as all `held` work has settled. Idempotent. */
  readonly leave: () => void
  /**
   * Keeps the slot until work that cannot be canceled settles. For example, an abandoned name lookup still occupies a
   * thread.
   */
  readonly hold: (work: Promise<unknown>) => void
}

export interface Gate {
  /** Undefined when the queue is full. */
  readonly enter: (organizationId: string | undefined) => Ticket | undefined
}

interface Waiter {
  readonly organizationId: string | undefined
  readonly admit: () => void
}

/**
 * A queue for a limited number of slots. The waiting organization with the fewest slots is admitted first, and its
 * requests are admitted in order of arrival. An organization whose servers never respond can therefore occupy only the
 * slots that it already has.
 */
export const makeGate = (limits: GateLimits): Gate => {
  const activeOf = new Map<string, number>()
  const waiting: Array<Waiter> = []
  let active = 0

  const isFree = (organizationId: string | undefined): boolean =>
    active < limits.perProcess &&
    (organizationId === undefined || (activeOf.get(organizationId) ?? 0) < limits.perOrganization)

  const count = (organizationId: string | undefined, change: 1 | -1): void => {
    active += change
    if (organizationId === undefined) return
    const left = (activeOf.get(organizationId) ?? 0) + change
    if (left === 0) activeOf.delete(organizationId)
    else activeOf.set(organizationId, left)
  }

  const slotsOf = ({ organizationId }: Waiter): number =>
    organizationId === undefined ? 0 : (activeOf.get(organizationId) ?? 0)

  const admitNext = (): void => {
    let next: Waiter | undefined
    for (const waiter of waiting) {
      if (isFree(waiter.organizationId) && (next === undefined || slotsOf(waiter) < slotsOf(next))) next = waiter
    }
    if (next === undefined) return
    waiting.splice(waiting.indexOf(next), 1)
    next.admit()
  }

  const enter = (organizationId: string | undefined): Ticket | undefined => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let held = 0
    let state: "waiting" | "active" | "left" = "waiting"

    const waiter: Waiter = {
      organizationId,
      admit: () => {
        state = "active"
        count(organizationId, 1)
        resolve()
      }
    }
    const release = (): void => {
      if (state !== "left" || held > 0) return
      count(organizationId, -1)
      admitNext()
    }
    const leave = (): void => {
      if (state === "left") return
      const wasActive = state === "active"
      state = "left"
      if (wasActive) release()
      else waiting.splice(waiting.indexOf(waiter), 1)
    }
    const hold = (work: Promise<unknown>): void => {
      // The slot may be in use by another ticket by now.
      if (state === "left") return
      const settle = (): void => {
        held--
        release()
      }
      held++
      work.then(settle, settle)
    }

    if (isFree(organizationId)) waiter.admit()
    else {
      const ownWaiting = waiting.filter((other) => other.organizationId === organizationId).length
      if (waiting.length >= limits.waitingPerProcess || ownWaiting >= limits.waitingPerOrganization) return undefined
      waiting.push(waiter)
    }
    return { admitted: promise, leave, hold }
  }

  return { enter }
}
