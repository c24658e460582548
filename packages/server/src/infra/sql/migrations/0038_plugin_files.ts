import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["plugin_file_blobs", "plugin_files"]

/** All files of plugins from repositories, unchanged. */
export default Effect.suspend(() =>
  statements([
    // File contents by their SHA-256, shared by the plugins, branches and publications of an organization.
    `CREATE TABLE plugin_file_blobs (
    organization_id text NOT NULL REFERENCES organizations (id),
    digest text NOT NULL,
    size integer NOT NULL,
    bytes bytea NOT NULL,
    -- When the last publication that refers to it was deleted; null while one exists. The row is deleted a day later.
    staged_at timestamptz,
    PRIMARY KEY (organization_id, digest)
  )`,
    `CREATE INDEX plugin_file_blobs_staged ON plugin_file_blobs (staged_at) WHERE staged_at IS NOT NULL`,
    // One row per range of publications in which a file did not change, so that a publication writes only its changes.
    `CREATE TABLE plugin_files (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    plugin_id text NOT NULL,
    -- From the plugin's root.
    path text COLLATE "C" NOT NULL,
    is_executable boolean NOT NULL,
    -- The SHA of the content in git.
    blob_sha text NOT NULL,
    digest text NOT NULL,
    from_sequence integer NOT NULL,
    to_sequence integer,
    PRIMARY KEY (organization_id, connector_target_id, plugin_id, path, from_sequence),
    FOREIGN KEY (organization_id, digest) REFERENCES plugin_file_blobs (organization_id, digest)
  )`,
    `CREATE INDEX plugin_files_now ON plugin_files (organization_id, connector_target_id) WHERE to_sequence IS NULL`,
    `CREATE INDEX plugin_files_of_plugin ON plugin_files (organization_id, plugin_id) WHERE to_sequence IS NULL`,
    `CREATE INDEX plugin_files_ended ON plugin_files (organization_id, connector_target_id, to_sequence)
    WHERE to_sequence IS NOT NULL`,
    `CREATE INDEX plugin_files_digest ON plugin_files (organization_id, digest)`,
    // The version of the import rules that a branch was last read with. A branch that was read with another version
    // is read again.
    `ALTER TABLE connector_targets ADD COLUMN reading_version text`,
    ...rowSecurity(tenantTables)
  ])
)
