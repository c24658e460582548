/** Patterns on the server run over text from callers: each must take linear time. */
import { describe, expect, it } from "vitest"
import { costOf, patternsOf } from "./architecture/patterns.ts"
import { sourcesOf } from "./architecture/source.ts"

const apart = "each repetition begins with a character that the previous one cannot match"
const operators = "applied to configuration of the operator"
const collapsed = "applied after every run of other characters was replaced by one dash"

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
    "looks ahead once, from the beginning; each label is bounded",
  "infra/config/environment.ts ^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$": operators,
  "infra/config/environment.ts ^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$": operators,
  "infra/sql/wire.ts ^(?:\\s+|--[^\\n]*\\n|\\/\\*[^]*?\\*\\/)+":
    "applied to our own statements, and nothing after it can fail",
  "content/config-objects/parse-markdown.ts [ \\t]+#+$": "applied to a heading of at most 1000 characters",
  "content/connectors/discovery/folders.ts \\B(?=(?:\\d{3})+$)": "applied to the digits of one number",
  "content/plugins/archive-names.ts ^-+|-+$": collapsed,
  "infra/sql/migrations/0039_marketplace_links.ts ^-+|-+$": collapsed,
  "agents/mcp-connections/redact.ts -----BEGIN [A-Z0-9 ]{1,60}-----[\\s\\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)":
    "the end of the text also ends the match, so nothing is scanned twice",
  "infra/adapters/remote/rules.ts \\/+$": operators,
  "infra/adapters/rest/api.ts \\/+$": operators,
  "infra/adapters/suites/ask.ts \\/+$": operators
}

const constants = "from constants in the same file"
/** Every place that constructs a pattern at run time, and its source. */
const constructed: Readonly<Record<string, string>> = {
  'schema/src/shared/ids.ts Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {':
    "from the prefixes of our identifiers",
  "server/src/agents/memory/words.ts const parts = new RegExp(": constants,
  "server/src/infra/sql/qualify.ts const tokenPattern = new RegExp(": constants,
  'server/src/infra/normalize.ts const longRun = new RegExp(`${mark}{${marksMax + 1}}`, "u")': constants,
  'server/src/infra/normalize.ts const pieces = new RegExp(`${other}*${mark}{0,${marksMax}}`, "gu")': constants,
  'server/src/agents/oauth/challenge.ts const piece = new RegExp(`[\\\\s,]*(${name})(?:\\\\s*=\\\\s*(?:"((?:[^"\\\\\\\\]|\\\\\\\\.)*)"|(${name})))?`, "y")': `${constants}; over a header of at most 8192 characters, from where the last piece ended`,
  'server/src/agents/oauth/challenge.ts const opaque = new RegExp(`[ \\\\t]+[0-9A-Za-z._~+/-]+=*(?=\\\\s*(?:,|$))`, "y")': `${constants}; applied to a header of at most 8192 characters, once for each scheme`,
  'server/src/operations/system/link-pages.ts const isComplete = fields.every((field) => new RegExp(field.dataset.pattern).test(parameters.get(field.dataset.member) ?? ""));':
    "from our own page, in the browser",
  'server/src/content/templates/fill-text.ts const words = new RegExp(`${stem}(\\\\d+)x`, "gu")':
    "from `zq`, a number and `q`"
}

const keysOf = (path: string, source: string): ReadonlyArray<string> => [
  source,
  `${path.replace(/^packages\/(?:server|schema)\/src\//, "")} ${source}`
]

const patterns = ["packages/server/src", "packages/schema/src"].flatMap((folder) =>
  sourcesOf(folder).flatMap(patternsOf)
)

describe("regular expressions of the server and the contract", () => {
  it("have no lookaround over a repetition, no nested repetitions and no unbounded repetition at the start", () => {
    const expensive = patterns.flatMap(({ flags, path, source }) => {
      const cost = costOf({ flags, source })
      return cost === undefined || keysOf(path, source).some((key) => Object.hasOwn(allowed, key))
        ? []
        : [{ path, pattern: `/${source}/${flags}`, cost }]
    })
    expect(expensive).toEqual([])
  })

  it("are extracted from the sources, and every listed exception still exists", () => {
    expect(patterns.length).toBeGreaterThan(300)
    const keys = new Set(patterns.flatMap(({ path, source }) => keysOf(path, source)))
    expect(Object.keys(allowed).filter((key) => !keys.has(key))).toEqual([])
  })

  it("are not constructed from request text, except those in the list", () => {
    const lines = ["packages/server/src", "packages/schema/src"].flatMap((folder) =>
      sourcesOf(folder).flatMap(({ path, text }) =>
        text
          .split("\n")
          .filter((line) => /\bRegExp\(/.test(line))
          .map((line) => `${path.replace(/^packages\//, "")} ${line.trim()}`)
      )
    )
    expect(lines.filter((line) => !Object.hasOwn(constructed, line))).toEqual([])
    expect(Object.keys(constructed).filter((line) => !lines.includes(line))).toEqual([])
  })

  it.each([
    ["has a lookbehind with a repetition", "(?<=[\\p{Script=Latin}]\\p{M}*)\\p{M}"],
    ["has a lookahead with a repetition", "a(?=b*c)"],
    ["has nested repetitions", "^(?:a+)+$"],
    ["has nested repetitions", "^(?:[a-z]|x*){2,}$"],
    ["begins with an unbounded repetition", "\\s+$"],
    ["begins with an unbounded repetition", "^x|[ \\t]+#"],
    ["begins with an unbounded repetition", "(\\w+)@"],
    ["repeats any character before an end", "<!--[\\s\\S]*?-->"],
    ["repeats any character before an end", "(?:a.*b)"]
  ])("reports that a pattern %s: %s", (cost, source) => {
    expect(costOf({ source, flags: "u" })).toBe(cost)
  })

  it.each(["^\\s+", "\\s+", "[a-z]+\\d*", "(?<!\\w)a+", "^a+b$", "(?:ab)+c?", "a{1,5}b"])("accepts %s", (source) => {
    expect(costOf({ source, flags: "u" })).toBeUndefined()
  })
})
