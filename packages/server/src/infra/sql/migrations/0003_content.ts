import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** The content of agents: grants, config objects with their versions, plugins, marketplaces. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE grants (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    object_kind text NOT NULL,
    object_id text NOT NULL,
    membership_id text,
    team_id text,
    org_wide boolean NOT NULL,
    role text NOT NULL,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK (num_nonnulls(membership_id, team_id) + org_wide::int = 1)
  )`,
    // One grant per recipient and object. A revoked grant is restored, so that it keeps its id.
    `CREATE UNIQUE INDEX grants_receiver ON grants
    (organization_id, object_kind, object_id, coalesce(membership_id, ''), coalesce(team_id, ''))`,
    `CREATE INDEX grants_membership ON grants (organization_id, membership_id, object_kind) WHERE removed_at IS NULL`,
    `CREATE INDEX grants_team ON grants (organization_id, team_id, object_kind) WHERE removed_at IS NULL`,
    `CREATE INDEX grants_org_wide ON grants (organization_id, object_kind) WHERE org_wide AND removed_at IS NULL`,
    `CREATE TABLE config_objects (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    object_type text NOT NULL,
    source_mode text NOT NULL,
    status text NOT NULL,
    title text NOT NULL,
    description text,
    search_text text,
    file_name text,
    file_extension text,
    relative_path text,
    created_by_membership_id text,
    connector_instance_id text,
    latest_version_id text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX config_objects_instance ON config_objects (organization_id, connector_instance_id)
    WHERE connector_instance_id IS NOT NULL`,
    `CREATE TABLE config_object_versions (
    organization_id text NOT NULL,
    id text NOT NULL,
    config_object_id text NOT NULL,
    ordinal integer NOT NULL,
    schema_version text,
    payload_json jsonb,
    source_text text,
    content_digest text NOT NULL,
    created_via text NOT NULL,
    created_by_membership_id text,
    sync_event_id text,
    source_revision text,
    is_deleted_version boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, config_object_id) REFERENCES config_objects (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX config_object_versions_ordinal
    ON config_object_versions (organization_id, config_object_id, ordinal)`,
    `CREATE TABLE plugins (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    description text,
    manifest_json jsonb,
    created_by_membership_id text,
    connector_target_id text,
    candidate_key text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    // A plugin from a repository is identified by its manifest entry, not by its name.
    `CREATE UNIQUE INDEX plugins_candidate ON plugins (organization_id, connector_target_id, candidate_key)
    WHERE deleted_at IS NULL AND connector_target_id IS NOT NULL`,
    `CREATE TABLE plugin_memberships (
    organization_id text NOT NULL,
    id text NOT NULL,
    plugin_id text NOT NULL,
    config_object_id text NOT NULL,
    connector_mapping_id text,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, plugin_id) REFERENCES plugins (organization_id, id),
    FOREIGN KEY (organization_id, config_object_id) REFERENCES config_objects (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX plugin_memberships_live ON plugin_memberships (organization_id, plugin_id, config_object_id)
    WHERE removed_at IS NULL`,
    `CREATE INDEX plugin_memberships_object ON plugin_memberships (organization_id, config_object_id)
    WHERE removed_at IS NULL`,
    `CREATE TABLE marketplaces (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    description text,
    logo_url text,
    created_by_membership_id text,
    connector_target_id text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE TABLE marketplace_memberships (
    organization_id text NOT NULL,
    id text NOT NULL,
    marketplace_id text NOT NULL,
    plugin_id text NOT NULL,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, marketplace_id) REFERENCES marketplaces (organization_id, id),
    FOREIGN KEY (organization_id, plugin_id) REFERENCES plugins (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX marketplace_memberships_live
    ON marketplace_memberships (organization_id, marketplace_id, plugin_id) WHERE removed_at IS NULL`,
    `CREATE INDEX marketplace_memberships_plugin ON marketplace_memberships (organization_id, plugin_id)
    WHERE removed_at IS NULL`
  ])
)
