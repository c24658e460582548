import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import { isAdminRole, isBuiltIn, permissionsFrom, permissionsOf } from "../auth/permissions.ts"
import type { Sql } from "../../infra/sql/client.ts"
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

const heldNow = Effect.fnUntraced(function* (sql: Sql, { organizationId, principal }: Member) {
  if (principal.kind === "key") {
    const key = yield* repo.ofKey(sql, organizationId, principal.keyId)
    return key && { isOwner: false, isAdmin: false, permissions: permissionsFrom(key.permissions_json) }
  }
  const row = yield* repo.ofMember(sql, organizationId, principal.membershipId, principal.sessionId)
  return (
    row && {
      isOwner: row.role === "owner",
      isAdmin: isAdminRole(row.role),
      permissions: permissionsOf(row.role, row.permissions_json)
    }
  )
})

/**
 * The caller with what they hold by now. For whatever outlasts the caller's own rights (keys, roles, memberships): a
 * process that has not heard of a revocation yet must not make it worthless. Inside the transaction of the change, and
 * after the lock that the revocation takes too.
 */
export const callerNow = Effect.fnUntraced(function* (sql: Sql, caller: Member, needed?: Permission) {
  const held = yield* heldNow(sql, caller)
  if (held === undefined || (needed !== undefined && !held.permissions.has(needed))) {
    const message = needed === undefined ? "What you held has ended." : `This needs the permission ${needed}.`
    return yield* new Forbidden({ reason: "permission_required", message })
  }
  const still: Member = { ...caller, ...held }
  return still
})

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
 * and admins reach more than their permissions say, so only one of them makes another. Whoever claims a workspace must
 * find no owner in it, and no way for one, whom its agent put there. The role stays until the transaction ends.
 */
export const demandRole = Effect.fnUntraced(function* (sql: Sql, asked: Member, role: string) {
  const caller = yield* callerNow(sql, asked)
  const permissions = yield* find(sql, caller.organizationId, role, true)
  if (permissions === undefined) {
    return yield* InvalidRequest.at(["body", "role"], "does not exist in the organization")
  }
  if (role === "owner" && caller.provisional) {
    return yield* new Forbidden({
      reason: "provisional_organization",
      message: "A workspace that nobody has claimed gets its owners by their claims."
    })
  }
  const message = "The role gives more than you hold yourself."
  if (role === "owner" && !caller.isOwner) {
    return yield* new Forbidden({ reason: "owner_required", message: "Only an owner makes an owner." })
  }
  if (role === "admin" && !caller.isAdmin) {
    return yield* new Forbidden({ reason: "exceeds_own_permissions", message })
  }
  yield* demandHeld(caller, permissions, message)
})
