import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { GaugeName, LabelsOf } from "../../infra/metrics/definitions.ts"
import { readGauge } from "../../infra/metrics/metrics.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { type InstallationRow, installation } from "./repo.ts"

/** More frequent scrapes return the values of the last reading. */
const everyMillis = 10_000
const timeout = "2 seconds"
const freshMillis = 60_000

const empty: InstallationRow = {
  syncs_waiting: 0,
  syncs_running: 0,
  syncs_delayed: 0,
  syncs_oldest: null,
  webhooks_waiting: 0,
  webhooks_delayed: 0,
  webhooks_oldest: null,
  endpoints_waiting: 0,
  endpoints_running: 0,
  endpoints_delayed: 0,
  endpoints_oldest: null,
  runtimes_waiting: 0,
  runtimes_running: 0,
  runtimes_oldest: null,
  sync_reviews: 0,
  mcp_drifts: 0,
  scim_holds: 0,
  unsealed: 0,
  unsealed_oldest: null,
  consumer_lag: 0,
  streams_active: 0,
  streams_failing: 0,
  streams_paused: 0,
  stream_lag: 0,
  stream_undelivered: null,
  workers_provisioning: 0,
  workers_healthy: 0,
  workers_failed: 0,
  workers_stopped: 0,
  devices_online: 0,
  devices_offline: 0,
  installations_running: 0,
  installations_behind: 0,
  installations_missing: 0,
  installations_failed: 0,
  installations_offline: 0,
  database_bytes: 0
}

/** Registers the metrics of the installation, and returns the effect that reads them from the database. */
export const watchInstallation = (context: Context.Context<never>, sql: Sql): Effect.Effect<void> => {
  let row = empty
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let now = 0
  const gauge = <N extends GaugeName>(name: N, labels: LabelsOf<N>, read: (row: InstallationRow) => number | null) =>
    readGauge(context, name, labels, () => read(row) ?? 0)

  gauge("orgplane_installation_readable", {}, () => (now - readAt < freshMillis ? 1 : 0))
  const syncs = { queue: "connector_sync" }
  gauge("orgplane_queue_jobs", { ...syncs, state: "waiting" }, ({ syncs_waiting }) => syncs_waiting)
  gauge("orgplane_queue_jobs", { ...syncs, state: "running" }, ({ syncs_running }) => syncs_running)
  gauge("orgplane_queue_jobs", { ...syncs, state: "delayed" }, ({ syncs_delayed }) => syncs_delayed)
  const webhooks = { queue: "webhook_inbox" }
  gauge("orgplane_queue_jobs", { ...webhooks, state: "waiting" }, ({ webhooks_waiting }) => webhooks_waiting)
  gauge("orgplane_queue_jobs", { ...webhooks, state: "delayed" }, ({ webhooks_delayed }) => webhooks_delayed)
  gauge("orgplane_queue_oldest_seconds", webhooks, ({ webhooks_oldest }) => webhooks_oldest)
  const endpoints = { queue: "webhook_endpoints" }
  gauge("orgplane_queue_jobs", { ...endpoints, state: "waiting" }, ({ endpoints_waiting }) => endpoints_waiting)
  gauge("orgplane_queue_jobs", { ...endpoints, state: "running" }, ({ endpoints_running }) => endpoints_running)
  gauge("orgplane_queue_jobs", { ...endpoints, state: "delayed" }, ({ endpoints_delayed }) => endpoints_delayed)
  gauge("orgplane_queue_oldest_seconds", endpoints, ({ endpoints_oldest }) => endpoints_oldest)
  gauge("orgplane_queue_oldest_seconds", syncs, ({ syncs_oldest }) => syncs_oldest)
  const runtimes = { queue: "worker_runtimes" }
  gauge("orgplane_queue_jobs", { ...runtimes, state: "waiting" }, ({ runtimes_waiting }) => runtimes_waiting)
  gauge("orgplane_queue_jobs", { ...runtimes, state: "running" }, ({ runtimes_running }) => runtimes_running)
  gauge("orgplane_queue_oldest_seconds", runtimes, ({ runtimes_oldest }) => runtimes_oldest)
  gauge("orgplane_decisions_pending", { kind: "mcp_drift" }, ({ mcp_drifts }) => mcp_drifts)
  gauge("orgplane_decisions_pending", { kind: "scim_hold" }, ({ scim_holds }) => scim_holds)
  gauge("orgplane_decisions_pending", { kind: "sync_review" }, ({ sync_reviews }) => sync_reviews)
  gauge("orgplane_audit_unsealed_events", {}, ({ unsealed }) => unsealed)
  gauge("orgplane_audit_seal_lag_seconds", {}, ({ unsealed_oldest }) => unsealed_oldest)
  gauge("orgplane_change_consumer_lag_changes", {}, ({ consumer_lag }) => consumer_lag)
  gauge("orgplane_event_streams", { state: "active" }, ({ streams_active }) => streams_active)
  gauge("orgplane_event_streams", { state: "failing" }, ({ streams_failing }) => streams_failing)
  gauge("orgplane_event_streams", { state: "paused" }, ({ streams_paused }) => streams_paused)
  gauge("orgplane_event_stream_lag_events", {}, ({ stream_lag }) => stream_lag)
  gauge("orgplane_event_stream_undelivered_seconds", {}, ({ stream_undelivered }) => stream_undelivered)
  gauge("orgplane_workers", { status: "provisioning" }, ({ workers_provisioning }) => workers_provisioning)
  gauge("orgplane_workers", { status: "healthy" }, ({ workers_healthy }) => workers_healthy)
  gauge("orgplane_workers", { status: "failed" }, ({ workers_failed }) => workers_failed)
  gauge("orgplane_workers", { status: "stopped" }, ({ workers_stopped }) => workers_stopped)
  gauge("orgplane_devices", { status: "online" }, ({ devices_online }) => devices_online)
  gauge("orgplane_devices", { status: "offline" }, ({ devices_offline }) => devices_offline)
  const installations = "orgplane_plugin_installations"
  gauge(installations, { state: "running" }, ({ installations_running }) => installations_running)
  gauge(installations, { state: "behind" }, ({ installations_behind }) => installations_behind)
  gauge(installations, { state: "missing" }, ({ installations_missing }) => installations_missing)
  gauge(installations, { state: "failed" }, ({ installations_failed }) => installations_failed)
  gauge(installations, { state: "offline" }, ({ installations_offline }) => installations_offline)
  gauge("orgplane_database_size_bytes", {}, ({ database_bytes }) => database_bytes)

  return Effect.gen(function* () {
    now = yield* Clock.currentTimeMillis
    if (now - triedAt < everyMillis) return
    triedAt = now
    const [read] = yield* installation(sql).pipe(Effect.timeout(timeout))
    if (read === undefined) return
    row = read
    readAt = now
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The metrics of the installation could not be read.", cause)))
}
