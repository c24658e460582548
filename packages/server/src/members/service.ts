import * as Members from "@orgplane/schema/members"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, type InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as apiKeys from "../api-keys/repo.ts"
import { recordAudit } from "../audit/record.ts"
import { Principals } from "../auth/principals.ts"
import { userOfSubject } from "../auth/repo.ts"
import { makeId } from "../ids.ts"
import { type Change, Mutate } from "../mutate/index.ts"
import * as organizations from "../organizations/repo.ts"
import { Pages } from "../pages/index.ts"
import { demandRole } from "../roles/index.ts"
import { SqlDatabase } from "../sql/client.ts"
import * as users from "../users/repo.ts"
import { endMembership } from "./end.ts"
import * as repo from "./repo.ts"

type BatchItem = (typeof Members.MemberBatch.Type)["items"][number]
type Refusal = Members.MemberNotFound | Forbidden | InvalidRequest

const forbidden = (reason: Forbidden["reason"], message: string) => new Forbidden({ reason, message })

const told = (error: Refusal) => {
  switch (error._tag) {
    case "Forbidden":
      return { code: error.reason, message: error.message }
    case "InvalidRequest":
      return { code: error.error, message: error.details.map((detail) => detail.message).join("; ") }
    default:
      return { code: error.error, message: error.message }
  }
}

/** The people of an organization. */
export class MembersService extends Context.Service<MembersService>()("@orgplane/server/members/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { mutate } = yield* Mutate

    const list = (
      caller: Member,
      query: PageQuery & { readonly q?: string; readonly role?: string; readonly teamId?: Id<"tem"> }
    ) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.read(
        { operation: "members.list", organizationId: caller.organizationId, filters },
        query,
        (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        (row) => row.id,
        repo.toWire
      )
    }

    const find = Effect.fnUntraced(function* (caller: Member, id: Id<"om">) {
      const row = yield* repo.get(sql, caller.organizationId, id)
      return row === undefined ? yield* new Members.MemberNotFound() : row
    })

    const get = (caller: Member, id: Id<"om">) => Effect.map(find(caller, id), (row) => ({ member: repo.toWire(row) }))

    /** Who the caller is by now: what the request was let in by may have been taken back meanwhile. */
    const demandOwner = Effect.fnUntraced(function* (caller: Member) {
      const { principal } = caller
      const row =
        principal.kind === "session" && caller.isOwner
          ? yield* repo.get(sql, caller.organizationId, principal.membershipId)
          : undefined
      if (row?.role !== "owner") {
        return yield* forbidden("owner_required", "Only an owner makes or unmakes an owner.")
      }
    })

    const demandAnotherOwner = Effect.fnUntraced(function* (caller: Member, id: Id<"om">) {
      if (!(yield* organizations.hasOtherOwner(sql, caller.organizationId, id))) {
        return yield* forbidden("last_owner", "The last owner stays: make somebody else an owner first.")
      }
    })

    /**
     * A member of the host application, who is made known here if they are not. What is said of a person who is known
     * already is not written: another organization may have said it, or they themselves.
     */
    const add = (caller: Member, input: typeof Members.AddMember.Type) => {
      const role = input.role ?? "member"
      return mutate(
        caller,
        "member.add",
        Effect.gen(function* () {
          if (role === "owner") yield* demandOwner(caller)
          yield* demandRole(sql, caller, role)
          const userId = yield* userOfSubject(sql, makeId("usr"), {
            subject: input.subject,
            name: input.name ?? null,
            email: input.email ?? null
          })
          // Of two at once the second waits here, and finds the first's membership.
          yield* users.lock(sql, userId)
          if (yield* repo.isMember(sql, caller.organizationId, userId)) return yield* new Members.MemberExists()
          const id = makeId("om")
          yield* repo.create(sql, caller.organizationId, { id, userId, role })
          // Whoever had one organization had no need to choose it, and now has.
          yield* principals.announce(userId)
          return { member: repo.toWire(yield* find(caller, id).pipe(Effect.catchTag("MemberNotFound", Effect.die))) }
        }),
        ({ member }) => ({ target: member.id, after: { userId: member.userId, role: member.role } })
      ).pipe(Effect.tap(({ member }) => principals.forget(member.userId)))
    }

    /** Inside a transaction; whoever changes who owns the organization holds it. */
    const setRole = Effect.fnUntraced(function* (caller: Member, id: Id<"om">, role: string) {
      yield* organizations.lock(sql, caller.organizationId)
      const before = yield* find(caller, id)
      if (before.role === "owner" || role === "owner") yield* demandOwner(caller)
      yield* demandRole(sql, caller, role)
      if (before.role === "owner" && role !== "owner") yield* demandAnotherOwner(caller, id)
      if (before.role !== role) {
        yield* organizations.setRole(sql, caller.organizationId, id, role)
        yield* principals.announce(id)
      }
      const change: Change = { target: id, before: { role: before.role }, after: { role } }
      return { row: yield* find(caller, id), change }
    })

    /** Inside a transaction: the membership with its grants, teams and sessions, and the keys they made if told. */
    const end = Effect.fnUntraced(function* (caller: Member, id: Id<"om">, revokesKeys: boolean) {
      yield* organizations.lock(sql, caller.organizationId)
      const before = yield* find(caller, id)
      if (before.role === "owner") {
        yield* demandOwner(caller)
        yield* demandAnotherOwner(caller, id)
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
        Effect.tap(() => principals.forget(id)),
        Effect.map(({ row }) => ({ member: repo.toWire(row) }))
      )

    const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"om">, revokesKeys: boolean) {
      if (revokesKeys && !caller.permissions.has("apiKeys:manage")) {
        return yield* forbidden("permission_required", "Revoking their keys needs the permission apiKeys:manage.")
      }
      const { ended } = yield* mutate(caller, "member.remove", end(caller, id, revokesKeys), ({ change }) => change)
      yield* Effect.forEach(ended, (subject) => principals.forget(subject), { discard: true })
    })

    const runItem = Effect.fnUntraced(function* (caller: Member, item: BatchItem) {
      if (item.action === "setRole") {
        const { change } = yield* setRole(caller, item.orgMembershipId, item.role)
        yield* recordAudit(sql, caller, "member.update", change)
        return [item.orgMembershipId as string]
      }
      const { change, ended } = yield* end(caller, item.orgMembershipId, false)
      yield* recordAudit(sql, caller, "member.remove", change)
      return ended
    })

    /** Each item as a savepoint of one transaction: what is refused changes nothing, and the rest goes on. */
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
                  : Effect.succeed({ index, ok: false, orgMembershipId: item.orgMembershipId, error: told(error) })
            })
          )
        ),
        (results) => ({ after: { items: results.length, failed: results.filter((result) => !result.ok).length } })
      )
      yield* Effect.forEach(changed, (subject) => principals.forget(subject), { discard: true })
      return { results }
    })

    return { list, get, add, update, remove, batch } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
