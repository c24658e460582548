import type * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { levelOf } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { type MappingRow, mappingColumns } from "./repo.ts"
import type { BindingRow } from "./sync-repo.ts"

/** A mapping, and the caller's access level on its instance. */
export const get = (sql: Sql, caller: Member, id: Id<"cmp">) =>
  sql<MappingRow & { readonly level: number }>`SELECT ${mappingColumns(sql)},
      ${levelOf(sql, caller, "connectorInstance", sql`m.connector_instance_id`)} AS level
    FROM connector_mappings m
    WHERE m.organization_id = ${caller.organizationId} AND m.id = ${id} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"cmp">) =>
  sql<MappingRow>`SELECT ${mappingColumns(sql)} FROM connector_mappings m
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The settings of a manual mapping. */
export interface MappingSettings {
  readonly selector: string
  readonly objectType: Connectors.ObjectType
  readonly pluginId: Id<"plg"> | null
  readonly autoAddToPlugin: boolean
}

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  place: { readonly id: Id<"cmp">; readonly instanceId: Id<"cin">; readonly targetId: Id<"ctg"> },
  settings: MappingSettings
) =>
  sql<MappingRow>`INSERT INTO connector_mappings AS m (organization_id, id, connector_instance_id, connector_target_id,
      mapping_kind, selector, object_type, plugin_id, auto_add_to_plugin, created_at, updated_at)
    VALUES (${organizationId}, ${place.id}, ${place.instanceId}, ${place.targetId}, 'path', ${settings.selector},
      ${settings.objectType}, ${settings.pluginId}, ${settings.autoAddToPlugin}, now(), now())
    RETURNING ${mappingColumns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "mapping")))

export const update = (sql: Sql, organizationId: Id<"org">, id: Id<"cmp">, settings: MappingSettings) =>
  sql<MappingRow>`UPDATE connector_mappings AS m SET selector = ${settings.selector}, object_type = ${settings.objectType},
      plugin_id = ${settings.pluginId}, auto_add_to_plugin = ${settings.autoAddToPlugin}, updated_at = now()
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL
    RETURNING ${mappingColumns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Ends the memberships that a mapping created. */
export const endMemberships = (sql: Sql, organizationId: Id<"org">, id: Id<"cmp">) =>
  sql`UPDATE plugin_memberships SET removed_at = now()
    WHERE organization_id = ${organizationId} AND connector_mapping_id = ${id} AND removed_at IS NULL`

/** The bindings of a mapping. */
export const bindingsOf = (sql: Sql, organizationId: Id<"org">, id: Id<"cmp">) =>
  sql<BindingRow>`SELECT connector_mapping_id, path, pointer, object_type, config_object_id, blob_sha
    FROM source_bindings WHERE organization_id = ${organizationId} AND connector_mapping_id = ${id}`

/** Moves bindings to other mappings, object by object. */
export const rebind = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cmp">,
  heirs: ReadonlyArray<{ readonly objectId: Id<"cob">; readonly mappingId: Id<"cmp"> }>
) =>
  heirs.length === 0
    ? Effect.void
    : sql`UPDATE source_bindings b SET connector_mapping_id = r."mappingId"
        FROM jsonb_to_recordset(${sql.json(heirs)}) AS r("objectId" text, "mappingId" text)
        WHERE b.organization_id = ${organizationId} AND b.connector_mapping_id = ${id}
          AND b.config_object_id = r."objectId"`

export const unbind = (sql: Sql, organizationId: Id<"org">, id: Id<"cmp">) =>
  sql`DELETE FROM source_bindings WHERE organization_id = ${organizationId} AND connector_mapping_id = ${id}`

/** The given objects that other mappings also import. */
export const boundElsewhere = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"cmp">,
  objectIds: ReadonlyArray<Id<"cob">>
) =>
  sql<{ id: Id<"cob"> }>`SELECT DISTINCT config_object_id AS id FROM source_bindings
    WHERE organization_id = ${organizationId} AND connector_mapping_id <> ${id}
      AND config_object_id IN (SELECT jsonb_array_elements_text(${sql.json(objectIds)}))`.pipe(
    Effect.map((rows) => new Set(rows.map((row) => row.id)))
  )

export const newMembership = (pluginId: Id<"plg">, objectId: Id<"cob">, mappingId: Id<"cmp">) => ({
  id: makeId("pco"),
  pluginId,
  objectId,
  mappingId
})
