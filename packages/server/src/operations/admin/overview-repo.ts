import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"

export interface Counts {
  readonly members: number
  readonly admins: number
  readonly teams: number
  readonly api_keys: number
  readonly plugins: number
  readonly config_objects: number
  readonly marketplaces: number
  readonly connector_instances: number
  readonly mcp_connections: number
  readonly pending_invitations: number
}

/** All counts in one statement. */
export const counts = (sql: Sql, organizationId: Id<"org">) =>
  sql<Counts>`SELECT
      (SELECT count(*)::int FROM memberships m WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL)
        AS members,
      (SELECT count(*)::int FROM memberships a WHERE a.organization_id = ${organizationId} AND a.removed_at IS NULL
        AND a.role IN ('owner', 'admin')) AS admins,
      (SELECT count(*)::int FROM teams t WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL) AS teams,
      (SELECT count(*)::int FROM api_keys k WHERE k.organization_id = ${organizationId} AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now())) AS api_keys,
      (SELECT count(*)::int FROM plugins p WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL)
        AS plugins,
      (SELECT count(*)::int FROM config_objects c WHERE c.organization_id = ${organizationId} AND c.deleted_at IS NULL)
        AS config_objects,
      (SELECT count(*)::int FROM marketplaces k WHERE k.organization_id = ${organizationId} AND k.deleted_at IS NULL)
        AS marketplaces,
      (SELECT count(*)::int FROM connector_instances i WHERE i.organization_id = ${organizationId}
        AND i.removed_at IS NULL) AS connector_instances,
      (SELECT count(*)::int FROM mcp_connections x WHERE x.organization_id = ${organizationId} AND x.deleted_at IS NULL)
        AS mcp_connections,
      (SELECT count(*)::int FROM invitations v WHERE v.organization_id = ${organizationId} AND v.accepted_at IS NULL
        AND v.cancelled_at IS NULL AND v.expires_at > now()) AS pending_invitations`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "counts"))
  )

export const workers = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM workers w
    WHERE w.organization_id = ${organizationId} AND w.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

export interface SyncTroubleRow {
  readonly id: Id<"cse">
  readonly connector_instance_id: Id<"cin">
  readonly connector_target_id: Id<"ctg">
  readonly name: string
  readonly status: "failed" | "partial" | "review_required"
  readonly created_at: Date
  readonly total: number
}

/** Branches whose last sync failed, completed partially, or is pending approval. */
export const syncTroubles = (sql: Sql, organizationId: Id<"org">, limit: number) =>
  sql<SyncTroubleRow>`SELECT e.id, e.connector_instance_id, e.connector_target_id, i.name, e.status, e.created_at,
      count(*) OVER ()::int AS total
    FROM connector_targets t
    JOIN connector_instances i ON i.organization_id = t.organization_id AND i.id = t.connector_instance_id
      AND i.removed_at IS NULL AND i.status <> 'archived'
    CROSS JOIN LATERAL (
      SELECT s.id, s.connector_instance_id, s.connector_target_id, s.status, s.created_at FROM sync_events s
      WHERE s.organization_id = ${organizationId} AND s.connector_instance_id = t.connector_instance_id
        AND s.connector_target_id = t.id AND s.status NOT IN ('queued', 'running', 'ignored')
      ORDER BY s.id DESC LIMIT 1) e
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND e.status IN ('failed', 'partial', 'review_required')
    ORDER BY e.id DESC LIMIT ${limit}`

export interface ConnectionTroubleRow {
  readonly id: Id<"emc">
  readonly name: string
  readonly trouble: "reconnect_required" | "review_required" | "not_connected"
  readonly total: number
}

/** Shared connections that require attention. A changed server is reported first, because it blocks all calls. */
export const connectionTroubles = (sql: Sql, organizationId: Id<"org">, limit: number) =>
  sql<ConnectionTroubleRow>`SELECT x.id, x.name, x.trouble, count(*) OVER ()::int AS total FROM (
      SELECT m.id, m.name, CASE WHEN m.drift_detected_at IS NOT NULL THEN 'review_required'
          WHEN m.auth_type = 'none' OR m.credential_mode <> 'shared' THEN NULL
          WHEN c.status IS NULL THEN 'not_connected'
          WHEN c.status = 'reconnect_required' THEN 'reconnect_required' END AS trouble
      FROM mcp_connections m
      LEFT JOIN oauth_credentials c ON c.organization_id = m.organization_id AND c.purpose = 'mcp' AND c.subject_id = m.id
        AND c.membership_id = ''
      WHERE m.organization_id = ${organizationId} AND m.deleted_at IS NULL) x
    WHERE x.trouble IS NOT NULL ORDER BY x.id DESC LIMIT ${limit}`
