/** Who it is that an identity provider speaks of, and whether they may come in. */
import type { SsoRefusal } from "@orgplane/schema/sso"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { ownerOfEmail, personOfEmail } from "../../identity/users/verified-domains.ts"
import { makeId } from "../../infra/ids.ts"
import * as members from "../../identity/members/repo.ts"
import type { Asserted } from "../../infra/ports/sso.ts"
import { roleExists } from "../../identity/roles/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { normaliseEmail } from "../../identity/users/email.ts"
import * as users from "../../identity/users/repo.ts"
import * as repo from "./repo.ts"

/** What is to be done for whoever may come in. */
type Judged =
  | { readonly refusal: SsoRefusal }
  | {
      readonly refusal: null
      /** Whom the subject is; null when the address says it, which is then linked to the subject. */
      readonly known: Id<"usr"> | null
      readonly email: string | null
      readonly joins: boolean
    }

const no = (refusal: SsoRefusal): Judged => ({ refusal })

/**
 * Judges, and changes nothing. The subject is believed first: once it is somebody it stays them, whatever address is told
 * of them now. Else the address says it, when it is in a domain that this organization has verified: an organization's
 * provider speaks for nobody else. Membership is asked for last, and given where the connection takes people in.
 */
const judge = Effect.fnUntraced(function* (sql: Sql, connection: repo.Row, asserted: Asserted) {
  const { id, organization_id: organizationId } = connection
  const { email, emailVerified, subject } = asserted
  const known = yield* repo.findIdentity(sql, organizationId, id, subject)
  if (known === undefined) {
    if (email === null) return no("email_missing")
    if (emailVerified === false) return no("email_not_verified")
    if ((yield* ownerOfEmail(sql, email)) !== organizationId) return no("domain_not_verified")
  }
  const userId = known?.user_id ?? (email === null ? undefined : (yield* users.findByEmail(sql, email))?.id)
  const membership = userId === undefined ? undefined : yield* repo.membershipOf(sql, organizationId, userId)
  if (membership !== undefined) {
    const isAnother =
      known === undefined &&
      userId !== undefined &&
      (yield* repo.hasOtherSubject(sql, organizationId, id, userId, subject))
    // An address that was given to somebody else must not give them the account of whoever had it.
    if (isAnother) return no("person_mismatch")
  } else {
    if (!connection.jit_enabled) return no("not_a_member")
    // Whoever comes in anew does so by an address that the organization speaks for now.
    if (email === null) return no("not_a_member")
    if (emailVerified === false) return no("email_not_verified")
    if ((yield* ownerOfEmail(sql, email)) !== organizationId) return no("domain_not_verified")
    if (known !== undefined) {
      // They may have another address by now than their own: theirs may be another organization's to speak for since.
      const own = (yield* users.get(sql, known.user_id))?.email ?? null
      if (own === null || (yield* ownerOfEmail(sql, own)) !== organizationId) return no("domain_not_verified")
    }
    const address = normaliseEmail(email) ?? email
    if (yield* repo.isDeactivated(sql, organizationId, userId ?? null, address)) return no("not_a_member")
    if (!(yield* roleExists(sql, organizationId, connection.jit_role))) return no("not_a_member")
  }
  const judged: Judged = { refusal: null, known: known?.user_id ?? null, email, joins: membership === undefined }
  return judged
})

/** Whether the person would be let in, for a test. */
export const wouldRefuse = (sql: Sql, connection: repo.Row, asserted: Asserted) =>
  Effect.map(judge(sql, connection, asserted), ({ refusal }) => refusal)

export type Recognised =
  | { readonly refusal: SsoRefusal }
  | {
      readonly refusal: null
      readonly userId: Id<"usr">
      /** The membership that was made of it. */
      readonly joined: Id<"om"> | null
      readonly linked: boolean
      /** Whoever wrote the address down without proving it is to be signed out everywhere. */
      readonly takenOver: boolean
    }

const nameMax = 120

/**
 * Finds the person, links the subject to them, and makes them a member where the connection takes people in; inside the
 * caller's transaction. A refusal has changed nothing.
 */
export const recognise = Effect.fnUntraced(function* (sql: Sql, connection: repo.Row, asserted: Asserted) {
  const { id: connectionId, organization_id: organizationId } = connection
  const judged = yield* judge(sql, connection, asserted)
  if (judged.refusal !== null) return judged
  const found =
    judged.known === null && judged.email !== null ? yield* personOfEmail(sql, organizationId, judged.email) : undefined
  const userId = judged.known ?? found?.person.id
  if (userId === undefined) return { refusal: "domain_not_verified" as const }
  // Of two at once the second waits here, and finds the first's membership.
  if ((yield* users.lock(sql, userId)) === undefined) return { refusal: "not_a_member" as const }
  if (found?.isNew === true && asserted.name !== null) {
    const name = asserted.name.trim().slice(0, nameMax).toWellFormed()
    if (name !== "") yield* users.rename(sql, userId, name)
  }
  const joins = judged.joins && !(yield* members.isMember(sql, organizationId, userId))
  if (
    judged.joins &&
    !joins &&
    judged.known === null &&
    (yield* repo.hasOtherSubject(sql, organizationId, connectionId, userId, asserted.subject))
  ) {
    // Another subject with this address came in while this one waited.
    return { refusal: "person_mismatch" as const }
  }
  const joined = joins ? makeId("om") : null
  if (joined !== null) {
    // Under another subject they were somebody here before, and are no longer.
    if (judged.known === null) yield* repo.forgetSubjectsOf(sql, organizationId, userId)
    yield* members.create(sql, organizationId, { id: joined, userId, role: connection.jit_role })
  }
  yield* repo.link(sql, organizationId, connectionId, asserted.subject, userId)
  const recognised: Recognised = {
    refusal: null,
    userId,
    joined,
    linked: judged.known === null,
    takenOver: found?.isTakenOver === true
  }
  return recognised
})
