import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { Span } from "./periods.ts"
import * as periods from "./periods-repo.ts"

export interface AdoptionFilters extends Span {
  readonly source: "app" | "worker" | null
  readonly teamId: Id<"tem"> | null
  readonly dimensionType: string | null
}

/** The current members of the organization, or of the team. */
const membersOf = (sql: Sql, organizationId: Id<"org">, teamId: Id<"tem"> | null) =>
  sql`SELECT pm.user_id, pm.id FROM memberships pm
    WHERE pm.organization_id = ${organizationId} AND pm.removed_at IS NULL
      AND (${teamId}::text IS NULL OR pm.id IN (SELECT pt.membership_id FROM team_members pt
        WHERE pt.organization_id = ${organizationId} AND pt.team_id = ${teamId}))`

/** The days on which these members had an event, as bits of each period. */
const activePeriods = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters) =>
  sql`SELECT f.user_id, f.period, p.id, ${periods.activeDays(sql, filters, filters.source)} AS days,
      ${periods.activeDays(sql, filters, "app")} AS app_days, ${periods.activeDays(sql, filters, "worker")} AS worker_days
    FROM telemetry_user_periods f JOIN (${membersOf(sql, organizationId, filters.teamId)}) p ON p.user_id = f.user_id
    WHERE f.organization_id = ${organizationId} AND f.dimension_type = '' AND f.type = '' AND f.dimension_value = ''
      AND ${periods.inPeriods(sql, filters)} AND ${periods.activeDays(sql, filters, filters.source)} <> 0`

export interface StepRow {
  /** Null for the whole period. */
  readonly step: string | null
  readonly active: number
  readonly new_members: number
}

/** The active members per interval and in the whole period, and how many of them had no earlier event. */
export const steps = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters) => {
  const isNew = (firstDay: string) => `first_day >= greatest(${firstDay}, since)`
  return sql<StepRow>`WITH once AS MATERIALIZED (
      SELECT d.user_id, d.period, d.days, f.day AS first_day, ${filters.from}::date AS since
      FROM (${activePeriods(sql, organizationId, filters)}) d
      JOIN telemetry_first_days f ON f.organization_id = ${organizationId} AND f.user_id = d.user_id)
    SELECT (c.period + (s.n::int - 1) * ${periods.widthOf(filters.interval)}::int)::text AS step, s.active::int AS active,
      s.new_members::int AS new_members
    FROM (SELECT period, ${periods.countSteps(sql, filters.interval)} AS active,
        ${periods.countSteps(sql, filters.interval, isNew)} AS new_members FROM once GROUP BY period) c
    CROSS JOIN LATERAL unnest(c.active, c.new_members) WITH ORDINALITY AS s (active, new_members, n)
    WHERE s.active > 0
    UNION ALL
    SELECT NULL, count(*)::int, count(*) FILTER (WHERE first_day >= since)::int
    FROM (SELECT DISTINCT user_id, first_day, since FROM once) o`
}

export const counts = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters) =>
  sql<{ members: number; app: number; worker: number }>`WITH seen AS (
      SELECT user_id, bit_or(app_days) <> 0 AS by_app, bit_or(worker_days) <> 0 AS by_worker
      FROM (${activePeriods(sql, organizationId, filters)}) d GROUP BY user_id)
    SELECT (SELECT count(*)::int FROM (${membersOf(sql, organizationId, filters.teamId)}) p) AS members,
      (SELECT count(*)::int FROM seen WHERE by_app) AS app, (SELECT count(*)::int FROM seen WHERE by_worker) AS worker`.pipe(
    Effect.map((rows) => rows[0] ?? { members: 0, app: 0, worker: 0 })
  )

export const byTeam = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters, limit: number) =>
  sql<{ id: Id<"tem">; name: string; members: number; active: number }>`WITH seen AS MATERIALIZED (
      SELECT DISTINCT d.id FROM (${activePeriods(sql, organizationId, filters)}) d)
    SELECT t.id, t.name, count(m.id)::int AS members, count(s.id)::int AS active
    FROM teams t
    LEFT JOIN team_members tm ON tm.organization_id = t.organization_id AND tm.team_id = t.id
    LEFT JOIN memberships m ON m.organization_id = t.organization_id AND m.id = tm.membership_id AND m.removed_at IS NULL
    LEFT JOIN seen s ON s.id = m.id
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND (${filters.teamId}::text IS NULL OR t.id = ${filters.teamId})
    GROUP BY t.id, t.name ORDER BY 4 DESC, t.id LIMIT ${limit}`

export const byDimension = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  filters: AdoptionFilters,
  dimensionType: string,
  limit: number
) {
  const cover = yield* periods.findCover(sql, organizationId, filters)
  const summed: periods.SummedRows = { source: filters.source, dimensionType, dimensionValue: null, types: [""] }
  return yield* sql<{
    value: string
    label: string | null
    active: number
    events: number
  }>`WITH used AS (
      SELECT f.dimension_value AS value, f.user_id, sum(f.events) AS events
      FROM (${periods.rowsOf(sql, organizationId, cover, summed)}) f
      JOIN (${membersOf(sql, organizationId, filters.teamId)}) p ON p.user_id = f.user_id
      GROUP BY 1, 2 HAVING sum(f.events) > 0),
    most AS (
      SELECT value, count(*)::int AS active, sum(events)::float8 AS events FROM used
      GROUP BY value ORDER BY 2 DESC, 3 DESC, value LIMIT ${limit})
    SELECT m.value, d.label, m.active, m.events FROM most m
    LEFT JOIN telemetry_dimensions d ON d.organization_id = ${organizationId} AND d.type = ${dimensionType}
      AND d.value = m.value
    ORDER BY m.active DESC, m.events DESC, m.value`
})
