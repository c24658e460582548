import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { endpointOf } from "./await-postgres.ts"
import { SqlDatabase } from "./client.ts"

/** What to do when a connection pooler assigns a session to each transaction. */
export const poolerFix = "Connect to PostgreSQL directly, or set pool_mode = session in PgBouncer."

/** The fix when a pooler rejects the parameters with which a connection starts. */
export const poolerParametersFix =
  "Connect to PostgreSQL directly, or configure PgBouncer with pool_mode = session and " +
  "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout."

/** A connection pooler between the server and PostgreSQL shares sessions between clients. */
export class SessionsShared extends Data.TaggedError("SessionsShared")<{ readonly message: string }> {}

/**
 * Fails if a pooler gives this process's connections the same session. Notifications, advisory locks and prepared
 * statements belong to a session, so they would be lost without an error.
 */
export const demandSessions = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const [own] = yield* sql<{
      mark: string
    }>`SELECT set_config('orgplane.session', gen_random_uuid()::text, false) AS mark`
    // A transaction has a connection of its own, so it sees the mark only in a shared session.
    const [seen] = yield* sql.withTransaction(
      sql<{ mark: string | null }>`SELECT current_setting('orgplane.session', true) AS mark`
    )
    if (seen?.mark !== own?.mark) return
    return yield* new SessionsShared({
      message: `A connection pooler at ${endpointOf(url)} shares sessions between transactions. ${poolerFix}`
    })
  })
