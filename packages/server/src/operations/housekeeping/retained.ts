/** How long the rows of a table are kept. */
export interface Retention {
  readonly table: string
  /** Rows are deleted after `interval` has passed since the earliest of these times. */
  readonly since: readonly [string, ...ReadonlyArray<string>]
  /** A PostgreSQL interval, such as `30 days`. */
  readonly interval: string
}

/** Tables whose rows are deleted by age alone, in the order in which housekeeping deletes them. */
export const retained: ReadonlyArray<Retention> = [
  { table: "idempotency_keys", since: ["created_at"], interval: "24 hours" },
  { table: "rate_windows", since: ["ends_at"], interval: "1 minute" },
  { table: "sessions", since: ["expires_at", "revoked_at"], interval: "30 days" },
  // The content is fetched again from its source if it is needed.
  { table: "remote_trees", since: ["used_at"], interval: "30 days" },
  // An expired code is useless, and its row contains an email address.
  { table: "sign_in_challenges", since: ["expires_at"], interval: "1 hour" },
  { table: "webhook_deliveries", since: ["received_at"], interval: "30 days" },
  { table: "webhook_receipts", since: ["received_at"], interval: "30 days" },
  { table: "connector_installs", since: ["expires_at"], interval: "0 seconds" },
  { table: "oauth_states", since: ["expires_at"], interval: "0 seconds" },
  // A code is valid for two minutes after the browser returned, which is at most ten minutes after the start.
  { table: "sso_sign_ins", since: ["expires_at"], interval: "1 hour" },
  { table: "sso_assertions", since: ["expires_at"], interval: "0 seconds" },
  { table: "worker_activity", since: ["created_at"], interval: "30 days" },
  { table: "worker_tokens", since: ["expires_at", "revoked_at"], interval: "30 days" },
  { table: "scim_tokens", since: ["expires_at", "revoked_at"], interval: "30 days" },
  { table: "scim_log", since: ["created_at"], interval: "30 days" },
  { table: "scim_deactivations", since: ["created_at"], interval: "1 hour" }
]
