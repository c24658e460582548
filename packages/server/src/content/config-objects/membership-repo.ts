import type { PluginPlacement } from "@orgplane/schema/config-objects"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"

/** The current membership of an object in a plugin. */
export interface PlacementRow {
  readonly id: Id<"pco">
  readonly plugin_id: Id<"plg">
  readonly config_object_id: Id<"cob">
  readonly connector_mapping_id: Id<"cmp"> | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
}

export const toWire = (row: PlacementRow): PluginPlacement => ({
  id: row.id,
  pluginId: row.plugin_id,
  configObjectId: row.config_object_id,
  connectorMappingId: row.connector_mapping_id,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  removedAt: null
})

/** Locks an object's membership in a plugin until the transaction ends; undefined if there is none. */
export const find = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">, objectId: Id<"cob">) =>
  sql<PlacementRow>`SELECT id, plugin_id, config_object_id, connector_mapping_id, created_by_membership_id, created_at
    FROM plugin_memberships
    WHERE organization_id = ${organizationId} AND plugin_id = ${pluginId} AND config_object_id = ${objectId}
      AND removed_at IS NULL
    FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

/**
 * Whether a plugin exists. Locks it until the transaction ends, so that nothing is added to a plugin that is being
 * removed.
 */
export const keepPlugin = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg">) =>
  sql<{ id: string }>`SELECT id FROM plugins
    WHERE organization_id = ${organizationId} AND id = ${pluginId} AND deleted_at IS NULL FOR SHARE`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

/** Adds an object to a plugin; a no-op if it is already a member (`isNew` is false). */
export const place = (
  sql: Sql,
  organizationId: Id<"org">,
  pluginId: Id<"plg">,
  objectId: Id<"cob">,
  createdBy: Id<"om"> | null
) =>
  Effect.gen(function* () {
    const [fresh] = yield* sql<PlacementRow>`INSERT INTO plugin_memberships (organization_id, id, plugin_id,
        config_object_id, created_by_membership_id, created_at)
      VALUES (${organizationId}, ${makeId("pco")}, ${pluginId}, ${objectId}, ${createdBy}, now())
      ON CONFLICT (organization_id, plugin_id, config_object_id) WHERE removed_at IS NULL DO NOTHING
      RETURNING id, plugin_id, config_object_id, connector_mapping_id, created_by_membership_id, created_at`
    const row = fresh ?? (yield* expectRow(yield* find(sql, organizationId, pluginId, objectId), "plugin membership"))
    return { isNew: fresh !== undefined, row }
  })

export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"pco">) =>
  sql`UPDATE plugin_memberships SET removed_at = now() WHERE organization_id = ${organizationId} AND id = ${id}`
