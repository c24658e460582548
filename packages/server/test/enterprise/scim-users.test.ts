/** SCIM users according to RFC 7643 and RFC 7644. See scim-providers.test.ts for the requests of real providers. */
import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { normalize } from "../../src/infra/scim/language/index.ts"
import { ScimUsersService } from "../../src/enterprise/scim-protocol/users-service.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeWorkerToken,
  makeWorkspace,
  mintSession,
  runSql,
  signIn
} from "../harness.ts"
import {
  type Directory,
  enterpriseUrn,
  expectRefused,
  makeDirectory,
  makeGroup,
  makeUser,
  next,
  patchOf,
  searchUrn,
  someUser,
  userUrn,
  verifyDomain
} from "./scim.fixture.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const missing = "scu_01h455vb4pex5vsknk084sn02q"

const byFilter = (filter: string, more = "") => `/Users?filter=${encodeURIComponent(filter)}${more}`
const membersOf = async ({ owner }: Directory) =>
  (await owner.call("GET", "/v1/members?limit=100")).body.items as ReadonlyArray<{
    readonly id: string
    readonly userId: string
    readonly role: string
    readonly name: string | null
    readonly email: string | null
  }>
/** The database row of a SCIM user, which no operation returns completely. */
const rowOf = async (id: string) => {
  const [row] = await runSql(
    plane,
    (sql) =>
      sql<{
        user_id: string
        membership_id: string | null
        text: string
      }>`SELECT user_id, membership_id, to_jsonb(u)::text AS text FROM scim_users u WHERE id = ${id}`
  )
  if (row === undefined) throw new Error(`There is no record ${id}.`)
  return row
}
/** Enough users that a few deactivations are not a mass deactivation. */
const crowd = async (directory: Directory, size = 24) => {
  for (let index = 0; index < size; index += 1) await makeUser(directory)
  await runSql(
    plane,
    (sql) => sql`UPDATE scim_users SET created_at = now() - interval '2 hours' WHERE directory_id = ${directory.id}`
  )
}

describe("POST /Users", () => {
  it("provisions a member and returns location and version", async () => {
    const directory = await makeDirectory(plane)
    const input = someUser({ externalId: "00u1", [enterpriseUrn]: { department: "Design" } })
    const response = await directory.scim("POST", "/Users", { ...input, password: "pl4nted-s3cret" })
    expect([response.status, response.headers.get("content-type"), response.headers.get("etag")]).toEqual([
      201,
      "application/scim+json",
      'W/"1"'
    ])
    expect(response.headers.get("location")).toBe(`http://localhost/v1/scim/v2/Users/${response.body.id}`)
    const { schemas: _, ...attributes } = input
    expect(response.body).toMatchObject({ ...attributes, schemas: [userUrn, enterpriseUrn] })
    expect(response.body.meta).toMatchObject({
      resourceType: "User",
      location: response.headers.get("location"),
      version: 'W/"1"'
    })
    expect((await directory.scim("GET", `/Users/${response.body.id}`)).body).toEqual(response.body)
    expect((await rowOf(response.body.id)).text).not.toContain("pl4nted-s3cret")
    expect(await membersOf(directory)).toHaveLength(2)
  })

  it("accepts both media types with any or no charset, and returns 400 for others", async () => {
    const directory = await makeDirectory(plane)
    for (const type of ["application/json", "application/scim+json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
      const response = await directory.scim("POST", "/Users", someUser(), { "content-type": type })
      expect([type, response.status]).toEqual([type, 201])
    }
    for (const type of ["text/plain", "application/xml", "application/jsonp", "nonsense"]) {
      expectRefused(await directory.scim("POST", "/Users", someUser(), { "content-type": type }), 400, "invalidSyntax")
    }
  })

  it("returns 400 for an invalid user and stores nothing", async () => {
    const directory = await makeDirectory(plane)
    for (const body of ["{", "", "[]", "null", "7", '"text"']) {
      expectRefused(await directory.scim("POST", "/Users", body), 400, "invalidSyntax")
    }
    expectRefused(await directory.scim("POST", "/Users", { userName: "a" }), 400, "invalidSyntax")
    for (const more of [
      { userName: undefined },
      { userName: "" },
      { userName: 7 },
      { userName: "a\u0000" },
      { userName: "😀".repeat(400) },
      { externalId: "😀".repeat(400) },
      { active: "perhaps" },
      { emails: [{ value: 7 }] }
    ]) {
      const response = await directory.scim("POST", "/Users", someUser(more))
      expect([more, response.status, response.body.scimType]).toEqual([more, 400, "invalidValue"])
    }
    expect((await directory.scim("GET", "/Users?count=0")).body.totalResults).toBe(0)
    expect(await membersOf(directory)).toHaveLength(1)
  })

  it("returns 409 for an existing userName ignoring case, also for ten concurrent requests, and creates nothing more", async () => {
    const directory = await makeDirectory(plane)
    const user = someUser()
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        directory.scim("POST", "/Users", {
          ...user,
          userName: index % 2 === 0 ? user.userName : user.userName.toUpperCase()
        })
      )
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
    for (const response of responses.filter(({ status }) => status === 409)) expectRefused(response, 409, "uniqueness")
    expect(await membersOf(directory)).toHaveLength(2)
    // Another directory is not affected, and a client that retries finds its user.
    expect((await (await makeDirectory(plane)).scim("POST", "/Users", user)).status).toBe(201)
    const search = await directory.scim("GET", byFilter(`userName eq "${user.userName}"`))
    expect(search.body.totalResults).toBe(1)
  })

  it("creates a membership only for an active user, or when the user becomes active", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory, { active: false })
    expect((await rowOf(id)).membership_id).toBe(null)
    expect(await membersOf(directory)).toHaveLength(1)
    const { id: groupId } = await makeGroup(directory, [id])
    const changed = await directory.scim(
      "PATCH",
      `/Users/${id}`,
      patchOf({ op: "replace", path: "active", value: true })
    )
    expect([changed.status, changed.body.active, changed.headers.get("etag")]).toEqual([200, true, 'W/"2"'])
    expect(await membersOf(directory)).toHaveLength(2)
    const team = await directory.owner.call("GET", `/v1/teams/${groupId}/members`)
    expect(team.body.items).toHaveLength(1)
  })
})

describe("the member of a SCIM user", () => {
  it("is the user with the email address in a verified domain", async () => {
    const directory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const email = `ann@${domain}`
    const user = await makeUser(directory, { userName: email, emails: [{ value: email }], displayName: "Ann" })
    const ann = (await membersOf(directory)).find((member) => member.email === email)
    expect(ann).toMatchObject({ role: "member", name: "Ann" })
    expect((await rowOf(user.id)).membership_id).toBe(ann?.id)
    // Another organization with a directory has not verified the domain.
    const other = await makeDirectory(plane)
    const elsewhere = await makeUser(other, { userName: email, emails: [{ value: email }] })
    expect((await rowOf(elsewhere.id)).user_id).not.toBe((await rowOf(user.id)).user_id)
  })

  it("is an existing member with their current role, once", async () => {
    const directory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const admin = await addMember(plane, directory.owner, "admin")
    const email = `bob@${domain}`
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = ${email}, email_verified = true WHERE id = ${admin.userId}`
    )
    const user = await makeUser(directory, { emails: [{ value: email, type: "work" }] })
    expect((await rowOf(user.id)).membership_id).toBe(admin.membershipId)
    expect((await membersOf(directory)).find(({ id }) => id === admin.membershipId)?.role).toBe("admin")
    expectRefused(await directory.scim("POST", "/Users", someUser({ emails: [{ value: email }] })), 409, "uniqueness")
    expect(await membersOf(directory)).toHaveLength(2)
  })

  it("signs out a user who had set the email address without verifying it", async () => {
    const directory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const squatter = await makeWorkspace(plane)
    const email = `carl@${domain}`
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = ${email}, email_verified = false WHERE id = ${squatter.userId}`
    )
    expect((await squatter.call("GET", "/v1/me")).status).toBe(200)
    await makeUser(directory, { emails: [{ value: email }] })
    expect((await squatter.call("GET", "/v1/me")).status).toBe(401)
  })

  it("keeps what the directory sends on the SCIM user and not on the user", async () => {
    const directory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const email = `dora@${domain}`
    const user = await makeUser(directory, { emails: [{ value: email }], displayName: "Dora" })
    await directory.scim(
      "PATCH",
      `/Users/${user.id}`,
      patchOf({ op: "replace", path: "displayName", value: "Theodora" })
    )
    expect((await membersOf(directory)).find((member) => member.email === email)?.name).toBe("Dora")
  })
})

describe("the SQL statements of a new SCIM user", () => {
  it("are few for any user: the user, the SCIM user with the log entry, and the audit", async () => {
    const directory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const caller: DirectoryCaller = {
      ...memberOf(directory.owner),
      kind: "directory",
      directoryId: directory.id as Id<"scd">,
      tokenId: "sct_1"
    }
    const statementsFor = async (more: Record<string, unknown>) => {
      const user = normalize("User", someUser(more), { kind: "create" })
      const { response, count } = await counted(
        plane,
        Effect.flatMap(ScimUsersService, (users) =>
          users.create(caller, { method: "POST", path: "/Users" }, user)
        ).pipe(Effect.provide(Layer.fresh(ScimUsersService.layer)))
      )
      expect(await rowOf(response.id)).toMatchObject({ membership_id: response.membership_id })
      return count
    }
    // The statements of starting the service are in both.
    const existingUserStatements = await statementsFor({ emails: [{ value: `kim@${domain}` }] })
    expect(existingUserStatements).toBeLessThanOrEqual(5)
    expect(await statementsFor({ emails: [{ value: "kim@elsewhere.example" }] })).toBeLessThanOrEqual(
      existingUserStatements + 1
    )
  })
})

describe("a SCIM user", () => {
  it("returns the same 404 when it is missing, removed, or of another directory or organization", async () => {
    const directory = await makeDirectory(plane)
    const sibling = await makeDirectory(plane, directory.owner)
    const stranger = await makeDirectory(plane)
    const formerUser = await makeUser(directory)
    expect((await directory.scim("DELETE", `/Users/${formerUser.id}`)).status).toBe(204)
    const { id } = await makeUser(directory)
    const ids = [
      missing,
      formerUser.id,
      (await makeUser(sibling)).id,
      (await makeUser(stranger)).id,
      "x",
      "%F0%9F%98%80",
      "a%00b"
    ]
    const responses = new Set<string>()
    for (const other of ids) {
      for (const [method, body] of [
        ["GET", undefined],
        ["PUT", someUser()],
        ["PATCH", patchOf({ op: "replace", path: "active", value: false })],
        ["DELETE", undefined]
      ] as const) {
        const response = await directory.scim(method, `/Users/${other}`, body)
        expectRefused(response, 404)
        responses.add(response.text)
      }
    }
    expect(responses.size).toBe(1)
    expect((await directory.scim("GET", `/Users/${id}`)).body.active).toBe(true)
    expect((await membersOf(sibling)).length).toBe(3)
  })

  it("returns 304 for the current version and 412 for a change of another one", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory)
    const path = `/Users/${id}`
    for (const tag of ['W/"1"', '"1"', "*", '"7", W/"1"']) {
      const response = await directory.scim("GET", path, undefined, { "if-none-match": tag })
      expect([tag, response.status, response.text]).toEqual([tag, 304, ""])
    }
    expect((await directory.scim("GET", path, undefined, { "if-none-match": 'W/"2"' })).status).toBe(200)
    const title = (value: string) => patchOf({ op: "add", path: "title", value })
    for (const [method, body] of [
      ["PATCH", title("A")],
      ["PUT", someUser()],
      ["DELETE", undefined]
    ] as const) {
      expectRefused(await directory.scim(method, path, body, { "if-match": 'W/"7"' }), 412)
    }
    const raced = await Promise.all(
      ["A", "B", "C"].map((value) => directory.scim("PATCH", path, title(value), { "if-match": 'W/"1"' }))
    )
    expect(raced.map(({ status }) => status).toSorted()).toEqual([200, 412, 412])
    expect((await directory.scim("DELETE", path, undefined, { "if-match": 'W/"2"' })).status).toBe(204)
  })

  it("returns 412 for an outdated version even if the request changes nothing", async () => {
    const directory = await makeDirectory(plane)
    const user = someUser()
    const { id } = (await directory.scim("POST", "/Users", user)).body
    const path = `/Users/${id}`
    const unchanged = patchOf({ op: "replace", path: "active", value: true })
    for (const [method, body] of [
      ["PUT", user],
      ["PATCH", unchanged]
    ] as const) {
      expectRefused(await directory.scim(method, path, body, { "if-match": 'W/"7"' }), 412)
      const current = await directory.scim(method, path, body, { "if-match": 'W/"1"' })
      expect([method, current.status, current.body.meta.version]).toEqual([method, 200, 'W/"1"'])
    }
  })

  it("is returned with `attributes` and `excludedAttributes` and always required attributes", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory, { title: "Painter" })
    const keys = async (query: string) =>
      Object.keys((await directory.scim("GET", `/Users/${id}?${query}`)).body).sort()
    expect(await keys("attributes=userName,name.familyName")).toEqual(["id", "name", "schemas", "userName"])
    expect(await keys("attributes=TITLE")).toEqual(["id", "schemas", "title"])
    expect(await keys("excludedAttributes=emails,meta,name,displayName,active,id")).toEqual([
      "id",
      "schemas",
      "title",
      "userName"
    ])
    expectRefused(await directory.scim("GET", `/Users/${id}?attributes=a&excludedAttributes=b`), 400, "invalidValue")
    const user = someUser()
    expectRefused(await directory.scim("POST", "/Users?attributes=a&excludedAttributes=b", user), 400, "invalidValue")
    expect((await directory.scim("GET", byFilter(`userName eq "${user.userName}"`))).body.totalResults).toBe(0)
  })

  it("is replaced by PUT, which removes absent attributes except active", async () => {
    const directory = await makeDirectory(plane)
    const { active: _, ...rest } = someUser()
    const { id } = await makeUser(directory, { ...rest, title: "Painter", externalId: "x" })
    const put = await directory.scim("PUT", `/Users/${id}`, { ...rest, nickName: "P" })
    expect([put.status, put.headers.get("etag"), put.headers.get("location")]).toEqual([
      200,
      'W/"2"',
      `http://localhost/v1/scim/v2/Users/${id}`
    ])
    expect(put.body).toMatchObject({ nickName: "P", active: true, userName: rest.userName })
    expect(put.body).not.toHaveProperty("title")
    expect(put.body).not.toHaveProperty("externalId")
    // Repeating the change does not increment the version.
    expect((await directory.scim("PUT", `/Users/${id}`, { ...rest, nickName: "P" })).headers.get("etag")).toBe('W/"2"')
    const other = await makeUser(directory)
    expectRefused(await directory.scim("PUT", `/Users/${id}`, { ...rest, userName: other.userName }), 409, "uniqueness")
    expect((await directory.scim("GET", `/Users/${id}`)).body).toEqual(put.body)
  })

  it("is changed by PATCH with all operations or none", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory)
    const path = `/Users/${id}`
    const changed = await directory.scim(
      "PATCH",
      path,
      patchOf(
        { op: "add", path: "title", value: "Painter" },
        { op: "replace", value: { nickName: "P", [`${enterpriseUrn}:department`]: "Design" } },
        { op: "remove", path: 'emails[type eq "work"]' }
      )
    )
    expect(changed.body).toMatchObject({ title: "Painter", nickName: "P", [enterpriseUrn]: { department: "Design" } })
    expect(changed.body).not.toHaveProperty("emails")
    for (const [status, scimType, ...operations] of [
      [400, "invalidPath", { op: "add", path: "title", value: "A" }, { op: "add", path: "nothing", value: "B" }],
      [400, "noTarget", { op: "add", path: "title", value: "A" }, { op: "remove" }],
      [400, "mutability", { op: "replace", path: "id", value: missing }],
      [400, "invalidValue", { op: "replace", path: "userName", value: "" }],
      [400, "invalidSyntax", { op: "nothing", path: "title", value: "A" }]
    ] as const) {
      expectRefused(await directory.scim("PATCH", path, patchOf(...operations)), status, scimType)
    }
    expectRefused(await directory.scim("PATCH", path, { Operations: [] }), 400, "invalidSyntax")
    expect((await directory.scim("GET", path)).body).toEqual(changed.body)
  })
})

describe("active: false and DELETE", () => {
  it("end the membership, its teams and sessions of the organization immediately, and are idempotent", async () => {
    const directory = await makeDirectory(plane)
    await crowd(directory)
    const left = await makeUser(directory)
    const formerUser = await makeUser(directory)
    const team = await makeGroup(directory, [left.id, formerUser.id])
    for (const { id, end } of [
      {
        id: left.id,
        end: () =>
          directory.scim("PATCH", `/Users/${left.id}`, patchOf({ op: "replace", path: "active", value: false }))
      },
      { id: formerUser.id, end: () => directory.scim("DELETE", `/Users/${formerUser.id}`) }
    ]) {
      const { user_id } = await rowOf(id)
      const session = await signIn(plane, user_id, directory.owner.organizationId)
      expect((await call(plane, session.token)("GET", "/v1/organization")).status).toBe(200)
      expect([200, 204]).toContain((await end()).status)
      expect((await call(plane, session.token)("GET", "/v1/organization")).status).not.toBe(200)
      expect((await rowOf(id)).membership_id).toBe(null)
    }
    expect((await directory.owner.call("GET", `/v1/teams/${team.id}/members`)).body.items).toEqual([])
    // Inactive users stay in the group, removed users do not.
    const group = await directory.scim("GET", `/Groups/${team.id}`)
    expect(group.body.members.map(({ value }: { value: string }) => value)).toEqual([left.id])
    const again = await directory.scim(
      "PATCH",
      `/Users/${left.id}`,
      patchOf({ op: "replace", path: "active", value: false })
    )
    expect([again.status, again.headers.get("etag")]).toEqual([200, 'W/"2"'])
    const back = await directory.scim(
      "PATCH",
      `/Users/${left.id}`,
      patchOf({ op: "replace", path: "active", value: true })
    )
    expect(back.status).toBe(200)
    expect((await directory.owner.call("GET", `/v1/teams/${team.id}/members`)).body.items).toHaveLength(1)
    // A removed user can return with the same name.
    expect((await directory.scim("POST", "/Users", { ...someUser(), userName: formerUser.userName })).status).toBe(201)
  })

  it("do not remove the last owner", async () => {
    const directory = await makeDirectory(plane)
    const domain = `d${next()}.example`
    await verifyDomain(plane, directory.owner, domain)
    const email = `owner@${domain}`
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = ${email}, email_verified = true WHERE id = ${directory.owner.userId}`
    )
    const { id } = await makeUser(directory, { emails: [{ value: email }] })
    expectRefused(await directory.scim("DELETE", `/Users/${id}`), 403)
    expectRefused(
      await directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: false })),
      403
    )
    expect((await directory.scim("GET", `/Users/${id}`)).body.active).toBe(true)
    expect((await directory.owner.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("do not remove the last break-glass owner while single sign-on is enforced", async () => {
    const directory = await makeDirectory(plane)
    const { owner } = directory
    const domain = `d${next()}.example`
    await verifyDomain(plane, owner, domain)
    const second = await addMember(plane, owner, "owner")
    const records: Array<string> = []
    for (const { userId } of [owner, second]) {
      const email = `owner-${next()}@${domain}`
      await runSql(plane, (sql) => sql`UPDATE users SET email = ${email}, email_verified = true WHERE id = ${userId}`)
      records.push((await makeUser(directory, { emails: [{ value: email }] })).id)
    }
    await runSql(
      plane,
      (sql) => sql`INSERT INTO sso_connections (organization_id, id, protocol, config_json, enabled, enforced,
          break_glass_json, jit_enabled, jit_role, created_at, updated_at)
        VALUES (${owner.organizationId}, ${makeId("sso")}, 'oidc', '{}', true, true,
          ${sql.json([owner.membershipId])}, false, 'member', now(), now())`
    )
    const [breaksGlass, mayNot] = records
    expectRefused(await directory.scim("DELETE", `/Users/${breaksGlass}`), 403)
    expect((await directory.scim("DELETE", `/Users/${mayNot}`)).status).toBe(204)
    expectRefused(await directory.scim("DELETE", `/Users/${breaksGlass}`), 403)
  })

  it("revoke the worker token and the organization's session of the member", async () => {
    const directory = await makeDirectory(plane)
    await crowd(directory)
    const { id } = await makeUser(directory)
    const { membership_id, user_id } = await rowOf(id)
    const { organizationId } = directory.owner
    const person = { ...directory.owner, membershipId: membership_id ?? "", userId: user_id, organizationId }
    const worker = await makeWorkerToken(plane, person)
    const minted = await mintSession(plane, directory.owner, person.membershipId)
    const looks = async () => [
      (await worker.call("POST", `/v1/workers/${worker.workerId}/heartbeat`, {})).status,
      (await minted.call("GET", "/v1/organization")).status
    ]
    expect((await looks()).map((status) => status === 401)).toEqual([false, false])
    await directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "Replace", path: "active", value: "False" }))
    expect(await looks()).toEqual([401, 401])
    // A returning member needs new credentials.
    await directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "Replace", path: "active", value: "True" }))
    expect(await looks()).toEqual([401, 401])
  })

  it("are held when they are many, and keep the members until a decision", async () => {
    const directory = await makeDirectory(plane)
    await crowd(directory, 12)
    const { body } = await directory.scim("GET", "/Users?count=200")
    const ids = (body.Resources as ReadonlyArray<{ id: string }>).map(({ id }) => id)
    for (const [index, id] of ids.entries()) {
      const response = await (index % 2 === 0
        ? directory.scim("DELETE", `/Users/${id}`)
        : directory.scim("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: false })))
      expect(response.status).toBe(index % 2 === 0 ? 204 : 200)
    }
    expect((await directory.scim("GET", "/Users?count=0")).body.totalResults).toBe(6)
    expect((await directory.scim("GET", byFilter("active eq true", "&count=0"))).body.totalResults).toBe(0)
    const held = await runSql(
      plane,
      (sql) => sql<{ id: string }>`SELECT h.scim_user_id AS id FROM scim_held_users h
        WHERE h.organization_id = ${directory.owner.organizationId}`
    )
    expect(held.length).toBeGreaterThan(5)
    expect(await membersOf(directory)).toHaveLength(1 + held.length)
    // A user whom the directory reactivates is no longer held.
    const [wanted] = held.filter(({ id }) => ids.indexOf(id) % 2 === 1)
    const back = await directory.scim(
      "PATCH",
      `/Users/${wanted?.id}`,
      patchOf({ op: "replace", path: "active", value: true })
    )
    expect([back.status, back.body.active]).toEqual([200, true])
    expect(await membersOf(directory)).toHaveLength(1 + held.length)
  })
})

describe("SCIM lists", () => {
  it("return pages in a stable order with the total, for every edge of startIndex and count", async () => {
    const directory = await makeDirectory(plane)
    for (let count = 0; count < 5; count += 1) await makeUser(directory)
    await makeUser(await makeDirectory(plane, directory.owner))
    const page = async (query: string) => {
      const { body, status } = await directory.scim("GET", `/Users${query}`)
      expect([status, body.schemas]).toEqual([200, ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]])
      expect(body.itemsPerPage).toBe(body.Resources.length)
      return [body.totalResults, body.startIndex, body.Resources.map(({ id }: { id: string }) => id)]
    }
    const [, , all] = await page("")
    expect(all).toEqual([...all].sort())
    expect(all).toHaveLength(5)
    expect(await page("?startIndex=2&count=2")).toEqual([5, 2, all.slice(1, 3)])
    expect(await page("?startIndex=0&count=1")).toEqual([5, 1, all.slice(0, 1)])
    expect(await page("?startIndex=-7&count=1000")).toEqual([5, 1, all])
    expect(await page("?startIndex=6")).toEqual([5, 6, []])
    expect(await page("?startIndex=999999999999")).toEqual([5, 999_999_999_999, []])
    expect(await page("?count=0")).toEqual([5, 1, []])
    expect(await page("?count=-1")).toEqual([5, 1, []])
    for (const query of ["?count=x", "?startIndex=1.5", "?sortOrder=up", "?count=1e3", "?sortBy=nothing"]) {
      expectRefused(await directory.scim("GET", `/Users${query}`), 400, "invalidValue")
    }
  })

  it("filter and sort ignoring the case of names and values", async () => {
    const directory = await makeDirectory(plane)
    const one = await makeUser(directory, { userName: "Zoë@corp.example", externalId: "Ab", title: "b" })
    const two = await makeUser(directory, {
      userName: "adam@corp.example",
      externalId: "aB",
      title: "A",
      active: false
    })
    const group = await makeGroup(directory, [two.id])
    const idsBy = async (filter: string, more = "") =>
      (await directory.scim("GET", byFilter(filter, more))).body.Resources.map(({ id }: { id: string }) => id)
    expect(await idsBy('USERNAME EQ "ZOË@CORP.EXAMPLE"')).toEqual([one.id])
    expect(await idsBy(`${userUrn}:userName eq "zoë@corp.example"`)).toEqual([one.id])
    expect(await idsBy('externalId eq "aB"')).toEqual([two.id])
    expect(await idsBy(`id eq "${one.id}" and active eq true`)).toEqual([one.id])
    expect(await idsBy('userName eq "zoë@corp.example" and active eq false')).toEqual([])
    expect(await idsBy('not (userName eq "zoë@corp.example")')).toEqual([two.id])
    expect(await idsBy(`groups.value eq "${group.id}"`)).toEqual([two.id])
    expect(await idsBy("userName pr", "&sortBy=title")).toEqual([two.id, one.id])
    expect(await idsBy("userName pr", "&sortBy=userName&sortOrder=Descending")).toEqual([one.id, two.id])
    for (const filter of ["userName", 'userName eq "a', "nothing eq", "(userName pr", 'userName xx "a"']) {
      expectRefused(await directory.scim("GET", byFilter(filter)), 400, "invalidFilter")
    }
    const injected = `a"' OR 1=1; DROP TABLE scim_users; --`
    expect(await idsBy(`userName eq ${JSON.stringify(injected)}`)).toEqual([])
    expect(await idsBy("userName pr")).toHaveLength(2)
  })

  it("accept POST .search like a query, for users, groups, or both", async () => {
    const directory = await makeDirectory(plane)
    const users = [await makeUser(directory), await makeUser(directory)].map(({ id }) => id)
    const group = await makeGroup(directory, users)
    const search = (path: string, more: object) =>
      directory.scim("POST", `${path}/.search`, { schemas: [searchUrn], ...more })
    const ids = async (path: string, more: object) => {
      const { body } = await search(path, more)
      return [body.totalResults, body.startIndex, body.Resources.map(({ id }: { id: string }) => id)]
    }
    expect(await ids("/Users", { attributes: ["userName"], count: 1 })).toEqual([2, 1, users.slice(0, 1)])
    expect(await ids("/Groups", { filter: `displayName eq "${group.displayName}"` })).toEqual([1, 1, [group.id]])
    expect(await ids("", { excludedAttributes: ["members"] })).toEqual([3, 1, [...users, group.id]])
    expect(await ids("", { startIndex: 2, count: 2 })).toEqual([3, 2, [users[1], group.id]])
    expect(await ids("", { startIndex: 3, count: 2 })).toEqual([3, 3, [group.id]])
    expect(await ids("", { filter: 'meta.resourceType eq "Group"' })).toEqual([1, 1, [group.id]])
    expect(await ids("", { filter: `userName sw "p"` })).toEqual([2, 1, users])
    expectRefused(await directory.scim("POST", "/Users/.search", { filter: "a pr" }), 400, "invalidSyntax")
    expectRefused(await search("/Users", { filter: 7 }), 400, "invalidValue")
    expectRefused(await search("", { filter: "nothing" }), 400, "invalidFilter")
  })
})

describe("SCIM discovery", () => {
  it("is available to directories only and rejects filters", async () => {
    const directory = await makeDirectory(plane)
    const config = await directory.scim("GET", "/ServiceProviderConfig")
    expect(config.body).toMatchObject({
      patch: { supported: true },
      filter: { maxResults: 200 },
      bulk: { supported: true }
    })
    for (const path of ["/ResourceTypes", "/Schemas"]) {
      const { body } = await directory.scim("GET", path)
      for (const { id } of body.Resources) {
        expect((await directory.scim("GET", `${path}/${id}`)).body).toEqual(
          body.Resources.find((one: { id: string }) => one.id === id)
        )
      }
      expectRefused(await directory.scim("GET", `${path}/nothing`), 404)
      expectRefused(await directory.scim("GET", `${path}?filter=id%20pr`), 403)
    }
    expectRefused(await directory.scim("GET", "/Me"), 501)
    expectRefused(await directory.scim("GET", "/Nothing"), 404)
    expectRefused(await call(plane)("GET", "/v1/scim/v2/ServiceProviderConfig"), 401)
    expectRefused(await call(plane, directory.owner.token)("GET", "/v1/scim/v2/Users"), 403)
  })
})
