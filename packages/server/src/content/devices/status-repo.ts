/** The reported and desired plugins of devices, grouped so that no statement returns a row per device and plugin. */
import { type Failure, offlineHours } from "@orgplane/schema/delivery"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { visible } from "../../identity/grants/index.ts"
import { hasServed, servedName } from "../../identity/grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** Devices with the same desired plugins and the same report. */
export interface Pair {
  /** Null if no desired state was issued since the upgrade. */
  readonly plugins_digest: string | null
  readonly report_digest: string
  readonly is_offline: boolean
  readonly failure: Failure | null
}

export interface PairCount extends Pair {
  readonly count: number
}

/** The devices to read. */
export interface DeviceFilter {
  readonly teamId: Id<"tem"> | null
  readonly membershipId: Id<"om"> | null
}

/** Whether the device `d` is offline. */
export const isOffline = (sql: Sql): Fragment => sql`d.last_seen_at < now() - make_interval(hours => ${offlineHours})`

/** The columns of a pair, of devices `d` with their desired states `s`. */
export const pairColumns = (sql: Sql): Fragment =>
  sql`s.plugins_digest, d.report_digest, ${isOffline(sql)} AS is_offline, d.failure`

/** The desired states `s` of devices `d`. */
export const joinStates = (sql: Sql, organizationId: Id<"org">): Fragment =>
  sql`LEFT JOIN desired_state_revisions s ON s.organization_id = ${organizationId}
    AND s.membership_id = d.membership_id AND s.worker_id = d.worker_id`

/** The devices `d` that pass the filter. */
export const passes = (sql: Sql, organizationId: Id<"org">, { membershipId, teamId }: DeviceFilter): Fragment =>
  sql.and([
    membershipId === null ? sql`TRUE` : sql`d.membership_id = ${membershipId}`,
    teamId === null
      ? sql`TRUE`
      : sql`d.membership_id IN (SELECT tm.membership_id FROM team_members tm
          WHERE tm.organization_id = ${organizationId} AND tm.team_id = ${teamId})`
  ])

export const pairs = (sql: Sql, organizationId: Id<"org">, filter: DeviceFilter) =>
  sql<PairCount>`SELECT ${pairColumns(sql)}, count(*)::int AS count
    FROM devices d ${joinStates(sql, organizationId)}
    WHERE d.organization_id = ${organizationId} AND ${passes(sql, organizationId, filter)}
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2`

export interface DeviceCountsRow {
  readonly member_count: number
  readonly total: number
  readonly offline: number
  readonly failed: number
}

export const deviceCounts = (sql: Sql, organizationId: Id<"org">, filter: DeviceFilter) =>
  sql<DeviceCountsRow>`SELECT count(DISTINCT d.membership_id)::int AS member_count, count(*)::int AS total,
      (count(*) FILTER (WHERE ${isOffline(sql)}))::int AS offline,
      (count(*) FILTER (WHERE d.failure IS NOT NULL AND NOT ${isOffline(sql)}))::int AS failed
    FROM devices d
    WHERE d.organization_id = ${organizationId} AND ${passes(sql, organizationId, filter)}`.pipe(
    Effect.map((rows) => rows[0] ?? { member_count: 0, total: 0, offline: 0, failed: 0 })
  )

interface SetRow {
  readonly digest: string
  /** JSON, which is parsed later, one set at a time. */
  readonly plugins: string
}

const tables = { wanted: "desired_plugin_sets", reported: "device_reports" } as const

/** Sets of plugins by their digests: all their plugins, or only one. */
export const sets = (
  sql: Sql,
  organizationId: Id<"org">,
  kind: keyof typeof tables,
  digests: ReadonlyArray<string>,
  pluginId: string | null
) => {
  const plugins =
    pluginId === null
      ? sql`t.plugins_json`
      : sql`jsonb_path_query_array(t.plugins_json, '$[*] ? (@.pluginId == $id)', ${sql.json({ id: pluginId })}::jsonb)`
  return sql<SetRow>`SELECT t.digest, (${plugins})::text AS plugins FROM ${sql(tables[kind])} t
    WHERE t.organization_id = ${organizationId}
      AND t.digest IN (SELECT jsonb_array_elements_text(${sql.json(digests)}))`
}

/** The plugins of the organization, or the one with the ID, including deleted ones. */
export const existingPlugins = (sql: Sql, organizationId: Id<"org">, pluginId: string | null) =>
  sql<{ id: Id<"plg"> }>`SELECT p.id FROM plugins p
    WHERE p.organization_id = ${organizationId} AND (${pluginId}::text IS NULL OR p.id = ${pluginId})`.pipe(
    Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ id }) => id)))
  )

/** The names of the plugins that the caller can see. */
export const names = (sql: Sql, caller: Member, pluginIds: ReadonlyArray<Id<"plg">>) =>
  sql<{ id: Id<"plg">; name: string }>`SELECT p.id, ${servedName(sql, caller)} AS name FROM plugins p
    WHERE p.organization_id = ${caller.organizationId}
      AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))
      AND ${visible(sql, caller, "plugin", sql`p.id`)} AND ${hasServed(sql, caller)}`.pipe(
    Effect.map((rows) => new Map(rows.map(({ id, name }) => [id, name])))
  )

/** Whether the plugin, the team and the member exist. A plugin that the caller cannot see does not. */
export const getExisting = (
  sql: Sql,
  caller: Member,
  { membershipId, pluginId, teamId }: DeviceFilter & { readonly pluginId: Id<"plg"> | null }
) =>
  sql<{ has_plugin: boolean; has_team: boolean; has_member: boolean }>`SELECT
      ${pluginId}::text IS NULL OR EXISTS (SELECT 1 FROM plugins p
        WHERE p.organization_id = ${caller.organizationId} AND p.id = ${pluginId}
          AND ${visible(sql, caller, "plugin", sql`p.id`)} AND ${hasServed(sql, caller)}) AS has_plugin,
      ${teamId}::text IS NULL OR EXISTS (SELECT 1 FROM teams t
        WHERE t.organization_id = ${caller.organizationId} AND t.id = ${teamId} AND t.removed_at IS NULL) AS has_team,
      ${membershipId}::text IS NULL OR EXISTS (SELECT 1 FROM memberships m
        WHERE m.organization_id = ${caller.organizationId} AND m.id = ${membershipId}
          AND m.removed_at IS NULL) AS has_member`.pipe(Effect.map((rows) => rows[0]))
