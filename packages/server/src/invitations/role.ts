import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import { isBuiltIn, permissionsOf } from "../auth/principals.ts"
import type { Sql } from "../sql/client.ts"

/** What a role holds in the organization; undefined when there is no such role. */
const permissionsIn = (_sql: Sql, _organizationId: Id<"org">, role: string) =>
  Effect.succeed<ReadonlySet<Permission> | undefined>(isBuiltIn(role) ? permissionsOf(role) : undefined)

export const roleExists = (sql: Sql, organizationId: Id<"org">, role: string) =>
  Effect.map(permissionsIn(sql, organizationId, role), (permissions) => permissions !== undefined)

/**
 * Fails unless the caller may give the role: it is one of the organization's, and gives nothing the caller lacks. Owners
 * and admins reach more than their permissions say, so only one of them makes another.
 */
export const demandRole = Effect.fnUntraced(function* (sql: Sql, caller: Member, role: string) {
  const permissions = yield* permissionsIn(sql, caller.organizationId, role)
  if (permissions === undefined) {
    return yield* InvalidRequest.at(["body", "role"], "does not exist in the organization")
  }
  const isAbove =
    (role === "owner" && !caller.isOwner) ||
    (role === "admin" && !caller.isAdmin) ||
    [...permissions].some((permission) => !caller.permissions.has(permission))
  if (isAbove) {
    return yield* new Forbidden({
      reason: "exceeds_own_permissions",
      message: "The role gives more than you hold yourself."
    })
  }
})
