import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * The recipient of a grant, as one column in two indexes: after the object, and before it. It is a column, because
 * row-level security does not allow expressions in index conditions.
 */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE grants
    ADD COLUMN receiver text GENERATED ALWAYS AS (coalesce(membership_id, team_id, key_id, '')) STORED`,
    `CREATE UNIQUE INDEX grants_object ON grants (organization_id, object_kind, object_id, receiver)`,
    `CREATE INDEX grants_holder ON grants (organization_id, receiver, object_kind, object_id) WHERE removed_at IS NULL`,
    `DROP INDEX grants_receiver`,
    `DROP INDEX grants_org_wide`
  ])
)
