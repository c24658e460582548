import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { type GrantedKind, type HeldKind, rank } from "../grants/index.ts"
import type { Sql } from "../sql/client.ts"

export const lossesMax = 500

export interface GrantRow {
  readonly id: string
  readonly object_kind: GrantedKind
  readonly object_id: string
}

export const liveGrant = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql<GrantRow>`SELECT g.id, g.object_kind, g.object_id FROM grants g
    WHERE g.organization_id = ${organizationId} AND g.id = ${id} AND g.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface LossRow {
  readonly membership_id: Id<"om">
  readonly kind: HeldKind
  readonly id: string
  readonly name: string
  readonly before: number
  readonly after: number
}

export interface Losses {
  readonly member_count: number
  readonly losses: ReadonlyArray<LossRow>
}

/** Whom the grants `g` reach besides owners and admins, who need none: `everybody` for a grant to all. */
const reached = (sql: Sql, organizationId: Id<"org">, level: Fragment, from: Fragment) =>
  sql`SELECT ${level} AS level, g.org_wide AS everybody, coalesce(g.membership_id, tm.membership_id) AS membership_id
    FROM ${from}
    LEFT JOIN team_members tm ON tm.organization_id = ${organizationId} AND tm.team_id = g.team_id`

/** The marketplaces and plugins that show an object of the kind, each with its live grants as `g`. */
const containers = (sql: Sql, organizationId: Id<"org">, kind: HeldKind, id: string): ReadonlyArray<Fragment> => {
  const marketplaces = sql`JOIN marketplaces m ON m.organization_id = ${organizationId} AND m.id = mm.marketplace_id
      AND m.deleted_at IS NULL
    JOIN grants g ON g.organization_id = ${organizationId} AND g.object_kind = 'marketplace'
      AND g.object_id = mm.marketplace_id AND g.removed_at IS NULL`
  if (kind === "plugin") {
    return [
      sql`(SELECT mm.marketplace_id FROM marketplace_memberships mm
        WHERE mm.organization_id = ${organizationId} AND mm.plugin_id = ${id} AND mm.removed_at IS NULL) mm
        ${marketplaces}`
    ]
  }
  if (kind !== "configObject") return []
  const plugins = sql`(SELECT pm.plugin_id FROM plugin_memberships pm
    JOIN plugins p ON p.organization_id = pm.organization_id AND p.id = pm.plugin_id AND p.deleted_at IS NULL
    WHERE pm.organization_id = ${organizationId} AND pm.config_object_id = ${id} AND pm.removed_at IS NULL) pm`
  return [
    sql`${plugins} JOIN grants g ON g.organization_id = ${organizationId} AND g.object_kind = 'plugin'
      AND g.object_id = pm.plugin_id AND g.removed_at IS NULL`,
    sql`${plugins} JOIN marketplace_memberships mm ON mm.organization_id = ${organizationId}
      AND mm.plugin_id = pm.plugin_id AND mm.removed_at IS NULL ${marketplaces}`
  ]
}

const union = (sql: Sql, parts: ReadonlyArray<Fragment>) =>
  parts.slice(1).reduce((left, right) => sql`${left} UNION ALL ${right}`, parts[0] ?? sql`SELECT 1 WHERE FALSE`)

/** The objects that the object shows, with their kinds and names. */
const contents = (sql: Sql, organizationId: Id<"org">, kind: HeldKind, id: string): Fragment => {
  const objects = (plugins: Fragment) =>
    sql`SELECT DISTINCT 'configObject' AS kind, c.id, c.title AS name
      FROM ${plugins}
      JOIN plugin_memberships pm ON pm.organization_id = ${organizationId} AND pm.plugin_id = held.plugin_id
        AND pm.removed_at IS NULL
      JOIN config_objects c ON c.organization_id = ${organizationId} AND c.id = pm.config_object_id
        AND c.deleted_at IS NULL`
  if (kind === "plugin") return objects(sql`(SELECT ${id}::text AS plugin_id) held`)
  if (kind !== "marketplace") return sql`SELECT NULL::text AS kind, NULL::text AS id, NULL::text AS name WHERE FALSE`
  const held = sql`(SELECT mm.plugin_id, p.name FROM marketplace_memberships mm
    JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id AND p.deleted_at IS NULL
    WHERE mm.organization_id = ${organizationId} AND mm.marketplace_id = ${id} AND mm.removed_at IS NULL) held`
  return sql`SELECT 'plugin' AS kind, held.plugin_id AS id, held.name FROM ${held} UNION ALL ${objects(held)}`
}

/**
 * What a revocation would do, as sets: the levels that are left on the object without the grant decide who loses it;
 * whoever loses it altogether also loses each thing in it that nothing else shows them. `name` is the object's.
 */
export const losses = (
  sql: Sql,
  organizationId: Id<"org">,
  grant: { readonly id: string; readonly kind: HeldKind; readonly objectId: string; readonly objectName: string }
) => {
  const { id, kind, objectId, objectName } = grant
  const direct = (condition: Fragment) =>
    sql`grants g WHERE g.organization_id = ${organizationId} AND g.object_kind = ${kind}
      AND g.object_id = ${objectId} AND g.removed_at IS NULL AND ${condition}`
  // A LEFT JOIN comes after FROM, so a source with conditions is a select of its own.
  const source = (from: Fragment) => sql`(SELECT g.org_wide, g.membership_id, g.team_id, g.role FROM ${from}) g`
  const others = [
    reached(sql, organizationId, rank(sql), source(direct(sql`g.id <> ${id}`))),
    ...containers(sql, organizationId, kind, objectId).map((from) => reached(sql, organizationId, sql`1`, source(from)))
  ]
  return sql<Losses>`WITH given AS MATERIALIZED (
      ${reached(sql, organizationId, rank(sql), source(direct(sql`g.id = ${id}`)))}),
    others AS MATERIALIZED (${union(sql, others)}),
    left_to_all AS (SELECT coalesce(max(o.level) FILTER (WHERE o.everybody), 0) AS level FROM others o),
    left_to AS (SELECT o.membership_id, max(o.level) AS level FROM others o
      WHERE o.membership_id IS NOT NULL GROUP BY o.membership_id),
    losers AS MATERIALIZED (
      SELECT m.id AS membership_id, greatest(v.level, a.level, coalesce(l.level, 0)) AS before,
        greatest(a.level, coalesce(l.level, 0)) AS after
      FROM given v
      JOIN memberships m ON m.organization_id = ${organizationId} AND m.removed_at IS NULL
        AND m.role NOT IN ('owner', 'admin') AND (v.everybody OR m.id = v.membership_id)
      CROSS JOIN left_to_all a
      LEFT JOIN left_to l ON l.membership_id = m.id
      WHERE v.level > greatest(a.level, coalesce(l.level, 0))),
    contents AS MATERIALIZED (${contents(sql, organizationId, kind, objectId)}),
    ways AS MATERIALIZED (${waysInto(sql, organizationId, id)}),
    lost AS (
      SELECT 0 AS place, l.membership_id, ${kind}::text AS kind, ${objectId}::text AS id, ${objectName}::text AS name,
        l.before, l.after FROM losers l
      UNION ALL
      SELECT CASE c.kind WHEN 'plugin' THEN 1 ELSE 2 END, l.membership_id, c.kind, c.id, c.name, 1, 0
      FROM contents c CROSS JOIN losers l
      WHERE l.after = 0
        AND NOT EXISTS (SELECT 1 FROM ways w WHERE w.kind = c.kind AND w.id = c.id AND w.everybody)
        AND NOT EXISTS (SELECT 1 FROM ways w
          WHERE w.kind = c.kind AND w.id = c.id AND w.membership_id = l.membership_id)),
    first AS (SELECT x.place, x.membership_id, x.kind, x.id, x.name, x.before, x.after FROM lost x ORDER BY x.place, x.id, x.membership_id LIMIT ${lossesMax + 1})
    SELECT (SELECT count(*)::int FROM losers) AS member_count,
      (SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY f.place, f.id, f.membership_id), '[]'::jsonb) FROM first f)
        AS losses`.pipe(Effect.map((rows) => rows[0] ?? { member_count: 0, losses: [] }))
}

/** The ways into `contents` that stay when the grant is gone. */
const waysInto = (sql: Sql, organizationId: Id<"org">, grantId: string) => {
  const row = sql`g.org_wide AS everybody, coalesce(g.membership_id, tm.membership_id) AS membership_id`
  const live = sql`g.organization_id = ${organizationId} AND g.removed_at IS NULL AND g.id <> ${grantId}`
  const members = sql`LEFT JOIN team_members tm ON tm.organization_id = ${organizationId} AND tm.team_id = g.team_id`
  const inMarketplaces = (pluginId: Fragment) =>
    sql`JOIN marketplace_memberships mm ON mm.organization_id = ${organizationId} AND mm.plugin_id = ${pluginId}
        AND mm.removed_at IS NULL
      JOIN marketplaces m ON m.organization_id = ${organizationId} AND m.id = mm.marketplace_id AND m.deleted_at IS NULL
      JOIN grants g ON ${live} AND g.object_kind = 'marketplace' AND g.object_id = mm.marketplace_id`
  const inPlugins = sql`JOIN plugin_memberships pm ON pm.organization_id = ${organizationId}
        AND pm.config_object_id = c.id AND pm.removed_at IS NULL
      JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = pm.plugin_id AND p.deleted_at IS NULL`
  return sql`SELECT c.kind, c.id, ${row} FROM contents c
      JOIN grants g ON ${live} AND g.object_kind = c.kind AND g.object_id = c.id ${members}
    UNION ALL SELECT c.kind, c.id, ${row} FROM contents c ${inMarketplaces(sql`c.id`)} ${members}
      WHERE c.kind = 'plugin'
    UNION ALL SELECT c.kind, c.id, ${row} FROM contents c ${inPlugins}
      JOIN grants g ON ${live} AND g.object_kind = 'plugin' AND g.object_id = pm.plugin_id ${members}
      WHERE c.kind = 'configObject'
    UNION ALL SELECT c.kind, c.id, ${row} FROM contents c ${inPlugins} ${inMarketplaces(sql`pm.plugin_id`)} ${members}
      WHERE c.kind = 'configObject'`
}
