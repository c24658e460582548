import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** Keys with which others verify the signatures of this installation. The private keys are encrypted. */
export default Effect.suspend(() =>
  statements([
    `CREATE TABLE signing_keys (
    id text PRIMARY KEY,
    public_jwk jsonb NOT NULL,
    key_id text NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL,
    retired_at timestamptz
  )`,
    `ALTER TABLE user_subjects ADD COLUMN email text`
  ])
)
