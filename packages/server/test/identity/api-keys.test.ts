import * as ApiKeys from "@orgplane/schema/api-keys"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import {
  addMember,
  type TestResponse,
  call,
  callWithKey,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  mintSession,
  type Person,
  rowCounts,
  runSql,
  someAddress,
  type TestKey
} from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"

const plane = await makeControlPlane()
const missing = "key_01h455vb4pex5vsknk084sn02q"
const at = (id: string) => `/v1/api-keys/${id}`
const codeOf = ({ body, status }: TestResponse) => [status, body.reason ?? body.error]
const current = (key: Pick<TestKey, "call">) => key.call("GET", "/v1/api-keys/current")
const create = (by: Pick<Person, "call">, body: object, headers?: Record<string, string>) =>
  by.call("POST", "/v1/api-keys", { name: "A key", permissions: [], ...body }, headers)
const update = (by: Pick<Person, "call">, id: string, body: object) => by.call("PATCH", at(id), body)
const rotate = (by: Pick<Person, "call">, id: string, body: object = {}) => by.call("POST", `${at(id)}/rotate`, body)
const revoke = (by: Pick<Person, "call">, id: string) => by.call("DELETE", at(id))
const soon = () => new Date(Date.now() + 3_600_000).toISOString()
/** Notifies every process that a key changed after its row was updated directly. */
const touch = (by: Pick<Person, "call">, id: string) => update(by, id, { name: "Touched" })

describe("POST /v1/api-keys", () => {
  it("returns the secret once and stores only its digest", async () => {
    const owner = await makeWorkspace(plane)
    const createResponse = await create(owner, {
      name: "Deploys",
      permissions: ["plugins:read", "members:read", "plugins:read"]
    })
    expect([createResponse.status, createResponse.headers.get("cache-control")]).toEqual([201, "no-store"])
    const { apiKey, key } = createResponse.body
    expect(key).toMatch(/^opk_/)
    expect(Schema.decodeUnknownSync(ApiKeys.ApiKey)(apiKey)).toMatchObject({
      organizationId: owner.organizationId,
      name: "Deploys",
      hint: key.slice(0, 10),
      permissions: ["plugins:read", "members:read"],
      requestsPerMinute: 1200,
      createdByOrgMembershipId: owner.membershipId,
      expiresAt: null,
      lastUsedAt: null,
      previousUsableUntil: null,
      revokedAt: null
    })
    const responses = await Promise.all([owner.call("GET", at(apiKey.id)), owner.call("GET", "/v1/api-keys")])
    for (const response of responses) expect(response.text).not.toContain(key.slice(10))
    const [row] = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT string_agg(t, ' ') AS text FROM (
        SELECT k::text AS t FROM api_keys k UNION ALL SELECT a::text FROM audit_events a
        UNION ALL SELECT i::text FROM idempotency_keys i) AS kept`
    )
    expect(row?.text).toContain(apiKey.id)
    expect(row?.text).not.toContain(key.slice(10))
    expect(row?.text).not.toContain(Buffer.from(key).toString("hex"))
  })

  it("grants exactly the listed permissions: an empty list grants nothing, and no key is an admin", async () => {
    const owner = await makeWorkspace(plane)
    const plugin = (await owner.call("POST", "/v1/plugins", { name: "Private" })).body.item.id
    const none = await makeKey(plane, owner, [])
    expect((await current(none)).body.apiKey.permissions).toEqual([])
    for (const path of ["/v1/members", "/v1/plugins", "/v1/api-keys", "/v1/audit-events", "/v1/roles", "/v1/teams"]) {
      expect(codeOf(await none.call("GET", path)), path).toEqual([403, "permission_required"])
    }
    const writes = await makeKey(plane, owner, ["plugins:read", "plugins:write"])
    expect((await writes.call("GET", `/v1/plugins/${plugin}`)).status).toBe(404)
    expect((await writes.call("POST", `/v1/plugins/${plugin}/access`, { orgWide: true, role: "viewer" })).status).toBe(
      404
    )
    const manages = await makeKey(plane, owner, ["plugins:read", "plugins:write", "plugins:manage"])
    const path = `/v1/plugins/${plugin}`
    expect((await manages.call("GET", path)).status).toBe(200)
    expect((await manages.call("POST", `${path}/access`, { orgWide: true, role: "viewer" })).status).toBe(201)
    expect((await manages.call("GET", "/v1/marketplaces")).status).toBe(403)
    for (const path of ["/v1/me", "/v1/sessions", "/v1/me/organizations"]) {
      expect(codeOf(await manages.call("GET", path)), path).toEqual([403, "session_required"])
    }
    expect(codeOf(await manages.call("DELETE", "/v1/organization"))).toEqual([403, "session_required"])
  })

  it("reaches its own objects and not those of earlier keys, in either order", async () => {
    const owner = await makeWorkspace(plane)
    const plugin = (await owner.call("POST", "/v1/plugins", { name: "Private" })).body.item.id
    const ways = [`/v1/plugins/${plugin}`, "/v1/plugins", "/v1/connector-instances"]
    const wide = ["plugins:read", "plugins:manage", "connectors:read", "connectors:manage"]
    const narrow = ["plugins:read", "connectors:read"]
    for (const permissions of [narrow, wide, narrow, ["plugins:read", "connectors:read", "connectors:manage"]]) {
      const key = await makeKey(plane, owner, permissions)
      const [one, list, instances] = await Promise.all(ways.map((path) => key.call("GET", path)))
      const reaches = permissions === wide
      expect([one?.status, list?.body.items.length, instances?.status]).toEqual(reaches ? [200, 1, 200] : [404, 0, 200])
    }
  })

  it("returns 403 for permissions that the creator lacks or that only an owner or admin can grant", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const member = await addMember(plane, owner, "member")
    const held = ["apiKeys:read", "apiKeys:manage", "plugins:read", "plugins:manage"]
    const smith = await addMember(plane, owner, await makeRole(owner, held))
    const before = await rowCounts(plane)
    expect(codeOf(await create(member, {}))).toEqual([403, "permission_required"])
    expect(codeOf(await create(smith, { permissions: ["plugins:write"] }))).toEqual([403, "exceeds_own_permissions"])
    expect(codeOf(await create(smith, { permissions: ["plugins:manage"] }))).toEqual([403, "exceeds_own_permissions"])
    expect(codeOf(await create(admin, { permissions: ["organizations:manage"] }))).toEqual([
      403,
      "exceeds_own_permissions"
    ])
    expect(codeOf(await create(admin, { permissions: ["sessions:mint"] }))).toEqual([403, "owner_required"])
    expect(codeOf(await create(smith, { permissions: ["sessions:mint"] }))).toEqual([403, "owner_required"])
    expect((await call(plane)("POST", "/v1/api-keys", { name: "A", permissions: [] })).status).toBe(401)
    expect(await rowCounts(plane)).toEqual(before)
    expect((await create(smith, { permissions: ["plugins:read", "apiKeys:manage"] })).status).toBe(201)
    expect((await create(admin, { permissions: ["plugins:manage"] })).status).toBe(201)
    expect((await create(owner, { permissions: ["sessions:mint"] })).status).toBe(201)
  })

  it("returns 403 for an API key, a minted session and an unclaimed workspace", async () => {
    const owner = await makeWorkspace(plane)
    const all = (await owner.call("GET", "/v1/roles/permissions")).body.permissions.map(
      (row: { permission: string }) => row.permission
    )
    const key = await makeKey(plane, owner, all)
    const other = await makeKey(plane, owner, [])
    expect(codeOf(await create(key, {}))).toEqual([403, "session_required"])
    for (const id of [key.id, other.id]) expect(codeOf(await rotate(key, id))).toEqual([403, "session_required"])
    const minted = await mintSession(plane, owner, owner.membershipId)
    for (const refused of [create(minted, {}), rotate(minted, other.id), minted.call("GET", "/v1/api-keys")]) {
      expect(codeOf(await refused)).toEqual([403, "session_required"])
    }
    const response = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Provisional" })
    const agent = { call: call(plane, response.body.session.token) }
    expect(codeOf(await create(agent, {}))).toEqual([403, "provisional_organization"])
  })

  it("returns 400 with the location of each validation error, and stores nothing", async () => {
    const owner = await makeWorkspace(plane)
    const before = await rowCounts(plane)
    const bad: ReadonlyArray<readonly [string, unknown]> = [
      ["name", ""],
      ["name", "x".repeat(121)],
      ["name", null],
      ["name", "a\u0000b"],
      ["permissions", null],
      ["permissions", "plugins:read"],
      ["permissions", ["plugins:*"]],
      ["permissions", ["*"]],
      ["permissions", Array.from({ length: 101 }, () => "plugins:read")],
      ["expiresAt", "tomorrow"],
      ["expiresAt", "2999-01-01T00:00:00"],
      ["expiresAt", "2999-02-30T00:00:00Z"],
      ["expiresAt", "2001-01-01T00:00:00Z"],
      // In the year 10000 in UTC, which a response cannot represent.
      ["expiresAt", "9999-12-31T23:59:59-01:00"],
      ["expiresAt", 4_000_000_000],
      ["requestsPerMinute", 0],
      ["requestsPerMinute", 1201],
      ["requestsPerMinute", 1.5],
      ["requestsPerMinute", null]
    ]
    for (const [member, value] of bad) {
      const response = await create(owner, { [member]: value })
      expect([response.status, response.body.details[0].path.slice(0, 2)], JSON.stringify(value)).toEqual([
        400,
        ["body", member]
      ])
    }
    for (const body of ["{", "[]", "null"]) expect((await owner.call("POST", "/v1/api-keys", body)).status).toBe(400)
    expect(await rowCounts(plane)).toEqual(before)
    const odd = await create(owner, { expiresAt: "9999-12-31T23:59:59+01:00", createdByOrgMembershipId: missing })
    expect(odd.body.apiKey).toMatchObject({
      expiresAt: "9999-12-31T22:59:59.000Z",
      createdByOrgMembershipId: owner.membershipId
    })
  })

  it("returns 409 for a repeated idempotency key, creates one key, and never returns its secret again", async () => {
    const owner = await makeWorkspace(plane)
    const headers = { "idempotency-key": "once" }
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(owner, { name: "Once" }, headers)))
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1)
    for (const response of responses.filter((response) => response.status !== 201)) {
      expect(response.status).toBe(409)
      expect(["idempotency_key_in_use", "idempotency_key_completed"]).toContain(response.body.error)
    }
    const again = await create(owner, { name: "Once" }, headers)
    expect(codeOf(again)).toEqual([409, "idempotency_key_completed"])
    expect(again.text).not.toContain("opk_")
    expect(codeOf(await create(owner, { name: "Twice" }, headers))).toEqual([409, "idempotency_key_reused"])
    expect((await owner.call("GET", "/v1/api-keys")).body.items).toHaveLength(1)
  })

  it("returns 409 quota_exceeded for the 101st live key, also concurrently; expired and revoked keys do not count", async () => {
    const owner = await makeWorkspace(plane)
    const [activeKey, revoked] = [await makeKey(plane, owner, []), await makeKey(plane, owner, [])]
    await revoke(owner, revoked.id)
    const copy = (from: number, to: number, expires: string) =>
      runSql(
        plane,
        (sql) => sql`INSERT INTO api_keys (organization_id, id, name, hint, token_digest, permissions_json,
            requests_per_minute, expires_at, created_at, updated_at)
          SELECT organization_id, 'key_01h455vb4pex5vsknk' || lpad(n::text, 8, '0'), name, hint,
            sha256(convert_to(organization_id || n::text, 'UTF8')), permissions_json, requests_per_minute,
            ${expires}::timestamptz, now(), now()
          FROM api_keys, generate_series(${from}::int, ${to}::int) AS s(n) WHERE id = ${activeKey.id}`
      )
    await copy(1, 97, "infinity")
    await copy(98, 120, "2001-01-01")
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(owner, {})))
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 201, 409, 409, 409, 409])
    expect(responses.find((response) => response.status === 409)?.body.error).toBe("quota_exceeded")
    await revoke(owner, activeKey.id)
    expect((await create(owner, {})).status).toBe(201)
    expect((await create(owner, {})).status).toBe(409)
    const elsewhere = await makeWorkspace(plane)
    expect((await create(elsewhere, {})).status).toBe(201)
  })
})

describe("API key authentication", () => {
  it("returns 401 for an invalid key, and for a key in the wrong header with a hint", async () => {
    const owner = await makeWorkspace(plane)
    const { call: withKey, key } = await makeKey(plane, owner, [])
    const bearer = await call(plane, key, someAddress())("GET", "/v1/api-keys/current")
    expect([bearer.status, bearer.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining("x-api-key")])
    const session = await withKey("GET", "/v1/api-keys/current", undefined, { "x-api-key": owner.token })
    expect([session.status, session.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("authorization")
    ])
    const wrong = [key.slice(0, -1), `${key}x`, key.toUpperCase(), ` ${key}x`, "", "opk_", `${key}, ${key}`, "host//x"]
    for (const text of wrong) {
      const response = await call(plane, undefined, someAddress())("GET", "/v1/api-keys/current", undefined, {
        "x-api-key": text
      })
      expect(response.status, text).toBe(401)
    }
  })

  it("returns 400 at x-api-key when a session is sent too, whether valid or not, cached or not", async () => {
    const owner = await makeWorkspace(plane)
    const { call: withKey } = await makeKey(plane, owner, [])
    expect((await withKey("GET", "/v1/api-keys/current")).status).toBe(200)
    for (const headers of [
      { authorization: `Bearer ${owner.token}` },
      { authorization: "Bearer nonsense" },
      { authorization: "" },
      { authorization: `Bearer ${owner.token}`, "x-api-key": "nonsense" }
    ]) {
      const response = await withKey("GET", "/v1/api-keys/current", undefined, headers)
      expect([response.status, response.body.details?.[0].path]).toEqual([400, ["header", "x-api-key"]])
    }
  })

  it("accepts the id of the key's own organization and rejects any other", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["organizations:read"])
    const named = (id: string) => key.call("GET", "/v1/organization", undefined, { "x-organization-id": id })
    expect((await named(owner.organizationId)).body.organization.id).toBe(owner.organizationId)
    const refused = await Promise.all(
      [elsewhere.organizationId, "org_01h455vb4pex5vsknk084sn02q", "nonsense"].map(named)
    )
    for (const response of refused) expect([response.status, response.text]).toEqual([404, refused[0]?.text])
  })

  it("records the last use to the hour, once an hour and not with every request", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, [])
    const hour = () => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString()
    const [before, used, after] = [hour(), await current(key), hour()]
    expect([before, after]).toContain(used.body.apiKey.lastUsedAt)
    await runSql(plane, (sql) => sql`UPDATE api_keys SET last_used_at = NULL WHERE id = ${key.id}`)
    const began = hour()
    const texts = await Promise.all(Array.from({ length: 5 }, () => current(key)))
    if (began === hour()) for (const response of texts) expect(response.body.apiKey.lastUsedAt).toBeNull()
  })

  it("returns 429 beyond the key's own rate limit, with the rate limit headers, also from the cache", async () => {
    const owner = await makeWorkspace(plane)
    for (const perMinute of [3, 120]) {
      const key = await makeKey(plane, owner, [], { requestsPerMinute: perMinute })
      const other = await makeKey(plane, owner, [], { requestsPerMinute: perMinute })
      let last: TestResponse | undefined
      for (let count = 0; count < perMinute; count += 1) {
        last = await current(key)
        expect(last.status, `${count} of ${perMinute}`).toBe(200)
      }
      if (perMinute > 60) {
        expect(last?.headers.get("ratelimit-policy")).toBe(`"key";q=${perMinute};w=60`)
        expect(last?.headers.get("ratelimit")).toMatch(/^"key";r=0;t=\d+$/)
      }
      const refused = await current(key)
      expect(codeOf(refused)).toEqual([429, "rate_limited"])
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(refused.headers.get("ratelimit-policy")).toBe(`"key";q=${perMinute};w=60`)
      expect(refused.headers.get("ratelimit")).toMatch(/^"key";r=0;t=\d+$/)
      expect((await current(other)).status).toBe(200)
      await runSql(plane, (sql) => sql`DELETE FROM rate_windows WHERE bucket = ${`key:${key.id}`}`)
      expect((await current(key)).status).toBe(429)
    }
  })

  it("rejects an expired key and keeps its row", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["apiKeys:read"], { expiresAt: soon() })
    expect((await current(key)).status).toBe(200)
    await runSql(plane, (sql) => sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${key.id}`)
    await touch(owner, key.id)
    expect((await current(key)).status).toBe(401)
    expect((await owner.call("GET", at(key.id))).body.apiKey).toMatchObject({ revokedAt: null, name: "Touched" })
    expect(codeOf(await rotate(owner, key.id))).toEqual([404, "api_key_not_found"])
    expect((await update(owner, key.id, { expiresAt: soon() })).body.reason).toBe("exceeds_own_permissions")
  })

  it("rejects a key from the moment it expires, although it was just valid", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, [], { expiresAt: new Date(Date.now() + 1500).toISOString() })
    expect((await current(key)).status).toBe(200)
    let response = await current(key)
    while (response.status === 200) {
      // Slow enough for the key's own rate limit.
      await new Promise((resolve) => setTimeout(resolve, 20))
      response = await current(key)
    }
    expect(response.status).toBe(401)
    expect((await current(key)).status).toBe(401)
  })
})

describe("GET /v1/api-keys", () => {
  it("lists keys page by page, newest first, with a filter for revoked ones, and rejects a cursor of another list", async () => {
    const owner = await makeWorkspace(plane)
    await makeKey(plane, await makeWorkspace(plane), [])
    const keys: Array<TestKey> = []
    for (let index = 0; index < 5; index += 1) keys.push(await makeKey(plane, owner, []))
    const [revokedKey, ...live] = keys
    await revoke(owner, revokedKey?.id ?? "")
    const walked: Array<string> = []
    let cursor: string | null = null
    do {
      const page: TestResponse = await owner.call(
        "GET",
        `/v1/api-keys?limit=3${cursor === null ? "" : `&cursor=${cursor}`}`
      )
      walked.push(...page.body.items.map((key: { id: string }) => key.id))
      cursor = page.body.nextCursor
    } while (cursor !== null)
    expect(walked).toEqual(live.map((key) => key.id).toReversed())
    const revoked = (await owner.call("GET", "/v1/api-keys?revoked=true")).body.items
    expect(revoked).toMatchObject([{ id: revokedKey?.id, revokedAt: expect.any(String) }])
    const { nextCursor } = (await owner.call("GET", "/v1/api-keys?limit=3")).body
    for (const query of [`revoked=true&cursor=${nextCursor}`, "revoked=yes", "limit=0", "cursor=x"]) {
      expect((await owner.call("GET", `/v1/api-keys?${query}`)).status, query).toBe(400)
    }
    const member = await addMember(plane, owner, "member")
    expect(codeOf(await member.call("GET", "/v1/api-keys"))).toEqual([403, "permission_required"])
  })

  it("filters keys by part of the name or the hint, also the revoked ones", async () => {
    const owner = await makeWorkspace(plane)
    const keys: Array<TestKey> = []
    for (const name of searchedNames) keys.push(await makeKey(plane, owner, [], { name }))
    const ids = keys.map(({ id }) => id)
    const path = "/v1/api-keys"
    await expectSearch(owner, { path, ids })
    const { hint } = (await owner.call("GET", at(ids[1] ?? ""))).body.apiKey
    expect((await owner.call("GET", `${path}?q=${hint}`)).body.items).toMatchObject([{ id: ids[1] }])
    // The rest of the secret is not searched.
    const rest = keys[1]?.key.slice(hint.length) ?? ""
    expect((await owner.call("GET", `${path}?q=${rest}`)).body.items).toEqual([])
    for (const id of ids) await revoke(owner, id)
    await expectSearch(owner, { path, ids, filter: "revoked=true" })
    expect((await owner.call("GET", `${path}?q=blue`)).body.items).toEqual([])
  })

  it("returns the same 404 for another organization's key and a missing one, with every operation", async () => {
    const owner = await makeWorkspace(plane)
    const foreign = await makeKey(plane, await makeWorkspace(plane), [])
    const before = await rowCounts(plane)
    const requests: ReadonlyArray<readonly [string, string, object?]> = [
      ["GET", ""],
      ["PATCH", "", { name: "Mine" }],
      ["DELETE", ""],
      ["POST", "/rotate", {}]
    ]
    for (const [method, path, body] of requests) {
      const [theirs, none] = await Promise.all(
        [foreign.id, missing].map((id) => owner.call(method, `${at(id)}${path}`, body))
      )
      expect([theirs?.status, theirs?.text]).toEqual([404, none?.text])
      expect((await owner.call(method, `${at("nonsense")}${path}`, body)).status).toBe(400)
    }
    expect(await rowCounts(plane)).toEqual(before)
    expect((await current(foreign)).status).toBe(200)
    expect(codeOf(await owner.call("GET", "/v1/api-keys/current"))).toEqual([404, "api_key_not_found"])
  })
})

describe("PATCH /v1/api-keys/{id}", () => {
  it("narrows a key from the next request on, also by a key itself, and returns 403 for widening it", async () => {
    const owner = await makeWorkspace(plane)
    const manager = await makeKey(plane, owner, ["apiKeys:manage"])
    const expiresAt = soon()
    const key = await makeKey(plane, owner, ["members:read", "teams:read"], { expiresAt, requestsPerMinute: 100 })
    expect((await key.call("GET", "/v1/members")).status).toBe(200)
    const narrowed = await update(manager, key.id, { permissions: ["teams:read"], requestsPerMinute: 50, name: "Less" })
    expect(narrowed.body.apiKey).toMatchObject({ permissions: ["teams:read"], requestsPerMinute: 50, name: "Less" })
    expect(codeOf(await key.call("GET", "/v1/members"))).toEqual([403, "permission_required"])
    expect((await key.call("GET", "/v1/teams")).status).toBe(200)
    const before = (await owner.call("GET", at(key.id))).body
    const wider = [
      { permissions: ["teams:read", "members:read"] },
      { permissions: ["plugins:read"] },
      { requestsPerMinute: 51 },
      { expiresAt: new Date(Date.parse(expiresAt) + 1000).toISOString() },
      { name: "More", permissions: [], expiresAt: "9999-01-01T00:00:00Z" }
    ]
    for (const by of [owner, manager, key]) {
      for (const body of wider) {
        const refused = await update(by, key.id, body)
        expect(codeOf(refused)).toEqual([403, by === key ? "permission_required" : "exceeds_own_permissions"])
      }
    }
    expect(codeOf(await update(manager, manager.id, { permissions: ["apiKeys:manage", "apiKeys:read"] }))).toEqual([
      403,
      "exceeds_own_permissions"
    ])
    expect((await owner.call("GET", at(key.id))).body).toEqual(before)
    for (const body of [
      { expiresAt: null },
      { expiresAt: "2001-01-01T00:00:00Z" },
      { permissions: null },
      { name: "" }
    ]) {
      expect((await update(owner, key.id, body)).status).toBe(400)
    }
    expect((await update(owner, key.id, { permissions: [] })).body.apiKey.permissions).toEqual([])
    expect((await key.call("GET", "/v1/teams")).status).toBe(403)
    // A key that removes its own permission to manage keys cannot restore it.
    expect((await update(manager, manager.id, { permissions: [], expiresAt })).body.apiKey).toMatchObject({ expiresAt })
    expect(codeOf(await update(manager, manager.id, { name: "Still" }))).toEqual([403, "permission_required"])
  })

  it("ends with the narrowest of several concurrent updates", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["members:read", "teams:read", "roles:read"])
    const wanted = [["members:read", "teams:read"], ["members:read"], ["members:read", "roles:read"]]
    const responses = await Promise.all(wanted.map((permissions) => update(owner, key.id, { permissions })))
    expect(responses.some((response) => response.status === 200)).toBe(true)
    const { permissions } = (await current(key)).body.apiKey
    for (const response of responses.filter((response) => response.status === 200)) {
      expect(response.body.apiKey.permissions).toEqual(expect.arrayContaining(permissions))
    }
  })
})

describe("POST /v1/api-keys/{id}/rotate", () => {
  it("returns a new secret and invalidates the old one at once without a grace period", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["members:read"], { expiresAt: soon() })
    expect((await current(key)).status).toBe(200)
    const { body, headers, status } = await rotate(owner, key.id)
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(body.key).not.toBe(key.key)
    expect(body.apiKey).toMatchObject({ id: key.id, permissions: ["members:read"], previousUsableUntil: null })
    expect((await current(key)).status).toBe(401)
    const next = callWithKey(plane, body.key)
    expect((await next("GET", "/v1/api-keys/current")).body.apiKey).toEqual(
      expect.objectContaining({ id: key.id, hint: body.key.slice(0, 10), expiresAt: body.apiKey.expiresAt })
    )
    for (const graceSeconds of [-1, 1.5, 604_801, null, "1"]) {
      expect((await rotate(owner, key.id, { graceSeconds })).status).toBe(400)
    }
  })

  it("accepts the old secret during the grace period, but not the one before it", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, [])
    const first = (await rotate(owner, key.id, { graceSeconds: 600 })).body
    expect(Date.parse(first.apiKey.previousUsableUntil)).toBeGreaterThan(Date.now())
    const statuses = async (...keys: ReadonlyArray<string>) =>
      (await Promise.all(keys.map((secret) => callWithKey(plane, secret)("GET", "/v1/api-keys/current")))).map(
        (response) => response.status
      )
    expect(await statuses(key.key, first.key)).toEqual([200, 200])
    const second = (await rotate(owner, key.id, { graceSeconds: 600 })).body
    expect(await statuses(key.key, first.key, second.key)).toEqual([401, 200, 200])
    await runSql(
      plane,
      (sql) => sql`UPDATE api_keys SET previous_usable_until = now() - interval '1 second' WHERE id = ${key.id}`
    )
    await touch(owner, key.id)
    expect(await statuses(key.key, first.key, second.key)).toEqual([401, 401, 200])
    expect((await owner.call("GET", at(key.id))).body.apiKey.previousUsableUntil).toBeNull()
    const third = (await rotate(owner, key.id, { graceSeconds: 600 })).body
    await revoke(owner, key.id)
    expect(await statuses(second.key, third.key)).toEqual([401, 401])
    expect((await owner.call("GET", at(key.id))).body.apiKey.previousUsableUntil).toBeNull()
  })

  it("ends a grace period when the key expires", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, [], { expiresAt: soon() })
    await rotate(owner, key.id, { graceSeconds: 604_800 })
    expect((await current(key)).status).toBe(200)
    await runSql(plane, (sql) => sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${key.id}`)
    await touch(owner, key.id)
    expect((await current(key)).status).toBe(401)
  })

  it("returns 403 for a caller who could not create such a key, 404 once it is revoked, and 409 for a repetition", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const smith = await addMember(plane, owner, await makeRole(owner, ["apiKeys:manage", "plugins:read"]))
    const minting = await makeKey(plane, owner, ["sessions:mint"])
    const wide = await makeKey(plane, owner, ["plugins:write"])
    expect(codeOf(await rotate(admin, minting.id))).toEqual([403, "owner_required"])
    expect(codeOf(await rotate(smith, wide.id))).toEqual([403, "exceeds_own_permissions"])
    expect((await current(minting)).status).toBe(200)
    expect((await current(wide)).status).toBe(200)
    const headers = { "idempotency-key": "rotate-once" }
    const first = await owner.call("POST", `${at(wide.id)}/rotate`, {}, headers)
    const again = await owner.call("POST", `${at(wide.id)}/rotate`, {}, headers)
    expect([first.status, ...codeOf(again)]).toEqual([200, 409, "idempotency_key_completed"])
    expect((await callWithKey(plane, first.body.key)("GET", "/v1/api-keys/current")).status).toBe(200)
    await revoke(owner, wide.id)
    expect(codeOf(await rotate(owner, wide.id))).toEqual([404, "api_key_not_found"])
  })

  it("returns 403 for a caller who would gain access to what another member's key created, unless an admin", async () => {
    const owner = await makeWorkspace(plane)
    const permissions = ["apiKeys:manage", "plugins:read", "plugins:write"]
    const role = await makeRole(owner, permissions)
    const [maker, other] = [await addMember(plane, owner, role), await addMember(plane, owner, role)]
    const key = await makeKey(plane, maker, ["plugins:read", "plugins:write"])
    expect((await rotate(other, key.id, { graceSeconds: 600 })).status).toBe(200)
    const response = await key.call("POST", "/v1/plugins", { name: "Of the key" })
    const path = `/v1/plugins/${response.body.item.id}`
    expect((await other.call("GET", path)).status).toBe(404)
    expect(codeOf(await rotate(other, key.id))).toEqual([403, "exceeds_own_permissions"])
    expect((await key.call("GET", path)).status).toBe(200)
    expect((await rotate(maker, key.id)).status).toBe(200)
    expect((await rotate(await addMember(plane, owner, "admin"), key.id)).status).toBe(200)
  })

  it("leaves one valid secret after concurrent rotations", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, [])
    const responses = await Promise.all(Array.from({ length: 6 }, () => rotate(owner, key.id)))
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200, 200, 200])
    const secrets = [key.key, ...responses.map((response) => response.body.key)]
    const tried = await Promise.all(secrets.map((secret) => callWithKey(plane, secret)("GET", "/v1/api-keys/current")))
    expect(tried.filter((response) => response.status === 200)).toHaveLength(1)
  })
})

describe("DELETE /v1/api-keys/{id}", () => {
  it("revokes a key once with its grants, and keeps what it created", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["plugins:read", "plugins:write", "apiKeys:manage"])
    const plugin = (await key.call("POST", "/v1/plugins", { name: "Of a key" })).body.item.id
    expect((await key.call("GET", `/v1/plugins/${plugin}`)).status).toBe(200)
    expect((await revoke(owner, key.id)).status).toBe(204)
    expect((await key.call("GET", `/v1/plugins/${plugin}`)).status).toBe(401)
    expect((await revoke(owner, key.id)).status).toBe(404)
    expect((await update(owner, key.id, { name: "Back" })).status).toBe(404)
    expect((await owner.call("GET", `/v1/plugins/${plugin}`)).status).toBe(200)
    const left = await runSql(
      plane,
      (sql) => sql`SELECT id FROM grants
        WHERE organization_id = ${owner.organizationId} AND key_id = ${key.id} AND removed_at IS NULL`
    )
    expect(left).toEqual([])
    // A key can revoke itself: that is the narrowest it can be.
    const own = await makeKey(plane, owner, ["apiKeys:manage"])
    expect((await revoke(own, own.id)).status).toBe(204)
    expect((await current(own)).status).toBe(401)
  })

  it("revokes a key once when several requests revoke it concurrently", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, [])
    const responses = await Promise.all([revoke(owner, key.id), revoke(owner, key.id), rotate(owner, key.id)])
    expect(
      responses
        .slice(0, 2)
        .map((response) => response.status)
        .toSorted()
    ).toEqual([204, 404])
    expect((await current(key)).status).toBe(401)
    const rotated = responses[2]?.body.key
    if (rotated !== undefined) {
      expect((await callWithKey(plane, rotated)("GET", "/v1/api-keys/current")).status).toBe(401)
    }
  })

  it("creates nothing lasting after its revocation, even before the process receives the notice", async () => {
    const owner = await makeWorkspace(plane)
    const person = await addMember(plane, owner, "member")
    const role = await makeRole(owner, [])
    const held = ["roles:write", "members:manage", "invitations:write", "sessions:mint"]
    const key = await makeKey(plane, owner, held)
    const second = await addMember(plane, owner, "owner")
    const tries = (by: Pick<Person, "call">) => [
      by.call("POST", "/v1/roles", { name: "Lasting", permissions: [] }),
      by.call("PATCH", `/v1/members/${person.membershipId}`, { role }),
      by.call("POST", "/v1/invitations", { email: "b@example.com", role }),
      by.call("POST", "/v1/sessions/exchange", { orgMembershipId: person.membershipId })
    ]
    for (const by of [key, second]) expect((await by.call("GET", "/v1/roles/permissions")).status).toBe(200)
    // Changed directly, without a notice, as on a process that has not received it yet.
    await runSql(plane, (sql) => sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${key.id}`)
    await runSql(plane, (sql) => sql`UPDATE sessions SET revoked_at = now() WHERE user_id = ${second.userId}`)
    for (const by of [key, second]) {
      for (const refused of await Promise.all(tries(by))) {
        expect(codeOf(refused)).toEqual([403, "permission_required"])
      }
    }
    expect(codeOf(await create(second, {}))).toEqual([403, "permission_required"])
  })

  it("keeps working when its creator is demoted or removed", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const key = await makeKey(plane, admin, ["members:read"])
    await owner.call("PATCH", `/v1/members/${admin.membershipId}`, { role: "member" })
    expect((await key.call("GET", "/v1/members")).status).toBe(200)
    await owner.call("DELETE", `/v1/members/${admin.membershipId}`)
    expect((await key.call("GET", "/v1/members")).status).toBe(200)
    expect((await current(key)).body.apiKey.createdByOrgMembershipId).toBe(admin.membershipId)
    await owner.call("DELETE", "/v1/organization")
    expect((await current(key)).status).toBe(401)
  })
})
