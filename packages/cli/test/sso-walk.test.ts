/** Single sign-on: the CLI, an independent identity provider, and a browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { browse } from "../../server/test/agents/mcp-provider.fixture.ts"
import { type OidcServer, serveOidc, serveSsoPlane } from "../../server/test/enterprise/oidc-provider.fixture.ts"
import { folder, ran, spawned } from "./harness.ts"
import { beginProgram } from "./program.ts"

let plane: Awaited<ReturnType<typeof serveSsoPlane>>
let provider: OidcServer

const orgplane = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await spawned(["sso", ...args, "-o", "json"], { url: plane.origin, token: plane.token })
  if (code !== 0) throw new Error(`orgplane sso ${args.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

beforeAll(async () => {
  plane = await serveSsoPlane("acme.example")
  provider = await serveOidc(plane.callback)
}, 120_000)
afterAll(() => Promise.all([plane.close(), provider.close()]))

const ada = { sub: "ada", email: "ada@acme.example", email_verified: true, name: "Ada" }
const at = () => ({ origin: plane.origin, token: plane.token })
const isCallback = (url: URL) => url.href.startsWith(plane.callback)

/** Runs login on a terminal with a browser and a separate configuration directory. */
const login = async (argv: ReadonlyArray<string>, config: string) =>
  ran(["login", "--base-url", plane.origin, "--sso", ...argv], {
    token: "",
    config,
    columns: 80,
    opens: async (url) => void (await browse(url))
  })

describe("orgplane sso test, and login --sso", { timeout: 240_000 }, () => {
  it("tests the connection and then signs in with the browser", async () => {
    const put = await spawned(["api", "PUT", "/v1/sso/oidc", "--input", "-"], {
      url: plane.origin,
      token: plane.token,
      stdin: JSON.stringify({
        issuer: provider.issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        jit: { enabled: true }
      })
    })
    expect(put.code).toBe(0)

    provider.person = { ...ada, email: "ada@elsewhere.example" }
    const failing = beginProgram(at(), ["sso", "test", "-o", "json"])
    const refused = await browse(await failing.link())
    expect(refused.text).toContain("Sign-in failed")
    const failed = await failing.ended
    expect([failed.code, JSON.parse(failed.out).lastTest.code]).toEqual([6, "domain_not_verified"])

    provider.person = ada
    const testing = beginProgram(at(), ["sso", "test", "-o", "json"])
    await browse(await testing.link())
    const tested = await testing.ended
    expect([tested.code, JSON.parse(tested.out).lastTest]).toEqual([
      0,
      expect.objectContaining({ ok: true, code: null, subject: "ada", email: "ada@acme.example" })
    ])
    expect((await orgplane("enable")).sso.enabled).toBe(true)

    const config = await folder()
    const done = await login(["--email", "ada@acme.example"], config)
    expect([done.code, done.err.includes("Signed in to Acme")]).toEqual([0, true])
    const me = await spawned(["users", "get", "-o", "json"], { token: "", config })
    expect(JSON.parse(me.out).user).toMatchObject({ email: "ada@acme.example", emailVerified: true, name: "Ada" })
    const sessions = await spawned(["sessions", "list", "-o", "json"], { token: "", config })
    expect(JSON.parse(sessions.out).items).toEqual([
      expect.objectContaining({ kind: "sso", organizationId: plane.organizationId })
    ])
  })

  it("signs in with a pasted code and an organization ID", async () => {
    provider.person = ada
    const argv = ["login", "--base-url", plane.origin, "--sso", "--organization", plane.organizationId, "--paste"]
    // A script passes the code from the page on stdin.
    const begun = beginProgram({ origin: plane.origin, token: "" }, argv)
    const page = await browse(await begun.link())
    expect(isCallback(page.url)).toBe(true)
    const code = /<dt>Code<\/dt><dd><code>([\w-]{43})<\/code>/.exec(page.text)?.[1] ?? ""
    begun.child.stdin.end(`${code}\n`)
    const { err } = await begun.ended
    // The home directory does not exist, so the profile cannot be saved.
    expect([code.length, err]).toEqual([43, expect.not.stringContaining("is wrong")])
  })

  it("reports why a sign-in failed, and requires an email address or an organization", async () => {
    const config = await folder()
    provider.consent = "deny"
    try {
      const denied = await login(["--email", "ada@acme.example"], config)
      expect([denied.code, denied.err]).toEqual([
        6,
        expect.stringContaining("Sign-in failed: access_denied. You are not signed in.")
      ])
    } finally {
      provider.consent = "allow"
    }
    const unknown = await login(["--email", "ada@unknown.example"], config)
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining("No such SSO connection")])
    const none = await spawned(["login", "--base-url", plane.origin, "--sso"], { token: "", config })
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("--email")])
  })
})
