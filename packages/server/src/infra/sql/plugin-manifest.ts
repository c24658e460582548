import type { Manifest } from "@orgplane/schema/plugins"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "./client.ts"

/** The commit of the content of the plugin `p`: its own, or its branch's; null when it is unknown. */
export const ownRevision = (sql: Sql, plugin = "p") =>
  sql.literal(`CASE WHEN ${plugin}.source_revision = '' THEN (SELECT branch.last_sync_cursor FROM connector_targets branch
      WHERE branch.organization_id = ${plugin}.organization_id AND branch.id = ${plugin}.connector_target_id)
    ELSE ${plugin}.source_revision END`)

/** The manifest of the plugin `p` as the API returns it: its source reference includes the commit. */
export const manifestOf = (plugin = "p") =>
  `CASE WHEN ${plugin}.source_revision IS NULL THEN ${plugin}.manifest_json
    ELSE jsonb_set(${plugin}.manifest_json, '{source,reference}', to_jsonb((${plugin}.manifest_json #>> '{source,reference}')
      || '@' || coalesce(nullif(${plugin}.source_revision, ''), (SELECT branch.last_sync_cursor FROM connector_targets branch
        WHERE branch.organization_id = ${plugin}.organization_id AND branch.id = ${plugin}.connector_target_id), ''))) END`

/** The manifest of the release `sr` as the API returns it. */
export const releasedManifest = `CASE WHEN sr.source_revision IS NULL THEN sr.manifest_json
    ELSE jsonb_set(sr.manifest_json, '{source,reference}',
      to_jsonb((sr.manifest_json #>> '{source,reference}') || '@' || sr.source_revision)) END`

/** A row of a plugin that a branch provides. */
export interface SourcedRow {
  readonly id: Id<"plg">
  readonly candidate_key: string
  readonly name: string
  readonly description: string | null
  readonly manifest_json: Manifest | null
  readonly source_revision: string | null
}

export const ofTarget = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">) =>
  sql<SourcedRow>`SELECT id, candidate_key, name, description, manifest_json, source_revision FROM plugins
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND deleted_at IS NULL`

/** Plugins of a branch that stay at their current commit when a new commit of the branch is published. */
export const keepRevision = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"plg">>) =>
  sql`UPDATE plugins p SET source_revision = ${ownRevision(sql)}
    WHERE p.organization_id = ${organizationId} AND p.source_revision = ''
      AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`

/** Plugins that were removed from their repository: only objects that members added remain. */
export const forgetFiles = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"plg">>) =>
  ids.length === 0
    ? Effect.void
    : sql`UPDATE plugins p SET manifest_json = p.manifest_json #- '{setup,files}'
        WHERE p.organization_id = ${organizationId} AND p.manifest_json #> '{setup,files}' IS NOT NULL
          AND p.id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`
