import { afterAll, describe, expect, it } from "vitest"
import { callTool, listTools, probe, refusal } from "./fixtures/asking.ts"
import { listen, closed, sessionServer } from "./fixtures/counterparts.ts"
import { deed, faults, faultyServer, oddities } from "./fixtures/faulty.ts"

const server = await faultyServer()
afterAll(() => server.close())

describe("a server that fails while it is called", () => {
  it.each(Object.entries(faults).map(([name, [code]]) => [name, code] as const))(
    "%s is told as %s",
    async (name, code) => {
      const failure = await refusal.callTool(server.url, name, { text: "hello" }, "s3cret")
      expect(failure.code).toBe(code)
      const { exchange } = failure
      const isPage = name === "redirects-to-page"
      expect(exchange?.request.method).toBe(isPage ? "GET" : "POST")
      expect(exchange?.request.body.text.includes('"method":"tools/call"')).toBe(!isPage)
      expect(exchange?.request.headers.some(({ name }) => name === "authorization")).toBe(true)
      const isBeforeAnswer = ["redirects", "leads-elsewhere"].includes(name)
      expect(exchange?.response === undefined).toBe(isBeforeAnswer)
      expect(failure.providerStatus).toBe(exchange?.response?.status)
      expect(failure.message).not.toContain("s3cret")
    }
  )

  it("keeps the first 512 KiB of what is too large, and says how large it is", async () => {
    const failure = await refusal.callTool(server.url, "huge")
    expect(failure.payloadBytes).toBe(50 * 1024 * 1024)
    const body = failure.exchange?.response?.body
    expect(body?.truncated).toBe(true)
    expect(body?.text.length).toBe(512 * 1024)
    expect(body?.bytes).toBeLessThan(6 * 1024 * 1024)
  })

  it("keeps the challenge of a refusal, its error, and the server's own number of the request", async () => {
    expect(await refusal.callTool(server.url, "wants-scope")).toMatchObject({
      challenge: 'Bearer error="insufficient_scope", scope="write"',
      providerCode: "insufficient_scope",
      providerStatus: 403,
      retryable: false
    })
    expect(await refusal.callTool(server.url, "breaks")).toMatchObject({ providerRequestId: "req-42", retryable: true })
  })

  it("is given up when the time is over, whatever it does", async () => {
    expect(await refusal.callTool(server.url, "hangs", {}, undefined, 400)).toMatchObject({
      category: "network",
      code: "timeout",
      retryable: true
    })
  })

  it("leaves no room for more than its share", async () => {
    expect(await refusal.busy(server.url)).toMatchObject({ category: "network", code: "busy", retryable: true })
  })

  it("cannot be reached once it is gone", async () => {
    const gone = await faultyServer()
    await gone.close()
    const failure = await refusal.callTool(gone.url)
    expect(failure).toMatchObject({ category: "network", code: "unreachable", retryable: true })
    expect(failure.exchange?.response).toBeUndefined()
  })
})

describe("a server that is odd", () => {
  it.each(Object.keys(oddities))("%s is understood", async (name) => {
    expect((await callTool(server.url, name)).result).toHaveProperty("content")
  })

  it("gets at most sixteen of its questions answered", async () => {
    const before = server.seen.length
    await callTool(server.url, "talks-first")
    // Answers of ours have no method.
    expect(server.seen.slice(before).filter((method) => method === "POST")).toHaveLength(16)
  })
})

describe("a server that fails before it is called", () => {
  const refusals: ReadonlyArray<readonly [string, Parameters<typeof faultyServer>[0], string]> = [
    ["speaks only a version to come", deed.result({ supportedVersions: ["2031-01-01"] }), "unsupported_version"],
    [
      "refuses ours for one to come",
      deed.rpcError(-32022, "No", 400, { supported: ["2031-01-01"] }),
      "unsupported_version"
    ],
    ["wants a credential", deed.page(401, { "www-authenticate": "Bearer" }), "unauthorized"],
    ["is out of order", deed.page(502), "server_error"],
    ["takes no more", deed.page(429), "rate_limited"],
    ["is a page", deed.page(200), "not_mcp"],
    ["is nothing, and knows no handshake", deed.page(404), "json_rpc_error"],
    ["answers nonsense, and knows no handshake", deed.json({ hello: "world" }), "json_rpc_error"]
  ]
  it.each(refusals)("%s", async (_, before, code) => {
    const faulty = await faultyServer(before)
    for (const failure of [await refusal.probe(faulty.url), await refusal.listTools(faulty.url)]) {
      expect(failure.code).toBe(code)
      // Only whoever calls is shown what went over the wire.
      expect(failure).not.toHaveProperty("exchange")
    }
    const called = await refusal.callTool(faulty.url)
    expect(called.code).toBe(code)
    expect(called.exchange?.request.body.text).not.toContain("tools/call")
    await faulty.close()
  })

  it("loses the session between handshake and call, which is told and not tried again", async () => {
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

describe("a list of tools without end", () => {
  const listing = async (
    answer: (cursor: string | undefined) => { tools: ReadonlyArray<unknown>; nextCursor?: string }
  ) => {
    let pages = 0
    const { server: listed, url } = await listen(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
      const isList = method === "tools/list"
      if (isList) pages += 1
      const result = isList ? answer(params.cursor) : { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
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

  it("ends at a thousand tools, at fifty pages, in a circle, and at four megabytes", async () => {
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

  it("keeps what a database can hold, and leaves out what has no name that can be called", async () => {
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

it("never asks a server that it may not reach", async () => {
  const failure = await refusal.probe("http://10.0.0.1/mcp")
  expect(failure).toMatchObject({ category: "network", code: "destination_blocked", retryable: false })
  await expect(probe("http://10.0.0.1/mcp")).rejects.toThrow()
})
