/** The current permissions of a caller, for responses that last longer than a request, such as streams. */
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { permissionsFrom, permissionsOf } from "./permissions.ts"
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
