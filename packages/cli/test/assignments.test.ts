/** Assignments: the CLI as a process against a real server. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { spawned } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

let plane: Awaited<ReturnType<typeof startWorkspace>>

const orgplane = (argv: ReadonlyArray<string>, stdin = "") =>
  spawned(argv, { url: plane.origin, token: plane.token, stdin })

const json = async (argv: ReadonlyArray<string>, stdin = "") => {
  const { code, err, out } = await orgplane([...argv, "-o", "json"], stdin)
  if (code !== 0) throw new Error(`orgplane ${argv.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

/** The cells of each line, independent of column widths. */
const wordsOf = (text: string) => text.split("\n").map((line) => line.trim().replace(/\s{2,}/g, " | "))

beforeAll(async () => {
  plane = await startWorkspace()
}, 120_000)
afterAll(() => plane.close())

it("creates, lists, gets, updates, simulates, explains and removes assignments", { timeout: 240_000 }, async () => {
  const membershipId = (await json(["users", "organizations"])).items[0].orgMembershipId
  const plugin = (await json(["plugins", "create", "--name", "Review"])).item.id
  const create = ["assignments", "create", "--plugin-id", "Review", "--mode"]
  const first = await orgplane([...create, "default_on", "-q"])
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^asg_\w{26}\n$/)])
  const id = first.out.trim()
  const one = (await json([...create, "blocked", "--member", membershipId, "--priority", "5"])).item
  expect(one).toMatchObject({ mode: "blocked", priority: 5, memberIds: [membershipId], audience: "assigned" })
  const bad = await orgplane(["assignments", "create", "--mode", "required"])
  expect([bad.code, bad.err]).toEqual([1, expect.stringContaining("exactly one of: pluginId, marketplaceId")])

  const listed = await orgplane(["assignments", "list", "-o", "table"])
  expect(wordsOf(listed.out).slice(0, 2)).toEqual([
    "ID | ASSIGNS | MODE | PRIORITY | AUDIENCE | UPDATED AT",
    expect.stringMatching(new RegExp(`^${one.id} \\| ${plugin} \\| blocked \\| 5 \\| assigned \\| `))
  ])
  expect((await orgplane(["assignments", "list", "--mode", "blocked", "-q"])).out).toBe(`${one.id}\n`)
  expect((await json(["assignments", "get", id])).item.mode).toBe("default_on")

  const effective = ["assignments", "effective", membershipId]
  expect((await orgplane(effective)).out).toBe(`${plugin}\tReview\tblocked\tfalse\ttrue\tlatest_approved\t-\t-\n`)
  expect((await orgplane([...effective, "--explain"])).out).toBe(
    `${plugin}\tReview\tblocked\tfalse\ttrue\tlatest_approved\tblock\t${one.id}\n`
  )
  const choice = await orgplane(["assignments", "set-choice", "Review", "--enabled"])
  expect([choice.code, choice.err]).toEqual([5, expect.stringContaining("plugin_choice_fixed")])

  const change = JSON.stringify({ delete: { assignmentId: one.id } })
  const simulated = await orgplane(["assignments", "simulate", "--input", "-"], change)
  expect(simulated.out).toBe(`${membershipId}\t${plugin}\tblocked\tdefault_on\n`)

  const updated = await json(["assignments", "update", one.id, "--mode", "available", "--priority", "9"])
  expect(updated.item).toMatchObject({ mode: "available", priority: 9, memberIds: [membershipId] })
  expect((await json(["assignments", "set-choice", "Review", "--enabled"])).item).toMatchObject({ enabled: true })
  expect((await json(["assignments", "own"])).items).toMatchObject([{ pluginId: plugin, choice: true }])
  expect((await orgplane(["assignments", "reset-choice", "Review", "--yes"])).code).toBe(0)
  expect((await orgplane(["assignments", "remove", one.id, "--yes"])).code).toBe(0)
  expect((await orgplane(["assignments", "get", one.id])).code).toBe(3)
})
