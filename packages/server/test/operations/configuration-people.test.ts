/** Configuration as code: the roles of members, and the roles in SCIM directories and the SSO connection. */
import { describe, expect, it } from "vitest"
import { makeDirectory, makeGroup, makeUser, verifyDomain } from "../enterprise/scim.fixture.ts"
import { addMember, makeControlPlane, makeKey, makeWorkspace, runSql } from "../harness.ts"
import {
  actions,
  applied,
  type Caller,
  demanded,
  emailOf,
  exported,
  type Item,
  makePeople,
  makeTwin,
  planned,
  problemsOf,
  refusal,
  send
} from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const reviewer = { key: "reviewer", name: "Reviewer", permissions: ["plugins:read"] }
const roleOf = async (person: Caller, id: string) => demanded(await person.call("GET", `/v1/members/${id}`)).member.role

describe("the roles of members in a configuration document", () => {
  it("are planned by role, and members who are no longer listed become members", async () => {
    const { emails, owner, people } = await makePeople(plane, 3)
    const [ada, bob, eve] = emails as [string, string, string]
    const twin = await makeTwin(plane, owner)
    const document = { roles: [reviewer], memberRoles: { admin: [ada.toUpperCase()], reviewer: [bob, eve] } }
    const plan = await planned(owner, document)
    expect(plan.changes.at(-1)).toMatchObject({
      kind: "memberRoles",
      key: null,
      action: "update",
      fields: [
        { field: "admin", before: [], after: [ada] },
        { field: "reviewer", before: null, after: [bob, eve].toSorted() }
      ]
    })
    expect((await exported(owner)).memberRoles).toEqual({ owner: [], admin: [] })
    expect(await applied(owner, document, plan.planDigest)).toEqual(plan)
    expect(actions(await applied(owner, document))).toEqual([])
    const first = await exported(owner)
    expect(first.memberRoles).toEqual({ owner: [], admin: [ada], reviewer: [bob, eve].toSorted() })
    expect(actions(await planned(owner, first))).toEqual([])
    await applied(twin, first)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
    const changed = { memberRoles: { admin: [bob], reviewer: [eve] } }
    expect(actions(await applied(owner, changed))).toEqual(["update memberRoles - admin reviewer"])
    expect(await Promise.all(people.map(({ membershipId }) => roleOf(owner, membershipId)))).toEqual([
      "member",
      "admin",
      expect.stringMatching(/^rol_/)
    ])
    expect((await exported(owner)).memberRoles).toEqual({ owner: [], admin: [bob], reviewer: [eve] })
    // Another role keeps its members if it is omitted.
    await applied(owner, { memberRoles: { admin: [] } })
    expect((await exported(owner)).memberRoles).toEqual({ owner: [], admin: [], reviewer: [eve] })
    const events = demanded(await owner.call("GET", "/v1/audit-events?limit=100")).items
    expect(events.filter(({ action }: Item) => action === "member.update")).toHaveLength(6)
  })

  it("replace an owner, but never leave the organization without one", async () => {
    const { emails, owner } = await makePeople(plane, 1)
    const [ada] = emails
    const me = await emailOf(plane, owner)
    expect((await exported(owner)).memberRoles).toEqual({ owner: [me], admin: [] })
    expect((await planned(owner, { memberRoles: { owner: [] } })).problems[0].path).toEqual(["memberRoles"])
    const plan = await applied(owner, { memberRoles: { admin: [me], owner: [ada] } })
    expect(actions(plan)).toEqual(["update memberRoles - admin owner"])
    expect((await exported(owner)).memberRoles).toEqual({ owner: [ada], admin: [me] })
  })

  it("report unknown roles and people, and people with two roles, with their locations", async () => {
    const { emails, owner } = await makePeople(plane, 1)
    const [ada] = emails as [string]
    const place = async (memberRoles: Item) => (await planned(owner, { memberRoles })).problems
    expect(await place({ admin: [ada, "nobody@nowhere.example"], nothing: [] })).toEqual([
      {
        path: ["memberRoles", "admin", 1],
        message: "is not the email address of a member: nobody@nowhere.example"
      },
      { path: ["memberRoles", "nothing"], message: "does not exist: nothing" }
    ])
    const invalid = async (memberRoles: Item) => refusal(owner, { memberRoles })
    expect(await invalid({ admin: [ada], owner: [ada.toUpperCase()] })).toEqual([
      400,
      "invalid_request",
      ["memberRoles", "owner", 0],
      "is also in admin"
    ])
    expect((await invalid({ member: [ada] }))[2]).toEqual(["memberRoles", "member"])
    expect((await invalid({ "not a key": [] }))[2]).toEqual(["memberRoles", "not a key"])
    expect((await invalid({ admin: "ada" }))[2]).toEqual(["memberRoles", "admin"])
  })

  it("require the permission to manage members, and the permissions of the role", async () => {
    const { emails, owner } = await makePeople(plane, 1)
    const document = { memberRoles: { admin: emails } }
    const base = ["organizations:read", "organizations:write", "members:read", "roles:read"]
    const messageOf = async (permissions: ReadonlyArray<string>) =>
      (await send(await makeKey(plane, owner, permissions), "apply", document)).body.message
    expect(await messageOf(base.slice(0, 3))).toBe("This requires the permission roles:read.")
    expect(await messageOf(base)).toBe("This requires the permission members:manage.")
    const manager = await makeKey(plane, owner, [...base, "members:manage"])
    const excess = await send(manager, "apply", document)
    expect([excess.status, excess.body.reason]).toEqual([403, "exceeds_own_permissions"])
    expect((await exported(owner)).memberRoles.admin).toEqual([])
    expect(await exported(await makeWorkspace(plane), "memberRoles")).toMatchObject({ memberRoles: { admin: [] } })
  })

  it("leave out members whose role SCIM manages", async () => {
    const directory = await makeDirectory(plane)
    const { owner } = directory
    await verifyDomain(plane, owner, "corp.example")
    const user = await makeUser(directory)
    const group = await makeGroup(directory, [user.id], "Admins")
    await owner.call("PUT", `/v1/scim/directories/${directory.id}/groups/${group.id}/role`, { role: "admin" })
    expect((await exported(owner)).memberRoles).toEqual({ owner: [], admin: [] })
    const problems = await problemsOf(owner, { memberRoles: { admin: [user.userName] } })
    expect(problems).toEqual([[[0], `has a role that SCIM manages: ${user.userName}`]])
  })
})

describe("SCIM directories in a configuration document", () => {
  const entry = { key: "okta", name: "Okta", provider: "okta" }
  const document = (changes: Item = {}) => ({ scimDirectories: [{ ...entry, ...changes }] })

  it("are created without a token, adopted, moved and removed", async () => {
    const owner = await makeWorkspace(plane)
    const plan = await planned(owner, document())
    expect(actions(plan)).toEqual(["create scimDirectories okta"])
    expect(await applied(owner, document(), plan.planDigest)).toEqual(plan)
    expect(actions(await applied(owner, document({ groups: [] })))).toEqual([])
    const [directory] = demanded(await owner.call("GET", "/v1/scim/directories")).items
    expect(directory).toMatchObject({ name: "Okta", provider: "okta", tokens: [] })
    const rotated = await owner.call("POST", `/v1/scim/directories/${directory.id}/tokens`, {})
    expect([rotated.status, rotated.body.directory?.tokens.length]).toEqual([201, 1])
    const first = await exported(owner, "scimDirectories")
    expect(first.scimDirectories).toEqual([{ ...entry, groups: [] }])
    const twin = await makeWorkspace(plane)
    await applied(twin, first)
    expect(JSON.stringify(await exported(twin, "scimDirectories"))).toBe(JSON.stringify(first))
    expect(await problemsOf(owner, document({ name: "Other" }))).toEqual([[["name"], "cannot be changed"]])
    expect(await problemsOf(owner, document({ provider: "entra" }))).toEqual([[["provider"], "cannot be changed"]])
    const moved = { ...document({ key: "idp" }), moved: [{ kind: "scimDirectories", from: "okta", to: "idp" }] }
    expect(actions(await applied(owner, moved))).toEqual(["move scimDirectories idp"])
    const none = { scimDirectories: [], prune: { scimDirectories: true } }
    expect((await refusal(owner, none))[1]).toBe("plan_digest_required")
    const removal = await planned(owner, none)
    expect(actions(removal)).toEqual(["delete scimDirectories idp"])
    await applied(owner, none, removal.planDigest)
    expect(demanded(await owner.call("GET", "/v1/scim/directories")).items).toEqual([])
  })

  it("assign roles to groups by their names, with the keys of custom roles", async () => {
    const directory = await makeDirectory(plane)
    const { owner } = directory
    const user = await makeUser(directory)
    await makeGroup(directory, [user.id], "Reviewers")
    await makeGroup(directory, [], "Admins")
    const adoptions = [{ kind: "scimDirectories", id: directory.id, key: "idp" }]
    demanded(await owner.call("POST", "/v1/configuration/adopt", { adoptions }))
    const of = (groups: Item) => ({
      roles: [reviewer],
      scimDirectories: [{ key: "idp", name: "A directory", provider: "other", groups }]
    })
    const groups = [
      { name: "Admins", role: "admin" },
      { name: "Reviewers", role: "reviewer" }
    ]
    expect(actions(await applied(owner, of(groups.toReversed())))).toEqual([
      "create roles reviewer",
      "update scimDirectories idp groups"
    ])
    expect(actions(await applied(owner, of(groups)))).toEqual([])
    expect((await exported(owner)).scimDirectories[0].groups).toEqual(
      groups.map(({ name, role }) => ({ name: name.toLowerCase(), role }))
    )
    const listed = demanded(await owner.call("GET", `/v1/scim/directories/${directory.id}/groups`)).items
    expect(listed.map(({ displayName, role }: Item) => [displayName, role.slice(0, 4)])).toEqual([
      ["admins", "admi"],
      ["reviewers", "rol_"]
    ])
    expect(await problemsOf(owner, of([{ name: "Nobody", role: "member" }]))).toEqual([
      [["groups", 0, "name"], "is not the name of a group that the identity provider has sent"]
    ])
    expect(await problemsOf(owner, of([{ name: "Admins", role: "nothing" }]))).toEqual([
      [["groups", 0, "role"], "does not exist: nothing"]
    ])
    const own = async (role: string) => (await refusal(owner, of([{ name: "Admins", role }]))).slice(2)
    expect(await own("owner")).toEqual([
      ["scimDirectories", 0, "groups", 0, "role"],
      "must be admin, member or the key of a custom role"
    ])
    await applied(owner, { ...of(groups.slice(0, 1)), managed: { scimDirectories: "refuse" } })
    const path = `/v1/scim/directories/${directory.id}/groups/${listed[1].teamId}/role`
    expect((await owner.call("PUT", path, { role: "member" })).body.reason).toBe("managed_by_configuration")
    expect((await owner.call("DELETE", `/v1/scim/directories/${directory.id}`)).body.reason).toBe(
      "managed_by_configuration"
    )
    // Requests of the identity provider are not affected.
    await makeGroup(directory, [user.id], "Others")
  })

  it("require the permissions of their own operations, and the plan", async () => {
    const owner = await makeWorkspace(plane)
    const base = ["organizations:read", "organizations:write", "scim:read", "roles:read"]
    const messageOf = async (permissions: ReadonlyArray<string>) =>
      (await send(await makeKey(plane, owner, permissions), "apply", document())).body.message
    expect(await messageOf(base.slice(0, 2))).toContain("This requires the permission")
    expect(await messageOf(base)).toBe("This requires the permission scim:manage.")
    const free = await makeWorkspace(plane)
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${free.organizationId}`)
    expect(await problemsOf(free, document())).toEqual([
      [[], "cannot be created: This feature needs the enterprise plan."]
    ])
  })
})

describe("the role for new members in the SSO connection", () => {
  const document = (role: string) => ({
    ssoConnections: [
      { key: "login", protocol: "oidc", issuer: "https://idp.example", clientId: "one", jit: { enabled: true, role } }
    ]
  })

  it("is the key of a custom role, which must exist", async () => {
    const owner = await makeWorkspace(plane)
    expect(await problemsOf(owner, document("reviewer"))).toEqual([[["jit", "role"], "does not exist: reviewer"]])
    await applied(owner, { roles: [reviewer], ...document("reviewer") })
    expect(actions(await applied(owner, document("reviewer")))).toEqual([])
    const { id } = demanded(await owner.call("GET", "/v1/roles")).items[0]
    expect(demanded(await owner.call("GET", "/v1/sso")).sso.jit).toEqual({ enabled: true, role: id })
    const first = await exported(owner)
    expect(first.ssoConnections[0].jit).toEqual({ enabled: true, role: "reviewer" })
    const twin = await makeWorkspace(plane)
    await applied(twin, first)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
    // Another role with the same settings, in the same apply as a renamed key.
    const moved = {
      roles: [{ ...reviewer, key: "checker" }],
      moved: [{ kind: "roles", from: "reviewer", to: "checker" }]
    }
    expect(actions(await planned(owner, { ...moved, ...document("checker") }))).toEqual(["move roles checker"])
    expect(await problemsOf(owner, document(id))).toEqual([[["jit", "role"], `does not exist: ${id}`]])
    expect(actions(await applied(owner, document("admin")))).toEqual(["update ssoConnections login jit"])
    expect((await refusal(owner, document("owner")))[2]).toEqual(["ssoConnections", 0, "jit", "role"])
    const removal = { roles: [], prune: { roles: true }, ...document("reviewer") }
    expect(await problemsOf(owner, removal)).toEqual([[["jit", "role"], "is removed by the document: reviewer"]])
    const reader = await makeKey(plane, owner, ["organizations:read", "sso:read"])
    expect((await reader.call("GET", "/v1/configuration?kinds=ssoConnections")).body.message).toBe(
      "This requires the permission roles:read."
    )
  })

  it("is never a custom role with the key of a built-in role", async () => {
    const owner = await makeWorkspace(plane)
    expect((await refusal(owner, { roles: [{ ...reviewer, key: "admin" }] })).slice(2)).toEqual([
      ["roles", 0, "key"],
      "must not be the name of a built-in role"
    ])
    const { role } = (await owner.call("POST", "/v1/roles", { name: "Admin!", permissions: [] })).body
    expect((await exported(owner)).roles).toMatchObject([{ key: "admin-2" }])
    const adoptions = [{ kind: "roles", id: role.id, key: "admin" }]
    const adopted = await owner.call("POST", "/v1/configuration/adopt", { adoptions })
    expect([adopted.status, adopted.body.error]).toEqual([409, "configuration_key_taken"])
    expect(await addMember(plane, owner, role.id)).toBeDefined()
    expect((await exported(owner, "memberRoles")).memberRoles).toEqual({ owner: [], admin: [], "admin-2": [] })
  })
})
