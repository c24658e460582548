import { describe, expect, it, vi } from "vitest"
import { serveTools, tool } from "../../packages/server/test/agents/mcp.fixture.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, runServer, startServer } from "./server.fixture.ts"

vi.setConfig({ testTimeout: 240_000 })

describe("ORGPLANE_OUTBOUND_ALLOW_HTTP", () => {
  it("lets the server use an MCP server on loopback, which is unreachable without the variable", async () => {
    const server = await serveTools([tool("search")])
    const url = server.url.replace("127.0.0.1", "localhost")
    const toolsFrom = async (environment: Readonly<Record<string, string>>) => {
      const running = await startServer({
        ORGPLANE_DATA_DIR: makeDataDir(),
        ORGPLANE_SEED: "none",
        ORGPLANE_OUTBOUND_ALLOW: "127.0.0.0/8",
        ...environment
      })
      const token = await makeWorkspace(running.baseUrl)
      const created = await ask(running.baseUrl, token, "POST", "/v1/mcp-connections", {
        name: "Local",
        url,
        authType: "none"
      })
      const listed = await ask(
        running.baseUrl,
        token,
        "GET",
        `/v1/mcp-connections/${created.body.mcpConnection.id}/tools`
      )
      running.signal("SIGTERM")
      await running.ended
      return listed
    }
    const allowed = await toolsFrom({ ORGPLANE_OUTBOUND_ALLOW_HTTP: "localhost" })
    expect([allowed.status, allowed.body.items?.[0]?.name]).toEqual([200, "search"])
    const refused = await toolsFrom({})
    expect([refused.status, refused.body.diagnostic?.code]).toEqual([502, "destination_blocked"])
    await server.close()
  })

  it("stops the start with a clear message when it is malformed", async () => {
    const ended = await runServer({
      ORGPLANE_DATA_DIR: makeFolder(),
      ORGPLANE_OUTBOUND_ALLOW_HTTP: "http://localhost:3000"
    })
    expect(ended.code).toBe(2)
    expect(ended.stderr + ended.stdout).toContain(
      "ORGPLANE_OUTBOUND_ALLOW_HTTP must list addresses, ranges like 127.0.0.0/8 or host names like mcp.internal, without a scheme, a port or a path."
    )
  })
})
