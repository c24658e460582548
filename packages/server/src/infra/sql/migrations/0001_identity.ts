import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** Organizations, users, memberships and sessions. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE organizations (
    id text PRIMARY KEY,
    name text NOT NULL,
    plan text NOT NULL,
    provisional_until timestamptz,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz
  )`,
    `CREATE INDEX organizations_provisional ON organizations (provisional_until) WHERE provisional_until IS NOT NULL`,
    `CREATE TABLE users (
    id text PRIMARY KEY,
    email text,
    email_verified boolean NOT NULL DEFAULT false,
    name text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz
  )`,
    `CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE email IS NOT NULL AND deleted_at IS NULL`,
    // Users of a host application, by the subject that its Authenticator returns.
    `CREATE TABLE user_subjects (
    subject text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id)
  )`,
    `CREATE TABLE memberships (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    user_id text NOT NULL REFERENCES users (id),
    role text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX memberships_live ON memberships (organization_id, user_id) WHERE removed_at IS NULL`,
    `CREATE INDEX memberships_user ON memberships (user_id) WHERE removed_at IS NULL`,
    `CREATE TABLE teams (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE TABLE team_members (
    organization_id text NOT NULL,
    team_id text NOT NULL,
    membership_id text NOT NULL,
    PRIMARY KEY (organization_id, team_id, membership_id)
  )`,
    `CREATE INDEX team_members_membership ON team_members (organization_id, membership_id)`,
    `CREATE TABLE sessions (
    id text PRIMARY KEY,
    token_digest bytea NOT NULL UNIQUE,
    user_id text NOT NULL REFERENCES users (id),
    organization_id text,
    kind text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
  )`,
    `CREATE INDEX sessions_user ON sessions (user_id, id)`,
    `CREATE TABLE claims (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    token_digest bytea NOT NULL UNIQUE,
    role text NOT NULL,
    email text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    // Values that must be decrypted later, encrypted with a key of the key ring. The owner and purpose are
    // authenticated with them.
    `CREATE TABLE sealed_values (
    organization_id text NOT NULL,
    id text NOT NULL,
    purpose text NOT NULL,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
  )`
  ])
)
