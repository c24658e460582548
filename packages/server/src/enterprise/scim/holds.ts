import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./holds-repo.ts"

/** Whose users are judged: a caller, or the directory's row. */
export interface Directory {
  readonly organizationId: Id<"org">
  readonly directoryId: Id<"scd">
}

/** So many within an hour are never held, however few users there are. */
const freeMax = 5
const shareMax = 0.3

/**
 * Judges that a directory takes a user's membership away, by `active: false` or by DELETE. Inside the transaction that
 * does it, and before the record is read or changed: the directory is locked, so of two at once the second knows of the
 * first. Held, the record says what the directory said, but keeps its membership (and a removed one its places in
 * groups), until an admin has decided.
 */
export const judgeDeactivation = Effect.fnUntraced(function* (
  sql: Sql,
  directory: Directory,
  scimUserId: Id<"scu">,
  action: "deactivate" | "delete"
): Effect.fn.Return<"applied" | "held", Effect.Error<ReturnType<typeof repo.lockDirectory>>> {
  const { directoryId, organizationId } = directory
  yield* repo.lockDirectory(sql, organizationId, directoryId)
  const pending = yield* repo.pendingHold(sql, organizationId, directoryId)
  if (pending !== undefined) {
    yield* repo.holdUser(sql, organizationId, pending, scimUserId, action)
    return "held"
  }
  const before = yield* repo.countDeactivations(sql, organizationId, directoryId, scimUserId)
  if (before + 1 > freeMax) {
    const active = yield* repo.countActive(sql, organizationId, directoryId, scimUserId)
    if (before + 1 > shareMax * active) {
      const holdId = makeId("sch")
      yield* repo.addHold(sql, organizationId, directoryId, holdId, active)
      yield* repo.holdUser(sql, organizationId, holdId, scimUserId, action)
      return "held"
    }
  }
  yield* repo.noteDeactivation(sql, organizationId, directoryId, scimUserId)
  return "applied"
})

/**
 * The directory wants the user after all: nothing of it is held any more. What was taken away by then counts on: whoever
 * comes back starts empty, so taking away from all and giving back one by one loses as much as taking all away. Inside
 * the transaction that makes the record active again, and before it is read: an approval that came first has ended the
 * membership. Also after a new record took over the membership of one that was removed and held.
 */
export const withdrawHeld = Effect.fnUntraced(function* (sql: Sql, directory: Directory, scimUserId: Id<"scu">) {
  const { directoryId, organizationId } = directory
  yield* repo.lockDirectory(sql, organizationId, directoryId)
  const pending = yield* repo.pendingHold(sql, organizationId, directoryId)
  if (pending !== undefined) yield* repo.release(sql, organizationId, pending, scimUserId)
})
