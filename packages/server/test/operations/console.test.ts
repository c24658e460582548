/** The console: its pages, and the cookie that only its own API accepts. */
import { describe, expect, it } from "vitest"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { makeControlPlane, type TestPlane } from "../harness.ts"

const plane = await makeControlPlane({ workers: false, console: true })
const other = await makeControlPlane({
  workers: false,
  console: true,
  secretKeys: ["another secret for tests only, long enough"]
})
const base = "http://localhost"

const ready = async (on: TestPlane, path = "/console") => {
  await expect.poll(async () => (await on.fetch(new Request(base + path))).status).toBe(200)
}

const own = { "sec-fetch-site": "same-origin", "x-orgplane-console": "1" }

const send = (path: string, init: RequestInit = {}, on: TestPlane = plane) => on.fetch(new Request(base + path, init))

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = own) =>
  send(path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const codeOf = async (email: string, on: TestPlane = plane) => {
  const find = () => on.mails.findLast(({ to }) => to === email)?.text ?? ""
  await expect.poll(find).not.toBe("")
  return /code=([2-9A-HJ-NP-Z]{8})/.exec(find())?.[1] ?? ""
}

const signInByEmail = async (email: string) => {
  const started = await post("/console/api/v1/sessions/email", { email })
  const { challengeId } = (await started.json()) as { readonly challengeId: string }
  const response = await post("/console/api/v1/sessions/email/verify", { challengeId, code: await codeOf(email) })
  const set = response.headers.get("set-cookie") ?? ""
  return { response, set, cookie: set.split(";", 1)[0] ?? "" }
}

describe("the console's API", () => {
  it("signs in with a cookie for its own path, and returns no token", async () => {
    const { cookie, response, set } = await signInByEmail("ada@acme.example")
    const body = (await response.json()) as { readonly session: Record<string, unknown>; readonly user: unknown }
    expect([response.status, body.session["token"]]).toEqual([201, ""])
    expect(JSON.stringify(body)).not.toContain("ops_")
    expect(set).toMatch(/^orgplane_console=[\w.-]+; Path=\/console; HttpOnly; SameSite=Strict; Expires=\w{3}, .* GMT$/)
    const me = await send("/console/api/v1/me", { headers: { ...own, cookie } })
    expect([me.status, ((await me.json()) as { user: { email: string } }).user.email]).toEqual([
      200,
      "ada@acme.example"
    ])
  })

  it("is the only part of the server that accepts the cookie", async () => {
    const { cookie } = await signInByEmail("eve@acme.example")
    const value = cookie.split("=")[1] ?? ""
    const statuses = await Promise.all(
      [
        send("/v1/me", { headers: { ...own, cookie } }),
        send("/v1/me", { headers: { authorization: `Bearer ${value}` } }),
        send("/console/api/v1/me", { headers: { ...own, authorization: `Bearer ${value}` } }),
        send("/console/api/v1/me", { headers: { ...own, cookie: `${cookie.slice(0, -2)}AA` } }),
        send("/console/api/v1/me", { headers: { ...own, cookie } }, other)
      ].map(async (response) => (await response).status)
    )
    expect(statuses).toEqual([401, 401, 401, 401, 401])
  })

  it("rejects requests that are not the console's, which change nothing", async () => {
    const { cookie } = await signInByEmail("grace@acme.example")
    const attempt = async (headers: Readonly<Record<string, string>>) => {
      const response = await post("/console/api/v1/organizations", { name: "Stolen" }, { ...headers, cookie })
      return [response.status, ((await response.json()) as { details: [{ path: unknown }] }).details[0].path]
    }
    const expected = [400, ["header", "sec-fetch-site"]]
    expect(await attempt({ ...own, "sec-fetch-site": "cross-site" })).toEqual(expected)
    expect(await attempt({ ...own, "sec-fetch-site": "same-site" })).toEqual(expected)
    expect(await attempt({ "x-orgplane-console": "1" })).toEqual(expected)
    expect(await attempt({ "sec-fetch-site": "same-origin" })).toEqual([400, ["header", "x-orgplane-console"]])
    const organizations = await send("/console/api/v1/me/organizations", { headers: { ...own, cookie } })
    expect(await organizations.json()).toEqual({ items: [], nextCursor: null })
    // A sign-in of another page would show the person the organization of an attacker.
    const foreign = await post("/console/api/v1/sessions/email/verify", {}, { ...own, "sec-fetch-site": "cross-site" })
    expect([foreign.status, foreign.headers.get("set-cookie")]).toEqual([400, null])
    expect((await send("/console/api/other", { headers: own })).status).toBe(400)
  })

  it("ends the session and removes the cookie when the person signs out", async () => {
    const { cookie } = await signInByEmail("joan@acme.example")
    const headers = { ...own, cookie }
    const out = await send("/console/api/v1/sessions/current", { method: "DELETE", headers })
    expect([out.status, out.headers.get("set-cookie")]).toEqual([
      204,
      "orgplane_console=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0"
    ])
    expect((await send("/console/api/v1/me", { headers })).status).toBe(401)
  })

  it("marks the cookie as secure on https", async () => {
    const secure = await makeControlPlane({ workers: false, console: true, publicUrl: "https://localhost" })
    const headers = { ...own, "content-type": "application/json" }
    const ask = async (path: string, body: unknown) =>
      send(path, { method: "POST", headers, body: JSON.stringify(body) }, secure)
    const started = await ask("/console/api/v1/sessions/email", { email: "ada@acme.example" })
    const { challengeId } = (await started.json()) as { readonly challengeId: string }
    const code = await codeOf("ada@acme.example", secure)
    const response = await ask("/console/api/v1/sessions/email/verify", { challengeId, code })
    expect(response.headers.get("set-cookie")).toContain("; Secure;")
  })
})

describe("the console's files", () => {
  const assetOf = async () => {
    await ready(plane)
    const page = await (await send("/console/plugins")).text()
    return /src="\.\/(assets\/[\w.-]+\.js)"/.exec(page)?.[1] ?? ""
  }

  it("are a page for every path, whose policy allows nothing inline and no frames", async () => {
    await ready(plane)
    for (const path of ["/console", "/console/", "/console/plugins/plg_1"]) {
      const response = await send(path)
      const page = await response.text()
      expect([path, response.status, page.includes('<base href="/console/">')]).toEqual([path, 200, true])
      expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:\/\//)
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain("unsafe")
      expect(response.headers.get("cache-control")).toBe("no-cache")
    }
  })

  it("are compressed as the client accepts, and cached for good by their name", async () => {
    const asset = `/console/${await assetOf()}`
    const read = async (accepted: string | undefined) => {
      const response = await send(asset, accepted === undefined ? {} : { headers: { "accept-encoding": accepted } })
      return {
        coding: response.headers.get("content-encoding"),
        response,
        body: Buffer.from(await response.arrayBuffer())
      }
    }
    const [plain, br, gzip, refused] = await Promise.all([
      read(undefined),
      read("gzip, br"),
      read("gzip"),
      read("br;q=0, gzip;q=0")
    ])
    expect([plain.coding, br.coding, gzip.coding, refused.coding]).toEqual([null, "br", "gzip", null])
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect(plain.response.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(plain.response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const etag = plain.response.headers.get("etag") ?? ""
    expect((await send(asset, { headers: { "if-none-match": etag } })).status).toBe(304)
    expect((await send("/console/assets/absent.js")).status).toBe(404)
    expect((await send(asset, { method: "POST" })).status).toBe(404)
  })

  it("are served below the path prefix, and only if the option is set", async () => {
    const [mounted, without] = await Promise.all([
      makeControlPlane({ workers: false, console: true, pathPrefix: "/orgplane" }),
      makeControlPlane({ workers: false })
    ])
    await ready(mounted, "/orgplane/console")
    const page = await (await send("/orgplane/console/plugins", {}, mounted)).text()
    expect(page).toContain('<base href="/orgplane/console/">')
    expect((await send("/console", {}, mounted)).status).toBe(404)
    expect((await send("/console", {}, without)).status).toBe(404)
    expect((await send("/console/api/v1", { headers: own }, without)).status).toBe(404)
  })
})
