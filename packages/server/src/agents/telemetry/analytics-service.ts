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
import { TelemetrySummary } from "./summary.ts"

const dayMillis = 86_400_000
const daysDefault = 30
const seriesDefault = 10
const teamsMax = 100

/** The number of a day since 1970; undefined for what is none. */
const dayNumber = (text: string): number | undefined => {
  const millis = Date.parse(`${text}T00:00:00.000Z`)
  if (Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== text) return undefined
  return text >= "0001-01-01" ? millis / dayMillis : undefined
}
const dayText = (number: number) => new Date(number * dayMillis).toISOString().slice(0, 10)
/** The first of January 1970 was a Thursday. */
const mondayOf = (number: number) => number - ((((number + 3) % 7) + 7) % 7)

interface SpanQuery {
  readonly from?: string
  readonly to?: string
  readonly interval?: "day" | "week"
}

/** The days asked for, and the steps they fall into. */
const spanOf = Effect.fnUntraced(function* (query: SpanQuery) {
  const interval = query.interval ?? "day"
  const today = Math.floor((yield* Clock.currentTimeMillis) / dayMillis)
  const to = query.to === undefined ? today : dayNumber(query.to)
  if (to === undefined) return yield* InvalidRequest.at(["query", "to"], "is no day")
  const from = query.from === undefined ? to - daysDefault + 1 : dayNumber(query.from)
  if (from === undefined) return yield* InvalidRequest.at(["query", "from"], "is no day")
  if (from > to) return yield* InvalidRequest.at(["query", "from"], "is after `to`")
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

/** A duration between the one that its bucket begins with and the next bucket's. */
const middleOf = (from: number) => {
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

/** Telemetry, read: from the sums by day, never from the events. */
export class TelemetryAnalytics extends Context.Service<TelemetryAnalytics>()("@orgplane/server/telemetry/Analytics", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const summary = yield* TelemetrySummary

    /** The moment comes first: whatever is summed up meanwhile is in the answer too. */
    const generatedAt = Effect.map(summary.summedAt, iso)

    const dimensions = Effect.fnUntraced(function* (
      caller: Member,
      query: PageQuery & { readonly type?: string; readonly q?: string }
    ) {
      const { organizationId } = caller
      const { cursor: _cursor, limit: _limit, ...filters } = query
      const at = yield* generatedAt
      const page = yield* pages.read(
        { operation: "telemetry.dimensions", organizationId, filters },
        query,
        (after, limit) => repo.dimensions(sql, organizationId, filters, after === null ? null : Number(after), limit),
        (row) => String(row.id),
        repo.dimensionToWire
      )
      const types = yield* repo.dimensionTypes(sql, organizationId, Telemetry.typesMax)
      return { ...page, types, generatedAt: at }
    })

    const adopted = Effect.fnUntraced(function* (caller: Member, query: AdoptionQuery) {
      const { organizationId } = caller
      const { steps, ...span } = yield* spanOf(query)
      const asked: adoption.Asked = {
        ...span,
        source: query.source ?? null,
        teamId: query.teamId ?? null,
        dimensionType: query.dimensionType ?? null
      }
      const at = yield* generatedAt
      const rows = yield* adoption.steps(sql, organizationId, asked)
      const counts = yield* adoption.counts(sql, organizationId, asked)
      const teams = yield* adoption.byTeam(sql, organizationId, asked, teamsMax)
      const values =
        asked.dimensionType === null
          ? []
          : yield* adoption.byDimension(sql, organizationId, asked, Telemetry.dimensionValuesMax)
      const byStep = new Map(rows.map((row) => [row.step, row]))
      const told = (step: string | null) => {
        const { active, fresh } = byStep.get(step) ?? { active: 0, fresh: 0 }
        return { activeMembers: active, newMembers: fresh, returningMembers: active - fresh }
      }
      const sources = query.source === undefined ? (["app", "worker"] as const) : [query.source]
      const result: Telemetry.Adoption = {
        ...span,
        members: counts.members,
        ...told(null),
        series: steps.map((start) => ({ start, ...told(start) })),
        bySource: sources.map((source) => ({ source, activeMembers: counts[source] })),
        byTeam: teams.map(({ active, id, members, name }) => ({ teamId: id, name, members, activeMembers: active })),
        byDimension: values.map(({ active, events, label, value }) => ({ value, label, activeMembers: active, events }))
      }
      return { adoption: result, generatedAt: at }
    })

    /** What the keys of the groups are to people. */
    const namesOf = (organizationId: Id<"org">, asked: repo.Question, keys: ReadonlyArray<string>) => {
      switch (asked.grouping) {
        case "member":
          return repo.namesOfPeople(sql, organizationId, keys)
        case "team":
          return repo.namesOfTeams(sql, organizationId, keys)
        case "dimension":
          return repo.namesOfValues(sql, organizationId, asked.dimensionType ?? "", keys)
        case "type":
        case "source":
        case null:
          return Effect.succeed<ReadonlyArray<repo.Name>>(keys.map((key) => ({ key, id: key, label: null })))
      }
    }

    /** The question as the sums can answer it. */
    const questionOf = Effect.fnUntraced(function* (query: AnalyticsQuery, span: repo.Span) {
      const measure = query.measure ?? "events"
      const grouped = query.groupBy?.startsWith("dimension:") ? query.groupBy.slice("dimension:".length) : undefined
      const grouping = (grouped === undefined ? (query.groupBy ?? null) : "dimension") as repo.Grouping | null
      if ((query.dimensionType === undefined) !== (query.dimensionValue === undefined)) {
        const missing = query.dimensionType === undefined ? "dimensionType" : "dimensionValue"
        return yield* InvalidRequest.at(["query", missing], "is needed with the other of the two")
      }
      if (grouped !== undefined && query.dimensionType !== undefined && query.dimensionType !== grouped) {
        return yield* InvalidRequest.at(["query", "groupBy"], "cannot group by one dimension within another")
      }
      const isOfPeople =
        grouping === "team" ||
        grouping === "member" ||
        query.teamId !== undefined ||
        query.orgMembershipId !== undefined
      if (isOfPeople && (measure === "durationP50" || measure === "durationP95")) {
        return yield* InvalidRequest.at(["query", "measure"], "is not kept by team or member")
      }
      const question: repo.Question = {
        ...span,
        measure,
        grouping,
        limit: query.top ?? seriesDefault,
        type: query.type ?? null,
        source: query.source ?? null,
        teamId: query.teamId ?? null,
        membershipId: query.orgMembershipId ?? null,
        dimensionType: grouped ?? query.dimensionType ?? null,
        dimensionValue: query.dimensionValue ?? null
      }
      return question
    })

    const measured = Effect.fnUntraced(function* (caller: Member, query: AnalyticsQuery) {
      const { organizationId } = caller
      const { steps, ...span } = yield* spanOf(query)
      const asked = yield* questionOf(query, span)
      const at = yield* generatedAt
      const isPercentile = asked.measure === "durationP50" || asked.measure === "durationP95"
      const isCounted = Telemetry.measures[asked.measure] === "count" || asked.measure === "durationSum"
      const valueOf = (cell: repo.Cell | undefined) => {
        if (cell?.value === undefined || cell.value === null) return isCounted ? 0 : null
        return isPercentile ? middleOf(cell.value) : cell.value
      }
      const line = (cells: ReadonlyArray<repo.Cell>) => {
        const byStep = new Map(cells.map((cell) => [cell.step, cell]))
        return { total: valueOf(byStep.get(null)), values: steps.map((step) => valueOf(byStep.get(step))) }
      }
      // Groups by a dimension leave events without it out, which the figure of all does not.
      const all = yield* repo.cells(sql, organizationId, {
        ...asked,
        grouping: null,
        ...(asked.dimensionValue === null ? { dimensionType: null } : {})
      })
      const cells = asked.grouping === null ? [] : yield* repo.cells(sql, organizationId, asked)
      const groups = Map.groupBy(cells, ({ key }) => key)
      const keys = [...groups.keys()].filter((key) => key !== null)
      const names = new Map((yield* namesOf(organizationId, asked, keys)).map((name) => [name.key, name]))
      const series = [...groups].map(([key, of]) => {
        const name = key === null ? undefined : names.get(key)
        return { key: name?.id ?? (asked.grouping === "member" ? null : key), label: name?.label ?? null, ...line(of) }
      })
      const result: Telemetry.Analytics = {
        measure: asked.measure,
        unit: Telemetry.measures[asked.measure],
        ...span,
        groupBy: query.groupBy ?? null,
        steps,
        ...line(all),
        groups: cells[0]?.groups ?? 0,
        series: series.toSorted(
          (a, b) =>
            (b.total ?? Number.NEGATIVE_INFINITY) - (a.total ?? Number.NEGATIVE_INFINITY) ||
            // What is of no group comes last of its equals.
            Number(a.key === null) - Number(b.key === null) ||
            ((a.key ?? "") < (b.key ?? "") ? -1 : 1)
        )
      }
      return { analytics: result, generatedAt: at }
    })

    return { dimensions, adoption: adopted, analytics: measured } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
