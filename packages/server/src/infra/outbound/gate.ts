export interface GateLimits {
  readonly perOrganization: number
  readonly perProcess: number
  readonly waitingPerOrganization: number
  readonly waitingPerProcess: number
}

export interface Ticket {
  /** Settles when a place is free; stays open for ever when the ticket is left before. */
  readonly admitted: Promise<void>
  /** Gives the place back, once what was `held` has settled. Twice is once. */
  readonly leave: () => void
  /** Work that cannot be cancelled keeps the place: an abandoned name lookup still occupies one of few threads. */
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
 * Counts places. Of those who wait the organization with the fewest places is let in first, and within it whoever came
 * first: some that ask servers which never answer keep the places they have, and none besides.
 */
export const makeGate = (limits: GateLimits): Gate => {
  const activeOf = new Map<string, number>()
  const waiting: Array<Waiter> = []
  let active = 0

  const hasRoom = (organizationId: string | undefined): boolean =>
    active < limits.perProcess &&
    (organizationId === undefined || (activeOf.get(organizationId) ?? 0) < limits.perOrganization)

  const count = (organizationId: string | undefined, change: 1 | -1): void => {
    active += change
    if (organizationId === undefined) return
    const left = (activeOf.get(organizationId) ?? 0) + change
    if (left === 0) activeOf.delete(organizationId)
    else activeOf.set(organizationId, left)
  }

  const placesOf = ({ organizationId }: Waiter): number =>
    organizationId === undefined ? 0 : (activeOf.get(organizationId) ?? 0)

  const admitNext = (): void => {
    let next: Waiter | undefined
    for (const waiter of waiting) {
      if (hasRoom(waiter.organizationId) && (next === undefined || placesOf(waiter) < placesOf(next))) next = waiter
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
    const giveBack = (): void => {
      if (state !== "left" || held > 0) return
      count(organizationId, -1)
      admitNext()
    }
    const leave = (): void => {
      if (state === "left") return
      const wasActive = state === "active"
      state = "left"
      if (wasActive) giveBack()
      else waiting.splice(waiting.indexOf(waiter), 1)
    }
    const hold = (work: Promise<unknown>): void => {
      // Its place may be another's by now.
      if (state === "left") return
      const release = (): void => {
        held--
        giveBack()
      }
      held++
      work.then(release, release)
    }

    if (hasRoom(organizationId)) waiter.admit()
    else {
      const ownWaiting = waiting.filter((other) => other.organizationId === organizationId).length
      if (waiting.length >= limits.waitingPerProcess || ownWaiting >= limits.waitingPerOrganization) return undefined
      waiting.push(waiter)
    }
    return { admitted: promise, leave, hold }
  }

  return { enter }
}
