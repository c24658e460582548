import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { personOfEmail } from "../../identity/users/verified-domains.ts"
import { makeId } from "../../infra/ids.ts"
import * as members from "../../identity/members/repo.ts"
import { revokeAll } from "../../identity/sessions/repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as users from "../../identity/users/repo.ts"
import { addressOf } from "./address.ts"
import { endMembers, subjectsOf } from "./end.ts"
import * as repo from "./reconcile-repo.ts"
import { applyRoles } from "./roles.ts"

/** The result of linking: the number of linked SCIM users, and the memberships that no longer have a SCIM user. */
interface Links {
  readonly linked: number
  readonly unlinked: number
  readonly left: ReadonlyArray<Id<"om">>
  readonly people: ReadonlyArray<Id<"usr">>
}

/**
 * Links the SCIM user to this user, with their membership or a new one. Returns the replaced membership, or undefined
 * when another SCIM user has the user's membership.
 */
const linkTo = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  record: repo.Record,
  userId: Id<"usr">
) {
  const own = yield* repo.membershipOf(sql, organizationId, userId, record.id)
  if (own?.is_taken === true) return undefined
  const role = record.membership_id === null ? undefined : yield* repo.roleOf(sql, organizationId, record.membership_id)
  const id = own?.id ?? makeId("om")
  if (own === undefined) yield* members.create(sql, organizationId, { id, userId, role: role ?? "member" })
  yield* repo.assign(sql, organizationId, record.id, userId, id)
  return record.membership_id === id ? null : record.membership_id
})

/**
 * Links SCIM users to the users with their email addresses, as far as the organization has verified the domains, and
 * creates missing memberships. A user without an email address, whom the directory created, gets the address if it is
 * free. Otherwise the SCIM user is linked to the user who has it.
 */
const link = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, directoryId: Id<"scd">) {
  const loose = yield* repo.unlinkedUsers(sql, organizationId, directoryId)
  const verified = loose.length === 0 ? new Set<string>() : yield* repo.domains(sql, organizationId)
  const addresses = new Map<repo.Record, string>()
  for (const record of loose) {
    const email = record.has_address ? undefined : addressOf(record.user_name, record.emails)
    if (email !== undefined && verified.has(email.slice(email.indexOf("@") + 1))) addresses.set(record, email)
  }
  const taken = addresses.size === 0 ? new Set<string>() : yield* repo.taken(sql, [...addresses.values()])
  const free = new Map<string, repo.Record>()
  for (const [record, email] of addresses) {
    if (!taken.has(email) && !record.is_gone && !free.has(email)) free.set(email, record)
  }
  const given = [...free].map(([email, record]) => ({ email, userId: record.user_id }))
  if (given.length > 0) yield* repo.giveAddresses(sql, given)
  const hasAddress = new Set(free.values())
  const left: Array<Id<"om">> = []
  const people: Array<Id<"usr">> = given.map(({ userId }) => userId)
  let linked = 0
  let unlinked = 0
  for (const record of loose) {
    const email = hasAddress.has(record) ? undefined : addresses.get(record)
    const isWhole = record.membership_id !== null && !record.is_gone
    if (email === undefined && isWhole) {
      if (hasAddress.has(record)) linked += 1
      else unlinked += 1
      continue
    }
    const match = email === undefined ? undefined : yield* personOfEmail(sql, organizationId, email)
    const fresh = match === undefined && record.is_gone ? makeId("usr") : undefined
    if (fresh !== undefined) yield* members.createUser(sql, fresh, record.user_name)
    const userId = match?.person.id ?? fresh ?? record.user_id
    yield* users.lock(sql, userId)
    const before = yield* linkTo(sql, organizationId, record, userId)
    if (before === undefined) {
      unlinked += 1
      continue
    }
    // A user who set the address without verifying it may be someone else.
    if (match?.isTakenOver === true) yield* revokeAll(sql, userId)
    if (before !== null) left.push(before)
    people.push(userId)
    linked += 1
  }
  const links: Links = { linked, unlinked, left, people }
  return links
})

/**
 * Updates memberships, teams and roles to the directory's latest state, inside a transaction that has locked the
 * directory. Deactivations that are held for approval stay held. Announce the subjects inside the transaction, and
 * evict them after it.
 */
export const reconcileDirectory = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  directoryId: Id<"scd">,
  by: { readonly isOwner: boolean }
) {
  // Locks users first, then the organization, in the same order as when an account is deleted, to avoid deadlocks.
  const { left, linked, people, unlinked } = yield* link(sql, organizationId, directoryId)
  const over = yield* repo.endedMemberships(sql, organizationId, directoryId)
  // A replaced membership is succeeded by a new one with the same role.
  const replaced = yield* endMembers(sql, organizationId, left, { isOwner: true })
  const { ended, subjects } = yield* endMembers(sql, organizationId, over, by)
  const teamMembersRemoved = yield* repo.leaveTeams(sql, organizationId, directoryId)
  const teamMembersAdded = yield* repo.joinTeams(sql, organizationId, directoryId)
  const records = yield* repo.withMembership(sql, organizationId, directoryId)
  const roles = yield* applyRoles(sql, organizationId, records)
  return {
    reconciliation: {
      linked,
      ended: ended.length,
      teamMembersAdded,
      teamMembersRemoved,
      rolesChanged: roles.changed.length,
      unlinked
    },
    subjects: [
      ...new Set([...replaced.subjects, ...subjects, ...roles.subjects, ...subjectsOf(organizationId, people)])
    ]
  }
})
