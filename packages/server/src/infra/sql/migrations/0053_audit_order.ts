import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * Audit events are read by organization, newest first. If there is an index on the ID alone, PostgreSQL can choose to
 * read the newest events of all organizations until it has a page of one, which is slow while another organization is
 * busy. IDs are unique because they are random. Without the index, statements must not search for an ID alone.
 */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE audit_events DROP CONSTRAINT audit_events_pkey`,
    // Logical replication identifies rows by their primary key otherwise.
    `ALTER TABLE audit_events REPLICA IDENTITY FULL`
  ])
)
