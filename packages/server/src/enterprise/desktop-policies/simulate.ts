import {
  changesMax,
  type SettingChange,
  settings,
  type Simulation,
  type Through,
  type Value
} from "@orgplane/schema/desktop-policies"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Steps } from "../../infra/time-slices.ts"
import type { MemberRow } from "./repo.ts"
import { type Candidate, decide, type Decision, merged, noDecision, type Policy, sourceOf, valueAt } from "./resolve.ts"

/** An enabled policy with its teams. Its members are read with the members. */
export interface SimulatedPolicy extends Policy {
  readonly forOrganization: boolean
  readonly teamIds: ReadonlyArray<Id<"tem">>
  /** Only for a policy as the simulation would write it: the members it would apply to, instead of the stored ones. */
  readonly memberIds?: ReadonlySet<Id<"om">>
}

/** The decision of a set of policies for a member. */
type World = (member: MemberRow) => Decision

const through = (policy: Policy, through: Through): Candidate => ({ ...policy, through })

/**
 * Computes the decision for the whole organization and for each team once, and combines these for each member. The cost
 * per member therefore depends on the number of their teams, not on the number of policies.
 */
export const worldOf = function* (policies: ReadonlyArray<SimulatedPolicy>): Steps<World> {
  const organization = decide(policies.filter((one) => one.forOrganization).map((one) => through(one, "organization")))
  const ofTeams = new Map<Id<"tem">, Array<Candidate>>()
  for (const policy of policies) {
    const candidate = through(policy, "team")
    for (const teamId of policy.teamIds) {
      const teamCandidates = ofTeams.get(teamId)
      if (teamCandidates === undefined) ofTeams.set(teamId, [candidate])
      else teamCandidates.push(candidate)
    }
    yield
  }
  const teams = new Map<Id<"tem">, Decision>()
  for (const [id, candidates] of ofTeams) {
    teams.set(id, decide(candidates))
    yield
  }
  const written = policies.filter((one) => one.memberIds !== undefined).map((one) => through(one, "member"))
  const isWritten = new Set(written.map(({ id }) => id))
  const byId = new Map(policies.map((one) => [one.id, through(one, "member")]))
  const membersOf = new Map(policies.map((one) => [one.id, one.memberIds]))
  return (member) => {
    const direct = [
      ...member.policy_ids.flatMap((id) => {
        const policy = isWritten.has(id) ? undefined : byId.get(id)
        return policy === undefined ? [] : [policy]
      }),
      ...written.filter(({ id }) => membersOf.get(id)?.has(member.id) === true)
    ]
    return member.team_ids.reduce(
      (best, id) => merged(best, teams.get(id) ?? noDecision),
      merged(organization, decide(direct))
    )
  }
}

const isSame = (a: Value, b: Value): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

/** Counts the differences between two sets of policies, member by member. */
export const makeComparison = (before: World, after: World) => {
  const counts = settings.map(() => ({ members: 0, on: 0, off: 0 }))
  const changes: Array<SettingChange> = []
  let memberCount = 0
  let changeCount = 0
  const sideOf = (decision: Decision, index: number, value: Value) => {
    const winner = decision[index]
    return { value, winner: winner === undefined ? null : sourceOf(winner, true) }
  }

  /** Compares one member. `changed`: the member in the second state, if the teams or policies of the member change too. */
  const visit = (member: MemberRow, changed: MemberRow = member): void => {
    const [was, is] = [before(member), after(changed)]
    let isChanged = false
    for (const [index, setting] of settings.entries()) {
      // The same policy may set another value now.
      const [old, now] = [valueAt(was, index), valueAt(is, index)]
      const count = counts[index]
      if (count === undefined || isSame(old, now)) continue
      isChanged = true
      changeCount += 1
      count.members += 1
      if (now === true) count.on += 1
      if (now === false) count.off += 1
      if (changes.length < changesMax) {
        changes.push({
          orgMembershipId: member.id,
          setting,
          before: sideOf(was, index, old),
          after: sideOf(is, index, now)
        })
      }
    }
    if (isChanged) memberCount += 1
  }

  const result = (): Simulation => ({
    memberCount,
    changeCount,
    settings: settings.flatMap((setting, index) => {
      const count = counts[index]
      if (count === undefined || count.members === 0) return []
      const isSwitch = setting !== "onboardingPrompts"
      return [
        {
          setting,
          memberCount: count.members,
          turnedOn: isSwitch ? count.on : null,
          turnedOff: isSwitch ? count.off : null
        }
      ]
    }),
    changes,
    truncated: changeCount > changes.length
  })

  return { visit, result } as const
}
