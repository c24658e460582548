/** Assignments and the settings of approvals and rollouts in configuration documents. */
import * as Schema from "effect/Schema"
import { DeliveryMode, Settings } from "../../approvals.ts"
import { Mode, Priority } from "../../assignments.ts"
import { assignedMax } from "../../desktop-policies.ts"
import { Sha256 } from "../../plugin-archives.ts"
import { Freezes, ringAssigneesMax, ringFields, RingsOf, Thresholds } from "../../rollout-settings.ts"
import { Email } from "../values.ts"
import { Key, keyOf } from "./key.ts"

const Teams = (max: number) => Schema.Array(keyOf("The key of a team.")).check(Schema.isMaxLength(max))
const Members = (max: number) => Schema.Array(Email).check(Schema.isMaxLength(max))

interface Audience {
  readonly everyone?: true
  readonly teams?: ReadonlyArray<string>
  readonly members?: ReadonlyArray<string>
}

export const AssignmentAudience = Schema.Struct({
  everyone: Schema.optionalKey(Schema.Literal(true).annotate({ description: "Every member of the organization." })),
  teams: Schema.optionalKey(Teams(assignedMax).annotate({ description: "The keys of teams." })),
  members: Schema.optionalKey(Members(assignedMax).annotate({ description: "The email addresses of members." }))
})
  .check(
    Schema.makeFilter((audience: Audience) =>
      (audience.everyone === undefined) === (audience.teams === undefined && audience.members === undefined)
        ? "must include either everyone, or teams and members"
        : undefined
    )
  )
  .annotate({
    identifier: "ConfigurationAssignmentAudience",
    description:
      "The members that the assignment applies to: `everyone`, or teams and members. An assignment whose teams and members were all removed has empty lists; a new one must have at least one team or member."
  })

export const AssignmentEntry = Schema.Struct({
  key: Key,
  plugin: Schema.optionalKey(keyOf("The key of the plugin to assign.")),
  marketplace: Schema.optionalKey(
    keyOf("The key of the marketplace to assign: all its plugins, including those that are added later.")
  ),
  mode: Mode,
  priority: Schema.optionalKey(Priority.annotate({ description: "The assignment with the highest priority wins." })),
  pinnedDigest: Schema.optionalKey(
    Schema.NullOr(Sha256).annotate({
      description:
        "The digest of an approved release of the plugin whose files are stored. Null for the latest approved release."
    })
  ),
  to: AssignmentAudience
})
  .check(
    Schema.makeFilter((entry: { readonly plugin?: string; readonly marketplace?: string }) =>
      (entry.plugin === undefined) === (entry.marketplace === undefined)
        ? "must include exactly one of: plugin, marketplace"
        : undefined
    )
  )
  .annotate({
    identifier: "ConfigurationAssignment",
    description:
      "A plugin or a marketplace that is assigned to members. It does not grant access. Between assignments of the same priority, the older one can win: a new organization gets them in the order of the document."
  })

export const RingEntry = Schema.Struct({
  ...ringFields,
  teams: Teams(ringAssigneesMax).annotate({ description: "The keys of teams." }),
  members: Members(ringAssigneesMax).annotate({ description: "The email addresses of members." })
}).annotate({
  identifier: "ConfigurationRing",
  description: "An audience that receives a release before the members in later rings."
})

export const RolloutSettingsEntry = Schema.Struct({
  rings: Schema.optionalKey(RingsOf(RingEntry)),
  thresholds: Schema.optionalKey(Thresholds),
  freezes: Schema.optionalKey(Freezes)
}).annotate({
  identifier: "ConfigurationRolloutSettings",
  description: "The rings in their order, the thresholds that pause a rollout, and the times without rollouts."
})

export const ApprovalSettingsEntry = Schema.Struct({
  deliveryMode: Schema.optionalKey(DeliveryMode),
  fourEyes: Schema.optionalKey(Settings.fields.fourEyes)
}).annotate({
  identifier: "ConfigurationApprovalSettings",
  description: "The settings of approvals. `deliveryMode` is the minimum for all plugins of the organization."
})
