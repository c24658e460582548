/** SCIM groups, which have teams: members, large groups and concurrent changes. */
import { describe, expect, it } from "vitest"
import { call, makeControlPlane, makeTeam, runSql, type TestResponse } from "../harness.ts"
import {
  type Directory,
  expectRefused,
  groupUrn,
  makeDirectory,
  makeGroup,
  makeUser,
  next,
  patchOf,
  someUser,
  userUrn
} from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const missing = "scu_01h455vb4pex5vsknk084sn02q"

const valuesOf = ({ body }: TestResponse): ReadonlyArray<string> =>
  (body.members ?? []).map(({ value }: { value: string }) => value)
const teamOf = async ({ owner }: Directory, id: string) => (await owner.call("GET", `/v1/teams/${id}`)).body.team
const members = (...ids: ReadonlyArray<string>) => ids.map((value) => ({ value }))

/** SCIM users as if the directory had provisioned them one by one. */
const makeMany = async ({ id: directoryId, owner: { organizationId } }: Directory, size: number) => {
  const name = next()
  await runSql(
    plane,
    (sql) =>
      sql`WITH people AS (INSERT INTO users (id, created_at, updated_at)
        SELECT 'usr_' || lpad(to_hex(n + ${name * 100_000}::int), 26, '0'), now(), now()
        FROM generate_series(1, ${size}::int) AS s(n) RETURNING id),
      joined AS (INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        SELECT ${organizationId}, replace(id, 'usr_', 'om_'), id, 'member', now(), now() FROM people RETURNING id)
      INSERT INTO scim_users (organization_id, id, directory_id, user_name, active, resource_json, folded_json, user_id,
        membership_id, created_at, updated_at)
      SELECT ${organizationId}, replace(p.id, 'usr_', 'scu_'), ${directoryId}, p.id, true,
        jsonb_build_object('schemas', jsonb_build_array(${userUrn}::text), 'userName', p.id, 'active', true),
        jsonb_build_object('userName', p.id, 'active', true), p.id, replace(p.id, 'usr_', 'om_'), now(), now()
      FROM people p`
  )
  const rows = await runSql(
    plane,
    (sql) => sql<{ id: string }>`SELECT id FROM scim_users WHERE directory_id = ${directoryId} ORDER BY id`
  )
  return rows.map(({ id }) => id)
}

describe("POST /Groups", () => {
  it("creates a team with users of the directory", async () => {
    const directory = await makeDirectory(plane)
    const users = [(await makeUser(directory)).id, (await makeUser(directory, { active: false })).id]
    const response = await directory.scim("POST", "/Groups", {
      schemas: [groupUrn],
      displayName: "Design",
      externalId: "g1",
      members: members(...users, ...users)
    })
    expect([response.status, response.headers.get("etag"), response.headers.get("location")]).toEqual([
      201,
      'W/"1"',
      `http://localhost/v1/scim/v2/Groups/${response.body.id}`
    ])
    expect(response.body).toMatchObject({ schemas: [groupUrn], displayName: "Design", externalId: "g1" })
    expect(valuesOf(response)).toEqual(users)
    expect(response.body.members[0]).toMatchObject({
      type: "User",
      $ref: `http://localhost/v1/scim/v2/Users/${users[0]}`
    })
    // Inactive users are in the group but not in the team.
    expect(await teamOf(directory, response.body.id)).toMatchObject({ name: "Design", memberCount: 1 })
    const user = await directory.scim("GET", `/Users/${users[0]}`)
    expect(user.body.groups).toMatchObject([{ value: response.body.id, display: "Design", type: "direct" }])
  })

  it("returns 409 for an existing displayName of the directory, but not for a team's name", async () => {
    const directory = await makeDirectory(plane)
    await makeTeam(directory.owner, [], "Sales")
    const group = { schemas: [groupUrn], displayName: "Sales" }
    const responses = await Promise.all(
      ["Sales", "SALES", "sales", "Sales"].map((displayName) =>
        directory.scim("POST", "/Groups", { ...group, displayName })
      )
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    for (const response of responses.filter(({ status }) => status === 409)) expectRefused(response, 409, "uniqueness")
    const creation = responses.find(({ status }) => status === 201)
    expect((await teamOf(directory, creation?.body.id)).name).toMatch(/^sales \(SCIM\)$/i)
    const sibling = await makeDirectory(plane, directory.owner)
    const other = await sibling.scim("POST", "/Groups", group)
    expect([other.status, (await teamOf(sibling, other.body.id)).name]).toEqual([201, "Sales (SCIM 2)"])
    const long = await makeGroup(directory, [], "x".repeat(300))
    expect((await teamOf(directory, long.id)).name).toBe("x".repeat(120))
  })

  it("returns the same 400 for members that are not users of the directory, and creates nothing", async () => {
    const directory = await makeDirectory(plane)
    const sibling = await makeDirectory(plane, directory.owner)
    const stranger = await makeDirectory(plane)
    const group = await makeGroup(directory)
    const removedId = (await makeUser(directory)).id
    await directory.scim("DELETE", `/Users/${removedId}`)
    const own = (await makeUser(directory)).id
    const responses = new Set<string>()
    for (const id of [missing, removedId, (await makeUser(sibling)).id, (await makeUser(stranger)).id, group.id, "x"]) {
      const wanted = { schemas: [groupUrn], displayName: `Group ${next()}`, members: members(own, id) }
      for (const response of [
        await directory.scim("POST", "/Groups", wanted),
        await directory.scim("PUT", `/Groups/${group.id}`, wanted),
        await directory.scim(
          "PATCH",
          `/Groups/${group.id}`,
          patchOf({ op: "add", path: "members", value: members(own, id) })
        )
      ]) {
        expectRefused(response, 400, "invalidValue")
        responses.add(response.text)
      }
    }
    expect(responses.size).toBe(1)
    const list = await directory.scim("GET", "/Groups")
    expect([list.body.totalResults, list.body.Resources[0].displayName]).toEqual([1, group.displayName])
    expect(valuesOf(await directory.scim("GET", `/Groups/${group.id}`))).toEqual([])
    expectRefused(
      await directory.scim("POST", "/Groups", {
        schemas: [groupUrn],
        displayName: "A",
        members: [{ value: own, type: "Group" }]
      }),
      400,
      "invalidValue"
    )
    for (const body of ["{", { schemas: [groupUrn] }, { schemas: [groupUrn], displayName: "" }, { displayName: "A" }]) {
      expect((await directory.scim("POST", "/Groups", body)).status).toBe(400)
    }
  })
})

describe("changes of a SCIM group", () => {
  it("PATCH adds, removes and replaces members in order, and returns a body on request", async () => {
    const directory = await makeDirectory(plane)
    const [a, b, c] = [(await makeUser(directory)).id, (await makeUser(directory)).id, (await makeUser(directory)).id]
    const { id } = await makeGroup(directory, [a])
    const path = `/Groups/${id}`
    const patch = (...operations: ReadonlyArray<object>) => directory.scim("PATCH", path, patchOf(...operations))
    const now = async () => valuesOf(await directory.scim("GET", path))
    const added = await patch({ op: "Add", path: "members", value: members(b, c) })
    expect([added.status, added.text, added.headers.get("etag")]).toEqual([204, "", 'W/"2"'])
    expect(await now()).toEqual([a, b, c])
    await patch(
      { op: "remove", path: `members[value eq "${a}"]` },
      { op: "Remove", path: "members", value: members(b) }
    )
    expect(await now()).toEqual([c])
    expect((await teamOf(directory, id)).memberCount).toBe(1)
    await patch(
      { op: "replace", path: "members", value: members(a) },
      { op: "add", path: "members", value: members(b) }
    )
    expect(await now()).toEqual([a, b])
    await patch({ op: "replace", value: { displayName: "Renamed", members: members(b) } })
    expect([await now(), (await teamOf(directory, id)).name]).toEqual([[b], "Renamed"])
    const { headers } = await directory.scim("GET", path)
    // Repeating the change does not increment the version.
    await patch({ op: "add", path: "members", value: members(b) }, { op: "remove", path: `members[value eq "${a}"]` })
    await patch({ op: "replace", path: "members", value: members(b) })
    expect((await directory.scim("GET", path)).headers.get("etag")).toBe(headers.get("etag"))
    const shown = await directory.scim(
      "PATCH",
      `${path}?attributes=members`,
      patchOf({ op: "remove", path: "members" })
    )
    expect([shown.status, shown.body.id, shown.body.members]).toEqual([200, id, undefined])
    expect((await teamOf(directory, id)).memberCount).toBe(0)
    expectRefused(await patch({ op: "add", path: "nothing", value: 1 }), 400, "invalidPath")
  })

  it("PUT replaces name and members, and keeps members when they are absent", async () => {
    const directory = await makeDirectory(plane)
    const [a, b] = [(await makeUser(directory)).id, (await makeUser(directory)).id]
    const { id } = await makeGroup(directory, [a])
    const put = (more: object) =>
      directory.scim("PUT", `/Groups/${id}`, { schemas: [groupUrn], displayName: "Put", ...more })
    expect(valuesOf(await put({}))).toEqual([a])
    const whole = await put({ members: members(b) })
    expect([whole.status, valuesOf(whole), whole.body.displayName]).toEqual([200, [b], "Put"])
    expect(valuesOf(await put({ members: [] }))).toEqual([])
    const other = await makeGroup(directory)
    expectRefused(await put({ displayName: other.displayName.toUpperCase() }), 409, "uniqueness")
  })

  it("DELETE removes the team with its grants, after which the id is unknown", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeGroup(directory, [(await makeUser(directory)).id])
    const plugin = (await directory.owner.call("POST", "/v1/plugins", { name: `Plugin ${next()}` })).body.item.id
    await directory.owner.call("POST", `/v1/plugins/${plugin}/access`, { teamId: id, role: "viewer" })
    const stranger = await makeDirectory(plane)
    for (const other of [stranger, await makeDirectory(plane, directory.owner)]) {
      expectRefused(await other.scim("DELETE", `/Groups/${id}`), 404)
      expectRefused(await other.scim("GET", `/Groups/${id}`), 404)
    }
    // Another team of the organization is not a group of the directory.
    expectRefused(await directory.scim("GET", `/Groups/${await makeTeam(directory.owner, [])}`), 404)
    expect((await directory.scim("DELETE", `/Groups/${id}`)).status).toBe(204)
    expectRefused(await directory.scim("DELETE", `/Groups/${id}`), 404)
    expect((await directory.owner.call("GET", `/v1/teams/${id}`)).status).toBe(404)
    const grants = (await directory.owner.call("GET", `/v1/plugins/${plugin}/access`)).body.items
    expect(
      grants.filter(
        ({ removedAt, teamId }: { removedAt: string | null; teamId: string | null }) =>
          teamId === id && removedAt === null
      )
    ).toEqual([])
  })

  it("update the role of the members immediately", async () => {
    const directory = await makeDirectory(plane)
    const user = await makeUser(directory)
    const { id } = await makeGroup(directory)
    const role = async () => {
      const { body } = await directory.owner.call("GET", "/v1/members?limit=100")
      return body.items.find(({ id: one }: { id: string }) => one !== directory.owner.membershipId).role
    }
    await runSql(plane, (sql) => sql`UPDATE scim_groups SET role = 'admin' WHERE id = ${id}`)
    await directory.scim("PATCH", `/Groups/${id}`, patchOf({ op: "add", path: "members", value: members(user.id) }))
    expect(await role()).toBe("admin")
    await directory.scim("PATCH", `/Groups/${id}`, patchOf({ op: "remove", path: `members[value eq "${user.id}"]` }))
    expect(await role()).toBe("member")
    await directory.scim("PATCH", `/Groups/${id}`, patchOf({ op: "add", path: "members", value: members(user.id) }))
    expect((await directory.scim("DELETE", `/Groups/${id}`)).status).toBe(204)
    expect(await role()).toBe("member")
  })
})

describe("groups with thousands of members", () => {
  it("change in one request with few statements, and are read only on request", { timeout: 240_000 }, async () => {
    const directory = await makeDirectory(plane)
    const ids = await makeMany(directory, 8000)
    const { id } = await makeGroup(directory)
    const path = `/Groups/${id}`
    const added = await directory.scim("PATCH", path, patchOf({ op: "add", path: "members", value: members(...ids) }))
    expect(added.status).toBe(204)
    expect((await teamOf(directory, id)).memberCount).toBe(8000)
    const bare = await directory.scim("GET", `${path}?excludedAttributes=members`)
    expect([bare.status, bare.body.members]).toEqual([200, undefined])
    expect(valuesOf(await directory.scim("GET", path))).toHaveLength(8000)
    const [event] = (await directory.owner.call("GET", "/v1/audit-events?action=scim.group_update")).body.items
    expect(event.after).toMatchObject({ membersAdded: 8000, membersRemoved: 0 })
    const taken = await directory.scim(
      "PATCH",
      path,
      patchOf({ op: "remove", path: "members", value: members(...ids.slice(1)) })
    )
    expect([taken.status, (await teamOf(directory, id)).memberCount]).toEqual([204, 1])
    // Large groups shorten a page; the next page continues there.
    const large = { schemas: [groupUrn], displayName: "Large", members: members(...ids) }
    expect((await directory.scim("POST", "/Groups?excludedAttributes=members", large)).status).toBe(201)
    const again = { ...large, displayName: "Large too" }
    expect((await directory.scim("POST", "/Groups?excludedAttributes=members", again)).status).toBe(201)
    const page = await directory.scim("GET", "/Groups")
    expect([page.body.totalResults, page.body.itemsPerPage]).toEqual([3, 2])
    const rest = await directory.scim("GET", "/Groups?startIndex=3")
    expect([rest.body.itemsPerPage, valuesOf({ ...rest, body: rest.body.Resources[0] }).length]).toEqual([1, 8000])
    expect((await directory.scim("GET", "/Groups?excludedAttributes=members")).body.itemsPerPage).toBe(3)
  })

  it("are rejected above the body limit, and invalid JSON is never processed", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeGroup(directory)
    const body = JSON.stringify(patchOf({ op: "add", path: "members", value: [{ value: "x".repeat(4_300_000) }] }))
    expectRefused(await directory.scim("PATCH", `/Groups/${id}`, body), 413)
    const many = Array.from({ length: 10_001 }, () => ({ value: missing }))
    expectRefused(
      await directory.scim("PATCH", `/Groups/${id}`, patchOf({ op: "add", path: "members", value: many })),
      413
    )
  })
})

describe("concurrent SCIM requests", () => {
  it("add all members to one group despite changes to the users", { timeout: 240_000 }, async () => {
    const directory = await makeDirectory(plane)
    for (let count = 0; count < 30; count += 1) await makeUser(directory)
    const { body } = await directory.scim("GET", "/Users?count=200")
    const ids = (body.Resources as ReadonlyArray<{ id: string }>).map(({ id }) => id)
    const [left = "", deletedId = "", off = ""] = ids
    const { id } = await makeGroup(directory)
    const active = (user: string, value: boolean) =>
      directory.scim("PATCH", `/Users/${user}`, patchOf({ op: "replace", path: "active", value }))
    const responses = await Promise.all([
      ...ids
        .slice(3)
        .map((user) =>
          directory.scim(
            "PATCH",
            `/Groups/${id}`,
            patchOf({ op: "add", path: "members", value: members(user, left, off) })
          )
        ),
      directory.scim("DELETE", `/Users/${deletedId}`),
      active(off, false),
      active(left, false).then(() => active(left, true))
    ])
    expect(responses.filter(({ status }) => status >= 300).map(({ status, text }) => [status, text])).toEqual([])
    expect([...valuesOf(await directory.scim("GET", `/Groups/${id}`))].sort()).toEqual(
      ids.filter((one) => one !== deletedId).sort()
    )
    // The team has exactly the current members.
    const team = await directory.owner.call("GET", `/v1/teams/${id}/members?limit=100`)
    expect(team.body.items).toHaveLength(28)
    expect((await teamOf(directory, id)).memberCount).toBe(28)
  })

  it("change or remove one user completely or not at all", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory)
    const group = await makeGroup(directory, [id])
    const responses = await Promise.all([
      ...Array.from({ length: 8 }, (_, index) =>
        directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "title", value: `T ${index}` }))
      ),
      directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: false })),
      directory.scim("DELETE", `/Users/${id}`),
      directory.scim("DELETE", `/Users/${id}`),
      directory.scim("DELETE", `/Groups/${group.id}`)
    ])
    expect(responses.filter(({ status }) => ![200, 204, 404].includes(status))).toEqual([])
    expect(
      responses
        .slice(9, 11)
        .map(({ status }) => status)
        .toSorted()
    ).toEqual([204, 404])
    expectRefused(await directory.scim("GET", `/Users/${id}`), 404)
    expect((await directory.owner.call("GET", "/v1/members")).body.items).toHaveLength(1)
  })

  it("provision users of one directory in parallel", async () => {
    const directory = await makeDirectory(plane)
    const responses = await Promise.all(Array.from({ length: 40 }, () => directory.scim("POST", "/Users", someUser())))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 201))
    expect((await directory.scim("GET", "/Users?count=0")).body.totalResults).toBe(40)
  })
})

describe("a request that fails midway", () => {
  it("leaves no user, member, SCIM user, group, log entry or audit event", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory)
    const tables = ["users", "memberships", "scim_users", "scim_groups", "scim_group_members", "teams", "team_members"]
    const counts = () =>
      runSql(plane, (sql) =>
        sql.unsafe<{ counts: unknown }>(
          `SELECT jsonb_build_array(${[...tables, "audit_events"].map((table) => `(SELECT count(*) FROM ${table})`).join(", ")}) AS counts`
        )
      )
    const before = await counts()
    // The log is written last before the audit, so without it nothing is stored.
    await runSql(plane, (sql) =>
      sql.unsafe(
        "ALTER TABLE scim_log ADD CONSTRAINT never CHECK (decision NOT IN ('created', 'updated', 'deleted')) NOT VALID"
      )
    )
    for (const response of [
      await directory.scim("POST", "/Users", someUser()),
      await directory.scim("POST", "/Groups", { schemas: [groupUrn], displayName: "Never", members: members(id) }),
      await directory.scim("DELETE", `/Users/${id}`)
    ]) {
      expectRefused(response, 500)
    }
    await runSql(plane, (sql) => sql.unsafe("ALTER TABLE scim_log DROP CONSTRAINT never"))
    expect(await counts()).toEqual(before)
    expect((await directory.scim("GET", `/Users/${id}`)).body.active).toBe(true)
  })
})

describe("SCIM requests", () => {
  it("require a live token of the directory", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeGroup(directory)
    for (const [token, status] of [
      [undefined, 401],
      ["opd_nothing", 401],
      [directory.owner.token, 403]
    ] as const) {
      expectRefused(await call(plane, token)("DELETE", `/v1/scim/v2/Groups/${id}`), status)
    }
    expect((await call(plane, directory.token)("GET", "/v1/teams")).status).toBe(403)
    expect((await directory.scim("GET", `/Groups/${id}`)).status).toBe(200)
  })
})
