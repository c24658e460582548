import * as Invitations from "@orgplane/schema/invitations"
import type { Anonymous, Member, SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, type RateLimited } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { digestOf, recordAudit } from "../../infra/audit/record.ts"
import { Principals } from "../auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { sha256, sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeToken } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { CredentialGate } from "../../infra/limits/credential-gate.ts"
import { limits, type RateLimitedRequest, RateLimiter, requestPart } from "../../infra/limits/index.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import * as members from "../members/repo.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../organizations/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import type { Mail } from "../../infra/ports/mailer.ts"
import { demandRole, roleExists } from "../roles/index.ts"
import * as sessions from "../sessions/repo.ts"
import * as managed from "../members/managed-repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { demandUnbound } from "../users/bound.ts"
import { normalizeEmail } from "../users/email.ts"
import * as users from "../users/repo.ts"
import { invitationEmail, linkOf } from "./invitation-email.ts"
import * as repo from "./repo.ts"

type Status = typeof Invitations.InvitationStatus.Type
type Input = Pick<typeof Invitations.CreateInvitation.Type, "email" | "role" | "teamIds">

interface Invitee {
  readonly email: string
  readonly role: string
  readonly teamIds: ReadonlyArray<Id<"tem">>
}

type Refusal = Forbidden | InvalidRequest | RateLimited | Invitations.InviteeIsMember

/** The error of an item of a batch. */
const errorOf = (error: Refusal) => {
  switch (error._tag) {
    case "Forbidden":
      return { code: error.reason, message: error.message }
    case "InvalidRequest": {
      const messages = error.details.map(({ message, path }) => `${path.slice(1).join(".")} ${message}`)
      return { code: error.error, message: messages.join("; ") }
    }
    default:
      return { code: error.error, message: error.message }
  }
}

/** People copy secrets from emails and files, often with surrounding whitespace. */
const digestOfToken = (token: string) => sha256Bytes(token.trim())

const demandMail = (caller: Member) =>
  caller.provisional
    ? Effect.fail(
        new Forbidden({
          reason: "provisional_organization",
          message: "An unclaimed workspace cannot send email. Set send to false to get a link instead."
        })
      )
    : Effect.void

/** Invitations to organizations. */
export class InvitationsService extends Context.Service<InvitationsService>()("@orgplane/server/invitations/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const settings = yield* Settings
    const limiter = yield* RateLimiter
    const gate = yield* CredentialGate
    const pages = yield* Pages
    const principals = yield* Principals
    const { enqueue } = yield* MailQueue
    const { mutate } = yield* Mutate

    /** Team members get the grants of the team, so inviting into a team requires a permission. */
    const demandTeams = Effect.fnUntraced(function* (caller: Member, ids: ReadonlyArray<Id<"tem">>) {
      if (ids.length === 0) return
      const liveTeams = yield* repo.liveTeams(sql, caller.organizationId, ids)
      const unknown = ids.findIndex((id) => !liveTeams.has(id))
      if (unknown !== -1) {
        return yield* InvalidRequest.at(["body", "teamIds", unknown], "does not exist in the organization")
      }
      if (yield* managed.anyIsGroup(sql, caller.organizationId, ids)) {
        return yield* new Forbidden({
          reason: "managed_by_scim",
          message: "One of the teams is managed by SCIM. Add its members in your identity provider."
        })
      }
      if (!caller.permissions.has("teams:write")) {
        return yield* new Forbidden({
          reason: "exceeds_own_permissions",
          message: "Inviting someone into a team requires the permission teams:write."
        })
      }
    })

    /**
     * Counts an email that is about to be sent: after all checks that could prevent it, and outside of every
     * transaction.
     */
    const countEmail = Effect.fnUntraced(function* (caller: Member, email: string, request: RateLimitedRequest) {
      const address = sha256(email)
      yield* limiter.take(request, limits.invitation, `${caller.organizationId}/${address}`)
      yield* limiter.take(request, limits.invitationEmail, address)
      yield* limiter.take(request, limits.invitationsPerDay, caller.organizationId)
    })

    const invitationMailOf = Effect.fnUntraced(function* (row: repo.Row, token: string) {
      const organization = yield* expectRow(yield* organizations.find(sql, row.organization_id), "organization")
      const about = { to: row.email, organizationName: organization.name, expiresAt: row.expires_at }
      return invitationEmail(about, linkOf(settings.links.invitation, token))
    })

    /** Who is invited. `mailed` counts the email, after all checks that need no lock. */
    const prepare = Effect.fnUntraced(function* (caller: Member, input: Input, mailed: RateLimitedRequest | undefined) {
      const email = normalizeEmail(input.email)
      if (email === undefined) return yield* InvalidRequest.at(["body", "email"], "must be an email address")
      const role = input.role ?? "member"
      const teamIds = input.teamIds ?? []
      if (mailed !== undefined) {
        yield* demandRole(sql, caller, role)
        yield* demandTeams(caller, teamIds)
        yield* countEmail(caller, email, mailed)
      }
      return { email, role, teamIds }
    })

    /** Inside a transaction. */
    const put = Effect.fnUntraced(function* (caller: Member, { email, role, teamIds }: Invitee, token: string) {
      yield* demandRole(sql, caller, role)
      yield* demandTeams(caller, teamIds)
      if (yield* repo.isMembers(sql, caller.organizationId, email)) return yield* new Invitations.InviteeIsMember()
      return yield* repo.put(sql, caller.organizationId, {
        id: makeId("inv"),
        email,
        role,
        teamIds: [...new Set(teamIds)],
        tokenDigest: sha256Bytes(token),
        createdBy: membershipOf(caller)
      })
    })

    const changeOf = (row: repo.Row, isMailed: boolean) => ({
      target: row.id,
      after: { email: digestOf(row.email), role: row.role, teamIds: row.team_ids_json, mailed: isMailed }
    })

    /** Invites an email address by email, or returns the link to a caller with the permission for it. */
    const create = Effect.fnUntraced(function* (caller: Member, input: typeof Invitations.CreateInvitation.Type) {
      const isMailed = input.send !== false
      if (isMailed) yield* demandMail(caller)
      else if (!caller.permissions.has("invitations:link")) {
        return yield* new Forbidden({
          reason: "permission_required",
          message: "Creating an invitation link requires the permission invitations:link."
        })
      }
      const invitee = yield* prepare(caller, input, isMailed ? caller.request : undefined)
      const token = makeToken("opi")
      // Stays undefined if the request replays an idempotency key, because the email was already sent.
      let mail: Mail | undefined
      const row = yield* mutate(
        caller,
        "invitation.create",
        Effect.gen(function* () {
          const row = yield* put(caller, invitee, token)
          if (isMailed) mail = yield* invitationMailOf(row, token)
          return row
        }),
        (row) => changeOf(row, isMailed)
      )
      if (mail !== undefined) yield* enqueue("invitation", mail)
      return {
        invitation: repo.toWire(row),
        link: isMailed ? null : { token, url: linkOf(settings.links.invitation, token) }
      }
    })

    /** Inside a transaction: one invitation of a batch, with its audit event. */
    const putItem = Effect.fnUntraced(function* (caller: Member, invitee: Invitee) {
      const token = makeToken("opi")
      const row = yield* put(caller, invitee, token)
      yield* recordAudit(sql, caller, "invitation.create", changeOf(row, true))
      return { invitation: repo.toWire(row), mail: yield* invitationMailOf(row, token) }
    })

    /**
     * Emails several invitations. Each item is a savepoint of one transaction: a rejected item changes nothing, and the
     * others proceed.
     */
    const batch = Effect.fnUntraced(function* (caller: Member, input: typeof Invitations.InvitationBatch.Type) {
      yield* demandMail(caller)
      const seen = new Set<string>()
      const prepared = yield* Effect.forEach(input.items, (item) => {
        const email = normalizeEmail(item.email) ?? item.email
        const isRepeated = seen.has(email)
        seen.add(email)
        return Effect.result(
          isRepeated
            ? InvalidRequest.at(["body", "email"], "is the same as in an earlier item")
            : prepare(caller, item, requestPart())
        )
      })
      const mails: Array<Mail> = []
      const results = yield* mutate(
        caller,
        "invitation.batch",
        Effect.forEach(prepared, (outcome, index) => {
          // The transaction is run again after a deadlock.
          if (index === 0) mails.length = 0
          const email = input.items[index]?.email ?? ""
          const refused = (error: Refusal) => ({ index, ok: false, email, invitation: null, error: errorOf(error) })
          if (Result.isFailure(outcome)) {
            return outcome.failure._tag === "SqlError"
              ? Effect.fail(outcome.failure)
              : Effect.succeed(refused(outcome.failure))
          }
          return putItem(caller, outcome.success).pipe(
            sql.withTransaction,
            Effect.matchEffect({
              onSuccess: ({ invitation, mail }) => {
                mails.push(mail)
                return Effect.succeed({ index, ok: true, email, invitation, error: null })
              },
              onFailure: (error) => (error._tag === "SqlError" ? Effect.fail(error) : Effect.succeed(refused(error)))
            })
          )
        }),
        (results) => ({ after: { items: results.length, failed: results.filter((result) => !result.ok).length } })
      )
      yield* Effect.forEach(mails, (mail) => enqueue("invitation", mail), { discard: true })
      return { results }
    })

    const list = (caller: Member, query: PageQuery & { readonly q?: string; readonly status?: Status }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"inv">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      if (row === undefined) return yield* new Invitations.InvitationNotFound()
      return { invitation: repo.toWire(row) }
    })

    const pending = Effect.fnUntraced(function* (caller: Member, id: Id<"inv">) {
      const row = yield* repo.lock(sql, caller.organizationId, id)
      if (row === undefined) return yield* new Invitations.InvitationNotFound()
      if (row.status !== "pending") return yield* new Invitations.InvitationNotPending()
      return row
    })

    /** Emails a new link. The old one stops working. */
    const resend = Effect.fnUntraced(function* (caller: Member, id: Id<"inv">) {
      yield* demandMail(caller)
      const invitation = yield* repo.find(sql, caller.organizationId, id)
      if (invitation === undefined) return yield* new Invitations.InvitationNotFound()
      if (invitation.status === "pending") {
        yield* demandRole(sql, caller, invitation.role)
        yield* countEmail(caller, invitation.email, caller.request)
      }
      const token = makeToken("opi")
      let mail: Mail | undefined
      const response = yield* mutate(
        caller,
        "invitation.resend",
        Effect.gen(function* () {
          const before = yield* pending(caller, id)
          yield* demandRole(sql, caller, before.role)
          const row = yield* repo.renew(sql, caller.organizationId, id, sha256Bytes(token))
          mail = yield* invitationMailOf(row, token)
          return { invitation: repo.toWire(row) }
        }),
        ({ invitation }) => ({ target: invitation.id, after: { expiresAt: invitation.expiresAt } })
      )
      if (mail !== undefined) yield* enqueue("invitation", mail)
      return response
    })

    const cancel = Effect.fnUntraced(function* (caller: Member, id: Id<"inv">) {
      yield* get(caller, id)
      return yield* mutate(
        caller,
        "invitation.cancel",
        Effect.gen(function* () {
          yield* pending(caller, id)
          const row = yield* repo.cancel(sql, caller.organizationId, id)
          return { invitation: repo.toWire(row) }
        }),
        ({ invitation }) => ({ target: invitation.id, after: { status: invitation.status } })
      )
    })

    /** Only invalid tokens count toward the rate limit of their source address. */
    const limitFailures = Effect.fnUntraced(function* <A, E>(
      { request }: Anonymous | SignedIn,
      token: string,
      lookup: Effect.Effect<A | undefined, E>
    ) {
      const attempt = { limit: limits.claim, address: request.address, credential: token.trim() }
      const row = yield* gate.lookUp(request, attempt, lookup)
      if (row !== undefined) return row
      yield* limiter.take(request, limits.claim, request.address)
      return yield* new Invitations.InvitationNotFound()
    })

    const preview = Effect.fnUntraced(function* (caller: Anonymous, token: string) {
      const row = yield* limitFailures(caller, token, repo.findByToken(sql, digestOfToken(token)))
      return {
        organizationName: row.organization_name,
        email: row.email,
        role: row.role,
        expiresAt: iso(row.expires_at)
      }
    })

    /** Joins the organization of an invitation. Only a user who has verified the invited email address can. */
    const accept = Effect.fnUntraced(function* (caller: SignedIn, token: string) {
      yield* demandUnbound(caller)
      if (caller.verifiedEmail === null) {
        return yield* new Forbidden({
          reason: "email_not_verified",
          message: "This requires a verified email address. Sign in with an email code first."
        })
      }
      const email = normalizeEmail(caller.verifiedEmail)
      const membershipId = makeId("om")
      const accept = mutate(
        caller,
        "invitation.accept",
        Effect.gen(function* () {
          // Two invitations accepted concurrently create one membership.
          yield* users.lock(sql, caller.userId)
          const invitation = yield* repo.take(sql, digestOfToken(token), membershipId)
          if (invitation === undefined) return yield* new Invitations.InvitationNotFound()
          if (invitation.email !== email) {
            return yield* new Forbidden({
              reason: "email_mismatch",
              message: "The invitation is for another email address. Sign in with that address."
            })
          }
          const { organization_id: organizationId, role } = invitation
          if (!(yield* roleExists(sql, organizationId, role))) return yield* new Invitations.InvitationNotFound()
          if (yield* members.isMember(sql, organizationId, caller.userId)) {
            return yield* new Invitations.InviteeIsMember()
          }
          yield* members.create(sql, organizationId, { id: membershipId, userId: caller.userId, role })
          yield* repo.joinTeams(sql, organizationId, membershipId, invitation.team_ids_json)
          if (caller.sessionId !== null) yield* sessions.selectOrganization(sql, caller.sessionId, organizationId, true)
          yield* principals.announce(caller.userId)
          const organization = yield* expectRow(yield* organizations.find(sql, organizationId), "organization")
          const member = yield* expectRow(yield* members.find(sql, organizationId, membershipId), "member")
          return {
            id: invitation.id,
            organization: organizations.toWire(organization),
            member: members.toWire(member)
          }
        }),
        ({ id, member, organization }) => ({
          target: id,
          after: { organizationId: organization.id, membershipId: member.id, role: member.role }
        })
      ).pipe(Effect.catchTag("InvitationNotFound", () => Effect.succeed(undefined)))
      const accepted = yield* limitFailures(caller, token, accept)
      principals.forget(caller.userId)
      return { organization: accepted.organization, member: accepted.member }
    })

    return { create, batch, list, get, resend, cancel, preview, accept } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
