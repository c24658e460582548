import { releaseFunctions } from "./release-checks.ts"
import { storageFunctions } from "./storage-counter.ts"
import { sharedTables, tenantTables } from "./migrations/index.ts"
import type { SchemaObjects } from "./qualify.ts"

/** Everything that the migrations create, except indexes and constraints. */
export const objects: SchemaObjects = {
  names: new Set([
    ...tenantTables,
    ...sharedTables,
    "effect_queue_migrations",
    "audit_positions",
    "telemetry_ledger_ids",
    "telemetry_dimension_ids",
    "audit_events_are_kept",
    ...Object.keys(storageFunctions),
    ...Object.keys(releaseFunctions)
  ]),
  numbered: ["telemetry_events_", "telemetry_ledger_"]
}
