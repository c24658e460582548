import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import type { Row } from "../../identity/users/memories-repo.ts"
import type { QueryWord } from "./question.ts"
import type { Bank } from "./repo.ts"
import { scoreSteps } from "./score.ts"
import { listEntries, listRanked } from "./search-repo.ts"

export interface ScoredRow extends Row {
  readonly score: number
}

/** The memories that match a query, best first. */
export const search = Effect.fnUntraced(function* (
  sql: Sql,
  bank: Bank,
  words: ReadonlyArray<QueryWord>,
  limit: number
) {
  const entries = yield* listEntries(sql, bank, words)
  const scored = yield* inTimeSlices(scoreSteps(words, entries, limit))
  if (scored.length === 0) return []
  const scores = new Map(scored.map(({ number, score }) => [number, score]))
  const rows = yield* listRanked(sql, bank, scored, limit)
  return rows.map((row): ScoredRow => ({ ...row, score: scores.get(row.number) ?? 0 }))
})
