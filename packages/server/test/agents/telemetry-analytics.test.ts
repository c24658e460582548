import * as Effect from "effect/Effect"
import type { Id } from "@orgplane/schema/shared/ids"
import * as fc from "fast-check"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { purge } from "../../src/operations/purge/purge.ts"
import { deleteBefore, deleteEmptyDimensions } from "../../src/agents/telemetry/summary-repo.ts"
import { tenantTables as summaryTables } from "../../src/infra/sql/migrations/0030_telemetry_summaries.ts"
import { tenantTables as activityTables } from "../../src/infra/sql/migrations/0031_activity_days.ts"
import { tenantTables as periodTables } from "../../src/infra/sql/migrations/0051_telemetry_periods.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeDatabase,
  makeKey,
  makeWorkspace,
  runSql,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import { anEvent } from "./telemetry.fixture.ts"
import { counted, type Happened, putEvents } from "./telemetry-analytics.fixture.ts"
import { checkAdoption, checkAnalytics, event, makeWorld, question } from "./telemetry-model.fixture.ts"

const plane = await makeControlPlane()

/** The first day of the events, a Wednesday. */
const first = "2026-09-30"
const days = 24

it("adds the events of later batches to the counts of the same day", async () => {
  const owner = await makeWorkspace(plane)
  const task = (success: boolean): Happened => ({
    at: `${first}T12:00:00.000Z`,
    type: "task.completed",
    source: "app",
    person: owner,
    durationMs: 100,
    success,
    dimensions: [{ type: "skill", value: "a" }]
  })
  for (const batch of [[task(false), task(true)], [task(false)], [task(false)]]) {
    await putEvents(plane, owner, batch)
    await counted(owner)
  }
  const read = async (measure: string) => {
    const query = new URLSearchParams({ measure, from: first, to: first, groupBy: "dimension:skill" })
    return (await owner.call("GET", `/v1/telemetry/analytics?${query}`)).body.analytics.series
  }
  expect(await read("successRate")).toMatchObject([{ key: "a", total: 0.25 }])
  expect(await read("events")).toMatchObject([{ key: "a", total: 4 }])
  expect(await read("durationSum")).toMatchObject([{ key: "a", total: 400 }])
})

describe("telemetry.analytics", () => {
  it("matches the events for every measure, group and filter, at day boundaries", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(question(fc.nat(days), fc.nat(days))), fc.gen(), async (questions, draw) => {
        const world = await makeWorld(plane)
        const events = draw(fc.array, event([...world.people, null], first, fc.nat(days - 1)), {
          minLength: 1,
          maxLength: 60
        })
        const half = Math.floor(events.length / 2)
        // Two concurrent writers, one of which commits late.
        await Promise.all([
          putEvents(plane, world.owner, events.slice(0, half)),
          putEvents(plane, world.owner, events.slice(half))
        ])
        await counted(world.owner)
        for (const query of questions.take(30)) await checkAnalytics(world, events, first, query)
      }),
      { numRuns: 8 }
    )
  })

  it("sums up a single transaction however long it takes", { timeout: 240_000 }, async () => {
    const { owner } = await makeWorld(plane)
    await runSql(plane, (sql) =>
      sql.unsafe(`CREATE FUNCTION sums_take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('statement_timeout') <> '0' THEN RAISE EXCEPTION 'There is no time for all of it.'; END IF;
        RETURN new; END $$`)
    )
    await runSql(plane, (sql) =>
      sql.unsafe(`CREATE TRIGGER sums_take_time BEFORE INSERT OR UPDATE ON telemetry_days
        FOR EACH ROW EXECUTE FUNCTION sums_take_time()`)
    )
    try {
      const at = "2026-10-05T00:00:00.000Z"
      const one = { at, type: "task.completed", source: "app", person: owner, durationMs: 1, success: true } as const
      await putEvents(plane, owner, [{ ...one, dimensions: null }])
      await counted(owner)
      const { body } = await owner.call("GET", "/v1/telemetry/analytics?from=2026-10-05&to=2026-10-05")
      expect(body.analytics.total).toBe(1)
    } finally {
      await runSql(plane, (sql) => sql.unsafe("DROP FUNCTION sums_take_time() CASCADE"))
    }
  })

  it("counts the events of a late transaction exactly once", { timeout: 240_000 }, async () => {
    const { owner } = await makeWorld(plane)
    const at = "2026-10-05T00:00:00.000Z"
    const one: Happened = {
      at,
      type: "task.completed",
      source: "app",
      person: owner,
      durationMs: 10,
      success: true,
      dimensions: null
    }
    await putEvents(plane, owner, [one])
    await Promise.all(Array.from({ length: 40 }, () => putEvents(plane, owner, [one, one])))
    await counted(owner)
    const path = "/v1/telemetry/analytics?from=2026-10-01&to=2026-10-31"
    expect((await owner.call("GET", path)).body.analytics.total).toBe(81)
    await putEvents(plane, owner, [{ ...one, at: "2026-10-04T23:59:59.999Z" }])
    await counted(owner)
    const { analytics } = (await owner.call("GET", path)).body
    expect(analytics.total).toBe(82)
    expect(analytics.values[analytics.steps.indexOf("2026-10-04")]).toBe(1)
    expect(analytics.values[analytics.steps.indexOf("2026-10-05")]).toBe(81)
  })

  it("adds no pending events of a purged organization", async () => {
    const [owner, former] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const one: Happened = {
      at: "2026-10-05T00:00:00.000Z",
      type: "task.completed",
      source: "app",
      person: former,
      durationMs: 10,
      success: true,
      dimensions: [{ type: "skill", value: "review" }]
    }
    await putEvents(plane, former, [one])
    await counted(former)
    await former.client.plugins.create({ name: "The last change" })
    await runSql(plane, (sql) => purge(sql, former.organizationId as Id<"org">))
    await putEvents(plane, former, [one])
    await counted(owner)
    const left = await runSql(plane, (sql) =>
      Effect.forEach(
        [...summaryTables, ...periodTables, ...activityTables],
        (table) => sql`SELECT 1 AS one FROM ${sql(table)} WHERE organization_id = ${former.organizationId}`
      )
    )
    expect(left.flat()).toEqual([])
  })

  it("continues in another server with different transaction IDs, and counts no event twice", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "orgplane-restored-"))
    const database = await makeDatabase()
    const later = database.kind === "pglite" ? ({ kind: "pglite", dataDir } as const) : database
    const first = await makeControlPlane({ database: { ...database, ...later } })
    const owner = await makeWorkspace(first)
    const send = async (plane: TestPlane, count: number) => {
      const events = Array.from({ length: count }, () => anEvent({ timestamp: "2026-11-20T10:00:00Z" }))
      expect((await call(plane, owner.token)("POST", "/v1/telemetry/ingest", { events })).status).toBe(204)
    }
    await send(first, 2)
    await counted(owner)
    await first.dispose()
    const second = await makeControlPlane({ database: later, workers: false })
    await send(second, 3)
    // The state of a database restored from a server with many more transactions.
    await runSql(
      second,
      (sql) => sql`UPDATE telemetry_events SET written_in = (written_in::text::bigint + 1000000000)::text::xid8`
    )
    await runSql(
      second,
      (sql) => sql`UPDATE telemetry_summary SET watermark = (watermark::text::bigint + 1000000000)::text::xid8`
    )
    await second.dispose()
    const third = await makeControlPlane({ database: later })
    const restored = { ...owner, call: call(third, owner.token) }
    const total = async () => {
      await counted(restored)
      return (await restored.call("GET", "/v1/telemetry/analytics?from=2026-11-01&to=2026-11-30")).body.analytics.total
    }
    expect(await total()).toBe(5)
    await send(third, 1)
    expect(await total()).toBe(6)
    // The transaction IDs reach the old ones.
    await runSql(
      third,
      (sql) => sql`UPDATE telemetry_events SET written_in = (pg_current_xact_id()::text::bigint + 10)::text::xid8
        FROM (SELECT max(ledger_id) AS newest FROM telemetry_events) l WHERE ledger_id < l.newest`
    )
    for (let written = 0; written < 30; written += 1)
      await runSql(third, (sql) => sql`SELECT pg_current_xact_id()::text`)
    await send(third, 1)
    expect(await total()).toBe(7)
    await third.dispose()
    await rm(dataDir, { recursive: true, force: true })
  })

  it("requires the plan, the permission, and valid dates", async () => {
    const owner = await makeWorkspace(plane)
    const path = "/v1/telemetry/analytics"
    const bad = [
      "from=2026-02-30",
      "to=2026-13-01",
      "from=2026-01-02&to=2026-01-01",
      "from=2020-01-01&to=2026-01-01",
      "groupBy=dimension:",
      "groupBy=weather",
      "measure=joy",
      "dimensionType=skill",
      "dimensionValue=a",
      "top=51"
    ]
    for (const query of bad) expect([query, (await owner.call("GET", `${path}?${query}`)).status]).toEqual([query, 400])
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", path)).body).toMatchObject({ reason: "permission_required" })
    expect((await (await makeKey(plane, owner, ["analytics:read"])).call("GET", path)).status).toBe(200)
    const cheap = await makeWorkspace(plane)
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${cheap.organizationId}`)
    const rejected = await cheap.call("GET", path)
    expect([rejected.status, rejected.body.error, rejected.body.feature]).toEqual([
      402,
      "enterprise_plan_required",
      "analytics"
    ])
    expect((await cheap.call("GET", "/v1/telemetry/adoption")).status).toBe(200)
    expect((await cheap.call("GET", "/v1/telemetry/dimensions")).status).toBe(200)
  })
})

describe("telemetry.adoption", () => {
  it("reports active members, new members and usage as in the events", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            interval: fc.constantFrom("day" as const, "week" as const),
            // Most members are first active in the first days, so these are queried more often.
            from: fc.oneof(fc.nat(4), fc.nat(days)),
            length: fc.nat(days),
            source: fc.constantFrom("app" as const, "worker" as const),
            team: fc.nat(1)
          },
          { requiredKeys: ["interval", "from", "length"] }
        ),
        fc.gen(),
        async (adoptionQuery, draw) => {
          const world = await makeWorld(plane)
          const former = await addMember(plane, world.owner, "member")
          const events = draw(fc.array, event([...world.people, former, null], first, fc.nat(days - 1)), {
            minLength: 1,
            maxLength: 50
          })
          await putEvents(plane, world.owner, events)
          await world.owner.client.members.remove(former.membershipId)
          await counted(world.owner)
          await checkAdoption(world, events, first, adoptionQuery)
        }
      ),
      { numRuns: 10 }
    )
  })
})

describe("newMembers of telemetry.adoption", () => {
  it("counts members whose first event is in the step, or in the requested part of it", async () => {
    const owner = await makeWorkspace(plane)
    const [second, third] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const seen = (person: Workspace, ...dates: ReadonlyArray<string>) =>
      dates.map((date): Happened => ({
        at: `${date}T00:00:00.000Z`,
        type: "session.started",
        source: "app",
        person,
        durationMs: null,
        success: null,
        dimensions: null
      }))
    // The 6th is a Tuesday, the 12th a Monday.
    await putEvents(plane, owner, [
      ...seen(owner, "2026-10-06", "2026-10-08"),
      ...seen(second, "2026-10-07"),
      ...seen(third, "2026-10-12", "2026-10-13")
    ])
    await counted(owner)
    const request = async (interval: string) => {
      const query = `interval=${interval}&from=2026-10-07&to=2026-10-13`
      const { adoption } = (await owner.call("GET", `/v1/telemetry/adoption?${query}`)).body
      expect(adoption).toMatchObject({ activeMembers: 3, newMembers: 2, returningMembers: 1 })
      return adoption.series
        .filter((step: { activeMembers: number }) => step.activeMembers > 0)
        .map((step: Record<string, unknown>) => [step["start"], step["newMembers"], step["returningMembers"]])
    }
    expect(await request("day")).toEqual([
      ["2026-10-07", 1, 0],
      ["2026-10-08", 0, 1],
      ["2026-10-12", 1, 0],
      ["2026-10-13", 0, 1]
    ])
    expect(await request("week")).toEqual([
      ["2026-10-05", 1, 1],
      ["2026-10-12", 1, 0]
    ])
  })
})

describe("the sums of expired days", () => {
  it("are deleted, and those of the first retained day stay", async () => {
    const owner = await makeWorkspace(plane)
    const at = (day: string, ...values: ReadonlyArray<string>): Happened => ({
      at: `${day}T12:00:00.000Z`,
      type: "task.started",
      source: "app",
      person: owner,
      durationMs: 10,
      success: true,
      dimensions: values.map((value) => ({ type: "skill", value }))
    })
    await putEvents(plane, owner, [at("2026-02-01", "review", "old"), at("2026-02-02", "review")])
    await counted(owner)
    const read = async (operation: string) =>
      (await owner.call("GET", `/v1/telemetry/${operation}interval=day&from=2026-02-01&to=2026-02-02`)).body
    const valuesOf = async () => [
      (await read("analytics?measure=events&")).analytics.values,
      (await read("analytics?measure=users&")).analytics.values,
      (await read("analytics?measure=events&groupBy=member&")).analytics.series[0]?.values,
      (await read("analytics?measure=durationP50&")).analytics.values,
      (await read("adoption?")).adoption.series.map((step: { activeMembers: number }) => step.activeMembers)
    ]
    const dimensions = async () =>
      (await owner.call("GET", "/v1/telemetry/dimensions")).body.items
        .map(({ events, value }: { events: number; value: string }) => [value, events])
        .toSorted()
    expect([await valuesOf(), await dimensions()]).toEqual([
      [
        [1, 1],
        [1, 1],
        [1, 1],
        [10, 10],
        [1, 1]
      ],
      [
        ["old", 1],
        ["review", 2]
      ]
    ])
    await runSql(plane, (sql) =>
      Effect.andThen(
        sql.withTransaction(deleteBefore(sql, "2026-02-02", 1000)),
        sql.withTransaction(deleteEmptyDimensions(sql))
      )
    )
    expect([await valuesOf(), await dimensions()]).toEqual([
      [
        [0, 1],
        [0, 1],
        [0, 1],
        [null, 10],
        [0, 1]
      ],
      [["review", 1]]
    ])
  })
})

describe("telemetry.dimensions", () => {
  it("lists each value once, with its latest label", { timeout: 240_000 }, async () => {
    const owner = await makeWorkspace(plane)
    const at = (time: string, dimensions: Happened["dimensions"]): Happened => ({
      at: time,
      type: "task.started",
      source: "app",
      person: owner,
      durationMs: null,
      success: null,
      dimensions
    })
    await putEvents(plane, owner, [
      at("2026-10-02T00:00:00.000Z", [
        { type: "skill", value: "review", label: "Old" },
        { type: "skill", value: "review", label: "Old" },
        { type: "model", value: "large" }
      ]),
      at("2026-10-04T00:00:00.000Z", [{ type: "skill", value: "review" }])
    ])
    await counted(owner)
    // Reported later, but happened between the two.
    await putEvents(plane, owner, [at("2026-10-03T00:00:00.000Z", [{ type: "skill", value: "review", label: "New" }])])
    await counted(owner)
    const request = async (query: string) => (await owner.call("GET", `/v1/telemetry/dimensions?${query}`)).body
    const review = {
      type: "skill",
      value: "review",
      label: "New",
      events: 3,
      firstSeenAt: "2026-10-02T00:00:00.000Z",
      lastSeenAt: "2026-10-04T00:00:00.000Z"
    }
    expect((await request("type=skill")).items).toEqual([review])
    expect((await request("q=NE")).items).toEqual([review])
    expect((await request("q=%25")).items).toEqual([])
    const all = await request("limit=1")
    expect(all.types).toEqual([
      { type: "skill", values: 1, events: 3 },
      { type: "model", values: 1, events: 1 }
    ])
    const next = await request(`limit=1&cursor=${all.nextCursor}`)
    expect(next.nextCursor).toBeNull()
    expect([...all.items, ...next.items].map(({ value }) => value).toSorted()).toEqual(["large", "review"])
    expect(
      (await owner.call("GET", `/v1/telemetry/dimensions?limit=1&type=skill&cursor=${all.nextCursor}`)).status
    ).toBe(400)
    const other = await makeWorkspace(plane)
    expect((await other.call("GET", "/v1/telemetry/dimensions")).body).toMatchObject({ items: [], types: [] })
  })
})
