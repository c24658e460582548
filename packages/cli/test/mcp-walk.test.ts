/** MCP connections: the CLI as a process against a real server, real MCP servers and real OAuth servers. */
import { once } from "node:events"
import { request } from "node:http"
import { join } from "node:path"
import { writeFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  browse,
  type GuardedServer,
  serveGuarded,
  servePlane,
  serveTools
} from "../../server/test/agents/mcp-provider.fixture.ts"
import { folder, ran, spawned } from "./harness.ts"
import { beginProgram } from "./program.ts"

type Served = Awaited<ReturnType<typeof serveTools>>

const key = "a-key-that-nobody-may-see"
let plane: Awaited<ReturnType<typeof servePlane>>
let guarded: GuardedServer
let keyed: Served
let open: Served
let token = ""

beforeAll(async () => {
  ;[plane, guarded, keyed, open] = await Promise.all([
    servePlane(),
    serveGuarded(),
    serveTools(key),
    serveTools(undefined)
  ])
  token = plane.token
})
afterAll(() => Promise.all([plane.close(), guarded.close(), keyed.close(), open.close()]))

const begin = (...args: ReadonlyArray<string>) =>
  beginProgram({ origin: plane.origin, token }, ["mcp-connections", ...args])

const orgplane = (...args: ReadonlyArray<string>) => spawned(["mcp-connections", ...args], { url: plane.origin, token })

const json = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await orgplane(...args, "-o", "json")
  if (code !== 0) throw new Error(`orgplane mcp-connections ${args.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

let connectionCount = 0

/** Creates a connection that its creator may use. */
const create = async (url: string, ...more: ReadonlyArray<string>): Promise<string> => {
  const { mcpConnection } = await json(
    "create",
    "--name",
    `Connection ${(connectionCount += 1)}`,
    "--url",
    url,
    ...more
  )
  await json("grant-access", mcpConnection.id, "--org-wide", "--role", "viewer")
  return mcpConnection.id
}

const isLoopback = (url: URL) => url.hostname === "127.0.0.1" && /^\/[\w-]{32}$/.test(url.pathname)

describe("mcp-connections connect", () => {
  it("waits on loopback for the browser and prints the connection", async () => {
    const id = await create(guarded.mcpUrl, "--auth-type", "oauth")
    const { ended, link } = begin("connect", id, "-o", "json")
    const seen = await browse(await link())
    expect([seen.status, isLoopback(seen.url)]).toEqual([200, true])
    expect(seen.text).toContain("You can close this window")
    const { code, err, out } = await ended
    expect([code, err.includes("Waiting for the browser")]).toEqual([0, true])
    expect(JSON.parse(out).mcpConnection).toMatchObject({ id, status: "ready", connectedForMe: true })
    const { items } = await json("tools", id)
    expect(items.map((tool: { name: string }) => tool.name)).toEqual(["echo", "fail"])
    const again = await orgplane("disconnect", id, "--yes")
    expect([again.code, again.out.includes("not_connected")]).toEqual([0, true])
  })

  it("rejects other requests to the loopback listener and keeps waiting", async () => {
    const id = await create(guarded.mcpUrl, "--auth-type", "oauth")
    const { ended, link } = begin("connect", id, "-q")
    const { url } = await browse(await link(), isLoopback)
    const other = (change: (to: URL) => void, init: RequestInit = {}) => {
      const to = new URL(url)
      change(to)
      return fetch(to, init).then(({ status }) => status)
    }
    expect(await other((to) => (to.pathname = "/"))).toBe(404)
    expect(await other((to) => to.searchParams.set("state", "x".repeat(43)))).toBe(400)
    expect(await other((to) => to.searchParams.delete("state"))).toBe(400)
    expect(await other((to) => to.searchParams.append("state", "x"))).toBe(400)
    expect(await other((to) => to.searchParams.delete("code"))).toBe(400)
    expect(await other(() => {}, { method: "POST" })).toBe(405)
    // DNS rebinding: another host name that resolves to this machine.
    const rebound = request(url, { headers: { host: `rebound.example:${url.port}` } }).end()
    const [response] = await once(rebound, "response")
    response.resume()
    expect(response.statusCode).toBe(404)
    expect(await other(() => {})).toBe(200)
    expect(await ended).toMatchObject({ code: 0, out: `${id}\n` })
  })

  it("reports denied access and exits with 6", async () => {
    const id = await create(guarded.mcpUrl, "--auth-type", "oauth")
    guarded.consent = "deny"
    try {
      const { ended, link } = begin("connect", id)
      const seen = await browse(await link())
      expect(seen.text).toContain("Sign-in failed")
      const { code, err, out } = await ended
      expect([code, out]).toEqual([6, ""])
      expect(err).toMatch(/orgplane: Access was denied in the browser\. Connection \d+ is not connected\.\n$/)
    } finally {
      guarded.consent = "allow"
    }
    expect((await json("get", id)).mcpConnection.status).toBe("not_connected")
  })

  it("ends after ten minutes without a sign-in, and when interrupted", async () => {
    const id = await create(guarded.mcpUrl, "--auth-type", "oauth")
    // This run has a virtual clock.
    const late = await ran(["mcp-connections", "connect", id], { url: plane.origin, token })
    expect([late.code, late.err.includes("within ten minutes")]).toEqual([1, true])
    const { child, ended, link } = begin("connect", id)
    await link()
    child.kill("SIGINT")
    expect((await ended).code).toBe(130)
  })

  it("accepts a pasted code or URL from a browser on another machine", async () => {
    const id = await create(guarded.mcpUrl, "--auth-type", "oauth")
    const callback = (url: URL) => url.pathname === "/v1/mcp-connections/callback"
    const first = begin("connect", id, "--paste")
    const page = await browse(await first.link())
    expect(page.text).toContain("Almost connected")
    const [code, issuer] = ["Code", "Issuer"].map(
      (name) => new RegExp(`<dt>${name}</dt><dd><code>([^<]*)`).exec(page.text)?.[1]
    )
    first.child.stdin.end(`${code}\n${issuer}\n`)
    expect(await first.ended).toMatchObject({ code: 0 })

    const second = begin("connect", id, "--paste")
    const { url } = await browse(await second.link(), callback)
    second.child.stdin.end(`${url.href}\n`)
    expect(await second.ended).toMatchObject({ code: 0 })

    const third = begin("connect", id, "--paste")
    await third.link()
    third.child.stdin.end(`${url.href}\n`)
    const result = await third.ended
    expect([result.code, result.err.includes("does not belong to this sign-in")]).toEqual([1, true])
  })

  it("opens a browser on a terminal unless --no-browser is set", async () => {
    const id = await create(guarded.mcpUrl, "--auth-type", "oauth")
    const opened: Array<string> = []
    const { code, err, out } = await ran(["mcp-connections", "connect", id, "--no-color"], {
      url: plane.origin,
      token,
      columns: 100,
      opens: async (url) => {
        opened.push(url)
        await browse(url)
      }
    })
    expect([code, opened.length]).toEqual([0, 1])
    expect(err).toContain("Opened a browser")
    expect(out).toMatch(/^status +ready$/m)
    const quiet = await ran(["mcp-connections", "connect", id, "--no-browser"], {
      url: plane.origin,
      token,
      columns: 100,
      opens: async (url) => void opened.push(url)
    })
    expect([quiet.code, opened.length]).toEqual([1, 1])
  })

  it("reads an API key from a file, a pipe or a hidden prompt", async () => {
    const id = await create(keyed.mcpUrl, "--auth-type", "apikey", "--api-key-header", "x-key")
    const file = join(await folder(), "key.txt")
    await writeFile(file, `${key}\n`)
    const byFile = await orgplane("connect", id, "--api-key-file", file, "-q")
    expect(byFile).toEqual({ code: 0, out: `${id}\n`, err: "" })
    const argv = ["mcp-connections", "connect", id]
    const piped = { url: plane.origin, token, stdin: `${key}\n` }
    expect(await spawned([...argv, "--api-key-file", "-", "-q"], piped)).toMatchObject({ code: 0 })
    const result = await ran(argv, { url: plane.origin, token, columns: 100, typed: [key] })
    expect([result.code, result.hidden]).toEqual([0, "API key (hidden): "])
    expect(result.out + result.err).not.toContain(key)
    const wrong = await spawned([...argv, "--api-key-file", "-"], { ...piped, stdin: "another-key\n" })
    expect([wrong.code, wrong.err.includes("another-key")]).toEqual([1, false])
    expect((await orgplane("connect", id)).code).toBe(2)
  })
})

describe("mcp-connections call", () => {
  it("prints the exchange and the tool's result without the API key", async () => {
    const id = await create(keyed.mcpUrl, "--auth-type", "apikey", "--api-key-header", "x-key")
    await spawned(["mcp-connections", "connect", id, "--api-key-file", "-"], { url: plane.origin, token, stdin: key })
    const { code, err, out } = await orgplane("call", id, "echo", "--arg", "text=a=b", "--arg", "times:=2")
    expect([code, err]).toEqual([0, ""])
    expect(out).toContain(`POST ${keyed.mcpUrl}`)
    expect(out).toContain('"text": "a=b"')
    expect(out).toMatch(/^200 OK, \d+ ms$/m)
    expect(out).toMatch(/^ {2}x-key: \[redacted\]$/m)
    expect(out.endsWith("\na=b a=b\n")).toBe(true)
    expect(out).not.toContain(key)

    const file = join(await folder(), "args.json")
    await writeFile(file, '{"text":"hello","times":3}')
    expect(await orgplane("call", id, "echo", "--args", file, "--arg", "times:=1", "-q")).toEqual({
      code: 0,
      out: "hello\n",
      err: ""
    })
    const whole = await json("call", id, "echo", "--args", file)
    expect(whole.result.content).toEqual([{ type: "text", text: "hello hello hello" }])
    const body = join(await folder(), "body.json")
    await writeFile(body, '{"toolName":"echo","arguments":{"text":"raw"}}')
    expect((await orgplane("call-tool", id, "--input", body, "-q")).out).toBe("raw\n")
  })

  it("prints what failed at which layer and what to do, and exits with 1", async () => {
    const id = await create(open.mcpUrl, "--auth-type", "none")
    const failed = await orgplane("call", id, "fail")
    expect([failed.code, failed.out]).toEqual([1, ""])
    expect(failed.err).toContain(`POST ${open.mcpUrl}`)
    expect(failed.err).toContain("It did not work.")
    expect(failed.err).toMatch(/^orgplane: .*\(tool_execution_failed, request req_\S+\)$/m)
    expect(failed.err).toMatch(/^ {2}tool: tool_error$/m)
    const result = await orgplane("call", id, "fail", "-o", "json")
    expect(result.code).toBe(1)
    expect(JSON.parse(result.err)).toMatchObject({
      error: "tool_execution_failed",
      status: 502,
      diagnostic: { category: "tool", code: "tool_error" },
      inspection: { request: { method: "POST" } }
    })
  })

  it("applies the tool policy", async () => {
    const id = await create(open.mcpUrl, "--auth-type", "none")
    await json("set-tool-policy", id, "--mode", "read_only")
    const { items } = await json("tools", id)
    expect(items.map((tool: { name: string; decision: string }) => [tool.name, tool.decision])).toEqual([
      ["echo", "allowed"],
      ["fail", "denied"]
    ])
    expect(await orgplane("call", id, "fail")).toMatchObject({ code: 6, out: "" })
    expect((await orgplane("tools", id, "-q")).out).toBe("echo\nfail\n")
    expect((await orgplane("tool-policy", id)).out).toBe("mode\tread_only\nallowed\t-\ndenied\t-\n")
  })
})

describe("mcp-connections resolve", () => {
  it("prints a server and its requirements, with the command that creates a connection", async () => {
    const { code, out } = await orgplane("resolve", guarded.mcpUrl)
    expect(code).toBe(0)
    expect(out).toContain(`URL       ${guarded.mcpUrl}\n`)
    expect(out).toMatch(/^sign-in {3}OAuth at http:\/\/127\.0\.0\.1:\d+$/m)
    expect(out).toContain("tools     visible only after sign-in\n")
    expect(out).toMatch(/^orgplane mcp-connections create --name \S+ --url \S+ --auth-type oauth$/m)
    const without = await orgplane("resolve", open.mcpUrl)
    expect(without.out).toMatch(/^tools {5}2\n {2}echo {2}read-only/m)
    expect(without.out).toContain("--auth-type none")
    expect((await orgplane("resolve", open.mcpUrl, "-q")).out).toBe(`${open.mcpUrl}\n`)
  })

  it("prints the attempted URLs and exits with 3 if there is no server", async () => {
    const nowhere = `${plane.origin}/nowhere`
    const { code, out } = await orgplane("resolve", nowhere)
    expect(code).toBe(3)
    expect(out).toMatch(/^x not found: \S/)
    expect(out).toContain(`\ntried\n  ${nowhere}`)
    expect(await orgplane("resolve", nowhere, "-o", "json")).toMatchObject({ code: 3, err: "" })
  })
})
