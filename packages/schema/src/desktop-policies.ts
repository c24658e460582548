/** Desktop policies: what the desktop app lets members and teams do. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { MemberNotFound } from "./members.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { QueryFlag, Text, Timestamp } from "./shared/values.ts"

// What a policy states

/** The switches, in the order they are told. A switch that no policy states is on. */
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

/** Everything that is decided for itself: each switch, and the prompts with their descriptions. */
export const settings = [...switches, "onboardingPrompts"] as const
export const Setting = Schema.Literals(settings).annotate({ identifier: "DesktopSetting" })
export type Setting = typeof Setting.Type

const switchDescriptions: Readonly<Record<Switch, string>> = {
  allowCustomProviders: "Whether people may add model providers of their own.",
  allowPartnerModel: "Whether the partner's models may be chosen.",
  allowMultipleWorkspaces: "Whether more than one workspace may be open.",
  allowControlSettings: "Whether people may change the app's own settings.",
  allowManageExtensions: "Whether people may install and remove extensions.",
  allowBuiltInExtensions: "Whether the extensions that come with the app run.",
  allowAlphaUpdates: "Whether the app may update to alpha releases.",
  showWelcomePage: "Whether the app opens with its welcome page."
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

/** What a policy states; null is not stated, which leaves the setting to other policies. */
export const Settings = Schema.Struct({
  ...eachSwitch((description) => Schema.NullOr(Schema.Boolean).annotate({ description })),
  onboardingPrompts: Schema.NullOr(Schema.Array(Schema.String)),
  onboardingPromptDescriptions: Schema.NullOr(Schema.Array(Schema.String))
}).annotate({ identifier: "DesktopPolicySettings" })
export type Settings = typeof Settings.Type

interface StatedPrompts {
  readonly onboardingPrompts?: ReadonlyArray<string> | null
  readonly onboardingPromptDescriptions?: ReadonlyArray<string> | null
}

const promptFaults = ({ onboardingPromptDescriptions: descriptions, onboardingPrompts: prompts }: StatedPrompts) =>
  descriptions == null || descriptions.length === (prompts?.length ?? 0)
    ? undefined
    : {
        path: ["onboardingPromptDescriptions"],
        issue: `must be as many as the onboardingPrompts, ${prompts?.length ?? 0}`
      }

/** What a policy is to state. What `Settings` answers can be sent back as it is. */
export const SettingsInput = Schema.Struct({
  ...eachSwitch((description) => Schema.optionalKey(Schema.NullOr(Schema.Boolean).annotate({ description }))),
  onboardingPrompts: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Text(1, 500)).check(Schema.isMaxLength(3))).annotate({
      description: "At most three, offered to who opens the app for the first time; [] states that there are none."
    })
  ),
  onboardingPromptDescriptions: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Text(0, 120)).check(Schema.isMaxLength(3))).annotate({
      description: "One for each prompt, in their order; all empty when absent."
    })
  )
})
  .check(Schema.makeFilter(promptFaults))
  .annotate({
    identifier: "DesktopPolicySettingsInput",
    description: "What is absent or null is not stated, which leaves it to other policies."
  })
export type SettingsInput = typeof SettingsInput.Type

/** What holds for one member: every switch has a value. */
export const Effective = Schema.Struct({
  ...eachSwitch((description) => Schema.Boolean.annotate({ description })),
  onboardingPrompts: Schema.Array(Schema.String),
  onboardingPromptDescriptions: Schema.Array(Schema.String).annotate({ description: "One for each prompt." })
}).annotate({ identifier: "EffectiveDesktopPolicy" })
export type Effective = typeof Effective.Type

// Policies

export const Audience = Schema.Literals(["organization", "assigned", "nobody"]).annotate({
  identifier: "DesktopPolicyAudience",
  description:
    "`organization` without an assignment; `assigned` to its members and teams; `nobody` once all that it was assigned to are gone: it does not widen by itself."
})
export type Audience = typeof Audience.Type

export const DesktopPolicy = Schema.Struct({
  id: Ids.DesktopPolicyId,
  organizationId: Ids.OrganizationId,
  policyName: Schema.String,
  policy: Settings,
  priority: Schema.Int.annotate({ description: "The highest wins." }),
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
/** Policies of one organization. */
export const policiesMax = 2000

const PolicyName = Text(1, 255)
const Priority = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: priorityMax }))
const MemberIds = Schema.Array(Ids.OrgMembershipId).check(Schema.isMaxLength(assignedMax))
const TeamIds = Schema.Array(Ids.TeamId).check(Schema.isMaxLength(assignedMax))

export const CreateDesktopPolicy = Schema.Struct({
  policyName: PolicyName.annotate({ description: "Unique in the organization, in any case of letters." }),
  policy: SettingsInput,
  priority: Schema.optionalKey(Priority.annotate({ description: "The highest wins; 0 unless told." })),
  isEnabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "true unless told." })),
  memberIds: Schema.optionalKey(
    MemberIds.annotate({
      description: "Members it applies to; without members and teams it applies to the whole organization."
    })
  ),
  teamIds: Schema.optionalKey(TeamIds.annotate({ description: "Teams whose members it applies to." }))
}).annotate({ identifier: "CreateDesktopPolicy" })

export const UpdateDesktopPolicy = Schema.Struct({
  policyName: Schema.optionalKey(PolicyName),
  policy: Schema.optionalKey(SettingsInput.annotate({ description: "All that it states from now on." })),
  priority: Schema.optionalKey(Priority),
  isEnabled: Schema.optionalKey(Schema.Boolean),
  memberIds: Schema.optionalKey(
    MemberIds.annotate({
      description:
        "All members it is assigned to from now on. `[]` clears them; a policy whose last assignment is cleared applies to the whole organization."
    })
  ),
  teamIds: Schema.optionalKey(TeamIds.annotate({ description: "All teams it is assigned to from now on." }))
}).annotate({ identifier: "UpdateDesktopPolicy" })

// What holds, and why

export const Through = Schema.Literals(["member", "team", "organization"]).annotate({
  identifier: "DesktopPolicyThrough",
  description: "The closest way by which a policy applies to a member."
})
export type Through = typeof Through.Type

export const Prompt = Schema.Struct({ prompt: Schema.String, description: Schema.String }).annotate({
  identifier: "DesktopPrompt"
})
export type Prompt = typeof Prompt.Type

export const Value = Schema.Union([Schema.Boolean, Schema.Array(Prompt)]).annotate({
  identifier: "DesktopSettingValue",
  description: "Of a switch, or the prompts."
})
export type Value = typeof Value.Type

const source = {
  id: Schema.NullOr(Ids.DesktopPolicyId).annotate({ description: "null: the policy that a simulation would create." }),
  policyName: Schema.NullOr(Schema.String).annotate({
    description: "null where the caller may not read desktop policies."
  }),
  priority: Schema.Int,
  through: Through,
  createdAt: Schema.NullOr(Timestamp)
}

/** A policy that states a setting and applies to the member. */
export const Source = Schema.Struct(source).annotate({ identifier: "DesktopPolicySource" })
export type Source = typeof Source.Type

export const LostBy = Schema.Literals(["priority", "specificity", "age", "id"]).annotate({
  identifier: "DesktopPolicyLostBy",
  description:
    "The first of the rules that tells a policy from the winner: a higher priority; a closer assignment (member, team, organization); an older policy; the smaller id."
})
export type LostBy = typeof LostBy.Type

export const Rule = Schema.Literals(["unstated", "only", "priority", "specificity", "age", "id"]).annotate({
  identifier: "DesktopPolicyRule",
  description: "What decided: no policy states it; only one does; or the rule that the next best of the others lost by."
})
export type Rule = typeof Rule.Type

export const losersMax = 20

export const SettingExplanation = Schema.Struct({
  setting: Setting,
  value: Value,
  rule: Rule,
  winner: Schema.NullOr(Source),
  losers: Schema.Array(Schema.Struct({ ...source, value: Value, lostBy: LostBy })).annotate({
    description: `The others that state it and apply, best first; the first ${losersMax}.`
  }),
  loserCount: Schema.Int
}).annotate({ identifier: "DesktopSettingExplanation" })
export type SettingExplanation = typeof SettingExplanation.Type

export const EffectiveAnswer = Schema.Struct({
  desktopPolicy: Effective,
  explanation: Schema.NullOr(Schema.Array(SettingExplanation)).annotate({
    description: "Every setting, with what decided it; null unless asked for."
  })
}).annotate({ identifier: "EffectiveDesktopPolicyAnswer" })
export type EffectiveAnswer = typeof EffectiveAnswer.Type

export const explainQuery = {
  explain: Schema.optionalKey(
    QueryFlag.annotate({ description: "`true` tells of every setting which policy won, and why the others lost." })
  )
}

// What a change would do

export const reorderMax = 1000
export const changesMax = 500

interface Simulated {
  readonly create?: object
  readonly patch?: object
  readonly delete?: object
  readonly reorder?: object
}

export const SimulateDesktopPolicies = Schema.Struct({
  create: Schema.optionalKey(CreateDesktopPolicy),
  patch: Schema.optionalKey(
    Schema.Struct({ desktopPolicyId: Ids.DesktopPolicyId, changes: UpdateDesktopPolicy }).annotate({
      description: "One policy changed, as an update would."
    })
  ),
  delete: Schema.optionalKey(
    Schema.Struct({ desktopPolicyId: Ids.DesktopPolicyId }).annotate({ description: "One policy gone." })
  ),
  reorder: Schema.optionalKey(
    Schema.Array(Schema.Struct({ desktopPolicyId: Ids.DesktopPolicyId, priority: Priority }))
      .check(Schema.isMinLength(1), Schema.isMaxLength(reorderMax))
      .annotate({ description: "Other priorities, of several policies at once." })
  )
})
  .check(
    Schema.makeFilter((asked: Simulated) =>
      [asked.create, asked.patch, asked.delete, asked.reorder].filter((one) => one !== undefined).length === 1
        ? undefined
        : "name exactly one of create, patch, delete and reorder"
    )
  )
  .annotate({ identifier: "SimulateDesktopPolicies" })
export type SimulateDesktopPolicies = typeof SimulateDesktopPolicies.Type

const Side = Schema.Struct({
  value: Value,
  winner: Schema.NullOr(Source).annotate({ description: "null: no policy states it." })
}).annotate({ identifier: "DesktopSettingDecision" })

export const SettingChange = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  setting: Setting,
  before: Side,
  after: Side
}).annotate({ identifier: "DesktopSettingChange" })
export type SettingChange = typeof SettingChange.Type

export const Simulation = Schema.Struct({
  memberCount: Schema.Int.annotate({ description: "Members for whom something would be different." }),
  changeCount: Schema.Int.annotate({ description: "Settings of members that would have another value." }),
  settings: Schema.Array(
    Schema.Struct({
      setting: Setting,
      memberCount: Schema.Int,
      turnedOn: Schema.NullOr(Schema.Int).annotate({ description: "Of a switch: for how many members." }),
      turnedOff: Schema.NullOr(Schema.Int)
    })
  ).annotate({ description: "Those that would have another value for somebody." }),
  changes: Schema.Array(SettingChange).annotate({
    description: `By member and setting; the first ${changesMax}. Where only the winner would be another, nothing changes.`
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more changes than these." })
}).annotate({ identifier: "DesktopPolicySimulation" })
export type Simulation = typeof Simulation.Type

// Errors and operations

export class DesktopPolicyNotFound extends notFound("desktop_policy")<DesktopPolicyNotFound>() {}
export class DesktopPolicyExists extends conflict(
  "desktop_policy_exists",
  "The organization has a desktop policy with this name."
)<DesktopPolicyExists>() {}
export class DesktopPolicyQuotaExceeded extends conflict(
  "quota_exceeded",
  `The organization has as many desktop policies as it may, ${policiesMax}.`
)<DesktopPolicyQuotaExceeded>() {}

const one = { desktopPolicyId: Ids.DesktopPolicyId }
const at = "/v1/desktop-policies/:desktopPolicyId"
const read = Access.permission("desktopPolicies:read")
const write = Access.permission("desktopPolicies:write")
const plan = "desktop_policies"
const PolicyAnswer = Schema.Struct({ desktopPolicy: DesktopPolicy })

export const group = HttpApiGroup.make("desktopPolicies")
  .annotateMerge(
    OpenApi.annotations({
      title: "Desktop policies",
      description: "Switches of the desktop app, for members, teams or everybody."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/desktop-policies", {
      payload: CreateDesktopPolicy,
      success: PolicyAnswer.pipe(HttpApiSchema.status(201)),
      error: [DesktopPolicyExists, DesktopPolicyQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        plan,
        specified: true,
        audited: "desktop_policy.create",
        summary: "Creates a policy: for the members and teams it names, or else the whole organization.",
        description: "It holds at once. An id that is named twice counts once."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/desktop-policies", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the name, in any case." }))
      },
      success: Page(DesktopPolicy)
    }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the desktop policies of the organization." })
    ),
    HttpApiEndpoint.post("simulate", "/v1/desktop-policies/simulate", {
      payload: SimulateDesktopPolicies,
      success: Schema.Struct({ simulation: Simulation }),
      error: [DesktopPolicyExists, DesktopPolicyQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: read,
        plan,
        idempotency: "none",
        summary: "Answers what a change would do, by member and setting; changes nothing.",
        description: "What the change itself would be refused for, this is refused for."
      })
    ),
    HttpApiEndpoint.get("effective", "/v1/members/:orgMembershipId/desktop-policy", {
      params: { orgMembershipId: Ids.OrgMembershipId },
      query: explainQuery,
      success: EffectiveAnswer,
      error: MemberNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Gets what holds for a member, and with `explain` why." })),
    HttpApiEndpoint.get("get", at, { params: one, success: PolicyAnswer, error: DesktopPolicyNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Gets one desktop policy." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateDesktopPolicy,
      success: PolicyAnswer,
      error: [DesktopPolicyNotFound, DesktopPolicyExists]
    }).pipe(
      endpointMetadata({
        access: write,
        plan,
        specified: true,
        versioned: true,
        audited: "desktop_policy.update",
        summary: "Updates a desktop policy; `policy`, `memberIds` and `teamIds` replace what was there."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: DesktopPolicyNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("desktopPolicies:manage"),
        versioned: true,
        audited: "desktop_policy.remove",
        summary: "Removes a desktop policy; its name is free."
      })
    )
  )
