import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["activity_days"]

/**
 * The UTC days on which users were active: one row per user and day, inserted by the first request or event of the
 * day.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE activity_days (
    -- Empty for a user without an organization.
    organization_id text NOT NULL,
    day date NOT NULL,
    user_id text NOT NULL,
    -- The user made a change or had a task event.
    is_real boolean NOT NULL,
    -- The user had an event from this source.
    by_app boolean NOT NULL,
    by_worker boolean NOT NULL,
    PRIMARY KEY (organization_id, day, user_id)
  )`,
    `CREATE INDEX activity_days_day ON activity_days (day, user_id)`,
    `CREATE INDEX activity_days_user ON activity_days (user_id, day)`,
    // For finding the changes since the last summary.
    `CREATE INDEX audit_events_txid ON audit_events (created_txid)`,
    ...rowSecurity(tenantTables)
  ])
)
