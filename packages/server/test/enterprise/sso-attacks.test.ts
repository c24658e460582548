/** Attacks by someone with their own organization, identity provider or browser. */
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { makeIdentityProvider, makeKeyPair } from "../../src/infra/adapters/saml/saml.fixture.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeWorkspace,
  runSql,
  signInByEmail,
  someAddress,
  type Workspace
} from "../harness.ts"
import { makeProvisional } from "../infra/http-world.ts"
import {
  atProvider,
  clientSecret,
  comeBack,
  complete,
  connectSso,
  giveEmail,
  goThrough,
  s256,
  serveStandIn,
  signInBySso,
  startSso,
  resultOf,
  verifier,
  verifyDomain
} from "./sso.fixture.ts"

const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
const standIn = await serveStandIn()
afterAll(() => standIn.close())
beforeEach(() => standIn.reset())

const members = async (owner: Workspace) => (await owner.call("GET", "/v1/members?limit=100")).body.items
let attacks = 0
let strangers: Workspace | undefined
const comes = (sub: string, email: string) => {
  standIn.person = { sub, email, email_verified: true }
}

describe("a former member", () => {
  it("cannot return by their subject when their email address is no longer in a domain of the organization", async () => {
    const owner = await makeWorkspace(plane)
    const who = { organizationId: owner.organizationId }
    await connectSso(plane, owner, standIn, { domain: "left.example", jit: { enabled: true } })
    await verifyDomain(plane, owner, "kept.example")
    comes("ann", "ann@left.example")
    const ann = await signInBySso(plane, who)
    const row = (await members(owner)).find(({ userId }: { userId: string }) => userId === ann.userId)
    expect((await owner.call("DELETE", `/v1/members/${row.id}`)).status).toBe(204)
    // The domain and Ann now belong to another organization.
    await runSql(plane, (sql) => sql`UPDATE domains SET status = 'lapsed' WHERE domain = 'left.example'`)
    await verifyDomain(plane, await makeWorkspace(plane), "left.example")
    comes("ann", "anything@kept.example")
    const { result } = await goThrough(plane, who)
    expect(result.get("error")).toBe("domain_not_verified")
    expect(await members(owner)).toHaveLength(1)
  })
})

describe("an admin without the role owner", () => {
  it("cannot replace the certificate that the owner tested", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const [good, bad] = [makeKeyPair("good"), makeKeyPair("bad")]
    const idp = makeIdentityProvider({
      entityId: "https://swap.example/e",
      ssoUrl: "https://swap.example/s",
      keyPair: good
    })
    const evil = makeIdentityProvider({
      entityId: "https://swap.example/e",
      ssoUrl: "https://swap.example/s",
      keyPair: bad
    })
    expect((await owner.call("PUT", "/v1/sso/saml", { metadata: idp.metadata })).status).toBe(200)
    await runSql(
      plane,
      (
        sql
      ) => sql`UPDATE sso_connections SET last_test_json = ${sql.json({ ok: true, at: new Date().toISOString(), by: owner.membershipId, code: null, subject: "s", email: null })}
        WHERE organization_id = ${owner.organizationId}`
    )
    const put = await admin.call("PUT", "/v1/sso/saml", { metadata: evil.metadata })
    expect(put.status).toBe(200)
    expect(put.body.sso.lastTest).toBeNull()
    expect((await owner.call("POST", "/v1/sso/enable")).body.error).toBe("sso_not_tested")
  })
})

describe("a change of the identity provider", () => {
  it("signs out the users of the previous one", async () => {
    const owner = await makeWorkspace(plane)
    const who = { organizationId: owner.organizationId }
    await connectSso(plane, owner, standIn, { domain: "former.example", jit: { enabled: true } })
    comes("ann", "ann@former.example")
    const ann = await signInBySso(plane, who)
    expect((await ann.call("GET", "/v1/organization")).status).toBe(200)
    await owner.call("PUT", "/v1/sso/oidc", { issuer: standIn.issuer, clientId: "another", clientSecret })
    expect((await ann.call("GET", "/v1/organization")).status).toBe(401)
  })
})

describe("an unclaimed workspace", () => {
  it("cannot have domains", async () => {
    const workspace = await makeProvisional(plane)
    const response = await workspace.call("POST", "/v1/sso/domains", { domain: "anonymous.example" })
    expect(response.body.reason).toBe("provisional_organization")
  })
})

describe("a manipulated email address", () => {
  it.each([
    ["of another domain behind a second @", (victim: string) => `${victim}@evil.example`],
    ["behind a second @", (victim: string) => `x@evil.example@${victim.split("@")[1]}`],
    ["in quotes", (victim: string) => `"${victim}"@evil.example`],
    ["with a name", (victim: string) => `Ann <${victim}>`],
    ["and another", (victim: string) => `x@evil.example,${victim}`],
    ["with a line's end", (victim: string) => `${victim}\n`],
    ["with a space before", (victim: string) => ` ${victim}`],
    ["with a dot at its end", (victim: string) => `${victim}.`],
    ["with a comment", (victim: string) => victim.replace("@", "(x)@")],
    ["of lookalike characters", (victim: string) => victim.replace("victim.", "v\u0456ctim.")],
    ["of a domain below", (victim: string) => victim.replace("@", "@mail.")],
    ["in a list", (victim: string) => [victim]],
    ["of wide letters", (victim: string) => victim.replace("victim.", "\uff56ictim.")],
    ["with a soft hyphen", (victim: string) => victim.replace("victim.", "vic\u00adtim.")]
  ] as const)("of another user, %s, is not accepted from another organization's provider", async (_, bend) => {
    attacks += 1
    const victim = await makeWorkspace(plane)
    const evil = await makeWorkspace(plane)
    const domain = `victim.example${attacks}.example`
    await verifyDomain(plane, victim, domain)
    await giveEmail(plane, victim, `ann@${domain}`)
    await connectSso(plane, evil, standIn, { domain: `evil${attacks}.example`, jit: { enabled: true } })
    standIn.person = { sub: "attack", email: bend(`ann@${domain}`), email_verified: true }
    const { result } = await goThrough(plane, { organizationId: evil.organizationId })
    expect([result.get("code"), result.get("error")]).toEqual([
      null,
      expect.stringMatching(/^(domain_not_verified|email_missing)$/)
    ])
    expect(await members(evil)).toHaveLength(1)
  })
})

describe("a sign-in", () => {
  it("creates one session for many concurrent browsers and clients", async () => {
    const owner = await makeWorkspace(plane)
    await connectSso(plane, owner, standIn, { domain: "races.example", jit: { enabled: true } })
    comes("ann", "ann@races.example")
    const { body } = await startSso(plane, { organizationId: owner.organizationId })
    const back = await atProvider(body.url)
    const responses = await Promise.all(Array.from({ length: 20 }, () => comeBack(plane, back)))
    const codes = responses.flatMap((response) =>
      response.status === 303 ? (resultOf(response).get("code") ?? []) : []
    )
    expect(codes).toHaveLength(1)
    const completed = await Promise.all(Array.from({ length: 20 }, () => complete(plane, body.state, codes[0] ?? null)))
    expect(completed.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it("is rejected when the callback has a parameter twice", async () => {
    const owner = await makeWorkspace(plane)
    await connectSso(plane, owner, standIn, { domain: "doubled.example", jit: { enabled: true } })
    comes("ann", "ann@doubled.example")
    const { body } = await startSso(plane, { organizationId: owner.organizationId })
    const { pathname, search } = await atProvider(body.url)
    for (const more of [`state=${body.state}`, "code=another", "iss=https://elsewhere.example"]) {
      // oxlint-disable-next-line no-await-in-loop -- each is judged by itself
      const response = await call(plane, undefined, someAddress())("GET", `${pathname}${search}&${more}`)
      expect([more, response.status]).toEqual([more, 400])
    }
    const response = await call(plane, undefined, someAddress())("GET", `${pathname}${search}`)
    expect(resultOf(response).get("code")).not.toBeNull()
  })

  it.each([
    "http://127.0.0.1:1@evil.example/",
    "http://evil.example\\@127.0.0.1/",
    "http:\\\\evil.example",
    "http://localhost:1/",
    "http://127.0.0.1:9/#here",
    "http://127.0.0.1.evil.example/",
    "http://[::ffff:127.0.0.1]/",
    "http://0/",
    "https://evil.example/",
    "https://127.0.0.1/",
    "javascript:alert(1)",
    "//evil.example",
    "\u0000http://127.0.0.1/"
  ])("rejects the return URL %j", async (returnTo) => {
    const response = await call(plane, undefined, someAddress())("POST", "/v1/sso/sign-in", {
      organizationId: (strangers ??= await makeWorkspace(plane)).organizationId,
      codeChallenge: s256(verifier),
      returnTo
    })
    expect([response.status, response.body.details?.[0]?.path]).toEqual([400, ["body", "returnTo"]])
  })

  it("returns the same response for an organization without a connection, with a disabled one, and a missing one", async () => {
    const [bare, off] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    await verifyDomain(plane, bare, "bare.example")
    await connectSso(plane, off, standIn, { domain: "off.example" })
    await off.call("POST", "/v1/sso/disable")
    const responses = await Promise.all([
      startSso(plane, { email: "a@nowhere.example" }),
      startSso(plane, { email: "a@bare.example" }),
      startSso(plane, { email: "a@off.example" }),
      startSso(plane, { organizationId: bare.organizationId }),
      startSso(plane, { organizationId: off.organizationId })
    ])
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  })
})

it("a replayed response is rejected once single sign-on is required", async () => {
  const owner = await makeWorkspace(plane)
  await connectSso(plane, owner, standIn, { domain: "replays.example" })
  const admin = await addMember(plane, owner, "admin")
  await giveEmail(plane, admin, "admin@replays.example")
  const person = await signInByEmail(plane, "admin@replays.example")
  const headers = { "idempotency-key": "one", "x-organization-id": owner.organizationId }
  const make = () => person.call("POST", "/v1/teams", { name: "A team" }, headers)
  expect((await make()).status).toBe(201)
  await owner.call("POST", "/v1/sso/enforce", { breakGlass: [owner.membershipId] })
  const again = await make()
  expect([again.status, again.body.reason]).toEqual([403, "sso_required"])
})
