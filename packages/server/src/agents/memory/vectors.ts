/**
 * Text vectors: creation, storage and comparison. All of it happens here, so that both engines give the same results.
 */
import * as Effect from "effect/Effect"
import { type Embedder, EmbedderFailed } from "../../infra/ports/embedder.ts"
import type { Steps } from "../../infra/time-slices.ts"

const textLengthMax = 8000
const dimensionsMax = 4096

/** The text of a vector: content, tags and snippets, up to a maximum length. */
export const textOf = (memory: {
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly snippets: ReadonlyArray<string>
}): string => {
  const text = [memory.content, memory.tags.join(", "), ...memory.snippets].filter((part) => part !== "").join("\n")
  return Array.from(text.slice(0, 2 * textLengthMax))
    .slice(0, textLengthMax)
    .join("")
    .toWellFormed()
}

const unitOf = (vector: Float32Array): Float32Array | undefined => {
  let sum = 0
  for (const number of vector) sum += number * number
  if (!Number.isFinite(sum)) return undefined
  const length = Math.sqrt(sum)
  return length === 0 ? vector : vector.map((number) => number / length)
}

/** Requests vectors and validates them, since any embedder may be plugged in. */
export const vectorsOf = Effect.fnUntraced(function* (embedder: Embedder["Service"], texts: ReadonlyArray<string>) {
  const invalidVectors = () =>
    new EmbedderFailed({
      code: "unavailable",
      message: "The embedder did not return one vector of equal dimension per text."
    })
  const vectors = yield* embedder.embed(texts).pipe(Effect.catchDefect(() => Effect.fail(invalidVectors())))
  const dimensions = vectors[0]?.length ?? 0
  const units = vectors.flatMap((vector) => unitOf(vector) ?? [])
  const isWhole =
    units.length === texts.length &&
    dimensions >= 1 &&
    dimensions <= dimensionsMax &&
    units.every(({ length }) => length === dimensions)
  return isWhole ? units : yield* invalidVectors()
})

/** The stored form: four bytes per number, little-endian. */
export const bytesOf = (vector: Float32Array): Uint8Array => {
  const bytes = new Uint8Array(4 * vector.length)
  const view = new DataView(bytes.buffer)
  for (const [at, number] of vector.entries()) view.setFloat32(4 * at, number, true)
  return bytes
}

/** The cosine similarity of two unit vectors, one of them in stored form. */
const cosine = (vector: Float32Array, stored: Uint8Array): number => {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  let sum = 0
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) * view.getFloat32(4 * at, true)
  return sum
}

const roundOf = (score: number) => Math.round(score * 1_000_000) / 1_000_000

/** Similarity up to this value is noise; the weight keeps semantic matches below exact text matches. */
const similarityMin = 0.35
const weight = 0.9

const scoreOf = (similarity: number): number =>
  roundOf(weight * Math.min(1, Math.max(0, (similarity - similarityMin) / (1 - similarityMin))))

/** A memory with its score. */
export interface RankedMemory {
  readonly id: string
  readonly createdAt: number
  readonly score: number
}

export const similaritySteps = function* (
  queryVector: Float32Array,
  rows: ReadonlyArray<{ readonly id: string; readonly created_at: Date; readonly embedding: Uint8Array }>
): Steps<ReadonlyArray<RankedMemory>> {
  const matches: Array<RankedMemory> = []
  for (const { created_at: at, embedding, id } of rows) {
    // A vector that was just replaced may have another dimension.
    const score = embedding.byteLength === queryVector.byteLength ? scoreOf(cosine(queryVector, embedding)) : 0
    if (score > 0) matches.push({ id, createdAt: at.getTime(), score })
    yield
  }
  return matches
}

/** The minimum score of a memory that matches only by meaning. */
const semanticScoreMin = 0.25

/** Merges text and semantic matches into one ranking, best first. */
export const mergeRankings = (
  textMatches: ReadonlyArray<RankedMemory>,
  vectorMatches: ReadonlyArray<RankedMemory>,
  limit: number
): ReadonlyArray<RankedMemory> => {
  const textMatchById = new Map(textMatches.map((match) => [match.id, match]))
  const scoreById = new Map(vectorMatches.map(({ id, score }) => [id, score]))
  return [
    ...textMatches.map((match) => ({ ...match, score: Math.max(match.score, scoreById.get(match.id) ?? 0) })),
    ...vectorMatches.filter(({ id, score }) => score >= semanticScoreMin && !textMatchById.has(id))
  ]
    .filter(({ score }) => score > 0)
    .toSorted(
      (left, right) =>
        right.score - left.score ||
        right.createdAt - left.createdAt ||
        (left.id < right.id ? 1 : left.id > right.id ? -1 : 0)
    )
    .slice(0, limit)
}
