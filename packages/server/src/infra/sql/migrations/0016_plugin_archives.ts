import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["plugin_archives"]

/** What agents install. */
export default Effect.suspend(() =>
  statements([
    // The digest of each plugin's archive, for as long as its content is what it was made of; never the bytes.
    `CREATE TABLE plugin_archives (
    organization_id text NOT NULL,
    plugin_id text NOT NULL,
    -- Of everything the archive is made of.
    fingerprint text NOT NULL,
    -- Null when no archive can be made.
    sha256 text,
    bytes bigint,
    made_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, plugin_id),
    FOREIGN KEY (organization_id, plugin_id) REFERENCES plugins (organization_id, id) ON DELETE CASCADE,
    CHECK ((sha256 IS NULL) = (bytes IS NULL))
  )`,
    ...rowSecurity(tenantTables),
    // Those that a count of a marketplace's plugins leaves out, without a look at the others.
    `CREATE INDEX plugins_gone ON plugins (organization_id, id) WHERE deleted_at IS NOT NULL OR archived_at IS NOT NULL`
  ])
)
