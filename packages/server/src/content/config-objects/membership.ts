import * as ConfigObjects from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { demandLevel, managedByConnector } from "../../identity/access/index.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { demandSeen } from "./demand.ts"
import * as memberships from "./membership-repo.ts"
import * as objects from "./object-repo.ts"
import * as repo from "./repo.ts"

/**
 * Makes the verbs that put an object into plugins and take it out. Whoever sees a plugin sees what is in it, so putting
 * something in is giving it away: it takes a manager of the object, and an editor of the plugin.
 */
export const makeMembership = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { mutate } = yield* Mutate

  const attachPlugin = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, pluginId: Id<"plg">) {
    yield* demandSeen(sql, caller, id, "manager")
    return yield* mutate(
      caller,
      "configObject.attach_plugin",
      Effect.gen(function* () {
        const level = (yield* repo.pluginLevels(sql, caller, [pluginId])).get(pluginId) ?? 0
        const isThere = level > 0 && (yield* memberships.keepPlugin(sql, caller.organizationId, pluginId))
        if (!isThere) return yield* InvalidRequest.at(["body", "pluginId"], "does not exist in the organization")
        yield* demandLevel(level, "editor")
        const object = yield* objects.lock(sql, caller.organizationId, id)
        if (object === undefined) return yield* new ConfigObjects.ConfigObjectNotFound()
        if (object.status === "archived") return yield* new ConfigObjects.ConfigObjectArchived()
        const { isNew, row } = yield* memberships.place(sql, caller.organizationId, pluginId, id, membershipOf(caller))
        return { isNew, placement: memberships.toWire(row) }
      }),
      ({ isNew }) => ({ target: id, after: { pluginId, changed: isNew } })
    )
  })

  /** Whoever manages an object may take it back, whoever the plugin is. */
  const detachPlugin = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, pluginId: Id<"plg">) {
    yield* demandSeen(sql, caller, id, "manager")
    if (!(yield* repo.pluginLevels(sql, caller, [pluginId])).get(pluginId)) {
      return yield* new ConfigObjects.PluginNotFound()
    }
    yield* mutate(caller, "configObject.detach_plugin", takeOut(sql, caller, pluginId, id), () => ({
      target: id,
      before: { pluginId }
    }))
  })

  return { attachPlugin, detachPlugin } as const
})

/** Ends an object's place in a plugin, in the transaction it is called in; what a mapping put there stays. */
export const takeOut = Effect.fnUntraced(function* (
  sql: typeof SqlDatabase.Service,
  { organizationId }: Member,
  pluginId: Id<"plg">,
  objectId: Id<"cob">
) {
  const row = yield* memberships.find(sql, organizationId, pluginId, objectId)
  if (row === undefined) return yield* new ConfigObjects.ObjectNotInPlugin()
  if (row.connector_mapping_id !== null) return yield* managedByConnector("The plugin's content")
  yield* memberships.remove(sql, organizationId, row.id)
})
