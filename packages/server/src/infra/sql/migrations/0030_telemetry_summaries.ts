import * as Effect from "effect/Effect"
import { rowSecurity } from "./row-security.ts"
import { statements } from "./statements.ts"

export const tenantTables = [
  "telemetry_days",
  "telemetry_user_days",
  "telemetry_duration_days",
  "telemetry_dimensions",
  "telemetry_first_days"
]

/**
 * Sums of events by UTC day. A row with an empty dimension counts each event once; a row with a dimension counts each
 * event that had it once. Queries about users read the table with users; the other tables are much smaller.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE telemetry_days (
    organization_id text NOT NULL,
    dimension_type text NOT NULL,
    day date NOT NULL,
    dimension_value text NOT NULL,
    type text NOT NULL,
    source text NOT NULL,
    events bigint NOT NULL,
    -- Events with a success value: succeeded and failed.
    succeeded bigint NOT NULL,
    failed bigint NOT NULL,
    -- Events with a duration.
    durations bigint NOT NULL,
    duration_sum bigint NOT NULL,
    PRIMARY KEY (organization_id, dimension_type, day, dimension_value, type, source)
  ) WITH (fillfactor = 80)`,
    `CREATE TABLE telemetry_user_days (
    organization_id text NOT NULL,
    dimension_type text NOT NULL,
    day date NOT NULL,
    dimension_value text NOT NULL,
    -- Empty for events of an API key.
    user_id text NOT NULL,
    type text NOT NULL,
    source text NOT NULL,
    events bigint NOT NULL,
    succeeded bigint NOT NULL,
    failed bigint NOT NULL,
    durations bigint NOT NULL,
    duration_sum bigint NOT NULL,
    PRIMARY KEY (organization_id, dimension_type, day, dimension_value, user_id, type, source)
  ) WITH (fillfactor = 80)`,
    // Counts of durations by bucket. Durations in a bucket have the same first five binary digits.
    `CREATE TABLE telemetry_duration_days (
    organization_id text NOT NULL,
    dimension_type text NOT NULL,
    day date NOT NULL,
    dimension_value text NOT NULL,
    type text NOT NULL,
    source text NOT NULL,
    duration_from integer NOT NULL,
    durations bigint NOT NULL,
    PRIMARY KEY (organization_id, dimension_type, day, dimension_value, type, source, duration_from)
  ) WITH (fillfactor = 80)`,
    `CREATE SEQUENCE telemetry_dimension_ids`,
    `CREATE TABLE telemetry_dimensions (
    organization_id text NOT NULL,
    type text NOT NULL,
    value text NOT NULL,
    id bigint NOT NULL DEFAULT nextval('telemetry_dimension_ids'),
    -- The label of the latest event that had one.
    label text,
    label_at timestamptz,
    events bigint NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, type, value)
  )`,
    `CREATE INDEX telemetry_dimensions_id ON telemetry_dimensions (organization_id, id)`,
    // When a user was first active. Kept longer than the events.
    `CREATE TABLE telemetry_first_days (
    organization_id text NOT NULL,
    user_id text NOT NULL,
    day date NOT NULL,
    PRIMARY KEY (organization_id, user_id)
  )`,
    // A single row. Transactions before the watermark have been aggregated. The watermark moves in the same
    // transaction as the sums.
    `CREATE TABLE telemetry_summary (
    is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    watermark xid8 NOT NULL,
    -- Everything acknowledged before this time is included in the sums.
    summed_at timestamptz NOT NULL,
    -- The last ledger row from a dump of another server, whose transaction ids are not valid on this one.
    restored_upto bigint NOT NULL DEFAULT 0
  )`,
    `INSERT INTO telemetry_summary (watermark, summed_at) VALUES ('0', 'epoch')`,
    ...rowSecurity(tenantTables)
  ])
)
