/** All metrics of a server. Tests check the code, the documentation, the dashboard and the alerts against this list. */

export interface Definition {
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  /** The labels and what their values are. Every label has a bounded number of values. */
  readonly labels: Readonly<Record<string, string>>
  /**
   * `process`: each process reports its own value, so aggregate with `sum`. `installation`: read from the database, so all
   * processes report the same value; aggregate with `max`.
   */
  readonly scope: "process" | "installation"
}

const operation = "The ID of an operation, such as `plugins.list`."

const ofProcess = <const T extends Definition["type"], const L extends Readonly<Record<string, string>>>(
  type: T,
  help: string,
  labels: L
) => ({ type, help, labels, scope: "process" }) as const

const ofInstallation = <const L extends Readonly<Record<string, string>>>(help: string, labels: L) =>
  ({ type: "gauge", help, labels, scope: "installation" }) as const

const noLabels = {} as const

export const definitions = {
  orgplane_build_info: ofProcess("gauge", "1, with the versions of the process as labels.", {
    version: "The version of orgplane.",
    node: "The version of Node.js.",
    database: "`postgres` or `pglite`."
  }),
  orgplane_schema_version: ofProcess("gauge", "The number of the latest migration of the database.", noLabels),
  orgplane_http_requests_total: ofProcess("counter", "HTTP requests by operation and status.", {
    operation,
    status: "The HTTP status code."
  }),
  orgplane_http_request_duration_seconds: ofProcess(
    "histogram",
    "Time from the start of a request to its response, in seconds.",
    { operation }
  ),
  orgplane_database_connections: ofProcess("gauge", "Open database connections of the pools.", {
    state: "`in_use` or `idle`."
  }),
  orgplane_database_connections_max: ofProcess(
    "gauge",
    "The largest number of connections that the pools open.",
    noLabels
  ),
  orgplane_database_waiting: ofProcess("gauge", "Transactions and statements that wait for a connection.", noLabels),
  orgplane_database_timeouts_total: ofProcess(
    "counter",
    "Transactions and statements that failed because no connection became available in time or the wait queue was full.",
    noLabels
  ),
  orgplane_database_statements_total: ofProcess(
    "counter",
    "Statements sent to PostgreSQL. The embedded database counts a transaction as one.",
    noLabels
  ),
  orgplane_database_errors_total: ofProcess(
    "counter",
    "Statements that failed in PostgreSQL, including those that are retried. Always 0 with the embedded database.",
    noLabels
  ),
  orgplane_outbound_requests_total: ofProcess("counter", "Outbound requests by destination and outcome.", {
    destination: "`supplied` (a URL from a caller or a document), `configured` (by the operator) or `loopback`.",
    outcome:
      "`2xx`, `3xx`, `4xx`, `5xx`, or why there was no response: `blocked`, `invalid_url`, `unreachable`, `timeout`, `too_large`, `too_many_redirects`, `busy`."
  }),
  orgplane_syncs_total: ofProcess("counter", "Completed connector syncs by result.", {
    status: "`completed`, `partial`, `failed`, `review_required` or `ignored`."
  }),
  orgplane_configuration_runs_total: ofProcess("counter", "Runs of configuration sources by result.", {
    status: "`unchanged`, `planned`, `applied`, `held`, `superseded` or `failed`."
  }),
  orgplane_webhook_deliveries_total: ofProcess("counter", "Webhook deliveries of the code host by outcome.", {
    outcome:
      "`accepted`, `ignored` (the delivery concerns no connected branch), or why it was rejected: `invalid_signature`, `invalid`, `too_large`, `busy`, `rate_limited`, `not_configured` or `error`."
  }),
  orgplane_webhook_attempts_total: ofProcess("counter", "Requests with events to webhook endpoints by outcome.", {
    outcome: "`delivered`, `rejected` (any status but 2xx), `unreachable` (no response) or `busy` (not sent)."
  }),
  orgplane_sync_duration_seconds: ofProcess(
    "histogram",
    "Time from the start of a connector sync to its end, in seconds.",
    noLabels
  ),
  orgplane_mails_total: ofProcess("counter", "Emails by outcome.", {
    outcome: "`sent`, `failed`, or `dropped` because the queue was full."
  }),
  orgplane_mails_waiting: ofProcess("gauge", "Emails in memory that wait to be sent.", noLabels),
  orgplane_telemetry_batches_total: ofProcess("counter", "Telemetry event batches by outcome.", {
    outcome: "`stored`, `gone` (the organization was deleted) or `unavailable`."
  }),
  orgplane_telemetry_buffer_events: ofProcess("gauge", "Telemetry events in memory that are not stored yet.", noLabels),
  orgplane_telemetry_buffer_bytes: ofProcess(
    "gauge",
    "Approximate size of the telemetry events in memory, in bytes.",
    noLabels
  ),
  orgplane_scim_log_lost_total: ofProcess(
    "counter",
    "SCIM request log entries that were dropped because more arrived than could be written.",
    noLabels
  ),
  orgplane_refusals_lost_total: ofProcess(
    "counter",
    "Groups of refused requests that could not be recorded in the audit log.",
    noLabels
  ),
  orgplane_event_stream_batches_total: ofProcess("counter", "Batches that event streams sent, by outcome.", {
    kind: "The kind of the destination: `https`, `s3` or `otlp`.",
    outcome: "`accepted`, or `failed` (sent again later)."
  }),
  orgplane_retention_rows_deleted_total: ofProcess(
    "counter",
    "Rows that housekeeping deleted because their retention ended.",
    { table: "The name of the table." }
  ),
  orgplane_housekeeping_failures_total: ofProcess(
    "counter",
    "Steps of housekeeping that failed. The other steps of the run are not affected, and the step is retried in the next hour.",
    {
      step: "The name of the table that the step deletes from, or `unclaimed_workspaces`, `storage_recount` or `check` (the daily check)."
    }
  ),
  orgplane_otlp_exports_total: ofProcess(
    "counter",
    "Batches that were exported to the OpenTelemetry collector, by outcome.",
    {
      signal: "`traces`, `metrics` or `logs`.",
      outcome:
        "`accepted`, `rejected` (another status), `unreachable`, or `dropped` because earlier exports had not ended."
    }
  ),
  orgplane_process_start_time_seconds: ofProcess(
    "gauge",
    "Start of the process, as a Unix timestamp in seconds.",
    noLabels
  ),
  orgplane_process_cpu_seconds_total: ofProcess("counter", "User and system CPU time of the process.", noLabels),
  orgplane_process_resident_memory_bytes: ofProcess("gauge", "Resident memory of the process.", noLabels),
  orgplane_process_heap_bytes: ofProcess("gauge", "Memory of the JavaScript heap.", { state: "`used` or `total`." }),
  orgplane_process_event_loop_delay_seconds: ofProcess(
    "gauge",
    "Delay of the event loop since the last collection at least 10 seconds ago.",
    { statistic: "`p50`, `p99` or `max`." }
  ),
  orgplane_process_event_loop_active_seconds_total: ofProcess(
    "counter",
    "Time that the event loop was busy. Its rate is the utilization, from 0 to 1.",
    noLabels
  ),
  orgplane_installation_readable: ofInstallation(
    "1 if the metrics of the installation were read from the database within the last minute. Otherwise 0, and the metrics keep their last values.",
    noLabels
  ),
  orgplane_queue_jobs: ofInstallation("Jobs in the queue.", {
    queue:
      "`connector_sync`, `webhook_inbox`, `webhook_endpoints` (endpoints with events to send) or `worker_runtimes` (starts and stops).",
    state: "`waiting`, `running` or `delayed` (until its next attempt)."
  }),
  orgplane_queue_oldest_seconds: ofInstallation("Time that the oldest due job has waited, in seconds.", {
    queue: "`connector_sync`, `webhook_inbox`, `webhook_endpoints` or `worker_runtimes`."
  }),
  orgplane_decisions_pending: ofInstallation("Changes pending approval by an administrator.", {
    kind: "`scim_hold` (a mass deactivation), `sync_review` (a sync that removes a large part of the content) or `mcp_drift` (changed MCP tools)."
  }),
  orgplane_audit_unsealed_events: ofInstallation(
    "Audit events that are not sealed into the chain yet, up to 10,000.",
    noLabels
  ),
  orgplane_audit_seal_lag_seconds: ofInstallation("Age of the oldest audit event that is not sealed.", noLabels),
  orgplane_change_consumer_lag_changes: ofInstallation(
    "The largest number of sealed changes that a named consumer has not handled.",
    noLabels
  ),
  orgplane_event_streams: ofInstallation("Event streams by state.", {
    state: "`active`, `failing` (active, and the last attempt failed) or `paused`."
  }),
  orgplane_event_stream_lag_events: ofInstallation(
    "The largest number of sealed events that an active event stream has not delivered.",
    noLabels
  ),
  orgplane_event_stream_undelivered_seconds: ofInstallation(
    "The age of the oldest event that an active event stream has not delivered, in seconds.",
    noLabels
  ),
  orgplane_workers: ofInstallation("Workers by status.", {
    status: "`provisioning`, `healthy`, `failed` or `stopped`."
  }),
  orgplane_devices: ofInstallation("Devices that have reported their plugins.", {
    status: "`online`, or `offline` (no report for 24 hours)."
  }),
  orgplane_plugin_installations: ofInstallation(
    "Plugins that devices should have installed, counted once per plugin and device. Recorded once per hour.",
    { state: "`running`, `behind`, `missing`, `failed` or `offline`." }
  ),
  orgplane_storage_bytes: ofInstallation("Uncompressed size of the content of all organizations, in bytes.", noLabels),
  orgplane_storage_largest_bytes: ofInstallation(
    "Uncompressed size of the content of the organization that stores the most, in bytes.",
    noLabels
  ),
  orgplane_storage_organizations: ofInstallation("Organizations by the share of their storage limit that they use.", {
    usage: "`low` (less than 80%), `high` (less than 100%), `full`, or `unlimited`."
  }),
  orgplane_retention_overdue_rows: ofInstallation(
    "Rows that were past their retention by more than a day at the last daily check, up to 10,000 for each rule. 0 unless housekeeping fails.",
    { table: "The name of the table." }
  ),
  orgplane_retention_overdue_seconds: ofInstallation(
    "How long the oldest row was past its retention at the last daily check, in seconds.",
    { table: "The name of the table." }
  ),
  orgplane_retention_check_age_seconds: ofInstallation(
    "Time since the last daily check of the retention of all tables, in seconds.",
    noLabels
  ),
  orgplane_database_size_bytes: ofInstallation("Size of the database on disk.", noLabels)
} as const satisfies Readonly<Record<string, Definition>>

export type MetricName = keyof typeof definitions

/** The labels of a metric. */
export type LabelsOf<N extends MetricName> = Readonly<Record<keyof (typeof definitions)[N]["labels"] & string, string>>

type NameOf<T extends Definition["type"]> = {
  [N in MetricName]: (typeof definitions)[N]["type"] extends T ? N : never
}[MetricName]

export type CounterName = NameOf<"counter">
export type GaugeName = NameOf<"gauge">
export type HistogramName = NameOf<"histogram">
