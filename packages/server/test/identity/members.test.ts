import * as Members from "@orgplane/schema/members"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { start } from "../../src/start.ts"
import {
  addMember,
  type TestResponse,
  call,
  callWithKey,
  engine,
  makeControlPlane,
  makeDatabase,
  makeKey,
  makeRole,
  makeTeam,
  makeWorkspace,
  type Person,
  rowCounts,
  runSql,
  signIn,
  signInByEmail,
  type Workspace
} from "../harness.ts"
import { verifyDomain } from "../enterprise/sso.fixture.ts"

/** The organizations that may add each subject of the host application; `*` is any. */
const hosted = new Map<string, string>()

const plane = await makeControlPlane({
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    const email = request.headers.get("x-person-email")
    return Promise.resolve(subject === null ? null : { subject, name: subject, email, emailVerified: false })
  },
  personOf: (subject, organizationId) => {
    const of = hosted.get(subject)
    const isTheirs = of === "*" || of === organizationId
    return Promise.resolve(
      isTheirs ? { subject, name: `Person ${subject}`, email: `${subject}@host.example`, emailVerified: true } : null
    )
  }
})

const missing = "om_01h455vb4pex5vsknk084sn02q"
const at = (id: string) => `/v1/members/${id}`
const codeOf = ({ body, status }: TestResponse) => [status, body.reason ?? body.error]
const setRole = (by: Pick<Person, "call">, id: string, role: string) => by.call("PATCH", at(id), { role })
const remove = (by: Pick<Person, "call">, id: string, query = "") => by.call("DELETE", `${at(id)}${query}`)

const owners = async (workspace: Person) => {
  const rows = await runSql(
    plane,
    (sql) => sql<{ id: string }>`SELECT m.id FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.organization_id = ${workspace.organizationId} AND m.role = 'owner' AND m.removed_at IS NULL
        AND u.deleted_at IS NULL`
  )
  return rows.map((row) => row.id)
}

const idsOf = (response: TestResponse): ReadonlyArray<string> =>
  response.body.items.map((member: { id: string }) => member.id)

describe("GET /v1/members", () => {
  it("lists the members of the organization, newest first, page by page", async () => {
    const owner = await makeWorkspace(plane)
    await makeWorkspace(plane, "Elsewhere")
    const people = [owner]
    for (let index = 0; index < 5; index += 1) people.push(await addMember(plane, owner, "member"))
    const all = await owner.call("GET", "/v1/members")
    expect(idsOf(all)).toEqual(people.map((person) => person.membershipId).toReversed())
    for (const member of all.body.items) Schema.decodeUnknownSync(Members.Member)(member)
    const walked: Array<string> = []
    let cursor: string | null = null
    do {
      const page: TestResponse = await owner.call(
        "GET",
        `/v1/members?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`
      )
      walked.push(...idsOf(page))
      cursor = page.body.nextCursor
    } while (cursor !== null)
    expect(walked).toEqual(idsOf(all))
    const { nextCursor } = (await owner.call("GET", "/v1/members?limit=2")).body
    expect((await owner.call("GET", `/v1/members?limit=2&role=member&cursor=${nextCursor}`)).status).toBe(400)
  })

  it("filters by role, team and part of a name or email address, ignoring case", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const ada = await addMember(plane, owner, "member")
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET name = 'Ada 100% O''Hara_', email = 'Ada.Love@Example.com' WHERE id = ${ada.userId}`
    )
    const team = await makeTeam(owner, [ada, admin])
    const idsBy = async (query: string) => idsOf(await owner.call("GET", `/v1/members?${query}`)).toSorted()
    expect(await idsBy("role=admin")).toEqual([admin.membershipId])
    expect(await idsBy(`teamId=${team}`)).toEqual([ada.membershipId, admin.membershipId].toSorted())
    expect(await idsBy(`teamId=${team}&role=member`)).toEqual([ada.membershipId])
    for (const q of ["ada", "ADA 100%", "love@example", "O'Hara_", "100%"]) {
      expect(await idsBy(`q=${encodeURIComponent(q)}`), q).toEqual([ada.membershipId])
    }
  })

  it("treats SQL and wildcards in filters as text", async () => {
    const owner = await makeWorkspace(plane)
    await addMember(plane, owner, "member")
    const before = await rowCounts(plane)
    const texts = [
      "' OR 1=1 --",
      "%",
      "_",
      "\\",
      "%' OR '%'='",
      "$1",
      "'; DROP TABLE memberships; --",
      "*/",
      "\u202e",
      "😀"
    ]
    for (const text of texts) {
      for (const name of ["q", "role"]) {
        const response = await owner.call("GET", `/v1/members?${name}=${encodeURIComponent(text)}`)
        expect([response.status, response.body.items], `${name}=${text}`).toEqual([200, []])
      }
      expect((await owner.call("GET", `/v1/members?teamId=${encodeURIComponent(text)}`)).status).toBe(400)
    }
    expect(await rowCounts(plane)).toEqual(before)
    for (const query of [
      "q=",
      `q=${"x".repeat(256)}`,
      "q=%00",
      "role=",
      "teamId=tem_nonsense",
      "limit=0",
      "limit=101"
    ]) {
      expect((await owner.call("GET", `/v1/members?${query}`)).status, query).toBe(400)
    }
  })

  it("finds nothing by another organization's team", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const foreign = await makeTeam(elsewhere, [elsewhere])
    const responses = await Promise.all(
      [foreign, "tem_01h455vb4pex5vsknk084sn02q"].map((id) => owner.call("GET", `/v1/members?teamId=${id}`))
    )
    for (const response of responses) expect(response.body).toEqual({ items: [], nextCursor: null })
  })

  it("returns 401 without a credential and 403 without members:read, also for an API key", async () => {
    const owner = await makeWorkspace(plane)
    const blind = await addMember(plane, owner, await makeRole(owner, ["plugins:read"]))
    const key = await makeKey(plane, owner, ["members:read"])
    const none = await makeKey(plane, owner, [])
    expect((await call(plane)("GET", "/v1/members")).status).toBe(401)
    expect(codeOf(await blind.call("GET", "/v1/members"))).toEqual([403, "permission_required"])
    expect(codeOf(await none.call("GET", "/v1/members"))).toEqual([403, "permission_required"])
    expect(idsOf(await key.call("GET", "/v1/members"))).toHaveLength(2)
  })
})

describe("GET /v1/members/{id}", () => {
  it("returns a member, and the same 404 for a foreign, a missing and a former one", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { body } = await member.call("GET", at(owner.membershipId))
    expect(Schema.decodeUnknownSync(Members.Member)(body.member)).toMatchObject({
      id: owner.membershipId,
      organizationId: owner.organizationId,
      role: "owner"
    })
    const formerMember = await addMember(plane, owner, "member")
    await remove(owner, formerMember.membershipId)
    const responses = await Promise.all(
      [elsewhere.membershipId, missing, formerMember.membershipId].map((id) => member.call("GET", at(id)))
    )
    for (const response of responses) expect([response.status, response.text]).toEqual([404, responses[0]?.text])
    for (const id of ["nonsense", owner.userId, "om_8zzzzzzzzzzzzzzzzzzzzzzzzz"]) {
      expect((await member.call("GET", at(id))).status).toBe(400)
    }
  })
})

let subjects = 0
const someSubject = (of: string) => {
  const subject = `subject-${(subjects += 1)}`
  hosted.set(subject, of)
  return subject
}

describe("POST /v1/members", () => {
  it("adds a user of the host application, who has access at once, and ignores claims in the body", async () => {
    const owner = await makeWorkspace(plane)
    const subject = someSubject(owner.organizationId)
    const claims = { name: "Mallory", userId: owner.userId, organizationId: "org_x" }
    const { body, status } = await owner.call("POST", "/v1/members", { subject, ...claims })
    expect(status).toBe(201)
    expect(Schema.decodeUnknownSync(Members.Member)(body.member)).toMatchObject({
      organizationId: owner.organizationId,
      name: `Person ${subject}`,
      email: `${subject}@host.example`,
      role: "member"
    })
    expect(body.member.userId).not.toBe(owner.userId)
    const person = await call(plane)("GET", "/v1/organization", undefined, { "x-person": subject })
    expect(person.body.organization.id).toBe(owner.organizationId)
    const again = await owner.call("POST", "/v1/members", { subject })
    expect(codeOf(again)).toEqual([409, "member_exists"])
  })

  it("shows the host's current email address for the user, or the last known one", async () => {
    const owner = await makeWorkspace(plane)
    const subject = someSubject(owner.organizationId)
    const { body } = await owner.call("POST", "/v1/members", { subject })
    const shown = async () => (await owner.call("GET", at(body.member.id))).body.member.email
    const visit = (headers: Record<string, string>) =>
      call(plane)("GET", "/v1/organization", undefined, { "x-person": subject, ...headers })
    expect((await visit({ "x-person-email": "moved@host.example" })).status).toBe(200)
    expect(await shown()).toBe("moved@host.example")
    // A request that names an organization has its own cache entry.
    expect((await visit({ "x-organization-id": owner.organizationId })).status).toBe(200)
    expect(await shown()).toBe("moved@host.example")
  })

  it("returns 400 for a subject that the host does not allow, known or not, and creates no user", async () => {
    const owner = await makeWorkspace(plane)
    const mallory = await makeWorkspace(plane, "Mallory's")
    const ada = someSubject(owner.organizationId)
    await owner.call("POST", "/v1/members", { subject: ada })
    const before = await rowCounts(plane)
    const [theirs, nobodys] = await Promise.all(
      [ada, "nobody-at-all"].map((subject) => mallory.call("POST", "/v1/members", { subject }))
    )
    expect([theirs?.status, theirs?.body.details[0].path]).toEqual([400, ["body", "subject"]])
    expect(theirs?.text).toBe(nobodys?.text)
    expect(await rowCounts(plane)).toEqual(before)
    // A user with one organization still does not need to name it.
    const person = await call(plane)("GET", "/v1/organization", undefined, { "x-person": ada })
    expect(person.body.organization.id).toBe(owner.organizationId)
  })

  it("adds the user with an email address in a verified domain, or creates one", async () => {
    const owner = await makeWorkspace(plane)
    const domain = `added-${(subjects += 1)}.example`
    await verifyDomain(plane, owner, domain)
    const existingUser = await signInByEmail(plane, `known@${domain}`)
    const add = (email: string) => owner.call("POST", "/v1/members", { email })
    const added = await add(`Known@${domain.toUpperCase()}`)
    expect([added.status, added.body.member.userId, added.body.member.role]).toEqual([
      201,
      existingUser.userId,
      "member"
    ])
    expect((await existingUser.call("GET", "/v1/organization")).body.organization.id).toBe(owner.organizationId)
    expect(codeOf(await add(`known@${domain}`))).toEqual([409, "member_exists"])
    const other = await add(`new@${domain}`)
    expect([other.status, other.body.member.email]).toEqual([201, `new@${domain}`])
    expect((await signInByEmail(plane, `new@${domain}`)).userId).toBe(other.body.member.userId)
  })

  it("returns 400 for an email address in any other domain, and for both or neither of subject and email", async () => {
    const owner = await makeWorkspace(plane)
    const mallory = await makeWorkspace(plane, "Mallory's")
    const domain = `theirs-${(subjects += 1)}.example`
    await verifyDomain(plane, owner, domain)
    await verifyDomain(plane, mallory, `pending-${domain}`, "pending")
    await verifyDomain(plane, mallory, `lapsed-${domain}`, "lapsed")
    const before = await rowCounts(plane)
    for (const of of [domain, `sub.${domain}`, `pending-${domain}`, `lapsed-${domain}`, "nobody.example"]) {
      const refused = await mallory.call("POST", "/v1/members", { email: `ada@${of}` })
      expect([of, refused.status, refused.body.details?.[0].path]).toEqual([of, 400, ["body", "email"]])
    }
    for (const body of [{}, { subject: "ada", email: `ada@${domain}` }]) {
      expect(codeOf(await owner.call("POST", "/v1/members", body))).toEqual([400, "invalid_request"])
    }
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("returns 400 without a host application", async () => {
    const database = await makeDatabase()
    const alone = await start({ database, secretKeys: ["a secret for tests only, long enough to be one"] })
    const owner = await makeWorkspace({ ...alone, database, repositories: "", mails: [], hasWorkers: true })
    const refused = await owner.call("POST", "/v1/members", { subject: "ada" })
    expect([refused.status, refused.body.details[0].path]).toEqual([400, ["body", "subject"]])
    await alone.dispose()
  })

  it("returns 403 for a role with more permissions than the caller has, and 400 for an unknown role", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const clerk = await addMember(plane, owner, await makeRole(owner, ["members:write", "plugins:read"]))
    const member = await addMember(plane, owner, "member")
    const key = await makeKey(plane, owner, ["members:write", "plugins:read"])
    const [wide, narrow] = [await makeRole(owner, ["plugins:write"]), await makeRole(owner, ["plugins:read"])]
    const subject = someSubject("*")
    const add = (by: Pick<Person, "call">, role: string) => by.call("POST", "/v1/members", { subject, role })
    const before = await rowCounts(plane)
    expect(codeOf(await add(admin, "owner"))).toEqual([403, "owner_required"])
    expect(codeOf(await add(key, "owner"))).toEqual([403, "owner_required"])
    for (const role of ["admin", "member", wide]) {
      expect(codeOf(await add(clerk, role))).toEqual([403, "exceeds_own_permissions"])
      expect(codeOf(await add(key, role))).toEqual([403, "exceeds_own_permissions"])
    }
    expect(codeOf(await add(member, narrow))).toEqual([403, "permission_required"])
    const foreign = await makeRole(elsewhere, [])
    const nowhere = await Promise.all([foreign, "rol_01h455vb4pex5vsknk084sn02q"].map((role) => add(owner, role)))
    expect(nowhere.map((response) => [response.status, response.text])).toEqual([
      [400, nowhere[1]?.text],
      [400, nowhere[0]?.text]
    ])
    for (const role of ["root", "", null, 7]) {
      expect((await owner.call("POST", "/v1/members", { subject, role })).status).toBe(400)
    }
    for (const wrong of ["", null, "x".repeat(256), 7]) {
      expect((await owner.call("POST", "/v1/members", { subject: wrong })).status).toBe(400)
    }
    const { audit_events: _before, roles: _rolesBefore, ...rowsBefore } = before
    const { audit_events: _after, roles: _rolesAfter, ...rowsAfter } = await rowCounts(plane)
    // Except for the foreign role that was created meanwhile.
    expect(rowsAfter).toEqual(rowsBefore)
    expect((await add(clerk, narrow)).status).toBe(201)
  })

  it("replays the response of an idempotency key, and adds one member for concurrent requests", async () => {
    const owner = await makeWorkspace(plane)
    const subject = someSubject(owner.organizationId)
    const headers = { "idempotency-key": "add-once" }
    const first = await owner.call("POST", "/v1/members", { subject }, headers)
    const again = await owner.call("POST", "/v1/members", { subject }, headers)
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"])
    const other = await owner.call("POST", "/v1/members", { subject: someSubject("*") }, headers)
    expect(codeOf(other)).toEqual([409, "idempotency_key_reused"])
    const raced = someSubject(owner.organizationId)
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => owner.call("POST", "/v1/members", { subject: raced }))
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
  })

  it("starts a returning member without earlier access", async () => {
    const owner = await makeWorkspace(plane)
    const subject = someSubject(owner.organizationId)
    const as = (path: string) => call(plane)("GET", path, undefined, { "x-person": subject })
    const first = (await owner.call("POST", "/v1/members", { subject, role: "admin" })).body.member
    const plugin = (await owner.call("POST", "/v1/plugins", { name: "Shared" })).body.item.id
    await owner.call("POST", `/v1/plugins/${plugin}/access`, { orgMembershipId: first.id, role: "editor" })
    const team = await makeTeam(owner, [])
    await owner.call("PUT", `/v1/teams/${team}/members/${first.id}`)
    expect((await remove(owner, first.id)).status).toBe(204)
    expect((await as("/v1/organization")).status).toBe(404)
    const second = (await owner.call("POST", "/v1/members", { subject })).body.member
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ userId: first.userId, role: "member" })
    expect((await as("/v1/organization")).status).toBe(200)
    expect((await as(`/v1/plugins/${plugin}`)).status).toBe(404)
    expect((await owner.call("GET", `/v1/members?teamId=${team}`)).body.items).toEqual([])
  })
})

describe("PATCH /v1/members/{id}", () => {
  it("changes the role from the next request on, up and down", async () => {
    const owner = await makeWorkspace(plane)
    const person = await addMember(plane, owner, "member")
    for (let round = 0; round < 5; round += 1) {
      expect((await setRole(owner, person.membershipId, "admin")).body.member.role).toBe("admin")
      expect((await person.call("GET", "/v1/api-keys")).status).toBe(200)
      expect((await setRole(owner, person.membershipId, "member")).body.member.role).toBe("member")
      expect((await person.call("GET", "/v1/api-keys")).status).toBe(403)
    }
    expect((await setRole(owner, person.membershipId, "owner")).body.member.role).toBe("owner")
    expect((await setRole(person, owner.membershipId, "member")).body.member.role).toBe("member")
    expect((await owner.call("GET", "/v1/api-keys")).status).toBe(403)
  })

  it("returns 403 for more permissions than the caller has, and for changing owners without being one", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const person = await addMember(plane, owner, "member")
    const clerk = await addMember(plane, owner, await makeRole(owner, ["members:manage"]))
    const key = await makeKey(plane, owner, ["members:manage"])
    for (const by of [admin, clerk, key]) {
      expect(codeOf(await setRole(by, person.membershipId, "owner"))).toEqual([403, "owner_required"])
      expect(codeOf(await setRole(by, owner.membershipId, "member"))).toEqual([403, "owner_required"])
      expect(codeOf(await remove(by, owner.membershipId))).toEqual([403, "owner_required"])
    }
    for (const by of [clerk, key]) {
      expect(codeOf(await setRole(by, person.membershipId, "admin"))).toEqual([403, "exceeds_own_permissions"])
      expect(codeOf(await setRole(by, person.membershipId, "member"))).toEqual([403, "exceeds_own_permissions"])
    }
    expect(codeOf(await setRole(clerk, clerk.membershipId, "admin"))).toEqual([403, "exceeds_own_permissions"])
    expect(codeOf(await setRole(person, person.membershipId, "admin"))).toEqual([403, "permission_required"])
    expect(await owners(owner)).toEqual([owner.membershipId])
    // Lowering is allowed: an admin may become a member.
    expect((await setRole(admin, admin.membershipId, "member")).status).toBe(200)
    expect(codeOf(await setRole(admin, admin.membershipId, "admin"))).toEqual([403, "permission_required"])
  })

  it("returns 403 last_owner for the last owner until there is another", async () => {
    const owner = await makeWorkspace(plane)
    const person = await addMember(plane, owner, "member")
    const tries = [
      () => setRole(owner, owner.membershipId, "admin"),
      () => remove(owner, owner.membershipId),
      () => owner.call("DELETE", "/v1/me")
    ]
    for (const attempt of tries) expect(codeOf(await attempt())).toEqual([403, "last_owner"])
    await setRole(owner, person.membershipId, "owner")
    expect((await remove(owner, owner.membershipId)).status).toBe(204)
    expect((await owner.call("GET", "/v1/members")).status).toBe(401)
    expect(await owners(owner)).toEqual([person.membershipId])
  })

  it("checks the caller's current role, even if a cached credential has more", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const person = await addMember(plane, owner, "member")
    expect((await admin.call("GET", "/v1/members")).status).toBe(200)
    // Changed directly, without a notice, as on a process that has not received it yet.
    await runSql(plane, (sql) => sql`UPDATE memberships SET role = 'member' WHERE id = ${admin.membershipId}`)
    const tries = [
      setRole(admin, person.membershipId, "admin"),
      remove(admin, person.membershipId),
      admin.call("POST", "/v1/api-keys", { name: "Lasting", permissions: [] }),
      admin.call("POST", "/v1/roles", { name: "Lasting", permissions: [] }),
      admin.call("POST", "/v1/members", { subject: someSubject("*") })
    ]
    for (const refused of await Promise.all(tries)) expect(codeOf(refused)).toEqual([403, "permission_required"])
    const batch = await admin.call("POST", "/v1/members/batch", {
      items: [{ action: "remove", orgMembershipId: person.membershipId }]
    })
    expect(batch.body.results[0]).toMatchObject({ ok: false, error: { code: "permission_required" } })
    const invited = await admin.call("POST", "/v1/invitations", { email: "b@example.com", role: "admin", send: false })
    expect(codeOf(invited)).toEqual([403, "exceeds_own_permissions"])
  })

  it("prevents former owners from deleting or transferring the organization, even before the notice", async () => {
    const owner = await makeWorkspace(plane)
    const former = await addMember(plane, owner, "owner")
    expect((await former.call("GET", "/v1/members")).status).toBe(200)
    await runSql(plane, (sql) => sql`UPDATE memberships SET role = 'admin' WHERE id = ${former.membershipId}`)
    const handed = { orgMembershipId: owner.membershipId }
    for (const refused of [
      await former.call("DELETE", "/v1/organization"),
      await former.call("POST", "/v1/organization/transfer-ownership", handed)
    ]) {
      expect(codeOf(refused)).toEqual([403, "owner_required"])
    }
    expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("returns the same 404 for a foreign and a missing member, and 400 for an invalid id", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const before = await rowCounts(plane)
    for (const [method, body] of [["PATCH", { role: "member" }], ["DELETE"]] as const) {
      const [theirs, none] = await Promise.all(
        [elsewhere.membershipId, missing].map((id) => owner.call(method, at(id), body))
      )
      expect([theirs?.status, theirs?.text]).toEqual([404, none?.text])
      expect((await owner.call(method, at("nonsense"), body)).status).toBe(400)
    }
    for (const body of [{}, { role: null }, { role: "root" }, { role: ["owner"] }, "{", []]) {
      expect((await owner.call("PATCH", at(owner.membershipId), body)).status).toBe(400)
    }
    expect((await remove(owner, owner.membershipId, "?revokeKeys=yes")).status).toBe(400)
    expect(await rowCounts(plane)).toEqual(before)
  })
})

describe("DELETE /v1/members/{id}", () => {
  it("ends sessions, minted ones too, grants and teams at the next request, and keeps other organizations", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const person = await addMember(plane, owner, "member")
    await runSql(
      plane,
      (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        VALUES (${elsewhere.organizationId}, ${`om_${person.membershipId.slice(3, 28)}0`}, ${person.userId}, 'member', now(), now())`
    )
    const second = await signIn(plane, person.userId, owner.organizationId)
    const minted = await owner.call("POST", "/v1/sessions/exchange", { orgMembershipId: person.membershipId })
    const tokens = [person.token, second.token, minted.body.session.token]
    const team = await makeTeam(owner, [person])
    const there = { "x-organization-id": elsewhere.organizationId }
    for (const token of tokens) expect((await call(plane, token)("GET", "/v1/organization")).status).toBe(200)
    expect((await person.call("GET", "/v1/organization", undefined, there)).status).toBe(200)
    expect((await remove(owner, person.membershipId)).status).toBe(204)
    const after = await Promise.all(
      tokens.map((token) => call(plane, token)("GET", "/v1/members/" + owner.membershipId))
    )
    // The two sessions of the user stay, with the remaining organization; the minted one belonged to the owner.
    expect(after.map((response) => response.status)).toEqual([404, 404, 401])
    expect((await person.call("GET", "/v1/organization")).body.organization.id).toBe(elsewhere.organizationId)
    expect((await person.call("GET", "/v1/organization", undefined, there)).status).toBe(200)
    const back = { "x-organization-id": owner.organizationId }
    expect(codeOf(await person.call("GET", "/v1/organization", undefined, back))).toEqual([
      404,
      "organization_not_found"
    ])
    expect((await owner.call("GET", `/v1/members?teamId=${team}`)).body.items).toEqual([])
    const left = await runSql(
      plane,
      (sql) => sql`SELECT id FROM grants
        WHERE organization_id = ${owner.organizationId} AND membership_id = ${person.membershipId} AND removed_at IS NULL`
    )
    expect(left).toEqual([])
    expect((await remove(owner, person.membershipId)).status).toBe(404)
  })

  it("keeps the member's API keys unless revokeKeys is set, which requires apiKeys:manage", async () => {
    const owner = await makeWorkspace(plane)
    const clerk = await addMember(plane, owner, await makeRole(owner, ["members:manage"]))
    const [stays, goes] = [await addMember(plane, owner, "admin"), await addMember(plane, owner, "admin")]
    const [otherKey, first, second] = [
      await makeKey(plane, stays, ["members:read"]),
      await makeKey(plane, goes, ["members:read"]),
      await makeKey(plane, goes, [])
    ]
    const own = await makeKey(plane, owner, [])
    for (const key of [otherKey, first, second, own])
      expect((await key.call("GET", "/v1/api-keys/current")).status).toBe(200)
    expect(codeOf(await remove(clerk, goes.membershipId, "?revokeKeys=true"))).toEqual([403, "permission_required"])
    expect((await remove(clerk, stays.membershipId)).status).toBe(204)
    expect((await remove(owner, goes.membershipId, "?revokeKeys=true")).status).toBe(204)
    const statuses = [otherKey, first, second, own].map((key) => key.call("GET", "/v1/api-keys/current"))
    expect((await Promise.all(statuses)).map((response) => response.status)).toEqual([200, 401, 401, 200])
  })

  it("does not revoke keys again that were revoked before, and does not report them", async () => {
    const owner = await makeWorkspace(plane)
    const leaver = await addMember(plane, owner, "admin")
    const [revoked, live] = [await makeKey(plane, leaver, []), await makeKey(plane, leaver, [])]
    expect((await owner.call("DELETE", `/v1/api-keys/${revoked.id}`)).status).toBe(204)
    const before = (await owner.call("GET", "/v1/api-keys?revoked=true")).body.items
    expect((await remove(owner, leaver.membershipId, "?revokeKeys=true")).status).toBe(204)
    const after: ReadonlyArray<{ readonly id: string }> = (await owner.call("GET", "/v1/api-keys?revoked=true")).body
      .items
    expect(new Set(after.map(({ id }) => id))).toEqual(new Set([revoked.id, live.id]))
    expect(after.filter(({ id }) => id === revoked.id)).toEqual(before)
    const [event] = (await owner.call("GET", `/v1/audit-events?action=member.remove&targetId=${leaver.membershipId}`))
      .body.items
    expect(event.after.revokedKeys).toEqual([live.id])
  })

  it("revokes all of the member's keys with revokeKeys, even keys created concurrently", async () => {
    const owner = await makeWorkspace(plane)
    for (let round = 0; round < 5; round += 1) {
      const leaver = await addMember(plane, owner, "admin")
      const creations = Array.from({ length: 6 }, () =>
        leaver.call("POST", "/v1/api-keys", { name: "Mine", permissions: [] })
      )
      const [removed, ...responses] = await Promise.all([
        remove(owner, leaver.membershipId, "?revokeKeys=true"),
        ...creations
      ])
      expect(removed?.status).toBe(204)
      for (const response of responses) {
        expect([201, 403, 404]).toContain(response.status)
        if (response.status !== 201) continue
        expect((await callWithKey(plane, response.body.key)("GET", "/v1/api-keys/current")).status).toBe(401)
      }
    }
  })
})

describe("POST /v1/members/batch", () => {
  it("returns a result for each item; rejected items change nothing and the others proceed", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const [one, two, three] = [
      await addMember(plane, owner, "member"),
      await addMember(plane, owner, "member"),
      await addMember(plane, owner, "member")
    ]
    const items = [
      { action: "setRole", orgMembershipId: one.membershipId, role: "admin" },
      { action: "remove", orgMembershipId: two.membershipId },
      { action: "remove", orgMembershipId: elsewhere.membershipId },
      { action: "remove", orgMembershipId: owner.membershipId },
      { action: "setRole", orgMembershipId: three.membershipId, role: "rol_01h455vb4pex5vsknk084sn02q" },
      { action: "remove", orgMembershipId: two.membershipId }
    ]
    const { body, status } = await owner.call("POST", "/v1/members/batch", { items })
    expect(status).toBe(200)
    expect(body.results.map((result: { error: { code: string } | null }) => result.error?.code ?? "ok")).toEqual([
      "ok",
      "ok",
      "member_not_found",
      "last_owner",
      "invalid_request",
      "member_not_found"
    ])
    expect(body.results.map((result: { index: number }) => result.index)).toEqual([0, 1, 2, 3, 4, 5])
    expect((await one.call("GET", "/v1/api-keys")).status).toBe(200)
    expect((await two.call("GET", "/v1/organization")).status).toBe(404)
    expect((await elsewhere.call("GET", "/v1/organization")).status).toBe(200)
    expect((await owner.call("GET", at(three.membershipId))).body.member.role).toBe("member")
  })

  it("rejects further items after the caller removed their own rights", async () => {
    const owner = await makeWorkspace(plane)
    const other = await addMember(plane, owner, "owner")
    const person = await addMember(plane, owner, "member")
    const { body } = await owner.call("POST", "/v1/members/batch", {
      items: [
        { action: "setRole", orgMembershipId: owner.membershipId, role: "member" },
        { action: "setRole", orgMembershipId: person.membershipId, role: "owner" },
        { action: "remove", orgMembershipId: other.membershipId }
      ]
    })
    expect(body.results.map((result: { error: { code: string } | null }) => result.error?.code ?? "ok")).toEqual([
      "ok",
      "permission_required",
      "permission_required"
    ])
    expect(await owners(owner)).toEqual([other.membershipId])
  })

  it("returns 400 for an empty, too large or invalid batch and 403 for a member, and replays an idempotency key", async () => {
    const owner = await makeWorkspace(plane)
    const person = await addMember(plane, owner, "member")
    const item = { action: "remove", orgMembershipId: person.membershipId }
    const bad = [[], Array.from({ length: 101 }, () => item), [{ ...item, action: "eat" }], [item, {}], null, "x"]
    for (const items of bad) expect((await owner.call("POST", "/v1/members/batch", { items })).status).toBe(400)
    expect(codeOf(await person.call("POST", "/v1/members/batch", { items: [item] }))).toEqual([
      403,
      "permission_required"
    ])
    const headers = { "idempotency-key": "once" }
    const first = await owner.call("POST", "/v1/members/batch", { items: [item] }, headers)
    const again = await owner.call("POST", "/v1/members/batch", { items: [item] }, headers)
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    expect(first.body.results[0].ok).toBe(true)
  })
})

describe("the last owner of an organization", () => {
  const transfer = (by: Person, to: Workspace) =>
    by.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId: to.membershipId, keep: "member" })
  const races: Readonly<Record<string, (one: Workspace, other: Workspace) => ReadonlyArray<Promise<TestResponse>>>> = {
    "two owners demote themselves at once": (one, other) => [
      setRole(one, one.membershipId, "member"),
      setRole(other, other.membershipId, "member")
    ],
    "two owners leave at once": (one, other) => [remove(one, one.membershipId), remove(other, other.membershipId)],
    "two owners delete themselves at once": (one, other) => [
      one.call("DELETE", "/v1/me"),
      other.call("DELETE", "/v1/me")
    ],
    "two owners demote each other at once": (one, other) => [
      setRole(one, other.membershipId, "member"),
      setRole(other, one.membershipId, "member")
    ],
    "two owners remove each other at once": (one, other) => [
      remove(one, other.membershipId),
      remove(other, one.membershipId)
    ],
    "one leaves while the other deletes themselves": (one, other) => [
      remove(one, one.membershipId),
      other.call("DELETE", "/v1/me")
    ],
    "one hands over to the other, who demotes themselves": (one, other) => [
      transfer(one, other),
      setRole(other, other.membershipId, "member")
    ]
  }

  it.each(Object.entries(races))("stays when %s", async (_, race) => {
    for (let round = 0; round < 6; round += 1) {
      const one = await makeWorkspace(plane)
      const other = await addMember(plane, one, "owner")
      const responses = await Promise.all(race(one, other))
      for (const response of responses) expect([200, 204, 401, 403, 404], response.text).toContain(response.status)
      expect(responses.some((response) => response.status < 300)).toBe(true)
      expect(await owners(one)).toHaveLength(1)
    }
  })

  it("stays when an owner transfers to a member who deletes their account", async () => {
    for (let round = 0; round < 10; round += 1) {
      const one = await makeWorkspace(plane)
      const heir = await addMember(plane, one, "member")
      await Promise.all([transfer(one, heir), heir.call("DELETE", "/v1/me")])
      expect(await owners(one)).toHaveLength(1)
    }
  })

  it.skipIf(engine === "pglite")(
    "stays when a member becomes owner while the deletion of their account waits",
    async () => {
      const one = await makeWorkspace(plane)
      const heir = await addMember(plane, one, "member")
      let locked = () => {}
      let release = () => {}
      const isLocked = new Promise<void>((resolve) => (locked = resolve))
      const gate = new Promise<void>((resolve) => (release = resolve))
      const holding = runSql(plane, (sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT id FROM organizations WHERE id = ${one.organizationId} FOR UPDATE`
            locked()
            yield* Effect.promise(() => gate)
          })
        )
      )
      const untilWaiting = async (count: number) => {
        for (let waiting = 0; waiting < count; await new Promise((resolve) => setTimeout(resolve, 5))) {
          const [row] = await runSql(
            plane,
            (sql) => sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`
          )
          waiting = row?.count ?? 0
        }
      }
      await isLocked
      const handed = transfer(one, heir)
      await untilWaiting(1)
      const deleted = heir.call("DELETE", "/v1/me")
      await untilWaiting(2)
      release()
      await holding
      expect((await handed).status).toBe(200)
      expect(codeOf(await deleted)).toEqual([403, "last_owner"])
      expect(await owners(one)).toEqual([heir.membershipId])
    }
  )
})

describe("organizations named in a header", () => {
  it("look nonexistent to non-members, with every method", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["members:manage", "members:write", "members:read"])
    const theirs = elsewhere.membershipId
    const role = await makeRole(elsewhere, [])
    const requests: ReadonlyArray<readonly [string, string, object?]> = [
      ["GET", "/v1/members"],
      ["POST", "/v1/members", { subject: someSubject("*") }],
      ["POST", "/v1/members/batch", { items: [{ action: "remove", orgMembershipId: theirs }] }],
      ["GET", at(theirs)],
      ["PATCH", at(theirs), { role: "member" }],
      ["DELETE", at(theirs)],
      ["GET", "/v1/api-keys"],
      ["POST", "/v1/api-keys", { name: "Mine", permissions: [] }],
      ["GET", "/v1/roles"],
      ["POST", "/v1/roles", { name: "Mine", permissions: [] }],
      ["PATCH", `/v1/roles/${role}`, { name: "Mine" }],
      ["DELETE", `/v1/roles/${role}`],
      ["DELETE", "/v1/organization"]
    ]
    const before = await rowCounts(plane)
    for (const [method, path, body] of requests) {
      const responses = await Promise.all(
        [elsewhere.organizationId, "org_01h455vb4pex5vsknk084sn02q", "nonsense"].map((organization) =>
          owner.call(method, path, body, { "x-organization-id": organization })
        )
      )
      for (const response of responses) {
        expect([response.status, response.text], `${method} ${path}`).toEqual([404, responses[1]?.text])
      }
      expect(responses[0]?.body.error).toBe("organization_not_found")
      const withKey = await key.call(method, path, body, { "x-organization-id": elsewhere.organizationId })
      expect([403, 404]).toContain(withKey.status)
      if (withKey.status === 404) expect(withKey.text).toBe(responses[1]?.text)
    }
    expect(await rowCounts(plane)).toEqual(before)
  })
})
