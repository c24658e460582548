import { afterEach, describe, expect, it } from "vitest"
import { callEach, callTool, listTools, probe, refusal, target } from "./fixtures/requests.ts"
import { type Counterpart, everythingServer, sessionServer, statelessServer } from "./fixtures/counterparts.ts"

const opened: Array<Counterpart> = []
const opening = async <A extends Counterpart>(counterpart: Promise<A>): Promise<A> => {
  const server = await counterpart
  opened.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((counterpart) => counterpart.close()))
})

describe("an MCP server without sessions", () => {
  it("returns its information in one exchange, and its tools with the standard's hints", async () => {
    const server = await opening(statelessServer())
    expect(await probe(server.url)).toEqual({
      era: "stateless",
      protocolVersion: "2026-07-28",
      name: "stateless-example",
      hasTools: true
    })
    expect(server.seen).toEqual(["server/discover"])
    const { tools, truncated } = await listTools(server.url)
    expect(truncated).toBe(false)
    expect(tools.map(({ name }) => name)).toEqual(["echo", "mirror", "fail"])
    expect(tools[0]).toMatchObject({
      title: "Echo",
      description: "Returns its input.",
      readOnlyHint: true,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true
    })
    expect(tools[0]?.inputSchema).toMatchObject({ type: "object", required: ["text"] })
  })

  it("runs a tool, and returns the exchange as it was sent and received", async () => {
    const server = await opening(statelessServer())
    const { exchange, result } = await callTool(server.url, "echo", { text: "grüß dich" }, "s3cret")
    expect(result).toMatchObject({ content: [{ type: "text", text: "again: grüß dich" }] })
    expect(server.seen).toEqual(["server/discover", "tools/call"])
    const sent = Object.fromEntries(exchange.request.headers.map(({ name, value }) => [name, value]))
    expect(sent).toMatchObject({
      authorization: "Bearer s3cret",
      "mcp-method": "tools/call",
      "mcp-name": "echo",
      "mcp-protocol-version": "2026-07-28",
      connection: "close"
    })
    expect(sent).toHaveProperty("host")
    expect(JSON.parse(exchange.request.body.text)).toMatchObject({
      method: "tools/call",
      params: { name: "echo", arguments: { text: "grüß dich" } }
    })
    expect(exchange.request.body.bytes).toBe(Buffer.byteLength(exchange.request.body.text))
    expect(exchange.response).toMatchObject({ status: 200, body: { truncated: false, unavailable: false } })
    expect(exchange.response?.body.text).toContain("again: grüß dich")
  })

  it("is discovered once for calls with the same organization, owner, version and credential", async () => {
    const server = await opening(statelessServer())
    const same = { ...target(server.url, "s3cret"), reuse: { owner: "emc_1", version: 1 } }
    const others = [
      { ...same, organizationId: "org_other" },
      { ...same, reuse: { owner: "emc_2", version: 1 } },
      { ...same, reuse: { owner: "emc_1", version: 2 } },
      { ...same, credential: target(server.url, "renewed").credential },
      target(server.url, "s3cret")
    ]
    await callEach([same, same, ...others], "echo", { text: "hello" })
    const both = ["server/discover", "tools/call"]
    expect(server.seen).toEqual([...both, "tools/call", ...others.flatMap(() => both)])
  })

  it("receives arguments in headers when a tool requires them", async () => {
    const server = await opening(statelessServer())
    const { exchange, result } = await callTool(server.url, "mirror", { region: "Zürich" })
    expect(result).toMatchObject({ content: [{ text: "in Zürich" }] })
    expect(exchange.request.headers).toContainEqual({
      name: "mcp-param-region",
      value: `=?base64?${Buffer.from("Zürich").toString("base64")}?=`
    })
  })

  it("reports a tool that fails, does not exist, or rejects the arguments", async () => {
    const server = await opening(statelessServer())
    const failed = await refusal.callTool(server.url, "fail")
    expect(failed).toMatchObject({ category: "tool", code: "tool_error", providerStatus: 200 })
    expect(failed.exchange?.response?.body.text).toContain("It did not work.")
    expect(await refusal.callTool(server.url, "nothing")).toMatchObject({ code: "tool_not_found", jsonRpcCode: -32602 })
    expect(await refusal.callTool(server.url, "echo", { text: 1 })).toMatchObject({ code: "invalid_arguments" })
  })
})

describe("an MCP server with sessions", () => {
  for (const json of [true, false]) {
    it(`is connected to, and its session ended, when it responds ${json ? "with JSON" : "with events"}`, async () => {
      const server = await opening(sessionServer({ json }))
      expect(await probe(server.url)).toEqual({
        era: "session",
        protocolVersion: "2025-11-25",
        name: "session-example",
        hasTools: true
      })
      const { exchange, result } = await callTool(server.url, "echo", { text: "hello" })
      expect(result).toMatchObject({ content: [{ text: "again: hello" }] })
      expect(exchange.request.headers.map(({ name }) => name)).toContain("mcp-session-id")
      expect(server.seen).toEqual([
        ...["server/discover", "initialize", "notifications/initialized", "DELETE"],
        ...["server/discover", "initialize", "notifications/initialized", "GET", "tools/call", "DELETE"]
      ])
      expect(server.sessions()).toBe(0)
    })
  }

  it("gets responses to its pings, and fails the call when it requires input", async () => {
    const server = await opening(sessionServer())
    expect((await callTool(server.url, "ping")).result).toMatchObject({ content: [{ text: "pong" }] })
    // Without the capability, the SDK's server does not even ask.
    expect(await refusal.callTool(server.url, "ask")).toMatchObject({ category: "tool" })
  })

  it("is listed again with a new session when it lost the first", async () => {
    const server = await opening(sessionServer({ forgetsAfterLists: 1 }))
    const { tools } = await listTools(server.url)
    expect(tools.map(({ name }) => name)).toEqual(["echo", "ask", "ping"])
    expect(server.seen.filter((method) => method === "initialize")).toHaveLength(2)
  })
})

describe("the MCP reference server", () => {
  it("lists its tools and runs one", async () => {
    const server = await opening(everythingServer())
    const { server: info, tools } = await listTools(server.url)
    expect(info).toMatchObject({ era: "session", hasTools: true })
    expect(tools.length).toBeGreaterThan(5)
    const { result } = await callTool(server.url, "echo", { message: "hello" })
    expect(JSON.stringify(result)).toContain("hello")
    expect(await refusal.callTool(server.url, "no-such-tool")).toMatchObject({ code: "tool_not_found" })
    expect(await refusal.callTool(server.url, "echo", { message: 1 })).toMatchObject({ code: "invalid_arguments" })
  })
})
