/** The delivery of events to webhook endpoints: signatures, order, retries, pauses, and what each endpoint sees. */
import { createPublicKey, verify } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { addMember, emailTo, makeKey, makeRole, makeTeam, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import {
  createEndpoint,
  createPlugins,
  exhaust,
  getEndpoint,
  hurry,
  isSignedWith,
  makePlane,
  messagesOf,
  type Received,
  sequencesOf,
  serveReceiver,
  settled
} from "./webhook-endpoints.fixture.ts"

const plane = await makePlane()
const plugins = { types: ["plugin.create"] }
const ascending = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)

/** Gives a person a verified email address. */
const withEmail = async (person: Workspace, email: string) => {
  await runSql(
    plane,
    (sql) => sql`UPDATE users SET email = ${email}, email_verified = true WHERE id = ${person.userId}`
  )
  return email
}

/** The receiver's idea of the sequence of an event: each number once, at its first arrival. */
const firstArrivals = (receiver: Parameters<typeof sequencesOf>[0]) => [...new Set(sequencesOf(receiver))]

describe("a delivery", () => {
  it("contains the event as the API returns it, and is signed with the secret", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [{ body, event, headers }] = receiver.received as [Received]
    expect(Object.keys(event)).toEqual(["type", "timestamp", "data"])
    const { item } = (await owner.call("GET", `/v1/events/${event.data.id}`)).body
    // The plugin was not shared with everyone, so the endpoint does not see its name.
    expect(event.data).toEqual({ ...item, object: { ...item.object, name: null } })
    expect([event.type, event.timestamp]).toEqual(["plugin.create", event.data.createdAt])
    expect(headers).toMatchObject({
      "webhook-id": event.data.id,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body))
    })
    expect(isSignedWith(endpoint.secret, receiver.received[0] as Received)).toBe(true)
    await settled(owner, endpoint)
    expect(await getEndpoint(owner, endpoint)).toMatchObject({
      lastDeliveredAt: expect.any(String),
      failingSince: null
    })
  })

  it("is signed with the private key, and verified with the public key, of an endpoint with a key pair", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const { item } = await createEndpoint(owner, receiver.url, { ...plugins, signature: "ed25519" })
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [{ body, headers }] = receiver.received as [Received]
    const key = createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(item.publicKey.slice(5), "base64").toString("base64url") },
      format: "jwk"
    })
    const signed = Buffer.from(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`)
    const signature = String(headers["webhook-signature"])
    expect(signature).toMatch(/^v1a,/u)
    expect(verify(null, signed, key, Buffer.from(signature.slice(4), "base64"))).toBe(true)
  })

  it("starts after the sequence number that the creator chose", async () => {
    const owner = await makeWorkspace(plane)
    await createPlugins(owner, 3)
    const receiver = await serveReceiver()
    await createEndpoint(owner, receiver.url, { ...plugins, after: 0 })
    await expect.poll(() => receiver.received.length).toBe(3)
    expect(sequencesOf(receiver)).toEqual(ascending(sequencesOf(receiver)))
  })

  it("is successful with any status from 200 to 299, however long the response is", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 202, body: "y".repeat(3_000_000) }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 2)
    await settledAfter(owner, endpoint, 2)
    expect(receiver.received).toHaveLength(2)
  })
})

/** Waits until this many messages were delivered. */
const settledAfter = (owner: Workspace, endpoint: Parameters<typeof messagesOf>[1], count: number) =>
  expect
    .poll(async () => (await messagesOf(owner, endpoint, "&state=delivered")).length, { timeout: 15_000 })
    .toBe(count)

describe("an ordered endpoint", () => {
  it("receives every event once and in order", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 45)
    await settledAfter(owner, endpoint, 45)
    expect(receiver.received).toHaveLength(45)
    expect(sequencesOf(receiver)).toEqual(ascending(sequencesOf(receiver)))
  })

  it("receives a failed event again with identical bytes, before the events after it", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver((_, count) => ({ status: count <= 2 ? 500 : 204 }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    const [plugin = ""] = await createPlugins(owner, 3)
    await expect.poll(async () => (await messagesOf(owner, endpoint)).at(-1)?.attemptCount).toBe(1)
    expect((await getEndpoint(owner, endpoint)).failingSince).toEqual(expect.any(String))
    // The name of the object has changed since.
    await owner.client.plugins.update(plugin, { name: "Renamed" })
    await hurry(plane, endpoint)
    await expect.poll(async () => (await messagesOf(owner, endpoint)).at(-1)?.attemptCount).toBe(2)
    await hurry(plane, endpoint)
    await settledAfter(owner, endpoint, 3)
    const [first, second, third] = receiver.received
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"])
    expect(firstArrivals(receiver)).toEqual(ascending(firstArrivals(receiver)))
    expect(receiver.received).toHaveLength(5)
    expect((await getEndpoint(owner, endpoint)).failingSince).toBe(null)
    const { item } = (
      await owner.call("GET", `${endpoint.path}/messages/${(await messagesOf(owner, endpoint)).at(-1)?.id}`)
    ).body
    expect(item.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 500, 204])
  })

  it("receives a failed event again after a few seconds", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver((_, count) => ({ status: count === 1 ? 500 : 204 }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 1)
    expect(receiver.received).toHaveLength(2)
  }, 30_000)

  it("waits as long as Retry-After requires", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 429, headers: { "retry-after": "1800" } }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await messagesOf(owner, endpoint))[0]?.attemptCount).toBe(1)
    const [message] = await messagesOf(owner, endpoint)
    expect(Date.parse(message.nextAttemptAt) - Date.parse(message.createdAt)).toBeGreaterThan(1_700_000)
  })
})

describe("a parallel endpoint", () => {
  it("receives events while another one gets no response, and the failed one later", async () => {
    const owner = await makeWorkspace(plane)
    const poison = new Set<string>()
    const receiver = await serveReceiver(({ event }) => ({ status: poison.has(event.data.object.id) ? 500 : 204 }))
    const endpoint = await createEndpoint(owner, receiver.url, { ...plugins, ordering: "parallel" })
    await owner.call("POST", `${endpoint.path}/pause`)
    const [first = ""] = await createPlugins(owner, 20)
    poison.add(first)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(20)
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 19)
    poison.clear()
    await hurry(plane, endpoint)
    await settledAfter(owner, endpoint, 20)
    expect(new Set(sequencesOf(receiver)).size).toBe(20)
  })

  it("drops an event that failed for three days, and stays active if others were delivered", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver((_, count) => ({ status: count === 1 ? 204 : 500 }))
    const endpoint = await createEndpoint(owner, receiver.url, { ...plugins, ordering: "parallel" })
    await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 1)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await messagesOf(owner, endpoint, "&state=pending"))[0]?.attemptCount).toBe(1)
    await runSql(plane, (sql) => sql`UPDATE webhook_messages SET failures = 9 WHERE endpoint_id = ${endpoint.item.id}`)
    await hurry(plane, endpoint)
    await expect.poll(async () => (await messagesOf(owner, endpoint))[0]?.state).toBe("failed")
    expect((await getEndpoint(owner, endpoint)).state).toBe("active")
  })
})

describe("a response that cannot be stored as it is", () => {
  it("is recorded with a replacement if its limit splits a character", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 500, body: `${"x".repeat(1023)}\u{1f600}\u0000` }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await messagesOf(owner, endpoint))[0]?.attemptCount).toBe(1)
    const [{ id }] = (await messagesOf(owner, endpoint)) as [{ id: string }]
    const { item } = (await owner.call("GET", `${endpoint.path}/messages/${id}`)).body
    expect(item.attempts[0]).toMatchObject({ status: 500, response: `${"x".repeat(1023)}\uFFFD` })
    expect(receiver.received).toHaveLength(1)
  })

  it("is left out of the attempt if the database rejects it", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 500, body: "rejected by the database" }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await runSql(
      plane,
      (sql) => sql`ALTER TABLE webhook_attempts ADD CONSTRAINT rejects CHECK (response <> 'rejected by the database')`
    )
    await createPlugins(owner, 1)
    await expect.poll(async () => (await messagesOf(owner, endpoint))[0]?.attemptCount).toBe(1)
    const [{ id }] = (await messagesOf(owner, endpoint)) as [{ id: string }]
    const { item } = (await owner.call("GET", `${endpoint.path}/messages/${id}`)).body
    expect(item.attempts[0]).toMatchObject({ status: 500, response: null })
    await runSql(plane, (sql) => sql`ALTER TABLE webhook_attempts DROP CONSTRAINT rejects`)
  })
})

describe("rotate-secret", () => {
  it("signs with both secrets during the overlap, and then with the new one", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    const rotated = await owner.call("POST", `${endpoint.path}/rotate-secret`, { overlapSeconds: 3600 })
    expect(rotated.body.item).toMatchObject({ previousSecretUntil: expect.any(String), version: 2 })
    expect(rotated.body.secret).not.toBe(endpoint.secret)
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [both] = receiver.received as [Received]
    expect([endpoint.secret, rotated.body.secret].map((secret) => isSignedWith(secret, both))).toEqual([true, true])
    await runSql(
      plane,
      (sql) => sql`UPDATE webhook_secrets SET usable_until = now() WHERE endpoint_id = ${endpoint.item.id}
        AND usable_until IS NOT NULL`
    )
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(2)
    const last = receiver.received[1] as Received
    expect([endpoint.secret, rotated.body.secret].map((secret) => isSignedWith(secret, last))).toEqual([false, true])
    expect((await getEndpoint(owner, endpoint)).previousSecretUntil).toBe(null)
  })

  it("ends the old secret at once without an overlap, and rejects a wrong one", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    for (const overlapSeconds of [-1, 604_801, "1"]) {
      expect((await owner.call("POST", `${endpoint.path}/rotate-secret`, { overlapSeconds })).status).toBe(400)
    }
    const rotated = await owner.call("POST", `${endpoint.path}/rotate-secret`, { overlapSeconds: 0 })
    expect(rotated.body.item.previousSecretUntil).toBe(null)
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [one] = receiver.received as [Received]
    expect([endpoint.secret, rotated.body.secret].map((secret) => isSignedWith(secret, one))).toEqual([false, true])
  })

  it("returns a new public key, and signs with both key pairs during the overlap", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, { ...plugins, signature: "ed25519" })
    const rotated = await owner.call("POST", `${endpoint.path}/rotate-secret`, {})
    expect([rotated.body.secret, rotated.body.item.publicKey === endpoint.item.publicKey]).toEqual([null, false])
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(String(receiver.received[0]?.headers["webhook-signature"]).match(/v1a,/gu)).toHaveLength(2)
  })
})

describe("an endpoint that stops", () => {
  it("is disabled by 410, which is an audit event and an email, and continues with the event after resume", async () => {
    const owner = await makeWorkspace(plane)
    const email = await withEmail(owner, "gone@managers.example")
    const receiver = await serveReceiver((_, count) => ({ status: count === 1 ? 410 : 204 }))
    const endpoint = await createEndpoint(owner, receiver.url, { ...plugins, name: "Gone\nhook" })
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).state).toBe("disabled")
    expect(await getEndpoint(owner, endpoint)).toMatchObject({ pauseReason: "gone", pendingCount: 1 })
    const mail = await emailTo(plane, email)
    expect(mail.subject).toBe("A webhook endpoint on orgplane was disabled")
    expect(mail.text).toContain("The webhook endpoint Gone hook of Acme was disabled.")
    const { body } = await owner.call("GET", `/v1/audit-events?targetId=${endpoint.item.id}`)
    expect(body.items[0]).toMatchObject({ action: "webhook_endpoint.disable", actorKind: "system" })
    // Later events stay in the feed, and are sent after the endpoint was resumed.
    await createPlugins(owner, 2)
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 3)
    expect(firstArrivals(receiver)).toHaveLength(3)
    expect(firstArrivals(receiver)).toEqual(ascending(firstArrivals(receiver)))
  })

  it("redelivers no event that is still in the feed, which is sent once after resume", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver((_, count) => ({ status: count === 1 ? 410 : 204 }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).state).toBe("disabled")
    const [plugin] = await createPlugins(owner, 1)
    const later = async () => (await owner.call("GET", `/v1/events?objectId=${plugin}`)).body.items[0]?.sequence
    await expect.poll(later).toEqual(expect.any(Number))
    const range = { from: await later(), to: await later() }
    expect((await owner.call("POST", `${endpoint.path}/redeliver`, range)).body.item.count).toBe(0)
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 2)
    expect(receiver.received).toHaveLength(3)
  })

  it("is paused after three days of failures, with an email to the members who can manage endpoints", async () => {
    const owner = await makeWorkspace(plane)
    const email = await withEmail(owner, "owner@managers.example")
    const role = await makeRole(owner, ["webhookEndpoints:manage"])
    const manager = await withEmail(await addMember(plane, owner, role), "manager@managers.example")
    const member = await withEmail(await addMember(plane, owner, "member"), "member@managers.example")
    const receiver = await serveReceiver(() => ({ status: 500 }))
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 2)
    await expect.poll(async () => (await messagesOf(owner, endpoint)).at(-1)?.attemptCount).toBe(1)
    await exhaust(plane, endpoint)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).state).toBe("paused")
    expect(await getEndpoint(owner, endpoint)).toMatchObject({ pauseReason: "failing", pendingCount: 2 })
    for (const to of [email, manager]) {
      const mail = await emailTo(plane, to)
      expect(mail.subject).toBe("A webhook endpoint on orgplane was paused")
      expect(mail.text).toContain(endpoint.item.id)
    }
    expect(plane.mails.filter(({ to }) => to === member)).toEqual([])
    // Events wait, and are sent in order after it was resumed.
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(3)
    receiver.respond = () => ({ status: 204 })
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 3)
    expect(firstArrivals(receiver)).toEqual(ascending(firstArrivals(receiver)))
  })

  it("is paused if it is parallel and nothing was delivered for days", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver(() => ({ status: 500 }))
    const endpoint = await createEndpoint(owner, receiver.url, { ...plugins, ordering: "parallel" })
    await createPlugins(owner, 1)
    await expect.poll(async () => (await messagesOf(owner, endpoint))[0]?.attemptCount).toBe(1)
    await exhaust(plane, endpoint)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).state).toBe("paused")
    expect((await messagesOf(owner, endpoint))[0]?.state).toBe("failed")
  })

  it("skips pending events if it is resumed with skip, and can redeliver them", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await owner.call("POST", `${endpoint.path}/pause`)
    await createPlugins(owner, 2)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(2)
    const resumed = await owner.call("POST", `${endpoint.path}/resume`, { skip: true })
    expect(resumed.body.item).toMatchObject({ state: "active", pendingCount: 0 })
    expect((await messagesOf(owner, endpoint)).map(({ state }) => state)).toEqual(["skipped", "skipped"])
    const [last = ""] = await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 1)
    expect(receiver.received.map(({ event }) => event.data.object.id)).toEqual([last])
    await owner.call("POST", `${endpoint.path}/redeliver`, { from: 1, to: 100 })
    await settledAfter(owner, endpoint, 4)
    expect(new Set(sequencesOf(receiver)).size).toBe(3)
  })
})

describe("a change during an attempt", () => {
  it("keeps an event skipped that fails after resume with skip", async () => {
    const owner = await makeWorkspace(plane)
    const fail = Promise.withResolvers<void>()
    const receiver = await serveReceiver(async (_, count) => {
      if (count > 1) return { status: 204 }
      await fail.promise
      return { status: 500 }
    })
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBe(1)
    expect((await owner.call("POST", `${endpoint.path}/resume`, { skip: true })).status).toBe(200)
    fail.resolve()
    await expect
      .poll(async () => {
        const [{ id }] = (await messagesOf(owner, endpoint)) as [{ id: string }]
        return (await owner.call("GET", `${endpoint.path}/messages/${id}`)).body.item.attempts.length
      })
      .toBe(1)
    expect((await messagesOf(owner, endpoint)).map(({ state }) => state)).toEqual(["skipped"])
    await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 1)
    expect(receiver.received).toHaveLength(2)
  })
})

describe("a change during a batch", () => {
  it("applies to the rest of the batch: a new URL, and a new secret without an overlap", async () => {
    const owner = await makeWorkspace(plane)
    const [before, after] = [await serveReceiver(), await serveReceiver()]
    const endpoint = await createEndpoint(owner, before.url, plugins)
    await owner.call("POST", `${endpoint.path}/pause`)
    await createPlugins(owner, 5)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(5)
    let secret = ""
    before.respond = async () => {
      await owner.call("PATCH", endpoint.path, { url: after.url })
      secret = (await owner.call("POST", `${endpoint.path}/rotate-secret`, { overlapSeconds: 0 })).body.secret
      // A slow receiver: the settings are read again after a second.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      return { status: 204 }
    }
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 5)
    expect([before.received.length, after.received.length]).toEqual([1, 4])
    expect(after.received.every((received) => isSignedWith(secret, received))).toBe(true)
  })
})

describe("an endpoint with 10,000 pending deliveries", () => {
  it("leaves later events in the feed, and receives them after it was resumed with fewer", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    const { id } = endpoint.item
    await owner.call("POST", `${endpoint.path}/pause`)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO webhook_messages (organization_id, endpoint_id, id, event_id, sequence, type, body_id,
          permissions_version, state, attempts, failures, next_attempt_at, created_at)
        SELECT ${owner.organizationId}, ${id}, 'whm_' || n, 'aud_' || n, n, 'plugin.create', 'none', 1, 'pending', 0, 0, now(),
          now() FROM generate_series(1, 10000) n`
    )
    await createPlugins(owner, 1)
    const isFull = () =>
      runSql(
        plane,
        (sql) => sql<{ full: boolean }>`SELECT full_until IS NOT NULL AS full FROM webhook_endpoints WHERE id = ${id}`
      )
    await expect.poll(isFull).toEqual([{ full: true }])
    expect((await getEndpoint(owner, endpoint)).pendingCount).toBe(10_000)
    expect((await owner.call("GET", "/v1/webhook-endpoints")).body.items[0].pendingCount).toBe(1000)
    await runSql(plane, (sql) => sql`DELETE FROM webhook_messages WHERE endpoint_id = ${id}`)
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 1)
    expect(receiver.received).toHaveLength(1)
  })
})

describe("an event of a type that only a later version knows", () => {
  it("is left to a process of that version, with the events after it", async () => {
    const owner = await makeWorkspace(plane)
    await createPlugins(owner, 2)
    const all = await serveReceiver()
    await createEndpoint(owner, all.url, { ...plugins, after: 0 })
    await expect.poll(() => all.received.length).toBe(2)
    const [, second] = all.received as [Received, Received]
    const setAction = (action: string) =>
      runSql(plane, (sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`ALTER TABLE audit_events DISABLE TRIGGER USER`
            yield* sql`UPDATE audit_events SET action = ${action} WHERE id = ${second.event.data.id}`
            yield* sql`ALTER TABLE audit_events ENABLE TRIGGER USER`
          })
        )
      )
    await setAction("future.create")
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, { ...plugins, after: 0 })
    await expect
      .poll(async () => (await getEndpoint(owner, endpoint)).position)
      .toBe((second.event.data.sequence as number) - 1)
    await setAction("plugin.create")
    await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 3)
    expect(sequencesOf(receiver)[1]).toBe(second.event.data.sequence)
  })
})

describe("an endpoint with its own permissions", () => {
  it("receives only the events of resources with its own read permissions, without names that it cannot see", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["webhookEndpoints:write", "plugins:read"])
    const [narrow, wide] = [await serveReceiver(), await serveReceiver()]
    const endpoint = await createEndpoint(key, narrow.url)
    await createEndpoint(owner, wide.url)
    await owner.call("POST", "/v1/memories", { text: "Personal." })
    await makeTeam(owner, [], "Writers")
    await createPlugins(owner, 1)
    await expect.poll(() => wide.received.some(({ event }) => event.type === "plugin.create")).toBe(true)
    await expect.poll(() => narrow.received.length).toBe(1)
    expect(narrow.received[0]?.event).toMatchObject({
      type: "plugin.create",
      data: { actor: { name: null, email: null } }
    })
    expect(wide.received.map(({ event }) => event.type)).toContain("team.create")
    // Events about personal data are for the person who acted only.
    expect(wide.received.filter(({ event }) => event.type.startsWith("memory."))).toEqual([])
    // Later permissions apply to later events.
    await owner.call("PATCH", endpoint.path, { permissions: ["teams:read"] })
    await createPlugins(owner, 1)
    await makeTeam(owner, [], "Readers")
    await expect.poll(() => narrow.received.length).toBe(2)
    expect(narrow.received[1]?.event).toMatchObject({ type: "team.create", data: { object: { name: "Readers" } } })
  })

  it("receives nothing of another organization", async () => {
    const [owner, stranger] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const [ours, theirs] = [await serveReceiver(), await serveReceiver()]
    await createEndpoint(owner, ours.url, plugins)
    await createEndpoint(stranger, theirs.url, plugins)
    await createPlugins(stranger, 1)
    await createPlugins(owner, 1)
    await expect.poll(() => [ours.received.length, theirs.received.length]).toEqual([1, 1])
    expect(ours.received[0]?.event.data.organizationId).toBe(owner.organizationId)
  })
})

describe("an endpoint whose secret was lost", () => {
  it("is paused without sending anything, and continues with a new secret", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await runSql(
      plane,
      (sql) => sql`UPDATE webhook_secrets SET key_id = '000000000000' WHERE endpoint_id = ${endpoint.item.id}`
    )
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).state).toBe("paused")
    const test = await owner.call("POST", `${endpoint.path}/test`)
    expect(test.body.item).toMatchObject({ status: null, error: "no_secret", requestHeaders: {} })
    expect(receiver.received).toEqual([])
    const { secret } = (await owner.call("POST", `${endpoint.path}/rotate-secret`, {})).body
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await settledAfter(owner, endpoint, 1)
    expect(receiver.received.map((received) => isSignedWith(secret, received))).toEqual([true])
  })
})

describe("a removed organization", () => {
  it("receives no further events", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const [receiver, witness] = [await serveReceiver(() => ({ status: 500 })), await serveReceiver()]
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await createEndpoint(other, witness.url, plugins)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await messagesOf(owner, endpoint))[0]?.attemptCount).toBe(1)
    expect((await owner.call("DELETE", "/v1/organization")).status).toBe(204)
    await hurry(plane, endpoint)
    for (const count of [1, 2]) {
      await createPlugins(other, 1)
      await expect.poll(() => witness.received.length).toBe(count)
    }
    expect(receiver.received).toHaveLength(1)
  })
})

describe("an endpoint with a backlog", () => {
  it("releases its lease after 10 seconds, also during a batch, and continues in order with another claim", async () => {
    const owner = await makeWorkspace(plane)
    const holders: Array<string> = []
    const receiver = await serveReceiver(async () => {
      const [row] = await runSql(
        plane,
        (sql) => sql<{ lease_holder: string }>`SELECT lease_holder FROM webhook_endpoints
          WHERE organization_id = ${owner.organizationId}`
      )
      holders.push(row?.lease_holder ?? "")
      await new Promise((resolve) => setTimeout(resolve, 350))
      return { status: 204 }
    })
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await owner.call("POST", `${endpoint.path}/pause`)
    await createPlugins(owner, 40)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(40)
    await owner.call("POST", `${endpoint.path}/resume`, {})
    await expect.poll(() => receiver.received.length).toBe(40)
    await settled(owner, endpoint)
    expect(new Set(holders).size).toBeGreaterThan(1)
    expect(holders).not.toContain("")
    // A batch has 32 messages, which take longer than a turn.
    expect(holders.filter((holder) => holder === holders[0]).length).toBeLessThan(32)
    expect(sequencesOf(receiver)).toEqual(ascending(sequencesOf(receiver)))
  })

  it("shares the stored bodies with endpoints that have the same permissions", async () => {
    const owner = await makeWorkspace(plane)
    const receivers = [await serveReceiver(), await serveReceiver(), await serveReceiver()]
    for (const [index, { url }] of receivers.entries()) {
      const permissions = index === 2 ? ["plugins:read"] : ["plugins:read", "members:read"]
      await createEndpoint(owner, url, { ...plugins, permissions })
    }
    await runSql(plane, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          // They are queued together when the endpoints are no longer locked.
          yield* sql`SELECT 1 AS one FROM webhook_endpoints WHERE organization_id = ${owner.organizationId} FOR UPDATE`
          yield* Effect.promise(() => createPlugins(owner, 2))
        })
      )
    )
    await expect.poll(() => receivers.map(({ received }) => received.length)).toEqual([2, 2, 2])
    const [first, second, third] = receivers.map(({ received }) => received.map(({ body }) => body))
    expect(second).toEqual(first)
    expect(third).not.toEqual(first)
    const [row] = await runSql(
      plane,
      (sql) => sql<{ bodies: number }>`SELECT count(*)::int AS bodies FROM webhook_bodies
        WHERE organization_id = ${owner.organizationId}`
    )
    expect(row?.bodies).toBeLessThanOrEqual(4)
  })
})

describe("a message without a body", () => {
  it("is not sent, and its endpoint pauses before it looks for others", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const endpoint = await createEndpoint(owner, receiver.url, plugins)
    await owner.call("POST", `${endpoint.path}/pause`)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(1)
    await runSql(plane, (sql) => sql`DELETE FROM webhook_bodies WHERE organization_id = ${owner.organizationId}`)
    await owner.call("POST", `${endpoint.path}/resume`, {})
    const isPausing = async () => {
      const [row] = await runSql(
        plane,
        (sql) => sql<{ is_pausing: boolean }>`SELECT lease_holder IS NULL AND due_at > now() AS is_pausing
          FROM webhook_endpoints WHERE organization_id = ${owner.organizationId}`
      )
      return row?.is_pausing
    }
    await expect.poll(isPausing).toBe(true)
    await createPlugins(owner, 1)
    await expect.poll(async () => (await getEndpoint(owner, endpoint)).pendingCount).toBe(2)
    await hurry(plane, endpoint)
    // Another event wakes the sender.
    await createPlugins(owner, 1)
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    await expect.poll(isPausing).toBe(true)
  })
})

describe("several endpoints", () => {
  it("do not wait for one whose receiver does not respond", async () => {
    const owner = await makeWorkspace(plane)
    const dead = await serveReceiver(() => "never")
    const fast = await serveReceiver()
    for (const ordering of ["ordered", "parallel"]) await createEndpoint(owner, dead.url, { ...plugins, ordering })
    const endpoint = await createEndpoint(owner, fast.url, plugins)
    await createPlugins(owner, 25)
    await settledAfter(owner, endpoint, 25)
    expect(dead.received.length).toBeGreaterThan(0)
    expect(fast.received).toHaveLength(25)
  })

  it("do not wait for 20 whose receivers do not respond, and neither do other requests of the organization", async () => {
    const owner = await makeWorkspace(plane)
    const dead = await serveReceiver(() => "never")
    for (let index = 0; index < 20; index += 1) {
      await createEndpoint(owner, dead.url, { ...plugins, ordering: index % 2 === 0 ? "ordered" : "parallel" })
    }
    await createPlugins(owner, 1)
    await expect.poll(() => dead.waiting.size).toBe(20)
    const good = await serveReceiver()
    const endpoint = await createEndpoint(owner, good.url, plugins)
    const destination = { kind: "https", url: (await serveReceiver()).url }
    const stream = await owner.call("POST", "/v1/event-streams", {
      name: "Stream",
      types: ["team.create"],
      destination
    })
    await createPlugins(owner, 1)
    await expect.poll(() => good.received.length).toBe(1)
    const sent = await owner.call("POST", `${endpoint.path}/test`)
    expect(sent.body.item.status).toBe(204)
    const other = await owner.call("POST", `/v1/event-streams/${stream.body.item.id}/test`)
    expect(other.body).toMatchObject({ item: { ok: true } })
    expect(good.received).toHaveLength(2)
    // None of the requests without a response has ended.
    expect(dead.waiting.size).toBe(20)
  }, 30_000)

  it("uses a changed URL for the next delivery", async () => {
    const owner = await makeWorkspace(plane)
    const [before, after] = [await serveReceiver(), await serveReceiver()]
    const endpoint = await createEndpoint(owner, before.url, plugins)
    await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 1)
    expect((await owner.call("PATCH", endpoint.path, { url: after.url })).status).toBe(200)
    await createPlugins(owner, 1)
    await settledAfter(owner, endpoint, 2)
    expect([before.received.length, after.received.length]).toEqual([1, 1])
  })
})
