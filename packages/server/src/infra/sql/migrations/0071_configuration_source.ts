import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["configuration_sources", "configuration_runs"]

/** The repository with an organization's configuration files, and what each of its commits changed. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE configuration_sources (
    organization_id text NOT NULL PRIMARY KEY,
    connector_instance_id text NOT NULL,
    connector_target_id text NOT NULL,
    -- The repository and the branch when the source was set. Another one must not be applied with its permissions.
    remote_id text NOT NULL,
    branch text NOT NULL,
    path text NOT NULL,
    mode text NOT NULL,
    is_enabled boolean NOT NULL,
    membership_id text NOT NULL,
    -- The commit of the last run.
    last_revision text,
    version integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
    `CREATE INDEX configuration_sources_target ON configuration_sources (organization_id, connector_target_id)`,
    `CREATE TABLE configuration_runs (
    organization_id text NOT NULL,
    id text NOT NULL,
    -- The version of the source that the run belongs to.
    source_version integer NOT NULL,
    connector_instance_id text NOT NULL,
    connector_target_id text NOT NULL,
    branch text NOT NULL,
    path text NOT NULL,
    mode text NOT NULL,
    trigger text NOT NULL,
    status text NOT NULL,
    revision text,
    plan_digest text,
    -- The digest of the plan that was approved.
    approved_digest text,
    summary_json jsonb,
    changes_json jsonb NOT NULL,
    problems_json jsonb NOT NULL,
    membership_id text NOT NULL,
    started_by_membership_id text,
    decided_by_membership_id text,
    comment text,
    attempts integer NOT NULL,
    due_at timestamptz NOT NULL,
    lease_holder text,
    lease_until timestamptz,
    -- When the status of the commit is sent to the code host. Null if it need not be sent.
    status_due_at timestamptz,
    status_attempts integer NOT NULL,
    status_result text,
    status_message text,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX configuration_runs_queued ON configuration_runs (organization_id) WHERE status = 'queued'`,
    `CREATE INDEX configuration_runs_waiting ON configuration_runs (organization_id) WHERE status IN ('queued', 'held')`,
    `CREATE INDEX configuration_runs_version ON configuration_runs (organization_id, source_version)`,
    `CREATE INDEX configuration_runs_due ON configuration_runs (due_at) WHERE status IN ('queued', 'running')`,
    `CREATE INDEX configuration_runs_status ON configuration_runs (status_due_at) WHERE status_due_at IS NOT NULL`,
    ...rowSecurity(tenantTables)
  ])
)
