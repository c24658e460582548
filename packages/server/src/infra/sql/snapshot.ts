import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Sql } from "./client.ts"

/** Runs reads in one transaction whose statements all see the same state of the database. */
export const inSnapshot = <A, E, R>(sql: Sql, reads: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  sql.withTransaction(Effect.andThen(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`, reads))
