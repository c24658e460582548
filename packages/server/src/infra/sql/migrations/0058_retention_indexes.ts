import * as Effect from "effect/Effect"
import { createIndex, type Index, online } from "./online.ts"

const removed = (table: string): Index => ({
  name: `${table}_removed_at`,
  table,
  definition: "(removed_at) WHERE removed_at IS NOT NULL"
})

/** Indexes for the rows that housekeeping deletes, in tables with more rows than organizations have members. */
export default online(
  Effect.forEach(
    [
      removed("plugin_memberships"),
      removed("marketplace_memberships"),
      removed("connector_mappings"),
      // The newest syncs of each branch.
      {
        name: "sync_events_target",
        table: "sync_events",
        definition: "(organization_id, connector_target_id, id) WHERE ended_at IS NOT NULL"
      }
    ],
    createIndex,
    { discard: true }
  )
)
