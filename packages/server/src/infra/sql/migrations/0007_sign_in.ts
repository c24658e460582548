import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["invitations"]

/** Sign-in codes sent by email, and invitations. */
export default Effect.suspend(() =>
  statements([
    // One row per email address: a new code replaces the previous one.
    `CREATE TABLE sign_in_challenges (
    email text PRIMARY KEY,
    id text NOT NULL UNIQUE,
    code_digest bytea NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
  )`,
    `CREATE INDEX sign_in_challenges_age ON sign_in_challenges (expires_at)`,
    `CREATE TABLE invitations (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    team_ids_json jsonb NOT NULL DEFAULT '[]',
    token_digest bytea NOT NULL UNIQUE,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    accepted_at timestamptz,
    cancelled_at timestamptz,
    membership_id text,
    PRIMARY KEY (organization_id, id)
  )`,
    // An email address has at most one pending invitation per organization. Inviting it again renews the invitation.
    `CREATE UNIQUE INDEX invitations_open ON invitations (organization_id, email)
    WHERE accepted_at IS NULL AND cancelled_at IS NULL`,
    `CREATE INDEX invitations_role ON invitations (organization_id, role)
    WHERE accepted_at IS NULL AND cancelled_at IS NULL`,
    `CREATE INDEX sessions_organization ON sessions (organization_id)
    WHERE organization_id IS NOT NULL AND revoked_at IS NULL`,
    ...rowSecurity(tenantTables)
  ])
)
