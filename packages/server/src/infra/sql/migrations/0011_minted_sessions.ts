import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/** A session that a key made is good as long as the key makes sessions. */
export default Effect.suspend(() => statements([`ALTER TABLE sessions ADD COLUMN minted_by_key_id text`]))
