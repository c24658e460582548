/** One entry of the log of a control plane, for an application's own logger. */
export interface LogEntry {
  readonly level: "error" | "warn" | "info" | "debug"
  readonly message: string
  /** The time of the entry: an ISO 8601 timestamp in UTC. */
  readonly time: string
  /** Structured context, such as `requestId`. Credentials are never included. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The error with its stack trace. */
  readonly cause?: string
}
