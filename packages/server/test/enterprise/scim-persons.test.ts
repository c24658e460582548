/** The users of SCIM users when users, email addresses, directories and organizations change or are removed. */
import { describe, expect, it } from "vitest"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { tenantTables } from "../../src/infra/sql/migrations/0037_scim.ts"
import { call, makeControlPlane, makeWorkspace, runSql, signIn } from "../harness.ts"
import {
  expectRefused,
  makeDirectory,
  makeGroup,
  makeUser,
  next,
  patchOf,
  someUser,
  userUrn,
  verifyDomain
} from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const rowsOf = async (organizationId: string) => {
  const counts = await Promise.all(
    tenantTables.map(async (table) => {
      const [row] = await runSql(
        plane,
        (sql) =>
          sql<{
            count: number
          }>`SELECT count(*)::int AS count FROM ${sql(table)} WHERE organization_id = ${organizationId}`
      )
      return [table, row?.count] as const
    })
  )
  return Object.fromEntries(counts)
}

const personOf = async (id: string) => {
  const [row] = await runSql(
    plane,
    (sql) => sql<{ user_id: string; membership_id: string | null }>`SELECT user_id, membership_id FROM scim_users
      WHERE id = ${id}`
  )
  if (row === undefined) throw new Error(`There is no record ${id}.`)
  return row
}

const isThere = async (userId: string) =>
  (await runSql(plane, (sql) => sql`SELECT id FROM users WHERE id = ${userId}`)).length === 1

describe("the user of a SCIM user", () => {
  it("is linked to one of two directories of an organization at a time", async () => {
    const one = await makeDirectory(plane)
    const other = await makeDirectory(plane, one.owner)
    const domain = `d${next()}.example`
    await verifyDomain(plane, one.owner, domain)
    const emails = [{ value: `ann@${domain}`, primary: true }]
    const mine = await makeUser(one, { emails })
    expectRefused(await other.scim("POST", "/Users", someUser({ emails })), 409, "uniqueness")
    // There can be two inactive SCIM users of a user, but only one becomes a member.
    const second = await makeUser(other, { emails, active: false })
    const activate = () =>
      other.scim("PATCH", `/Users/${second.id}`, patchOf({ op: "replace", path: "active", value: true }))
    expectRefused(await activate(), 409, "uniqueness")
    expect((await one.scim("DELETE", `/Users/${mine.id}`)).status).toBe(204)
    expect((await activate()).body.active).toBe(true)
    expect(await personOf(second.id)).toMatchObject({ user_id: (await personOf(mine.id)).user_id })
    // A SCIM user of one directory is not found by the other.
    const member = { op: "add", path: "members", value: [{ value: second.id }] }
    const group = await makeGroup(one)
    expectRefused(await one.scim("PATCH", `/Groups/${group.id}`, patchOf(member)), 400, "invalidValue")
    expectRefused(await other.scim("PATCH", `/Groups/${group.id}`, patchOf(member)), 404)
  })

  it("stays the same when its email addresses change, even to another user's", async () => {
    const directory = await makeDirectory(plane)
    const [before, after] = [`d${next()}.example`, `d${next()}.example`]
    for (const domain of [before, after]) await verifyDomain(plane, directory.owner, domain)
    const ann = await makeUser(directory, { userName: `ann@${before}`, emails: [{ value: `ann@${before}` }] })
    const bob = await makeUser(directory, { userName: `bob@${after}`, emails: [{ value: `bob@${after}` }] })
    const persons = [await personOf(ann.id), await personOf(bob.id)]
    const moved = await directory.scim(
      "PATCH",
      `/Users/${ann.id}`,
      patchOf(
        { op: "Replace", path: "userName", value: `ann@${after}` },
        { op: "Replace", path: "emails", value: [{ value: `bob@${after}`, primary: true }] }
      )
    )
    expect([moved.status, moved.body.userName]).toEqual([200, `ann@${after}`])
    expect([await personOf(ann.id), await personOf(bob.id)]).toEqual(persons)
    const [row] = await runSql(
      plane,
      (sql) => sql<{ email: string }>`SELECT email FROM users WHERE id = ${persons[0]?.user_id ?? ""}`
    )
    expect(row?.email).toBe(`ann@${before}`)
    expectRefused(
      await directory.scim(
        "PATCH",
        `/Users/${ann.id}`,
        patchOf({ op: "replace", path: "userName", value: `BOB@${after}` })
      ),
      409,
      "uniqueness"
    )
  })

  it("is a new one when the SCIM user is reactivated after the user deleted their account", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory)
    const before = await personOf(id)
    const { token } = await signIn(plane, before.user_id, directory.owner.organizationId)
    expect((await call(plane, token)("DELETE", "/v1/me")).status).toBe(204)
    expect((await personOf(id)).membership_id).toBe(null)
    expect((await directory.scim("GET", `/Users/${id}`)).status).toBe(200)
    for (const value of [false, true]) {
      const response = await directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value }))
      expect([response.status, response.body.active]).toEqual([200, value])
    }
    const after = await personOf(id)
    expect(after.user_id).not.toBe(before.user_id)
    expect(after.membership_id).toMatch(/^om_/)
  })
})

describe("the retention of SCIM data", () => {
  it("removes all SCIM users of a deleted organization, and users created by its directory", async () => {
    const directory = await makeDirectory(plane)
    const otherDirectory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const linkedUser = await makeUser(directory, { emails: [{ value: `known@${domain}` }] })
    const users = [linkedUser]
    for (let count = 0; count < 7; count += 1) users.push(await makeUser(directory))
    await makeGroup(
      directory,
      users.map(({ id }) => id)
    )
    const persons = await Promise.all(users.map(async ({ id }) => (await personOf(id)).user_id))
    const other = (await personOf((await makeUser(otherDirectory)).id)).user_id
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_users SET created_at = now() - interval '2 hours' WHERE directory_id = ${directory.id}`
    )
    for (const { id } of users.slice(1, 7)) {
      expect((await directory.scim("DELETE", `/Users/${id}`)).status).toBe(204)
    }
    const rows = await rowsOf(directory.owner.organizationId)
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([])

    expect((await directory.owner.call("DELETE", "/v1/organization")).status).toBe(204)
    expectRefused(await directory.scim("GET", "/Users"), 401)
    await runSql(
      plane,
      (sql) => sql`UPDATE organizations SET deleted_at = now() - interval '31 days'
        WHERE id = ${directory.owner.organizationId}`
    )
    await runSql(plane, sweep)
    expect(Object.values(await rowsOf(directory.owner.organizationId)).every((count) => count === 0)).toBe(true)
    const left = await Promise.all(persons.map(isThere))
    // Users with an email address may be members elsewhere.
    expect(left).toEqual([true, ...persons.slice(1).map(() => false)])
    expect([await isThere(other), (await rowsOf(otherDirectory.owner.organizationId))["scim_users"]]).toEqual([true, 1])
  })

  it("removes SCIM data after a month, except held users before the decision", async () => {
    const directory = await makeDirectory(plane)
    const { organizationId } = directory.owner
    const users: Array<{ id: string }> = []
    for (let count = 0; count < 7; count += 1) users.push(await makeUser(directory))
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_users SET created_at = now() - interval '2 hours' WHERE directory_id = ${directory.id}`
    )
    const group = await makeGroup(
      directory,
      users.map(({ id }) => id)
    )
    for (const { id } of users) expect((await directory.scim("DELETE", `/Users/${id}`)).status).toBe(204)
    expect((await directory.scim("DELETE", `/Groups/${group.id}`)).status).toBe(204)
    for (const table of ["scim_users", "scim_groups"]) {
      await runSql(
        plane,
        (sql) =>
          sql`UPDATE ${sql(table)} SET removed_at = now() - interval '31 days' WHERE directory_id = ${directory.id}`
      )
    }
    await runSql(plane, sweep)
    expect(await rowsOf(organizationId)).toMatchObject({
      scim_users: 2,
      scim_held_users: 2,
      scim_holds: 1,
      scim_groups: 0
    })
    const at = `/v1/scim/directories/${directory.id}/holds`
    const [hold] = (await directory.owner.call("GET", at)).body.items
    expect((await directory.owner.call("POST", `${at}/${hold.id}/approve`)).status).toBe(200)
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_holds SET decided_at = now() - interval '31 days' WHERE directory_id = ${directory.id}`
    )
    await runSql(plane, sweep)
    expect(await rowsOf(organizationId)).toMatchObject({ scim_users: 0, scim_held_users: 0, scim_holds: 0 })
    // A user removed long ago can return with the same name.
    expect((await directory.scim("POST", "/Users", someUser())).status).toBe(201)
  })
})

describe("the operator's path prefix", () => {
  it("is part of the URLs of directories and resources", async () => {
    const below = await makeControlPlane({
      publicUrl: "https://plane.example/control",
      pathPrefix: "/control",
      workers: false
    })
    const owner = await makeWorkspace(below)
    const response = await call(below, owner.token)("POST", "/control/v1/scim/directories", { name: "Below" })
    const { directory, token } = response.body
    expect(directory.baseUrl).toBe("https://plane.example/control/v1/scim/v2")
    const pathOf = (url: string) => url.replace("https://plane.example", "")
    const scim = call(below, token)
    const user = await scim("POST", `${pathOf(directory.baseUrl)}/Users`, { schemas: [userUrn], userName: "below" })
    expect([user.status, user.headers.get("location")]).toEqual([201, user.body.meta.location])
    const config = await scim("GET", `${pathOf(directory.baseUrl)}/ServiceProviderConfig`)
    const schemas = await scim("GET", `${pathOf(directory.baseUrl)}/Schemas`)
    for (const { meta } of [user.body, config.body, ...schemas.body.Resources]) {
      expect((await scim("GET", pathOf(meta.location))).body.meta.location).toBe(meta.location)
    }
    const log = await call(below, owner.token)(
      "GET",
      `/control/v1/scim/directories/${directory.id}/log?decision=created`
    )
    expect(log.body.items).toMatchObject([{ path: "/Users", resourceId: user.body.id }])
  })
})
