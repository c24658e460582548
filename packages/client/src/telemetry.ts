/** Telling the control plane what people and workers do: in batches, each event once, never in the caller's way. */
import { OrgplaneError, RateLimitedError, ServerError } from "./errors.ts"
import type { Call, RawOptions } from "./transport.ts"

/** What an event is about: `{ type: "model", value: "small" }`. */
export interface TrackedDimension {
  readonly type: string
  readonly value?: string | undefined
  readonly label?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** Something that happened; the helper adds the id and, unless told, the moment, the source and the session. */
export interface TrackedEvent {
  /** Such as `task.completed`; what the server does not take is dropped before it leaves. */
  readonly type: string
  /** Now unless told. */
  readonly timestamp?: Date | string | undefined
  readonly source?: "app" | "worker" | undefined
  readonly sessionId?: string | undefined
  readonly durationMs?: number | undefined
  readonly success?: boolean | undefined
  readonly dimensions?: ReadonlyArray<TrackedDimension> | undefined
  /** One's own name for it: told twice with the same timestamp, it counts once. */
  readonly id?: string | undefined
}

/** Why events were not delivered. */
export type TelemetryDropReason =
  /** The queue was full, and these were the oldest in it. */
  | "queue_full"
  /** The server does not take this type. */
  | "type_unknown"
  /** No JSON can say it, or it is larger than a request may be. */
  | "malformed"
  /** The server refused the request that they were in. */
  | "refused"
  /** Told after `dispose`. */
  | "disposed"
  /** Still waiting when `dispose`, or the process, had no more time. */
  | "undelivered"

export interface TelemetryOptions {
  /** What tells: of every event that does not say. */
  readonly source: "app" | "worker"
  /** Of every event that does not say. */
  readonly sessionId?: string | undefined
  /** The longest an event waits for others to go with; 10 000 unless told. */
  readonly flushMillis?: number | undefined
  /** Events of one request, 50 at most and unless told. */
  readonly batchMax?: number | undefined
  /** Events that wait; the oldest go when there are more. 5 000 unless told. */
  readonly queueMax?: number | undefined
  /** Characters of them as JSON; 4 Mi unless told. */
  readonly queueCharactersMax?: number | undefined
  /** How long `dispose` and the end of the process may take to deliver what waits; 5 000 unless told. */
  readonly disposeMillis?: number | undefined
  /** Whether what waits is delivered before a Node, Bun or Deno process ends by itself; `true` unless told. */
  readonly beforeExit?: boolean | undefined
  /** Signals, `SIGTERM` for instance, that end the process only after what waits is delivered; none unless told. */
  readonly signals?: ReadonlyArray<string> | undefined
  /** Told how many events were dropped, and why. */
  readonly onDrop?: ((drop: { readonly reason: TelemetryDropReason; readonly events: number }) => void) | undefined
  /** Told of every request that failed; it is tried again where that may help. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The clock that events have their moments from; `Date.now` unless told. */
  readonly now?: (() => number) | undefined
}

export interface Telemetry extends AsyncDisposable {
  /** Remembers an event, to be sent with others. Never waits, never fails. */
  track(event: TrackedEvent): void
  /** Sends all that waits, unless the server asked to wait; whether nothing is left. Never fails. */
  flush(): Promise<boolean>
  /** Sends all that waits, for `disposeMillis` at most, and is done: later events are dropped. Never fails. */
  dispose(): Promise<void>
  /** Events that wait, those under way with them. */
  readonly queued: number
  /** Events the server has said are durable. */
  readonly sent: number
  /** Events that were dropped, for whatever reason. */
  readonly dropped: number
  /** Members that were taken out of events because the server would take them out. */
  readonly fieldsRemoved: number
}

/** What of a client is used. */
export interface TelemetryClient {
  request<Data = unknown>(method: string, path: string, options?: RawOptions): Call<Data>
}

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
/** A request may have 1 MiB; what is around the events, and letters of several bytes, are in the difference. */
const bodyBytesMax = 1_000_000
const requestMillis = 20_000
const pauseMillisMin = 1_000
const pauseMillisMax = 60_000
/** A credential that is refused is not asked about again soon: too many refusals shut out the address. */
const refusedMillis = 300_000
/** How long what the server takes is believed. */
const allowedMillis = 3_600_000

interface Runtime {
  on(event: string, listener: () => void): unknown
  once(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
  listenerCount(event: string): number
  kill(pid: number, signal: string): unknown
  readonly pid: number
}

/** The process, where there is one that can be listened to. */
const runtime = (): Runtime | undefined => {
  const { process } = globalThis as { readonly process?: Partial<Runtime> }
  return typeof process?.on === "function" && typeof process.off === "function" ? (process as Runtime) : undefined
}

/** A timer that keeps no process alive. */
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

/** What the server takes, as far as it says so in a way that is known here. */
const allowedBy = (response: unknown): Allowed | undefined => {
  const said = isObject(response) ? response["telemetry"] : undefined
  if (!isObject(said) || !Array.isArray(said["types"]) || !Array.isArray(said["fields"])) return undefined
  const fields = (said["fields"] as ReadonlyArray<unknown>).filter(isObject)
  const named = (of: Field["of"]) =>
    new Set(fields.filter((field) => field["of"] === of).map((field) => String(field["name"])))
  const max = said["eventsMax"]
  return {
    types: new Set((said["types"] as ReadonlyArray<unknown>).map(String)),
    fields: { event: named("event"), dimension: named("dimension") },
    eventsMax: typeof max === "number" && max >= 1 ? max : eventsMax
  }
}

/**
 * Makes what tells a control plane of events. They wait in memory and go together; what could not be delivered is sent
 * again with the same ids, so that nothing counts twice.
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

  /** Each as JSON: what the caller does with an event afterwards is not told. */
  let queue: Array<string> = []
  /** Those of the request under way: not in the queue, and first again if it fails. */
  let underWay: ReadonlyArray<string> = []
  let characters = 0
  let [sent, dropped, fieldsRemoved] = [0, 0, 0]
  let allowed: Allowed | undefined
  let allowedUntil = 0
  let running: Promise<boolean> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  /** Nothing is sent before: our own patience says so, or, and then at no rate, the server. */
  let notBefore = 0
  let askedUntil = 0
  let batchNext = batchMax
  let isDisposed = false
  /** Whether the end of the process was tried to be put off for what waits. */
  let hasTried = false
  /** Ends the request under way. */
  let end = new AbortController()

  /** Tells the caller, whatever the caller does. */
  const tell = (say: (() => void) | undefined) => {
    try {
      say?.()
    } catch {
      // It is theirs; nothing here depends on it.
    }
  }
  const drop = (reason: TelemetryDropReason, events: number) => {
    if (events === 0) return
    dropped += events
    tell(() => options.onDrop?.({ reason, events }))
  }
  const fail = (error: unknown) => tell(() => options.onError?.(error))

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

  /** The oldest go first: what is new says more. */
  const bound = () => {
    let gone = 0
    while (
      queue.length - gone > 0 &&
      (queue.length - gone + underWay.length > queueMax || characters > charactersMax)
    ) {
      characters -= queue[gone]?.length ?? 0
      gone += 1
    }
    if (gone > 0) {
      queue.splice(0, gone)
      drop("queue_full", gone)
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
    // Letters have three bytes at most for each of them; a larger one can go in no request.
    if (text.length * 3 > bodyBytesMax && bytesOf(text) > bodyBytesMax) return drop("malformed", 1)
    queue.push(text)
    characters += text.length
    hasTried = false
    bound()
    // What is under way takes all that waits with it.
    if (running !== undefined) return
    const pause = notBefore - Date.now()
    if (queue.length < batchMax || pause > 0) return arm(Math.max(flushMillis, pause))
    disarm()
    arm(0)
  }

  /** An event without what the server would take out, and how much that is; nothing where it would drop it whole. */
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
    const kept = only("event", event)
    const dimensions = kept["dimensions"]
    return {
      event: Array.isArray(dimensions)
        ? { ...kept, dimensions: dimensions.map((one: unknown) => (isObject(one) ? only("dimension", one) : one)) }
        : kept,
      removed
    }
  }

  /** Takes the next events out of the queue, as many as go into a request. */
  const nextBatch = (): ReadonlyArray<string> => {
    const max = Math.min(batchNext, allowed?.eventsMax ?? eventsMax)
    const batch: Array<string> = []
    let [taken, bytes, unknown] = [0, 0, 0]
    for (const text of queue) {
      if (batch.length === max) break
      const taking = allowedOf(text)
      const said = taking === undefined ? "" : JSON.stringify(taking.event)
      const size = bytesOf(said) + 1
      if (batch.length > 0 && bytes + size > bodyBytesMax) break
      taken += 1
      characters -= text.length
      if (taking === undefined) unknown += 1
      else {
        fieldsRemoved += taking.removed
        bytes += size
        batch.push(said)
      }
    }
    queue.splice(0, taken)
    drop("type_unknown", unknown)
    return batch
  }

  /** Puts a batch back to where it was. */
  const giveBack = (batch: ReadonlyArray<string>) => {
    queue = [...batch, ...queue]
    for (const text of batch) characters += text.length
    underWay = []
    bound()
  }

  const ask = (method: string, path: string, body?: unknown) =>
    client.request(method, path, { body, retries: 0, timeoutMillis: requestMillis, signal: end.signal })

  const wait = (error: unknown) => {
    failures += 1
    const grown = Math.min(pauseMillisMax, pauseMillisMin * 2 ** (failures - 1))
    const asked = error instanceof RateLimitedError || error instanceof ServerError ? error.retryAfterMillis : undefined
    const status = error instanceof OrgplaneError ? error.status : undefined
    const refused = status === 401 || status === 403 || status === 404 ? refusedMillis : 0
    // Spread out, so that those who failed together do not come back together; never before the server said.
    const at = Date.now()
    if (asked !== undefined) askedUntil = at + asked
    notBefore = at + Math.ceil(Math.max(refused, (asked ?? grown / 2) + (Math.random() * grown) / 2))
  }

  /** What the server takes; a server that does not say so takes what it takes. */
  const learn = async (): Promise<boolean> => {
    if (Date.now() < allowedUntil) return true
    try {
      allowed = allowedBy(await ask("GET", "/v1/telemetry/schema"))
      allowedUntil = Date.now() + allowedMillis
      return true
    } catch (error) {
      if (error instanceof OrgplaneError && error.code === "route_not_found") {
        allowedUntil = Date.now() + allowedMillis
        return true
      }
      fail(error)
      wait(error)
      return false
    }
  }

  /** Sends a batch: whether the next may follow. */
  const deliver = async (batch: ReadonlyArray<string>): Promise<boolean> => {
    underWay = batch
    try {
      await ask("POST", "/v1/telemetry/ingest", { events: batch.map((text) => JSON.parse(text) as unknown) })
      sent += batch.length
      underWay = []
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
        underWay = []
        drop("refused", batch.length)
        return true
      }
      giveBack(batch)
      wait(error)
      return false
    }
  }

  const sendAll = async (signal: AbortSignal): Promise<boolean> => {
    while (queue.length > 0 && !signal.aborted) {
      if (Date.now() < notBefore || !(await learn())) return false
      const batch = nextBatch()
      if (batch.length > 0 && !(await deliver(batch))) return false
    }
    return queue.length === 0
  }

  /** One at a time; whoever asks while one is under way waits for it, and for what came meanwhile. */
  const send = async (isWhole: boolean): Promise<boolean> => {
    const before = running
    if (before !== undefined) {
      await before
      return isWhole && queue.length > 0 && Date.now() >= notBefore ? send(true) : queue.length === 0
    }
    disarm()
    const { signal } = end
    const mine = sendAll(signal).catch((error: unknown) => {
      // Nothing above fails; if it does all the same, it is told and tried again.
      fail(error)
      giveBack(underWay)
      wait(error)
      return false
    })
    running = mine
    const isEmpty = await mine
    running = undefined
    if (queue.length > 0) arm(Math.max(0, notBefore - Date.now()))
    return isEmpty && queue.length === 0
  }

  /** All that waits, within the time there is. Our own patience ends here; the server's wishes hold. */
  const finish = async (): Promise<void> => {
    let wake = () => {}
    const late = new AbortController()
    const until = Date.now() + disposeMillis
    // This timer keeps the process alive: it is what the process waits for.
    const timer = setTimeout(() => {
      late.abort()
      end.abort()
      end = new AbortController()
      wake()
    }, disposeMillis)
    notBefore = askedUntil
    while (!late.signal.aborted && !(await send(true)) && Math.max(notBefore, Date.now()) < until) {
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, Math.max(0, notBefore - Date.now()))
      })
    }
    clearTimeout(timer)
  }

  const host = runtime()
  /** The process has nothing else to do; after one try it ends, also when what waits could not go. */
  const onBeforeExit = () => {
    if (hasTried || queue.length === 0) return
    hasTried = true
    void finish()
  }
  if (options.beforeExit !== false) host?.on("beforeExit", onBeforeExit)
  const signals = (options.signals ?? []).map((signal) => {
    const onSignal = () => {
      void dispose().then(() => {
        // With nobody else who listens, the signal does what it does.
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
      return queue.length + underWay.length
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
    // A runtime without the symbol cannot ask for it either.
    [Symbol.asyncDispose ?? "dispose"]: dispose
  }
}
