/** Pages of teams, members and devices, with their desired plugins and reports. */
import type { Platform } from "@orgplane/schema/delivery"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { columns as memberColumns, type Row as MemberRow } from "../../identity/members/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import {
  type DeviceFilter,
  isOffline,
  joinStates,
  type Pair,
  pairColumns,
  type PairCount,
  passes
} from "./status-repo.ts"

const idRows = (sql: Sql, ids: ReadonlyArray<string>) => sql`SELECT jsonb_array_elements_text(${sql.json(ids)})`

// Teams

export interface TeamRow {
  readonly id: Id<"tem">
  readonly name: string
  readonly member_count: number
  readonly device_count: number
}

export const teams = (sql: Sql, organizationId: Id<"org">, after: string | null, limit: number) =>
  sql<TeamRow>`SELECT t.id, t.name, c.member_count, c.device_count
    FROM (SELECT id, name FROM teams
      WHERE organization_id = ${organizationId} AND removed_at IS NULL AND (${after}::text IS NULL OR id < ${after})
      ORDER BY id DESC LIMIT ${limit}) t
    CROSS JOIN LATERAL (SELECT count(DISTINCT d.membership_id)::int AS member_count, count(d.id)::int AS device_count
      FROM team_members tm
      JOIN devices d ON d.organization_id = ${organizationId} AND d.membership_id = tm.membership_id
      WHERE tm.organization_id = ${organizationId} AND tm.team_id = t.id) c
    ORDER BY t.id DESC`

export interface GroupedPair extends PairCount {
  /** The team or the member. */
  readonly group_id: string
}

export const pairsOfTeams = (sql: Sql, organizationId: Id<"org">, teamIds: ReadonlyArray<Id<"tem">>) =>
  sql<GroupedPair>`SELECT ${pairColumns(sql)}, tm.team_id AS group_id, count(*)::int AS count
    FROM team_members tm
    JOIN devices d ON d.organization_id = ${organizationId} AND d.membership_id = tm.membership_id
    ${joinStates(sql, organizationId)}
    WHERE tm.organization_id = ${organizationId} AND tm.team_id IN (${idRows(sql, teamIds)})
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2`

// Members and devices

/** Only devices with one of these pairs; null for all. */
export type Matching = ReadonlyArray<Pair> | null

const matches = (sql: Sql, matching: Matching): Fragment =>
  matching === null
    ? sql`TRUE`
    : sql`(coalesce(s.plugins_digest, ''), d.report_digest, ${isOffline(sql)}, coalesce(d.failure, '')) IN (
        SELECT coalesce(x.plugins_digest, ''), x.report_digest, x.is_offline, coalesce(x.failure, '')
        FROM jsonb_to_recordset(${sql.json(matching)})
          AS x(plugins_digest text, report_digest text, is_offline boolean, failure text))`

export interface MemberDevicesRow extends MemberRow {
  readonly device_count: number
  readonly last_seen_at: Date
}

/** The members with devices, newest first. */
export const members = (
  sql: Sql,
  organizationId: Id<"org">,
  filter: DeviceFilter,
  matching: Matching,
  after: string | null,
  limit: number
) =>
  sql<MemberDevicesRow>`SELECT ${memberColumns(sql)}, c.device_count, c.last_seen_at
    FROM (SELECT d.membership_id, count(*)::int AS device_count, max(d.last_seen_at) AS last_seen_at
      FROM devices d ${joinStates(sql, organizationId)}
      WHERE d.organization_id = ${organizationId} AND ${passes(sql, organizationId, filter)}
        AND (${after}::text IS NULL OR d.membership_id < ${after})
      GROUP BY d.membership_id HAVING bool_or(${matches(sql, matching)})
      ORDER BY d.membership_id DESC LIMIT ${limit}) c
    JOIN memberships m ON m.organization_id = ${organizationId} AND m.id = c.membership_id
    JOIN users u ON u.id = m.user_id
    ORDER BY m.id DESC`

export const pairsOfMembers = (sql: Sql, organizationId: Id<"org">, membershipIds: ReadonlyArray<Id<"om">>) =>
  sql<GroupedPair>`SELECT ${pairColumns(sql)}, d.membership_id AS group_id, count(*)::int AS count
    FROM devices d ${joinStates(sql, organizationId)}
    WHERE d.organization_id = ${organizationId} AND d.membership_id IN (${idRows(sql, membershipIds)})
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2`

export interface DeviceRow extends Pair {
  readonly id: string
  readonly membership_id: Id<"om">
  readonly worker_id: Id<"wrk"> | ""
  readonly agent: string
  readonly client_version: string | null
  readonly platform: Platform
  readonly revision: number | null
  readonly wanted_revision: number | null
  readonly first_seen_at: Date
  readonly last_seen_at: Date
}

const deviceColumns = (sql: Sql) =>
  sql`d.id, d.membership_id, d.worker_id, d.agent, d.client_version, d.platform, d.revision,
    s.revision AS wanted_revision, d.first_seen_at, d.last_seen_at, ${pairColumns(sql)}`

export interface DeviceSelection extends DeviceFilter {
  readonly agent: string | null
  readonly platform: Platform | null
}

/** The position of a device in a list. */
export interface DevicePosition {
  readonly membershipId: string
  readonly id: string
}

/** The devices, those of the newest members first. */
export const devices = (
  sql: Sql,
  organizationId: Id<"org">,
  filter: DeviceSelection,
  matching: Matching,
  after: DevicePosition | null,
  limit: number
) =>
  sql<DeviceRow>`SELECT ${deviceColumns(sql)} FROM devices d ${joinStates(sql, organizationId)}
    WHERE d.organization_id = ${organizationId} AND ${passes(sql, organizationId, filter)}
      AND (${filter.agent}::text IS NULL OR d.agent = ${filter.agent})
      AND (${filter.platform}::text IS NULL OR d.platform = ${filter.platform})
      AND ${after === null ? sql`TRUE` : sql`(d.membership_id, d.id) < (${after.membershipId}, ${after.id})`}
      AND ${matches(sql, matching)}
    ORDER BY d.membership_id DESC, d.id DESC LIMIT ${limit}`

export const findDevice = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">, id: string) =>
  sql<DeviceRow>`SELECT ${deviceColumns(sql)} FROM devices d ${joinStates(sql, organizationId)}
    WHERE d.organization_id = ${organizationId} AND d.membership_id = ${membershipId} AND d.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )
