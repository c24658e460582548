import { spawnSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commands } from "../src/generated/commands.ts"
import { folder, ran, serve, spawned, start } from "./harness.ts"

describe("help", () => {
  it("lists every group with its summary, and the exit codes", async () => {
    const { code, err, out } = await spawned(["--help"], { token: "" })
    expect([code, err]).toEqual([0, ""])
    // Nested groups are in the help of their parent.
    for (const { name, summary } of commands.filter((group) => !group.name.includes(" ")))
      expect(out).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 30)}`, "m"))
    expect(out).toContain("EXIT CODES")
    expect(out).not.toContain("\u001b")
  })
  it("is identical from the prebuilt page and from the parser", async () => {
    const [short, long] = await Promise.all([spawned([]), spawned(["--help", "--no-color"])])
    expect(long.out).toBe(short.out)
  })
  it("describes groups and commands", async () => {
    expect((await ran(["connectors", "--help"])).out).toContain("list, list-instances")
    const { out } = await ran(["config-objects", "create", "--help"])
    expect(out).toContain("orgplane config-objects create [flags]")
    expect(out).toMatch(/--type <choice> +The kind of a config object\. Required \(choices: skill, agent,/)
    expect(out).toContain("EXAMPLES")
  })
  it("is printed for a group without a command", async () => {
    expect(await ran(["plugins"])).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining("COMMANDS") as string
    })
  })
  it("prints the version with --version", async () => {
    expect((await spawned(["--version"])).out).toMatch(/^orgplane \d+\.\d+\.\d+/)
  })
})

const many = () => {
  const items = Array.from({ length: 100 }, (_, index) => ({ id: `plg_${index}`, name: "x".repeat(2_000) }))
  return serve({ "GET /v1/plugins": () => ({ body: { items, nextCursor: "again" + Math.random() } }) })
}

describe("a pipe", () => {
  it("ends the command without an error when it is closed", async () => {
    const { url } = await many()
    const { child, ended } = start(["plugins", "list", "--all", "-o", "ndjson"], { url })
    child.stdout.once("data", () => child.stdout.destroy())
    const { code, err } = await ended
    expect([code, err]).toEqual([0, ""])
  })
  it("receives the complete output", async () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ id: `plg_${index}`, name: "x".repeat(5_000) }))
    const { url } = await serve({ "GET /v1/plugins": { body: { items, nextCursor: null } } })
    expect(JSON.parse((await spawned(["plugins", "list", "-o", "json"], { url })).out)).toEqual({
      items,
      nextCursor: null
    })
  })
})

describe("an interrupt", () => {
  it("exits with 130 and prints nothing", async () => {
    const { seen, url } = await serve({ "GET /v1/plugins": { silent: true } })
    const { child, ended } = start(["plugins", "list"], { url })
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill("SIGINT")
    expect(await ended).toEqual({ code: 130, out: "", err: "" })
  })
})

describe("completions", () => {
  it.each(["bash", "zsh", "fish", "powershell"] as const)(
    "are a small script that asks this program, for %s",
    async (shell) => {
      const { code, out } = await ran(["completions", shell], { token: "" })
      expect(code).toBe(0)
      expect(out).toContain("orgplane __complete")
      expect(out.length).toBeLessThan(1_500)
    }
  )
  it("are a valid script for bash", async () => {
    const { out } = await ran(["completions", "bash"], { token: "" })
    expect(spawnSync("bash", ["-n"], { input: out }).status).toBe(0)
  })
  it("fail for an unsupported shell", async () => {
    expect(await ran(["completions", "tcsh"])).toMatchObject({ code: 2 })
  })
})

describe("orgplane api", () => {
  it("prints only the unchanged response body", async () => {
    const { seen, url } = await serve({ "GET /v1/plugins": { body: '{"b": 1,\n"a":2}' } })
    expect(
      await spawned(["api", "GET", "/v1/plugins", "-f", "limit=5", "-f", "q=a b", "-H", "X-Trace: 1"], { url })
    ).toEqual({
      code: 0,
      out: '{"b": 1,\n"a":2}',
      err: ""
    })
    expect(seen[0]).toMatchObject({
      path: "/v1/plugins?limit=5&q=a+b",
      headers: { authorization: "Bearer ops_test", "x-trace": "1" }
    })
  })
  it("formats JSON on a terminal and escapes control characters", async () => {
    const { url } = await serve({ "GET /v1/plugins": { body: { name: "\u009b31m" } } })
    expect((await ran(["api", "get", "/v1/plugins"], { url, columns: 80 })).out).toBe('{\n  "name": "\\u009b31m"\n}\n')
  })
  it("sends fields as a JSON body, or a file unchanged", async () => {
    const { seen, url } = await serve({ "POST /v1/plugins": { status: 201, body: {} } })
    await ran(["api", "POST", "/v1/plugins", "-f", "name=Reviews"], { url })
    const file = join(await folder(), "body.json")
    await writeFile(file, '{ "name": "x" }')
    await ran(["api", "POST", "/v1/plugins", "--input", file], { url })
    await ran(["api", "POST", "/v1/plugins", "--input", "-"], { url, stdin: "raw" })
    expect(seen.map(({ body }) => body)).toEqual(['{"name":"Reviews"}', '{ "name": "x" }', "raw"])
    expect(seen[0]?.headers["content-type"]).toBe("application/json")
  })
  it.each([
    [404, 3],
    [409, 5],
    [500, 1]
  ])("prints the body of a %i and exits with %i", async (status, code) => {
    const { url } = await serve({ "GET /v1/x": { status, body: { error: "no" } } })
    expect(await ran(["api", "GET", "/v1/x"], { url })).toMatchObject({
      code,
      out: '{"error":"no"}',
      err: `orgplane: HTTP ${status} (request req_1)\n`
    })
  })
  it.each(["https://elsewhere.example/v1", "v1/plugins", "@elsewhere.example/"])(
    "rejects the path %s",
    async (path) => {
      expect(await ran(["api", "GET", path], { url: "http://127.0.0.1:9" })).toMatchObject({ code: 2 })
    }
  )
  it.each(["//elsewhere.example/v1", "/\\elsewhere.example", "/../../x", "/:80@elsewhere.example/"])(
    "sends the path %s to the configured server",
    async (path) => {
      const { seen, url } = await serve({})
      await ran(["api", "GET", path], { url })
      expect(seen).toHaveLength(1)
    }
  )
  it("does not follow a redirect with the credential", async () => {
    const other = await serve({})
    const { url } = await serve({ "GET /v1/x": { status: 307, headers: { location: `${other.url}/v1/x` } } })
    expect(await ran(["api", "GET", "/v1/x"], { url })).toMatchObject({ code: 1 })
    expect(other.seen).toEqual([])
  })
})
