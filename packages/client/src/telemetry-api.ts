/** The public types of the telemetry queue. */
import type { Call } from "./call.ts"
import type { RawOptions } from "./transport.ts"

/** A dimension of an event: `{ type: "model", value: "small" }`. */
export interface TrackedDimension {
  readonly type: string
  readonly value?: string | undefined
  readonly label?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** An event. The client adds an ID, and default values for timestamp, source and session. */
export interface TrackedEvent {
  /** For example `task.completed`. Events with a type that the server does not accept are dropped before sending. */
  readonly type: string
  /** Default: now. */
  readonly timestamp?: Date | string | undefined
  readonly source?: "app" | "worker" | undefined
  readonly sessionId?: string | undefined
  readonly durationMs?: number | undefined
  readonly success?: boolean | undefined
  readonly dimensions?: ReadonlyArray<TrackedDimension> | undefined
  /** Your own ID. Events with the same ID and timestamp count once. */
  readonly id?: string | undefined
}

/** Why events were not delivered. */
export type TelemetryDropReason =
  /** The queue was full. The oldest events are dropped first. */
  | "queue_full"
  /** The server does not accept this type. */
  | "type_unknown"
  /** The event cannot be serialized as JSON, or exceeds the maximum request size. */
  | "malformed"
  /** The server rejected the request. */
  | "refused"
  /** Tracked after `dispose`. */
  | "disposed"
  /** Still queued when `dispose` or the process ran out of time. */
  | "undelivered"

export interface TelemetryOptions {
  /** Source of events without one. */
  readonly source: "app" | "worker"
  /** Session of events without one. */
  readonly sessionId?: string | undefined
  /** Maximum time in milliseconds that an event is queued before a batch is sent. Default: 10,000. */
  readonly flushMillis?: number | undefined
  /** Maximum number of events in one request, at most 50. Default: 50. */
  readonly batchMax?: number | undefined
  /** Maximum number of queued events. The oldest are dropped first. Default: 5,000. */
  readonly queueMax?: number | undefined
  /** Maximum number of queued characters, as JSON. Default: 4 Mi. */
  readonly queueCharactersMax?: number | undefined
  /** Maximum time in milliseconds to send queued events in `dispose` and before the process exits. Default: 5,000. */
  readonly disposeMillis?: number | undefined
  /** Whether to send queued events before a Node, Bun or Deno process exits normally. Default: `true`. */
  readonly beforeExit?: boolean | undefined
  /** Signals that end the process only after queued events have been sent, for example `SIGTERM`. Default: none. */
  readonly signals?: ReadonlyArray<string> | undefined
  /** Called with the number of dropped events and the reason. */
  readonly onDrop?: ((drop: { readonly reason: TelemetryDropReason; readonly events: number }) => void) | undefined
  /** Called with the error of every failed request. Transient failures are retried. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The clock for timestamps. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

export interface Telemetry extends AsyncDisposable {
  /** Queues an event. Never blocks, never throws. */
  track(event: TrackedEvent): void
  /**
   * Sends all queued events, except during the delay after a failed request. Returns whether the queue is empty. Never
   * rejects.
   */
  flush(): Promise<boolean>
  /** Sends all queued events within `disposeMillis` and stops. Later events are dropped. Never rejects. */
  dispose(): Promise<void>
  /** Number of queued events, including those being sent. */
  readonly queued: number
  /** Number of events that the server has stored. */
  readonly sent: number
  /** Number of dropped events. */
  readonly dropped: number
  /** Number of fields removed from events because the server does not accept them. */
  readonly fieldsRemoved: number
}

/** The subset of the client that telemetry uses. */
export interface TelemetryClient {
  request<Data = unknown>(method: string, path: string, options?: RawOptions): Call<Data>
}
