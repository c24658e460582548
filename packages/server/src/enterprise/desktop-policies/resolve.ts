import {
  type Effective,
  losersMax,
  type LostBy,
  type Setting,
  settings,
  type SettingExplanation,
  type SettingsInput,
  type Source,
  type Through,
  type Value
} from "@orgplane/schema/desktop-policies"
import type { Id } from "@orgplane/schema/shared/ids"
import { byAge, byId, byPriority, bySpecificity, makePrecedence } from "../../infra/precedence.ts"

/** The settings that a policy sets. Others are absent. */
export type PolicySettings = { readonly [K in keyof SettingsInput]?: NonNullable<SettingsInput[K]> }

/** The fields of a policy that affect decisions. */
export interface Policy {
  /** Null for a policy that a simulation would create; it counts as the newest. */
  readonly id: Id<"dpo"> | null
  readonly name: string
  readonly priority: number
  readonly createdAt: Date | null
  readonly settings: PolicySettings
}

/** A policy that applies to a member, by the most specific assignment. */
export interface Candidate extends Policy {
  readonly through: Through
}

/** For each setting, in the order of `settings`, the policy that decides it. */
export type Decision = ReadonlyArray<Candidate | undefined>

const precedence = makePrecedence<LostBy, Candidate>([byPriority, bySpecificity, byAge, byId], "id")

const prompts = (settings: PolicySettings): Value | undefined =>
  settings.onboardingPrompts?.map((prompt, index) => ({
    prompt,
    description: settings.onboardingPromptDescriptions?.[index] ?? ""
  }))

/** The value that a policy sets; undefined when it does not set it. */
const valueOf = (setting: Setting, { settings }: Policy): Value | undefined =>
  setting === "onboardingPrompts" ? prompts(settings) : settings[setting]

/** The value of a setting that no policy sets. */
const defaultValue = (setting: Setting): Value => (setting === "onboardingPrompts" ? [] : true)

export const noDecision: Decision = settings.map(() => undefined)

/** Combines two decisions. */
export const merged = (a: Decision, b: Decision): Decision =>
  a === noDecision ? b : b === noDecision ? a : a.map((one, index) => precedence.better(one, b[index]))

/** The policy that determines each setting. */
export const decide = (candidates: Iterable<Candidate>): Decision => {
  let best: Array<Candidate | undefined> | undefined
  for (const candidate of candidates) {
    best ??= [...noDecision]
    for (const [index, setting] of settings.entries()) {
      if (candidate.settings[setting] !== undefined) best[index] = precedence.better(best[index], candidate)
    }
  }
  return best ?? noDecision
}

/** The value of the setting at an index of `settings`. */
export const valueAt = (decision: Decision, index: number): Value => {
  const setting = settings[index] ?? "onboardingPrompts"
  const winner = decision[index]
  return (winner === undefined ? undefined : valueOf(setting, winner)) ?? defaultValue(setting)
}

const isSwitchOn = (decision: Decision, setting: Setting) => valueAt(decision, settings.indexOf(setting)) === true

export const effectiveOf = (decision: Decision): Effective => {
  const shown = valueAt(decision, settings.indexOf("onboardingPrompts"))
  const pairs = typeof shown === "boolean" ? [] : shown
  return {
    allowCustomProviders: isSwitchOn(decision, "allowCustomProviders"),
    allowPartnerModel: isSwitchOn(decision, "allowPartnerModel"),
    allowMultipleWorkspaces: isSwitchOn(decision, "allowMultipleWorkspaces"),
    allowControlSettings: isSwitchOn(decision, "allowControlSettings"),
    allowManageExtensions: isSwitchOn(decision, "allowManageExtensions"),
    allowBuiltInExtensions: isSwitchOn(decision, "allowBuiltInExtensions"),
    allowAlphaUpdates: isSwitchOn(decision, "allowAlphaUpdates"),
    showWelcomePage: isSwitchOn(decision, "showWelcomePage"),
    onboardingPrompts: pairs.map(({ prompt }) => prompt),
    onboardingPromptDescriptions: pairs.map(({ description }) => description)
  }
}

/** A policy in a response. Its name requires the permission to read policies. */
export const sourceOf = (policy: Candidate, isNamed: boolean): Source => ({
  id: policy.id,
  policyName: isNamed ? policy.name : null,
  priority: policy.priority,
  through: policy.through,
  createdAt: policy.createdAt?.toISOString() ?? null
})

/**
 * For every setting: the policy that determined it, the rule that decided, and why the other policies were overridden.
 */
export const explain = (candidates: ReadonlyArray<Candidate>, isNamed: boolean): ReadonlyArray<SettingExplanation> => {
  const sorted = candidates.toSorted(precedence.compare)
  return settings.map((setting) => {
    const entries = sorted.flatMap((policy) => {
      const value = valueOf(setting, policy)
      return value === undefined ? [] : [{ policy, value }]
    })
    const { loserCount, losers, rule, winner } = precedence.explain(entries, ({ policy }) => policy, losersMax)
    if (winner === undefined) {
      return { setting, value: defaultValue(setting), rule: "unstated", winner: null, losers: [], loserCount }
    }
    return {
      setting,
      value: winner.value,
      rule: rule ?? "only",
      winner: sourceOf(winner.policy, isNamed),
      losers: losers.map(({ entry: { policy, value }, lostBy }) => ({ ...sourceOf(policy, isNamed), value, lostBy })),
      loserCount
    }
  })
}
