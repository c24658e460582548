/** The score of each memory that matches a query, from the index entries of the matching words. */
import type { Steps } from "../../infra/time-slices.ts"
import type { QueryWord } from "./question.ts"
import type { EntriesRow, Place } from "./search-repo.ts"

interface Match {
  readonly number: number
  readonly wordCount: number
  /** For each query word, the similarity of the best matching word × its weight, at most 1,000,000. */
  readonly earned: Array<number>
}

/** A memory with its place in the ranking. */
export interface Scored extends Place {
  readonly score: number
}

/** Sizes in the database's binary form of an array: the header, and an element with its length. */
const bytes = { header: 20, element: 12 }
const entriesPerStep = 2000

/** Calls `add` for each entry of concatenated arrays in the database's binary form. */
const readSteps = function* (
  data: Uint8Array,
  add: (number: number, wordCount: number, weight: number) => void
): Steps<void> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let at = 0
  let count = 0
  while (at < view.byteLength) {
    const dimensions = view.getInt32(at)
    // An empty array has neither dimensions nor elements.
    const length = dimensions === 0 ? 0 : view.getInt32(at + 12)
    at += dimensions === 0 ? 12 : bytes.header
    for (let index = 0; index < length; index += 1) {
      const [high, low] = [view.getInt32(at + 4), view.getUint32(at + 8)]
      add(high * 1024 + (low >>> 22), (low >>> 10) & 4095, low & 1023)
      at += bytes.element
      count += 1
      if (count % entriesPerStep === 0) yield
    }
  }
}

const lengthFactor = (wordCount: number) => 1000 - Math.trunc((250 * wordCount) / (wordCount + 60))

/** The share as a decimal with six digits. */
const shareOf = (part: bigint, whole: bigint) => Number((2_000_000n * part + whole) / (2n * whole)) / 1_000_000

/**
 * The best memories, up to the limit and those with the same score as the last one. Points are integers, so that equal
 * matches have equal scores on every database engine:
 *
 * - the weight of a query word is its inverse document frequency: the fewer memories contain it, the higher its weight;
 * - each query word adds its weight × the similarity of the memory's best matching word × the weight of that word's
 *   field;
 * - the score is the sum as a share of the maximum, reduced by up to a quarter for long memories.
 */
export const scoreSteps = function* (
  words: ReadonlyArray<QueryWord>,
  rows: ReadonlyArray<EntriesRow>,
  limit: number
): Steps<ReadonlyArray<Scored>> {
  const matches = new Map<number, Match>()
  const occurrences = words.map(() => 0)
  for (const { entries, n, similarity } of rows) {
    yield* readSteps(entries, (number, wordCount, weight) => {
      let match = matches.get(number)
      if (match === undefined) matches.set(number, (match = { number, wordCount, earned: [] }))
      const before = match.earned[n]
      if (before === undefined) occurrences[n] = (occurrences[n] ?? 0) + 1
      match.earned[n] = Math.max(before ?? 0, similarity * weight)
    })
  }
  const memories = rows[0]?.memories ?? 0
  const worth = words.map(
    ({ weight }, n) => weight * Math.round(1000 * Math.log(1 + memories / Math.max(occurrences[n] ?? 0, 0.5)))
  )
  const isStopOnly = words.every((word) => word.is_stop)
  const candidates: Array<{ readonly match: Match; readonly sum: number; readonly points: number }> = []
  for (const match of matches.values()) {
    let sum = 0
    let isMatch = isStopOnly
    for (const [n, word] of words.entries()) {
      const earned = match.earned[n]
      if (earned === undefined) continue
      sum += earned * (worth[n] ?? 0)
      if (!word.is_stop) isMatch = true
    }
    if (isMatch) candidates.push({ match, sum, points: sum * lengthFactor(match.wordCount) })
    if (candidates.length % entriesPerStep === 0) yield
  }
  const points = Float64Array.from(candidates, (candidate) => candidate.points).toSorted()
  // Points may exceed the integers that a number represents exactly, so the last ones are compared again below.
  const pointsMin = (points[points.length - limit] ?? 0) * (1 - 1e-12)
  const maximum = BigInt(worth.reduce((sum, each) => sum + each, 0)) * 1_000_000_000n
  const ranked = candidates
    .filter((candidate) => candidate.points >= pointsMin)
    .map(({ match, sum }) => ({ match, exact: BigInt(sum) * BigInt(lengthFactor(match.wordCount)) }))
    .toSorted((left, right) => (left.exact < right.exact ? 1 : left.exact > right.exact ? -1 : 0))
  const last = ranked[Math.min(limit, ranked.length) - 1]?.exact ?? 0n
  const scored: Array<Scored> = []
  let place = 0
  let previous: bigint | undefined
  for (const { exact, match } of ranked) {
    if (exact < last) break
    if (exact !== previous) place += 1
    previous = exact
    scored.push({ number: match.number, place, score: shareOf(exact, maximum) })
  }
  return scored
}
