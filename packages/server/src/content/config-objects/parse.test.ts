import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readFrontMatter } from "./parse-front-matter.ts"
import { descriptionLengthMax, parseContent, type ParseInput, searchTextLengthMax, titleLengthMax } from "./parse.ts"

const parse = (text: string | null, input: Partial<ParseInput> = {}) =>
  parseContent({ objectType: "skill", fileName: "skills/notes/SKILL.md", text, ...input })

describe("Markdown", () => {
  it("reads name, description and body", () => {
    const parsed = parse(
      "---\nname: release-notes\ndescription: |\n  Writes\n  notes\ntools: [a, b]\n---\n# Heading\n\nBody words\n"
    )
    expect(parsed).toMatchObject({
      title: "release-notes",
      description: "Writes\n  notes".replace("  ", ""),
      normalizedPayloadJson: { frontMatter: { name: "release-notes", tools: ["a", "b"] } },
      warnings: []
    })
    expect(parsed.searchText).toContain("Body words")
    expect(parsed.searchText).not.toContain("tools")
  })

  it("reads plain lines as the YAML parser does", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "Use",
        "it's",
        "a",
        "true",
        "Null",
        "FALSE",
        "e1",
        "x,",
        "[b]",
        "{c}",
        "- d",
        "&e",
        "*f",
        "!g",
        "|"
      ),
      fc.constantFrom("#h", "i:", "k: l", "?", "'m'", '"n"', "yes", "~", "@o", "%p", "`q`", "---", "...", "1.5", "ä"),
      fc.string({ maxLength: 4 })
    )
    const value = fc.array(word, { maxLength: 4 }).map((words) => words.join(" "))
    const key = fc.constantFrom("name", "description", "a-b", "true", "constructor", "__proto__", "1", "x_y", "Null")
    const space = fc.constantFrom(" ", "  ", "", "\t")
    const line = fc
      .tuple(key, space, value, fc.constantFrom("", " ", "\r"))
      .map(([k, s, v, end]) => `${k}:${s}${v}${end}`)
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const yaml = `${lines.join("\n")}\n`
        // YAML ignores a comment, but a line with one is not a plain line. Invalid YAML may fail for another reason.
        const read = (text: string) => {
          const { warnings, ...rest } = readFrontMatter(`---\n${text}---\n`)
          return { ...rest, warnings: warnings.map((warning) => warning.replace(/\([A-Z_]+\)/u, "(…)")) }
        }
        expect(read(yaml)).toEqual(read(`${yaml}# a comment\n`))
      }),
      { numRuns: 3000 }
    )
  })

  it.each([
    ["the heading", "text first\n\n## The *title* ##\n", "The *title*"],
    ["a heading outside of fences", "```sh\n# not this\n```\n# This\n", "This"],
    ["the first line", "\n> - quoted words\nmore", "quoted words"],
    ["the folder of a skill", "", "notes"],
    ["the folder when only fenced", "```\ncode\n```", "notes"]
  ])("falls back to %s", (_, text, title) => {
    expect(parse(text).title).toBe(title)
  })

  it("takes the description from the first paragraph", () => {
    expect(parse("# T\n\nfirst\nparagraph\n\nsecond").description).toBe("first paragraph")
    expect(parse("# T\n").description).toBeNull()
  })

  it("requires name and description for skills only", () => {
    expect(parse("# T").warnings).toEqual([
      'The front matter of a skill requires "name".',
      'The front matter of a skill requires "description".'
    ])
    expect(parse("# T", { objectType: "command", fileName: "commands/go.md" })).toMatchObject({
      title: "T",
      warnings: []
    })
  })

  it("reads the plain lines of front matter that is invalid YAML", () => {
    const parsed = parse("---\nname: a\ndescription: Use when: it breaks\ntools:\n  - x\n---\nbody", {
      objectType: "agent"
    })
    expect(parsed).toMatchObject({ title: "a", description: "Use when: it breaks" })
    expect(parsed.warnings[0]).toContain("not valid YAML")
  })

  it.each([
    [
      "an alias bomb",
      `---\n${["a: &a [x,x,x,x,x,x,x,x,x]", ..."bcdefghi".split("").map((c, i) => `${c}: &${c} [${`*${"abcdefgh"[i]},`.repeat(8)}*${"abcdefgh"[i]}]`)].join("\n")}\n---\n`,
      "expands to too many characters or values"
    ],
    ["deep flow nesting", `---\na: ${"[".repeat(5000)}\n---\n`, "nested too deeply"],
    ["deep sequences", `---\n${"- ".repeat(5000)}x\n---\n`, "nested too deeply"],
    [
      "deep mappings",
      `---\n${Array.from({ length: 100 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")} x\n---\n`,
      "nested deeper"
    ],
    ["no closing line", "---\nname: x\n", "no closing"],
    ["a front matter without end", `---\n${"a".repeat(100_000)}\n---\n`, "no closing"],
    ["a list", "---\n- a\n---\n", "not a YAML mapping"],
    ["__proto__", '---\n"__proto__": { polluted: true }\nname: x\n---\n', "__proto__"]
  ])("survives %s", (_, text, warning) => {
    const parsed = parse(text)
    expect(parsed.warnings.join("\n")).toContain(warning)
    expect(Object.getPrototypeOf(parsed.normalizedPayloadJson)).toBe(Object.prototype)
    expect("polluted" in {}).toBe(false)
  })

  it("does not treat the dashes of a YAML file or a script as front matter", () => {
    const parsed = parse("---\nname: deploy\n---\nb: 1\n", {
      objectType: "context",
      fileName: "references/values.yaml"
    })
    expect(parsed).toMatchObject({ title: "values.yaml", normalizedPayloadJson: {}, warnings: [] })
    expect(parse("#!/bin/sh\n# comment\n", { objectType: "context", fileName: "scripts/run.sh" }).title).toBe("run.sh")
  })

  it("warns about a Git LFS pointer", () => {
    const parsed = parse("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", {
      objectType: "context",
      fileName: "a.md"
    })
    expect(parsed).toMatchObject({ title: "a", warnings: ["The text is a Git LFS pointer, not the file itself."] })
  })
})

const mcp = (text: string, pointer?: string) =>
  parse(text, { objectType: "mcp", fileName: ".mcp.json", pointer: pointer ?? null })

describe("JSON", () => {
  const server = { command: "npx", args: ["x"], env: { API_TOKEN: "hunter2" } }

  it.each([
    ["wrapped", JSON.stringify({ mcpServers: { tickets: server } }), undefined],
    ["bare", JSON.stringify({ tickets: server }), undefined],
    ["with servers", JSON.stringify({ servers: { tickets: server } }), undefined],
    ["in a manifest", JSON.stringify({ name: "p", "a/b": [{ tickets: server }] }), "/a~1b/0"]
  ])("normalizes servers that are %s", (_, text, pointer) => {
    const parsed = mcp(text, pointer)
    expect(parsed).toMatchObject({
      title: "MCP: tickets",
      normalizedPayloadJson: { servers: { tickets: server } },
      warnings: []
    })
    expect(parsed.searchText).not.toContain("hunter2")
  })

  it("omits invalid servers", () => {
    expect(mcp('{"mcpServers":{"a":{"url":"https://a.example.com/mcp"},"b":{}}}')).toMatchObject({
      normalizedPayloadJson: { servers: { a: { url: "https://a.example.com/mcp" } } },
      searchText: "MCP: a a a.example.com",
      warnings: ['The server "b" has neither "command" nor "url" and is ignored.']
    })
  })

  it.each([
    ['{"hooks":{"Stop":[]},"description":"d"}', { hooks: { Stop: [] }, description: "d" }],
    ['{"Stop":[]}', { hooks: { Stop: [] } }]
  ])("keeps hooks %s", (text, payload) => {
    expect(parse(text, { objectType: "hook", fileName: "hooks/hooks.json" })).toMatchObject({
      title: "Hooks: Stop",
      normalizedPayloadJson: payload,
      warnings: []
    })
  })

  it.each([
    ["broken", "{secret", "is not valid JSON"],
    ["deep", "[".repeat(100_000) + "]".repeat(100_000), "nested deeper than 64"],
    ["of many values", `[${"1,".repeat(200_000)}1]`, "more than 100000 values"],
    ["with duplicate members", '{"a":{"command":"x"},"\\u0061":{"command":"y"}}', 'has the member "a" twice'],
    ["with __proto__", '{"__proto__":{"command":"x"}}', "__proto__"],
    ["a string", '"x"', "must be a JSON object"]
  ])("survives a text that is %s", (_, text, warning) => {
    const parsed = mcp(text)
    expect(parsed.warnings.join("\n")).toContain(warning)
    expect(parsed.title).not.toBe("")
    expect(parsed.searchText).not.toContain("secret")
  })

  it("warns when there is no value at a pointer", () => {
    expect(mcp("{}", "/plugins/3").warnings).toEqual(['The text has no value at "/plugins/3".'])
    expect(mcp("{}", "/constructor").warnings[0]).toContain("no value at")
  })

  it("stores neither NUL nor lone surrogates", () => {
    const parsed = parse('{"name":"a\\u0000b\\ud800","n\\u0000":[1e999,"\\udc00"]}', {
      objectType: "custom",
      fileName: "settings.json"
    })
    expect(parsed).toMatchObject({
      title: "ab\uFFFD",
      normalizedPayloadJson: { name: "ab\uFFFD", n: [null, "\uFFFD"] }
    })
  })
})

describe("values that a caller states", () => {
  it("take precedence over values in the text", () => {
    expect(parse("---\nname: x\ndescription: d\n---\n", { payload: { title: "p", a: 1 } })).toMatchObject({
      title: "x",
      normalizedPayloadJson: { title: "p", a: 1 }
    })
    expect(parse(null, { fileName: null, payload: { description: "pd" }, metadata: { title: "m" } })).toEqual({
      title: "m",
      description: "pd",
      searchText: "m pd description pd",
      normalizedPayloadJson: { description: "pd" },
      schemaVersion: "1",
      warnings: [],
      ingestionError: null
    })
    expect(parse(null, { fileName: null }).title).toBe("Untitled skill")
  })
})

describe("any input", () => {
  const words = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ maxLength: 4000 }),
    fc.json(),
    fc.string({
      unit: fc.constantFrom("\u0000", "\uD83D", "\uDE00", "😀", " ", "\n", "#", "-", "a", ":"),
      maxLength: 3000
    }),
    fc.string({ maxLength: 200 }).map((yaml) => `---\n${yaml}\n---\n`),
    fc
      .array(
        fc.constantFrom(
          "a: ",
          "&x ",
          "*x",
          "- ",
          "[",
          "]",
          "{",
          "}",
          "\n",
          "  ",
          "? ",
          "!!binary ",
          "'",
          '"',
          "|\n",
          "<<: "
        ),
        { maxLength: 60 }
      )
      .map((parts) => `---\n${parts.join("")}\n---\nbody`)
  )
  const input = fc.record({
    objectType: fc.constantFrom("skill", "agent", "command", "tool", "mcp", "hook", "context", "custom"),
    fileName: fc.option(fc.oneof(fc.constantFrom("SKILL.md", "a.json", ".mcp.json", "x.sh", ""), fc.string())),
    text: fc.option(words),
    pointer: fc.option(fc.oneof(fc.constantFrom("", "/a", "/0"), fc.string())),
    payload: fc.option(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<null>)),
    metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<null>))
  }) as fc.Arbitrary<ParseInput>

  it("is parsed without throwing, within its limits, storable, and to the same payload when parsed again", () => {
    fc.assert(
      fc.property(input, (given) => {
        const parsed = parseContent(given)
        expect(parsed.title.length).toBeGreaterThan(0)
        expect(parsed.title.length).toBeLessThanOrEqual(titleLengthMax)
        expect(parsed.description?.length ?? 1).toBeGreaterThan(0)
        expect(parsed.description?.length ?? 0).toBeLessThanOrEqual(descriptionLengthMax)
        expect(parsed.searchText.length).toBeLessThanOrEqual(searchTextLengthMax)
        const stored = JSON.stringify(parsed)
        expect(stored).not.toContain("\\u0000")
        expect(stored).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/u)
        const again = parseContent({
          ...given,
          text: null,
          payload: parsed.normalizedPayloadJson,
          metadata: { title: parsed.title, description: parsed.description }
        })
        expect(again.normalizedPayloadJson).toEqual(parsed.normalizedPayloadJson)
        const alone = parseContent({
          ...given,
          text: null,
          payload: null,
          metadata: { title: parsed.title, description: parsed.description }
        })
        expect(alone.title).toBe(parsed.title)
        expect(alone.description).toBe(parsed.description)
      }),
      { numRuns: 1000 }
    )
  })

  it("is parsed within the time limit when it is large", () => {
    const hostile = [
      "<!--".repeat(250_000),
      `# ${" ".repeat(900_000)}x`,
      "`".repeat(1_000_000),
      "\n".repeat(1_000_000),
      "---\n" + "a: b\n".repeat(6000) + "---\n",
      "---\n" + "? ".repeat(16_000) + "\n---\n",
      "---\n" + "{".repeat(900) + "\n---\n",
      "---\n" + "a: &b ".repeat(5000) + "\n---\n"
    ]
    for (const text of hostile) {
      parse(text)
    }
  })
})
