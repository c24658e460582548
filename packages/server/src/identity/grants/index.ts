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

/** Access levels as numbers. 0 is no access. */
export const levels = { viewer: 1, editor: 2, manager: 3 } as const satisfies Record<GrantRole, number>

/** The role of a level; null for no access. */
export const roleOf = (level: number): GrantRole | null =>
  level >= levels.manager ? "manager" : level >= levels.editor ? "editor" : level >= levels.viewer ? "viewer" : null

/** The level of a grant `g`. */
export const rank = (sql: Sql) => sql`CASE g.role WHEN 'manager' THEN 3 WHEN 'editor' THEN 2 ELSE 1 END`

/** The principal whose access is computed: the caller, or a member or team that the caller asks about. */
export interface Holder extends Pick<Member, "organizationId" | "isAdmin"> {
  readonly principal:
    | { readonly kind: "session"; readonly membershipId: Id<"om"> }
    | { readonly kind: "key"; readonly keyId: Id<"key"> }
    /** A team as a grant holder: it has its own grants and those of all members. */
    | { readonly kind: "team"; readonly teamId: Id<"tem"> }
  /** Only for API keys. The permissions of members do not matter here. */
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
 * Whether the holder manages every object of the kind without a grant: owners and admins do, and API keys with the
 * group's `manage` permission, because keys cannot be granted anything. Only owners and admins can create such a key.
 * Any other key has access to the objects that are shared with the whole organization, and to those that it created.
 */
export const managesAll = (holder: Holder, kind: GrantedKind): boolean =>
  holder.isAdmin || (holder.principal.kind === "key" && holder.permissions?.has(managePermissions[kind]) === true)

/** For each kind: its table, the column of the name, and the column that marks a row as removed. */
export const objectTables = {
  connectorInstance: { table: "connector_instances", name: "name", end: "removed_at" },
  configObject: { table: "config_objects", name: "title", end: "deleted_at" },
  plugin: { table: "plugins", name: "name", end: "deleted_at" },
  marketplace: { table: "marketplaces", name: "name", end: "deleted_at" },
  mcpConnection: { table: "mcp_connections", name: "name", end: "deleted_at" },
  llmProvider: { table: "llm_providers", name: "name", end: "deleted_at" }
} as const satisfies Record<GrantedKind, { table: string; name: string; end: string }>

/**
 * The grants `g` that name the holder: directly, through a team, or through the whole organization. The receiver of a
 * grant is one value, and it is in two indexes: after the object, for a single check, and before it, for everything
 * that one receiver was granted. So the cost depends neither on the grants of others nor on the number of objects.
 */
export const namesHolder = (sql: Sql, caller: Holder): Fragment => sql`g.receiver = ANY (${receiversOf(sql, caller)})`

/** A kind as an SQL literal, so that PostgreSQL's generic plan is specific to it. Kinds are constants, never user input. */
export const kindText = (sql: Sql, kind: GrantedKind): Fragment => sql.literal(`'${kind}'`)

/** The receivers of grants that name the holder, as an array without duplicates. */
const receiversOf = (sql: Sql, { organizationId, principal }: Holder): Fragment =>
  principal.kind === "session"
    ? sql`(ARRAY(SELECT tm.team_id FROM team_members tm
        WHERE tm.organization_id = ${organizationId} AND tm.membership_id = ${principal.membershipId})
        || ARRAY[${principal.membershipId}::text, ''])`
    : sql`ARRAY[${principal.kind === "team" ? principal.teamId : principal.keyId}::text, '']`

/** The live grants `g` of the organization on objects of a kind that name the holder. */
export const liveGrants = (sql: Sql, caller: Holder, kind: GrantedKind) =>
  sql`g.object_kind = ${kindText(sql, kind)} AND g.removed_at IS NULL AND ${namesHolder(sql, caller)}`

const grantedOn = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  sql`coalesce((SELECT max(${rank(sql)}) FROM grants g
    WHERE g.organization_id = ${caller.organizationId} AND ${liveGrants(sql, caller, kind)} AND g.object_id = ${id}), 0)`

/** The access level from grants on the row itself, excluding grants on its containers. */
export const ownLevelOf = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`3` : grantedOn(sql, caller, kind, id)

/**
 * Whether a marketplace or plugin exists and shows its contents, which an archived one does not. It is returned as a
 * value, because the planner converts conditions to joins, but not values.
 */
export const isShowing = (
  sql: Sql,
  { organizationId }: Pick<Holder, "organizationId">,
  kind: "marketplace" | "plugin",
  id: Fragment
): Fragment =>
  sql`(SELECT TRUE FROM ${sql(objectTables[kind].table)} t
    WHERE t.organization_id = ${organizationId} AND t.id = ${id} AND t.deleted_at IS NULL AND t.archived_at IS NULL)`

/**
 * The highest live grant by any path. Each step is an index lookup for one row of the previous step. The table
 * aliases are unique, because `id` may be a column of the surrounding statement, which may use the same tables.
 */
const granted = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment => {
  const own = grantedOn(sql, caller, kind, id)
  if (kind === "plugin") {
    return sql`greatest(${own}, (SELECT 1 FROM marketplace_memberships via_mm
      WHERE via_mm.organization_id = ${caller.organizationId} AND via_mm.plugin_id = ${id} AND via_mm.removed_at IS NULL
        AND ${granted(sql, caller, "marketplace", sql`via_mm.marketplace_id`)} > 0
        AND ${isShowing(sql, caller, "marketplace", sql`via_mm.marketplace_id`)} LIMIT 1))`
  }
  if (kind === "configObject") {
    return sql`greatest(${own}, (SELECT 1 FROM plugin_memberships via_pm
      WHERE via_pm.organization_id = ${caller.organizationId} AND via_pm.config_object_id = ${id} AND via_pm.removed_at IS NULL
        AND ${granted(sql, caller, "plugin", sql`via_pm.plugin_id`)} > 0
        AND ${isShowing(sql, caller, "plugin", sql`via_pm.plugin_id`)} LIMIT 1))`
  }
  return own
}

/**
 * The caller's level on one row as an SQL expression: the highest live grant by any path. A grant on a marketplace
 * shows its plugins, and a grant on a plugin shows its objects. A key's permission for a group applies to that group
 * only.
 */
export const levelOf = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`3` : granted(sql, caller, kind, id)

/**
 * The access level from grants only, regardless of the caller's role. Using an object on behalf of a user requires a
 * grant for that user, even for owners and admins.
 */
export const grantedLevelOf = granted

/** Whether there is a live grant by any path, as an SQL condition. It stops at the first grant that it finds. */
const isGranted = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment => {
  const own = sql`(SELECT TRUE FROM grants g
    WHERE g.organization_id = ${caller.organizationId} AND ${liveGrants(sql, caller, kind)} AND g.object_id = ${id} LIMIT 1)`
  if (kind === "plugin") {
    return sql`coalesce(${own}, (SELECT TRUE FROM marketplace_memberships via_mm
      WHERE via_mm.organization_id = ${caller.organizationId} AND via_mm.plugin_id = ${id} AND via_mm.removed_at IS NULL
        AND ${isGranted(sql, caller, "marketplace", sql`via_mm.marketplace_id`)}
        AND ${isShowing(sql, caller, "marketplace", sql`via_mm.marketplace_id`)} LIMIT 1), FALSE)`
  }
  if (kind === "configObject") {
    return sql`coalesce(${own}, (SELECT TRUE FROM plugin_memberships via_pm
      WHERE via_pm.organization_id = ${caller.organizationId} AND via_pm.config_object_id = ${id} AND via_pm.removed_at IS NULL
        AND ${isGranted(sql, caller, "plugin", sql`via_pm.plugin_id`)}
        AND ${isShowing(sql, caller, "plugin", sql`via_pm.plugin_id`)} LIMIT 1), FALSE)`
  }
  return sql`coalesce(${own}, FALSE)`
}

/** Whether the caller can see a row, as an SQL condition. For lists, use `pageOfVisible`. */
export const visible = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`TRUE` : isGranted(sql, caller, kind, id)

/** The kinds whose rows are also visible through containers, with the table of the memberships. */
const containers = {
  plugin: { kind: "marketplace", table: "marketplace_memberships", id: "marketplace_id", content: "plugin_id" },
  configObject: { kind: "plugin", table: "plugin_memberships", id: "plugin_id", content: "config_object_id" }
} as const

/**
 * The ids of all objects of a kind that grants show the holder, as a SELECT. May contain duplicates, and ids of rows
 * that are removed or archived.
 */
const visibleIds = (sql: Sql, caller: Holder, kind: "marketplace" | "plugin"): Fragment => {
  const organization = caller.organizationId
  const own = sql`SELECT g.object_id AS id FROM grants g
    WHERE g.organization_id = ${organization} AND ${liveGrants(sql, caller, kind)}`
  if (kind === "marketplace") return own
  // OFFSET 0 keeps the planner from joining: the contents of each marketplace are looked up, one after the other.
  return sql`${own} UNION ALL SELECT h.id FROM (${visibleIds(sql, caller, "marketplace")}) c
    CROSS JOIN LATERAL (SELECT mm.plugin_id AS id FROM marketplace_memberships mm
      WHERE mm.organization_id = ${organization} AND mm.marketplace_id = c.id AND mm.removed_at IS NULL OFFSET 0) h
    WHERE ${isShowing(sql, caller, "marketplace", sql`c.id`)}`
}

export interface PageBounds {
  /** If a caller sees at most this many containers, each of them is read. */
  readonly fewMax: number
  /** A caller who sees more very likely finds a full page among the newest `limit * newestFactor` rows that match. */
  readonly newestFactor: number
  /** To find them, `limit * readFactor` rows are read, because some are removed or do not match. */
  readonly readFactor: number
  /** The maximum number of memberships that are checked for each of these rows. */
  readonly checkedMax: number
  /**
   * The memberships that are compared with the caller's containers, per container, before each container is read.
   * Comparing fifty memberships takes about as long as reading one container.
   */
  readonly scanFactor: number
}
const boundsDefault: PageBounds = { fewMax: 50, newestFactor: 2, readFactor: 20, checkedMax: 8, scanFactor: 50 }

export interface VisiblePage {
  readonly kind: GrantedKind
  /** Further conditions on a row `o`. Removed rows are excluded already. */
  readonly where: Fragment
  /** A SELECT of `id`. Limits the search to these rows, for when they are few. */
  readonly within?: Fragment | undefined
  readonly after: string | null
  readonly limit: number
  /** Lowered in tests, so that they cover every strategy with few rows. */
  readonly bounds?: PageBounds
}

/**
 * Selects the ids of the newest rows that the caller can see. Ids are ordered by time, and every source of rows has an
 * index in this order: the grants of each receiver, and the contents of each container. So a page reads at most `limit`
 * rows of each source, however many there are. The sources are the receivers that name the caller, and the containers
 * that the caller can see, which may be many:
 *
 * - `few`: if they are few, each of them is read.
 * - `near`: otherwise, the newest rows of the organization are checked one by one. At most `checkedMax` memberships of a
 *   row are checked, so a row with more memberships can stay undecided.
 * - `scan`: if they do not fill the page, memberships are compared with the set of all containers of the caller. The scan
 *   starts at the first undecided row or, if there is none, at the last checked row.
 * - `rest`: if the page is still not full, each container is read after all.
 *
 * Counts within the one statement select the strategy, so it does not depend on estimates, and a page reflects one
 * moment.
 */
export const pageOfVisible = (
  sql: Sql,
  caller: Holder,
  { after, bounds = boundsDefault, kind, limit, where, within }: VisiblePage
): Fragment => {
  const { end, table } = objectTables[kind]
  const organization = caller.organizationId
  // The subqueries hide the values from the planner. Otherwise, plans for single values look cheaper than the prepared
  // plan, so that PostgreSQL plans each execution, which takes longer than reading the page of most callers.
  const older = (id: Fragment) => (after === null ? sql`TRUE` : sql`${id} < (SELECT ${after}::text)`)
  const size = sql`(SELECT ${limit}::int)`
  const number = (value: number) => sql.literal(String(value))
  const row = (id: Fragment, condition: Fragment = sql`TRUE`) =>
    sql`CROSS JOIN LATERAL (SELECT FROM ${sql(table)} o
      WHERE o.organization_id = ${organization} AND o.id = ${id} AND o.${sql(end)} IS NULL AND ${where}
        AND ${condition} LIMIT 1) o`
  if (within !== undefined) {
    return sql`SELECT w.id FROM (
        SELECT DISTINCT i.id FROM (${within}) i WHERE ${older(sql`i.id`)} ORDER BY i.id DESC) w
      ${row(sql`w.id`, visible(sql, caller, kind, sql`o.id`))}
      ORDER BY w.id DESC LIMIT ${size}`
  }
  if (managesAll(caller, kind)) {
    // The planner knows the limit: with an unknown one, it may read and sort a whole table that was never analyzed.
    return sql`SELECT o.id FROM ${sql(table)} o
      WHERE o.organization_id = ${organization} AND ${older(sql`o.id`)} AND o.${sql(end)} IS NULL AND ${where}
      ORDER BY o.id DESC LIMIT ${limit}`
  }
  const own = sql`SELECT s.id FROM unnest(${receiversOf(sql, caller)}) r(id)
    CROSS JOIN LATERAL (SELECT g.object_id AS id FROM grants g ${row(sql`g.object_id`)}
      WHERE g.organization_id = ${organization} AND g.receiver = r.id AND g.object_kind = ${kindText(sql, kind)}
        AND g.removed_at IS NULL AND ${older(sql`g.object_id`)}
      ORDER BY g.object_id DESC LIMIT ${size}) s`
  if (kind !== "plugin" && kind !== "configObject") {
    return sql`SELECT DISTINCT u.id FROM (${own}) u ORDER BY u.id DESC LIMIT ${size}`
  }
  const container = containers[kind]
  const content = sql`m.${sql(container.content)}`
  const memberships = sql`FROM ${sql(container.table)} m WHERE m.organization_id = ${organization} AND m.removed_at IS NULL`
  const all = visibleIds(sql, caller, container.kind)
  const shows = isShowing(sql, caller, container.kind, sql`c.id`)
  /** The newest contents of each of the containers that `ids` selects. */
  const contentsOfEach = (ids: Fragment, condition: Fragment) =>
    sql`SELECT s.id FROM (SELECT DISTINCT f.id FROM (${ids}) f) c
      CROSS JOIN LATERAL (SELECT ${content} AS id FROM ${sql(container.table)} m ${row(content)}
        WHERE m.organization_id = ${organization} AND m.removed_at IS NULL AND ${older(content)}
          AND m.${sql(container.id)} = c.id AND ${condition}
        ORDER BY ${content} DESC LIMIT ${size}) s
      WHERE ${shows}`
  const many = sql`(SELECT count(*) FROM few) > ${number(bounds.fewMax)}`
  const times = (factor: number) => sql`(SELECT ${limit}::int * ${number(factor)})`
  const rows = sql`FROM ${sql(table)} o WHERE o.organization_id = ${organization} AND ${older(sql`o.id`)}`
  const newest = sql`SELECT v.id
    FROM (SELECT o.id, o.${sql(end)} IS NULL AND (${where}) AS fits ${rows} AND ${many}
      ORDER BY o.id DESC LIMIT ${times(bounds.readFactor)}) v
    WHERE v.fits ORDER BY v.id DESC LIMIT ${times(bounds.newestFactor)}`
  // TRUE if the caller sees the row, NULL if not, and FALSE if the row has too many memberships to decide.
  const sees = sql`(SELECT c.place <= ${number(bounds.checkedMax)}
    FROM (SELECT m.${sql(container.id)} AS id, row_number() OVER () AS place ${memberships} AND ${content} = v.id
      LIMIT ${number(bounds.checkedMax + 1)}) c
    WHERE c.place > ${number(bounds.checkedMax)} OR (${isGranted(sql, caller, container.kind, sql`c.id`)} AND ${shows})
    LIMIT 1)`
  const near = sql`SELECT n.id, n.sees FROM (SELECT v.id, ${sees} AS sees FROM newest v ORDER BY v.id DESC OFFSET 0) n
    WHERE n.sees IS NOT NULL ORDER BY n.id DESC LIMIT ${size}`
  const firstUndecided = sql`(SELECT max(n.id) FROM near n WHERE NOT n.sees)`
  const unfilled = sql`${many} AND (SELECT count(*) FROM near n WHERE n.sees) < ${limit}`
  const scanned = sql`${older(content)} AND ${unfilled} AND ${content} <= coalesce(${firstUndecided},
    (SELECT v.id FROM newest v ORDER BY v.id DESC OFFSET ${times(bounds.newestFactor)} - 1 LIMIT 1),
    (SELECT o.id ${rows} ORDER BY o.id DESC OFFSET ${times(bounds.readFactor)} - 1 LIMIT 1))`
  // The condition is repeated, because a limit is computed even if there is nothing to read.
  const scanWindow = sql`coalesce((SELECT greatest(cardinality(e.ids) * ${number(bounds.scanFactor)}, 1)
    FROM every e WHERE ${unfilled}), 1)`
  // As a value, a set is searched by hash for each row. A join would sort. The estimated length of an array is ten.
  const inEvery = sql`(c.id IN (SELECT unnest(e.ids) FROM every e)) IS TRUE`
  return sql`WITH few AS MATERIALIZED (SELECT a.id FROM (${all}) a LIMIT ${number(bounds.fewMax + 1)}),
    every AS MATERIALIZED (SELECT ARRAY(${all}) AS ids),
    newest AS MATERIALIZED (${newest}),
    near AS MATERIALIZED (${near}),
    scan AS MATERIALIZED (SELECT w.id FROM (
        SELECT DISTINCT c.content AS id FROM (
          SELECT ${content} AS content, m.${sql(container.id)} AS id ${memberships} AND ${scanned}
          ORDER BY ${content} DESC LIMIT ${scanWindow}) c
        WHERE ${inEvery} AND ${shows} ORDER BY c.content DESC) w
      ${row(sql`w.id`)}
      ORDER BY w.id DESC LIMIT ${size})
    SELECT DISTINCT u.id FROM (
      ${own}
      UNION ALL SELECT s.id FROM (${contentsOfEach(sql`SELECT few.id FROM few`, sql`NOT ${many}`)}) s
      UNION ALL SELECT n.id FROM near n WHERE n.sees
      UNION ALL SELECT scan.id FROM scan
      UNION ALL SELECT s.id FROM (${contentsOfEach(
        sql`SELECT unnest(e.ids) AS id FROM every e
          WHERE ${unfilled}
            AND (SELECT count(*) FROM (SELECT n.id FROM near n WHERE n.sees UNION SELECT scan.id FROM scan) s) < ${limit}`,
        // The oldest row of the window is included, because it may have further memberships.
        sql`${scanned} AND ${content} <= (SELECT ${content} ${memberships} AND ${scanned}
          ORDER BY ${content} DESC OFFSET ${scanWindow} - 1 LIMIT 1)`
      )}) s) u
    ORDER BY u.id DESC LIMIT ${size}`
}
