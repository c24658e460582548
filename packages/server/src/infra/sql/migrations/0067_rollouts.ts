import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["rollout_settings", "rollouts", "rollout_rings", "rollout_steps", "release_uses"]

/** Rollouts of approved releases, ring by ring. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE rollout_settings (
    organization_id text PRIMARY KEY REFERENCES organizations (id),
    rings_json jsonb NOT NULL,
    thresholds_json jsonb NOT NULL,
    freezes_json jsonb NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
    `CREATE TABLE rollouts (
    organization_id text NOT NULL,
    id text NOT NULL,
    plugin_id text NOT NULL,
    -- Ascending for each plugin. IDs contain the time of a server, whose clock can be wrong.
    number integer NOT NULL,
    release_id text NOT NULL,
    -- Null if nothing was served before.
    previous_release_id text,
    state text NOT NULL,
    -- The number of rings that have the release. After the last ring, all members have it, and it is served.
    reached integer NOT NULL,
    ring_count integer NOT NULL,
    -- Whether the rings that it reached receive its release, unless a newer rollout reached them, too.
    delivers boolean NOT NULL,
    starts_at timestamptz,
    -- When the soak time of the current ring started.
    soaks_from timestamptz,
    pause_reason text,
    comment text,
    is_emergency boolean NOT NULL DEFAULT false,
    -- Results before this time do not pause it: they were known when it was resumed.
    counts_from timestamptz NOT NULL,
    -- The results with the previous release when the rollout was created.
    baseline_json jsonb NOT NULL,
    checked_at timestamptz,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX rollouts_open ON rollouts (organization_id, plugin_id)
    WHERE state IN ('scheduled', 'active', 'paused')`,
    `CREATE INDEX rollouts_delivers ON rollouts (organization_id, plugin_id) WHERE delivers`,
    `CREATE UNIQUE INDEX rollouts_number ON rollouts (organization_id, plugin_id, number)`,
    `CREATE INDEX rollouts_due ON rollouts (checked_at) WHERE state IN ('scheduled', 'active', 'paused')`,
    `CREATE TABLE rollout_rings (
    organization_id text NOT NULL,
    rollout_id text NOT NULL,
    position integer NOT NULL,
    name text NOT NULL,
    percent integer NOT NULL,
    members_json jsonb NOT NULL,
    teams_json jsonb NOT NULL,
    soak_minutes integer NOT NULL,
    promotion text NOT NULL,
    started_at timestamptz,
    PRIMARY KEY (organization_id, rollout_id, position),
    FOREIGN KEY (organization_id, rollout_id) REFERENCES rollouts (organization_id, id) ON DELETE CASCADE
  )`,
    `CREATE TABLE rollout_steps (
    organization_id text NOT NULL,
    rollout_id text NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    step text NOT NULL,
    ring text,
    reason text,
    by_membership_id text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, rollout_id, id),
    FOREIGN KEY (organization_id, rollout_id) REFERENCES rollouts (organization_id, id) ON DELETE CASCADE
  )`,
    // The first result of each user with each release, from telemetry events.
    `CREATE TABLE release_uses (
    organization_id text NOT NULL,
    digest text NOT NULL,
    user_id text NOT NULL,
    is_failed boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest, user_id)
  )`,
    `CREATE INDEX release_uses_created ON release_uses (created_at)`,
    // When the release was withdrawn. It is not approved again without an approver.
    `ALTER TABLE plugin_releases ADD COLUMN withdrawn_at timestamptz`,
    ...rowSecurity(tenantTables)
  ])
)
