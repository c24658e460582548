/** Telemetry reports: dimensions, adoption and analytics of events. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { optionalDay, Text, Timestamp, UtcDay as Day } from "./shared/values.ts"

const GeneratedAt = Timestamp.annotate({
  description: "All events acknowledged before this time are counted. Later events might not be."
})

const dateRange = {
  from: optionalDay("The first UTC date. Default: 29 days before `to`."),
  to: optionalDay("The last UTC date, inclusive. Default: today.")
}
const Interval = Schema.Literals(["day", "week"]).annotate({
  description: "The length of each step. Weeks start on Monday. Default: `day`."
})
const Source = Schema.Literals(["app", "worker"])
const Count = Schema.Int

export const DimensionType = Schema.Struct({
  type: Schema.String,
  values: Count.annotate({ description: "The number of different values." }),
  events: Count.annotate({ description: "The number of events with this dimension, counted once per value." })
}).annotate({ identifier: "SeenDimensionType" })

export const Dimension = Schema.Struct({
  type: Schema.String,
  value: Schema.String,
  label: Schema.NullOr(Schema.String).annotate({ description: "The label of the latest event that had one." }),
  events: Count,
  firstSeenAt: Timestamp.annotate({ description: "When its earliest event happened." }),
  lastSeenAt: Timestamp.annotate({ description: "When its latest event happened." })
}).annotate({ identifier: "SeenDimension" })
export type Dimension = typeof Dimension.Type

export const typesMax = 100

export const Dimensions = Schema.Struct({
  ...Page(Dimension).fields,
  types: Schema.Array(DimensionType).annotate({
    description: `All dimension types, most used first; at most ${typesMax}. Not affected by filters.`
  }),
  generatedAt: GeneratedAt
}).annotate({ identifier: "SeenDimensions" })

export const AdoptionStep = Schema.Struct({
  start: Day.annotate({ description: "The day, or the Monday of the week." }),
  activeMembers: Count.annotate({ description: "Members with an accepted event in this period." }),
  newMembers: Count.annotate({ description: "Active members whose first event is in this period." }),
  returningMembers: Count.annotate({ description: "Active members who had an event before this period." })
}).annotate({ identifier: "AdoptionStep" })

const teamsMax = 100
export const dimensionValuesMax = 100

export const Adoption = Schema.Struct({
  from: Day,
  to: Day,
  interval: Schema.Literals(["day", "week"]),
  members: Count.annotate({ description: "Current members of the organization, or of the team in `teamId`." }),
  activeMembers: Count.annotate({ description: "Members with an accepted event in the whole range." }),
  newMembers: Count,
  returningMembers: Count,
  series: Schema.Array(AdoptionStep),
  bySource: Schema.Array(Schema.Struct({ source: Source, activeMembers: Count })),
  byTeam: Schema.Array(
    Schema.Struct({ teamId: Ids.TeamId, name: Schema.String, members: Count, activeMembers: Count })
  ).annotate({
    description: `The teams with the most active members; at most ${teamsMax}. A member of several teams is counted in each of them.`
  }),
  byDimension: Schema.Array(
    Schema.Struct({
      value: Schema.String,
      label: Schema.NullOr(Schema.String),
      activeMembers: Count.annotate({ description: "Members with an event that has the value." }),
      events: Count.annotate({ description: "The number of those events." })
    })
  ).annotate({
    description: `The values of \`dimensionType\` with the most active members; at most ${dimensionValuesMax}. Empty without \`dimensionType\`.`
  })
}).annotate({ identifier: "Adoption" })
export type Adoption = typeof Adoption.Type

/** The measures and their units. */
export const measures = {
  events: "count",
  users: "count",
  tasksStarted: "count",
  tasksCompleted: "count",
  tasksFailed: "count",
  taskSuccessRate: "ratio",
  successRate: "ratio",
  durationSum: "milliseconds",
  durationAverage: "milliseconds",
  durationP50: "milliseconds",
  durationP95: "milliseconds"
} as const
export type Measure = keyof typeof measures
const measureNames = Object.keys(measures) as ReadonlyArray<Measure>

const Value = Schema.NullOr(Schema.Finite).annotate({
  description: "Null if the denominator of a ratio is zero, or if no event has a duration."
})

export const AnalyticsSeries = Schema.Struct({
  key: Schema.NullOr(Schema.String).annotate({
    description: "The type, source, team, membership or value of the group. Null for events without one."
  }),
  label: Schema.NullOr(Schema.String).annotate({ description: "The display name of the group." }),
  total: Value,
  values: Schema.Array(Value).annotate({ description: "One value for each step." })
}).annotate({ identifier: "AnalyticsSeries" })

export const Analytics = Schema.Struct({
  measure: Schema.Literals(measureNames),
  unit: Schema.Literals(["count", "ratio", "milliseconds"]),
  from: Day,
  to: Day,
  interval: Schema.Literals(["day", "week"]),
  groupBy: Schema.NullOr(Schema.String),
  steps: Schema.Array(Day).annotate({ description: "The days, or the Mondays of the weeks." }),
  total: Value.annotate({ description: "The total of all matching events. It is not the sum of the groups." }),
  values: Schema.Array(Value).annotate({ description: "The total for each step." }),
  groups: Count.annotate({ description: "The number of groups. `series` contains the largest ones." }),
  series: Schema.Array(AnalyticsSeries)
}).annotate({ identifier: "Analytics" })
export type Analytics = typeof Analytics.Type

export const seriesMax = 50
/** Maximum number of days or weeks in a response. */
export const stepsMax = 400
const groupBy = /^(?:type|source|team|member|dimension:[\s\S]{1,64})$/u

const read = Access.permission("analytics:read")

/** The reporting operations of the group `telemetry`. */
export const endpoints = [
  HttpApiEndpoint.get("dimensions", "/v1/telemetry/dimensions", {
    query: {
      ...pageQuery,
      type: Schema.optionalKey(Text(1, 64).annotate({ description: "Only dimensions of this type." })),
      q: Schema.optionalKey(
        Text(1, 128).annotate({ description: "Filter by part of the value or label. Case-insensitive." })
      )
    },
    success: Dimensions
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "List event dimensions",
      description:
        "Returns dimension types and their values, with the number of events and the time of the latest one. Values are sorted by when the server first stored them, newest first. Events past the retention period are not counted."
    })
  ),
  HttpApiEndpoint.get("adoption", "/v1/telemetry/adoption", {
    query: {
      ...dateRange,
      interval: Schema.optionalKey(Interval),
      source: Schema.optionalKey(Source.annotate({ description: "Only events from this source." })),
      teamId: Schema.optionalKey(Ids.TeamId.annotate({ description: "Only current members of this team." })),
      dimensionType: Schema.optionalKey(
        Text(1, 64).annotate({
          description:
            "Also returns the number of members who use each value of this dimension, such as `skill` or `model`."
        })
      )
    },
    success: Schema.Struct({ adoption: Adoption, generatedAt: GeneratedAt })
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Get adoption metrics",
      description: `Counts active, new and returning members by day or week, source, team and dimension. At most ${stepsMax} days or weeks. Only current members are counted.`
    })
  ),
  HttpApiEndpoint.get("analytics", "/v1/telemetry/analytics", {
    query: {
      measure: Schema.optionalKey(
        Schema.Literals(measureNames).annotate({
          description:
            "What to measure. The percentiles `durationP50` (the median) and `durationP95` are accurate to within 4%. Default: `events`."
        })
      ),
      groupBy: Schema.optionalKey(
        Text(4, 74)
          .check(Schema.isPattern(groupBy, { message: "must be type, source, team, member, or dimension:<type>" }))
          .annotate({
            description: "The field to group by: `type`, `source`, `team`, `member`, or `dimension:<type>`."
          })
      ),
      interval: Schema.optionalKey(Interval),
      ...dateRange,
      type: Schema.optionalKey(Text(1, 64).annotate({ description: "Only events of this type." })),
      source: Schema.optionalKey(Source.annotate({ description: "Only events from this source." })),
      teamId: Schema.optionalKey(Ids.TeamId.annotate({ description: "Only events of current members of this team." })),
      orgMembershipId: Schema.optionalKey(
        Ids.OrgMembershipId.annotate({ description: "Only events of this member, including a former member." })
      ),
      dimensionType: Schema.optionalKey(
        Text(1, 64).annotate({ description: "Only events with this dimension. Requires `dimensionValue`." })
      ),
      dimensionValue: Schema.optionalKey(
        Text(1, 128).annotate({ description: "Only events with this value. Requires `dimensionType`." })
      ),
      top: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: seriesMax })).annotate({
          description: "Maximum number of groups, largest first. Default: 10."
        })
      )
    },
    success: Schema.Struct({ analytics: Analytics, generatedAt: GeneratedAt })
  }).pipe(
    endpointMetadata({
      access: read,
      plan: "analytics",
      summary: "Get event analytics",
      description: `Measures events by day or week, in total or by group, with filters. At most ${stepsMax} days or weeks. Percentiles by team or member, and grouping by one dimension while filtering by another, are not supported (400).`
    })
  )
] as const
