/** Telemetry, read: what was seen, who uses it, and figures by whatever the events tell apart. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** A day in UTC, as it is written everywhere. */
const day = /^\d{4}-\d\d-\d\d$/u
const Day = Schema.String.check(Schema.isPattern(day)).annotate({
  identifier: "UtcDay",
  description: "A day in UTC: `2026-03-01`."
})
const dayAsked = (description: string) =>
  Schema.optionalKey(
    Schema.String.check(Schema.isPattern(day, { message: "must be a day: 2026-03-01" })).annotate({ description })
  )

const GeneratedAt = Timestamp.annotate({
  description: "Every event that was acknowledged before this moment is counted; later ones may be."
})

const between = {
  from: dayAsked("The first day, in UTC; 29 days before `to` unless told."),
  to: dayAsked("The last day, in UTC, which is counted too; today unless told.")
}
const Interval = Schema.Literals(["day", "week"]).annotate({ description: "Weeks begin on Monday; `day` unless told." })
const Source = Schema.Literals(["app", "worker"])
const Count = Schema.Int

export const DimensionType = Schema.Struct({
  type: Schema.String,
  values: Count.annotate({ description: "How many values it was seen with." }),
  events: Count.annotate({ description: "Events that had it, each once for each value." })
}).annotate({ identifier: "SeenDimensionType" })

export const Dimension = Schema.Struct({
  type: Schema.String,
  value: Schema.String,
  label: Schema.NullOr(Schema.String).annotate({ description: "As the latest event that had one called it." }),
  events: Count,
  firstSeenAt: Timestamp.annotate({ description: "When the earliest of its events happened." }),
  lastSeenAt: Timestamp.annotate({ description: "When the latest of its events happened." })
}).annotate({ identifier: "SeenDimension" })
export type Dimension = typeof Dimension.Type

export const typesMax = 100

export const Dimensions = Schema.Struct({
  ...Page(Dimension).fields,
  types: Schema.Array(DimensionType).annotate({
    description: `Every type that was seen, the most used first; at most ${typesMax}. Filters do not change it.`
  }),
  generatedAt: GeneratedAt
}).annotate({ identifier: "SeenDimensions" })

export const AdoptionStep = Schema.Struct({
  start: Day.annotate({ description: "The day, or the Monday of the week." }),
  activeMembers: Count.annotate({ description: "Members with an accepted event in it." }),
  newMembers: Count.annotate({ description: "Those of them whose first event of all lies in it." }),
  returningMembers: Count.annotate({ description: "Those of them who had an event before it." })
}).annotate({ identifier: "AdoptionStep" })

const teamsMax = 100
export const dimensionValuesMax = 100

export const Adoption = Schema.Struct({
  from: Day,
  to: Day,
  interval: Schema.Literals(["day", "week"]),
  members: Count.annotate({ description: "Members there are now: of the organization, or of the team asked for." }),
  activeMembers: Count.annotate({ description: "Those of them with an accepted event in the whole time." }),
  newMembers: Count,
  returningMembers: Count,
  series: Schema.Array(AdoptionStep),
  bySource: Schema.Array(Schema.Struct({ source: Source, activeMembers: Count })),
  byTeam: Schema.Array(
    Schema.Struct({ teamId: Ids.TeamId, name: Schema.String, members: Count, activeMembers: Count })
  ).annotate({
    description: `The teams with the most active members; at most ${teamsMax}. Who is in several counts in each.`
  }),
  byDimension: Schema.Array(
    Schema.Struct({
      value: Schema.String,
      label: Schema.NullOr(Schema.String),
      activeMembers: Count.annotate({ description: "Members with an event that had the value." }),
      events: Count.annotate({ description: "Their events that had it." })
    })
  ).annotate({
    description: `What most members use, of the \`dimensionType\` asked for; at most ${dimensionValuesMax}. Empty without one.`
  })
}).annotate({ identifier: "Adoption" })
export type Adoption = typeof Adoption.Type

/** What can be measured, in which unit, and how it reads. */
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
  description: "Null where there is nothing to divide, or no duration."
})

export const AnalyticsSeries = Schema.Struct({
  key: Schema.NullOr(Schema.String).annotate({
    description: "What the group is: a type, source, team, membership or value; null for events that are of none."
  }),
  label: Schema.NullOr(Schema.String).annotate({ description: "What people call it." }),
  total: Value,
  values: Schema.Array(Value).annotate({ description: "One for each of `steps`." })
}).annotate({ identifier: "AnalyticsSeries" })

export const Analytics = Schema.Struct({
  measure: Schema.Literals(measureNames),
  unit: Schema.Literals(["count", "ratio", "milliseconds"]),
  from: Day,
  to: Day,
  interval: Schema.Literals(["day", "week"]),
  groupBy: Schema.NullOr(Schema.String),
  steps: Schema.Array(Day).annotate({ description: "The days, or the Mondays of the weeks." }),
  total: Value.annotate({ description: "Of all events that fit, whatever they are grouped by: no sum of the groups." }),
  values: Schema.Array(Value).annotate({ description: "The same for each of `steps`." }),
  groups: Count.annotate({ description: "How many groups there are; the largest of them are in `series`." }),
  series: Schema.Array(AnalyticsSeries)
}).annotate({ identifier: "Analytics" })
export type Analytics = typeof Analytics.Type

export const seriesMax = 50
/** Days or weeks that one answer may have. */
export const stepsMax = 400
const groupBy = /^(?:type|source|team|member|dimension:[\s\S]{1,64})$/u

const read = Access.permission("analytics:read")

/** The reading operations of the group `telemetry`. */
export const endpoints = [
  HttpApiEndpoint.get("dimensions", "/v1/telemetry/dimensions", {
    query: {
      ...pageQuery,
      type: Schema.optionalKey(Text(1, 64).annotate({ description: "Only dimensions of this type." })),
      q: Schema.optionalKey(Text(1, 128).annotate({ description: "Part of value or label, in any case." }))
    },
    success: Dimensions
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "Lists what events were marked with: types of dimensions, their values, how often and when last.",
      description: "The values that were seen first last. What is past the retention of events is not counted."
    })
  ),
  HttpApiEndpoint.get("adoption", "/v1/telemetry/adoption", {
    query: {
      ...between,
      interval: Schema.optionalKey(Interval),
      source: Schema.optionalKey(Source.annotate({ description: "Only events of this source." })),
      teamId: Schema.optionalKey(Ids.TeamId.annotate({ description: "Only members who are in this team now." })),
      dimensionType: Schema.optionalKey(
        Text(1, 64).annotate({ description: "Tells by how many members each of its values is used: `skill`, `model`." })
      )
    },
    success: Schema.Struct({ adoption: Adoption, generatedAt: GeneratedAt })
  }).pipe(
    endpointMetadata({
      access: read,
      summary: "Tells how many of the members use what is there: by day or week, source, team and dimension.",
      description: `At most ${stepsMax} days or weeks. Everything is about those who are members now.`
    })
  ),
  HttpApiEndpoint.get("analytics", "/v1/telemetry/analytics", {
    query: {
      measure: Schema.optionalKey(
        Schema.Literals(measureNames).annotate({
          description:
            "What is measured; `events` unless told. Durations at the median (`durationP50`) and the 95th percentile are told to 4 %."
        })
      ),
      groupBy: Schema.optionalKey(
        Text(4, 74)
          .check(Schema.isPattern(groupBy, { message: "must be type, source, team, member, or dimension:<type>" }))
          .annotate({ description: "`type`, `source`, `team`, `member`, or `dimension:<type>`." })
      ),
      interval: Schema.optionalKey(Interval),
      ...between,
      type: Schema.optionalKey(Text(1, 64).annotate({ description: "Only events of this type." })),
      source: Schema.optionalKey(Source.annotate({ description: "Only events of this source." })),
      teamId: Schema.optionalKey(Ids.TeamId.annotate({ description: "Only events of who is in this team now." })),
      orgMembershipId: Schema.optionalKey(
        Ids.OrgMembershipId.annotate({ description: "Only events of this member, also of one who has left." })
      ),
      dimensionType: Schema.optionalKey(
        Text(1, 64).annotate({ description: "Only events with this dimension; with `dimensionValue`." })
      ),
      dimensionValue: Schema.optionalKey(
        Text(1, 128).annotate({ description: "Only events with this value; with `dimensionType`." })
      ),
      top: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: seriesMax })).annotate({
          description: "At most so many groups, the largest first; 10 unless told."
        })
      )
    },
    success: Schema.Struct({ analytics: Analytics, generatedAt: GeneratedAt })
  }).pipe(
    endpointMetadata({
      access: read,
      plan: "analytics",
      summary: "Measures events by day or week, as one figure or by group, with filters.",
      description: `At most ${stepsMax} days or weeks. Percentiles are not told by team or member, and groups of one dimension not within another: both are refused with 400.`
    })
  )
] as const
