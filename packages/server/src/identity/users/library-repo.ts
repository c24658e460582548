import type { Member } from "@orgplane/schema/shared/caller"
import type { LibraryEntry } from "@orgplane/schema/users"
import type { Fragment } from "effect/sql/Statement"
import { isHidden } from "../grants/blocked-repo.ts"
import { isShowing, kindText, liveGrants, pageOfVisible, rank } from "../grants/index.ts"
import { hasServed, isServed, servedName, servedTitle } from "../grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { readAs } from "../../infra/sql/read.ts"

type Entry = typeof LibraryEntry.Type

export interface Row {
  readonly id: string
  readonly kind: Entry["kind"]
  readonly name: string
  readonly through_kind: Entry["through"]["kind"]
  readonly through_id: string | null
}

/** The objects that the caller sees, newest first within each kind, plugins before their contents. */
const page = (sql: Sql, caller: Member, kind: Entry["kind"] | undefined, after: string | null, limit: number) => {
  const organization = caller.organizationId
  const plugins = sql`(SELECT p.id, 'plugin' AS kind, ${servedName(sql, caller)} AS name
    FROM (${pageOfVisible(sql, caller, {
      kind: "plugin",
      where: sql`o.archived_at IS NULL AND ${hasServed(sql, caller, "o")}`,
      after,
      limit
    })}) page
    JOIN plugins p ON p.organization_id = ${organization} AND p.id = page.id)`
  const objects = sql`(SELECT o.id, 'configObject' AS kind, ${servedTitle(sql, caller)} AS name
    FROM (${pageOfVisible(sql, caller, {
      kind: "configObject",
      where: sql`o.status <> 'archived' AND ${isServed(sql, caller)}`,
      after,
      limit
    })}) page
    JOIN config_objects o ON o.organization_id = ${organization} AND o.id = page.id)`
  const both = kind === "plugin" ? plugins : kind === "configObject" ? objects : sql`${plugins} UNION ALL ${objects}`
  return sql`SELECT x.id, x.kind, x.name FROM (${both}) x ORDER BY x.id DESC LIMIT (SELECT ${limit}::int)`
}

/** Every path to the entry `e`; `place` orders paths of the same level. */
const edges = (sql: Sql, caller: Member): Fragment => {
  const organization = caller.organizationId
  // OFFSET 0 keeps the planner from joining: it goes from the entry to its containers, and from there to the grants.
  const own = (kind: Entry["kind"]) =>
    sql`SELECT ${rank(sql)} AS level,
        CASE WHEN g.membership_id IS NOT NULL THEN 1 WHEN g.team_id IS NOT NULL THEN 2 ELSE 3 END AS place,
        CASE WHEN g.membership_id IS NOT NULL THEN 'direct' WHEN g.team_id IS NOT NULL THEN 'team' ELSE 'orgWide' END
          AS kind,
        CASE WHEN g.team_id IS NOT NULL THEN g.team_id ELSE g.id END AS id
      FROM grants g WHERE e.kind = ${kindText(sql, kind)} AND g.organization_id = ${organization} AND ${liveGrants(sql, caller, kind)} AND g.object_id = e.id`
  const granted = (kind: "plugin" | "marketplace", id: Fragment) =>
    sql`(SELECT 1 FROM grants g WHERE g.organization_id = ${organization} AND ${liveGrants(sql, caller, kind)} AND g.object_id = ${id} LIMIT 1) = 1
      AND ${isShowing(sql, caller, kind, id)}`
  const inMarketplaces = (pluginId: Fragment, condition: Fragment) =>
    sql`(SELECT mm.marketplace_id FROM marketplace_memberships mm
      WHERE mm.organization_id = ${organization} AND mm.plugin_id = ${pluginId} AND mm.removed_at IS NULL
        AND ${condition} AND ${granted("marketplace", sql`mm.marketplace_id`)} OFFSET 0) mm`
  const inPlugins = (condition: Fragment) => sql`(SELECT pm.plugin_id FROM plugin_memberships pm
    WHERE e.kind = 'configObject' AND pm.organization_id = ${organization} AND pm.config_object_id = e.id
      AND pm.removed_at IS NULL AND ${condition} AND NOT ${isHidden(sql, caller, sql`pm.plugin_id`)} OFFSET 0) pm`
  return sql`${own("plugin")} UNION ALL ${own("configObject")}
    UNION ALL SELECT 1, 5, 'marketplace', mm.marketplace_id FROM ${inMarketplaces(sql`e.id`, sql`e.kind = 'plugin'`)}
    UNION ALL SELECT 1, 4, 'plugin', pm.plugin_id FROM ${inPlugins(granted("plugin", sql`pm.plugin_id`))}
    UNION ALL SELECT 1, 5, 'marketplace', mm.marketplace_id
      FROM ${inPlugins(isShowing(sql, caller, "plugin", sql`pm.plugin_id`))}
      CROSS JOIN LATERAL ${inMarketplaces(sql`pm.plugin_id`, sql`TRUE`)}`
}

interface LibraryRead {
  readonly after: string | null
  readonly limit: number
}

/** One row for each object the caller can use, with the path of the highest level; of several, the most direct one. */
const readLibrary = (kind?: Entry["kind"]) =>
  readAs<Row, LibraryRead>((sql, caller, { after, limit }) => {
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
  })

const reads = { all: readLibrary(), plugin: readLibrary("plugin"), configObject: readLibrary("configObject") }

export const listLibrary = (
  sql: Sql,
  caller: Member,
  kind: Entry["kind"] | undefined,
  after: string | null,
  limit: number
) => reads[kind ?? "all"](sql, caller, { after, limit })
