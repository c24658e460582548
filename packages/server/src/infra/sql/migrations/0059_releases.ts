import * as Effect from "effect/Effect"
import { releaseTriggers } from "../release-checks.ts"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = [
  "plugin_releases",
  "plugin_release_objects",
  "plugin_release_files",
  "plugin_release_approvals",
  "plugin_release_checks"
]

/** Releases of plugins, which wait for approval before they are served. */
export default Effect.suspend(() =>
  statements([
    // Null is the mode `auto`.
    `ALTER TABLE organizations ADD COLUMN delivery_mode text, ADD COLUMN four_eyes boolean NOT NULL DEFAULT false`,
    `ALTER TABLE connector_instances ADD COLUMN delivery_mode text`,
    `ALTER TABLE marketplaces ADD COLUMN delivery_mode text`,
    // The mode that applies to the plugin. If it is null, the latest content is served, otherwise the served release.
    `ALTER TABLE plugins ADD COLUMN delivery_mode text, ADD COLUMN served_release_id text`,
    `CREATE TABLE plugin_releases (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    plugin_id text NOT NULL,
    number integer NOT NULL,
    -- Of the stored content at the time. Different fingerprints can have the same digest.
    fingerprint text NOT NULL,
    -- Null until it is computed.
    digest text,
    capabilities_digest text,
    problem text,
    state text NOT NULL,
    name text NOT NULL,
    description text,
    manifest_json jsonb,
    archived_json jsonb NOT NULL,
    has_files boolean NOT NULL,
    -- False after the rows of its objects and files were deleted.
    has_contents boolean NOT NULL DEFAULT true,
    source_revision text,
    needs_review boolean NOT NULL,
    comparison_json jsonb,
    created_at timestamptz NOT NULL,
    decided_at timestamptz,
    decided_by text,
    decided_because text,
    comment text,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, plugin_id, number)
  )`,
    `CREATE INDEX plugin_releases_state ON plugin_releases (organization_id, state, id)`,
    // The contents of the served release and of the latest one.
    `CREATE TABLE plugin_release_objects (
    organization_id text NOT NULL,
    release_id text NOT NULL,
    plugin_id text NOT NULL,
    object_id text NOT NULL,
    version_id text NOT NULL,
    object_type text NOT NULL,
    title text NOT NULL,
    file_name text,
    relative_path text,
    is_mapped boolean NOT NULL,
    pointer text,
    component text,
    PRIMARY KEY (organization_id, release_id, object_id)
  )`,
    `CREATE INDEX plugin_release_objects_object ON plugin_release_objects (organization_id, object_id)`,
    `CREATE TABLE plugin_release_files (
    organization_id text NOT NULL,
    release_id text NOT NULL,
    plugin_id text NOT NULL,
    path text COLLATE "C" NOT NULL,
    is_executable boolean NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (organization_id, release_id, path)
  )`,
    `CREATE INDEX plugin_release_files_digest ON plugin_release_files (organization_id, digest)`,
    `CREATE TABLE plugin_release_approvals (
    organization_id text NOT NULL,
    release_id text NOT NULL,
    plugin_id text NOT NULL,
    membership_id text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, release_id, membership_id)
  )`,
    // Plugins whose content may have changed. Rows are only inserted, so that concurrent changes do not wait.
    `CREATE TABLE plugin_release_checks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text NOT NULL,
    plugin_id text NOT NULL
  )`,
    `CREATE INDEX plugin_release_checks_plugin ON plugin_release_checks (organization_id, plugin_id)`,
    ...rowSecurity(tenantTables),
    ...releaseTriggers
  ])
)
