import {
  type CreateDesktopPolicy,
  settings,
  type SettingsInput,
  switches,
  type UpdateDesktopPolicy
} from "@orgplane/schema/desktop-policies"
import {
  type AssigneesInput,
  audienceOf,
  changedAssignees,
  createdAssignees,
  differencesOf,
  distinct
} from "../../identity/audiences/index.ts"
import { digestOf } from "../../infra/audit/record.ts"
import type { Plan, Row } from "./repo.ts"
import type { PolicySettings } from "./resolve.ts"

/** The settings that are set, in a fixed order. Every prompt has a description. */
export const policySettingsOf = (input: SettingsInput): PolicySettings => ({
  ...Object.fromEntries(switches.flatMap((name) => (input[name] == null ? [] : [[name, input[name]]]))),
  ...(input.onboardingPrompts == null
    ? {}
    : {
        onboardingPrompts: input.onboardingPrompts,
        onboardingPromptDescriptions: input.onboardingPromptDescriptions ?? input.onboardingPrompts.map(() => "")
      })
})

/** The current state of a policy. */
export const planOf = (row: Row): Plan => ({
  name: row.name,
  settings: policySettingsOf(row.settings_json),
  priority: row.priority,
  isEnabled: row.is_enabled,
  forOrganization: row.for_organization,
  memberIds: distinct(row.member_ids),
  teamIds: distinct(row.team_ids)
})

export const createdPlan = (input: typeof CreateDesktopPolicy.Type & AssigneesInput): Plan => ({
  name: input.policyName,
  settings: policySettingsOf(input.policy),
  priority: input.priority ?? 0,
  isEnabled: input.isEnabled ?? true,
  ...createdAssignees(input)
})

/** The state of a policy after a change. */
export const changedPlan = (before: Plan, input: typeof UpdateDesktopPolicy.Type & AssigneesInput): Plan => ({
  name: input.policyName ?? before.name,
  settings: input.policy === undefined ? before.settings : policySettingsOf(input.policy),
  priority: input.priority ?? before.priority,
  isEnabled: input.isEnabled ?? before.isEnabled,
  ...changedAssignees(before, input)
})

/** The fields of a policy that the audit log records. Texts are recorded only as digests. */
const record = (plan: Plan): Readonly<Record<string, unknown>> => ({
  policyName: digestOf(plan.name),
  priority: plan.priority,
  isEnabled: plan.isEnabled,
  audience: audienceOf(plan),
  memberIds: plan.memberIds,
  teamIds: plan.teamIds,
  ...Object.fromEntries(
    settings.map((setting) => [
      setting,
      setting === "onboardingPrompts"
        ? plan.settings.onboardingPrompts === undefined
          ? null
          : digestOf(JSON.stringify([plan.settings.onboardingPrompts, plan.settings.onboardingPromptDescriptions]))
        : (plan.settings[setting] ?? null)
    ])
  )
})

export const recordOf = (plan: Plan, version: number) => ({ ...record(plan), version })

/** The differences between two states, for the audit log. */
export const differences = (before: Plan, after: Plan) => differencesOf(record(before), record(after))
