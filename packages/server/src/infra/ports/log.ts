/** One entry of the log of a control plane, for an application's own logger. */
export interface LogEntry {
  readonly level: "error" | "warn" | "info" | "debug"
  readonly message: string
  /** When it happened: an ISO 8601 timestamp in UTC. */
  readonly time: string
  /** What the entry is about, such as `requestId`. Credentials are never included. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The error with its stack trace. */
  readonly cause?: string
}
