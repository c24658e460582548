import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["templates", "template_versions", "template_instances"]

/** Templates of plugins with their versions, and the plugins created from them. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE templates (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    description text,
    latest_version_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX templates_name ON templates (organization_id, lower(name)) WHERE deleted_at IS NULL`,
    `CREATE INDEX templates_gone ON templates (deleted_at) WHERE deleted_at IS NOT NULL`,
    `CREATE TABLE template_versions (
    organization_id text NOT NULL,
    id text NOT NULL,
    template_id text NOT NULL,
    ordinal integer NOT NULL,
    content_json jsonb NOT NULL,
    content_digest text NOT NULL,
    object_count integer NOT NULL,
    variable_count integer NOT NULL,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, template_id, ordinal),
    FOREIGN KEY (organization_id, template_id) REFERENCES templates (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE TABLE template_instances (
    organization_id text NOT NULL,
    plugin_id text NOT NULL,
    template_id text NOT NULL,
    version_id text NOT NULL,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, plugin_id),
    FOREIGN KEY (organization_id, plugin_id) REFERENCES plugins (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, version_id) REFERENCES template_versions (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX template_instances_template ON template_instances (organization_id, template_id, plugin_id)`,
    `CREATE INDEX template_instances_version ON template_instances (organization_id, version_id)`,
    ...rowSecurity(tenantTables)
  ])
)
