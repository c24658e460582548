import * as Plugins from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import type { CreateGrant } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../access/index.ts"
import { digestOf } from "../audit/record.ts"
import * as objects from "../config-objects/repo.ts"
import type { levels } from "../grants/index.ts"
import { makeId } from "../ids.ts"
import { membershipOf, Mutate } from "../mutate/index.ts"
import { Pages } from "../pages/index.ts"
import { SqlDatabase } from "../sql/client.ts"
import { iso } from "../sql/timestamps.ts"
import * as repo from "./repo.ts"

const membershipToWire =
  (pluginId: Id<"plg">) =>
  (row: repo.MembershipRow): Plugins.PluginMembership => ({
    id: row.key,
    pluginId,
    configObjectId: row.id,
    connectorMappingId: row.membership_mapping_id,
    createdByOrgMembershipId: row.membership_created_by,
    createdAt: iso(row.membership_created_at),
    removedAt: null,
    configObject: objects.toWire(row)
  })

export class PluginsService extends Context.Service<PluginsService>()("@orgplane/server/plugins/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const access = yield* AccessService
    const { mutate } = yield* Mutate

    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, needed: keyof typeof levels) {
      const level = yield* repo.level(sql, caller, id)
      if (level === 0) return yield* new Plugins.PluginNotFound()
      yield* demandLevel(level, needed)
    })

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">) {
      const row = yield* repo.get(sql, caller, id)
      return row === undefined ? yield* new Plugins.PluginNotFound() : repo.toWire(row)
    })

    /** Makes an empty plugin that only its maker, owners and admins see. */
    const create = (caller: Member, input: typeof Plugins.CreatePlugin.Type) => {
      const id = makeId("plg")
      const createdBy = membershipOf(caller)
      return mutate(
        caller,
        "plugin.create",
        Effect.gen(function* () {
          yield* repo.create(
            sql,
            caller.organizationId,
            { id, name: input.name, description: input.description ?? null },
            createdBy
          )
          yield* access.grantCreator(caller, "plugin", id)
          return yield* get({ ...caller, isAdmin: true }, id).pipe(Effect.catchTag("PluginNotFound", Effect.die))
        }),
        (plugin) => ({ target: plugin.id, after: { name: digestOf(plugin.name) } })
      )
    }

    const list = (caller: Member, query: PageQuery & { readonly marketplaceId?: string; readonly q?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.read(
        { operation: "plugins.list", organizationId: caller.organizationId, filters },
        query,
        (after, limit) => repo.list(sql, caller, filters, after, limit),
        (row) => row.id,
        repo.toWire
      )
    }

    const listObjects = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, query: PageQuery) {
      yield* demand(caller, id, "viewer")
      return yield* pages.read(
        { operation: "plugins.listObjects", organizationId: caller.organizationId, filters: id },
        query,
        (after, limit) => repo.listObjects(sql, caller.organizationId, id, after, limit),
        (row) => row.key,
        membershipToWire(id),
        (row) => row.fits
      )
    })

    const listAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, query: PageQuery) {
      yield* demand(caller, id, "viewer")
      return yield* access.list(caller, "plugin", id, query)
    })

    const grantAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, input: CreateGrant) {
      yield* demand(caller, id, "manager")
      return yield* access.grant(caller, "plugin.grant", "plugin", id, input)
    })

    const revokeAccess = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, grantId: string) {
      yield* demand(caller, id, "manager")
      const found = yield* access.revoke(caller, "plugin.revoke", "plugin", id, grantId)
      if (!found) return yield* new Plugins.PluginGrantNotFound()
    })

    return { create, get, list, listObjects, listAccess, grantAccess, revokeAccess } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
