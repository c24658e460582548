import {
  type CreateDesktopPolicy,
  settings,
  type SettingsInput,
  switches,
  type UpdateDesktopPolicy
} from "@orgplane/schema/desktop-policies"
import { digestOf } from "../../infra/audit/record.ts"
import { audienceOf, type Plan, type Row } from "./repo.ts"
import type { PolicySettings } from "./resolve.ts"

/** The settings that are set, in a fixed order. Every prompt has a description. */
const policySettingsOf = (input: SettingsInput): PolicySettings => ({
  ...Object.fromEntries(switches.flatMap((name) => (input[name] == null ? [] : [[name, input[name]]]))),
  ...(input.onboardingPrompts == null
    ? {}
    : {
        onboardingPrompts: input.onboardingPrompts,
        onboardingPromptDescriptions: input.onboardingPromptDescriptions ?? input.onboardingPrompts.map(() => "")
      })
})

const distinct = <A extends string>(ids: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(ids)].sort()

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

export const createdPlan = (input: typeof CreateDesktopPolicy.Type): Plan => {
  const memberIds = distinct(input.memberIds ?? [])
  const teamIds = distinct(input.teamIds ?? [])
  return {
    name: input.policyName,
    settings: policySettingsOf(input.policy),
    priority: input.priority ?? 0,
    isEnabled: input.isEnabled ?? true,
    forOrganization: memberIds.length + teamIds.length === 0,
    memberIds,
    teamIds
  }
}

/**
 * The state of a policy after a change. Clearing the last assignment makes the policy apply to the whole organization.
 * If a policy lost its assignments because the members left, sending the same empty list does not change that it
 * applies to no one.
 */
export const changedPlan = (before: Plan, input: typeof UpdateDesktopPolicy.Type): Plan => {
  const memberIds = input.memberIds === undefined ? before.memberIds : distinct(input.memberIds)
  const teamIds = input.teamIds === undefined ? before.teamIds : distinct(input.teamIds)
  const wasAssigned = before.memberIds.length + before.teamIds.length > 0
  return {
    name: input.policyName ?? before.name,
    settings: input.policy === undefined ? before.settings : policySettingsOf(input.policy),
    priority: input.priority ?? before.priority,
    isEnabled: input.isEnabled ?? before.isEnabled,
    forOrganization: memberIds.length + teamIds.length === 0 && (before.forOrganization || wasAssigned),
    memberIds,
    teamIds
  }
}

/** The fields of a policy that the audit log records. Texts are recorded only as digests. */
const record = (plan: Plan): Readonly<Record<string, unknown>> => ({
  policyName: digestOf(plan.name),
  priority: plan.priority,
  isEnabled: plan.isEnabled,
  audience: audienceOf({
    for_organization: plan.forOrganization,
    member_ids: plan.memberIds,
    team_ids: plan.teamIds
  }),
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
export const differences = (before: Plan, after: Plan) => {
  const [was, is] = [record(before), record(after)]
  const names = Object.keys(was).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  const only = (state: typeof was) => Object.fromEntries(names.map((name) => [name, state[name]]))
  return { isSame: names.length === 0, before: only(was), after: only(is) }
}
