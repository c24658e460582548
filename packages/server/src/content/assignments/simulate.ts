import { type Change, changesMax, type Mode, modes, type Simulation } from "@orgplane/schema/assignments"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Specificity } from "../../infra/precedence.ts"
import type { Steps } from "../../infra/time-slices.ts"
import { type Assigned, better, type Candidate, decide, modeOf, sourceOf } from "./resolve.ts"
import type { MemberRow, TargetRow } from "./simulate-repo.ts"

/** An assignment with its teams. Its members are read with the members. */
export interface SimulatedAssignment extends Assigned {
  readonly forOrganization: boolean
  readonly teamIds: ReadonlyArray<Id<"tem">>
  /** Only for an assignment as the simulation would write it: its members, instead of the stored ones. */
  readonly memberIds?: ReadonlySet<Id<"om">>
}

/** Plugins to which the same assignments apply, so that each decision is made once for all of them. */
export interface PluginClass {
  readonly pluginIds: ReadonlyArray<Id<"plg">>
  readonly marketplaceIds: ReadonlySet<Id<"mkt">>
}

/** Plugins with an assignment of their own are in a class of their own. */
export const classesOf = (
  plugins: ReadonlyArray<TargetRow>,
  hasOwn: (pluginId: Id<"plg">) => boolean
): ReadonlyArray<PluginClass> =>
  [
    ...Map.groupBy(plugins, (plugin) => [hasOwn(plugin.id) ? plugin.id : "", ...plugin.marketplace_ids].join()).values()
  ].map((members) => ({
    pluginIds: members.map(({ id }) => id),
    marketplaceIds: new Set(members[0]?.marketplace_ids)
  }))

const applies = (assignment: Assigned, { marketplaceIds, pluginIds }: PluginClass): boolean =>
  assignment.marketplaceId === null
    ? pluginIds[0] === assignment.pluginId
    : marketplaceIds.has(assignment.marketplaceId)

/** For each class, the assignment that decides. */
type Decision = ReadonlyArray<Candidate | undefined>
/** The decisions of a set of assignments for a member. */
type World = (member: MemberRow) => Decision

const through = (assignment: Assigned, specificity: Specificity): Candidate => ({ ...assignment, through: specificity })

/**
 * Decides for the whole organization and for each team once, and combines these for each member. The cost per member
 * depends on the number of their teams and of the assignments that name them, not on the number of assignments.
 */
export const worldOf = function* (
  assignments: ReadonlyArray<SimulatedAssignment>,
  classes: ReadonlyArray<PluginClass>
): Steps<World> {
  const classesOfAssignment = new Map<Assigned, ReadonlyArray<number>>()
  for (const assignment of assignments) {
    classesOfAssignment.set(
      assignment,
      classes.flatMap((one, index) => (applies(assignment, one) ? [index] : []))
    )
    yield
  }
  const candidates = (list: ReadonlyArray<SimulatedAssignment>, specificity: Specificity): Decision => {
    const best: Array<Candidate | undefined> = classes.map(() => undefined)
    for (const assignment of list) {
      const candidate = through(assignment, specificity)
      for (const index of classesOfAssignment.get(assignment) ?? []) best[index] = better(best[index], candidate)
    }
    return best
  }
  const relevant = assignments.filter((one) => (classesOfAssignment.get(one)?.length ?? 0) > 0)
  const organization = candidates(
    relevant.filter((one) => one.forOrganization),
    "organization"
  )
  const ofTeams = new Map<Id<"tem">, Array<SimulatedAssignment>>()
  for (const assignment of relevant) {
    for (const teamId of assignment.teamIds) {
      const ofTeam = ofTeams.get(teamId)
      if (ofTeam === undefined) ofTeams.set(teamId, [assignment])
      else ofTeam.push(assignment)
    }
    yield
  }
  const teams = new Map<Id<"tem">, Decision>()
  for (const [id, list] of ofTeams) {
    teams.set(id, candidates(list, "team"))
    yield
  }
  const written = relevant.filter((one) => one.memberIds !== undefined)
  const stored = new Map(relevant.flatMap((one) => (one.memberIds === undefined ? [[one.id, one] as const] : [])))
  return (member) => {
    const direct = [
      ...member.assignment_ids.flatMap((id) => stored.get(id) ?? []),
      ...written.filter(({ memberIds }) => memberIds?.has(member.id) === true)
    ]
    const decisions = [
      organization,
      ...member.team_ids.flatMap((id) => {
        const decision = teams.get(id)
        return decision === undefined ? [] : [decision]
      }),
      ...(direct.length === 0 ? [] : [candidates(direct, "member")])
    ]
    return decisions.length === 1
      ? organization
      : classes.map((_, index) => decide(decisions.flatMap((decision) => decision[index] ?? [])))
  }
}

interface ChangedClass {
  readonly index: number
  readonly before: Candidate | undefined
  readonly after: Candidate | undefined
}

const isSame = (a: Candidate | undefined, b: Candidate | undefined): boolean =>
  modeOf(a) === modeOf(b) && (a?.pinnedDigest ?? null) === (b?.pinnedDigest ?? null)

const sideOf = (winner: Candidate | undefined) => ({
  mode: modeOf(winner),
  pinnedDigest: winner?.pinnedDigest ?? null,
  winner: winner === undefined ? null : sourceOf(winner, true)
})

/** Counts the differences between two sets of assignments, member by member. */
export const makeComparison = (before: World, after: World, classes: ReadonlyArray<PluginClass>) => {
  const counts = new Map<Mode, Map<Mode, number>>()
  const changes: Array<Change> = []
  let memberCount = 0
  let changeCount = 0

  const listChanges = (member: MemberRow, changed: ReadonlyArray<ChangedClass>): void => {
    const plugins = changed
      .flatMap((one) => (classes[one.index]?.pluginIds ?? []).map((pluginId) => ({ pluginId, one })))
      .sort((a, b) => (a.pluginId < b.pluginId ? -1 : 1))
    for (const { one, pluginId } of plugins.slice(0, changesMax - changes.length)) {
      changes.push({ orgMembershipId: member.id, pluginId, before: sideOf(one.before), after: sideOf(one.after) })
    }
  }

  const visit = (member: MemberRow): void => {
    const [was, is] = [before(member), after(member)]
    const changed = classes.flatMap((_, index): ReadonlyArray<ChangedClass> => {
      const one = { index, before: was[index], after: is[index] }
      return isSame(one.before, one.after) ? [] : [one]
    })
    if (changed.length === 0) return
    memberCount += 1
    for (const one of changed) {
      const size = classes[one.index]?.pluginIds.length ?? 0
      const [from, to] = [modeOf(one.before), modeOf(one.after)]
      const ofMode = counts.get(from) ?? new Map<Mode, number>()
      counts.set(from, ofMode.set(to, (ofMode.get(to) ?? 0) + size))
      changeCount += size
    }
    if (changes.length < changesMax) listChanges(member, changed)
  }

  const result = (): Simulation => ({
    memberCount,
    changeCount,
    modes: modes.flatMap((from) =>
      modes.flatMap((to) => {
        const count = counts.get(from)?.get(to)
        return count === undefined ? [] : [{ before: from, after: to, changeCount: count }]
      })
    ),
    changes,
    truncated: changeCount > changes.length
  })

  return { visit, result } as const
}
