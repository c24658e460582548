/** Lists of teams and members as keys and email addresses. */
import type { Id } from "@orgplane/schema/shared/ids"
import type { Names, Path, Reference } from "./kind.ts"

export interface PeopleKeys {
  readonly teams: ReadonlyArray<string>
  readonly members: ReadonlyArray<string>
}
export interface PeopleIds {
  readonly teamIds: ReadonlyArray<Id<"tem">>
  readonly memberIds: ReadonlyArray<Id<"om">>
}

/** The email address of a member; undefined if it does not identify the member. */
const emailOf = (id: string, names: Names): string | undefined => {
  const email = names.emailOf(id)
  return email === undefined || names.membershipOf(email) === undefined ? undefined : email
}

/** Teams and members without those that a document cannot name. */
export const peopleKeys = ({ memberIds, teamIds }: PeopleIds, names: Names): PeopleKeys => ({
  teams: teamIds.flatMap((id) => names.keyOf("teams", id) ?? []).toSorted(),
  members: memberIds.flatMap((id) => emailOf(id, names) ?? []).toSorted()
})

/** The named teams and members, and the members in `before` that a document cannot name. */
export const peopleIds = ({ members, teams }: PeopleKeys, names: Names, before?: PeopleIds): PeopleIds => ({
  teamIds: teams.flatMap((key) => (names.idOf("teams", key) as Id<"tem"> | undefined) ?? []),
  memberIds: [
    ...members.flatMap((email) => names.membershipOf(email) ?? []),
    // A member without a membership has left.
    ...(before?.memberIds ?? []).filter((id) => names.isMember(id) && emailOf(id, names) === undefined)
  ]
})

export const normalizePeople = ({ members = [], teams = [] }: Partial<PeopleKeys>): PeopleKeys => ({
  teams: [...new Set(teams)].toSorted(),
  members: [...new Set(members.map((email) => email.toLowerCase()))].toSorted()
})

export const peopleReferences = ({ members = [], teams = [] }: Partial<PeopleKeys>, at: Path) => [
  ...teams.map((key, index): Reference => ({ path: [...at, "teams", index], kind: "teams", key })),
  ...members.map((email, index): Reference => ({ path: [...at, "members", index], email: email.toLowerCase() }))
]
