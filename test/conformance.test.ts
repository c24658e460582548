import { expect, it } from "vitest"
import { conforming, faultsOf } from "./conformance.ts"

const respond = (status: number, body: unknown, headers: Record<string, string> = {}) =>
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

it("reports nothing for a response that conforms to the contract", async () => {
  expect(await faults(list, respond(200, { items: [], nextCursor: null }))).toBe("")
  expect(await faults(list, respond(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" }))).toBe("")
  expect(
    await faults({ method: "GET", url: "http://localhost/api/v1/health/" }, respond(200, { status: "ok" }), "/api")
  ).toBe("")
  expect(
    await faults(
      { method: "GET", url: "http://localhost/v1/nothing" },
      respond(404, { error: "route_not_found", message: "No such route." })
    )
  ).toBe("")
})

it("reports every deviation of a response from the contract", async () => {
  const page = { items: [], nextCursor: null }
  expect(await faults(list, respond(200, { items: [] }))).toMatch(/does not describe.*nextCursor/)
  expect(await faults(list, respond(200, { items: [{}], nextCursor: null }))).toContain("that no schema decodes")
  expect(await faults(list, respond(201, page))).toContain("not declared")
  expect(await faults(list, respond(404, { error: "session_not_found", message: "m" }))).toContain("not declared")
  expect(await faults(list, respond(404, { error: "route_not_found", message: "m" }))).toContain("not declared")
  expect(await faults(list, respond(401, { error: "unauthorized" }))).toContain("lacks the header www-authenticate")
  expect(await faults(list, respond(429, { error: "rate_limited", message: "m" }))).toContain("retry-after")
  expect(await faults(list, respond(200, page, { "x-request-id": "" }))).toContain("x-request-id")
  expect(await faults(list, respond(200, page, { "content-type": "text/plain" }))).toContain("is text/plain where")
  expect(await faults(list, respond(500, { error: "internal_error", message: "SELECT 1" }))).toContain(
    "an SQL statement"
  )
  expect(await faults({ ...list, method: "HEAD" }, respond(200, page))).toContain("HEAD")
  expect(await faults({ method: "GET", url: "http://localhost/v1/nothing" }, respond(200, {}))).toContain("a route")
})

it("fails a request with a nonconforming response, and reports it", async () => {
  const reported: Array<string> = []
  const fetch = conforming(
    () => Promise.resolve(respond(200, { items: [] })),
    (faults) => reported.push(...faults)
  )
  await expect(fetch(new Request(list.url))).rejects.toThrow("sessions.list")
  expect(reported).not.toEqual([])
})
