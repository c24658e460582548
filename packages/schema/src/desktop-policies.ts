/** Desktop policies: settings of the desktop app for members and teams. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { MemberNotFound } from "./members.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Settings

/** The switches, in display order. A switch that no policy sets is on. */
export const switches = [
  "allowCustomProviders",
  "allowPartnerModel",
  "allowMultipleWorkspaces",
  "allowControlSettings",
  "allowManageExtensions",
  "allowBuiltInExtensions",
  "allowAlphaUpdates",
  "showWelcomePage"
] as const
export type Switch = (typeof switches)[number]

/** Every setting that is decided separately: each switch, and the prompts with their descriptions. */
export const settings = [...switches, "onboardingPrompts"] as const
export const Setting = Schema.Literals(settings).annotate({ identifier: "DesktopSetting" })
export type Setting = typeof Setting.Type

const switchDescriptions: Readonly<Record<Switch, string>> = {
  allowCustomProviders: "Whether members may add their own model providers.",
  allowPartnerModel: "Whether members may use the partner's models.",
  allowMultipleWorkspaces: "Whether members may open more than one workspace.",
  allowControlSettings: "Whether members may change the settings of the app.",
  allowManageExtensions: "Whether members may install and remove extensions.",
  allowBuiltInExtensions: "Whether built-in extensions run.",
  allowAlphaUpdates: "Whether the app may update to alpha releases.",
  showWelcomePage: "Whether the app shows its welcome page at startup."
}

const eachSwitch = <S extends Schema.Top>(make: (description: string) => S) => ({
  allowCustomProviders: make(switchDescriptions.allowCustomProviders),
  allowPartnerModel: make(switchDescriptions.allowPartnerModel),
  allowMultipleWorkspaces: make(switchDescriptions.allowMultipleWorkspaces),
  allowControlSettings: make(switchDescriptions.allowControlSettings),
  allowManageExtensions: make(switchDescriptions.allowManageExtensions),
  allowBuiltInExtensions: make(switchDescriptions.allowBuiltInExtensions),
  allowAlphaUpdates: make(switchDescriptions.allowAlphaUpdates),
  showWelcomePage: make(switchDescriptions.showWelcomePage)
})

/** The settings of a policy. A setting that is null is left to other policies. */
export const Settings = Schema.Struct({
  ...eachSwitch((description) => Schema.NullOr(Schema.Boolean).annotate({ description })),
  onboardingPrompts: Schema.NullOr(Schema.Array(Schema.String)),
  onboardingPromptDescriptions: Schema.NullOr(Schema.Array(Schema.String))
}).annotate({ identifier: "DesktopPolicySettings" })
export type Settings = typeof Settings.Type

interface PromptSettings {
  readonly onboardingPrompts?: ReadonlyArray<string> | null
  readonly onboardingPromptDescriptions?: ReadonlyArray<string> | null
}

const promptErrors = ({ onboardingPromptDescriptions: descriptions, onboardingPrompts: prompts }: PromptSettings) =>
  descriptions == null || descriptions.length === (prompts?.length ?? 0)
    ? undefined
    : {
        path: ["onboardingPromptDescriptions"],
        issue: `must have as many items as onboardingPrompts (${prompts?.length ?? 0})`
      }

/** The settings of a policy in a request. A `Settings` response can be sent back unchanged. */
export const SettingsInput = Schema.Struct({
  ...eachSwitch((description) => Schema.optionalKey(Schema.NullOr(Schema.Boolean).annotate({ description }))),
  onboardingPrompts: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Text(1, 500)).check(Schema.isMaxLength(3))).annotate({
      description:
        "At most three prompts, shown when a member opens the app for the first time. An empty list means no prompts, and overrides policies with a lower priority."
    })
  ),
  onboardingPromptDescriptions: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Text(0, 120)).check(Schema.isMaxLength(3))).annotate({
      description: "One description per prompt, in the same order. Default: empty descriptions."
    })
  )
})
  .check(Schema.makeFilter(promptErrors))
  .annotate({
    identifier: "DesktopPolicySettingsInput",
    description: "Fields that are absent or null are left to other policies."
  })
export type SettingsInput = typeof SettingsInput.Type

/** The effective settings of a member: every switch has a value. */
export const Effective = Schema.Struct({
  ...eachSwitch((description) => Schema.Boolean.annotate({ description })),
  onboardingPrompts: Schema.Array(Schema.String),
  onboardingPromptDescriptions: Schema.Array(Schema.String).annotate({ description: "One description per prompt." })
}).annotate({ identifier: "EffectiveDesktopPolicy" })
export type Effective = typeof Effective.Type

// Policies

export const Audience = Schema.Literals(["organization", "assigned", "nobody"]).annotate({
  identifier: "DesktopPolicyAudience",
  description:
    "`organization`: the policy has no assignments and applies to every member. `assigned`: it applies to its members and teams. `nobody`: all its assigned members and teams were removed. The policy then applies to no one; it does not become an organization-wide policy."
})
export type Audience = typeof Audience.Type

export const DesktopPolicy = Schema.Struct({
  id: Ids.DesktopPolicyId,
  organizationId: Ids.OrganizationId,
  policyName: Schema.String,
  policy: Settings,
  priority: Schema.Int.annotate({ description: "The policy with the highest priority wins." }),
  isEnabled: Schema.Boolean,
  memberIds: Schema.Array(Ids.OrgMembershipId),
  teamIds: Schema.Array(Ids.TeamId),
  audience: Audience,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "DesktopPolicy" })
export type DesktopPolicy = typeof DesktopPolicy.Type

export const priorityMax = 1_000_000
export const assignedMax = 500
/** Maximum number of policies per organization. */
export const policiesMax = 2000

const PolicyName = Text(1, 255)
const Priority = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: priorityMax }))
const MemberIds = Schema.Array(Ids.OrgMembershipId).check(Schema.isMaxLength(assignedMax))
const TeamIds = Schema.Array(Ids.TeamId).check(Schema.isMaxLength(assignedMax))

export const CreateDesktopPolicy = Schema.Struct({
  policyName: PolicyName.annotate({ description: "Must be unique in the organization. Case-insensitive." }),
  policy: SettingsInput,
  priority: Schema.optionalKey(
    Priority.annotate({ description: "The policy with the highest priority wins. Default: 0." })
  ),
  isEnabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "Whether the policy applies. Default: true." })),
  memberIds: Schema.optionalKey(
    MemberIds.annotate({
      description: "The members it applies to. A policy without members or teams applies to the whole organization."
    })
  ),
  teamIds: Schema.optionalKey(TeamIds.annotate({ description: "The teams whose members it applies to." }))
}).annotate({ identifier: "CreateDesktopPolicy" })

export const UpdateDesktopPolicy = Schema.Struct({
  policyName: Schema.optionalKey(
    PolicyName.annotate({ description: "Must be unique in the organization. Case-insensitive." })
  ),
  policy: Schema.optionalKey(SettingsInput.annotate({ description: "Replaces all settings of the policy." })),
  priority: Schema.optionalKey(Priority.annotate({ description: "The policy with the highest priority wins." })),
  isEnabled: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether the policy applies."
    })
  ),
  memberIds: Schema.optionalKey(
    MemberIds.annotate({
      description:
        "Replaces all assigned members. `[]` removes them. A policy without assigned members or teams applies to the whole organization."
    })
  ),
  teamIds: Schema.optionalKey(TeamIds.annotate({ description: "Replaces all assigned teams." }))
}).annotate({ identifier: "UpdateDesktopPolicy" })

// Explanations

export const Through = Schema.Literals(["member", "team", "organization"]).annotate({
  identifier: "DesktopPolicyThrough",
  description: "The most specific way in which a policy applies to a member."
})
export type Through = typeof Through.Type

export const Prompt = Schema.Struct({ prompt: Schema.String, description: Schema.String }).annotate({
  identifier: "DesktopPrompt"
})
export type Prompt = typeof Prompt.Type

export const Value = Schema.Union([Schema.Boolean, Schema.Array(Prompt)]).annotate({
  identifier: "DesktopSettingValue",
  description: "The value of a switch, or the prompts."
})
export type Value = typeof Value.Type

const source = {
  id: Schema.NullOr(Ids.DesktopPolicyId).annotate({
    description: "Null for the policy that a simulation would create."
  }),
  policyName: Schema.NullOr(Schema.String).annotate({
    description: "Null when the caller cannot read desktop policies."
  }),
  priority: Schema.Int,
  through: Through,
  createdAt: Schema.NullOr(Timestamp)
}

/** A policy that sets the setting and applies to the member. */
export const Source = Schema.Struct(source).annotate({ identifier: "DesktopPolicySource" })
export type Source = typeof Source.Type

export const LostBy = Schema.Literals(["priority", "specificity", "age", "id"]).annotate({
  identifier: "DesktopPolicyLostBy",
  description:
    "The first rule that distinguishes a policy from the winner: higher priority; more specific assignment (member, team, organization); older policy; smaller id."
})
export type LostBy = typeof LostBy.Type

export const Rule = Schema.Literals(["unstated", "only", "priority", "specificity", "age", "id"]).annotate({
  identifier: "DesktopPolicyRule",
  description:
    "The rule that determined the value. `unstated`: no policy sets it. `only`: exactly one policy sets it. Otherwise, the rule by which the winner took precedence over the runner-up."
})
export type Rule = typeof Rule.Type

export const losersMax = 20

export const SettingExplanation = Schema.Struct({
  setting: Setting,
  value: Value,
  rule: Rule,
  winner: Schema.NullOr(Source),
  losers: Schema.Array(Schema.Struct({ ...source, value: Value, lostBy: LostBy })).annotate({
    description: `The other policies that set it and apply to the member, highest precedence first; at most ${losersMax}.`
  }),
  loserCount: Schema.Int
}).annotate({ identifier: "DesktopSettingExplanation" })
export type SettingExplanation = typeof SettingExplanation.Type

export const EffectiveResponse = Schema.Struct({
  desktopPolicy: Effective,
  explanation: Schema.NullOr(Schema.Array(SettingExplanation)).annotate({
    description: "An explanation of every setting. Null unless `explain` is `true`."
  })
}).annotate({ identifier: "EffectiveDesktopPolicyResponse" })
export type EffectiveResponse = typeof EffectiveResponse.Type

export const explainQuery = {
  explain: Schema.optionalKey(
    QueryFlag.annotate({
      description:
        "If `true`, the response explains which policy won for each setting and why the others lost. Default: `false`."
    })
  )
}

// Simulation

export const reorderMax = 1000
export const changesMax = 500

interface SimulatedChanges {
  readonly create?: object
  readonly patch?: object
  readonly delete?: object
  readonly reorder?: object
}

export const SimulateDesktopPolicies = Schema.Struct({
  create: Schema.optionalKey(CreateDesktopPolicy.annotate({ description: "Create a policy." })),
  patch: Schema.optionalKey(
    Schema.Struct({ desktopPolicyId: Ids.DesktopPolicyId, changes: UpdateDesktopPolicy }).annotate({
      description: "Update one policy."
    })
  ),
  delete: Schema.optionalKey(
    Schema.Struct({ desktopPolicyId: Ids.DesktopPolicyId }).annotate({ description: "Remove one policy." })
  ),
  reorder: Schema.optionalKey(
    Schema.Array(Schema.Struct({ desktopPolicyId: Ids.DesktopPolicyId, priority: Priority }))
      .check(Schema.isMinLength(1), Schema.isMaxLength(reorderMax))
      .annotate({ description: "Change the priorities of several policies at the same time." })
  )
})
  .check(
    Schema.makeFilter((simulation: SimulatedChanges) =>
      [simulation.create, simulation.patch, simulation.delete, simulation.reorder].filter(
        (change) => change !== undefined
      ).length === 1
        ? undefined
        : "must include exactly one of: create, patch, delete, reorder"
    )
  )
  .annotate({ identifier: "SimulateDesktopPolicies" })
export type SimulateDesktopPolicies = typeof SimulateDesktopPolicies.Type

const Decision = Schema.Struct({
  value: Value,
  winner: Schema.NullOr(Source).annotate({ description: "Null when no policy sets it." })
}).annotate({ identifier: "DesktopSettingDecision" })

export const SettingChange = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  setting: Setting,
  before: Decision,
  after: Decision
}).annotate({ identifier: "DesktopSettingChange" })
export type SettingChange = typeof SettingChange.Type

export const Simulation = Schema.Struct({
  memberCount: Schema.Int.annotate({ description: "Members with at least one changed setting." }),
  changeCount: Schema.Int.annotate({ description: "The number of changed settings across all members." }),
  settings: Schema.Array(
    Schema.Struct({
      setting: Setting,
      memberCount: Schema.Int,
      turnedOn: Schema.NullOr(Schema.Int).annotate({
        description: "The number of members for whom the switch would be turned on. Null for prompts."
      }),
      turnedOff: Schema.NullOr(Schema.Int)
    })
  ).annotate({ description: "The settings that would change for at least one member." }),
  changes: Schema.Array(SettingChange).annotate({
    description: `Ordered by member and setting; at most ${changesMax}. A setting is not included if only the winning policy would change, not the value.`
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more changes than listed." })
}).annotate({ identifier: "DesktopPolicySimulation" })
export type Simulation = typeof Simulation.Type

// Errors and operations

export class DesktopPolicyNotFound extends notFound("desktop_policy")<DesktopPolicyNotFound>() {}
export class DesktopPolicyExists extends conflict(
  "desktop_policy_exists",
  "The organization already has a desktop policy with this name. Choose another name."
)<DesktopPolicyExists>() {}
export class DesktopPolicyQuotaExceeded extends conflict(
  "quota_exceeded",
  `The organization has reached its limit of ${policiesMax} desktop policies. Remove one first.`
)<DesktopPolicyQuotaExceeded>() {}

const one = { desktopPolicyId: Ids.DesktopPolicyId }
const at = "/v1/desktop-policies/:desktopPolicyId"
const read = Access.permission("desktopPolicies:read")
const write = Access.permission("desktopPolicies:write")
const plan = "desktop_policies"
const PolicyResponse = Schema.Struct({ desktopPolicy: DesktopPolicy })

export const group = HttpApiGroup.make("desktopPolicies")
  .annotateMerge(
    OpenApi.annotations({
      title: "Desktop policies",
      description: "Desktop app settings for members, teams or the whole organization."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/desktop-policies", {
      payload: CreateDesktopPolicy,
      success: PolicyResponse.pipe(HttpApiSchema.status(201)),
      error: [DesktopPolicyExists, DesktopPolicyQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        plan,
        specified: true,
        audited: "desktop_policy.create",
        summary: "Create a desktop policy",
        description:
          "The policy applies to the specified members and teams, or to the whole organization if none are specified. It takes effect immediately. Duplicate ids are ignored."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/desktop-policies", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." }))
      },
      success: Page(DesktopPolicy)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List desktop policies" })),
    HttpApiEndpoint.post("simulate", "/v1/desktop-policies/simulate", {
      payload: SimulateDesktopPolicies,
      success: Schema.Struct({ simulation: Simulation }),
      error: [DesktopPolicyExists, DesktopPolicyQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: read,
        plan,
        idempotency: "none",
        summary: "Preview the effects of a desktop policy change",
        description:
          "Returns the settings that would change for each member. Makes no changes. Returns the same errors as the change itself would."
      })
    ),
    HttpApiEndpoint.get("effective", "/v1/members/:orgMembershipId/desktop-policy", {
      params: { orgMembershipId: Ids.OrgMembershipId },
      query: explainQuery,
      success: EffectiveResponse,
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get the effective desktop policy of a member",
        description: "With `explain`, also returns the policy that determines each setting."
      })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: PolicyResponse, error: DesktopPolicyNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Get a desktop policy" })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateDesktopPolicy,
      success: PolicyResponse,
      error: [DesktopPolicyNotFound, DesktopPolicyExists]
    }).pipe(
      endpointMetadata({
        access: write,
        plan,
        specified: true,
        versioned: true,
        audited: "desktop_policy.update",
        summary: "Update a desktop policy",
        description: "`policy`, `memberIds` and `teamIds` replace the previous values."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: DesktopPolicyNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("desktopPolicies:manage"),
        versioned: true,
        audited: "desktop_policy.remove",
        summary: "Remove a desktop policy",
        description: "The name becomes available for another policy."
      })
    )
  )
