/** The current permissions of a caller, for work that lasts longer than a request, such as streams and jobs. */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { makeId } from "../../infra/ids.ts"
import { isAdminRole, permissionsFrom, permissionsOf } from "./permissions.ts"
import * as repo from "./repo.ts"

/** The permissions that the caller has now; undefined if the credential or the membership has ended. */
export const readPermissions = Effect.fnUntraced(function* (
  sql: Sql,
  { organizationId, principal }: Pick<Member, "organizationId" | "principal">
) {
  if (principal.kind === "key") {
    const permissions = yield* repo.permissionsOfKey(sql, organizationId, principal.keyId)
    return permissions === undefined ? undefined : permissionsFrom(permissions)
  }
  const { sessionId, userId } = principal
  if (sessionId !== null && !(yield* repo.hasSession(sql, sessionId))) return undefined
  const [membership] = yield* repo.memberships(sql, userId, organizationId)
  return membership === undefined ? undefined : permissionsOf(membership.role, membership.role_permissions)
})

/**
 * A member as the caller of work that they have set up, with the permissions that they have now; undefined if the membership
 * has ended.
 */
export const findMember = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  membershipId: Id<"om">,
  operation: string
) {
  const row = yield* repo.membershipOf(sql, organizationId, membershipId)
  if (row === undefined) return undefined
  return {
    kind: "member",
    organizationId,
    principal: { kind: "session", sessionId: null, userId: row.user_id, membershipId },
    isAdmin: isAdminRole(row.role),
    isOwner: row.role === "owner",
    permissions: permissionsOf(row.role, row.role_permissions),
    provisional: row.provisional,
    hasManagedObjects: row.has_managed_objects,
    plan: row.plan,
    request: {
      requestId: makeId("req"),
      address: "",
      userAgent: null,
      operation,
      idempotency: null,
      digests: [],
      ifMatch: null,
      responseState: { headers: {}, status: undefined, isEtagPartial: false }
    }
  } satisfies Member
})
