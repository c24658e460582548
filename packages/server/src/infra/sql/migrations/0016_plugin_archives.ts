import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["plugin_archives"]

/** Plugin archives, which agents install. */
export default Effect.suspend(() =>
  statements([
    // The digest of each plugin's archive, valid while the plugin's content is unchanged. The bytes are not stored.
    `CREATE TABLE plugin_archives (
    organization_id text NOT NULL,
    plugin_id text NOT NULL,
    -- The digest of everything that the archive is created from.
    fingerprint text NOT NULL,
    -- Null if no archive can be created.
    sha256 text,
    bytes bigint,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, plugin_id),
    FOREIGN KEY (organization_id, plugin_id) REFERENCES plugins (organization_id, id) ON DELETE CASCADE,
    CHECK ((sha256 IS NULL) = (bytes IS NULL))
  )`,
    ...rowSecurity(tenantTables),
    // For excluding archived and deleted plugins when the plugins of a marketplace are counted.
    `CREATE INDEX plugins_gone ON plugins (organization_id, id) WHERE deleted_at IS NOT NULL OR archived_at IS NOT NULL`
  ])
)
