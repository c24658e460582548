/** Random events and queries, and their expected responses, computed from the events alone. */
import * as fc from "fast-check"
import { expect } from "vitest"
import { addMember, makeTeam, makeWorkspace, type TestPlane, type Workspace } from "../harness.ts"
import { dayAfter, dayOf, figureOf, type Happened, mondayOf } from "./telemetry-analytics.fixture.ts"

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
const times = ["00:00:00.000", "00:00:00.001", "12:34:56.789", "23:59:59.998", "23:59:59.999"]

const dimension = fc.record(
  {
    type: fc.constantFrom("skill", "model"),
    value: fc.constantFrom("a", "b", "ünïcode 名", "%_"),
    label: fc.constantFrom("One", "Two")
  },
  { requiredKeys: ["type", "value"] }
)

/** Events of these people; `day` is the offset from the first day. */
export const event = (
  people: ReadonlyArray<Workspace | null>,
  first: string,
  day: fc.Arbitrary<number>
): fc.Arbitrary<Happened> =>
  fc.record({
    at: fc.tuple(day, fc.constantFrom(...times)).map(([offset, time]) => `${dayAfter(first, offset)}T${time}Z`),
    type: fc.constantFrom(...types),
    source: fc.constantFrom("app" as const, "worker" as const),
    person: fc.constantFrom(...people),
    durationMs: fc.option(fc.oneof(fc.nat(100), fc.integer({ min: 0, max: 86_400_000 }))),
    success: fc.option(fc.boolean()),
    dimensions: fc.option(fc.array(dimension, { minLength: 1, maxLength: 4 }), { freq: 2 })
  })

export interface MeasureQuery {
  /** The offset from the first day. */
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

export const question = (from: fc.Arbitrary<number>, length: fc.Arbitrary<number>): fc.Arbitrary<MeasureQuery> =>
  fc.record(
    {
      measure: fc.constantFrom(...measures),
      interval: fc.constantFrom("day" as const, "week" as const),
      from,
      length,
      groupBy: fc.constantFrom(...groupings),
      type: fc.constantFrom(...types),
      source: fc.constantFrom("app" as const, "worker" as const),
      team: fc.nat(1),
      member: fc.nat(3),
      skill: fc.constantFrom("a", "b", "%_", "nothing")
    },
    { requiredKeys: ["measure", "interval", "from", "length"] }
  )

export interface World {
  readonly owner: Workspace
  readonly people: ReadonlyArray<Workspace>
  readonly teams: ReadonlyArray<{ readonly id: string; readonly members: ReadonlyArray<Workspace> }>
}

export const makeWorld = async (plane: TestPlane): Promise<World> => {
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

const queryOf = (world: World, first: string, measureQuery: MeasureQuery) => {
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

/** Compares the response to a query with the events. */
export const checkAnalytics = async (
  world: World,
  events: ReadonlyArray<Happened>,
  first: string,
  measureQuery: MeasureQuery
) => {
  const { from, query, to } = queryOf(world, first, measureQuery)
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

export interface AdoptionQuery {
  readonly interval: "day" | "week"
  readonly from: number
  readonly length: number
  readonly source?: "app" | "worker"
  readonly team?: number
}

/**
 * Compares adoption with the events; `world.people` are the current members. `history` also contains expired events,
 * which determine when a member was first active.
 */
export const checkAdoption = async (
  world: World,
  events: ReadonlyArray<Happened>,
  first: string,
  adoptionQuery: AdoptionQuery,
  history = events
) => {
  const from = dayAfter(first, adoptionQuery.from)
  const to = dayAfter(from, adoptionQuery.length)
  const team = adoptionQuery.team === undefined ? undefined : world.teams[adoptionQuery.team]
  const query = new URLSearchParams({ interval: adoptionQuery.interval, from, to, dimensionType: "skill" })
  if (adoptionQuery.source !== undefined) query.set("source", adoptionQuery.source)
  if (team !== undefined) query.set("teamId", team.id)
  const { adoption } = (await world.owner.call("GET", `/v1/telemetry/adoption?${query}`)).body
  const people = team?.members ?? world.people
  const isTheirs = ({ person }: Happened) => people.some(({ userId }) => userId === person?.userId)
  const fit = events.filter(
    (event) =>
      isTheirs(event) &&
      dayOf(event.at) >= from &&
      dayOf(event.at) <= to &&
      (adoptionQuery.source === undefined || event.source === adoptionQuery.source)
  )
  const firstOf = (person: string) =>
    history
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
    const of = fit.filter(({ at }) => (adoptionQuery.interval === "week" ? mondayOf(dayOf(at)) : dayOf(at)) === start)
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
