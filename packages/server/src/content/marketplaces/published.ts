import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { manifestOf, type OfferedPlugin } from "./manifest.ts"
import * as names from "./names-repo.ts"
import * as repo from "./repo.ts"

/**
 * The names of marketplaces and their plugins in `marketplace.json`. A marketplace gets its name on the first read; plugins
 * get theirs when they are added, or here when they have none.
 */
export const makeNames = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const fenced = yield* organizationTransaction

  const nameOf = Effect.fnUntraced(function* (
    organizationId: Id<"org">,
    marketplace: { readonly id: Id<"mkt">; readonly name: string }
  ) {
    const existingName = yield* names.ofMarketplace(sql, organizationId, marketplace.id)
    if (existingName !== undefined) return existingName
    yield* fenced(organizationId, names.giveToMarketplace(sql, organizationId, marketplace))
    return (yield* names.ofMarketplace(sql, organizationId, marketplace.id)) ?? ""
  })

  const namesOf = Effect.fnUntraced(function* (
    organizationId: Id<"org">,
    marketplaceId: Id<"mkt">,
    pluginIds: ReadonlyArray<string>
  ) {
    const existingName = yield* names.ofPlugins(sql, organizationId, marketplaceId, pluginIds)
    const unnamed = pluginIds.filter((id) => !existingName.has(id))
    if (unnamed.length === 0) return existingName
    yield* fenced(organizationId, names.giveToPlugins(sql, organizationId, marketplaceId, unnamed))
    return yield* names.ofPlugins(sql, organizationId, marketplaceId, pluginIds)
  })

  return { nameOf, namesOf } as const
})

/** Writes `marketplace.json`. */
export const makePublished = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { nameOf, namesOf } = yield* makeNames

  return Effect.fnUntraced(function* (
    organizationId: Id<"org">,
    marketplace: { readonly id: Id<"mkt">; readonly name: string; readonly description: string | null },
    offered: ReadonlyArray<Omit<OfferedPlugin, "name"> & { readonly pluginId: Id<"plg"> }>
  ) {
    const name = yield* nameOf(organizationId, marketplace)
    const ids = offered.map(({ pluginId }) => pluginId)
    const pluginNames = yield* namesOf(organizationId, marketplace.id, ids)
    const owner = yield* repo.organizationName(sql, organizationId)
    return manifestOf(
      { name, title: marketplace.name, description: marketplace.description },
      owner,
      offered.flatMap(({ pluginId, ...one }) => {
        const pluginName = pluginNames.get(pluginId)
        return pluginName === undefined ? [] : [{ ...one, name: pluginName }]
      })
    )
  })
})
