import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

/** Tables whose rows belong to one organization each. */
export const tenantTables = ["remote_trees"]

/**
 * What was found at a place whose content cannot change: a marketplace whose pins stay as they are is discovered again
 * without asking anybody. Found again by asking when a row is gone.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE remote_trees (
    organization_id text NOT NULL REFERENCES organizations (id),
    -- Digest of the place, its folder and the version of the reader.
    place text NOT NULL,
    entries_json jsonb NOT NULL,
    -- Manifests by path, in base64.
    manifests_json jsonb NOT NULL,
    warnings_json jsonb NOT NULL,
    -- About what the row takes.
    bytes bigint NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, place)
  )`,
    `CREATE INDEX remote_trees_used ON remote_trees (used_at)`,
    ...rowSecurity(tenantTables)
  ])
)
