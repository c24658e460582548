/** The effects of rollouts and withdrawals: previews, and explanations of what a member receives. */
import * as Schema from "effect/Schema"
import { Sha256 } from "./plugin-archives.ts"
import { RolloutSettings } from "./rollout-settings.ts"
import * as Ids from "./shared/ids.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const WithdrawRelease = Schema.Struct({
  pluginId: Ids.PluginId,
  digest: Sha256,
  comment: Text(1, 2000).annotate({ description: "The reason, for the maintainers of the plugin." })
}).annotate({ identifier: "WithdrawRelease" })

export const Withdrawal = Schema.Struct({
  pluginId: Ids.PluginId,
  digest: Sha256,
  servedReleaseId: Schema.NullOr(Ids.PluginReleaseId).annotate({
    description: "The release that is served now. Null: members do not receive the plugin."
  }),
  rolloutIds: Schema.Array(Ids.RolloutId).annotate({ description: "The rollouts that were canceled." }),
  unpinnedAssignmentIds: Schema.Array(Ids.AssignmentId).annotate({
    description: "The assignments that pinned the release. They now deliver the served release."
  })
}).annotate({ identifier: "ReleaseWithdrawal" })
export type Withdrawal = typeof Withdrawal.Type

export const PreviewRollout = Schema.Struct({
  releaseId: Ids.PluginReleaseId,
  rings: Schema.optionalKey(
    RolloutSettings.fields.rings.annotate({ description: "Default: the rings of the organization." })
  )
}).annotate({ identifier: "PreviewRollout" })

export const RolloutPreview = Schema.Struct({
  releaseId: Ids.PluginReleaseId,
  pluginId: Ids.PluginId,
  rings: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      memberCount: Schema.Int.annotate({ description: "Members in the ring." }),
      receiveCount: Schema.Int.annotate({
        description: "Of these, the members who can see the plugin, are not blocked and have no pinned release."
      }),
      enabledCount: Schema.Int.annotate({ description: "Of these, the members for whom the plugin is turned on." }),
      deviceCount: Schema.Int.annotate({ description: "Devices of the members in `enabledCount`." }),
      memberIds: Schema.Array(Ids.OrgMembershipId).annotate({
        description: "The members in `enabledCount`, ordered by id; at most 100."
      }),
      startsAt: Schema.NullOr(Timestamp).annotate({
        description: "The earliest start. Null if an earlier ring has `manual` promotion, or if freezes leave no time."
      })
    }).annotate({ identifier: "RolloutPreviewRing" })
  ),
  pinnedCount: Schema.Int.annotate({ description: "Members who keep a release that an assignment pins." }),
  blockedCount: Schema.Int.annotate({ description: "Members for whom an assignment blocks the plugin." }),
  withoutAccessCount: Schema.Int.annotate({ description: "Members who cannot see the plugin." })
}).annotate({ identifier: "RolloutPreview" })
export type RolloutPreview = typeof RolloutPreview.Type

export const ExplainRule = Schema.Literals([
  "no_access",
  "blocked",
  "not_served",
  "off",
  "auto",
  "pinned",
  "pinned_not_stored",
  "ring",
  "served"
]).annotate({
  identifier: "DeliveryRule",
  description:
    "`no_access`: the member cannot see the plugin. `blocked`: an assignment blocks it. `not_served`: no release is served. `off`: the plugin is not turned on for the member. `auto`: its delivery mode is `auto`, so the latest content is delivered. `pinned`: an assignment pins the release. `pinned_not_stored`: the files of the pinned release are no longer stored. `ring`: a rollout has reached the ring of the member. `served`: the member receives the served release."
})
export type ExplainRule = typeof ExplainRule.Type

export const DeliveryExplanation = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  pluginId: Ids.PluginId,
  rule: ExplainRule,
  releaseId: Schema.NullOr(Ids.PluginReleaseId).annotate({ description: "The release that the member receives." }),
  digest: Schema.NullOr(Sha256),
  version: Schema.NullOr(Schema.String),
  assignmentId: Schema.NullOr(Ids.AssignmentId).annotate({
    description: "The assignment that pins, blocks, or turns the plugin on or off. Null if none applies."
  }),
  ring: Schema.String.annotate({
    description: "The ring of the member, or `Everyone` if no ring contains the member."
  }),
  newer: Schema.NullOr(
    Schema.Struct({
      releaseId: Ids.PluginReleaseId,
      digest: Schema.NullOr(Sha256),
      version: Schema.NullOr(Schema.String),
      rolloutId: Schema.NullOr(Ids.RolloutId),
      reason: Schema.Literals([
        "waits_for_approval",
        "rejected",
        "scheduled",
        "soaking",
        "waits_for_results",
        "waits_for_promotion",
        "frozen",
        "paused",
        "rolled_back",
        "pinned"
      ]).annotate({
        identifier: "WithheldBecause",
        description:
          "Why the member does not receive it. `waits_for_approval`: it is not approved yet. `rejected`: it was rejected or withdrawn. `scheduled`: its rollout has not started. `soaking`: an earlier ring has it. `waits_for_results`: the evidence that it fails reaches the threshold, but there are too few reports to pause its rollout. `waits_for_promotion`: the rollout must be promoted. `frozen`: a freeze applies. `paused`: the rollout is paused. `rolled_back`: it was rolled back. `pinned`: an assignment pins another release."
      }),
      expectedAt: Schema.NullOr(Timestamp).annotate({
        description:
          "When the member receives it if nothing pauses the rollout. Null if it depends on a decision, such as an approval or a promotion, on more results, or on a freeze without an end."
      })
    }).annotate({ identifier: "NewerRelease" })
  ).annotate({
    description:
      "The release of the open rollout, or otherwise the latest release. Null if the member receives it, if `rule` is `no_access`, `blocked`, `off` or `auto`, or if none of the values of `reason` applies."
  })
}).annotate({ identifier: "DeliveryExplanation" })
export type DeliveryExplanation = typeof DeliveryExplanation.Type
