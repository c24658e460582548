import * as fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { fold as foldWords } from "../agents/memory/words.ts"
import { marksMax, normalize, withoutTrailing } from "./normalize.ts"
import { fold as foldScim } from "./scim/language/fold.ts"

const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const
const baseCharacters = fc.constantFrom(..."aeoàéßΣςΩжйשאبेकग가가한ｶﾊ漢字😀 \u0344\u0f73".split(""), "ﬁ", "Å", "ệ")
const marks = fc.constantFrom(
  ..."\u0301\u0316\u0308\u0323\u0327\u05b0\u05c1\u064b\u0651\u093c\u0941\u0344\u0f71\u0f73\u3099\u0483ﾞﾟ".split("")
)
/** Letters with at most `marksMax` marks each, as in natural text, and any other text. */
const ordinary = fc.oneof(
  fc
    .array(fc.tuple(baseCharacters, fc.array(marks, { maxLength: 6 })), { maxLength: 40 })
    .map((clusters) => clusters.map(([base, behind]) => `${base}${behind.join("")}`).join("")),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 200 })
)

/** The former, quadratic folding of words, whose results for ordinary text still apply. */
const spellings: ReadonlyArray<readonly [RegExp, string]> = [
  [/ß/gu, "ss"],
  [/æ/gu, "ae"],
  [/œ/gu, "oe"],
  [/ø/gu, "o"],
  [/[đð]/gu, "d"],
  [/ł/gu, "l"],
  [/þ/gu, "th"],
  [/ı/gu, "i"],
  [/ς/gu, "σ"],
  // Arabic and Persian variants of a letter, and the elongation character.
  [/ـ/gu, ""],
  [/[ىی]/gu, "ي"],
  [/ک/gu, "ك"],
  [/ة/gu, "ه"],
  // Final forms of Hebrew letters.
  [/ך/gu, "כ"],
  [/ם/gu, "מ"],
  [/ן/gu, "נ"],
  [/ף/gu, "פ"],
  [/ץ/gu, "צ"],
  // Devanagari: nukta, and chandrabindu, which is often written as anusvara.
  [/\u093c/gu, ""],
  [/ँ/gu, "ं"]
]

const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50]
const digit = (character: string) => {
  const point = character.codePointAt(0) ?? 0
  const zero = zeros.find((zero) => point >= zero && point < zero + 10)
  return zero === undefined ? character : String(point - zero)
}

/** Marks that can be omitted: accents and vowel points. In other scripts a mark is part of a letter. */
const accents =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]\p{M}*)\p{M}/gu

const formerFold = (text: string): string => {
  const plain = text.normalize("NFKC").toLowerCase().normalize("NFD").replace(accents, "").normalize("NFC")
  return spellings
    .reduce((folded, [from, to]) => folded.replace(from, to), plain)
    .replace(/[\u0660-\u0e59]/gu, (character) => (/\p{Nd}/u.test(character) ? digit(character) : character))
}
const formerScimFold = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

describe("normalize", () => {
  it("returns the result of String.normalize when no letter has more than 30 marks", () => {
    fc.assert(
      fc.property(ordinary, fc.constantFrom(...forms), (text, form) => {
        expect(normalize(text, form)).toBe(text.normalize(form))
      }),
      { numRuns: 3000 }
    )
  })

  it("keeps every mark of a run of more than 30", () => {
    const text = `e${"\u0301\u0316".repeat(500)}x`
    const decomposed = normalize(text, "NFD")
    expect(decomposed).toHaveLength(text.length)
    expect(Array.from(decomposed).toSorted()).toEqual(Array.from(text).toSorted())
  })
})

describe("withoutTrailing", () => {
  it("returns the result of the quadratic pattern", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("/", ".", ",", "a", "😀"), maxLength: 30 }), (text) => {
        expect(withoutTrailing(text, "/")).toBe(text.replace(/\/+$/u, ""))
        expect(withoutTrailing(text, ".,")).toBe(text.replace(/[.,]+$/u, ""))
      })
    )
  })
})

describe("folding of text", () => {
  it("returns the same words for ordinary text as the former implementation", () => {
    fc.assert(
      fc.property(ordinary, (text) => {
        expect(foldWords(text)).toBe(formerFold(text))
      }),
      { numRuns: 5000 }
    )
  })

  it("returns the same SCIM attributes for ordinary text as the former implementation", () => {
    fc.assert(
      fc.property(ordinary, (text) => {
        expect(foldScim(text)).toBe(formerScimFold(text))
      }),
      { numRuns: 3000 }
    )
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each([
    ["words", foldWords],
    ["SCIM attributes", foldScim]
  ])("never sorts more than 30 marks at once for %s", (_, fold) => {
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its text below
    const original = String.prototype.normalize
    let longest = 0
    let calls = 0
    vi.spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form?: string) {
      calls += 1
      for (const [run] of this.matchAll(/[\p{M}\uff9e\uff9f]+/gu)) longest = Math.max(longest, run.length)
      return original.call(this, form)
    })
    for (const pair of ["\u0301\u0316", "\u0344", "\u0f73\u0f71", "\u0301ﾞ"]) fold(`a${pair.repeat(4000)}`)
    expect(calls).toBeGreaterThan(0)
    expect(longest).toBeLessThanOrEqual(marksMax)
  })
})
