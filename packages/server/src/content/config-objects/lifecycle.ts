import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import * as ConfigObjects from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { demandOwn, demandSeen } from "./demand.ts"
import * as objects from "./object-repo.ts"
import * as repo from "./repo.ts"

/** Creates the operations that archive, restore and remove an object. */
export const makeLifecycle = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate

  const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">) {
    const object = yield* objects.lock(sql, caller.organizationId, id)
    return object === undefined ? yield* new ConfigObjects.ConfigObjectNotFound() : object
  })

  /** Idempotent. */
  const setArchived = (action: StoredAuditAction, isArchived: boolean) =>
    Effect.fnUntraced(function* (caller: Member, id: Id<"cob">) {
      yield* demandSeen(sql, caller, id, "manager")
      const { object } = yield* mutate(
        caller,
        action,
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          const changed = (before.status === "archived") !== isArchived
          if (changed) yield* objects.setArchived(sql, caller.organizationId, id, isArchived)
          const row = yield* expectRow(yield* repo.get(sql, caller, id), "config object")
          return { changed, object: repo.toWire(row) }
        }),
        ({ changed }) => ({ target: id, after: { changed } })
      )
      return object
    })

  /** Removes an object permanently. Its plugin memberships and grants end; its versions are kept as history. */
  const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">) {
    yield* demandOwn(sql, caller, id, "manager")
    yield* mutate(
      caller,
      "configObject.remove",
      Effect.gen(function* () {
        const before = yield* locked(caller, id)
        yield* stale(caller, before.version)
        yield* repo.deleteMany(sql, caller.organizationId, [{ objectId: id, versionId: makeId("cov") }], {
          syncEventId: null,
          revision: null,
          deletedBy: membershipOf(caller)
        })
        return before
      }),
      (before) => ({
        target: id,
        before: { objectType: before.object_type, status: before.status, version: before.version }
      })
    )
  })

  return {
    archive: setArchived("configObject.archive", true),
    restore: setArchived("configObject.restore", false),
    remove
  } as const
})
