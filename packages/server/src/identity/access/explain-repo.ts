import type { Member } from "@orgplane/schema/shared/caller"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { type GrantedKind, objectTables, type Holder, isShowing, levelOf, liveGrants, rank } from "../grants/index.ts"
import { contentRead, hasServed, servedName } from "../grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

export const pathsMax = 50

export interface SubjectRow {
  readonly id: Id<"om">
  readonly role: string
  readonly label: string
}

/** A member as other callers see them. */
export const subject = (sql: Sql, organizationId: Id<"org">, id: Id<"om">) =>
  sql<SubjectRow>`SELECT m.id, m.role, coalesce(u.name, u.email, m.id) AS label
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** One path from the holder to the object. The last two members mark the steps that the caller cannot see. */
export interface PathRow {
  readonly level: number
  readonly grantId: string
  readonly role: GrantRole
  readonly orgWide: boolean
  readonly teamId: string | null
  readonly teamName: string | null
  readonly marketplaceId: string | null
  readonly marketplaceName: string | null
  readonly pluginId: string | null
  readonly pluginName: string | null
  readonly marketplaceVisible: boolean
  readonly pluginVisible: boolean
}

export interface ObjectRow {
  readonly name: string
  /** The access level of the caller who requests the explanation. */
  readonly asker_level: number
  readonly level: number
  readonly paths: ReadonlyArray<PathRow>
}

const columns = (sql: Sql, level: Fragment, marketplace: Fragment, plugin: Fragment) =>
  sql`${level} AS level, g.id AS grant_id, g.role, g.org_wide, g.team_id, ${marketplace} AS marketplace_id,
    ${plugin} AS plugin_id`

const none = (sql: Sql) => sql`NULL::text`
const one = (sql: Sql) => sql`1`

/**
 * Each path by which a kind of object is reached, as its own SELECT, each limited to the rows that a response
 * contains. OFFSET 0 keeps the planner from joining: it goes from the object to its containers, and from there to the
 * holder's grants.
 */
const ways = (sql: Sql, holder: Holder, kind: GrantedKind, id: string): ReadonlyArray<Fragment> => {
  const organization = holder.organizationId
  const grantsOn = (kind: GrantedKind, id: Fragment) =>
    sql`(SELECT g.id, g.role, g.org_wide, g.team_id FROM grants g
      WHERE g.organization_id = ${organization} AND ${liveGrants(sql, holder, kind)} AND g.object_id = ${id} OFFSET 0) g`
  const direct = sql`SELECT ${columns(sql, rank(sql), none(sql), none(sql))}
    FROM ${grantsOn(kind, sql`${id}`)} ORDER BY level DESC, grant_id LIMIT ${pathsMax}`
  const marketplacesOf = (pluginId: Fragment) =>
    sql`(SELECT mm.marketplace_id FROM marketplace_memberships mm
      WHERE mm.organization_id = ${organization} AND mm.plugin_id = ${pluginId} AND mm.removed_at IS NULL
        AND ${isShowing(sql, holder, "marketplace", sql`mm.marketplace_id`)} OFFSET 0) mm`
  if (kind === "plugin") {
    return [
      direct,
      sql`SELECT ${columns(sql, one(sql), sql`mm.marketplace_id`, none(sql))}
        FROM ${marketplacesOf(sql`${id}`)} CROSS JOIN LATERAL ${grantsOn("marketplace", sql`mm.marketplace_id`)}
        ORDER BY marketplace_id, grant_id LIMIT ${pathsMax}`
    ]
  }
  if (kind === "configObject") {
    const plugins = sql`(SELECT pm.plugin_id FROM plugin_memberships pm
      WHERE pm.organization_id = ${organization} AND pm.config_object_id = ${id} AND pm.removed_at IS NULL
        AND ${isShowing(sql, holder, "plugin", sql`pm.plugin_id`)} OFFSET 0) pm`
    return [
      direct,
      sql`SELECT ${columns(sql, one(sql), none(sql), sql`pm.plugin_id`)}
        FROM ${plugins} CROSS JOIN LATERAL ${grantsOn("plugin", sql`pm.plugin_id`)}
        ORDER BY plugin_id, grant_id LIMIT ${pathsMax}`,
      sql`SELECT ${columns(sql, one(sql), sql`mm.marketplace_id`, sql`pm.plugin_id`)}
        FROM ${plugins} CROSS JOIN LATERAL ${marketplacesOf(sql`pm.plugin_id`)}
        CROSS JOIN LATERAL ${grantsOn("marketplace", sql`mm.marketplace_id`)}
        ORDER BY marketplace_id, plugin_id, grant_id LIMIT ${pathsMax}`
    ]
  }
  return [direct]
}

/** Joins what the caller reads of a config object `o`. */
const joinContent = (sql: Sql, caller: Member, kind: GrantedKind): Fragment =>
  kind === "configObject" ? sql`CROSS JOIN ${contentRead(sql, caller)}` : sql``

/** The name of the object `o` that the caller reads. */
const nameRead = (sql: Sql, caller: Member, kind: GrantedKind): Fragment =>
  kind === "plugin"
    ? servedName(sql, caller, "o")
    : kind === "configObject"
      ? sql`r.title`
      : sql`o.${sql(objectTables[kind].name)}`

/** The caller's level on the object `o`. No viewer sees a plugin or its objects before its first approval. */
const levelSeen = (sql: Sql, caller: Member, kind: GrantedKind): Fragment => {
  const level = levelOf(sql, caller, kind, sql`o.id`)
  if (kind !== "plugin" && kind !== "configObject") return level
  const condition = kind === "plugin" ? hasServed(sql, caller, "o") : sql`r.is_served`
  return sql`CASE WHEN ${condition} THEN ${level} ELSE 0 END`
}

/**
 * An object, the levels of the caller and the holder on it, and the paths by which the holder reaches it. One
 * statement, so that the level and the paths belong to one moment.
 */
export const object = (sql: Sql, caller: Member, holder: Holder, kind: GrantedKind, id: string) => {
  const { end, table } = objectTables[kind]
  const [first = sql`SELECT 1`, ...others] = ways(sql, holder, kind, id).map((way) => sql`(${way})`)
  const all = others.reduce((left, right) => sql`${left} UNION ALL ${right}`, first)
  return sql<ObjectRow>`SELECT ${nameRead(sql, caller, kind)} AS name, ${levelSeen(sql, caller, kind)} AS asker_level,
      ${levelOf(sql, holder, kind, sql`o.id`)} AS level,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('level', w.level, 'grantId', w.grant_id, 'role', w.role,
            'orgWide', w.org_wide, 'teamId', w.team_id, 'teamName', t.name,
            'marketplaceId', w.marketplace_id, 'marketplaceName', m.name, 'pluginId', w.plugin_id,
            'pluginName', ${servedName(sql, caller)},
            'marketplaceVisible', w.marketplace_id IS NULL
              OR ${levelOf(sql, caller, "marketplace", sql`w.marketplace_id`)} > 0,
            'pluginVisible', w.plugin_id IS NULL
              OR (${levelOf(sql, caller, "plugin", sql`w.plugin_id`)} > 0 AND ${hasServed(sql, caller)}))
          ORDER BY w.place), '[]'::jsonb)
        FROM (SELECT ways.level, ways.grant_id, ways.role, ways.org_wide, ways.team_id, ways.marketplace_id,
              ways.plugin_id, row_number() OVER by_rank AS place
            FROM (${all}) ways
            WINDOW by_rank AS (ORDER BY ways.level DESC, num_nonnulls(ways.marketplace_id, ways.plugin_id),
              ways.marketplace_id, ways.plugin_id, ways.grant_id)
            ORDER BY place LIMIT ${pathsMax}) w
        LEFT JOIN teams t ON t.organization_id = ${holder.organizationId} AND t.id = w.team_id
        LEFT JOIN marketplaces m ON m.organization_id = ${holder.organizationId} AND m.id = w.marketplace_id
        LEFT JOIN plugins p ON p.organization_id = ${holder.organizationId} AND p.id = w.plugin_id) AS paths
    FROM ${sql(table)} o ${joinContent(sql, caller, kind)}
    WHERE o.organization_id = ${caller.organizationId} AND o.id = ${id} AND o.${sql(end)} IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )
}

/** The names of objects of one kind, and the caller's levels on them. */
export const namesAndLevels = (sql: Sql, caller: Member, kind: GrantedKind, ids: ReadonlyArray<string>) => {
  const { end, table } = objectTables[kind]
  return sql<{ id: string; name: string; level: number }>`SELECT o.id, ${nameRead(sql, caller, kind)} AS name,
      ${levelSeen(sql, caller, kind)} AS level
    FROM ${sql(table)} o ${joinContent(sql, caller, kind)}
    WHERE o.organization_id = ${caller.organizationId} AND o.id = ANY(${texts(ids)}::text[]) AND o.${sql(end)} IS NULL`
}

/** An object's name and the caller's level on it. */
export const nameAndLevel = (sql: Sql, caller: Member, kind: GrantedKind, id: string) =>
  Effect.map(namesAndLevels(sql, caller, kind, [id]), (rows) => rows[0])
