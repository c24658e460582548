import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["published_plugins", "published_mappings"]

/** Plugins and mappings are kept as files are: by the stretch of publications in which they were the same. */
export default Effect.suspend(() =>
  statements([
    // The commit that a plugin's own content is of; '' is that of its branch, so that a commit does not change the row.
    // Null where the manifest says the whole place.
    `ALTER TABLE plugins ADD COLUMN source_revision text`,
    // Filled in what was published before there were stretches.
    `ALTER TABLE target_publications
    ALTER COLUMN plugins_json DROP NOT NULL,
    ALTER COLUMN mappings_json DROP NOT NULL`,
    `CREATE TABLE published_plugins (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    plugin_id text NOT NULL,
    candidate_key text NOT NULL,
    name text NOT NULL,
    description text,
    manifest_json jsonb,
    source_revision text,
    from_sequence integer NOT NULL,
    to_sequence integer,
    PRIMARY KEY (organization_id, connector_target_id, plugin_id, from_sequence)
  )`,
    `CREATE TABLE published_mappings (
    organization_id text NOT NULL,
    connector_target_id text NOT NULL,
    connector_mapping_id text NOT NULL,
    selector text NOT NULL,
    object_type text NOT NULL,
    plugin_id text,
    auto_add_to_plugin boolean NOT NULL,
    config_json jsonb,
    from_sequence integer NOT NULL,
    to_sequence integer,
    PRIMARY KEY (organization_id, connector_target_id, connector_mapping_id, from_sequence)
  )`,
    ...tenantTables.map(
      (table) =>
        `CREATE INDEX ${table}_now ON ${table} (organization_id, connector_target_id) WHERE to_sequence IS NULL`
    ),
    ...["published_files", ...tenantTables].map(
      (table) =>
        `CREATE INDEX ${table}_ended ON ${table} (organization_id, connector_target_id, to_sequence)
    WHERE to_sequence IS NOT NULL`
    ),
    ...rowSecurity(tenantTables)
  ])
)
