import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { makeId } from "../../src/infra/ids.ts"
import { type GrantedKind, levels } from "../../src/identity/grants/index.ts"
import { type Sql, SqlDatabase } from "../../src/infra/sql/client.ts"
import { addMember, makeWorkspace, type TestPlane, withServices, type Workspace } from "../harness.ts"

export type Role = keyof typeof levels

/** Who can access what, by number: members, teams and objects are identified by their positions in lists. */
export interface Graph {
  readonly teams: ReadonlyArray<ReadonlyArray<number>>
  readonly marketplaces: ReadonlyArray<ReadonlyArray<number>>
  readonly plugins: ReadonlyArray<ReadonlyArray<number>>
  readonly grants: ReadonlyArray<{
    readonly kind: GrantedKind
    readonly object: number
    readonly receiver: { readonly member: number } | { readonly team: number } | "everybody"
    readonly role: Role
    readonly revoked: boolean
  }>
  readonly gone: { readonly marketplace: number | null; readonly plugin: number | null; readonly object: number | null }
  /** These exist but do not show their contents. */
  readonly archived: { readonly marketplace: number | null; readonly plugin: number | null }
}

export const sizes = {
  members: 3,
  teams: 2,
  marketplaces: 3,
  plugins: 4,
  objects: 4,
  instances: 2,
  connections: 2,
  providers: 2
} as const

const place = (size: number) => fc.nat({ max: size - 1 })
const places = (size: number) => fc.uniqueArray(place(size), { maxLength: size })
const counts: Record<GrantedKind, number> = {
  connectorInstance: sizes.instances,
  configObject: sizes.objects,
  plugin: sizes.plugins,
  marketplace: sizes.marketplaces,
  mcpConnection: sizes.connections,
  llmProvider: sizes.providers
}

const grant = fc
  .constantFrom<GrantedKind>(
    "connectorInstance",
    "mcpConnection",
    "llmProvider",
    "configObject",
    "plugin",
    "plugin",
    "marketplace",
    "marketplace"
  )
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      object: place(counts[kind]),
      receiver: fc.oneof(
        fc.record({ member: place(sizes.members) }),
        fc.record({ team: place(sizes.teams) }),
        fc.constant("everybody" as const)
      ),
      role: fc.constantFrom<Role>("viewer", "editor", "manager"),
      revoked: fc.nat({ max: 4 }).map((number) => number === 0)
    })
  )

export const graphs: fc.Arbitrary<Graph> = fc.record({
  teams: fc.array(places(sizes.members), { minLength: sizes.teams, maxLength: sizes.teams }),
  marketplaces: fc.array(places(sizes.plugins), { minLength: sizes.marketplaces, maxLength: sizes.marketplaces }),
  plugins: fc.array(places(sizes.objects), { minLength: sizes.plugins, maxLength: sizes.plugins }),
  grants: fc.uniqueArray(grant, {
    maxLength: 10,
    selector: ({ kind, object, receiver }) => JSON.stringify([kind, object, receiver])
  }),
  gone: fc.record({
    marketplace: fc.option(place(sizes.marketplaces), { freq: 2 }),
    plugin: fc.option(place(sizes.plugins), { freq: 2 }),
    object: fc.option(place(sizes.objects), { freq: 2 })
  }),
  archived: fc.record({
    marketplace: fc.option(place(sizes.marketplaces), { freq: 2 }),
    plugin: fc.option(place(sizes.plugins), { freq: 2 })
  })
})

/** The access rule of the API contract, computed without a database. */
export const bruteLevel = (
  graph: Graph,
  member: number,
  kind: GrantedKind,
  object: number,
  without?: Graph["grants"][number]
): number => {
  const reaches = (kind: GrantedKind, object: number) =>
    Math.max(
      0,
      ...graph.grants
        .filter(
          (grant) =>
            !grant.revoked &&
            grant !== without &&
            grant.kind === kind &&
            grant.object === object &&
            (grant.receiver === "everybody" ||
              ("member" in grant.receiver
                ? grant.receiver.member === member
                : graph.teams[grant.receiver.team]?.includes(member) === true))
        )
        .map((grant) => levels[grant.role])
    )
  const held = (sets: ReadonlyArray<ReadonlyArray<number>>, item: number, kind: "marketplace" | "plugin") =>
    sets.flatMap((items, index) =>
      items.includes(item) && index !== graph.gone[kind] && index !== graph.archived[kind] ? [index] : []
    )
  const viaMarketplace = (plugin: number) =>
    held(graph.marketplaces, plugin, "marketplace").some((index) => reaches("marketplace", index) > 0) ? 1 : 0
  const direct = reaches(kind, object)
  if (kind === "plugin") return Math.max(direct, viaMarketplace(object))
  if (kind === "configObject") {
    const plugins = held(graph.plugins, object, "plugin")
    const shown = plugins.some((plugin) => reaches("plugin", plugin) > 0 || viaMarketplace(plugin) > 0)
    return Math.max(direct, shown ? 1 : 0)
  }
  return direct
}

export const isGone = (graph: Graph, kind: GrantedKind, object: number) =>
  (kind === "marketplace" && graph.gone.marketplace === object) ||
  (kind === "plugin" && graph.gone.plugin === object) ||
  (kind === "configObject" && graph.gone.object === object)

export const isArchived = (graph: Graph, kind: GrantedKind, object: number) =>
  (kind === "marketplace" && graph.archived.marketplace === object) ||
  (kind === "plugin" && graph.archived.plugin === object)

export interface Placed {
  readonly members: ReadonlyArray<Workspace>
  readonly owner: Workspace
  readonly ids: Readonly<Record<GrantedKind, ReadonlyArray<string>>>
  readonly teams: ReadonlyArray<Id<"tem">>
  /** By position in the graph. */
  readonly grants: ReadonlyArray<string>
}

const grantPrefix = {
  connectorInstance: "cia",
  configObject: "coa",
  plugin: "pag",
  marketplace: "mag",
  mcpConnection: "emg",
  llmProvider: "lla"
} as const

/** An LLM provider that no test calls. */
export const putProvider = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql`INSERT INTO llm_providers (organization_id, id, name, provider_id, api_format, base_url, env_json,
      credential_mode, headers_json, options_json, created_at, updated_at)
    VALUES (${organizationId}, ${id}, ${id}, 'custom', 'openai_compatible', 'https://llm.example/v1', '[]', 'none', '{}',
      '{}', now(), now())`

/** Stores the graph as rows of its own organization. */
export const putGraph = async (plane: TestPlane, graph: Graph): Promise<Placed> => {
  const owner = await makeWorkspace(plane)
  const organizationId = owner.organizationId as Id<"org">
  const members: Array<Workspace> = []
  for (let index = 0; index < sizes.members; index++) members.push(await addMember(plane, owner, "member"))
  const list = <A>(length: number, make: (index: number) => A) => Array.from({ length }, (_, index) => make(index))
  const ids = {
    connectorInstance: list(sizes.instances, () => makeId("cin")),
    configObject: list(sizes.objects, () => makeId("cob")),
    plugin: list(sizes.plugins, () => makeId("plg")),
    marketplace: list(sizes.marketplaces, () => makeId("mkt")),
    mcpConnection: list(sizes.connections, () => makeId("emc")),
    llmProvider: list(sizes.providers, () => makeId("llm"))
  }
  const teams = list(sizes.teams, () => makeId("tem"))
  const grants = graph.grants.map((grant) => makeId(grantPrefix[grant.kind]))
  await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const account = makeId("cac")
      yield* sql`INSERT INTO connector_accounts (organization_id, id, adapter, remote_id, name, created_at, updated_at)
        VALUES (${organizationId}, ${account}, 'git', 'git:test', 'Test', now(), now())`
      for (const id of ids.connectorInstance) {
        yield* sql`INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name,
            status, repository_full_name, created_at, updated_at)
          VALUES (${organizationId}, ${id}, ${account}, 'git', ${id}, ${id}, 'active', 'a/b', now(), now())`
      }
      for (const id of ids.mcpConnection) {
        yield* sql`INSERT INTO mcp_connections (organization_id, id, name, url, url_key, auth_type, credential_mode,
            created_at, updated_at)
          VALUES (${organizationId}, ${id}, ${id}, 'https://mcp.example', 'https://mcp.example', 'none', 'shared', now(),
            now())`
      }
      for (const id of ids.llmProvider) yield* putProvider(sql, organizationId, id)
      for (const [index, id] of ids.configObject.entries()) {
        yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at,
            updated_at, deleted_at)
          VALUES (${organizationId}, ${id}, 'skill', 'cloud', 'active', ${`Object ${index}`}, now(), now(),
            ${isGone(graph, "configObject", index) ? new Date() : null})`
      }
      for (const [index, id] of ids.plugin.entries()) {
        yield* sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at, deleted_at, archived_at)
          VALUES (${organizationId}, ${id}, ${`Plugin ${index}`}, now(), now(),
            ${isGone(graph, "plugin", index) ? new Date() : null},
            ${graph.archived.plugin === index ? new Date() : null})`
      }
      for (const [index, id] of ids.marketplace.entries()) {
        yield* sql`INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at, deleted_at, archived_at)
          VALUES (${organizationId}, ${id}, ${`Marketplace ${index}`}, now(), now(),
            ${isGone(graph, "marketplace", index) ? new Date() : null},
            ${graph.archived.marketplace === index ? new Date() : null})`
      }
      for (const [index, id] of teams.entries()) {
        yield* sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
          VALUES (${organizationId}, ${id}, ${`Team ${index}`}, now(), now())`
        for (const member of graph.teams[index] ?? []) {
          yield* sql`INSERT INTO team_members (organization_id, team_id, membership_id)
            VALUES (${organizationId}, ${id}, ${members[member]?.membershipId ?? ""})`
        }
      }
      for (const [index, plugins] of graph.marketplaces.entries()) {
        for (const plugin of plugins) {
          yield* sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
            VALUES (${organizationId}, ${makeId("mkp")}, ${ids.marketplace[index] ?? ""}, ${ids.plugin[plugin] ?? ""}, now())`
        }
      }
      for (const [index, objects] of graph.plugins.entries()) {
        for (const object of objects) {
          yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
            VALUES (${organizationId}, ${makeId("pco")}, ${ids.plugin[index] ?? ""}, ${ids.configObject[object] ?? ""}, now())`
        }
      }
      for (const [index, grant] of graph.grants.entries()) {
        const { receiver } = grant
        yield* sql`INSERT INTO grants (organization_id, id, object_kind, object_id, membership_id, team_id, org_wide, role,
            created_at, removed_at)
          VALUES (${organizationId}, ${grants[index] ?? ""}, ${grant.kind}, ${ids[grant.kind][grant.object] ?? ""},
            ${receiver !== "everybody" && "member" in receiver ? (members[receiver.member]?.membershipId ?? null) : null},
            ${receiver !== "everybody" && "team" in receiver ? (teams[receiver.team] ?? null) : null},
            ${receiver === "everybody"}, ${grant.role}, now(), ${grant.revoked ? new Date() : null})`
      }
    }).pipe(Effect.orDie)
  )
  return { members, owner, ids, teams, grants }
}

/** All objects of a graph. */
export const objectsOf = (placed: Placed) =>
  (Object.keys(placed.ids) as ReadonlyArray<GrantedKind>).flatMap((kind) =>
    placed.ids[kind].map((id, index) => ({ kind, id, index }))
  )
