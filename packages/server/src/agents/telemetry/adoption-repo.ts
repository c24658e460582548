import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { Span } from "./analytics-repo.ts"

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

/** The days on which these members had an event. */
const activeDays = (sql: Sql, organizationId: Id<"org">, { from, source, teamId, to }: AdoptionFilters) =>
  sql`SELECT f.user_id, f.day, p.id, f.by_app, f.by_worker
    FROM activity_days f JOIN (${membersOf(sql, organizationId, teamId)}) p ON p.user_id = f.user_id
    WHERE f.organization_id = ${organizationId} AND f.day BETWEEN ${from}::date AND ${to}::date
      AND CASE ${source}::text WHEN 'app' THEN f.by_app WHEN 'worker' THEN f.by_worker ELSE f.by_app OR f.by_worker END`

export interface StepRow {
  /** Null for the whole period. */
  readonly step: string | null
  readonly active: number
  readonly new_members: number
}

/** The active members per interval and in the whole period, and how many of them had no earlier event. */
export const steps = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters) => {
  const step = sql.literal(filters.interval === "week" ? "date_trunc('week', d.day::timestamp)::date" : "d.day")
  return sql<StepRow>`WITH once AS MATERIALIZED (
      SELECT DISTINCT ${step} AS step, d.user_id, f.day AS first_day
      FROM (${activeDays(sql, organizationId, filters)}) d
      JOIN telemetry_first_days f ON f.organization_id = ${organizationId} AND f.user_id = d.user_id)
    SELECT step::text AS step, count(*)::int AS active,
      count(*) FILTER (WHERE first_day >= greatest(step, ${filters.from}::date))::int AS new_members
    FROM once GROUP BY step
    UNION ALL
    SELECT NULL, count(*)::int, count(*) FILTER (WHERE first_day >= ${filters.from}::date)::int
    FROM (SELECT DISTINCT user_id, first_day FROM once) o`
}

export const counts = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters) =>
  sql<{ members: number; app: number; worker: number }>`WITH seen AS (
      SELECT user_id, bool_or(by_app) AS by_app, bool_or(by_worker) AS by_worker
      FROM (${activeDays(sql, organizationId, filters)}) d GROUP BY user_id)
    SELECT (SELECT count(*)::int FROM (${membersOf(sql, organizationId, filters.teamId)}) p) AS members,
      (SELECT count(*)::int FROM seen WHERE by_app) AS app, (SELECT count(*)::int FROM seen WHERE by_worker) AS worker`.pipe(
    Effect.map((rows) => rows[0] ?? { members: 0, app: 0, worker: 0 })
  )

export const byTeam = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters, limit: number) =>
  sql<{ id: Id<"tem">; name: string; members: number; active: number }>`WITH seen AS MATERIALIZED (
      SELECT DISTINCT d.id FROM (${activeDays(sql, organizationId, filters)}) d)
    SELECT t.id, t.name, count(m.id)::int AS members, count(s.id)::int AS active
    FROM teams t
    LEFT JOIN team_members tm ON tm.organization_id = t.organization_id AND tm.team_id = t.id
    LEFT JOIN memberships m ON m.organization_id = t.organization_id AND m.id = tm.membership_id AND m.removed_at IS NULL
    LEFT JOIN seen s ON s.id = m.id
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND (${filters.teamId}::text IS NULL OR t.id = ${filters.teamId})
    GROUP BY t.id, t.name ORDER BY 4 DESC, t.id LIMIT ${limit}`

export const byDimension = (sql: Sql, organizationId: Id<"org">, filters: AdoptionFilters, limit: number) =>
  sql<{ value: string; label: string | null; active: number; events: number }>`WITH used AS (
      SELECT f.dimension_value AS value, f.user_id, sum(f.events) AS events
      FROM telemetry_user_days f
      JOIN (${membersOf(sql, organizationId, filters.teamId)}) p ON p.user_id = f.user_id
      WHERE f.organization_id = ${organizationId} AND f.dimension_type = ${filters.dimensionType}
        AND f.day BETWEEN ${filters.from}::date AND ${filters.to}::date
        AND (${filters.source}::text IS NULL OR f.source = ${filters.source})
      GROUP BY 1, 2),
    most AS (
      SELECT value, count(*)::int AS active, sum(events)::float8 AS events FROM used
      GROUP BY value ORDER BY 2 DESC, 3 DESC, value LIMIT ${limit})
    SELECT m.value, d.label, m.active, m.events FROM most m
    LEFT JOIN telemetry_dimensions d ON d.organization_id = ${organizationId} AND d.type = ${filters.dimensionType}
      AND d.value = m.value
    ORDER BY m.active DESC, m.events DESC, m.value`
