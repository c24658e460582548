import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"
import { texts } from "../sql/texts.ts"

export interface ManagedRow {
  readonly kind: string
  readonly key: string
  readonly mode: "warn" | "refuse"
}

/**
 * How a change to objects is treated: objects with a key, and config objects in a plugin with a key, also if they were
 * removed from it in this transaction. Objects that a connector placed in a plugin are not in a document.
 */
export const findManaged = (sql: Sql, organizationId: Id<"org">, objectIds: ReadonlyArray<string>) =>
  sql<ManagedRow>`SELECT k.kind, k.key, o.configuration_modes ->> k.kind AS mode FROM configuration_keys k
    JOIN organizations o ON o.id = k.organization_id
    WHERE k.organization_id = ${organizationId} AND k.removed_at IS NULL
      AND k.object_id IN (SELECT unnest(${texts(objectIds)}::text[]) UNION ALL
        SELECT pm.plugin_id FROM plugin_memberships pm
        WHERE pm.organization_id = ${organizationId} AND pm.config_object_id = ANY(${texts(objectIds)}::text[])
          AND pm.connector_mapping_id IS NULL AND (pm.removed_at IS NULL OR pm.removed_at = now()))
      AND o.configuration_modes ->> k.kind IN ('warn', 'refuse')
    ORDER BY mode LIMIT 1`.pipe(Effect.map((rows) => rows[0]))
