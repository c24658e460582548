import type { Dimension, Measure } from "@orgplane/schema/telemetry-analytics"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import type { Span } from "./periods.ts"
import * as periods from "./periods-repo.ts"

export type Grouping = "type" | "source" | "team" | "member" | "dimension"

export interface Filters {
  readonly type: string | null
  readonly source: "app" | "worker" | null
  readonly teamId: Id<"tem"> | null
  readonly membershipId: Id<"om"> | null
  readonly dimensionType: string | null
  readonly dimensionValue: string | null
}

export interface MeasureQuery extends Span, Filters {
  readonly measure: Measure
  /** Null to return a single total. */
  readonly grouping: Grouping | null
  readonly limit: number
}

/** One value of a group in a step; a null step is the whole period. */
export interface Cell {
  readonly key: string | null
  readonly step: string | null
  readonly value: number | null
  /** The total number of groups. */
  readonly groups: number
}

/** The interval that contains a day: the day itself, or its week, identified by its Monday. */
const stepOf = (sql: Sql, interval: Span["interval"]) =>
  // 0001-01-01 is a Monday. The conversion to text happens at the end, because there are many rows but few intervals.
  sql.literal(interval === "week" ? "f.day - (f.day - DATE '0001-01-01') % 7" : "f.day")

/** The group of a row; for teams the statement must join `tm`. */
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

/** The current members of each team; a row of a member in two teams counts in both. */
const teamsOf = (sql: Sql, organizationId: Id<"org">) =>
  sql`LEFT JOIN (SELECT m.user_id, t.team_id FROM team_members t
      JOIN memberships m ON m.organization_id = t.organization_id AND m.id = t.membership_id AND m.removed_at IS NULL
      WHERE t.organization_id = ${organizationId}) tm ON tm.user_id = f.user_id`

const inSpan = (sql: Sql, { from, to }: Span) => sql`f.day BETWEEN ${from}::date AND ${to}::date`

const matchesDimension = (sql: Sql, { dimensionType, dimensionValue, grouping }: MeasureQuery) => {
  const type = dimensionType ?? ""
  // For groups by dimension, `dimensionType` is the type of the groups; totals are stored in rows without a dimension.
  return grouping === "dimension"
    ? sql`f.dimension_type = ${type} AND (${dimensionValue}::text IS NULL OR f.dimension_value = ${dimensionValue})`
    : sql`f.dimension_type = ${type} AND f.dimension_value = ${dimensionValue ?? ""}`
}

const matchesTypeAndSource = (sql: Sql, { source, type }: Filters) =>
  sql`(${type}::text IS NULL OR f.type = ${type}) AND (${source}::text IS NULL OR f.source = ${source})`

/** Restricts rows to the requested team and member. */
const matchesMembers = (sql: Sql, organizationId: Id<"org">, { membershipId, teamId }: Filters) =>
  sql`(${teamId}::text IS NULL OR f.user_id IN (SELECT m.user_id FROM team_members t
      JOIN memberships m ON m.organization_id = t.organization_id AND m.id = t.membership_id AND m.removed_at IS NULL
      WHERE t.organization_id = ${organizationId} AND t.team_id = ${teamId}))
    AND (${membershipId}::text IS NULL OR f.user_id = (SELECT om.user_id FROM memberships om
      WHERE om.organization_id = ${organizationId} AND om.id = ${membershipId}))`

type Sums = Exclude<Measure, "users" | "durationP50" | "durationP95">

/** Computes a measure from stored sums. */
const valueOf = (sql: Sql, measure: Sums) => {
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

/** The values of the largest groups, from the preceding CTE `cells (key, step, value)`. */
const largest = (sql: Sql, limit: number) =>
  sql`, named AS (
      SELECT key, count(*) OVER ()::int AS groups FROM cells WHERE step IS NULL
      ORDER BY value DESC NULLS LAST, key NULLS LAST LIMIT ${limit})
    SELECT c.key, c.step::text AS step, c.value, n.groups FROM cells c
    -- No key is empty, so coalesce is safe, and it allows a hash join.
    JOIN named n ON coalesce(n.key, '') = coalesce(c.key, '')`

const taskTypes: Partial<Record<Measure, ReadonlyArray<string>>> = {
  tasksStarted: ["task.started"],
  tasksCompleted: ["task.completed"],
  tasksFailed: ["task.failed"],
  taskSuccessRate: ["task.completed", "task.failed"]
}

/**
 * The types of the stored sums that a query on members needs. The first one determines which members have events: the
 * empty type counts events of all types.
 */
const typesOf = ({ measure, type }: MeasureQuery): ReadonlyArray<string> =>
  type === null ? ["", ...(taskTypes[measure] ?? [])] : [type]

/** Per-member rows are read only if the query concerns teams or members, and by type only if it concerns types. */
const fromSums = (sql: Sql, organizationId: Id<"org">, query: MeasureQuery) => {
  const needsMembers =
    query.teamId !== null || query.membershipId !== null || query.grouping === "team" || query.grouping === "member"
  if (!needsMembers) {
    return sql`FROM telemetry_days f
      WHERE f.organization_id = ${organizationId} AND ${matchesDimension(sql, query)} AND ${inSpan(sql, query)}
        AND ${matchesTypeAndSource(sql, query)}`
  }
  const teams = query.grouping === "team" ? teamsOf(sql, organizationId) : sql.literal("")
  const needsTypes = typesOf(query).some((type) => type !== "") || query.grouping === "type"
  if (!needsTypes && query.grouping !== "source") {
    return sql`FROM (SELECT f.dimension_type, f.dimension_value, f.day, f.user_id, ${periods.sumsOf(sql, query.source)}
        FROM telemetry_user_totals f WHERE f.organization_id = ${organizationId}) f ${teams}
      WHERE ${matchesDimension(sql, query)} AND ${inSpan(sql, query)} AND f.events > 0
        AND ${matchesMembers(sql, organizationId, query)}`
  }
  return sql`FROM telemetry_user_days f ${teams}
    WHERE f.organization_id = ${organizationId} AND ${matchesDimension(sql, query)} AND ${inSpan(sql, query)}
      AND ${matchesTypeAndSource(sql, query)} AND ${matchesMembers(sql, organizationId, query)}`
}

/** Users per group and step, each once. */
const usersOfSteps = (sql: Sql, organizationId: Id<"org">, query: MeasureQuery) => {
  const teams = query.grouping === "team" ? teamsOf(sql, organizationId) : sql.literal("")
  const hasPeriods =
    query.grouping !== "source" && (query.dimensionType === null || (query.type === null && query.grouping !== "type"))
  if (!hasPeriods) {
    return sql`once AS MATERIALIZED (
        SELECT DISTINCT ${keyOf(sql, query.grouping)} AS key, ${stepOf(sql, query.interval)} AS step, f.user_id
        FROM telemetry_user_days f ${teams}
        WHERE f.organization_id = ${organizationId} AND ${matchesDimension(sql, query)} AND ${inSpan(sql, query)}
          AND ${matchesTypeAndSource(sql, query)} AND f.user_id <> '' AND ${matchesMembers(sql, organizationId, query)}),
      counted AS (SELECT key, step, count(*) AS value FROM once GROUP BY 1, 2)`
  }
  const ofType =
    query.grouping === "type" && query.type === null ? sql`f.type <> ''` : sql`f.type = ${query.type ?? ""}`
  // A user has one row per group and period, so the rows of a period are counted without comparing users.
  return sql`once AS MATERIALIZED (
      SELECT ${keyOf(sql, query.grouping)} AS key, f.period, f.user_id,
        ${periods.activeDays(sql, query, query.source)} AS days
      FROM telemetry_user_periods f ${teams}
      WHERE f.organization_id = ${organizationId} AND ${matchesDimension(sql, query)} AND ${ofType}
        AND ${periods.inPeriods(sql, query)} AND ${periods.activeDays(sql, query, query.source)} <> 0
        AND f.user_id <> '' AND ${matchesMembers(sql, organizationId, query)}),
    counted AS (
      SELECT c.key, c.period + (s.n::int - 1) * ${periods.widthOf(query.interval)}::int AS step, s.value
      FROM (SELECT key, period, ${periods.countSteps(sql, query.interval)} AS steps FROM once GROUP BY 1, 2) c
      CROSS JOIN LATERAL unnest(c.steps) WITH ORDINALITY AS s (value, n) WHERE s.value > 0)`
}

/**
 * The values of the largest members. Their sums are read by period, and by day only at the ends of the range; only then
 * the days of the largest members are read.
 */
const cellsOfMembers = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  query: MeasureQuery,
  measure: Sums
) {
  const types = typesOf(query)
  const summed: periods.SummedRows = {
    source: query.source,
    dimensionType: query.dimensionType ?? "",
    dimensionValue: query.dimensionValue ?? "",
    types
  }
  const cover = yield* periods.findCover(sql, organizationId, query)
  const value = valueOf(sql, measure)
  return yield* sql<Cell>`WITH totals AS MATERIALIZED (
      SELECT f.user_id, ${value} AS value FROM (${periods.rowsOf(sql, organizationId, cover, summed)}) f
      WHERE ${matchesMembers(sql, organizationId, query)}
      GROUP BY f.user_id HAVING sum(f.events) FILTER (WHERE f.type = ${types[0]}) > 0),
    named AS MATERIALIZED (
      SELECT user_id, ${keyOf(sql, "member")} AS key, value, count(*) OVER ()::int AS groups FROM totals f
      ORDER BY value DESC NULLS LAST, key NULLS LAST LIMIT ${query.limit}),
    -- Each user and day is looked up by the primary key.
    steps AS (
      SELECT n.user_id, ${stepOf(sql, query.interval)} AS step, ${value} AS value
      FROM named n CROSS JOIN (
        SELECT r.first + i AS day
        FROM (SELECT greatest(min(day), ${query.from}::date) AS first, least(max(day), ${query.to}::date) AS last
          FROM telemetry_days WHERE organization_id = ${organizationId} AND dimension_type = '') r
        CROSS JOIN LATERAL generate_series(0, r.last - r.first) i) e
      CROSS JOIN LATERAL (${periods.rowsOfDay(sql, organizationId, summed)} OFFSET 0) f
      GROUP BY 1, 2)
    SELECT key, NULL AS step, value, groups FROM named
    UNION ALL
    SELECT n.key, s.step::text, s.value, n.groups FROM steps s JOIN named n ON n.user_id = s.user_id`
})

/** The values per step and for the whole period, of each of the largest groups or in total. */
export const cells = (sql: Sql, organizationId: Id<"org">, query: MeasureQuery) => {
  const key = keyOf(sql, query.grouping)
  const step = stepOf(sql, query.interval)
  if (query.measure === "users") {
    return sql<Cell>`WITH ${usersOfSteps(sql, organizationId, query)},
      cells AS (
        SELECT key, step, value::float8 AS value FROM counted
        UNION ALL
        SELECT key, NULL, count(*)::float8 FROM (SELECT DISTINCT key, user_id FROM once) o GROUP BY 1)
      ${largest(sql, query.limit)}`
  }
  if (query.measure === "durationP50" || query.measure === "durationP95") {
    const quantile = query.measure === "durationP50" ? 0.5 : 0.95
    const values = (rows: "totals" | "steps") =>
      sql`SELECT key, step, (min(duration_from) FILTER (WHERE upto >= ceil(${quantile}::float8 * whole)))::float8 AS value
        FROM (SELECT key, step, duration_from, sum(durations) OVER (PARTITION BY key, step ORDER BY duration_from) AS upto,
            sum(durations) OVER (PARTITION BY key, step) AS whole
          FROM ${sql.literal(rows)}) r
        GROUP BY 1, 2`
    // The steps of groups that are not among the largest are not computed.
    return sql<Cell>`WITH counted AS MATERIALIZED (
        SELECT ${key} AS key, ${step} AS step, f.duration_from, sum(f.durations)::float8 AS durations
        FROM telemetry_duration_days f
        WHERE f.organization_id = ${organizationId} AND ${matchesDimension(sql, query)} AND ${inSpan(sql, query)}
          AND ${matchesTypeAndSource(sql, query)}
        GROUP BY 1, 2, 3),
      totals AS (SELECT key, NULL::date AS step, duration_from, sum(durations) AS durations FROM counted GROUP BY 1, 3),
      named AS MATERIALIZED (
        SELECT key, value, count(*) OVER ()::int AS groups FROM (${values("totals")}) t
        ORDER BY value DESC NULLS LAST, key NULLS LAST LIMIT ${query.limit}),
      steps AS (
        SELECT c.key, c.step, c.duration_from, c.durations FROM counted c
        JOIN named n ON coalesce(n.key, '') = coalesce(c.key, ''))
      SELECT key, NULL AS step, value, groups FROM named
      UNION ALL
      SELECT s.key, s.step::text, s.value, n.groups FROM (${values("steps")}) s
      JOIN named n ON coalesce(n.key, '') = coalesce(s.key, '')`
  }
  // Rows of one dimension value and type are not summed by period.
  if (query.grouping === "member" && (query.dimensionType === null || typesOf(query).every((type) => type === ""))) {
    return cellsOfMembers(sql, organizationId, query, query.measure)
  }
  return sql<Cell>`WITH cells AS (
      SELECT ${key} AS key, ${step} AS step, ${valueOf(sql, query.measure)} AS value
      ${fromSums(sql, organizationId, query)}
      GROUP BY GROUPING SETS ((1, 2), (1)))
    ${largest(sql, query.limit)}`
}

export interface Name {
  readonly key: string
  readonly id: string | null
  readonly label: string | null
}

/** The current or last membership of each user, and the user's name. */
export const namesOfMembers = (sql: Sql, organizationId: Id<"org">, userIds: ReadonlyArray<string>) =>
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

/** The maximum number of rows that one statement searches, so that other requests are served in between. */
const searchRowsMax = 5000

/** A page of dimensions; a text search reads the organization's dimensions in batches until the page is full. */
export const listDimensions = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly type?: string; readonly q?: string },
  before: number | null,
  limit: number
) =>
  Effect.gen(function* () {
    const matches: Array<DimensionRow> = []
    for (let from = before; ;) {
      const rows = yield* sql<DimensionRow & { readonly last: number | null; readonly searched: number }>`
        WITH searched AS MATERIALIZED (
          SELECT id, type, value, label, events, first_seen_at, last_seen_at FROM telemetry_dimensions
          WHERE organization_id = ${organizationId} AND (${from}::bigint IS NULL OR id < ${from}::bigint)
            AND (${filters.type ?? null}::text IS NULL OR type = ${filters.type ?? null})
          ORDER BY id DESC LIMIT ${filters.q === undefined ? limit : searchRowsMax})
        SELECT e.last, e.searched, d.id, d.type, d.value, d.label, d.events, d.first_seen_at, d.last_seen_at
        FROM (SELECT min(id) AS last, count(*)::int AS searched FROM searched) e
        LEFT JOIN LATERAL (SELECT l.id, l.type, l.value, l.label, l.events, l.first_seen_at, l.last_seen_at FROM searched l
          WHERE ${filters.q ?? null}::text IS NULL OR l.value ILIKE ${contains(filters.q)}
            OR l.label ILIKE ${contains(filters.q)}
          ORDER BY l.id DESC LIMIT ${limit - matches.length}) d ON true
        ORDER BY d.id DESC`
      const end = rows[0]
      matches.push(...rows.filter((row) => row.id !== null))
      const isComplete =
        filters.q === undefined || end === undefined || end.last === null || end.searched < searchRowsMax
      if (isComplete || matches.length >= limit) return matches
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
