import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** A known text, encrypted with the newest secret key. Startup fails if the keys cannot decrypt it. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE secret_canary (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    sealed_at timestamptz NOT NULL
  )`
  ])
)
