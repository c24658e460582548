import type { Member } from "@orgplane/schema/shared/caller"
import { levelOf, levels } from "../../identity/grants/index.ts"
import { type AttentionRow, attentionSource } from "../../infra/attention/source.ts"
import { quantity } from "../../infra/quantity.ts"
import type { Sql } from "../../infra/sql/client.ts"

interface SyncRow extends AttentionRow {
  readonly branch: string
  readonly status: string
  readonly removals: number | null
  readonly error_message: string | null
}

interface ReasonRow extends AttentionRow {
  readonly status_reason: string | null
}

/** The last sync of each branch of an active connector that the caller has the level on. */
const lastSyncs = (sql: Sql, caller: Member, level: keyof typeof levels, condition: string, limit: number) =>
  sql<SyncRow>`SELECT e.id, i.name, i.id AS parent_id, coalesce(e.ended_at, e.created_at) AS since,
      NULL::timestamptz AS expires_at, t.branch, e.status, (e.counts_json ->> 'objectsDeleted')::int AS removals,
      e.error_message
    FROM connector_targets t
    JOIN connector_instances i ON i.organization_id = t.organization_id AND i.id = t.connector_instance_id
      AND i.removed_at IS NULL AND i.status NOT IN ('disabled', 'archived')
    CROSS JOIN LATERAL (
      SELECT s.id, s.status, s.counts_json, s.error_message, s.created_at, s.ended_at FROM sync_events s
      WHERE s.organization_id = ${caller.organizationId} AND s.connector_instance_id = t.connector_instance_id
        AND s.connector_target_id = t.id AND s.status NOT IN ('queued', 'running', 'ignored')
      ORDER BY s.id DESC LIMIT 1) e
    WHERE t.organization_id = ${caller.organizationId} AND t.removed_at IS NULL AND ${sql.literal(condition)}
      AND ${levelOf(sql, caller, "connectorInstance", sql`i.id`)} >= ${sql.literal(String(levels[level]))}
    ORDER BY since, e.id LIMIT ${limit}`

/** Connectors that need attention. */
export const attention = [
  attentionSource<SyncRow>(
    "sync_approval",
    ["connectors:read", "connectors:manage"],
    (sql, caller, { limit }) => lastSyncs(sql, caller, "manager", "e.status = 'review_required'", limit),
    ({ branch, removals }) => `Branch ${branch}: ${quantity(removals ?? 0, "object")} would be removed.`
  ),
  attentionSource<SyncRow>(
    "sync_failed",
    ["connectors:read", "connectors:write"],
    (sql, caller, { limit }) =>
      lastSyncs(
        sql,
        caller,
        "editor",
        // The state from the code host explains why the sync failed.
        "e.status IN ('failed', 'partial') AND NOT (i.status = 'error' AND i.remote_state IS NOT NULL)",
        limit
      ),
    ({ branch, error_message: message, status }) =>
      `Branch ${branch}: ${message ?? (status === "partial" ? "Some files were skipped." : "The sync failed.")}`
  ),
  attentionSource<ReasonRow>(
    "connector_failed",
    ["connectors:read", "connectors:write"],
    (sql, caller, { limit }) =>
      sql`SELECT i.id, i.name, NULL::text AS parent_id, coalesce(i.remote_seen_at, i.updated_at) AS since,
          NULL::timestamptz AS expires_at, i.status_reason
        FROM connector_instances i
        WHERE i.organization_id = ${caller.organizationId} AND i.removed_at IS NULL AND i.status = 'error'
          AND i.remote_state IS NOT NULL
          AND ${levelOf(sql, caller, "connectorInstance", sql`i.id`)} >= ${sql.literal(String(levels.editor))}
        ORDER BY since, i.id LIMIT ${limit}`,
    ({ status_reason: reason }) => reason
  ),
  attentionSource<ReasonRow>(
    "connector_account_failed",
    ["connectors:read", "connectors:write"],
    (sql, { organizationId }, { limit }) =>
      sql`SELECT a.id, a.name, NULL::text AS parent_id, a.updated_at AS since, NULL::timestamptz AS expires_at,
          a.status_reason
        FROM connector_accounts a
        WHERE a.organization_id = ${organizationId} AND a.removed_at IS NULL AND a.status = 'error'
        ORDER BY since, a.id LIMIT ${limit}`,
    ({ status_reason: reason }) => reason
  )
]
