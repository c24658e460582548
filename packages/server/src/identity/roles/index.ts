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
  const current = yield* repo.permissions(sql, organizationId, role, isKept)
  return current === undefined ? undefined : permissionsOf(role, current)
})

/** The permissions of a role in the organization; undefined when there is no such role. */
export const permissionsIn = (sql: Sql, organizationId: Id<"org">, role: string) =>
  find(sql, organizationId, role, false)

/** Whether the role exists. Locks it until the transaction ends. */
export const roleExists = (sql: Sql, organizationId: Id<"org">, role: string) =>
  Effect.map(find(sql, organizationId, role, true), (permissions) => permissions !== undefined)

const currentRights = Effect.fnUntraced(function* (sql: Sql, { organizationId, principal }: Member) {
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
 * The caller with their current rights, read from the database. For everything that outlasts the caller's own rights
 * (keys, roles, memberships), so that a process that has not received a revocation yet cannot circumvent it. Call it
 * inside the transaction of the change, after the lock that the revocation takes too.
 */
export const callerNow = Effect.fnUntraced(function* (sql: Sql, caller: Member, needed?: Permission) {
  const current = yield* currentRights(sql, caller)
  if (current === undefined || (needed !== undefined && !current.permissions.has(needed))) {
    const message = needed === undefined ? "Your access has been revoked." : `This requires the permission ${needed}.`
    return yield* new Forbidden({ reason: "permission_required", message })
  }
  const currentCaller: Member = { ...caller, ...current }
  return currentCaller
})

/** Fails unless the caller has every permission: callers cannot grant permissions that they do not have. */
export const demandHeld = (
  caller: Member,
  permissions: Iterable<Permission>,
  message = "You cannot grant permissions that you do not have."
): Effect.Effect<void, Forbidden> =>
  [...permissions].every((permission) => caller.permissions.has(permission))
    ? Effect.void
    : Effect.fail(new Forbidden({ reason: "exceeds_own_permissions", message }))

/**
 * Fails unless the caller may assign the role: it exists in the organization, and grants no permission that the
 * caller does not have. Owners and admins reach more than their permissions, so only they can assign these roles. An
 * unclaimed workspace must not get an owner, nor an invitation for one, from its agent. Locks the role until the
 * transaction ends.
 */
export const demandRole = Effect.fnUntraced(function* (sql: Sql, requester: Member, role: string) {
  const caller = yield* callerNow(sql, requester)
  const permissions = yield* find(sql, caller.organizationId, role, true)
  if (permissions === undefined) {
    return yield* InvalidRequest.at(["body", "role"], "does not exist in the organization")
  }
  if (role === "owner" && caller.provisional) {
    return yield* new Forbidden({
      reason: "provisional_organization",
      message: "An unclaimed workspace gets its owners through claim links. Claim it first."
    })
  }
  const message = "The role grants permissions that you do not have."
  if (role === "owner" && !caller.isOwner) {
    return yield* new Forbidden({
      reason: "owner_required",
      message: "Only owners can make a member an owner."
    })
  }
  if (role === "admin" && !caller.isAdmin) {
    return yield* new Forbidden({ reason: "exceeds_own_permissions", message })
  }
  yield* demandHeld(caller, permissions, message)
})
