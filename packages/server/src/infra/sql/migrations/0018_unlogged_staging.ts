import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * Staged content is temporary, and a sync that loses it starts again. So it need not survive a crash of the database
 * or be sent to replicas.
 */
export default Effect.suspend(() => statements([`ALTER TABLE sync_staged SET UNLOGGED`]))
