/** Instantiating a template produces the same as filling in its parts manually; no value changes its surroundings. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { forgetLimits } from "../infra/http-world.ts"
import { makeTemplate, variable } from "./templates.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)

/** A literal text, or the variable at this position. */
type Part = { readonly text: string } | { readonly name: "x" | "y" }
type Values = Readonly<Record<"x" | "y", string>>

/** The template's spelling: braces in the text are doubled. */
const written = (parts: ReadonlyArray<Part>, write = (text: string) => text) =>
  parts.map((part) => ("name" in part ? `{{ ${part.name} }}` : write(part.text).replaceAll("{{", "{{{{"))).join("")
/** The expected result, computed without a template. */
const meant = (parts: ReadonlyArray<Part>, values: Values) =>
  parts.map((part) => ("name" in part ? values[part.name] : part.text)).join("")

/** Texts that would break out of JSON, YAML and front matter. */
const nasty = fc.constantFrom(
  '"',
  "'",
  "\\",
  "\n",
  "\r\n",
  "\n---\n",
  "---\n",
  "...\n",
  "\nname: evil\n",
  '", "evil": "',
  '"}, {"a": "',
  "}}",
  "{{ y }}",
  "{{{{",
  "{",
  "[",
  "]",
  ", b",
  "# c",
  " #",
  ": ",
  "- ",
  "&a ",
  "*a",
  "!!int 1",
  "| ",
  "> ",
  "%",
  "@",
  "`",
  "\t",
  "\u0085",
  "\u2028",
  "\u2029",
  "\ufeff",
  "\u007f",
  "true",
  "null",
  "1e3",
  "~",
  "0x1F",
  "2001-01-01",
  "<<",
  "é",
  "😀"
)
const word = fc.stringMatching(/^[a-z]{1,8}$/)
const value = fc.oneof(
  word,
  fc.array(fc.oneof(nasty, word), { maxLength: 6 }).map((parts) => parts.join("")),
  fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\u0000", "").toWellFormed())
)
const values = fc.record({ x: value, y: value })
const literal = fc.oneof(
  word,
  fc.constantFrom("{", "{{", "{{{", "{{{{{", "}}", " ", "a-b"),
  fc.constantFrom("$", "_", ".")
)
/** A text before a placeholder may end in braces, and a text after one may begin with them. */
const parts = fc
  .array(
    fc.oneof(
      literal.map((text): Part => ({ text })),
      fc.constantFrom<Part>({ name: "x" }, { name: "y" })
    ),
    { minLength: 1, maxLength: 6 }
  )
  .map((parts) =>
    // Adjacent texts are one text: braces are doubled where they meet.
    parts.reduce<ReadonlyArray<Part>>((all, part) => {
      const last = all.at(-1)
      return last !== undefined && "text" in last && "text" in part
        ? [...all.slice(0, -1), { text: last.text + part.text }]
        : [...all, part]
    }, [])
  )

const variables = [variable("x"), variable("y")]
const content = (objects: ReadonlyArray<object>, name = "P") => ({ plugin: { name }, objects, variables })

const instantiate = async (content: object, given: Values) => {
  await forgetLimits(plane)
  const { id } = await makeTemplate(owner, content)
  return owner.call("POST", `/v1/templates/${id}/instantiate`, { variables: given })
}

/** Removes what differs between any two created objects. */
const bare = (object: Record<string, unknown> & { readonly latestVersion: object }) => {
  const one = { id: 0, createdAt: 0, updatedAt: 0 }
  return { ...object, ...one, latestVersion: { ...object.latestVersion, ...one, configObjectId: 0 } }
}

/** The same object, created manually. */
const byHand = async (input: object) => {
  const response = await owner.call("POST", "/v1/config-objects", { input })
  expect(response.status, response.text).toBe(201)
  return bare(response.body.item)
}

const runs = { numRuns: 60 }

describe("any values in any template", () => {
  it("produce the same text, payload and name as manual input", async () => {
    await fc.assert(
      fc.asyncProperty(parts, parts, parts, values, async (text, member, name, given) => {
        const response = await instantiate(
          content(
            [
              { type: "context", rawSourceText: `Text ${written(text)}`, metadata: { fileName: "a.txt", title: "T" } },
              { type: "custom", normalizedPayloadJson: { deep: [{ a: written(member), b: 1 }], title: "T" } }
            ],
            `N${written(name)}`
          ),
          given
        )
        expect(response.status, response.text).toBe(201)
        expect(response.body.plugin.name).toBe(`N${meant(name, given)}`)
        const [first, second] = response.body.configObjects
        const rawSourceText = `Text ${meant(text, given)}`
        expect(bare(first)).toEqual(
          await byHand({ type: "context", rawSourceText, metadata: { fileName: "a.txt", title: "T" } })
        )
        expect(bare(second)).toEqual(
          await byHand({
            type: "custom",
            normalizedPayloadJson: { deep: [{ a: meant(member, given), b: 1 }], title: "T" }
          })
        )
      }),
      runs
    )
  }, 240_000)

  it("stay inside the strings of a JSON text", async () => {
    await fc.assert(
      fc.asyncProperty(parts, parts, values, async (one, two, given) => {
        const shape = (say: (parts: ReadonlyArray<Part>) => string) => ({
          mcpServers: { board: { command: say(one), args: [say(two), "{", "}"], n: 1 } }
        })
        const rawSourceText = JSON.stringify(shape((parts) => written(parts)))
        const response = await instantiate(content([{ type: "mcp", rawSourceText }]), given)
        expect(response.status, response.text).toBe(201)
        const [object] = response.body.configObjects
        const wanted = shape((parts) => meant(parts, given))
        expect(JSON.parse(object.latestVersion.rawSourceText)).toEqual(wanted)
        expect(object.latestVersion.normalizedPayloadJson).toEqual({ servers: wanted.mcpServers })
        expect(bare(object)).toEqual(await byHand({ type: "mcp", rawSourceText: JSON.stringify(wanted) }))
      }),
      runs
    )
  }, 240_000)

  it("stay inside their front matter members, with the exact text", async () => {
    const style = fc.constantFrom("double", "single", "plain", "flow", "block", "folded")
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(style, parts), { minLength: 1, maxLength: 4 }),
        parts,
        values,
        async (members, body, given) => {
          // A plain YAML text cannot contain everything: one word, and the placeholders.
          const simple = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => [
            { text: "Says" },
            ...parts.filter((part) => "name" in part)
          ]
          const lines = members.map(([style, parts], index) => {
            const name = `m${index}`
            switch (style) {
              case "double":
                return { name, parts, yaml: `${name}: "${written(parts)}"` }
              case "single":
                return { name, parts, yaml: `${name}: '${written(parts)}'` }
              case "flow":
                return { name, parts: simple(parts), yaml: `${name}: [a, ${written(simple(parts))}, "b"]`, flow: true }
              case "block":
                return {
                  name,
                  parts: [...simple(parts), { text: "\n" }],
                  yaml: `${name}: |\n  ${written(simple(parts))}`
                }
              case "folded":
                return { name, parts: simple(parts), yaml: `${name}: >-\n  ${written(simple(parts))}` }
              default:
                return { name, parts: simple(parts), yaml: `${name}: ${written(simple(parts))} # kept` }
            }
          })
          const head = `---\n${lines.map(({ yaml }) => `${yaml}\n`).join("")}last: end\n---\n`
          const response = await instantiate(
            content([{ type: "agent", rawSourceText: `${head}# Title\n${written(body)}` }]),
            given
          )
          expect(response.status, response.text).toBe(201)
          const [object] = response.body.configObjects
          const wanted = Object.fromEntries(
            lines.map((line) => {
              const text = meant(line.parts, given)
              return [line.name, "flow" in line ? ["a", text, "b"] : text]
            })
          )
          expect(object.latestVersion.normalizedPayloadJson).toEqual({ frontMatter: { ...wanted, last: "end" } })
          expect(object.latestVersion.rawSourceText.endsWith(`\n---\n# Title\n${meant(body, given)}`)).toBe(true)
          // Parsing the result again returns the same.
          const { rawSourceText } = object.latestVersion
          expect(bare(object)).toEqual(await byHand({ type: "agent", rawSourceText }))
        }
      ),
      { numRuns: 120 }
    )
  }, 360_000)
})

describe("a value", () => {
  const refused: ReadonlyArray<readonly [string, object, string]> = [
    [
      "begins no front matter where there was none",
      { type: "agent", rawSourceText: "{{ x }}\nText" },
      "---\nname: evil\n---"
    ],
    ["closes no front matter that was open", { type: "agent", rawSourceText: "---\na: 1\n\n{{ x }}" }, "\n---\n"],
    ["makes no JSON of what was none", { type: "custom", rawSourceText: "{{ x }}" }, '{"a": 1}'],
    [
      "makes no other file of it",
      { type: "context", rawSourceText: "# {{ y }}", metadata: { fileName: "{{ x }}" } },
      "a.json"
    ],
    [
      "leads to no other folder",
      { type: "context", rawSourceText: "a", metadata: { relativePath: "docs/{{ x }}.md" } },
      "../../a"
    ],
    [
      "is no folder by itself",
      { type: "context", rawSourceText: "a", metadata: { relativePath: "docs/{{ x }}/a.md" } },
      ".."
    ]
  ]
  it.each(refused)("%s", async (_, object, x) => {
    await forgetLimits(plane)
    const response = await instantiate(content([object]), { x, y: "y" })
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    expect((await instantiate(content([object]), { x: "fine", y: "y" })).status).toBe(201)
  })

  it("stays inside a YAML file", async () => {
    const rawSourceText = "a: {{ x }}\nb:\n  - '{{ x }}'\n"
    const response = await instantiate(
      content([{ type: "context", rawSourceText, metadata: { fileName: "a.yaml" } }]),
      {
        x: "1\nc: evil",
        y: ""
      }
    )
    expect(response.body.configObjects[0].latestVersion.rawSourceText).toBe('a: "1\\nc: evil"\nb:\n  - "1\\nc: evil"\n')
  })
})
