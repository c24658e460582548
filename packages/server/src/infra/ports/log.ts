/** One entry of the log of a control plane, for an application's own logger. */
export interface LogEntry {
  readonly level: "error" | "warn" | "info" | "debug"
  readonly message: string
  /** The time of the entry: an ISO 8601 timestamp in UTC. */
  readonly time: string
  /** The ID of the request, or of the request that queued the job. It is also in `fields`. */
  readonly requestId?: string
  /** The trace and the span of W3C Trace Context, if the server or the caller traces the request. */
  readonly traceId?: string
  readonly spanId?: string
  /** Structured context. Credentials are never included. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The error with its stack trace. */
  readonly cause?: string
}
