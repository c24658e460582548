/** Rollouts: deliver approved releases ring by ring, pause them, and roll them back. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { PluginReleaseNotFound } from "./approvals.ts"
import { MemberNotFound } from "./members.ts"
import { Sha256 } from "./plugin-archives.ts"
import { PluginNotFound } from "./plugins.ts"
import { DeliveryExplanation, PreviewRollout, RolloutPreview, Withdrawal, WithdrawRelease } from "./rollout-effects.ts"
import { RequestTime, RolloutSettings, UpdateRolloutSettings } from "./rollout-settings.ts"
import * as Access from "./shared/auth.ts"
import { createdResponse, endpointMetadata, itemResponse, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export * from "./rollout-effects.ts"
export * from "./rollout-settings.ts"

export const RolloutState = Schema.Literals([
  "scheduled",
  "active",
  "paused",
  "completed",
  "rolled_back",
  "superseded",
  "cancelled"
]).annotate({
  identifier: "RolloutState",
  description:
    "`scheduled`: no ring has started yet. `active`: at least one ring has the release. `paused`: rings that have the release keep it, and no further ring starts. `completed`: all members receive it, except members with a pinned release. `rolled_back`: all members receive the previous release again. `superseded`: another release of the plugin was rolled out or served. `cancelled`: the release was withdrawn, no release of the plugin is served, the plugin was removed, or its delivery mode became `auto`."
})
export type RolloutState = typeof RolloutState.Type

export const PauseReason = Schema.Literals(["manual", "install_failures", "usage_failures"]).annotate({
  identifier: "RolloutPauseReason",
  description:
    "`manual`: a member or an API key paused it. `install_failures`: installations fail more often than those of the previous release. `usage_failures`: a larger share of users has a failed event than with the previous release."
})
export type PauseReason = typeof PauseReason.Type

/** A comparison of a release with the previous release. */
export const Comparison = Schema.Struct({
  reports: Schema.Int.annotate({
    description:
      "For installations: members who have reported a result of this release; only the first result counts. For usage: users with a telemetry event of this release that succeeded or failed; only the first such event counts."
  }),
  failed: Schema.Int.annotate({ description: "Of these, the ones that failed." }),
  baselineReports: Schema.Int.annotate({
    description: "The same number for the previous release, counted until the rollout was created."
  }),
  baselineFailed: Schema.Int.annotate({ description: "Of these, the ones that failed." }),
  baselineRate: Schema.Finite.annotate({
    description:
      "The failure rate that the release is compared with: the upper limit of a confidence interval for the previous release, at least 0.01. With fewer than 5 reports of the previous release: 0.05."
  }),
  evidence: Schema.Finite.annotate({
    description:
      "How much more likely the results are if the release fails more often than `baselineRate`. The rollout is paused at `threshold`."
  }),
  threshold: Schema.Finite.annotate({ description: "1 divided by `falseAlarmRate`." }),
  enough: Schema.Boolean.annotate({
    description: "Whether `reports` is at least `reportsMin`. Otherwise, the comparison cannot pause the rollout."
  })
}).annotate({ identifier: "RolloutComparison" })
export type Comparison = typeof Comparison.Type

export const RingProgress = Schema.Struct({
  name: Schema.String.annotate({
    description: "The name of the ring. `Everyone` for all members after the last ring."
  }),
  state: Schema.Literals(["waiting", "soaking", "done", "ended"]).annotate({
    description:
      "`waiting`: the ring has not started. `soaking`: it is the latest ring that has started. `done`: a later ring has started, the rollout is completed, or the rollout is superseded and the ring keeps its release until the newer one reaches it. `ended`: the rollout has ended, and no longer delivers its release to the ring."
  }),
  startedAt: Schema.NullOr(Timestamp).annotate({
    description: "Null if the ring has not started. For `Everyone`: null unless the rollout is completed."
  }),
  soakEndsAt: Schema.NullOr(Timestamp).annotate({
    description:
      "Null unless `state` is `soaking`. Also null while the rollout is paused, because the soak time starts again when it is resumed."
  })
}).annotate({ identifier: "RolloutRing" })
export type RingProgress = typeof RingProgress.Type

const members = {
  id: Ids.RolloutId,
  organizationId: Ids.OrganizationId,
  pluginId: Ids.PluginId,
  pluginName: Schema.String.annotate({ description: "The name of the plugin in the release." }),
  releaseId: Ids.PluginReleaseId,
  releaseNumber: Schema.Int,
  version: Schema.NullOr(Schema.String),
  digest: Schema.NullOr(Sha256),
  previousReleaseId: Schema.NullOr(Ids.PluginReleaseId).annotate({
    description: "The release that was served when the rollout was created. Null if there was none."
  }),
  state: RolloutState,
  ring: Schema.NullOr(Schema.String).annotate({
    description: "The latest ring that has the release. Null before the first one."
  }),
  ringNumber: Schema.Int.annotate({ description: "The number of rings that have the release, including `Everyone`." }),
  ringCount: Schema.Int.annotate({ description: "The number of rings, including `Everyone`." }),
  startsAt: Schema.NullOr(Timestamp).annotate({
    description:
      "When a scheduled rollout starts. Null if it starts as soon as no freeze applies, and after it has started."
  }),
  nextRingAt: Schema.NullOr(Timestamp).annotate({
    description:
      "When the next ring starts if nothing pauses the rollout. Null if it waits for a promotion, if freezes leave no time, or if it is paused or has ended. This is the schedule of the rings: only the operation `rollouts.get` checks whether the rollout waits for more results."
  }),
  pauseReason: Schema.NullOr(PauseReason),
  comment: Schema.NullOr(Schema.String).annotate({
    description: "The comment of the last pause, rollback, release or withdrawal."
  }),
  emergency: Schema.Boolean.annotate({ description: "Whether `release` skipped the rings." }),
  createdAt: Timestamp,
  endedAt: Schema.NullOr(Timestamp)
}

export const Rollout = Schema.Struct(members).annotate({ identifier: "Rollout" })
export type Rollout = typeof Rollout.Type

export const RolloutDetails = Schema.Struct({
  ...members,
  nextRingAt: Schema.NullOr(Timestamp).annotate({
    description:
      "When the next ring starts if nothing pauses the rollout. Null if it waits for a promotion, if freezes leave no time, or if it is paused or has ended. Also null if it waits for more results: `evidence` has reached `threshold`, but there are fewer than `reportsMin` reports."
  }),
  rings: Schema.Array(RingProgress),
  installations: Schema.NullOr(Comparison).annotate({
    description: "Null after the rollout ended, and for a rollout without rings."
  }),
  usage: Schema.NullOr(Comparison).annotate({
    description: "Null after the rollout ended, and for a rollout without rings."
  }),
  steps: Schema.Array(
    Schema.Struct({
      step: Schema.Literals([
        "created",
        "scheduled",
        "ring_started",
        "paused",
        "resumed",
        "released",
        "completed",
        "rolled_back",
        "superseded",
        "cancelled"
      ]),
      ring: Schema.NullOr(Schema.String),
      reason: Schema.NullOr(Schema.String),
      byOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
        description: "The member who performed the step. Null if orgplane or an API key performed it."
      }),
      at: Timestamp
    }).annotate({ identifier: "RolloutStep" })
  ).annotate({ description: "Oldest first; at most 100." })
}).annotate({ identifier: "RolloutDetails" })
export type RolloutDetails = typeof RolloutDetails.Type

const comment = {
  comment: Text(1, 2000).annotate({ description: "The reason. It is shown in the rollout." })
}
const optionalComment = { comment: Schema.optionalKey(Text(1, 2000)) }

export const CreateRollout = Schema.Struct({
  releaseId: Ids.PluginReleaseId.annotate({ description: "An approved release whose files are stored." }),
  startsAt: Schema.optionalKey(
    RequestTime.annotate({
      description: "When the first ring starts, at most 366 days from now. Default: as soon as no freeze applies."
    })
  )
}).annotate({ identifier: "CreateRollout" })
export const PauseRollout = Schema.Struct(optionalComment).annotate({ identifier: "PauseRollout" })
export const RollBackRollout = Schema.Struct(comment).annotate({ identifier: "RollBackRollout" })
export const ReleaseRollout = Schema.Struct(comment).annotate({ identifier: "ReleaseRollout" })
export const PromoteRollout = Schema.Struct({
  ring: Text(1, 64).annotate({
    description:
      "The current `ring` of the rollout. If another member has promoted it since, the request fails, so two simultaneous requests start only one ring."
  })
}).annotate({ identifier: "PromoteRollout" })
export const ScheduleRollout = Schema.Struct({
  startsAt: Schema.NullOr(RequestTime).annotate({
    description: "When the first ring starts, at most 366 days from now. Null: as soon as no freeze applies."
  })
}).annotate({ identifier: "ScheduleRollout" })

export class RolloutNotFound extends notFound("rollout")<RolloutNotFound>() {}
export class RolloutEnded extends conflict(
  "rollout_ended",
  "The rollout has ended. Its state and steps show how. To deliver a release again, create a new rollout."
)<RolloutEnded>() {}
export class RolloutPaused extends conflict(
  "rollout_paused",
  "The rollout is paused. Resume it first, or roll it back."
)<RolloutPaused>() {}
export class RolloutNotPaused extends conflict(
  "rollout_not_paused",
  "The rollout is not paused, so it cannot be resumed. Get the rollout to see its state."
)<RolloutNotPaused>() {}
export class RolloutStarted extends conflict(
  "rollout_started",
  "The rollout has already started. To stop further rings, pause it."
)<RolloutStarted>() {}
export class RolloutRingChanged extends conflict(
  "rollout_ring_changed",
  "The latest ring of the rollout is not the one in `ring`. Get the rollout and pass its `ring`. If it has not started, start it instead."
)<RolloutRingChanged>() {}
export class RolloutNotRevertible extends conflict(
  "rollout_not_revertible",
  "The rollout cannot be rolled back: a newer release is being rolled out or served, or the previous release does not exist, is no longer approved, or is no longer stored. Create a rollout of a different approved release instead."
)<RolloutNotRevertible>() {}
export class ReleaseNotApproved extends conflict(
  "release_not_approved",
  "The release is not approved. Approve it, or choose an approved release."
)<ReleaseNotApproved>() {}
export class ReleaseServed extends conflict(
  "release_served",
  "This release is already the served release. If a rollout of another release is active, roll it back instead."
)<ReleaseServed>() {}
export class ReleaseNotStored extends conflict(
  "release_not_stored",
  "The files of the release are no longer stored. Choose another release. orgplane stores the files of the served release, the latest release, pinned releases, releases that rollouts deliver, and the release that a rollback would restore."
)<ReleaseNotStored>() {}
export class DeliveryModeAuto extends conflict(
  "delivery_mode_auto",
  "The delivery mode of the plugin is auto, so its latest content is delivered. To roll out or withdraw a release, set the delivery mode to hold_growth or hold_all first."
)<DeliveryModeAuto>() {}

const one = { rolloutId: Ids.RolloutId }
const at = "/v1/rollouts/:rolloutId" as const
const read = Access.permission("rollouts:read")
const write = Access.permission("rollouts:write")
const manage = Access.permission("rollouts:manage")
const updated = updatedResponse(Rollout)

export const group = HttpApiGroup.make("rollouts")
  .annotateMerge(
    OpenApi.annotations({
      title: "Rollouts",
      description:
        "Deliver approved releases ring by ring, and pause a rollout if its release fails more often than the previous one."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/rollouts", {
      query: {
        ...pageQuery,
        q: search("Filter by part of the plugin's name in the release. Case-insensitive."),
        state: Schema.optionalKey(RolloutState),
        pluginId: Schema.optionalKey(Ids.PluginId.annotate({ description: "Only rollouts of this plugin." }))
      },
      success: Page(Rollout)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List rollouts" })),
    HttpApiEndpoint.post("create", "/v1/rollouts", {
      payload: CreateRollout,
      success: createdResponse(Rollout),
      error: [PluginReleaseNotFound, ReleaseNotApproved, ReleaseServed, ReleaseNotStored, DeliveryModeAuto]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.create",
        summary: "Start a rollout of an approved release",
        description:
          "Use this for a release that was rolled back, or for an earlier release whose files are stored. Approved releases start their rollout automatically. The open rollout of the plugin becomes `superseded`. Without `startsAt`, the first ring starts at once, or when the current freeze ends. Without rings, all members get the release at that time. If no release is served and `startsAt` is not set, all members get the release at once, even during a freeze."
      })
    ),
    HttpApiEndpoint.get("getSettings", "/v1/rollout-settings", { success: itemResponse(RolloutSettings) }).pipe(
      endpointMetadata({ access: read, summary: "Get the rollout settings of the organization" })
    ),
    HttpApiEndpoint.patch("updateSettings", "/v1/rollout-settings", {
      payload: UpdateRolloutSettings,
      success: updatedResponse(RolloutSettings)
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "rollout.update_settings",
        summary: "Update the rollout settings of the organization",
        description:
          "Fields that are absent keep their value. Open rollouts keep the rings that they were created with; thresholds and freezes apply to them at once. Removed teams and members in a ring are ignored."
      })
    ),
    HttpApiEndpoint.post("preview", "/v1/rollouts/preview", {
      payload: PreviewRollout,
      success: itemResponse(RolloutPreview),
      error: [PluginReleaseNotFound, DeliveryModeAuto]
    }).pipe(
      endpointMetadata({
        access: read,
        idempotency: "none",
        summary: "Preview a rollout",
        description: "Returns how many members and devices each ring would reach, and when. Makes no changes."
      })
    ),
    HttpApiEndpoint.post("withdraw", "/v1/rollouts/withdraw", {
      payload: WithdrawRelease,
      success: updatedResponse(Withdrawal),
      error: [PluginNotFound, PluginReleaseNotFound, ReleaseNotApproved, DeliveryModeAuto]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "release.withdraw",
        summary: "Withdraw a release",
        description:
          "Removes all releases with the digest from the desired states of all members at once, including pinned ones: their pins are removed. Rollouts of these releases are canceled. If one of them was served, the latest earlier approved release that was served to all members and whose files are stored is served instead. If there is none, members do not receive the plugin, and all rollouts of the plugin are canceled. The digest is not served again until an approver approves it."
      })
    ),
    HttpApiEndpoint.get("explain", "/v1/members/:orgMembershipId/plugins/:pluginId/delivery", {
      params: { orgMembershipId: Ids.OrgMembershipId, pluginId: Ids.PluginId },
      success: itemResponse(DeliveryExplanation),
      error: [MemberNotFound, PluginNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Explain which release of a plugin a member receives",
        description:
          "Also returns the newer release, if there is one, why the member does not receive it yet, and when the member receives it."
      })
    ),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: itemResponse(RolloutDetails),
      error: RolloutNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get a rollout",
        description: "Includes its rings, its steps, and the comparisons that can pause it."
      })
    ),
    HttpApiEndpoint.post("start", `${at}/start`, {
      params: one,
      success: updated,
      error: [RolloutNotFound, RolloutEnded, RolloutPaused, RolloutStarted]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.start",
        summary: "Start a scheduled rollout now",
        description: "Starts the first ring, even during a freeze."
      })
    ),
    HttpApiEndpoint.post("schedule", `${at}/schedule`, {
      params: one,
      payload: ScheduleRollout,
      success: updated,
      error: [RolloutNotFound, RolloutEnded, RolloutStarted]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.schedule",
        summary: "Schedule the start of a rollout",
        description:
          "Possible before the first ring starts. If a freeze applies at this time, the rollout starts when the freeze ends."
      })
    ),
    HttpApiEndpoint.post("promote", `${at}/promote`, {
      params: one,
      payload: PromoteRollout,
      success: updated,
      error: [RolloutNotFound, RolloutEnded, RolloutPaused, RolloutRingChanged]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.promote",
        summary: "Start the next ring of a rollout now",
        description:
          "Skips the rest of the soak time, and is possible during a freeze. After the last ring, all members get the release, and the rollout is completed."
      })
    ),
    HttpApiEndpoint.post("pause", `${at}/pause`, {
      params: one,
      payload: PauseRollout,
      success: updated,
      error: [RolloutNotFound, RolloutEnded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.pause",
        summary: "Pause a rollout",
        description:
          "Rings that have the release keep it. No further ring starts. The rollout stays paused until it is resumed, released, rolled back, superseded or canceled. If it was paused automatically, `pauseReason` becomes `manual`. If it is already paused manually, a different comment replaces the earlier one; otherwise, the request makes no changes."
      })
    ),
    HttpApiEndpoint.post("resume", `${at}/resume`, {
      params: one,
      success: updated,
      error: [RolloutNotFound, RolloutEnded, RolloutNotPaused]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.resume",
        summary: "Resume a paused rollout",
        description:
          "The soak time of the current ring starts again. Earlier results no longer count; later results can pause the rollout again."
      })
    ),
    HttpApiEndpoint.post("rollBack", `${at}/roll-back`, {
      params: one,
      payload: RollBackRollout,
      success: updated,
      error: [RolloutNotFound, RolloutEnded, RolloutNotRevertible]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "rollout.roll_back",
        summary: "Roll back a rollout",
        description:
          "All members get the release that was served before the rollout. Also possible after it was completed, until a newer rollout of the plugin starts."
      })
    ),
    HttpApiEndpoint.post("release", `${at}/release`, {
      params: one,
      payload: ReleaseRollout,
      success: updated,
      error: [RolloutNotFound, RolloutEnded, ReleaseNotStored]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "rollout.release",
        summary: "Release to all members now",
        description:
          "For emergencies: skips all rings, soak times, freezes and a pause. Owners and admins with a verified email address get an email (at most 50), and the rollout shows the comment."
      })
    )
  )
