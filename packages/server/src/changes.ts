/** The changes of a control plane, for the application that embeds it. */
import {
  type AuditAction,
  auditActionOf,
  auditActions,
  type StoredAuditAction
} from "@orgplane/schema/shared/audit-actions"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { closest } from "./infra/config/closest.ts"
import { type Change, ChangeFeed } from "./identity/audit/feed.ts"

export type { Change } from "./identity/audit/feed.ts"

export interface ChangeOptions {
  /**
   * The name of a consumer, 1 to 100 characters. Its position is stored, so each change is delivered at least once, even
   * after a restart, and to one process at a time. If the listener fails, the change is delivered again. Without a name,
   * only changes that are committed after the subscription are delivered, and a failed listener is logged.
   */
  readonly consumer?: string
  /** Where a new consumer starts: at the next change that is committed, or at the first recorded one. Default: `now`. */
  readonly from?: "now" | "start"
  /** Only changes with one of these actions, such as `plugin.create`. */
  readonly actions?: ReadonlyArray<AuditAction>
}

export interface Subscription {
  /** Resolves when later changes will be delivered. */
  readonly ready: Promise<void>
  /** Ends the subscription. A change that is being handled is not recorded as handled. */
  readonly stop: () => Promise<void>
}

const consumerLengthMax = 100
const knownActions: ReadonlySet<string> = new Set(auditActions)

const check = ({ actions, consumer, from, ...others }: ChangeOptions) => {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new TypeError(`onChange: unknown option ${unknown}. Allowed: consumer, from, actions.`)
  }
  if (
    consumer !== undefined &&
    (typeof consumer !== "string" || consumer.length === 0 || consumer.length > consumerLengthMax)
  ) {
    throw new TypeError(`onChange: consumer must have 1 to ${consumerLengthMax} characters.`)
  }
  if (from !== undefined && from !== "now" && from !== "start") {
    throw new TypeError("onChange: from must be one of: now, start.")
  }
  if (from === "start" && consumer === undefined) {
    throw new TypeError("onChange: from requires consumer, because without one, only new changes are delivered.")
  }
  if (actions === undefined) return
  // A string would become the set of its characters.
  if (!Array.isArray(actions) || !actions.every((action) => typeof action === "string")) {
    throw new TypeError('onChange: actions must be an array of strings such as ["plugin.create"].')
  }
  if (actions.length === 0) throw new TypeError("onChange: actions must not be empty. To receive all changes, omit it.")
}

/** Throws an error that names the first unknown action, because a change with it would never be delivered. */
const checkActions = (actions: ReadonlyArray<string>) => {
  const unknown = actions.find((action) => !knownActions.has(action))
  if (unknown === undefined) return
  // Audit logs of earlier releases contain stored names, such as `apiKey.create`.
  const current = auditActionOf(unknown as StoredAuditAction)
  const suggestion = current === unknown ? closest(unknown, auditActions) : current
  throw new TypeError(
    `onChange: unknown action ${unknown}. ` +
      (suggestion === undefined
        ? "The type AuditAction of @orgplane/server lists all actions."
        : `Did you mean ${suggestion}?`)
  )
}

/** Delivers changes until it is stopped. */
export const makeChanges = (services: Context.Context<ChangeFeed>) => {
  const running = new Set<Fiber.Fiber<unknown, unknown>>()

  const subscribe = (listener: (change: Change) => void | Promise<void>, options: ChangeOptions) => {
    check(options)
    const { actions, consumer, from } = options
    if (actions !== undefined) checkActions(actions)
    const wanted = actions === undefined ? undefined : new Set(actions)
    const ready = Deferred.makeUnsafe<void, unknown>()
    const feed = Context.get(services, ChangeFeed)
    const fiber = Effect.runForkWith(services)(
      Effect.onExit(
        feed.follow({
          ...(consumer === undefined ? {} : { consumer }),
          ...(from === undefined ? {} : { from }),
          handle: async (change) => {
            if (wanted === undefined || wanted.has(change.action)) await listener(change)
          },
          ready
        }),
        (exit) => Deferred.done(ready, Exit.asVoid(exit))
      )
    )
    running.add(fiber)
    const stop = async () => {
      running.delete(fiber)
      await Effect.runPromise(Fiber.interrupt(fiber))
    }
    const isReady = Effect.runPromise(Deferred.await(ready))
    isReady.catch(() => {})
    const ended = Effect.runPromise(Effect.asVoid(Fiber.await(fiber)))
    return { ready: isReady, stop, ended }
  }

  const onChange = (listener: (change: Change) => void | Promise<void>, options: ChangeOptions = {}): Subscription => {
    const { ready, stop } = subscribe(listener, options)
    return { ready, stop }
  }

  /** Yields changes until the control plane is disposed of. The next one is requested when the previous one is handled. */
  async function* events(options: ChangeOptions = {}): AsyncGenerator<Change, void, undefined> {
    let wake: () => void = () => {}
    let isEnded = false
    const pending: Array<{ readonly change: Change; readonly done: () => void }> = []
    const subscription = subscribe(
      (change) =>
        new Promise<void>((done) => {
          pending.push({ change, done })
          wake()
        }),
      options
    )
    void subscription.ended.then(() => {
      isEnded = true
      wake()
    })
    try {
      await subscription.ready
      for (;;) {
        const next = pending.shift()
        if (next === undefined) {
          if (isEnded) return
          await new Promise<void>((resolve) => (wake = resolve))
          continue
        }
        yield next.change
        next.done()
      }
    } finally {
      await subscription.stop()
    }
  }

  /** Ends all subscriptions. */
  const stopAll = async () => {
    await Promise.all([...running].map((fiber) => Effect.runPromise(Fiber.interrupt(fiber))))
    running.clear()
  }

  return { onChange, events, stopAll }
}
