/** Finds the user that an identity provider asserts, and decides whether they may sign in. */
import type { SsoRefusal } from "@orgplane/schema/sso"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { ownerOfEmail, personOfEmail } from "../../identity/users/verified-domains.ts"
import { makeId } from "../../infra/ids.ts"
import * as members from "../../identity/members/repo.ts"
import type { Asserted } from "../../infra/ports/sso.ts"
import { roleExists } from "../../identity/roles/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { normalizeEmail } from "../../identity/users/email.ts"
import * as users from "../../identity/users/repo.ts"
import * as repo from "./repo.ts"

/** The decision, and what to do if the user may sign in. */
type Decision =
  | { readonly refusal: SsoRefusal }
  | {
      readonly refusal: null
      /**
       * The user of the subject; null when the email address determines the user, who is then linked to the subject.
       */
      readonly linkedUserId: Id<"usr"> | null
      readonly email: string | null
      readonly joins: boolean
    }

const refuse = (refusal: SsoRefusal): Decision => ({ refusal })

/**
 * Makes the decision without changing anything. A known subject identifies its user, regardless of its current email
 * address. Otherwise the email address identifies the user, if this organization has verified its domain, because an
 * organization's provider cannot vouch for other addresses. Membership is checked last, and created if the connection
 * provisions users just in time.
 */
const decide = Effect.fnUntraced(function* (sql: Sql, connection: repo.Row, asserted: Asserted) {
  const { id, organization_id: organizationId } = connection
  const { email, emailVerified, subject } = asserted
  const identity = yield* repo.findIdentity(sql, organizationId, id, subject)
  if (identity === undefined) {
    if (email === null) return refuse("email_missing")
    if (emailVerified === false) return refuse("email_not_verified")
    if ((yield* ownerOfEmail(sql, email)) !== organizationId) return refuse("domain_not_verified")
  }
  const userId = identity?.user_id ?? (email === null ? undefined : (yield* users.findByEmail(sql, email))?.id)
  const membership = userId === undefined ? undefined : yield* repo.membershipOf(sql, organizationId, userId)
  if (membership !== undefined) {
    const isAnother =
      identity === undefined &&
      userId !== undefined &&
      (yield* repo.hasOtherSubject(sql, organizationId, id, userId, subject))
    // An email address that was reassigned must not give its new holder the account of the previous one.
    if (isAnother) return refuse("person_mismatch")
  } else {
    if (!connection.jit_enabled) return refuse("not_a_member")
    // A new membership requires an email address in a domain that the organization has verified now.
    if (email === null) return refuse("not_a_member")
    if (emailVerified === false) return refuse("email_not_verified")
    if ((yield* ownerOfEmail(sql, email)) !== organizationId) return refuse("domain_not_verified")
    if (identity !== undefined) {
      // The user's own email address may differ from the asserted one, and may now be in another organization's
      // domain.
      const own = (yield* users.find(sql, identity.user_id))?.email ?? null
      if (own === null || (yield* ownerOfEmail(sql, own)) !== organizationId) return refuse("domain_not_verified")
    }
    const address = normalizeEmail(email) ?? email
    if (yield* repo.isDeactivated(sql, organizationId, userId ?? null, address)) return refuse("not_a_member")
    if (!(yield* roleExists(sql, organizationId, connection.jit_role))) return refuse("not_a_member")
  }
  const decision: Decision = {
    refusal: null,
    linkedUserId: identity?.user_id ?? null,
    email,
    joins: membership === undefined
  }
  return decision
})

/** Why the user would not be signed in, for a test. */
export const wouldRefuse = (sql: Sql, connection: repo.Row, asserted: Asserted) =>
  Effect.map(decide(sql, connection, asserted), ({ refusal }) => refusal)

export type Recognition =
  | { readonly refusal: SsoRefusal }
  | {
      readonly refusal: null
      readonly userId: Id<"usr">
      /** The membership that was created. */
      readonly joined: Id<"om"> | null
      readonly linked: boolean
      /** A user had set the email address without verifying it, and must be signed out everywhere. */
      readonly takenOver: boolean
    }

const nameMax = 120

/**
 * Finds the user, links the subject to them, and creates a membership if the connection provisions users just in
 * time. Inside the caller's transaction. A refusal changes nothing.
 */
export const recognize = Effect.fnUntraced(function* (sql: Sql, connection: repo.Row, asserted: Asserted) {
  const { id: connectionId, organization_id: organizationId } = connection
  const decision = yield* decide(sql, connection, asserted)
  if (decision.refusal !== null) return decision
  const match =
    decision.linkedUserId === null && decision.email !== null
      ? yield* personOfEmail(sql, organizationId, decision.email)
      : undefined
  const userId = decision.linkedUserId ?? match?.person.id
  if (userId === undefined) return { refusal: "domain_not_verified" as const }
  // Of two concurrent requests, the second one waits here and finds the membership of the first.
  if ((yield* users.lock(sql, userId)) === undefined) return { refusal: "not_a_member" as const }
  if (match?.isNew === true && asserted.name !== null) {
    const name = asserted.name.trim().slice(0, nameMax).toWellFormed()
    if (name !== "") yield* users.rename(sql, userId, name)
  }
  const joins = decision.joins && !(yield* members.isMember(sql, organizationId, userId))
  if (
    decision.joins &&
    !joins &&
    decision.linkedUserId === null &&
    (yield* repo.hasOtherSubject(sql, organizationId, connectionId, userId, asserted.subject))
  ) {
    // Another subject with this email address signed in while this request waited.
    return { refusal: "person_mismatch" as const }
  }
  const joined = joins ? makeId("om") : null
  if (joined !== null) {
    // The link of a former member to another subject is removed.
    if (decision.linkedUserId === null) yield* repo.forgetSubjectsOf(sql, organizationId, userId)
    yield* members.create(sql, organizationId, { id: joined, userId, role: connection.jit_role })
  }
  yield* repo.link(sql, organizationId, connectionId, asserted.subject, userId)
  const recognition: Recognition = {
    refusal: null,
    userId,
    joined,
    linked: decision.linkedUserId === null,
    takenOver: match?.isTakenOver === true
  }
  return recognition
})
