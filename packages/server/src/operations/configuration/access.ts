/** The grants on an object as a field of its entry. */
import type { AccessEntry } from "@orgplane/schema/shared/configuration/access"
import { recipientOf } from "@orgplane/schema/shared/configuration/access"
import type { Member } from "@orgplane/schema/shared/caller"
import type { CreateGrant } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { GrantedKind } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./content-repo.ts"
import type { Names, Reference } from "./kind.ts"

type Access = ReadonlyArray<AccessEntry>

export const normalizeAccess = (access: Access): Access =>
  access
    .map(({ member, ...entry }) => (member === undefined ? entry : { member: member.toLowerCase(), ...entry }))
    .toSorted((one, other) => (recipientOf(one) < recipientOf(other) ? -1 : 1))

export const accessReferences = (access: Access = []): ReadonlyArray<Reference> =>
  access.flatMap(({ member, team }, index): ReadonlyArray<Reference> =>
    member !== undefined
      ? [{ path: ["access", index, "member"], email: member.toLowerCase() }]
      : team !== undefined
        ? [{ path: ["access", index, "team"], kind: "teams", key: team }]
        : []
  )

/** A grant in the document; undefined if its recipient has no key or unique email address there. */
const entryOf = ({ membership_id, role, team_id }: repo.GrantRow, names: Names): AccessEntry | undefined => {
  if (membership_id !== null) {
    const member = names.emailOf(membership_id)
    return member === undefined || names.membershipOf(member) === undefined ? undefined : { member, role }
  }
  if (team_id === null) return { everyone: true, role }
  const team = names.keyOf("teams", team_id)
  return team === undefined ? undefined : { team, role }
}

/** The grants on all objects of a kind, by object. */
export const readAccess = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  kind: GrantedKind,
  names: Names
) {
  const access = new Map<string, Array<AccessEntry>>()
  for (const row of yield* repo.listGrants(sql, organizationId, kind)) {
    const entry = entryOf(row, names)
    const list = access.get(row.object_id)
    if (entry === undefined) continue
    if (list === undefined) access.set(row.object_id, [entry])
    else list.push(entry)
  }
  return (id: string): Access => normalizeAccess(access.get(id) ?? [])
})

const receiverOf = ({ member, team }: AccessEntry, names: Names): Omit<CreateGrant, "role"> | undefined => {
  if (member !== undefined) {
    const orgMembershipId = names.membershipOf(member)
    return orgMembershipId === undefined ? undefined : { orgMembershipId }
  }
  if (team === undefined) return { orgWide: true }
  const teamId = names.idOf("teams", team)
  return teamId === undefined ? undefined : { teamId: teamId as Id<"tem"> }
}

interface GrantOperations<I extends string, E, F> {
  readonly grantAccess: (caller: Member, id: I, input: CreateGrant) => Effect.Effect<unknown, E>
  readonly revokeAccess: (caller: Member, id: I, grantId: string) => Effect.Effect<unknown, F>
}

/**
 * Grants and revokes access until the object has exactly these grants. Grants whose recipients cannot be in a document
 * stay, except on a new object, which has only the grant of its creator.
 */
export const setAccess = Effect.fnUntraced(function* <I extends string, E, F>(
  sql: Sql,
  caller: Member,
  kind: GrantedKind,
  id: I,
  service: GrantOperations<I, E, F>,
  access: Access,
  names: Names,
  isNew: boolean
) {
  const roles = new Map(access.map((entry) => [recipientOf(entry), entry.role]))
  const current = new Map<string, string>()
  for (const row of yield* repo.listGrants(sql, caller.organizationId, kind, id)) {
    const entry = entryOf(row, names)
    if (entry !== undefined && roles.has(recipientOf(entry))) current.set(recipientOf(entry), entry.role)
    else if (entry !== undefined || isNew) yield* service.revokeAccess(caller, id, row.id)
  }
  for (const entry of access) {
    const receiver = receiverOf(entry, names)
    if (receiver === undefined || current.get(recipientOf(entry)) === entry.role) continue
    yield* service.grantAccess(caller, id, { ...receiver, role: entry.role })
  }
})
