import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import { isBuiltIn, permissionsOf } from "../auth/permissions.ts"
import type { Sql } from "../sql/client.ts"
import * as repo from "./repo.ts"

const find = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">, role: string, isKept: boolean) {
  if (isBuiltIn(role)) return permissionsOf(role)
  const held = yield* repo.permissions(sql, organizationId, role, isKept)
  return held === undefined ? undefined : permissionsOf(role, held)
})

/** What a role holds in the organization; undefined when there is no such role. */
export const permissionsIn = (sql: Sql, organizationId: Id<"org">, role: string) =>
  find(sql, organizationId, role, false)

/** Whether there is such a role; then there is until the transaction ends. */
export const roleExists = (sql: Sql, organizationId: Id<"org">, role: string) =>
  Effect.map(find(sql, organizationId, role, true), (permissions) => permissions !== undefined)

/** Fails unless the caller holds every one: nobody gives what they lack. */
export const demandHeld = (
  caller: Member,
  permissions: Iterable<Permission>,
  message = "You cannot give more than you hold yourself."
): Effect.Effect<void, Forbidden> =>
  [...permissions].every((permission) => caller.permissions.has(permission))
    ? Effect.void
    : Effect.fail(new Forbidden({ reason: "exceeds_own_permissions", message }))

/**
 * Fails unless the caller may give the role: it is one of the organization's, and gives nothing the caller lacks. Owners
 * and admins reach more than their permissions say, so only one of them makes another. The role stays until the
 * transaction ends.
 */
export const demandRole = Effect.fnUntraced(function* (sql: Sql, caller: Member, role: string) {
  const permissions = yield* find(sql, caller.organizationId, role, true)
  if (permissions === undefined) {
    return yield* InvalidRequest.at(["body", "role"], "does not exist in the organization")
  }
  const message = "The role gives more than you hold yourself."
  if ((role === "owner" && !caller.isOwner) || (role === "admin" && !caller.isAdmin)) {
    return yield* new Forbidden({ reason: "exceeds_own_permissions", message })
  }
  yield* demandHeld(caller, permissions, message)
})
