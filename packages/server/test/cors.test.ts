import { describe, expect, it } from "vitest"
import { readEnvironment } from "../src/config/environment.ts"
import { addMember, call, makeControlPlane, makeWorkspace } from "./harness.ts"

const origin = "https://app.example"
const plane = await makeControlPlane()
const open = await makeControlPlane({
  corsOrigins: [origin, "http://localhost:5173"],
  publicUrl: "https://orgplane.example"
})

const preflight = { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" }
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

describe("pages of other origins", () => {
  it("get nothing unless their origin is listed", async () => {
    const owner = await makeWorkspace(plane)
    for (const answer of [
      await owner.call("GET", "/v1/organization", undefined, { origin }),
      await call(plane)("OPTIONS", "/v1/plugins", undefined, preflight)
    ]) {
      expect(corsHeaders(answer.headers)).toEqual([])
      expect(answer.headers.get("vary")).toBe(null)
      expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin")
    }
  })

  it("of a listed origin are let read answers and their headers, and never send a cookie", async () => {
    const owner = await makeWorkspace(open)
    const { headers, status } = await owner.call("GET", "/v1/organization", undefined, { origin })
    expect(status).toBe(200)
    expect(headers.get("access-control-allow-origin")).toBe(origin)
    expect(headers.get("access-control-allow-credentials")).toBe(null)
    expect(headers.get("vary")).toBe("Origin")
    expect(headers.get("cross-origin-resource-policy")).toBe(null)
    const exposed = headers.get("access-control-expose-headers")?.split(", ")
    for (const name of [
      "x-request-id",
      "etag",
      "retry-after",
      "ratelimit",
      "ratelimit-policy",
      "idempotent-replayed"
    ]) {
      expect(exposed).toContain(name)
    }
    // Refusals too: a page must be able to read why.
    const refused = await call(open)("GET", "/v1/plugins", undefined, { origin })
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    const lost = await call(open)("GET", "/v1/nothing", undefined, { origin })
    expect([lost.status, lost.headers.get("access-control-allow-origin")]).toEqual([404, origin])
  })

  it("are answered before they send, with the contract's methods and headers", async () => {
    const { headers, status, text } = await call(open)("OPTIONS", "/v1/plugins", undefined, preflight)
    expect([status, text]).toEqual([204, ""])
    expect(headers.get("access-control-allow-origin")).toBe(origin)
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE")
    const allowed = headers.get("access-control-allow-headers")?.split(", ")
    for (const name of [
      "authorization",
      "x-api-key",
      "idempotency-key",
      "if-match",
      "x-organization-id",
      "content-type"
    ]) {
      expect(allowed).toContain(name)
    }
    expect(headers.get("access-control-allow-credentials")).toBe(null)
    expect(headers.get("vary")).toBe("Origin")
  })

  it.each([
    "https://app.example.evil.example",
    "https://evil.example",
    "http://app.example",
    "https://app.example:8443",
    "https://APP.example",
    "null",
    "*",
    ""
  ])("are refused for the origin %j", async (other) => {
    for (const answer of [
      await call(open)("OPTIONS", "/v1/plugins", undefined, { ...preflight, origin: other }),
      await call(open)("GET", "/v1/health", undefined, { origin: other })
    ]) {
      expect(corsHeaders(answer.headers)).toEqual([])
      expect(answer.headers.get("vary")).toBe("Origin")
    }
  })

  it("of what is not an origin cannot be listed", async () => {
    for (const wrong of ["*", "app.example", "https://app.example/", "https://app.example/path", "ftp://app.example"]) {
      await expect(makeControlPlane({ corsOrigins: [wrong] })).rejects.toThrow("is not an origin")
      expect(() => readEnvironment({ ORGPLANE_CORS_ORIGINS: `${origin}, ${wrong}` })).toThrow(
        "ORGPLANE_CORS_ORIGINS must"
      )
    }
    const { options } = readEnvironment({ ORGPLANE_CORS_ORIGINS: `${origin}, http://localhost:5173` })
    expect(options.corsOrigins).toEqual([origin, "http://localhost:5173"])
  })
})

describe("every answer", () => {
  it("keeps a browser from guessing, framing, loading and telling where from", async () => {
    const owner = await makeWorkspace(plane)
    for (const answer of [
      await owner.call("GET", "/v1/organization"),
      await owner.call("GET", "/v1/plugins/plg_x"),
      await owner.call("GET", "/v1/audit-events/export"),
      await call(plane)("GET", "/v1/nothing"),
      await call(plane)("GET", "/v1/plugins"),
      await call(plane)("POST", "/v1/plugins", "[", { "content-type": "text/plain" }),
      await call(plane)("GET", "/v1/health", undefined, { host: "evil.example" })
    ]) {
      const told = (name: string) => answer.headers.get(name)
      expect(told("x-content-type-options")).toBe("nosniff")
      expect(told("referrer-policy")).toBe("no-referrer")
      expect(told("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(told("cross-origin-resource-policy")).toBe("same-origin")
      expect(told("x-request-id")).not.toBe(null)
      // On plain http it would be a lie.
      expect(told("strict-transport-security")).toBe(null)
    }
  })

  it("asks for https where people come by https", async () => {
    const { headers } = await call(open)("GET", "/v1/health")
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000")
  })

  it("to somebody known tells what is left of the limit", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const left = async () => {
      const { headers } = await member.call("GET", "/v1/plugins?limit=1")
      expect(headers.get("ratelimit-policy")).toBe('"session";q=600;w=60')
      const [, remaining, seconds] = /^"session";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? []
      expect(Number(seconds)).toBeLessThanOrEqual(60)
      return Number(remaining)
    }
    const first = await left()
    expect(first).toBe(599)
    expect([await left(), await left()]).toEqual([598, 597])
    const missing = await member.call("GET", "/v1/plugins/plg_01h455vb4pex5vsknk084sn02q")
    expect([missing.status, missing.headers.get("ratelimit")?.startsWith('"session";r=596;')]).toEqual([404, true])
    // Beyond a slice, and for many at once, nothing is lost.
    await Promise.all(Array.from({ length: 60 }, () => member.call("GET", "/v1/plugins?limit=1")))
    expect(await left()).toBe(535)
    expect((await call(plane)("GET", "/v1/health")).headers.get("ratelimit")).toBe(null)
  })
})
