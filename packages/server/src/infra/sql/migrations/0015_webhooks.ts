import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["webhook_deliveries"]

/** Webhook deliveries, and the state that reconciliation needs to detect missed deliveries. */
export default Effect.suspend(() =>
  statements([
    // The deliveries that were processed, so that a repeated delivery is a no-op. A delivery has no organization
    // until it is verified.
    `CREATE TABLE webhook_receipts (
    delivery_id text NOT NULL,
    event text NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (delivery_id, event)
  )`,
    `CREATE INDEX webhook_receipts_age ON webhook_receipts (received_at)`,
    // One row for each organization that a delivery affected, with the stored fields of the payload.
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
    // For finding the connector instances of a repository in all organizations.
    `CREATE INDEX connector_instances_remote ON connector_instances (lower(remote_id)) WHERE removed_at IS NULL`,
    // The time of the host's latest event about a repository, by the host's clock. Events that were sent earlier are
    // ignored.
    `ALTER TABLE connector_instances ADD COLUMN remote_state text, ADD COLUMN remote_seen_at timestamptz`,
    // A delay that a host requests applies to the whole branch. The reconciler processes the branches that are due.
    `ALTER TABLE connector_targets
    ADD COLUMN paused_until timestamptz, ADD COLUMN reconcile_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'`,
    `CREATE INDEX connector_targets_due ON connector_targets (reconcile_at) WHERE removed_at IS NULL`,
    // Delays that a host requested are counted separately from failed attempts.
    `ALTER TABLE sync_events ADD COLUMN pauses integer NOT NULL DEFAULT 0`
  ])
)
