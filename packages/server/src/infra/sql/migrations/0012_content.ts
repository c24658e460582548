import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** Plugins and marketplaces can be archived. Imported content stores the reason why it is invalid for its type. */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE plugins ADD COLUMN archived_at timestamptz`,
    `ALTER TABLE marketplaces ADD COLUMN archived_at timestamptz`,
    `ALTER TABLE config_objects ADD COLUMN ingestion_error text`,
    `ALTER TABLE sync_staged ADD COLUMN ingestion_error text`
  ])
)
