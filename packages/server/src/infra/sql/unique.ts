import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** Maps a unique violation to the error from `taken`. At that point, the transaction has already failed. */
export const whenTaken =
  <E2>(taken: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, E | E2 | SqlError, R> =>
    Effect.catchTag(effect as Effect.Effect<A, SqlError, R>, "SqlError", (error) =>
      Effect.fail<E2 | SqlError>(error.reason._tag === "UniqueViolation" ? taken() : error)
    )
