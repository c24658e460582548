import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

/** Tables whose rows each belong to one organization. */
export const tenantTables = ["remote_trees"]

/**
 * The files at a pinned source, whose content cannot change: a marketplace with unchanged pins is discovered again
 * without requests. A missing row is fetched again.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE remote_trees (
    organization_id text NOT NULL REFERENCES organizations (id),
    -- The digest of the source, its folder and the version of the reader.
    place text NOT NULL,
    entries_json jsonb NOT NULL,
    -- Manifests by path, in base64.
    manifests_json jsonb NOT NULL,
    warnings_json jsonb NOT NULL,
    -- The approximate size of the row.
    bytes bigint NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, place)
  )`,
    `CREATE INDEX remote_trees_used ON remote_trees (used_at)`,
    ...rowSecurity(tenantTables)
  ])
)
