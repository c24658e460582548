import { describe, expect, it } from "vitest"
import { addMember, call, makeControlPlane, makeWorkspace, mintSession, signInByEmail } from "../harness.ts"

const plane = await makeControlPlane()

const provisional = async () => {
  const { body } = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Provisional" })
  return call(plane, body.session.token)
}

describe("POST /v1/organizations", () => {
  it("creates an organization that the caller owns and that the session selects", async () => {
    const person = await signInByEmail(plane, "founder@example.com")
    const response = await person.call("POST", "/v1/organizations", { name: "Acme" })
    expect(response.status).toBe(201)
    expect(response.body.organization).toMatchObject({ name: "Acme", provisional: false, provisionalExpiresAt: null })
    const { body } = await person.call("GET", "/v1/members")
    expect(body.items).toMatchObject([{ userId: person.userId, role: "owner", email: "founder@example.com" }])
  })

  it("returns 409 for the eleventh organization, also concurrently", async () => {
    const person = await signInByEmail(plane, "collector@example.com")
    const make = () => person.call("POST", "/v1/organizations", { name: "One more" })
    for (let index = 0; index < 9; index += 1) expect((await make()).status).toBe(201)
    const responses = await Promise.all([make(), make()])
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409])
    const refused = await make()
    expect([refused.status, refused.body.error]).toEqual([409, "quota_exceeded"])
    await person.call("DELETE", "/v1/organization")
    expect((await make()).status).toBe(201)
  })

  it("returns 400, 401 and 403 for invalid input, no credential and callers who may not create one", async () => {
    const person = await signInByEmail(plane, "refused@example.com")
    for (const body of [{}, { name: "A" }, { name: "x".repeat(121) }, { name: null }, { name: "a\u0000b" }]) {
      const response = await person.call("POST", "/v1/organizations", body)
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "name"]])
    }
    expect((await call(plane)("POST", "/v1/organizations", { name: "Acme" })).status).toBe(401)
    const owner = await makeWorkspace(plane)
    const bound = await mintSession(plane, owner, owner.membershipId)
    expect((await bound.call("POST", "/v1/organizations", { name: "Acme" })).body.reason).toBe("session_required")
    const nameless = await addMember(plane, owner, "member")
    const refused = await nameless.call("POST", "/v1/organizations", { name: "Acme" })
    expect([refused.status, refused.body.reason]).toEqual([403, "email_not_verified"])
  })

  it("creates one organization for an idempotency key and replays the response", async () => {
    const person = await signInByEmail(plane, "once@example.com")
    const make = (name: string) => person.call("POST", "/v1/organizations", { name }, { "idempotency-key": "org-1" })
    const first = await make("Acme")
    const again = await make("Acme")
    expect(again.text).toBe(first.text)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect((await make("Other")).body.error).toBe("idempotency_key_reused")
    expect((await person.call("GET", "/v1/me/organizations")).body.items).toHaveLength(1)
  })
})

describe("PATCH /v1/organization", () => {
  it("renames the organization and increments its version, and changes nothing without a name", async () => {
    const { call } = await makeWorkspace(plane)
    const before = await call("GET", "/v1/organization")
    const renamed = await call("PATCH", "/v1/organization", { name: "Renamed" })
    expect(renamed.body.organization.name).toBe("Renamed")
    expect(renamed.headers.get("etag")).not.toBe(before.headers.get("etag"))
    const same = await call("PATCH", "/v1/organization", {})
    expect([same.status, same.headers.get("etag")]).toEqual([200, renamed.headers.get("etag")])
    expect((await call("GET", "/v1/organization")).headers.get("etag")).toBe(renamed.headers.get("etag"))
  })

  it("returns 412 for a stale version, and for one of two concurrent updates with the same ETag", async () => {
    const { call } = await makeWorkspace(plane)
    const tag = (await call("GET", "/v1/organization")).headers.get("etag") ?? ""
    const rename = (name: string) => call("PATCH", "/v1/organization", { name }, { "if-match": tag })
    const responses = await Promise.all([rename("One"), rename("Two")])
    expect(responses.map((response) => response.status).toSorted()).toEqual([200, 412])
    expect((await rename("Three")).body.error).toBe("precondition_failed")
  })

  it("returns 403 for a member and 400 for an invalid name; an unclaimed workspace can be renamed", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const refused = await member.call("PATCH", "/v1/organization", { name: "Mine" })
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    expect((await owner.call("PATCH", "/v1/organization", { name: "x" })).status).toBe(400)
    expect((await (await provisional())("PATCH", "/v1/organization", { name: "Better" })).status).toBe(200)
  })

  it("leaves no name in the audit", async () => {
    const owner = await makeWorkspace(plane, "Secretive and sons")
    await owner.call("PATCH", "/v1/organization", { name: "Even more secretive" })
    const { text, body } = await owner.call("GET", "/v1/audit-events?action=organization.update")
    expect(body.items).toHaveLength(1)
    expect(text).not.toContain("secretive")
  })
})

describe("DELETE /v1/organization", () => {
  it("ends access at once with every kind of credential, and keeps the members' other organizations", async () => {
    const owner = await signInByEmail(plane, "ender@example.com")
    const createResponse = await owner.call("POST", "/v1/organizations", { name: "Ending" })
    const otherOrganization = await owner.call("POST", "/v1/organizations", { name: "Kept" })
    const workspace = { ...owner, organizationId: createResponse.body.organization.id as string }
    const member = await addMember(plane, workspace, "member")
    const minted = await owner.call("POST", "/v1/sessions/exchange", { orgMembershipId: member.membershipId })
    const bound = call(plane, minted.body.session.token)
    const key = await owner.call("POST", "/v1/api-keys", { name: "robot", permissions: ["organizations:read"] })
    const robot = () =>
      call(plane)("GET", "/v1/organization", undefined, { "x-api-key": key.body.token ?? key.body.key })
    expect((await robot()).status).toBe(200)
    for (const one of [owner.call, member.call, bound]) expect((await one("GET", "/v1/organization")).status).toBe(200)
    expect((await owner.call("DELETE", "/v1/organization")).status).toBe(204)
    expect((await bound("GET", "/v1/organization")).status).toBe(401)
    expect((await robot()).status).toBe(401)
    const response = await member.call("GET", "/v1/organization")
    expect([response.status, response.body]).toEqual([404, { error: "organization_not_found" }])
    const named = await owner.call("GET", "/v1/organization", undefined, {
      "x-organization-id": createResponse.body.organization.id
    })
    expect(named.text).toBe(response.text)
    // One organization is left, so it is selected implicitly.
    expect((await owner.call("GET", "/v1/organization")).body.organization.id).toBe(
      otherOrganization.body.organization.id
    )
    expect((await owner.call("GET", "/v1/me/organizations")).body.items).toHaveLength(1)
    const again = await owner.call("DELETE", "/v1/organization", undefined, {
      "x-organization-id": createResponse.body.organization.id
    })
    expect(again.status).toBe(404)
  })

  it("returns 403 for an admin and 412 for a stale ETag", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const refused = await admin.call("DELETE", "/v1/organization")
    expect([refused.status, refused.body.reason]).toEqual([403, "owner_required"])
    expect((await owner.call("DELETE", "/v1/organization", undefined, { "if-match": '"99"' })).status).toBe(412)
    expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
    expect((await owner.call("DELETE", "/v1/organization")).status).toBe(204)
    expect((await owner.call("GET", "/v1/organization")).status).toBe(401)
  })
})

describe("POST /v1/organization/transfer-ownership", () => {
  const roleOf = async (caller: { call: typeof call extends never ? never : ReturnType<typeof call> }, id: string) =>
    (await caller.call("GET", `/v1/members/${id}`)).body.member.role

  it("makes another member the owner and by default the caller an admin, from the next request on", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    expect((await member.call("PATCH", "/v1/organization", { name: "Mine" })).status).toBe(403)
    const moved = await owner.call("POST", "/v1/organization/transfer-ownership", {
      orgMembershipId: member.membershipId
    })
    expect([moved.status, moved.body.organization.id]).toEqual([200, owner.organizationId])
    expect(await roleOf(member, member.membershipId)).toBe("owner")
    expect(await roleOf(member, owner.membershipId)).toBe("admin")
    expect((await member.call("PATCH", "/v1/organization", { name: "Mine" })).status).toBe(200)
    expect((await owner.call("DELETE", "/v1/organization")).body.reason).toBe("owner_required")
  })

  it("gives the caller the chosen role", async () => {
    for (const keep of ["owner", "admin", "member"] as const) {
      const owner = await makeWorkspace(plane)
      const admin = await addMember(plane, owner, "admin")
      const body = { orgMembershipId: admin.membershipId, keep }
      expect((await owner.call("POST", "/v1/organization/transfer-ownership", body)).status).toBe(200)
      expect(await roleOf(admin, owner.membershipId)).toBe(keep)
    }
  })

  it("returns 400 for the caller, and the same 400 for a foreign and a missing member", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const transfer = (orgMembershipId: string) =>
      owner.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId })
    expect((await transfer(owner.membershipId)).status).toBe(400)
    const foreign = await transfer(stranger.membershipId)
    const missing = await transfer("om_01h455vb4pex5vsknk084sn02q")
    expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text])
    expect(foreign.body.details[0].path).toEqual(["body", "orgMembershipId"])
    expect(await roleOf(owner, owner.membershipId)).toBe("owner")
  })

  it("returns 403 for an admin, and for one of two concurrent transfers", async () => {
    const owner = await makeWorkspace(plane)
    const [one, two] = [await addMember(plane, owner, "admin"), await addMember(plane, owner, "member")]
    const refused = await one.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId: two.membershipId })
    expect([refused.status, refused.body.reason]).toEqual([403, "owner_required"])
    const responses = await Promise.all(
      [one, two].map(({ membershipId }) =>
        owner.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId: membershipId, keep: "member" })
      )
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([200, 403])
    const { body } = await one.call("GET", "/v1/members?role=owner")
    expect(body.items).toHaveLength(1)
  })
})
