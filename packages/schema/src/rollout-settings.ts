/** Settings of rollouts: the rings, the thresholds that pause a rollout, and the freezes. */
import * as Schema from "effect/Schema"
import * as Ids from "./shared/ids.ts"
import { Text } from "./shared/values.ts"

export const ringsMax = 10
export const ringAssigneesMax = 500
export const freezesMax = 50
export const soakMinutesMax = 43_200

export const Promotion = Schema.Literals(["automatic", "manual"]).annotate({
  identifier: "RingPromotion",
  description:
    "When the next ring starts. `automatic`: after the soak time, unless the rollout is paused or frozen. `manual`: only when the rollout is promoted."
})
export type Promotion = typeof Promotion.Type

/** The name of the step after the last ring, in which all members get the release. */
export const everyone = "Everyone"

const RingName = Text(1, 64)
  .check(
    Schema.makeFilter((name: string) =>
      name.toLowerCase() === everyone.toLowerCase()
        ? `must not be ${everyone}, which is the step after the last ring`
        : undefined
    )
  )
  .annotate({ description: `Must be unique in \`rings\`, and not \`${everyone}\`.` })
const TeamIds = Schema.Array(Ids.TeamId).check(Schema.isMaxLength(ringAssigneesMax))
const MemberIds = Schema.Array(Ids.OrgMembershipId).check(Schema.isMaxLength(ringAssigneesMax))

interface RingInput {
  readonly teamIds: ReadonlyArray<string>
  readonly memberIds: ReadonlyArray<string>
  readonly percent: number
}

/** The fields of a ring other than its teams and members. */
export const ringFields = {
  name: RingName,
  percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotate({
    description:
      "A percentage of all members, selected by member id. The selection never changes, and a higher percentage includes the members of a lower one."
  }),
  soakMinutes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: soakMinutesMax })).annotate({
    description: `The time in minutes until the next ring can start automatically; at most ${soakMinutesMax} (30 days).`
  }),
  promotion: Promotion
}

/** An audience that receives a release before the members in later rings. */
export const Ring = Schema.Struct({
  name: ringFields.name,
  teamIds: TeamIds.annotate({ description: "The members of these teams." }),
  memberIds: MemberIds.annotate({ description: "These members." }),
  percent: ringFields.percent,
  soakMinutes: ringFields.soakMinutes,
  promotion: ringFields.promotion
})
  .check(
    Schema.makeFilter((ring: RingInput) =>
      ring.teamIds.length + ring.memberIds.length > 0 || ring.percent > 0
        ? undefined
        : "must have teams, members or a percentage"
    )
  )
  .annotate({
    identifier: "Ring",
    description:
      "A member belongs to the first ring that contains them. Members in no ring follow after the last ring, as `Everyone`."
  })
export type Ring = typeof Ring.Type

export const Thresholds = Schema.Struct({
  reportsMin: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
    description: "The minimum number of reports in a comparison before it can pause the rollout. Default: 20."
  }),
  falseAlarmRate: Schema.Finite.check(Schema.isBetween({ minimum: 0.0001, maximum: 0.2 })).annotate({
    description:
      "The maximum probability that a release with a true failure rate of at most `baselineRate` is paused, for each of the two comparisons. Because `baselineRate` is an estimate, the probability of pausing a release that is as good as the previous one is at most twice this value. A lower value needs more reports to pause a failing release. Default: 0.01."
  }),
  installFailures: Schema.Boolean.annotate({
    description:
      "Whether to pause when installations fail more often than those of the previous release. Default: true."
  }),
  usageFailures: Schema.Boolean.annotate({
    description:
      "Whether to pause when the first event with the release fails for a larger share of users than with the previous release. Requires telemetry with the dimension `plugin_release`. Default: true."
  })
}).annotate({ identifier: "RolloutThresholds" })
export type Thresholds = typeof Thresholds.Type

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const
export const Weekday = Schema.Literals(weekdays).annotate({ identifier: "Weekday" })

const LocalTime = Schema.String.check(
  Schema.isMaxLength(5),
  Schema.isPattern(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, { message: "must be a time such as 17:30" })
).annotate({ identifier: "LocalTime", description: "A time of day: `17:30`." })

const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const TimeZone = Text(1, 64)
  .check(
    Schema.makeFilter((name: string) =>
      isTimeZone(name) ? undefined : "must be the name of a time zone, such as Europe/Berlin"
    )
  )
  .annotate({ identifier: "TimeZone", description: "An IANA time zone: `Europe/Berlin`." })

/** A time in a request. `Date.parse` must be able to read it. */
export const RequestTime = Schema.String.check(
  Schema.isMaxLength(24),
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u, {
    message: "must be a UTC time with milliseconds, such as 2026-03-01T09:30:00.000Z"
  }),
  Schema.makeFilter((time: string) =>
    Number.isNaN(Date.parse(time)) || new Date(time).toISOString() !== time
      ? "must be a valid date and time"
      : undefined
  )
).annotate({
  identifier: "RequestTime",
  format: "date-time",
  description: "A UTC time with milliseconds, such as `2026-03-01T09:30:00.000Z`."
})

/** Times in which no ring starts automatically. */
export const Freeze = Schema.Struct({
  name: Text(1, 64),
  timeZone: TimeZone,
  weekdays: Schema.Array(Weekday)
    .check(Schema.isMaxLength(7))
    .annotate({ description: "The days of the week on which it starts. Empty for a single period." }),
  startTime: Schema.NullOr(LocalTime).annotate({
    description: "When it starts on these days, in the time zone. Null for a single period."
  }),
  endTime: Schema.NullOr(LocalTime).annotate({
    description:
      "When it ends, in the time zone. If it is not later than `startTime`, it ends on the next day. Null for a single period."
  }),
  startsAt: Schema.NullOr(RequestTime).annotate({
    description: "The start of a single period. Null for a weekly freeze."
  }),
  endsAt: Schema.NullOr(RequestTime).annotate({ description: "The end of a single period. Null for a weekly freeze." })
})
  .check(
    Schema.makeFilter(
      (freeze: {
        readonly weekdays: ReadonlyArray<string>
        readonly startTime: string | null
        readonly endTime: string | null
        readonly startsAt: string | null
        readonly endsAt: string | null
      }) => {
        const isWeekly = freeze.weekdays.length > 0 && freeze.startTime !== null && freeze.endTime !== null
        const isSingle = freeze.startsAt !== null && freeze.endsAt !== null
        const hasWeekly = freeze.weekdays.length > 0 || freeze.startTime !== null || freeze.endTime !== null
        const hasSingle = freeze.startsAt !== null || freeze.endsAt !== null
        if (!((isWeekly && !hasSingle) || (isSingle && !hasWeekly))) {
          return "must have either weekdays, startTime and endTime, or startsAt and endsAt"
        }
        return isSingle && Date.parse(freeze.startsAt) >= Date.parse(freeze.endsAt)
          ? { path: ["endsAt"], issue: "must be later than startsAt" }
          : undefined
      }
    )
  )
  .annotate({ identifier: "RolloutFreeze" })
export type Freeze = typeof Freeze.Type

/** A list of rings with different names. */
export const RingsOf = <S extends Schema.Top & { readonly Type: { readonly name: string } }>(ring: S) =>
  Schema.Array(ring)
    .check(
      Schema.isMaxLength(ringsMax),
      Schema.makeFilter((rings: ReadonlyArray<{ readonly name: string }>) =>
        new Set(rings.map(({ name }) => name)).size === rings.length ? undefined : "must not contain duplicate names"
      )
    )
    .annotate({
      description: `The rings in their order, at most ${ringsMax}. If empty, all members get an approved release at once, or when the freeze that applies ends. Default: empty.`
    })
const Rings = RingsOf(Ring)
export const Freezes = Schema.Array(Freeze)
  .check(Schema.isMaxLength(freezesMax))
  .annotate({
    description: `Times in which no rollout starts, and no further ring starts automatically, at most ${freezesMax}. \`start\`, \`promote\` and \`release\` are possible during a freeze. Default: empty.`
  })

export const RolloutSettings = Schema.Struct({
  rings: Rings,
  thresholds: Thresholds,
  freezes: Freezes
}).annotate({ identifier: "RolloutSettings" })
export type RolloutSettings = typeof RolloutSettings.Type

export const UpdateRolloutSettings = Schema.Struct({
  rings: Schema.optionalKey(Rings),
  thresholds: Schema.optionalKey(Thresholds),
  freezes: Schema.optionalKey(Freezes)
}).annotate({ identifier: "UpdateRolloutSettings" })
export type UpdateRolloutSettings = typeof UpdateRolloutSettings.Type

export const defaultSettings: RolloutSettings = {
  rings: [],
  thresholds: { reportsMin: 20, falseAlarmRate: 0.01, installFailures: true, usageFailures: true },
  freezes: []
}
