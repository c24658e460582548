import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** One statement over a connection of its own: for what no pool may hold, such as making a database. */
export const execute = (url: string, statement: string): Promise<PgConnection.Result> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) =>
        connection.query(statement, [], false)
      )
    )
  )
