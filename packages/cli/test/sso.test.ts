import { describe, expect, it } from "vitest"
import { sso } from "../src/output/sso-connection.ts"
import { folder, ran, serve, spawned } from "./harness.ts"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"

const domain = (more: object = {}) => ({
  id: "dom_1",
  organizationId: "org_1",
  domain: "acme.com",
  status: "pending",
  verification: { type: "TXT", name: "_orgplane.acme.com", value: "orgplane-verification=9f2c" },
  verifiedAt: null,
  lastCheckedAt: null,
  failure: null,
  failingSince: null,
  createdAt: "2026-03-01T09:30:00.000Z",
  updatedAt: "2026-03-01T09:30:00.000Z",
  ...more
})
const page = (...items: ReadonlyArray<unknown>) => ({ body: { items, nextCursor: null } })
const plain = ["--no-color"]

describe("sso domains", () => {
  it("prints the complete DNS record of a new domain and the next step", async () => {
    const { seen, url } = await serve({ "POST /v1/sso/domains": { status: 201, body: { domain: domain() } } })
    const result = await ran(["sso", "domains", "create", "acme.com", ...plain], { url, columns: 40 })
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ domain: "acme.com" })
    expect(result.code).toBe(0)
    expect(result.out).toMatch(/^verification\.type +TXT$/m)
    expect(result.out).toMatch(/^verification\.name +_orgplane\.acme\.com$/m)
    expect(result.out).toMatch(/^verification\.value +orgplane-verification=9f2c$/m)
    expect(result.err).toContain("then run: orgplane sso domains verify")
  })
  it("prints the next step for each domain with a problem", async () => {
    const { url } = await serve({
      "GET /v1/sso/domains": page(
        domain({ status: "verified" }),
        domain({ id: "dom_2", domain: "b.com", failure: "domain_taken" }),
        domain({ id: "dom_3", domain: "c.com", status: "lapsed", failure: "record_mismatch" }),
        domain({ id: "dom_4", domain: "d.com", status: "verified", failingSince: "2026-03-02T00:00:00.000Z" })
      )
    })
    const result = await ran(["sso", "domains", "list", ...plain], { url, columns: 120 })
    expect(result.out.split("\n")).toHaveLength(6)
    expect(result.err.trim().split("\n")).toEqual([
      "b.com: verified by another organization, which must remove it first.",
      "c.com: lapsed, so new users cannot join through it; the record has a different value; set it to TXT _orgplane.acme.com = orgplane-verification=9f2c, then run: orgplane sso domains verify",
      "d.com: its DNS record has been missing since 2026-03-02T00:00:00.000Z. The domain's verification lapses 24 hours after that. Restore TXT _orgplane.acme.com = orgplane-verification=9f2c"
    ])
    // Only the rows are printed in a pipe.
    const piped = await spawned(["sso", "domains", "list"], { url })
    expect([piped.err, piped.out.trim().split("\n").length]).toEqual(["", 4])
  })
  it("fails with a line for each domain that could not be verified", async () => {
    const { url } = await serve({
      "POST /v1/sso/verify-domain": {
        status: 400,
        body: {
          error: "invalid_request",
          message: "The request is not valid.",
          details: [
            { path: ["domains", "acme.com"], message: "There is no TXT record.", code: "record_missing" },
            { path: ["domains", "b.com"], message: "The name servers\u001b[2J say nothing.", code: "dns_unavailable" }
          ]
        }
      }
    })
    const result = await ran(["sso", "domains", "verify"], { url })
    expect(result.code).toBe(1)
    expect(result.err.trim().split("\n").slice(1)).toEqual([
      "  acme.com: There is no TXT record.",
      "  b.com: The name servers\\u001b[2J say nothing."
    ])
  })
  it("asks for confirmation before removing a domain, and fails without a terminal", async () => {
    const { seen, url } = await serve({ "DELETE /v1/sso/domains/dom_1": { status: 204 } })
    expect(await ran(["sso", "domains", "remove", "dom_1"], { url })).toMatchObject({ code: 2 })
    expect(await ran(["sso", "domains", "remove", "dom_1"], { url, columns: 80, typed: ["n"] })).toMatchObject({
      code: 1
    })
    expect(seen).toHaveLength(0)
    expect(await ran(["sso", "domains", "remove", "dom_1", "--yes"], { url })).toMatchObject({ code: 0 })
    expect(seen).toHaveLength(1)
  })
})

const connection = (more: object = {}) => ({
  id: "sso_1",
  protocol: "saml",
  enabled: true,
  enforced: true,
  breakGlass: ["om_1"],
  jit: { enabled: true, role: "member" },
  oidc: null,
  saml: {
    idpEntityId: "https://idp.example",
    ssoUrl: "https://idp.example/sso",
    certificates: [
      {
        sha256: "a".repeat(64),
        subject: "CN=now",
        notBefore: "2026-01-01T00:00:00.000Z",
        notAfter: "2026-03-11T12:00:00.000Z"
      },
      {
        sha256: "b".repeat(64),
        subject: "CN=over\u001b[2J",
        notBefore: "2026-01-01T00:00:00.000Z",
        notAfter: "2026-02-01T00:00:00.000Z"
      }
    ],
    attributes: { email: null, name: null }
  },
  serviceProvider: {
    redirectUri: "https://o.example/v1/sso/oidc/org_1/callback",
    entityId: "https://o.example/v1/sso/saml/org_1/metadata",
    acsUrl: "https://o.example/v1/sso/saml/org_1/acs",
    metadataUrl: "https://o.example/v1/sso/saml/org_1/metadata"
  },
  lastTest: { ok: true, at: "2026-03-01T00:00:00.000Z", by: "om_1", code: null, subject: "s", email: "ada@acme.com" },
  ...more
})
const paper = { columns: 100, colors: false, unicode: false }

describe("sso get", () => {
  const now = Date.parse("2026-03-01T00:00:00.000Z")
  it("prints the status, the values for the identity provider, and the validity of certificates", () => {
    const lines = sso(connection(), paper, now).split("\n")
    expect(lines[0]).toBe("Single sign-on with SAML 2.0: on, enforced")
    expect(lines).toContain("  ACS URL, single sign-on URL: https://o.example/v1/sso/saml/org_1/acs")
    expect(lines).toContain("  10 days left, until 2026-03-11T12:00:00.000Z: CN=now (aaaaaaaaaaaaaaaa)")
    expect(lines.at(-1)).toBe("  expired on 2026-02-01T00:00:00.000Z: CN=over\\u001b[2J (bbbbbbbbbbbbbbbb)")
  })
  it("prints only the redirect URI for OpenID Connect, and what is missing", () => {
    const oidc = { issuer: "https://idp.example", clientId: "c", scopes: ["openid"], hasClientSecret: true }
    const text = sso(connection({ protocol: "oidc", enabled: false, oidc, saml: null, lastTest: null }), paper, now)
    expect(text).toContain("Single sign-on with OpenID Connect: off\nNot tested. Run: orgplane sso test")
    expect(text).toContain("redirect URI: https://o.example/v1/sso/oidc/org_1/callback")
    expect(text).not.toContain("ACS")
  })
  it("prints a summary on a terminal and the response body as JSON", async () => {
    const { url } = await serve({ "GET /v1/sso": { body: { connection: connection() } } })
    expect((await ran(["sso", "get", ...plain], { url, columns: 90 })).out).toContain("For the identity provider:")
    expect(JSON.parse((await ran(["sso", "get", "-o", "json"], { url })).out)).toEqual({ connection: connection() })
  })
})

describe("sso service-provider", () => {
  it("prints the values for the identity provider before a connection exists", async () => {
    const { serviceProvider } = connection()
    const { url } = await serve({ "GET /v1/sso/service-provider": { body: { serviceProvider } } })
    const { code, out } = await ran(["sso", "service-provider", ...plain], { url, columns: 200 })
    expect(code).toBe(0)
    for (const address of Object.values(serviceProvider)) expect(out).toContain(address)
    expect(JSON.parse((await ran(["sso", "service-provider", "-o", "json"], { url })).out)).toEqual({ serviceProvider })
  })
})

describe("sso put-saml and put-oidc", () => {
  it("reads certificates and secrets from files, never from the command line", async () => {
    const { seen, url } = await serve({
      "PUT /v1/sso/saml": { body: { connection: connection() } },
      "PUT /v1/sso/oidc": { body: { connection: connection() } }
    })
    const home = await folder()
    const [now, next] = [join(home, "now.pem"), join(home, "next.pem")]
    await writeFile(now, "PEM one\n")
    await writeFile(next, "PEM two\n")
    const saml = ["sso", "put-saml", "--idp-entity-id", "https://idp.example", "--sso-url", "https://idp.example/sso"]
    expect(await ran([...saml, "--certificate", now, "--certificate", next], { url })).toMatchObject({ code: 0 })
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ certificates: ["PEM one\n", "PEM two\n"] })
    const oidc = ["sso", "put-oidc", "--issuer", "https://idp.example", "--client-id", "c", "--client-secret-file", "-"]
    expect(await ran(oidc, { url, stdin: "hush\n" })).toMatchObject({ code: 0 })
    expect(JSON.parse(seen[1]?.body ?? "")).toEqual({
      issuer: "https://idp.example",
      clientId: "c",
      clientSecret: "hush"
    })
    expect(await ran(["sso", "put-oidc", "--client-secret", "hush"], { url })).toMatchObject({ code: 2 })
  })
})
