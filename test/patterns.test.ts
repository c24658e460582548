/** Patterns on the server run over text from callers: each must take linear time. */
import { describe, expect, it } from "vitest"
import { costOf, patternsOf } from "./architecture/patterns.ts"
import { sourcesOf } from "./architecture/source.ts"

const apart = "each repetition begins with a character that the one before cannot hold"
const operators = "over what the operator configured"
const collapsed = "every run of other characters is one dash by then"

/** Patterns that look expensive but are not, with the reason; with a path when it depends on the input. */
const allowed: Readonly<Record<string, string>> = {
  "^[a-z0-9]+(?:-[a-z0-9]+)*$": apart,
  "^marketplace:([a-z0-9]+(?:-[a-z0-9]+)*)$": apart,
  "^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$": apart,
  "^[\\w@+-][\\w@+.-]*(?:\\/[\\w@+-][\\w@+.-]*)*$": apart,
  "^(?:\\.\\/+)+": apart,
  "^(?:[-*_=]\\s*){3,}$": apart,
  '^[^\\s@,;:<>"()[\\]\\\\\\p{C}\\p{Z}]{1,64}@[a-z\\d-]+(\\.[a-z\\d-]+)+$': apart,
  '^[^\\s@,;:<>"()[\\]\\\\]{1,64}@[^\\s@.]+(\\.[^\\s@.]+)+$': apart,
  "^(?!\\.)(?!.*\\.\\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\\.)@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$":
    "it looks ahead once, from the beginning; each label is bounded",
  "infra/config/environment.ts ^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$": operators,
  "infra/config/environment.ts ^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$": operators,
  "infra/sql/wire.ts ^(?:\\s+|--[^\\n]*\\n|\\/\\*[^]*?\\*\\/)+":
    "over our own statements, and nothing after it can fail",
  "content/config-objects/parse-markdown.ts [ \\t]+#+$": "over a heading of at most 1000 characters",
  "content/connectors/discovery/folders.ts \\B(?=(?:\\d{3})+$)": "over the digits of one number",
  "content/plugins/archive-names.ts ^-+|-+$": collapsed,
  "infra/sql/migrations/0039_marketplace_links.ts ^-+|-+$": collapsed,
  "agents/mcp-connections/redact.ts -----BEGIN [A-Z0-9 ]{1,60}-----[\\s\\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)":
    "the end of the text ends it, so that nothing is read twice",
  "infra/adapters/remote/rules.ts \\/+$": operators,
  "infra/adapters/rest/api.ts \\/+$": operators,
  "infra/adapters/suites/ask.ts \\/+$": operators
}

const constants = "of constants in the same file"
/** Every place that constructs a pattern at run time, with what it is made of. */
const constructed: Readonly<Record<string, string>> = {
  'schema/src/shared/ids.ts Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {':
    "of the prefixes of our identifiers",
  "server/src/agents/memory/words.ts const parts = new RegExp(": constants,
  'server/src/infra/normalize.ts const longRun = new RegExp(`${mark}{${marksMax + 1}}`, "u")': constants,
  'server/src/infra/normalize.ts const pieces = new RegExp(`${other}*${mark}{0,${marksMax}}`, "gu")': constants,
  'server/src/agents/oauth/challenge.ts const piece = new RegExp(`[\\\\s,]*(${name})(?:\\\\s*=\\\\s*(?:"((?:[^"\\\\\\\\]|\\\\\\\\.)*)"|(${name})))?`, "y")': `${constants}; over a header of at most 8192 characters, from where the last piece ended`,
  'server/src/agents/oauth/challenge.ts const opaque = new RegExp(`[ \\\\t]+[0-9A-Za-z._~+/-]+=*(?=\\\\s*(?:,|$))`, "y")': `${constants}; over a header of at most 8192 characters, once for each scheme`,
  'server/src/operations/system/link-pages.ts const isWhole = slots.every((slot) => new RegExp(slot.dataset.pattern).test(told.get(slot.dataset.member) ?? ""));':
    "of our own page, and it runs in the browser",
  'server/src/content/templates/fill-text.ts const words = new RegExp(`${stem}(\\\\d+)x`, "gu")':
    "of `zq`, a number and `q`"
}

const keysOf = (path: string, source: string): ReadonlyArray<string> => [
  source,
  `${path.replace(/^packages\/(?:server|schema)\/src\//, "")} ${source}`
]

const patterns = ["packages/server/src", "packages/schema/src"].flatMap((folder) =>
  sourcesOf(folder).flatMap(patternsOf)
)

describe("patterns of the server and the contract", () => {
  it("have no lookaround over a repetition, no nested repetitions and no unbounded repetition at the start", () => {
    const dear = patterns.flatMap(({ flags, path, source }) => {
      const cost = costOf({ flags, source })
      return cost === undefined || keysOf(path, source).some((key) => Object.hasOwn(allowed, key))
        ? []
        : [{ path, pattern: `/${source}/${flags}`, cost }]
    })
    expect(dear).toEqual([])
  })

  it("are found in the sources, and every listed exception still exists", () => {
    expect(patterns.length).toBeGreaterThan(300)
    const known = new Set(patterns.flatMap(({ path, source }) => keysOf(path, source)))
    expect(Object.keys(allowed).filter((key) => !known.has(key))).toEqual([])
  })

  it("are not made of text from a request, except of what the list names", () => {
    const made = ["packages/server/src", "packages/schema/src"].flatMap((folder) =>
      sourcesOf(folder).flatMap(({ path, text }) =>
        text
          .split("\n")
          .filter((line) => /\bRegExp\(/.test(line))
          .map((line) => `${path.replace(/^packages\//, "")} ${line.trim()}`)
      )
    )
    expect(made.filter((line) => !Object.hasOwn(constructed, line))).toEqual([])
    expect(Object.keys(constructed).filter((line) => !made.includes(line))).toEqual([])
  })

  it.each([
    ["looks back over a run", "(?<=[\\p{Script=Latin}]\\p{M}*)\\p{M}"],
    ["looks ahead over a run", "a(?=b*c)"],
    ["repeats a repetition", "^(?:a+)+$"],
    ["repeats a repetition", "^(?:[a-z]|x*){2,}$"],
    ["begins with a run and goes on", "\\s+$"],
    ["begins with a run and goes on", "^x|[ \\t]+#"],
    ["begins with a run and goes on", "(\\w+)@"],
    ["runs over anything", "<!--[\\s\\S]*?-->"],
    ["runs over anything", "(?:a.*b)"]
  ])("reports that a pattern %s: %s", (cost, source) => {
    expect(costOf({ source, flags: "u" })).toBe(cost)
  })

  it.each(["^\\s+", "\\s+", "[a-z]+\\d*", "(?<!\\w)a+", "^a+b$", "(?:ab)+c?", "a{1,5}b"])("accepts %s", (source) => {
    expect(costOf({ source, flags: "u" })).toBeUndefined()
  })
})
