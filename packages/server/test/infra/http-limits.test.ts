/** Rate limits, and what happens to requests when something ends or fails. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import { CodeHost } from "../../src/infra/ports/code-host.ts"
import { addMember, call, makeControlPlane, makeWorkspace, runSql, signIn, someAddress } from "../harness.ts"

const canary = "canary-4f1c"
const broken = () => Effect.die(new Error(`SELECT ${canary} FROM secrets`))
const plane = await makeControlPlane({
  workers: false,
  logLevel: "none",
  ports: {
    codeHost: Layer.succeed(CodeHost, { normalize: broken, inspect: broken, head: broken, snapshot: broken })
  }
})
const owner = await makeWorkspace(plane)

/** The statuses of a number of sequential requests. */
const statuses = async (count: number, ask: () => Promise<{ readonly status: number }>) => {
  const counts: Record<number, number> = {}
  for (let n = 0; n < count; n++) {
    const { status } = await ask()
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

describe("a rate limit", () => {
  it("of 60 failed authentications per minute applies to one address, and no other", async () => {
    const from = (address: string, token: string | undefined, headers = {}) =>
      call(plane, token, address)("GET", "/v1/organization", undefined, headers)
    expect(await statuses(60, () => from("192.0.2.1", makeToken("ops")))).toEqual({ 401: 60 })
    const refused = await from("192.0.2.1", undefined)
    expect([refused.status, refused.body.error]).toEqual([429, "rate_limited"])
    const wait = Number(refused.headers.get("retry-after"))
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(60)
    expect(refused.headers.get("ratelimit-policy")).toBe('"auth";q=60;w=60')
    expect(refused.headers.get("ratelimit")).toBe(`"auth";r=0;t=${wait}`)
    expect((await from("192.0.2.1", makeToken("ops"), { "x-forwarded-for": "192.0.2.9" })).status).toBe(429)
    // Only failures are limited.
    expect((await from("192.0.2.1", owner.token)).status).toBe(200)
    expect((await from("192.0.2.2", owner.token)).status).toBe(200)
    // Public endpoints respond at any address: a monitor must not see the service as down.
    expect((await call(plane, undefined, "192.0.2.1")("GET", "/v1/health")).status).toBe(200)
  })

  it("does not affect valid requests at an address", async () => {
    const ask = call(plane, owner.token, "192.0.2.50")
    expect(await statuses(61, () => ask("GET", "/v1/organization"))).toEqual({ 200: 61 })
    expect((await call(plane, undefined, "192.0.2.50")("GET", "/v1/organization")).status).toBe(401)
  })

  it("treats the addresses of one IPv6 network as one", async () => {
    let n = 0
    const ask = () => call(plane, undefined, `2001:db8:1:1::${(n += 1)}`)("GET", "/v1/organization")
    expect(await statuses(61, ask)).toEqual({ 401: 60, 429: 1 })
    expect((await call(plane, undefined, "2001:db8:1:2::1")("GET", "/v1/organization")).status).toBe(401)
    expect((await call(plane, undefined, "::ffff:192.0.2.77")("GET", "/v1/organization")).status).toBe(401)
  })

  it("of five workspaces per hour applies to one address", async () => {
    const ask = () => call(plane, undefined, "192.0.2.60")("POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })
    expect(await statuses(6, ask)).toEqual({ 201: 5, 429: 1 })
    const refused = await ask()
    expect(refused.headers.get("ratelimit-policy")).toBe('"bootstrap";q=5;w=3600')
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60)
    const other = await call(plane, undefined, "192.0.2.61")("POST", "/v1/bootstrap/workspace", {
      workspaceName: "Acme"
    })
    expect(other.status).toBe(201)
  })

  it("of 600 requests per minute applies to one session, and no other of the same person", async () => {
    const busy = await signIn(plane, owner.userId, owner.organizationId)
    const ask = () => call(plane, busy.token)("GET", "/v1/organization")
    expect(await statuses(601, ask)).toEqual({ 200: 600, 429: 1 })
    const refused = await ask()
    expect(refused.headers.get("ratelimit-policy")).toBe('"session";q=600;w=60')
    expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("is checked before the body, and after the credential", async () => {
    const busy = await signIn(plane, owner.userId, owner.organizationId)
    const ask = call(plane, busy.token)
    expect(await statuses(600, () => ask("GET", "/v1/plugins/x"))).toEqual({ 400: 600 })
    expect((await ask("GET", "/v1/plugins/x")).status).toBe(429)
    const elsewhere = await ask("GET", "/v1/plugins/x", undefined, { "x-organization-id": "org_x" })
    expect(elsewhere.status).toBe(404)
  })
})

describe("source addresses behind proxies", async () => {
  const proxied = await makeControlPlane({ workers: false, trustedProxies: ["10.0.0.0/8", "fd00::/8"] })

  it("are the last hop that is not a trusted proxy", async () => {
    const ask = (forwarded: string, peer = "10.1.1.1") =>
      call(proxied, undefined, peer)("GET", "/v1/organization", undefined, { "x-forwarded-for": forwarded })
    let n = 0
    // Entries of the caller come before those that the proxy adds.
    const guess = () => ask(`198.51.100.${(n += 1)}, 203.0.113.1, 10.2.2.2`)
    expect(await statuses(61, guess)).toEqual({ 401: 60, 429: 1 })
    expect((await ask("203.0.113.2, 10.2.2.2")).status).toBe(401)
    expect((await ask("203.0.113.1", "fd00::1")).status).toBe(429)
    // Not from a trusted proxy: its header is ignored.
    expect((await ask("203.0.113.1", "203.0.113.77")).status).toBe(401)
  })
})

describe("a defect in a handler", () => {
  it("becomes a 500 with the request ID and nothing else, and ends only its request", async () => {
    const response = await owner.call(
      "POST",
      "/v1/connectors/codehost/setup",
      { adapter: "git", cloneUrl: "https://example.com/a.git", credential: { token: canary } },
      { "x-request-id": "the-broken-one" }
    )
    expect(response.status).toBe(500)
    expect(Object.keys(response.body).sort()).toEqual(["error", "message"])
    expect(response.body.error).toBe("internal_error")
    expect(response.headers.get("x-request-id")).toBe("the-broken-one")
    expect(response.text).not.toContain(canary)
    expect((await owner.call("GET", "/v1/connector-instances")).body.items).toEqual([])
    const audited = await owner.call("GET", "/v1/audit-events?action=connector.setup")
    expect(audited.body.items).toEqual([])
  })
})

describe("two control planes in one process", async () => {
  const other = await makeControlPlane({
    workers: false,
    pathPrefix: "/orgplane",
    hosts: ["api.example"],
    publicUrl: "https://plane.example",
    bootstrap: "open"
  })
  const theirs = await makeWorkspace(other, "Theirs")

  it("share no state", async () => {
    const mine = await call(other, owner.token)("GET", "/orgplane/v1/organization")
    expect(mine.status).toBe(401)
    expect((await call(plane, theirs.token)("GET", "/v1/organization")).status).toBe(401)
    expect((await call(other, theirs.token)("GET", "/orgplane/v1/organization")).status).toBe(200)
  })

  it("respond below their own path prefix only", async () => {
    const ask = call(other, theirs.token)
    for (const path of ["/orgplane/v1/health", "/orgplane/health", "/orgplane/v1/health/", "/orgplane/v1/health?x=1"]) {
      expect([path, (await ask("GET", path)).status]).toEqual([path, 200])
    }
    for (const path of [
      "/v1/health",
      "/health",
      "/",
      "/orgplane",
      "/orgplane/",
      "/orgplane?x",
      "/orgplanex/v1/health",
      "/orgplane/orgplane/v1/health",
      "/ORGPLANE/v1/health"
    ]) {
      const response = await ask("GET", path)
      expect([path, response.status, response.body.error]).toEqual([path, 404, "route_not_found"])
    }
  })

  it("respond for their configured hosts, and build links from their public URLs", async () => {
    const bootstrap = async (host: string) =>
      call(other, undefined, "192.0.2.80")(
        "POST",
        "/orgplane/v1/bootstrap/workspace",
        { workspaceName: "Acme" },
        { host }
      )
    for (const host of ["plane.example", "API.example:8443", "localhost"]) {
      const { body, status } = await bootstrap(host)
      expect([host, status]).toEqual([host, 201])
      expect(body.claimLinks[0].url).toMatch(/^https:\/\/plane\.example\/.*#token=opc_/)
    }
    expect((await bootstrap("other.example")).status).toBe(421)
  })
})

it("starts a new rate limit window after the last one has ended", async () => {
  const address = someAddress()
  const create = () => call(plane, undefined, address)("POST", "/v1/bootstrap/workspace", { workspaceName: "Window" })
  await runSql(
    plane,
    (sql) => sql`INSERT INTO rate_windows (bucket, taken, ends_at)
      VALUES (${`bootstrap:${address}`}, 5, now() - interval '1 second')`
  )
  const response = await create()
  expect([response.status, response.headers.get("retry-after")]).toEqual([201, null])
  const [row] = await runSql(
    plane,
    (sql) => sql<{ taken: number; isOpen: boolean }>`SELECT taken, ends_at > now() AS "isOpen" FROM rate_windows
      WHERE bucket = ${`bootstrap:${address}`}`
  )
  expect(row).toEqual({ taken: 1, isOpen: true })
})

describe("a request that its client aborts", () => {
  it("is completed or not executed at all, and later requests succeed", async () => {
    const sender = await makeWorkspace(plane, "Impatient")
    const given = Promise.allSettled(
      Array.from({ length: 30 }, async (_, index) => {
        const controller = new AbortController()
        const sent = plane.fetch(
          new Request("http://localhost/v1/plugins", {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${sender.token}` },
            body: JSON.stringify({ name: `Given up ${index}` }),
            signal: controller.signal
          })
        )
        for (let turn = 0; turn < index; turn++) await new Promise((resolve) => setImmediate(resolve))
        controller.abort()
        return sent
      })
    )
    // Requests with the same credential wait for the same slice of its limits, which the first request takes.
    const patient = await Promise.all(
      Array.from({ length: 10 }, (_, index) => sender.call("POST", "/v1/plugins", { name: `Patient ${index}` }))
    )
    const settled = await given
    expect(settled.length).toBe(30)
    expect(patient.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
    const { items } = await sender.client.plugins.list({ limit: 100 })
    for (const { id } of items) {
      const grants = await sender.call("GET", `/v1/plugins/${id}/access`)
      expect(grants.body.items).toHaveLength(1)
      const audited = await sender.call("GET", `/v1/audit-events?action=plugin.create&targetId=${id}`)
      expect(audited.body.items).toHaveLength(1)
    }
    const audited = await sender.call("GET", "/v1/audit-events?action=plugin.create&limit=100")
    expect(audited.body.items).toHaveLength(items.length)
    expect((await sender.client.plugins.create({ name: "Not given up" })).name).toBe("Not given up")
  })

  it("fails with a clear error when its body was already read", async () => {
    const request = new Request("http://localhost/v1/plugins", { method: "POST", body: "{}" })
    await request.text()
    await expect(plane.fetch(request)).rejects.toThrow(/already read/)
  })
})

describe("shutdown", () => {
  it("completes accepted requests, rejects later ones, and runs once", async () => {
    const short = await makeControlPlane({ workers: false })
    const person = await makeWorkspace(short)
    const member = await addMember(short, person, "member")
    const accepted = Promise.all(
      Array.from({ length: 10 }, (_, index) => member.call("POST", "/v1/plugins", { name: `Last ${index}` }))
    )
    const ends = [short.dispose(), short.dispose()]
    const late = await person.call("GET", "/v1/organization")
    expect([late.status, late.body.error]).toEqual([503, "unavailable"])
    expect(late.headers.get("retry-after")).toBe("5")
    expect((await accepted).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
    await Promise.all(ends)
    await short.dispose()
    expect((await person.call("GET", "/v1/health")).status).toBe(503)
  })
})
