import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import { isHidden } from "../../identity/grants/blocked-repo.ts"
import { visible } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { type EventRow, eventColumns } from "./sync-repo.ts"

export interface PluginRow {
  readonly key: string
  readonly id: Id<"plg">
  readonly name: string
  readonly target_id: Id<"ctg">
}

/** The plugins imported from an instance's branches that the caller can see. */
export const plugins = (sql: Sql, caller: Member, instanceId: Id<"cin">) =>
  sql<PluginRow>`SELECT p.candidate_key AS key, p.id, p.name, p.connector_target_id AS target_id FROM plugins p
    JOIN connector_targets t ON t.organization_id = ${caller.organizationId} AND t.id = p.connector_target_id
      AND t.connector_instance_id = ${instanceId} AND t.removed_at IS NULL
    WHERE p.organization_id = ${caller.organizationId} AND p.deleted_at IS NULL
      AND ${visible(sql, caller, "plugin", sql`p.id`)} AND NOT ${isHidden(sql, caller, sql`p.id`)}
    ORDER BY p.id LIMIT 1000`

/** The marketplace of each branch, if the caller can see it. */
export const marketplaces = (sql: Sql, caller: Member, instanceId: Id<"cin">) =>
  sql<{ id: Id<"mkt">; name: string; target_id: Id<"ctg"> }>`SELECT m.id, m.name, t.id AS target_id
    FROM connector_targets t
    JOIN marketplaces m ON m.organization_id = ${caller.organizationId} AND m.deleted_at IS NULL
      AND m.id = (SELECT o.id FROM marketplaces o
        WHERE o.organization_id = ${caller.organizationId} AND o.deleted_at IS NULL
          AND (o.id = t.config_json->>'marketplaceId' OR o.connector_target_id = t.id)
        ORDER BY o.id = t.config_json->>'marketplaceId' DESC NULLS LAST, o.id LIMIT 1)
    WHERE t.organization_id = ${caller.organizationId} AND t.connector_instance_id = ${instanceId}
      AND t.removed_at IS NULL AND ${visible(sql, caller, "marketplace", sql`m.id`)}`

export interface CountRow {
  readonly target_id: Id<"ctg">
  readonly imported: number
  readonly by_hand: number
  readonly objects: number
}

export const counts = (sql: Sql, organizationId: Id<"org">, instanceId: Id<"cin">) =>
  sql<CountRow>`SELECT t.id AS target_id,
      (SELECT count(*)::int FROM connector_mappings m WHERE m.organization_id = ${organizationId}
        AND m.connector_target_id = t.id AND m.removed_at IS NULL AND m.config_json ? 'candidateKey') AS imported,
      (SELECT count(*)::int FROM connector_mappings m WHERE m.organization_id = ${organizationId}
        AND m.connector_target_id = t.id AND m.removed_at IS NULL
        AND NOT coalesce(m.config_json ? 'candidateKey', FALSE)) AS by_hand,
      (SELECT count(DISTINCT b.config_object_id)::int FROM source_bindings b
        WHERE b.organization_id = ${organizationId} AND b.connector_target_id = t.id) AS objects
    FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.connector_instance_id = ${instanceId} AND t.removed_at IS NULL`

/** The last sync of each branch. */
export const lastEvents = (sql: Sql, organizationId: Id<"org">, instanceId: Id<"cin">) =>
  sql<EventRow>`SELECT DISTINCT ON (e.connector_target_id) ${eventColumns(sql)} FROM sync_events e
    WHERE e.organization_id = ${organizationId} AND e.connector_instance_id = ${instanceId}
    ORDER BY e.connector_target_id, e.id DESC`
