/**
 * A changing organization: users, teams and keys come and go; objects are shared, unshared, nested and removed with
 * the server's own statements. Beside it, the access rule of the API contract, computed without a database.
 */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import * as access from "../../src/identity/access/repo.ts"
import * as keys from "../../src/identity/api-keys/repo.ts"
import * as objects from "../../src/content/config-objects/object-repo.ts"
import {
  grantPrefixes,
  objectTables,
  type GrantedKind,
  levels,
  managePermissions
} from "../../src/identity/grants/index.ts"
import { makeId } from "../../src/infra/ids.ts"
import { endMembership } from "../../src/identity/members/end.ts"
import * as marketplaces from "../../src/content/marketplaces/repo.ts"
import * as members from "../../src/identity/members/repo.ts"
import * as plugins from "../../src/content/plugins/repo.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import * as teams from "../../src/identity/teams/repo.ts"

export const kinds = [
  "configObject",
  "plugin",
  "marketplace",
  "connectorInstance",
  "mcpConnection",
  "llmProvider"
] as const satisfies Array<GrantedKind>
const counts = {
  configObject: 8,
  plugin: 6,
  marketplace: 4,
  connectorInstance: 2,
  mcpConnection: 2,
  llmProvider: 2
} as const
const prefixes = {
  configObject: "cob",
  plugin: "plg",
  marketplace: "mkt",
  connectorInstance: "cin",
  mcpConnection: "emc",
  llmProvider: "llm"
} as const
type Role = keyof typeof levels

/** Numbers determined by a seed (mulberry32). */
export const makeRandom = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number) => Math.floor(next() * count)
  const of = <A>(all: ReadonlyArray<A>): A => {
    const one = all[below(all.length)]
    if (one === undefined) throw new Error("There is nothing to choose from.")
    return one
  }
  return { below, of, chance: (part: number) => next() < part }
}
export type Random = ReturnType<typeof makeRandom>

interface Person {
  readonly userId: Id<"usr">
  membershipId: Id<"om">
  role: string
  isThere: boolean
}
interface Team {
  readonly id: Id<"tem">
  readonly in: Set<Id<"om">>
  isThere: boolean
}
interface Key {
  readonly id: Id<"key">
  readonly permissions: ReadonlySet<Permission>
  isThere: boolean
}
interface Grant {
  readonly kind: GrantedKind
  readonly objectId: string
  readonly receiver: string
  role: Role
  isLive: boolean
}

export interface World {
  readonly organizationId: Id<"org">
  readonly people: ReadonlyArray<Person>
  readonly teams: ReadonlyArray<Team>
  readonly keys: ReadonlyArray<Key>
  /** Oldest first, in the order of their ids. */
  readonly ids: Readonly<Record<GrantedKind, ReadonlyArray<string>>>
  readonly gone: Set<string>
  readonly archived: Set<string>
  /** The contents of marketplaces and plugins: `container content`. */
  readonly held: Set<string>
  readonly grants: Map<string, Grant>
}

/** The level of a principal on an object, according to the contract. */
export const levelIn = (world: World, who: Member, kind: GrantedKind, id: string): number => {
  const level = grantedIn(world, who, kind, id)
  const isManager = who.isAdmin || (who.principal.kind === "key" && who.permissions.has(managePermissions[kind]))
  return isManager && !world.gone.has(id) && world.ids[kind].includes(id) ? levels.manager : level
}

/** By grants alone. */
const grantedIn = (world: World, who: Member, kind: GrantedKind, id: string): number => {
  if (world.gone.has(id) || !world.ids[kind].includes(id)) return 0
  const { principal } = who
  const self = principal.kind === "session" ? principal.membershipId : principal.keyId
  const names = new Set([
    "",
    self,
    ...world.teams
      .filter((team) => team.isThere && principal.kind === "session" && team.in.has(principal.membershipId))
      .map((team) => team.id as string)
  ])
  const own = [...world.grants.values()]
    .filter((grant) => grant.isLive && grant.objectId === id && names.has(grant.receiver))
    .map((grant) => levels[grant.role])
  const container = { configObject: "plugin", plugin: "marketplace" } as const
  const through =
    kind === "configObject" || kind === "plugin"
      ? world.ids[container[kind]].filter(
          (holder) =>
            world.held.has(`${holder} ${id}`) &&
            !world.archived.has(holder) &&
            grantedIn(world, who, container[kind], holder) > 0
        )
      : []
  return Math.max(0, through.length > 0 ? levels.viewer : 0, ...own)
}

const noRequest = {} as never

/** All principals that can make requests now. */
export const callers = (world: World): ReadonlyArray<Member> => {
  const common = {
    organizationId: world.organizationId,
    isOwner: false,
    provisional: false,
    hasManagedObjects: false,
    plan: "enterprise"
  }
  const people = world.people
    .filter((person) => person.isThere)
    .map(({ membershipId, role, userId }): Member => ({
      ...common,
      kind: "member",
      principal: { kind: "session", sessionId: null, userId, membershipId },
      isAdmin: role === "admin",
      permissions: new Set(),
      request: noRequest
    }))
  const byKey = world.keys
    .filter((key) => key.isThere)
    .map(({ id, permissions }): Member => ({
      ...common,
      kind: "member",
      principal: { kind: "key", keyId: id },
      isAdmin: false,
      permissions,
      request: noRequest
    }))
  return [...people, ...byKey]
}

/** A new organization without grants. */
export const makeWorld = Effect.fnUntraced(function* (sql: Sql, random: Random) {
  const organizationId = makeId("org")
  const ids = {
    configObject: Array.from({ length: counts.configObject }, () => makeId(prefixes.configObject)),
    plugin: Array.from({ length: counts.plugin }, () => makeId(prefixes.plugin)),
    marketplace: Array.from({ length: counts.marketplace }, () => makeId(prefixes.marketplace)),
    connectorInstance: Array.from({ length: counts.connectorInstance }, () => makeId(prefixes.connectorInstance)),
    mcpConnection: Array.from({ length: counts.mcpConnection }, () => makeId(prefixes.mcpConnection)),
    llmProvider: Array.from({ length: counts.llmProvider }, () => makeId(prefixes.llmProvider))
  }
  yield* sql`INSERT INTO organizations (id, name, plan, created_at, updated_at)
    VALUES (${organizationId}, 'A world', 'enterprise', now(), now())`
  const people: Array<Person> = []
  for (const role of ["member", "member", makeId("rol"), "member", "admin"]) {
    const person: Person = { userId: makeId("usr"), membershipId: makeId("om"), role, isThere: true }
    yield* members.createUser(sql, person.userId, "A person")
    yield* members.create(sql, organizationId, { id: person.membershipId, userId: person.userId, role })
    people.push(person)
  }
  const newTeams: Array<Team> = []
  for (let count = 0; count < 3; count += 1) {
    const team: Team = { id: makeId("tem"), in: new Set(), isThere: true }
    yield* teams.create(sql, organizationId, { id: team.id, name: team.id, description: null })
    newTeams.push(team)
  }
  const permissions: ReadonlyArray<ReadonlyArray<Permission>> = [
    ["plugins:read"],
    ["plugins:read", "plugins:manage"],
    [random.of(["configObjects:manage", "marketplaces:manage", "connectors:manage", "llmProviders:manage"])]
  ]
  const ownKeys: Array<Key> = []
  for (const held of permissions) {
    const id = makeId("key")
    const digest = new TextEncoder().encode(id)
    const limits = { requestsPerMinute: 60, expiresAt: null, createdBy: null }
    yield* keys.create(sql, organizationId, { id, name: "A key", hint: "x", digest, permissions: held, ...limits })
    ownKeys.push({ id, permissions: new Set(held), isThere: true })
  }
  for (const id of ids.connectorInstance) {
    yield* sql`INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name,
        status, repository_full_name, created_at, updated_at)
      VALUES (${organizationId}, ${id}, 'cac_x', 'git', ${id}, ${id}, 'active', 'a/b', now(), now())`
  }
  for (const id of ids.mcpConnection) {
    yield* sql`INSERT INTO mcp_connections (organization_id, id, name, url, url_key, auth_type, credential_mode,
        created_at, updated_at)
      VALUES (${organizationId}, ${id}, ${id}, 'https://mcp.example', 'https://mcp.example', 'none', 'shared', now(), now())`
  }
  for (const id of ids.llmProvider) {
    yield* sql`INSERT INTO llm_providers (organization_id, id, name, provider_id, api_format, base_url, env_json,
        credential_mode, headers_json, options_json, created_at, updated_at)
      VALUES (${organizationId}, ${id}, ${id}, 'custom', 'openai_compatible', 'https://llm.example/v1', '[]', 'none',
        '{}', '{}', now(), now())`
  }
  for (const id of ids.configObject) {
    yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at,
        updated_at) VALUES (${organizationId}, ${id}, 'skill', 'cloud', 'active', ${id}, now(), now())`
  }
  for (const kind of ["plugin", "marketplace"] as const) {
    for (const id of ids[kind]) {
      yield* sql`INSERT INTO ${sql(objectTables[kind].table)} (organization_id, id, name, created_at, updated_at)
        VALUES (${organizationId}, ${id}, ${id}, now(), now())`
    }
  }
  const world: World = {
    organizationId,
    people,
    teams: newTeams,
    keys: ownKeys,
    ids,
    gone: new Set(),
    archived: new Set(),
    held: new Set(),
    grants: new Map()
  }
  return world
})

const endGrants = (world: World, ends: (grant: Grant) => boolean) => {
  for (const grant of world.grants.values()) if (ends(grant)) grant.isLive = false
}

/** One change, in the database and in the model. Returns its description. */
export const happen = Effect.fnUntraced(function* (sql: Sql, world: World, random: Random) {
  const organization = world.organizationId
  const what = random.below(100)
  const kind = random.of(kinds)
  const objectId = random.of(world.ids[kind])
  if (what < 45) {
    const to = random.below(10)
    const person = random.of(world.people)
    const team = random.of(world.teams)
    const key = random.of(world.keys)
    const receiver =
      to < 5 && person.isThere
        ? { membershipId: person.membershipId, teamId: null, orgWide: false }
        : to < 8 && team.isThere
          ? { membershipId: null, teamId: team.id, orgWide: false }
          : to === 8 && key.isThere
            ? { membershipId: null, teamId: null, orgWide: false, keyId: key.id }
            : { membershipId: null, teamId: null, orgWide: true }
    const name = receiver.membershipId ?? receiver.teamId ?? ("keyId" in receiver ? receiver.keyId : "")
    const role = random.of<Role>(["viewer", "editor", "manager"])
    // Removed objects cannot be granted: the service checks first.
    if (world.gone.has(objectId)) return "nothing"
    yield* access.put(sql, organization, kind, objectId, makeId(grantPrefixes[kind]), receiver, role, null)
    world.grants.set(`${objectId} ${name}`, { kind, objectId, receiver: name, role, isLive: true })
    return `${role} of ${objectId} to «${name}»`
  }
  if (what < 58) {
    const live = [...world.grants.values()].filter((grant) => grant.isLive)
    if (live.length === 0) return "nothing"
    const grant = random.of(live)
    const [row] = yield* sql<{ id: string }>`SELECT id FROM grants
      WHERE organization_id = ${organization} AND object_id = ${grant.objectId} AND receiver = ${grant.receiver}`
    yield* access.revoke(sql, organization, grant.kind, grant.objectId, row?.id ?? "")
    grant.isLive = false
    return `revoke ${grant.objectId} of «${grant.receiver}»`
  }
  if (what < 68) {
    const person = random.of(world.people)
    const team = random.of(world.teams)
    if (!person.isThere || !team.isThere) return "nothing"
    if (team.in.delete(person.membershipId)) {
      yield* teams.removeMember(sql, organization, team.id, person.membershipId)
      return `${person.membershipId} out of ${team.id}`
    }
    yield* teams.addMember(sql, organization, team.id, person.membershipId)
    team.in.add(person.membershipId)
    return `${person.membershipId} into ${team.id}`
  }
  if (what < 90) {
    const isPlugin = random.chance(0.6)
    const container = random.of(isPlugin ? world.ids.plugin : world.ids.marketplace)
    const content = random.of(isPlugin ? world.ids.configObject : world.ids.plugin)
    const table = isPlugin ? "plugin_memberships" : "marketplace_memberships"
    const [holder, inside] = isPlugin ? ["plugin_id", "config_object_id"] : ["marketplace_id", "plugin_id"]
    const place = `${container} ${content}`
    if (world.held.delete(place)) {
      yield* sql`UPDATE ${sql(table)} SET removed_at = now() WHERE organization_id = ${organization}
        AND ${sql(holder ?? "")} = ${container} AND ${sql(inside ?? "")} = ${content} AND removed_at IS NULL`
      return `take ${content} out of ${container}`
    }
    yield* sql`INSERT INTO ${sql(table)} (organization_id, id, ${sql(holder ?? "")}, ${sql(inside ?? "")}, created_at)
      VALUES (${organization}, ${makeId(isPlugin ? "pco" : "mkp")}, ${container}, ${content}, now())`
    world.held.add(place)
    return `put ${content} into ${container}`
  }
  if (what < 92) {
    if (world.gone.has(objectId)) return "nothing"
    const { end, table } = objectTables[kind]
    yield* sql`UPDATE ${sql(table)} SET ${sql(end)} = now() WHERE organization_id = ${organization} AND id = ${objectId}`
    world.gone.add(objectId)
    // A removed container with leftover grants shows nothing.
    if (random.chance(0.5)) {
      yield* access.endAll(sql, organization, kind, [objectId])
      endGrants(world, (grant) => grant.objectId === objectId)
    }
    return `remove ${objectId}`
  }
  if (what < 95) {
    const kind = random.of(["configObject", "plugin", "marketplace"] as const)
    const object = random.of(world.ids[kind])
    const isArchived = world.archived.delete(object)
    if (!isArchived) world.archived.add(object)
    if (kind === "configObject") yield* objects.setArchived(sql, organization, object as Id<"cob">, !isArchived)
    if (kind === "plugin") yield* plugins.setArchived(sql, organization, object as Id<"plg">, !isArchived)
    if (kind === "marketplace") yield* marketplaces.setArchived(sql, organization, object as Id<"mkt">, !isArchived)
    return `${isArchived ? "restore" : "archive"} ${object}`
  }
  if (what < 97) {
    const person = random.of(world.people)
    if (!person.isThere) {
      person.membershipId = makeId("om")
      yield* members.create(sql, organization, { id: person.membershipId, userId: person.userId, role: person.role })
      person.isThere = true
      return `${person.membershipId} comes back`
    }
    const { membershipId } = person
    yield* endMembership(sql, organization, membershipId)
    person.isThere = false
    for (const team of world.teams) team.in.delete(membershipId)
    endGrants(world, (grant) => grant.receiver === membershipId)
    return `${membershipId} goes`
  }
  if (what < 98) {
    const team = random.of(world.teams)
    if (!team.isThere) return "nothing"
    yield* teams.remove(sql, organization, team.id)
    team.isThere = false
    endGrants(world, (grant) => grant.receiver === team.id)
    return `team ${team.id} goes`
  }
  const key = random.of(world.keys)
  if (!key.isThere || what === 98) return "nothing"
  yield* keys.revoke(sql, organization, key.id)
  key.isThere = false
  endGrants(world, (grant) => grant.receiver === key.id)
  return `key ${key.id} goes`
})
