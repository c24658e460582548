import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["roles", "api_keys"]

/** API keys, custom roles, and team names. */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE teams
    ADD COLUMN description text,
    ADD COLUMN version integer NOT NULL DEFAULT 1`,
    `CREATE UNIQUE INDEX teams_name ON teams (organization_id, lower(name)) WHERE removed_at IS NULL`,
    `CREATE TABLE roles (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    description text,
    permissions_json jsonb NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX roles_name ON roles (organization_id, lower(name)) WHERE removed_at IS NULL`,
    `CREATE INDEX memberships_role ON memberships (organization_id, role) WHERE removed_at IS NULL`,
    `CREATE INDEX user_subjects_user ON user_subjects (user_id)`,
    // A key is looked up by the digest of its secret: the current one or, during the grace period, the previous one.
    `CREATE TABLE api_keys (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    hint text NOT NULL,
    token_digest bytea NOT NULL UNIQUE,
    previous_digest bytea,
    previous_usable_until timestamptz,
    permissions_json jsonb NOT NULL,
    requests_per_minute integer NOT NULL,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (organization_id, id),
    CHECK ((previous_digest IS NULL) = (previous_usable_until IS NULL))
  )`,
    `CREATE UNIQUE INDEX api_keys_previous ON api_keys (previous_digest) WHERE previous_digest IS NOT NULL`,
    `CREATE INDEX api_keys_creator ON api_keys (organization_id, created_by_membership_id) WHERE revoked_at IS NULL`,
    // An API key manages the objects that it created, like a member. Its grant is the only one without a member, a
    // team or the whole organization as recipient.
    `ALTER TABLE grants ADD COLUMN key_id text`,
    `ALTER TABLE grants DROP CONSTRAINT grants_check`,
    `ALTER TABLE grants ADD CONSTRAINT grants_receiver_check
    CHECK (num_nonnulls(membership_id, team_id, key_id) + org_wide::int = 1)`,
    `DROP INDEX grants_receiver`,
    // The three kinds of identifiers have different prefixes.
    `CREATE UNIQUE INDEX grants_receiver ON grants
    (organization_id, object_kind, object_id, coalesce(membership_id, team_id, key_id, ''))`,
    `CREATE INDEX grants_key ON grants (organization_id, key_id, object_kind)
    WHERE key_id IS NOT NULL AND removed_at IS NULL`,
    ...rowSecurity(tenantTables)
  ])
)
