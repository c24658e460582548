import * as Marketplaces from "@orgplane/schema/marketplaces"
import type { Member } from "@orgplane/schema/shared/caller"
import type { CreateGrant } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../access/index.ts"
import { sha256 } from "../crypto/digest.ts"
import type { levels } from "../grants/index.ts"
import { Pages } from "../pages/index.ts"
import * as plugins from "../plugins/repo.ts"
import { SqlDatabase } from "../sql/client.ts"
import { iso } from "../sql/timestamps.ts"
import { PluginArchives } from "../plugins/archive-service.ts"
import { manifestOf } from "./manifest.ts"
import { countsOf, readinessOf } from "./readiness.ts"
import * as repo from "./repo.ts"

/** Plugins that one resolved answer shows; a marketplace is for people to choose from. */
const resolvedPluginsMax = 2000

const membershipToWire =
  (marketplaceId: Id<"mkt">) =>
  (row: repo.MembershipRow): Marketplaces.MarketplaceMembership => ({
    id: row.membership_id,
    marketplaceId,
    pluginId: row.id,
    createdByOrgMembershipId: row.membership_created_by,
    createdAt: iso(row.membership_created_at),
    removedAt: null,
    plugin: plugins.toWire(row)
  })

export class MarketplacesService extends Context.Service<MarketplacesService>()(
  "@orgplane/server/marketplaces/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const access = yield* AccessService
      const archives = yield* PluginArchives

      const find = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">) {
        const row = yield* repo.get(sql, caller, id)
        return row === undefined || row.level === 0 ? yield* new Marketplaces.MarketplaceNotFound() : row
      })

      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, needed: keyof typeof levels) {
        yield* demandLevel((yield* find(caller, id)).level, needed)
      })

      const get = (caller: Member, id: Id<"mkt">) => Effect.map(find(caller, id), repo.toWire)

      const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.read(
          { operation: "marketplaces.list", organizationId: caller.organizationId, filters },
          query,
          (after, limit) => repo.list(sql, caller, filters, after, limit),
          (row) => row.id,
          repo.toWire
        )
      }

      const listPlugins = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, query: PageQuery) {
        yield* find(caller, id)
        return yield* pages.read(
          { operation: "marketplaces.listPlugins", organizationId: caller.organizationId, filters: id },
          query,
          (after, limit) => repo.listPlugins(sql, caller, id, after, limit),
          (row) => row.membership_id,
          membershipToWire(id)
        )
      })

      /** Everything about a marketplace in five queries, whatever its size. */
      const resolved = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">) {
        const marketplace = yield* find(caller, id)
        const [rows, counts, servers, source] = yield* Effect.all(
          [
            repo.listPlugins(sql, caller, id, null, resolvedPluginsMax),
            repo.componentCounts(sql, caller.organizationId, id),
            repo.mcpServers(sql, caller.organizationId, id),
            marketplace.connector_target_id === null
              ? Effect.undefined
              : repo.source(sql, caller.organizationId, marketplace.connector_target_id)
          ],
          { concurrency: "unbounded" }
        )
        const countsByPlugin = Map.groupBy(counts, (row) => row.plugin_id)
        const serversByPlugin = Map.groupBy(servers, (row) => row.plugin_id)
        return {
          marketplace: repo.toWire(marketplace),
          plugins: rows.map((row) => {
            const componentCounts = countsOf(countsByPlugin.get(row.id) ?? [])
            return {
              ...plugins.toWire(row),
              componentCounts,
              cloudReadiness: readinessOf(componentCounts, serversByPlugin.get(row.id) ?? [])
            }
          }),
          source:
            source === undefined
              ? null
              : {
                  connectorAccountId: source.account_id,
                  connectorInstanceId: source.instance_id,
                  accountLogin: source.account_name,
                  repositoryFullName: source.repository_full_name,
                  branch: source.branch
                }
        }
      })

      const listAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, query: PageQuery) {
        yield* find(caller, id)
        return yield* access.list(caller, "marketplace", id, query)
      })

      const grantAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, input: CreateGrant) {
        yield* demand(caller, id, "manager")
        return yield* access.grant(caller, "marketplace.grant", "marketplace", id, input)
      })

      const revokeAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, grantId: string) {
        yield* demand(caller, id, "manager")
        const found = yield* access.revoke(caller, "marketplace.revoke", "marketplace", id, grantId)
        if (!found) return yield* new Marketplaces.MarketplaceGrantNotFound()
      })

      /** The marketplace as agents read it. Its links end together, so it is the same document for some minutes. */
      const manifest = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">) {
        const marketplace = yield* find(caller, id)
        const owner = yield* repo.organizationName(sql, caller.organizationId)
        const document = manifestOf(marketplace, owner, yield* archives.offer(caller, id))
        // The links are the caller's own.
        caller.request.head["cache-control"] = "private, no-cache"
        caller.request.head["etag"] = `"${sha256(JSON.stringify(document))}"`
        return document
      })

      return { get, list, listPlugins, resolved, listAccess, grantAccess, revokeAccess, manifest } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
