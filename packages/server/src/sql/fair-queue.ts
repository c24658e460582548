import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { Share } from "./share.ts"

export interface FairQueueOptions {
  /** How many have a place at once. */
  readonly width: number
  /** How many of one share may wait. */
  readonly waitingMax: number
  /** How many may wait in all. */
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
  /** Milliseconds of the database that the share has had, beginning with what the others had when it came. */
  used: number
}

/** Below this nobody is charged: a statement that takes no time still takes its turn. */
const leastMillis = 0.1

const millisOf = (clock: Clock.Clock) => Number(clock.currentTimeNanosUnsafe()) / 1e6

const full = (name: string) =>
  new SqlError({
    reason: new ConnectionError({
      cause: new Error(`Too many statements of ${name} are waiting for the embedded database.`),
      message: `Too many statements of ${name} are waiting for the embedded database.`,
      operation: "acquireConnection"
    })
  })

/**
 * Gives a few places to many, so that each share gets an equal part of the time, whatever each one asks for: the next
 * place is for the share that has had least. Who comes new, or after a pause, begins with what the others have had, so
 * that nobody saves up.
 */
export const makeFairQueue = (options: FairQueueOptions) => {
  const shares = new Map<string, ShareState>()
  let running = 0
  let waiting = 0
  /** What the share had that was served last: no newcomer begins below. */
  let floor = 0

  const shareOf = (name: string): ShareState => {
    const known = shares.get(name)
    if (known !== undefined) return known
    const made: ShareState = { name, waiting: [], running: 0, used: floor }
    shares.set(name, made)
    return made
  }

  const forget = (share: ShareState) => {
    if (share.running === 0 && share.waiting.length === 0) shares.delete(share.name)
  }

  const grant = (ticket: Ticket) => {
    running += 1
    ticket.share.running += 1
    ticket.state = "granted"
    ticket.since = millisOf(ticket.clock)
    floor = Math.max(floor, ticket.share.used)
    Deferred.doneUnsafe(ticket.granted, Effect.void)
  }

  /** Of those that wait, the share that has less in work, and of these the one that has had less. */
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

  /** Waits for a place, and interruptibly; fails at once when too many wait already. */
  const enter: Effect.Effect<Ticket, SqlError> = Effect.withFiber((fiber) => {
    const name = fiber.getRef(Share)
    const share = shareOf(name)
    if (share.waiting.length >= options.waitingMax || waiting >= options.waitingTotalMax) {
      forget(share)
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
          Effect.onInterrupt(Effect.interruptible(Deferred.await(ticket.granted)), () =>
            Effect.sync(() => end(ticket))
          ),
          ticket
        )
  })

  const leave = (ticket: Ticket) => Effect.sync(() => end(ticket))

  return {
    /** A place for as long as the scope lives. */
    place: Effect.acquireRelease(enter, leave),
    /** A place for as long as the effect runs. */
    within: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.acquireUseRelease(enter, () => effect, leave)
  } as const
}
