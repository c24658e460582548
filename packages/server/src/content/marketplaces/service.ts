import * as Marketplaces from "@orgplane/schema/marketplaces"
import type { ArchiveFormat } from "@orgplane/schema/plugin-archives"
import { PluginNotFound } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import * as connections from "../../agents/mcp-connections/repo.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import * as plugins from "../plugins/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { PluginArchives } from "../plugins/archive-service.ts"
import { makeCollection } from "../plugins/collection.ts"
import { makePublished } from "./published.ts"
import { countsOf, connectionsByUrl, readinessOf, urlKeysOf } from "./readiness.ts"
import * as repo from "./repo.ts"

/** Maximum number of plugins in one resolved marketplace, from which users choose. */
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
      const { mutate } = yield* Mutate
      const archives = yield* PluginArchives

      const published = yield* makePublished

      const find = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">) {
        const row = yield* repo.get(sql, caller, id)
        return row === undefined || row.level === 0 ? yield* new Marketplaces.MarketplaceNotFound() : row
      })

      const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, needed: keyof typeof levels) {
        yield* demandLevel((yield* find(caller, id)).level, needed)
      })

      const get = (caller: Member, id: Id<"mkt">) =>
        Effect.map(find(caller, id), (row) => ({ item: repo.toWire(row), version: row.version }))

      const list = (caller: Member, query: PageQuery & repo.Filters) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.list(caller, query, {
          filters,
          rows: (after, limit) => repo.list(sql, caller, filters, after, limit),
          toWire: repo.toWire
        })
      }

      const listPlugins = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, query: PageQuery) {
        yield* find(caller, id)
        return yield* pages.listBy(caller, query, {
          filters: id,
          rows: (after, limit) => repo.listPlugins(sql, caller, id, after, limit),
          idOf: (row) => row.membership_id,
          toWire: membershipToWire(id)
        })
      })

      /** A marketplace with everything that is shown about it, in six queries regardless of its size. */
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
        const keys = urlKeysOf(servers)
        const connectionsAt = connectionsByUrl(
          keys.length === 0 ? [] : yield* connections.listAtUrls(sql, caller, keys)
        )
        const serversByPlugin = Map.groupBy(servers, (row) => row.plugin_id)
        return {
          marketplace: repo.toWire(marketplace),
          plugins: rows.map((row) => {
            const componentCounts = countsOf(countsByPlugin.get(row.id) ?? [])
            return {
              ...plugins.toWire(row),
              componentCounts,
              cloudReadiness: readinessOf(componentCounts, serversByPlugin.get(row.id) ?? [], connectionsAt)
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

      const grantOperations = access.grantOperations({
        kind: "marketplace",
        audited: "marketplace",
        demand,
        grantNotFound: () => new Marketplaces.MarketplaceGrantNotFound()
      })

      /**
       * The marketplace document for agents. Its links expire at the same time, so the document stays identical for
       * some minutes.
       */
      const manifest = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, format: ArchiveFormat = "zip") {
        const marketplace = yield* find(caller, id)
        const document = yield* published(caller.organizationId, marketplace, yield* archives.offer(caller, id, format))
        return { item: document, version: sha256(JSON.stringify(document)) }
      })

      const {
        archive,
        changed,
        locked,
        restore,
        update: updateCollection
      } = yield* makeCollection({
        name: "marketplace",
        repo,
        demand,
        notFound: () => new Marketplaces.MarketplaceNotFound(),
        fieldsOf: ({ description, logo_url: logoUrl, name }) => ({
          name,
          description,
          logoUrl
        }),
        isRestricted: ({ description, name }) => name !== undefined || description !== undefined
      })

      /** Creates an empty marketplace that only its creator, owners and admins can see. */
      const create = (caller: Member, input: typeof Marketplaces.CreateMarketplace.Type) => {
        const id = makeId("mkt")
        const { description = null, logoUrl = null, name } = input
        return mutate(
          caller,
          "marketplace.create",
          Effect.gen(function* () {
            const marketplace = { id, name, description, logoUrl, targetId: null }
            yield* repo.create(sql, caller.organizationId, marketplace, membershipOf(caller))
            yield* access.grantCreator(caller, "marketplace", id)
            return repo.toWire(yield* changed(caller, id))
          }),
          (marketplace) => ({ target: marketplace.id, after: { name: digestOf(marketplace.name) } })
        )
      }

      /**
       * Updates a marketplace. Its name and description cannot change if a repository determines them; its logo can.
       */
      const update = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"mkt">,
        input: typeof Marketplaces.UpdateMarketplace.Type
      ) {
        const { collection, version } = yield* updateCollection(caller, id, input)
        return { item: collection, version }
      })

      /**
       * Adds a plugin. Everyone who can see the marketplace can then see the plugin, so this requires the manager level
       * on the plugin.
       */
      const addPlugin = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, pluginId: Id<"plg">) {
        yield* demand(caller, id, "editor")
        return yield* mutate(
          caller,
          "marketplace.add_plugin",
          Effect.gen(function* () {
            const { organizationId } = caller
            const level = yield* plugins.level(sql, caller, pluginId)
            if (level === 0) return yield* InvalidRequest.at(["body", "pluginId"], "does not exist in the organization")
            yield* demandLevel(level, "manager")
            yield* locked(caller, id)
            if ((yield* plugins.lock(sql, organizationId, pluginId)) === undefined) {
              return yield* InvalidRequest.at(["body", "pluginId"], "does not exist in the organization")
            }
            const membershipId = makeId("mkp")
            yield* repo.addPlugins(sql, organizationId, id, [{ id: membershipId, pluginId }], membershipOf(caller))
            const row = yield* expectRow(yield* repo.getMembership(sql, caller, id, pluginId), "marketplace membership")
            return { isNew: row.membership_id === membershipId, membership: membershipToWire(id)(row) }
          }),
          ({ isNew }) => ({ target: id, after: { pluginId, changed: isNew }, describedObjects: [pluginId] })
        )
      })

      const removePlugin = Effect.fnUntraced(function* (caller: Member, id: Id<"mkt">, pluginId: Id<"plg">) {
        yield* demand(caller, id, "editor")
        if ((yield* plugins.level(sql, caller, pluginId)) === 0) return yield* new PluginNotFound()
        yield* mutate(
          caller,
          "marketplace.remove_plugin",
          Effect.flatMap(repo.removePlugin(sql, caller.organizationId, id, pluginId), (removed) =>
            removed === undefined ? Effect.fail(new Marketplaces.PluginNotInMarketplace()) : Effect.succeed(removed)
          ),
          () => ({ target: id, before: { pluginId }, describedObjects: [pluginId] })
        )
      })

      return {
        get,
        list,
        listPlugins,
        resolved,
        ...grantOperations,
        create,
        update,
        archive,
        restore,
        addPlugin,
        removePlugin,
        manifest
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
