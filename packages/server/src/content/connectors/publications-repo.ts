import type { ObjectType } from "@orgplane/schema/connectors"
import type { Manifest } from "@orgplane/schema/plugins"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import * as pluginFiles from "./plugin-files-repo.ts"

/** A plugin at the time of a publication. */
export interface PublishedPlugin {
  readonly id: Id<"plg">
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly manifest: Manifest | null
  /** The value from the plugin's row. Absent if the manifest contains the full source location. */
  readonly sourceRevision?: string | null
}

/** A mapping at the time of a publication. */
export interface PublishedMapping {
  readonly id: Id<"cmp">
  readonly selector: string
  readonly objectType: ObjectType
  readonly pluginId: Id<"plg"> | null
  readonly autoAddToPlugin: boolean
  readonly config: JsonObject | null
}

export interface Publication {
  readonly sequence: number
  readonly revision: string
  readonly plugins_json: ReadonlyArray<PublishedPlugin>
  readonly mappings_json: ReadonlyArray<PublishedMapping>
}

/** Publications kept per branch for rollbacks; older ones are deleted. */
const publicationsKept = 100

/**
 * Records the state that a branch publishes, in the same transaction. Files, plugins and mappings are stored with the
 * range of publications in which they were unchanged; a publication without changes is not recorded again.
 */
export const record = (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  source: { readonly revision: string; readonly eventId: Id<"cse"> },
  files: pluginFiles.PluginFileChanges
) =>
  Effect.gen(function* () {
    const [last] = yield* sql<{ sequence: number; revision: string }>`SELECT sequence, revision
      FROM target_publications WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
      ORDER BY sequence DESC LIMIT 1`
    const sequence = (last?.sequence ?? 0) + 1
    // There are no statistics for the new rows. If the planner expected only a few, it would join them with nested
    // loops, which would take minutes.
    yield* sql`SELECT set_config('enable_nestloop', 'off', true)`
    const changes = [
      yield* recordFiles(sql, organizationId, targetId, sequence),
      yield* recordPlugins(sql, organizationId, targetId, sequence),
      yield* recordMappings(sql, organizationId, targetId, sequence),
      yield* pluginFiles.change(sql, organizationId, targetId, sequence, files)
    ]
    yield* sql`SELECT set_config('enable_nestloop', 'on', true)`
    if (last?.revision === source.revision && changes.every((count) => count === 0)) return
    yield* sql`INSERT INTO target_publications (organization_id, connector_target_id, sequence, revision, sync_event_id,
        created_at)
      VALUES (${organizationId}, ${targetId}, ${sequence}, ${source.revision}, ${source.eventId}, now())`
    if (sequence <= publicationsKept) return
    yield* sql`DELETE FROM target_publications WHERE organization_id = ${organizationId}
      AND connector_target_id = ${targetId} AND sequence <= ${sequence - publicationsKept}`
    yield* pluginFiles.forgetBefore(sql, organizationId, targetId, sequence - publicationsKept + 1)
    for (const table of ["published_files", "published_plugins", "published_mappings"]) {
      yield* sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId}
        AND connector_target_id = ${targetId} AND to_sequence <= ${sequence - publicationsKept + 1}`
    }
  })

/** Closes the ranges of changed rows and opens those of new rows; returns their number. */
const recordFiles = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  sql<{ count: number }>`WITH bound AS (
      SELECT b.connector_mapping_id, b.path, b.pointer, b.object_type, b.config_object_id, b.blob_sha,
        o.latest_version_id
      FROM source_bindings b
      JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = b.config_object_id
        AND o.latest_version_id IS NOT NULL
      WHERE b.organization_id = ${organizationId} AND b.connector_target_id = ${targetId}),
    changed AS (SELECT f.place AS ended, b.*
      FROM (SELECT p.ctid AS place, p.connector_mapping_id, p.path, p.pointer, p.object_type, p.config_object_id,
          p.blob_sha, p.version_id
        FROM published_files p
        WHERE p.organization_id = ${organizationId} AND p.connector_target_id = ${targetId} AND p.to_sequence IS NULL) f
      FULL JOIN bound b ON b.path = f.path AND b.connector_mapping_id = f.connector_mapping_id
        AND b.pointer = f.pointer AND b.object_type = f.object_type
      WHERE f.path IS NULL OR b.path IS NULL OR b.config_object_id <> f.config_object_id OR b.blob_sha <> f.blob_sha
        OR b.latest_version_id <> f.version_id),
    ended AS (UPDATE published_files p SET to_sequence = ${sequence} FROM changed c
      WHERE p.organization_id = ${organizationId} AND p.ctid = c.ended RETURNING 1 AS one),
    begun AS (INSERT INTO published_files (organization_id, connector_target_id, connector_mapping_id, path, pointer,
        object_type, config_object_id, version_id, blob_sha, from_sequence)
      SELECT ${organizationId}, ${targetId}, c.connector_mapping_id, c.path, c.pointer, c.object_type,
        c.config_object_id, c.latest_version_id, c.blob_sha, ${sequence}
      FROM changed c WHERE c.path IS NOT NULL RETURNING 1 AS one)
    SELECT ((SELECT count(*) FROM ended) + (SELECT count(*) FROM begun))::int AS count`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

/** Like `recordFiles`. */
const recordPlugins = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  Effect.gen(function* () {
    const closed = yield* sql`UPDATE published_plugins f SET to_sequence = ${sequence}
      WHERE f.organization_id = ${organizationId} AND f.connector_target_id = ${targetId} AND f.to_sequence IS NULL
        AND NOT EXISTS (SELECT 1 FROM plugins p
          WHERE p.organization_id = ${organizationId} AND p.connector_target_id = ${targetId}
            AND p.deleted_at IS NULL AND p.id = f.plugin_id AND p.candidate_key = f.candidate_key AND p.name = f.name
            AND p.description IS NOT DISTINCT FROM f.description
            AND p.manifest_json IS NOT DISTINCT FROM f.manifest_json
            AND p.source_revision IS NOT DISTINCT FROM f.source_revision)
      RETURNING 1 AS one`
    const opened = yield* sql`INSERT INTO published_plugins (organization_id, connector_target_id, plugin_id,
        candidate_key, name, description, manifest_json, source_revision, from_sequence)
      SELECT ${organizationId}, ${targetId}, p.id, p.candidate_key, p.name, p.description, p.manifest_json,
        p.source_revision, ${sequence}
      FROM plugins p
      WHERE p.organization_id = ${organizationId} AND p.connector_target_id = ${targetId} AND p.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM published_plugins f
          WHERE f.organization_id = ${organizationId} AND f.connector_target_id = ${targetId}
            AND f.to_sequence IS NULL AND f.plugin_id = p.id)
      RETURNING 1 AS one`
    return closed.length + opened.length
  })

/** Like `recordFiles`. */
const recordMappings = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  Effect.gen(function* () {
    const closed = yield* sql`UPDATE published_mappings f SET to_sequence = ${sequence}
      WHERE f.organization_id = ${organizationId} AND f.connector_target_id = ${targetId} AND f.to_sequence IS NULL
        AND NOT EXISTS (SELECT 1 FROM connector_mappings m
          WHERE m.organization_id = ${organizationId} AND m.connector_target_id = ${targetId}
            AND m.removed_at IS NULL AND m.id = f.connector_mapping_id AND m.selector = f.selector
            AND m.object_type = f.object_type AND m.plugin_id IS NOT DISTINCT FROM f.plugin_id
            AND m.auto_add_to_plugin = f.auto_add_to_plugin AND m.config_json IS NOT DISTINCT FROM f.config_json)
      RETURNING 1 AS one`
    const opened = yield* sql`INSERT INTO published_mappings (organization_id, connector_target_id,
        connector_mapping_id, selector, object_type, plugin_id, auto_add_to_plugin, config_json, from_sequence)
      SELECT ${organizationId}, ${targetId}, m.id, m.selector, m.object_type, m.plugin_id, m.auto_add_to_plugin,
        m.config_json, ${sequence}
      FROM connector_mappings m
      WHERE m.organization_id = ${organizationId} AND m.connector_target_id = ${targetId} AND m.removed_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM published_mappings f
          WHERE f.organization_id = ${organizationId} AND f.connector_target_id = ${targetId}
            AND f.to_sequence IS NULL AND f.connector_mapping_id = m.id)
      RETURNING 1 AS one`
    return closed.length + opened.length
  })

/**
 * The last publication of a revision. Publications from before ranges were introduced contain their plugins themselves.
 */
export const ofRevision = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, revision: string) =>
  sql<Publication>`SELECT t.sequence, t.revision,
      coalesce(t.plugins_json, (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.plugin_id, 'key', p.candidate_key,
          'name', p.name, 'description', p.description, 'manifest', p.manifest_json,
          'sourceRevision', p.source_revision) ORDER BY p.plugin_id), '[]')
        FROM published_plugins p
        WHERE p.organization_id = ${organizationId} AND p.connector_target_id = ${targetId}
          AND p.from_sequence <= t.sequence AND (p.to_sequence IS NULL OR p.to_sequence > t.sequence))) AS plugins_json,
      coalesce(t.mappings_json, (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.connector_mapping_id,
          'selector', m.selector, 'objectType', m.object_type, 'pluginId', m.plugin_id,
          'autoAddToPlugin', m.auto_add_to_plugin, 'config', m.config_json) ORDER BY m.connector_mapping_id), '[]')
        FROM published_mappings m
        WHERE m.organization_id = ${organizationId} AND m.connector_target_id = ${targetId}
          AND m.from_sequence <= t.sequence AND (m.to_sequence IS NULL OR m.to_sequence > t.sequence))) AS mappings_json
    FROM target_publications t
    WHERE t.organization_id = ${organizationId} AND t.connector_target_id = ${targetId} AND t.revision = ${revision}
    ORDER BY t.sequence DESC LIMIT 1`.pipe(Effect.map((rows) => rows[0]))

/** A file of a publication, and the current state of its object. */
export interface PublishedFile {
  readonly connector_mapping_id: Id<"cmp">
  readonly path: string
  readonly pointer: string
  readonly object_type: ObjectType
  readonly config_object_id: Id<"cob">
  readonly version_id: Id<"cov">
  readonly blob_sha: string
  readonly digest: string
  /** The size of its text in bytes. */
  readonly size: number
  readonly is_live: boolean
  readonly now_digest: string | null
  readonly now_path: string | null
}

export const filesOf = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  sql<PublishedFile>`SELECT f.connector_mapping_id, f.path, f.pointer, f.object_type, f.config_object_id, f.version_id,
      f.blob_sha, v.content_digest AS digest,
      coalesce(octet_length(v.source_text), 0) + coalesce(pg_column_size(v.payload_json), 0) AS size,
      o.deleted_at IS NULL AS is_live, n.content_digest AS now_digest, o.relative_path AS now_path
    FROM published_files f
    JOIN config_objects o ON o.organization_id = ${organizationId} AND o.id = f.config_object_id
    JOIN config_object_versions v ON v.organization_id = ${organizationId} AND v.id = f.version_id
    LEFT JOIN config_object_versions n ON n.organization_id = ${organizationId} AND n.id = o.latest_version_id
    WHERE f.organization_id = ${organizationId} AND f.connector_target_id = ${targetId}
      AND f.from_sequence <= ${sequence} AND (f.to_sequence IS NULL OR f.to_sequence > ${sequence})
    ORDER BY f.path COLLATE "C", f.pointer, f.connector_mapping_id, f.object_type`

/** The number of files of a publication, including those whose content is no longer stored. */
export const countFiles = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, sequence: number) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM published_files
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
      AND from_sequence <= ${sequence} AND (to_sequence IS NULL OR to_sequence > ${sequence})`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

export interface KeptContent {
  readonly id: Id<"cov">
  readonly text: string | null
  readonly payload: JsonObject | null
  readonly schema_version: string | null
  readonly digest: string
}

/** Contents of versions. Request only as many as fit in memory. */
export const contents = (sql: Sql, organizationId: Id<"org">, versionIds: ReadonlyArray<Id<"cov">>) =>
  sql<KeptContent>`SELECT id, source_text AS text, payload_json AS payload, schema_version, content_digest AS digest
    FROM config_object_versions
    WHERE organization_id = ${organizationId} AND id IN (SELECT jsonb_array_elements_text(${sql.json(versionIds)}))`

/**
 * Restores the plugins of a branch to a publication. They keep their identifiers, even if they were deleted since. Keys
 * are cleared first, because two plugins may have swapped theirs.
 */
export const restorePlugins = (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  plugins: ReadonlyArray<PublishedPlugin>
) =>
  Effect.gen(function* () {
    const rows = sql.json(plugins)
    yield* sql`UPDATE plugins p SET connector_target_id = NULL, candidate_key = NULL
      WHERE p.organization_id = ${organizationId} AND p.connector_target_id = ${targetId} AND p.deleted_at IS NULL
        AND (p.id IN (SELECT r.id FROM jsonb_to_recordset(${rows}) AS r(id text))
          OR p.candidate_key IN (SELECT r.key FROM jsonb_to_recordset(${rows}) AS r(key text)))`
    yield* sql`UPDATE plugins p SET connector_target_id = ${targetId}, candidate_key = r.key, name = r.name,
        description = r.description, manifest_json = r.manifest, source_revision = r."sourceRevision", deleted_at = NULL, updated_at = now(),
        version = p.version + 1
      FROM jsonb_to_recordset(${rows}) AS r(id text, key text, name text, description text, manifest jsonb,
        "sourceRevision" text)
      WHERE p.organization_id = ${organizationId} AND p.id = r.id`
  })

/** Restores mappings to a publication, including deleted ones. */
export const restoreMappings = (sql: Sql, organizationId: Id<"org">, mappings: ReadonlyArray<PublishedMapping>) =>
  mappings.length === 0
    ? Effect.void
    : sql`UPDATE connector_mappings m SET selector = r.selector, object_type = r."objectType",
          plugin_id = r."pluginId", auto_add_to_plugin = r."autoAddToPlugin",
          config_json = nullif(r.config, 'null'::jsonb), removed_at = NULL, updated_at = now()
        FROM jsonb_to_recordset(${sql.json(mappings)}) AS r(id text, selector text, "objectType" text,
          "pluginId" text, "autoAddToPlugin" boolean, config jsonb)
        WHERE m.organization_id = ${organizationId} AND m.id = r.id`

/** The given plugins that exist, so that objects can be added to them. */
export const livePlugins = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"plg">>) =>
  sql<{ id: Id<"plg"> }>`SELECT id FROM plugins
    WHERE organization_id = ${organizationId} AND deleted_at IS NULL
      AND id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`.pipe(
    Effect.map((rows) => new Set(rows.map((row) => row.id)))
  )

/** Ends memberships that a mapping other than the published one created, or that are in another plugin. */
export const endOtherMemberships = (
  sql: Sql,
  organizationId: Id<"org">,
  wanted: ReadonlyArray<{ readonly objectId: Id<"cob">; readonly pluginId: Id<"plg"> | null }>
) =>
  wanted.length === 0
    ? Effect.void
    : sql`UPDATE plugin_memberships pm SET removed_at = now()
        FROM jsonb_to_recordset(${sql.json(wanted)}) AS r("objectId" text, "pluginId" text)
        WHERE pm.organization_id = ${organizationId} AND pm.config_object_id = r."objectId" AND pm.removed_at IS NULL
          AND pm.connector_mapping_id IS NOT NULL AND pm.plugin_id IS DISTINCT FROM r."pluginId"`
