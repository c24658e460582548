import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"
import type { RemoteState } from "./remote-events-repo.ts"
import type { InstanceRow } from "./repo.ts"

export interface DueRow {
  readonly organization_id: Id<"org">
  readonly target_id: Id<"ctg">
  readonly branch: string
  readonly id: Id<"cin">
  readonly connector_account_id: Id<"cac">
  readonly adapter: InstanceRow["adapter"]
  readonly remote_id: string
  readonly credential_id: string | null
  readonly status: InstanceRow["status"]
  readonly last_sync_cursor: string | null
  readonly reading_version: string | null
  readonly remote_state: RemoteState | null
  readonly repository_full_name: string
  readonly pinned_at: Date | null
  /** The configuration of the organization is in this branch. */
  readonly has_configuration: boolean
}

/** The configuration of the organization of a branch `t` is in this branch. */
const hasConfiguration = (sql: Sql, branch: string) =>
  sql.literal(`EXISTS (SELECT 1 FROM configuration_sources s
    WHERE s.organization_id = ${branch}.organization_id AND s.connector_target_id = ${branch}.id AND s.is_enabled)`)

export interface DueAccountRow {
  readonly organization_id: Id<"org">
  readonly id: Id<"cac">
  readonly remote_id: string
  readonly status: "active" | "error"
  readonly status_reason: string | null
}

/** Claims installations that are due, across all organizations, the same way as branches. */
export const takeDueAccounts = (sql: Sql, everySeconds: number, limit: number) =>
  sql<DueAccountRow>`UPDATE connector_accounts a
    SET reconcile_at = now() + make_interval(secs => ${everySeconds}::double precision * (0.75 + 0.5 * random()))
    WHERE (a.organization_id, a.id) IN (
        SELECT d.organization_id, d.id FROM connector_accounts d
        JOIN organizations o ON o.id = d.organization_id AND o.deleted_at IS NULL
        WHERE d.adapter = 'rest' AND d.removed_at IS NULL AND d.reconcile_at <= now()
        ORDER BY d.reconcile_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
    RETURNING a.organization_id, a.id, a.remote_id, a.status, a.status_reason`

/**
 * Claims branches that are due, across all organizations. No other process claims them before they are due again: after
 * about one interval, or four intervals for an instance in the status `error`.
 */
export const takeDue = (sql: Sql, everySeconds: number, limit: number) =>
  sql<DueRow>`UPDATE connector_targets t
    SET reconcile_at = now() + make_interval(secs => ${everySeconds}::double precision * (0.75 + 0.5 * random())
      * CASE WHEN i.status = 'error' THEN 4 ELSE 1 END)
    FROM connector_instances i
    WHERE i.organization_id = t.organization_id AND i.id = t.connector_instance_id
      AND (t.organization_id, t.id) IN (
        SELECT d.organization_id, d.id FROM connector_targets d
        JOIN connector_instances di ON di.organization_id = d.organization_id AND di.id = d.connector_instance_id
        JOIN organizations o ON o.id = d.organization_id AND o.deleted_at IS NULL
        WHERE d.removed_at IS NULL AND d.reconcile_at <= now() AND di.removed_at IS NULL
          -- Branches that were never imported from are read when someone imports, and a branch that was rolled back
          -- stays pinned until a manual sync. Their configuration is followed.
          AND (((di.status = 'error' OR (di.status = 'active' AND d.last_sync_cursor IS NOT NULL)) AND d.pinned_at IS NULL)
            OR (di.status IN ('active', 'error') AND ${hasConfiguration(sql, "d")}))
          AND (d.paused_until IS NULL OR d.paused_until <= now())
        ORDER BY d.reconcile_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)
    RETURNING t.organization_id, t.id AS target_id, t.branch, i.id, i.connector_account_id, i.adapter, i.remote_id, i.credential_id,
      i.status, t.last_sync_cursor, t.reading_version, i.remote_state, i.repository_full_name, t.pinned_at,
      ${hasConfiguration(sql, "t")} AS has_configuration`

/** Whether the head commit is pending approval or has been decided. If so, no new sync is queued. */
export const isDecided = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, revision: string) =>
  sql<{ decided: boolean }>`SELECT EXISTS (SELECT 1 FROM sync_events
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND revision = ${revision}
      AND status IN ('review_required', 'rejected')) AS decided`

/** Postpones a branch for the time that its host requests. */
export const putOff = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, millis: number) =>
  sql`UPDATE connector_targets
    SET reconcile_at = greatest(reconcile_at, now() + make_interval(secs => ${millis / 1000}::double precision))
    WHERE organization_id = ${organizationId} AND id = ${targetId}`
