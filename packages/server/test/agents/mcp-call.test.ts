/** Single tool calls through the HTTP API, against third-party servers. */
import { afterAll, describe, expect, it } from "vitest"
import { everythingServer, statelessServer } from "../../src/infra/adapters/mcp/fixtures/counterparts.ts"
import { faults, faultyServer } from "../../src/infra/adapters/mcp/fixtures/faulty.ts"
import { addMember, type TestResponse, makeControlPlane, makeWorkspace, runSql, type Workspace } from "../harness.ts"

const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const owner = await makeWorkspace(plane)
const faulty = await faultyServer()
const stateless = await statelessServer()
afterAll(() => Promise.all([faulty.close(), stateless.close()]))

let connectionCount = 0
const connect = async (url: string, person: Workspace = owner, settings: object = {}): Promise<string> => {
  const body = { name: `Server ${++connectionCount}`, url, authType: "none", credentialMode: "shared", ...settings }
  const response = await person.call("POST", "/v1/mcp-connections", body)
  expect(response.status).toBe(201)
  return response.body.mcpConnection.id
}

const run = (
  id: string,
  toolName: string,
  args: object = {},
  headers: Record<string, string> = {},
  person: Pick<Workspace, "call"> = owner
): Promise<TestResponse> =>
  person.call("POST", `/v1/mcp-connections/${id}/tools/call`, { toolName, arguments: args }, headers)

const auditOf = async (id: string, person: Workspace = owner) =>
  (await person.call("GET", `/v1/audit-events?targetId=${id}&limit=100`)).body.items as ReadonlyArray<{
    readonly action: string
    readonly after: Record<string, unknown>
  }>

describe("a tool call", () => {
  it("returns the result and the exchange as it was transmitted", async () => {
    const id = await connect(`${stateless.url}?tenant=blue-whale-77&flag`)
    const toolResponse = await run(id, "echo", { text: "hello" }, { "x-request-id": "the-first-call" })
    expect(toolResponse.status).toBe(200)
    expect(toolResponse.headers.get("cache-control")).toBe("no-store")
    expect(toolResponse.body).toMatchObject({
      referenceId: "the-first-call",
      result: { content: [{ type: "text", text: "again: hello" }] },
      inspection: {
        request: { method: "POST", url: `${stateless.url}?tenant=[redacted]&[redacted]` },
        response: { status: 200, statusText: "OK", body: { truncated: false, unavailable: false } }
      }
    })
    const { diagnosis, request, response } = toolResponse.body.inspection
    expect(diagnosis.summary).toMatch(
      /^The tool returned a result: the server returned 200 with \d+ bytes in \d+ ms\.$/
    )
    expect(JSON.parse(request.body.text)).toMatchObject({ method: "tools/call", params: { name: "echo" } })
    expect(request.body.bytes).toBe(Buffer.byteLength(request.body.text))
    expect(request.headers).toContainEqual({ name: "mcp-name", value: "echo", redacted: false })
    expect(response.body.text).toContain("again: hello")
    expect(toolResponse.text).not.toContain("blue-whale-77")
  })

  it("runs a tool of the reference server, and does not show the session ID", async () => {
    const server = await everythingServer()
    try {
      const id = await connect(server.url)
      const { body, status } = await run(id, "echo", { message: "hello" })
      expect([status, body.result.content[0].text]).toEqual([200, "Echo: hello"])
      expect(body.inspection.request.headers).toContainEqual({
        name: "mcp-session-id",
        value: "[redacted]",
        redacted: true
      })
    } finally {
      await server.close()
    }
  })

  it("audits its start and outcome, and nothing that was sent", async () => {
    const id = await connect(stateless.url)
    await run(id, "echo", { text: "canary-4711" })
    await run(id, "fail")
    const events = await auditOf(id)
    expect(
      events
        .filter(({ action }) => /\.tool_call\.start$|\.tool\.call$/.test(action))
        .map(({ action, after }) => [action, after["tool"], after["outcome"]])
    ).toEqual([
      ["mcp_connection.tool.call", "fail", "tool_error"],
      ["mcp_connection.tool_call.start", "fail", undefined],
      ["mcp_connection.tool.call", "echo", "result"],
      ["mcp_connection.tool_call.start", "echo", undefined]
    ])
    expect(events[2]?.after["arguments"]).toEqual({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), length: 22 })
    expect(JSON.stringify(events)).not.toContain("canary-4711")
  })

  it("is made once per idempotency key, whatever its outcome", async () => {
    const id = await connect(stateless.url)
    const before = stateless.seen.filter((method) => method === "tools/call").length
    for (const [tool, status] of [
      ["echo", 200],
      ["fail", 502]
    ] as const) {
      const key = { "idempotency-key": `once ${tool}` }
      expect((await run(id, tool, { text: "x" }, key)).status).toBe(status)
      const again = await run(id, tool, { text: "x" }, key)
      expect([again.status, again.body.error]).toEqual([409, "idempotency_key_completed"])
      const other = await run(id, tool, { text: "y" }, key)
      expect([other.status, other.body.error]).toEqual([409, "idempotency_key_reused"])
    }
    expect(stateless.seen.filter((method) => method === "tools/call")).toHaveLength(before + 2)
    const stored = await runSql(
      plane,
      (sql) => sql<{ whole: string }>`SELECT answer_json::text AS whole FROM idempotency_keys`
    )
    expect(JSON.stringify(stored)).not.toContain("again:")
  })

  it("is made once for ten concurrent requests with one key", async () => {
    const id = await connect(stateless.url)
    await owner.call("GET", `/v1/mcp-connections/${id}/tools`)
    const before = stateless.seen.filter((method) => method === "tools/call").length
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => run(id, "echo", { text: "x" }, { "idempotency-key": "together" }))
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(9)
    expect(stateless.seen.filter((method) => method === "tools/call")).toHaveLength(before + 1)
  })
})

describe("a rejected tool call", () => {
  it("is checked in order: permission, size, shape, grant, readiness, policy", async () => {
    const id = await connect(stateless.url)
    const member = await addMember(plane, owner, "member")
    const nowhere = `emc_${"0".repeat(25)}1`
    expect((await run(nowhere, "echo", { text: "x".repeat(1024 * 1024 + 1) }, {}, member)).status).toBe(403)
    const large = await run(nowhere, "echo", { text: "x".repeat(1024 * 1024 + 1) })
    expect([large.status, large.body.error]).toEqual([413, "payload_too_large"])
    expect((await run(nowhere, "", {})).status).toBe(400)
    const missing = await run(nowhere, "echo")
    expect([missing.status, missing.body.error]).toEqual([404, "connection_not_found"])

    const unready = await connect(stateless.url, owner, { authType: "apikey" })
    const notReady = await run(unready, "echo")
    expect([notReady.status, notReady.body.error]).toEqual([409, "connection_not_ready"])
    expect(notReady.body.message).toMatch(/^not_connected: /)

    const policy = { mode: "all", allowed: [], denied: ["echo"] }
    expect((await owner.call("PUT", `/v1/mcp-connections/${id}/tool-policy`, policy)).status).toBe(200)
    const denied = await run(id, "echo", { text: "x" })
    expect([denied.status, denied.body.reason]).toEqual([403, "policy_blocked"])
  })

  it("returns 404 to an owner without a grant and to another organization", async () => {
    const id = await connect(stateless.url)
    const stranger = await makeWorkspace(plane, "Theirs")
    expect((await run(id, "echo", { text: "x" }, {}, stranger)).status).toBe(404)
    const { body } = await owner.call("GET", `/v1/mcp-connections/${id}/access`)
    for (const grant of body.items) {
      expect((await owner.call("DELETE", `/v1/mcp-connections/${id}/access/${grant.id}`)).status).toBeLessThan(300)
    }
    const response = await run(id, "echo", { text: "x" })
    expect([response.status, response.body.error]).toEqual([404, "connection_not_found"])
  })

  it("reports an unknown tool without a request to the server", async () => {
    const id = await connect(faulty.url)
    const before = faulty.calls()
    const response = await run(id, "never-heard-of")
    expect([response.status, response.body.diagnostic.code]).toEqual([502, "tool_not_found"])
    expect(response.body.inspection).toEqual({
      diagnosis: { summary: "No request was sent to the server: The server has no tool with this name." }
    })
    expect(faulty.calls()).toBe(before)
  })

  it("is limited to sixty per minute", async () => {
    const busy = await makeWorkspace(plane, "Busy")
    const id = await connect(stateless.url, busy)
    await runSql(
      plane,
      (sql) =>
        sql`INSERT INTO rate_windows (bucket, taken, ends_at)
        VALUES (${`mcp-call:${busy.organizationId}`}, 59, now() + interval '50 seconds')`
    )
    expect((await run(id, "echo", { text: "x" }, {}, busy)).status).toBe(200)
    const response = await run(id, "echo", { text: "x" }, {}, busy)
    expect([response.status, response.body.error]).toEqual([429, "rate_limited"])
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  })
})

describe("a failure of the MCP server", () => {
  const person = makeWorkspace(plane, "Faults")
  it.each(Object.entries(faults).map(([name, [code]]) => [name, code] as const))(
    "%s returns 502 with",
    async (name, code) => {
      const workspace = await person
      const id = await connect(faulty.url, workspace)
      const { body, status, text } = await run(
        id,
        name,
        { text: "hello" },
        { "x-request-id": `fault-${name}` },
        workspace
      )
      expect([status, body.error]).toEqual([502, "tool_execution_failed"])
      expect(body.diagnostic).toMatchObject({
        referenceId: `fault-${name}`,
        code,
        httpStatus: 502,
        outbound: { origin: new URL(faulty.url).origin, pathHash: expect.stringMatching(/^[0-9a-f]{16}$/) }
      })
      expect(body.inspection.request).toMatchObject(
        name === "redirects-to-page"
          ? { method: "GET", body: { bytes: 0 } }
          : { method: "POST", body: { truncated: false } }
      )
      expect(body.inspection.diagnosis.summary).toMatch(/^[A-Z].*\.$/)
      expect(text).not.toContain("/home/")
    }
  )
})
