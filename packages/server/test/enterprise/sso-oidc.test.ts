/** Invalid responses of an OpenID Connect provider or an attacker in between: each is refused with its own code. */
import * as jose from "jose"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { call, makeControlPlane, makeWorkspace, runSql, someAddress } from "../harness.ts"
import {
  atProvider,
  type Claims,
  clientId,
  clientSecret,
  comeBack,
  connectSso,
  goThrough,
  serveStandIn,
  signInBySso,
  type StandIn,
  startSso,
  testSso,
  resultOf,
  verifyDomain
} from "./sso.fixture.ts"

const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const standIn = await serveStandIn()
const owner = await makeWorkspace(plane)
await connectSso(plane, owner, standIn, { domain: "acme.example", jit: { enabled: true } })
afterAll(() => standIn.close())

const who = { organizationId: owner.organizationId }
let people = 0
beforeEach(() => {
  standIn.reset()
  people += 1
  standIn.person = { sub: `person-${people}`, email: `person-${people}@acme.example`, email_verified: true }
})

const counts = () =>
  runSql(
    plane,
    (sql) => sql`SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM memberships) AS members,
      (SELECT count(*)::int FROM sso_identities) AS identities, (SELECT count(*)::int FROM sessions) AS sessions`
  )

const without = (document: Claims, member: string): Claims =>
  Object.fromEntries(Object.entries(document).filter(([name]) => name !== member))

const seconds = () => Math.floor(Date.now() / 1000)
const withClaims = (more: Claims) => (standIn: StandIn) => {
  standIn.bend = (claims) =>
    Object.fromEntries(Object.entries({ ...claims, ...more }).filter(([, value]) => value !== null))
}
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const strangersKey = await jose.generateKeyPair("RS256")

const refusals: Readonly<Record<string, readonly [code: string, bend: (standIn: StandIn) => unknown]>> = {
  "a nonce of another sign-in": ["nonce_mismatch", withClaims({ nonce: "another" })],
  "no nonce": ["token_invalid", withClaims({ nonce: null })],
  "an audience that is another application": ["audience_mismatch", withClaims({ aud: "another" })],
  "further audiences without who asked": ["audience_mismatch", withClaims({ aud: [clientId, "another"] })],
  "an authorized party that is another application": [
    "audience_mismatch",
    withClaims({ aud: [clientId, "another"], azp: "another" })
  ],
  "an issuer that is another": ["issuer_mismatch", withClaims({ iss: "https://elsewhere.example" })],
  "a token that is over": ["expired", withClaims({ exp: seconds() - 3600 })],
  "a token without an end": ["token_invalid", withClaims({ exp: null })],
  "a token that is not good yet": ["not_yet_valid", withClaims({ nbf: seconds() + 3600 })],
  "a token of the future": ["not_yet_valid", withClaims({ iat: seconds() + 3600, exp: seconds() + 7200 })],
  "no subject": ["token_invalid", withClaims({ sub: null })],
  "a subject that no database keeps": ["subject_missing", withClaims({ sub: "a\u0000b" })],
  "the algorithm none": [
    "token_invalid",
    (standIn) => {
      standIn.sign = (claims) => Promise.resolve(`${base64({ alg: "none", typ: "JWT" })}.${base64(claims)}.`)
    }
  ],
  "the algorithm none, spelled otherwise": [
    "token_invalid",
    (standIn) => {
      standIn.sign = (claims) => Promise.resolve(`${base64({ alg: "nOnE" })}.${base64(claims)}.`)
    }
  ],
  "a signature by the client's secret": [
    "token_invalid",
    (standIn) => {
      standIn.sign = (claims) =>
        new jose.SignJWT({ ...claims })
          .setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode(clientSecret))
    }
  ],
  "a signature by the public key as a secret": [
    "token_invalid",
    (standIn) => {
      standIn.sign = async (claims) =>
        new jose.SignJWT({ ...claims })
          .setProtectedHeader({ alg: "HS256", kid: standIn.ownKey().kid })
          .sign(new TextEncoder().encode(JSON.stringify(await jose.exportJWK(strangersKey.publicKey))))
    }
  ],
  "no signature": [
    "token_invalid",
    (standIn) => {
      const { sign } = standIn
      standIn.sign = async (claims) => (await sign(claims)).replace(/[^.]+$/, "")
    }
  ],
  "claims that were changed after they were signed": [
    "token_invalid",
    (standIn) => {
      const { sign } = standIn
      standIn.sign = async (claims) => {
        const [head, , signature] = (await sign(claims)).split(".")
        return `${head}.${base64({ ...claims, email: "owner@acme.example" })}.${signature}`
      }
    }
  ],
  "a signature with another key": [
    "token_invalid",
    (standIn) => {
      standIn.sign = (claims) =>
        new jose.SignJWT({ ...claims })
          .setProtectedHeader({ alg: "RS256", kid: standIn.ownKey().kid })
          .sign(strangersKey.privateKey)
    }
  ],
  "a key that the token brings itself": [
    "token_invalid",
    (standIn) => {
      standIn.sign = async (claims) =>
        new jose.SignJWT({ ...claims })
          .setProtectedHeader({ alg: "RS256", jwk: await jose.exportJWK(strangersKey.publicKey), kid: "mine" })
          .sign(strangersKey.privateKey)
    }
  ],
  "what is no token": [
    "token_invalid",
    (standIn) => {
      standIn.sign = () => Promise.resolve("nothing")
    }
  ],
  "no ID token": [
    "token_invalid",
    (standIn) => {
      standIn.tokenResponse = { status: 200, body: { access_token: "a", token_type: "Bearer" } }
    }
  ],
  "an error instead of tokens": [
    "code_refused",
    (standIn) => {
      standIn.tokenResponse = { status: 400, body: { error: "invalid_grant" } }
    }
  ],
  "trouble of its own instead of tokens": [
    "provider_unreachable",
    (standIn) => {
      standIn.tokenResponse = { status: 503, body: {} }
    }
  ],
  "that the person is denied": [
    "access_denied",
    (standIn) => {
      standIn.error = "access_denied"
    }
  ],
  "another issuer beside the code": [
    "issuer_mismatch",
    (standIn) => {
      standIn.back = { iss: "https://elsewhere.example" }
    }
  ],
  "an address that is not proved": ["email_not_verified", withClaims({ email_verified: false })],
  "an address that is not proved, in words": ["email_not_verified", withClaims({ email_verified: "false" })],
  "no address": ["email_missing", withClaims({ email: null })],
  "an address in no domain of the organization": ["domain_not_verified", withClaims({ email: "a@elsewhere.example" })],
  "an address below the domain": ["domain_not_verified", withClaims({ email: "a@sub.acme.example" })],
  "an address that only looks as if": [
    "domain_not_verified",
    withClaims({ email: "a@elsewhere.example@acme.example.evil" })
  ]
}

describe("an OpenID Connect response", () => {
  it.each(Object.entries(refusals))("is refused when the provider sends %s", async (_, [code, bend]) => {
    bend(standIn)
    const before = await counts()
    const { back, result } = await goThrough(plane, who)
    expect([back.status, result.get("error"), result.get("code")]).toEqual([303, code, null])
    expect(await counts()).toEqual(before)
    const [event] = (await owner.call("GET", "/v1/audit-events?action=sso.callback&limit=1")).body.items
    expect(event.after.code).toBe(code)
    expect(JSON.stringify(event)).not.toContain("acme.example")
  })

  it("is accepted with a rotated signing key", async () => {
    await signInBySso(plane, who)
    await standIn.rotate()
    expect((await signInBySso(plane, who)).response.status).toBe(201)
  })

  it("is completed with the email address from userinfo, of the same subject only", async () => {
    const { sub } = standIn.person
    standIn.person = { sub }
    standIn.userinfo = { sub, email: `${String(sub)}@acme.example`, email_verified: "true" }
    expect((await signInBySso(plane, who)).response.body.user.email).toBe(`${String(sub)}@acme.example`)
    standIn.person = { sub: "another" }
    expect((await goThrough(plane, who)).result.get("error")).toBe("token_invalid")
  })

  it("is accepted with a clock that differs by less than a minute", async () => {
    withClaims({ nbf: seconds() + 40, iat: seconds() + 40, exp: seconds() - 40 })(standIn)
    expect((await signInBySso(plane, who)).response.status).toBe(201)
  })
})

describe("a sign-in state", () => {
  const lost = /has expired or was already used/

  it("that is unknown gets a generic page that contains no data from the request", async () => {
    const state = "A".repeat(43)
    for (const query of [
      `state=${state}&code=canary`,
      "code=canary",
      "state=canary&code=canary",
      `state=${state}&error=canary`
    ]) {
      const response = await call(
        plane,
        undefined,
        someAddress()
      )("GET", `/v1/sso/oidc/${owner.organizationId}/callback?${query}`)
      expect(response.status).toBe(410)
      expect(response.text).toMatch(lost)
      expect(response.text).not.toContain("canary")
    }
  })

  it("is valid only at the URL of its organization, and is not used up at another's", async () => {
    const stranger = await makeWorkspace(plane)
    const started = await startSso(plane, who)
    const url = await atProvider(started.body.url)
    expect(url.pathname).toBe(`/v1/sso/oidc/${owner.organizationId}/callback`)
    const elsewhere = new URL(url)
    elsewhere.pathname = `/v1/sso/oidc/${stranger.organizationId}/callback`
    const tokenRequests = standIn.requestCounts.get("/token") ?? 0
    const mixedUp = await comeBack(plane, elsewhere)
    expect([mixedUp.status, lost.test(mixedUp.text), standIn.requestCounts.get("/token") ?? 0]).toEqual([
      410,
      true,
      tokenRequests
    ])
    expect(resultOf(await comeBack(plane, url)).get("code")).toMatch(/^[\w-]{43}$/)
  })

  it("can be used once, also by two concurrent browsers", async () => {
    const started = await startSso(plane, who)
    const url = await atProvider(started.body.url)
    const responses = await Promise.all([comeBack(plane, url), comeBack(plane, url), comeBack(plane, url)])
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 410, 410])
    expect((await comeBack(plane, url)).text).toMatch(lost)
  })

  it("that has expired gets the generic page", async () => {
    const started = await startSso(plane, who)
    const url = await atProvider(started.body.url)
    await runSql(
      plane,
      (sql) => sql`UPDATE sso_sign_ins SET expires_at = now() WHERE organization_id = ${owner.organizationId}`
    )
    expect((await comeBack(plane, url)).text).toMatch(lost)
  })

  it("cannot be combined with the code of another sign-in", async () => {
    const [first, second] = [await startSso(plane, who), await startSso(plane, who)]
    const url = await atProvider(first.body.url)
    url.searchParams.set("state", second.body.state)
    expect(resultOf(await comeBack(plane, url)).get("error")).toBe("code_refused")
  })

  it("of OpenID Connect is not valid for SAML", async () => {
    const started = await startSso(plane, who)
    const acs = await plane.fetch(
      new Request(`http://localhost/v1/sso/saml/${who.organizationId}/acs`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ RelayState: started.body.state, SAMLResponse: "canary" })
      }),
      { remoteAddress: someAddress() }
    )
    expect(await acs.text()).toMatch(lost)
    expect((await comeBack(plane, await atProvider(started.body.url))).status).toBe(303)
  })
})

it("row 33: another organization's provider cannot vouch for users of this organization", async () => {
  const stranger = await makeWorkspace(plane, "Theirs")
  const theirs = await serveStandIn()
  try {
    await connectSso(plane, stranger, theirs, { domain: "theirs.example", jit: { enabled: true } })
    const before = await counts()
    for (const email of ["owner@acme.example", "new@acme.example"]) {
      theirs.person = { sub: `not ${email}`, email, email_verified: true }
      const { result } = await goThrough(plane, { organizationId: stranger.organizationId })
      expect(result.get("error")).toBe("domain_not_verified")
    }
    expect(await counts()).toEqual(before)
    // Not even with a subject that this organization's provider uses.
    theirs.person = { sub: `owner of ${owner.organizationId}`, email: "owner@acme.example", email_verified: true }
    expect((await goThrough(plane, { organizationId: stranger.organizationId })).result.get("error")).toBe(
      "domain_not_verified"
    )
  } finally {
    await theirs.close()
  }
})

describe("an OpenID Connect provider", () => {
  const put = async (standIn: StandIn, person = owner) =>
    person.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId, clientSecret })

  const unusable: Readonly<Record<string, readonly [code: string, describe: (document: Claims) => Claims]>> = {
    "is another than it is called": [
      "issuer_mismatch",
      (document) => ({ ...document, issuer: "https://elsewhere.example" })
    ],
    "has no keys": ["provider_invalid", (document) => without(document, "jwks_uri")],
    "has nothing where its keys are": [
      "provider_invalid",
      (document) => ({ ...document, jwks_uri: `${String(document["issuer"])}/nothing` })
    ],
    "has no place for tokens": ["provider_invalid", (document) => without(document, "token_endpoint")],
    "sends browsers to a script": [
      "provider_invalid",
      (document) => ({ ...document, authorization_endpoint: "javascript:alert(1)" })
    ],
    "knows no S256": ["provider_invalid", (document) => ({ ...document, code_challenge_methods_supported: ["plain"] })]
  }
  it.each(Object.entries(unusable))("that %s cannot be configured", async (_, [code, bend]) => {
    const person = await makeWorkspace(plane)
    standIn.describe = bend
    const response = await put(standIn, person)
    expect([response.status, response.body.error, response.body.code]).toEqual([502, "sso_provider_failed", code])
    expect((await person.call("GET", "/v1/sso")).status).toBe(404)
  })

  it("that is unreachable is reported, when it is configured and when a browser returns", async () => {
    const person = await makeWorkspace(plane)
    const away = await serveStandIn()
    await connectSso(plane, person, away, { domain: "away.example" })
    const started = await startSso(plane, { organizationId: person.organizationId })
    const url = await atProvider(started.body.url)
    await away.close()
    expect(resultOf(await comeBack(plane, url)).get("error")).toBe("provider_unreachable")
    const response = await put(away, person)
    expect([response.status, response.body.code]).toEqual([502, "provider_unreachable"])
    expect((await person.call("GET", "/v1/sso")).body.sso.enabled).toBe(true)
  })

  it("that has a different client secret rejects ours", async () => {
    const person = await makeWorkspace(plane)
    await verifyDomain(plane, person, "secret.example")
    await person.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId, clientSecret: "wrong" })
    standIn.person = { sub: "a", email: "a@secret.example" }
    const { result, lastTest } = await testSso(plane, person)
    expect(result.get("error")).toBe("code_refused")
    expect(lastTest).toMatchObject({ ok: false, code: "code_refused", subject: null, email: null })
  })

  it("that accepts secrets only in the body gets it there", async () => {
    const person = await makeWorkspace(plane)
    standIn.describe = (document) => ({ ...document, token_endpoint_auth_methods_supported: ["client_secret_post"] })
    await connectSso(plane, person, standIn, { domain: "post.example" })
  })
})
