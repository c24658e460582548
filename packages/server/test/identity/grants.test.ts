/** Visibility in random organizations, compared with a model without SQL. */
import type { Prefix } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  makeConnector,
  makeControlPlane,
  makeMarketplace,
  makeTeam,
  makeWorkspace,
  withServices,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })

const kinds = ["configObject", "plugin", "marketplace", "connectorInstance"] as const
type Kind = (typeof kinds)[number]
const paths: Record<Kind, string> = {
  configObject: "/v1/config-objects",
  plugin: "/v1/plugins",
  marketplace: "/v1/marketplaces",
  connectorInstance: "/v1/connector-instances"
}
const grantPrefixes = { configObject: "coa", plugin: "pag", marketplace: "mag", connectorInstance: "cia" } as const
const sizes: Record<Kind, number> = { configObject: 6, plugin: 5, marketplace: 3, connectorInstance: 2 }
const memberCount = 4
const teamCount = 3
const ranks = { viewer: 1, editor: 2, manager: 3 } as const
type Role = keyof typeof ranks

/** The container of an object, and whether it was removed from it. */
interface Place {
  readonly in: number
  readonly what: number
  readonly removed: boolean
}
type Receiver = { readonly member: number } | { readonly team: number } | { readonly orgWide: true }
interface Deed {
  readonly kind: Kind
  readonly at: number
  readonly receiver: Receiver
  readonly role: Role
  readonly revoked: boolean
}
interface Graph {
  readonly teams: ReadonlyArray<readonly [team: number, member: number]>
  /** The member who creates it, or the owner. */
  readonly makers: { readonly plugin: ReadonlyArray<number>; readonly configObject: ReadonlyArray<number> }
  readonly inPlugins: ReadonlyArray<Place>
  readonly inMarketplaces: ReadonlyArray<Place>
  /** In order: a later one changes, restores or revokes an earlier one. */
  readonly deeds: ReadonlyArray<Deed>
  readonly gone: Readonly<Record<"configObject" | "plugin" | "marketplace", ReadonlyArray<number>>>
  readonly archived: ReadonlyArray<number>
}

const below = (count: number) => fc.nat({ max: count - 1 })
const places = (containers: number, contents: number, maxLength: number) =>
  fc.uniqueArray(fc.record({ in: below(containers), what: below(contents), removed: fc.boolean() }), {
    maxLength,
    selector: (place) => `${place.in} ${place.what}`
  })
const maker = fc.integer({ min: -1, max: memberCount - 1 })

const graphs: fc.Arbitrary<Graph> = fc.record({
  teams: fc.uniqueArray(fc.tuple(below(teamCount), below(memberCount)), { maxLength: 6, selector: String }),
  makers: fc.record({
    plugin: fc.array(maker, { minLength: sizes.plugin, maxLength: sizes.plugin }),
    configObject: fc.array(maker, { minLength: sizes.configObject, maxLength: sizes.configObject })
  }),
  inPlugins: places(sizes.plugin, sizes.configObject, 12),
  inMarketplaces: places(sizes.marketplace, sizes.plugin, 8),
  deeds: fc.array(
    fc.constantFrom(...kinds).chain((kind) =>
      fc.record({
        kind: fc.constant(kind),
        at: below(sizes[kind]),
        receiver: fc.oneof(
          fc.record({ member: below(memberCount) }),
          fc.record({ team: below(teamCount) }),
          fc.constant({ orgWide: true as const })
        ),
        role: fc.constantFrom<Role>("viewer", "editor", "manager"),
        revoked: fc.boolean()
      })
    ),
    { maxLength: 16 }
  ),
  gone: fc.record({
    configObject: fc.uniqueArray(below(sizes.configObject), { maxLength: 1 }),
    plugin: fc.uniqueArray(below(sizes.plugin), { maxLength: 1 }),
    marketplace: fc.uniqueArray(below(sizes.marketplace), { maxLength: 1 })
  }),
  archived: fc.uniqueArray(below(sizes.configObject), { maxLength: 1 })
})

/** The level of each member on each object, according to the contract. */
const model = (graph: Graph) => {
  const live = new Map<string, Deed>()
  for (const [kind, makers] of Object.entries(graph.makers) as ReadonlyArray<[Kind, ReadonlyArray<number>]>) {
    for (const [at, member] of makers.entries()) {
      const receiver = { member }
      if (member >= 0) {
        live.set(JSON.stringify([kind, at, receiver]), { kind, at, receiver, role: "manager", revoked: false })
      }
    }
  }
  for (const deed of graph.deeds) live.set(JSON.stringify([deed.kind, deed.at, deed.receiver]), deed)
  const isGone = (kind: Kind, at: number) => kind !== "connectorInstance" && graph.gone[kind].includes(at)
  const names = (receiver: Receiver, member: number) =>
    "orgWide" in receiver ||
    ("member" in receiver
      ? receiver.member === member
      : graph.teams.some(([team, of]) => team === receiver.team && of === member))
  const direct = (member: number, kind: Kind, at: number): number =>
    isGone(kind, at)
      ? 0
      : Math.max(
          0,
          ...[...live.values()]
            .filter((deed) => deed.kind === kind && deed.at === at && !deed.revoked && names(deed.receiver, member))
            .map(({ role }) => ranks[role])
        )
  const through = (inside: ReadonlyArray<Place>, what: number, sees: (container: number) => boolean) =>
    inside.some((place) => place.what === what && !place.removed && sees(place.in)) ? ranks.viewer : 0
  const levelOf = (member: number, kind: Kind, at: number): number => {
    if (isGone(kind, at)) return 0
    const own = direct(member, kind, at)
    if (kind === "plugin") {
      const sees = (marketplace: number) => levelOf(member, "marketplace", marketplace) > 0
      return Math.max(own, through(graph.inMarketplaces, at, sees))
    }
    if (kind === "configObject") {
      const sees = (plugin: number) => levelOf(member, "plugin", plugin) > 0
      return Math.max(own, through(graph.inPlugins, at, sees))
    }
    return own
  }
  return { levelOf, isGone }
}

const build = async (graph: Graph) => {
  const owner = await makeWorkspace(plane, "A graph")
  const members: Array<Workspace> = []
  for (let n = 0; n < memberCount; n++) members.push(await addMember(plane, owner, "member"))
  const at = <A>(all: ReadonlyArray<A>, index: number): A => {
    const entry = all[index]
    if (entry === undefined) throw new Error(`nothing at ${index}`)
    return entry
  }
  const as = (member: number) => (member < 0 ? owner : at(members, member))
  const teams: Array<string> = []
  for (let team = 0; team < teamCount; team++) {
    const inside = graph.teams.filter(([of]) => of === team).map(([, member]) => at(members, member))
    teams.push(await makeTeam(owner, inside))
  }
  const ids: Record<Kind, Array<string>> = { configObject: [], plugin: [], marketplace: [], connectorInstance: [] }
  for (const member of graph.makers.plugin) {
    ids.plugin.push((await as(member).client.plugins.create({ name: "P" })).id)
  }
  for (const member of graph.makers.configObject) {
    const input = { type: "context", rawSourceText: "x" } as const
    ids.configObject.push((await as(member).client.configObjects.create({ input })).id)
  }
  for (let n = 0; n < sizes.marketplace; n++) ids.marketplace.push(await makeMarketplace(plane, owner))
  for (let n = 0; n < sizes.connectorInstance; n++) {
    ids.connectorInstance.push((await makeConnector(plane, owner, `Connector ${n}`)).connectorInstanceId)
  }
  const organizationId = owner.organizationId
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      for (const place of graph.inPlugins) {
        yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at, removed_at)
          VALUES (${organizationId}, ${makeId("pco")}, ${at(ids.plugin, place.in)}, ${at(ids.configObject, place.what)},
            now(), CASE WHEN ${place.removed} THEN now() END)`
      }
      for (const place of graph.inMarketplaces) {
        yield* sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at,
            removed_at)
          VALUES (${organizationId}, ${makeId("mkp")}, ${at(ids.marketplace, place.in)}, ${at(ids.plugin, place.what)},
            now(), CASE WHEN ${place.removed} THEN now() END)`
      }
    })
  )
  for (const { at: index, kind, receiver, revoked, role } of graph.deeds) {
    const path = `${paths[kind]}/${at(ids[kind], index)}/access`
    const named =
      "orgWide" in receiver
        ? receiver
        : "member" in receiver
          ? { orgMembershipId: at(members, receiver.member).membershipId }
          : { teamId: at(teams, receiver.team) }
    const granted = await owner.call("POST", path, { ...named, role })
    if (granted.status > 201) throw new Error(granted.text)
    if (revoked) await owner.call("DELETE", `${path}/${granted.body.item.id}`)
  }
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      for (const index of graph.archived) {
        yield* sql`UPDATE config_objects SET status = 'archived' WHERE id = ${at(ids.configObject, index)}`
      }
      for (const [kind, table] of [
        ["configObject", "config_objects"],
        ["plugin", "plugins"],
        ["marketplace", "marketplaces"]
      ] as const) {
        for (const index of graph.gone[kind]) {
          yield* sql`UPDATE ${sql(table)} SET deleted_at = now() WHERE id = ${at(ids[kind], index)}`
        }
      }
    })
  )
  return { owner, members, ids }
}

describe("the objects that a member sees", () => {
  let decisions = 0
  const levels = [0, 0, 0, 0]

  it("match the grants by every path in random organizations", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const { levelOf, isGone } = model(graph)
        const { ids, members, owner } = await build(graph)
        for (const [member, person] of members.entries()) {
          for (const kind of kinds) {
            const seen: Array<string> = []
            for (const [index, id] of ids[kind].entries()) {
              const level = levelOf(member, kind, index)
              const what = `member ${member} on ${kind} ${index}`
              const got = await person.call("GET", `${paths[kind]}/${id}`)
              expect([what, got.status]).toEqual([what, level === 0 ? 404 : 200])
              // An unknown grant: managers get 404, others 403.
              const grant = makeId(grantPrefixes[kind])
              const decided = await person.call("DELETE", `${paths[kind]}/${id}/access/${grant}`)
              expect([what, decided.status]).toEqual([what, level === 1 || level === 2 ? 403 : 404])
              if (level > 0) seen.push(id)
              decisions += 2
              levels[level] = (levels[level] ?? 0) + 1
            }
            const listed = await person.call(
              "GET",
              `${paths[kind]}?limit=100${kind === "configObject" ? "&archived=true" : ""}`
            )
            const listedIds = listed.body.items.map((item: { id: string }) => item.id)
            expect([kind, listedIds]).toEqual([kind, seen.sort().toReversed()])
            decisions += ids[kind].length
          }
          for (const [index, id] of ids.plugin.entries()) {
            if (levelOf(member, "plugin", index) === 0) continue
            const plugin = await person.client.plugins.get(id)
            const offered = ids.marketplace.filter(
              (_, marketplace) =>
                levelOf(member, "marketplace", marketplace) > 0 &&
                graph.inMarketplaces.some((place) => place.in === marketplace && place.what === index && !place.removed)
            )
            expect(plugin.marketplaces.map((marketplace) => marketplace.id)).toEqual(offered.sort())
            const inside = (await person.call("GET", `/v1/plugins/${id}/config-objects`)).body.items
            const expected = ids.configObject.filter(
              (_, object) =>
                !isGone("configObject", object) &&
                !graph.archived.includes(object) &&
                graph.inPlugins.some((place) => place.in === index && place.what === object && !place.removed)
            )
            expect(inside.map(({ configObjectId }: { configObjectId: string }) => configObjectId).sort()).toEqual(
              expected.sort()
            )
            decisions += 2
          }
        }
        // An owner manages everything that exists.
        for (const kind of kinds) {
          for (const [index, id] of ids[kind].entries()) {
            const got = await owner.call("GET", `${paths[kind]}/${id}`)
            expect([kind, index, got.status]).toEqual([kind, index, isGone(kind, index) ? 404 : 200])
          }
        }
      }),
      { numRuns: 5, endOnFailure: true }
    )
    expect(decisions).toBeGreaterThan(300)
    // Organizations where everyone sees everything, or nothing, would prove little.
    const [hidden = 0, ...shown] = levels
    expect(Math.min(hidden, Math.max(...shown))).toBeGreaterThan(0)
  }, 180_000)

  it("appear and disappear with each edge of the path", async () => {
    const owner = await makeWorkspace(plane, "Edges")
    const member = await addMember(plane, owner, "member")
    const plugin = await owner.client.plugins.create({ name: "P" })
    const object = await owner.client.configObjects.create({
      input: { type: "context", rawSourceText: "x" },
      pluginIds: [plugin.id]
    })
    const marketplace = await makeMarketplace(plane, owner, [plugin.id])
    const grant = await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "manager" })
    const sees = async () => (await member.call("GET", `/v1/config-objects/${object.id}`)).status === 200
    const cut = async (statement: (sql: typeof SqlDatabase.Service) => Effect.Effect<unknown, unknown>) => {
      await withServices(plane, Effect.flatMap(SqlDatabase, statement))
      return sees()
    }
    expect(await sees()).toBe(true)
    expect(
      await cut((sql) => sql`UPDATE marketplace_memberships SET removed_at = now() WHERE plugin_id = ${plugin.id}`)
    ).toBe(false)
    expect(
      await cut((sql) => sql`UPDATE marketplace_memberships SET removed_at = NULL WHERE plugin_id = ${plugin.id}`)
    ).toBe(true)
    expect(
      await cut((sql) => sql`UPDATE plugin_memberships SET removed_at = now() WHERE plugin_id = ${plugin.id}`)
    ).toBe(false)
    expect(
      await cut((sql) => sql`UPDATE plugin_memberships SET removed_at = NULL WHERE plugin_id = ${plugin.id}`)
    ).toBe(true)
    expect(await cut((sql) => sql`UPDATE plugins SET deleted_at = now() WHERE id = ${plugin.id}`)).toBe(false)
    expect(await cut((sql) => sql`UPDATE plugins SET deleted_at = NULL WHERE id = ${plugin.id}`)).toBe(true)
    expect(await cut((sql) => sql`UPDATE marketplaces SET deleted_at = now() WHERE id = ${marketplace}`)).toBe(false)
    expect(await cut((sql) => sql`UPDATE marketplaces SET deleted_at = NULL WHERE id = ${marketplace}`)).toBe(true)
    await owner.client.marketplaces.revokeAccess(marketplace, grant.id)
    expect(await sees()).toBe(false)
    const again = await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "viewer" })
    expect([again.id, await sees()]).toEqual([grant.id, true])
  })
})

describe("reading all pages", () => {
  interface Step {
    readonly limit: number
    readonly added: number
    readonly removed: ReadonlyArray<number>
  }
  const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 4 }),
      added: fc.nat({ max: 2 }),
      removed: fc.array(fc.nat({ max: 8 }), { maxLength: 2 })
    }),
    { minLength: 3, maxLength: 8 }
  )

  it("returns everything that exists throughout exactly once, newest first, despite concurrent changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("plugin" as const, "configObject" as const), steps, async (kind, script) => {
        const owner = await makeWorkspace(plane, "Pages")
        const add = async () =>
          kind === "plugin"
            ? (await owner.client.plugins.create({ name: "P" })).id
            : (await owner.client.configObjects.create({ input: { type: "context", rawSourceText: "x" } })).id
        const there: Array<string> = []
        for (let n = 0; n < 9; n++) there.push(await add())
        const removed = new Set<string>()
        const seen: Array<string> = []
        let cursor: string | null = ""
        for (let turn = 0; cursor !== null; turn++) {
          const step: Step = script[turn % script.length] ?? { limit: 1, added: 0, removed: [] }
          const page = await owner.call(
            "GET",
            `${paths[kind]}?limit=${step.limit}${cursor === "" ? "" : `&cursor=${cursor}`}`
          )
          expect(page.body.items.length).toBeLessThanOrEqual(step.limit)
          seen.push(...page.body.items.map(({ id }: { id: string }) => id))
          cursor = page.body.nextCursor
          for (let n = 0; n < step.added; n++) await add()
          for (const index of step.removed) {
            const id = there[index] ?? ""
            removed.add(id)
            const table = kind === "plugin" ? "plugins" : "config_objects"
            await withServices(
              plane,
              Effect.flatMap(SqlDatabase, (sql) => sql`UPDATE ${sql(table)} SET deleted_at = now() WHERE id = ${id}`)
            )
          }
        }
        expect(seen).toEqual([...new Set(seen)].sort().toReversed())
        const throughout = there.filter((id) => !removed.has(id))
        expect(seen.filter((id) => throughout.includes(id))).toEqual(throughout.toReversed())
      }),
      { numRuns: 8, endOnFailure: true }
    )
  }, 180_000)

  /** More plugins than are read one by one. */
  const pluginCount = 60
  it.each([
    ["among the newest", 0],
    ["after some newer objects", 300],
    ["after many newer objects", 3500]
  ])("returns the objects of a member with many plugins, all of them %s", async (_, newer) => {
    const owner = await makeWorkspace(plane, "Many plugins")
    const member = await addMember(plane, owner, "member")
    const team = await makeTeam(owner, [member])
    const made = <P extends Prefix>(prefix: P, count: number) => Array.from({ length: count }, () => makeId(prefix))
    const [plugins, inside, outside] = [made("plg", pluginCount), made("cob", pluginCount), made("cob", newer)]
    const hidden = makeId("plg")
    const held = [
      ...inside.map((object, index) => ({ plugin: plugins[index], object, id: makeId("pco") })),
      // An object in two plugins appears once.
      { plugin: plugins[0], object: inside[1], id: makeId("pco") },
      ...outside.map((object) => ({ plugin: hidden, object, id: makeId("pco") }))
    ]
    const grants = plugins.map((plugin, index) => ({
      id: makeId("pag"),
      plugin,
      member: index % 2 === 0 ? member.membershipId : null,
      team: index % 2 === 0 ? null : team
    }))
    const organization = owner.organizationId
    await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
          SELECT ${organization}, p.id, 'P', now(), now()
          FROM jsonb_array_elements_text(${sql.json([...plugins, hidden])}) p(id)`
        yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at,
            updated_at)
          SELECT ${organization}, o.id, 'skill', 'cloud', 'active', 'O', now(), now()
          FROM jsonb_array_elements_text(${sql.json([...inside, ...outside])}) o(id)`
        yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
          SELECT ${organization}, h.id, h.plugin, h.object, now()
          FROM jsonb_to_recordset(${sql.json(held)}) h(id text, plugin text, object text)`
        yield* sql`INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, team_id, org_wide,
            role, created_at)
          SELECT ${organization}, g.id, 'plugin', g.plugin, g.member, g.team, false, 'viewer', now()
          FROM jsonb_to_recordset(${sql.json(grants)}) g(id text, plugin text, member text, team text)`
      })
    )
    const walk = async (path: string) => {
      const seen: Array<string> = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = await member.call("GET", `${path}?limit=25${cursor === "" ? "" : `&cursor=${cursor}`}`)
        seen.push(...page.body.items.map(({ id }: { id: string }) => id))
        cursor = page.body.nextCursor
      }
      return seen
    }
    expect(await walk("/v1/config-objects")).toEqual(inside.toReversed())
    expect(await walk("/v1/plugins")).toEqual(plugins.toReversed())
    expect(await walk("/v1/me/library")).toEqual([...plugins.toReversed(), ...inside.toReversed()])
  })
})
