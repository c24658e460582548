import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changeSettings, type Entry, InvalidSettings, nothingWritten, type Written } from "./settings-text.ts"

const entry = (path: Entry["path"], value: Entry["value"], more: Partial<Entry> = {}): Entry => ({
  path,
  value,
  locked: true,
  exclusive: false,
  ...more
})

const plugin = (name: string, value = true) => entry(["enabledPlugins", name], value)

const change = (text: string | undefined, records: ReadonlyArray<Written>, next: ReadonlyArray<Entry>) =>
  changeSettings(text, records, next)

describe("settings of a user", () => {
  it.each([
    ["tabs", '{\n\t"a": {"b":1},\n\t"c": 2\n}\n'],
    ["one line", '{"a": 1, "enabledPlugins": {"x@y": true}}'],
    ["Windows line breaks", '{\r\n    "a": 1e3,\r\n    "enabledPlugins": {\r\n        "x@y": true\r\n    }\r\n}\r\n'],
    [
      "comments and trailing commas",
      '{\n  // Mine.\n  "a": 1,\n  "enabledPlugins": {\n    "x@y": true, // Also mine.\n  },\n}\n'
    ],
    ["a duplicate key", '{"a": 1, "a": 2}'],
    ["numbers that JavaScript cannot represent", '{"n": 12345678901234567890, "m": 1.0}'],
    ["no members", "{}"],
    ["no final line break", '{\n  "a": "\\u00e9"\n}']
  ])("with %s are the same, byte for byte, after the entries are removed", (_, text) => {
    const set = change(text, [], [plugin("p@orgplane"), entry(["extraKnownMarketplaces", "orgplane"], { source: {} })])
    expect(set.text).not.toBe(text)
    expect(change(set.text, [set.written], []).text).toBe(text)
  })

  it("are created with two spaces, and the file is removed with its last entry", () => {
    const set = change(undefined, [], [plugin("p@orgplane")])
    expect(set.text).toBe('{\n  "enabledPlugins": {\n    "p@orgplane": true\n  }\n}\n')
    expect(change(set.text, [set.written], []).text).toBeUndefined()
  })

  it("get back the value that was replaced, unless the key belongs to orgplane", () => {
    const text = '{"enabledPlugins": {"mine@x": true, "p@orgplane": false}}'
    const next = [plugin("mine@x", false), { ...plugin("p@orgplane"), exclusive: true }]
    const set = change(text, [], next)
    expect(JSON.parse(set.text ?? "")).toEqual({ enabledPlugins: { "mine@x": false, "p@orgplane": true } })
    const again = change(set.text, [set.written], next)
    expect([again.text, again.written]).toEqual([set.text, set.written])
    expect(JSON.parse(change(set.text, [again.written], []).text ?? "")).toEqual({ enabledPlugins: { "mine@x": true } })
  })

  it("keep a value that the user has changed since, when the entry is removed", () => {
    const set = change("{}", [], [plugin("a@b")])
    const changed = set.text?.replace("true", "false") ?? ""
    expect(change(changed, [set.written], []).text).toBe(changed)
  })

  it("with a name that occurs twice get the value in both places, because programs differ in which one they read", () => {
    const text = '{"enabledPlugins": {"a@b": true, "c@d": true, "a@b": true}}'
    const set = change(text, [], [plugin("a@b", false)])
    expect(set.text).toBe('{"enabledPlugins": {"a@b": false, "c@d": true, "a@b": false}}')
  })

  it("with two objects of the same name are refused", () => {
    const text = '{"enabledPlugins": {}, "enabledPlugins": {"a@b": true}}'
    expect(() => change(text, [], [plugin("a@b", false)])).toThrow(InvalidSettings)
  })

  it("lose every second of many members, and keep the others as they are", () => {
    const names = Array.from({ length: 6000 }, (_, index) => `p${index}@x`)
    const original = `{"enabledPlugins": {${names.map((name) => `"${name}": true`).join(", ")}}}`
    const set = change(
      original,
      [],
      names.map((name) => plugin(name, false))
    )
    const half = names.filter((_, index) => index % 2 === 0).map((name) => plugin(name, false))
    const next = change(set.text, [set.written], half)
    expect(Object.values(JSON.parse(next.text ?? "").enabledPlugins).filter((value) => value === false)).toHaveLength(
      3000
    )
    expect(change(next.text, [next.written], []).text).toBe(original)
  })

  it.each(["[]", "1", '{"a": }', "{"])("that are %s are refused", (text) => {
    expect(() => change(text, [], [plugin("a@b")])).toThrow(InvalidSettings)
  })

  it("have exactly the entries that are set last, in any sequence of changes and interruptions", () => {
    const names = ["a@b", "c@d", "e@f"]
    const entries = fc.subarray(names).map((list) => list.map((name) => plugin(name, name !== "c@d")))
    const steps = fc.array(fc.record({ entries, end: fc.constantFrom("before", "after", "done") }), { maxLength: 6 })
    const own = fc.dictionary(fc.constantFrom("a@b", "mine@x"), fc.boolean())
    fc.assert(
      fc.property(own, steps, (plugins, list) => {
        const original = JSON.stringify({ enabledPlugins: plugins }, null, 2)
        let text: string | undefined = original
        let current: Written | undefined
        let pending: ReadonlyArray<Written> = []
        for (const step of list) {
          const records: ReadonlyArray<Written> = current === undefined ? pending : [...pending, current]
          const set = change(text, records, step.entries)
          pending = [set.written, ...pending]
          // Interrupted before or after the file is replaced.
          if (step.end === "before") continue
          text = set.text
          expect(JSON.parse(text ?? "{}")).toEqual({
            enabledPlugins: {
              ...plugins,
              ...Object.fromEntries(step.entries.map(({ path, value }) => [path[1], value]))
            }
          })
          if (step.end === "after") continue
          current = set.written
          pending = []
        }
        const records = current === undefined ? pending : [...pending, current]
        expect(JSON.parse(change(text, records, []).text ?? "{}")).toEqual({ enabledPlugins: plugins })
      })
    )
  })
})

describe("the record", () => {
  it("is empty before the first change", () => {
    expect(change(undefined, [nothingWritten], [])).toEqual({ text: undefined, steps: [], written: nothingWritten })
  })
})
