/** Single sign-on in the console: the identity provider returns to a page of the console, whose API keeps the session. */
import { afterAll, describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { atProvider, connectSso, s256, serveStandIn, verifier } from "../enterprise/sso.fixture.ts"

const url = "https://orgplane.example"
const plane = await makeControlPlane({
  workers: false,
  console: true,
  publicUrl: url,
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
})
const standIn = await serveStandIn()
afterAll(() => standIn.close())

const domain = "acme.example"
const owner = await makeWorkspace(plane)
await connectSso(plane, owner, standIn, { domain, jit: { enabled: true } })

const own = { "sec-fetch-site": "same-origin", "x-orgplane-console": "1" }
const send = (path: string, init: RequestInit = {}) => plane.fetch(new Request(new URL(path, url), init))
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = own) =>
  send(path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const page = `${url}/console/sign-in/return`
const start = (returnTo: string) =>
  post("/console/api/v1/sso/sign-in", { email: `ada@${domain}`, codeChallenge: s256(verifier), returnTo })

/** The browser from the sign-in page to the page to which the callback redirects it. */
const goThrough = async () => {
  standIn.person = { sub: "ada", email: `ada@${domain}`, email_verified: true }
  const started = await start(page)
  const { url: provider } = (await started.json()) as { readonly url: string }
  const { pathname, search } = await atProvider(provider)
  const back = await send(pathname + search)
  expect([back.status, back.headers.get("set-cookie")]).toEqual([303, null])
  return new URL(back.headers.get("location") ?? "")
}

const complete = (back: URL, codeVerifier = verifier, headers: Readonly<Record<string, string>> = own) =>
  post(
    "/console/api/v1/sso/sign-in/complete",
    { state: back.searchParams.get("state"), code: back.searchParams.get("code"), codeVerifier },
    headers
  )

describe("single sign-on in the console", () => {
  it("returns to the console, which keeps the session in its cookie", async () => {
    const back = await goThrough()
    expect(back.origin + back.pathname).toBe(page)
    const response = await complete(back)
    const set = response.headers.get("set-cookie") ?? ""
    const text = await response.text()
    expect([response.status, text.includes("ops_"), JSON.parse(text).session.token]).toEqual([201, false, ""])
    expect(set).toMatch(
      /^orgplane_console=[\w.-]+; Path=\/console; HttpOnly; SameSite=Strict; Secure; Max-Age=34560000$/
    )
    const cookie = set.split(";", 1)[0] ?? ""
    const read = async (path: string) => (await send(path, { headers: { ...own, cookie } })).status
    expect(await Promise.all(["/console/api/v1/me", "/console/api/v1/organization"].map(read))).toEqual([200, 200])
    expect(await Promise.all(["/v1/me", "/v1/organization"].map(read))).toEqual([401, 401])
  })

  it("signs out of the session of the same browser that an earlier sign-in created", async () => {
    const first = ((await complete(await goThrough())).headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
    const again = await complete(await goThrough(), verifier, { ...own, cookie: first })
    const second = (again.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
    const statusOf = async (cookie: string) =>
      (await send("/console/api/v1/me", { headers: { ...own, cookie } })).status
    await expect.poll(() => statusOf(first)).toBe(401)
    expect([again.status, await statusOf(second)]).toEqual([201, 200])
  })

  it("gives the session only to the tab that started the sign-in, once, and to no other page", async () => {
    const back = await goThrough()
    const foreign = await complete(back, verifier, { ...own, "sec-fetch-site": "cross-site" })
    const other = await complete(back, `${verifier}x`)
    expect([foreign.status, other.status]).toEqual([400, 400])
    expect([foreign.headers.get("set-cookie"), other.headers.get("set-cookie")]).toEqual([null, null])
    expect([(await complete(back)).status, (await complete(back)).status]).toEqual([201, 400])
  })

  it("returns to no other page, unless the operator allows its origin", async () => {
    for (const returnTo of [
      `${url}/consoles/sign-in`,
      `${url}/console/../admin`,
      `${url}/console`,
      `${url}:8443/console/sign-in/return`,
      "https://orgplane.example.evil.example/console/",
      "https://evil.example/console/"
    ]) {
      const response = await start(returnTo)
      const body = (await response.json()) as { readonly details?: ReadonlyArray<unknown> }
      expect([returnTo, response.status, body.details]).toEqual([
        returnTo,
        400,
        [
          {
            path: ["body", "returnTo"],
            message: "must be a loopback URL, a page of the console, or have an origin that the operator allows"
          }
        ]
      ])
    }
  })
})
