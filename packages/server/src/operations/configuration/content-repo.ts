import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { GrantedKind } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"

export interface GrantRow {
  readonly id: string
  readonly object_id: string
  readonly membership_id: Id<"om"> | null
  readonly team_id: Id<"tem"> | null
  readonly role: GrantRole
}

/** The grants on all objects of a kind, or on one. Those of API keys, which nobody can grant, are left out. */
export const listGrants = (sql: Sql, organizationId: Id<"org">, kind: GrantedKind, objectId: string | null = null) =>
  sql<GrantRow>`SELECT g.id, g.object_id, g.membership_id, g.team_id, g.role FROM grants g
    WHERE g.organization_id = ${organizationId} AND g.object_kind = ${kind} AND g.removed_at IS NULL
      AND g.key_id IS NULL AND (${objectId}::text IS NULL OR g.object_id = ${objectId})
    ORDER BY g.object_id, g.id`
