/** The current permissions of a caller, for responses that last longer than a request, such as streams. */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
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
    const [key] = yield* sql<{ permissions_json: ReadonlyArray<string> }>`SELECT k.permissions_json FROM api_keys k
      JOIN organizations o ON o.id = k.organization_id AND o.deleted_at IS NULL
        AND (o.provisional_until IS NULL OR o.provisional_until > now())
      WHERE k.organization_id = ${organizationId} AND k.id = ${principal.keyId} AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now())`
    return key === undefined ? undefined : permissionsFrom(key.permissions_json)
  }
  const { sessionId, userId } = principal
  if (sessionId !== null) {
    const live = yield* sql`SELECT 1 AS one FROM sessions s
      LEFT JOIN api_keys k ON k.organization_id = ${organizationId} AND k.id = s.minted_by_key_id
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      WHERE s.id = ${sessionId} AND s.revoked_at IS NULL AND s.expires_at > now()
        AND (s.minted_by_key_id IS NULL OR k.id IS NOT NULL)`
    if (live.length === 0) return undefined
  }
  const [membership] = yield* repo.memberships(sql, userId, organizationId)
  if (membership === undefined) return undefined
  return permissionsOf(membership.role, membership.role_permissions) satisfies ReadonlySet<Permission>
})
