import type { JsonObject } from "@orgplane/schema/shared/values"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { McpServerTool } from "../../infra/ports/mcp-servers.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { fingerprintOf, identityChanges, leadsElsewhere, observedTools, toolMembers } from "./fingerprint.ts"

const word = fc.constantFrom("a", "b", "\u00e9", "a\u0000b", "__proto__", "\ud83d\ude00", "\uffee", "")
const json: fc.Arbitrary<fc.JsonValue> = fc.oneof(
  { maxDepth: 3 },
  fc.jsonValue({ maxDepth: 2 }),
  fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }))
)
const object = fc.dictionary(word, json, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>
const toolOf = (name: string): fc.Arbitrary<McpServerTool> =>
  fc.record({
    name: fc.constant(name),
    title: fc.option(word),
    description: fc.option(word),
    inputSchema: object,
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    idempotentHint: fc.boolean(),
    openWorldHint: fc.boolean()
  })
const tools = fc.subarray(["a", "b", "c", "d"]).chain((names) => fc.tuple(...names.map(toolOf)))
const identity = fc.record({
  issuer: fc.constantFrom("https://a", "https://b"),
  authorizationEndpoint: fc.constantFrom("https://a/authorize", "https://b/authorize"),
  tokenEndpoint: fc.constantFrom("https://a/token", "https://b/token"),
  scopes: fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 4 })
})

/** The same value with the members of every object reversed. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).toReversed()
  return Object.fromEntries(members.map(([name, member]): [string, unknown] => [name, turned(member)]))
}

/** Expected equality of JSON values, member by member. */
const isEqual = (left: unknown, right: unknown): boolean => {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((one, index) => isEqual(one, right[index]))
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    // JSON has one form of zero.
    return left === right
  }
  if (Array.isArray(left) || Array.isArray(right)) return false
  const [a, b] = [new Map(Object.entries(left)), new Map(Object.entries(right))]
  return a.size === b.size && [...a].every(([name, member]) => b.has(name) && isEqual(member, b.get(name)))
}

const sorted = (scopes: ReadonlyArray<string>) => [...new Set(scopes)].toSorted()
const isSameTools = (left: ReadonlyArray<McpServerTool>, right: ReadonlyArray<McpServerTool>) =>
  left.length === right.length && left.every((one) => right.some((other) => isEqual(one, other)))

describe("a fingerprint", () => {
  it("is equal for equal values regardless of member order, and different for others", () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(canonicalJson(turned(left) as fc.JsonValue as never)).toBe(canonicalJson(left as never))
        expect(isEqual(JSON.parse(canonicalJson(left as never)), JSON.parse(JSON.stringify(left)))).toBe(true)
        expect(canonicalJson(left as never) === canonicalJson(right as never)).toBe(isEqual(left, right))
      }),
      { numRuns: 500 }
    )
  })

  it("differs exactly when the server differs, regardless of the order of tools and scopes", () => {
    fc.assert(
      fc.property(tools, tools, fc.option(identity), fc.option(identity), (before, after, was, is) => {
        const same = fingerprintOf(is, observedTools(after)) === fingerprintOf(was, observedTools(before))
        const isSameIdentity =
          isEqual({ ...was, scopes: null }, { ...is, scopes: null }) &&
          isEqual(sorted(was?.scopes ?? []), sorted(is?.scopes ?? [])) &&
          (was === null) === (is === null)
        expect(same).toBe(isSameIdentity && isSameTools(before, after))
        expect(fingerprintOf(was, observedTools(before.toReversed()))).toBe(fingerprintOf(was, observedTools(before)))
        const [one, other] = [new Map(observedTools(before).map((tool) => [tool.name, tool])), observedTools(after)]
        for (const tool of other) {
          const existing = one.get(tool.name)
          if (existing !== undefined) {
            const differs = toolMembers(existing.tool, tool.tool)
            expect(differs.length === 0).toBe(existing.digest === tool.digest)
            expect(differs.includes("inputSchema")).toBe(!isEqual(existing.tool.inputSchema, tool.tool.inputSchema))
            expect(differs.includes("title")).toBe(existing.tool.title !== tool.tool.title)
          }
        }
      }),
      { numRuns: 500 }
    )
  })

  it.each([
    "title",
    "description",
    "inputSchema",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint"
  ] as const)("differs if only a tool's %s differs", (member) => {
    const before: McpServerTool = {
      name: "search",
      title: null,
      description: null,
      inputSchema: {},
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false
    }
    const changed = { title: "Search", description: "Searches.", inputSchema: { type: "object" } }
    const after = { ...before, [member]: member in changed ? changed[member as keyof typeof changed] : true }
    expect(toolMembers(before, after)).toEqual([member.endsWith("Hint") ? "hints" : member])
    expect(fingerprintOf(null, observedTools([after]))).not.toBe(fingerprintOf(null, observedTools([before])))
  })

  it("detects a changed credential destination, and ignores scopes", () => {
    fc.assert(
      fc.property(fc.option(identity), fc.option(identity), (was, is) => {
        const kinds = identityChanges(was, is).map(({ kind }) => kind)
        expect(leadsElsewhere(was, is)).toBe(kinds.some((kind) => kind !== "scopes"))
        expect(kinds.includes("scopes")).toBe(!isEqual(sorted(was?.scopes ?? []), sorted(is?.scopes ?? [])))
        expect(kinds.includes("issuer")).toBe(was?.issuer !== is?.issuer)
        expect(kinds.includes("token_endpoint")).toBe(was?.tokenEndpoint !== is?.tokenEndpoint)
      })
    )
  })
})
