import { describe, expect, it } from "vitest"
import { readEnvironment } from "../../src/infra/config/environment.ts"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import { addMember, call, makeControlPlane, makeWorkspace, someAddress } from "../harness.ts"

const origin = "https://app.example"
const plane = await makeControlPlane()
const open = await makeControlPlane({
  corsOrigins: [origin, "http://localhost:5173"],
  publicUrl: "https://orgplane.example"
})

/** Host applications that authenticate people by cookie: one has a page on another, listed origin. */
const byCookie = (request: Request) =>
  Promise.resolve(
    request.headers.get("cookie") === "app=ada"
      ? { subject: "ada", name: null, email: null, emailVerified: false }
      : null
  )
const hosted = await makeControlPlane({ workers: false, corsOrigins: [origin], authenticator: byCookie })

const preflight = { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" }
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

describe("a page of another site", () => {
  it("cannot change anything with the cookie of a host application, unless it is listed", async () => {
    const owner = await makeWorkspace(hosted)
    await owner.call("POST", "/v1/members", { subject: "ada", role: "admin" })
    // Requests that browsers send without a preflight: without a body, or with one that is not JSON.
    const cancel = async (headers: Record<string, string>) => {
      const email = `${crypto.randomUUID()}@example.com`
      const { invitation } = (await owner.call("POST", "/v1/invitations", { email, send: false })).body
      const path = `/v1/invitations/${invitation.id}`
      const response = await call(hosted)("POST", `${path}/cancel`, undefined, { cookie: "app=ada", ...headers })
      return [response.status, (await owner.call("GET", path)).body.invitation.status]
    }
    const evil = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    expect(await cancel(evil)).toEqual([401, "pending"])
    expect(await cancel({ ...evil, origin: "null" })).toEqual([401, "pending"])
    expect(await cancel({ "sec-fetch-site": "cross-site" })).toEqual([401, "pending"])
    expect(await cancel({ origin, "sec-fetch-site": "cross-site" })).toEqual([200, "cancelled"])
    expect(await cancel({ "sec-fetch-site": "same-origin" })).toEqual([200, "cancelled"])
    expect(await cancel({})).toEqual([200, "cancelled"])
    // A link from elsewhere only reads, and browsers do not add orgplane's sessions.
    const read = await call(hosted)("GET", "/v1/organization", undefined, { cookie: "app=ada", ...evil })
    expect(read.status).toBe(200)
    expect((await owner.call("POST", "/v1/teams", { name: "Theirs" }, evil)).status).toBe(201)
  })
})

describe("a page of another site, opened behind a shared source address", () => {
  it("does not count toward the address's failure limit, unless it guesses credentials", async () => {
    const owner = await makeWorkspace(plane)
    const office = someAddress()
    const evil = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    const ask = (headers: Record<string, string>, token?: string) =>
      call(plane, token, office)("GET", "/v1/organization", undefined, headers)
    const refused = await Promise.all(Array.from({ length: 70 }, () => ask(evil)))
    expect(new Set(refused.map((response) => response.status))).toEqual(new Set([401]))
    expect((await ask({}, owner.token)).status).toBe(200)
    const guesses = await Promise.all(Array.from({ length: 61 }, () => ask(evil, makeToken("ops"))))
    expect(guesses.filter((response) => response.status === 429)).toHaveLength(1)
  })
})

describe("pages of other origins", () => {
  it("cannot read responses unless their origin is listed", async () => {
    const owner = await makeWorkspace(plane)
    for (const response of [
      await owner.call("GET", "/v1/organization", undefined, { origin }),
      await call(plane)("OPTIONS", "/v1/plugins", undefined, preflight)
    ]) {
      expect(corsHeaders(response.headers)).toEqual([])
      expect(response.headers.get("vary")).toBe(null)
      expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin")
    }
  })

  it("can read responses and headers when their origin is listed, and never send a cookie", async () => {
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
    // Errors too: a page must be able to read the reason.
    const refused = await call(open)("GET", "/v1/plugins", undefined, { origin })
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    const lost = await call(open)("GET", "/v1/nothing", undefined, { origin })
    expect([lost.status, lost.headers.get("access-control-allow-origin")]).toEqual([404, origin])
  })

  it("get preflight responses with the contract's methods and headers", async () => {
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
  ])("are rejected for the origin %j", async (other) => {
    for (const response of [
      await call(open)("OPTIONS", "/v1/plugins", undefined, { ...preflight, origin: other }),
      await call(open)("GET", "/v1/health", undefined, { origin: other })
    ]) {
      expect(corsHeaders(response.headers)).toEqual([])
      expect(response.headers.get("vary")).toBe("Origin")
    }
  })

  it("cannot be listed when they are not valid origins", async () => {
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

describe("every response", () => {
  it("prevents content sniffing, framing, loading and referrers in browsers", async () => {
    const owner = await makeWorkspace(plane)
    for (const response of [
      await owner.call("GET", "/v1/organization"),
      await owner.call("GET", "/v1/plugins/plg_x"),
      await owner.call("GET", "/v1/audit-events/export"),
      await call(plane)("GET", "/v1/nothing"),
      await call(plane)("GET", "/v1/plugins"),
      await call(plane)("POST", "/v1/plugins", "[", { "content-type": "text/plain" }),
      await call(plane)("GET", "/v1/health", undefined, { host: "evil.example" })
    ]) {
      const headerOf = (name: string) => response.headers.get(name)
      expect(headerOf("x-content-type-options")).toBe("nosniff")
      expect(headerOf("referrer-policy")).toBe("no-referrer")
      expect(headerOf("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headerOf("cross-origin-resource-policy")).toBe("same-origin")
      expect(headerOf("x-request-id")).not.toBe(null)
      // On plain http it would be wrong.
      expect(headerOf("strict-transport-security")).toBe(null)
    }
  })

  it("requires https when the public URL is https", async () => {
    const { headers } = await call(open)("GET", "/v1/health")
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000")
  })

  it("reports the remaining rate limit to authenticated callers", async () => {
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
    // Beyond a slice, and for concurrent requests, nothing is lost.
    await Promise.all(Array.from({ length: 60 }, () => member.call("GET", "/v1/plugins?limit=1")))
    expect(await left()).toBe(535)
    expect((await call(plane)("GET", "/v1/health")).headers.get("ratelimit")).toBe(null)
  })
})
