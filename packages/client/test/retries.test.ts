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
const unkeyed: Do = (client) => client.bootstrap.workspace({ workspaceName: "Acme" }, { idempotencyKey: "k" })

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
afterEach(() => vi.useRealTimers())

/** Runs to the end however long it waits, and tells how long that was. */
const run = async (deed: PromiseLike<unknown>) => {
  const start = Date.now()
  const result = Promise.resolve(deed).then(
    (value) => ({ value, error: undefined, millis: Date.now() - start }),
    (error: unknown) => ({ value: undefined, error, millis: Date.now() - start })
  )
  await vi.runAllTimersAsync()
  return result
}

describe("what is tried again", () => {
  const table: ReadonlyArray<readonly [string, Do, Response | Error, number]> = [
    ["a GET that is limited", get, bad(429, "rate_limited"), 3],
    ["a GET while the service is away", get, bad(503), 3],
    ["a GET through a bad gateway", get, bad(502, "codehost_api_error"), 3],
    ["a GET that gets no answer", get, lost, 3],
    ["a list", list, bad(503), 3],
    ["a DELETE", remove, bad(503), 3],
    ["a POST with its idempotency key", post, bad(503), 3],
    ["a POST that gets no answer", post, lost, 3],
    ["a POST through a gateway that names no cause", post, json(504, undefined), 3],
    ["not a POST whose work failed behind the server", post, bad(502, "tool_execution_failed"), 1],
    ["not a POST that honours no key, even with one", unkeyed, bad(503), 1],
    ["not a PATCH", patch, bad(503), 1],
    ["not a PATCH that gets no answer", patch, lost, 1],
    ["not a fault of the server", get, bad(500, "internal_error"), 1],
    ["not a refusal", get, json(403, { reason: "grant_required", message: "" }), 1],
    ["not a conflict", post, bad(409, "idempotency_key_in_use"), 1]
  ]
  it.each(table)("%s", async (_, deed, response, tries) => {
    const { client, seen } = clientOf([response])
    const { error } = await run(deed(client))
    expect(error).toBeInstanceOf(Error)
    expect(seen).toHaveLength(tries)
  })

  it("succeeds when a later try does", async () => {
    const { client, seen } = clientOf([bad(503), lost, good])
    expect((await run(get(client))).value).toEqual({ id: "1" })
    expect(seen).toHaveLength(3)
  })

  it("goes on while its own first try is still at work", async () => {
    const { client, seen } = clientOf([lost, bad(409, "idempotency_key_in_use"), good])
    expect((await run(post(client))).value).toEqual({ id: "1" })
    expect(seen).toHaveLength(3)
  })

  it("as often as the call says, then the client", async () => {
    const { client, seen } = clientOf([bad(503)], { retries: 1 })
    await run(get(client))
    expect(seen).toHaveLength(2)
    await run(client.plugins.get("plg_1", { retries: 0 }))
    expect(seen).toHaveLength(3)
  })

  it("of a raw request: a GET, and a POST only with a key", async () => {
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

describe("the pause", () => {
  it("grows and is never long when the server does not say", async () => {
    const { client } = clientOf([bad(503)], { retries: 2 })
    const { millis } = await run(get(client))
    expect(millis).toBeGreaterThanOrEqual(375)
    expect(millis).toBeLessThanOrEqual(750)
  })

  it("is never shorter than the server asks", async () => {
    const { client } = clientOf([bad(429, "rate_limited", { "retry-after": "3" }), good])
    const { millis, value } = await run(get(client))
    expect(value).toEqual({ id: "1" })
    expect(millis).toBeGreaterThanOrEqual(3_000)
    expect(millis).toBeLessThanOrEqual(3_250)
  })

  it("is not made when the server asks for more than a minute, or for more time than there is", async () => {
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
  it("is one for all tries of a call and another for the next call", async () => {
    const { client, seen } = clientOf([bad(503), bad(503), good, good])
    await run(post(client))
    await run(post(client))
    const [first, second, third, next] = keys(seen)
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect([second, third]).toEqual([first, first])
    expect(next).not.toBe(first)
  })

  it("is the caller's when there is one", async () => {
    const { client, seen } = clientOf([bad(503), good])
    await run(client.connectors.enable("cin_1", { idempotencyKey: "mine" }))
    expect(keys(seen)).toEqual(["mine", "mine"])
  })

  it("is not sent where it is not honoured", async () => {
    const { client, seen } = clientOf([good])
    await run(get(client))
    await run(patch(client))
    await run(unkeyed(client))
    expect(keys(seen)).toEqual([null, null, null])
  })
})

describe("the end of a call", () => {
  it("comes with its signal, before, during and between tries", async () => {
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

  it("comes after timeoutMillis, whatever fetch does with its signal", async () => {
    const { client, seen } = clientOf([never])
    const { error, millis } = await run(client.plugins.get("plg_1", { timeoutMillis: 2_000 }))
    expect(error).toMatchObject({ name: "TimeoutError", code: "timeout", status: undefined })
    expect((error as Error).message).toContain("2000 ms")
    expect(millis).toBe(2_000)
    expect(seen).toHaveLength(1)
  })

  it("counts all tries into timeoutMillis", async () => {
    const { client } = clientOf([bad(503), never], { timeoutMillis: 2_000 })
    expect(await run(get(client))).toMatchObject({ millis: 2_000, error: { name: "TimeoutError" } })
  })

  it("leaves no timer behind", async () => {
    const { client } = clientOf([good])
    await client.plugins.get("plg_1")
    expect(vi.getTimerCount()).toBe(0)
  })
})
