/** The usage of plugins, from telemetry events and from the first results of releases. */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Fragment } from "effect/sql/Statement"
import { visible } from "../../identity/grants/index.ts"
import { isServed, servedTitle } from "../../identity/grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { Days } from "./days.ts"

/** The types of the dimensions of events: the ID of a plugin, the digest of a release, and the ID of a config object. */
const pluginType = "plugin"
const releaseType = "plugin_release"
const objectType = "config_object"

const idRows = (sql: Sql, ids: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(ids)})`

export interface PluginEvents {
  readonly plugin_id: Id<"plg">
  readonly events: number
  readonly last_day: string
}

/** The plugins with the most events. Values that are not a plugin of the organization are left out. */
export const pluginEvents = (
  sql: Sql,
  organizationId: Id<"org">,
  { from, to }: Days,
  pluginId: string | null,
  limit: number
) =>
  sql<PluginEvents>`SELECT p.id AS plugin_id, e.events, e.last_day::text AS last_day
    FROM (SELECT t.dimension_value, sum(t.events)::float8 AS events, max(t.day) AS last_day FROM telemetry_days t
      WHERE t.organization_id = ${organizationId} AND t.dimension_type = ${pluginType}
        AND t.day BETWEEN ${from}::date AND ${to}::date
        AND ${pluginId === null ? sql`TRUE` : sql`t.dimension_value = ${pluginId}`}
      GROUP BY 1) e
    JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = e.dimension_value
    ORDER BY e.events DESC, p.id LIMIT ${limit}`

/** The number of users with events of each plugin. */
export const pluginUsers = (
  sql: Sql,
  organizationId: Id<"org">,
  { from, to }: Days,
  pluginIds: ReadonlyArray<string>
) =>
  sql<{
    plugin_id: string
    users: number
  }>`SELECT t.dimension_value AS plugin_id, count(DISTINCT t.user_id)::int AS users
    FROM telemetry_user_totals t
    WHERE t.organization_id = ${organizationId} AND t.dimension_type = ${pluginType}
      AND t.day BETWEEN ${from}::date AND ${to}::date AND t.dimension_value IN (${idRows(sql, pluginIds)})
      AND t.user_id <> '' AND t.events > 0
    GROUP BY 1`

export interface ReleaseRow {
  readonly plugin_id: Id<"plg">
  readonly id: Id<"rel">
  readonly digest: string
  readonly version: string | null
  readonly install_reports: number
  readonly install_failed: number
  /** The release that it is compared with. Null for none. */
  readonly previous_digest: string | null
  readonly previous_reports: number
  readonly previous_failed: number
}

const outcomesOf = (sql: Sql, organizationId: Id<"org">, pluginId: Fragment, digest: Fragment): Fragment =>
  sql`SELECT count(*)::int AS reports, (count(*) FILTER (WHERE o.is_failed))::int AS failed
    FROM release_outcomes o
    WHERE o.organization_id = ${organizationId} AND o.plugin_id = ${pluginId} AND o.digest = ${digest}`

/** The newest rollout of a digest of a plugin. */
const newestRollout = (sql: Sql, organizationId: Id<"org">, pluginId: Fragment, digest: Fragment): Fragment =>
  sql`SELECT ro.state, ro.previous_release_id FROM rollouts ro
    JOIN plugin_releases z ON z.organization_id = ${organizationId} AND z.id = ro.release_id AND z.digest = ${digest}
    WHERE ro.organization_id = ${organizationId} AND ro.plugin_id = ${pluginId}
    ORDER BY ro.number DESC LIMIT 1`

/**
 * The newest releases of each plugin that were approved, each content once, newest first. Each is compared with the release
 * that was served when its newest rollout was created, or else with the next older approved one that was neither rolled back
 * nor withdrawn.
 */
export const releases = (sql: Sql, organizationId: Id<"org">, pluginIds: ReadonlyArray<string>, releasesMax: number) =>
  sql<ReleaseRow>`SELECT r.plugin_id, r.id, r.digest, r.version, x.reports AS install_reports,
      x.failed AS install_failed, b.digest AS previous_digest, y.reports AS previous_reports, y.failed AS previous_failed
    FROM (${idRows(sql, pluginIds)} AS id) p
    CROSS JOIN LATERAL (SELECT d.plugin_id, d.id, d.digest, d.number, d.manifest_json #>> '{lifecycle,metadata,version}' AS version
      FROM (SELECT DISTINCT ON (n.digest) n.plugin_id, n.id, n.digest, n.number, n.manifest_json FROM plugin_releases n
        WHERE n.organization_id = ${organizationId} AND n.plugin_id = p.id AND n.digest IS NOT NULL
          AND (n.state = 'approved' OR n.withdrawn_at IS NOT NULL)
        ORDER BY n.digest, n.number DESC) d
      ORDER BY d.number DESC LIMIT ${releasesMax}) r
    LEFT JOIN LATERAL (${newestRollout(sql, organizationId, sql`r.plugin_id`, sql`r.digest`)}) w ON TRUE
    LEFT JOIN plugin_releases s ON s.organization_id = ${organizationId} AND s.id = w.previous_release_id
    CROSS JOIN LATERAL (SELECT nullif(coalesce(s.digest, (SELECT e.digest FROM plugin_releases e
      WHERE e.organization_id = ${organizationId} AND e.plugin_id = r.plugin_id AND e.number < r.number
        AND e.digest <> r.digest AND e.state = 'approved' AND e.withdrawn_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM (${newestRollout(sql, organizationId, sql`r.plugin_id`, sql`e.digest`)}) v
          WHERE v.state = 'rolled_back')
      ORDER BY e.number DESC LIMIT 1)), r.digest) AS digest) b
    CROSS JOIN LATERAL (${outcomesOf(sql, organizationId, sql`r.plugin_id`, sql`r.digest`)}) x
    CROSS JOIN LATERAL (${outcomesOf(sql, organizationId, sql`r.plugin_id`, sql`b.digest`)}) y
    ORDER BY r.plugin_id, r.number DESC`

export interface ReleaseEvents {
  readonly digest: string
  readonly events: number
  readonly failed_events: number
  readonly user_days: number
  readonly failed_user_days: number
}

/** The events of each release. */
export const releaseEvents = (
  sql: Sql,
  organizationId: Id<"org">,
  { from, to }: Days,
  digests: ReadonlyArray<string>
) =>
  sql<ReleaseEvents>`SELECT t.dimension_value AS digest, sum(t.events)::float8 AS events,
      sum(t.failed)::float8 AS failed_events,
      (count(*) FILTER (WHERE t.user_id <> '' AND t.events > 0))::int AS user_days,
      (count(*) FILTER (WHERE t.user_id <> '' AND t.failed > 0))::int AS failed_user_days
    FROM telemetry_user_totals t
    WHERE t.organization_id = ${organizationId} AND t.dimension_type = ${releaseType}
      AND t.day BETWEEN ${from}::date AND ${to}::date AND t.dimension_value IN (${idRows(sql, digests)})
    GROUP BY 1`

export interface ReleaseUsers {
  readonly digest: string
  readonly users: number
  readonly failed_users: number
}

/** The users with a result of each release, and those whose first result is a failure. */
export const releaseUsers = (sql: Sql, organizationId: Id<"org">, digests: ReadonlyArray<string>) =>
  sql<ReleaseUsers>`SELECT u.digest, count(*)::int AS users, (count(*) FILTER (WHERE u.is_failed))::int AS failed_users
    FROM release_uses u
    WHERE u.organization_id = ${organizationId} AND u.digest IN (${idRows(sql, digests)})
    GROUP BY u.digest`

export interface ObjectEvents {
  readonly id: Id<"cob">
  readonly title: string | null
  readonly events: number
  readonly failed_events: number
}

/** The config objects of a plugin with events. */
export const objectEvents = (sql: Sql, caller: Member, { from, to }: Days, pluginId: string, limit: number) =>
  sql<ObjectEvents>`SELECT o.id, CASE WHEN ${visible(sql, caller, "configObject", sql`o.id`)} AND ${isServed(sql, caller)}
        THEN ${servedTitle(sql, caller)} END AS title, e.events, e.failed_events
    FROM (SELECT t.dimension_value AS id, sum(t.events)::float8 AS events, sum(t.failed)::float8 AS failed_events
      FROM telemetry_days t
      WHERE t.organization_id = ${caller.organizationId} AND t.dimension_type = ${objectType}
        AND t.day BETWEEN ${from}::date AND ${to}::date
        AND t.dimension_value IN (SELECT m.config_object_id FROM plugin_memberships m
          WHERE m.organization_id = ${caller.organizationId} AND m.plugin_id = ${pluginId} AND m.removed_at IS NULL)
      GROUP BY 1) e
    JOIN config_objects o ON o.organization_id = ${caller.organizationId} AND o.id = e.id AND o.deleted_at IS NULL
    ORDER BY e.events DESC, o.id LIMIT ${limit}`

export interface DuplicateRow {
  readonly title: string
  readonly object_type: string
  readonly plugin_ids: ReadonlyArray<Id<"plg">>
}

/**
 * Config objects with the same latest content in several of the plugins, which the caller can see. Their title is the one
 * that the caller reads.
 */
export const duplicates = (sql: Sql, caller: Member, pluginIds: ReadonlyArray<string>, limit: number) =>
  sql<DuplicateRow>`SELECT ${servedTitle(sql, caller)} AS title, o.object_type, c.plugin_ids
    FROM (SELECT min(x.id) AS object_id, array_agg(DISTINCT m.plugin_id ORDER BY m.plugin_id) AS plugin_ids
      FROM plugin_memberships m
      JOIN config_objects x ON x.organization_id = ${caller.organizationId} AND x.id = m.config_object_id
        AND x.deleted_at IS NULL
      JOIN config_object_versions v ON v.organization_id = ${caller.organizationId} AND v.id = x.latest_version_id
      WHERE m.organization_id = ${caller.organizationId} AND m.plugin_id IN (${idRows(sql, pluginIds)})
        AND m.removed_at IS NULL
      GROUP BY x.object_type, v.content_digest HAVING count(DISTINCT m.plugin_id) > 1
      ORDER BY count(DISTINCT m.plugin_id) DESC, min(x.id) LIMIT ${limit}) c
    JOIN config_objects o ON o.organization_id = ${caller.organizationId} AND o.id = c.object_id
    WHERE ${isServed(sql, caller)}
    ORDER BY cardinality(c.plugin_ids) DESC, o.id`
