import type * as Assignments from "@orgplane/schema/assignments"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AssignmentsService } from "../../src/content/assignments/service.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"
import { rowDigests } from "../infra/row-digests.ts"
import {
  addMember,
  makeControlPlane,
  makeMarketplace,
  makeTeam,
  makeWorkspace,
  runSql,
  type Workspace
} from "../harness.ts"
import { assignment, decided, isOn, type ModelAssignment, type ModelWorld, sizes, world } from "./assignments-model.ts"

const plane = await makeControlPlane({ workers: false })

/** Times long ago, so that assignments created by tests are newer. */
const moments = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]

interface Lived {
  readonly owner: Workspace
  readonly members: ReadonlyArray<Workspace>
  readonly teams: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<string>
  readonly marketplaces: ReadonlyArray<string>
  /** Ordered by id. */
  readonly assignments: ReadonlyArray<string>
}

const bodyOf = ({ members, mode, priority, target, teams }: ModelAssignment, lived: Lived) => ({
  ...(target.kind === "plugin"
    ? { pluginId: lived.plugins[target.at] }
    : { marketplaceId: lived.marketplaces[target.at] }),
  mode,
  priority,
  memberIds: members.map((place) => lived.members[place]?.membershipId),
  teamIds: teams.map((place) => lived.teams[place])
})

/** Stores the model as an organization, through the API. Every member can see every plugin. */
const live = async (world: ModelWorld): Promise<Lived> => {
  const owner = await makeWorkspace(plane)
  const members: Array<Workspace> = []
  for (const _ of world.members) members.push(await addMember(plane, owner, "member"))
  const teams: Array<string> = []
  for (let team = 0; team < sizes.teams; team += 1) {
    const inTeam = members.filter((_, member) => world.members[member]?.includes(team) === true)
    teams.push(await makeTeam(owner, inTeam))
  }
  const plugins: Array<string> = []
  for (const [place] of world.plugins.entries()) {
    const { id } = await owner.client.plugins.create({ name: `Plugin ${place}` })
    await owner.client.plugins.grantAccess(id, { role: "viewer", orgWide: true })
    plugins.push(id)
  }
  const marketplaces: Array<string> = []
  for (let place = 0; place < sizes.marketplaces; place += 1) {
    const inside = plugins.filter((_, plugin) => world.plugins[plugin]?.includes(place) === true)
    marketplaces.push(await makeMarketplace(plane, owner, inside, `Marketplace ${place}`))
  }
  for (const [plugin, enabled] of world.choices.entries()) {
    if (enabled === null) continue
    const response = await members[0]?.call("PUT", `/v1/me/plugin-choices/${plugins[plugin]}`, { enabled })
    expect(response?.status).toBe(200)
  }
  const assignments: Array<string> = []
  const lived = { owner, members, teams, plugins, marketplaces, assignments }
  for (const one of world.assignments) {
    const response = await owner.call("POST", "/v1/assignments", bodyOf(one, lived))
    expect([response.status, response.text]).toEqual([201, response.text])
    assignments.push(response.body.item.id)
    await runSql(
      plane,
      (sql) => sql`UPDATE assignments SET created_at = ${moments[one.moment] ?? ""}::timestamptz
        WHERE organization_id = ${owner.organizationId} AND id = ${response.body.item.id}`
    )
  }
  return lived
}

type Effective = Assignments.EffectiveAssignment

/** The effective mode of each plugin for each member, in the order of the model. */
const readAll = (lived: Lived): Promise<ReadonlyArray<ReadonlyArray<Effective>>> =>
  Promise.all(
    lived.members.map(({ membershipId }) =>
      Promise.all(
        lived.plugins.map(async (pluginId) => {
          const at = `/v1/members/${membershipId}/assignments?explain=true&pluginId=${pluginId}`
          return (await lived.owner.call("GET", at)).body.items[0]
        })
      )
    )
  )

interface Change {
  readonly kind: "create" | "patch" | "delete"
  readonly at: number
  readonly assignment: ModelAssignment
  /** The members of an assignment that a patch lists. */
  readonly parts: ReadonlyArray<string>
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("create", "patch", "delete"),
  at: fc.nat({ max: sizes.assignments }),
  assignment,
  parts: fc.subarray(["mode", "priority", "memberIds", "teamIds"])
})

/** The change as a simulation input, and as a request. */
const requestOf = (lived: Lived, { assignment, at, kind, parts }: Change) => {
  const { assignments, owner } = lived
  const assignmentId = assignments[at % Math.max(1, assignments.length)]
  const path = `/v1/assignments/${String(assignmentId)}`
  const body = bodyOf(assignment, lived)
  if (kind === "create" || assignmentId === undefined) {
    return { request: { create: body }, apply: () => owner.call("POST", "/v1/assignments", body) }
  }
  if (kind === "delete") return { request: { delete: { assignmentId } }, apply: () => owner.call("DELETE", path) }
  const changes = Object.fromEntries(Object.entries(body).filter(([name]) => parts.includes(name)))
  return { request: { patch: { assignmentId, changes } }, apply: () => owner.call("PATCH", path, changes) }
}

const seen = { effective: 0, blocked: 0, simulated: 0, changes: 0 }

describe("assignments of changing organizations", () => {
  it("match the model, including the winner, choices and blocks", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (world) => {
        const lived = await live(world)
        for (const [member, all] of (await readAll(lived)).entries()) {
          const visible = new Set(
            (await lived.members[member]?.call("GET", "/v1/plugins"))?.body.items.map(({ id }: { id: string }) => id)
          )
          for (const [plugin, one] of all.entries()) {
            const place = decided(world, member, plugin)
            const mode = place === undefined ? "available" : (world.assignments[place]?.mode ?? "available")
            const choice = member === 0 ? (world.choices[plugin] ?? null) : null
            expect([one.mode, one.explanation?.winner?.id ?? null, one.choice, one.enabled]).toEqual([
              mode,
              place === undefined ? null : lived.assignments[place],
              choice,
              isOn(mode, choice)
            ])
            const { loserCount, losers, rule, winner } = one.explanation ?? {}
            expect(rule).toBe(losers?.[0]?.lostBy ?? (winner === null ? "default" : "only"))
            expect(loserCount).toBe(losers?.length)
            expect(visible.has(one.pluginId)).toBe(mode !== "blocked")
            seen.effective += 1
            if (mode === "blocked") seen.blocked += 1
          }
        }
      }),
      { numRuns: 15 }
    )
    expect(seen.effective).toBe(15 * sizes.members * sizes.plugins)
    expect(seen.blocked).toBeGreaterThan(0)
  })

  it("change as the simulation predicted, and the simulation changes nothing", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, change, async (world, change) => {
        const lived = await live(world)
        const { apply, request } = requestOf(lived, change)
        const before = await readAll(lived)
        const rows = await rowDigests(plane)
        const response = await lived.owner.call("POST", "/v1/assignments/simulate", request)
        expect([response.status, response.text]).toEqual([200, response.text])
        expect(await rowDigests(plane)).toEqual(rows)
        const simulation = response.body.simulation as Assignments.Simulation
        const done = await apply()
        expect([200, 201, 204]).toContain(done.status)
        const isNew = done.status === 201 ? done.body.item.id : undefined
        const after = await readAll(lived)
        const sideOf = ({ explanation, mode, pinnedDigest }: Effective) => {
          const winner = explanation?.winner ?? null
          const isCreated = winner !== null && winner.id === isNew
          return { mode, pinnedDigest, winner: isCreated ? { ...winner, id: null, createdAt: null } : winner }
        }
        const expected = lived.members.flatMap(({ membershipId }, member) =>
          lived.plugins.flatMap((pluginId, plugin) => {
            const [was, is] = [before[member]?.[plugin], after[member]?.[plugin]]
            if (was === undefined || is === undefined) throw new Error("A member has no decision.")
            return was.mode === is.mode
              ? []
              : [{ orgMembershipId: membershipId, pluginId, before: sideOf(was), after: sideOf(is) }]
          })
        )
        // The owner has decisions too, and is not in the model.
        const { changes } = simulation
        expect(changes.filter(({ orgMembershipId }) => orgMembershipId !== lived.owner.membershipId)).toEqual(expected)
        expect(simulation).toMatchObject({
          changeCount: changes.length,
          memberCount: new Set(changes.map(({ orgMembershipId }) => orgMembershipId)).size,
          truncated: false
        })
        for (const { after, before, changeCount } of simulation.modes) {
          const same = changes.filter((one) => one.before.mode === before && one.after.mode === after)
          expect(same).toHaveLength(changeCount)
        }
        seen.simulated += 1
        seen.changes += changes.length
      }),
      { numRuns: 25 }
    )
    expect(seen.simulated).toBe(25)
    expect(seen.changes).toBeGreaterThan(10)
  })
})

/** The number of SQL statements of a service call. */
const statementsOf = <A, E>(use: (service: typeof AssignmentsService.Service) => Effect.Effect<A, E>) =>
  counted(plane, Effect.flatMap(AssignmentsService, use).pipe(Effect.provide(Layer.fresh(AssignmentsService.layer))))

/** An organization with this many members, and a marketplace with this many plugins. */
const filled = async (members: number, plugins: number) => {
  const owner = await makeWorkspace(plane)
  const org = owner.organizationId
  const marketplaceId = await makeMarketplace(plane, owner)
  const at = org.slice(4, 24)
  const id = (prefix: string) => `'${prefix}_${at}' || lpad(i::text, 6, '0')`
  await runSql(plane, (sql) =>
    Effect.gen(function* () {
      yield* sql`INSERT INTO users (id, created_at, updated_at)
        SELECT ${sql.literal(id("usr"))}, now(), now() FROM generate_series(1, ${members}::int) i`
      yield* sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        SELECT ${org}, ${sql.literal(id("om"))}, ${sql.literal(id("usr"))}, 'member', now(), now()
        FROM generate_series(1, ${members}::int) i`
      yield* sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
        SELECT ${org}, ${sql.literal(id("plg"))}, 'Plugin ' || i, now(), now()
        FROM generate_series(1, ${plugins}::int) i`
      yield* sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        SELECT ${org}, ${sql.literal(id("mkp"))}, ${marketplaceId}, ${sql.literal(id("plg"))}, now()
        FROM generate_series(1, ${plugins}::int) i`
    })
  )
  return { owner, marketplaceId: marketplaceId as Id<"mkt"> }
}

describe("assignments of a large organization", () => {
  it("are resolved in two statements, for a thousand assignments as for none", { timeout: 240_000 }, async () => {
    for (const count of [0, 10, 1000]) {
      const { marketplaceId, owner } = await filled(1, 120)
      await runSql(
        plane,
        (sql) => sql`INSERT INTO assignments (organization_id, id, marketplace_id, mode, priority, for_organization,
            created_at, updated_at)
          SELECT ${owner.organizationId}, 'asg_' || lpad(i::text, 26, '0'), ${marketplaceId}, 'required', i, true, now(),
            now()
          FROM generate_series(1, ${count}::int) i`
      )
      const { count: statements, response } = await statementsOf((service) =>
        service.own(memberOf(owner, "assignments:read"), { explain: "true", limit: 100 })
      )
      expect([count, statements]).toEqual([count, 2])
      expect(response.items).toHaveLength(count === 0 ? 0 : 100)
      if (count > 0)
        expect(response.items[0]?.explanation).toMatchObject({ loserCount: count - 1, winner: { priority: count } })
    }
  })

  it("are simulated with exact counts and one read per 2000 members", { timeout: 240_000 }, async () => {
    const { marketplaceId, owner } = await filled(4500, 300)
    const { count, response } = await statementsOf((service) =>
      service.simulate(memberOf(owner, "assignments:read", "marketplaces:manage"), {
        create: { marketplaceId, mode: "required" }
      })
    )
    expect(response.simulation).toMatchObject({
      memberCount: 4501,
      changeCount: 4501 * 300,
      modes: [{ before: "available", after: "required", changeCount: 4501 * 300 }],
      truncated: true
    })
    expect(response.simulation.changes).toHaveLength(500)
    // The checks of the marketplace and of the quota, the assignments, their teams, the plugins, and three reads of
    // members.
    expect(count).toBe(8)
  })
})
