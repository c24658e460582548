import type { Steps } from "../../time-slices.ts"

/** Maximum dimensions of a vector. */
export const dimensionsMax = 4096

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The vector normalized to length 1; a zero vector is unchanged. */
const unitOf = (numbers: ReadonlyArray<unknown>): Float32Array | undefined => {
  let sum = 0
  for (const number of numbers) {
    if (typeof number !== "number" || !Number.isFinite(number)) return undefined
    sum += number * number
  }
  if (!Number.isFinite(sum)) return undefined
  const length = Math.sqrt(sum)
  return Float32Array.from(numbers as ReadonlyArray<number>, (number) => (length === 0 ? 0 : number / length))
}

/**
 * Reads a response `{ data: [{ index, embedding: [...] }] }` with one entry for each text, in any order. Undefined when
 * any part of it is invalid.
 */
export const readVectors = function* (json: unknown, count: number): Steps<ReadonlyArray<Float32Array> | undefined> {
  const data = isMembers(json) ? json["data"] : undefined
  if (!Array.isArray(data) || data.length !== count) return undefined
  const vectors = new Map<number, Float32Array>()
  let dimensions: number | undefined
  for (const entry of data) {
    const index: unknown = isMembers(entry) ? entry["index"] : undefined
    const embedding: unknown = isMembers(entry) ? entry["embedding"] : undefined
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count) return undefined
    if (!Array.isArray(embedding) || embedding.length < 1 || embedding.length > dimensionsMax) return undefined
    if (vectors.has(index) || (dimensions ??= embedding.length) !== embedding.length) return undefined
    const vector = unitOf(embedding)
    if (vector === undefined) return undefined
    vectors.set(index, vector)
    yield
  }
  return [...vectors].toSorted(([left], [right]) => left - right).map(([, vector]) => vector)
}
