import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** A session created with an API key is valid as long as the key may create sessions. */
export default Effect.suspend(() => statements([`ALTER TABLE sessions ADD COLUMN minted_by_key_id text`]))
