import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * Audit events are read by organization, newest first. With an index on the ID alone, PostgreSQL read the newest events
 * of all organizations until it had a page of one: slow while another organization is busy. IDs are unique because they
 * are random.
 */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE audit_events DROP CONSTRAINT audit_events_pkey`,
    // Logical replication identifies rows by their primary key otherwise.
    `ALTER TABLE audit_events REPLICA IDENTITY FULL`
  ])
)
