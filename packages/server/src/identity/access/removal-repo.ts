import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { GrantedKind } from "../grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** Objects in a preview of a removal. */
export const objectsMax = 50

interface EndingGrant {
  readonly kind: GrantedKind
  readonly id: string
  readonly role: GrantRole
}

/** The live grants to a member or a team itself: their number, and the first ones by kind and ID of the object. */
export const grantsOf = (sql: Sql, organizationId: Id<"org">, receiver: string) =>
  sql<{ total: number; grants: ReadonlyArray<EndingGrant> }>`SELECT
      (SELECT count(*)::int FROM grants g
        WHERE g.organization_id = ${organizationId} AND g.receiver = ${receiver} AND g.removed_at IS NULL) AS total,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', f.object_kind, 'id', f.object_id, 'role', f.role)
          ORDER BY f.object_kind, f.object_id), '[]'::jsonb)
        FROM (SELECT g.object_kind, g.object_id, g.role FROM grants g
          WHERE g.organization_id = ${organizationId} AND g.receiver = ${receiver} AND g.removed_at IS NULL
          ORDER BY g.object_kind, g.object_id LIMIT ${objectsMax}) f) AS grants`.pipe(
    Effect.map((rows) => rows[0] ?? { total: 0, grants: [] })
  )
