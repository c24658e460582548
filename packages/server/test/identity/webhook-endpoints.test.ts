/** The operations on webhook endpoints: who can use them, what they reject, and what they return. */
import { describe, expect, it } from "vitest"
import { addMember, makeKey, makeRole, makeTeam, makeWorkspace, runSql } from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"
import {
  createEndpoint,
  createPlugins,
  getEndpoint,
  type Item,
  makePlane,
  messagesOf,
  sequencesOf,
  serveReceiver,
  settled
} from "./webhook-endpoints.fixture.ts"

const plane = await makePlane()
const unreachable = "https://hooks.invalid/orgplane"
const unknown = "/v1/webhook-endpoints/whe_01kf0x5me8e6razepq180mhf01"
const allTypes = { types: ["plugin.create"] }

describe("POST /v1/webhook-endpoints", () => {
  it("creates an endpoint with the read permissions of its creator, and returns the secret once", async () => {
    const owner = await makeWorkspace(plane)
    const { item, path, secret } = await createEndpoint(owner, unreachable)
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/u)
    expect(item).toMatchObject({
      name: "Hook",
      url: unreachable,
      types: [],
      ordering: "ordered",
      signature: "hmac",
      publicKey: null,
      previousSecretUntil: null,
      state: "active",
      pauseReason: null,
      failingSince: null,
      lastDeliveredAt: null,
      createdByOrgMembershipId: owner.membershipId,
      version: 1
    })
    expect(item.permissions).toContain("plugins:read")
    expect(item.permissions.every((permission: string) => permission.endsWith(":read"))).toBe(true)
    const read = await owner.call("GET", path)
    expect(read.body.item).toEqual({ ...item, position: expect.any(Number), pendingCount: expect.any(Number) })
    expect(read.text).not.toContain(secret)
    expect((await owner.call("GET", "/v1/webhook-endpoints")).body.items.map(({ id }: Item) => id)).toEqual([item.id])
  })

  it("returns the public key of an endpoint with a key pair, and no secret", async () => {
    const owner = await makeWorkspace(plane)
    const { item, secret } = await createEndpoint(owner, unreachable, { signature: "ed25519" })
    expect([secret, item.signature]).toEqual([null, "ed25519"])
    expect(item.publicKey).toMatch(/^whpk_[\w+/]{43}=$/u)
  })

  it("creates a second endpoint if the request is repeated without an idempotency key, but not with it", async () => {
    const owner = await makeWorkspace(plane)
    const input = { name: "Hook", url: unreachable }
    const send = () => owner.call("POST", "/v1/webhook-endpoints", input, { "idempotency-key": "create-once" })
    expect((await send()).status).toBe(201)
    const again = await send()
    // The secret is not stored, so the response cannot be repeated.
    expect([again.status, again.body.error]).toEqual([409, "idempotency_key_completed"])
    await createEndpoint(owner, unreachable)
    expect((await owner.call("GET", "/v1/webhook-endpoints")).body.items).toHaveLength(2)
  })

  it.each([
    [{ url: "ftp://hooks.example/" }, "url"],
    [{ url: "https://user:password@hooks.example/" }, "url"],
    [{ url: "https://hooks.example/#part" }, "url"],
    [{ url: "hooks.example" }, "url"],
    [{ url: `https://hooks.example/${"a".repeat(2048)}` }, "url"],
    [{ name: "" }, "name"],
    [{ types: ["plugin.created"] }, "types"],
    [{ types: ["*"] }, "types"],
    [{ types: Array.from({ length: 51 }, () => "plugin.create") }, "types"],
    [{ permissions: ["plugins:write"] }, "permissions"],
    [{ permissions: ["plugins"] }, "permissions"],
    [{ ordering: "random" }, "ordering"],
    [{ signature: "rsa" }, "signature"],
    [{ after: -1 }, "after"],
    [{ after: 0.5 }, "after"]
  ])("rejects %j and names the field", async (wrong, field) => {
    const owner = await makeWorkspace(plane)
    const { body, status } = await owner.call("POST", "/v1/webhook-endpoints", {
      name: "Hook",
      url: unreachable,
      ...wrong
    })
    expect([status, body.error, body.details[0].path.includes(field)]).toEqual([400, "invalid_request", true])
    expect((await owner.call("GET", "/v1/webhook-endpoints")).body.items).toEqual([])
  })

  it("does not give an endpoint permissions that its creator does not have", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["webhookEndpoints:write", "plugins:read"])
    const refused = await key.call("POST", "/v1/webhook-endpoints", {
      name: "Hook",
      url: unreachable,
      permissions: ["plugins:read", "teams:read"]
    })
    expect([refused.status, refused.body.reason]).toEqual([403, "exceeds_own_permissions"])
    const { item } = await createEndpoint(key, unreachable)
    expect([item.permissions, item.createdByOrgMembershipId]).toEqual([["plugins:read"], null])
  })

  it("creates at most 100 endpoints", async () => {
    const owner = await makeWorkspace(plane)
    const input = { name: "Hook", url: unreachable, types: ["team.create"] }
    const created = await Promise.all(
      Array.from({ length: 101 }, () => owner.call("POST", "/v1/webhook-endpoints", input))
    )
    expect(created.filter(({ status }) => status === 201)).toHaveLength(100)
    expect(created.find(({ status }) => status !== 201)?.body.error).toBe("quota_exceeded")
  })
})

describe("PATCH /v1/webhook-endpoints/:id", () => {
  it("changes only the fields in the request, and nothing if it is empty", async () => {
    const owner = await makeWorkspace(plane)
    const { item, path } = await createEndpoint(owner, unreachable, allTypes)
    const changed = await owner.call("PATCH", path, { name: "Other", types: ["team.*"], ordering: "parallel" })
    expect([changed.status, changed.body.ok]).toEqual([200, true])
    expect(changed.body.item).toMatchObject({
      name: "Other",
      url: item.url,
      types: ["team.*"],
      permissions: item.permissions,
      ordering: "parallel",
      version: 2
    })
    const empty = await owner.call("PATCH", path, {})
    expect([empty.status, empty.body.item.version]).toEqual([200, 2])
  })

  it("rejects a stale version, a wrong URL, and permissions that the caller does not have", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    const key = await makeKey(plane, owner, ["webhookEndpoints:write"])
    const before = await getEndpoint(owner, { path })
    const stale = await owner.call("PATCH", path, { name: "Other" }, { "if-match": '"7"' })
    expect([stale.status, stale.body.error]).toEqual([412, "precondition_failed"])
    expect((await owner.call("PATCH", path, { url: "file:///etc/passwd" })).status).toBe(400)
    const excess = await key.call("PATCH", path, { permissions: ["teams:read"] })
    expect([excess.status, excess.body.reason]).toEqual([403, "exceeds_own_permissions"])
    expect(await getEndpoint(owner, { path })).toEqual(before)
  })

  it("does not let a caller without the endpoint's permissions redirect its events to another URL", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    const key = await makeKey(plane, owner, ["webhookEndpoints:write"])
    const refused = await key.call("PATCH", path, { url: "https://other.invalid/" })
    expect([refused.status, refused.body.reason]).toEqual([403, "exceeds_own_permissions"])
    expect((await key.call("PATCH", path, { name: "Other" })).status).toBe(200)
    // Giving up the permissions first does not help, in one request or in two.
    for (const input of [{ permissions: [] }, { permissions: [], url: "https://other.invalid/" }]) {
      const blocked = await key.call("PATCH", path, input)
      expect([blocked.status, blocked.body.reason]).toEqual([403, "exceeds_own_permissions"])
    }
    expect(await getEndpoint(owner, { path })).toMatchObject({ url: unreachable, version: 2 })
  })

  it("skips pending deliveries if a permission is removed, and sends no body that was made with it", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, { types: ["plugin.create", "team.create"] })
    await owner.call("POST", `${endpoint.path}/pause`)
    await makeTeam(owner, [], "Writers")
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(2)
    const wide = (await messagesOf(owner, endpoint)).find(({ type }) => type === "team.create")
    expect((await owner.call("PATCH", endpoint.path, { permissions: ["plugins:read"] })).status).toBe(200)
    expect((await messagesOf(owner, endpoint)).map(({ state }) => state)).toEqual(["skipped", "skipped"])
    // The stored body of the first event was changed, to see whether it is sent.
    await runSql(
      plane,
      (sql) => sql`UPDATE webhook_bodies SET body = '{}' WHERE organization_id = ${owner.organizationId}`
    )
    await owner.call("POST", `${endpoint.path}/resume`, {})
    const redelivered = await owner.call("POST", `${endpoint.path}/redeliver`, { from: wide.sequence, to: 1000 })
    expect(redelivered.body.item.count).toBe(1)
    await settled(owner, endpoint)
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["plugin.create"])
  })
})

describe("the other operations", () => {
  const operations = [
    ["GET", "", undefined],
    ["PATCH", "", { name: "Other" }],
    ["POST", "/rotate-secret", {}],
    ["POST", "/test", undefined],
    ["POST", "/pause", undefined],
    ["POST", "/resume", {}],
    ["POST", "/redeliver", { from: 1, to: 1 }],
    ["GET", "/messages", undefined],
    ["GET", "/messages/whm_01kf0x5me8e6razepq180mhf01", undefined],
    ["DELETE", "", undefined]
  ] as const

  it.each(operations)("%s %s: an endpoint of another organization does not exist", async (method, suffix, body) => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    const absent = await stranger.call(method, `${unknown}${suffix}`, body)
    expect([absent.status, absent.body.error]).toEqual([404, "webhook_endpoint_not_found"])
    const foreign = await stranger.call(method, `${path}${suffix}`, body)
    expect([foreign.status, foreign.body.error, foreign.body.message]).toEqual([
      404,
      absent.body.error,
      absent.body.message
    ])
  })

  it.each(operations)("%s %s: a member without the permission is refused", async (method, suffix, body) => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    const member = await addMember(plane, owner, "member")
    const refused = await member.call(method, `${path}${suffix}`, body)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    const reader = await addMember(plane, owner, await makeRole(owner, ["webhookEndpoints:read"]))
    const isRead = method === "GET"
    expect((await reader.call(method, `${path}${suffix}`, body)).status).toBe(
      isRead ? (suffix.includes("whm_") ? 404 : 200) : 403
    )
  })

  it("reject an ID of another kind", async () => {
    const owner = await makeWorkspace(plane)
    expect((await owner.call("GET", "/v1/webhook-endpoints/plg_01kf0x5me8e6razepq180mhf01")).status).toBe(400)
  })

  it("lists endpoints by part of the name or the URL, and not by the secret", async () => {
    const owner = await makeWorkspace(plane)
    const path = "/v1/webhook-endpoints"
    const ids: Array<string> = []
    for (const name of searchedNames)
      ids.push((await createEndpoint(owner, unreachable, { ...allTypes, name })).item.id)
    await expectSearch(owner, { path, ids })
    const { item, secret } = await createEndpoint(owner, "https://tower.invalid/Events", allTypes)
    const listed = async (q: string) =>
      (await owner.call("GET", `${path}?q=${encodeURIComponent(q)}`)).body.items.map(({ id }: Item) => id)
    expect(await listed("TOWER.invalid/ev")).toEqual([item.id])
    expect(await listed(secret)).toEqual([])
  })

  it("pauses and resumes an endpoint, and repeats both without an effect", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    const paused = await owner.call("POST", `${path}/pause`)
    expect(paused.body.item).toMatchObject({ state: "paused", pauseReason: "manual", version: 2 })
    expect((await owner.call("POST", `${path}/pause`)).body.item.version).toBe(2)
    const resumed = await owner.call("POST", `${path}/resume`, {})
    expect(resumed.body.item).toMatchObject({ state: "active", pauseReason: null })
    expect((await owner.call("POST", `${path}/resume`, {})).body.item.state).toBe("active")
  })

  it("returns the same response again for the same idempotency key", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    for (const [operation, body] of [
      ["pause", undefined],
      ["resume", { skip: true }],
      ["redeliver", { from: 1, to: 1 }]
    ] as const) {
      const send = () => owner.call("POST", `${path}/${operation}`, body, { "idempotency-key": operation })
      const first = await send()
      const again = await send()
      expect([operation, first.status, again.status]).toEqual([operation, 200, 200])
      expect(again.headers.get("idempotent-replayed")).toBe("true")
      expect(again.body).toEqual(first.body)
    }
    expect((await getEndpoint(owner, { path })).version).toBe(3)
  })

  it("returns an ETag for If-Match, and the endpoint also with If-None-Match, because its position changes", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, unreachable, allTypes)
    const etag = (await owner.call("GET", path)).headers.get("etag") ?? ""
    expect((await owner.call("GET", path, undefined, { "if-none-match": etag })).status).toBe(200)
    expect((await owner.call("PATCH", path, { name: "Other" }, { "if-match": etag })).status).toBe(200)
    expect((await owner.call("PATCH", path, { name: "Third" }, { "if-match": etag })).status).toBe(412)
  })

  it("sends a test immediately, even to a paused endpoint, and returns the outcome", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 503, body: "x".repeat(50_000) }))
    const { item, path } = await createEndpoint(owner, receiver.url, allTypes)
    await owner.call("POST", `${path}/pause`)
    const sent = await owner.call("POST", `${path}/test`)
    expect(sent.status).toBe(200)
    expect(sent.body.item).toMatchObject({ status: 503, error: null, response: "x".repeat(1024), url: receiver.url })
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.event).toMatchObject({ type: "webhook.test", data: { webhookEndpointId: item.id } })
    expect(Object.keys(sent.body.item.requestHeaders)).toEqual(["webhook-id", "webhook-timestamp"])
    // It is not a delivery.
    expect(await messagesOf(owner, { item, path, secret: "" })).toEqual([])
  })

  it("reports an address that is not allowed as blocked, without details", async () => {
    const owner = await makeWorkspace(plane)
    const { path } = await createEndpoint(owner, "http://169.254.169.254/latest/meta-data", allTypes)
    const sent = await owner.call("POST", `${path}/test`)
    expect(sent.body.item).toMatchObject({ status: null, error: "blocked", response: null })
  })

  it("does not follow a redirect", async () => {
    const owner = await makeWorkspace(plane)
    const other = await serveReceiver()
    const receiver = await serveReceiver(() => ({ status: 307, headers: { location: other.url } }))
    const { path } = await createEndpoint(owner, receiver.url, allTypes)
    const sent = await owner.call("POST", `${path}/test`)
    expect(sent.body.item).toMatchObject({ status: null, error: "too_many_redirects" })
    expect(other.received).toEqual([])
  })

  it("redelivers the events of a range that the endpoint selects, and rejects a wrong range", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, { types: ["plugin.*"] })
    await createPlugins(owner, 3)
    await expect.poll(() => receiver.received.length).toBe(3)
    const [first = 0, , last = 0] = sequencesOf(receiver)
    const redelivered = await owner.call("POST", `${endpoint.path}/redeliver`, { from: 1, to: last })
    expect([redelivered.status, redelivered.body]).toEqual([200, { ok: true, item: { count: 3 } }])
    await expect.poll(() => receiver.received.length).toBe(6)
    expect(receiver.received.slice(3).map(({ body }) => body)).toEqual(
      receiver.received.slice(0, 3).map(({ body }) => body)
    )
    expect(receiver.received[3]?.headers["webhook-id"]).toBe(receiver.received[0]?.headers["webhook-id"])
    const one = await owner.call("POST", `${endpoint.path}/redeliver`, { from: first, to: first })
    expect(one.body.item.count).toBe(1)
    await expect.poll(() => receiver.received.length).toBe(7)
    await settled(owner, endpoint)
    for (const range of [{ from: 2, to: 1 }, { from: 0, to: 1 }, { from: 1, to: 10_001 }, { from: 1 }]) {
      expect((await owner.call("POST", `${endpoint.path}/redeliver`, range)).status).toBe(400)
    }
    expect((await owner.call("POST", `${endpoint.path}/redeliver`, { from: 9000, to: 9001 })).body.item.count).toBe(0)
  })

  it("redelivers nothing while 100,000 deliveries are stored", async () => {
    const owner = await makeWorkspace(plane)
    const endpoint = await createEndpoint(owner, unreachable, allTypes)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO webhook_messages (organization_id, endpoint_id, id, event_id, sequence, type, body_id,
          permissions_version, state, attempts, failures, created_at)
        SELECT ${owner.organizationId}, ${endpoint.item.id}, 'whm_' || n, 'aud_' || n, n, 'plugin.create', 'none', 1,
          'delivered', 1, 0, now() FROM generate_series(1, 100000) n`
    )
    const { body, status } = await owner.call("POST", `${endpoint.path}/redeliver`, { from: 1, to: 1 })
    expect([status, body.error]).toEqual([409, "quota_exceeded"])
    expect(body.message).toContain("100000 deliveries of the endpoint are stored")
  })

  it("redelivers the same bytes after the name of an object changed", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, { types: ["plugin.create"] })
    const [plugin = ""] = await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    await owner.client.plugins.update(plugin, { name: "Another name" })
    const [sequence = 0] = sequencesOf(receiver)
    await owner.call("POST", `${endpoint.path}/redeliver`, { from: sequence, to: sequence })
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  })

  it("lists deliveries with their states, and returns one with its body and attempts", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver((_, count) =>
      count === 1 ? { status: 204 } : { status: 500, body: "broken" }
    )
    const endpoint = await createEndpoint(owner, receiver.url, { types: ["plugin.create"] })
    await createPlugins(owner, 2)
    await expect
      .poll(async () => (await messagesOf(owner, endpoint)).map(({ attemptCount }) => attemptCount))
      .toEqual([1, 1])
    const [pending, delivered] = await messagesOf(owner, endpoint)
    expect(delivered).toMatchObject({ state: "delivered", nextAttemptAt: null, deliveredAt: expect.any(String) })
    expect(pending).toMatchObject({ state: "pending", nextAttemptAt: expect.any(String), deliveredAt: null })
    expect((await messagesOf(owner, endpoint, "&state=pending")).map(({ id }) => id)).toEqual([pending.id])
    expect((await owner.call("GET", `${endpoint.path}/messages?state=lost`)).status).toBe(400)
    const { item } = (await owner.call("GET", `${endpoint.path}/messages/${pending.id}`)).body
    expect(item.body).toBe(receiver.received[1]?.body)
    expect(item.attempts).toEqual([
      {
        at: expect.any(String),
        url: receiver.url,
        requestHeaders: {
          "webhook-id": receiver.received[1]?.headers["webhook-id"],
          "webhook-timestamp": receiver.received[1]?.headers["webhook-timestamp"]
        },
        status: 500,
        error: null,
        durationMillis: expect.any(Number),
        response: "broken"
      }
    ])
    // Without the permissions that the endpoint has or had, neither the body nor the response is returned.
    const key = await makeKey(plane, owner, ["webhookEndpoints:read", "teams:read"])
    const hidden = { ...item, body: null, attempts: [{ ...item.attempts[0], response: null }] }
    expect((await key.call("GET", `${endpoint.path}/messages/${pending.id}`)).body.item).toEqual(hidden)
    await owner.call("PATCH", endpoint.path, { permissions: ["teams:read"] })
    const narrowed = (await key.call("GET", `${endpoint.path}/messages/${pending.id}`)).body.item
    expect(narrowed).toMatchObject({ body: null, attempts: [{ response: null }], state: "skipped" })
    // A delivery of another endpoint is not found through this one.
    const other = await createEndpoint(owner, unreachable, allTypes)
    const absent = await owner.call("GET", `${other.path}/messages/${pending.id}`)
    expect([absent.status, absent.body.error]).toEqual([404, "webhook_message_not_found"])
    const page = await owner.call("GET", `${endpoint.path}/messages?limit=1`)
    const next = await owner.call("GET", `${endpoint.path}/messages?limit=1&cursor=${page.body.nextCursor}`)
    expect([page, next].map(({ body }) => body.items[0].id)).toEqual([pending.id, delivered.id])
  })

  it("removes an endpoint with its deliveries, and sends no further events", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 500 }))
    const endpoint = await createEndpoint(owner, receiver.url, allTypes)
    const witness = await serveReceiver()
    await createEndpoint(owner, witness.url, allTypes)
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    expect((await owner.call("DELETE", endpoint.path)).status).toBe(204)
    expect((await owner.call("DELETE", endpoint.path)).status).toBe(404)
    expect((await owner.call("GET", `${endpoint.path}/messages`)).status).toBe(404)
    await createPlugins(owner, 1)
    await expect.poll(() => witness.received.length).toBe(2)
    expect(receiver.received).toHaveLength(1)
  })

  it("records every change in the audit log without the secret, the name and the URL", async () => {
    const owner = await makeWorkspace(plane)
    const { item, path, secret } = await createEndpoint(owner, "https://secret-host.invalid/", { name: "Secret name" })
    await owner.call("PATCH", path, { name: "Other" })
    const rotated = await owner.call("POST", `${path}/rotate-secret`, {})
    await owner.call("POST", `${path}/pause`)
    await owner.call("POST", `${path}/resume`, { skip: true })
    await owner.call("DELETE", path)
    const { body, text } = await owner.call("GET", `/v1/audit-events?targetId=${item.id}&limit=50`)
    expect(body.items.map(({ action }: Item) => action).toReversed()).toEqual([
      "webhook_endpoint.create",
      "webhook_endpoint.update",
      "webhook_endpoint.secret.rotate",
      "webhook_endpoint.pause",
      "webhook_endpoint.resume",
      "webhook_endpoint.remove"
    ])
    for (const hidden of [secret, rotated.body.secret, "Secret name", "secret-host"]) expect(text).not.toContain(hidden)
  })
})
