import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeWorkspace,
  mintSession,
  runSql,
  signInByEmail,
  type SignedInPerson
} from "../harness.ts"

const plane = await makeControlPlane({
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    return Promise.resolve(
      subject === null ? null : { subject, name: subject, email: `${subject}@host.example`, emailVerified: true }
    )
  }
})

const organizationOf = async (person: SignedInPerson, name: string): Promise<string> =>
  (await person.call("POST", "/v1/organizations", { name })).body.organization.id

/** Joins an organization by invitation. */
const join = async (
  owner: SignedInPerson,
  organizationId: string,
  person: SignedInPerson,
  email: string,
  role: string
) => {
  const invited = await owner.call(
    "POST",
    "/v1/invitations",
    { email, role, send: false },
    { "x-organization-id": organizationId }
  )
  const accepted = await person.call("POST", "/v1/invitations/accept", { token: invited.body.link.token })
  expect(accepted.status).toBe(200)
  return accepted.body.member.id as string
}

describe("GET and PATCH /v1/me", () => {
  it("returns the user and changes the name, with null to clear it", async () => {
    const person = await signInByEmail(plane, "name@example.com")
    const renamed = await person.call("PATCH", "/v1/me", { name: "Ada" })
    expect(renamed.body.user).toMatchObject({ id: person.userId, name: "Ada", email: "name@example.com" })
    expect((await person.call("PATCH", "/v1/me", {})).body.user.name).toBe("Ada")
    expect((await person.call("GET", "/v1/me")).body.user.name).toBe("Ada")
    expect((await person.call("PATCH", "/v1/me", { name: null })).body.user.name).toBeNull()
  })

  it("ignores other fields in the body", async () => {
    const person = await signInByEmail(plane, "claims@example.com")
    const { body } = await person.call("PATCH", "/v1/me", {
      name: "Eve",
      id: "usr_01h455vb4pex5vsknk084sn02q",
      email: "admin@example.com",
      emailVerified: true
    })
    expect(body.user).toMatchObject({ id: person.userId, email: "claims@example.com", name: "Eve" })
  })

  it("returns 400 for an empty or too long name, 401 without a credential and 403 for an API key", async () => {
    const person = await signInByEmail(plane, "bad-name@example.com")
    for (const name of ["", "x".repeat(256), 7, "a\u0000b"]) {
      const response = await person.call("PATCH", "/v1/me", { name })
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "name"]])
    }
    expect((await call(plane)("GET", "/v1/me")).status).toBe(401)
  })

  it("returns a user of the host application with the email address that the host verifies", async () => {
    const { body } = await call(plane)("GET", "/v1/me", undefined, { "x-person": "grace" })
    expect(body.user).toMatchObject({ email: "grace@host.example", emailVerified: true, name: "grace" })
  })
})

describe("GET /v1/me/organizations", () => {
  it("lists the user's organizations in pages and marks the active one", async () => {
    const person = await signInByEmail(plane, "pages@example.com")
    const ids = [
      await organizationOf(person, "One"),
      await organizationOf(person, "Two"),
      await organizationOf(person, "Three")
    ]
    const first = await person.call("GET", "/v1/me/organizations?limit=2")
    expect(first.body.items.map((row: { organization: { id: string } }) => row.organization.id)).toEqual([
      ids[2],
      ids[1]
    ])
    const rest = await person.call("GET", `/v1/me/organizations?limit=2&cursor=${first.body.nextCursor}`)
    expect(rest.body).toMatchObject({
      items: [{ organization: { id: ids[0] }, role: "owner", active: true }],
      nextCursor: null
    })
    const other = await signInByEmail(plane, "pages-other@example.com")
    expect((await other.call("GET", "/v1/me/organizations")).body.items).toEqual([])
    const stolen = await other.call("GET", `/v1/me/organizations?cursor=${first.body.nextCursor}`)
    expect([stolen.status, stolen.body.details[0].path]).toEqual([400, ["query", "cursor"]])
  })
})

describe("PUT /v1/me/active-organization", () => {
  it("selects the active organization, which the header overrides for one request", async () => {
    const person = await signInByEmail(plane, "chooser@example.com")
    const [one, two] = [await organizationOf(person, "One"), await organizationOf(person, "Two")]
    const current = async (headers = {}) =>
      (await person.call("GET", "/v1/organization", undefined, headers)).body.organization.id
    expect(await current()).toBe(one)
    const chosen = await person.call("PUT", "/v1/me/active-organization", { organizationId: two })
    expect(chosen.body.organization).toMatchObject({ id: two, name: "Two" })
    expect(await current()).toBe(two)
    expect(await current({ "x-organization-id": one })).toBe(one)
    const again = await person.call("PUT", "/v1/me/active-organization", { organizationId: two })
    expect(again.status).toBe(200)
  })

  it("returns the same 404 for a foreign and a missing organization, and 400 for an invalid id", async () => {
    const person = await signInByEmail(plane, "chooser-2@example.com")
    const stranger = await makeWorkspace(plane)
    const choose = (organizationId: string) => person.call("PUT", "/v1/me/active-organization", { organizationId })
    const foreign = await choose(stranger.organizationId)
    const missing = await choose("org_01h455vb4pex5vsknk084sn02q")
    expect([foreign.status, foreign.text]).toEqual([404, '{"error":"organization_not_found"}'])
    expect(missing.text).toBe(foreign.text)
    expect((await choose("nonsense")).status).toBe(400)
  })

  it("returns 403 for a bound session and for a user of the host application", async () => {
    const owner = await makeWorkspace(plane)
    const body = { organizationId: owner.organizationId }
    expect((await owner.call("PUT", "/v1/me/active-organization", body)).status).toBe(200)
    const bound = await mintSession(plane, owner, owner.membershipId)
    expect((await bound.call("PUT", "/v1/me/active-organization", body)).body.reason).toBe("session_required")
    const host = await call(plane)("PUT", "/v1/me/active-organization", body, { "x-person": "lin" })
    expect([host.status, host.body.reason]).toEqual([403, "session_required"])
  })
})

describe("DELETE /v1/me/organizations/{id}", () => {
  const leave = (person: SignedInPerson, id: string) => person.call("DELETE", `/v1/me/organizations/${id}`)

  it("ends the membership with its dependents only, and returns 404 the second time", async () => {
    const owner = await signInByEmail(plane, "keeps@example.com")
    const guest = await signInByEmail(plane, "leaves@example.com")
    const [shared, other] = [await organizationOf(owner, "Shared"), await organizationOf(guest, "Own")]
    await join(owner, shared, guest, "leaves@example.com", "member")
    expect((await guest.call("GET", "/v1/teams", undefined, { "x-organization-id": shared })).status).toBe(200)
    expect((await leave(guest, shared)).status).toBe(204)
    const after = await guest.call("GET", "/v1/teams", undefined, { "x-organization-id": shared })
    expect([after.status, after.body.error]).toEqual([404, "organization_not_found"])
    expect((await guest.call("GET", "/v1/me/organizations")).body.items).toMatchObject([
      { organization: { id: other } }
    ])
    expect((await owner.call("GET", "/v1/members", undefined, { "x-organization-id": shared })).body.items.length).toBe(
      1
    )
    expect([
      (await leave(guest, shared)).status,
      (await leave(guest, "org_01h455vb4pex5vsknk084sn02q")).status
    ]).toEqual([404, 404])
  })

  it("returns 403 for the last owner, also concurrently, and for a bound session", async () => {
    const [ada, bob] = [
      await signInByEmail(plane, "ada-goes@example.com"),
      await signInByEmail(plane, "bob-goes@example.com")
    ]
    const shared = await organizationOf(ada, "Shared")
    const alone = await leave(ada, shared)
    expect([alone.status, alone.body.reason]).toEqual([403, "last_owner"])
    await join(ada, shared, bob, "bob-goes@example.com", "owner")
    const responses = await Promise.all([leave(ada, shared), leave(bob, shared)])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 403])
    const owner = await makeWorkspace(plane)
    const minted = await mintSession(plane, owner, owner.membershipId)
    const bound = await minted.call("DELETE", `/v1/me/organizations/${owner.organizationId}`)
    expect([bound.status, bound.body.reason]).toEqual([403, "session_required"])
  })
})

describe("DELETE /v1/me", () => {
  it("returns 403 for the last owner of any organization and changes nothing", async () => {
    const person = await signInByEmail(plane, "last@example.com")
    const friend = await signInByEmail(plane, "friend@example.com")
    const shared = await organizationOf(person, "Shared")
    const alone = await organizationOf(person, "Alone")
    await join(person, shared, friend, "friend@example.com", "owner")
    const refused = await person.call("DELETE", "/v1/me")
    expect([refused.status, refused.body.reason]).toEqual([403, "last_owner"])
    expect((await person.call("GET", "/v1/me/organizations")).body.items).toHaveLength(2)
    await person.call("DELETE", "/v1/organization", undefined, { "x-organization-id": alone })
    expect((await person.call("DELETE", "/v1/me")).status).toBe(204)
    expect((await friend.call("GET", "/v1/members")).body.items).toHaveLength(1)
  })

  it("erases the email address everywhere, also in the accepted invitation", async () => {
    const [owner, guest] = [
      await signInByEmail(plane, "host@example.com"),
      await signInByEmail(plane, "gone-for-good@example.com")
    ]
    const shared = await organizationOf(owner, "Shared")
    await join(owner, shared, guest, "gone-for-good@example.com", "member")
    expect((await guest.call("DELETE", "/v1/me")).status).toBe(204)
    const headers = { "x-organization-id": shared }
    for (const path of ["/v1/invitations", "/v1/members", "/v1/audit-events", "/v1/organization/export"]) {
      const response = await owner.call("GET", path, undefined, headers)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.text).not.toContain("gone-for-good")
    }
  })

  it("keeps one of two owners who leave concurrently", async () => {
    const [ada, bob] = [
      await signInByEmail(plane, "ada-leaves@example.com"),
      await signInByEmail(plane, "bob-leaves@example.com")
    ]
    const shared = await organizationOf(ada, "Shared")
    await join(ada, shared, bob, "bob-leaves@example.com", "owner")
    const responses = await Promise.all([ada.call("DELETE", "/v1/me"), bob.call("DELETE", "/v1/me")])
    expect(responses.map((response) => response.status).toSorted()).toEqual([204, 403])
  })

  it("ends sessions, memberships, grants and teams, and erases the name and email address for reuse", async () => {
    const owner = await signInByEmail(plane, "keeper@example.com")
    const organizationId = await organizationOf(owner, "Keepers")
    const email = "leaver@example.com"
    const leaver = await signInByEmail(plane, email)
    const second = await signInByEmail(plane, email)
    const membershipId = await join(owner, organizationId, leaver, email, "member")
    await leaver.call("PATCH", "/v1/me", { name: "A name to forget" })
    await runSql(
      plane,
      (sql) => sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
        VALUES (${organizationId}, 'tem_01h455vb4pex5vsknk084sn02q', 'T', now(), now())`
    )
    await runSql(
      plane,
      (sql) => sql`INSERT INTO team_members (organization_id, team_id, membership_id)
        VALUES (${organizationId}, 'tem_01h455vb4pex5vsknk084sn02q', ${membershipId})`
    )
    const plugin = await leaver.call("POST", "/v1/plugins", { name: "mine" })
    expect((await leaver.call("DELETE", "/v1/me")).status).toBe(204)
    for (const session of [leaver, second]) expect((await session.call("GET", "/v1/me")).status).toBe(401)
    const { body } = await owner.call("GET", "/v1/members")
    expect(body.items.map((row: { id: string }) => row.id)).not.toContain(membershipId)
    expect(
      await runSql(
        plane,
        (sql) => sql`SELECT 1 FROM grants WHERE membership_id = ${membershipId} AND removed_at IS NULL
          UNION ALL SELECT 1 FROM team_members WHERE membership_id = ${membershipId}`
      )
    ).toEqual([])
    const userRows = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT to_jsonb(u)::text AS text FROM users u
      UNION ALL SELECT to_jsonb(a)::text FROM audit_events a UNION ALL SELECT to_jsonb(c)::text FROM sign_in_challenges c`
    )
    expect(userRows.filter((row) => row.text.includes(email) || row.text.includes("A name to forget"))).toEqual([])
    if (plugin.status === 201) expect((await owner.call("GET", `/v1/plugins/${plugin.body.item.id}`)).status).toBe(200)
    const back = await signInByEmail(plane, email)
    expect(back.userId).not.toBe(leaver.userId)
    expect((await back.call("GET", "/v1/me/organizations")).body.items).toEqual([])
  })

  it("erases a user of the host application, who is new when they return", async () => {
    const as = (method: string) => call(plane)(method, "/v1/me", undefined, { "x-person": "turing" })
    const before = (await as("GET")).body.user.id
    expect((await as("DELETE")).status).toBe(204)
    expect((await as("GET")).body.user.id).not.toBe(before)
  })

  it("returns 403 for a bound session and for the only owner of a workspace", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const bound = await mintSession(plane, owner, member.membershipId)
    expect((await bound.call("DELETE", "/v1/me")).body.reason).toBe("session_required")
    expect((await owner.call("DELETE", "/v1/me")).body.reason).toBe("last_owner")
    expect((await member.call("DELETE", "/v1/me")).status).toBe(204)
  })
})
