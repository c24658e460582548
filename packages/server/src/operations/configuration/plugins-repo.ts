import type { ConfigObject } from "@orgplane/schema/config-objects"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import type { SourceRow } from "./content-repo.ts"

export interface PluginRow extends SourceRow {
  readonly id: Id<"plg">
  readonly name: string
  readonly description: string | null
  readonly candidate_key: string | null
  readonly version: number
}

/** All plugins that are not archived, with their latest name and description. */
export const listPlugins = (sql: Sql, organizationId: Id<"org">, after: string | null, limit: number) =>
  sql<PluginRow>`SELECT p.id, p.name, p.description, p.candidate_key, p.version, p.connector_target_id,
      t.connector_instance_id, t.branch
    FROM plugins p
    LEFT JOIN connector_targets t ON t.organization_id = ${organizationId} AND t.id = p.connector_target_id
    WHERE p.organization_id = ${organizationId} AND p.deleted_at IS NULL AND p.archived_at IS NULL
      AND (${after}::text IS NULL OR p.id < ${after})
    ORDER BY p.id DESC LIMIT ${limit}`

/** The marketplaces of all plugins. */
export const listPlaces = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly plugin_id: string; readonly marketplace_id: string }>`SELECT mm.plugin_id, mm.marketplace_id
    FROM marketplace_memberships mm
    WHERE mm.organization_id = ${organizationId} AND mm.removed_at IS NULL
    ORDER BY mm.plugin_id, mm.marketplace_id`

export interface ObjectRow {
  readonly id: Id<"cob">
  readonly plugin_id: Id<"plg">
  readonly object_type: ConfigObject["objectType"]
  readonly title: string
  readonly description: string | null
  readonly file_name: string | null
  readonly relative_path: string | null
  readonly v_text: string | null
  readonly v_payload: JsonObject | null
  readonly v_schema_version: string | null
  /** Whether the object is also in another plugin. */
  readonly is_shared: boolean
}

/** The objects `o` with their latest version `v` that were placed by hand in plugins that were created here. */
const ownObjects = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg"> | null) =>
  sql`FROM plugin_memberships pm
    JOIN plugins p ON p.organization_id = ${organizationId} AND p.id = pm.plugin_id AND p.deleted_at IS NULL
      AND p.archived_at IS NULL AND p.connector_target_id IS NULL
    JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = pm.config_object_id
      AND o.deleted_at IS NULL AND o.status <> 'archived' AND o.source_mode <> 'connector'
    JOIN config_object_versions v ON v.organization_id = ${organizationId} AND v.id = o.latest_version_id
    WHERE pm.organization_id = ${organizationId} AND pm.removed_at IS NULL AND pm.connector_mapping_id IS NULL
      AND (${pluginId}::text IS NULL OR pm.plugin_id = ${pluginId})`

/** The size of the objects of all plugins, in bytes. */
export const objectBytes = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ readonly bytes: number }>`SELECT coalesce(sum(coalesce(octet_length(v.source_text), 0)
      + coalesce(octet_length(v.payload_json::text), 0)), 0)::float8 AS bytes
    ${ownObjects(sql, organizationId, null)}`.pipe(Effect.map((rows) => rows[0]?.bytes ?? 0))

/** The objects of one plugin, or of all. */
export const listObjects = (sql: Sql, organizationId: Id<"org">, pluginId: Id<"plg"> | null = null) =>
  sql<ObjectRow>`SELECT o.id, pm.plugin_id, o.object_type, o.title, o.description, o.file_name, o.relative_path,
      v.source_text AS v_text, v.payload_json AS v_payload, v.schema_version AS v_schema_version,
      (SELECT count(*) > 1 FROM plugin_memberships s
        WHERE s.organization_id = ${organizationId} AND s.config_object_id = o.id AND s.removed_at IS NULL) AS is_shared
    ${ownObjects(sql, organizationId, pluginId)}
    ORDER BY pm.plugin_id, o.id`
