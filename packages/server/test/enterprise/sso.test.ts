import * as Effect from "effect/Effect"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { Refusals } from "../../src/infra/audit/refusals.ts"
import { makeId } from "../../src/infra/ids.ts"
import {
  addMember,
  type TestResponse,
  call,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  mintSession,
  platformAdmin,
  runSql,
  signIn,
  signInByEmail,
  someAddress,
  withServices,
  type Workspace
} from "../harness.ts"
import { makeProvisional } from "../infra/http-world.ts"
import { makeDirectory, makeUser } from "./scim.fixture.ts"
import {
  atProvider,
  clientId,
  clientSecret,
  comeBack,
  complete,
  connectSso,
  giveEmail,
  goThrough,
  returnTo,
  s256,
  serveStandIn,
  signInBySso,
  startSso,
  testSso,
  resultOf,
  verifier,
  verifyDomain
} from "./sso.fixture.ts"

const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const standIn = await serveStandIn()
afterAll(() => standIn.close())
beforeEach(() => standIn.reset())

let domainCount = 0
const connected = async (jit?: { readonly enabled: boolean; readonly role?: string }) => {
  domainCount += 1
  const domain = `acme-${domainCount}.example`
  const owner = await makeWorkspace(plane)
  await connectSso(plane, owner, standIn, { domain, ...(jit === undefined ? {} : { jit }) })
  return { domain, owner, who: { organizationId: owner.organizationId } }
}
const comes = (sub: string, email: string) => {
  standIn.person = { sub, email, email_verified: true }
}
const refusedWith = async (who: { organizationId: string }, code: string) =>
  expect((await goThrough(plane, who)).result.get("error")).toBe(code)
const members = async (owner: Workspace) => (await owner.call("GET", "/v1/members?limit=100")).body.items
const wrongCode = {
  error: "invalid_request",
  details: [{ path: ["body", "code"], message: "is wrong, used or expired" }]
}
const expectWrongCode = ({ body, status }: TestResponse) => expect([status, body]).toEqual([400, wrongCode])

describe("single sign-on", () => {
  it("makes a user with an email address in a verified domain a member, and identifies them by subject later", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    standIn.person = { sub: "ada", email: `Ada@${domain}`, email_verified: true, name: "Ada" }
    const ada = await signInBySso(plane, { email: `ada@${domain}` })
    expect(ada.response.body).toMatchObject({
      organizationId: owner.organizationId,
      user: { email: `ada@${domain}`, emailVerified: true, name: "Ada" }
    })
    expect((await ada.call("GET", "/v1/organization")).status).toBe(200)
    expect(await members(owner)).toContainEqual(expect.objectContaining({ userId: ada.userId, role: "member" }))
    // Regardless of the current email address, even another user's.
    comes("ada", `owner@${domain}`)
    expect((await signInBySso(plane, who)).userId).toBe(ada.userId)
    comes("ada", "ada@elsewhere.example")
    expect((await signInBySso(plane, who)).userId).toBe(ada.userId)
    expect(await members(owner)).toHaveLength(2)
  })

  it("finds a member by email address, and signs out a user who had set it without verifying it", async () => {
    const { domain, owner, who } = await connected()
    const member = await addMember(plane, owner, "member")
    await runSql(plane, (sql) => sql`UPDATE users SET email = ${`m@${domain}`} WHERE id = ${member.userId}`)
    comes("m", `m@${domain}`)
    const bySso = await signInBySso(plane, who)
    expect(bySso.userId).toBe(member.userId)
    expect((await member.call("GET", "/v1/me")).status).toBe(401)
    expect((await bySso.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("rejects users without just-in-time provisioning, or with an address outside verified domains", async () => {
    const { domain, owner, who } = await connected({ enabled: false })
    const stranger = await signInByEmail(plane, `known@${domain}`)
    for (const name of ["new", "known"]) {
      comes(name, `${name}@${domain}`)
      await refusedWith(who, "not_a_member")
    }
    const jit = (enabled: boolean, role?: string) =>
      owner.call("PUT", "/v1/sso/oidc", {
        issuer: standIn.issuer,
        clientId,
        jit: { enabled, ...(role === undefined ? {} : { role }) }
      })
    const setStatus = (status: string) =>
      runSql(plane, (sql) => sql`UPDATE domains SET status = ${status} WHERE domain = ${domain}`)
    expect((await jit(true)).body.sso).toMatchObject({ enabled: true, jit: { enabled: true, role: "member" } })
    await setStatus("lapsed")
    await refusedWith(who, "domain_not_verified")
    // Known subjects can still sign in.
    comes(`owner of ${owner.organizationId}`, `owner@${domain}`)
    await refusedWith(who, "domain_not_verified")
    await setStatus("verified")
    await signInBySso(plane, who)
    await setStatus("lapsed")
    expect((await signInBySso(plane, who)).userId).toBe(owner.userId)
    await setStatus("verified")
    const role = await makeRole(owner, ["members:read"])
    expect((await jit(true, role)).status).toBe(200)
    comes("known", `known@${domain}`)
    expect((await signInBySso(plane, who)).userId).toBe(stranger.userId)
    expect(await members(owner)).toContainEqual(expect.objectContaining({ userId: stranger.userId, role }))
    await runSql(plane, (sql) => sql`UPDATE roles SET removed_at = now() WHERE id = ${role}`)
    comes("later", `later@${domain}`)
    await refusedWith(who, "not_a_member")
  })

  it("restores a removed member, but not one that a directory deactivated", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    comes("back", `back@${domain}`)
    const first = await signInBySso(plane, who)
    const leave = async () => {
      const row = (await members(owner)).find(({ userId }: { userId: string }) => userId === first.userId)
      expect((await owner.call("DELETE", `/v1/members/${row.id}`)).status).toBe(204)
    }
    await leave()
    expect((await first.call("GET", "/v1/organization")).status).toBe(401)
    const second = await signInBySso(plane, who)
    expect([second.userId, (await members(owner)).length]).toEqual([first.userId, 2])
    await leave()
    const [directory, user] = [makeId("scd"), makeId("scu")]
    await runSql(
      plane,
      (sql) => sql`INSERT INTO scim_directories (organization_id, id, name, provider, created_at, updated_at)
        VALUES (${owner.organizationId}, ${directory}, 'A directory', 'other', now(), now())`
    )
    await runSql(
      plane,
      (sql) => sql`INSERT INTO scim_users (organization_id, id, directory_id, user_name, active, resource_json,
          folded_json, user_id, created_at, updated_at)
        VALUES (${owner.organizationId}, ${user}, ${directory}, 'back', false, '{}', '{}', ${first.userId}, now(), now())`
    )
    await refusedWith(who, "not_a_member")
    // Not under another subject either.
    comes("back again", `back@${domain}`)
    await refusedWith(who, "not_a_member")
    await runSql(plane, (sql) => sql`UPDATE scim_users SET active = true WHERE id = ${user}`)
    expect((await signInBySso(plane, who)).userId).toBe(first.userId)
  })

  it("rejects a user whom a directory deactivated before the domain was verified", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    const directory = await makeDirectory(plane, owner)
    await runSql(plane, (sql) => sql`UPDATE domains SET status = 'pending' WHERE domain = ${domain}`)
    const named = await makeUser(directory, { userName: `Named@${domain}`, emails: [], active: false })
    const emails = [{ value: `Mailed@${domain}`, type: "work", primary: true }]
    await makeUser(directory, { userName: "mailed", emails, active: false })
    await runSql(plane, (sql) => sql`UPDATE domains SET status = 'verified' WHERE domain = ${domain}`)
    for (const name of ["named", "mailed"]) {
      comes(name, `${name}@${domain}`)
      await refusedWith(who, "not_a_member")
    }
    await directory.scim("DELETE", `/Users/${named.id}`)
    comes("named", `named@${domain}`)
    await signInBySso(plane, who)
  })

  it("rejects a new subject with the email address of a current member", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    comes("first", `shared@${domain}`)
    const first = await signInBySso(plane, who)
    comes("second", `shared@${domain}`)
    await refusedWith(who, "person_mismatch")
    const row = (await members(owner)).find(({ userId }: { userId: string }) => userId === first.userId)
    await owner.call("DELETE", `/v1/members/${row.id}`)
    expect((await signInBySso(plane, who)).userId).toBe(first.userId)
    comes("first", `shared@${domain}`)
    await refusedWith(who, "person_mismatch")
  })

  it("creates one member for two concurrent sign-ins of a new user", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    comes("twice", `twice@${domain}`)
    const people = await Promise.all(Array.from({ length: 4 }, () => signInBySso(plane, who)))
    expect(new Set(people.map(({ userId }) => userId)).size).toBe(1)
    expect(await members(owner)).toHaveLength(2)
  })

  it("shows state and code on a page when there is no return URL", async () => {
    const { domain, who } = await connected({ enabled: true })
    comes("page", `page@${domain}`)
    const started = await call(plane, undefined, someAddress())("POST", "/v1/sso/sign-in", {
      ...who,
      codeChallenge: s256(verifier)
    })
    const back = await comeBack(plane, await atProvider(started.body.url))
    expect([back.status, back.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(back.headers.get("content-security-policy")).toContain("default-src 'none'")
    const result = resultOf(back)
    expect(result.get("state")).toBe(started.body.state)
    expect((await complete(plane, started.body.state, result.get("code"))).status).toBe(201)
    comes("page", "page@elsewhere.example")
    standIn.error = "access_denied"
    const again = await call(plane, undefined, someAddress())("POST", "/v1/sso/sign-in", {
      ...who,
      codeChallenge: s256(verifier)
    })
    expect(resultOf(await comeBack(plane, await atProvider(again.body.url))).get("code")).toBe("access_denied")
  })

  it("forgets the subject of a deleted account, who is a new user afterwards", async () => {
    const { domain, who } = await connected({ enabled: true })
    comes("returns", `returns@${domain}`)
    const before = await signInBySso(plane, who)
    const session = await signIn(plane, before.userId, null)
    expect((await call(plane, session.token)("DELETE", "/v1/me")).status).toBe(204)
    const identities = await runSql(
      plane,
      (sql) => sql`SELECT subject FROM sso_identities WHERE user_id = ${before.userId}`
    )
    expect(identities).toEqual([])
    const after = await signInBySso(plane, who)
    expect(after.userId).not.toBe(before.userId)
    expect((await after.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("never makes a platform administrator, regardless of the email address", async () => {
    domainCount += 1
    const owner = await makeWorkspace(plane)
    const domain = platformAdmin.split("@")[1] ?? ""
    await connectSso(plane, owner, standIn, { domain, jit: { enabled: true } })
    comes("root", platformAdmin)
    const root = await signInBySso(plane, { organizationId: owner.organizationId })
    const response = await root.call("GET", "/v1/admin/platform/users")
    expect([response.status, response.body.reason]).toEqual([403, "session_required"])
  })

  it("creates a session for the organization only, without access to the user's own account", async () => {
    const { domain, who } = await connected({ enabled: true })
    comes("bound", `bound@${domain}`)
    const bound = await signInBySso(plane, who)
    const { body } = await bound.call("GET", "/v1/sessions")
    expect(body.items).toEqual([expect.objectContaining({ kind: "sso", organizationId: who.organizationId })])
    const response = await bound.call("POST", "/v1/organizations", { name: "Another" })
    expect([response.status, response.body.reason]).toEqual([403, "session_required"])
  })
})

describe("POST /v1/sso/sign-in", () => {
  it("returns the same 404 for every reason", async () => {
    const { domain, owner, who } = await connected()
    await owner.call("POST", "/v1/sso/disable")
    const none = await makeWorkspace(plane)
    await verifyDomain(plane, none, `without-${domainCount}.example`)
    await verifyDomain(plane, none, `lapsed-${domainCount}.example`, "lapsed")
    const inputs = [
      { email: "a@unknown.example" },
      { email: `a@without-${domainCount}.example` },
      { email: `a@lapsed-${domainCount}.example` },
      { email: `a@${domain}` },
      who,
      { organizationId: none.organizationId },
      { organizationId: makeId("org") }
    ]
    const responses = await Promise.all(inputs.map((each) => startSso(plane, each)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses[0]?.body.error).toBe("sso_connection_not_found")
  })

  it("returns 400 unless exactly one of organization and email, a challenge, and an allowed return URL are given", async () => {
    const { who } = await connected()
    const ask = (body: object) => call(plane, undefined, someAddress())("POST", "/v1/sso/sign-in", body)
    const codeChallenge = s256(verifier)
    for (const [body, path] of [
      [{ codeChallenge }, ["body"]],
      [{ ...who, email: "a@b.example", codeChallenge }, ["body"]],
      [{ ...who, codeChallenge: "short" }, ["body", "codeChallenge"]],
      [{ ...who, codeChallenge, returnTo: "https://evil.example/" }, ["body", "returnTo"]],
      [{ ...who, codeChallenge, returnTo: "javascript:alert(1)" }, ["body", "returnTo"]]
    ] as const) {
      const response = await ask(body)
      expect([response.status, response.body.details[0].path]).toEqual([400, path])
    }
  })

  it("returns 429 after 120 requests in a minute from one source", async () => {
    const place = someAddress()
    const body = { organizationId: makeId("org"), codeChallenge: s256(verifier) }
    const responses = await Promise.all(
      Array.from({ length: 130 }, () => call(plane, undefined, place)("POST", "/v1/sso/sign-in", body))
    )
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(10)
  })
})

describe("POST /v1/sso/sign-in/complete", () => {
  it("requires state, code and verifier of one sign-in, once", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    comes("a", `a@${domain}`)
    const first = await goThrough(plane, who)
    const second = await goThrough(plane, who)
    const [code, other] = [first.result.get("code"), second.result.get("code")]
    expectWrongCode(await complete(plane, first.state, code, "b".repeat(43)))
    expectWrongCode(await complete(plane, first.state, other))
    expectWrongCode(await complete(plane, second.state, code))
    expectWrongCode(await complete(plane, first.state, "nothing"))
    await withServices(
      plane,
      Effect.flatMap(Refusals, ({ flush }) => flush)
    )
    const refusals = async () => (await owner.call("GET", "/v1/events?types=access.refuse")).body.items
    await expect
      .poll(refusals)
      .toMatchObject([{ actor: { kind: "anonymous", id: null }, after: { reason: "code_invalid", count: 3 } }])
    const responses = await Promise.all([1, 2, 3].map(() => complete(plane, first.state, code)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    await runSql(plane, (sql) => sql`UPDATE sso_sign_ins SET code_expires_at = now() WHERE completed_at IS NULL`)
    expectWrongCode(await complete(plane, second.state, other))
  })

  it("counts an invalid attempt as a failed authentication", async () => {
    const place = someAddress()
    const body = { state: "a", code: "b", codeVerifier: verifier }
    const statuses = []
    for (let tries = 0; tries < 62; tries += 1) {
      statuses.push((await call(plane, undefined, place)("POST", "/v1/sso/sign-in/complete", body)).status)
    }
    expect(statuses.slice(-2)).toEqual([429, 429])
  })

  it("rejects a user who was removed, or whose connection changed or was removed, in the meantime", async () => {
    const between = async (change: (owner: Workspace, userId: string) => Promise<unknown>) => {
      const { domain, owner, who } = await connected({ enabled: true })
      comes("late", `late@${domain}`)
      const { userId } = await signInBySso(plane, who)
      const { result, state } = await goThrough(plane, who)
      await change(owner, userId)
      expectWrongCode(await complete(plane, state, result.get("code")))
    }
    await between(async (owner, userId) => {
      const row = (await members(owner)).find((each: { userId: string }) => each.userId === userId)
      await owner.call("DELETE", `/v1/members/${row.id}`)
    })
    await between((owner) => owner.call("POST", "/v1/sso/disable"))
    // Another provider was configured and tested, and then this one again.
    await between(async (owner) => {
      const settings = { issuer: standIn.issuer, clientSecret }
      await owner.call("PUT", "/v1/sso/oidc", { ...settings, clientId: "another" })
      await owner.call("PUT", "/v1/sso/oidc", { ...settings, clientId })
      await testSso(plane, owner)
      expect((await owner.call("POST", "/v1/sso/enable")).body.sso.enabled).toBe(true)
    })
    await between((owner) => owner.call("DELETE", "/v1/sso"))
    await between((owner) => owner.call("DELETE", "/v1/organization"))
  })
})

describe("a pending sign-in", () => {
  it("is refused when its connection is disabled, replaced or removed", async () => {
    const between = async (change: (owner: Workspace) => Promise<unknown>, code: string | null) => {
      const { domain, owner, who } = await connected({ enabled: true })
      comes("between", `between@${domain}`)
      const started = await startSso(plane, who)
      const url = await atProvider(started.body.url)
      await change(owner)
      expect(resultOf(await comeBack(plane, url)).get("error")).toBe(code)
    }
    await between((owner) => owner.call("POST", "/v1/sso/disable"), "connection_disabled")
    await between(
      (owner) => owner.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId: "another", clientSecret }),
      "connection_disabled"
    )
    await between((owner) => owner.call("DELETE", "/v1/sso"), null)
    // A rotated client secret does not matter.
    const { domain, owner, who } = await connected({ enabled: true })
    comes("rolls", `rolls@${domain}`)
    const started = await startSso(plane, who)
    const url = await atProvider(started.body.url)
    await owner.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId, clientSecret, scopes: ["openid"] })
    expect(resultOf(await comeBack(plane, url)).get("code")).not.toBeNull()
  })
})

describe("an SSO connection", () => {
  const settings = { issuer: standIn.issuer, clientId, clientSecret }
  const put = (person: Pick<Workspace, "call">, more: object = {}, headers: Record<string, string> = {}) =>
    person.call("PUT", "/v1/sso/oidc", { ...settings, ...more }, headers)

  it("is created, read and removed with its version, and never returns its secret", async () => {
    const owner = await makeWorkspace(plane)
    expect((await owner.call("GET", "/v1/sso")).body.error).toBe("sso_connection_not_found")
    const first = await put(owner)
    expect(first.status).toBe(200)
    const version = Number(JSON.parse(first.headers.get("etag") ?? ""))
    expect(first.body.sso).toMatchObject({
      protocol: "oidc",
      enabled: false,
      enforced: false,
      jit: { enabled: false, role: "member" },
      oidc: { issuer: standIn.issuer, clientId, scopes: ["openid", "email", "profile"], hasClientSecret: true },
      saml: null,
      serviceProvider: { redirectUri: `http://localhost/v1/sso/oidc/${owner.organizationId}/callback` },
      lastTest: null
    })
    const updateResponse = await owner.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId })
    expect([updateResponse.body.sso.id, updateResponse.body.sso.oidc.hasClientSecret]).toEqual([
      first.body.sso.id,
      true
    ])
    const began = { "if-match": `"${version}"` }
    expect((await put(owner, {}, began)).status).toBe(412)
    const other = await owner.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId: "another" })
    expect(other.body.sso.oidc.hasClientSecret).toBe(false)
    const whole = await owner.call("GET", "/v1/organization/export")
    const line = whole.text.split("\n").find((text) => text.includes('"ssoConnection"')) ?? ""
    expect(JSON.parse(line)).toMatchObject({ item: { protocol: "oidc", settings: { clientId: "another" } } })
    expect(whole.text).not.toContain(clientSecret)
    expect((await owner.call("DELETE", "/v1/sso", undefined, began)).status).toBe(412)
    const last = { "if-match": `"${version + 2}"` }
    expect((await owner.call("DELETE", "/v1/sso", undefined, last)).status).toBe(204)
    expect((await owner.call("DELETE", "/v1/sso")).status).toBe(404)
    // A cached version of the previous connection does not match, regardless of the number of changes.
    await put(owner)
    expect((await put(owner, {}, began)).status).toBe(412)
    expect((await owner.call("GET", "/v1/sso", undefined, { "if-none-match": `"${version + 1}"` })).status).toBe(200)
  })

  it("has a new version after a test", async () => {
    const { owner } = await connected()
    const before = (await owner.call("GET", "/v1/sso")).headers.get("etag") ?? ""
    const ifNoneMatch = { "if-none-match": before }
    expect((await owner.call("GET", "/v1/sso", undefined, ifNoneMatch)).status).toBe(304)
    standIn.error = "access_denied"
    await testSso(plane, owner)
    const after = await owner.call("GET", "/v1/sso", undefined, ifNoneMatch)
    expect([after.status, after.body?.sso?.lastTest?.code]).toEqual([200, "access_denied"])
  })

  it("no longer shows who tested it after that user deleted their account", async () => {
    const { domain, owner } = await connected()
    const admin = await addMember(plane, owner, "admin")
    const person = await signInByEmail(plane, `leaves@${domain}`)
    await runSql(
      plane,
      (sql) => sql`UPDATE memberships SET user_id = ${person.userId} WHERE id = ${admin.membershipId}`
    )
    comes("leaves", `leaves@${domain}`)
    expect((await testSso(plane, owner)).lastTest).toMatchObject({ ok: true, email: `leaves@${domain}` })
    expect((await person.call("DELETE", "/v1/me")).status).toBe(204)
    const { text, body } = await owner.call("GET", "/v1/sso")
    expect(body.sso.lastTest).toMatchObject({ ok: true, subject: null, email: null })
    expect(text).not.toContain("leaves")
  })

  it("is not accessible to an exchanged session, and neither are domains", async () => {
    const { owner } = await connected()
    const minted = await mintSession(plane, owner, owner.membershipId)
    for (const [method, path] of [
      ["GET", "/v1/sso"],
      ["GET", "/v1/sso/service-provider"],
      ["POST", "/v1/sso/test"],
      ["GET", "/v1/sso/domains"],
      ["POST", "/v1/sso/domains"],
      ["POST", "/v1/sso/verify-domain"]
    ] as const) {
      const response = await minted.call(method, path, method === "POST" ? { domain: "minted.example" } : undefined)
      expect([path, response.status, response.body.reason]).toEqual([path, 403, "session_required"])
    }
  })

  it("signs out its users and removes their identities when it is removed", async () => {
    const { domain, owner, who } = await connected({ enabled: true })
    comes("gone", `gone@${domain}`)
    const formerSession = await signInBySso(plane, who)
    expect((await formerSession.call("GET", "/v1/organization")).status).toBe(200)
    expect((await owner.call("DELETE", "/v1/sso")).status).toBe(204)
    expect((await formerSession.call("GET", "/v1/organization")).status).toBe(401)
    expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
    const left = await runSql(
      plane,
      (
        sql
      ) => sql`SELECT (SELECT count(*)::int FROM sso_identities WHERE organization_id = ${owner.organizationId}) AS a,
        (SELECT count(*)::int FROM sso_sign_ins WHERE organization_id = ${owner.organizationId}) AS b`
    )
    expect(left).toEqual([{ a: 0, b: 0 }])
  })

  it("is enabled by an owner after its settings were tested", async () => {
    domainCount += 1
    const domain = `tested-${domainCount}.example`
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    await giveEmail(plane, admin, `admin@${domain}`)
    await put(owner)
    const enable = (person: Pick<Workspace, "call">) => person.call("POST", "/v1/sso/enable")
    expect((await enable(owner)).body.error).toBe("sso_not_tested")
    comes("admin", `admin@${domain}`)
    const before = await testSso(plane, admin)
    expect(before.lastTest).toMatchObject({ ok: false, code: "domain_not_verified", email: `admin@${domain}` })
    expect(before.result.get("error")).toBe("domain_not_verified")
    await verifyDomain(plane, owner, domain)
    const after = await testSso(plane, admin)
    expect(after.lastTest).toMatchObject({ ok: true, by: admin.membershipId, code: null, subject: "admin" })
    expect([after.result.get("tested"), after.result.get("code")]).toEqual(["true", null])
    const identities = await runSql(
      plane,
      (sql) => sql`SELECT 1 AS one FROM sso_identities WHERE organization_id = ${owner.organizationId}`
    )
    expect(identities).toEqual([])
    expect((await enable(admin)).body.reason).toBe("owner_required")
    // Changed settings are untested.
    const begun = await owner.call("POST", "/v1/sso/test", { returnTo })
    const url = await atProvider(begun.body.url)
    expect((await put(owner, { clientId: "another" })).body.sso.lastTest).toBeNull()
    expect(resultOf(await comeBack(plane, url)).get("error")).toBe("connection_disabled")
    expect((await owner.call("GET", "/v1/sso")).body.sso.lastTest).toBeNull()
    expect((await enable(owner)).body.error).toBe("sso_not_tested")
    await put(owner)
    await testSso(plane, owner)
    expect((await enable(owner)).body.sso.enabled).toBe(true)
    expect((await enable(owner)).body.sso.enabled).toBe(true)
  })

  it("cannot be tested with an API key", async () => {
    const owner = await makeWorkspace(plane)
    await put(owner)
    const key = await makeKey(plane, owner, ["sso:write", "sso:read"])
    expect((await key.call("GET", "/v1/sso")).status).toBe(200)
    const response = await key.call("POST", "/v1/sso/test", {})
    expect([response.status, response.body.reason]).toEqual([403, "session_required"])
  })

  it("assigns new users a role within the rights of the member who configured it, and never owner", async () => {
    const owner = await makeWorkspace(plane)
    const role = await makeRole(owner, ["sso:write", "sso:read"])
    const writer = await addMember(plane, owner, role)
    const jit = (person: Pick<Workspace, "call">, role: string) => put(person, { jit: { enabled: true, role } })
    const refused = await jit(owner, "owner")
    expect([refused.status, refused.body.details[0].path]).toEqual([400, ["body", "jit", "role"]])
    const unknown = await jit(owner, makeId("rol"))
    expect([unknown.status, unknown.body.details[0].path]).toEqual([400, ["body", "jit", "role"]])
    for (const role of ["admin", "member"]) {
      expect((await jit(writer, role)).body.reason).toBe("exceeds_own_permissions")
    }
    expect((await jit(writer, role)).status).toBe(200)
    expect((await jit(owner, "admin")).status).toBe(200)
  })

  it("requires a claimed organization with the enterprise plan", async () => {
    const agent = await makeProvisional(plane)
    const response = await put(agent)
    expect([response.status, response.body.reason]).toEqual([403, "provisional_organization"])
    const { domain, owner, who } = await connected({ enabled: true })
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${owner.organizationId}`)
    expect((await put(await addMember(plane, owner, "owner"))).status).toBe(402)
    comes("goes on", `on@${domain}`)
    expect((await signInBySso(plane, who)).response.status).toBe(201)
  })

  it("returns 400 with the location of invalid settings", async () => {
    const owner = await makeWorkspace(plane)
    for (const [more, path] of [
      [{ issuer: "ftp://idp.example" }, ["body", "issuer"]],
      [{ issuer: "https://idp.example/?a=b" }, ["body", "issuer"]],
      [{ issuer: "https://a:b@idp.example" }, ["body", "issuer"]],
      [{ scopes: ["email"] }, ["body", "scopes"]],
      [{ scopes: ["openid", "two words"] }, ["body", "scopes", 1]]
    ] as const) {
      const response = await put(owner, more)
      expect([response.status, response.body.details[0].path]).toEqual([400, path])
    }
    const saml = (body: object) => owner.call("PUT", "/v1/sso/saml", body)
    for (const [body, path] of [
      [{}, ["body", "idpEntityId"]],
      [{ metadata: "<a/>", ssoUrl: "https://idp.example" }, ["body", "metadata"]],
      [{ metadata: "<a/>" }, ["body", "metadata"]],
      [{ idpEntityId: "a", ssoUrl: "javascript:alert(1)", certificates: ["a"] }, ["body", "ssoUrl"]],
      [{ idpEntityId: "a", ssoUrl: "https://idp.example", certificates: ["nothing"] }, ["body", "certificates", 0]]
    ] as const) {
      const response = await saml(body)
      expect([response.status, response.body.details[0].path]).toEqual([400, path])
    }
  })
})
