import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["oauth_credentials", "oauth_clients", "oauth_states"]

/** Credentials for other servers: those of MCP connections, shared or personal, and those of members for suites. */
export default Effect.suspend(() =>
  statements([
    // An empty membership marks the credential that everyone with a grant uses. Secrets are encrypted.
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
    // OAuth clients that this server registered with an authorization server.
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
    // Sign-ins in progress, bound to the session that started them. Deleted when they are completed.
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
    // A browser that returns sends only the state.
    `CREATE UNIQUE INDEX oauth_states_digest ON oauth_states (state_digest)`,
    `CREATE INDEX oauth_states_age ON oauth_states (expires_at)`,
    ...rowSecurity(tenantTables)
  ])
)
