import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { makeFairQueue } from "./fair-queue.ts"
import { objects } from "./objects.ts"
import { makeCompiler } from "./schema.ts"
import { measuredBy } from "./usage.ts"

/**
 * Two statements: one runs while the other's message is in transit, and a transaction that waits for a statement on
 * another connection can still be detected and ended. A statement therefore waits for at most two statements of other
 * organizations.
 */
const width = 2
const waitingMax = 256
const waitingTotalMax = 4096

/** COMMIT of a failed transaction returns ROLLBACK. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as { readonly command?: string }).command !== "ROLLBACK") return Effect.void
    const message = "COMMIT rolled back an aborted transaction"
    const reason = new UnknownError({ cause: new Error(message), message, operation: "commit" })
    return Effect.fail(new SqlError({ reason }))
  })

/** The client; organizations share the single backend fairly. */
export const withFairTurns = Effect.fnUntraced(function* (pool: PgClient.PgClient) {
  const queue = makeFairQueue({ width, waitingMax, waitingTotalMax })
  const acquirer = Effect.andThen(queue.place, pool.reserve)
  const { compiler, register } = makeCompiler(objects)
  const client = yield* SqlClient.make({
    acquirer,
    borrower: (use) => queue.within(Effect.scoped(Effect.flatMap(pool.reserve, use))),
    transactionAcquirer: acquirer,
    compiler,
    driver: "pg",
    spanAttributes: [
      ["db.system.name", "postgresql"],
      ["db.namespace", "postgres"]
    ],
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const { config, json, listen, notify } = pool
  const pgClient: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json,
    listen,
    notify
  })
  const registered = register(pgClient)
  measuredBy(registered, () => {
    const { granted, refused, running, waiting } = queue.usage()
    return {
      inUse: running,
      idle: width - running,
      max: width,
      waiting,
      timeouts: refused,
      statements: granted,
      errors: 0
    }
  })
  return registered
})
