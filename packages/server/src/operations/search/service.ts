import { searchKinds, searchLimitDefault, type SearchKind, type SearchResult } from "@orgplane/schema/search"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import * as llmProviders from "../../agents/llm-providers/repo.ts"
import * as mcpConnections from "../../agents/mcp-connections/repo.ts"
import * as workers from "../../agents/workers/repo.ts"
import * as configObjects from "../../content/config-objects/repo.ts"
import * as connectors from "../../content/connectors/repo.ts"
import * as marketplaces from "../../content/marketplaces/repo.ts"
import * as plugins from "../../content/plugins/repo.ts"
import * as templates from "../../content/templates/repo.ts"
import * as desktopPolicies from "../../enterprise/desktop-policies/repo.ts"
import * as apiKeys from "../../identity/api-keys/repo.ts"
import * as members from "../../identity/members/repo.ts"
import * as roles from "../../identity/roles/repo.ts"
import * as teams from "../../identity/teams/repo.ts"
import { shortText } from "../../infra/short-text.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"

interface Match {
  readonly id: string
  readonly name: string
  readonly detail: string | null
}

/** A kind of object, with the list that its own operation returns. */
interface Searched {
  readonly permission: Permission
  readonly find: (sql: Sql, caller: Member, q: string, limit: number) => Effect.Effect<ReadonlyArray<Match>, SqlError>
}

const searched: Readonly<Record<SearchKind, Searched>> = {
  plugin: {
    permission: "plugins:read",
    find: (sql, caller, q, limit) =>
      Effect.map(plugins.list(sql, caller, { q }, null, limit), (rows) =>
        rows.map(({ description, id, name }) => ({ id, name, detail: description }))
      )
  },
  configObject: {
    permission: "configObjects:read",
    find: (sql, caller, q, limit) =>
      Effect.map(configObjects.listTitles(sql, caller, q, limit), (rows) =>
        rows.map(({ id, object_type, title }) => ({ id, name: title, detail: object_type }))
      )
  },
  marketplace: {
    permission: "marketplaces:read",
    find: (sql, caller, q, limit) =>
      Effect.map(marketplaces.list(sql, caller, { q }, null, limit), (rows) =>
        rows.map(({ description, id, name }) => ({ id, name, detail: description }))
      )
  },
  connectorInstance: {
    permission: "connectors:read",
    find: (sql, caller, q, limit) =>
      Effect.map(connectors.listInstances(sql, caller, { q }, null, limit), (rows) =>
        rows.map((row) => ({ id: row.id, name: row.name, detail: connectors.instanceToWire(caller, row).remoteId }))
      )
  },
  mcpConnection: {
    permission: "mcpConnections:read",
    find: (sql, caller, q, limit) =>
      Effect.map(mcpConnections.list(sql, caller, { q }, null, limit), (rows) =>
        rows.map(({ id, name, url }) => ({ id, name, detail: url }))
      )
  },
  member: {
    permission: "members:read",
    find: (sql, { organizationId }, q, limit) =>
      Effect.map(members.list(sql, organizationId, { q }, null, limit), (rows) =>
        rows.map(({ email, id, name }) => ({ id, name: name ?? email ?? id, detail: email }))
      )
  },
  team: {
    permission: "teams:read",
    find: (sql, { organizationId }, q, limit) =>
      Effect.map(teams.list(sql, organizationId, { q }, null, limit), (rows) =>
        rows.map(({ description, id, name }) => ({ id, name, detail: description }))
      )
  },
  template: {
    permission: "templates:read",
    find: (sql, { organizationId }, q, limit) =>
      Effect.map(templates.list(sql, organizationId, { q }, null, limit), (rows) =>
        rows.map(({ description, id, name }) => ({ id, name, detail: description }))
      )
  },
  role: {
    permission: "roles:read",
    find: (sql, { organizationId }, q, limit) =>
      Effect.map(roles.list(sql, organizationId, { q }, null, limit), (rows) =>
        rows.map(({ description, id, name }) => ({ id, name, detail: description }))
      )
  },
  apiKey: {
    permission: "apiKeys:read",
    find: (sql, { organizationId }, q, limit) =>
      // All hints begin with the same letters, so a short text would find every key by its hint.
      Effect.map(apiKeys.list(sql, organizationId, { isRevoked: false, q, isOnlyByName: true }, null, limit), (rows) =>
        rows.map(({ hint, id, name }) => ({ id, name, detail: hint }))
      )
  },
  desktopPolicy: {
    permission: "desktopPolicies:read",
    find: (sql, { organizationId }, q, limit) =>
      Effect.map(desktopPolicies.list(sql, organizationId, { q }, null, limit), (rows) =>
        rows.map(({ id, name }) => ({ id, name, detail: null }))
      )
  },
  worker: {
    permission: "workers:read",
    find: (sql, { organizationId }, q, limit) =>
      Effect.map(workers.list(sql, organizationId, { q, membershipId: null }, null, limit), (rows) =>
        rows.map(({ description, id, name }) => ({ id, name, detail: description }))
      )
  },
  llmProvider: {
    permission: "llmProviders:read",
    find: (sql, caller, q, limit) =>
      Effect.map(llmProviders.list(sql, caller, q, null, limit), (rows) =>
        rows.map(({ base_url, id, name }) => ({ id, name, detail: base_url }))
      )
  }
}

/** How well a name matches: 0 if it equals the text, 1 if it starts with it, otherwise 2. */
const rankOf = (name: string, q: string): number => {
  const [lowerName, lowerText] = [name.toLowerCase(), q.toLowerCase()]
  return lowerName === lowerText ? 0 : lowerName.startsWith(lowerText) ? 1 : 2
}

/** The lists that are read at the same time. */
const readAtOnce = 3

/** Finds objects of several kinds by name. */
export class SearchService extends Context.Service<SearchService>()("@orgplane/server/search/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase

    const objects = Effect.fnUntraced(function* (
      caller: Member,
      {
        kind: wanted,
        limit = searchLimitDefault,
        q
      }: { readonly q: string; readonly kind?: SearchKind; readonly limit?: number }
    ) {
      const kinds = searchKinds.filter(
        (kind) => (wanted ?? kind) === kind && caller.permissions.has(searched[kind].permission)
      )
      const groups = yield* Effect.forEach(
        kinds,
        (kind) => Effect.map(searched[kind].find(sql, caller, q, limit + 1), (rows) => ({ kind, rows })),
        { concurrency: readAtOnce }
      )
      const results = groups.flatMap(({ kind, rows }) =>
        rows
          .slice(0, limit)
          .map(({ detail, id, name }): SearchResult => ({ kind, id, name, detail: shortText(detail) }))
      )
      return {
        items: results.toSorted((a, b) => rankOf(a.name, q) - rankOf(b.name, q)),
        truncated: groups.some(({ rows }) => rows.length > limit)
      }
    })

    return { objects } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
