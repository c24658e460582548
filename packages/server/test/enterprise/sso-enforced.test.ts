/** Access while an organization requires single sign-on. */
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeWorkerToken,
  makeWorkspace,
  mintSession,
  signInByEmail,
  signIn,
  type Workspace
} from "../harness.ts"
import { makeDirectory, makeUser, patchOf } from "./scim.fixture.ts"
import { connectSso, giveEmail, serveStandIn, signInBySso } from "./sso.fixture.ts"

/** The host application identifies users by a header. */
const plane = await makeControlPlane({
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  authenticator: (request) => {
    const subject = request.headers.get("x-host-subject")
    return Promise.resolve(subject === null ? null : { subject, name: null, email: null, emailVerified: false })
  }
})
const standIn = await serveStandIn()
afterAll(() => standIn.close())
beforeEach(() => standIn.reset())

let domainCount = 0
/** An organization with a connection, two owners with email addresses, and an ordinary member. */
const makeEnforceable = async () => {
  domainCount += 1
  const domain = `enforced-${domainCount}.example`
  const owner = await makeWorkspace(plane)
  await connectSso(plane, owner, standIn, { domain })
  const second = await addMember(plane, owner, "owner")
  await giveEmail(plane, second, `second@${domain}`)
  const member = await addMember(plane, owner, "member")
  await giveEmail(plane, member, `member@${domain}`)
  return { owner, second, member, domain }
}

const enforce = (owner: Workspace, ...people: ReadonlyArray<Workspace>) =>
  owner.call("POST", "/v1/sso/enforce", { breakGlass: people.map(({ membershipId }) => membershipId) })

const required = { status: 403, body: { reason: "sso_required" } }
const look = (person: Pick<Workspace, "call">) => person.call("GET", "/v1/organization")

describe("enforced single sign-on", () => {
  it("accepts only SSO sessions and the organization's own credentials", async () => {
    const { domain, member, owner, second } = await makeEnforceable()
    const key = await makeKey(plane, owner, ["members:read"])
    const worker = await makeWorkerToken(plane, member)
    const minted = await mintSession(plane, owner, member.membershipId)
    await owner.call("POST", "/v1/members", { subject: `host of ${domain}` })
    standIn.person = { sub: "member", email: `member@${domain}`, email_verified: true }
    const bySso = await signInBySso(plane, { organizationId: owner.organizationId })
    const ownerMailed = await signIn(plane, owner.userId, owner.organizationId)
    // All sessions are cached as accepted.
    expect((await look(member)).status).toBe(200)
    expect((await look(second)).status).toBe(200)

    const enforced = await enforce(owner, owner)
    expect(enforced.body.sso).toMatchObject({ enforced: true, breakGlass: [owner.membershipId] })

    expect(await look(member)).toMatchObject(required)
    expect(await look(second)).toMatchObject(required)
    expect(await second.call("GET", "/v1/sso")).toMatchObject(required)
    expect(await second.call("POST", "/v1/sso/disable")).toMatchObject(required)
    expect(await member.call("POST", "/v1/plugins", { name: "Not made" })).toMatchObject(required)
    // The session of the bootstrap is not an email code session.
    expect(await look(owner)).toMatchObject(required)
    const mailed = { call: call(plane, ownerMailed.token) }
    expect((await look(mailed)).status).toBe(200)
    expect((await look(bySso)).status).toBe(200)
    expect((await look(minted)).status).toBe(200)
    expect((await key.call("GET", "/v1/members")).status).toBe(200)
    expect((await worker.call("POST", "/v1/worker-runtime/heartbeat", {})).status).not.toBe(403)
    const byHost = await call(plane)("GET", "/v1/organization", undefined, { "x-host-subject": `host of ${domain}` })
    expect(byHost.status).toBe(200)

    // The user's own data and other organizations are not affected.
    const person = await signInByEmail(plane, `member@${domain}`)
    for (const path of ["/v1/me", "/v1/me/organizations", "/v1/sessions"]) {
      expect([path, (await person.call("GET", path)).status]).toEqual([path, 200])
    }
    expect(
      await person.call("GET", "/v1/organization", undefined, { "x-organization-id": owner.organizationId })
    ).toMatchObject(required)
    const elsewhere = await person.call("POST", "/v1/organizations", { name: "Of my own" })
    const own = { "x-organization-id": elsewhere.body.organization.id }
    expect((await person.call("GET", "/v1/organization", undefined, own)).status).toBe(200)

    expect((await mailed.call("POST", "/v1/sso/disable")).body.sso).toMatchObject({
      enabled: false,
      enforced: false,
      breakGlass: []
    })
    expect((await look(member)).status).toBe(200)
    expect((await look(second)).status).toBe(200)
    expect((await look(bySso)).status).toBe(200)
  })

  it("prevents disabling and removing the connection, but not a change of the client secret", async () => {
    const { owner, second } = await makeEnforceable()
    const mailed = await signIn(plane, owner.userId, owner.organizationId)
    await enforce(owner, owner, second)
    const ask = call(plane, mailed.token)
    const settings = { issuer: standIn.issuer, clientId: "orgplane-at-the-provider" }
    expect((await ask("PUT", "/v1/sso/oidc", { ...settings, clientSecret: "new" })).body.sso).toMatchObject({
      enabled: true,
      enforced: true
    })
    for (const response of [
      await ask("PUT", "/v1/sso/oidc", { ...settings, clientId: "another" }),
      await ask("DELETE", "/v1/sso")
    ]) {
      expect([response.status, response.body.error]).toEqual([409, "sso_enforced"])
    }
  })

  it("hides the organization from an email code session, also through another organization", async () => {
    const { domain, member, owner } = await makeEnforceable()
    const person = await signInByEmail(plane, `member@${domain}`)
    const inside = { "x-organization-id": member.organizationId }
    await person.call("POST", "/v1/memory", { content: "The launch is in May" }, inside)
    const { body } = await person.call("POST", "/v1/organizations", { name: "Of my own" })
    const outside = { "x-organization-id": body.organization.id }
    await person.call("POST", "/v1/memory", { content: "Buy milk" }, outside)
    const all = async () =>
      (await person.call("GET", "/v1/memory?organization=all", undefined, outside)).body.items.map(
        ({ content }: { content: string }) => content
      )
    expect(await all()).toEqual(["Buy milk", "The launch is in May"])
    await enforce(owner, owner)
    expect(await all()).toEqual(["Buy milk"])
    const search = await person.call("GET", "/v1/memory/search?q=launch&organization=all", undefined, outside)
    expect([search.status, search.text.includes("launch is")]).toEqual([200, false])
  })

  it("does not limit which owner remains before it is enforced", async () => {
    const { owner, second } = await makeEnforceable()
    const demoted = await owner.call("PATCH", `/v1/members/${second.membershipId}`, { role: "admin" })
    expect([demoted.status, demoted.body.reason]).toEqual([200, undefined])
  })

  it("keeps the last break-glass owner an owner", async () => {
    const { domain, owner, second } = await makeEnforceable()
    standIn.person = { sub: `owner of ${owner.organizationId}`, email: `owner@${domain}`, email_verified: true }
    const bySso = await signInBySso(plane, { organizationId: owner.organizationId })
    await enforce(owner, second)
    const path = `/v1/members/${second.membershipId}`
    const left = await (
      await signInByEmail(plane, `second@${domain}`)
    ).call("DELETE", `/v1/me/organizations/${owner.organizationId}`)
    for (const response of [
      await bySso.call("PATCH", path, { role: "admin" }),
      await bySso.call("DELETE", path),
      left
    ]) {
      expect([response.status, response.body?.reason]).toEqual([403, "last_owner"])
    }
    const mailed = await signIn(plane, second.userId, owner.organizationId)
    const handed = await call(plane, mailed.token)("POST", "/v1/organization/transfer-ownership", {
      orgMembershipId: owner.membershipId
    })
    expect([handed.status, handed.body?.reason]).toEqual([403, "last_owner"])
    const third = await addMember(plane, owner, "owner")
    await giveEmail(plane, third, `third@${domain}`)
    expect(
      (await bySso.call("POST", "/v1/sso/enforce", { breakGlass: [second.membershipId, third.membershipId] })).status
    ).toBe(200)
    // A break-glass owner is checked again at once, regardless of the cache.
    const thirdMailed = { call: call(plane, (await signIn(plane, third.userId, owner.organizationId)).token) }
    expect((await look(thirdMailed)).status).toBe(200)
    expect((await enforce({ ...owner, call: bySso.call }, second)).status).toBe(200)
    expect(await look(thirdMailed)).toMatchObject(required)
    expect((await enforce({ ...owner, call: bySso.call }, second, third)).status).toBe(200)
    expect((await look(thirdMailed)).status).toBe(200)
    expect((await bySso.call("PATCH", path, { role: "admin" })).status).toBe(200)
    // A former owner is no break-glass owner.
    expect(await look(second)).toMatchObject(required)
  })

  it("prevents a directory from removing the last break-glass owner", async () => {
    const { domain, owner, second } = await makeEnforceable()
    const directory = await makeDirectory(plane, owner)
    await enforce(owner, second)
    const provision = (name: string) =>
      makeUser(directory, { userName: `${name}@${domain}`, emails: [{ value: `${name}@${domain}`, primary: true }] })
    const [first, breaksGlass] = [await provision("owner"), await provision("second")]
    const off = patchOf({ op: "replace", path: "active", value: false })
    expect((await directory.scim("PATCH", `/Users/${breaksGlass.id}`, off)).status).toBe(403)
    expect((await directory.scim("DELETE", `/Users/${breaksGlass.id}`)).status).toBe(403)
    // Another owner can be removed as long as the break-glass owner stays.
    expect((await directory.scim("PATCH", `/Users/${first.id}`, off)).status).toBe(200)
    expect(
      (await look({ call: call(plane, (await signIn(plane, second.userId, owner.organizationId)).token) })).status
    ).toBe(200)
  })
})

describe("POST /v1/sso/enforce", () => {
  it("requires current and reachable owners, and returns the location of each invalid one", async () => {
    const { member, owner, second } = await makeEnforceable()
    const stranger = await makeWorkspace(plane, "Theirs")
    await giveEmail(plane, stranger, `stranger-${domainCount}@elsewhere.example`)
    const nameless = await addMember(plane, owner, "owner")
    for (const wrong of [member, stranger, nameless]) {
      const response = await enforce(owner, second, wrong)
      expect([response.status, response.body.details?.[0]?.path]).toEqual([400, ["body", "breakGlass", 1]])
    }
    expect((await owner.call("POST", "/v1/sso/enforce", { breakGlass: [] })).status).toBe(400)
    expect((await enforce(await addMember(plane, owner, "admin"), owner)).body.reason).toBe("owner_required")
  })

  it("requires an enabled connection", async () => {
    const { owner } = await makeEnforceable()
    await owner.call("POST", "/v1/sso/disable")
    const response = await enforce(owner, owner)
    expect([response.status, response.body.error]).toEqual([409, "sso_not_enabled"])
    const none = await makeWorkspace(plane)
    await giveEmail(plane, none, `none-${domainCount}@elsewhere.example`)
    expect((await enforce(none, none)).body.error).toBe("sso_connection_not_found")
  })
})
