import * as Scim from "@orgplane/schema/scim"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Principals } from "../../identity/auth/principals.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { callerNow } from "../../identity/roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { endMembers } from "./end.ts"
import * as repo from "./holds-repo.ts"
import { find as findDirectory } from "./repo.ts"

const idOf = ({ principal }: Member): string =>
  principal.kind === "session" ? principal.membershipId : principal.keyId

/** Mass deactivations held for approval, and how administrators decide them. */
export class ScimHoldsService extends Context.Service<ScimHoldsService>()("@orgplane/server/scim/HoldsService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { mutate } = yield* Mutate

    const demandDirectory = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">) {
      if ((yield* findDirectory(sql, caller.organizationId, directoryId)) === undefined) {
        return yield* new Scim.ScimDirectoryNotFound()
      }
    })

    const find = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">, id: Id<"sch">) {
      const row = yield* repo.find(sql, caller.organizationId, directoryId, id)
      return row === undefined ? yield* new Scim.ScimHoldNotFound() : row
    })

    const list = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">, query: PageQuery) {
      yield* demandDirectory(caller, directoryId)
      return yield* pages.list(caller, query, {
        filters: directoryId,
        rows: (after, limit) => repo.list(sql, caller.organizationId, directoryId, after, limit),
        toWire: repo.toWire
      })
    })

    const get = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">, id: Id<"sch">) {
      yield* demandDirectory(caller, directoryId)
      return { hold: repo.toWire(yield* find(caller, directoryId, id)) }
    })

    const listUsers = Effect.fnUntraced(function* (
      caller: Member,
      directoryId: Id<"scd">,
      id: Id<"sch">,
      query: PageQuery
    ) {
      yield* get(caller, directoryId, id)
      return yield* pages.listBy(caller, query, {
        filters: [directoryId, id],
        rows: (after, limit) => repo.listUsers(sql, caller.organizationId, id, after, limit),
        idOf: (row) => row.scim_user_id,
        toWire: repo.heldToWire
      })
    })

    /** The pending hold. Until the transaction ends, it cannot be decided by others or extended by the directory. */
    const locked = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">, id: Id<"sch">) {
      if (!(yield* repo.lockDirectory(sql, caller.organizationId, directoryId))) {
        return yield* new Scim.ScimDirectoryNotFound()
      }
      const by = yield* callerNow(sql, caller, "scim:manage")
      const row = yield* find(caller, directoryId, id)
      return row.status === "pending" ? by : yield* new Scim.ScimHoldNotPending()
    })

    const approve = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">, id: Id<"sch">) {
      const { organizationId } = caller
      // A missing hold is reported even if the idempotency key has a stored response.
      yield* get(caller, directoryId, id)
      const { hold, kept, subjects } = yield* mutate(
        caller,
        "scim.approve_hold",
        Effect.gen(function* () {
          const by = yield* locked(caller, directoryId, id)
          const held = yield* repo.heldMemberships(sql, organizationId, id)
          const { ended, kept, subjects } = yield* endMembers(sql, organizationId, held, by)
          yield* repo.leaveGroups(sql, organizationId, id)
          yield* repo.decide(sql, organizationId, id, "approved", idOf(caller))
          // After an approval, deactivations are counted from zero.
          yield* repo.forgetDeactivations(sql, organizationId, directoryId)
          yield* Effect.forEach(subjects, (subject) => principals.announce(subject), { discard: true })
          return { hold: repo.toWire(yield* find(caller, directoryId, id)), ended: ended.length, kept, subjects }
        }),
        ({ ended, kept }) => ({ target: id, after: { directoryId, ended, kept: kept.length } })
      )
      for (const subject of subjects) principals.forget(subject)
      return { hold, keptOrgMembershipId: kept[0] ?? null }
    })

    const reject = Effect.fnUntraced(function* (caller: Member, directoryId: Id<"scd">, id: Id<"sch">) {
      yield* get(caller, directoryId, id)
      const { hold } = yield* mutate(
        caller,
        "scim.reject_hold",
        Effect.gen(function* () {
          yield* locked(caller, directoryId, id)
          const restored = yield* repo.restore(sql, caller.organizationId, id)
          yield* repo.decide(sql, caller.organizationId, id, "rejected", idOf(caller))
          const hold = repo.toWire(yield* find(caller, directoryId, id))
          return { hold, restored: restored.length }
        }),
        ({ restored }) => ({ target: id, after: { directoryId, restored } })
      )
      return { hold }
    })

    return { list, get, listUsers, approve, reject } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
