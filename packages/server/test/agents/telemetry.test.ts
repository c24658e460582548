import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { startNetwork } from "../../../../test/postgres/network.ts"
import { keepPartitionsOnce } from "../../src/agents/telemetry/keep-partitions.ts"
import { purge } from "../../src/operations/purge/purge.ts"
import {
  addMember,
  engine,
  makeControlPlane,
  makeDatabase,
  makeKey,
  makeWorkerToken,
  makeWorkspace,
  runSql,
  withServices
} from "../harness.ts"
import { anEvent, sendEvents, someRequestId, storedEvents } from "./telemetry.fixture.ts"

const plane = await makeControlPlane({ workers: false, telemetry: { types: ["plugin.used"], retentionDays: 400 } })
const me = await makeWorkspace(plane)

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
const days = (count: number) => hours(count * 24)

describe("a batch of events", () => {
  it("is stored as sent, with an empty response", async () => {
    const them = await makeWorkspace(plane)
    const dimensions = [
      { type: "model", label: 'Größe "L"', value: "x-1", metadata: { deep: { list: [1, "é", null] } } },
      { type: "plugin" }
    ]
    const { response, entry } = await sendEvents(them, [
      anEvent({
        timestamp: "2026-11-01T10:00:00.123+02:00",
        sessionId: "s 1",
        durationMs: 43_200_000,
        success: true,
        dimensions
      }),
      anEvent({ type: "plugin.used", source: "worker", timestamp: "2026-11-02T00:00:00Z", success: false, id: "né-1" }),
      anEvent({
        type: "user.active",
        timestamp: "2026-11-03T23:59:59.999Z",
        durationMs: 0,
        sessionId: null,
        dimensions: []
      })
    ])
    expect([response.status, response.text]).toEqual([204, ""])
    expect(entry).toMatchObject({ sent: 3, accepted: 3, duplicate: 0, dropped: 0, fieldsRemoved: 0, reasons: [] })
    const whose = {
      organization_id: them.organizationId,
      user_id: them.userId,
      membership_id: them.membershipId,
      worker_id: null,
      key_id: null
    }
    const nothing = { session_id: null, duration_ms: null, success: null, dimensions: null, event_id: null }
    expect(await storedEvents(plane, them.organizationId)).toEqual([
      {
        ...whose,
        at: "2026-11-01T08:00:00.123Z",
        type: "task.completed",
        source: "app",
        session_id: "s 1",
        duration_ms: 43_200_000,
        success: true,
        dimensions,
        event_id: null
      },
      {
        ...whose,
        ...nothing,
        at: "2026-11-02T00:00:00.000Z",
        type: "plugin.used",
        source: "worker",
        success: false,
        event_id: "né-1"
      },
      { ...whose, ...nothing, at: "2026-11-03T23:59:59.999Z", type: "user.active", source: "app", duration_ms: 0 }
    ])
  })

  // The embedded database has no connection that could be lost.
  it.runIf(engine === "postgres")("is not written again when the connection is lost during the write", async () => {
    const database = await makeDatabase()
    if (database.kind !== "postgres") throw new Error("The test requires PostgreSQL.")
    const network = await startNetwork(database.url)
    const direct = await makeControlPlane({ workers: false, database })
    const remote = await makeControlPlane({ workers: false, database: { ...database, url: network.url } })
    const them = await makeWorkspace(remote)
    expect((await sendEvents(them, [anEvent()])).response.status).toBe(204)
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = runSql(direct, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE telemetry_events IN SHARE MODE`
          locked.resolve()
          yield* Effect.promise(() => released.promise)
        })
      )
    )
    await locked.promise
    const sending = them.call("POST", "/v1/telemetry/ingest", { events: [anEvent()] })
    const waitingWrites = () => runSql(direct, (sql) => sql`SELECT 1 AS one FROM pg_locks WHERE NOT granted`)
    await expect.poll(waitingWrites, { timeout: 60_000 }).toHaveLength(1)
    network.lead(database.url)
    released.resolve()
    await lock
    expect((await sending).status).toBe(503)
    // The database may have stored the events, so writing them again could count them twice.
    expect((await storedEvents(direct, them.organizationId)).length).toBeLessThanOrEqual(2)
    network.stop()
  })

  it("is rejected as a whole when it is malformed", async () => {
    const before = (await storedEvents(plane, me.organizationId)).length
    for (const [body, path] of [
      ["", ["body"]],
      ["{", ["body"]],
      ["[]", ["body"]],
      ["null", ["body"]],
      [{}, ["body", "events"]],
      [{ events: null }, ["body", "events"]],
      [{ events: "no" }, ["body", "events"]],
      [{ events: { 0: anEvent() } }, ["body", "events"]],
      [{ events: [] }, ["body", "events"]],
      [{ events: Array.from({ length: 51 }, () => anEvent()) }, ["body", "events"]]
    ] as const) {
      const response = await me.call("POST", "/v1/telemetry/ingest", body)
      expect([body, response.status, response.body.error, response.body.details[0].path]).toEqual([
        body,
        400,
        "invalid_request",
        path
      ])
    }
    const typed = await me.call(
      "POST",
      "/v1/telemetry/ingest",
      { events: [anEvent()] },
      { "content-type": "text/plain" }
    )
    expect(typed.status).toBe(400)
    const large = { events: [anEvent({ padding: "x".repeat(1_048_576) })] }
    expect((await me.call("POST", "/v1/telemetry/ingest", large)).status).toBe(413)
    expect(await storedEvents(plane, me.organizationId)).toHaveLength(before)
    const { entry } = await sendEvents(
      me,
      Array.from({ length: 50 }, () => anEvent())
    )
    expect(entry).toMatchObject({ sent: 50, accepted: 50 })
  })

  it.each<readonly [reason: string, event: unknown]>([
    ["event_malformed", null],
    ["event_malformed", 1],
    ["event_malformed", "task.completed"],
    ["event_malformed", [anEvent()]],
    ["type_unknown", {}],
    ["type_unknown", anEvent({ type: "task.exploded" })],
    ["type_unknown", anEvent({ type: ["task.completed"] })],
    ["type_unknown", anEvent({ type: "constructor" })],
    ["type_unknown", anEvent({ type: "TASK.COMPLETED" })],
    ["timestamp_malformed", anEvent({ timestamp: Date.now() })],
    ["timestamp_malformed", anEvent({ timestamp: "2026-11-02T10:00:00" })],
    ["timestamp_malformed", anEvent({ timestamp: "2026-02-30T10:00:00.000Z" })],
    ["timestamp_malformed", anEvent({ timestamp: "2026-11-02T24:00:00.000Z" })],
    ["timestamp_malformed", anEvent({ timestamp: "2026-11-02" })],
    ["timestamp_malformed", anEvent({ timestamp: "yesterday" })],
    ["timestamp_malformed", anEvent({ timestamp: "+002026-11-02T10:00:00Z" })],
    ["timestamp_too_old", anEvent({ timestamp: "1970-01-01T00:00:00.000Z" })],
    ["timestamp_too_old", anEvent({ timestamp: "0101-01-01T00:00:00Z" })],
    ["timestamp_too_old", anEvent({ timestamp: days(-401) })],
    ["timestamp_in_future", anEvent({ timestamp: hours(25) })],
    ["timestamp_in_future", anEvent({ timestamp: "9999-12-31T23:59:59.999Z" })],
    ["source_unknown", anEvent({ source: "browser" })],
    ["source_unknown", anEvent({ source: undefined })]
  ])("loses only the invalid event: %s %j", async (reason, event) => {
    const { response, entry } = await sendEvents(me, [anEvent(), event, anEvent()])
    expect(response.status).toBe(204)
    expect(entry).toMatchObject({ sent: 3, accepted: 2, dropped: 1, fieldsRemoved: 0, reasons: [{ reason, count: 1 }] })
  })

  it("accepts timestamps off by hours or months, and drops those off by decades", async () => {
    const { entry } = await sendEvents(
      me,
      [hours(23), days(-399), days(-40)].map((timestamp) => anEvent({ timestamp }))
    )
    expect(entry).toMatchObject({ sent: 3, accepted: 3 })
    const { entry: off } = await sendEvents(
      me,
      [-80, -20, -2, 1, 20, 80].map((years) => anEvent({ timestamp: days(years * 365) }))
    )
    expect(off).toMatchObject({
      accepted: 0,
      dropped: 6,
      reasons: [
        { reason: "timestamp_too_old", count: 3 },
        { reason: "timestamp_in_future", count: 3 }
      ]
    })
  })

  const wide = (count: number) => "\u{1f600}".repeat(count)
  it.each<readonly [reason: string, removed: number, more: Readonly<Record<string, unknown>>]>([
    ["field_unknown", 2, { color: "red", ["constructor"]: {} }],
    ["id_malformed", 1, { id: "" }],
    ["id_malformed", 1, { id: "x".repeat(129) }],
    ["id_malformed", 1, { id: "a\u0000b" }],
    ["id_malformed", 1, { id: "a\u001fb" }],
    ["id_malformed", 1, { id: 7 }],
    ["session_id_malformed", 1, { sessionId: "x".repeat(129) }],
    ["session_id_malformed", 1, { sessionId: wide(129) }],
    ["session_id_malformed", 1, { sessionId: "a\ud800" }],
    ["session_id_malformed", 1, { sessionId: "a\u001eb" }],
    ["duration_malformed", 1, { durationMs: -1 }],
    ["duration_malformed", 1, { durationMs: 1.5 }],
    ["duration_malformed", 1, { durationMs: 86_400_001 }],
    ["duration_malformed", 1, { durationMs: "1" }],
    ["success_malformed", 1, { success: "yes" }],
    ["dimensions_malformed", 1, { dimensions: { type: "a" } }],
    ["dimensions_too_many", 1, { dimensions: Array.from({ length: 9 }, () => ({ type: "a" })) }],
    ["dimension_malformed", 3, { dimensions: [{ value: "a" }, null, { type: "x".repeat(65) }] }],
    ["dimension_malformed", 2, { dimensions: [{ type: "a", value: "x".repeat(129), label: "x".repeat(256) }] }],
    ["dimension_malformed", 2, { dimensions: [{ type: "a", value: "\u0000", label: "\udc00" }] }],
    ["metadata_malformed", 1, { dimensions: [{ type: "a", metadata: { text: "x".repeat(4087) } }] }],
    ["metadata_malformed", 1, { dimensions: [{ type: "a", metadata: { text: "é".repeat(2048) } }] }],
    ["metadata_malformed", 1, { dimensions: [{ type: "a", metadata: ["a"] }] }],
    ["metadata_malformed", 1, { dimensions: [{ type: "a", metadata: { "\u0000": 1 } }] }],
    ["metadata_malformed", 1, { dimensions: [{ type: "a", metadata: { a: { b: "\ud800" } } }] }],
    ["field_unknown", 1, { dimensions: [{ type: "a", more: 1 }] }]
  ])("keeps an event without what is not allowed: %s", async (reason, removed, more) => {
    const { response, entry } = await sendEvents(me, [anEvent(more)])
    expect(response.status).toBe(204)
    expect(entry).toMatchObject({ sent: 1, accepted: 1, fieldsRemoved: removed, reasons: [{ reason, count: removed }] })
  })

  it("accepts every field at its limit", async () => {
    const { entry } = await sendEvents(me, [
      anEvent({ id: wide(128), sessionId: wide(128), durationMs: 86_400_000 }),
      anEvent({
        dimensions: Array.from({ length: 8 }, () => ({
          type: wide(64),
          value: wide(128),
          label: wide(255),
          metadata: { text: "x".repeat(4085) }
        }))
      }),
      anEvent({ sessionId: "x", durationMs: 0, dimensions: [{ type: "a", value: "", label: "", metadata: {} }] })
    ])
    expect(entry).toMatchObject({ sent: 3, accepted: 3, fieldsRemoved: 0, reasons: [] })
  })

  it("is not affected by members of the prototype, and does not change it", async () => {
    const requestId = someRequestId()
    const body = `{"events":[{"__proto__":{"type":"task.completed","isAdmin":true},"timestamp":"${days(0)}","source":"app"},
      {"type":"task.completed","timestamp":"${days(0)}","source":"app","__proto__":{"success":true},"toString":1,
       "dimensions":[{"type":"a","__proto__":{"value":"b"},"metadata":{"__proto__":{"x":1},"constructor":{"prototype":{}}}}]}]}`
    const them = await makeWorkspace(plane)
    expect((await them.call("POST", "/v1/telemetry/ingest", body, { "x-request-id": requestId })).status).toBe(204)
    const [stored] = await storedEvents(plane, them.organizationId)
    expect(stored?.success).toBeNull()
    expect(JSON.stringify(stored?.dimensions)).toBe(
      JSON.stringify([{ type: "a", metadata: JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{}}}') }])
    )
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined()
    const ledgerEntry = await them.call("GET", `/v1/telemetry/ledger?requestId=${requestId}`)
    expect(ledgerEntry.body.items[0]).toMatchObject({ accepted: 1, dropped: 1, fieldsRemoved: 3 })
  })
})

describe("the owner of an event", () => {
  it("is determined by the authentication alone", async () => {
    const them = await makeWorkspace(plane, "Theirs")
    const before = await storedEvents(plane, them.organizationId)
    const pretended = { organizationId: them.organizationId, userId: them.userId, orgMembershipId: them.membershipId }
    const requestId = someRequestId()
    const us = await makeWorkspace(plane)
    const response = await us.call(
      "POST",
      "/v1/telemetry/ingest",
      { events: [anEvent({ ...pretended, workerId: "w", dimensions: [{ type: "a", ...pretended }] })], ...pretended },
      { "x-request-id": requestId }
    )
    expect(response.status).toBe(204)
    const ledgerEntry = await us.call("GET", `/v1/telemetry/ledger?requestId=${requestId}`)
    expect(ledgerEntry.body.items[0]).toMatchObject({
      userId: us.userId,
      orgMembershipId: us.membershipId,
      fieldsRemoved: 7,
      reasons: [{ reason: "field_identity", count: 7 }]
    })
    const [stored] = await storedEvents(plane, us.organizationId)
    expect(JSON.stringify(stored)).not.toContain(them.organizationId)
    expect(await storedEvents(plane, them.organizationId)).toEqual(before)
    // With this header, it is treated as absent.
    const elsewhere = await us.call(
      "POST",
      "/v1/telemetry/ingest",
      { events: [anEvent()] },
      { "x-organization-id": them.organizationId }
    )
    expect([elsewhere.status, elsewhere.body.error]).toEqual([404, "organization_not_found"])
  })

  it("is a worker and its member, or an API key and no user", async () => {
    const us = await makeWorkspace(plane)
    const worker = await makeWorkerToken(plane, us)
    const key = await makeKey(plane, us, [])
    const { entry: byWorker } = await sendEvents(worker, [anEvent({ source: "worker" })], us)
    const { entry: byKey } = await sendEvents(key, [anEvent()], us)
    expect(byWorker).toMatchObject({ userId: us.userId, orgMembershipId: us.membershipId, workerId: worker.workerId })
    expect(byKey).toMatchObject({ userId: null, orgMembershipId: null, workerId: null, apiKeyId: key.id })
    const stored = await storedEvents(plane, us.organizationId)
    expect(stored.map((event) => [event.user_id, event.worker_id, event.key_id])).toEqual([
      [us.userId, worker.workerId, null],
      [null, null, key.id]
    ])
  })
})

describe("a retried batch of events", () => {
  it("is counted as duplicates, also within a batch and in twenty concurrent copies", async () => {
    const us = await makeWorkspace(plane)
    const own = Array.from({ length: 10 }, (_, i) => anEvent({ id: `e${i}`, timestamp: hours(-i) }))
    const events = [...own, ...own]
    const first = await sendEvents(us, events)
    expect(first.entry).toMatchObject({ sent: 20, accepted: 10, duplicate: 10, dropped: 0 })
    const again = await Promise.all(Array.from({ length: 20 }, () => sendEvents(us, [...events].reverse())))
    for (const { entry } of again) expect(entry).toMatchObject({ sent: 20, accepted: 0, duplicate: 20 })
    const raced = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const batch = Array.from({ length: 10 }, (_, j) =>
          anEvent({ id: `r${j}`, timestamp: "2026-11-20T00:00:00.000Z" })
        )
        return sendEvents(us, i % 2 === 0 ? batch : batch.reverse())
      })
    )
    expect(raced.reduce((sum, { entry }) => sum + entry.accepted, 0)).toBe(10)
    expect(raced.reduce((sum, { entry }) => sum + entry.duplicate, 0)).toBe(190)
    expect(await storedEvents(plane, us.organizationId)).toHaveLength(20)
  })

  it("is deduplicated per sender: the same ID of another member, worker, key or organization is another event", async () => {
    const us = await makeWorkspace(plane)
    const [them, colleague] = [await makeWorkspace(plane), await addMember(plane, us, "member")]
    const [worker, key] = [await makeWorkerToken(plane, us), await makeKey(plane, us, [])]
    const event = anEvent({ id: "same" })
    for (const [sender, reader] of [
      [us, us],
      [them, them],
      [colleague, us],
      [worker, us],
      [key, us]
    ] as const) {
      const { entry } = await sendEvents(sender, [event], reader)
      expect(entry).toMatchObject({ accepted: 1, duplicate: 0 })
      expect((await sendEvents(sender, [event], reader)).entry).toMatchObject({ accepted: 0, duplicate: 1 })
    }
    expect(await storedEvents(plane, us.organizationId)).toHaveLength(4)
  })
})

describe("the telemetry ledger", () => {
  it("is paged for callers with permission, and has only their organization", async () => {
    const us = await makeWorkspace(plane)
    const member = await addMember(plane, us, "member")
    for (let i = 0; i < 5; i += 1) await sendEvents(member, [anEvent()], us)
    const first = (await us.call("GET", "/v1/telemetry/ledger?limit=3")).body
    const rest = (await us.call("GET", `/v1/telemetry/ledger?limit=3&cursor=${first.nextCursor}`)).body
    expect([first.items.length, rest.items.length, rest.nextCursor]).toEqual([3, 2, null])
    const ids = [...first.items, ...rest.items].map(({ id }: { id: string }) => Number(id))
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    const rejected = await member.call("GET", "/v1/telemetry/ledger")
    expect([rejected.status, rejected.body.reason]).toEqual([403, "permission_required"])
    const other = await me.call("GET", `/v1/telemetry/ledger?requestId=${first.items[0].requestId}`)
    expect(other.body).toEqual({ items: [], nextCursor: null })
    expect((await us.call("GET", "/v1/telemetry/ledger?requestId=short")).status).toBe(400)
    expect((await us.call("GET", `/v1/telemetry/ledger?requestId=other-one&cursor=${first.nextCursor}`)).status).toBe(
      400
    )
  })
})

it("describes everything a sender needs to avoid dropped events", async () => {
  const worker = await makeWorkerToken(plane, me)
  const { body, status } = await worker.call("GET", "/v1/telemetry/schema")
  expect(status).toBe(200)
  const { telemetry } = body
  expect(telemetry).toMatchObject({ eventsMax: 50, retentionDays: 400, ledgerDays: 30, futureHours: 24 })
  expect(telemetry.types).toEqual(
    expect.arrayContaining(["user.active", "session.ended", "task.failed", "plugin.used"])
  )
  const events = telemetry.types.flatMap((type: string) =>
    telemetry.sources.map((source: string) => anEvent({ type, source, timestamp: telemetry.serverTime }))
  )
  const { entry } = await sendEvents(worker, events, me)
  expect(entry).toMatchObject({ accepted: events.length, dropped: 0, fieldsRemoved: 0 })
  const edges = [telemetry.acceptedFrom, telemetry.acceptedUntil].map((at, i) =>
    anEvent({ timestamp: new Date(Date.parse(at) + (i === 0 ? 60_000 : -60_000)).toISOString() })
  )
  expect((await sendEvents(me, edges)).entry).toMatchObject({ accepted: 2 })
})

describe("an arbitrary ingest request", () => {
  const names = fc.constantFrom(
    ..."id type timestamp source sessionId durationMs success dimensions organizationId __proto__ constructor x".split(
      " "
    )
  )
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.constantFrom("task.completed", "app", "worker", "\ud800", "a\u0000", "\u001f\u001e\u001d", "{}", '"', "NULL"),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  )
  const json: fc.Arbitrary<unknown> = fc.oneof(
    { weight: 3, arbitrary: text },
    fc.jsonValue({ depthSize: "small" }),
    fc.double(),
    fc.boolean()
  )
  const recent = fc.integer({ min: -500 * 24, max: 40 }).map(hours)
  const event = fc.oneof(
    { weight: 1, arbitrary: json },
    { weight: 2, arbitrary: fc.dictionary(names, json, { maxKeys: 8 }) },
    {
      weight: 4,
      arbitrary: fc.record(
        {
          id: fc.oneof(text, fc.constantFrom("a", "b")),
          type: fc.constantFrom("task.completed", "user.active", "nothing"),
          timestamp: fc.oneof(recent, text),
          source: fc.constantFrom("app", "worker", "nobody"),
          sessionId: json,
          durationMs: fc.oneof(fc.integer(), fc.double(), json),
          success: json,
          dimensions: fc.oneof(
            json,
            fc.array(
              fc.oneof(json, fc.record({ type: text, value: text, label: text, metadata: json }, { requiredKeys: [] })),
              { maxLength: 10 }
            )
          )
        },
        { requiredKeys: ["type", "timestamp", "source"] }
      )
    }
  )

  it("returns 204 with consistent counts, or 400", { timeout: 300_000 }, async () => {
    let us = await makeWorkspace(plane)
    let requestCount = 0
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
        // A session is limited to 600 requests per minute.
        if ((requestCount += 2) > 500) [us, requestCount] = [await makeWorkspace(plane), 0]
        const { response, entry } = await sendEvents(us, events)
        expect(response.status).toBe(204)
        expect(entry.sent).toBe(events.length)
        expect(entry.accepted + entry.duplicate + entry.dropped).toBe(entry.sent)
        const perReason = (which: RegExp) =>
          entry.reasons.filter(({ reason }) => which.test(reason)).reduce((sum, { count }) => sum + count, 0)
        const drops = /^(event_|type_|timestamp_|source_)/
        expect(perReason(drops)).toBe(entry.dropped)
        expect(perReason(/./) - entry.dropped).toBe(entry.fieldsRemoved)
      }),
      { numRuns: 150 }
    )
  })

  it("returns 204 or 400 for any body", { timeout: 300_000 }, async () => {
    const us = await makeWorkspace(plane)
    const body = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      json.map((value) => JSON.stringify(value) ?? ""),
      fc.dictionary(fc.constantFrom("events", "event", "__proto__"), json).map((value) => JSON.stringify(value))
    )
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const { status } = await us.call("POST", "/v1/telemetry/ingest", text)
        expect([204, 400]).toContain(status)
      }),
      { numRuns: 150 }
    )
  })
})

describe("the partitions of telemetry", () => {
  const partitions = () =>
    runSql(
      plane,
      (sql) => sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('telemetry_events'::regclass, 'telemetry_ledger'::regclass) ORDER BY 1`
    ).then((rows) => rows.map(({ name }) => name))

  it("are created ahead, dropped after expiry, and recreated after another process dropped them", async () => {
    const us = await makeWorkspace(plane)
    await sendEvents(us, [anEvent()])
    const old = "telemetry_events_201901"
    await runSql(
      plane,
      (sql) => sql`CREATE TABLE telemetry_events_201901 PARTITION OF telemetry_events
        FOR VALUES FROM ('2019-01-01T00:00:00Z') TO ('2019-02-01T00:00:00Z')`
    )
    expect(await partitions()).toContain(old)
    await Promise.all([withServices(plane, keepPartitionsOnce), withServices(plane, keepPartitionsOnce)])
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1)).toISOString()
    const remaining = await partitions()
    expect(remaining).not.toContain(old)
    expect(remaining).toContain(`telemetry_events_${next.slice(0, 7).replace("-", "")}`)
    expect(remaining.filter((name) => name.startsWith("telemetry_ledger_")).length).toBeGreaterThanOrEqual(3)
    await runSql(plane, (sql) =>
      sql.unsafe(`DROP TABLE ${remaining.filter((name) => name.includes("events")).join(", ")}`)
    )
    const { response, entry } = await sendEvents(us, [anEvent(), anEvent({ timestamp: days(-200) })])
    expect([response.status, entry.accepted]).toEqual([204, 2])
  })

  it("are dropped after the retention period, not earlier", async () => {
    // The retention is 400 days: a month that ended before is dropped, the month in which they start stays.
    const monthOf = (at: Date) => at.toISOString().slice(0, 7)
    const limit = new Date(Date.now() - 400 * 86_400_000)
    const before = new Date(Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth() - 1, 1))
    const beginning = new Date(Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth(), 1))
    const after = new Date(Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth() + 1, 1))
    const nameOf = (month: Date) => `telemetry_events_${monthOf(month).replace("-", "")}`
    for (const [from, to] of [
      [before, beginning],
      [beginning, after]
    ] as const) {
      await runSql(plane, (sql) =>
        sql.unsafe(`CREATE TABLE IF NOT EXISTS ${nameOf(from)} PARTITION OF telemetry_events
          FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`)
      )
    }
    await withServices(plane, keepPartitionsOnce)
    const remaining = await partitions()
    expect([remaining.includes(nameOf(before)), remaining.includes(nameOf(beginning))]).toEqual([false, true])
  })

  it("are isolated per organization, and dropping one loses only its rows", async () => {
    const [mine, theirs] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    // Rows of different partitions can have the same position (ctid).
    const events = Array.from({ length: 30 }, (_, i) => anEvent({ timestamp: days(-i * 10) }))
    for (const person of [mine, theirs]) await sendEvents(person, events)
    await runSql(plane, (sql) => purge(sql, mine.organizationId as `org_${string}`))
    expect(await storedEvents(plane, mine.organizationId)).toEqual([])
    expect(await storedEvents(plane, theirs.organizationId)).toHaveLength(30)
    // A session that is still cached cannot write for a deleted organization.
    const late = await mine.call("POST", "/v1/telemetry/ingest", { events: [anEvent()] })
    expect([401, 404]).toContain(late.status)
    expect(await storedEvents(plane, mine.organizationId)).toEqual([])
  })
})
