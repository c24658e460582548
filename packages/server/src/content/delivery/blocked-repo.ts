import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"
import type { PluginRow } from "../plugins/archive-layout.ts"

/** The plugins and marketplaces of the assignments that block for a member. */
export interface BlockedTargets {
  readonly pluginIds: ReadonlyArray<Id<"plg">>
  readonly marketplaceIds: ReadonlyArray<Id<"mkt">>
}

export interface BlockedPluginRow extends PluginRow {
  readonly kind: "plugin"
  readonly id: Id<"plg">
  readonly names: ReadonlyArray<string>
  /** Those of the blocked marketplaces that contain it. */
  readonly marketplace_ids: ReadonlyArray<Id<"mkt">>
}

export interface BlockedMarketplaceRow {
  readonly kind: "marketplace"
  readonly id: Id<"mkt">
  readonly name: string
  readonly names: ReadonlyArray<string>
}

export type BlockedRow = BlockedPluginRow | BlockedMarketplaceRow

/**
 * The blocked marketplaces and plugins, at most `limit` of each: first the plugins with an assignment of their own, then
 * those of blocked marketplaces. Neither their state nor the member's access matters: a block ends with its assignment.
 */
export const readBlocked = (
  sql: Sql,
  organizationId: Id<"org">,
  { marketplaceIds, pluginIds }: BlockedTargets,
  limit: number
) => {
  const values = (ids: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(ids)})`
  return sql<BlockedRow>`WITH blocked AS MATERIALIZED (
      SELECT u.id, array_remove(array_agg(u.marketplace_id), NULL) AS marketplace_ids FROM (
        SELECT a.id, NULL AS marketplace_id FROM (${values(pluginIds)}) a(id)
        UNION ALL SELECT mm.plugin_id, mm.marketplace_id FROM marketplace_memberships mm
          WHERE mm.organization_id = ${organizationId} AND mm.removed_at IS NULL
            AND mm.marketplace_id IN (${values(marketplaceIds)})) u
      GROUP BY u.id ORDER BY bool_or(u.marketplace_id IS NULL) DESC, u.id LIMIT ${limit}),
    published AS MATERIALIZED (
      SELECT x.plugin_id, array_agg(x.name || '@' || k.name) AS names FROM marketplace_plugin_names x
      JOIN marketplace_names k ON k.organization_id = ${organizationId} AND k.marketplace_id = x.marketplace_id
      WHERE x.organization_id = ${organizationId} AND x.plugin_id IN (SELECT b.id FROM blocked b)
      GROUP BY x.plugin_id)
    SELECT 'plugin' AS kind, p.id, CASE WHEN p.delivery_mode IS NULL THEN p.name ELSE coalesce(r.name, a.name, p.id) END AS name,
      CASE WHEN p.delivery_mode IS NULL THEN p.description ELSE coalesce(r.description, a.description) END AS description,
      CASE WHEN p.delivery_mode IS NULL THEN p.manifest_json ELSE coalesce(r.manifest_json, a.manifest_json) END AS manifest_json,
      coalesce(s.names, '{}') AS names, b.marketplace_ids
    FROM blocked b
    JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = b.id
    LEFT JOIN plugin_releases r ON r.organization_id = ${organizationId} AND r.id = p.served_release_id
      AND p.delivery_mode IS NOT NULL
    -- Without a served release, the name of the last approved one: the latest name was not approved.
    LEFT JOIN LATERAL (SELECT l.name, l.description, l.manifest_json FROM plugin_releases l
      WHERE l.organization_id = ${organizationId} AND l.plugin_id = p.id AND l.state = 'approved' AND r.id IS NULL
      ORDER BY l.number DESC LIMIT 1) a ON p.delivery_mode IS NOT NULL
    LEFT JOIN published s ON s.plugin_id = b.id
    UNION ALL
    (SELECT 'marketplace', m.id, coalesce(n.name, m.name), NULL, NULL, array_remove(ARRAY[n.name], NULL), '{}'
    FROM marketplaces m
    LEFT JOIN marketplace_names n ON n.organization_id = ${organizationId} AND n.marketplace_id = m.id
    WHERE m.organization_id = ${organizationId} AND m.id IN (${values(marketplaceIds)})
    ORDER BY m.id LIMIT ${limit})`
}
