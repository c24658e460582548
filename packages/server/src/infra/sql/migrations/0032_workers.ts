import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["workers", "worker_instances", "worker_activity"]

/** Workers, their runtimes, and the activities that they report. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE workers (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    name text NOT NULL,
    description text,
    destination text NOT NULL,
    status text NOT NULL,
    status_reason text,
    image_version text,
    workspace_path text,
    sandbox_backend text,
    last_heartbeat_at timestamptz,
    last_active_at timestamptz,
    created_by_membership_id text NOT NULL,
    created_by_user_id text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE INDEX workers_maker ON workers (organization_id, created_by_membership_id) WHERE removed_at IS NULL`,
    // For finding workers without heartbeats in all organizations.
    `CREATE INDEX workers_heard ON workers (last_heartbeat_at) WHERE status = 'healthy' AND removed_at IS NULL`,
    `CREATE INDEX workers_gone ON workers (removed_at) WHERE removed_at IS NOT NULL`,
    // One row is one runtime and its pending work. The process that holds the lease starts or stops the runtime as
    // requested.
    `CREATE TABLE worker_instances (
    organization_id text NOT NULL,
    id text NOT NULL,
    worker_id text NOT NULL,
    provider text NOT NULL,
    region text NOT NULL,
    url text,
    status text NOT NULL,
    wanted text NOT NULL,
    settled boolean NOT NULL,
    lease_id text,
    lease_until timestamptz,
    starts integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    -- The encrypted token that authenticates this server to the runtime.
    key_id text,
    nonce bytea,
    ciphertext bytea,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, worker_id) REFERENCES workers (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX worker_instances_worker ON worker_instances (organization_id, worker_id, id)`,
    `CREATE INDEX worker_instances_due ON worker_instances (region, created_at) WHERE NOT settled`,
    `CREATE INDEX worker_instances_running ON worker_instances (region) WHERE wanted = 'running'`,
    `CREATE TABLE worker_activity (
    organization_id text NOT NULL,
    id text NOT NULL,
    worker_id text NOT NULL,
    kind text NOT NULL,
    message text NOT NULL,
    session_id text,
    occurred_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, worker_id) REFERENCES workers (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE INDEX worker_activity_worker ON worker_activity (organization_id, worker_id, id)`,
    `CREATE INDEX worker_activity_age ON worker_activity (created_at)`,
    ...rowSecurity(tenantTables)
  ])
)
