import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** Answers `taken` where a statement would have written a second row of what is unique; the transaction is over then. */
export const whenTaken =
  <E2>(taken: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, E | E2 | SqlError, R> =>
    Effect.catchTag(effect as Effect.Effect<A, SqlError, R>, "SqlError", (error) =>
      Effect.fail<E2 | SqlError>(error.reason._tag === "UniqueViolation" ? taken() : error)
    )
