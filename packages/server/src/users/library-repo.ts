import type { Member } from "@orgplane/schema/shared/caller"
import type { LibraryEntry } from "@orgplane/schema/users"
import type { Fragment } from "effect/sql/Statement"
import { liveGrants, rank, visible } from "../grants/index.ts"
import type { Sql } from "../sql/client.ts"

type Entry = typeof LibraryEntry.Type

export interface Row {
  readonly id: string
  readonly kind: Entry["kind"]
  readonly name: string
  readonly through_kind: Entry["through"]["kind"]
  readonly through_id: string | null
}

/** What the caller sees, newest first of each kind, plugins before what is in them. */
const page = (sql: Sql, caller: Member, kind: Entry["kind"] | undefined, after: string | null, limit: number) => {
  const organization = caller.organizationId
  const plugins = sql`(SELECT p.id, 'plugin' AS kind, p.name FROM plugins p
    WHERE p.organization_id = ${organization} AND p.deleted_at IS NULL AND (${after}::text IS NULL OR p.id < ${after})
      AND ${visible(sql, caller, "plugin", sql`p.id`)}
    ORDER BY p.id DESC LIMIT ${limit})`
  const objects = sql`(SELECT c.id, 'configObject' AS kind, c.title AS name FROM config_objects c
    WHERE c.organization_id = ${organization} AND c.deleted_at IS NULL AND c.status <> 'archived'
      AND (${after}::text IS NULL OR c.id < ${after}) AND ${visible(sql, caller, "configObject", sql`c.id`)}
    ORDER BY c.id DESC LIMIT ${limit})`
  const both = kind === "plugin" ? plugins : kind === "configObject" ? objects : sql`${plugins} UNION ALL ${objects}`
  return sql`SELECT x.id, x.kind, x.name FROM (${both}) x ORDER BY x.id DESC LIMIT ${limit}`
}

/** Every edge to the entry `e`; `place` orders those of one level. */
const edges = (sql: Sql, caller: Member): Fragment => {
  const organization = caller.organizationId
  const own = (kind: Entry["kind"]) =>
    sql`SELECT ${rank(sql)} AS level,
        CASE WHEN g.membership_id IS NOT NULL THEN 1 WHEN g.team_id IS NOT NULL THEN 2 ELSE 3 END AS place,
        CASE WHEN g.membership_id IS NOT NULL THEN 'direct' WHEN g.team_id IS NOT NULL THEN 'team' ELSE 'orgWide' END
          AS kind,
        CASE WHEN g.team_id IS NOT NULL THEN g.team_id ELSE g.id END AS id
      FROM grants g WHERE e.kind = ${kind} AND ${liveGrants(sql, caller, kind)} AND g.object_id = e.id`
  const inMarketplace = (from: Fragment, pluginId: Fragment) =>
    sql`SELECT 1 AS level, 5 AS place, 'marketplace' AS kind, m.id
      FROM ${from}
      JOIN marketplace_memberships mm ON mm.organization_id = ${organization} AND mm.plugin_id = ${pluginId}
        AND mm.removed_at IS NULL
      JOIN marketplaces m ON m.organization_id = ${organization} AND m.id = mm.marketplace_id AND m.deleted_at IS NULL
      JOIN grants g ON ${liveGrants(sql, caller, "marketplace")} AND g.object_id = m.id`
  const inPlugins = sql`(SELECT pm.plugin_id FROM plugin_memberships pm
    JOIN plugins p ON p.organization_id = ${organization} AND p.id = pm.plugin_id AND p.deleted_at IS NULL
    WHERE e.kind = 'configObject' AND pm.organization_id = ${organization} AND pm.config_object_id = e.id
      AND pm.removed_at IS NULL) held`
  return sql`${own("plugin")} UNION ALL ${own("configObject")}
    UNION ALL ${inMarketplace(sql`(SELECT 1 WHERE e.kind = 'plugin') one`, sql`e.id`)}
    UNION ALL SELECT 1 AS level, 4 AS place, 'plugin' AS kind, held.plugin_id FROM ${inPlugins}
      JOIN grants g ON ${liveGrants(sql, caller, "plugin")} AND g.object_id = held.plugin_id
    UNION ALL ${inMarketplace(inPlugins, sql`held.plugin_id`)}`
}

/** One row for each thing the caller can use, with the highest edge, the most direct of equals. */
export const library = (
  sql: Sql,
  caller: Member,
  kind: Entry["kind"] | undefined,
  after: string | null,
  limit: number
) => {
  const entries = page(sql, caller, kind, after, limit)
  return caller.isAdmin
    ? sql<Row>`SELECT e.id, e.kind, e.name, 'admin' AS through_kind, NULL::text AS through_id FROM (${entries}) e
        ORDER BY e.id DESC`
    : sql<Row>`WITH entries AS MATERIALIZED (${entries})
        SELECT e.id, e.kind, e.name, t.kind AS through_kind, t.id AS through_id
        FROM entries e CROSS JOIN LATERAL (
          SELECT edges.kind, edges.id FROM (${edges(sql, caller)}) edges
          ORDER BY edges.level DESC, edges.place, edges.id LIMIT 1) t
        ORDER BY e.id DESC`
}
