/** The members and teams that a policy or an assignment applies to, and how a change of these is recorded. */
import type { Audience } from "@orgplane/schema/desktop-policies"
import type { Id } from "@orgplane/schema/shared/ids"

export interface Assignees {
  /** Stored, so that a policy or assignment without its last member or team does not apply to the whole organization. */
  readonly forOrganization: boolean
  readonly memberIds: ReadonlyArray<Id<"om">>
  readonly teamIds: ReadonlyArray<Id<"tem">>
}

/** The assignees in a request. */
export interface AssigneesInput {
  /** Whether it applies to the whole organization; not in requests of the API, which send no members and teams instead. */
  readonly forOrganization?: boolean
  readonly memberIds?: ReadonlyArray<Id<"om">>
  readonly teamIds?: ReadonlyArray<Id<"tem">>
}

export const distinct = <A extends string>(ids: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(ids)].sort()

export const audienceOf = ({ forOrganization, memberIds, teamIds }: Assignees): Audience =>
  forOrganization ? "organization" : memberIds.length + teamIds.length > 0 ? "assigned" : "nobody"

export const createdAssignees = (input: AssigneesInput): Assignees => {
  const memberIds = distinct(input.memberIds ?? [])
  const teamIds = distinct(input.teamIds ?? [])
  return { forOrganization: input.forOrganization ?? memberIds.length + teamIds.length === 0, memberIds, teamIds }
}

/**
 * The assignees after a change. Clearing the last member or team makes the policy or assignment apply to the whole
 * organization. If it applies to no one because its members left, sending an empty list does not change that.
 */
export const changedAssignees = (before: Assignees, input: AssigneesInput): Assignees => {
  const memberIds = input.memberIds === undefined ? before.memberIds : distinct(input.memberIds)
  const teamIds = input.teamIds === undefined ? before.teamIds : distinct(input.teamIds)
  const wasAssigned = before.memberIds.length + before.teamIds.length > 0
  return {
    forOrganization:
      input.forOrganization ?? (memberIds.length + teamIds.length === 0 && (before.forOrganization || wasAssigned)),
    memberIds,
    teamIds
  }
}

/** The differences between two recorded states, for the audit log. */
export const differencesOf = (was: Readonly<Record<string, unknown>>, is: Readonly<Record<string, unknown>>) => {
  const names = Object.keys(was).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  const only = (state: typeof was) => Object.fromEntries(names.map((name) => [name, state[name]]))
  return { isSame: names.length === 0, before: only(was), after: only(is) }
}
