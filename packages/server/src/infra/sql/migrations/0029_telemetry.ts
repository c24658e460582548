import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = ["telemetry_events", "telemetry_ledger"]

/**
 * Telemetry events, and the result of each ingest request. Both are partitioned by time.
 * `telemetry/partitions-repo.ts` creates and drops the partitions, so that expired rows are deleted with whole
 * tables.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE telemetry_events (
    organization_id text NOT NULL,
    -- By the sender's clock, in milliseconds.
    occurred_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    type text NOT NULL,
    source text NOT NULL,
    -- For a worker, the member it works for. For an API key, both are null.
    user_id text,
    membership_id text,
    worker_id text,
    key_id text,
    session_id text,
    duration_ms integer,
    success boolean,
    -- Null for none: [{ type, value, label, metadata }], each member only where it was sent.
    dimensions_json jsonb,
    -- The sender's id of the event. With the timestamp, it identifies a retry.
    event_id text,
    -- The row of the ledger that counts it.
    ledger_id bigint NOT NULL,
    -- For finding the rows written since the last summary, regardless of the commit order.
    written_in xid8 NOT NULL DEFAULT pg_current_xact_id()
  ) PARTITION BY RANGE (occurred_at)`,
    // An id is unique per sender: the same id from another member or organization is a different event.
    `CREATE UNIQUE INDEX telemetry_events_once ON telemetry_events
    (organization_id, (coalesce(worker_id, key_id, membership_id)), event_id, occurred_at) WHERE event_id IS NOT NULL`,
    `CREATE INDEX telemetry_events_time ON telemetry_events (organization_id, occurred_at)`,
    // Rows of one transaction are adjacent, so the index stays small and grows at one end.
    `CREATE INDEX telemetry_events_written ON telemetry_events (written_in)`,
    `CREATE SEQUENCE telemetry_ledger_ids`,
    `CREATE TABLE telemetry_ledger (
    organization_id text NOT NULL,
    id bigint NOT NULL DEFAULT nextval('telemetry_ledger_ids'),
    request_id text NOT NULL,
    received_at timestamptz NOT NULL,
    user_id text,
    membership_id text,
    worker_id text,
    key_id text,
    sent integer NOT NULL,
    accepted integer NOT NULL,
    duplicate integer NOT NULL,
    dropped integer NOT NULL,
    fields_removed integer NOT NULL,
    -- The number of dropped events and removed fields by reason; null if there are none.
    reasons_json jsonb,
    written_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (organization_id, id, received_at)
  ) PARTITION BY RANGE (received_at)`,
    `CREATE INDEX telemetry_ledger_request ON telemetry_ledger (organization_id, request_id)`,
    ...rowSecurity(tenantTables)
  ])
)
