import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Runs data definition in order; the driver takes one statement at a time. */
export const statements = (texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
  })
