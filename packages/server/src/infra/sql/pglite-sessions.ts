import { Buffer } from "node:buffer"
import type { Duplex } from "node:stream"
import { PgliteSession, type Scheduler } from "./pglite-session.ts"
import * as Wire from "./wire.ts"

/** The shared backend. Its promises settle in the order of the calls. */
export interface Backend {
  /** Runs client messages, and passes on the backend's responses before the promise settles. */
  readonly exec: (messages: Uint8Array, responded: (bytes: Buffer) => void) => Promise<void>
  /** The response to a startup packet. */
  readonly startup: Buffer
  /** Settles when the backend has ended, with the reason. */
  readonly ended: Promise<Error>
}

export interface SessionsOptions {
  /** How long a transaction may hold the backend without a statement while others wait for it. */
  readonly heldMillisMax?: number
}

export interface Sessions {
  readonly connect: () => Duplex
  /** Runs a task while no session has a transaction or statement in progress. */
  readonly alone: <A>(task: () => Promise<A>) => Promise<A>
  /** Ends every session, and settles when the backend is idle. */
  readonly close: () => Promise<void>
}

type Waiting = PgliteSession | (() => Promise<void>)

const asError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))

/**
 * Shares one backend among many sessions. A session owns it from its first message until the backend is idle again, so
 * a transaction has it exclusively, and the other sessions wait in order.
 */
export const makeSessions = (backend: Backend, options: SessionsOptions = {}): Sessions => {
  const heldMillisMax = options.heldMillisMax ?? 5000
  const sessions = new Set<PgliteSession>()
  const waiting: Array<Waiting> = []
  let owner: PgliteSession | undefined
  let pumping = false
  let poked = false
  let dead: Error | undefined
  let atRest: Array<() => void> = []
  let heldTimer: NodeJS.Timeout | undefined

  const route = (session: PgliteSession, message: Buffer) => {
    if (message[0] === Wire.type.notification) {
      // The backend listens on the channels of all sessions; each session ignores channels that are not its own.
      for (const each of sessions) each.deliver(message)
      return
    }
    if (message[0] === Wire.type.readyForQuery) {
      session.status = message.toString("latin1", 5, 6)
      session.open = false
    }
    session.deliver(message)
  }

  const run = async (session: PgliteSession, batch: Buffer) => {
    let rest: Buffer = Buffer.alloc(0)
    session.open = true
    await backend.exec(batch, (bytes) => {
      const split = Wire.splitFrames(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]))
      rest = split.rest
      for (const message of split.frames) route(session, message)
    })
  }

  /** Restores an idle backend after a session that ended in the middle of a statement or transaction. */
  const cleanUp = async (session: PgliteSession) => {
    if (session.open) await run(session, Wire.sync)
    if (session.status !== "I") await run(session, Wire.query("ROLLBACK"))
    if (session.holds) throw new Error("The embedded database did not end a transaction.")
  }

  const watchOwner = () => {
    const stuck = owner !== undefined && !pumping && waiting.length > 0
    if (!stuck) {
      clearTimeout(heldTimer)
      heldTimer = undefined
      return
    }
    heldTimer ??= setTimeout(() => {
      heldTimer = undefined
      owner?.destroy(
        new Error(
          `A transaction used the embedded database for ${heldMillisMax} ms without a statement while ` +
            `${waiting.length} others waited for it, and was rolled back. A transaction must not wait for a query ` +
            "on another connection, or for slow work."
        )
      )
    }, heldMillisMax)
  }

  const resetTimer = () => {
    clearTimeout(heldTimer)
    heldTimer = undefined
  }

  /** One step; false when there is nothing to do until a session sends more. */
  const step = async (): Promise<boolean> => {
    if (dead !== undefined) return false
    if (owner === undefined) {
      const next = waiting.shift()
      if (next === undefined) return false
      if (typeof next === "function") {
        await next()
        return true
      }
      owner = next
    }
    const session = owner
    if (session.destroyed) {
      resetTimer()
      await cleanUp(session)
      owner = undefined
      return true
    }
    const batch = session.takeBatch()
    if (batch === undefined) {
      if (session.holds) return false
      owner = undefined
      return true
    }
    resetTimer()
    try {
      await run(session, batch)
    } catch (cause) {
      // It is unknown what the backend did before it failed, so the session and its transaction end.
      session.status = "E"
      session.destroy(asError(cause))
      return true
    }
    if (!session.holds && !session.destroyed) {
      owner = undefined
      if (session.hasBatch) waiting.push(session)
    }
    return true
  }

  const pump = () => {
    poked = true
    if (pumping) return
    pumping = true
    const loop = async () => {
      try {
        // A session may send more between the last step and the moment its promise settles.
        do poked = false
        while ((await step()) || poked)
      } catch (cause) {
        die(asError(cause))
      }
      pumping = false
      watchOwner()
      if (owner === undefined || dead !== undefined) {
        const resting = atRest
        atRest = []
        for (const rest of resting) rest()
      }
    }
    void loop()
  }

  const die = (cause: Error) => {
    if (dead !== undefined) return
    dead = cause
    resetTimer()
    owner = undefined
    const tasks = waiting.splice(0).filter((each) => typeof each === "function")
    for (const session of sessions) session.destroy(cause)
    for (const task of tasks) void task()
  }
  void backend.ended.then(die)

  const scheduler: Scheduler = {
    startup: Wire.splitFrames(backend.startup).frames.filter(
      (message) => message[0] !== Wire.type.backendKeyData && message[0] !== Wire.type.readyForQuery
    ),
    ready: (session) => {
      if (owner !== session && !waiting.includes(session)) waiting.push(session)
      if (owner === undefined || owner === session) pump()
      else watchOwner()
    },
    left: (session) => {
      sessions.delete(session)
      const at = waiting.indexOf(session)
      if (at >= 0) waiting.splice(at, 1)
      if (owner === session) pump()
      else watchOwner()
    },
    cancel: (processId, secret) => {
      const session = [...sessions].find((each) => each.processId === processId && each.secret === secret)
      // A running statement cannot be stopped, because the engine reads no signals; a waiting one can.
      const at = session === undefined ? -1 : waiting.indexOf(session)
      if (session === undefined || at < 0) return
      waiting.splice(at, 1)
      while (session.takeBatch() !== undefined) {
        session.deliver(Wire.errorResponse("57014", "canceling statement due to user request"))
        session.deliver(Wire.readyForQuery("I"))
      }
      watchOwner()
    }
  }

  return {
    connect: () => {
      const session = new PgliteSession(scheduler)
      if (dead === undefined) sessions.add(session)
      else session.destroy(dead)
      return session
    },
    alone: <A>(task: () => Promise<A>) =>
      new Promise<A>((resolve, reject) => {
        waiting.push(async () => {
          if (dead !== undefined) reject(dead)
          else await task().then(resolve, reject)
        })
        if (dead === undefined && owner === undefined) pump()
        else if (dead === undefined) watchOwner()
        else reject(dead)
      }),
    close: () =>
      new Promise<void>((resolve) => {
        for (const session of sessions) session.destroy()
        atRest.push(resolve)
        pump()
      })
  }
}
