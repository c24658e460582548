import * as Members from "@orgplane/schema/members"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as apiKeys from "../api-keys/repo.ts"
import { recordAudit } from "../../infra/audit/record.ts"
import { isAdminRole } from "../auth/permissions.ts"
import { Principals } from "../auth/principals.ts"
import { userOfSubject } from "../auth/repo.ts"
import { personOfEmail } from "../users/verified-domains.ts"
import { makeId } from "../../infra/ids.ts"
import { type Change, Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../organizations/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import { Authenticator } from "../../infra/ports/authenticator.ts"
import * as sessions from "../sessions/repo.ts"
import { callerNow, demandRole } from "../roles/index.ts"
import { grantsEnding } from "../access/removal.ts"
import * as managed from "./managed-repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as users from "../users/repo.ts"
import { cancelInvitationsOf, endMembership } from "./end.ts"
import { countEnding } from "./impact-repo.ts"
import * as repo from "./repo.ts"

type BatchItem = (typeof Members.MemberBatch.Type)["items"][number]
type Refusal = Members.MemberNotFound | Forbidden | InvalidRequest

const forbidden = (reason: Forbidden["reason"], message: string) => new Forbidden({ reason, message })

const errorOf = (error: Refusal) => {
  switch (error._tag) {
    case "Forbidden":
      return { code: error.reason, message: error.message }
    case "InvalidRequest":
      return { code: error.error, message: error.details.map((detail) => detail.message).join("; ") }
    default:
      return { code: error.error, message: error.message }
  }
}

/** The members of an organization. */
export class MembersService extends Context.Service<MembersService>()("@orgplane/server/members/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const authenticator = yield* Effect.serviceOption(Authenticator)
    const { mutate } = yield* Mutate

    const list = (
      caller: Member,
      query: PageQuery & { readonly q?: string; readonly role?: string; readonly teamId?: Id<"tem"> }
    ) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const find = Effect.fnUntraced(function* (caller: Member, id: Id<"om">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new Members.MemberNotFound() : row
    })

    const get = (caller: Member, id: Id<"om">) => Effect.map(find(caller, id), (row) => ({ member: repo.toWire(row) }))

    const demandOwner = (caller: Member) =>
      caller.isOwner
        ? Effect.void
        : Effect.fail(forbidden("owner_required", "Only owners can change or remove an owner."))

    const demandAnotherOwner = Effect.fnUntraced(function* (caller: Member, id: Id<"om">) {
      if (!(yield* organizations.hasOtherOwner(sql, caller.organizationId, id))) {
        return yield* forbidden(
          "last_owner",
          "An organization must keep at least one owner. Make another member an owner first."
        )
      }
    })

    /**
     * The person with this subject, if the host application confirms that the organization may add them. Subjects are
     * shared by all organizations. Without this confirmation, a caller could add anyone whose subject it guesses, and
     * choose their name.
     */
    const personOfSubject = Effect.fnUntraced(function* (caller: Member, subject: string) {
      const person = Option.isNone(authenticator)
        ? null
        : yield* authenticator.value.find(subject, caller.organizationId)
      if (person === null) {
        return yield* InvalidRequest.at(
          ["body", "subject"],
          "is not a user that the host application allows you to add"
        )
      }
      return person
    })

    /** Inside a transaction: the user with an email address in a domain that the organization has verified. */
    const userOfEmail = Effect.fnUntraced(function* (caller: Member, email: string) {
      const match = yield* personOfEmail(sql, caller.organizationId, email)
      if (match === undefined) {
        return yield* InvalidRequest.at(["body", "email"], "must be in a domain that the organization has verified")
      }
      // A user who set the address without verifying it may be someone else.
      if (match.isTakenOver) yield* sessions.revokeAll(sql, match.person.id)
      return match.person.id
    })

    /**
     * Adds a user of the host application or of a verified domain, and creates them if they are new. Others are
     * invited.
     */
    const add = Effect.fnUntraced(function* (caller: Member, input: typeof Members.AddMember.Type) {
      const role = input.role ?? "member"
      const { email, subject } = input
      const person = subject === undefined ? undefined : yield* personOfSubject(caller, subject)
      return yield* mutate(
        caller,
        "member.add",
        Effect.gen(function* () {
          const by = yield* callerNow(sql, caller, "members:write")
          yield* demandRole(sql, by, role)
          const userId =
            person === undefined
              ? yield* userOfEmail(caller, email ?? "")
              : yield* userOfSubject(sql, makeId("usr"), person)
          // Of two concurrent requests, the second one waits here and finds the membership of the first.
          if ((yield* users.lock(sql, userId)) === undefined) {
            return yield* InvalidRequest.at(
              ["body", person === undefined ? "email" : "subject"],
              "belongs to a user who was just deleted"
            )
          }
          if (yield* repo.isMember(sql, caller.organizationId, userId)) return yield* new Members.MemberExists()
          const id = makeId("om")
          yield* repo.create(sql, caller.organizationId, { id, userId, role })
          // A user with only one organization did not have to select it, but must do so now.
          yield* principals.announce(userId)
          return { member: repo.toWire(yield* find(caller, id).pipe(Effect.catchTag("MemberNotFound", Effect.die))) }
        }),
        ({ member }) => ({ target: member.id, after: { userId: member.userId, role: member.role } })
      ).pipe(Effect.tap(({ member }) => Effect.sync(() => principals.forget(member.userId))))
    })

    /** Inside a transaction. Every change of the owners locks the organization. */
    const setRole = Effect.fnUntraced(function* (requester: Member, id: Id<"om">, role: string) {
      yield* organizations.lock(sql, requester.organizationId)
      const caller = yield* callerNow(sql, requester, "members:manage")
      const before = yield* find(caller, id)
      if (before.role === "owner") yield* demandOwner(caller)
      yield* demandRole(sql, caller, role)
      // SCIM groups do not determine the role of owners.
      const isGiven = before.role !== "owner" && role !== "owner" && before.role !== role
      if (isGiven && (yield* managed.hasGroupRole(sql, caller.organizationId, id))) {
        return yield* forbidden(
          "managed_by_scim",
          "The member's role is managed by SCIM. Change it in your identity provider."
        )
      }
      if (before.role === "owner" && role !== "owner") yield* demandAnotherOwner(caller, id)
      if (before.role !== role) {
        yield* organizations.setRole(sql, caller.organizationId, id, role)
        // Pending invitations may grant more than the member is now allowed to grant.
        if (isAdminRole(before.role) && !isAdminRole(role)) yield* cancelInvitationsOf(sql, caller.organizationId, [id])
        yield* principals.announce(id)
      }
      const change: Change = { target: id, before: { role: before.role }, after: { role } }
      return { row: yield* find(caller, id), change }
    })

    /**
     * Inside a transaction: ends the membership with its grants, teams and sessions, and optionally revokes the
     * member's keys.
     */
    const end = Effect.fnUntraced(function* (requester: Member, id: Id<"om">, revokesKeys: boolean) {
      yield* organizations.lock(sql, requester.organizationId)
      const caller = yield* callerNow(sql, requester, "members:manage")
      const before = yield* find(caller, id)
      if (before.role === "owner") {
        yield* demandOwner(caller)
        yield* demandAnotherOwner(caller, id)
      }
      if (yield* managed.isProvisioned(sql, caller.organizationId, id)) {
        return yield* forbidden(
          "managed_by_scim",
          "The membership is managed by SCIM. Deactivate the user in your identity provider."
        )
      }
      yield* endMembership(sql, caller.organizationId, id)
      const keys = revokesKeys ? yield* apiKeys.revokeMadeBy(sql, caller.organizationId, id) : []
      yield* Effect.forEach([before.user_id, ...keys], (subject) => principals.announce(subject), { discard: true })
      const change: Change = {
        target: id,
        before: { userId: before.user_id, role: before.role },
        after: { revokedKeys: keys }
      }
      return { ended: [before.user_id, ...keys], change }
    })

    const update = (caller: Member, id: Id<"om">, role: string) =>
      mutate(caller, "member.update", setRole(caller, id, role), ({ change }) => change).pipe(
        Effect.tap(() => Effect.sync(() => principals.forget(id))),
        Effect.map(({ row }) => ({ member: repo.toWire(row) }))
      )

    const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"om">, revokesKeys: boolean) {
      if (revokesKeys && !caller.permissions.has("apiKeys:manage")) {
        return yield* forbidden(
          "permission_required",
          "Revoking the member's keys requires the permission apiKeys:manage."
        )
      }
      const { ended } = yield* mutate(caller, "member.remove", end(caller, id, revokesKeys), ({ change }) => change)
      for (const subject of ended) principals.forget(subject)
    })

    /** What a removal would end. */
    const impact = Effect.fnUntraced(function* (caller: Member, id: Id<"om">) {
      const member = yield* find(caller, id)
      const counts = yield* countEnding(sql, caller.organizationId, id)
      const sessionCount = yield* sessions.countIn(sql, caller.organizationId, member.user_id)
      const managedByScim = yield* managed.isProvisioned(sql, caller.organizationId, id)
      const grants = yield* grantsEnding(sql, caller, id)
      return { impact: { orgMembershipId: id, managedByScim, sessionCount, ...grants, ...counts } }
    })

    const runItem = Effect.fnUntraced(function* (caller: Member, item: BatchItem) {
      if (item.action === "setRole") {
        const { change } = yield* setRole(caller, item.orgMembershipId, item.role)
        yield* recordAudit(sql, caller, "member.update", change)
        return [item.orgMembershipId]
      }
      const { change, ended } = yield* end(caller, item.orgMembershipId, false)
      yield* recordAudit(sql, caller, "member.remove", change)
      return ended
    })

    /** Each item is a savepoint of one transaction: a rejected item changes nothing, and the others proceed. */
    const batch = Effect.fnUntraced(function* (caller: Member, input: typeof Members.MemberBatch.Type) {
      const changed: Array<string> = []
      const results = yield* mutate(
        caller,
        "member.batch",
        Effect.forEach(input.items, (item, index) =>
          runItem(caller, item).pipe(
            sql.withTransaction,
            Effect.matchEffect({
              onSuccess: (subjects) => {
                changed.push(...subjects)
                return Effect.succeed({ index, ok: true, orgMembershipId: item.orgMembershipId, error: null })
              },
              onFailure: (error) =>
                error._tag === "SqlError"
                  ? Effect.fail(error)
                  : Effect.succeed({ index, ok: false, orgMembershipId: item.orgMembershipId, error: errorOf(error) })
            })
          )
        ),
        (results) => ({ after: { items: results.length, failed: results.filter((result) => !result.ok).length } })
      )
      for (const subject of changed) principals.forget(subject)
      return { results }
    })

    return { list, get, add, update, remove, impact, batch } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
