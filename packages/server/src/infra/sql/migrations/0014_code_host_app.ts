import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["connector_installs"]

/** Accounts that are installations of the app on a code host. */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE connector_accounts
    ADD COLUMN status text NOT NULL DEFAULT 'active',
    ADD COLUMN status_reason text`,
    // An installation belongs to one organization. The index enforces this across all organizations.
    `CREATE UNIQUE INDEX connector_accounts_installation ON connector_accounts (remote_id)
    WHERE adapter = 'rest' AND removed_at IS NULL`,
    // For the check whether an account is in use.
    `CREATE INDEX connector_instances_account ON connector_instances (organization_id, connector_account_id)
    WHERE removed_at IS NULL`,
    // Installations in progress, bound to the session that started them. Deleted when they are completed.
    `CREATE TABLE connector_installs (
    organization_id text NOT NULL REFERENCES organizations (id),
    state_digest bytea NOT NULL,
    membership_id text NOT NULL,
    session_id text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, state_digest)
  )`,
    `CREATE INDEX connector_installs_age ON connector_installs (expires_at)`,
    ...rowSecurity(tenantTables)
  ])
)
