import type { ObjectType } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import type { Sql } from "../../infra/sql/client.ts"

export interface BranchRow {
  readonly id: Id<"ctg">
  readonly connector_instance_id: Id<"cin">
  readonly branch: string
  readonly config_json: JsonObject
}

/** The branches of all connectors, those of each in the order in which they were connected. */
export const listBranches = (sql: Sql, organizationId: Id<"org">) =>
  sql<BranchRow>`SELECT t.id, t.connector_instance_id, t.branch, t.config_json FROM connector_targets t
    WHERE t.organization_id = ${organizationId} AND t.removed_at IS NULL
    ORDER BY t.connector_instance_id, t.id`

export interface MappingRow {
  readonly id: Id<"cmp">
  readonly connector_target_id: Id<"ctg">
  readonly selector: string
  readonly object_type: ObjectType
  readonly plugin_id: Id<"plg"> | null
  readonly auto_add_to_plugin: boolean
}

/** The mappings of all branches, without those that imports created. */
export const listMappings = (sql: Sql, organizationId: Id<"org">) =>
  sql<MappingRow>`SELECT m.id, m.connector_target_id, m.selector, m.object_type, m.plugin_id, m.auto_add_to_plugin
    FROM connector_mappings m
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL
      AND m.config_json ->> 'candidateKey' IS NULL
    ORDER BY m.connector_target_id, m.id`
