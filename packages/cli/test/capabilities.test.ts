/** Mail and calendar suites: the CLI as a process against a real server. */
import { afterAll, expect, it } from "vitest"
import { browse, servePlane } from "../../server/test/agents/mcp-provider.fixture.ts"
import { startSuites } from "../../server/test/agents/suites.fixture.ts"
import { spawned } from "./harness.ts"
import { beginProgram } from "./program.ts"

const suites = await startSuites()
const plane = await servePlane({ suites: suites.options })
afterAll(() => plane.close())

const orgplane = (args: ReadonlyArray<string>, stdin = "") =>
  spawned(["capabilities", ...args], { url: plane.origin, token: plane.token, stdin })

it("connects a mail suite in a browser and creates a draft", async () => {
  const draft = ["create-mail-draft", "--to", "ada@acme.example", "--subject", "Review", "--body-file", "-"]
  expect((await orgplane(draft, "Hello")).code).toBe(5)
  const { ended, link } = beginProgram(plane, ["capabilities", "connect", "suite-a", "-q"])
  expect((await browse(await link())).text).toContain("You can close this window")
  expect(await ended).toMatchObject({ code: 0, out: "suite-a\n" })
  expect((await orgplane(["connections"])).out).toMatch(/^suite-a\ttrue\tready\t/m)

  const draftResult = await orgplane([...draft, "-q"], "Two lines\nof text")
  expect(draftResult).toMatchObject({ code: 0, err: "" })
  expect((await orgplane(["get-mail-message", draftResult.out.trim(), "-q"])).out).toBe("Two lines\nof text\n")
  expect((await orgplane([...draft, "-o", "json"], "Hello")).out).toContain('"subject":"Review"')

  expect((await orgplane(["disconnect", "suite-a"])).code).toBe(2)
  expect((await orgplane(["disconnect", "suite-a", "--yes"])).out).toMatch(/^status\tnot_connected$/m)
  expect((await orgplane(["connect", "suite-c"])).code).toBe(2)
})
