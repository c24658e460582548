/**
 * The semantics of desktop policies according to the API contract, without a database: one policy, member and setting
 * at a time.
 */
import type * as Policies from "@orgplane/schema/desktop-policies"
import * as fc from "fast-check"

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
export const settings = [...switches, "onboardingPrompts"] as const
type Setting = (typeof settings)[number]

/** Members and teams by position. The database assigns ids later. */
export interface ModelPolicy {
  readonly settings: Policies.SettingsInput
  readonly priority: number
  readonly isEnabled: boolean
  readonly members: ReadonlyArray<number>
  readonly teams: ReadonlyArray<number>
  /** One of a few creation times. */
  readonly moment: number
}

export interface ModelWorld {
  /** The teams of each member. */
  readonly members: ReadonlyArray<ReadonlyArray<number>>
  readonly policies: ReadonlyArray<ModelPolicy>
}

export const sizes = { members: 5, teams: 3, policies: 9 }

const some = (size: number) => fc.subarray(Array.from({ length: size }, (_, index) => index))
/** Only a few settings, so that several policies usually set the same one. */
const settingsInput: fc.Arbitrary<Policies.SettingsInput> = fc.oneof(
  fc.record(
    {
      allowAlphaUpdates: fc.option(fc.boolean()),
      showWelcomePage: fc.option(fc.boolean()),
      onboardingPrompts: fc.option(fc.array(fc.constantFrom("a", "b"), { maxLength: 3 }))
    },
    { requiredKeys: [] }
  ),
  fc.record(Object.fromEntries(switches.map((name) => [name, fc.boolean()])), { requiredKeys: [] })
)

/**
 * Without assignments a policy applies to everyone: often enough to be tested, and rarely enough not to hide the rest.
 */
const assigned = fc.oneof(
  fc.constant({ members: [], teams: [] }),
  fc.record({ members: some(sizes.members), teams: fc.constant([]) }),
  fc.record({ members: fc.constant([]), teams: some(sizes.teams) }),
  fc.record({ members: some(sizes.members), teams: some(sizes.teams) })
)

export const policy: fc.Arbitrary<ModelPolicy> = fc
  .record({
    settings: settingsInput,
    priority: fc.nat({ max: 2 }),
    isEnabled: fc.integer({ min: 0, max: 4 }).map((one) => one > 0),
    moment: fc.nat({ max: 1 }),
    assigned
  })
  .map(({ assigned, ...rest }) => ({ ...rest, ...assigned }))

export const world: fc.Arbitrary<ModelWorld> = fc.record({
  members: fc.array(some(sizes.teams), { minLength: sizes.members, maxLength: sizes.members }),
  policies: fc.array(policy, { maxLength: sizes.policies })
})

export interface Decided {
  readonly value: unknown
  /** The position of the winner. */
  readonly winner: number | undefined
}

/** The specificity for the member: 3 names the member, 2 a team of theirs, 1 the organization; 0 does not apply. */
const closeness = ({ members, teams }: ModelPolicy, member: number, theirs: ReadonlyArray<number>): number => {
  if (members.includes(member)) return 3
  if (teams.some((team) => theirs.includes(team))) return 2
  return members.length === 0 && teams.length === 0 ? 1 : 0
}

const settingOf = ({ settings }: ModelPolicy, setting: Setting): unknown => {
  if (setting !== "onboardingPrompts") return settings[setting] ?? undefined
  return settings.onboardingPrompts?.map((prompt, index) => ({
    prompt,
    description: settings.onboardingPromptDescriptions?.[index] ?? ""
  }))
}

/** The decision of a setting for a member: every policy compared with every other one. `places` orders the ids. */
export const decided = (world: ModelWorld, member: number, setting: Setting): Decided => {
  const theirs = world.members[member] ?? []
  const fit = world.policies.flatMap((policy, place) => {
    const close = closeness(policy, member, theirs)
    const value = settingOf(policy, setting)
    return policy.isEnabled && close > 0 && value !== undefined ? [{ policy, place, close, value }] : []
  })
  const beats = (a: (typeof fit)[number], b: (typeof fit)[number]): boolean => {
    if (a.policy.priority !== b.policy.priority) return a.policy.priority > b.policy.priority
    if (a.close !== b.close) return a.close > b.close
    if (a.policy.moment !== b.policy.moment) return a.policy.moment < b.policy.moment
    return a.place < b.place
  }
  const winner = fit.find((one) => fit.every((other) => other === one || beats(one, other)))
  return winner === undefined
    ? { value: setting === "onboardingPrompts" ? [] : true, winner: undefined }
    : { value: winner.value, winner: winner.place }
}
