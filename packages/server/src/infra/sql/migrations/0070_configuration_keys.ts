import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["configuration_keys"]

/** The stable keys of objects in configuration documents, and how other changes to these objects are treated. */
export default Effect.suspend(() =>
  statements([
    // A key is never used for another object.
    `CREATE TABLE configuration_keys (
    organization_id text NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    object_id text NOT NULL,
    created_at timestamptz NOT NULL,
    -- When the object was removed, or got another key.
    removed_at timestamptz,
    PRIMARY KEY (organization_id, kind, key)
  )`,
    `CREATE UNIQUE INDEX configuration_keys_object ON configuration_keys (organization_id, object_id, kind)
    WHERE removed_at IS NULL`,
    // How changes outside of a document are treated, by kind: `warn` or `refuse`. Null without such a kind.
    `ALTER TABLE organizations ADD COLUMN configuration_modes jsonb`,
    ...rowSecurity(tenantTables)
  ])
)
