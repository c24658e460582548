import type { CallerResponse } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { differencesOf } from "../../src/enterprise/scim/differences.ts"
import { makeId } from "../../src/infra/ids.ts"
import { loggedPath, ScimLog } from "../../src/infra/scim/log.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import {
  call,
  engine,
  makeControlPlane,
  makeDatabase,
  makeScimToken,
  makeWorkspace,
  runSql,
  withServices,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import { type Directory, makeGroup, makeUser, patchOf, someUser } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const makeDirectory = async (on: TestPlane = plane, owner?: Workspace): Promise<Directory> => {
  const workspace = owner ?? (await makeWorkspace(on))
  const { call, directoryId, token } = await makeScimToken(on, workspace)
  const scim: Directory["scim"] = (method, path, body, headers = {}) =>
    call(method, `/v1/scim/v2${path}`, body, headers)
  return { owner: workspace, id: directoryId, token, scim }
}

interface Entry {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly decision: string
  readonly detail: string | null
  readonly resourceId: string | null
}

const logOf = async ({ id, owner }: Directory, query = ""): Promise<ReadonlyArray<Entry>> => {
  const response = await owner.call("GET", `/v1/scim/directories/${id}/log${query}`)
  expect([response.status, response.status === 200 ? "" : response.text]).toEqual([200, ""])
  return response.body.items
}

describe("the SCIM log", () => {
  it("lists every request with its decision and differences", async () => {
    const directory = await makeDirectory()
    const { scim } = directory
    const user = await makeUser(directory, { title: "Clerk" })
    await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${user.userName}"`)}`)
    await scim("GET", `/Users/${user.id}`)
    await scim("PATCH", `/Users/${user.id}`, patchOf({ op: "Replace", path: "title", value: "Chief" }), {
      "user-agent": "Entra"
    })
    await scim("PATCH", `/Users/${user.id}`, patchOf({ op: "Replace", path: "title", value: "Chief" }))
    await scim("GET", "/Users?filter=nonsense")
    await scim("GET", "/Users/nobody")
    await scim("POST", "/Users", someUser({ userName: user.userName }))
    await scim("DELETE", `/Users/${user.id}`)
    const all = await logOf(directory)
    expect(all.map(({ decision, method, status }) => `${method} ${status} ${decision}`)).toEqual([
      "DELETE 204 deleted",
      "POST 409 refused",
      "GET 404 refused",
      "GET 400 refused",
      "PATCH 200 unchanged",
      "PATCH 200 updated",
      "GET 200 read",
      "GET 200 read",
      "POST 201 created"
    ])
    expect(all[5]).toMatchObject({
      path: `/Users/${user.id}`,
      resourceType: "User",
      resourceId: user.id,
      displayName: user.userName,
      userAgent: "Entra",
      differences: [{ path: "title", before: "Clerk", after: "Chief" }]
    })
    expect(all[3]).toMatchObject({
      scimType: "invalidFilter",
      path: "/Users?filter=nonsense",
      detail: expect.any(String)
    })
    expect(all[2]).toMatchObject({ resourceType: "User", resourceId: "nobody" })
    expect((await logOf(directory, "?changesOnly=true")).map(({ decision }) => decision)).not.toContain("read")
    expect(await logOf(directory, "?decision=updated")).toEqual([all[5]])
    expect((await logOf(directory, `?resourceId=${user.id}`)).length).toBe(5)
  })

  it("is paginated, newest first", async () => {
    const directory = await makeDirectory()
    for (let index = 0; index < 5; index += 1) await directory.scim("GET", `/Users?startIndex=${index + 1}`)
    const { id, owner } = directory
    const paths: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const more: string = cursor === "" ? "" : `&cursor=${cursor}`
      const { body } = await owner.call("GET", `/v1/scim/directories/${id}/log?limit=2${more}`)
      paths.push(...body.items.map(({ path }: Entry) => path))
      cursor = body.nextCursor
    }
    expect(paths).toEqual([5, 4, 3, 2, 1].map((at) => `/Users?startIndex=${at}`))
  })

  it("lists only the added and removed members of a group", async () => {
    const directory = await makeDirectory()
    const [one, two] = [await makeUser(directory), await makeUser(directory)]
    const group = await makeGroup(directory, [one.id])
    await directory.scim(
      "PATCH",
      `/Groups/${group.id}`,
      patchOf({ op: "add", path: "members", value: [{ value: two.id }] })
    )
    const [entry] = await logOf(directory)
    expect(entry).toMatchObject({ decision: "updated", resourceId: group.id })
    expect(JSON.stringify(entry)).toContain(two.id)
    expect(JSON.stringify(entry)).not.toContain(one.id)
  })

  it("lists a rate limited request once, and contains no secrets", async () => {
    const directory = await makeDirectory()
    const password = "correct horse battery staple"
    const response = await directory.scim("POST", "/Users", someUser({ password }))
    expect(response.status).toBe(201)
    await directory.scim(
      "PATCH",
      `/Users/${response.body.id}`,
      patchOf({ op: "replace", value: { password: `${password}!` } })
    )
    await directory.scim("GET", `/Users?filter=${encodeURIComponent(`password eq "${password}"`)}`)
    await directory.scim("GET", `/Users?access_token=${directory.token}`)
    await directory.scim("GET", `/Users/${directory.token}`)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO rate_windows (bucket, taken, ends_at)
        VALUES (${`scim:${directory.id}`}, 100000, now() + interval '1 hour')
        ON CONFLICT (bucket) DO UPDATE SET taken = excluded.taken, ends_at = excluded.ends_at`
    )
    let refused = 0
    while (refused < 3) if ((await directory.scim("GET", "/Users")).status === 429) refused += 1
    const all = await logOf(directory)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(1)
    const rows = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT coalesce(string_agg(l::text, ' '), '') AS text FROM scim_log l
        WHERE directory_id = ${directory.id}`
    )
    expect(rows[0]?.text).not.toContain("horse")
    expect(rows[0]?.text).not.toContain(directory.token)
  })

  it("drops the oldest entries when too many arrive, and writes all others", async () => {
    const { id, owner } = await makeDirectory()
    const asker = {
      organizationId: owner.organizationId as Id<"org">,
      directoryId: id as Id<"scd">,
      tokenId: makeId("sct"),
      request: {
        requestId: "flood",
        userAgent: null,
        responseState: { headers: {}, status: undefined, isEtagPartial: false } as CallerResponse
      }
    }
    await withServices(
      plane,
      Effect.gen(function* () {
        const log = Context.get(yield* Layer.build(Layer.fresh(ScimLog.layer)), ScimLog)
        // The first pulse writes nothing; with a stopped clock there is no second one.
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        for (let count = 1; count <= 5003; count += 1) {
          yield* log.note(asker, { method: "GET", path: `/Users?startIndex=${count}`, status: 200, decision: "read" })
        }
        yield* log.flush
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    )
    const rows = await runSql(
      plane,
      (sql) => sql<{ path: string }>`SELECT path FROM scim_log WHERE directory_id = ${id} AND request_id = 'flood'`
    )
    const indexes = rows.map(({ path }) => Number(path.split("=")[1])).sort((one, other) => one - other)
    expect([indexes.length, indexes[0], indexes.at(-1)]).toEqual([5000, 4, 5003])
  })

  it("is kept for 30 days", async () => {
    const directory = await makeDirectory()
    await directory.scim("GET", "/Users")
    await makeUser(directory)
    const [newest] = await logOf(directory)
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_log SET created_at = now() - interval '31 days'
        WHERE directory_id = ${directory.id} AND id <> ${newest?.id}`
    )
    await runSql(plane, (sql) => sweep(sql))
    expect(await logOf(directory)).toEqual([newest])
  })

  it.runIf(engine === "postgres")("is written when the process ends", async () => {
    const database = await makeDatabase()
    const ending = await makeControlPlane({ database, workers: false })
    const directory = await makeDirectory(ending)
    await directory.scim("GET", "/Users?startIndex=7")
    await ending.dispose()
    const next = await makeControlPlane({ database, workers: false })
    const response = await call(next, directory.owner.token)("GET", `/v1/scim/directories/${directory.id}/log`)
    expect(response.body.items).toMatchObject([{ path: "/Users?startIndex=7", decision: "read" }])
  })

  it("is not readable by others", async () => {
    const directory = await makeDirectory()
    await directory.scim("GET", "/Users")
    const other = await makeDirectory(plane, directory.owner)
    expect(await logOf(other)).toEqual([])
  })
})

const attribute = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.string(), { maxKeys: 4 }),
  fc.array(fc.dictionary(fc.constantFrom("value", "type", "password"), fc.string(), { maxKeys: 3 }), { maxLength: 80 })
)
const resource = fc.dictionary(fc.constantFrom("userName", "title", "name", "emails", "password", "roles"), attribute)

describe("SCIM differences", () => {
  it("are empty for equal resources, and name every changed attribute except passwords", () => {
    fc.assert(
      fc.property(resource, resource, (before, after) => {
        expect(differencesOf(before, before)).toEqual([])
        const differences = differencesOf(before, after)
        expect(differences.length).toBeLessThanOrEqual(100)
        expect(JSON.stringify(differences)).not.toContain("password")
        const roots = new Set(differences.map(({ path }) => path.split(".")[0]))
        for (const name of ["userName", "title"] as const) {
          const isPlain = [before[name], after[name]].every((value) => typeof value === "string")
          if (isPlain) expect(roots.has(name)).toBe(before[name] !== after[name])
        }
      })
    )
  })

  it("are limited in size for any resource", () => {
    const large = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `a${at}`,
        at % 2 === 0 ? "x".repeat(5000) : Array.from({ length: 900 }, (__, value) => ({ value }))
      ])
    )
    const differences = differencesOf({}, large)
    expect(differences).toHaveLength(100)
    expect(JSON.stringify(differences).length).toBeLessThan(200_000)
  })
})

describe("a path in the SCIM log", () => {
  it("is relative to the protocol's root, shortened, and without secrets", () => {
    expect(loggedPath("/v1/scim/v2/Users?count=1")).toBe("/Users?count=1")
    expect(loggedPath("/v1/scim/v2")).toBe("/")
    expect(loggedPath("/v1/scim/v2/Users?filter=pass%77ord%20eq%20%22a%22&count=1")).toBe("/Users?filter=…&count=1")
    expect(loggedPath("/v1/scim/v2/Users?api_token=abc")).toBe("/Users?…=…")
    fc.assert(
      fc.property(fc.string({ maxLength: 5000, unit: "binary" }), (text) => {
        const path = loggedPath(`/v1/scim/v2/Users?${text}`)
        expect(path.length).toBeLessThanOrEqual(1024)
        expect(path.isWellFormed()).toBe(true)
        expect(path).not.toContain("\u0000")
      })
    )
  })
})
