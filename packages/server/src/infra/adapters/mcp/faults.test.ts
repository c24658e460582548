import { afterAll, describe, expect, it } from "vitest"
import { callTool, listTools, probe, refusal } from "./fixtures/requests.ts"
import { listen, closed, sessionServer } from "./fixtures/counterparts.ts"
import { deed, faults, faultyServer, oddities } from "./fixtures/faulty.ts"

const server = await faultyServer()
afterAll(() => server.close())

describe("an MCP server that fails during a call", () => {
  it.each(Object.entries(faults).map(([name, [code]]) => [name, code] as const))(
    "reports %s as %s",
    async (name, code) => {
      const failure = await refusal.callTool(server.url, name, { text: "hello" }, "s3cret")
      expect(failure.code).toBe(code)
      const { exchange } = failure
      const isPage = name === "redirects-to-page"
      expect(exchange?.request.method).toBe(isPage ? "GET" : "POST")
      expect(exchange?.request.body.text.includes('"method":"tools/call"')).toBe(!isPage)
      expect(exchange?.request.headers.some(({ name }) => name === "authorization")).toBe(true)
      const isBeforeResponse = ["redirects", "leads-elsewhere"].includes(name)
      expect(exchange?.response === undefined).toBe(isBeforeResponse)
      expect(failure.providerStatus).toBe(exchange?.response?.status)
      expect(failure.message).not.toContain("s3cret")
    }
  )

  it("captures the first 512 KiB of a response that is too large, and its size", async () => {
    const failure = await refusal.callTool(server.url, "huge")
    expect(failure.payloadBytes).toBe(50 * 1024 * 1024)
    const body = failure.exchange?.response?.body
    expect(body?.truncated).toBe(true)
    expect(body?.text.length).toBe(512 * 1024)
    expect(body?.bytes).toBeLessThan(6 * 1024 * 1024)
  })

  it("keeps the challenge of a rejection, its error code, and the server's request ID", async () => {
    expect(await refusal.callTool(server.url, "wants-scope")).toMatchObject({
      challenge: 'Bearer error="insufficient_scope", scope="write"',
      providerCode: "insufficient_scope",
      providerStatus: 403,
      retryable: false
    })
    expect(await refusal.callTool(server.url, "breaks")).toMatchObject({ providerRequestId: "req-42", retryable: true })
  })

  it("times out, whatever the server does", async () => {
    expect(await refusal.callTool(server.url, "hangs", {}, undefined, 400)).toMatchObject({
      category: "network",
      code: "timeout",
      retryable: true
    })
  })

  it("limits the connections of one organization", async () => {
    expect(await refusal.busy(server.url)).toMatchObject({ category: "network", code: "busy", retryable: true })
  })

  it("is reported as unreachable after it was stopped", async () => {
    const stoppedServer = await faultyServer()
    await stoppedServer.close()
    const failure = await refusal.callTool(stoppedServer.url)
    expect(failure).toMatchObject({ category: "network", code: "unreachable", retryable: true })
    expect(failure.exchange?.response).toBeUndefined()
  })
})

describe("an MCP server with unusual behavior", () => {
  it.each(Object.keys(oddities))("%s is understood", async (name) => {
    expect((await callTool(server.url, name)).result).toHaveProperty("content")
  })

  it("gets responses to at most sixteen of its requests", async () => {
    const before = server.seen.length
    await callTool(server.url, "talks-first")
    // Responses have no method.
    expect(server.seen.slice(before).filter((method) => method === "POST")).toHaveLength(16)
  })
})

describe("an MCP server that fails before a call", () => {
  const refusals: ReadonlyArray<readonly [string, Parameters<typeof faultyServer>[0], string]> = [
    ["supports only a future version", deed.result({ supportedVersions: ["2031-01-01"] }), "unsupported_version"],
    [
      "rejects the supported version for a future one",
      deed.rpcError(-32022, "No", 400, { supported: ["2031-01-01"] }),
      "unsupported_version"
    ],
    ["requires a credential", deed.page(401, { "www-authenticate": "Bearer" }), "unauthorized"],
    ["is out of order", deed.page(502), "server_error"],
    ["limits the rate", deed.page(429), "rate_limited"],
    ["is an HTML page", deed.page(200), "not_mcp"],
    ["returns 404, and does not support initialize", deed.page(404), "json_rpc_error"],
    ["returns an invalid message, and does not support initialize", deed.json({ hello: "world" }), "json_rpc_error"]
  ]
  it.each(refusals)("%s", async (_, before, code) => {
    const faulty = await faultyServer(before)
    for (const failure of [await refusal.probe(faulty.url), await refusal.listTools(faulty.url)]) {
      expect(failure.code).toBe(code)
      // Only callers of tools see the exchange.
      expect(failure).not.toHaveProperty("exchange")
    }
    const called = await refusal.callTool(faulty.url)
    expect(called.code).toBe(code)
    expect(called.exchange?.request.body.text).not.toContain("tools/call")
    await faulty.close()
  })

  it("reports a session that is lost between handshake and call, without a retry", async () => {
    const forgetful = await sessionServer({ forgetsAtCall: true })
    expect(await refusal.callTool(forgetful.url)).toMatchObject({
      category: "protocol",
      code: "session_lost",
      retryable: true,
      providerStatus: 404
    })
    expect(forgetful.seen.filter((method) => method === "tools/call")).toHaveLength(1)
    await forgetful.close()
  })
})

describe("an endless list of MCP tools", () => {
  const listing = async (
    pageFor: (cursor: string | undefined) => { tools: ReadonlyArray<unknown>; nextCursor?: string }
  ) => {
    let pages = 0
    const { server: listed, url } = await listen(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
      const isList = method === "tools/list"
      if (isList) pages += 1
      const result = isList
        ? pageFor(params.cursor)
        : { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
      deed.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } })({
        id,
        request,
        response,
        params
      })
    })
    const outcome = await listTools(url)
    await closed(listed)
    return { ...outcome, pages }
  }
  const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } })

  it("is truncated at a thousand tools, fifty pages, a repeated cursor and four megabytes", async () => {
    const many = await listing((cursor) => ({
      tools: Array.from({ length: 300 }, (_, i) => tool(`${cursor ?? "0"}-${i}`)),
      nextCursor: String(Number(cursor ?? 0) + 1)
    }))
    expect([many.tools.length, many.pages, many.truncated]).toEqual([1000, 4, true])
    const pages = await listing((cursor) => ({
      tools: [tool(`t${cursor ?? 0}`)],
      nextCursor: String(Number(cursor ?? 0) + 1)
    }))
    expect([pages.tools.length, pages.pages, pages.truncated]).toEqual([50, 50, true])
    const circle = await listing(() => ({ tools: [tool("same")], nextCursor: "same" }))
    expect([circle.tools.length, circle.pages, circle.truncated]).toEqual([1, 2, true])
    const large = await listing((cursor) => ({
      tools: [tool(`t${cursor ?? 0}`, "x".repeat(900_000))],
      nextCursor: String(Number(cursor ?? 0) + 1)
    }))
    expect([large.tools.length, large.truncated]).toEqual([4, true])
  })

  it("keeps what the database can store, and omits tools without a usable name", async () => {
    const odd = await listing(() => ({
      tools: [
        tool("good", "a\u0000b\ud800c"),
        tool(""),
        tool("x".repeat(256)),
        tool("n\u0000"),
        { title: "none" },
        7,
        null
      ]
    }))
    expect(odd.tools).toHaveLength(1)
    expect(odd.tools[0]).toMatchObject({ name: "good", description: "a\uFFFDb\uFFFDc" })
  })
})

it("never sends a request to an MCP server at a blocked address", async () => {
  const failure = await refusal.probe("http://10.0.0.1/mcp")
  expect(failure).toMatchObject({ category: "network", code: "destination_blocked", retryable: false })
  await expect(probe("http://10.0.0.1/mcp")).rejects.toThrow()
})
