import { ConfigObjectArchived, ConfigObjectNotFound } from "@orgplane/schema/config-objects"
import * as Plugins from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessService, demandLevel } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import * as memberships from "../config-objects/membership-repo.ts"
import { endMembership } from "../config-objects/membership.ts"
import * as standings from "../config-objects/object-repo.ts"
import * as objects from "../config-objects/repo.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { makeCollection } from "./collection.ts"
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
    const { mutate, mutateAndRead } = yield* Mutate

    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, needed: keyof typeof levels) {
      const level = yield* repo.level(sql, caller, id)
      if (level === 0) return yield* new Plugins.PluginNotFound()
      yield* demandLevel(level, needed)
    })

    const {
      archive,
      locked,
      restore,
      update: updateCollection
    } = yield* makeCollection({
      name: "plugin",
      repo,
      demand,
      notFound: () => new Plugins.PluginNotFound(),
      fieldsOf: ({ description, name }) => ({ name, description }),
      isRestricted: () => true
    })

    const getVersioned = (caller: Member, id: Id<"plg">) =>
      Effect.flatMap(repo.get(sql, caller, id), (row) =>
        row === undefined
          ? Effect.fail(new Plugins.PluginNotFound())
          : Effect.succeed({ item: repo.toWire(row), version: row.version })
      )

    const get = (caller: Member, id: Id<"plg">) => Effect.map(getVersioned(caller, id), ({ item }) => item)

    /**
     * A plugin that was just created. It is read as an admin. Its creator would see the same, because it is not in any
     * marketplace yet.
     */
    const createdPlugin = (caller: Member, id: Id<"plg">) =>
      get({ ...caller, isAdmin: true }, id).pipe(Effect.catchTag("PluginNotFound", Effect.die))

    /** Creates an empty private plugin in the current transaction. */
    const make = Effect.fnUntraced(function* (caller: Member, input: typeof Plugins.CreatePlugin.Type) {
      const id = makeId("plg")
      const { description = null, name } = input
      const { organizationId } = caller
      yield* repo.create(sql, { organizationId, id, name, description, createdBy: membershipOf(caller) })
      yield* access.grantCreator(caller, "plugin", id)
      return id
    })

    /** Creates an empty plugin that only its creator, owners and admins can see. */
    const create = (caller: Member, input: typeof Plugins.CreatePlugin.Type) =>
      mutateAndRead(
        caller,
        "plugin.create",
        make(caller, input),
        (id) => ({ target: id, after: { name: digestOf(input.name) } }),
        (id) => createdPlugin(caller, id)
      )

    const list = (caller: Member, query: PageQuery & repo.Filters) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller, filters, after, limit),
        toWire: repo.toWire
      })
    }

    /** The objects of a plugin. An archived plugin lists only those that the caller can see for another reason. */
    const listObjects = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, query: PageQuery) {
      const row = yield* repo.get(sql, caller, id)
      if (row === undefined) return yield* new Plugins.PluginNotFound()
      const content = yield* repo.contentSeen(sql, caller, id)
      if (content === undefined) return yield* new Plugins.PluginNotFound()
      const seen = repo.contentsSeen(sql, caller, content, row.archived_at !== null)
      return yield* pages.listBy(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listObjects(sql, caller.organizationId, id, after, limit, seen),
        idOf: (row) => row.key,
        toWire: membershipToWire(id),
        fits: (row) => row.fits
      })
    })

    const grantOperations = access.grantOperations({
      kind: "plugin",
      audited: "plugin",
      demand,
      grantNotFound: () => new Plugins.PluginGrantNotFound()
    })

    /** Updates a plugin. The name and description of a plugin from a repository come from the repository. */
    const update = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"plg">,
      input: typeof Plugins.UpdatePlugin.Type
    ) {
      const { collection, version } = yield* updateCollection(caller, id, input)
      return { item: collection, version }
    })

    /**
     * Adds an object. Everyone who can see the plugin can then see the object, so this requires the manager level on
     * the object.
     */
    const addObject = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, objectId: Id<"cob">) {
      yield* demand(caller, id, "editor")
      return yield* mutate(
        caller,
        "plugin.add_object",
        Effect.gen(function* () {
          const { organizationId } = caller
          const objectState = yield* standings.getState(sql, caller, objectId)
          if (objectState === undefined || objectState.level === 0) {
            return yield* InvalidRequest.at(["body", "configObjectId"], "does not exist in the organization")
          }
          yield* demandLevel(objectState.level, "manager")
          yield* locked(caller, id)
          const object = yield* standings.lock(sql, organizationId, objectId)
          if (object === undefined) {
            return yield* InvalidRequest.at(["body", "configObjectId"], "does not exist in the organization")
          }
          if (object.status === "archived") return yield* new ConfigObjectArchived()
          const { isNew, row } = yield* memberships.place(sql, organizationId, id, objectId, membershipOf(caller))
          const content = yield* expectRow(yield* objects.get(sql, caller, objectId), "config object")
          const membership: Plugins.PluginMembership = {
            ...memberships.toWire(row),
            configObject: objects.toWire(content)
          }
          return { isNew, membership }
        }),
        ({ isNew }) => ({ target: id, after: { configObjectId: objectId, changed: isNew } })
      )
    })

    const removeObject = Effect.fnUntraced(function* (caller: Member, id: Id<"plg">, objectId: Id<"cob">) {
      yield* demand(caller, id, "editor")
      if ((yield* objects.level(sql, caller, objectId)) === 0) return yield* new ConfigObjectNotFound()
      yield* mutate(caller, "plugin.remove_object", endMembership(sql, caller, id, objectId), () => ({
        target: id,
        before: { configObjectId: objectId }
      }))
    })

    return {
      create,
      make,
      made: createdPlugin,
      get,
      getVersioned,
      list,
      listObjects,
      ...grantOperations,
      update,
      archive,
      restore,
      addObject,
      removeObject
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
