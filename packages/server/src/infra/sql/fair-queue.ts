import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { Share } from "./share.ts"
import { TooManyWait } from "./unavailable.ts"

export interface FairQueueOptions {
  /** Maximum number of statements that run at once. */
  readonly width: number
  /** Maximum number waiting per share. */
  readonly waitingMax: number
  /** Maximum number waiting in total. */
  readonly waitingTotalMax: number
}

interface Ticket {
  readonly share: ShareState
  readonly granted: Deferred.Deferred<void>
  readonly clock: Clock.Clock
  state: "waiting" | "granted" | "ended"
  since: number
}

interface ShareState {
  readonly name: string
  readonly waiting: Array<Ticket>
  running: number
  /** Milliseconds of database time that the share has used; a new share starts at the current level of the others. */
  used: number
}

/** Minimum charge in milliseconds, so that statements that take no time are not free. */
const leastMillis = 0.1

const millisOf = (clock: Clock.Clock) => Number(clock.currentTimeNanosUnsafe()) / 1e6

const full = (name: string) =>
  new SqlError({
    reason: new ConnectionError({
      cause: new TooManyWait(`Too many statements from ${name} are waiting for the embedded database.`),
      message: `Too many statements from ${name} are waiting for the embedded database.`,
      operation: "acquireConnection"
    })
  })

/**
 * A fair queue in which each share gets an equal part of the time, regardless of its demand. The next slot goes to the
 * waiting share with the fewest running statements. If there are several, it goes to the one that has used the least
 * time. A share that is new, or returns after a pause, starts at the level of the others, so that unused time does not
 * accumulate.
 */
export const makeFairQueue = (options: FairQueueOptions) => {
  const shares = new Map<string, ShareState>()
  let running = 0
  let waiting = 0
  let granted = 0
  let refused = 0
  /** The usage of the share that was served last: new shares do not start below it. */
  let floor = 0

  const shareOf = (name: string): ShareState => {
    const existing = shares.get(name)
    if (existing !== undefined) return existing
    const created: ShareState = { name, waiting: [], running: 0, used: floor }
    shares.set(name, created)
    return created
  }

  const forget = (share: ShareState) => {
    if (share.running === 0 && share.waiting.length === 0) shares.delete(share.name)
  }

  const grant = (ticket: Ticket) => {
    running += 1
    granted += 1
    ticket.share.running += 1
    ticket.state = "granted"
    ticket.since = millisOf(ticket.clock)
    floor = Math.max(floor, ticket.share.used)
    Deferred.doneUnsafe(ticket.granted, Effect.void)
  }

  /**
   * The waiting share with the fewest running statements. If there are several, the one that has used the least time.
   */
  const next = (): ShareState | undefined => {
    let best: ShareState | undefined
    for (const share of shares.values()) {
      if (share.waiting.length === 0) continue
      const isBetter =
        best === undefined || share.running < best.running || (share.running === best.running && share.used < best.used)
      if (isBetter) best = share
    }
    return best
  }

  const fill = () => {
    while (running < options.width) {
      const ticket = next()?.waiting.shift()
      if (ticket === undefined) return
      waiting -= 1
      grant(ticket)
    }
  }

  const end = (ticket: Ticket) => {
    const { share, state } = ticket
    if (state === "ended") return
    ticket.state = "ended"
    if (state === "granted") {
      running -= 1
      share.running -= 1
      share.used += Math.max(leastMillis, millisOf(ticket.clock) - ticket.since)
    } else {
      waiting -= 1
      share.waiting.splice(share.waiting.indexOf(ticket), 1)
    }
    forget(share)
    fill()
  }

  /**
   * Waits for a slot; fails immediately if too many are waiting. The wait is interruptible only if the caller is, so
   * that a finalizer of an interrupted fiber still gets its slot.
   */
  const enter = (
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ): Effect.Effect<Ticket, SqlError> =>
    Effect.withFiber((fiber) => {
      const name = fiber.getRef(Share)
      const share = shareOf(name)
      if (share.waiting.length >= options.waitingMax || waiting >= options.waitingTotalMax) {
        forget(share)
        refused += 1
        return Effect.fail(full(name))
      }
      const clock = fiber.getRef(Clock.Clock)
      const ticket: Ticket = { share, granted: Deferred.makeUnsafe(), clock, state: "waiting", since: 0 }
      share.waiting.push(ticket)
      waiting += 1
      fill()
      return ticket.state === "granted"
        ? Effect.succeed(ticket)
        : Effect.as(
            Effect.onInterrupt(restore(Deferred.await(ticket.granted)), () => Effect.sync(() => end(ticket))),
            ticket
          )
    })

  const leave = (ticket: Ticket) => Effect.sync(() => end(ticket))

  return {
    usage: () => ({ running, waiting, granted, refused }),
    /** Holds a slot until the scope closes. */
    place: Effect.uninterruptibleMask((restore) => Effect.acquireRelease(enter(restore), leave)),
    /** Holds a slot while the effect runs. */
    within: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.uninterruptibleMask((restore) => Effect.acquireUseRelease(enter(restore), () => restore(effect), leave))
  } as const
}
