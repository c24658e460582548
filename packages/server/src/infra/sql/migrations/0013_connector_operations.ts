import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["target_publications", "published_files"]

/** The existing content becomes the first publication that can be restored. */
export const firstPublications: ReadonlyArray<string> = [
  `INSERT INTO target_publications (organization_id, connector_target_id, sequence, revision, plugins_json,
      mappings_json, created_at)
    SELECT t.organization_id, t.id, 1, t.last_sync_cursor,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'key', p.candidate_key, 'name', p.name,
          'description', p.description, 'manifest', p.manifest_json) ORDER BY p.id), '[]')
        FROM plugins p WHERE p.organization_id = t.organization_id AND p.connector_target_id = t.id
          AND p.deleted_at IS NULL),
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'selector', m.selector, 'objectType', m.object_type,
          'pluginId', m.plugin_id, 'autoAddToPlugin', m.auto_add_to_plugin, 'config', m.config_json) ORDER BY m.id), '[]')
        FROM connector_mappings m WHERE m.organization_id = t.organization_id AND m.connector_target_id = t.id
          AND m.removed_at IS NULL),
      now()
    FROM connector_targets t WHERE t.last_sync_cursor IS NOT NULL AND t.removed_at IS NULL`,
  `INSERT INTO published_files (organization_id, connector_target_id, connector_mapping_id, path, pointer, object_type,
      config_object_id, version_id, blob_sha, from_sequence)
    SELECT b.organization_id, b.connector_target_id, b.connector_mapping_id, b.path, b.pointer, b.object_type,
      b.config_object_id, o.latest_version_id, b.blob_sha, 1
    FROM source_bindings b
    JOIN config_objects o ON o.organization_id = b.organization_id AND o.id = b.config_object_id
      AND o.latest_version_id IS NOT NULL
    JOIN target_publications p ON p.organization_id = b.organization_id
      AND p.connector_target_id = b.connector_target_id`
]

/** The publications of each branch, so that they can be restored, and the mode of each sync. */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE connector_targets
    ADD COLUMN last_synced_at timestamptz,
    ADD COLUMN last_sync_cursor text,
    ADD COLUMN pinned_revision text,
    ADD COLUMN pinned_at timestamptz`,
    `UPDATE connector_targets t SET last_synced_at = i.last_synced_at, last_sync_cursor = i.last_sync_cursor
    FROM connector_instances i
    WHERE i.organization_id = t.organization_id AND i.id = t.connector_instance_id`,
    `ALTER TABLE sync_events
    -- 'head' reads changed files, 'resync' reads every file again, 'rollback' does not read the repository.
    ADD COLUMN mode text NOT NULL DEFAULT 'head',
    -- The revision to import or restore instead of the branch's head.
    ADD COLUMN wanted_revision text,
    -- When a user requested it. A request after a rollback removes the pin.
    ADD COLUMN by_hand_at timestamptz,
    ADD COLUMN files_done integer NOT NULL DEFAULT 0,
    ADD COLUMN files_total integer`,
    `CREATE TABLE target_publications (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    sequence integer NOT NULL,
    revision text NOT NULL,
    sync_event_id text,
    plugins_json jsonb NOT NULL,
    mappings_json jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, connector_target_id, sequence)
  )`,
    `CREATE INDEX target_publications_revision
    ON target_publications (organization_id, connector_target_id, revision, sequence)`,
    // One row per range of publications in which a file did not change, so that a publication writes only its changes.
    `CREATE TABLE published_files (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    connector_mapping_id text NOT NULL,
    path text NOT NULL,
    pointer text NOT NULL,
    object_type text NOT NULL,
    config_object_id text NOT NULL,
    version_id text NOT NULL,
    blob_sha text NOT NULL,
    from_sequence integer NOT NULL,
    to_sequence integer,
    PRIMARY KEY (organization_id, connector_target_id, connector_mapping_id, path, pointer, object_type, from_sequence)
  )`,
    `CREATE INDEX published_files_now ON published_files (organization_id, connector_target_id)
    WHERE to_sequence IS NULL`,
    ...rowSecurity(tenantTables),
    ...firstPublications
  ])
)
