import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = [
  "devices",
  "removed_devices",
  "device_reports",
  "desired_plugin_sets",
  "delivery_days",
  "release_outcomes"
]

/** The reports of devices, the plugins in the desired states that they are compared with, and daily sums. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE devices (
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    id text NOT NULL,
    -- Empty for a device of the member.
    worker_id text NOT NULL,
    agent text NOT NULL,
    client_version text,
    platform text NOT NULL,
    sequence bigint NOT NULL,
    revision bigint,
    failure text,
    -- The row of device_reports with its plugins.
    report_digest text NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, membership_id, id)
  )`,
    `CREATE INDEX devices_report ON devices (organization_id, report_digest)`,
    // The last sequences of devices that were removed or replaced, so that late reports do not restore them.
    `CREATE TABLE removed_devices (
    organization_id text NOT NULL,
    membership_id text NOT NULL,
    id text NOT NULL,
    sequence bigint NOT NULL,
    removed_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, membership_id, id)
  )`,
    `CREATE INDEX removed_devices_removed ON removed_devices (removed_at)`,
    // The plugins of reports, by their digest: most devices of an organization report the same.
    `CREATE TABLE device_reports (
    organization_id text NOT NULL,
    digest text NOT NULL,
    -- An array of ReportedPlugin, ordered by plugin.
    plugins_json jsonb NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest)
  )`,
    // The plugins that are on in desired states, by their digest.
    `CREATE TABLE desired_plugin_sets (
    organization_id text NOT NULL,
    digest text NOT NULL,
    -- An array of { pluginId, sha256, digest, version }, ordered by plugin.
    plugins_json jsonb NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest)
  )`,
    // plugins_for is the digest of the content that plugins_digest belongs to. Both are null until this version issues the state,
    // and outdated if an earlier version issues it afterwards.
    `ALTER TABLE desired_state_revisions ADD COLUMN plugins_digest text, ADD COLUMN plugins_for text`,
    `CREATE TABLE delivery_days (
    organization_id text NOT NULL,
    day date NOT NULL,
    -- Empty for the sum of all plugins, and of all releases of a plugin.
    plugin_id text NOT NULL,
    digest text NOT NULL,
    devices integer NOT NULL,
    running integer NOT NULL,
    behind integer NOT NULL,
    missing integer NOT NULL,
    failed integer NOT NULL,
    offline integer NOT NULL,
    PRIMARY KEY (organization_id, plugin_id, digest, day)
  )`,
    `CREATE INDEX delivery_days_day ON delivery_days (organization_id, day)`,
    // The first result of each member with each release.
    `CREATE TABLE release_outcomes (
    organization_id text NOT NULL,
    plugin_id text NOT NULL,
    digest text NOT NULL,
    membership_id text NOT NULL,
    is_failed boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, plugin_id, digest, membership_id)
  )`,
    `CREATE INDEX release_outcomes_created ON release_outcomes (created_at)`,
    ...rowSecurity(tenantTables)
  ])
)
