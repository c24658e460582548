import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["assignments", "assignment_members", "assignment_teams", "plugin_choices"]

/** Assignments of plugins and marketplaces, and the plugins that members turned on or off. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE assignments (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    plugin_id text,
    marketplace_id text,
    mode text NOT NULL,
    priority integer NOT NULL,
    pinned_digest text,
    -- Set explicitly, not derived from the members and teams: an assignment must not apply to everyone when its last member leaves.
    for_organization boolean NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_by_membership_id text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (num_nonnulls(plugin_id, marketplace_id) = 1)
  )`,
    `CREATE INDEX assignments_plugin ON assignments (organization_id, plugin_id, mode) WHERE plugin_id IS NOT NULL`,
    `CREATE INDEX assignments_marketplace ON assignments (organization_id, marketplace_id, mode)
    WHERE marketplace_id IS NOT NULL`,
    // For the check whether an organization blocks anything.
    `CREATE INDEX assignments_blocked ON assignments (organization_id) WHERE mode = 'blocked'`,
    `CREATE TABLE assignment_members (
    organization_id text NOT NULL,
    assignment_id text NOT NULL,
    membership_id text NOT NULL,
    PRIMARY KEY (organization_id, assignment_id, membership_id),
    FOREIGN KEY (organization_id, assignment_id) REFERENCES assignments (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX assignment_members_member ON assignment_members (organization_id, membership_id)`,
    `CREATE TABLE assignment_teams (
    organization_id text NOT NULL,
    assignment_id text NOT NULL,
    team_id text NOT NULL,
    PRIMARY KEY (organization_id, assignment_id, team_id),
    FOREIGN KEY (organization_id, assignment_id) REFERENCES assignments (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX assignment_teams_team ON assignment_teams (organization_id, team_id)`,
    `CREATE TABLE plugin_choices (
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    plugin_id text NOT NULL,
    is_enabled boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, membership_id, plugin_id)
  )`,
    `CREATE INDEX plugin_choices_plugin ON plugin_choices (organization_id, plugin_id)`,
    ...rowSecurity(tenantTables)
  ])
)
