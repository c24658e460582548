/** Bulk requests (RFC 7644, 3.7): each operation is performed as if it were a separate request. */
import { describe, expect, it } from "vitest"
import { makeControlPlane, runSql, type TestResponse } from "../harness.ts"
import {
  type Directory,
  enterpriseUrn,
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
const bulkUrn = "urn:ietf:params:scim:api:messages:2.0:BulkRequest"
const responseUrn = "urn:ietf:params:scim:api:messages:2.0:BulkResponse"
const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error"
const missing = "scu_01h455vb4pex5vsknk084sn02q"

interface OperationResult {
  readonly method: string
  readonly bulkId?: string
  readonly location?: string
  readonly version?: string
  readonly status: string
  readonly response?: { readonly schemas: ReadonlyArray<string>; readonly status: string; readonly scimType?: string }
}

const message = (operations: ReadonlyArray<unknown>, more: object = {}) => ({
  schemas: [bulkUrn],
  Operations: operations,
  ...more
})
const send = ({ scim }: Directory, operations: ReadonlyArray<unknown>, more: object = {}) =>
  scim("POST", "/Bulk", message(operations, more))
const resultsOf = ({ body, status, text }: TestResponse): ReadonlyArray<OperationResult> => {
  expect([status, status === 200 ? "" : text]).toEqual([200, ""])
  expect(body.schemas).toEqual([responseUrn])
  return body.Operations
}
const statuses = (results: ReadonlyArray<OperationResult>) => results.map(({ status }) => status)
const idOf = (result: OperationResult | undefined) => result?.location?.replace(/^.*\//, "") ?? ""

const post = (bulkId: string, data: unknown, path = "/Users") => ({ method: "POST", path, bulkId, data })
const groupOf = (values: ReadonlyArray<string>, displayName = `Group ${next()}`) => ({
  schemas: [groupUrn],
  displayName,
  members: values.map((value) => ({ value }))
})
const managedBy = (value: string) => someUser({ [enterpriseUrn]: { manager: { value } } })

const logOf = ({ id }: Directory) =>
  runSql(
    plane,
    (sql) => sql<{ method: string; path: string; status: number; decision: string }>`
      SELECT method, path, status, decision FROM scim_log WHERE directory_id = ${id}`
  )
const auditOf = ({ owner }: Directory) =>
  runSql(
    plane,
    (sql) => sql<{ action: string; target_id: string; request_id: string }>`SELECT action, target_id, request_id
      FROM audit_events WHERE organization_id = ${owner.organizationId} AND action LIKE 'scim.%' ORDER BY created_at, id`
  )
const usersIn = async ({ scim }: Directory) => (await scim("GET", "/Users?count=0")).body.totalResults as number
/** Users created before the current hour, so that deactivations are a share of them. */
const settled = (directory: Directory) =>
  runSql(
    plane,
    (sql) => sql`UPDATE scim_users SET created_at = now() - interval '2 hours' WHERE directory_id = ${directory.id}`
  )

describe("POST /Bulk", () => {
  it("performs operations like separate requests, and returns results in the order of the request", async () => {
    const directory = await makeDirectory(plane)
    const [first, second] = [await makeUser(directory), await makeUser(directory)]
    const group = await makeGroup(directory, [first.id])
    const response = await send(directory, [
      post("new", someUser()),
      { method: "put", path: `/Users/${first.id}`, bulkId: "put", data: someUser({ title: "Painter" }) },
      { method: "PATCH", path: `/Users/${second.id}`, data: patchOf({ op: "add", path: "title", value: "Poet" }) },
      {
        method: "PATCH",
        path: `/Groups/${group.id}`,
        data: [{ op: "add", path: "members", value: [{ value: second.id }] }]
      },
      { method: "PUT", path: `/Groups/${group.id}`, data: { ...groupOf([second.id]), schemas: [groupUrn] } },
      { method: "DELETE", path: `/Users/${first.id}` },
      post("group", groupOf([]), "/Groups"),
      { method: "DELETE", path: `/Groups/${group.id}` }
    ])
    const done = resultsOf(response)
    expect(response.headers.get("content-type")).toBe("application/scim+json")
    const at = (path: string) => `http://localhost/v1/scim/v2${path}`
    const createdIds = [idOf(done[0]), idOf(done[6])]
    expect(done).toEqual([
      { method: "POST", bulkId: "new", location: at(`/Users/${createdIds[0]}`), version: 'W/"1"', status: "201" },
      { method: "PUT", bulkId: "put", location: at(`/Users/${first.id}`), version: 'W/"2"', status: "200" },
      { method: "PATCH", location: at(`/Users/${second.id}`), version: 'W/"2"', status: "200" },
      { method: "PATCH", location: at(`/Groups/${group.id}`), version: 'W/"2"', status: "204" },
      { method: "PUT", location: at(`/Groups/${group.id}`), version: 'W/"3"', status: "200" },
      { method: "DELETE", location: at(`/Users/${first.id}`), status: "204" },
      { method: "POST", bulkId: "group", location: at(`/Groups/${createdIds[1]}`), version: 'W/"1"', status: "201" },
      { method: "DELETE", location: at(`/Groups/${group.id}`), status: "204" }
    ])
    expect((await directory.scim("GET", `/Users/${second.id}`)).body).toMatchObject({ title: "Poet" })
    expect((await directory.scim("GET", `/Users/${createdIds[0]}`)).status).toBe(200)
    expect((await directory.scim("GET", `/Users/${first.id}`)).status).toBe(404)
    expect((await directory.scim("GET", `/Groups/${group.id}`)).status).toBe(404)
    expect((await directory.scim("GET", `/Groups/${createdIds[1]}`)).status).toBe(200)
  })

  it("logs and audits each operation separately with its own path", async () => {
    const directory = await makeDirectory(plane)
    const user = someUser()
    const response = await send(directory, [
      post("a", user),
      post("b", user),
      { method: "PATCH", path: "/Users/bulkId:a", data: patchOf({ op: "add", path: "title", value: "Poet" }) },
      { method: "PATCH", path: "/Users/bulkId:a", data: patchOf({ op: "add", path: "title", value: "Poet" }) },
      { method: "DELETE", path: `/Users/${missing}` },
      post("g", groupOf(["bulkId:a"]), "/Groups")
    ])
    const done = resultsOf(response)
    expect(statuses(done)).toEqual(["201", "409", "200", "200", "404", "201"])
    expect(done[1]?.response).toMatchObject({ schemas: [errorUrn], status: "409", scimType: "uniqueness" })
    expect(done[1]).not.toHaveProperty("location")
    expect(done[4]).toMatchObject({ location: `http://localhost/v1/scim/v2/Users/${missing}` })
    const [userId, groupId] = [idOf(done[0]), idOf(done[5])]
    await expect.poll(async () => (await logOf(directory)).length).toBe(6)
    const log = await logOf(directory)
    const line = (method: string, path: string, status: number, decision: string) => [method, path, status, decision]
    expect(log.map(({ decision, method, path, status }) => [method, path, status, decision]).toSorted()).toEqual(
      [
        line("POST", "/Users", 201, "created"),
        line("POST", "/Users", 409, "refused"),
        line("PATCH", `/Users/${userId}`, 200, "updated"),
        line("PATCH", `/Users/${userId}`, 200, "unchanged"),
        line("DELETE", `/Users/${missing}`, 404, "refused"),
        line("POST", "/Groups", 201, "created")
      ].toSorted()
    )
    const audit = await auditOf(directory)
    expect(audit.map(({ action, target_id }) => [action, target_id])).toEqual([
      ["scim.user_create", userId],
      ["scim.user_update", userId],
      ["scim.group_create", groupId]
    ])
    expect(new Set(audit.map(({ request_id }) => request_id))).toEqual(new Set([response.headers.get("x-request-id")]))
  })

  it("provisions users with their group and managers in any order", async () => {
    const directory = await makeDirectory(plane)
    const people = Array.from({ length: 50 }, (_, index) =>
      post(`user ${index}`, index === 49 ? someUser() : managedBy(`bulkId:user ${index + 1}`))
    )
    const done = resultsOf(
      await send(directory, [
        post("team", groupOf(people.map(({ bulkId }) => `bulkId:${bulkId}`)), "/Groups"),
        ...people
      ])
    )
    expect(statuses(done)).toEqual(Array.from({ length: 51 }, () => "201"))
    expect(done.map(({ bulkId }) => bulkId)).toEqual(["team", ...people.map(({ bulkId }) => bulkId)])
    const ids = done.slice(1).map(idOf)
    const group = (await directory.scim("GET", `/Groups/${idOf(done[0])}`)).body
    expect(group.members.map(({ value }: { value: string }) => value).toSorted()).toEqual(ids.toSorted())
    const user = (await directory.scim("GET", `/Users/${ids[0]}`)).body
    expect(user[enterpriseUrn].manager.value).toBe(ids[1])
    const members = (await directory.owner.call("GET", `/v1/teams/${group.id}`)).body.team.memberCount
    expect(members).toBe(50)
  })

  it("resolves references in members, patches, patch paths and paths, but not in other text", async () => {
    const directory = await makeDirectory(plane)
    const group = await makeGroup(directory)
    const staying = await makeUser(directory)
    const done = resultsOf(
      await send(directory, [
        {
          method: "PATCH",
          path: "/Groups/bulkId%3Ag",
          data: patchOf({ op: "add", path: "members", value: [{ value: "bulkId:a" }, { value: staying.id }] })
        },
        {
          method: "PATCH",
          path: `/Groups/${group.id}`,
          data: patchOf({ op: "Add", value: { members: ["bulkId:a"] } })
        },
        {
          method: "PATCH",
          path: "/Groups/bulkId:g",
          data: patchOf({ op: "remove", path: 'members[value eq "bulkId:a"]' })
        },
        {
          method: "PATCH",
          path: `/Users/${staying.id}`,
          data: patchOf({ op: "add", path: `${enterpriseUrn}:manager`, value: "bulkId:a" })
        },
        post("a", someUser({ displayName: "bulkId:nobody" })),
        post("g", groupOf([]), "/Groups")
      ])
    )
    expect(statuses(done)).toEqual(["204", "204", "204", "200", "201", "201"])
    const of = async (id: string) => (await directory.scim("GET", `/Groups/${id}`)).body.members ?? []
    expect((await of(group.id)).map(({ value }: { value: string }) => value)).toEqual([idOf(done[4])])
    expect((await of(idOf(done[5]))).map(({ value }: { value: string }) => value)).toEqual([staying.id])
    expect((await directory.scim("GET", `/Users/${staying.id}`)).body[enterpriseUrn].manager.value).toBe(idOf(done[4]))
    expect((await directory.scim("GET", `/Users/${idOf(done[4])}`)).body.displayName).toBe("bulkId:nobody")
  })

  it("returns 409 for circular and failed references and 400 for unknown ones, and performs the others", async () => {
    const directory = await makeDirectory(plane)
    const done = resultsOf(
      await send(directory, [
        post("a", managedBy("bulkId:b")),
        post("b", managedBy("bulkId:c")),
        post("c", managedBy("bulkId:a")),
        post("d", managedBy("bulkId:a")),
        post("itself", managedBy("bulkId:itself")),
        post("bad", { schemas: [userUrn] }),
        { method: "PATCH", path: "/Users/bulkId:bad", data: patchOf({ op: "add", path: "title", value: "x" }) },
        post("group", groupOf(["bulkId:good", "bulkId:bad"]), "/Groups"),
        post("unknown", managedBy("bulkId:nobody")),
        { method: "DELETE", path: "/Users/bulkId:nobody" },
        // A group is not a user.
        post("g", groupOf([]), "/Groups"),
        post("in", groupOf(["bulkId:g"]), "/Groups"),
        post("good", someUser())
      ])
    )
    expect(statuses(done)).toEqual([
      ...["409", "409", "409", "409", "409", "400", "409", "409", "400", "400", "201", "400", "201"]
    ])
    for (const { response } of done.filter(({ status }) => status === "400")) {
      expect(response?.scimType).toBe("invalidValue")
    }
    expect(await usersIn(directory)).toBe(1)
    expect((await directory.scim("GET", "/Groups?count=0")).body.totalResults).toBe(1)
  })

  it("stops after failOnErrors errors and returns no results for the rest", async () => {
    const directory = await makeDirectory(plane)
    const bad = (bulkId: string) => post(bulkId, { schemas: [userUrn] })
    const operations = () => [
      post("1", someUser()),
      bad("2"),
      post("3", someUser()),
      bad("4"),
      post("5", someUser()),
      bad("6")
    ]
    const of = async (more: object) => resultsOf(await send(directory, operations(), more)).map(({ bulkId }) => bulkId)
    expect(await of({ failOnErrors: 1 })).toEqual(["1", "2"])
    expect(await usersIn(directory)).toBe(1)
    expect(await of({ failOnErrors: 2 })).toEqual(["1", "2", "3", "4"])
    expect(await of({ failonerrors: 4 })).toEqual(["1", "2", "3", "4", "5", "6"])
    expect(await of({ failOnErrors: null })).toHaveLength(6)
    expect(await usersIn(directory)).toBe(9)
  })

  it("returns 412 for a stale version of an operation", async () => {
    const directory = await makeDirectory(plane)
    const { id } = await makeUser(directory)
    const titled = (value: string, version?: unknown) => ({
      method: "PATCH",
      path: `/Users/${id}`,
      data: patchOf({ op: "replace", path: "title", value }),
      ...(version === undefined ? {} : { version })
    })
    const done = resultsOf(
      await directory.scim(
        "POST",
        "/Bulk",
        message([
          titled("a", 'W/"1"'),
          titled("b", 'W/"1"'),
          titled("c"),
          titled("d", 7),
          { method: "DELETE", path: `/Users/${id}`, version: 'W/"2"' },
          { method: "DELETE", path: `/Users/${id}`, version: 'W/"3"' }
        ]),
        // The If-Match of the whole request, which is ignored.
        { "if-match": 'W/"77"' }
      )
    )
    expect(statuses(done)).toEqual(["200", "412", "200", "400", "412", "204"])
  })

  it("is not idempotent: repeated creations return 409 and create nothing", async () => {
    const directory = await makeDirectory(plane)
    const operations = [post("a", someUser()), post("g", groupOf(["bulkId:a"]), "/Groups"), post("b", someUser())]
    expect(statuses(resultsOf(await send(directory, operations)))).toEqual(["201", "201", "201"])
    const again = resultsOf(await send(directory, operations))
    expect(again.map(({ response, status }) => [status, response?.scimType])).toEqual([
      ["409", "uniqueness"],
      ["409", undefined],
      ["409", "uniqueness"]
    ])
    expect(await usersIn(directory)).toBe(2)
  })

  it("rejects operations that would be rejected as separate requests", async () => {
    const directory = await makeDirectory(plane)
    const foreign = await makeUser(await makeDirectory(plane))
    const own = await makeUser(directory)
    const cases: ReadonlyArray<readonly [object, string, string?]> = [
      [post("1", someUser(), "/Nothing"), "404"],
      [post("2", someUser(), "/Bulk"), "404"],
      [post("3", someUser(), "Users"), "404"],
      [post("4", someUser(), "/Users?attributes=id"), "404"],
      [post("5", someUser(), "/users"), "404"],
      [post("6", {}, "/Users/.search"), "400", "invalidValue"],
      [post("7", someUser(), `/Users/${own.id}`), "400", "invalidValue"],
      [{ method: "DELETE", path: "/Users" }, "400", "invalidValue"],
      [{ method: "DELETE", path: "/Me" }, "404"],
      [{ method: "DELETE", path: `/Users/${own.id}/groups` }, "404"],
      [{ method: "DELETE", path: `/Groups/${own.id}` }, "404"],
      [{ method: "DELETE", path: `/Users/${foreign.id}` }, "404"],
      [{ method: "PUT", path: `/Users/${foreign.id}`, data: someUser() }, "404"],
      [{ method: "DELETE", path: "/Users/\u0000" }, "404"],
      [{ method: "PUT", path: `/Users/${own.id}` }, "400", "invalidSyntax"],
      [{ method: "PATCH", path: `/Users/${own.id}`, data: "x" }, "400", "invalidSyntax"],
      [{ method: "PATCH", path: `/Users/${own.id}`, data: [] }, "400"],
      [{ method: "POST", path: "/Users", bulkId: "8" }, "400", "invalidSyntax"],
      [post("9", []), "400", "invalidSyntax"],
      [post("10", groupOf([own.id, foreign.id]), "/Groups"), "400", "invalidValue"]
    ]
    const done = resultsOf(
      await send(
        directory,
        cases.map(([operation]) => operation)
      )
    )
    expect(done.map(({ status }, index) => [index, status])).toEqual(cases.map(([, status], index) => [index, status]))
    for (const [index, [, status, type]] of cases.entries()) {
      expect(done[index]?.response).toMatchObject({ schemas: [errorUrn], status, detail: expect.any(String) })
      if (type !== undefined) expect([index, done[index]?.response?.scimType]).toEqual([index, type])
    }
    expect(await usersIn(directory)).toBe(1)
    expect(await foreignIs(foreign.id)).toBe(true)
  })

  it("returns 400 for an invalid bulk request before performing anything", async () => {
    const directory = await makeDirectory(plane)
    const good = post("good", someUser())
    const bodies: ReadonlyArray<readonly [unknown, string]> = [
      ["{", "invalidSyntax"],
      ["[]", "invalidSyntax"],
      [{ Operations: [good] }, "invalidSyntax"],
      [{ schemas: [userUrn], Operations: [good] }, "invalidSyntax"],
      [{ schemas: [bulkUrn] }, "invalidSyntax"],
      [message([]), "invalidSyntax"],
      [{ schemas: [bulkUrn], Operations: good }, "invalidSyntax"],
      [message([good, null]), "invalidSyntax"],
      [message([good, "x"]), "invalidSyntax"],
      [message([good, { method: "GET", path: "/Users" }]), "invalidSyntax"],
      [message([good, { method: 7, path: "/Users" }]), "invalidValue"],
      [message([good, { path: "/Users" }]), "invalidSyntax"],
      [message([good, { method: "DELETE" }]), "invalidSyntax"],
      [message([good, { method: "DELETE", path: 7 }]), "invalidValue"],
      [message([good, { method: "DELETE", path: `/Users/${"x".repeat(2000)}` }]), "invalidValue"],
      [message([good, { method: "POST", path: "/Users", data: someUser() }]), "invalidSyntax"],
      [message([good, { ...good, bulkId: "" }]), "invalidValue"],
      [message([good, { ...good, bulkId: 7 }]), "invalidValue"],
      [message([good, { ...good, data: someUser() }]), "invalidValue"],
      [message([good], { failOnErrors: 0 }), "invalidValue"],
      [message([good], { failOnErrors: -1 }), "invalidValue"],
      [message([good], { failOnErrors: 1.5 }), "invalidValue"],
      [message([good], { failOnErrors: "many" }), "invalidValue"]
    ]
    for (const [body, type] of bodies) expectRefused(await directory.scim("POST", "/Bulk", body), 400, type)
    expectRefused(
      await directory.scim("POST", "/Bulk", message([good]), { "content-type": "text/plain" }),
      400,
      "invalidSyntax"
    )
    const deep = `{"schemas":["${bulkUrn}"],"Operations":[{"method":"POST","path":"/Users","bulkId":"a","data":${'{"value":['.repeat(5000)}1${"]}".repeat(5000)}}]}`
    expect(statuses(resultsOf(await directory.scim("POST", "/Bulk", deep)))).toEqual(["400"])
    expect(await usersIn(directory)).toBe(0)
  })

  it("returns 413 for more than 1000 operations or 4 MiB, naming the limit, and performs nothing", async () => {
    const directory = await makeDirectory(plane)
    const many = Array.from({ length: 1001 }, (_, index) => post(String(index), someUser()))
    const response = await send(directory, many)
    expectRefused(response, 413)
    expect(response.body.detail).toContain("maxOperations (1000)")
    const large = await send(directory, [post("a", someUser({ title: "x".repeat(4_194_304) }))])
    expectRefused(large, 413)
    expect(large.body.detail).toContain("maxPayloadSize (4194304")
    expect(await usersIn(directory)).toBe(0)
    const bulkConfig = (await directory.scim("GET", "/ServiceProviderConfig")).body.bulk
    expect(bulkConfig).toEqual({ supported: true, maxOperations: 1000, maxPayloadSize: 4_194_304 })
  })

  it("performs 1000 operations", { timeout: 240_000 }, async () => {
    const directory = await makeDirectory(plane)
    const people = Array.from({ length: 999 }, (_, index) => post(String(index), someUser()))
    const members = people.map(({ bulkId }) => `bulkId:${bulkId}`)
    const done = resultsOf(await send(directory, [...people, post("group", groupOf(members), "/Groups")]))
    expect(new Set(statuses(done))).toEqual(new Set(["201"]))
    expect(done).toHaveLength(1000)
    expect(await usersIn(directory)).toBe(999)
    expect(await auditOf(directory)).toHaveLength(1000)
  })

  it(
    "counts as one request per ten operations, and performs nothing when rate limited",
    { timeout: 240_000 },
    async () => {
      const directory = await makeDirectory(plane)
      const nobody = (count: number) =>
        Array.from({ length: count }, () => ({ method: "DELETE", path: `/Users/${missing}` }))
      const left = ({ headers }: TestResponse) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1])
      // A rate limit window may end between the requests: then the test tries again in the next one.
      await expect
        .poll(
          async () => {
            const before = left(await directory.scim("GET", "/ServiceProviderConfig"))
            return before - left(await send(directory, nobody(91)))
          },
          { timeout: 60_000, interval: 1 }
        )
        .toBe(10)
      const filled = () =>
        runSql(
          plane,
          (sql) => sql`UPDATE rate_windows SET taken = 495, ends_at = now() + interval '1 hour'
          WHERE bucket = ${`scim:${directory.id}`}`
        )
      await filled()
      const operations = [post("a", someUser()), ...nobody(99)]
      const refused = await send(directory, operations)
      expectRefused(refused, 429)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(await usersIn(directory)).toBe(0)
      expect(statuses(resultsOf(await send(directory, [post("a", someUser())])))).toEqual(["201"])
    }
  )

  it("is performed if it uses the rate limit up exactly", { timeout: 240_000 }, async () => {
    const directory = await makeDirectory(plane)
    const operations = Array.from({ length: 100 }, () => ({ method: "DELETE", path: `/Users/${missing}` }))
    await directory.scim("GET", "/ServiceProviderConfig")
    // If the window ends before the request, the request takes a new slice of it: then the test tries again.
    const statusAt = async (taken: number) => {
      await runSql(
        plane,
        (sql) => sql`UPDATE rate_windows SET taken = ${taken}, ends_at = now() + interval '1 hour'
          WHERE bucket = ${`scim:${directory.id}`}`
      )
      return (await send(directory, operations)).status
    }
    // The request itself is already counted, and a hundred operations count as nine more.
    await expect.poll(() => statusAt(491), { timeout: 60_000, interval: 1 }).toBe(200)
    expect(await statusAt(492)).toBe(429)
  })
})

const foreignIs = async (id: string) =>
  (await runSql(plane, (sql) => sql`SELECT 1 FROM scim_users WHERE id = ${id} AND removed_at IS NULL`)).length === 1

describe("deactivations in a bulk request", () => {
  it("are held like separate ones and reported as done", async () => {
    const directory = await makeDirectory(plane)
    const results = resultsOf(
      await send(
        directory,
        Array.from({ length: 20 }, (_, index) => post(String(index), someUser()))
      )
    )
    await settled(directory)
    const ids = results.map(idOf)
    const done = resultsOf(
      await send(
        directory,
        ids.map((id, index) =>
          index % 2 === 0
            ? { method: "PATCH", path: `/Users/${id}`, data: patchOf({ op: "replace", path: "active", value: false }) }
            : { method: "DELETE", path: `/Users/${id}` }
        )
      )
    )
    expect(statuses(done)).toEqual(ids.map((_, index) => (index % 2 === 0 ? "200" : "204")))
    const live = await runSql(
      plane,
      (sql) => sql`SELECT 1 FROM memberships WHERE organization_id = ${directory.owner.organizationId}
        AND removed_at IS NULL`
    )
    // The owner, and all but the six that were deactivated.
    expect(live).toHaveLength(1 + 14)
    expect((await logOf(directory)).filter(({ decision }) => decision === "held")).toHaveLength(14)
  })
})

describe("a client that disconnects", () => {
  it("leaves each operation performed completely or not at all", async () => {
    const directory = await makeDirectory(plane)
    const usersNow = async () =>
      (await runSql(plane, (sql) => sql`SELECT 1 FROM scim_users WHERE directory_id = ${directory.id}`)).length
    for (let round = 0; round < 8; round += 1) {
      const before = await usersNow()
      const controller = new AbortController()
      const people = Array.from({ length: 40 }, (_, index) => post(String(index), someUser()))
      const group = post("g", groupOf(people.map(({ bulkId }) => `bulkId:${bulkId}`)), "/Groups")
      const sent = plane.fetch(
        new Request("http://localhost/v1/scim/v2/Bulk", {
          method: "POST",
          headers: { "content-type": "application/scim+json", authorization: `Bearer ${directory.token}` },
          body: JSON.stringify(message([...people, group])),
          signal: controller.signal
        })
      )
      await expect.poll(usersNow, { interval: 1, timeout: 60_000 }).toBeGreaterThan(before + round)
      controller.abort()
      await Promise.allSettled([sent])
    }
    // Nothing stays locked: a later request succeeds.
    expect(statuses(resultsOf(await send(directory, [post("after", someUser())])))).toEqual(["201"])
    const [row] = await runSql(
      plane,
      (sql) => sql<{ users: number; members: number; logged: number; audited: number }>`SELECT
        (SELECT count(*)::int FROM scim_users WHERE directory_id = ${directory.id}) AS users,
        (SELECT count(*)::int FROM memberships WHERE organization_id = ${directory.owner.organizationId}) - 1 AS members,
        (SELECT count(*)::int FROM scim_log WHERE directory_id = ${directory.id} AND decision = 'created'
          AND resource_type = 'User') AS logged,
        (SELECT count(*)::int FROM audit_events WHERE organization_id = ${directory.owner.organizationId}
          AND action = 'scim.user_create') AS audited`
    )
    const users = row?.users ?? 0
    expect(users).toBeGreaterThan(0)
    // Not all operations were performed.
    expect(users).toBeLessThan(8 * 40 + 1)
    expect(row).toEqual({ users, members: users, logged: users, audited: users })
  })
})

describe("an operation with an internal error", () => {
  it("returns 500 for this operation without effect, and the others proceed", async () => {
    const directory = await makeDirectory(plane)
    await runSql(
      plane,
      (sql) => sql`ALTER TABLE scim_users ADD CONSTRAINT not_this CHECK (user_name <> 'unlucky@corp.example') NOT VALID`
    )
    const done = resultsOf(
      await send(directory, [
        post("a", someUser()),
        post("b", someUser({ userName: "unlucky@corp.example" })),
        post("c", someUser())
      ])
    )
    await runSql(plane, (sql) => sql`ALTER TABLE scim_users DROP CONSTRAINT not_this`)
    expect(statuses(done)).toEqual(["201", "500", "201"])
    expect(JSON.stringify(done)).not.toContain("not_this")
    expect(await usersIn(directory)).toBe(2)
  })
})
