import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["published_plugins", "published_mappings"]

/** Plugins and mappings are stored like files: one row per range of publications in which they did not change. */
export default Effect.suspend(() =>
  statements([
    // The commit of a plugin's content; '' stands for the commit of its branch, so that a new commit does not change
    // the row. Null if the manifest contains the complete source.
    `ALTER TABLE plugins ADD COLUMN source_revision text`,
    // Converts the publications from before ranges were introduced.
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
