import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { Span } from "./analytics-repo.ts"

export interface Asked extends Span {
  readonly source: "app" | "worker" | null
  readonly teamId: Id<"tem"> | null
  readonly dimensionType: string | null
}

/** Who is a member now: of the organization, or of the team asked for. */
const people = (sql: Sql, organizationId: Id<"org">, teamId: Id<"tem"> | null) =>
  sql`SELECT pm.user_id, pm.id FROM memberships pm
    WHERE pm.organization_id = ${organizationId} AND pm.removed_at IS NULL
      AND (${teamId}::text IS NULL OR pm.id IN (SELECT pt.membership_id FROM team_members pt
        WHERE pt.organization_id = ${organizationId} AND pt.team_id = ${teamId}))`

/** On which days they had an event. */
const days = (sql: Sql, organizationId: Id<"org">, { from, source, teamId, to }: Asked) =>
  sql`SELECT f.user_id, f.day, p.id, f.by_app, f.by_worker
    FROM activity_days f JOIN (${people(sql, organizationId, teamId)}) p ON p.user_id = f.user_id
    WHERE f.organization_id = ${organizationId} AND f.day BETWEEN ${from}::date AND ${to}::date
      AND CASE ${source}::text WHEN 'app' THEN f.by_app WHEN 'worker' THEN f.by_worker ELSE f.by_app OR f.by_worker END`

export interface StepRow {
  /** Null for the whole time. */
  readonly step: string | null
  readonly active: number
  readonly fresh: number
}

/** How many were there in every step, and in all; of them those who had no event before it. */
export const steps = (sql: Sql, organizationId: Id<"org">, asked: Asked) => {
  const step = sql.literal(asked.interval === "week" ? "date_trunc('week', d.day::timestamp)::date" : "d.day")
  return sql<StepRow>`WITH once AS MATERIALIZED (
      SELECT DISTINCT ${step} AS step, d.user_id, f.day AS first_day
      FROM (${days(sql, organizationId, asked)}) d
      JOIN telemetry_first_days f ON f.organization_id = ${organizationId} AND f.user_id = d.user_id)
    SELECT step::text AS step, count(*)::int AS active,
      count(*) FILTER (WHERE first_day >= greatest(step, ${asked.from}::date))::int AS fresh
    FROM once GROUP BY step
    UNION ALL
    SELECT NULL, count(*)::int, count(*) FILTER (WHERE first_day >= ${asked.from}::date)::int
    FROM (SELECT DISTINCT user_id, first_day FROM once) o`
}

export const counts = (sql: Sql, organizationId: Id<"org">, asked: Asked) =>
  sql<{ members: number; app: number; worker: number }>`WITH seen AS (
      SELECT user_id, bool_or(by_app) AS by_app, bool_or(by_worker) AS by_worker
      FROM (${days(sql, organizationId, asked)}) d GROUP BY user_id)
    SELECT (SELECT count(*)::int FROM (${people(sql, organizationId, asked.teamId)}) p) AS members,
      (SELECT count(*)::int FROM seen WHERE by_app) AS app, (SELECT count(*)::int FROM seen WHERE by_worker) AS worker`.pipe(
    Effect.map((rows) => rows[0] ?? { members: 0, app: 0, worker: 0 })
  )

export const byTeam = (sql: Sql, organizationId: Id<"org">, asked: Asked, limit: number) =>
  sql<{ id: Id<"tem">; name: string; members: number; active: number }>`WITH seen AS MATERIALIZED (
      SELECT DISTINCT d.id FROM (${days(sql, organizationId, asked)}) d)
    SELECT t.id, t.name, count(m.id)::int AS members, count(s.id)::int AS active
    FROM teams t
    LEFT JOIN team_members tm ON tm.organization_id = t.organization_id AND tm.team_id = t.id
    LEFT JOIN memberships m ON m.organization_id = t.organization_id AND m.id = tm.membership_id AND m.removed_at IS NULL
    LEFT JOIN seen s ON s.id = m.id
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
      AND (${asked.teamId}::text IS NULL OR t.id = ${asked.teamId})
    GROUP BY t.id, t.name ORDER BY 4 DESC, t.id LIMIT ${limit}`

export const byDimension = (sql: Sql, organizationId: Id<"org">, asked: Asked, limit: number) =>
  sql<{ value: string; label: string | null; active: number; events: number }>`WITH used AS (
      SELECT f.dimension_value AS value, f.user_id, sum(f.events) AS events
      FROM telemetry_user_days f
      JOIN (${people(sql, organizationId, asked.teamId)}) p ON p.user_id = f.user_id
      WHERE f.organization_id = ${organizationId} AND f.dimension_type = ${asked.dimensionType}
        AND f.day BETWEEN ${asked.from}::date AND ${asked.to}::date
        AND (${asked.source}::text IS NULL OR f.source = ${asked.source})
      GROUP BY 1, 2),
    most AS (
      SELECT value, count(*)::int AS active, sum(events)::float8 AS events FROM used
      GROUP BY value ORDER BY 2 DESC, 3 DESC, value LIMIT ${limit})
    SELECT m.value, d.label, m.active, m.events FROM most m
    LEFT JOIN telemetry_dimensions d ON d.organization_id = ${organizationId} AND d.type = ${asked.dimensionType}
      AND d.value = m.value
    ORDER BY m.active DESC, m.events DESC, m.value`
