import { describe, expect, it } from "vitest"
import { jsx, jsxs } from "./jsx-runtime.ts"
import { visible } from "./visible.ts"

describe("hidden characters", () => {
  it.each([
    ["a zero-width space", "a\u200Bb", "a⟨U+200B⟩b"],
    ["a joiner between Latin letters", "a\u200Db", "a⟨U+200D⟩b"],
    ["a bidirectional override", "\u202Egpj.exe", "⟨U+202E⟩gpj.exe"],
    ["a tag", "a\u{E0041}", "a⟨U+E0041⟩"],
    ["variation selectors after a letter", "a\uFE00\uFE0F\u{E0100}", "a⟨U+FE00⟩⟨U+FE0F⟩⟨U+E0100⟩"],
    ["a second variation selector after an emoji", "❤\uFE0F\uFE0F", "❤\uFE0F⟨U+FE0F⟩"],
    ["a filler", "a\u3164\u2800", "a⟨U+3164⟩⟨U+2800⟩"],
    ["a control character", "a\u001B[2K\u0085", "a⟨U+001B⟩[2K⟨U+0085⟩"],
    ["a line separator", "a\u2028b", "a⟨U+2028⟩b"],
    ["a private character", "\uE000\u{F0000}", "⟨U+E000⟩⟨U+F0000⟩"],
    ["a byte order mark and a soft hyphen", "\uFEFFco\u00ADop", "⟨U+FEFF⟩co⟨U+00AD⟩op"]
  ])("are shown by their code points: %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown)
    expect(visible(shown)).toBe(shown)
  })

  it.each(["a\tb\r\nc", "Grüße, 東京, שלום", "👩‍🚀 ❤️ 1️⃣ 👋🏽", "می‌خواهم", "क्‍ष", ""])("are none in %j", (text) => {
    expect(visible(text)).toBe(text)
  })

  it("are shown in every text and label of an element", () => {
    expect(jsx("p", { children: "a\u200Bb", title: "\u202Ec", id: "\u200Bd" })).toMatchObject({
      props: { children: "a⟨U+200B⟩b", title: "⟨U+202E⟩c", id: "\u200Bd" }
    })
    const inner = jsx("b", { children: "x" })
    expect(jsxs("p", { children: ["a\u200B", inner, [1, "\u200Bb"]] }).props).toEqual({
      children: ["a⟨U+200B⟩", inner, [1, "⟨U+200B⟩b"]]
    })
  })

  it("stay in the values of fields and of components", () => {
    const Named = () => null
    expect(jsx("input", { value: "a\u200B" }).props).toEqual({ value: "a\u200B" })
    expect(jsx(Named, { title: "a\u200B", children: "\u200B" }).props).toEqual({
      title: "a\u200B",
      children: "⟨U+200B⟩"
    })
  })
})
