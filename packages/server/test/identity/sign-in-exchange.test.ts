import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeWorkspace,
  mintSession,
  runSql,
  signInByEmail,
  someAddress,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane({
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    return Promise.resolve(subject === null ? null : { subject, name: subject, email: null, emailVerified: false })
  }
})

const exchange = (caller: Workspace, body: object) => caller.call("POST", "/v1/sessions/exchange", body)
const missingMember = "om_01h455vb4pex5vsknk084sn02q"

const minted = async (role = "member") => {
  const owner = await makeWorkspace(plane)
  const member = role === "owner" ? owner : await addMember(plane, owner, role)
  const response = await exchange(owner, { orgMembershipId: member.membershipId })
  expect(response.status).toBe(201)
  return { owner, member, session: response.body.session, as: call(plane, response.body.session.token) }
}

describe("POST /v1/sessions/exchange", () => {
  it("creates a session of a member for at most an hour, bound to the organization", async () => {
    const { as, member, owner, session } = await minted()
    expect(Date.parse(session.expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
    expect((await as("GET", "/v1/organization")).body.organization.id).toBe(owner.organizationId)
    const { body } = await as("GET", "/v1/me/organizations")
    expect(body.items).toMatchObject([{ orgMembershipId: member.membershipId, role: "member", active: true }])
    const short = await exchange(owner, { orgMembershipId: member.membershipId, expiresInSeconds: 60 })
    expect(Date.parse(short.body.session.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
    expect(short.headers.get("cache-control")).toBe("no-store")
  })

  it("identifies the member by the subject of the host application", async () => {
    const owner = await makeWorkspace(plane)
    await call(plane)("GET", "/v1/me", undefined, { "x-person": "host-ada" })
    expect((await exchange(owner, { subject: "host-ada" })).status).toBe(400)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
          SELECT ${owner.organizationId}, 'om_01h455vb4pex5vsknk084sn02r', user_id, 'member', now(), now()
          FROM user_subjects WHERE subject = 'host-ada'`
    )
    const response = await exchange(owner, { subject: "host-ada" })
    expect(response.status).toBe(201)
    const as = call(plane, response.body.session.token)
    expect((await as("GET", "/v1/organization")).body.organization.id).toBe(owner.organizationId)
  })

  it("returns 400 unless exactly one current member is named, with a valid lifetime", async () => {
    const { member, owner } = await minted()
    const bad: ReadonlyArray<object> = [
      {},
      { subject: "x", orgMembershipId: member.membershipId },
      { orgMembershipId: "nonsense" },
      { orgMembershipId: member.membershipId, expiresInSeconds: 3601 },
      { orgMembershipId: member.membershipId, expiresInSeconds: 59 }
    ]
    for (const body of bad) expect((await exchange(owner, body)).status).toBe(400)
    const elsewhere = await makeWorkspace(plane, "Elsewhere")
    const foreign = await exchange(owner, { orgMembershipId: elsewhere.membershipId })
    const missing = await exchange(owner, { orgMembershipId: missingMember })
    expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text])
    expect(foreign.body.details[0].path).toEqual(["body", "orgMembershipId"])
    expect((await exchange(owner, { subject: "nobody" })).body.details[0].path).toEqual(["body", "subject"])
  })

  it("returns 403 without sessions:mint, also for an admin, and for an unclaimed workspace", async () => {
    const owner = await makeWorkspace(plane)
    for (const role of ["member", "admin"]) {
      const caller = await addMember(plane, owner, role)
      const refused = await exchange(caller, { orgMembershipId: owner.membershipId })
      expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    }
    const response = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Provisional" })
    const agent = call(plane, response.body.session.token)
    const { body } = await agent("GET", "/v1/members")
    const refused = await agent("POST", "/v1/sessions/exchange", { orgMembershipId: body.items[0].id })
    expect([refused.status, refused.body.reason]).toEqual([403, "provisional_organization"])
  })

  it("allows an API key with sessions:mint, which only an owner can create", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const admin = await addMember(plane, owner, "admin")
    const wanted = { name: "host", permissions: ["sessions:mint"] }
    expect((await admin.call("POST", "/v1/api-keys", wanted)).body.reason).toBe("owner_required")
    const withKey = async (permissions: ReadonlyArray<string>) => {
      const { body } = await owner.call("POST", "/v1/api-keys", { name: "host", permissions })
      return (input: object) =>
        call(plane)("POST", "/v1/sessions/exchange", input, { "x-api-key": body.token ?? body.key })
    }
    const without = await (await withKey(["members:read"]))({ orgMembershipId: member.membershipId })
    expect([without.status, without.body.reason]).toEqual([403, "permission_required"])
    const response = await (await withKey(["sessions:mint"]))({ orgMembershipId: member.membershipId })
    expect(response.status).toBe(201)
    const as = call(plane, response.body.session.token)
    expect((await as("GET", "/v1/me")).body.user.name).toBe("A member")
    const stranger = await makeWorkspace(plane)
    const foreign = await (await withKey(["sessions:mint"]))({ orgMembershipId: stranger.membershipId })
    expect([foreign.status, foreign.body.details[0].path]).toEqual([400, ["body", "orgMembershipId"]])
  })

  it("creates one session for an idempotency key and does not store its token", async () => {
    const { member, owner } = await minted()
    const body = { orgMembershipId: member.membershipId }
    const key = { "idempotency-key": "exchange-1" }
    expect((await owner.call("POST", "/v1/sessions/exchange", body, key)).status).toBe(201)
    const again = await owner.call("POST", "/v1/sessions/exchange", body, key)
    expect([again.status, again.body.error]).toEqual([409, "idempotency_key_completed"])
  })
})

describe("an exchanged session", () => {
  it("is valid as long as its API key may create sessions; an owner's exchange does not depend on a key", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const byOwner = await mintSession(plane, owner, member.membershipId)
    const ends: ReadonlyArray<(id: string) => Promise<unknown>> = [
      (id) => owner.call("DELETE", `/v1/api-keys/${id}`),
      (id) => owner.call("PATCH", `/v1/api-keys/${id}`, { permissions: ["plugins:read"] }),
      (id) => runSql(plane, (sql) => sql`UPDATE api_keys SET expires_at = now() WHERE id = ${id}`)
    ]
    for (const [index, end] of ends.entries()) {
      const key = await makeKey(plane, owner, ["sessions:mint", "plugins:read"])
      const { body } = await key.call("POST", "/v1/sessions/exchange", { orgMembershipId: member.membershipId })
      const as = call(plane, body.session.token)
      // Expiry by the clock is noticed only by a process without a cached session.
      if (index < 2) expect((await as("GET", "/v1/plugins")).status).toBe(200)
      expect((await owner.call("POST", `/v1/api-keys/${key.id}/rotate`, {})).status).toBe(200)
      if (index < 2) expect((await as("GET", "/v1/plugins")).status).toBe(200)
      await end(key.id)
      expect([index, (await as("GET", "/v1/plugins")).status]).toEqual([index, 401])
    }
    expect((await byOwner.call("GET", "/v1/plugins")).status).toBe(200)
  })

  it("cannot use keys, roles, sessions, members, invitations or the exchange, not even for an owner", async () => {
    const { as, owner } = await minted("owner")
    const refused: ReadonlyArray<readonly [string, string, object?]> = [
      ["GET", "/v1/api-keys"],
      ["POST", "/v1/api-keys", { name: "mine", permissions: [] }],
      ["GET", "/v1/roles"],
      ["POST", "/v1/roles", { name: "mine", permissions: [] }],
      ["GET", "/v1/sessions"],
      ["DELETE", "/v1/sessions/ses_01h455vb4pex5vsknk084sn02q"],
      ["POST", "/v1/sessions/exchange", { orgMembershipId: owner.membershipId }],
      ["GET", "/v1/members"],
      ["PATCH", `/v1/members/${owner.membershipId}`, { role: "owner" }],
      ["DELETE", `/v1/members/${owner.membershipId}`],
      ["POST", "/v1/invitations", { email: "a@example.com", role: "owner", send: false }],
      ["DELETE", "/v1/organization"],
      ["POST", "/v1/organization/transfer-ownership", { orgMembershipId: missingMember }],
      // The user's own account is not accessible to the organization.
      ["PATCH", "/v1/me", { name: "Mine" }],
      ["DELETE", "/v1/me"],
      ["PUT", "/v1/me/active-organization", { organizationId: owner.organizationId }],
      ["POST", "/v1/organizations", { name: "Mine" }],
      ["POST", "/v1/invitations/accept", { token: "opi_x" }],
      ["POST", "/v1/bootstrap/claims/accept", { token: "opc_x" }]
    ]
    for (const [method, path, body] of refused) {
      const response = await as(method, path, body)
      expect([response.status, response.body?.reason], `${method} ${path}`).toEqual([403, "session_required"])
    }
    expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("has the member's access and can sign itself out", async () => {
    const { as } = await minted()
    expect((await as("GET", "/v1/plugins")).status).toBe(200)
    expect((await as("GET", "/v1/me")).status).toBe(200)
    expect((await as("DELETE", "/v1/sessions/current")).status).toBe(204)
    expect((await as("GET", "/v1/me")).status).toBe(401)
  })

  it("cannot see the user's other organizations, named or listed", async () => {
    const person = await signInByEmail(plane, "two-homes@example.com")
    const first = (await person.call("POST", "/v1/organizations", { name: "First" })).body.organization.id
    const second = (await person.call("POST", "/v1/organizations", { name: "Second" })).body.organization.id
    const inFirst = { "x-organization-id": first }
    const { body } = await person.call("GET", "/v1/members", undefined, inFirst)
    const response = await person.call("POST", "/v1/sessions/exchange", { orgMembershipId: body.items[0].id }, inFirst)
    const as = call(plane, response.body.session.token)
    expect((await as("GET", "/v1/me/organizations")).body.items).toHaveLength(1)
    const elsewhere = await as("GET", "/v1/organization", undefined, { "x-organization-id": second })
    expect([elsewhere.status, elsewhere.body]).toEqual([404, { error: "organization_not_found" }])
  })

  it("ends with the membership", async () => {
    const { as, member } = await minted()
    expect((await as("GET", "/v1/organization")).status).toBe(200)
    expect((await member.call("DELETE", "/v1/me")).status).toBe(204)
    expect((await as("GET", "/v1/organization")).status).toBe(401)
    expect((await as("GET", "/v1/me")).status).toBe(401)
  })

  it("is not created while the membership ends, and does not become valid again when the member returns", async () => {
    const owner = await makeWorkspace(plane)
    for (let round = 0; round < 8; round += 1) {
      const subject = `returns-${round}`
      const { id } = (await owner.call("POST", "/v1/members", { subject })).body.member
      const asks = Array.from({ length: 4 }, () => exchange(owner, { orgMembershipId: id }))
      const [removed, ...responses] = await Promise.all([owner.call("DELETE", `/v1/members/${id}`), ...asks])
      expect(removed.status).toBe(204)
      expect((await owner.call("POST", "/v1/members", { subject })).status).toBe(201)
      for (const { body, status } of responses) {
        expect([201, 400]).toContain(status)
        if (status === 201) {
          const late = await call(plane, body.session.token, someAddress())("GET", "/v1/organization")
          expect(late.status).toBe(401)
        }
      }
    }
  })
})
