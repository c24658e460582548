/** Sends telemetry events to the control plane in batches. Each event counts once, and callers never wait. */
import { OrgplaneError, RateLimitedError, ServerError } from "./errors.ts"
import type {
  Telemetry,
  TelemetryClient,
  TelemetryDropReason,
  TelemetryOptions,
  TrackedEvent
} from "./telemetry-api.ts"

interface Field {
  readonly of: "event" | "dimension"
  readonly name: string
}

interface Allowed {
  readonly types: ReadonlySet<string>
  readonly fields: Readonly<Record<Field["of"], ReadonlySet<string>>>
  readonly eventsMax: number
}

type Members = Record<string, unknown>

const eventsMax = 50
/** Requests are limited to 1 MiB. The difference is reserved for the envelope. */
const bodyBytesMax = 1_000_000
const requestMillis = 20_000
const pauseMillisMin = 1_000
const pauseMillisMax = 60_000
/** Delay after a rejected credential: too many rejections would block the IP address. */
const rejectedCredentialMillis = 300_000
/** How long the server's schema is cached. */
const allowedMillis = 3_600_000

interface Runtime {
  on(event: string, listener: () => void): unknown
  once(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
  listenerCount(event: string): number
  kill(pid: number, signal: string): unknown
  readonly pid: number
}

/** The Node-compatible process, if there is one. */
const runtime = (): Runtime | undefined => {
  const { process } = globalThis as { readonly process?: Partial<Runtime> }
  return typeof process?.on === "function" && typeof process.off === "function" ? (process as Runtime) : undefined
}

/** A timer that does not keep the process alive. */
const later = (millis: number, run: () => void): ReturnType<typeof setTimeout> => {
  const timer: unknown = setTimeout(run, millis)
  if (typeof timer === "object" && timer !== null) (timer as { readonly unref?: () => void }).unref?.()
  else (globalThis as { readonly Deno?: { unrefTimer?(id: unknown): void } }).Deno?.unrefTimer?.(timer)
  return timer as ReturnType<typeof setTimeout>
}

const newId = (): string =>
  globalThis.crypto?.randomUUID?.() ??
  `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${Math.random().toString(36).slice(2)}`

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses the accepted types and fields; undefined if the format is unknown. */
const allowedBy = (response: unknown): Allowed | undefined => {
  const schema = isObject(response) ? response["telemetry"] : undefined
  if (!isObject(schema) || !Array.isArray(schema["types"]) || !Array.isArray(schema["fields"])) return undefined
  const fields = (schema["fields"] as ReadonlyArray<unknown>).filter(isObject)
  const namesOf = (of: Field["of"]) =>
    new Set(fields.filter((field) => field["of"] === of).map((field) => String(field["name"])))
  const max = schema["eventsMax"]
  return {
    types: new Set((schema["types"] as ReadonlyArray<unknown>).map(String)),
    fields: { event: namesOf("event"), dimension: namesOf("dimension") },
    eventsMax: typeof max === "number" && max >= 1 ? max : eventsMax
  }
}

/**
 * Creates a telemetry queue. Events are queued in memory and sent in batches. Failed batches are retried with the same
 * IDs, so that no event is counted twice.
 *
 * ```ts
 * await using telemetry = createTelemetry(client, { source: "app" })
 * telemetry.track({ type: "task.completed", durationMs: 1200, success: true })
 * ```
 */
export const createTelemetry = (client: TelemetryClient, options: TelemetryOptions): Telemetry => {
  const now = options.now ?? Date.now
  const flushMillis = options.flushMillis ?? 10_000
  const batchMax = Math.max(1, Math.min(eventsMax, options.batchMax ?? eventsMax))
  const queueMax = Math.max(1, options.queueMax ?? 5_000)
  const charactersMax = options.queueCharactersMax ?? 4 * 1_048_576
  const disposeMillis = options.disposeMillis ?? 5_000

  /** Events as JSON, so that later changes by the caller have no effect. */
  let queue: Array<string> = []
  /** Events of the current request. They return to the head of the queue if it fails. */
  let inFlight: ReadonlyArray<string> = []
  let characters = 0
  let [sent, dropped, fieldsRemoved] = [0, 0, 0]
  let allowed: Allowed | undefined
  let allowedUntil = 0
  let running: Promise<boolean> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  /** No request is sent before this time. Set by the backoff or by the server. */
  let notBefore = 0
  /** The earliest time that the server allows, from `Retry-After`. `dispose` also respects it. */
  let serverNotBefore = 0
  let batchNext = batchMax
  let isDisposed = false
  /** Whether sending was attempted when the process was about to exit. */
  let hasTriedBeforeExit = false
  /** Aborts the current request. */
  let end = new AbortController()

  /** Runs one of the caller's callbacks and ignores its errors. */
  const notify = (callback: (() => void) | undefined) => {
    try {
      callback?.()
    } catch {
      // An error in the caller's code must not affect the queue.
    }
  }
  const drop = (reason: TelemetryDropReason, events: number) => {
    if (events === 0) return
    dropped += events
    notify(() => options.onDrop?.({ reason, events }))
  }
  const fail = (error: unknown) => notify(() => options.onError?.(error))

  const arm = (millis: number) => {
    if (timer !== undefined || isDisposed) return
    timer = later(millis, () => {
      timer = undefined
      void send(false)
    })
  }
  const disarm = () => {
    clearTimeout(timer)
    timer = undefined
  }

  /** Drops the oldest events that exceed the limits. */
  const bound = () => {
    let excess = 0
    while (
      queue.length - excess > 0 &&
      (queue.length - excess + inFlight.length > queueMax || characters > charactersMax)
    ) {
      characters -= queue[excess]?.length ?? 0
      excess += 1
    }
    if (excess > 0) {
      queue.splice(0, excess)
      drop("queue_full", excess)
    }
  }

  const track = (event: TrackedEvent) => {
    if (isDisposed) return drop("disposed", 1)
    let text: string
    try {
      const { timestamp = now() } = event
      text = JSON.stringify({
        ...event,
        id: event.id ?? newId(),
        timestamp: typeof timestamp === "string" ? timestamp : new Date(timestamp).toISOString(),
        source: event.source ?? options.source,
        sessionId: event.sessionId ?? options.sessionId
      })
    } catch {
      return drop("malformed", 1)
    }
    // A UTF-16 code unit has at most three bytes in UTF-8. A larger event does not fit in any request.
    if (text.length * 3 > bodyBytesMax && bytesOf(text) > bodyBytesMax) return drop("malformed", 1)
    queue.push(text)
    characters += text.length
    hasTriedBeforeExit = false
    bound()
    // The current run sends the whole queue.
    if (running !== undefined) return
    const pause = notBefore - Date.now()
    if (queue.length < batchMax || pause > 0) return arm(Math.max(flushMillis, pause))
    disarm()
    arm(0)
  }

  /** Removes the members that the server does not accept; undefined if it does not accept the type. */
  const allowedOf = (text: string): { readonly event: Members; readonly removed: number } | undefined => {
    const event = JSON.parse(text) as Members
    if (allowed === undefined) return { event, removed: 0 }
    const { fields, types } = allowed
    if (!types.has(String(event["type"]))) return undefined
    let removed = 0
    const only = (of: Field["of"], members: Members): Members =>
      Object.fromEntries(
        Object.entries(members).filter(([name]) => {
          const isKept = fields[of].has(name)
          if (!isKept) removed += 1
          return isKept
        })
      )
    const filteredEvent = only("event", event)
    const dimensions = filteredEvent["dimensions"]
    return {
      event: Array.isArray(dimensions)
        ? {
            ...filteredEvent,
            dimensions: dimensions.map((one: unknown) => (isObject(one) ? only("dimension", one) : one))
          }
        : filteredEvent,
      removed
    }
  }

  /** Takes as many events from the queue as fit into a request. */
  const nextBatch = (): ReadonlyArray<string> => {
    const max = Math.min(batchNext, allowed?.eventsMax ?? eventsMax)
    const batch: Array<string> = []
    let [taken, bytes, unknown] = [0, 0, 0]
    for (const text of queue) {
      if (batch.length === max) break
      const filtered = allowedOf(text)
      const json = filtered === undefined ? "" : JSON.stringify(filtered.event)
      const size = bytesOf(json) + 1
      if (batch.length > 0 && bytes + size > bodyBytesMax) break
      taken += 1
      characters -= text.length
      if (filtered === undefined) unknown += 1
      else {
        fieldsRemoved += filtered.removed
        bytes += size
        batch.push(json)
      }
    }
    queue.splice(0, taken)
    drop("type_unknown", unknown)
    return batch
  }

  /** Returns a batch to the head of the queue. */
  const giveBack = (batch: ReadonlyArray<string>) => {
    queue = [...batch, ...queue]
    for (const text of batch) characters += text.length
    inFlight = []
    bound()
  }

  const request = (method: string, path: string, body?: unknown) =>
    client.request(method, path, { body, retries: 0, timeoutMillis: requestMillis, signal: end.signal })

  const backOff = (error: unknown) => {
    failures += 1
    const backoff = Math.min(pauseMillisMax, pauseMillisMin * 2 ** (failures - 1))
    const retryAfter =
      error instanceof RateLimitedError || error instanceof ServerError ? error.retryAfterMillis : undefined
    const status = error instanceof OrgplaneError ? error.status : undefined
    const rejectedMillis = status === 401 || status === 403 || status === 404 ? rejectedCredentialMillis : 0
    // Jitter, so that clients that failed together do not retry together. Never earlier than the server asks.
    const at = Date.now()
    if (retryAfter !== undefined) serverNotBefore = at + retryAfter
    notBefore = at + Math.ceil(Math.max(rejectedMillis, (retryAfter ?? backoff / 2) + (Math.random() * backoff) / 2))
  }

  /** Loads the accepted types and fields. A server without a schema endpoint gets unfiltered events. */
  const loadSchema = async (): Promise<boolean> => {
    if (Date.now() < allowedUntil) return true
    try {
      allowed = allowedBy(await request("GET", "/v1/telemetry/schema"))
      allowedUntil = Date.now() + allowedMillis
      return true
    } catch (error) {
      if (error instanceof OrgplaneError && error.code === "route_not_found") {
        allowedUntil = Date.now() + allowedMillis
        return true
      }
      fail(error)
      backOff(error)
      return false
    }
  }

  /** Sends a batch. Returns whether to send the next one. */
  const deliver = async (batch: ReadonlyArray<string>): Promise<boolean> => {
    inFlight = batch
    try {
      await request("POST", "/v1/telemetry/ingest", { events: batch.map((text) => JSON.parse(text) as unknown) })
      sent += batch.length
      inFlight = []
      failures = 0
      batchNext = batchMax
      return true
    } catch (error) {
      fail(error)
      const status = error instanceof OrgplaneError ? error.status : undefined
      if (status === 413 && batch.length > 1) {
        batchNext = Math.ceil(batch.length / 2)
        giveBack(batch)
        return true
      }
      if (status === 400 || status === 413) {
        inFlight = []
        drop("refused", batch.length)
        return true
      }
      giveBack(batch)
      backOff(error)
      return false
    }
  }

  const sendAll = async (signal: AbortSignal): Promise<boolean> => {
    while (queue.length > 0 && !signal.aborted) {
      if (Date.now() < notBefore || !(await loadSchema())) return false
      const batch = nextBatch()
      if (batch.length > 0 && !(await deliver(batch))) return false
    }
    return queue.length === 0
  }

  /**
   * Only one run is active at a time. Concurrent callers wait for it, and then for events that were queued during the
   * run.
   */
  const send = async (isWhole: boolean): Promise<boolean> => {
    const current = running
    if (current !== undefined) {
      await current
      return isWhole && queue.length > 0 && Date.now() >= notBefore ? send(true) : queue.length === 0
    }
    disarm()
    const { signal } = end
    const mine = sendAll(signal).catch((error: unknown) => {
      // Unexpected: report the error and retry.
      fail(error)
      giveBack(inFlight)
      backOff(error)
      return false
    })
    running = mine
    const isEmpty = await mine
    running = undefined
    if (queue.length > 0) arm(Math.max(0, notBefore - Date.now()))
    return isEmpty && queue.length === 0
  }

  /** Sends all queued events within `disposeMillis`. Ignores the backoff, but respects `Retry-After`. */
  const finish = async (): Promise<void> => {
    let wake = () => {}
    const late = new AbortController()
    const until = Date.now() + disposeMillis
    // This timer keeps the process alive until the timeout.
    const timer = setTimeout(() => {
      late.abort()
      end.abort()
      end = new AbortController()
      wake()
    }, disposeMillis)
    notBefore = serverNotBefore
    while (!late.signal.aborted && !(await send(true)) && Math.max(notBefore, Date.now()) < until) {
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, Math.max(0, notBefore - Date.now()))
      })
    }
    clearTimeout(timer)
  }

  const host = runtime()
  /** Sends queued events when the process is about to exit. The process exits after one attempt, even if it fails. */
  const onBeforeExit = () => {
    if (hasTriedBeforeExit || queue.length === 0) return
    hasTriedBeforeExit = true
    void finish()
  }
  if (options.beforeExit !== false) host?.on("beforeExit", onBeforeExit)
  const signals = (options.signals ?? []).map((signal) => {
    const onSignal = () => {
      void dispose().then(() => {
        // Without other listeners, send the signal again for its default action.
        if (host?.listenerCount(signal) === 0) host.kill(host.pid, signal)
      })
    }
    host?.once(signal, onSignal)
    return [signal, onSignal] as const
  })

  let disposing: Promise<void> | undefined
  const disposeOnce = async (): Promise<void> => {
    isDisposed = true
    disarm()
    host?.off("beforeExit", onBeforeExit)
    for (const [signal, onSignal] of signals) host?.off(signal, onSignal)
    await finish()
    await running
    disarm()
    const left = queue.length
    queue = []
    characters = 0
    drop("undelivered", left)
  }
  const dispose = () => (disposing ??= disposeOnce())

  return {
    track,
    flush: () => (queue.length === 0 && running === undefined ? Promise.resolve(true) : send(true)),
    dispose,
    get queued() {
      return queue.length + inFlight.length
    },
    get sent() {
      return sent
    },
    get dropped() {
      return dropped
    },
    get fieldsRemoved() {
      return fieldsRemoved
    },
    // A runtime without the symbol does not support `await using` either.
    [Symbol.asyncDispose ?? "dispose"]: dispose
  }
}
