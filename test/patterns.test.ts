/** Patterns on the server run over text from callers: each must take linear time. */
import { describe, expect, it } from "vitest"
import { costOf, patternsOf } from "./house/patterns.ts"
import { sourcesOf } from "./house/source.ts"

const short = "over an address of at most 2048 characters"
const apart = "each repetition begins with a character that the one before cannot hold"
const operators = "over what the operator configured"

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
  "config/environment.ts ^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+$": operators,
  "config/environment.ts ^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$": operators,
  "sql/wire.ts ^(?:\\s+|--[^\\n]*\\n|\\/\\*[^]*?\\*\\/)+": "over our own statements, and nothing after it can fail",
  "config-objects/parse-markdown.ts [ \\t]+#+$": "over a heading of at most 1000 characters",
  "plugins/archive-names.ts ^-+|-+$": "over a name of at most 64 characters",
  "mcp-connections/redact.ts -----BEGIN [A-Z0-9 ]{1,60}-----[\\s\\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)":
    "the end of the text ends it, so that nothing is read twice",
  "app.ts \\/+$": operators,
  "adapters/llm/index.ts \\/+$": short,
  "adapters/remote/rules.ts \\/+$": operators,
  "adapters/rest/api.ts \\/+$": operators,
  "adapters/rest/code-host-rest.ts \\/+$": operators,
  "adapters/suites/ask.ts \\/+$": operators,
  "connectors/accounts-service.ts \\/+$": operators,
  "connectors/discovery/remote.ts \\/+$": short,
  "mcp-connections/candidates.ts \\/+$": short,
  "mcp-connections/url-key.ts \\/+$": short,
  "oauth/well-known.ts \\/+$": short
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
