import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["sso_connections", "sso_sign_ins", "sso_identities", "sso_assertions"]

/** Single sign-on with an organization's identity provider. */
export default Effect.suspend(() =>
  statements([
    // An organization has at most one. `config_json` depends on the protocol, and the client secret is encrypted.
    `CREATE TABLE sso_connections (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL UNIQUE,
    protocol text NOT NULL,
    config_json jsonb NOT NULL,
    key_id text,
    nonce bytea,
    ciphertext bytea,
    enabled boolean NOT NULL DEFAULT false,
    enforced boolean NOT NULL DEFAULT false,
    break_glass_json jsonb NOT NULL DEFAULT '[]',
    jit_enabled boolean NOT NULL,
    jit_role text NOT NULL,
    settings_revision integer NOT NULL DEFAULT 1,
    last_test_json jsonb,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id)
  )`,
    // A sign-in in progress, looked up by the digest of its state, then by the digest of the code from its callback.
    `CREATE TABLE sso_sign_ins (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    connection_id text NOT NULL,
    settings_revision integer NOT NULL,
    purpose text NOT NULL,
    state_digest bytea NOT NULL UNIQUE,
    code_challenge text,
    return_to text,
    begun_json jsonb NOT NULL,
    key_id text,
    nonce bytea,
    ciphertext bytea,
    tested_by_membership_id text,
    user_id text,
    code_digest bytea UNIQUE,
    code_expires_at timestamptz,
    refusal text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    returned_at timestamptz,
    completed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX sso_sign_ins_age ON sso_sign_ins (expires_at)`,
    // The user of each subject at the provider. Once linked, the subject identifies the user, regardless of the email
    // address.
    `CREATE TABLE sso_identities (
    organization_id text NOT NULL REFERENCES organizations (id),
    connection_id text NOT NULL,
    subject text NOT NULL,
    user_id text NOT NULL REFERENCES users (id),
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, connection_id, subject)
  )`,
    `CREATE INDEX sso_identities_user ON sso_identities (user_id)`,
    // Used SAML assertions, kept for as long as they could be replayed.
    `CREATE TABLE sso_assertions (
    organization_id text NOT NULL REFERENCES organizations (id),
    connection_id text NOT NULL,
    assertion_digest bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, connection_id, assertion_digest)
  )`,
    `CREATE INDEX sso_assertions_age ON sso_assertions (expires_at)`,
    ...rowSecurity(tenantTables)
  ])
)
