/** LLM providers: the CLI as a process against a real server and a provider stub. */
import { afterAll, expect, it } from "vitest"
import { serveCatalog, serveProvider } from "../../server/test/agents/llm.fixture.ts"
import { spawned } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

const key = "sk-a-key-that-nobody-may-see"
const [catalog, provider] = await Promise.all([serveCatalog(), serveProvider("anthropic", key)])
const plane = await startWorkspace({ ORGPLANE_MODELS_URL: catalog.url })
afterAll(() => plane.close())

const orgplane = (args: ReadonlyArray<string>, stdin = "") =>
  spawned(["llm-providers", ...args], { url: plane.origin, token: plane.token, stdin })

it("lists catalog models with capabilities, limits and prices, and catalog providers", async () => {
  const models = await orgplane(["catalog", "--provider-id", "anthropic", "--search", "LARGE"])
  expect([models.code, models.err]).toEqual([0, ""])
  expect(models.out.trim().split("\t")).toEqual([
    "anthropic",
    "claude-large",
    "attachment, reasoning, tool_call, temperature",
    "200000",
    "64000",
    "3",
    "15",
    "2026-02-19"
  ])
  expect((await orgplane(["catalog", "--capability", "open_weights", "-o", "json"])).out).toContain('"house/one"')
  expect((await orgplane(["catalog-providers"])).out).toMatch(/^anthropic\tAnthropic\t2\tanthropic\t/m)
  expect((await orgplane(["catalog", "--capability", "magic"])).code).toBe(2)
}, 60_000)

it("reads the key from a pipe and never as an argument, tests it, and returns it on connect", async () => {
  const create = ["create", "--name", "Claude", "--provider-id", "anthropic", "--address", provider.baseUrl]
  const result = await orgplane([...create, "--input", "-"], JSON.stringify({ models: [{ id: "large" }] }))
  expect(result).toMatchObject({ code: 0 })
  expect(result.out).toMatch(/^status\tnot_connected$/m)
  const id = /^id\t(llm_\w+)$/m.exec(result.out)?.[1] ?? ""

  expect((await orgplane(["test", id])).code).toBe(5)
  const wrong = await orgplane(["set-credential", id, "--api-key-file", "-"], "sk-a-wrong-key\n")
  expect([wrong.code, wrong.out.includes("ready"), wrong.out.includes("sk-a-wrong-key")]).toEqual([0, true, false])
  const refused = await orgplane(["test", id])
  expect([refused.code, refused.out.includes("unauthorized")]).toEqual([1, true])
  expect((await orgplane(["set-credential", id, "--api-key", key])).code).toBe(2)

  await orgplane(["set-credential", id, "--api-key-file", "-"], `${key}\n`)
  const tested = await orgplane(["test", id])
  expect([tested.code, tested.err]).toEqual([0, ""])
  expect(tested.out).toMatch(/^modelsSeen\t2$/m)
  expect(await orgplane(["connect", id, "-q"])).toMatchObject({ code: 0, out: `${key}\n` })
  const connection = await orgplane(["connect", id])
  expect(connection.out).toMatch(/^credential\.header\tx-api-key$/m)
  expect((await orgplane(["list"])).out).not.toContain(key)

  expect((await orgplane(["remove-credential", id])).code).toBe(2)
  expect((await orgplane(["remove-credential", id, "--yes"])).code).toBe(0)
  expect((await orgplane(["connect", id])).code).toBe(5)
  expect((await orgplane(["remove", id, "--yes"])).code).toBe(0)
  expect((await orgplane(["get", id])).code).toBe(3)
}, 120_000)
