import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Runs one statement over a separate connection, for statements that no pool can run, such as CREATE DATABASE. */
/** Statements name our tables without the schema. */
const ownTables = "SET search_path = orgplane, public"

export const execute = (url: string, statement: string): Promise<PgConnection.Result> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) =>
        Effect.andThen(connection.query(ownTables, [], false), connection.query(statement, [], false))
      )
    )
  )

export type Ask = <A extends object>(statement: string) => Promise<ReadonlyArray<A>>

/** Runs several statements over one separate connection, such as a transaction that stays open during other work. */
export const inSession = <A>(url: string, use: (ask: Ask) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) =>
        Effect.andThen(
          connection.query(ownTables, [], false),
          Effect.promise(() =>
            use(
              async <Row extends object>(statement: string) =>
                (await Effect.runPromise(connection.query(statement, [], false))).rows as ReadonlyArray<Row>
            )
          )
        )
      )
    )
  )
