/** The search query as the words that the database ranks by. */
import { stemOf } from "./stems.ts"
import { stopCharacters, stopWords } from "./stop-words.ts"
import { piecesOf } from "./words.ts"

/** One word of a query. */
export interface QueryWord {
  readonly n: number
  readonly word: string
  readonly stem: string
  /** The weight of the word in the query, up to 1000. */
  readonly weight: number
  /** A stop word, which matches nothing by itself. */
  readonly is_stop: boolean
  /** `is_prefix`: also matches longer words that start with it. `is_infix`: also matches inside words. */
  readonly is_prefix: boolean
  readonly is_infix: boolean
  /** A pattern that matches the word with a typo; null where it could match any word. */
  readonly typo: string | null
  /** The maximum number of typos: of letters that the word does not contain, and of letters that it is longer. */
  readonly typo_edits: number
}

type Typo = Pick<QueryWord, "typo" | "typo_edits">

/**
 * Lengths in characters. Typo matching is skipped for words longer than `typosMax`, because the pattern grows with the
 * square of the word's length.
 */
const lengths = { prefix: 3, infix: 5, typos: 4, twoTypos: 8, typosMax: 32 }
const weights = { full: 1000, faint: 300, stop: 60 }
/** The number of words, longest first, that also match inside other words and with typos. */
const looseMax = 8

/** Matches the word itself, or the word with one letter missing, added, replaced, or swapped with its neighbor. */
const typoPatternOf = (characters: ReadonlyArray<string>): string => {
  const text = (from: number, to?: number) => characters.slice(from, to).join("")
  const variants = characters.flatMap((character, at) => [
    `${text(0, at)}.?${text(at + 1)}`,
    `${text(0, at)}.${text(at)}`,
    ...(at + 1 < characters.length ? [`${text(0, at)}${characters[at + 1] ?? ""}${character}${text(at + 2)}`] : [])
  ])
  return `(?:${[...variants, `${text(0)}.`].join("|")})`
}

const noTypo: Typo = { typo: null, typo_edits: 0 }

/** Short words may have one typo, long ones one in each half. */
const typoFor = (word: string): Typo => {
  const characters = Array.from(word)
  if (characters.length > lengths.typosMax) return noTypo
  if (characters.length < lengths.typos || !/^\p{L}[\p{L}\p{M}]*$/u.test(word)) return noTypo
  if (characters.length < lengths.twoTypos) return { typo: `^${typoPatternOf(characters)}$`, typo_edits: 1 }
  const half = characters.length >> 1
  return {
    typo: `^${typoPatternOf(characters.slice(0, half))}${typoPatternOf(characters.slice(half))}$`,
    typo_edits: 2
  }
}

const isFaintPair = (pair: string) =>
  /^\p{scx=Hira}+$/u.test(pair) || Array.from(pair).some((character) => stopCharacters.has(character))

export const queryWordsOf = (text: string): ReadonlyArray<QueryWord> => {
  const pieces = new Map(piecesOf(text).map((piece) => [piece.text, piece]))
  const loose = new Set(
    [...pieces.values()]
      .filter(({ kind, text }) => kind === "word" && !stopWords.has(text))
      .map(({ text }) => text)
      .toSorted((left, right) => Array.from(right).length - Array.from(left).length)
      .slice(0, looseMax)
  )
  return [...pieces.values()].map(({ kind, text: word }, n) => {
    const length = Array.from(word).length
    const isStop = kind === "word" && stopWords.has(word)
    const isLoose = loose.has(word)
    return {
      n,
      word,
      stem: kind === "word" ? stemOf(word) : word,
      weight: isStop ? weights.stop : kind === "pair" && isFaintPair(word) ? weights.faint : weights.full,
      is_stop: isStop,
      is_prefix: isLoose && length >= lengths.prefix,
      // In a script without spaces, a single character is searched for in every pair of characters.
      is_infix: kind === "single" || (isLoose && length >= lengths.infix),
      ...(isLoose ? typoFor(word) : noTypo)
    }
  })
}
