import { describe, expect, it } from "vitest"
import { nameProblem, safeName } from "../src/shared/names.ts"

describe("a name of a plugin or marketplace", () => {
  it.each([
    "deploy",
    "Été",
    "Развертывание",
    "ツール Tools",
    "Deploy Развертывание",
    "👩‍👩‍👧 Family",
    "❤️",
    "naïve — ✓",
    "日本語kit"
  ])("accepts the name %j", (name) => {
    expect([nameProblem(name), safeName(name, "x")]).toEqual([undefined, name])
  })
  it.each([
    ["a zero-width space", "de\u200Bploy", "deploy"],
    ["a soft hyphen", "de\u00ADploy", "deploy"],
    ["a filler", "deploy\u3164", "deploy"],
    ["a right-to-left override", "deploy\u202Etxt", "deploytxt"],
    ["an isolate", "\u2066deploy\u2069", "deploy"],
    ["a control character", "de\u0007ploy", "deploy"],
    ["a line break", "de\nploy", "deploy"],
    ["a tag character", "deploy\u{E0041}", "deploy"],
    ["a Cyrillic letter in a Latin word", "d\u0435ploy", "dploy"],
    ["a Greek letter in a Latin word", "depl\u03BFy", "deply"],
    ["nothing but a joiner", "\u200D", "x"]
  ])("rejects a name with %s, and keeps the rest of it on import", (_, name, remains) => {
    expect([nameProblem(name)?.startsWith("must not"), safeName(name, "x")]).toEqual([true, remains])
  })
})
