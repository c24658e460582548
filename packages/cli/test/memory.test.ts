/** Personal memories: the CLI as a process against a real server. */
import { afterAll, expect, it } from "vitest"
import { memories } from "../src/output/memory-search.ts"
import { spawned } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

const plane = await startWorkspace()
afterAll(() => plane.close())

const orgplane = (args: ReadonlyArray<string>, stdin = "") =>
  spawned(["memory", ...args], { url: plane.origin, token: plane.token, stdin })

it("saves, finds despite typos, lists, exports and deletes memories after confirmation", async () => {
  const saved = await orgplane(["save", "Ada drinks oat milk", "--tag", "people", "-q"])
  expect(saved).toMatchObject({ code: 0, out: expect.stringMatching(/^mem_\w+\n$/) })
  const id = saved.out.trim()
  expect((await orgplane(["save", "--input", "-", "-q"], '{"content":"Grüße aus Köln"}')).code).toBe(0)

  const table = await orgplane(["search", "which mlik does ADA drink", "-o", "table"])
  expect(table.out).toMatch(new RegExp(`^\\d+%  \\d{4}-\\d\\d-\\d\\d  ${id}  #people\\n  Ada drinks oat milk\\n`))
  expect((await orgplane(["search", "gruse koln"])).out).toMatch(/Grüße aus Köln/)
  expect(JSON.parse((await orgplane(["search", "milk", "--results", "1", "-o", "json"])).out)).toMatchObject({
    results: [{ id, tags: ["people"] }]
  })
  expect((await orgplane(["search", "volcano", "-o", "table"])).out).toBe("Nothing found.\n")
  expect((await orgplane(["search"])).code).toBe(2)
  expect((await orgplane(["list", "--tag", "PEOPLE", "-q"])).out).toBe(`${id}\n`)
  expect((await orgplane(["get", id, "-o", "json"])).out).toContain('"contexts":[]')
  expect((await orgplane(["export"])).out.trim().split("\n")).toHaveLength(4)

  expect((await orgplane(["delete", id])).code).toBe(2)
  expect((await orgplane(["delete", id, "--yes"])).code).toBe(0)
  expect((await orgplane(["get", id])).code).toBe(3)
  expect((await orgplane(["delete-all"])).code).toBe(2)
  expect((await orgplane(["delete-all", "--yes"])).code).toBe(0)
  expect((await orgplane(["list"])).out).toBe("")
}, 180_000)

it("prints matching words in bold and escapes control characters in a memory", () => {
  const pen = { unicode: true, colors: true }
  const body = { results: [{ id: "mem_1", score: 0.5, content: "Café\u001b[2J and tea", tags: ["x"] }] }
  const drawn = memories(body, pen, { ids: [], body: undefined, query: { q: "cafe" } })
  expect(drawn).toContain("\u001b[1mCafé\u001b[0m\\u001b")
  expect(drawn).toContain("50%")
})
