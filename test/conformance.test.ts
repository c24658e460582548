import { expect, it } from "vitest"
import { conforming, faultsOf } from "./conformance.ts"

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      "x-request-id": "req_conformance",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    }
  })

const list = { method: "GET", url: "http://localhost/v1/sessions" }
const faults = async (request: { method: string; url: string }, response: Response, prefix?: string) =>
  (await faultsOf(request, response, prefix)).join("\n")

it("finds nothing at an answer that is the contract's", async () => {
  expect(await faults(list, answer(200, { items: [], nextCursor: null }))).toBe("")
  expect(await faults(list, answer(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" }))).toBe("")
  expect(
    await faults({ method: "GET", url: "http://localhost/api/v1/health/" }, answer(200, { status: "ok" }), "/api")
  ).toBe("")
  expect(
    await faults(
      { method: "GET", url: "http://localhost/v1/nothing" },
      answer(404, { error: "route_not_found", message: "No such route." })
    )
  ).toBe("")
})

it("finds what an answer says, lacks or shows against the contract", async () => {
  const page = { items: [], nextCursor: null }
  expect(await faults(list, answer(200, { items: [] }))).toMatch(/does not describe.*nextCursor/)
  expect(await faults(list, answer(200, { items: [{}], nextCursor: null }))).toContain("no schema of it decodes")
  expect(await faults(list, answer(201, page))).toContain("not declared")
  expect(await faults(list, answer(404, { error: "session_not_found", message: "m" }))).toContain("not declared")
  expect(await faults(list, answer(404, { error: "route_not_found", message: "m" }))).toContain("not declared")
  expect(await faults(list, answer(401, { error: "unauthorized" }))).toContain("lacks the header www-authenticate")
  expect(await faults(list, answer(429, { error: "rate_limited", message: "m" }))).toContain("retry-after")
  expect(await faults(list, answer(200, page, { "x-request-id": "" }))).toContain("x-request-id")
  expect(await faults(list, answer(200, page, { "content-type": "text/plain" }))).toContain("is text/plain where")
  expect(await faults(list, answer(500, { error: "internal_error", message: "SELECT 1" }))).toContain("a statement")
  expect(await faults({ ...list, method: "HEAD" }, answer(200, page))).toContain("HEAD")
  expect(await faults({ method: "GET", url: "http://localhost/v1/nothing" }, answer(200, {}))).toContain("a route")
})

it("fails the request whose answer is not the contract's, and tells of it", async () => {
  const told: Array<string> = []
  const fetch = conforming(
    () => Promise.resolve(answer(200, { items: [] })),
    (found) => told.push(...found)
  )
  await expect(fetch(new Request(list.url))).rejects.toThrow("sessions.list")
  expect(told).not.toEqual([])
})
