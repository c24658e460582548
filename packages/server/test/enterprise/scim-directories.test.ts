import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeRole,
  makeScimToken,
  makeTeam,
  makeWorkspace,
  runSql,
  signInByEmail,
  someAddress,
  type Workspace
} from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"
import { makeProvisional } from "../infra/http-world.ts"
import { type Directory, expectRefused, makeGroup, makeUser, patchOf, verifyDomain } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const root = "/v1/scim/directories"

/** A directory created through the API. */
const makeDirectory = async (owner?: Workspace): Promise<Directory> => {
  const workspace = owner ?? (await makeWorkspace(plane))
  const { directoryId, token } = await makeScimToken(plane, workspace)
  return { owner: workspace, id: directoryId, token, scim: scimBy(token) }
}

const scimBy =
  (token: string) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(plane, token, someAddress())(method, `/v1/scim/v2${path}`, body, headers)

const memberOf = async ({ owner }: Directory, userName: string) => {
  const { body } = await owner.call("GET", `/v1/members?q=${encodeURIComponent(userName)}`)
  return body.items[0] as { id: string; role: string; email: string | null; userId: string } | undefined
}

describe("SCIM directories", () => {
  it("are created with a token that is returned once, listed, read and removed", async () => {
    const owner = await makeWorkspace(plane)
    const response = await owner.call("POST", root, { name: "Okta", provider: "okta" })
    expect(response.status).toBe(201)
    expect(response.body.token).toMatch(/^opd_/)
    const { directory } = response.body
    expect(directory).toMatchObject({
      name: "Okta",
      provider: "okta",
      baseUrl: "http://localhost/v1/scim/v2",
      users: { active: 0, inactive: 0 },
      groups: 0,
      pendingHoldId: null,
      lastRequestAt: null
    })
    expect(directory.tokens).toHaveLength(1)
    const got = await owner.call("GET", `${root}/${directory.id}`)
    expect(got.body.directory).toEqual(directory)
    expect(got.text).not.toContain("opd_")
    expect((await owner.call("GET", root)).body.items).toEqual([directory])
    expect((await owner.call("DELETE", `${root}/${directory.id}`)).status).toBe(204)
    expect((await owner.call("GET", `${root}/${directory.id}`)).body.error).toBe("scim_directory_not_found")
    expect((await owner.call("DELETE", `${root}/${directory.id}`)).status).toBe(404)
    expectRefused(await scimBy(response.body.token)("GET", "/Users"), 401)
  })

  it("are listed by part of the name", async () => {
    const owner = await makeWorkspace(plane)
    const ids: Array<string> = []
    for (const name of searchedNames) ids.push((await owner.call("POST", root, { name })).body.directory.id)
    await expectSearch(owner, { path: root, ids })
  })

  it("are limited to ten, and need a claimed organization with the enterprise plan", async () => {
    const owner = await makeWorkspace(plane)
    for (let count = 0; count < 10; count += 1) await makeScimToken(plane, owner)
    expect((await owner.call("POST", root, { name: "One more" })).body.error).toBe("quota_exceeded")
    const agent = await makeProvisional(plane)
    expect((await agent.call("POST", root, { name: "None" })).body.reason).toBe("provisional_organization")
    const free = await makeWorkspace(plane)
    const directory = await makeDirectory(free)
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${free.organizationId}`)
    const other = await addMember(plane, free, "owner")
    expect((await other.call("POST", root, { name: "None" })).status).toBe(402)
    expect((await other.call("POST", `${root}/${directory.id}/tokens`, {})).status).toBe(402)
    // An existing directory keeps working.
    expect((await directory.scim("GET", "/Users")).status).toBe(200)
    expect((await other.call("GET", root)).status).toBe(200)
    expect((await other.call("DELETE", `${root}/${directory.id}`)).status).toBe(204)
  })

  it("reject a token expiry in the past, and are not found by other organizations", async () => {
    const owner = await makeWorkspace(plane)
    for (const tokenExpiresAt of ["2020-01-01T00:00:00.000Z", "2030-02-31T00:00:00.000Z"]) {
      const response = await owner.call("POST", root, { name: "Over", tokenExpiresAt })
      expect([response.status, response.body.details?.[0].path]).toEqual([400, ["body", "tokenExpiresAt"]])
    }
    const { id } = await makeDirectory(owner)
    const other = await makeWorkspace(plane, "Other")
    for (const [method, path, body] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/tokens", {}],
      ["GET", "/groups"],
      ["GET", "/log"],
      ["GET", "/holds"],
      ["POST", "/reconcile"]
    ] as const) {
      expect((await other.call(method, `${root}/${id}${path}`, body)).body.error).toBe("scim_directory_not_found")
    }
  })
})

describe("SCIM tokens", () => {
  it("overlap during a rotation, and end after the grace period, by revocation, or as the oldest of more than five", async () => {
    const directory = await makeDirectory()
    const { id, owner, scim } = directory
    const rotate = async (body: object) => {
      const response = await owner.call("POST", `${root}/${id}/tokens`, body)
      expect(response.status).toBe(201)
      return {
        scim: scimBy(response.body.token),
        tokens: response.body.directory.tokens as ReadonlyArray<{ id: string }>
      }
    }
    const second = await rotate({})
    expect(second.tokens).toHaveLength(2)
    expect((await scim("GET", "/Users")).status).toBe(200)
    expect((await second.scim("GET", "/Users")).status).toBe(200)
    const third = await rotate({ graceSeconds: 0 })
    expect(third.tokens).toHaveLength(1)
    expectRefused(await scim("GET", "/Users"), 401)
    expectRefused(await second.scim("GET", "/Users"), 401)
    const later = [third]
    for (let count = 0; count < 5; count += 1) later.push(await rotate({ graceSeconds: 3600 }))
    expect(later.at(-1)?.tokens).toHaveLength(5)
    expectRefused(await third.scim("GET", "/Users"), 401)
    const newest = later.at(-1) ?? third
    const tokenId = newest.tokens[0]?.id
    expect((await newest.scim("GET", "/Users")).status).toBe(200)
    expect((await owner.call("DELETE", `${root}/${id}/tokens/${tokenId}`)).status).toBe(204)
    expectRefused(await newest.scim("GET", "/Users"), 401)
    expect((await owner.call("DELETE", `${root}/${id}/tokens/${tokenId}`)).body.error).toBe("scim_token_not_found")
  })

  it("record their last use to the hour", async () => {
    const { id, owner, scim } = await makeDirectory()
    await scim("GET", "/Users")
    const { directory } = (await owner.call("GET", `${root}/${id}`)).body
    expect(directory.lastRequestAt).toMatch(/:00:00\.000Z$/)
    expect(directory.tokens[0].lastUsedAt).toBe(directory.lastRequestAt)
  })

  it("cannot be created by members who may not assign the roles of the directory's groups", async () => {
    const directory = await makeDirectory()
    const { id, owner } = directory
    const manager = await addMember(plane, owner, await makeRole(owner, ["scim:read", "scim:manage"]))
    expect((await manager.call("POST", `${root}/${id}/tokens`, {})).status).toBe(201)
    const group = await makeGroup(directory)
    const path = `${root}/${id}/groups/${group.id}/role`
    expect((await manager.call("PUT", path, { role: "admin" })).body.reason).toBe("exceeds_own_permissions")
    expect((await owner.call("PUT", path, { role: "admin" })).status).toBe(200)
    expect((await manager.call("POST", `${root}/${id}/tokens`, {})).body.reason).toBe("exceeds_own_permissions")
    const key = await makeKey(plane, owner, ["scim:manage"])
    expect((await key.call("POST", `${root}/${id}/tokens`, {})).body.reason).toBe("exceeds_own_permissions")
  })

  it("authenticate SCIM requests only", async () => {
    const { owner, token } = await makeDirectory()
    for (const path of ["/v1/me", "/v1/members", root, "/v1/organization"]) {
      const response = await call(plane, token, someAddress())("GET", path)
      expect([path, response.status, response.body.reason]).toEqual([path, 403, "session_required"])
    }
    const key = await makeKey(plane, owner, ["scim:manage"])
    expectRefused(await owner.call("GET", "/v1/scim/v2/Users"), 403)
    expectRefused(await key.call("GET", "/v1/scim/v2/Users"), 403)
    const other = await makeWorkspace(plane)
    const elsewhere = { "x-organization-id": other.organizationId }
    expectRefused(await scimBy(token)("GET", "/Users", undefined, elsewhere), 404)
  })
})

describe("errors below /v1/scim/v2", () => {
  it("have the SCIM format regardless of their origin", async () => {
    const { scim, token } = await makeDirectory()
    const nobody = await call(plane, undefined, someAddress())("GET", "/v1/scim/v2/Users")
    expectRefused(nobody, 401)
    expect(nobody.headers.get("www-authenticate")).toMatch(/^Bearer/)
    expectRefused(await call(plane, "opd_nothing", someAddress())("GET", "/v1/scim/v2/Users"), 401)
    expectRefused(await scim("GET", "/Nothing"), 404)
    expectRefused(await scim("GET", "/%ff"), 400, "invalidValue")
    const large = { "content-length": "99999999", "content-type": "application/scim+json" }
    expectRefused(await scim("POST", "/Users", "{}", large), 413)
    expectRefused(await scim("POST", "/Users", "{}", { "content-type": "text/plain" }), 400, "invalidSyntax")
    const elsewhere = await call(plane, token)("GET", "/v1/scim/v2/Users", undefined, { host: "elsewhere.example" })
    expectRefused(elsewhere, 421)
  })

  it("are rate limited by source address for an invalid token, and by directory otherwise", async () => {
    const { id, token } = await makeDirectory()
    const address = someAddress()
    for (let tries = 0; tries < 61; tries += 1) await call(plane, "opd_none", address)("GET", "/v1/scim/v2/Users")
    const refused = await call(plane, "opd_none", address)("GET", "/v1/scim/v2/Users")
    expectRefused(refused, 429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    const other = await makeDirectory()
    expect((await call(plane, other.token, address)("GET", "/v1/scim/v2/Users")).status).toBe(200)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO rate_windows (bucket, taken, ends_at)
        VALUES (${`scim:${id}`}, 100000, now() + interval '1 hour')`
    )
    expectRefused(await scimBy(token)("GET", "/Users"), 429)
  })

  it("have the SCIM format below the operator's path prefix too", async () => {
    const below = await makeControlPlane({ pathPrefix: "/control", workers: false })
    const response = await call(below)("GET", "/control/v1/scim/v2/Users")
    expectRefused(response, 401)
    expect((await call(below)("GET", "/v1/scim/v2/Users")).body.error).toBe("route_not_found")
  })
})

describe("roles of SCIM groups", () => {
  it("are assigned to members, with `admin` or the oldest group first, and removed again", async () => {
    const directory = await makeDirectory()
    const { id, owner } = directory
    const user = await makeUser(directory)
    const custom = await makeRole(owner, ["teams:read"])
    const [older, newer] = [await makeGroup(directory, [user.id]), await makeGroup(directory, [user.id])]
    const setRole = async (teamId: string, role: string | null) => {
      const response = await owner.call("PUT", `${root}/${id}/groups/${teamId}/role`, { role })
      expect([response.status, response.body.group?.role]).toEqual([200, role])
    }
    const role = async () => (await memberOf(directory, user.userName))?.role
    expect(await role()).toBe("member")
    await setRole(older.id, custom)
    expect(await role()).toBe(custom)
    await setRole(newer.id, "admin")
    expect(await role()).toBe("admin")
    await setRole(newer.id, "member")
    expect(await role()).toBe(custom)
    await directory.scim(
      "PATCH",
      `/Groups/${older.id}`,
      patchOf({ op: "remove", path: `members[value eq "${user.id}"]` })
    )
    expect(await role()).toBe("member")
    await directory.scim(
      "PATCH",
      `/Groups/${older.id}`,
      patchOf({ op: "add", path: "members", value: [{ value: user.id }] })
    )
    expect(await role()).toBe(custom)
    expect((await owner.call("DELETE", `/v1/roles/${custom}`)).body.error).toBe("role_in_use")
    await setRole(older.id, null)
    expect((await owner.call("DELETE", `/v1/roles/${custom}`)).status).toBe(204)
    expect((await owner.call("GET", `${root}/${id}/groups`)).body.items).toMatchObject([
      { teamId: newer.id, memberCount: 1, role: "member" },
      { teamId: older.id, memberCount: 1, role: null }
    ])
  })

  it("are never `owner`, must exist, require a SCIM group, and do not affect owners", async () => {
    const directory = await makeDirectory()
    const { id, owner } = directory
    const group = await makeGroup(directory)
    const path = `${root}/${id}/groups/${group.id}/role`
    expect((await owner.call("PUT", path, { role: "owner" })).status).toBe(400)
    expect((await owner.call("PUT", path, { role: "rol_01h455vb4pex5vsknk084sn02q" })).status).toBe(400)
    const team = await makeTeam(owner, [])
    const none = await owner.call("PUT", `${root}/${id}/groups/${team}/role`, { role: "admin" })
    expect(none.body.error).toBe("scim_group_not_found")
    const user = await makeUser(directory)
    const member = await memberOf(directory, user.userName)
    expect((await owner.call("PATCH", `/v1/members/${member?.id}`, { role: "owner" })).status).toBe(200)
    await owner.call("PUT", path, { role: "admin" })
    await directory.scim(
      "PATCH",
      `/Groups/${group.id}`,
      patchOf({ op: "add", path: "members", value: [{ value: user.id }] })
    )
    expect((await memberOf(directory, user.userName))?.role).toBe("owner")
  })
})

describe("resources managed by SCIM", () => {
  it("cannot be changed elsewhere, but can be read", async () => {
    const directory = await makeDirectory()
    const { id, owner } = directory
    const user = await makeUser(directory)
    const group = await makeGroup(directory, [user.id])
    const member = await memberOf(directory, user.userName)
    expect(member?.email).toBe(user.userName)
    const outsider = await addMember(plane, owner, "member")
    const managed = async (method: string, path: string, body?: unknown, by = owner) => {
      const response = await by.call(method, path, body)
      expect([method, path, response.status, response.body?.reason]).toEqual([method, path, 403, "managed_by_scim"])
    }
    const team = `/v1/teams/${group.id}`
    await managed("PATCH", team, { name: "Another" })
    await managed("DELETE", team)
    await managed("PUT", `${team}/members/${outsider.membershipId}`)
    await managed("DELETE", `${team}/members/${member?.id}`)
    await managed("DELETE", `/v1/members/${member?.id}`)
    await managed("POST", "/v1/invitations", { email: "ann@example.com", teamIds: [group.id], send: false })
    // The member's role is not managed by SCIM yet.
    expect((await owner.call("PATCH", `/v1/members/${member?.id}`, { role: "admin" })).status).toBe(200)
    await owner.call("PUT", `${root}/${id}/groups/${group.id}/role`, { role: "member" })
    await managed("PATCH", `/v1/members/${member?.id}`, { role: "admin" })
    const batch = await owner.call("POST", "/v1/members/batch", {
      items: [{ action: "remove", orgMembershipId: member?.id }]
    })
    expect(batch.body.results[0].error.code).toBe("managed_by_scim")
    expect((await owner.call("GET", team)).body.team.memberCount).toBe(1)
    expect((await owner.call("GET", `${team}/members`)).body.items).toHaveLength(1)
    expect((await owner.call("GET", `/v1/members/${member?.id}`)).body.member.email).toBe(user.userName)
    // Without the group, it can be changed again.
    expect((await owner.call("DELETE", `${root}/${id}`)).status).toBe(204)
    expect((await owner.call("PATCH", team, { name: "Another" })).status).toBe(200)
    expect((await owner.call("DELETE", `/v1/members/${member?.id}`)).status).toBe(204)
    expect((await owner.call("DELETE", team)).status).toBe(204)
  })

  it("keep members from leaving, but not from deleting their account", async () => {
    const directory = await makeDirectory()
    await verifyDomain(plane, directory.owner, "leaves.example")
    const email = "ann@leaves.example"
    const user = await makeUser(directory, { userName: email, emails: [{ value: email, primary: true }] })
    const person = await signInByEmail(plane, email)
    const leave = `/v1/me/organizations/${directory.owner.organizationId}`
    const refused = await person.call("DELETE", leave)
    expect([refused.status, refused.body?.reason]).toEqual([403, "managed_by_scim"])
    expect((await person.call("DELETE", "/v1/me")).status).toBe(204)
    expect(await memberOf(directory, email)).toBeUndefined()
    expect((await directory.scim("GET", `/Users/${user.id}`)).body.active).toBe(true)
    const reconciled = await directory.owner.call("POST", `${root}/${directory.id}/reconcile`)
    expect(reconciled.body.reconciliation).toMatchObject({ linked: 1, ended: 0, unlinked: 0 })
    expect(await memberOf(directory, email)).toMatchObject({ role: "member", email })
  })
})

describe("removal of a directory", () => {
  it("keeps its members by default or ends them on request, except the last owner", async () => {
    const directory = await makeDirectory()
    const user = await makeUser(directory)
    await makeGroup(directory, [user.id])
    await directory.owner.call("DELETE", `${root}/${directory.id}`)
    expect((await directory.owner.call("GET", "/v1/members")).body.items).toHaveLength(2)
    expect((await directory.owner.call("GET", "/v1/teams")).body.items[0].memberCount).toBe(1)
    expect((await directory.owner.call("GET", `${root}/${directory.id}/log`)).body.items).toHaveLength(2)

    const ended = await makeDirectory()
    const [one, two] = [await makeUser(ended), await makeUser(ended)]
    const heir = await memberOf(ended, two.userName)
    await makeGroup(ended, [one.id, two.id])
    await ended.owner.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId: heir?.id, keep: "member" })
    const admin = await addMember(plane, ended.owner, "admin")
    expect((await admin.call("DELETE", `${root}/${ended.id}?members=end`)).status).toBe(204)
    const left = (await admin.call("GET", "/v1/members")).body.items as ReadonlyArray<{ id: string; role: string }>
    expect(left.map(({ role }) => role).toSorted()).toEqual(["admin", "member", "owner"])
    expect(left.find(({ role }) => role === "owner")?.id).toBe(heir?.id)
  })
})

describe("reconciliation", () => {
  it("links users of newly verified domains, repairs teams and roles, and is idempotent", async () => {
    const directory = await makeDirectory()
    const { id, owner } = directory
    const domain = "later.example"
    const userOf = (name: string) =>
      makeUser(directory, { userName: `${name}@${domain}`, emails: [{ value: `${name}@${domain}`, primary: true }] })
    const [free, member, stranger] = [await userOf("free"), await userOf("known"), await makeUser(directory)]
    const group = await makeGroup(directory, [free.id, member.id, stranger.id])
    await owner.call("PUT", `${root}/${id}/groups/${group.id}/role`, { role: "admin" })
    const before = await memberOf(directory, `free@${domain}`)
    const person = await signInByEmail(plane, `known@${domain}`)
    await verifyDomain(plane, owner, domain)
    await runSql(
      plane,
      (sql) => sql`DELETE FROM team_members WHERE organization_id = ${owner.organizationId} AND team_id = ${group.id}
        AND membership_id = ${before?.id}`
    )
    const reconcile = async () => (await owner.call("POST", `${root}/${id}/reconcile`)).body.reconciliation
    expect(await reconcile()).toEqual({
      linked: 2,
      ended: 0,
      teamMembersAdded: 2,
      teamMembersRemoved: 0,
      rolesChanged: 0,
      unlinked: 1
    })
    // The user created by the directory gets the address; otherwise the user with the address becomes the member.
    expect((await memberOf(directory, `free@${domain}`))?.id).toBe(before?.id)
    expect(await memberOf(directory, `known@${domain}`)).toMatchObject({ userId: person.userId, role: "admin" })
    expect((await owner.call("GET", "/v1/members")).body.items).toHaveLength(4)
    expect((await owner.call("GET", `/v1/teams/${group.id}`)).body.team.memberCount).toBe(3)
    expect(await reconcile()).toEqual({
      linked: 0,
      ended: 0,
      teamMembersAdded: 0,
      teamMembersRemoved: 0,
      rolesChanged: 0,
      unlinked: 1
    })
    // Direct changes of the rows are repaired.
    const intruder = await addMember(plane, owner, "member")
    await runSql(
      plane,
      (sql) => sql`INSERT INTO team_members (organization_id, team_id, membership_id)
        VALUES (${owner.organizationId}, ${group.id}, ${intruder.membershipId})`
    )
    await runSql(
      plane,
      (sql) => sql`UPDATE memberships SET role = 'member'
        WHERE organization_id = ${owner.organizationId} AND id = ${before?.id}`
    )
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_users SET active = false
        WHERE organization_id = ${owner.organizationId} AND id = ${stranger.id}`
    )
    expect(await reconcile()).toMatchObject({ ended: 1, teamMembersRemoved: 1, rolesChanged: 1, unlinked: 0 })
    expect((await owner.call("GET", "/v1/members")).body.items).toHaveLength(4)
  })
})
