import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

const rowsMax = 500

/** All rows of a list that is ordered by ID, newest first. */
export const readPages = <Row extends { readonly id: string }>(
  read: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<Row>, SqlError>
): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    for (;;) {
      const page = yield* read(rows.at(-1)?.id ?? null, rowsMax)
      rows.push(...page)
      if (page.length < rowsMax) return rows
    }
  })
