import * as Effect from "effect/Effect"
import { endReleases } from "../release-checks.ts"
import { statements } from "./statements.ts"

/** Releases that assignments pin: the digests of their archives, and their contents after the plugin was removed. */
export default Effect.suspend(() =>
  statements([
    // By format: the fingerprint, the SHA-256 and the size of the archive. A plugin can deliver several releases at once.
    `ALTER TABLE plugin_releases ADD COLUMN archives_json jsonb`,
    `CREATE OR REPLACE ${endReleases}`
  ])
)
