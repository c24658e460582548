import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["desktop_policies", "desktop_policy_members", "desktop_policy_teams"]

/** Desktop policies and their assignments. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE desktop_policies (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    -- Only the settings that the policy sets.
    settings_json jsonb NOT NULL,
    priority integer NOT NULL,
    is_enabled boolean NOT NULL,
    -- Set explicitly, not derived from the assignments: a policy must not apply to everyone when its last assigned member leaves.
    for_organization boolean NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX desktop_policies_name ON desktop_policies (organization_id, lower(name))
    WHERE deleted_at IS NULL`,
    `CREATE INDEX desktop_policies_gone ON desktop_policies (deleted_at) WHERE deleted_at IS NOT NULL`,
    `CREATE TABLE desktop_policy_members (
    organization_id text NOT NULL,
    policy_id text NOT NULL,
    membership_id text NOT NULL,
    PRIMARY KEY (organization_id, policy_id, membership_id),
    FOREIGN KEY (organization_id, policy_id) REFERENCES desktop_policies (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX desktop_policy_members_member ON desktop_policy_members (organization_id, membership_id)`,
    `CREATE TABLE desktop_policy_teams (
    organization_id text NOT NULL,
    policy_id text NOT NULL,
    team_id text NOT NULL,
    PRIMARY KEY (organization_id, policy_id, team_id),
    FOREIGN KEY (organization_id, policy_id) REFERENCES desktop_policies (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX desktop_policy_teams_team ON desktop_policy_teams (organization_id, team_id)`,
    ...rowSecurity(tenantTables)
  ])
)
