import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** Indexes for finding data that is due for purging. */
export default Effect.suspend(() =>
  statements(
    ["config_objects", "plugins", "marketplaces"].map(
      (table) => `CREATE INDEX ${table}_removed ON ${table} (deleted_at) WHERE deleted_at IS NOT NULL`
    )
  )
)
