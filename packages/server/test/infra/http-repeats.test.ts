/** Repeated requests with an idempotency key, and pages after a cursor. */
import type { Id } from "@orgplane/schema/shared/ids"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { Mutate } from "../../src/infra/mutate/index.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  type TestResponse,
  call,
  makeControlPlane,
  makeMarketplace,
  makeTeam,
  makeWorkspace,
  type Person,
  platformAdmin,
  rowCounts,
  runSql,
  signIn,
  signInByEmail,
  withServices
} from "../harness.ts"
import { anAddress, makeThings, operations, pathOf } from "./http-world.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")

let keys = 0
const aKey = () => `key ${++keys}`
const create = (key: string, body: unknown = { name: "Once" }, person = owner): Promise<TestResponse> =>
  person.call("POST", "/v1/plugins", body, { "idempotency-key": key })
const countOf = async (name: string, person = owner): Promise<number> =>
  (await person.call("GET", `/v1/plugins?limit=100&q=${encodeURIComponent(name)}`)).body.items.length

describe("a request with an idempotency key", () => {
  it("gets the stored response when it is repeated, and has no second effect", async () => {
    const key = aKey()
    const first = await create(key, { name: "Repeated" })
    const before = await rowCounts(plane)
    const second = await create(key, { name: "Repeated" })
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null])
    expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect(second.text).toBe(first.text)
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("has one effect when it is sent twenty times concurrently", async () => {
    const key = aKey()
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(key, { name: "Raced" })))
    const done = responses.filter(({ status }) => status === 201)
    const refused = responses.filter(({ status }) => status === 409)
    expect(done.length + refused.length).toBe(20)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(new Set(refused.map(({ body }) => body.error))).toEqual(
      refused.length === 0 ? new Set() : new Set(["idempotency_key_in_use"])
    )
    expect(await countOf("Raced")).toBe(1)
    expect((await create(key, { name: "Raced" })).text).toBe(done[0]?.text)
  })

  it("is rejected when its key was used for another body, query or object", async () => {
    const key = aKey()
    expect((await create(key, { name: "One" })).status).toBe(201)
    const other = await create(key, { name: "Another" })
    expect([other.status, other.body.error]).toEqual([409, "idempotency_key_reused"])
    expect(await countOf("Another")).toBe(0)
    const [a, b] = [await makeMarketplace(plane, owner), await makeMarketplace(plane, owner)]
    const share = (marketplace: string) =>
      owner.call(
        "POST",
        `/v1/marketplaces/${marketplace}/access`,
        { orgWide: true, role: "viewer" },
        { "idempotency-key": key }
      )
    expect((await share(a)).status).toBe(201)
    expect([(await share(b)).body.error, (await share(a)).status]).toEqual(["idempotency_key_reused", 201])
  })

  it("may have the same key as other operations, people and organizations", async () => {
    const key = aKey()
    const colleague = await addMember(plane, owner, "member")
    for (const person of [owner, colleague, stranger]) {
      expect(
        (await create(key, { name: `Of ${person.membershipId}` }, person)).headers.get("idempotent-replayed")
      ).toBeNull()
    }
    const object = { input: { type: "context", rawSourceText: "# A" } }
    const response = await owner.call("POST", "/v1/config-objects", object, { "idempotency-key": key })
    expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([201, null])
    // The key belongs to the person, whatever session they use.
    const again = await signIn(plane, owner.userId, owner.organizationId)
    const replayed = await call(plane, again.token)(
      "POST",
      "/v1/plugins",
      { name: `Of ${owner.membershipId}` },
      { "idempotency-key": key }
    )
    expect(replayed.headers.get("idempotent-replayed")).toBe("true")
  })

  it("replays an error that the operation decided, even when it would succeed later", async () => {
    const key = aKey()
    const pluginId = makeId("plg")
    const body = { input: { type: "context", rawSourceText: "# Kept" }, pluginIds: [pluginId] }
    const ask = (headers: Record<string, string> = { "idempotency-key": key }) =>
      owner.call("POST", "/v1/config-objects", body, headers)
    const first = await ask()
    expect(first.status).toBe(400)
    await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
          VALUES (${owner.organizationId}, ${pluginId}, 'Late', now(), now())`
      )
    )
    const second = await ask()
    expect([second.status, second.body, second.headers.get("idempotent-replayed")]).toEqual([400, first.body, "true"])
    expect((await ask({})).status).toBe(201)
  })

  it("replays a 409 response after its cause is gone", async () => {
    const key = aKey()
    const send = (headers: Record<string, string> = { "idempotency-key": key }) =>
      owner.call("POST", "/v1/teams", { name: "In use" }, headers)
    expect((await send({})).status).toBe(201)
    const first = await send()
    expect([first.status, first.body.error]).toEqual([409, "team_exists"])
    await runSql(plane, (sql) => sql`UPDATE teams SET name = 'Not in use' WHERE name = 'In use'`)
    const second = await send()
    expect([second.status, second.text, second.headers.get("idempotent-replayed")]).toEqual([409, first.text, "true"])
    expect((await send({})).status).toBe(201)
  })

  it("stores nothing when it is rejected before it reaches the operation", async () => {
    const key = aKey()
    expect((await create(key, { name: "" })).status).toBe(400)
    expect((await create(key, { name: "Better" })).status).toBe(201)
  })

  it("is authorized again before it is replayed", async () => {
    const key = aKey()
    const manager = await addMember(plane, owner, "member")
    const marketplace = await makeMarketplace(plane, owner)
    const own = await owner.call("POST", `/v1/marketplaces/${marketplace}/access`, {
      orgMembershipId: manager.membershipId,
      role: "manager"
    })
    const share = () =>
      manager.call(
        "POST",
        `/v1/marketplaces/${marketplace}/access`,
        { orgWide: true, role: "viewer" },
        { "idempotency-key": key }
      )
    const shared = await share()
    expect(shared.status).toBe(201)
    await owner.call("DELETE", `/v1/marketplaces/${marketplace}/access/${own.body.item.id}`)
    const after = await share()
    expect([after.status, after.body.reason]).toEqual([403, "grant_required"])
    await owner.call("DELETE", `/v1/marketplaces/${marketplace}/access/${shared.body.item.id}`)
    expect((await share()).status).toBe(404)
    await call(plane, manager.token)("DELETE", "/v1/sessions/current")
    expect((await share()).status).toBe(401)
  })

  it("replays the original status", async () => {
    const [first, second] = [aKey(), aKey()]
    const marketplace = await makeMarketplace(plane, owner)
    const share = (key: string, role: string) =>
      owner.call("POST", `/v1/marketplaces/${marketplace}/access`, { orgWide: true, role }, { "idempotency-key": key })
    expect([(await share(first, "viewer")).status, (await share(second, "editor")).status]).toEqual([201, 200])
    const [again, later] = [await share(first, "viewer"), await share(second, "editor")]
    expect([again.status, again.body.item.role, later.status, later.body.item.role]).toEqual([
      201,
      "viewer",
      200,
      "editor"
    ])
  })

  it("is a new request after a day", async () => {
    const key = aKey()
    const first = await create(key, { name: "Daily" })
    await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = ${key}`
      )
    )
    const second = await create(key, { name: "Daily" })
    expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([201, null])
    expect(second.body.item.id).not.toBe(first.body.item.id)
    expect((await create(key, { name: "Daily" })).text).toBe(second.text)
  })

  it("must have a key of 1 to 255 characters", async () => {
    expect((await create("k".repeat(255))).status).toBe(201)
    for (const key of ["k".repeat(256), ""]) {
      const response = await create(key)
      expect([key.length, response.status, response.body.details[0].path]).toEqual([
        key.length,
        400,
        ["header", "idempotency-key"]
      ])
    }
  })

  it("ignores the key on public operations and on methods other than POST", async () => {
    const headers = { "idempotency-key": aKey() }
    const bootstrap = () =>
      call(plane, undefined, anAddress())("POST", "/v1/bootstrap/workspace", { workspaceName: "Twice" }, headers)
    const [first, second] = [await bootstrap(), await bootstrap()]
    expect(first.body.organization.id).not.toBe(second.body.organization.id)
    expect(second.headers.get("idempotent-replayed")).toBeNull()
    const session = await signIn(plane, owner.userId, owner.organizationId)
    const end = () => owner.call("DELETE", `/v1/sessions/${session.id}`, undefined, headers)
    expect([(await end()).status, (await end()).status]).toEqual([204, 404])
  })

  it("stores only the fact when the response contains a secret", async () => {
    const caller = (key: string): Member => ({
      kind: "member",
      organizationId: owner.organizationId as Id<"org">,
      principal: {
        kind: "session",
        sessionId: null,
        userId: owner.userId as Id<"usr">,
        membershipId: owner.membershipId as Id<"om">
      },
      isAdmin: true,
      isOwner: true,
      permissions: new Set(),
      provisional: false,
      hasManagedObjects: false,
      plan: "enterprise",
      request: {
        requestId: "req_test",
        address: "10.0.0.1",
        userAgent: null,
        operation: "keys.make",
        idempotency: { key, keeps: "fact" },
        digests: ["digest"],
        ifMatch: null,
        responseState: { headers: {}, status: undefined, isEtagPartial: false }
      }
    })
    const key = aKey()
    const secret = "a secret canary that is returned once"
    const make = withServices(
      plane,
      Effect.flatMap(Mutate, ({ mutate }) =>
        mutate(caller(key), "apiKey.create", Effect.succeed({ secret }), () => ({ target: "key_1" }))
      )
    )
    expect(await make).toEqual({ secret })
    const again = withServices(
      plane,
      Effect.flatMap(Mutate, ({ mutate }) =>
        mutate(caller(key), "apiKey.create", Effect.die(new Error("ran twice")), () => ({ target: "key_1" }))
      )
    )
    await expect(again).rejects.toMatchObject({ status: 409, body: { error: "idempotency_key_completed" } })
    const rows = await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql<{ kept: string }>`SELECT idempotency_keys::text AS kept FROM idempotency_keys`
      )
    )
    expect(rows.filter(({ kept }) => kept.includes(secret))).toEqual([])
  })
})

describe("a pagination cursor", async () => {
  const searcher = await makeWorkspace(plane, "Pages")
  const root = await signInByEmail(plane, platformAdmin)
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) await searcher.client.plugins.create({ name })
  const things = await makeThings(plane, searcher)
  const others = await makeThings(plane, searcher)
  const first = (await searcher.call("GET", "/v1/plugins?limit=2")).body as { nextCursor: string }
  const refused = async (path: string, cursor: string, person: Person = searcher) => {
    const response = await person.call(
      "GET",
      `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`
    )
    return [response.status, response.body.details?.[0]?.path]
  }
  const no = [400, ["query", "cursor"]]

  it("is short, and leads to the remaining rows for any page size", async () => {
    expect(first.nextCursor.length).toBeLessThanOrEqual(255)
    for (const limit of [1, 2, 100]) {
      expect((await searcher.call("GET", `/v1/plugins?limit=${limit}&cursor=${first.nextCursor}`)).status).toBe(200)
    }
  })

  it("is rejected when one of its characters is changed", async () => {
    const { nextCursor } = first
    for (let at = 0; at < nextCursor.length; at += 3) {
      for (const character of ["A", "b", "9", "-"]) {
        if (nextCursor[at] === character) continue
        const changed = nextCursor.slice(0, at) + character + nextCursor.slice(at + 1)
        expect([changed, await refused("/v1/plugins", changed)]).toEqual([changed, no])
      }
    }
  })

  it("is rejected when characters are added or removed", async () => {
    const { nextCursor } = first
    for (const changed of [
      `${nextCursor}A`,
      `${nextCursor}=`,
      `${nextCursor}==`,
      `${nextCursor}\n`,
      ` ${nextCursor}`,
      `${nextCursor} `,
      `${nextCursor}.`,
      `${nextCursor}\u00e9`,
      nextCursor.slice(0, -1),
      nextCursor.slice(1),
      nextCursor + nextCursor,
      nextCursor.toUpperCase(),
      "x",
      "AAAA",
      "plg_01h455vb4pex5vsknk084sn02q",
      '{"id":"plg_01h455vb4pex5vsknk084sn02q"}',
      "' OR 1=1 --",
      "x".repeat(255)
    ]) {
      expect([changed, await refused("/v1/plugins", changed)]).toEqual([changed, no])
    }
    for (const path of ["/v1/plugins?cursor=", `/v1/plugins?cursor=${"x".repeat(256)}`, "/v1/plugins?cursor=%00"]) {
      expect((await searcher.call("GET", path)).status).toBe(400)
    }
  })

  it("belongs to one list, its filters and its organization", async () => {
    const { nextCursor } = first
    for (const path of [
      "/v1/marketplaces",
      "/v1/config-objects",
      "/v1/members",
      "/v1/audit-events",
      "/v1/sessions",
      "/v1/plugins?q=a",
      `/v1/plugins?marketplaceId=${things["MarketplaceId"]}`,
      `/v1/plugins/${things["PluginId"]}/config-objects`,
      `/v1/plugins/${things["PluginId"]}/access`
    ]) {
      expect([path, await refused(path, nextCursor)]).toEqual([path, no])
    }
    expect(await refused("/v1/plugins", nextCursor, stranger)).toEqual(no)
    const filtered = (await searcher.call("GET", "/v1/plugins?limit=2&q=a")).body.nextCursor as string
    expect(await refused("/v1/plugins", filtered)).toEqual(no)
    expect(await refused("/v1/plugins?q=A", filtered)).toEqual(no)
    expect((await searcher.call("GET", `/v1/plugins?q=a&cursor=${filtered}`)).status).toBe(200)
  })

  it("is independent of the order of query parameters", async () => {
    const marketplace = await makeMarketplace(
      plane,
      searcher,
      (await searcher.client.plugins.list({ q: "a" })).items.map(({ id }) => id)
    )
    const { nextCursor } = (await searcher.call("GET", `/v1/plugins?limit=2&q=a&marketplaceId=${marketplace}`)).body
    const next = await searcher.call("GET", `/v1/plugins?marketplaceId=${marketplace}&cursor=${nextCursor}&q=a&limit=2`)
    expect([next.status, next.body.items.length]).toEqual([200, 2])
  })

  it("of one object's list is invalid for another's", async () => {
    const team = await makeTeam(searcher, [])
    const pages = async (id: string | undefined) => {
      await searcher.call("POST", `/v1/plugins/${id}/access`, { teamId: team, role: "viewer" })
      await searcher.call("POST", `/v1/plugins/${id}/access`, { orgWide: true, role: "viewer" })
      return (await searcher.call("GET", `/v1/plugins/${id}/access?limit=1`)).body.nextCursor as string
    }
    const cursor = await pages(things["PluginId"])
    await pages(others["PluginId"])
    expect(await refused(`/v1/plugins/${others["PluginId"]}/access`, cursor)).toEqual(no)
    expect(await refused(`/v1/config-objects/${things["ConfigObjectId"]}/access`, cursor)).toEqual(no)
    expect((await searcher.call("GET", `/v1/plugins/${things["PluginId"]}/access?cursor=${cursor}`)).status).toBe(200)
  })

  it.each(
    operations
      .filter(({ operationId, paged }) => paged && operationId !== "connectors.tree")
      .map((one) => [one.operationId, one] as const)
  )("that is invalid is rejected by %s", async (_, operation) => {
    for (const cursor of ["x", first.nextCursor.slice(0, -2), "A".repeat(100)]) {
      const person = operation.access.kind === "platform" ? root : undefined
      expect(await refused(pathOf(operation, things), cursor, person)).toEqual(no)
    }
  })
})
