/** The feed of events: who sees which, in which order, with which names, and as a live stream. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { firstId } from "../../src/infra/ids.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeTeam,
  makeWorkspace,
  type Person,
  runSql,
  withServices
} from "../harness.ts"

const plane = await makeControlPlane()

// oxlint-disable-next-line typescript/no-explicit-any -- events of responses, checked by expect()
type Item = any

const listed = async (person: Pick<Person, "call">, query = "after=0&limit=100"): Promise<ReadonlyArray<Item>> => {
  const response = await person.call("GET", `/v1/events?${query}`)
  expect([response.status, response.text]).toEqual([200, response.text])
  return response.body.items
}

/** Waits until the person sees an event of the type about the object. */
const seen = (person: Pick<Person, "call">, type: string, objectId: string): Promise<Item> =>
  expect
    .poll(async () => (await listed(person, `after=0&types=${type}&objectId=${objectId}`))[0])
    .toBeDefined()
    .then(async () => (await listed(person, `after=0&types=${type}&objectId=${objectId}`))[0])

const sequencesOf = (events: ReadonlyArray<Item>) => events.map(({ sequence }) => sequence as number)
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

describe("GET /v1/events", () => {
  it("returns every change once, in order, with readable names", async () => {
    const owner = await makeWorkspace(plane)
    const plugin = await owner.client.plugins.create({ name: "Reviewer" })
    const created = await seen(owner, "plugin.create", plugin.id)
    expect(created).toMatchObject({
      type: "plugin.create",
      organizationId: owner.organizationId,
      actor: { kind: "session", id: owner.membershipId },
      object: { id: plugin.id, kind: "plugin", name: "Reviewer" }
    })
    expect(created.requestId).toMatch(/^req_/u)
    expect((await owner.call("GET", `/v1/events/${created.id}`)).body.item).toEqual(created)
    const all = await listed(owner)
    expect(sequencesOf(all)).toEqual(upTo(all.length))
    // Names are the current ones.
    await owner.client.plugins.update(plugin.id, { name: "Critic" })
    expect((await listed(owner, `after=0&types=plugin.create&objectId=${plugin.id}`))[0].object.name).toBe("Critic")
  })

  it("returns the newest events first without `after`, and pages in both directions", async () => {
    const owner = await makeWorkspace(plane)
    for (let index = 0; index < 5; index += 1) await owner.client.plugins.create({ name: `Plugin ${index}` })
    await expect.poll(async () => (await listed(owner)).filter(({ type }) => type === "plugin.create").length).toBe(5)
    const all = await listed(owner)
    for (const [query, expected] of [
      ["after=0&", all],
      ["", all.toReversed()]
    ] as const) {
      const items: Array<Item> = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const { body } = await owner.call(
          "GET",
          `/v1/events?${query}limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`
        )
        items.push(...body.items)
        cursor = body.nextCursor
      }
      expect(sequencesOf(items)).toEqual(sequencesOf(expected))
    }
  })

  it("returns only events of resources that the caller has the permission for, and names that the caller may read", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner, [member], "Writers")
    const plugin = await owner.client.plugins.create({ name: "Secret plan" })
    await seen(owner, "plugin.create", plugin.id)
    const key = await makeKey(plane, owner, ["events:read", "plugins:read"])
    const events = await listed(key)
    expect(new Set(events.map(({ type }) => type.split(".")[0]))).toEqual(new Set(["plugin"]))
    // The key has no grant on the plugin, and no permission to read members.
    expect(events.find(({ type }) => type === "plugin.create")).toMatchObject({
      actor: { id: owner.membershipId, name: null, email: null },
      object: { id: plugin.id, name: null }
    })
    const teams = await makeKey(plane, owner, ["events:read", "teams:read"])
    expect((await listed(teams, `after=0&objectId=${teamId}`)).map(({ object }) => object.name)).toContain("Writers")
    const [hidden] = await listed(owner, `after=0&types=team.create`)
    expect((await key.call("GET", `/v1/events/${hidden.id}`)).status).toBe(404)
    const refused = await member.call("GET", "/v1/events")
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
  })

  it("returns events about personal data only to the person who acted", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const saved = await admin.call("POST", "/v1/memory", { content: "Prefers short answers." })
    expect(saved.status).toBeLessThan(300)
    await expect.poll(async () => (await listed(admin, "after=0&types=memory.*")).length).toBe(1)
    expect(await listed(owner, "after=0&types=memory.*")).toEqual([])
    const [event] = await listed(admin, "after=0&types=memory.*")
    expect((await owner.call("GET", `/v1/events/${event.id}`)).status).toBe(404)
  })

  it("returns nothing of another organization", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const plugin = await owner.client.plugins.create({ name: "Ours" })
    const { id } = await seen(owner, "plugin.create", plugin.id)
    expect(await listed(stranger, `after=0&objectId=${plugin.id}`)).toEqual([])
    expect((await stranger.call("GET", `/v1/events/${id}`)).body.error).toBe("event_not_found")
  })

  it("filters by types, actors and objects, and rejects a type that does not exist", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const plugin = await admin.client.plugins.create({ name: "Reviewer" })
    await admin.client.plugins.update(plugin.id, { name: "Critic" })
    await seen(owner, "plugin.update", plugin.id)
    const typesOf = async (query: string) => (await listed(owner, `after=0&${query}`)).map(({ type }) => type)
    expect(await typesOf(`types=plugin.*&objectId=${plugin.id}`)).toEqual(["plugin.create", "plugin.update"])
    expect(await typesOf(`types=plugin.update,%20team.create&objectId=${plugin.id}`)).toEqual(["plugin.update"])
    expect(await typesOf(`types=plugin.*&actorId=${owner.membershipId}`)).toEqual([])
    const wrong = await owner.call("GET", "/v1/events?types=plugin.created")
    expect(wrong.body).toMatchObject({
      error: "invalid_request",
      details: [
        {
          path: ["query", "types"],
          message: 'contains "plugin.created", which is not a type of event. Did you mean plugin.create?'
        }
      ]
    })
  })

  it("returns the events of a period, in both directions and with pages", async () => {
    const owner = await makeWorkspace(plane)
    const plugins: Array<string> = []
    for (let index = 0; index < 4; index += 1) {
      plugins.push((await owner.client.plugins.create({ name: `Plugin ${index}` })).id)
    }
    await seen(owner, "plugin.create", plugins[3] ?? "")
    const all = await listed(owner)
    const [from, to] = [1, 3].map((index) => all.find(({ object }) => object?.id === plugins[index]))
    const expected = all.filter(({ createdAt }) => createdAt >= from.createdAt && createdAt < to.createdAt)
    expect(expected.map(({ object }) => object?.id)).toContain(plugins[1])
    expect(expected.map(({ object }) => object?.id)).not.toContain(plugins[3])
    const period = `since=${from.createdAt}&until=${to.createdAt}`
    expect(await listed(owner, `after=0&${period}`)).toEqual(expected)
    expect(await listed(owner, period)).toEqual(expected.toReversed())
    const paged: Array<Item> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body } = await owner.call(
        "GET",
        `/v1/events?${period}&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`
      )
      paged.push(...body.items)
      cursor = body.nextCursor
    }
    expect(paged).toEqual(expected.toReversed())
    expect(await listed(owner, `after=${from.sequence}&since=${from.createdAt}`)).toEqual(
      all.filter(({ sequence }) => sequence > from.sequence)
    )
    // Days before and after all events, the positions are known without reading the events in between.
    expect(await listed(owner, "until=2020-01-01T00:00:00Z")).toEqual([])
    expect(await listed(owner, "after=0&since=2100-01-01T00:00:00%2B02:00")).toEqual([])
    expect(await listed(owner, "since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z")).toEqual(all.toReversed())
  })

  it("reads only the events around a period, and misses none at its bounds", async () => {
    // The test seals the events itself.
    const quiet = await makeControlPlane({ workers: false })
    const owner = await makeWorkspace(quiet)
    const day = 86_400_000
    const first = Date.parse("2024-06-15T12:00:00Z")
    // One event on each of 40 days.
    await runSql(quiet, (sql) =>
      Effect.forEach(Array.from({ length: 40 }).keys(), (index) => {
        const time = first + index * day
        return sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
          VALUES (${firstId("aud", time)}, ${owner.organizationId}, 'plugin.update', 'system', ${new Date(time)})`
      })
    )
    await owner.client.plugins.create({ name: "Today" })
    await withServices(
      quiet,
      Effect.flatMap(AuditChain, ({ seal }) => Effect.orDie(seal))
    )
    for (const [from, to] of [
      [0, 40],
      [10, 12],
      [20, 21],
      [39, 40]
    ] as const) {
      const [since, until] = [from, to].map((index) => new Date(first + index * day).toISOString())
      const expected = upTo(40).slice(from, to)
      const query = `since=${since}&until=${until}&limit=100`
      expect(sequencesOf(await listed(owner, `after=0&${query}`))).toEqual(expected)
      expect(sequencesOf(await listed(owner, query))).toEqual(expected.toReversed())
      expect(sequencesOf(await listed(owner, `after=11&${query}`))).toEqual(expected.filter((at) => at > 11))
    }
  })

  it("rejects a time without an offset, and a cursor of another period", async () => {
    const owner = await makeWorkspace(plane)
    const plugin = await owner.client.plugins.create({ name: "Timed" })
    await owner.client.plugins.update(plugin.id, { name: "Timely" })
    await seen(owner, "plugin.update", plugin.id)
    for (const name of ["since", "until"]) {
      for (const value of ["yesterday", "2026-03-01", "2026-03-01T09:30:00", "2026-02-30T00:00:00Z"]) {
        const { body, status } = await owner.call("GET", `/v1/events?${name}=${value}`)
        expect([status, body.details?.[0].path]).toEqual([400, ["query", name]])
      }
    }
    const { nextCursor } = (await owner.call("GET", "/v1/events?limit=1&since=2020-01-01T00:00:00Z")).body
    const other = await owner.call("GET", `/v1/events?since=2020-01-02T00:00:00Z&cursor=${nextCursor}`)
    expect([other.status, other.body.details[0].path]).toEqual([400, ["query", "cursor"]])
  })

  it("returns 410 with the oldest sequence number if the events after a position were deleted", async () => {
    const owner = await makeWorkspace(plane)
    const plugin = await owner.client.plugins.create({ name: "Old" })
    const { sequence } = await seen(owner, "plugin.create", plugin.id)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO audit_truncations (organization_id, sequence, hash, event_count, key_id, signature,
          truncated_at)
        VALUES (${owner.organizationId}, ${sequence}, '', 1, 'none', '', now())`
    )
    for (const path of ["/v1/events?after=0", "/v1/events/stream?after=0"]) {
      const { body, status } = await owner.call("GET", path)
      expect([status, body]).toMatchObject([410, { error: "events_expired", oldestSequence: sequence + 1 }])
    }
    expect((await owner.call("GET", `/v1/events?after=${sequence}`)).status).toBe(200)
  })
})

describe("GET /v1/event-types", () => {
  it("describes every type with a sentence and the permission that it needs", async () => {
    const owner = await makeWorkspace(plane)
    const { items } = (await owner.call("GET", "/v1/event-types")).body
    expect(items.length).toBeGreaterThan(150)
    for (const { description, permission, type } of items) {
      expect([type, description]).toEqual([type, expect.stringMatching(/^[A-Z].+\.$/u)])
      expect([type, permission]).toEqual([type, type.startsWith("memory.") ? null : permission])
    }
    expect(items.find(({ type }: Item) => type === "plugin.create")).toEqual({
      type: "plugin.create",
      description: "Create a plugin.",
      permission: "plugins:read"
    })
  })
})

describe("GET /v1/events/stream", () => {
  /** Reads frames of a stream. */
  const open = async (person: { readonly headers: Record<string, string> }, query = "", lastEventId?: string) => {
    const response = await plane.fetch(
      new Request(`http://localhost/v1/events/stream${query}`, {
        headers: { ...person.headers, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) }
      })
    )
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ""
    /** The next block; undefined at the end. Heartbeats are left out. */
    const next = async (): Promise<string | undefined> => {
      for (;;) {
        const end = text.indexOf("\n\n")
        if (end >= 0) {
          const block = text.slice(0, end)
          text = text.slice(end + 2)
          if (block.startsWith(":")) continue
          return block
        }
        const { done, value } = await reader.read()
        if (done) return undefined
        text += decoder.decode(value, { stream: true })
      }
    }
    return { next, close: () => reader.cancel() }
  }
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const parsed = (block: string | undefined) => {
    const [id, type, data] = (block ?? "").split("\n")
    return { id: id?.slice(4), type: type?.slice(7), event: JSON.parse((data ?? "data: null").slice(6)) }
  }

  it("sends events as they happen, and continues after the last one", async () => {
    const owner = await makeWorkspace(plane)
    const first = await owner.client.plugins.create({ name: "First" })
    await seen(owner, "plugin.create", first.id)
    const live = await open(bearer(owner.token), "?types=plugin.*")
    const second = await owner.client.plugins.create({ name: "Second" })
    const received = parsed(await live.next())
    expect(received).toMatchObject({
      type: "plugin.create",
      event: { object: { id: second.id, name: "Second" }, sequence: Number(received.id) }
    })
    await live.close()
    const third = await owner.client.plugins.create({ name: "Third" })
    const resumed = await open(bearer(owner.token), "?types=plugin.*", received.id)
    expect(parsed(await resumed.next()).event.object).toMatchObject({ id: third.id })
    await resumed.close()
    const all = await open(bearer(owner.token), "?after=0")
    expect(parsed(await all.next()).id).toBe("1")
    await all.close()
  })

  it("ends when the credential is revoked", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const stream = await open(bearer(admin.token), "?types=plugin.*")
    expect((await owner.call("DELETE", `/v1/members/${admin.membershipId}`)).status).toBe(204)
    await owner.client.plugins.create({ name: "Not for them" })
    expect(await stream.next()).toBe(undefined)
  })

  it("rejects a position that is not a number, and callers without permission", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const wrong = await plane.fetch(
      new Request("http://localhost/v1/events/stream", {
        headers: { authorization: `Bearer ${owner.token}`, "last-event-id": "x" }
      })
    )
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { details: [{ path: ["header", "last-event-id"], message: "must be a sequence number" }] }
    ])
    expect((await member.call("GET", "/v1/events/stream")).status).toBe(403)
  })
})
