import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  emailTo,
  makeControlPlane,
  makeWorkspace,
  mintSession,
  runSql,
  type Person,
  signInByEmail
} from "../harness.ts"

const plane = await makeControlPlane({ publicUrl: "https://orgplane.example", hosts: ["localhost"], bootstrap: "open" })

let people = 0
const someEmail = () => `invitee-${(people += 1)}@example.com`
const missing = "inv_01h455vb4pex5vsknk084sn02q"

const invite = (caller: Person, email: string, input: object = {}) =>
  caller.call("POST", "/v1/invitations", { email, ...input })

/** Creates an invitation and returns its link. */
const linked = async (caller: Person, email: string, input: object = {}) => {
  const response = await invite(caller, email, { send: false, ...input })
  expect(response.status).toBe(201)
  return {
    id: response.body.invitation.id as string,
    token: response.body.link.token as string,
    link: response.body.link
  }
}

const accept = (person: Person, token: string) => person.call("POST", "/v1/invitations/accept", { token })
const preview = (token: string) => call(plane)("POST", "/v1/invitations/preview", { token })

const makeTeam = async (workspace: Person, id: string, isRemoved = false) => {
  await runSql(
    plane,
    (sql) => sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at, removed_at)
      VALUES (${workspace.organizationId}, ${id}, ${id}, now(), now(), CASE WHEN ${isRemoved} THEN now() END)`
  )
  return id
}

const teamsOf = (membershipId: string) =>
  runSql(plane, (sql) => sql`SELECT team_id FROM team_members WHERE membership_id = ${membershipId} ORDER BY team_id`)

describe("POST /v1/invitations", () => {
  it("emails the link with the secret in its fragment and does not return it", async () => {
    const owner = await makeWorkspace(plane, "Acme\r\nBcc: everybody@example.com")
    const email = someEmail()
    const response = await invite(owner, email.toUpperCase())
    expect(response.status).toBe(201)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.body.link).toBeNull()
    expect(response.body.invitation).toMatchObject({
      organizationId: owner.organizationId,
      email,
      role: "member",
      teamIds: [],
      status: "pending",
      createdByOrgMembershipId: owner.membershipId,
      acceptedAt: null
    })
    const days = (Date.parse(response.body.invitation.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThan(7.1)
    const mail = await emailTo(plane, email)
    expect(mail.subject).toBe("You've been invited to an organization on orgplane")
    expect(mail.text).toContain("to join Acme Bcc: everybody@example.com on orgplane.")
    const token = /https:\/\/orgplane\.example\/invitation#token=(opi_\w+)/.exec(mail.text)?.[1] ?? ""
    expect((await preview(token)).body.email).toBe(email)
  })

  it("returns the link to a caller with the permission and sends no email", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const { link, token } = await linked(owner, email)
    expect(link.url).toBe(`https://orgplane.example/invitation#token=${token}`)
    await emailTo(plane, email).then(
      () => expect.unreachable(),
      () => undefined
    )
  })

  it("replaces the link of an earlier invitation to the same address", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const first = await linked(owner, email)
    const second = await linked(owner, email.toUpperCase(), { role: "admin" })
    expect(second.id).toBe(first.id)
    expect((await preview(first.token)).status).toBe(404)
    expect((await preview(second.token)).body.role).toBe("admin")
    expect((await owner.call("GET", "/v1/invitations")).body.items).toHaveLength(1)
    const elsewhere = await makeWorkspace(plane)
    await linked(elsewhere, email)
    expect((await preview(second.token)).status).toBe(200)
  })

  it("creates one invitation for concurrent requests with the same address", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const responses = await Promise.all(Array.from({ length: 5 }, () => invite(owner, email, { send: false })))
    expect(responses.map((response) => response.status)).toEqual([201, 201, 201, 201, 201])
    const good = await Promise.all(responses.map((response) => preview(response.body.link.token)))
    expect(good.map((response) => response.status).toSorted()).toEqual([200, 404, 404, 404, 404])
  })

  it("returns 403 for a role with more permissions than the inviter has", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const refused = await invite(admin, someEmail(), { role: "owner" })
    expect([refused.status, refused.body.reason]).toEqual([403, "owner_required"])
    expect((await invite(admin, someEmail(), { role: "admin" })).status).toBe(201)
    expect((await invite(owner, someEmail(), { role: "owner" })).status).toBe(201)
    const member = await addMember(plane, owner, "member")
    const without = await invite(member, someEmail())
    expect([without.status, without.body.reason]).toEqual([403, "permission_required"])
    expect((await member.call("GET", "/v1/invitations")).body.reason).toBe("permission_required")
  })

  it("assigns a custom role if the inviter has its permissions", async () => {
    const owner = await makeWorkspace(plane)
    const role = async (name: string, permissions: ReadonlyArray<string>) =>
      (await owner.call("POST", "/v1/roles", { name, permissions })).body.role.id as string
    const reader = await role("Reader", ["members:read", "teams:read"])
    const minter = await role("Minter", ["sessions:mint"])
    const inviter = await role("Inviter", ["invitations:read", "invitations:write", "members:read", "teams:read"])
    const foreign = (await (await makeWorkspace(plane)).call("POST", "/v1/roles", { name: "F", permissions: [] })).body
    const limited = await addMember(plane, owner, inviter)
    expect((await invite(limited, someEmail(), { role: reader })).status).toBe(201)
    for (const above of [minter, "member", "admin", "owner"]) {
      const refused = await invite(limited, someEmail(), { role: above })
      const reason = above === "owner" ? "owner_required" : "exceeds_own_permissions"
      expect([refused.status, refused.body.reason], above).toEqual([403, reason])
    }
    const link = await invite(limited, someEmail(), { role: reader, send: false })
    expect([link.status, link.body.reason]).toEqual([403, "permission_required"])
    const team = await owner.call("POST", "/v1/teams", { name: "Everything" })
    const teamed = await invite(limited, someEmail(), { role: reader, teamIds: [team.body.team.id] })
    expect([teamed.status, teamed.body.reason]).toEqual([403, "exceeds_own_permissions"])
    const elsewhere = await invite(owner, someEmail(), { role: foreign.role.id })
    expect([elsewhere.status, elsewhere.body.details[0].path]).toEqual([400, ["body", "role"]])
    const email = someEmail()
    const { token } = await linked(owner, email, { role: reader })
    expect((await owner.call("DELETE", `/v1/roles/${reader}`)).body.error).toBe("role_in_use")
    const person = await signInByEmail(plane, email)
    expect((await accept(person, token)).body.member.role).toBe(reader)
    expect((await person.call("GET", "/v1/members")).status).toBe(200)
    expect((await person.call("GET", "/v1/plugins")).body.reason).toBe("permission_required")
  })

  it("allows an API key to invite, except owners and admins", async () => {
    const owner = await makeWorkspace(plane)
    const everything = (await owner.call("GET", "/v1/roles/permissions")).body.permissions.map(
      (row: { permission: string }) => row.permission
    )
    const { body } = await owner.call("POST", "/v1/api-keys", { name: "robot", permissions: everything })
    const robot = (input: object) =>
      call(plane)("POST", "/v1/invitations", { email: someEmail(), ...input }, { "x-api-key": body.token ?? body.key })
    expect((await robot({})).body.invitation.createdByOrgMembershipId).toBeNull()
    expect((await robot({ role: "owner" })).body.reason).toBe("owner_required")
    expect((await robot({ role: "admin" })).body.reason).toBe("exceeds_own_permissions")
  })

  it("returns the same 400 with the location for foreign and missing teams, and stores nothing", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const mine = await makeTeam(owner, "tem_01h455vb4pex5vsknk084sn021")
    const removedTeam = await makeTeam(owner, "tem_01h455vb4pex5vsknk084sn022", true)
    const foreign = await makeTeam(stranger, "tem_01h455vb4pex5vsknk084sn023")
    const texts = await Promise.all(
      [removedTeam, foreign, "tem_01h455vb4pex5vsknk084sn02q"].map(async (id) => {
        const response = await invite(owner, someEmail(), { teamIds: [mine, id] })
        expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "teamIds", 1]])
        return response.text
      })
    )
    expect(new Set(texts).size).toBe(1)
    expect((await owner.call("GET", "/v1/invitations")).body.items).toEqual([])
  })

  it("returns 400 for an invalid role, email address or list", async () => {
    const owner = await makeWorkspace(plane)
    const bad: ReadonlyArray<readonly [object, string]> = [
      [{ email: "nobody" }, "email"],
      [{ email: "a@b.cd\r\nbcc: x@y.zz" }, "email"],
      [{ email: "a@b.cd", role: "king" }, "role"],
      [{ email: "a@b.cd", role: "rol_01h455vb4pex5vsknk084sn02q" }, "role"],
      [{ email: "a@b.cd", teamIds: "tem" }, "teamIds"],
      [{ email: "a@b.cd", send: "no" }, "send"],
      [{}, "email"]
    ]
    for (const [body, member] of bad) {
      const response = await owner.call("POST", "/v1/invitations", body)
      expect(response.status, JSON.stringify(body)).toBe(400)
      expect(response.body.details[0].path.slice(0, 2)).toEqual(["body", member])
    }
  })

  it("returns 409 for the email address of a member in any spelling", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const person = await signInByEmail(plane, email)
    await accept(person, (await linked(owner, email)).token)
    const again = await invite(owner, email.toUpperCase())
    expect([again.status, again.body.error]).toEqual([409, "member_exists"])
  })

  it("returns 429 after 10 emails of an organization to an address, and 40 of all; rejected requests do not count", async () => {
    const email = someEmail()
    const [one, two] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    for (let index = 0; index < 12; index += 1) {
      expect((await invite(one, email, { role: "rol_01h455vb4pex5vsknk084sn02q" })).status).toBe(400)
    }
    for (let index = 0; index < 10; index += 1) expect((await invite(one, email)).status).toBe(201)
    expect((await invite(one, email)).status).toBe(429)
    expect((await invite(one, email, { send: false })).status).toBe(201)
    // Another organization can still invite an address that one has invited often.
    expect((await invite(two, email)).status).toBe(201)
    const bucket = `invitation-email:${createHash("sha256").update(email).digest("hex")}`
    await runSql(plane, (sql) => sql`UPDATE rate_windows SET taken = 40 WHERE bucket = ${bucket}`)
    expect((await invite(two, email)).status).toBe(429)
  })

  it("returns 403 for email from an unclaimed workspace, whose owner can get the link instead", async () => {
    const workspace = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Provisional" })
    const agent = call(plane, workspace.body.session.token)
    const email = someEmail()
    const refused = await agent("POST", "/v1/invitations", { email })
    expect([refused.status, refused.body.reason]).toEqual([403, "provisional_organization"])
    const response = await agent("POST", "/v1/invitations", { email, send: false })
    expect(response.status).toBe(201)
    const resent = await agent("POST", `/v1/invitations/${response.body.invitation.id}/resend`)
    expect(resent.body.reason).toBe("provisional_organization")
    expect((await accept(await signInByEmail(plane, email), response.body.link.token)).status).toBe(200)
  })

  it("creates one invitation and sends one email for an idempotency key", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const key = { "idempotency-key": "invite-1" }
    expect((await owner.call("POST", "/v1/invitations", { email }, key)).status).toBe(201)
    await emailTo(plane, email)
    const before = plane.mails.length
    const again = await owner.call("POST", "/v1/invitations", { email }, key)
    expect([again.status, again.body.error]).toEqual([409, "idempotency_key_completed"])
    expect(again.body.message).toMatch(/\binv_\w{26}\b/)
    expect(plane.mails.slice(before)).toEqual([])
  })
})

describe("an invitation by a former inviter", () => {
  it("is cancelled with the inviter's membership, and with the role that allowed them to invite admins", async () => {
    const owner = await makeWorkspace(plane)
    for (const end of ["removed", "demoted"]) {
      const admin = await addMember(plane, owner, "admin")
      const email = someEmail()
      const response = await admin.call("POST", "/v1/invitations", { email, role: "admin", send: false })
      const path = `/v1/members/${admin.membershipId}`
      if (end === "removed") expect((await owner.call("DELETE", path)).status).toBe(204)
      else expect((await owner.call("PATCH", path, { role: "member" })).status).toBe(200)
      const accepted = await accept(await signInByEmail(plane, email), response.body.link.token)
      expect([end, accepted.status, accepted.body.error]).toEqual([end, 404, "invitation_not_found"])
    }
  })
})

describe("an invitation that another member renews", () => {
  it("stays valid when the first inviter leaves, and is cancelled when the second one leaves", async () => {
    const owner = await makeWorkspace(plane)
    const [first, second] = [await addMember(plane, owner, "admin"), await addMember(plane, owner, "admin")]
    const email = someEmail()
    const { id } = await linked(first, email)
    const renewed = await linked(second, email)
    expect(renewed.id).toBe(id)
    expect((await owner.call("DELETE", `/v1/members/${first.membershipId}`)).status).toBe(204)
    expect((await preview(renewed.token)).status).toBe(200)
    expect((await owner.call("DELETE", `/v1/members/${second.membershipId}`)).status).toBe(204)
    expect((await preview(renewed.token)).status).toBe(404)
  })
})

describe("POST /v1/invitations/batch", () => {
  const send = (caller: Pick<Person, "call">, items: ReadonlyArray<object>, headers?: Record<string, string>) =>
    caller.call("POST", "/v1/invitations/batch", { items }, headers)
  const outcomes = ({ body }: Awaited<ReturnType<Person["call"]>>) =>
    body.results.map(({ error, ok }: { ok: boolean; error: { code: string } | null }) => (ok ? "ok" : error?.code))

  it("emails each person, and reports the items that are refused without a change", async () => {
    const owner = await makeWorkspace(plane)
    const member = someEmail()
    await accept(await signInByEmail(plane, member), (await linked(owner, member)).token)
    const team = await makeTeam(owner, "tem_01h455vb4pex5vsknk084sn0ba")
    const [one, two, three] = [someEmail(), someEmail(), someEmail()]
    const response = await send(owner, [
      { email: one.toUpperCase(), role: "admin", teamIds: [team] },
      { email: two },
      { email: member },
      { email: one },
      { email: "not an address" },
      { email: three, role: "rol_01h455vb4pex5vsknk084sn02q" },
      { email: three, teamIds: ["tem_01h455vb4pex5vsknk084sn02q"] }
    ])
    expect(response.status).toBe(200)
    expect(outcomes(response)).toEqual([
      "ok",
      "ok",
      "member_exists",
      ...Array.from({ length: 4 }, () => "invalid_request")
    ])
    expect(response.body.results[0]).toMatchObject({
      index: 0,
      email: one.toUpperCase(),
      invitation: { email: one, role: "admin", teamIds: [team], status: "pending" },
      error: null
    })
    const messages = response.body.results.slice(3).map((row: { error: { message: string } }) => row.error.message)
    expect(messages).toEqual([
      "email is the same as in an earlier item",
      "email must be an email address",
      "role does not exist in the organization",
      "email is the same as in an earlier item"
    ])
    expect(response.text).not.toContain("opi_")
    expect((await emailTo(plane, one)).text).toContain("#token=opi_")
    await emailTo(plane, two)
    const { body } = await owner.call("GET", "/v1/invitations?status=pending")
    expect(body.items.map((row: { email: string }) => row.email).toSorted()).toEqual([one, two].toSorted())
    const events = await owner.call("GET", "/v1/audit-events?limit=4")
    expect(events.body.items.map((row: { action: string }) => row.action).slice(0, 3)).toEqual([
      "invitation.batch",
      "invitation.create",
      "invitation.create"
    ])
  })

  it("refuses an item that exceeds a limit, and sends the others", async () => {
    const owner = await makeWorkspace(plane)
    const [often, once] = [someEmail(), someEmail()]
    for (let index = 0; index < 10; index += 1) expect((await invite(owner, often)).status).toBe(201)
    const response = await send(owner, [{ email: often }, { email: once }])
    expect([response.status, response.headers.get("retry-after")]).toEqual([200, null])
    expect(outcomes(response)).toEqual(["rate_limited", "ok"])
  })

  it("replays an idempotency key without new emails, and replaces the link if the request is repeated", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const first = await send(owner, [{ email }], { "idempotency-key": "batch-1" })
    const mail = await emailTo(plane, email)
    const again = await send(owner, [{ email }], { "idempotency-key": "batch-1" })
    expect(again.text).toBe(first.text)
    const token = /#token=(opi_\w+)/.exec(mail.text)?.[1] ?? ""
    expect((await preview(token)).status).toBe(200)
    const repeated = await send(owner, [{ email }])
    expect(repeated.body.results[0].invitation.id).toBe(first.body.results[0].invitation.id)
    expect((await preview(token)).status).toBe(404)
  })

  it("returns 400 for an empty, too large or invalid batch, and 403 for members and unclaimed workspaces", async () => {
    const owner = await makeWorkspace(plane)
    const many = Array.from({ length: 101 }, () => ({ email: someEmail() }))
    for (const items of [[], many, [{}], [{ email: 1 }], [{ email: someEmail(), role: "boss" }]]) {
      expect((await send(owner, items)).status).toBe(400)
    }
    expect((await owner.call("GET", "/v1/invitations")).body.items).toEqual([])
    const refused = await send(await addMember(plane, owner, "member"), [{ email: someEmail() }])
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    const workspace = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Unclaimed" })
    const agent = { call: call(plane, workspace.body.session.token) }
    const unclaimed = await send(agent, [{ email: someEmail() }])
    expect([unclaimed.status, unclaimed.body.reason]).toEqual([403, "provisional_organization"])
  })

  it("does not give more than the caller has", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    expect(outcomes(await send(admin, [{ email: someEmail(), role: "owner" }, { email: someEmail() }]))).toEqual([
      "owner_required",
      "ok"
    ])
  })
})

describe("GET /v1/invitations", () => {
  it("finds invitations by a part of the email address, also with a status", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    await linked(elsewhere, "ada@search.example")
    const ada = await linked(owner, "ada@search.example")
    const bob = await linked(owner, "bob@search.example")
    const wild = await linked(owner, "a_c@search.example")
    await owner.call("POST", `/v1/invitations/${bob.id}/cancel`)
    const ids = async (search: string) =>
      (await owner.call("GET", `/v1/invitations?${search}`)).body.items.map((row: { id: string }) => row.id)
    expect(await ids("q=SEARCH.exam")).toEqual([wild.id, bob.id, ada.id])
    expect(await ids("q=search&status=cancelled")).toEqual([bob.id])
    expect(await ids("q=a_c")).toEqual([wild.id])
    expect(await ids("q=%25")).toEqual([])
    expect((await owner.call("GET", "/v1/invitations?q=")).status).toBe(400)
    const first = await owner.call("GET", "/v1/invitations?q=search&limit=1")
    expect(await ids(`q=search&limit=2&cursor=${first.body.nextCursor}`)).toEqual([bob.id, ada.id])
    expect((await owner.call("GET", `/v1/invitations?cursor=${first.body.nextCursor}`)).status).toBe(400)
  })

  it("lists invitations by status, in pages, newest first", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const accepted = await linked(owner, email)
    await accept(await signInByEmail(plane, email), accepted.token)
    const cancelled = await linked(owner, someEmail())
    await owner.call("POST", `/v1/invitations/${cancelled.id}/cancel`)
    const expired = await linked(owner, someEmail())
    await runSql(plane, (sql) => sql`UPDATE invitations SET expires_at = now() WHERE id = ${expired.id}`)
    const pending = await linked(owner, someEmail())
    const ids = async (search: string) =>
      (await owner.call("GET", `/v1/invitations?${search}`)).body.items.map((row: { id: string }) => row.id)
    expect(await ids("")).toEqual([pending.id, expired.id, cancelled.id, accepted.id])
    for (const [status, { id }] of Object.entries({ accepted, cancelled, expired, pending })) {
      expect(await ids(`status=${status}`)).toEqual([id])
      expect((await owner.call("GET", `/v1/invitations/${id}`)).body.invitation.status).toBe(status)
    }
    const first = await owner.call("GET", "/v1/invitations?limit=3")
    expect(await ids(`limit=3&cursor=${first.body.nextCursor}`)).toEqual([accepted.id])
    const filtered = await owner.call("GET", `/v1/invitations?status=pending&cursor=${first.body.nextCursor}`)
    expect(filtered.status).toBe(400)
    expect((await owner.call("GET", "/v1/invitations?status=lost")).status).toBe(400)
  })

  it("returns the same 404 for another organization's invitation and a missing one, with every operation", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const { id } = await linked(owner, someEmail())
    for (const [method, suffix] of [
      ["GET", ""],
      ["POST", "/resend"],
      ["POST", "/cancel"]
    ] as const) {
      const foreign = await stranger.call(method, `/v1/invitations/${id}${suffix}`)
      const absent = await stranger.call(method, `/v1/invitations/${missing}${suffix}`)
      expect([foreign.status, foreign.text]).toEqual([404, absent.text])
      expect((await stranger.call(method, `/v1/invitations/nonsense${suffix}`)).status).toBe(400)
    }
    expect((await owner.call("GET", `/v1/invitations/${id}`)).body.invitation.status).toBe("pending")
  })
})

describe("POST /v1/invitations/{id}/resend and cancel", () => {
  it("resend emails a new link for seven days and invalidates the previous one", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const { id, token } = await linked(owner, email)
    await runSql(plane, (sql) => sql`UPDATE invitations SET expires_at = now() + interval '1 day' WHERE id = ${id}`)
    const response = await owner.call("POST", `/v1/invitations/${id}/resend`)
    expect(Date.parse(response.body.invitation.expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect((await preview(token)).status).toBe(404)
    const sent = /token=(opi_\w+)/.exec((await emailTo(plane, email)).text)?.[1] ?? ""
    expect((await preview(sent)).status).toBe(200)
    expect(response.text).not.toContain(sent)
  })

  it("resend returns 403 for a role with more permissions than the caller has", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const { id } = await linked(owner, someEmail(), { role: "owner" })
    expect((await admin.call("POST", `/v1/invitations/${id}/resend`)).body.reason).toBe("owner_required")
  })

  it("cancel invalidates the link; both operations return 409 for an invitation that is not pending", async () => {
    const owner = await makeWorkspace(plane)
    const cancelled = await linked(owner, someEmail())
    const response = await owner.call("POST", `/v1/invitations/${cancelled.id}/cancel`)
    expect(response.body.invitation.status).toBe("cancelled")
    expect((await preview(cancelled.token)).status).toBe(404)
    const email = someEmail()
    const person = await signInByEmail(plane, email)
    const accepted = await linked(owner, email)
    await accept(person, accepted.token)
    const expired = await linked(owner, someEmail())
    await runSql(plane, (sql) => sql`UPDATE invitations SET expires_at = now() WHERE id = ${expired.id}`)
    for (const { id } of [cancelled, accepted, expired]) {
      for (const verb of ["resend", "cancel"]) {
        const refused = await owner.call("POST", `/v1/invitations/${id}/${verb}`)
        expect([refused.status, refused.body.error]).toEqual([409, "invitation_not_pending"])
      }
    }
  })
})

describe("POST /v1/invitations/preview", () => {
  it("returns what the invitation grants and does not use it up", async () => {
    const owner = await makeWorkspace(plane, "Previewed")
    const email = someEmail()
    const { token } = await linked(owner, email)
    const first = await preview(token)
    expect(first.body).toEqual({
      organizationName: "Previewed",
      email,
      role: "member",
      expiresAt: expect.any(String)
    })
    expect((await preview(token)).text).toBe(first.text)
  })

  it("returns the same 404 for an unknown or expired invitation and one of a deleted organization", async () => {
    const owner = await makeWorkspace(plane)
    const over = await linked(owner, someEmail())
    await runSql(plane, (sql) => sql`UPDATE invitations SET expires_at = now() WHERE id = ${over.id}`)
    const { token } = await linked(owner, someEmail())
    await owner.call("DELETE", "/v1/organization")
    const responses = await Promise.all([preview("opi_nothing"), preview(over.token), preview(token)])
    expect(new Set(responses.map((response) => `${response.status} ${response.text}`)).size).toBe(1)
    expect(responses[0]?.body.error).toBe("invitation_not_found")
  })
})

describe("POST /v1/invitations/accept", () => {
  it("creates a membership with the role and the remaining teams, and selects the organization for the session", async () => {
    const owner = await makeWorkspace(plane)
    const teams = [
      await makeTeam(owner, "tem_01h455vb4pex5vsknk084sn031"),
      await makeTeam(owner, "tem_01h455vb4pex5vsknk084sn032")
    ]
    const email = someEmail()
    const { id, token } = await linked(owner, email, { role: "admin", teamIds: [...teams, teams[0]] })
    await runSql(plane, (sql) => sql`UPDATE teams SET removed_at = now() WHERE id = ${teams[1]}`)
    const person = await signInByEmail(plane, email)
    const response = await accept(person, token)
    expect(response.status).toBe(200)
    expect(response.body.organization.id).toBe(owner.organizationId)
    expect(response.body.member).toMatchObject({ userId: person.userId, email, role: "admin" })
    expect(await teamsOf(response.body.member.id)).toEqual([{ team_id: teams[0] }])
    expect((await person.call("GET", "/v1/organization")).body.organization.id).toBe(owner.organizationId)
    const { body } = await owner.call("GET", `/v1/invitations/${id}`)
    expect(body.invitation).toMatchObject({ status: "accepted", acceptedAt: expect.any(String) })
  })

  it("accepts an invitation once, also concurrently", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const { token } = await linked(owner, email)
    const person = await signInByEmail(plane, email)
    const responses = await Promise.all(Array.from({ length: 5 }, () => accept(person, token)))
    expect(responses.map((response) => response.status).toSorted()).toEqual([200, 404, 404, 404, 404])
    expect((await owner.call("GET", "/v1/members")).body.items).toHaveLength(2)
    expect((await accept(person, token)).body.error).toBe("invitation_not_found")
  })

  it("returns 403 for another or an unverified email address, and keeps the link valid", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const { token } = await linked(owner, email)
    const other = await signInByEmail(plane, someEmail())
    const mismatch = await accept(other, token)
    expect([mismatch.status, mismatch.body.reason]).toEqual([403, "email_mismatch"])
    expect(mismatch.text).not.toContain(email)
    await runSql(plane, (sql) => sql`UPDATE users SET email_verified = false WHERE id = ${other.userId}`)
    const unproved = await signInByEmail(plane, someEmail())
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = ${email}, email_verified = false WHERE id = ${unproved.userId}`
    )
    const refused = await accept(unproved, token)
    expect([refused.status, refused.body.reason]).toEqual([403, "email_not_verified"])
    expect((await accept(await signInByEmail(plane, email), token)).status).toBe(200)
  })

  it("returns 401 without a credential, 403 for a bound session and 404 for an expired invitation", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const { id, token } = await linked(owner, email)
    expect((await call(plane)("POST", "/v1/invitations/accept", { token })).status).toBe(401)
    const bound = await mintSession(plane, owner, owner.membershipId)
    expect((await accept(bound, token)).body.reason).toBe("session_required")
    await runSql(plane, (sql) => sql`UPDATE invitations SET expires_at = now() WHERE id = ${id}`)
    expect((await accept(await signInByEmail(plane, email), token)).body.error).toBe("invitation_not_found")
  })

  it("returns 409 for a member and does not use up the invitation", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const person = await signInByEmail(plane, email)
    await accept(person, (await linked(owner, email)).token)
    const { body } = await person.call("GET", "/v1/me")
    await runSql(plane, (sql) => sql`UPDATE users SET email = ${`was-${email}`} WHERE id = ${person.userId}`)
    const { token } = await linked(owner, email)
    await runSql(plane, (sql) => sql`UPDATE users SET email = ${body.user.email} WHERE id = ${person.userId}`)
    const refused = await accept(person, token)
    expect([refused.status, refused.body.error]).toEqual([409, "member_exists"])
    expect((await preview(token)).status).toBe(200)
  })

  it("starts a returning member without earlier access", async () => {
    const owner = await makeWorkspace(plane)
    const email = someEmail()
    const first = await signInByEmail(plane, email)
    const joined = await accept(first, (await linked(owner, email)).token)
    await first.call("DELETE", "/v1/me")
    const again = await accept(await signInByEmail(plane, email), (await linked(owner, email)).token)
    expect(again.status).toBe(200)
    expect(again.body.member.id).not.toBe(joined.body.member.id)
  })
})

describe("stored invitations", () => {
  it("leave no email address or link in the audit, and no link in the database", async () => {
    const owner = await makeWorkspace(plane)
    const email = "canary-invitee@example.com"
    const { id, token } = await linked(owner, email)
    await owner.call("POST", `/v1/invitations/${id}/resend`)
    await owner.call("POST", `/v1/invitations/${id}/cancel`)
    const { body, text } = await owner.call("GET", `/v1/audit-events?targetId=${id}`)
    expect(body.items.map((row: { action: string }) => row.action)).toEqual([
      "invitation.cancel",
      "invitation.resend",
      "invitation.create"
    ])
    expect(text).not.toContain(email)
    expect(body.items.at(-1).after.email).toEqual({ digest: expect.any(String), length: email.length })
    const sent = /token=(opi_\w+)/.exec((await emailTo(plane, email)).text)?.[1] ?? ""
    const rows = await runSql(
      plane,
      (sql) =>
        sql<{
          text: string
        }>`SELECT to_jsonb(i)::text AS text FROM invitations i UNION ALL SELECT to_jsonb(a)::text FROM audit_events a`
    )
    expect(rows.filter((row) => row.text.includes(token) || row.text.includes(sent))).toEqual([])
  })
})
