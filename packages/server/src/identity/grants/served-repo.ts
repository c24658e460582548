/**
 * Which content of plugins and config objects a caller reads: the latest, or that of approved releases. These are
 * fragments of other modules' statements.
 */
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"
import { hasBlocks, isBlocked, isSeenAt } from "./blocked-repo.ts"
import { type Holder, levelOf, levels, managesAll, ownLevelOf } from "./index.ts"

const editor = (sql: Sql) => sql.literal(String(levels.editor))

/** Whether the caller reads the latest content of the plugin, and not that of its served release. */
export const seesLatest = (sql: Sql, caller: Holder, plugin = "p"): Fragment =>
  managesAll(caller, "plugin")
    ? sql`TRUE`
    : sql`(${sql(plugin)}.delivery_mode IS NULL
        OR ${ownLevelOf(sql, caller, "plugin", sql`${sql(plugin)}.id`)} >= ${editor(sql)})`

/** Whether the plugin has content for the caller: no viewer sees a plugin before its first approval, or while it is blocked. */
export const hasServed = (sql: Sql, caller: Holder, plugin = "p"): Fragment => {
  if (managesAll(caller, "plugin")) return sql`TRUE`
  const id = sql`${sql(plugin)}.id`
  return sql`CASE WHEN (${sql(plugin)}.served_release_id IS NOT NULL OR ${sql(plugin)}.delivery_mode IS NULL)
      AND NOT ${isBlocked(sql, caller, id)} THEN TRUE
    ELSE ${ownLevelOf(sql, caller, "plugin", id)} >= ${editor(sql)} END`
}

/** A column of a plugin, of which `latest` is the value in its latest content and `released` that in a release `sr`. */
export const servedColumn = (
  sql: Sql,
  caller: Holder,
  { latest, plugin = "p", released }: { readonly latest: Fragment; readonly plugin?: string; readonly released: string }
): Fragment =>
  managesAll(caller, "plugin")
    ? latest
    : sql`CASE WHEN ${sql(plugin)}.served_release_id IS NULL OR ${seesLatest(sql, caller, plugin)} THEN ${latest}
        ELSE (SELECT ${sql.literal(released)} FROM plugin_releases sr
          WHERE sr.organization_id = ${caller.organizationId} AND sr.id = ${sql(plugin)}.served_release_id) END`

/** The name of the plugin that the caller reads. */
export const servedName = (sql: Sql, caller: Holder, plugin = "p"): Fragment =>
  servedColumn(sql, caller, { latest: sql`${sql(plugin)}.name`, plugin, released: "sr.name" })

/** Whether any plugin of the organization has a delivery mode. This is evaluated once per statement. */
const hasModes = (sql: Sql, caller: Holder) =>
  sql`EXISTS (SELECT 1 FROM plugins gp WHERE gp.organization_id = ${caller.organizationId}
    AND gp.delivery_mode IS NOT NULL)`

/** Whether the plugin `sp` is neither deleted nor archived. */
const showing = (sql: Sql) => sql`sp.deleted_at IS NULL AND sp.archived_at IS NULL`

/** A plugin `sp` with the caller's `level` on it, as a FROM item. OFFSET 0 keeps the planner from repeating the level. */
const pluginWithLevel = (sql: Sql, caller: Holder, id: Fragment) =>
  sql`(SELECT sp.delivery_mode, sp.served_release_id, sp.deleted_at, sp.archived_at,
      ${levelOf(sql, caller, "plugin", sql`sp.id`)} AS level
    FROM plugins sp WHERE sp.organization_id = ${caller.organizationId} AND sp.id = ${id} OFFSET 0) sp`

/** Whether the plugin shows its contents to the caller. */
export const shows = (sql: Sql, caller: Holder, id: Fragment): Fragment =>
  sql`(SELECT ${isSeenAt(sql, caller, sql`sp.level`, id)} FROM ${pluginWithLevel(sql, caller, id)}
    WHERE ${showing(sql)}) IS TRUE`

/** The caller's level on the object `o`, which is 0 if only hidden plugins show it. */
export const objectLevelOf = (sql: Sql, caller: Holder): Fragment =>
  managesAll(caller, "configObject") || caller.principal.kind === "key"
    ? levelOf(sql, caller, "configObject", sql`o.id`)
    : sql`greatest(${ownLevelOf(sql, caller, "configObject", sql`o.id`)}, (SELECT 1 FROM plugin_memberships lm
        WHERE lm.organization_id = ${caller.organizationId} AND lm.config_object_id = o.id AND lm.removed_at IS NULL
          AND ${shows(sql, caller, sql`lm.plugin_id`)} LIMIT 1))`

/**
 * What the caller reads of the object `o`, as a FROM item of one row:
 *
 * - `sees_latest`: whether it is the latest content. Editors of the object or of one of its plugins read it, and those
 *   who see a plugin of the object without a delivery mode.
 * - `version_id` and `title`: of the version that the caller reads; null if none is served to the caller.
 * - `is_served`: whether a version is served to the caller. It is FALSE if only hidden plugins show the object.
 * - `version_ids`: the versions that the caller reads if `sees_latest` is FALSE.
 *
 * A release is served to the members who see its plugin, and to those with whom the object itself is shared. The levels
 * and plugins are read once, and only in organizations that have delivery modes or blocks: without any row, the
 * aggregates are null, and the caller reads the latest version.
 */
export const contentRead = (sql: Sql, caller: Holder): Fragment => {
  const organization = caller.organizationId
  if (managesAll(caller, "configObject")) {
    return sql`LATERAL (SELECT TRUE AS sees_latest, o.latest_version_id AS version_id, o.title, TRUE AS is_served,
      NULL::text[] AS version_ids) r`
  }
  // The current plugins of the object, and the plugins whose served release contains it. They can differ.
  const plugins = sql`(SELECT rm.plugin_id, NULL::text AS release_id, NULL::text AS version_id, NULL::text AS title
      FROM plugin_memberships rm
      WHERE rm.organization_id = ${organization} AND rm.config_object_id = o.id AND rm.removed_at IS NULL
    UNION ALL SELECT rx.plugin_id, rx.release_id, rx.version_id, rx.title FROM plugin_release_objects rx
      WHERE rx.organization_id = ${organization} AND rx.object_id = o.id OFFSET 0)`
  const facts = sql`(SELECT x.release_id IS NULL AS is_member, sp.delivery_mode IS NOT NULL AS has_mode, sp.level,
      ${showing(sql)} AND ${isSeenAt(sql, caller, sql`sp.level`, sql`x.plugin_id`)} AS shows, x.version_id, x.title,
      (SELECT rv.ordinal FROM config_object_versions rv
        WHERE rv.organization_id = ${organization} AND rv.id = x.version_id) AS ordinal
    FROM ${plugins} x CROSS JOIN LATERAL ${pluginWithLevel(sql, caller, sql`x.plugin_id`)}
    WHERE x.release_id IS NULL OR x.release_id = sp.served_release_id OFFSET 0)`
  const newest = (column: Fragment) =>
    sql`(array_agg(${column} ORDER BY f.shows DESC, f.ordinal DESC)
      FILTER (WHERE f.ordinal IS NOT NULL AND (f.shows OR ro.level > 0)))[1]`
  const collected = sql`(SELECT
      max(ro.level) = 0 AND ${hasBlocks(sql, caller)} AND bool_or(f.is_member AND f.shows) IS NOT TRUE AS is_blocked,
      bool_or(f.is_member AND f.has_mode) IS NOT TRUE OR max(ro.level) >= ${editor(sql)}
        OR bool_or(f.is_member AND (f.level >= ${editor(sql)} OR f.shows AND NOT f.has_mode)) AS sees_latest,
      ${newest(sql`f.version_id`)} AS version_id, ${newest(sql`f.title`)} AS title,
      array_agg(f.version_id) FILTER (WHERE f.ordinal IS NOT NULL AND f.shows) AS shown_ids
    FROM (SELECT ${ownLevelOf(sql, caller, "configObject", sql`o.id`)} AS level OFFSET 0) ro
    LEFT JOIN LATERAL ${facts} f ON TRUE
    WHERE ${hasModes(sql, caller)} OR ${hasBlocks(sql, caller)})`
  const version = sql`CASE WHEN l.sees_latest THEN o.latest_version_id ELSE c.version_id END`
  return sql`LATERAL (SELECT l.sees_latest, ${version} AS version_id,
      CASE WHEN l.sees_latest THEN o.title ELSE c.title END AS title,
      c.is_blocked IS NOT TRUE AND (o.latest_version_id IS NULL OR ${version} IS NOT NULL) AS is_served,
      c.shown_ids || c.version_id AS version_ids
    FROM ${collected} c
    CROSS JOIN LATERAL (SELECT c.is_blocked IS NOT TRUE AND c.sees_latest IS NOT FALSE AS sees_latest) l OFFSET 0) r`
}

/** The version of the object `o` that the caller reads; null if none is served to the caller. */
export const servedVersion = (sql: Sql, caller: Holder): Fragment =>
  managesAll(caller, "configObject")
    ? sql`o.latest_version_id`
    : sql`(SELECT r.version_id FROM ${contentRead(sql, caller)})`

/** The title of the object `o` in the version that the caller reads. */
export const servedTitle = (sql: Sql, caller: Holder): Fragment =>
  managesAll(caller, "configObject") ? sql`o.title` : sql`(SELECT r.title FROM ${contentRead(sql, caller)})`

/** Whether a version of the object `o` is served to the caller, in which the title matches the pattern, if there is one. */
export const isServed = (sql: Sql, caller: Holder, pattern: string | null = null): Fragment => {
  if (managesAll(caller, "configObject")) return pattern === null ? sql`TRUE` : sql`o.title ILIKE ${pattern}`
  const matches = pattern === null ? sql`TRUE` : sql`r.title ILIKE ${pattern}`
  return sql`(SELECT r.is_served AND ${matches} FROM ${contentRead(sql, caller)})`
}

/**
 * The versions `v` of an object `o` that the caller reads, as a FROM clause; conditions follow with AND. Versions that
 * are not served are for editors: they may have been replaced or rejected before an approval.
 */
export const versionsRead = (sql: Sql, caller: Holder, objectId: string): Fragment =>
  managesAll(caller, "configObject")
    ? sql`FROM config_object_versions v
        WHERE v.organization_id = ${caller.organizationId} AND v.config_object_id = ${objectId}`
    : sql`FROM config_objects o CROSS JOIN ${contentRead(sql, caller)}
        JOIN config_object_versions v ON v.organization_id = o.organization_id AND v.config_object_id = o.id
          AND (r.sees_latest OR v.id = ANY (r.version_ids))
        WHERE o.organization_id = ${caller.organizationId} AND o.id = ${objectId}`

/**
 * The version of the object `o` in the served release of a plugin, for callers who do not edit the plugin. Null if the
 * release does not contain the object.
 */
export const versionInRelease = (sql: Sql, organizationId: string, releaseId: string): Fragment =>
  sql`(SELECT sx.version_id FROM plugin_release_objects sx
    WHERE sx.organization_id = ${organizationId} AND sx.release_id = ${releaseId} AND sx.object_id = o.id)`
