/** What a question finds besides its words: memories that mean the same. */
import * as Effect from "effect/Effect"
import type { Embedder } from "../../infra/ports/embedder.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { listByIds, listComparable, listVectors } from "./meaning-repo.ts"
import type { Row } from "../../identity/users/memories-repo.ts"
import type { Bank } from "./repo.ts"
import type { FoundRow } from "./search-repo.ts"
import { mixed, type Near, nearSteps, vectorsOf } from "./vectors.ts"

const waitLimit = "2 seconds"
/** Vectors read at once, about so many bytes of them, and for one question. */
const [rowsMax, bytesAtOnce, vectorsMax] = [256, 1_048_576, 10_000]

/** The question's vector; without one the words alone rank. */
const askedOf = (embedder: Embedder["Service"], q: string) =>
  vectorsOf(embedder, [q]).pipe(
    Effect.timeoutOption(waitLimit),
    Effect.map((responded) => (responded._tag === "Some" ? responded.value[0] : undefined)),
    Effect.catchTag("EmbedderFailed", ({ message }) =>
      Effect.as(Effect.logWarning(`A question to memory was ranked by its words alone. ${message}`), undefined)
    )
  )

const nearest = Effect.fnUntraced(function* (sql: Sql, bank: Bank, model: string, asked: Float32Array) {
  const near: Array<Near> = []
  const rows = yield* listComparable(sql, bank, { model, bytes: asked.byteLength }, vectorsMax)
  const rowsAtOnce = Math.min(rowsMax, Math.ceil(bytesAtOnce / asked.byteLength))
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    const ids = rows.slice(at, at + rowsAtOnce).map(({ id }) => id)
    const vectors = yield* listVectors(sql, bank, ids)
    for (const one of yield* inTimeSlices(nearSteps(asked, vectors))) near.push(one)
  }
  return near
})

/** Mixes into what the words find what means the same; `byWords` is exactly that when no vector can be had. */
export const withMeaning = Effect.fnUntraced(function* <E, R>(
  sql: Sql,
  embedder: Embedder["Service"],
  question: { readonly q: string; readonly bank: Bank; readonly limit: number },
  byWords: Effect.Effect<ReadonlyArray<FoundRow>, E, R>
) {
  const { bank, limit, q } = question
  const [found, asked] = yield* Effect.all([byWords, askedOf(embedder, q)], { concurrency: 2 })
  if (asked === undefined) return found
  const near = yield* nearest(sql, bank, embedder.model, asked)
  const words = found.map(({ created_at: at, id, score }) => ({ id, createdAt: at.getTime(), score }))
  const best = mixed(words, near, limit)
  const known = new Map<string, Row>(found.map((row) => [row.id, row]))
  const others = best.map(({ id }) => id).filter((id) => !known.has(id))
  if (others.length > 0) for (const row of yield* listByIds(sql, bank, others)) known.set(row.id, row)
  return best.flatMap(({ id, score }): ReadonlyArray<FoundRow> => {
    const row = known.get(id)
    return row === undefined ? [] : [{ ...row, score }]
  })
})
