import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { OrgplaneClient } from "../src/index.ts"
import { clientOf, failure, json } from "./server.ts"

const good = json(200, { ok: true, item: { id: "1" }, items: [], nextCursor: null })
const bad = (status: number, code = "unavailable", headers = {}) =>
  json(status, { error: code, message: code }, headers)
const lost = new TypeError("fetch failed")

const keys = (seen: ReadonlyArray<{ readonly headers: Headers }>) =>
  seen.map(({ headers }) => headers.get("idempotency-key"))

const never = () => new Promise<Response>(() => {})

type Do = (client: OrgplaneClient) => PromiseLike<unknown>
const get: Do = (client) => client.plugins.get("plg_1")
const list: Do = (client) => client.plugins.list()
const post: Do = (client) => client.plugins.create({ name: "n" })
const patch: Do = (client) => client.connectors.updateInstance("cin_1", { name: "n" })
const remove: Do = (client) => client.sessions.revoke("ses_1")
const preview: Do = (client) => client.mcpConnections.resolve({ query: "mcp.example" })
const unkeyed: Do = (client) => client.bootstrap.workspace({ workspaceName: "Acme" }, { idempotencyKey: "k" })

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
afterEach(() => vi.useRealTimers())

/** Runs a call to its end and measures the time. */
const run = async (deed: PromiseLike<unknown>) => {
  const start = Date.now()
  const result = Promise.resolve(deed).then(
    (value) => ({ value, error: undefined, millis: Date.now() - start }),
    (error: unknown) => ({ value: undefined, error, millis: Date.now() - start })
  )
  await vi.runAllTimersAsync()
  return result
}

describe("retries", () => {
  const table: ReadonlyArray<readonly [string, Do, Response | Error, number]> = [
    ["a rate-limited GET", get, bad(429, "rate_limited"), 3],
    ["a GET while the service is unavailable", get, bad(503), 3],
    ["a GET with a bad gateway", get, bad(502, "codehost_api_error"), 3],
    ["a GET without a response", get, lost, 3],
    ["a list", list, bad(503), 3],
    ["a DELETE", remove, bad(503), 3],
    ["a POST with its idempotency key", post, bad(503), 3],
    ["a POST without a response", post, lost, 3],
    ["a POST with a gateway timeout without an error code", post, json(504, undefined), 3],
    ["a GET that failed with an internal error", get, bad(500, "internal_error"), 3],
    ["a GET that timed out", get, bad(408, "request_timeout"), 3],
    ["a POST with its idempotency key that failed with an internal error", post, bad(500, "internal_error"), 3],
    ["a PATCH", patch, bad(503), 3],
    ["a PATCH without a response", patch, lost, 3],
    ["a PATCH with its version", (client) => client.plugins.update("plg_1", {}, { ifMatch: '"1"' }), lost, 3],
    ["a POST that changes nothing", preview, bad(503), 3],
    ["a POST that changes nothing, without a response", preview, lost, 3],
    ["a POST of any kind that the server asks to repeat", unkeyed, bad(429, "rate_limited", { "retry-after": "1" }), 3],
    ["not a POST of any kind that is only rate-limited", unkeyed, bad(429, "rate_limited"), 1],
    ["not a POST that failed at an upstream server", post, bad(502, "tool_execution_failed"), 1],
    ["not a POST that does not support idempotency keys, even with a key", unkeyed, bad(503), 1],
    ["not a POST that does not support idempotency keys, without a response", unkeyed, lost, 1],
    ["not a forbidden request", get, json(403, { reason: "grant_required", message: "" }), 1],
    ["not a conflict", post, bad(409, "idempotency_key_in_use"), 1]
  ]
  it.each(table)("apply to %s", async (_, deed, response, tries) => {
    const { client, seen } = clientOf([response])
    const { error } = await run(deed(client))
    expect(error).toBeInstanceOf(Error)
    expect(seen).toHaveLength(tries)
  })

  it("succeed if a later attempt succeeds", async () => {
    const { client, seen } = clientOf([bad(503), lost, good])
    expect((await run(get(client))).value).toEqual({ id: "1" })
    expect(seen).toHaveLength(3)
  })

  it("continue while the first attempt is still running on the server", async () => {
    const { client, seen } = clientOf([lost, bad(409, "idempotency_key_in_use"), good])
    expect((await run(post(client))).value).toEqual({ id: "1" })
    expect(seen).toHaveLength(3)
  })

  it("are limited by the call's option, then the client's", async () => {
    const { client, seen } = clientOf([bad(503)], { retries: 1 })
    await run(get(client))
    expect(seen).toHaveLength(2)
    await run(client.plugins.get("plg_1", { retries: 0 }))
    expect(seen).toHaveLength(3)
  })

  it("apply to raw GET requests, and to raw POST requests with an idempotency key", async () => {
    const { client, seen } = clientOf([bad(503)])
    await run(client.request("GET", "/v1/x"))
    await run(client.request("POST", "/v1/x"))
    await run(client.request("POST", "/v1/x", { idempotencyKey: "k" }))
    expect(seen.map(({ method, headers }) => `${method} ${headers.get("idempotency-key")}`)).toEqual([
      ...Array<string>(3).fill("GET null"),
      "POST null",
      ...Array<string>(3).fill("POST k")
    ])
  })
})

describe("the delay before a retry", () => {
  it("grows and stays short without Retry-After", async () => {
    const { client } = clientOf([bad(503)], { retries: 2 })
    const { millis } = await run(get(client))
    expect(millis).toBeGreaterThanOrEqual(375)
    expect(millis).toBeLessThanOrEqual(750)
  })

  it("is never shorter than Retry-After", async () => {
    const { client } = clientOf([bad(429, "rate_limited", { "retry-after": "3" }), good])
    const { millis, value } = await run(get(client))
    expect(value).toEqual({ id: "1" })
    expect(millis).toBeGreaterThanOrEqual(3_000)
    expect(millis).toBeLessThanOrEqual(3_250)
  })

  it("is not waited for if Retry-After exceeds a minute or the timeout", async () => {
    const long = clientOf([bad(429, "rate_limited", { "retry-after": "61" })], { timeoutMillis: 600_000 })
    const late = clientOf([bad(429, "rate_limited", { "retry-after": "10" })], { timeoutMillis: 5_000 })
    for (const { client, seen } of [long, late]) {
      const { error, millis } = await run(get(client))
      expect(error).toMatchObject({ name: "RateLimitedError" })
      expect(seen).toHaveLength(1)
      expect(millis).toBeLessThan(5_000)
    }
  })
})

describe("the idempotency key", () => {
  it("is the same for all attempts of a call and different for the next call", async () => {
    const { client, seen } = clientOf([bad(503), bad(503), good, good])
    await run(post(client))
    await run(post(client))
    const [first, second, third, next] = keys(seen)
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect([second, third]).toEqual([first, first])
    expect(next).not.toBe(first)
  })

  it("is the caller's if there is one", async () => {
    const { client, seen } = clientOf([bad(503), good])
    await run(client.connectors.enable("cin_1", { idempotencyKey: "mine" }))
    expect(keys(seen)).toEqual(["mine", "mine"])
  })

  it("is not sent if the operation does not support it", async () => {
    const { client, seen } = clientOf([good])
    await run(get(client))
    await run(patch(client))
    await run(unkeyed(client))
    expect(keys(seen)).toEqual([null, null, null])
  })
})

describe("cancellation and timeout", () => {
  it("abort a call with its signal before, during and between attempts", async () => {
    const before = clientOf([good])
    const reason = new Error("enough")
    expect(await failure(before.client.plugins.get("plg_1", { signal: AbortSignal.abort(reason) }))).toMatchObject({
      name: "AbortedError",
      code: "aborted",
      cause: reason
    })
    expect(before.seen).toHaveLength(0)

    for (const response of [never, bad(503, "unavailable", { "retry-after": "30" })]) {
      const end = new AbortController()
      const { client, seen } = clientOf([response])
      setTimeout(() => end.abort(), 1_000)
      const { error, millis } = await run(client.plugins.get("plg_1", { signal: end.signal }))
      expect(error).toMatchObject({ name: "AbortedError" })
      expect(millis).toBe(1_000)
      expect(seen).toHaveLength(1)
    }
  })

  it("abort a call immediately if its signal is aborted in onRetry", async () => {
    const end = new AbortController()
    const { client, seen } = clientOf([bad(503, "unavailable", { "retry-after": "30" })], {
      onRetry: () => end.abort()
    })
    const { error, millis } = await run(client.plugins.get("plg_1", { signal: end.signal }))
    expect(error).toMatchObject({ name: "AbortedError" })
    expect(millis).toBe(0)
    expect(seen).toHaveLength(1)
  })

  it.each([Infinity, 2 ** 31])("do not end a call early if timeoutMillis is %s", async (timeoutMillis) => {
    const slow = () => new Promise<Response>((resolve) => setTimeout(() => resolve(good.clone()), 100_000))
    const { client } = clientOf([bad(503), slow], { timeoutMillis })
    const { error, millis } = await run(get(client))
    expect(error).toBeUndefined()
    expect(millis).toBeGreaterThanOrEqual(100_000)
  })

  it("end a call after timeoutMillis, even if fetch ignores the signal", async () => {
    const { client, seen } = clientOf([never])
    const { error, millis } = await run(client.plugins.get("plg_1", { timeoutMillis: 2_000 }))
    expect(error).toMatchObject({ name: "TimeoutError", code: "timeout", status: undefined })
    expect((error as Error).message).toContain("2000 ms")
    expect(millis).toBe(2_000)
    expect(seen).toHaveLength(1)
  })

  it("prefer the call's timeoutMillis to the client's", async () => {
    const { client } = clientOf([never], { timeoutMillis: 5_000 })
    expect((await run(client.plugins.get("plg_1", { timeoutMillis: 2_000 }))).millis).toBe(2_000)
    expect((await run(get(client))).millis).toBe(5_000)
  })

  it("include all attempts in timeoutMillis", async () => {
    const { client } = clientOf([bad(503), never], { timeoutMillis: 2_000 })
    expect(await run(get(client))).toMatchObject({ millis: 2_000, error: { name: "TimeoutError" } })
  })

  it("leave no timer behind", async () => {
    const { client } = clientOf([good])
    await client.plugins.get("plg_1")
    expect(vi.getTimerCount()).toBe(0)
  })
})
