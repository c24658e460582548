import type { Dimension, Measure } from "@orgplane/schema/telemetry-analytics"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"

/** Days in UTC, both counted, in steps of a day or a week. */
export interface Span {
  readonly from: string
  readonly to: string
  readonly interval: "day" | "week"
}

export type Grouping = "type" | "source" | "team" | "member" | "dimension"

export interface Filters {
  readonly type: string | null
  readonly source: "app" | "worker" | null
  readonly teamId: Id<"tem"> | null
  readonly membershipId: Id<"om"> | null
  readonly dimensionType: string | null
  readonly dimensionValue: string | null
}

export interface Question extends Span, Filters {
  readonly measure: Measure
  /** Null for all events together. */
  readonly grouping: Grouping | null
  readonly limit: number
}

/** One figure: of a group, in a step; a step of null is the whole time. */
export interface Cell {
  readonly key: string | null
  readonly step: string | null
  readonly value: number | null
  /** How many groups there are. */
  readonly groups: number
}

/** The step of a day: itself, or the Monday of its week. */
const stepOf = (sql: Sql, interval: Span["interval"]) =>
  // Days are counted from a Monday. As a text it comes out at the end: rows are many, steps are few.
  sql.literal(interval === "week" ? "f.day - (f.day - DATE '0001-01-01') % 7" : "f.day")

/** Of what a row is counted towards; `tm` is there when it is the team. */
const keyOf = (sql: Sql, grouping: Grouping | null) => {
  switch (grouping) {
    case "type":
      return sql.literal("f.type")
    case "source":
      return sql.literal("f.source")
    case "team":
      return sql.literal("tm.team_id")
    case "member":
      return sql.literal("nullif(f.user_id, '')")
    case "dimension":
      return sql.literal("f.dimension_value")
    case null:
      return sql.literal("NULL::text")
  }
}

/** Who is in which team now: a row of somebody in two counts in both. */
const teamsOf = (sql: Sql, organizationId: Id<"org">) =>
  sql`LEFT JOIN (SELECT m.user_id, t.team_id FROM team_members t
      JOIN memberships m ON m.organization_id = t.organization_id AND m.id = t.membership_id AND m.removed_at IS NULL
      WHERE t.organization_id = ${organizationId}) tm ON tm.user_id = f.user_id`

const inSpan = (sql: Sql, { from, to }: Span) => sql`f.day BETWEEN ${from}::date AND ${to}::date`

const isMarked = (sql: Sql, { dimensionType, dimensionValue, grouping }: Question) => {
  const type = dimensionType ?? ""
  // Groups by a dimension carry its type in `dimensionType`; the figure of all is that of the rows without one.
  return grouping === "dimension"
    ? sql`f.dimension_type = ${type} AND (${dimensionValue}::text IS NULL OR f.dimension_value = ${dimensionValue})`
    : sql`f.dimension_type = ${type} AND f.dimension_value = ${dimensionValue ?? ""}`
}

const isOfKind = (sql: Sql, { source, type }: Filters) =>
  sql`(${type}::text IS NULL OR f.type = ${type}) AND (${source}::text IS NULL OR f.source = ${source})`

/** Only of the people asked for. */
const isOfPeople = (sql: Sql, organizationId: Id<"org">, { membershipId, teamId }: Filters) =>
  sql`(${teamId}::text IS NULL OR f.user_id IN (SELECT m.user_id FROM team_members t
      JOIN memberships m ON m.organization_id = t.organization_id AND m.id = t.membership_id AND m.removed_at IS NULL
      WHERE t.organization_id = ${organizationId} AND t.team_id = ${teamId}))
    AND (${membershipId}::text IS NULL OR f.user_id = (SELECT om.user_id FROM memberships om
      WHERE om.organization_id = ${organizationId} AND om.id = ${membershipId}))`

/** What is made of the sums of some rows. */
const valueOf = (sql: Sql, measure: Exclude<Measure, "users" | "durationP50" | "durationP95">) => {
  const events = (type: string) => `coalesce(sum(f.events) FILTER (WHERE f.type = '${type}'), 0)`
  switch (measure) {
    case "events":
      return sql.literal("coalesce(sum(f.events), 0)::float8")
    case "tasksStarted":
      return sql.literal(`${events("task.started")}::float8`)
    case "tasksCompleted":
      return sql.literal(`${events("task.completed")}::float8`)
    case "tasksFailed":
      return sql.literal(`${events("task.failed")}::float8`)
    case "taskSuccessRate":
      return sql.literal(
        `${events("task.completed")}::float8 / nullif(${events("task.completed")} + ${events("task.failed")}, 0)::float8`
      )
    case "successRate":
      return sql.literal("sum(f.succeeded)::float8 / nullif(sum(f.succeeded) + sum(f.failed), 0)::float8")
    case "durationSum":
      return sql.literal("coalesce(sum(f.duration_sum), 0)::float8")
    case "durationAverage":
      return sql.literal("sum(f.duration_sum)::float8 / nullif(sum(f.durations), 0)::float8")
  }
}

/** The figures of the largest groups, from cells named `cells (key, step, value)` before it. */
const largest = (sql: Sql, limit: number) =>
  sql`, named AS (
      SELECT key, count(*) OVER ()::int AS groups FROM cells WHERE step IS NULL
      ORDER BY value DESC NULLS LAST, key NULLS LAST LIMIT ${limit})
    SELECT c.key, c.step::text AS step, c.value, n.groups FROM cells c
    -- No key is empty, and equal texts are found by their hash.
    JOIN named n ON coalesce(n.key, '') = coalesce(c.key, '')`

/** Sums need no people unless it is about some. */
const fromSums = (sql: Sql, organizationId: Id<"org">, asked: Question) => {
  const needsPeople =
    asked.teamId !== null || asked.membershipId !== null || asked.grouping === "team" || asked.grouping === "member"
  if (!needsPeople) {
    return sql`FROM telemetry_days f
      WHERE f.organization_id = ${organizationId} AND ${isMarked(sql, asked)} AND ${inSpan(sql, asked)}
        AND ${isOfKind(sql, asked)}`
  }
  const teams = asked.grouping === "team" ? teamsOf(sql, organizationId) : sql.literal("")
  return sql`FROM telemetry_user_days f ${teams}
    WHERE f.organization_id = ${organizationId} AND ${isMarked(sql, asked)} AND ${inSpan(sql, asked)}
      AND ${isOfKind(sql, asked)} AND ${isOfPeople(sql, organizationId, asked)}`
}

/** People are counted once: from the few rows of their days, where nothing of their events is asked for. */
const fromPeople = (sql: Sql, organizationId: Id<"org">, asked: Question) => {
  const teams = asked.grouping === "team" ? teamsOf(sql, organizationId) : sql.literal("")
  const byDays =
    asked.type === null && asked.dimensionType === null && asked.grouping !== "type" && asked.grouping !== "source"
  if (byDays) {
    const flags = { app: "f.by_app", worker: "f.by_worker" } as const
    const had = sql.literal(asked.source === null ? "(f.by_app OR f.by_worker)" : flags[asked.source])
    return sql`FROM activity_days f ${teams}
      WHERE f.organization_id = ${organizationId} AND ${inSpan(sql, asked)} AND ${had}
        AND ${isOfPeople(sql, organizationId, asked)}`
  }
  return sql`FROM telemetry_user_days f ${teams}
    WHERE f.organization_id = ${organizationId} AND ${isMarked(sql, asked)} AND ${inSpan(sql, asked)}
      AND ${isOfKind(sql, asked)} AND f.user_id <> '' AND ${isOfPeople(sql, organizationId, asked)}`
}

/** The figure of every step and of the whole time: of each of the largest groups, or of all together. */
export const cells = (sql: Sql, organizationId: Id<"org">, asked: Question) => {
  const key = keyOf(sql, asked.grouping)
  const step = stepOf(sql, asked.interval)
  if (asked.measure === "users") {
    return sql<Cell>`WITH once AS MATERIALIZED (
        SELECT DISTINCT ${key} AS key, ${step} AS step, f.user_id ${fromPeople(sql, organizationId, asked)}),
      cells AS (
        SELECT key, step, count(*)::float8 AS value FROM once GROUP BY 1, 2
        UNION ALL
        SELECT key, NULL, count(*)::float8 FROM (SELECT DISTINCT key, user_id FROM once) o GROUP BY 1)
      ${largest(sql, asked.limit)}`
  }
  if (asked.measure === "durationP50" || asked.measure === "durationP95") {
    const share = asked.measure === "durationP50" ? 0.5 : 0.95
    return sql<Cell>`WITH counted AS (
        SELECT ${key} AS key, ${step} AS step, f.duration_from, sum(f.durations) AS durations
        FROM telemetry_duration_days f
        WHERE f.organization_id = ${organizationId} AND ${isMarked(sql, asked)} AND ${inSpan(sql, asked)}
          AND ${isOfKind(sql, asked)}
        GROUP BY 1, 2, 3),
      both_ways AS (
        SELECT key, step, duration_from, durations FROM counted
        UNION ALL
        SELECT key, NULL, duration_from, sum(durations) FROM counted GROUP BY key, duration_from),
      run AS (
        SELECT key, step, duration_from, sum(durations) OVER (PARTITION BY key, step ORDER BY duration_from) AS upto,
          sum(durations) OVER (PARTITION BY key, step) AS whole
        FROM both_ways),
      cells AS (
        SELECT key, step, (min(duration_from) FILTER (WHERE upto >= ceil(${share}::float8 * whole::float8)))::float8 AS value
        FROM run GROUP BY 1, 2)
      ${largest(sql, asked.limit)}`
  }
  return sql<Cell>`WITH cells AS (
      SELECT ${key} AS key, ${step} AS step, ${valueOf(sql, asked.measure)} AS value
      ${fromSums(sql, organizationId, asked)}
      GROUP BY GROUPING SETS ((1, 2), (1)))
    ${largest(sql, asked.limit)}`
}

export interface Name {
  readonly key: string
  readonly id: string | null
  readonly label: string | null
}

/** Of people the membership they have, or had last, and what they are called. */
export const namesOfPeople = (sql: Sql, organizationId: Id<"org">, userIds: ReadonlyArray<string>) =>
  sql<Name>`SELECT DISTINCT ON (m.user_id) m.user_id AS key, m.id, coalesce(u.name, u.email) AS label
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId}
      AND m.user_id IN (SELECT jsonb_array_elements_text(${sql.json(userIds)}))
    ORDER BY m.user_id, m.removed_at IS NULL DESC, m.id DESC`

export const namesOfTeams = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<string>) =>
  sql<Name>`SELECT id AS key, id, name AS label FROM teams
    WHERE organization_id = ${organizationId} AND id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`

export const namesOfValues = (sql: Sql, organizationId: Id<"org">, type: string, values: ReadonlyArray<string>) =>
  sql<Name>`SELECT value AS key, value AS id, label FROM telemetry_dimensions
    WHERE organization_id = ${organizationId} AND type = ${type}
      AND value IN (SELECT jsonb_array_elements_text(${sql.json(values)}))`

// Dimensions

export interface DimensionRow {
  readonly id: number
  readonly type: string
  readonly value: string
  readonly label: string | null
  readonly events: number
  readonly first_seen_at: Date
  readonly last_seen_at: Date
}

export const dimensionToWire = (row: DimensionRow): Dimension => ({
  type: row.type,
  value: row.value,
  label: row.label,
  events: row.events,
  firstSeenAt: iso(row.first_seen_at),
  lastSeenAt: iso(row.last_seen_at)
})

/** Rows that one statement searches for a text, so that other organizations are served in between. */
const lookedAtMax = 5000

/** A page of dimensions; a text search reads the organization's dimensions in batches until the page is full. */
export const dimensions = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly type?: string; readonly q?: string },
  before: number | null,
  limit: number
) =>
  Effect.gen(function* () {
    const found: Array<DimensionRow> = []
    for (let from = before; ;) {
      const rows = yield* sql<DimensionRow & { readonly last: number | null; readonly looked: number }>`
        WITH looked AS MATERIALIZED (
          SELECT id, type, value, label, events, first_seen_at, last_seen_at FROM telemetry_dimensions
          WHERE organization_id = ${organizationId} AND (${from}::bigint IS NULL OR id < ${from}::bigint)
            AND (${filters.type ?? null}::text IS NULL OR type = ${filters.type ?? null})
          ORDER BY id DESC LIMIT ${filters.q === undefined ? limit : lookedAtMax})
        SELECT e.last, e.looked, d.id, d.type, d.value, d.label, d.events, d.first_seen_at, d.last_seen_at
        FROM (SELECT min(id) AS last, count(*)::int AS looked FROM looked) e
        LEFT JOIN LATERAL (SELECT l.id, l.type, l.value, l.label, l.events, l.first_seen_at, l.last_seen_at FROM looked l
          WHERE ${filters.q ?? null}::text IS NULL OR l.value ILIKE ${contains(filters.q)}
            OR l.label ILIKE ${contains(filters.q)}
          ORDER BY l.id DESC LIMIT ${limit - found.length}) d ON true
        ORDER BY d.id DESC`
      const end = rows[0]
      found.push(...rows.filter((row) => row.id !== null))
      const isOver = filters.q === undefined || end === undefined || end.last === null || end.looked < lookedAtMax
      if (isOver || found.length >= limit) return found
      from = end.last
    }
  })

export const dimensionTypes = (sql: Sql, organizationId: Id<"org">, limit: number) =>
  sql<{
    type: string
    values: number
    events: number
  }>`SELECT type, count(*)::int AS values, sum(events)::float8 AS events
    FROM telemetry_dimensions WHERE organization_id = ${organizationId}
    GROUP BY type ORDER BY 3 DESC, type LIMIT ${limit}`
