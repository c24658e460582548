import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = [
  "scim_directories",
  "scim_tokens",
  "scim_users",
  "scim_groups",
  "scim_group_members",
  "scim_log",
  "scim_holds",
  "scim_held_users",
  "scim_deactivations"
]

/** SCIM directories, the users and groups that they provisioned, and their requests. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE scim_directories (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    last_request_at timestamptz,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE TABLE scim_tokens (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    directory_id text NOT NULL,
    token_digest bytea NOT NULL UNIQUE,
    made_by_owner boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX scim_tokens_directory ON scim_tokens (organization_id, directory_id, id)`,
    // `group_role` is the role that the user's groups last assigned to the membership.
    // `resource_json` is the resource as the directory sent it. `folded_json` is the same with case folded where SCIM
    // compares case-insensitively, so that filters do not depend on the locale of the database.
    `CREATE TABLE scim_users (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    directory_id text NOT NULL,
    user_name text NOT NULL,
    external_id text,
    active boolean NOT NULL,
    resource_json jsonb NOT NULL,
    folded_json jsonb NOT NULL,
    user_id text NOT NULL REFERENCES users (id),
    membership_id text,
    group_role text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX scim_users_name ON scim_users (organization_id, directory_id, user_name COLLATE "C")
    WHERE removed_at IS NULL`,
    `CREATE INDEX scim_users_external ON scim_users (organization_id, directory_id, external_id COLLATE "C")
    WHERE removed_at IS NULL AND external_id IS NOT NULL`,
    `CREATE INDEX scim_users_order ON scim_users (organization_id, directory_id, id COLLATE "C")
    WHERE removed_at IS NULL`,
    `CREATE UNIQUE INDEX scim_users_membership ON scim_users (organization_id, membership_id)
    WHERE removed_at IS NULL AND membership_id IS NOT NULL`,
    `CREATE INDEX scim_users_user ON scim_users (user_id)`,
    // A group is a team and has the team's id.
    `CREATE TABLE scim_groups (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    directory_id text NOT NULL,
    display_name text NOT NULL,
    external_id text,
    resource_json jsonb NOT NULL,
    folded_json jsonb NOT NULL,
    role text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX scim_groups_name ON scim_groups (organization_id, directory_id, display_name COLLATE "C")
    WHERE removed_at IS NULL`,
    `CREATE INDEX scim_groups_external ON scim_groups (organization_id, directory_id, external_id COLLATE "C")
    WHERE removed_at IS NULL AND external_id IS NOT NULL`,
    `CREATE INDEX scim_groups_order ON scim_groups (organization_id, directory_id, id COLLATE "C")
    WHERE removed_at IS NULL`,
    `CREATE TABLE scim_group_members (
    organization_id text NOT NULL,
    group_id text NOT NULL,
    scim_user_id text NOT NULL,
    PRIMARY KEY (organization_id, group_id, scim_user_id)
  )`,
    `CREATE INDEX scim_group_members_user ON scim_group_members (organization_id, scim_user_id)`,
    `CREATE TABLE scim_log (
    organization_id text NOT NULL,
    id text NOT NULL,
    directory_id text NOT NULL,
    token_id text,
    request_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    status integer NOT NULL,
    decision text NOT NULL,
    scim_type text,
    detail text,
    resource_type text,
    resource_id text,
    display_name text,
    differences_json jsonb NOT NULL DEFAULT '[]',
    user_agent text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, directory_id, id)
  )`,
    `CREATE INDEX scim_log_resource ON scim_log (organization_id, directory_id, resource_id, id)
    WHERE resource_id IS NOT NULL`,
    `CREATE INDEX scim_log_changes ON scim_log (organization_id, directory_id, id) WHERE decision <> 'read'`,
    `CREATE INDEX scim_log_decision ON scim_log (organization_id, directory_id, decision, id)`,
    `CREATE INDEX scim_log_age ON scim_log (created_at)`,
    `CREATE TABLE scim_holds (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    directory_id text NOT NULL,
    status text NOT NULL,
    active_before integer NOT NULL,
    created_at timestamptz NOT NULL,
    decided_at timestamptz,
    decided_by text,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX scim_holds_pending ON scim_holds (organization_id, directory_id) WHERE status = 'pending'`,
    `CREATE INDEX scim_holds_directory ON scim_holds (organization_id, directory_id, id)`,
    `CREATE TABLE scim_held_users (
    organization_id text NOT NULL,
    hold_id text NOT NULL,
    scim_user_id text NOT NULL,
    membership_id text,
    action text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, hold_id, scim_user_id)
  )`,
    `CREATE INDEX scim_held_users_user ON scim_held_users (organization_id, scim_user_id)`,
    // The deactivations that the threshold counts, kept for an hour.
    `CREATE TABLE scim_deactivations (
    organization_id text NOT NULL,
    directory_id text NOT NULL,
    scim_user_id text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, directory_id, scim_user_id)
  )`,
    `CREATE INDEX scim_deactivations_age ON scim_deactivations (created_at)`,
    ...rowSecurity(tenantTables)
  ])
)
