import * as PgClient from "@effect/sql-pg/PgClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { makeTypes } from "./int8.ts"
import { withLostRollbacks } from "./lost-rollback.ts"

export interface PostgresOptions {
  readonly url: string | Redacted.Redacted
  /** Of which at most three are for statements outside transactions; two at least. */
  readonly maxConnections?: number
  /** After this the server ends a statement; 0 is never. */
  readonly statementMillisMax?: number
  /** After this the server ends a transaction that says nothing; 0 is never. */
  readonly idleTransactionMillisMax?: number
}

const configOf = (options: PostgresOptions) => ({
  url: typeof options.url === "string" ? Redacted.make(options.url) : options.url,
  idleTimeout: Duration.minutes(1),
  connectTimeout: Duration.seconds(5),
  keepAlive: Duration.seconds(30),
  applicationName: "orgplane",
  types: makeTypes(),
  // A shared connection cannot cancel one statement among several, so the server bounds each.
  startupParameters: {
    TimeZone: "UTC",
    statement_timeout: String(options.statementMillisMax ?? 60_000),
    idle_in_transaction_session_timeout: String(options.idleTransactionMillisMax ?? 60_000)
  }
})

/**
 * Two pools behind one client. In a single pool a transaction takes over a shared connection, and a statement that was
 * given that same connection a moment before waits until the transaction ends: for ever, when the transaction waits
 * for that statement.
 */
const make = Effect.fnUntraced(function* (options: PostgresOptions) {
  const maxConnections = Math.max(2, options.maxConnections ?? 10)
  const sharedMax = Math.min(3, Math.floor(maxConnections / 2))
  const config = configOf(options)
  const shared = yield* PgClient.make({ ...config, multiplex: true, maxConnections: sharedMax })
  const own = yield* PgClient.make({ ...config, maxConnections: maxConnections - sharedMax })

  /** The other client's transaction, made known to the statements of this one. */
  const withTransaction: PgClient.PgClient["withTransaction"] = (effect) =>
    own.withTransaction(
      Effect.flatMap(Effect.serviceOption(own.transactionService), (level) =>
        Option.isSome(level) ? Effect.provideService(effect, shared.transactionService, level.value) : effect
      )
    )
  return withLostRollbacks(Object.assign(shared, { withTransaction, reserve: own.reserve, listen: own.listen }))
})

/**
 * A PostgreSQL server. Statements outside transactions share few connections and travel together; a transaction has a
 * connection to itself. So has a stream, but outside a transaction it takes a shared one: long ones belong in one.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> => PgClient.layerFrom(make(options))
