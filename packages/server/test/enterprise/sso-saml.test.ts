import { describe, expect, it } from "vitest"
import { inflateRawSync } from "node:zlib"
import {
  base64Of,
  escaped,
  makeIdentityProvider,
  makeKeyPair,
  responseXml,
  signXml,
  type ResponseContent,
  xmlOf
} from "../../src/infra/adapters/saml/saml.fixture.ts"
import { addMember, call, makeControlPlane, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import {
  connectSaml,
  type Connected,
  type Form,
  type Idp,
  keyPair,
  makeIdp,
  pathOf,
  post as postForm,
  says
} from "./sso-saml.fixture.ts"
import { complete, giveEmail, returnTo, startSso, resultOf, verifyDomain } from "./sso.fixture.ts"

const plane = await makeControlPlane()
const newKeyPair = makeKeyPair("two")
const strangers = makeKeyPair("strangers")
const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"

const connect = (domain: string, settings?: Parameters<typeof connectSaml>[2]) => connectSaml(plane, domain, settings)
const post = (path: string, form: Form) => postForm(plane, path, form)

/** From the start to the form in the browser. */
const atProvider = async (
  connected: Connected,
  nameId: string,
  changes: Partial<ResponseContent> = {},
  idp: Idp = connected.idp
) => {
  const started = await startSso(plane, { organizationId: connected.owner.organizationId })
  expect(started.status, started.text).toBe(200)
  const form = await idp.respond(connected.metadata, started.body.url, says(connected.idp, nameId, changes))
  expect(form.RelayState).toBe(started.body.state)
  return { form, state: started.body.state as string, url: started.body.url as string }
}

/** The code of the refusal that the browser received. */
const refusal = async (connected: Connected, form: Form) => {
  const response = await post(connected.acs, form)
  expect(response.status).toBe(303)
  expect(resultOf(response).get("code")).toBeNull()
  return resultOf(response).get("error")
}

const signIn = async (connected: Connected, nameId: string, changes: Partial<ResponseContent> = {}, idp?: Idp) => {
  const { form, state } = await atProvider(connected, nameId, changes, idp)
  const response = await post(connected.acs, form)
  const result = resultOf(response)
  expect(result.get("error")).toBeNull()
  expect(result.get("state")).toBe(state)
  const completed = await complete(plane, state, result.get("code"))
  expect(completed.status, completed.text).toBe(201)
  return {
    form,
    ...(completed.body as {
      session: { token: string }
      user: { id: string; email: string; name: string }
      organizationId: string
    })
  }
}

const membersOf = async ({ owner }: Connected) => (await owner.call("GET", "/v1/members?limit=100")).body.items.length

describe("a SAML sign-in", () => {
  it("makes a user with an email address in a verified domain a member, and identifies them by subject later", async () => {
    const connected = await connect("joined.example")
    const subject = "8f1c2d"
    const first = await signIn(connected, subject, {
      format: persistent,
      attributes: { mail: ["Ada@joined.example"], givenName: ["Ada"], sn: ["Lovelace"] }
    })
    expect(first).toMatchObject({
      organizationId: connected.owner.organizationId,
      user: { email: "ada@joined.example", emailVerified: true, name: "Ada Lovelace" }
    })
    const self = await call(plane, first.session.token)("GET", "/v1/organization")
    expect(self.status).toBe(200)
    const again = await signIn(connected, subject, { format: persistent, attributes: { mail: ["ada@moved.example"] } })
    expect(again.user.id).toBe(first.user.id)
    expect(await membersOf(connected)).toBe(2)
  })

  it("signs in the member with the email address", async () => {
    const connected = await connect("known.example", { jit: false })
    const grace = await addMember(plane, connected.owner, "admin")
    await giveEmail(plane, grace, "grace@known.example")
    expect((await signIn(connected, "grace@known.example")).user.id).toBe(grace.userId)
  })

  it("rejects addresses outside verified domains, and new users without just-in-time provisioning", async () => {
    const connected = await connect("narrow.example", { jit: false })
    const before = await membersOf(connected)
    const other = await atProvider(connected, "ada@elsewhere.example")
    expect(await refusal(connected, other.form)).toBe("domain_not_verified")
    const under = await atProvider(connected, "ada@sub.narrow.example")
    expect(await refusal(connected, under.form)).toBe("domain_not_verified")
    const stranger = await atProvider(connected, "stranger@narrow.example")
    expect(await refusal(connected, stranger.form)).toBe("not_a_member")
    const nameless = await atProvider(connected, "8f1c", { format: persistent })
    expect(await refusal(connected, nameless.form)).toBe("email_missing")
    expect(await membersOf(connected)).toBe(before)
  })

  it("reads the complete text of an email address that contains a comment", async () => {
    const connected = await connect("comment.example")
    const { form } = await atProvider(connected, "owner@comment.example.evil.example")
    const commented = xmlOf(form.SAMLResponse).replace(
      "owner@comment.example.evil",
      "owner@comment.example<!---->.evil"
    )
    expect(commented).toContain("<!---->")
    expect(await refusal(connected, { ...form, SAMLResponse: base64Of(commented) })).toBe("domain_not_verified")
  })

  it("redirects to the identity provider without data about the user", async () => {
    const connected = await connect("asks.example")
    const { state, url } = await atProvider(connected, "ada@asks.example")
    const address = new URL(url)
    expect(address.href).toMatch(/^https:\/\/idp\d+\.example\/sso\?tenant=1&/)
    expect(address.searchParams.get("RelayState")).toBe(state)
    const xml = inflateRawSync(Buffer.from(address.searchParams.get("SAMLRequest") ?? "", "base64")).toString()
    expect(xml).toContain(`AssertionConsumerServiceURL="http://localhost${connected.acs}"`)
  })
})

describe("a SAML response", () => {
  it("cannot be used twice, in any sign-in", async () => {
    const connected = await connect("replayed.example")
    const { form } = await signIn(connected, "ada@replayed.example")
    const replayed = await post(connected.acs, form)
    expect([replayed.status, replayed.text.includes("Sign-in not found")]).toEqual([410, true])
    // In another pending sign-in, it responds to a different request.
    const other = await atProvider(connected, "ada@replayed.example")
    expect(await refusal(connected, { ...form, RelayState: other.form.RelayState })).toBe("response_unsolicited")
  })

  it("is refused as replayed when its assertion was used, regardless of its request", async () => {
    const connected = await connect("assertion.example")
    const assertionId = "_the-same-assertion"
    await signIn(connected, "ada@assertion.example", { assertionId })
    const { form } = await atProvider(connected, "ada@assertion.example", { assertionId })
    expect(await refusal(connected, form)).toBe("response_replayed")
  })

  it("signs in once for two concurrent requests", async () => {
    const connected = await connect("twice.example")
    const { form } = await atProvider(connected, "ada@twice.example")
    const responses = await Promise.all([
      post(connected.acs, form),
      post(connected.acs, form),
      post(connected.acs, form)
    ])
    expect(responses.filter((response) => resultOf(response).get("code") !== null)).toHaveLength(1)
  })

  it.each([
    ["response_unsolicited", { inResponseTo: "_of-another" }],
    ["response_unsolicited", { inResponseTo: "" }],
    ["destination_mismatch", { destination: "http://localhost/v1/sso/saml/org_01h455vb4pex5vsknk084sn02q/acs" }],
    ["destination_mismatch", { recipient: "http://localhost/v1/sso/saml/org_01h455vb4pex5vsknk084sn02q/acs" }],
    ["audience_mismatch", { audience: "http://localhost/v1/sso/saml/org_01h455vb4pex5vsknk084sn02q/metadata" }],
    ["issuer_mismatch", { issuer: "https://evil.example/entity" }],
    ["expired", { notOnOrAfter: new Date(Date.now() - 61_000) }],
    ["expired", { confirmedUntil: new Date(Date.now() - 61_000) }],
    ["not_yet_valid", { notBefore: new Date(Date.now() + 600_000) }],
    ["subject_missing", { nameId: "" }],
    ["subject_missing", { format: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }]
  ])("is refused as %s with %j", { timeout: 240_000 }, async (code, changes) => {
    wrong ??= await connect("wrong.example")
    const before = await membersOf(wrong)
    const { form, state } = await atProvider(wrong, "ada@wrong.example", changes)
    expect(await refusal(wrong, form)).toBe(code)
    expect(await membersOf(wrong)).toBe(before)
    expect((await complete(plane, state, "x".repeat(43))).status).toBe(400)
    // The sign-in is used up, so that it cannot be retried with variations.
    expect((await post(wrong.acs, form)).text).toContain("Sign-in not found")
  })
  let wrong: Connected | undefined

  it.each([
    ["signature_invalid", (xml: string) => xml.replace(">ada@bent.example<", ">owner@bent.example<")],
    ["signature_missing", (xml: string) => xml.replace(/<ds:Signature .*<\/ds:Signature>/s, "")],
    ["response_invalid", (xml: string) => `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}`],
    ["response_invalid", (xml: string) => xml.slice(0, -1)],
    ["access_denied", (xml: string) => xml.replace("status:Success", "status:Responder")],
    [
      "response_invalid",
      (xml: string) =>
        xml
          .replace("<saml:Assertion", `${/<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? ""}<saml:Assertion`)
          .replace('ID="_a', 'ID="_b')
    ]
  ])("is refused as %s when it was modified", { timeout: 240_000 }, async (code, change) => {
    bent ??= await connect("bent.example")
    const { form } = await atProvider(bent, "ada@bent.example")
    const xml = xmlOf(form.SAMLResponse)
    const changed = change(xml)
    expect(changed).not.toBe(xml)
    expect(await refusal(bent, { ...form, SAMLResponse: base64Of(changed) })).toBe(code)
  })
  let bent: Connected | undefined

  it("is refused with a signature by another key, regardless of its certificate", async () => {
    const connected = await connect("forged.example")
    const { form } = await atProvider(connected, "owner@forged.example")
    const forged = responseXml(
      says(
        connected.idp,
        "owner@forged.example"
      )({
        id: /InResponseTo="([^"]+)"/.exec(xmlOf(form.SAMLResponse))?.[1] ?? "",
        acsUrl: `http://localhost${connected.acs}`,
        audience: `http://localhost${connected.acs.replace(/acs$/, "metadata")}`
      })
    )
    const signed = signXml(forged, "assertion", { privateKey: strangers.privateKey, certificate: keyPair.certificate })
    expect(await refusal(connected, { ...form, SAMLResponse: base64Of(signed) })).toBe("signature_invalid")
  })

  it("waits behind others of its connection, and can be sent again when too many wait", async () => {
    const [flooded, quiet] = await Promise.all([connect("flooded.example"), connect("quiet.example")])
    const forms = await Promise.all(
      Array.from({ length: 110 }, async () => (await atProvider(flooded, "ada@flooded.example")).form)
    )
    const other = await atProvider(quiet, "ada@quiet.example")
    const forged = forms.map(({ RelayState, SAMLResponse }) =>
      post(flooded.acs, {
        RelayState: RelayState ?? "",
        SAMLResponse: base64Of(xmlOf(SAMLResponse).replace(">ada@flooded.example<", ">owner@flooded.example<"))
      })
    )
    expect(resultOf(await post(quiet.acs, other.form)).get("code")).not.toBeNull()
    const responses = await Promise.all(forged)
    const tooMany = responses.findIndex(({ status }) => status === 429)
    expect(responses.filter(({ status }) => status === 303).length).toBeGreaterThanOrEqual(68)
    expect(responses[tooMany]?.headers.get("retry-after")).toBe("5")
    // The sign-in is still pending: the same browser sends the valid response a moment later.
    expect(resultOf(await post(flooded.acs, forms[tooMany] ?? {})).get("code")).not.toBeNull()
  })

  it("is refused when it responds to no request of ours", async () => {
    const connected = await connect("unsolicited.example")
    const { form } = await atProvider(connected, "ada@unsolicited.example")
    for (const RelayState of [undefined, "", "x".repeat(43), "https://evil.example"]) {
      // oxlint-disable-next-line no-await-in-loop -- each is judged by itself
      const response = await post(connected.acs, {
        SAMLResponse: form.SAMLResponse,
        ...(RelayState === undefined ? {} : { RelayState })
      })
      expect(response.text).toContain("Sign-in not found")
      if (RelayState !== undefined && RelayState !== "") expect(response.text).not.toContain(RelayState)
    }
    // The pending sign-in continues.
    expect(resultOf(await post(connected.acs, form)).get("code")).not.toBeNull()
    expect(
      await refusal(connected, { RelayState: (await atProvider(connected, "x@unsolicited.example")).form.RelayState })
    ).toBe("response_invalid")
  })

  it("of another organization is refused with either organization's state", async () => {
    const theirs = await connect("theirs.example")
    // The other organization configures the same provider, whose metadata is public.
    const ours = await connect("ours.example", { idp: theirs.idp })
    const before = [await membersOf(ours), await membersOf(theirs)]
    const { form } = await atProvider(theirs, "owner@theirs.example")
    const strayed = await post(ours.acs, form)
    expect(strayed.text).toContain("Sign-in not found")
    const mine = await atProvider(ours, "owner@ours.example")
    expect(await refusal(ours, { ...form, RelayState: mine.form.RelayState })).toBe("response_unsolicited")
    // A response to our request that the provider issued for the other organization.
    const crossed = await atProvider(ours, "owner@theirs.example", {
      audience: `http://localhost${theirs.acs.replace(/acs$/, "metadata")}`
    })
    expect(await refusal(ours, crossed.form)).toBe("audience_mismatch")
    // A response for us about a user of theirs.
    const person = await atProvider(ours, "owner@theirs.example")
    expect(await refusal(ours, person.form)).toBe("domain_not_verified")
    expect([await membersOf(ours), await membersOf(theirs)]).toEqual(before)
    // The misdirected response was not used up.
    expect(resultOf(await post(theirs.acs, form)).get("code")).not.toBeNull()
  })

  it("is refused above the size limit", async () => {
    const connected = await connect("long.example")
    const { form } = await atProvider(connected, "ada@long.example")
    const response = await post(connected.acs, { ...form, SAMLResponse: "A".repeat(262_144) })
    expect(response.status).toBe(413)
    expect(resultOf(await post(connected.acs, form)).get("code")).not.toBeNull()
  })
})

describe("the configuration of a SAML connection", () => {
  it("rolls over a certificate while users sign in", async () => {
    const connected = await connect("rolling.example")
    const { idp, owner } = connected
    const renewed = makeIdentityProvider({
      entityId: idp.entityId,
      ssoUrl: "https://unused.example",
      keyPair: newKeyPair
    })
    const current = (await owner.call("GET", "/v1/sso")).body.sso
    const put = (certificates: ReadonlyArray<string>) =>
      owner.call("PUT", "/v1/sso/saml", {
        idpEntityId: idp.entityId,
        ssoUrl: current.saml.ssoUrl,
        certificates
      })
    const early = await atProvider(connected, "ada@rolling.example", {}, renewed)
    expect(await refusal(connected, early.form)).toBe("signature_invalid")
    // Started before and completed after the change.
    const underWay = await atProvider(connected, "ada@rolling.example")
    const both = await put([keyPair.certificate, newKeyPair.certificate.replace(/-----[A-Z ]+-----|\n/g, "")])
    expect(both.body.sso).toMatchObject({ enabled: true, lastTest: { ok: true } })
    expect(both.body.sso.saml.certificates.map((one: { subject: string }) => one.subject)).toEqual(["CN=one", "CN=two"])
    expect(resultOf(await post(connected.acs, underWay.form)).get("code")).not.toBeNull()
    const before = await signIn(connected, "ada@rolling.example")
    const after = await signIn(connected, "ada@rolling.example", {}, renewed)
    expect(after.user.id).toBe(before.user.id)
    expect((await put([newKeyPair.certificate])).body.sso.enabled).toBe(true)
    const old = await atProvider(connected, "ada@rolling.example")
    expect(await refusal(connected, old.form)).toBe("signature_invalid")
    await signIn(connected, "ada@rolling.example", {}, renewed)
  })

  it("requires an owner to change trusted certificates while enabled; others may remove one", async () => {
    const { idp, owner } = await connect("believed.example")
    const admin = await addMember(plane, owner, "admin")
    const settings = { idpEntityId: idp.entityId, ssoUrl: (await owner.call("GET", "/v1/sso")).body.sso.saml.ssoUrl }
    const put = (person: Workspace, certificates: ReadonlyArray<string>, more: object = {}) =>
      person.call("PUT", "/v1/sso/saml", { ...settings, certificates, ...more })
    const [now, next] = [keyPair.certificate, newKeyPair.certificate]
    for (const refused of [
      await put(admin, [now, next]),
      await put(admin, [next]),
      await put(admin, [now], { attributes: { email: "alias" } }),
      await put(admin, [now], { attributes: { name: "alias" } })
    ]) {
      expect([refused.status, refused.body.reason]).toEqual([403, "owner_required"])
    }
    expect((await put(admin, [now], { jit: { enabled: false } })).body.sso.jit.enabled).toBe(false)
    expect((await put(owner, [now, next])).body.sso.saml.certificates).toHaveLength(2)
    const taken = await put(admin, [now])
    expect(taken.body.sso).toMatchObject({ enabled: true, lastTest: { ok: true } })
    expect(taken.body.sso.saml.certificates).toHaveLength(1)
  })

  it("must be tested again after trust changed while disabled", async () => {
    const { idp, owner } = await connect("meanwhile.example")
    const admin = await addMember(plane, owner, "admin")
    const { ssoUrl } = (await owner.call("GET", "/v1/sso")).body.sso.saml
    const put = (certificate: string) =>
      admin.call("PUT", "/v1/sso/saml", { idpEntityId: idp.entityId, ssoUrl, certificates: [certificate] })
    await admin.call("POST", "/v1/sso/disable")
    expect((await put(keyPair.certificate)).body.sso.lastTest).toMatchObject({ ok: true })
    expect((await put(newKeyPair.certificate)).body.sso.lastTest).toBeNull()
    expect((await owner.call("POST", "/v1/sso/enable")).body.error).toBe("sso_not_tested")
  })

  it("must be tested again for another provider, which ends pending sign-ins", async () => {
    const connected = await connect("moved.example")
    const { form } = await atProvider(connected, "ada@moved.example")
    const next = makeIdp()
    const put = await connected.owner.call("PUT", "/v1/sso/saml", { metadata: next.metadata })
    expect(put.body.sso).toMatchObject({ enabled: false, lastTest: null, saml: { idpEntityId: next.entityId } })
    expect((await connected.owner.call("POST", "/v1/sso/enable")).body).toMatchObject({ error: "sso_not_tested" })
    expect(await refusal(connected, form)).toBe("connection_disabled")
  })

  it("reports the cause of a failed test", async () => {
    const owner = await makeWorkspace(plane)
    const idp = makeIdp()
    await verifyDomain(plane, owner, "failing.example")
    const put = await owner.call("PUT", "/v1/sso/saml", { metadata: idp.metadata })
    const acs = pathOf(put.body.sso.serviceProvider.acsUrl)
    const { text: metadata } = await call(plane)("GET", pathOf(put.body.sso.serviceProvider.metadataUrl))
    const begun = await owner.call("POST", "/v1/sso/test", { returnTo })
    const form = await idp.respond(
      metadata,
      begun.body.url,
      says(idp, "owner@failing.example", { audience: "urn:another" })
    )
    expect(resultOf(await post(acs, form)).get("error")).toBe("audience_mismatch")
    const { body } = await owner.call("GET", "/v1/sso")
    expect(body.sso.lastTest).toMatchObject({ ok: false, code: "audience_mismatch" })
    expect((await owner.call("POST", "/v1/sso/enable")).body).toMatchObject({ error: "sso_not_tested" })
  })

  it("reads the configured attributes", async () => {
    const connected = await connect("attributes.example")
    const { owner } = connected
    const { saml } = (await owner.call("GET", "/v1/sso")).body.sso
    const put = await owner.call("PUT", "/v1/sso/saml", {
      idpEntityId: saml.idpEntityId,
      ssoUrl: saml.ssoUrl,
      certificates: [keyPair.certificate],
      attributes: { email: "work", name: "called" },
      jit: { enabled: true }
    })
    expect(put.body.sso).toMatchObject({ enabled: true, saml: { attributes: { email: "work", name: "called" } } })
    const attributes = { work: ["ada@attributes.example"], called: ["Ada"], email: ["no@attributes.example"] }
    expect((await signIn(connected, "1", { format: persistent, attributes })).user).toMatchObject({
      email: "ada@attributes.example",
      name: "Ada"
    })
  })

  it.each([
    ["body.metadata", { metadata: "hello" }],
    ["body.metadata", { metadata: `<!DOCTYPE x [<!ENTITY e "x">]><x>&e;</x>` }],
    ["body.certificates.0", { idpEntityId: "i", ssoUrl: "https://idp.example", certificates: ["hello"] }],
    ["body.certificates.0", { idpEntityId: "i", ssoUrl: "https://idp.example", certificates: [keyPair.privateKey] }],
    [
      "body.certificates.1",
      {
        idpEntityId: "i",
        ssoUrl: "https://idp.example",
        certificates: [keyPair.certificate, makeKeyPair("short", 1024).certificate]
      }
    ],
    ["body.ssoUrl", { idpEntityId: "i", ssoUrl: "http://idp.example", certificates: [keyPair.certificate] }],
    ["body.ssoUrl", { idpEntityId: "i", ssoUrl: "javascript:alert(1)", certificates: [keyPair.certificate] }]
  ])("returns 400 with the location %s without repeating a secret", async (path, body) => {
    const owner = await makeWorkspace(plane)
    const response = await owner.call("PUT", "/v1/sso/saml", body)
    expect(response.status).toBe(400)
    expect(
      response.body.details.map((detail: { path: ReadonlyArray<string | number> }) => detail.path.join("."))
    ).toEqual([path])
    expect(response.text).not.toContain(keyPair.privateKey.slice(30, 60))
  })
})

describe("our SAML metadata", () => {
  it("describes the service provider to anyone, before there is a connection", async () => {
    const owner = await makeWorkspace(plane)
    const { body } = await owner.call("GET", "/v1/sso/service-provider")
    const { serviceProvider } = body
    const base = `http://localhost/v1/sso/saml/${owner.organizationId}`
    expect(body).toEqual({
      serviceProvider: {
        redirectUri: `http://localhost/v1/sso/oidc/${owner.organizationId}/callback`,
        entityId: `${base}/metadata`,
        acsUrl: `${base}/acs`,
        metadataUrl: `${base}/metadata`
      }
    })
    expect((await owner.call("GET", "/v1/sso")).status).toBe(404)
    const response = await call(plane)("GET", pathOf(serviceProvider.metadataUrl))
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toMatch(/^application\/samlmetadata\+xml/)
    expect(response.text).toContain(`entityID="${escaped(serviceProvider.entityId)}"`)
    expect(response.text).toContain(`Location="${escaped(serviceProvider.acsUrl)}"`)
    expect(response.text).toContain('AuthnRequestsSigned="false" WantAssertionsSigned="true"')
  })

  it("does not reveal which organizations exist", async () => {
    const owner = await makeWorkspace(plane)
    const never = "org_01h455vb4pex5vsknk084sn02q"
    const of = async (id: string) => {
      const { headers, status, text } = await call(plane)("GET", `/v1/sso/saml/${id}/metadata`)
      return { status, type: headers.get("content-type"), text: text.replaceAll(id, "") }
    }
    expect(await of(never)).toEqual(await of(owner.organizationId))
    expect((await of("acme")).status).toBe(400)
    const acs = async (id: string) =>
      post(`/v1/sso/saml/${id}/acs`, { SAMLResponse: "PHg+", RelayState: "x".repeat(43) })
    const [theirs, nobodys] = [await acs(owner.organizationId), await acs(never)]
    expect([theirs.status, theirs.text]).toEqual([nobodys.status, nobodys.text])
  })

  it("stays the same when the connection is recreated, and responses to the previous one are refused", async () => {
    const connected = await connect("recreated.example")
    const { acs, idp, owner } = connected
    const { serviceProvider } = (await owner.call("GET", "/v1/sso")).body.sso
    const { form } = await atProvider(connected, "ada@recreated.example")
    expect((await owner.call("DELETE", "/v1/sso")).status).toBe(204)
    const put = await owner.call("PUT", "/v1/sso/saml", { metadata: idp.metadata, jit: { enabled: true } })
    expect(put.body.sso).toMatchObject({ serviceProvider, enabled: false, lastTest: null })
    expect((await post(acs, form)).text).toContain("Sign-in not found")
  })
})

describe("stored data of a SAML sign-in", () => {
  it("consists of the assertion's digest until it expires, and the subject's digest in the audit", async () => {
    const connected = await connect("kept.example")
    const notOnOrAfter = new Date(Date.now() + 240_000)
    await signIn(connected, "ada@kept.example", { assertionId: "_kept", notOnOrAfter })
    const rows = await runSql(
      plane,
      (sql) => sql<{ expires_at: Date; is_kept: boolean }>`SELECT expires_at,
          position('_kept'::bytea IN assertion_digest) > 0 AS is_kept
        FROM sso_assertions WHERE organization_id = ${connected.owner.organizationId} ORDER BY expires_at`
    )
    // Of the sign-in and of the test before; a minute longer than the provider's limit, because of clock
    // differences.
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({ expires_at: new Date(notOnOrAfter.getTime() + 60_000), is_kept: false })
    const audit = await connected.owner.call("GET", "/v1/audit-events?limit=100")
    expect(audit.status).toBe(200)
    expect(audit.text).not.toContain("_kept")
  })
})
