import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { type Cover, coverOf, type DayRange, daysOf, periodDays, periodOf, type Span } from "./periods.ts"

export type Source = "app" | "worker"

const sums = ["events", "succeeded", "failed", "durations", "duration_sum"]

/** A day by its number. */
const day = (sql: Sql, number: number) => sql`(DATE '0001-01-01' + ${number}::int)`

/** The sums of a row of `telemetry_user_totals` or `telemetry_user_periods` for a source, or for both. */
export const sumsOf = (sql: Sql, source: Source | null, sign: 1 | -1 = 1) => {
  const valueOf = { app: "f.app_@", worker: "f.@ - f.app_@", both: "f.@" }[source ?? "both"]
  return sql.literal(
    sums.map((name) => `${sign === 1 ? "" : "-"}(${valueOf.replaceAll("@", name)}) AS ${name}`).join(", ")
  )
}

/** The days on which a row of `telemetry_user_periods` had events of the source, as bits. */
const bitsOf = (source: Source | null) =>
  ({ app: "f.app_days", worker: "f.worker_days", both: "(f.app_days | f.worker_days)" })[source ?? "both"]

/** Whether a row belongs to a period with days of the range. */
export const inPeriods = (sql: Sql, span: Span) => {
  const { from, to } = daysOf(span)
  return sql`f.period BETWEEN ${day(sql, periodOf(from))} AND ${day(sql, periodOf(to))}`
}

/** The days of the range on which a row of `telemetry_user_periods` had events of the source, as bits. */
export const activeDays = (sql: Sql, span: Span, source: Source | null) =>
  sql`(${sql.literal(bitsOf(source))} & ((1 << (least(${span.to}::date - f.period, 27) + 1)) - 1)
    & ~((1 << greatest(${span.from}::date - f.period, 0)) - 1))`

/**
 * For each step of a period, the number of rows with an active day in it, from the column `days`. `condition` is
 * evaluated for the first day of each step.
 */
export const countSteps = (
  sql: Sql,
  interval: Span["interval"],
  condition: (firstDay: string) => string = () => "true"
) => {
  const width = widthOf(interval)
  const counts = Array.from({ length: periodDays / width }, (_, index) => {
    const bits = ((2 ** width - 1) << (index * width)) >>> 0
    return `count(*) FILTER (WHERE days & ${bits} <> 0 AND ${condition(`period + ${index * width}`)})`
  })
  return sql.literal(`ARRAY[${counts.join(", ")}]`)
}

export const widthOf = (interval: Span["interval"]) => (interval === "week" ? 7 : 1)

/** How to cover the range with stored periods and days. */
export const findCover = (sql: Sql, organizationId: Id<"org">, span: Span) => {
  const range = daysOf(span)
  const ofPeriod = (number: number) =>
    sql`day BETWEEN ${day(sql, periodOf(number))} AND ${day(sql, periodOf(number) + periodDays - 1)}`
  return sql<{ number: number }>`SELECT DISTINCT day - DATE '0001-01-01' AS number FROM telemetry_days
    WHERE organization_id = ${organizationId} AND dimension_type = '' AND (${ofPeriod(range.from)} OR ${ofPeriod(range.to)})`.pipe(
    Effect.map((rows) =>
      coverOf(
        range,
        rows.map(({ number }) => number)
      )
    )
  )
}

export interface SummedRows {
  readonly source: Source | null
  /** Empty for events with and without dimensions. */
  readonly dimensionType: string
  /** Null for all values. */
  readonly dimensionValue: string | null
  /** The empty type counts events of all types; other types require the empty dimension. */
  readonly types: ReadonlyArray<string>
}

/**
 * Rows of sums by user, type and dimension value, which add up to the sums of the range. Rows to subtract are negative,
 * so a group without events can appear with a sum of zero.
 */
export const rowsOf = (sql: Sql, organizationId: Id<"org">, { edges, periods }: Cover, query: SummedRows) => {
  const { dimensionType, dimensionValue, source } = query
  const typed = query.types.filter((type) => type !== "")
  const columns = sql.literal("f.user_id, f.dimension_value")
  const matches = sql`f.dimension_type = ${dimensionType}
    AND (${dimensionValue}::text IS NULL OR f.dimension_value = ${dimensionValue})`
  const inRange = ({ from, to }: DayRange) => sql`f.day BETWEEN ${day(sql, from)} AND ${day(sql, to)}`
  const parts = [
    ...query.types.map(
      (type) => sql`SELECT ${columns}, f.type, ${sumsOf(sql, source)} FROM telemetry_user_periods f
      WHERE f.organization_id = ${organizationId} AND ${matches} AND f.type = ${type} AND f.period BETWEEN ${day(sql, periods.from)} AND ${day(sql, periods.to)}`
    ),
    ...edges.flatMap((edge) => [
      ...(typed.length === query.types.length
        ? []
        : [
            sql`SELECT ${columns}, '' AS type, ${sumsOf(sql, source, edge.sign)} FROM telemetry_user_totals f
              WHERE f.organization_id = ${organizationId} AND ${matches} AND ${inRange(edge)}`
          ]),
      ...typed.map(
        (type) => sql`SELECT ${columns}, f.type, ${sumsOf(sql, null, edge.sign)} FROM telemetry_user_days f
          WHERE f.organization_id = ${organizationId} AND ${matches} AND ${inRange(edge)} AND f.type = ${type} AND ${ofSource(sql, source)}`
      )
    ])
  ]
  return parts.reduce((all, part) => sql`${all} UNION ALL ${part}`)
}

const ofSource = (sql: Sql, source: Source | null) => sql`(${source}::text IS NULL OR f.source = ${source})`

/** The rows of sums of the user `n.user_id` on the day `e.day`, with their day. */
export const rowsOfDay = (sql: Sql, organizationId: Id<"org">, query: SummedRows) => {
  const typed = query.types.filter((type) => type !== "")
  const matches = sql`f.dimension_type = ${query.dimensionType} AND f.day = e.day
    AND f.dimension_value = ${query.dimensionValue ?? ""} AND f.user_id = n.user_id`
  const parts = [
    ...(typed.length === query.types.length
      ? []
      : [
          sql`SELECT f.day, '' AS type, ${sumsOf(sql, query.source)} FROM telemetry_user_totals f
            WHERE f.organization_id = ${organizationId} AND ${matches}`
        ]),
    ...typed.map(
      (type) => sql`SELECT f.day, f.type, ${sumsOf(sql, null)} FROM telemetry_user_days f
        WHERE f.organization_id = ${organizationId} AND ${matches} AND f.type = ${type} AND ${ofSource(sql, query.source)}`
    )
  ]
  return parts.reduce((all, part) => sql`${all} UNION ALL ${part}`)
}
