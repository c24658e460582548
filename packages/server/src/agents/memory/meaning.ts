/** Semantic search: memories with a similar meaning, in addition to text matches. */
import * as Effect from "effect/Effect"
import type { Embedder } from "../../infra/ports/embedder.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { listByIds, listComparable, listVectors } from "./meaning-repo.ts"
import type { Row } from "../../identity/users/memories-repo.ts"
import type { Bank } from "./repo.ts"
import type { ScoredRow } from "./search.ts"
import { mergeRankings, type RankedMemory, similaritySteps, vectorsOf } from "./vectors.ts"

const waitLimit = "2 seconds"
/** The maximum rows and approximate bytes of vectors read at once, and the maximum vectors per query. */
const [rowsMax, batchBytes, vectorsMax] = [256, 1_048_576, 10_000]

/** The query vector; undefined if it cannot be created. Results are then ranked by text matches only. */
const queryVectorOf = (embedder: Embedder["Service"], q: string) =>
  vectorsOf(embedder, [q]).pipe(
    Effect.timeoutOption(waitLimit),
    Effect.map((responded) => (responded._tag === "Some" ? responded.value[0] : undefined)),
    Effect.catchTag("EmbedderFailed", ({ message }) =>
      Effect.as(
        Effect.logWarning(
          `A memory search was ranked by text only, because its query vector could not be created. ${message}`
        ),
        undefined
      )
    )
  )

const nearest = Effect.fnUntraced(function* (sql: Sql, bank: Bank, model: string, queryVector: Float32Array) {
  const vectorMatches: Array<RankedMemory> = []
  const rows = yield* listComparable(sql, bank, { model, bytes: queryVector.byteLength }, vectorsMax)
  const batchRows = Math.min(rowsMax, Math.ceil(batchBytes / queryVector.byteLength))
  for (let at = 0; at < rows.length; at += batchRows) {
    const ids = rows.slice(at, at + batchRows).map(({ id }) => id)
    const vectors = yield* listVectors(sql, bank, ids)
    for (const match of yield* inTimeSlices(similaritySteps(queryVector, vectors))) vectorMatches.push(match)
  }
  return vectorMatches
})

/** Merges semantic matches into the text matches; without a query vector the result is exactly `byText`. */
export const withMeaning = Effect.fnUntraced(function* <E, R>(
  sql: Sql,
  embedder: Embedder["Service"],
  query: { readonly q: string; readonly bank: Bank; readonly limit: number },
  byText: Effect.Effect<ReadonlyArray<ScoredRow>, E, R>
) {
  const { bank, limit, q } = query
  const [textMatches, queryVector] = yield* Effect.all([byText, queryVectorOf(embedder, q)], { concurrency: 2 })
  if (queryVector === undefined) return textMatches
  const vectorMatches = yield* nearest(sql, bank, embedder.model, queryVector)
  const textRanking = textMatches.map(({ created_at: at, id, score }) => ({ id, createdAt: at.getTime(), score }))
  const best = mergeRankings(textRanking, vectorMatches, limit)
  const rowsById = new Map<string, Row>(textMatches.map((row) => [row.id, row]))
  const missingIds = best.map(({ id }) => id).filter((id) => !rowsById.has(id))
  if (missingIds.length > 0) for (const row of yield* listByIds(sql, bank, missingIds)) rowsById.set(row.id, row)
  return best.flatMap(({ id, score }): ReadonlyArray<ScoredRow> => {
    const row = rowsById.get(id)
    return row === undefined ? [] : [{ ...row, score }]
  })
})
