/**
 * The semantics of assignments according to the API contract, without a database: one assignment, member and plugin at a
 * time.
 */
import type { Mode } from "@orgplane/schema/assignments"
import * as fc from "fast-check"

export const sizes = { members: 4, teams: 3, plugins: 3, marketplaces: 2, assignments: 8 }

/** Members, teams, plugins and marketplaces by position. The database assigns ids later. */
export interface ModelAssignment {
  readonly target: { readonly kind: "plugin" | "marketplace"; readonly at: number }
  readonly mode: Mode
  readonly priority: number
  readonly members: ReadonlyArray<number>
  readonly teams: ReadonlyArray<number>
  /** One of a few creation times. */
  readonly moment: number
}

export interface ModelWorld {
  /** The teams of each member. */
  readonly members: ReadonlyArray<ReadonlyArray<number>>
  /** The marketplaces of each plugin. */
  readonly plugins: ReadonlyArray<ReadonlyArray<number>>
  readonly assignments: ReadonlyArray<ModelAssignment>
  /** The choices of the first member. */
  readonly choices: ReadonlyArray<boolean | null>
}

const some = (size: number) => fc.subarray(Array.from({ length: size }, (_, index) => index))

const assigned = fc.oneof(
  fc.constant({ members: [], teams: [] }),
  fc.record({ members: some(sizes.members), teams: fc.constant([]) }),
  fc.record({ members: fc.constant([]), teams: some(sizes.teams) }),
  fc.record({ members: some(sizes.members), teams: some(sizes.teams) })
)

/** Blocks are rare enough not to hide the rest. */
const mode = fc.constantFrom<Mode>(
  "required",
  "default_on",
  "available",
  "blocked",
  "required",
  "default_on",
  "available"
)

export const assignment: fc.Arbitrary<ModelAssignment> = fc
  .record({
    target: fc.oneof(
      fc.record({ kind: fc.constant("plugin" as const), at: fc.nat({ max: sizes.plugins - 1 }) }),
      fc.record({ kind: fc.constant("marketplace" as const), at: fc.nat({ max: sizes.marketplaces - 1 }) })
    ),
    mode,
    priority: fc.nat({ max: 1 }),
    moment: fc.nat({ max: 1 }),
    assigned
  })
  .map(({ assigned, ...rest }) => ({ ...rest, ...assigned }))

export const world: fc.Arbitrary<ModelWorld> = fc.record({
  members: fc.array(some(sizes.teams), { minLength: sizes.members, maxLength: sizes.members }),
  plugins: fc.array(some(sizes.marketplaces), { minLength: sizes.plugins, maxLength: sizes.plugins }),
  assignments: fc.array(assignment, { maxLength: sizes.assignments }),
  choices: fc.array(fc.option(fc.boolean()), { minLength: sizes.plugins, maxLength: sizes.plugins })
})

/** The specificity for the member: 3 names the member, 2 a team of theirs, 1 the organization; 0 does not apply. */
const closeness = ({ members, teams }: ModelAssignment, member: number, theirs: ReadonlyArray<number>): number => {
  if (members.includes(member)) return 3
  if (teams.some((team) => theirs.includes(team))) return 2
  return members.length === 0 && teams.length === 0 ? 1 : 0
}

/**
 * The assignment that decides for a member and a plugin: every assignment compared with every other one. Positions order
 * the ids. Undefined if none applies.
 */
export const decided = (world: ModelWorld, member: number, plugin: number): number | undefined => {
  const fit = world.assignments.flatMap((one, place) => {
    const close = closeness(one, member, world.members[member] ?? [])
    const names =
      one.target.kind === "plugin" ? one.target.at === plugin : (world.plugins[plugin] ?? []).includes(one.target.at)
    return names && close > 0 ? [{ one, place, close }] : []
  })
  const beats = (a: (typeof fit)[number], b: (typeof fit)[number]): boolean => {
    if ((a.one.mode === "blocked") !== (b.one.mode === "blocked")) return a.one.mode === "blocked"
    if (a.one.priority !== b.one.priority) return a.one.priority > b.one.priority
    if (a.close !== b.close) return a.close > b.close
    if (a.one.target.kind !== b.one.target.kind) return a.one.target.kind === "plugin"
    if (a.one.moment !== b.one.moment) return a.one.moment < b.one.moment
    return a.place < b.place
  }
  return fit.find((one) => fit.every((other) => other === one || beats(one, other)))?.place
}

export const isOn = (mode: Mode, choice: boolean | null): boolean =>
  mode === "required" || (mode === "default_on" ? choice !== false : mode === "available" && choice === true)
