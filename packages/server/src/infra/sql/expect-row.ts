import * as Effect from "effect/Effect"

/**
 * A row that must exist, because this transaction wrote or locked it, or because its statement always returns one. A
 * missing row is a defect.
 */
export const expectRow = <A>(row: A | null | undefined, what: string): Effect.Effect<A> =>
  row === undefined || row === null
    ? Effect.die(new Error(`The database returned no row for the ${what}.`))
    : Effect.succeed(row)
