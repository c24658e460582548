import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Telemetry from "@orgplane/schema/telemetry-analytics"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import * as adoption from "./adoption-repo.ts"
import * as repo from "./analytics-repo.ts"
import type { Span } from "./periods.ts"
import { TelemetrySummary } from "./summary.ts"

const dayMillis = 86_400_000
const daysDefault = 30
const seriesDefault = 10
const teamsMax = 100

/** The day number since 1970; undefined for an invalid date. */
const dayNumber = (text: string): number | undefined => {
  const millis = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== text) return undefined
  return text >= "0001-01-01" ? millis / dayMillis : undefined
}
const dayText = (number: number) => new Date(number * dayMillis).toISOString().slice(0, 10)
/** January 1, 1970 was a Thursday. */
const mondayOf = (number: number) => number - ((((number + 3) % 7) + 7) % 7)

interface SpanQuery {
  readonly from?: string
  readonly to?: string
  readonly interval?: "day" | "week"
}

/** The requested days and their steps. */
const spanOf = Effect.fnUntraced(function* (query: SpanQuery) {
  const interval = query.interval ?? "day"
  const today = Math.floor((yield* Clock.currentTimeMillis) / dayMillis)
  const to = query.to === undefined ? today : dayNumber(query.to)
  if (to === undefined) return yield* InvalidRequest.at(["query", "to"], "must be a date (YYYY-MM-DD)")
  const from = query.from === undefined ? to - daysDefault + 1 : dayNumber(query.from)
  if (from === undefined) return yield* InvalidRequest.at(["query", "from"], "must be a date (YYYY-MM-DD)")
  if (from > to) return yield* InvalidRequest.at(["query", "from"], "must not be after `to`")
  const width = interval === "week" ? 7 : 1
  const first = interval === "week" ? mondayOf(from) : from
  const count = Math.floor((to - first) / width) + 1
  if (count > Telemetry.stepsMax) {
    return yield* InvalidRequest.at(
      ["query", "from"],
      `is too far from \`to\`: at most ${Telemetry.stepsMax} ${interval}s`
    )
  }
  const steps = Array.from({ length: count }, (_, index) => dayText(first + index * width))
  return { from: dayText(from), to: dayText(to), interval, steps }
})

/** The midpoint of a duration bucket, given its start. */
const midpointOf = (from: number) => {
  const width = 2 ** Math.max(0, 32 - Math.clz32(from) - 5)
  return from + Math.floor((width - 1) / 2)
}

export interface AnalyticsQuery extends SpanQuery {
  readonly measure?: Telemetry.Measure
  readonly groupBy?: string
  readonly type?: string
  readonly source?: "app" | "worker"
  readonly teamId?: Id<"tem">
  readonly orgMembershipId?: Id<"om">
  readonly dimensionType?: string
  readonly dimensionValue?: string
  readonly top?: number
}

export interface AdoptionQuery extends SpanQuery {
  readonly source?: "app" | "worker"
  readonly teamId?: Id<"tem">
  readonly dimensionType?: string
}

/** Telemetry queries, which read daily sums and never individual events. */
export class TelemetryAnalyticsService extends Context.Service<TelemetryAnalyticsService>()(
  "@orgplane/server/telemetry/Analytics",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const summary = yield* TelemetrySummary

      /** The timestamp is read first, so the result includes everything that was aggregated before it. */
      const generatedAt = Effect.map(summary.summedAt, iso)

      const dimensions = Effect.fnUntraced(function* (
        caller: Member,
        query: PageQuery & { readonly type?: string; readonly q?: string }
      ) {
        const { organizationId } = caller
        const { cursor: _cursor, limit: _limit, ...filters } = query
        const at = yield* generatedAt
        const page = yield* pages.listBy(caller, query, {
          filters,
          rows: (after, limit) =>
            repo.listDimensions(sql, organizationId, filters, after === null ? null : Number(after), limit),
          idOf: (row) => String(row.id),
          toWire: repo.dimensionToWire
        })
        const types = yield* repo.dimensionTypes(sql, organizationId, Telemetry.typesMax)
        return { ...page, types, generatedAt: at }
      })

      const adoptionOf = Effect.fnUntraced(function* (caller: Member, query: AdoptionQuery) {
        const { organizationId } = caller
        const { steps, ...span } = yield* spanOf(query)
        const filters: adoption.AdoptionFilters = {
          ...span,
          source: query.source ?? null,
          teamId: query.teamId ?? null,
          dimensionType: query.dimensionType ?? null
        }
        const at = yield* generatedAt
        const rows = yield* adoption.steps(sql, organizationId, filters)
        const counts = yield* adoption.counts(sql, organizationId, filters)
        const teams = yield* adoption.byTeam(sql, organizationId, filters, teamsMax)
        const values =
          filters.dimensionType === null
            ? []
            : yield* adoption.byDimension(
                sql,
                organizationId,
                filters,
                filters.dimensionType,
                Telemetry.dimensionValuesMax
              )
        const byStep = new Map(rows.map((row) => [row.step, row]))
        const membersIn = (step: string | null) => {
          const { active, new_members } = byStep.get(step) ?? { active: 0, new_members: 0 }
          return { activeMembers: active, newMembers: new_members, returningMembers: active - new_members }
        }
        const sources = query.source === undefined ? (["app", "worker"] as const) : [query.source]
        const result: Telemetry.Adoption = {
          ...span,
          members: counts.members,
          ...membersIn(null),
          series: steps.map((start) => ({ start, ...membersIn(start) })),
          bySource: sources.map((source) => ({ source, activeMembers: counts[source] })),
          byTeam: teams.map(({ active, id, members, name }) => ({ teamId: id, name, members, activeMembers: active })),
          byDimension: values.map(({ active, events, label, value }) => ({
            value,
            label,
            activeMembers: active,
            events
          }))
        }
        return { adoption: result, generatedAt: at }
      })

      /** The IDs and labels of the group keys. */
      const namesOf = (organizationId: Id<"org">, filters: repo.MeasureQuery, keys: ReadonlyArray<string>) => {
        switch (filters.grouping) {
          case "member":
            return repo.namesOfMembers(sql, organizationId, keys)
          case "team":
            return repo.namesOfTeams(sql, organizationId, keys)
          case "dimension":
            return repo.namesOfValues(sql, organizationId, filters.dimensionType ?? "", keys)
          case "type":
          case "source":
          case null:
            return Effect.succeed<ReadonlyArray<repo.Name>>(keys.map((key) => ({ key, id: key, label: null })))
        }
      }

      /** The request as a query on the stored sums. */
      const measureQueryOf = Effect.fnUntraced(function* (query: AnalyticsQuery, span: Span) {
        const measure = query.measure ?? "events"
        const dimensionGroup = query.groupBy?.startsWith("dimension:")
          ? query.groupBy.slice("dimension:".length)
          : undefined
        const grouping = (dimensionGroup === undefined ? (query.groupBy ?? null) : "dimension") as repo.Grouping | null
        if ((query.dimensionType === undefined) !== (query.dimensionValue === undefined)) {
          const missing = query.dimensionType === undefined ? "dimensionType" : "dimensionValue"
          return yield* InvalidRequest.at(
            ["query", missing],
            "is required: dimensionType and dimensionValue must be used together"
          )
        }
        if (
          dimensionGroup !== undefined &&
          query.dimensionType !== undefined &&
          query.dimensionType !== dimensionGroup
        ) {
          return yield* InvalidRequest.at(
            ["query", "groupBy"],
            "must group by the same dimension type as dimensionType"
          )
        }
        const concernsMembers =
          grouping === "team" ||
          grouping === "member" ||
          query.teamId !== undefined ||
          query.orgMembershipId !== undefined
        if (concernsMembers && (measure === "durationP50" || measure === "durationP95")) {
          return yield* InvalidRequest.at(["query", "measure"], "is not available by team or member")
        }
        const measureQuery: repo.MeasureQuery = {
          ...span,
          measure,
          grouping,
          limit: query.top ?? seriesDefault,
          type: query.type ?? null,
          source: query.source ?? null,
          teamId: query.teamId ?? null,
          membershipId: query.orgMembershipId ?? null,
          dimensionType: dimensionGroup ?? query.dimensionType ?? null,
          dimensionValue: query.dimensionValue ?? null
        }
        return measureQuery
      })

      const analyticsOf = Effect.fnUntraced(function* (caller: Member, query: AnalyticsQuery) {
        const { organizationId } = caller
        const { steps, ...span } = yield* spanOf(query)
        const filters = yield* measureQueryOf(query, span)
        const at = yield* generatedAt
        const isPercentile = filters.measure === "durationP50" || filters.measure === "durationP95"
        const isCounted = Telemetry.measures[filters.measure] === "count" || filters.measure === "durationSum"
        const valueOf = (cell: repo.Cell | undefined) => {
          if (cell?.value === undefined || cell.value === null) return isCounted ? 0 : null
          return isPercentile ? midpointOf(cell.value) : cell.value
        }
        const seriesOf = (cells: ReadonlyArray<repo.Cell>) => {
          const byStep = new Map(cells.map((cell) => [cell.step, cell]))
          return { total: valueOf(byStep.get(null)), values: steps.map((step) => valueOf(byStep.get(step))) }
        }
        // Grouping by a dimension omits events without it; the total includes them.
        const all = yield* repo.cells(sql, organizationId, {
          ...filters,
          grouping: null,
          ...(filters.dimensionValue === null ? { dimensionType: null } : {})
        })
        const cells = filters.grouping === null ? [] : yield* repo.cells(sql, organizationId, filters)
        const groups = Map.groupBy(cells, ({ key }) => key)
        const keys = [...groups.keys()].filter((key) => key !== null)
        const names = new Map((yield* namesOf(organizationId, filters, keys)).map((name) => [name.key, name]))
        const series = [...groups].map(([key, of]) => {
          const name = key === null ? undefined : names.get(key)
          return {
            key: name?.id ?? (filters.grouping === "member" ? null : key),
            label: name?.label ?? null,
            ...seriesOf(of)
          }
        })
        const result: Telemetry.Analytics = {
          measure: filters.measure,
          unit: Telemetry.measures[filters.measure],
          ...span,
          groupBy: query.groupBy ?? null,
          steps,
          ...seriesOf(all),
          groups: cells[0]?.groups ?? 0,
          series: series.toSorted(
            (a, b) =>
              (b.total ?? Number.NEGATIVE_INFINITY) - (a.total ?? Number.NEGATIVE_INFINITY) ||
              // For equal values, rows without a group come last.
              Number(a.key === null) - Number(b.key === null) ||
              ((a.key ?? "") < (b.key ?? "") ? -1 : 1)
          )
        }
        return { analytics: result, generatedAt: at }
      })

      return { dimensions, adoption: adoptionOf, analytics: analyticsOf } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
