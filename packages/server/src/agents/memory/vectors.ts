/** Texts as vectors: how they are made, kept and compared. The same on both engines, for all of it happens here. */
import * as Effect from "effect/Effect"
import { type Embedder, EmbedderFailed } from "../../infra/ports/embedder.ts"
import type { Steps } from "../../infra/time-slices.ts"

const textLengthMax = 8000
const dimensionsMax = 4096

/** What a vector is made of: content, tags and snippets, as much as comes first. */
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

/** Asks for vectors and judges them: a port may be anybody's. */
export const vectorsOf = Effect.fnUntraced(function* (embedder: Embedder["Service"], texts: ReadonlyArray<string>) {
  const strange = () => new EmbedderFailed({ code: "unavailable", message: "It made no vectors of one dimension." })
  const vectors = yield* embedder.embed(texts).pipe(Effect.catchDefect(() => Effect.fail(strange())))
  const dimensions = vectors[0]?.length ?? 0
  const units = vectors.flatMap((vector) => unitOf(vector) ?? [])
  const isWhole =
    units.length === texts.length &&
    dimensions >= 1 &&
    dimensions <= dimensionsMax &&
    units.every(({ length }) => length === dimensions)
  return isWhole ? units : yield* strange()
})

/** As it is stored: four bytes a number, the low one first. */
export const bytesOf = (vector: Float32Array): Uint8Array => {
  const bytes = new Uint8Array(4 * vector.length)
  const view = new DataView(bytes.buffer)
  for (const [at, number] of vector.entries()) view.setFloat32(4 * at, number, true)
  return bytes
}

/** Two vectors of length 1, one of them stored. */
const cosine = (vector: Float32Array, stored: Uint8Array): number => {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  let sum = 0
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) * view.getFloat32(4 * at, true)
  return sum
}

const roundOf = (score: number) => Math.round(score * 1_000_000) / 1_000_000

/** Below this any two texts are alike; and never quite what the words themselves are worth. */
const nothing = 0.35
const weight = 0.9

const scoreOf = (likeness: number): number =>
  roundOf(weight * Math.min(1, Math.max(0, (likeness - nothing) / (1 - nothing))))

/** What a memory's meaning is worth, where it is worth anything. */
export interface Near {
  readonly id: string
  readonly createdAt: number
  readonly score: number
}

export const nearSteps = function* (
  asked: Float32Array,
  rows: ReadonlyArray<{ readonly id: string; readonly created_at: Date; readonly embedding: Uint8Array }>
): Steps<ReadonlyArray<Near>> {
  const found: Array<Near> = []
  for (const { created_at: at, embedding, id } of rows) {
    // One that was made anew a moment ago may be of another dimension.
    const score = embedding.byteLength === asked.byteLength ? scoreOf(cosine(asked, embedding)) : 0
    if (score > 0) found.push({ id, createdAt: at.getTime(), score })
    yield
  }
  return found
}

/** What only its meaning finds is worth as much at least. */
const aloneMin = 0.25

/** The words' findings and the meanings' as one list, the best first. */
export const mixed = (words: ReadonlyArray<Near>, near: ReadonlyArray<Near>, limit: number): ReadonlyArray<Near> => {
  const byWords = new Map(words.map((one) => [one.id, one]))
  const byMeaning = new Map(near.map(({ id, score }) => [id, score]))
  return [
    ...words.map((one) => ({ ...one, score: Math.max(one.score, byMeaning.get(one.id) ?? 0) })),
    ...near.filter(({ id, score }) => score >= aloneMin && !byWords.has(id))
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
