import * as Roles from "@orgplane/schema/roles"
import { builtInRoles, catalog } from "@orgplane/schema/shared/permissions"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { addMember, call, makeControlPlane, makeKey, makeRole, makeWorkspace } from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"

const plane = await makeControlPlane()
const missing = "rol_01h455vb4pex5vsknk084sn02q"

describe("GET /v1/roles/permissions", () => {
  it("lists all permissions with the built-in roles, for every member and API key", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { body, status } = await member.call("GET", "/v1/roles/permissions")
    expect(status).toBe(200)
    const { permissions } = Schema.decodeUnknownSync(
      Schema.Struct({ permissions: Schema.Array(Roles.PermissionEntry) })
    )(body)
    expect(permissions.map((row) => row.permission)).toEqual(catalog.map((row) => row.permission))
    for (const role of ["owner", "admin", "member"] as const) {
      const held = permissions.flatMap((row) => (row.roles.includes(role) ? [row.permission] : []))
      expect(held.toSorted()).toEqual([...builtInRoles[role]].toSorted())
    }
    const key = await makeKey(plane, owner, [])
    expect((await key.call("GET", "/v1/roles/permissions")).body).toEqual(body)
    expect((await call(plane)("GET", "/v1/roles/permissions")).status).toBe(401)
  })
})

describe("POST /v1/roles", () => {
  it("creates a role and stores each permission once", async () => {
    const owner = await makeWorkspace(plane)
    const { body, status } = await owner.call("POST", "/v1/roles", {
      name: "Librarian",
      description: "Keeps the plugins",
      permissions: ["plugins:write", "plugins:read", "plugins:write"]
    })
    expect(status).toBe(201)
    expect(Schema.decodeUnknownSync(Roles.Role)(body.role)).toMatchObject({
      organizationId: owner.organizationId,
      name: "Librarian",
      description: "Keeps the plugins",
      permissions: ["plugins:read", "plugins:write"],
      createdByOrgMembershipId: owner.membershipId
    })
    const got = await owner.call("GET", `/v1/roles/${body.role.id}`)
    expect([got.body, got.headers.get("etag")]).toEqual([body, '"1"'])
    const unchanged = await owner.call("GET", `/v1/roles/${body.role.id}`, undefined, { "if-none-match": '"1"' })
    expect([unchanged.status, unchanged.text]).toEqual([304, ""])
  })

  it("returns 403 for any permission that the caller lacks, and stores nothing", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const smith = await addMember(plane, owner, await makeRole(owner, ["roles:read", "roles:write", "plugins:read"]))
    const key = await makeKey(plane, owner, ["roles:read", "roles:write", "plugins:read"])
    const tries = [
      { caller: admin, permissions: ["plugins:read", "organizations:manage"] },
      { caller: admin, permissions: ["sessions:mint"] },
      { caller: smith, permissions: ["plugins:read", "plugins:write"] },
      { caller: key, permissions: ["plugins:manage"] }
    ]
    for (const { caller, permissions } of tries) {
      const refused = await caller.call("POST", "/v1/roles", { name: "Too much", permissions })
      expect([refused.status, refused.body.reason]).toEqual([403, "exceeds_own_permissions"])
    }
    expect((await smith.call("POST", "/v1/roles", { name: "As much", permissions: ["plugins:read"] })).status).toBe(201)
    expect((await key.call("POST", "/v1/roles", { name: "Of a key", permissions: [] })).body.role).toMatchObject({
      createdByOrgMembershipId: null,
      permissions: []
    })
    const { body } = await owner.call("GET", "/v1/roles")
    expect(body.items.map((role: { name: string }) => role.name)).not.toContain("Too much")
  })

  it("returns 400 for the name of a built-in role, an unknown permission and invalid input, and 403 for a member", async () => {
    const owner = await makeWorkspace(plane)
    for (const name of ["owner", "Admin", " member ", "", "x".repeat(121), null]) {
      const response = await owner.call("POST", "/v1/roles", { name, permissions: [] })
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "name"]])
    }
    for (const permissions of [["plugins:eat"], ["*"], "plugins:read", null]) {
      const response = await owner.call("POST", "/v1/roles", { name: "A", permissions })
      expect([response.status, response.body.details[0].path.slice(0, 2)]).toEqual([400, ["body", "permissions"]])
    }
    const member = await addMember(plane, owner, "member")
    const refused = await member.call("POST", "/v1/roles", { name: "Mine", permissions: [] })
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    expect((await member.call("GET", "/v1/roles")).status).toBe(403)
  })

  it("returns 409 for an existing name, ignoring case, also concurrently", async () => {
    const owner = await makeWorkspace(plane)
    const responses = await Promise.all(
      ["Editor", "editor", "EDITOR"].map((name) => owner.call("POST", "/v1/roles", { name, permissions: [] }))
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409, 409])
    expect(responses.find((response) => response.status === 409)?.body.error).toBe("role_exists")
    const other = await makeRole(owner, [])
    const renamed = await owner.call("PATCH", `/v1/roles/${other}`, { name: "Editor" })
    expect([renamed.status, renamed.body.error]).toEqual([409, "role_exists"])
  })
})

describe("GET /v1/roles", () => {
  it("filters roles by part of the name, with a cursor", async () => {
    const owner = await makeWorkspace(plane)
    const ids: Array<string> = []
    for (const name of searchedNames) {
      ids.push((await owner.call("POST", "/v1/roles", { name, permissions: [] })).body.role.id)
    }
    await expectSearch(owner, { path: "/v1/roles", ids })
  })
})

describe("a custom role", () => {
  it("grants its permissions to its members, and changed ones from the next request on", async () => {
    const owner = await makeWorkspace(plane)
    const id = await makeRole(owner, ["teams:read"])
    const person = await addMember(plane, owner, id)
    expect((await person.call("GET", "/v1/teams")).status).toBe(200)
    const refused = await person.call("POST", "/v1/teams", { name: "Mine" })
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    for (let round = 0; round < 3; round += 1) {
      await owner.call("PATCH", `/v1/roles/${id}`, { permissions: ["teams:write"] })
      expect((await person.call("GET", "/v1/teams")).status).toBe(403)
      expect((await person.call("POST", "/v1/teams", { name: `Team ${round}` })).status).toBe(201)
      await owner.call("PATCH", `/v1/roles/${id}`, { permissions: ["teams:read"] })
      expect((await person.call("GET", "/v1/teams")).status).toBe(200)
      expect((await person.call("POST", "/v1/teams", { name: "Never" })).status).toBe(403)
    }
    await owner.call("PATCH", `/v1/roles/${id}`, { permissions: [] })
    expect((await person.call("GET", "/v1/teams")).status).toBe(403)
    expect((await person.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("makes nobody an admin: objects need grants even with every permission", async () => {
    const owner = await makeWorkspace(plane)
    const all = builtInRoles.owner.filter((permission) => permission !== "sessions:mint")
    const person = await addMember(plane, owner, await makeRole(owner, all))
    const response = await owner.call("POST", "/v1/plugins", { name: "Private" })
    const path = `/v1/plugins/${response.body.item.id}`
    expect((await person.call("GET", path)).status).toBe(404)
    expect((await person.call("GET", "/v1/plugins")).body.items).toEqual([])
    await owner.call("POST", `${path}/access`, { orgMembershipId: person.membershipId, role: "viewer" })
    expect((await person.call("GET", path)).status).toBe(200)
    const refused = await person.call("POST", `${path}/access`, { orgWide: true, role: "viewer" })
    expect([refused.status, refused.body.reason]).toEqual([403, "grant_required"])
    const ownerOnly = await person.call("DELETE", "/v1/organization")
    expect([ownerOnly.status, ownerOnly.body.reason]).toEqual([403, "owner_required"])
  })

  it("is explained by access.explain with its permissions", async () => {
    const owner = await makeWorkspace(plane)
    const person = await addMember(plane, owner, await makeRole(owner, ["plugins:read"]))
    const { body } = await owner.call("POST", "/v1/plugins", { name: "Shared" })
    const id = body.item.id
    await owner.call("POST", `/v1/plugins/${id}/access`, { orgMembershipId: person.membershipId, role: "viewer" })
    const question = { orgMembershipId: person.membershipId, object: { kind: "plugin", id }, action: "view" }
    const { explanation } = (await owner.call("POST", "/v1/access/explain", question)).body
    expect(explanation).toMatchObject({ allowed: true, level: "viewer", missing: null })
  })

  it("cannot be removed while a member or a pending invitation has it", async () => {
    const owner = await makeWorkspace(plane)
    const id = await makeRole(owner, ["plugins:read"])
    const person = await addMember(plane, owner, id)
    const remove = () => owner.call("DELETE", `/v1/roles/${id}`)
    const inUse = await remove()
    expect([inUse.status, inUse.body.error]).toEqual([409, "role_in_use"])
    await owner.call("DELETE", `/v1/members/${person.membershipId}`)
    const invited = await owner.call("POST", "/v1/invitations", { email: "held@example.com", role: id, send: false })
    expect(invited.status).toBe(201)
    expect((await remove()).body.error).toBe("role_in_use")
    await owner.call("POST", `/v1/invitations/${invited.body.invitation.id}/cancel`)
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    const assignment = await owner.call("PATCH", `/v1/members/${owner.membershipId}`, { role: id })
    expect([assignment.status, assignment.body.details[0].path]).toEqual([400, ["body", "role"]])
  })

  it("is never assigned to a member after its removal, despite races", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    for (let round = 0; round < 8; round += 1) {
      const id = await makeRole(owner, [])
      const [set, removed] = await Promise.all([
        owner.call("PATCH", `/v1/members/${member.membershipId}`, { role: id }),
        owner.call("DELETE", `/v1/roles/${id}`)
      ])
      expect([`${set.status} ${removed.status}`]).toContain(set.status === 200 ? "200 409" : "400 204")
    }
  })
})

describe("PATCH and DELETE /v1/roles/{id}", () => {
  it("increment the version and return 412 for a stale ETag", async () => {
    const owner = await makeWorkspace(plane)
    const id = await makeRole(owner, ["plugins:read"])
    const first = await owner.call("PATCH", `/v1/roles/${id}`, { description: "One" }, { "if-match": '"1"' })
    expect([first.status, first.headers.get("etag")]).toEqual([200, '"2"'])
    const stale = await owner.call("PATCH", `/v1/roles/${id}`, { description: "Two" }, { "if-match": '"1"' })
    expect([stale.status, stale.body.error]).toEqual([412, "precondition_failed"])
    expect((await owner.call("DELETE", `/v1/roles/${id}`, undefined, { "if-match": '"1"' })).status).toBe(412)
    const same = await owner.call("PATCH", `/v1/roles/${id}`, { permissions: ["plugins:read"] })
    expect(same.headers.get("etag")).toBe('"2"')
    expect((await owner.call("PATCH", `/v1/roles/${id}`, { name: "Owner" })).status).toBe(400)
    expect((await owner.call("DELETE", `/v1/roles/${id}`, undefined, { "if-match": '"2"' })).status).toBe(204)
  })

  it("returns 403 for granting more than the caller has, also to the own role; an admin may remove what an owner granted", async () => {
    const owner = await makeWorkspace(plane)
    const own = await makeRole(owner, ["roles:write", "roles:read"])
    const smith = await addMember(plane, owner, own)
    const wider = await smith.call("PATCH", `/v1/roles/${own}`, { permissions: ["roles:write", "members:manage"] })
    expect([wider.status, wider.body.reason]).toEqual([403, "exceeds_own_permissions"])
    const admin = await addMember(plane, owner, "admin")
    const minting = await makeRole(owner, ["sessions:mint", "plugins:read"])
    const updateResponse = await admin.call("PATCH", `/v1/roles/${minting}`, { permissions: ["sessions:mint"] })
    expect([updateResponse.status, updateResponse.body.reason]).toEqual([403, "exceeds_own_permissions"])
    expect((await admin.call("PATCH", `/v1/roles/${minting}`, { description: "Mints" })).status).toBe(200)
    const taken = await admin.call("PATCH", `/v1/roles/${minting}`, { permissions: ["plugins:read"] })
    expect(taken.body.role.permissions).toEqual(["plugins:read"])
    const refused = await smith.call("DELETE", `/v1/roles/${minting}`)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
  })

  it("returns the same 404 for a foreign and a missing role", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const foreign = await makeRole(elsewhere, ["plugins:read"])
    const requests: ReadonlyArray<readonly [string, object?]> = [["GET"], ["PATCH", { name: "Mine" }], ["DELETE"]]
    for (const [method, body] of requests) {
      const [theirs, none] = await Promise.all(
        [foreign, missing].map((id) => owner.call(method, `/v1/roles/${id}`, body))
      )
      expect([theirs?.status, theirs?.text]).toEqual([404, none?.text])
      expect((await owner.call(method, "/v1/roles/owner", body)).status).toBe(400)
    }
    // A role of another organization cannot be assigned.
    const member = await addMember(plane, owner, "member")
    const [given, none] = await Promise.all(
      [foreign, missing].map((role) => owner.call("PATCH", `/v1/members/${member.membershipId}`, { role }))
    )
    expect([given?.status, given?.text]).toEqual([400, none?.text])
    expect((await owner.call("GET", "/v1/roles")).body).toEqual({ items: [], nextCursor: null })
  })
})
