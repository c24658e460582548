import * as ConfigObjects from "@orgplane/schema/config-objects"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { demandLevel, managedByConnector } from "../../identity/access/service.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { demandSeen } from "./demand.ts"
import * as memberships from "./membership-repo.ts"
import * as objects from "./object-repo.ts"
import * as repo from "./repo.ts"

/**
 * Creates the operations that add an object to plugins and remove it. Everyone who can see a plugin can see its
 * objects, so adding an object shares it. This requires the manager level on the object and the editor level on the
 * plugin.
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
        const exists = level > 0 && (yield* memberships.keepPlugin(sql, caller.organizationId, pluginId))
        if (!exists) return yield* InvalidRequest.at(["body", "pluginId"], "does not exist in the organization")
        yield* demandLevel(level, "editor")
        const object = yield* objects.lock(sql, caller.organizationId, id)
        if (object === undefined) return yield* new ConfigObjects.ConfigObjectNotFound()
        if (object.status === "archived") return yield* new ConfigObjects.ConfigObjectArchived()
        const { isNew, row } = yield* memberships.place(sql, caller.organizationId, pluginId, id, membershipOf(caller))
        return { isNew, placement: memberships.toWire(row) }
      }),
      ({ isNew }) => ({ target: id, after: { pluginId, changed: isNew }, describedObjects: [pluginId] })
    )
  })

  /** A manager of the object can remove it from any plugin. */
  const detachPlugin = Effect.fnUntraced(function* (caller: Member, id: Id<"cob">, pluginId: Id<"plg">) {
    yield* demandSeen(sql, caller, id, "manager")
    if (!(yield* repo.pluginLevels(sql, caller, [pluginId])).get(pluginId)) {
      return yield* new ConfigObjects.PluginNotFound()
    }
    yield* mutate(caller, "configObject.detach_plugin", endMembership(sql, caller, pluginId, id), () => ({
      target: id,
      before: { pluginId },
      describedObjects: [pluginId]
    }))
  })

  return { attachPlugin, detachPlugin } as const
})

/** Ends an object's membership in a plugin, in the current transaction. A membership that a mapping created stays. */
export const endMembership = Effect.fnUntraced(function* (
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
