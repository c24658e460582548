import type { Member } from "@orgplane/schema/shared/caller"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"

/** The kinds of object that can be granted, and the prefix of their grants. */
export const grantPrefixes = {
  connectorInstance: "cia",
  configObject: "coa",
  plugin: "pag",
  marketplace: "mag",
  mcpConnection: "emg",
  llmProvider: "lla"
} as const satisfies Record<string, Prefix>
export type GrantedKind = keyof typeof grantPrefixes

/** How far a caller's access goes: 0 nothing, then viewer, editor, manager. */
export const levels = { viewer: 1, editor: 2, manager: 3 } as const satisfies Record<GrantRole, number>

/** The role that a level is; null for none. */
export const roleOf = (level: number): GrantRole | null =>
  level >= levels.manager ? "manager" : level >= levels.editor ? "editor" : level >= levels.viewer ? "viewer" : null

/** The level of a grant `g`. */
export const rank = (sql: Sql) => sql`CASE g.role WHEN 'manager' THEN 3 WHEN 'editor' THEN 2 ELSE 1 END`

/** Whose access is asked for: a caller, or a member whom a caller asks about. */
export interface Holder extends Pick<Member, "organizationId" | "isAdmin"> {
  readonly principal:
    | { readonly kind: "session"; readonly membershipId: Id<"om"> }
    | { readonly kind: "key"; readonly keyId: Id<"key"> }
    /** A team as a grant holder: it has its own grants and those of all members. */
    | { readonly kind: "team"; readonly teamId: Id<"tem"> }
  /** An API key's own; of a person nothing here depends on it. */
  readonly permissions?: ReadonlySet<Permission>
}

/** The permission that makes an API key the manager of every object of a kind. */
export const managePermissions = {
  connectorInstance: "connectors:manage",
  configObject: "configObjects:manage",
  plugin: "plugins:manage",
  marketplace: "marketplaces:manage",
  mcpConnection: "mcpConnections:manage",
  llmProvider: "llmProviders:manage"
} as const satisfies Record<GrantedKind, Permission>

/**
 * Whether the holder manages every object of the kind without a grant: owners and admins do, and an API key that holds
 * the group's `manage`, because nobody can grant a key anything. Only an owner or admin can make such a key. Any other
 * key reaches what is shared with everybody, and what it made itself.
 */
export const managesAll = (holder: Holder, kind: GrantedKind): boolean =>
  holder.isAdmin || (holder.principal.kind === "key" && holder.permissions?.has(managePermissions[kind]) === true)

/** Of the tables of the kinds: where objects are, what they are called, what ends them. */
export const heldTables = {
  connectorInstance: { table: "connector_instances", name: "name", end: "removed_at" },
  configObject: { table: "config_objects", name: "title", end: "deleted_at" },
  plugin: { table: "plugins", name: "name", end: "deleted_at" },
  marketplace: { table: "marketplaces", name: "name", end: "deleted_at" },
  mcpConnection: { table: "mcp_connections", name: "name", end: "deleted_at" },
  llmProvider: { table: "llm_providers", name: "name", end: "deleted_at" }
} as const satisfies Record<GrantedKind, { table: string; name: string; end: string }>

/**
 * The grants `g` that name the holder: directly, through a team, or because they name everybody. A grant's receiver is
 * one value, and it stands in two indexes: after the object, for one check, and before it, for all that somebody was
 * given. So neither the grants of others nor what else there is takes time.
 */
export const holds = (sql: Sql, caller: Holder): Fragment =>
  caller.principal.kind === "session"
    ? sql`g.receiver = ANY (ARRAY(
        SELECT tm.team_id FROM team_members tm
        WHERE tm.organization_id = ${caller.organizationId} AND tm.membership_id = ${caller.principal.membershipId}
        UNION ALL SELECT ${caller.principal.membershipId}::text UNION ALL SELECT ''))`
    : sql`g.receiver = ANY (ARRAY[${caller.principal.kind === "team" ? caller.principal.teamId : caller.principal.keyId}::text, ''])`

/** The live grants `g` of the organization on objects of a kind that name the holder. */
export const liveGrants = (sql: Sql, caller: Holder, kind: GrantedKind) =>
  sql`g.object_kind = ${kind} AND g.removed_at IS NULL AND ${holds(sql, caller)}`

const grantedOn = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  sql`coalesce((SELECT max(${rank(sql)}) FROM grants g
    WHERE g.organization_id = ${caller.organizationId} AND ${liveGrants(sql, caller, kind)} AND g.object_id = ${id}), 0)`

/** The level by grants on the row itself, whatever comes by way of what it is in. */
export const ownLevelOf = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`3` : grantedOn(sql, caller, kind, id)

/**
 * Whether a marketplace or plugin is there and shows what is in it, which an archived one does not. As a value: the
 * planner makes joins of conditions, and of values it cannot.
 */
export const isThere = (
  sql: Sql,
  { organizationId }: Pick<Holder, "organizationId">,
  kind: "marketplace" | "plugin",
  id: Fragment
): Fragment =>
  sql`(SELECT TRUE FROM ${sql(heldTables[kind].table)} t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL AND t.archived_at IS NULL)`

/**
 * The highest live grant by any path; each step is a look into an index for the one row of the step before. Its names for
 * tables are its own: `id` may be a column of the statement around it, whatever that calls the same tables.
 */
const granted = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment => {
  const own = grantedOn(sql, caller, kind, id)
  if (kind === "plugin") {
    return sql`greatest(${own}, (SELECT 1 FROM marketplace_memberships via_mm
      WHERE via_mm.organization_id = ${caller.organizationId} AND via_mm.plugin_id = ${id} AND via_mm.removed_at IS NULL
        AND ${granted(sql, caller, "marketplace", sql`via_mm.marketplace_id`)} > 0
        AND ${isThere(sql, caller, "marketplace", sql`via_mm.marketplace_id`)} LIMIT 1))`
  }
  if (kind === "configObject") {
    return sql`greatest(${own}, (SELECT 1 FROM plugin_memberships via_pm
      WHERE via_pm.organization_id = ${caller.organizationId} AND via_pm.config_object_id = ${id} AND via_pm.removed_at IS NULL
        AND ${granted(sql, caller, "plugin", sql`via_pm.plugin_id`)} > 0
        AND ${isThere(sql, caller, "plugin", sql`via_pm.plugin_id`)} LIMIT 1))`
  }
  return own
}

/**
 * The caller's level on one row as an SQL expression: the highest live grant by any path. A grant on a marketplace shows
 * its plugins, a grant on a plugin shows what is in it; a key's permission for a group reaches no further than the group.
 */
export const levelOf = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`3` : granted(sql, caller, kind, id)

/**
 * The level that grants alone give, whoever the caller is: what is used in somebody's name takes a grant that names them,
 * also of owners and admins.
 */
export const grantedLevelOf = granted

/** Whether the caller can see a row, as an SQL condition. For the rows of a list see `pageOfVisible`. */
export const visible = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`TRUE` : sql`${levelOf(sql, caller, kind, id)} > 0`

/** Whoever sees no more than this has all of it collected and sorted. */
const fewMax = 1000
/** Whoever sees more very likely finds a page among this many times as many of the newest rows. */
const newestFactor = 20
const usual = { fewMax, newestFactor }

/** The ids of everything of a kind that grants show the holder, some twice, some of them of rows that are gone. */
const visibleIds = (sql: Sql, caller: Holder, kind: GrantedKind): Fragment => {
  const organization = caller.organizationId
  const own = sql`SELECT g.object_id AS id FROM grants g
    WHERE g.organization_id = ${organization} AND ${liveGrants(sql, caller, kind)}`
  // OFFSET 0 keeps the planner from joining: the contents of each container are looked up, one after the other.
  if (kind === "plugin") {
    return sql`${own} UNION ALL SELECT h.id FROM (${visibleIds(sql, caller, "marketplace")}) c
      CROSS JOIN LATERAL (SELECT mm.plugin_id AS id FROM marketplace_memberships mm
        WHERE mm.organization_id = ${organization} AND mm.marketplace_id = c.id AND mm.removed_at IS NULL OFFSET 0) h
      WHERE ${isThere(sql, caller, "marketplace", sql`c.id`)}`
  }
  if (kind === "configObject") {
    return sql`${own} UNION ALL SELECT h.id FROM (${visibleIds(sql, caller, "plugin")}) c
      CROSS JOIN LATERAL (SELECT pm.config_object_id AS id FROM plugin_memberships pm
        WHERE pm.organization_id = ${organization} AND pm.plugin_id = c.id AND pm.removed_at IS NULL OFFSET 0) h
      WHERE ${isThere(sql, caller, "plugin", sql`c.id`)}`
  }
  return own
}

export interface VisiblePage {
  readonly kind: GrantedKind
  /** What else a row `o` must fulfil; that it is there is seen to. */
  readonly where: Fragment
  /** A select of `id`: where the rows are searched instead of everywhere, when that is less. */
  readonly within?: Fragment | undefined
  readonly after: string | null
  readonly limit: number
  /** Smaller ones let a test with few rows go every way. */
  readonly bounds?: { readonly fewMax: number; readonly newestFactor: number }
}

/**
 * Selects the ids of the newest rows that the caller sees, without a look at more than that needs, however much there is
 * that others see. Of who sees little, all is collected and sorted. Who sees much is looked for among the newest rows;
 * only when those do not fill the page, all that the caller sees is collected after all. The ways are chosen by counts
 * within the one statement: no estimate decides, and a page is of one moment.
 */
export const pageOfVisible = (
  sql: Sql,
  caller: Holder,
  { after, bounds = usual, kind, limit, where, within }: VisiblePage
): Fragment => {
  const { end, table } = heldTables[kind]
  const organization = caller.organizationId
  const older = (id: Fragment) => (after === null ? sql`TRUE` : sql`${id} < ${after}`)
  /** The rows with ids of `source`, which is in the order of the page, and as far as they are needed. */
  const walk = (source: Fragment, condition: Fragment) =>
    sql`SELECT o.id FROM (${source}) w
      CROSS JOIN LATERAL (SELECT o.id FROM ${sql(table)} o
        WHERE o.organization_id = ${organization} AND o.id = w.id AND o.${sql(end)} IS NULL AND ${where}
          AND ${condition} LIMIT 1) o
      ORDER BY w.id DESC LIMIT ${limit}`
  const sorted = (ids: Fragment, condition: Fragment) =>
    sql`SELECT DISTINCT i.id FROM (${ids}) i WHERE ${older(sql`i.id`)} AND ${condition} ORDER BY i.id DESC`
  const sees = visible(sql, caller, kind, sql`o.id`)
  if (within !== undefined) return walk(sorted(within, sql`TRUE`), sees)
  if (managesAll(caller, kind)) {
    return sql`SELECT o.id FROM ${sql(table)} o
      WHERE o.organization_id = ${organization} AND ${older(sql`o.id`)} AND o.${sql(end)} IS NULL AND ${where}
      ORDER BY o.id DESC LIMIT ${limit}`
  }
  const newest = (condition: Fragment) =>
    sql`SELECT o.id FROM ${sql(table)} o
      WHERE o.organization_id = ${organization} AND ${older(sql`o.id`)} AND ${condition} ORDER BY o.id DESC`
  const all = visibleIds(sql, caller, kind)
  const many = sql`(SELECT count(*) FROM few) > ${bounds.fewMax}`
  const window = limit * bounds.newestFactor
  const edge = sql`(${newest(sql`TRUE`)} OFFSET ${window - 1} LIMIT 1)`
  return sql`WITH few AS MATERIALIZED (SELECT a.id FROM (${all}) a LIMIT ${bounds.fewMax + 1}),
    near AS MATERIALIZED (${walk(sql`${newest(many)} LIMIT ${window}`, sees)})
    SELECT u.id FROM (
      (${walk(sorted(sql`SELECT s.id FROM few s`, sql`NOT ${many}`), sql`TRUE`)})
      UNION ALL SELECT n.id FROM near n
      UNION ALL (${walk(
        sorted(all, sql`i.id < ${edge} AND ${many} AND (SELECT count(*) FROM near) < ${limit}`),
        sql`TRUE`
      )})) u
    ORDER BY u.id DESC LIMIT ${limit}`
}
