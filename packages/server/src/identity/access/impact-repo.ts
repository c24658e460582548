import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { type GrantedKind, isShowing, rank } from "../grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

export const lossesMax = 500
/** Maximum number of objects in a marketplace or plugin that are inspected. */
export const contentsMax = 2000

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
  readonly kind: GrantedKind
  readonly id: string
  readonly name: string
  readonly before: number
  readonly after: number
}

export interface Losses {
  readonly member_count: number
  readonly losses: ReadonlyArray<LossRow>
  /** The object contains more than was inspected. */
  readonly is_cut: boolean
}

/** The members that the grants `g` reach, except owners and admins, who need none; `everybody` marks a grant to all. */
const reached = (sql: Sql, organizationId: Id<"org">, level: Fragment, from: Fragment) =>
  sql`SELECT ${level} AS level, g.org_wide AS everybody, coalesce(g.membership_id, tm.membership_id) AS membership_id
    FROM ${from}
    LEFT JOIN team_members tm ON tm.organization_id = ${organizationId} AND tm.team_id = g.team_id`

// OFFSET 0 keeps the planner from joining, because its estimates for these sets are useless: each step is an index
// lookup for a row of the previous step.

/** The live plugins that contain an object, as `pm`. */
const pluginsOf = (sql: Sql, organizationId: Id<"org">, objectId: Fragment) =>
  sql`(SELECT pm.plugin_id FROM plugin_memberships pm
    WHERE pm.organization_id = ${organizationId} AND pm.config_object_id = ${objectId} AND pm.removed_at IS NULL
      AND ${isShowing(sql, { organizationId }, "plugin", sql`pm.plugin_id`)} OFFSET 0) pm`

/** The live marketplaces that contain a plugin, as `mm`. */
const marketplacesOf = (sql: Sql, organizationId: Id<"org">, pluginId: Fragment) =>
  sql`(SELECT mm.marketplace_id FROM marketplace_memberships mm
    WHERE mm.organization_id = ${organizationId} AND mm.plugin_id = ${pluginId} AND mm.removed_at IS NULL
      AND ${isShowing(sql, { organizationId }, "marketplace", sql`mm.marketplace_id`)} OFFSET 0) mm`

/** The live grants on an object that match a condition, as `g`. */
const grantsOn = (sql: Sql, organizationId: Id<"org">, kind: Fragment, id: Fragment, condition: Fragment) =>
  sql`(SELECT g.id, g.org_wide, g.membership_id, g.team_id, g.role, g.receiver FROM grants g
    WHERE g.organization_id = ${organizationId} AND g.object_kind = ${kind} AND g.object_id = ${id}
      AND g.removed_at IS NULL AND ${condition} OFFSET 0) g`

/** The paths by which containers show a row of a kind, each with the grants `g` on the container. */
const shownBy = (
  sql: Sql,
  organizationId: Id<"org">,
  kind: GrantedKind,
  id: Fragment,
  condition: Fragment
): ReadonlyArray<Fragment> => {
  const marketplaceGrants = grantsOn(sql, organizationId, sql`'marketplace'`, sql`mm.marketplace_id`, condition)
  const plugins = pluginsOf(sql, organizationId, id)
  if (kind === "plugin") {
    return [sql`${marketplacesOf(sql, organizationId, id)} CROSS JOIN LATERAL ${marketplaceGrants}`]
  }
  if (kind !== "configObject") return []
  return [
    sql`${plugins} CROSS JOIN LATERAL ${grantsOn(sql, organizationId, sql`'plugin'`, sql`pm.plugin_id`, condition)}`,
    sql`${plugins} CROSS JOIN LATERAL ${marketplacesOf(sql, organizationId, sql`pm.plugin_id`)}
      CROSS JOIN LATERAL ${marketplaceGrants}`
  ]
}

const union = (sql: Sql, parts: ReadonlyArray<Fragment>) =>
  parts.slice(1).reduce((left, right) => sql`${left} UNION ALL ${right}`, parts[0] ?? sql`SELECT 1 WHERE FALSE`)

/** The contents of the object, with their kinds and names. */
const contents = (sql: Sql, organizationId: Id<"org">, kind: GrantedKind, id: string): Fragment => {
  const objects = (plugins: Fragment) =>
    sql`SELECT DISTINCT 'configObject' AS kind, c.id, c.title AS name
      FROM ${plugins}
      JOIN plugin_memberships pm ON pm.organization_id = ${organizationId} AND pm.plugin_id = held.plugin_id
        AND pm.removed_at IS NULL
      JOIN config_objects c ON c.organization_id = ${organizationId} AND c.id = pm.config_object_id
        AND c.deleted_at IS NULL`
  const shows = (kind: "plugin" | "marketplace", id: Fragment) => isShowing(sql, { organizationId }, kind, id)
  if (kind === "plugin")
    return objects(sql`(SELECT ${id}::text AS plugin_id WHERE ${shows("plugin", sql`${id}`)}) held`)
  if (kind !== "marketplace") return sql`SELECT NULL::text AS kind, NULL::text AS id, NULL::text AS name WHERE FALSE`
  const held = sql`(SELECT mm.plugin_id, p.name FROM marketplace_memberships mm
    JOIN plugins p ON p.organization_id = mm.organization_id AND p.id = mm.plugin_id AND p.deleted_at IS NULL
    WHERE mm.organization_id = ${organizationId} AND mm.marketplace_id = ${id} AND mm.removed_at IS NULL
      AND ${shows("marketplace", sql`${id}`)}) held`
  const showing = sql`(SELECT held.plugin_id FROM ${held} WHERE ${shows("plugin", sql`held.plugin_id`)}) held`
  return sql`SELECT 'plugin' AS kind, held.plugin_id AS id, held.name FROM ${held} UNION ALL ${objects(showing)}`
}

/** Grants on one object that end. */
interface Revocation {
  readonly kind: GrantedKind
  readonly objectId: Fragment
  /** The grants `g` on the object that end. */
  readonly ends: Fragment
  /** The grants `g` on the object and its containers that remain. */
  readonly stays: Fragment
}

/**
 * The members who lose the object or keep a lower level, as CTEs that end with `losers`. The levels that remain on the
 * object without the grants decide.
 */
const losersOf = (sql: Sql, organizationId: Id<"org">, { ends, kind, objectId, stays }: Revocation) => {
  const direct = (condition: Fragment) => grantsOn(sql, organizationId, sql`${kind}`, objectId, condition)
  const others = [
    reached(sql, organizationId, rank(sql), direct(stays)),
    ...shownBy(sql, organizationId, kind, objectId, stays).map((from) => reached(sql, organizationId, sql`1`, from))
  ]
  const needGrants = sql`m.removed_at IS NULL AND m.role NOT IN ('owner', 'admin')`
  return sql`given AS MATERIALIZED (
      ${reached(sql, organizationId, rank(sql), direct(ends))}),
    others AS MATERIALIZED (${union(sql, others)}),
    left_to_all AS MATERIALIZED (
      SELECT coalesce(max(o.level) FILTER (WHERE o.everybody), 0) AS level FROM others o),
    left_to AS MATERIALIZED (SELECT o.membership_id, max(o.level) AS level FROM others o
      WHERE o.membership_id IS NOT NULL GROUP BY o.membership_id),
    receivers AS (
      SELECT m.id AS membership_id, v.level FROM given v
      JOIN memberships m ON m.organization_id = ${organizationId} AND ${needGrants} AND m.id = v.membership_id
      UNION ALL
      SELECT m.id, v.level FROM given v JOIN memberships m ON m.organization_id = ${organizationId} AND ${needGrants}
      WHERE v.everybody),
    -- Sets are tested by hash, not joined: members with no other path, and members who keep a lower level.
    losers AS MATERIALIZED (
      SELECT r.membership_id, r.level AS before, a.level AS after FROM receivers r CROSS JOIN left_to_all a
      WHERE r.level > a.level AND r.membership_id NOT IN (SELECT l.membership_id FROM left_to l)
      UNION ALL
      SELECT l.membership_id, v.level, greatest(a.level, l.level)
      FROM left_to l CROSS JOIN left_to_all a
      CROSS JOIN (SELECT max(v.level) AS level, bool_or(v.everybody) AS everybody FROM given v) v
      WHERE v.level > greatest(a.level, l.level)
        AND CASE WHEN v.everybody OR l.membership_id IN (
            SELECT v.membership_id FROM given v WHERE v.membership_id IS NOT NULL)
          THEN (SELECT TRUE FROM memberships m
            WHERE m.organization_id = ${organizationId} AND m.id = l.membership_id AND ${needGrants}) END)`
}

/** The number of members who lose each of the objects of a kind, or keep a lower level on it, without a team's grants. */
export const teamLosers = (
  sql: Sql,
  organizationId: Id<"org">,
  teamId: Id<"tem">,
  kind: GrantedKind,
  ids: ReadonlyArray<string>
) => {
  const ends = sql`g.receiver = ${teamId}`
  const stays = sql`g.receiver <> ${teamId}`
  const losers = losersOf(sql, organizationId, { kind, objectId: sql`ending.id`, ends, stays })
  return sql<{ id: string; member_count: number }>`SELECT ending.id, l.member_count
    FROM unnest(${texts(ids)}::text[]) AS ending (id)
    CROSS JOIN LATERAL (WITH ${losers} SELECT count(*)::int AS member_count FROM losers) l`
}

/**
 * The effect of a revocation, computed as sets. A member who loses access completely also loses access to those of its
 * contents that they cannot see in another way. `objectName` is the name of the object. All affected members are counted,
 * but the loss of contents is computed only for those that fit in the response.
 */
export const losses = (
  sql: Sql,
  organizationId: Id<"org">,
  grant: { readonly id: string; readonly kind: GrantedKind; readonly objectId: string; readonly objectName: string }
) => {
  const { id, kind, objectId, objectName } = grant
  const revocation = { kind, objectId: sql`${objectId}`, ends: sql`g.id = ${id}`, stays: sql`g.id <> ${id}` }
  return sql<Losses>`WITH ${losersOf(sql, organizationId, revocation)},
    listed AS MATERIALIZED (
      SELECT l.membership_id, l.before, l.after FROM losers l ORDER BY l.membership_id LIMIT ${lossesMax + 1}),
    without AS MATERIALIZED (
      SELECT t.membership_id FROM listed t WHERE t.after = 0 AND (SELECT count(*) FROM listed) <= ${lossesMax}),
    contents AS MATERIALIZED (
      SELECT i.kind, i.id, i.name, CASE i.kind WHEN 'plugin' THEN 1 ELSE 2 END AS place
      FROM (${contents(sql, organizationId, kind, objectId)}) i
      WHERE EXISTS (SELECT 1 FROM without) ORDER BY place, i.id LIMIT ${contentsMax + 1}),
    -- The receivers that grants can name for each member who loses the object: the member and their teams.
    names AS MATERIALIZED (
      SELECT w.membership_id AS receiver, w.membership_id FROM without w
      UNION ALL SELECT tm.team_id, w.membership_id FROM without w
      JOIN team_members tm ON tm.organization_id = ${organizationId} AND tm.membership_id = w.membership_id),
    ways AS MATERIALIZED (${waysInto(sql, organizationId, id)}),
    lost AS (
      SELECT 0 AS place, t.membership_id, ${kind}::text AS kind, ${objectId}::text AS id, ${objectName}::text AS name,
        t.before, t.after FROM listed t
      UNION ALL
      SELECT c.place, w.membership_id, c.kind, c.id, c.name, 1, 0
      FROM contents c CROSS JOIN without w
      WHERE c.id NOT IN (SELECT y.id FROM ways y WHERE y.receiver = '')
        AND (c.id, w.membership_id) NOT IN (
          SELECT y.id, n.membership_id FROM ways y JOIN names n ON n.receiver = y.receiver)),
    first AS (SELECT x.place, x.membership_id, x.kind, x.id, x.name, x.before, x.after FROM lost x
      ORDER BY x.place, x.id, x.membership_id LIMIT ${lossesMax + 1})
    SELECT (SELECT count(*)::int FROM losers) AS member_count,
      (SELECT count(*) FROM contents) > ${contentsMax} AS is_cut,
      (SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY f.place, f.id, f.membership_id), '[]'::jsonb) FROM first f)
        AS losses`.pipe(Effect.map((rows) => rows[0] ?? { member_count: 0, losses: [], is_cut: false }))
}

/**
 * For members who lose the object: the access paths to `contents` that remain without the grant. '' is a grant to the
 * whole organization.
 */
const waysInto = (sql: Sql, organizationId: Id<"org">, grantId: string) => {
  const condition = sql`g.id <> ${grantId}
    AND g.receiver = ANY (ARRAY(SELECT n.receiver FROM names n UNION SELECT ''))`
  const through = (kind: "plugin" | "configObject") =>
    shownBy(sql, organizationId, kind, sql`c.id`, condition).map(
      (from) => sql`SELECT c.id, g.receiver FROM contents c CROSS JOIN LATERAL ${from} WHERE c.kind = ${kind}`
    )
  const own = sql`SELECT c.id, g.receiver FROM contents c
    CROSS JOIN LATERAL ${grantsOn(sql, organizationId, sql`c.kind`, sql`c.id`, condition)}`
  return union(sql, [own, ...through("plugin"), ...through("configObject")])
}
