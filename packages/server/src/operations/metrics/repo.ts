import { offlineHours } from "@orgplane/schema/delivery"
import type { Sql } from "../../infra/sql/client.ts"

/** The numbers of the whole installation. Times are ages in seconds; null if there is nothing. */
export interface InstallationRow {
  readonly syncs_waiting: number
  readonly syncs_running: number
  readonly syncs_delayed: number
  readonly syncs_oldest: number | null
  readonly webhooks_waiting: number
  readonly webhooks_delayed: number
  readonly webhooks_oldest: number | null
  readonly endpoints_waiting: number
  readonly endpoints_running: number
  readonly endpoints_delayed: number
  readonly endpoints_oldest: number | null
  readonly runtimes_waiting: number
  readonly runtimes_running: number
  readonly runtimes_oldest: number | null
  readonly sync_reviews: number
  readonly mcp_drifts: number
  readonly scim_holds: number
  readonly unsealed: number
  readonly unsealed_oldest: number | null
  readonly consumer_lag: number
  readonly streams_active: number
  readonly streams_failing: number
  readonly streams_paused: number
  readonly stream_lag: number
  readonly stream_undelivered: number | null
  readonly workers_provisioning: number
  readonly workers_healthy: number
  readonly workers_failed: number
  readonly workers_stopped: number
  readonly devices_online: number
  readonly devices_offline: number
  readonly installations_running: number
  readonly installations_behind: number
  readonly installations_missing: number
  readonly installations_failed: number
  readonly installations_offline: number
  readonly database_bytes: number
}

const unsealedMax = 10_000
const sum = (column: string) => `(SELECT coalesce(sum(${column}), 0)::float8 FROM delivery)`

/**
 * All numbers in one statement. Each part reads an index, or a table that grows with the configuration and the people, and
 * not with use. Installations are those of the last record of each organization.
 */
export const installation = (sql: Sql) =>
  sql<InstallationRow>`WITH jobs AS (
      SELECT acquired_at, visible_at, created_at FROM effect_queue
      WHERE queue_name = 'connector-sync' AND state IN ('pending', 'processing')),
    inbox AS (SELECT due_at FROM webhook_inbox),
    endpoints AS (
      SELECT e.due_at, coalesce(e.lease_until >= now(), false) AS is_leased FROM webhook_endpoints e
        JOIN organizations o ON o.id = e.organization_id AND o.deleted_at IS NULL
      WHERE e.state = 'active' AND e.due_at IS NOT NULL),
    runtimes AS (SELECT lease_until, updated_at FROM worker_instances WHERE NOT settled),
    unsealed AS (
      SELECT created_at FROM audit_events WHERE sequence IS NULL ORDER BY created_txid, id LIMIT ${unsealedMax}),
    known_devices AS (
      SELECT d.last_seen_at < now() - make_interval(hours => ${offlineHours}) AS is_offline
      FROM organizations o JOIN devices d ON d.organization_id = o.id WHERE o.deleted_at IS NULL),
    delivery AS (
      SELECT l.running, l.behind, l.missing, l.failed, l.offline
      FROM organizations o CROSS JOIN LATERAL (
        SELECT d.running, d.behind, d.missing, d.failed, d.offline FROM delivery_days d
        WHERE d.organization_id = o.id AND d.plugin_id = '' AND d.digest = ''
          AND d.day >= (now() AT TIME ZONE 'UTC')::date - 1
        ORDER BY d.day DESC LIMIT 1) l
      WHERE o.deleted_at IS NULL),
    streams AS (
      SELECT s.state = 'paused' AS is_paused, s.failing_since IS NOT NULL AS is_failing,
        greatest(c.sequence - s.position, 0) AS lag,
        (SELECT e.created_at FROM audit_events e WHERE e.organization_id = o.id AND e.sequence > s.position
          ORDER BY e.sequence LIMIT 1) AS undelivered_at
      FROM organizations o JOIN event_streams s ON s.organization_id = o.id
        LEFT JOIN audit_chains c ON c.organization_id = o.id
      WHERE o.deleted_at IS NULL),
    known_workers AS (SELECT status FROM workers WHERE removed_at IS NULL)
    SELECT
      (SELECT count(*)::int FROM jobs WHERE acquired_at IS NULL AND (visible_at IS NULL OR visible_at <= now()))
        AS syncs_waiting,
      (SELECT count(*)::int FROM jobs WHERE acquired_at IS NOT NULL) AS syncs_running,
      (SELECT count(*)::int FROM jobs WHERE acquired_at IS NULL AND visible_at > now()) AS syncs_delayed,
      (SELECT extract(epoch FROM now() - min(greatest(created_at, visible_at)))::float8 FROM jobs
        WHERE acquired_at IS NULL AND (visible_at IS NULL OR visible_at <= now())) AS syncs_oldest,
      (SELECT count(*)::int FROM inbox WHERE due_at <= now()) AS webhooks_waiting,
      (SELECT count(*)::int FROM inbox WHERE due_at > now()) AS webhooks_delayed,
      (SELECT extract(epoch FROM now() - min(due_at))::float8 FROM inbox WHERE due_at <= now()) AS webhooks_oldest,
      (SELECT count(*)::int FROM endpoints WHERE NOT is_leased AND due_at <= now()) AS endpoints_waiting,
      (SELECT count(*)::int FROM endpoints WHERE is_leased) AS endpoints_running,
      (SELECT count(*)::int FROM endpoints WHERE NOT is_leased AND due_at > now()) AS endpoints_delayed,
      (SELECT extract(epoch FROM now() - min(due_at))::float8 FROM endpoints
        WHERE NOT is_leased AND due_at <= now()) AS endpoints_oldest,
      (SELECT count(*)::int FROM runtimes WHERE lease_until IS NULL OR lease_until < now()) AS runtimes_waiting,
      (SELECT count(*)::int FROM runtimes WHERE lease_until >= now()) AS runtimes_running,
      (SELECT extract(epoch FROM now() - min(updated_at))::float8 FROM runtimes
        WHERE lease_until IS NULL OR lease_until < now()) AS runtimes_oldest,
      (SELECT count(*)::int FROM mcp_connections
        WHERE drift_detected_at IS NOT NULL AND drift_decision IS NULL AND deleted_at IS NULL) AS mcp_drifts,
      (SELECT count(*)::int FROM connector_targets t
        JOIN connector_instances i ON i.organization_id = t.organization_id AND i.id = t.connector_instance_id
          AND i.removed_at IS NULL AND i.status <> 'archived'
        CROSS JOIN LATERAL (
          SELECT s.status FROM sync_events s
          WHERE s.organization_id = t.organization_id AND s.connector_instance_id = t.connector_instance_id
            AND s.connector_target_id = t.id AND s.status NOT IN ('queued', 'running', 'ignored')
          ORDER BY s.id DESC LIMIT 1) e
        WHERE t.removed_at IS NULL AND e.status = 'review_required') AS sync_reviews,
      (SELECT count(*)::int FROM scim_holds WHERE status = 'pending') AS scim_holds,
      (SELECT count(*)::int FROM unsealed) AS unsealed,
      (SELECT extract(epoch FROM now() - min(created_at))::float8 FROM unsealed) AS unsealed_oldest,
      (SELECT coalesce(max(newest.position - c.position), 0)::float8 FROM event_consumers c,
        (SELECT max(position) AS position FROM audit_events) newest) AS consumer_lag,
      (SELECT count(*)::int FROM streams WHERE NOT is_paused AND NOT is_failing) AS streams_active,
      (SELECT count(*)::int FROM streams WHERE NOT is_paused AND is_failing) AS streams_failing,
      (SELECT count(*)::int FROM streams WHERE is_paused) AS streams_paused,
      (SELECT coalesce(max(lag), 0)::float8 FROM streams WHERE NOT is_paused) AS stream_lag,
      (SELECT extract(epoch FROM now() - min(undelivered_at))::float8 FROM streams WHERE NOT is_paused)
        AS stream_undelivered,
      (SELECT count(*)::int FROM known_workers WHERE status = 'provisioning') AS workers_provisioning,
      (SELECT count(*)::int FROM known_workers WHERE status = 'healthy') AS workers_healthy,
      (SELECT count(*)::int FROM known_workers WHERE status = 'failed') AS workers_failed,
      (SELECT count(*)::int FROM known_workers WHERE status = 'stopped') AS workers_stopped,
      (SELECT count(*)::int FROM known_devices WHERE NOT is_offline) AS devices_online,
      (SELECT count(*)::int FROM known_devices WHERE is_offline) AS devices_offline,
      ${sql.literal(sum("running"))} AS installations_running,
      ${sql.literal(sum("behind"))} AS installations_behind,
      ${sql.literal(sum("missing"))} AS installations_missing,
      ${sql.literal(sum("failed"))} AS installations_failed,
      ${sql.literal(sum("offline"))} AS installations_offline,
      pg_database_size(current_database())::float8 AS database_bytes`
