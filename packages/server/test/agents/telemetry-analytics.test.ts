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
import {
  addMember,
  call,
  makeControlPlane,
  makeDatabase,
  makeKey,
  makeTeam,
  makeWorkspace,
  runSql,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import { anEvent } from "./telemetry.fixture.ts"
import {
  counted,
  dayAfter,
  dayOf,
  figureOf,
  type Happened,
  mondayOf,
  putEvents
} from "./telemetry-analytics.fixture.ts"

const plane = await makeControlPlane()

const measures = [
  "events",
  "users",
  "tasksStarted",
  "tasksCompleted",
  "tasksFailed",
  "taskSuccessRate",
  "successRate",
  "durationSum",
  "durationAverage",
  "durationP50",
  "durationP95"
] as const
const groupings = ["type", "source", "team", "member", "dimension:skill", "dimension:model"] as const
const types = ["session.started", "task.started", "task.completed", "task.failed"] as const
/** The first day of the events, a Wednesday. */
const first = "2026-09-30"
const days = 24
/** Times at day boundaries and in the middle of a day. */
const times = ["00:00:00.000", "00:00:00.001", "12:34:56.789", "23:59:59.998", "23:59:59.999"]

const dimension = fc.record(
  {
    type: fc.constantFrom("skill", "model"),
    value: fc.constantFrom("a", "b", "ünïcode 名", "%_"),
    label: fc.constantFrom("One", "Two")
  },
  { requiredKeys: ["type", "value"] }
)

const event = (people: ReadonlyArray<Workspace | null>): fc.Arbitrary<Happened> =>
  fc.record({
    at: fc.tuple(fc.nat(days - 1), fc.constantFrom(...times)).map(([day, time]) => `${dayAfter(first, day)}T${time}Z`),
    type: fc.constantFrom(...types),
    source: fc.constantFrom("app" as const, "worker" as const),
    person: fc.constantFrom(...people),
    durationMs: fc.option(fc.oneof(fc.nat(100), fc.integer({ min: 0, max: 86_400_000 }))),
    success: fc.option(fc.boolean()),
    dimensions: fc.option(fc.array(dimension, { minLength: 1, maxLength: 4 }), { freq: 2 })
  })

interface MeasureQuery {
  readonly measure: (typeof measures)[number]
  readonly interval: "day" | "week"
  readonly from: number
  readonly length: number
  readonly groupBy?: (typeof groupings)[number]
  readonly type?: (typeof types)[number]
  readonly source?: "app" | "worker"
  readonly team?: number
  readonly member?: number
  readonly skill?: string
}

const question: fc.Arbitrary<MeasureQuery> = fc.record(
  {
    measure: fc.constantFrom(...measures),
    interval: fc.constantFrom("day" as const, "week" as const),
    from: fc.nat(days),
    length: fc.nat(days),
    groupBy: fc.constantFrom(...groupings),
    type: fc.constantFrom(...types),
    source: fc.constantFrom("app" as const, "worker" as const),
    team: fc.nat(1),
    member: fc.nat(3),
    skill: fc.constantFrom("a", "b", "%_", "nothing")
  },
  { requiredKeys: ["measure", "interval", "from", "length"] }
)

interface World {
  readonly owner: Workspace
  readonly people: ReadonlyArray<Workspace>
  readonly teams: ReadonlyArray<{ readonly id: string; readonly members: ReadonlyArray<Workspace> }>
}

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

const makeWorld = async (): Promise<World> => {
  const owner = await makeWorkspace(plane)
  const people = [owner, ...(await Promise.all([1, 2, 3].map(() => addMember(plane, owner, "member"))))]
  const teams = await Promise.all(
    // One member is in both teams, another in none.
    [people.slice(0, 2), people.slice(1, 3)].map(async (members) => ({ id: await makeTeam(owner, members), members }))
  )
  return { owner, people, teams }
}

const has = (event: Happened, type: string, value?: string) =>
  (event.dimensions ?? []).some((one) => one.type === type && (value === undefined || one.value === value))

/** Whether the sums support the query, according to the documentation. */
const isRefused = (query: MeasureQuery) => {
  const isPercentile = query.measure === "durationP50" || query.measure === "durationP95"
  const isOfPeople =
    query.groupBy === "team" || query.groupBy === "member" || query.team !== undefined || query.member !== undefined
  return (isPercentile && isOfPeople) || (query.skill !== undefined && query.groupBy === "dimension:model")
}

/** The groups that an event counts toward. */
const keysOf = (world: World, query: MeasureQuery, event: Happened): ReadonlyArray<string | null> => {
  switch (query.groupBy) {
    case "type":
      return [event.type]
    case "source":
      return [event.source]
    case "member":
      return [event.person?.membershipId ?? null]
    case "team": {
      const of = world.teams.filter(({ members }) => members.some(({ userId }) => userId === event.person?.userId))
      return of.length === 0 ? [null] : of.map(({ id }) => id)
    }
    case "dimension:model":
    case "dimension:skill": {
      const type = query.groupBy.slice("dimension:".length)
      const values = (event.dimensions ?? []).filter((one) => one.type === type).map(({ value }) => value)
      return [...new Set(values)].filter((value) => query.skill === undefined || value === query.skill)
    }
    default:
      return []
  }
}

const queryOf = (world: World, measureQuery: MeasureQuery) => {
  const from = dayAfter(first, measureQuery.from)
  const to = dayAfter(from, measureQuery.length)
  const query = new URLSearchParams({
    measure: measureQuery.measure,
    interval: measureQuery.interval,
    from,
    to,
    top: "50"
  })
  if (measureQuery.groupBy !== undefined) query.set("groupBy", measureQuery.groupBy)
  if (measureQuery.type !== undefined) query.set("type", measureQuery.type)
  if (measureQuery.source !== undefined) query.set("source", measureQuery.source)
  if (measureQuery.team !== undefined) query.set("teamId", world.teams[measureQuery.team]?.id ?? "")
  if (measureQuery.member !== undefined)
    query.set("orgMembershipId", world.people[measureQuery.member]?.membershipId ?? "")
  if (measureQuery.skill !== undefined) {
    query.set("dimensionType", "skill")
    query.set("dimensionValue", measureQuery.skill)
  }
  return { from, to, query }
}

/** Percentiles are accurate to 4 %, everything else except for rounding. */
const same = (measure: string, actual: number | null, expected: number | null): boolean => {
  if (actual === null || expected === null) return actual === expected
  return measure.startsWith("durationP")
    ? Math.abs(actual - expected) <= expected * 0.04
    : Math.abs(actual - expected) < 1e-6
}

const checkResponse = async (world: World, events: ReadonlyArray<Happened>, measureQuery: MeasureQuery) => {
  const { from, query, to } = queryOf(world, measureQuery)
  const { body, status } = await world.owner.call("GET", `/v1/telemetry/analytics?${query}`)
  if (isRefused(measureQuery)) return expect(status, `${query}`).toBe(400)
  expect(status, JSON.stringify(body)).toBe(200)
  const { analytics } = body
  const stepOf = (at: string) => (measureQuery.interval === "week" ? mondayOf(dayOf(at)) : dayOf(at))
  const steps = new Set<string>()
  for (let day = from; day <= to; day = dayAfter(day, 1)) steps.add(stepOf(day))
  expect(analytics.steps).toEqual([...steps])
  const fit = events.filter(
    (event) =>
      dayOf(event.at) >= from &&
      dayOf(event.at) <= to &&
      (measureQuery.type === undefined || event.type === measureQuery.type) &&
      (measureQuery.source === undefined || event.source === measureQuery.source) &&
      (measureQuery.skill === undefined || has(event, "skill", measureQuery.skill)) &&
      (measureQuery.team === undefined ||
        world.teams[measureQuery.team]?.members.some(({ userId }) => userId === event.person?.userId) === true) &&
      (measureQuery.member === undefined || world.people[measureQuery.member]?.userId === event.person?.userId)
  )
  const check = (
    line: { readonly total: number | null; readonly values: ReadonlyArray<number | null> },
    of: typeof fit
  ) => {
    const expected = figureOf(measureQuery.measure, of)
    const comparisons = [[line.total, expected, same(measureQuery.measure, line.total, expected)]]
    for (const [index, step] of [...steps].entries()) {
      const actual = line.values[index] ?? null
      const expected = figureOf(
        measureQuery.measure,
        of.filter(({ at }) => stepOf(at) === step)
      )
      comparisons.push([actual, expected, same(measureQuery.measure, actual, expected)])
    }
    expect(
      comparisons.filter(([, , ok]) => ok !== true),
      `${query}`
    ).toEqual([])
  }
  check(analytics, fit)
  const groups = new Map<string | null, Array<Happened>>()
  for (const event of fit) {
    for (const key of keysOf(world, measureQuery, event)) groups.set(key, [...(groups.get(key) ?? []), event])
  }
  if (measureQuery.measure === "users") {
    // Events without a user count neither as users nor as a group.
    for (const [key, of] of groups) if (of.every(({ person }) => person === null)) groups.delete(key)
  }
  if (measureQuery.measure.startsWith("durationP")) {
    for (const [key, of] of groups) if (of.every(({ durationMs }) => durationMs === null)) groups.delete(key)
  }
  const actual = analytics.series as ReadonlyArray<{ key: string | null; total: number | null; values: [] }>
  expect(new Set(actual.map(({ key }) => key)), `${query}`).toEqual(new Set(groups.keys()))
  expect(analytics.groups).toBe(groups.size)
  for (const line of actual) check(line, groups.get(line.key) ?? [])
}

describe("telemetry.analytics", () => {
  it("matches the events for every measure, group and filter, at day boundaries", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(question), fc.gen(), async (questions, draw) => {
        const world = await makeWorld()
        const events = draw(fc.array, event([...world.people, null]), { minLength: 1, maxLength: 60 })
        const half = Math.floor(events.length / 2)
        // Two concurrent writers, one of which commits late.
        await Promise.all([
          putEvents(plane, world.owner, events.slice(0, half)),
          putEvents(plane, world.owner, events.slice(half))
        ])
        await counted(world.owner)
        for (const query of questions.take(30)) await checkResponse(world, events, query)
      }),
      { numRuns: 8 }
    )
  })

  it("sums up a single transaction however long it takes", { timeout: 120_000 }, async () => {
    const { owner } = await makeWorld()
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

  it("counts the events of a late transaction exactly once", { timeout: 120_000 }, async () => {
    const { owner } = await makeWorld()
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
        [...summaryTables, ...activityTables],
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
        async (sessionsQuery, draw) => {
          const world = await makeWorld()
          const former = await addMember(plane, world.owner, "member")
          const events = draw(fc.array, event([...world.people, former, null]), { minLength: 1, maxLength: 50 })
          await putEvents(plane, world.owner, events)
          await world.owner.client.members.remove(former.membershipId)
          await counted(world.owner)
          const from = dayAfter(first, sessionsQuery.from)
          const to = dayAfter(from, sessionsQuery.length)
          const team = sessionsQuery.team === undefined ? undefined : world.teams[sessionsQuery.team]
          const query = new URLSearchParams({ interval: sessionsQuery.interval, from, to, dimensionType: "skill" })
          if (sessionsQuery.source !== undefined) query.set("source", sessionsQuery.source)
          if (team !== undefined) query.set("teamId", team.id)
          const { adoption } = (await world.owner.call("GET", `/v1/telemetry/adoption?${query}`)).body
          const people = team?.members ?? world.people
          const isTheirs = ({ person }: Happened) => people.some(({ userId }) => userId === person?.userId)
          const fit = events.filter(
            (event) =>
              isTheirs(event) &&
              dayOf(event.at) >= from &&
              dayOf(event.at) <= to &&
              (sessionsQuery.source === undefined || event.source === sessionsQuery.source)
          )
          const firstOf = (person: string) =>
            events
              .filter((event) => event.person?.userId === person)
              .map(({ at }) => dayOf(at))
              .toSorted()[0] ?? ""
          const usersOf = (of: ReadonlyArray<Happened>) => [...new Set(of.map(({ person }) => person?.userId ?? ""))]
          const actual = (of: ReadonlyArray<Happened>, since: string) => {
            const active = usersOf(of)
            const fresh = active.filter((person) => firstOf(person) >= since).length
            return { activeMembers: active.length, newMembers: fresh, returningMembers: active.length - fresh }
          }
          expect(adoption).toMatchObject({ from, to, members: people.length, ...actual(fit, from) })
          for (const { start, ...step } of adoption.series) {
            const of = fit.filter(
              ({ at }) => (sessionsQuery.interval === "week" ? mondayOf(dayOf(at)) : dayOf(at)) === start
            )
            expect(step, `${start} ${query}`).toEqual(actual(of, start > from ? start : from))
          }
          for (const { activeMembers, source } of adoption.bySource) {
            expect(activeMembers).toBe(usersOf(fit.filter((event) => event.source === source)).length)
          }
          for (const { activeMembers, members, teamId } of adoption.byTeam) {
            const of = world.teams.find(({ id }) => id === teamId)?.members ?? []
            expect(members).toBe(of.length)
            expect(activeMembers).toBe(
              usersOf(fit.filter(({ person }) => of.some(({ userId }) => userId === person?.userId))).length
            )
          }
          const used = new Map<string, Array<Happened>>()
          for (const event of fit) {
            const values = (event.dimensions ?? []).filter(({ type }) => type === "skill").map(({ value }) => value)
            for (const value of new Set(values)) used.set(value, [...(used.get(value) ?? []), event])
          }
          expect(new Map(adoption.byDimension.map((row: { value: string }) => [row.value, row]))).toEqual(
            new Map(
              [...used].map(([value, of]) => [
                value,
                {
                  value,
                  label: expect.toBeOneOf([null, "One", "Two"]),
                  activeMembers: usersOf(of).length,
                  events: of.length
                }
              ])
            )
          )
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
  it("lists each value once, with its latest label", { timeout: 120_000 }, async () => {
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
