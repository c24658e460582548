import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { isTraced } from "./is-traced.ts"
import type { Sql } from "./client.ts"
import { OwnConnection } from "./own-connections.ts"
import type { PreparedStatement } from "./read.ts"

/**
 * Sends a statement whose result does not matter together with the next statement of the current transaction, which
 * saves a round trip. If it fails, the next statement fails with its error, and the transaction is rolled back. So do
 * not use it for a statement with an error that the caller handles. On the embedded database, and outside transactions,
 * it runs at once.
 */
export const deferStatement = (sql: Sql, { text, values }: PreparedStatement): Effect.Effect<void, SqlError> =>
  Effect.withFiber((fiber) => {
    const [connection] = Context.getOrUndefined(fiber.context, sql.transactionService) ?? []
    if (!(connection instanceof OwnConnection)) return Effect.asVoid(sql.unsafe(text, values))
    connection.defer(text, values)
    return Effect.void
  })

/**
 * Runs the last statement of the current transaction, and commits with it, which saves a round trip. `statement` must
 * run exactly one statement, and must not fail after it. It is not interruptible, because the change may be committed
 * before its result arrives. In a nested transaction, in a traced one, and on the embedded database, only the statement
 * is sent.
 */
export const commitWith = <A, E, R>(sql: Sql, statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const [connection, depth] = Context.getOrUndefined(fiber.context, sql.transactionService) ?? []
    if (!(connection instanceof OwnConnection) || depth !== 0 || isTraced(fiber)) return statement
    connection.commitWithNext()
    return Effect.uninterruptible(Effect.onExit(statement, () => Effect.sync(() => connection.commitSeparately())))
  })
