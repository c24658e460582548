import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"

export interface ManagedRow {
  readonly kind: string
  readonly key: string
  readonly mode: "warn" | "refuse"
}

/** How a change to an object is treated: an object with a key, or a config object in a plugin with a key. */
export const findManaged = (sql: Sql, organizationId: Id<"org">, objectId: string) =>
  sql<ManagedRow>`SELECT k.kind, k.key, o.configuration_modes ->> k.kind AS mode FROM configuration_keys k
    JOIN organizations o ON o.id = k.organization_id
    WHERE k.organization_id = ${organizationId} AND k.removed_at IS NULL
      AND k.object_id IN (SELECT ${objectId}::text UNION ALL SELECT pm.plugin_id FROM plugin_memberships pm
        WHERE pm.organization_id = ${organizationId} AND pm.config_object_id = ${objectId} AND pm.removed_at IS NULL)
      AND o.configuration_modes ->> k.kind IN ('warn', 'refuse')
    ORDER BY mode LIMIT 1`.pipe(Effect.map((rows) => rows[0]))
