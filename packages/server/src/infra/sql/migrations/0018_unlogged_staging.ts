import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * What is staged is written twice anyway, and a sync that lost it begins anew: so it need not survive a crash of the
 * database, nor be sent to its replicas.
 */
export default Effect.suspend(() => statements([`ALTER TABLE sync_staged SET UNLOGGED`]))
