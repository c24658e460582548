import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** Connectors: the sources of imported content. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE connector_accounts (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    adapter text NOT NULL,
    remote_id text NOT NULL,
    name text NOT NULL,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX connector_accounts_remote ON connector_accounts (organization_id, remote_id)
    WHERE removed_at IS NULL`,
    `CREATE TABLE connector_instances (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    connector_account_id text NOT NULL,
    adapter text NOT NULL,
    remote_id text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    status_reason text,
    config_json jsonb NOT NULL DEFAULT '{}',
    credential_id text,
    repository_full_name text NOT NULL,
    auto_import_new_plugins boolean NOT NULL DEFAULT false,
    last_synced_at timestamptz,
    last_sync_cursor text,
    created_by_membership_id text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX connector_instances_name ON connector_instances (organization_id, name)
    WHERE removed_at IS NULL`,
    `CREATE TABLE connector_targets (
    organization_id text NOT NULL,
    id text NOT NULL,
    connector_instance_id text NOT NULL,
    remote_id text NOT NULL,
    branch text NOT NULL,
    config_json jsonb NOT NULL DEFAULT '{}',
    -- The process that holds the lease of the branch, and when the lease expires.
    lease_holder text,
    lease_until timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, connector_instance_id) REFERENCES connector_instances (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX connector_targets_branch ON connector_targets (organization_id, connector_instance_id, branch)
    WHERE removed_at IS NULL`,
    `CREATE TABLE connector_mappings (
    organization_id text NOT NULL,
    id text NOT NULL,
    connector_instance_id text NOT NULL,
    connector_target_id text NOT NULL,
    mapping_kind text NOT NULL,
    selector text NOT NULL,
    object_type text NOT NULL,
    plugin_id text,
    auto_add_to_plugin boolean NOT NULL,
    remote_id text,
    config_json jsonb,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, connector_target_id) REFERENCES connector_targets (organization_id, id)
  )`,
    `CREATE INDEX connector_mappings_target ON connector_mappings (organization_id, connector_target_id, id)
    WHERE removed_at IS NULL`,
    // The file that each object was imported from, so that the next sync updates only what changed.
    `CREATE TABLE source_bindings (
    organization_id text NOT NULL,
    connector_mapping_id text NOT NULL,
    path text NOT NULL,
    pointer text NOT NULL,
    object_type text NOT NULL,
    connector_target_id text NOT NULL,
    config_object_id text NOT NULL,
    blob_sha text NOT NULL,
    PRIMARY KEY (organization_id, connector_mapping_id, path, pointer, object_type)
  )`,
    `CREATE INDEX source_bindings_target ON source_bindings (organization_id, connector_target_id)`,
    `CREATE INDEX source_bindings_object ON source_bindings (organization_id, config_object_id)`,
    `CREATE TABLE sync_events (
    organization_id text NOT NULL,
    id text NOT NULL,
    connector_instance_id text NOT NULL,
    connector_target_id text NOT NULL,
    status text NOT NULL,
    trigger text NOT NULL,
    attempt integer NOT NULL DEFAULT 0,
    base_revision text,
    revision text,
    counts_json jsonb NOT NULL,
    warnings_json jsonb NOT NULL DEFAULT '[]',
    -- An administrator approved the removals of this revision.
    approved_revision text,
    error_code text,
    error_message text,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX sync_events_instance ON sync_events (organization_id, connector_instance_id, id)`,
    `CREATE UNIQUE INDEX sync_events_queued ON sync_events (organization_id, connector_target_id)
    WHERE status = 'queued'`,
    // New content of a sync, until it is published in one transaction, so that no caller sees an incomplete plugin.
    `CREATE TABLE sync_staged (
    organization_id text NOT NULL,
    sync_event_id text NOT NULL,
    object_id text NOT NULL,
    version_id text NOT NULL,
    object_type text NOT NULL,
    title text NOT NULL,
    description text,
    search_text text,
    file_name text,
    file_extension text,
    relative_path text,
    schema_version text,
    payload_json jsonb,
    source_text text,
    content_digest text NOT NULL,
    PRIMARY KEY (organization_id, sync_event_id, object_id)
  )`,
    // The plugins that one version of the parser discovered at one commit. Commits are immutable, so the result is too.
    `CREATE TABLE discoveries (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    revision text NOT NULL,
    parser_version text NOT NULL,
    result_json jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, connector_target_id, revision, parser_version)
  )`,
    `CREATE TABLE discovery_tree_chunks (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    revision text NOT NULL,
    ordinal integer NOT NULL,
    first_path text COLLATE "C" NOT NULL,
    last_path text COLLATE "C" NOT NULL,
    entries_json jsonb NOT NULL,
    PRIMARY KEY (organization_id, connector_target_id, revision, ordinal)
  )`
  ])
)
