/** The console: its pages, and the cookie that only its own API accepts. */
import { describe, expect, it } from "vitest"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as ControlPlane from "../../src/control-plane.ts"
import type { ControlPlaneOptions } from "../../src/infra/options.ts"
import type { HostIdentity } from "../../src/infra/ports/index.ts"
import { makeControlPlane, makeWorkspace, runSql, type TestPlane } from "../harness.ts"

const plane = await makeControlPlane({ workers: false, console: true })
const other = await makeControlPlane({
  workers: false,
  console: true,
  secretKeys: ["another secret for tests only, long enough"]
})
const base = "http://localhost"

/** Waits until a checkout has built the console. */
const ready = async (on: TestPlane, path = "/console/") => {
  await expect.poll(async () => (await on.fetch(new Request(base + path))).status).toBe(200)
}

const own = { "sec-fetch-site": "same-origin", "x-orgplane-console": "1" }

const send = (path: string, init: RequestInit = {}, on: TestPlane = plane) => on.fetch(new Request(base + path, init))

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = own, on: TestPlane = plane) => {
  const init = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body)
  }
  return send(path, init, on)
}

const codeOf = async (email: string, on: TestPlane) => {
  const find = () => on.mails.findLast(({ to }) => to === email)?.text ?? ""
  await expect.poll(find).not.toBe("")
  return /code=([2-9A-HJ-NP-Z]{8})/.exec(find())?.[1] ?? ""
}

const signInByEmail = async (email: string, on: TestPlane = plane, prefix = "") => {
  const started = await post(`${prefix}/console/api/v1/sessions/email`, { email }, own, on)
  const { challengeId } = (await started.json()) as { readonly challengeId: string }
  const code = await codeOf(email, on)
  const response = await post(`${prefix}/console/api/v1/sessions/email/verify`, { challengeId, code }, own, on)
  const set = response.headers.get("set-cookie") ?? ""
  return { response, set, cookie: set.split(";", 1)[0] ?? "" }
}

describe("the console's API", () => {
  it("signs in with a cookie for its own path, and returns no token", async () => {
    const { cookie, response, set } = await signInByEmail("ada@acme.example")
    const body = (await response.json()) as { readonly session: Record<string, unknown>; readonly user: unknown }
    expect([response.status, body.session["token"]]).toEqual([201, ""])
    expect(JSON.stringify(body)).not.toContain("ops_")
    expect(set).toMatch(/^orgplane_console=[\w.-]+; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=34560000$/)
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

  it("removes the cookie when the session has ended, and leaves other cookies to the host application", async () => {
    const { cookie } = await signInByEmail("mae@acme.example")
    await runSql(plane, (sql) => sql`UPDATE sessions SET expires_at = now() - interval '1 second'`)
    // A response that arrives late would remove the cookie of a newer sign-in.
    const late = await send("/console/api/v1/organization", { headers: { ...own, cookie } })
    expect([late.status, late.headers.get("set-cookie")]).toEqual([401, null])
    const ended = await send("/console/api/v1/me", { headers: { ...own, cookie } })
    const cleared = "orgplane_console=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0"
    expect([ended.status, ended.headers.get("set-cookie")]).toEqual([401, cleared])
    const stranger = await send("/console/api/v1/me", { headers: own })
    expect([stranger.status, stranger.headers.get("set-cookie")]).toEqual([401, null])
  })

  it("accepts no session if the request has several", async () => {
    const { cookie } = await signInByEmail("ida@acme.example")
    const { cookie: planted } = await signInByEmail("mallory@evil.example")
    const me = (value: string) => send("/console/api/v1/me", { headers: { ...own, cookie: value } })
    expect((await me(`${planted}; ${cookie}`)).status).toBe(401)
    expect((await me(`${cookie}; ${cookie}`)).status).toBe(200)
    expect((await me(`orgplane_console=something; ${cookie}`)).status).toBe(200)
  })

  it("lets no browser or proxy store a response, because two organizations have the same URLs and entity tags", async () => {
    const { cookie } = await signInByEmail("lin@acme.example")
    const read = async (name: string) => {
      const created = await post("/console/api/v1/organizations", { name }, { ...own, cookie })
      const { organization } = (await created.json()) as { readonly organization: { readonly id: string } }
      const headers = { ...own, cookie, "x-organization-id": organization.id }
      return send("/console/api/v1/organization", { headers })
    }
    const [first, second] = [await read("First"), await read("Second")]
    expect(first.headers.get("etag")).toBe(second.headers.get("etag"))
    for (const { headers } of [first, second]) expect(headers.get("cache-control")).toBe("no-store")
  })

  it("returns no token to a sign-in whose path is encoded", async () => {
    const started = await post("/console/api/v1/sessions/email", { email: "kay@acme.example" })
    const { challengeId } = (await started.json()) as { readonly challengeId: string }
    const code = await codeOf("kay@acme.example", plane)
    const response = await post("/console/api/v1/sessions/email/%76erify", { challengeId, code })
    expect(await response.text()).not.toContain("ops_")
  })

  it("keeps a session token that a person has in the cookie, after it has checked it", async () => {
    const workspace = await makeWorkspace(plane)
    const keep = (authorization: string, headers: Readonly<Record<string, string>> = own) =>
      send("/console/api/session", { headers: { ...headers, authorization } })
    const kept = await keep(`Bearer ${workspace.token}`)
    const set = kept.headers.get("set-cookie") ?? ""
    expect([kept.status, await kept.text()]).toEqual([200, expect.not.stringContaining(workspace.token)])
    expect(set).toMatch(/^orgplane_console=[\w.-]+; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=34560000$/)
    expect(set).not.toContain(workspace.token)
    const cookie = set.split(";", 1)[0] ?? ""
    expect((await send("/console/api/v1/organization", { headers: { ...own, cookie } })).status).toBe(200)
    for (const response of [
      await keep(`Bearer ${workspace.token}A`),
      await keep(`Bearer ops_${"0".repeat(49)}`),
      await keep("Bearer opk_nothing"),
      await keep(`Bearer ${workspace.token}`, { ...own, "sec-fetch-site": "cross-site" }),
      await send("/console/api/session", {
        method: "POST",
        headers: { ...own, authorization: `Bearer ${workspace.token}` }
      })
    ]) {
      expect([401, 400]).toContain(response.status)
      expect(response.headers.get("set-cookie")).toBe(null)
    }
  })

  it("marks the cookie as secure on https", async () => {
    const secure = await makeControlPlane({ workers: false, console: true, publicUrl: "https://localhost" })
    const { set } = await signInByEmail("ada@acme.example", secure)
    expect(set).toContain("; Secure;")
  })
})

describe("the console's files", () => {
  const assetsOf = async () => {
    await ready(plane)
    const page = await (await send("/console/plugins")).text()
    return [...page.matchAll(/(?:src|href)="\.\/(assets\/[\w.-]+\.(?:js|css))"/g)].map(([, name = ""]) => name)
  }
  const assetOf = async () => (await assetsOf()).find((name) => name.endsWith(".js")) ?? ""

  it("are a page for every path, whose policy allows nothing inline and no frames", async () => {
    await ready(plane)
    for (const path of ["/console/", "/console/plugins/plg_1", "/console/sign-in/return?state=a&code=b"]) {
      const response = await send(path)
      const page = await response.text()
      expect([path, response.status, page.includes('<base href="/console/">')]).toEqual([path, 200, true])
      expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:\/\//)
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain("unsafe")
      expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin")
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      expect(response.headers.get("referrer-policy")).toBe("no-referrer")
      expect(response.headers.get("cache-control")).toBe("no-cache")
      const etag = response.headers.get("etag") ?? ""
      const unchanged = await send(path, { headers: { "if-none-match": etag } })
      expect([unchanged.status, await unchanged.text()]).toEqual([304, ""])
    }
  })

  it("are compressed as the client accepts, and cached for good by their name", async () => {
    const asset = `/console/${await assetOf()}`
    const read = async (path: string, accepted: string | undefined) => {
      const response = await send(path, accepted === undefined ? {} : { headers: { "accept-encoding": accepted } })
      return {
        coding: response.headers.get("content-encoding"),
        response,
        body: Buffer.from(await response.arrayBuffer())
      }
    }
    for (const path of [asset, "/console/", "/console/plugins"]) {
      const [plain, br, gzip, refused] = await Promise.all([
        read(path, undefined),
        read(path, "gzip, br"),
        read(path, "gzip"),
        read(path, "br;q=0, gzip;q=0")
      ])
      expect([plain.coding, br.coding, gzip.coding, refused.coding]).toEqual([null, "br", "gzip", null])
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
      expect(br.response.headers.get("vary")).toBe("Accept-Encoding")
    }
    const plain = await read(asset, undefined)
    expect(plain.response.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(plain.response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const etag = plain.response.headers.get("etag") ?? ""
    const unchanged = await send(asset, { headers: { "if-none-match": etag } })
    expect([unchanged.status, unchanged.headers.get("etag")]).toEqual([304, etag])
    expect((await send("/console/assets/absent.js")).status).toBe(404)
    expect((await send(asset, { method: "POST" })).status).toBe(404)
  })

  it("returns the headers of GET and no body for HEAD requests", async () => {
    for (const path of ["/console/", `/console/${await assetOf()}`]) {
      const [got, head] = [await send(path), await send(path, { method: "HEAD" })]
      expect([head.status, await head.text()]).toEqual([200, ""])
      for (const name of ["content-type", "etag", "cache-control", "content-security-policy"]) {
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)])
      }
    }
    expect((await send("/console/assets/absent.js", { method: "HEAD" })).status).toBe(404)
  })

  it("are only those of the build, whatever the path contains", async () => {
    await ready(plane)
    const outside = [
      "/console/assets/../../../../package.json",
      "/console/assets/..%2f..%2f..%2fpackage.json",
      "/console/assets/%2e%2e/%2e%2e/package.json",
      "/console/assets/..%5c..%5cpackage.json",
      "/console/..%2f..%2fpackage.json",
      "/console/%2fetc%2fpasswd",
      "/console/assets/index.js%00.css",
      "/console/assets/__proto__",
      "/console/assets/"
    ]
    for (const path of outside) {
      const response = await send(path)
      const text = await response.text()
      // Other paths below the console are pages of its script.
      const isPage = response.status === 200 && text.includes('<base href="/console/">')
      expect([path, isPage || response.status === 404 || response.status === 400]).toEqual([path, true])
      expect(text).not.toContain('"dependencies"')
    }
  })

  it("are found from the address of the server and without the last slash", async () => {
    await ready(plane)
    const follow = async (path: string, headers: Readonly<Record<string, string>>, on = plane) => {
      const response = await send(path, { headers, redirect: "manual" }, on)
      return [response.status, response.headers.get("location")]
    }
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
    expect(await follow("/console", browser)).toEqual([302, "/console/"])
    expect(await follow("/console?tab=1", {})).toEqual([302, "/console/?tab=1"])
    expect(await follow("/", browser)).toEqual([302, "/console/"])
    expect(await follow("/", { accept: "application/json" })).toEqual([404, null])
    expect(await follow("/", {})).toEqual([404, null])
    const posted = await send("/", { method: "POST", headers: browser, redirect: "manual" })
    expect(posted.status).toBe(404)
  })

  it("are served below the path prefix, and only if the option is set", async () => {
    const [mounted, without] = await Promise.all([
      makeControlPlane({ workers: false, console: true, pathPrefix: "/orgplane" }),
      makeControlPlane({ workers: false })
    ])
    await ready(mounted, "/orgplane/console/")
    const page = await (await send("/orgplane/console/plugins", {}, mounted)).text()
    expect(page).toContain('<base href="/orgplane/console/">')
    const browser = { headers: { accept: "text/html" }, redirect: "manual" } as const
    expect((await send("/orgplane", browser, mounted)).headers.get("location")).toBe("/orgplane/console/")
    // The rest of the host application's paths stay its own.
    for (const path of ["/", "/console", "/console/", "/elsewhere"]) {
      expect([path, (await send(path, browser, mounted)).status]).toEqual([path, 404])
    }
    const { set } = await signInByEmail("ada@acme.example", mounted, "/orgplane")
    expect(set).toContain("; Path=/orgplane/console; ")
    for (const path of ["/console", "/console/", "/"]) expect((await send(path, browser, without)).status).toBe(404)
    expect((await send("/console/api/v1", { headers: own }, without)).status).toBe(404)
  })

  it("use the path of the public URL behind a proxy that removes it", async () => {
    const proxied = await makeControlPlane({
      workers: false,
      console: true,
      publicUrl: "https://localhost/tools/orgplane"
    })
    await ready(proxied, "/console/")
    expect(await (await send("/console/", {}, proxied)).text()).toContain('<base href="/tools/orgplane/console/">')
    const { set } = await signInByEmail("ada@acme.example", proxied)
    expect(set).toMatch(/; Path=\/tools\/orgplane\/console; HttpOnly; SameSite=Strict; Secure; /)
  })

  it("load at most 200 kB before the first page is shown", async () => {
    const sizes = await Promise.all(
      ["", ...(await assetsOf())].map(async (name) => {
        const response = await send(`/console/${name}`, { headers: { "accept-encoding": "br" } })
        return (await response.arrayBuffer()).byteLength
      })
    )
    expect(sizes.length).toBeGreaterThan(2)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
  })
})

describe("the host application's own sign-in", () => {
  const people: Readonly<Record<string, HostIdentity>> = {
    "app=ada": { subject: "employee-1", name: "Ada", email: "ada@host.example", emailVerified: true }
  }
  const options: Partial<ControlPlaneOptions> = {
    workers: false,
    pathPrefix: "/orgplane",
    console: { signInUrl: '/login?from="console"' },
    authenticator: (request) =>
      Promise.resolve(people[/\bapp=\w+/.exec(request.headers.get("cookie") ?? "")?.[0] ?? ""] ?? null)
  }

  it("reaches the operations with the cookies of its own", async () => {
    const host = await makeControlPlane(options)
    await ready(host, "/orgplane/console/")
    const page = await (await send("/orgplane/console/", {}, host)).text()
    expect(page).toContain('<meta name="orgplane-sign-in" content="/login?from=&quot;console&quot;">')
    const me = (headers: Readonly<Record<string, string>>) =>
      send("/orgplane/console/api/v1/me", { headers: { ...own, ...headers } }, host)
    expect((await me({})).status).toBe(401)
    const response = await me({ cookie: "app=ada" })
    expect([response.status, ((await response.json()) as { user: { email: string } }).user.email]).toEqual([
      200,
      "ada@host.example"
    ])
    // Only a cookie that this installation encrypted is a session; with any other value, the host decides.
    expect((await me({ cookie: "orgplane_console=forged.forged.forged; app=ada" })).status).toBe(200)
    const foreign = await me({ cookie: "app=ada", "sec-fetch-site": "cross-site" })
    expect(foreign.status).toBe(400)
  })

  it.each([
    ["yes", "The option console must be true, false or an object."],
    [{ signInURL: "/login" }, "Unknown option console.signInURL. Did you mean console.signInUrl?"],
    [{ signInUrl: "login" }, "The option console.signInUrl must be a path such as /login, or an http or https URL."],
    [
      { signInUrl: "//evil.example" },
      "The option console.signInUrl must be a path such as /login, or an http or https URL."
    ],
    [
      { signInUrl: "javascript:alert(1)" },
      "The option console.signInUrl must be a path such as /login, or an http or https URL."
    ]
  ])("is named by a valid option, not by %j", async (value, message) => {
    const start = ControlPlane.make({
      database: ControlPlane.pglite("memory"),
      console: JSON.parse(JSON.stringify(value))
    })
    await expect(start).rejects.toThrow(new TypeError(message))
  })
})
