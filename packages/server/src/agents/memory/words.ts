/**
 * Text as search words, the same for memories and queries. All of it happens here, because what the database considers
 * a letter depends on its locale.
 */
import { normalize } from "../../infra/normalize.ts"
import type { Index } from "./repo.ts"
import type { Steps } from "../../infra/time-slices.ts"
import { stemOf } from "./stems.ts"

const characterFolds: ReadonlyArray<readonly [RegExp, string]> = [
  [/ß/gu, "ss"],
  [/æ/gu, "ae"],
  [/œ/gu, "oe"],
  [/ø/gu, "o"],
  [/[đð]/gu, "d"],
  [/ł/gu, "l"],
  [/þ/gu, "th"],
  [/ı/gu, "i"],
  [/ς/gu, "σ"],
  // Arabic and Persian spellings of the same letter, and the elongation character.
  [/ـ/gu, ""],
  [/[ىی]/gu, "ي"],
  [/ک/gu, "ك"],
  [/ة/gu, "ه"],
  // Hebrew letters at the end of a word.
  [/ך/gu, "כ"],
  [/ם/gu, "מ"],
  [/ן/gu, "נ"],
  [/ף/gu, "פ"],
  [/ץ/gu, "צ"],
  // Devanagari: the nukta, and the chandrabindu, which is often written as a dot.
  [/\u093c/gu, ""],
  [/ँ/gu, "ं"]
]

const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50]
const digit = (character: string) => {
  const point = character.codePointAt(0) ?? 0
  const zero = zeros.find((zero) => point >= zero && point < zero + 10)
  return zero === undefined ? character : String(point - zero)
}

/** Optional marks: accents and vowel points. In other scripts, marks are letters. */
const accents = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu

/** Normalizes spelling: case, width, accents, variants of letters and digits. */
export const fold = (text: string): string => {
  const decomposed = normalize(normalize(text, "NFKC").toLowerCase(), "NFD")
  const plain = normalize(decomposed.replace(accents, "$1"), "NFC")
  return characterFolds
    .reduce((folded, [from, to]) => folded.replace(from, to), plain)
    .replace(/[\u0660-\u0e59]/gu, (character) => (/\p{Nd}/u.test(character) ? digit(character) : character))
}

/** Scripts without spaces between words, or with attached particles: they are indexed as pairs of characters. */
const unspaced =
  "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Bopo}"
const parts = new RegExp(
  [
    `(?<emoji>\\p{RI}{2}|\\p{Extended_Pictographic})`,
    `(?<pairs>(?:(?=[\\p{L}\\p{N}\\p{M}])[${unspaced}])+)`,
    `(?<symbol>(?<![\\p{L}\\p{N}])[cfj](?:\\+\\+|#)(?![\\p{L}\\p{N}]))`,
    `(?<word>(?:(?![${unspaced}])[\\p{L}\\p{N}]\\p{M}*)+)`
  ].join("|"),
  "gu"
)

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

export interface Piece {
  readonly text: string
  readonly kind: "word" | "pair" | "single"
}

const pairsOf = (run: string): ReadonlyArray<Piece> => {
  const units = [...graphemes.segment(run)].map(({ segment }) => segment)
  return units.length === 1
    ? [{ text: run, kind: "single" }]
    : units.slice(1).map((unit, index) => ({ text: `${units[index] ?? ""}${unit}`, kind: "pair" }))
}

/** The parts of a text in order: words, or pairs of characters for scripts without spaces. */
export const piecesOf = (text: string): ReadonlyArray<Piece> =>
  // One character can expand to up to eighteen characters.
  [
    ...fold(text)
      .slice(0, 2 * text.length)
      .matchAll(parts)
  ].flatMap(({ 0: match, groups }) =>
    groups?.["pairs"] !== undefined ? pairsOf(match) : [{ text: match, kind: "word" as const }]
  )

/** The weight of a word depends on its field, up to 1000; repetitions add a little. */
const fieldWeights = { tag: 950, content: 850, snippet: 650 }
const repeatWeight = 25
const repeatsMax = 3
const weightMax = 1000

/** The maximum number of indexed words per memory; further words are ignored. */
export const wordsMax = 4000

/**
 * The index words of a memory: each word once, with its stem and weight. Yields after each text: folding one may take
 * 10 ms.
 */
export const indexOf = function* (memory: {
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly snippets: ReadonlyArray<string>
}): Steps<Index> {
  const wordsByText = new Map<string, { weight: number; count: number; readonly stem: string }>()
  const take = (text: string, weight: number) => {
    for (const { kind, text: word } of piecesOf(text)) {
      const entry = wordsByText.get(word)
      if (entry !== undefined) entry.count += 1
      else if (wordsByText.size < wordsMax)
        wordsByText.set(word, { weight, count: 1, stem: kind === "word" ? stemOf(word) : word })
    }
  }
  // The field with the highest weight comes first and determines the weight.
  for (const tag of memory.tags) take(tag, fieldWeights.tag)
  yield
  take(memory.content, fieldWeights.content)
  for (const snippet of memory.snippets) {
    yield
    take(snippet, fieldWeights.snippet)
  }
  const entries = [...wordsByText]
  return {
    words: entries.map(([word]) => word),
    stems: entries.map(([, { stem }]) => stem),
    weights: entries.map(([, { count, weight }]) =>
      Math.min(weightMax, weight + repeatWeight * Math.min(count - 1, repeatsMax))
    )
  }
}
