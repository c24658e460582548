import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./holds-repo.ts"

/** The directory whose users are deactivated: a caller, or a database row. */
export interface Directory {
  readonly organizationId: Id<"org">
  readonly directoryId: Id<"scd">
}

/** This many deactivations within an hour are never held for approval, regardless of the number of users. */
const freeMax = 5
const shareMax = 0.3

/**
 * Decides whether a directory may deactivate a user, by `active: false` or DELETE, or whether that is held for
 * approval. Call it inside the transaction of the change, before reading or changing the SCIM user: it locks the
 * directory, so that of two concurrent deactivations the second one counts the first. When held for approval, the SCIM
 * user shows what the directory sent but keeps its membership, and a removed one its groups, until an administrator
 * decides.
 */
export const checkDeactivation = Effect.fnUntraced(function* (
  sql: Sql,
  directory: Directory,
  scimUserId: Id<"scu">,
  action: "deactivate" | "delete"
): Effect.fn.Return<"applied" | "held", Effect.Error<ReturnType<typeof repo.lockDirectory>>> {
  const { directoryId, organizationId } = directory
  yield* repo.lockDirectory(sql, organizationId, directoryId)
  const pending = yield* repo.findPendingHold(sql, organizationId, directoryId)
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
 * Withdraws a user from a pending hold because the directory activated the user again. Earlier deactivations still
 * count: members who return start without teams or grants, so deactivating all users and reactivating them one by one
 * loses as much as deactivating all. Call it inside the transaction that activates the SCIM user, before reading it,
 * because an approval that came first has ended the membership. This also applies to a new SCIM user that takes over
 * the membership of a removed one whose removal is held.
 */
export const withdrawHeld = Effect.fnUntraced(function* (sql: Sql, directory: Directory, scimUserId: Id<"scu">) {
  const { directoryId, organizationId } = directory
  yield* repo.lockDirectory(sql, organizationId, directoryId)
  const pending = yield* repo.findPendingHold(sql, organizationId, directoryId)
  if (pending !== undefined) yield* repo.release(sql, organizationId, pending, scimUserId)
})
