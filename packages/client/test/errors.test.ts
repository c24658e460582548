import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import {
  createClient,
  ForbiddenError,
  InvalidRequestError,
  OrgplaneError,
  type RateLimitedError,
  ServerError
} from "../src/index.ts"
import { clientOf, failure, json } from "./server.ts"

describe("an error", () => {
  it.each([
    [400, { error: "invalid_request", details: [] }, "InvalidRequestError", "invalid_request"],
    [401, { error: "unauthorized" }, "UnauthorizedError", "unauthorized"],
    [402, { error: "enterprise_plan_required", feature: "sso" }, "PlanRequiredError", "enterprise_plan_required"],
    [403, { reason: "owner_required", message: "no" }, "ForbiddenError", "forbidden"],
    [404, { error: "plugin_not_found" }, "NotFoundError", "plugin_not_found"],
    [409, { error: "stale_revision" }, "ConflictError", "stale_revision"],
    [412, { error: "precondition_failed" }, "PreconditionFailedError", "precondition_failed"],
    [413, { error: "payload_too_large" }, "PayloadTooLargeError", "payload_too_large"],
    [429, { error: "rate_limited" }, "RateLimitedError", "rate_limited"],
    [500, { error: "internal_error" }, "ServerError", "internal_error"],
    [502, "<html>", "ServerError", "http_502"],
    [503, { error: "unavailable" }, "ServerError", "unavailable"],
    [418, undefined, "OrgplaneError", "http_418"]
  ])("for the status %i has a class and a code", async (status, body, name, code) => {
    const { client } = clientOf([json(status, body)], { retries: 0 })
    const error = await failure(client.plugins.get("plg_1"))
    expect(error).toBeInstanceOf(OrgplaneError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name, code, status, requestId: "req_1" })
    expect((error as OrgplaneError).body).toEqual(body)
    expect((error as OrgplaneError).message).not.toBe("")
  })

  it("lists every validation error of a request", async () => {
    const details = [
      { path: ["body", "name"], message: "must not be empty" },
      { path: ["query", "limit"], message: "must be at most 100" }
    ]
    const { client } = clientOf([json(400, { error: "invalid_request", details })])
    const error = await failure(client.plugins.create({ name: "" }))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect((error as InvalidRequestError).details).toEqual(details)
    expect((error as Error).message).toBe("body.name: must not be empty; query.limit: must be at most 100")
  })

  it("contains the diagnosis and the exchange of a failure at an MCP server", async () => {
    const diagnostic = { referenceId: "req_1", category: "tool", code: "tool_error", message: "no", retryable: false }
    const inspection = { diagnosis: { summary: "It ran and failed." } }
    const { client } = clientOf([json(502, { error: "tool_execution_failed", diagnostic, inspection })], { retries: 0 })
    const error = await failure(client.mcpConnections.callTool("emc_1", { toolName: "a", arguments: {} }))
    if (!(error instanceof ServerError)) throw error
    expect([error.code, error.diagnostic?.category, error.diagnostic?.code]).toEqual([
      "tool_execution_failed",
      "tool",
      "tool_error"
    ])
    expect(error.inspection?.diagnosis.summary).toBe("It ran and failed.")
    const other = await failure(
      clientOf([json(502, { error: "x", diagnostic: "no" })], { retries: 0 }).client.mcpConnections.resolve({
        query: "a"
      })
    )
    expect(other).toMatchObject({ name: "ServerError", diagnostic: undefined, inspection: undefined })
  })

  it("contains the reason why a caller is not allowed", async () => {
    const { client } = clientOf([json(403, { reason: "grant_required", message: "Ask a manager." })])
    const error = await failure(client.plugins.get("plg_1"))
    expect(error).toBeInstanceOf(ForbiddenError)
    expect(error).toMatchObject({ reason: "grant_required", message: "Ask a manager." })
  })

  it.each([
    ["7", 7000],
    ["nonsense", undefined],
    [undefined, undefined]
  ])("contains the delay of the Retry-After header %j", async (header, millis) => {
    const response = json(429, { error: "rate_limited" }, header === undefined ? {} : { "retry-after": header })
    const error = await failure(clientOf([response], { retries: 0 }).client.plugins.get("plg_1"))
    expect((error as RateLimitedError).retryAfterMillis).toBe(millis)
  })

  it("parses a date in Retry-After", async () => {
    const response = json(429, undefined, { "retry-after": new Date(Date.now() + 30_000).toUTCString() })
    const error = await failure(clientOf([response], { retries: 0 }).client.plugins.get("plg_1"))
    expect((error as RateLimitedError).retryAfterMillis).toBeGreaterThan(20_000)
    expect((error as RateLimitedError).retryAfterMillis).toBeLessThanOrEqual(30_000)
  })

  it("keeps the text of a malformed JSON body", async () => {
    const broken = new Response("{", { status: 502, headers: { "content-type": "application/json" } })
    expect(await failure(clientOf([broken], { retries: 0 }).client.plugins.get("plg_1"))).toMatchObject({
      code: "http_502",
      body: "{"
    })
  })
})

describe("calls over real sockets", () => {
  const ends: Array<() => void> = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })
  const listen = async (listener: RequestListener) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    ends.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it("use the platform's fetch", async () => {
    const baseUrl = await listen((request, response) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ item: { id: request.url } }))
    })
    expect(await createClient({ baseUrl }).plugins.get("plg_1")).toEqual({ id: "/v1/plugins/plg_1" })
  })

  it("do not follow a redirect, which could send the credential to another origin", async () => {
    let reached = 0
    const other = await listen((_, response) => {
      reached++
      response.end()
    })
    const baseUrl = await listen((_, response) => response.writeHead(307, { location: `${other}/v1/x?secret=1` }).end())
    const client = createClient({ baseUrl, apiKey: "opk_1" })
    for (const call of [client.plugins.get("plg_1"), client.plugins.create({ name: "x" })]) {
      const error = await failure(call)
      expect(error).toMatchObject({ code: "redirected", status: 307 })
      expect((error as Error).message).toContain(other)
      expect((error as Error).message).not.toContain("secret")
    }
    expect(reached).toBe(0)
  })

  it("report a reset connection as a connection error", async () => {
    let tries = 0
    const baseUrl = await listen((request) => {
      tries++
      request.socket.destroy()
    })
    const error = await failure(createClient({ baseUrl, retries: 1 }).plugins.get("plg_1"))
    expect(error).toMatchObject({ name: "ConnectionError", code: "connection_failed", status: undefined })
    expect((error as Error).cause).toBeInstanceOf(Error)
    expect(tries).toBe(2)
  })

  it("time out during a body that never ends", async () => {
    const baseUrl = await listen((_, response) => {
      response.setHeader("content-type", "application/json").write("{")
    })
    const error = await failure(createClient({ baseUrl, timeoutMillis: 100 }).plugins.get("plg_1"))
    expect(error).toMatchObject({ name: "TimeoutError", code: "timeout" })
  })
})
