import type * as Sessions from "@orgplane/schema/sessions"
import { SessionNotFound } from "@orgplane/schema/sessions"
import type { Anonymous, Member, SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomBytes } from "node:crypto"
import { digestOf, recordAudit } from "../../infra/audit/record.ts"
import { Refusals } from "../../infra/audit/refusals.ts"
import { Principals } from "../auth/principals.ts"
import { memberships } from "../auth/repo.ts"
import { boundKinds } from "../auth/sessions.ts"
import { Settings } from "../../infra/config/settings.ts"
import { equalBytes, sha256, sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeToken } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { CredentialGate } from "../../infra/limits/credential-gate.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import * as members from "../members/repo.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { callerNow } from "../roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { normalizeEmail } from "../users/email.ts"
import * as users from "../users/repo.ts"
import { makeCode, readCode } from "./code.ts"
import { signInEmail } from "./sign-in-email.ts"
import * as repo from "./repo.ts"

const lifetimeSeconds = 30 * 86_400
const mintedSecondsMax = 3600
/** Organizations of a user that have an event of their sign-in. */
const organizationsMax = 100
const noCode = Buffer.alloc(32)

const wrongCode = () => InvalidRequest.at(["body", "code"], "is wrong, used or expired")

/** Signing in and out. */
export class SessionsService extends Context.Service<SessionsService>()("@orgplane/server/sessions/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const settings = yield* Settings
    const keys = yield* KeyRing
    const limiter = yield* RateLimiter
    const gate = yield* CredentialGate
    const pages = yield* Pages
    const principals = yield* Principals
    const refusals = yield* Refusals
    const { enqueue } = yield* MailQueue
    const { mutate } = yield* Mutate

    const codeText = (challengeId: string, code: string) => `${challengeId}\n${code}`

    /** Records an event of a session in each organization that it is valid for. */
    const recordInEach = (
      caller: Anonymous | SignedIn,
      action: "session.create" | "session.revoke",
      session: repo.Row,
      organizations: ReadonlyArray<repo.OrganizationRow>
    ) =>
      Effect.forEach(
        organizations,
        ({ id, organization_id: organizationId }) => {
          const inOrganization = { ...caller, organizationId }
          const after = { userId: session.user_id, membershipId: id, kind: session.kind, organizationId: null }
          return recordAudit(sql, inOrganization, action, { target: session.id, after })
        },
        { discard: true }
      )

    /** Emails a code. Whether a user has the email address is not checked, so the response cannot reveal it. */
    const startEmail = Effect.fnUntraced(function* (caller: Anonymous, input: typeof Sessions.StartEmail.Type) {
      const email = normalizeEmail(input.email)
      if (email === undefined) return yield* InvalidRequest.at(["body", "email"], "must be an email address")
      yield* limiter.take(caller.request, limits.signIn, `${caller.request.address}/${sha256(email)}`)
      yield* limiter.take(caller.request, limits.signInAddress, caller.request.address)
      yield* limiter.take(caller.request, limits.signInEmail, sha256(email))
      const challengeId = randomBytes(18).toString("base64url")
      const code = makeCode()
      const expiresAt = yield* mutate(
        caller,
        "session.challenge",
        repo.putChallenge(sql, {
          id: challengeId,
          email,
          codeDigest: keys.sign("sign-in", codeText(challengeId, code))
        }),
        () => ({ after: { email: digestOf(email) } })
      )
      yield* enqueue("code", signInEmail(settings.links.signIn, email, challengeId, code))
      return { challengeId, expiresAt: iso(expiresAt) }
    })

    const isRight = (challengeId: string, typed: string, expected: Uint8Array) => {
      const signatures = keys.signatures("sign-in", codeText(challengeId, readCode(typed)))
      // Every secret key is tried, so that the response time does not reveal which one matched.
      return signatures.map((signature) => equalBytes(signature, expected)).includes(true)
    }

    /** Signs in with an emailed code, and creates the user on first use. */
    const verifyEmail = Effect.fnUntraced(function* (caller: Anonymous, input: typeof Sessions.VerifyEmail.Type) {
      const verifiedChallenge = Effect.gen(function* () {
        const row = yield* repo.spendTry(sql, input.challengeId)
        if (isRight(input.challengeId, input.code, row?.code_digest ?? noCode)) return row
        if (row !== undefined) yield* refusals.noteWrongCode({ email: row.email }, caller.request)
        return undefined
      })
      const attempt = {
        limit: limits.failedAuthentication,
        address: caller.request.address,
        credential: `${input.challengeId}/${input.code}`
      }
      if ((yield* gate.lookUp(caller.request, attempt, verifiedChallenge)) === undefined) {
        yield* limiter.take(caller.request, limits.failedAuthentication, caller.request.address)
        return yield* wrongCode()
      }
      const token = makeToken("ops")
      const signIn = yield* mutate(
        caller,
        "session.create",
        Effect.gen(function* () {
          const challenge = yield* repo.takeChallenge(sql, input.challengeId)
          if (challenge === undefined) return yield* wrongCode()
          const existingUser = yield* users.findByEmail(sql, challenge.email)
          // A user who set the email address without verifying it may be someone else, and is signed out.
          const isTakenOver = existingUser !== undefined && !existingUser.email_verified
          if (isTakenOver) {
            yield* repo.revokeAll(sql, existingUser.id)
            yield* principals.announce(existingUser.id)
          }
          const user = yield* users.verifiedUser(sql, makeId("usr"), challenge.email)
          const [first, ...others] = yield* memberships(sql, user.id, null)
          const session = yield* repo.create(sql, {
            id: makeId("ses"),
            tokenDigest: sha256Bytes(token),
            userId: user.id,
            organizationId: first !== undefined && others.length === 0 ? first.organization_id : null,
            kind: "email",
            lifetimeSeconds
          })
          // Without an organization of its own, the session is valid for all of them, and each one has the event.
          if (others.length > 0) {
            const organizations = yield* repo.organizationsOf(sql, user.id, organizationsMax)
            yield* recordInEach(caller, "session.create", session, organizations)
          }
          return { isTakenOver, session, user }
        }),
        ({ session, user }) => ({
          target: session.id,
          after: { userId: user.id, kind: session.kind, organizationId: session.organization_id }
        })
      )
      if (signIn.isTakenOver) principals.forget(signIn.user.id)
      return {
        session: { id: signIn.session.id, token, expiresAt: iso(signIn.session.expires_at) },
        user: users.toWire(signIn.user)
      }
    })

    /** Creates a short session of a member for a host application, valid for the caller's organization only. */
    const exchange = Effect.fnUntraced(function* (caller: Member, input: typeof Sessions.Exchange.Type) {
      if (caller.provisional) {
        return yield* new Forbidden({
          reason: "provisional_organization",
          message: "An unclaimed workspace cannot create sessions for its members. Claim it first."
        })
      }
      const inputField = input.subject === undefined ? "orgMembershipId" : "subject"
      const token = makeToken("ops")
      const exchange = yield* mutate(
        caller,
        "session.exchange",
        Effect.gen(function* () {
          yield* callerNow(sql, caller, "sessions:mint")
          const member =
            input.subject === undefined
              ? input.orgMembershipId && (yield* members.find(sql, caller.organizationId, input.orgMembershipId))
              : yield* repo.findMemberBySubject(sql, caller.organizationId, input.subject)
          // A member who is being removed concurrently must not get a session that outlasts it.
          if (!member || !(yield* members.keep(sql, caller.organizationId, member.id))) {
            return yield* InvalidRequest.at(["body", inputField], "does not exist in the organization")
          }
          const session = yield* repo.create(sql, {
            id: makeId("ses"),
            tokenDigest: sha256Bytes(token),
            userId: member.user_id,
            organizationId: caller.organizationId,
            kind: "minted",
            mintedBy: caller.principal.kind === "key" ? caller.principal.keyId : null,
            lifetimeSeconds: Math.min(input.expiresInSeconds ?? mintedSecondsMax, mintedSecondsMax)
          })
          return { session, member }
        }),
        ({ member, session }) => ({
          target: session.id,
          after: {
            userId: member.user_id,
            membershipId: member.id,
            kind: session.kind,
            expiresAt: iso(session.expires_at)
          }
        })
      )
      return { session: { id: exchange.session.id, token, expiresAt: iso(exchange.session.expires_at) } }
    })

    const list = (caller: SignedIn, query: PageQuery) =>
      pages.read(
        { operation: "sessions.list", organizationId: caller.boundTo, filters: caller.userId },
        query,
        (after, limit) => repo.list(sql, caller.userId, caller.boundTo, after, limit),
        (row) => row.id,
        repo.toWire(caller.sessionId)
      )

    const revoke = Effect.fnUntraced(function* (caller: SignedIn, sessionId: string) {
      yield* mutate(
        caller,
        "session.revoke",
        Effect.gen(function* () {
          const session = yield* repo.revoke(sql, caller.userId, caller.boundTo, sessionId)
          if (session === undefined) return yield* new SessionNotFound()
          yield* principals.announce(sessionId)
          const isBound = session.organization_id !== null && boundKinds.includes(session.kind)
          const organizations = isBound ? [] : yield* repo.organizationsOf(sql, session.user_id, organizationsMax)
          const [first, ...others] = organizations
          if (others.length > 0) yield* recordInEach(caller, "session.revoke", session, organizations)
          const only = isBound ? session.organization_id : first?.organization_id
          return { session, organizationId: others.length > 0 ? null : (only ?? null) }
        }),
        ({ organizationId, session }) => ({
          target: sessionId,
          after: { userId: session.user_id, kind: session.kind, organizationId }
        })
      )
      principals.forget(sessionId)
    })

    return { startEmail, verifyEmail, exchange, list, revoke } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
