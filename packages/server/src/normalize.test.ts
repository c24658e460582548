import * as fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { fold as foldWords } from "./memory/words.ts"
import { marksMax, normalize } from "./normalize.ts"
import { fold as foldScim } from "./scim/language/fold.ts"

const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const
const letters = fc.constantFrom(..."aeoàéßΣςΩжйשאبेकग가가한ｶﾊ漢字😀 \u0344\u0f73".split(""), "ﬁ", "Å", "ệ")
const marks = fc.constantFrom(
  ..."\u0301\u0316\u0308\u0323\u0327\u05b0\u05c1\u064b\u0651\u093c\u0941\u0344\u0f71\u0f73\u3099\u0483ﾞﾟ".split("")
)
/** Letters with at most `marksMax` marks each, as people write them, and any other text. */
const ordinary = fc.oneof(
  fc
    .array(fc.tuple(letters, fc.array(marks, { maxLength: 6 })), { maxLength: 40 })
    .map((clusters) => clusters.map(([letter, behind]) => `${letter}${behind.join("")}`).join("")),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 200 })
)

const marksBehind =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]\p{M}*)\p{M}/gu
const withoutAccents = (text: string) =>
  text.normalize("NFKC").toLowerCase().normalize("NFD").replace(marksBehind, "").normalize("NFC")

describe("normalize", () => {
  it("returns what String.normalize returns, as long as no letter has more than 30 marks", () => {
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

describe("folding", () => {
  it("removes the same marks from words as a lookbehind pattern", () => {
    // Both sides apply the same folding besides marks: spelling variants and digits.
    fc.assert(
      fc.property(ordinary, (text) => {
        expect(foldWords(text)).toBe(foldWords(withoutAccents(text)))
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
  ])("of %s never sorts more than 30 marks at once", (_, fold) => {
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
