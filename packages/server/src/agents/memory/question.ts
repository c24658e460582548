/** What is asked, as the database ranks by it. */
import { stemOf } from "./stems.ts"
import { stopCharacters, stopWords } from "./stop-words.ts"
import { piecesOf } from "./words.ts"

/** One word of a question. */
export interface Asked {
  readonly n: number
  readonly word: string
  readonly stem: string
  /** How much of the question it is, up to 1000. */
  readonly weight: number
  /** Finds nothing by itself. */
  readonly is_stop: boolean
  /** May be the beginning of a longer word; may stand within one. */
  readonly leads: boolean
  readonly hides: boolean
  /** A pattern of the word with a slip of the pen in it; null where that could be any word. */
  readonly slip: string | null
}

/** Slips of longer words are not looked for: a pattern grows with the square of its word. */
const lengths = { leads: 3, hides: 5, slips: 4, slipsTwice: 8, slipsMax: 32 }
const weights = { full: 1000, faint: 300, stop: 60 }
/** Words that are looked for within others, and with slips: the longest so many. */
const looseMax = 8

/** A word, or the word with one letter too few, too many, wrong, or changed with its neighbour. */
const slipOf = (letters: ReadonlyArray<string>): string => {
  const text = (from: number, to?: number) => letters.slice(from, to).join("")
  const ways = letters.flatMap((letter, at) => [
    `${text(0, at)}.?${text(at + 1)}`,
    `${text(0, at)}.${text(at)}`,
    ...(at + 1 < letters.length ? [`${text(0, at)}${letters[at + 1] ?? ""}${letter}${text(at + 2)}`] : [])
  ])
  return `(?:${[...ways, `${text(0)}.`].join("|")})`
}

/** Short words may have one slip, long ones one in each half. */
const slipsOf = (word: string): string | null => {
  const letters = Array.from(word)
  if (letters.length > lengths.slipsMax) return null
  if (letters.length < lengths.slips || !/^\p{L}[\p{L}\p{M}]*$/u.test(word)) return null
  if (letters.length < lengths.slipsTwice) return `^${slipOf(letters)}$`
  const half = letters.length >> 1
  return `^${slipOf(letters.slice(0, half))}${slipOf(letters.slice(half))}$`
}

const isFaintPair = (pair: string) =>
  /^\p{scx=Hira}+$/u.test(pair) || Array.from(pair).some((character) => stopCharacters.has(character))

export const questionOf = (text: string): ReadonlyArray<Asked> => {
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
      leads: isLoose && length >= lengths.leads,
      // One character of a script without spaces is looked for in every pair.
      hides: kind === "single" || (isLoose && length >= lengths.hides),
      slip: isLoose ? slipsOf(word) : null
    }
  })
}
