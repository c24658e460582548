import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["oauth_credentials", "oauth_clients", "oauth_states"]

/** What we are let in with elsewhere: an MCP connection's credential, shared or a member's own, and a person's suites. */
export default Effect.suspend(() =>
  statements([
    // An empty membership is the credential that everybody with a grant uses. What must come back is sealed.
    `CREATE TABLE oauth_credentials (
    organization_id text NOT NULL REFERENCES organizations (id),
    purpose text NOT NULL,
    subject_id text NOT NULL,
    membership_id text NOT NULL DEFAULT '',
    kind text NOT NULL,
    status text NOT NULL,
    status_reason text,
    issuer text,
    resource text,
    client_id text,
    registration text,
    has_client_secret boolean NOT NULL DEFAULT FALSE,
    auth_method text,
    scopes_json jsonb NOT NULL DEFAULT '[]',
    server_json jsonb,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    expires_at timestamptz,
    generation integer NOT NULL DEFAULT 1,
    refresh_holder text,
    refresh_until timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, purpose, subject_id, membership_id)
  )`,
    `CREATE INDEX oauth_credentials_member ON oauth_credentials (organization_id, membership_id)
    WHERE membership_id <> ''`,
    // Clients that we registered at an authorization server.
    `CREATE TABLE oauth_clients (
    organization_id text NOT NULL REFERENCES organizations (id),
    purpose text NOT NULL,
    subject_id text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    redirect_uri text NOT NULL,
    auth_method text NOT NULL,
    key_id text,
    nonce bytea,
    ciphertext bytea,
    expires_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, purpose, subject_id, issuer)
  )`,
    // Sign-ins that somebody has begun: bound to the session that began, gone when they are completed.
    `CREATE TABLE oauth_states (
    organization_id text NOT NULL REFERENCES organizations (id),
    state_digest bytea NOT NULL,
    purpose text NOT NULL,
    subject_id text NOT NULL,
    membership_id text NOT NULL,
    session_id text,
    is_shared boolean NOT NULL,
    return_to text,
    begun_json jsonb NOT NULL,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, state_digest)
  )`,
    // A browser that comes back brings the state alone.
    `CREATE UNIQUE INDEX oauth_states_digest ON oauth_states (state_digest)`,
    `CREATE INDEX oauth_states_age ON oauth_states (expires_at)`,
    ...rowSecurity(tenantTables)
  ])
)
