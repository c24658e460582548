import * as PgClient from "@effect/sql-pg/PgClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { makeTypes } from "./int8.ts"
import { withLostRollbacks } from "./lost-rollback.ts"

export interface PostgresOptions {
  readonly url: string | Redacted.Redacted
  readonly maxConnections?: number
  /** After this the server ends a statement; 0 is never. */
  readonly statementMillisMax?: number
  /** After this the server ends a transaction that says nothing; 0 is never. */
  readonly idleTransactionMillisMax?: number
}

/**
 * A PostgreSQL server. Statements outside transactions share connections and travel together;
 * a transaction, a stream and a listener have a connection to themselves.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  PgClient.layerFrom(
    Effect.map(
      PgClient.make({
        url: typeof options.url === "string" ? Redacted.make(options.url) : options.url,
        maxConnections: options.maxConnections ?? 10,
        idleTimeout: Duration.minutes(1),
        connectTimeout: Duration.seconds(5),
        keepAlive: Duration.seconds(30),
        applicationName: "orgplane",
        types: makeTypes(),
        multiplex: true,
        // A shared connection cannot cancel one statement among several, so the server bounds each.
        startupParameters: {
          TimeZone: "UTC",
          statement_timeout: String(options.statementMillisMax ?? 60_000),
          idle_in_transaction_session_timeout: String(options.idleTransactionMillisMax ?? 60_000)
        }
      }),
      withLostRollbacks
    )
  )
