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

export type Ask = <A extends object>(statement: string) => Promise<ReadonlyArray<A>>

/** Several statements over one connection of their own: a transaction that stays open while something else goes on. */
export const inSession = <A>(url: string, use: (ask: Ask) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) =>
        Effect.promise(() =>
          use(
            async <Row extends object>(statement: string) =>
              (await Effect.runPromise(connection.query(statement, [], false))).rows as ReadonlyArray<Row>
          )
        )
      )
    )
  )
