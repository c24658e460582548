import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { isHidden } from "../../identity/grants/blocked-repo.ts"
import { visible } from "../../identity/grants/index.ts"
import { hasServed, servedName } from "../../identity/grants/served-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** The given plugins that still contain objects after `objectIds` are removed, and after `leavingIds` leave the plugins of their mappings. */
export const pluginsWithMore = (
  sql: Sql,
  organizationId: Id<"org">,
  pluginIds: ReadonlyArray<Id<"plg">>,
  objectIds: ReadonlyArray<Id<"cob">>,
  leavingIds: ReadonlyArray<Id<"cob">> = []
) =>
  sql<{ id: Id<"plg"> }>`SELECT DISTINCT pm.plugin_id AS id FROM plugin_memberships pm
    WHERE pm.organization_id = ${organizationId} AND pm.removed_at IS NULL
      AND pm.plugin_id IN (SELECT jsonb_array_elements_text(${sql.json(pluginIds)}))
      AND pm.config_object_id NOT IN (SELECT jsonb_array_elements_text(${sql.json(objectIds)}))
      AND (pm.connector_mapping_id IS NULL
        OR pm.config_object_id NOT IN (SELECT jsonb_array_elements_text(${sql.json(leavingIds)})))`.pipe(
    Effect.map((rows) => new Set(rows.map((row) => row.id)))
  )

/** The given plugins that the caller can see, with the names that the caller reads. */
export const visiblePlugins = (sql: Sql, caller: Member, ids: ReadonlyArray<Id<"plg">>) =>
  sql<{ id: Id<"plg">; name: string }>`SELECT p.id, ${servedName(sql, caller)} AS name FROM plugins p
    WHERE p.organization_id = ${caller.organizationId} AND p.deleted_at IS NULL
      AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))
      AND ${caller.permissions.has("plugins:read") ? sql`TRUE` : sql`FALSE`}
      AND ${visible(sql, caller, "plugin", sql`p.id`)} AND ${hasServed(sql, caller)}`

export interface NeighborRow {
  readonly name: string
  readonly candidate_key: string | null
  /** The plugin is imported from another branch of the same repository. */
  readonly is_same_repository: boolean
}

/** Other plugins, visible to the caller, with one of these names or from the same path of the same repository. */
export const neighbors = (
  sql: Sql,
  caller: Member,
  source: { readonly targetId: Id<"ctg">; readonly remoteId: string },
  names: ReadonlyArray<string>,
  keys: ReadonlyArray<string>
) =>
  sql<NeighborRow>`SELECT p.name, p.candidate_key, coalesce(i.remote_id = ${source.remoteId}, FALSE) AS is_same_repository
    FROM plugins p
    LEFT JOIN connector_targets t ON t.organization_id = ${caller.organizationId} AND t.id = p.connector_target_id
    LEFT JOIN connector_instances i ON i.organization_id = ${caller.organizationId} AND i.id = t.connector_instance_id
    WHERE p.organization_id = ${caller.organizationId} AND p.deleted_at IS NULL
      AND p.connector_target_id IS DISTINCT FROM ${source.targetId}
      AND (p.name IN (SELECT jsonb_array_elements_text(${sql.json(names)}))
        OR (i.remote_id = ${source.remoteId}
          AND p.candidate_key IN (SELECT jsonb_array_elements_text(${sql.json(keys)}))))
      AND ${visible(sql, caller, "plugin", sql`p.id`)} AND NOT ${isHidden(sql, caller, sql`p.id`)}
    ORDER BY p.id LIMIT 200`
