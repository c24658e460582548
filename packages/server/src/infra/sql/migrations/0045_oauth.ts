import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * Step-up of OAuth credentials: the scopes that the last sign-in requested, and those that the server has required
 * since with 403 `insufficient_scope`, which the next sign-in requests too.
 */
export default Effect.suspend(() =>
  statements([
    `ALTER TABLE oauth_credentials ADD COLUMN requested_scopes_json jsonb NOT NULL DEFAULT '[]'`,
    `ALTER TABLE oauth_credentials ADD COLUMN demanded_scopes_json jsonb NOT NULL DEFAULT '[]'`
  ])
)
