import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["webhook_deliveries"]

/** What the code host tells, and what a sync must know to keep in step without being told. */
export default Effect.suspend(() =>
  statements([
    // Which deliveries were acted upon: one that comes again does nothing. Before it is verified whose it is nobody knows.
    `CREATE TABLE webhook_receipts (
    delivery_id text NOT NULL,
    event text NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (delivery_id, event)
  )`,
    `CREATE INDEX webhook_receipts_age ON webhook_receipts (received_at)`,
    // One row for each organization that a delivery concerned, with the members that were kept of it.
    `CREATE TABLE webhook_deliveries (
    organization_id text NOT NULL REFERENCES organizations (id),
    id text NOT NULL,
    delivery_id text NOT NULL,
    event text NOT NULL,
    status text NOT NULL,
    reason text,
    facts_json jsonb NOT NULL,
    connector_instance_ids jsonb NOT NULL,
    sync_event_ids jsonb NOT NULL,
    redelivery_count integer NOT NULL DEFAULT 0,
    received_at timestamptz NOT NULL,
    acted_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
  )`,
    `CREATE UNIQUE INDEX webhook_deliveries_sent ON webhook_deliveries (organization_id, delivery_id, event)`,
    `CREATE INDEX webhook_deliveries_age ON webhook_deliveries (received_at)`,
    ...rowSecurity(tenantTables),
    // Who follows a repository, over all organizations.
    `CREATE INDEX connector_instances_remote ON connector_instances (lower(remote_id)) WHERE removed_at IS NULL`,
    // What the host said of a repository last, by its own clock: what was sent earlier and comes later changes nothing.
    `ALTER TABLE connector_instances ADD COLUMN remote_state text, ADD COLUMN remote_seen_at timestamptz`,
    // A host that asks for patience gets it for the whole branch; a reconciler takes the branches that are due.
    `ALTER TABLE connector_targets
    ADD COLUMN paused_until timestamptz, ADD COLUMN reconcile_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'`,
    `CREATE INDEX connector_targets_due ON connector_targets (reconcile_at) WHERE removed_at IS NULL`,
    // Waits that a host asked for are counted apart from attempts that failed.
    `ALTER TABLE sync_events ADD COLUMN pauses integer NOT NULL DEFAULT 0`
  ])
)
