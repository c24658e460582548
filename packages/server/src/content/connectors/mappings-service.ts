import * as Operations from "@orgplane/schema/connector-operations"
import type { MappingImpact } from "@orgplane/schema/connector-previews"
import * as Connectors from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandLevel } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import * as objects from "../config-objects/repo.ts"
import type { levels } from "../../identity/grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import * as plugins from "../plugins/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { inTimeSlices } from "../../infra/time-slices.ts"
import { lockInstance } from "./lock-instance.ts"
import * as mappings from "./mappings-repo.ts"
import { importedFiles, isImported } from "./plan.ts"
import { visiblePlugins } from "./plan-repo.ts"
import * as repo from "./repo.ts"
import { deletedObjects } from "./rollback-preview.ts"
import { refuseSelector } from "./selector.ts"
import { SyncService } from "./sync.ts"
import { pluginOfMapping } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"
import { TargetsService } from "./targets-service.ts"

const mappingsMax = 1000
const noMapping = () => new Operations.MappingNotFound()

const settingsOf = (row: repo.MappingRow): mappings.MappingSettings => ({
  selector: row.selector,
  objectType: row.object_type,
  pluginId: row.plugin_id,
  autoAddToPlugin: row.auto_add_to_plugin
})

const auditOf = (settings: mappings.MappingSettings) => ({ ...settings, selector: digestOf(settings.selector) })

/**
 * Manual mappings. Each maps a path of a branch to an object type and, optionally, a plugin that the objects are added
 * to.
 */
export class MappingsService extends Context.Service<MappingsService>()("@orgplane/server/connectors/MappingsService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const branches = yield* TargetsService
    const sync = yield* SyncService
    const { mutate } = yield* Mutate

    /** Requires that the caller can add objects to the mapping's plugin. */
    const demandPlugin = Effect.fnUntraced(function* (caller: Member, pluginId: Id<"plg"> | null, isNamed: boolean) {
      if (pluginId === null) return
      const level = yield* plugins.level(sql, caller, pluginId)
      if (level === 0 && isNamed) {
        return yield* InvalidRequest.at(["body", "pluginId"], "does not exist in the organization")
      }
      yield* demandLevel(level, "editor")
    })

    /** Requires that the mapping does not conflict with others of its branch. Returns the number of manual mappings. */
    const demandNoConflict = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      targetId: Id<"ctg">,
      id: Id<"cmp"> | undefined,
      settings: mappings.MappingSettings
    ) {
      if (settings.autoAddToPlugin && settings.pluginId === null) {
        return yield* InvalidRequest.at(["body", "autoAddToPlugin"], "requires a pluginId")
      }
      const all = yield* repo.allMappings(sql, organizationId, targetId)
      const others = all.filter((row) => row.id !== id)
      const refusal = refuseSelector(
        settings.selector,
        others.map((row) => row.selector)
      )
      if (refusal !== undefined) return yield* InvalidRequest.at(["body", "selector"], refusal)
      const byHand = others.filter((row) => !isImported(row))
      if (
        byHand.some(
          (row) =>
            row.selector === settings.selector &&
            row.object_type === settings.objectType &&
            row.plugin_id === settings.pluginId
        )
      ) {
        return yield* new Operations.MappingExists()
      }
      return byHand.length
    })

    const list = Effect.fnUntraced(function* (caller: Member, id: Id<"ctg">, query: PageQuery & repo.MappingFilters) {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      const page = yield* pages.list(caller, query, {
        filters: [id, filters],
        rows: (after, limit) => repo.listMappings(sql, caller, id, filters, after, limit),
        toWire: repo.mappingToWire
      })
      // An empty page does not show whether the target exists.
      if (page.items.length > 0 || (yield* repo.getTarget(sql, caller, id)) !== undefined) return page
      return yield* new Connectors.TargetNotFound()
    })

    const create = Effect.fnUntraced(function* (
      caller: Member,
      targetId: Id<"ctg">,
      input: typeof Operations.CreateMapping.Type
    ) {
      const { organizationId } = caller
      const instance = yield* branches.demandTarget(caller, targetId)
      const pluginId = input.pluginId ?? null
      const settings: mappings.MappingSettings = {
        selector: input.selector,
        objectType: input.objectType,
        pluginId,
        autoAddToPlugin: input.autoAddToPlugin ?? pluginId !== null
      }
      return yield* mutate(
        caller,
        "connector.create_mapping",
        Effect.gen(function* () {
          const row = yield* lockInstance(sql, caller, instance.id, () => new Connectors.TargetNotFound())
          yield* demandPlugin(caller, pluginId, true)
          const byHand = yield* demandNoConflict(organizationId, targetId, undefined, settings)
          // Errors of the request are reported before a state that would reject a valid request.
          if (repo.isStopped(row)) return yield* new Connectors.InstanceDisabled()
          if (byHand >= mappingsMax) {
            return yield* new Connectors.QuotaExceeded({
              message: `A branch can have at most ${mappingsMax} manual mappings.`
            })
          }
          const place = { id: makeId("cmp"), instanceId: instance.id, targetId }
          const created = yield* mappings.create(sql, organizationId, place, settings)
          yield* sync.queue(row, targetId, "mapping")
          return repo.mappingToWire(created)
        }),
        (mapping) => ({
          target: targetId,
          after: { connectorInstanceId: instance.id, connectorMappingId: mapping.id, ...auditOf(settings) },
          describedObjects: [instance.id]
        })
      )
    })

    /** A mapping; requires an access level on its instance. */
    const demandVisible = Effect.fnUntraced(function* (caller: Member, id: Id<"cmp">, needed: keyof typeof levels) {
      const row = yield* mappings.get(sql, caller, id)
      if (row === undefined || row.level === 0) return yield* new Operations.MappingNotFound()
      yield* demandLevel(row.level, needed)
      return row
    })

    /** A manual mapping; requires an access level on its instance. */
    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"cmp">, needed: keyof typeof levels) {
      const row = yield* demandVisible(caller, id, needed)
      if (isImported(row)) {
        return yield* new Forbidden({
          reason: "managed_by_connector",
          message: "This mapping was created by an import, which keeps it in sync with the repository."
        })
      }
      return row
    })

    const update = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"cmp">,
      input: typeof Operations.UpdateMapping.Type
    ) {
      const { organizationId } = caller
      const changesAny = Object.keys(input).length > 0
      const { connector_instance_id: instanceId, connector_target_id: targetId } = yield* changesAny
        ? demand(caller, id, "editor")
        : demandVisible(caller, id, "editor")
      return yield* mutate(
        caller,
        "connector.update_mapping",
        Effect.gen(function* () {
          const instance = yield* lockInstance(sql, caller, instanceId, noMapping)
          const row = yield* mappings.find(sql, organizationId, id)
          if (row === undefined) return yield* new Operations.MappingNotFound()
          const before = settingsOf(row)
          if (!changesAny) return { before, settings: before, after: row }
          const pluginId = input.pluginId === undefined ? before.pluginId : input.pluginId
          const settings: mappings.MappingSettings = {
            selector: input.selector ?? before.selector,
            objectType: input.objectType ?? before.objectType,
            pluginId,
            // Without a plugin there is nothing to add to.
            autoAddToPlugin:
              input.autoAddToPlugin ??
              (pluginId === null ? false : before.pluginId === null ? true : before.autoAddToPlugin)
          }
          yield* demandPlugin(caller, pluginId, input.pluginId !== undefined)
          yield* demandNoConflict(organizationId, targetId, id, settings)
          if (repo.isStopped(instance)) return yield* new Connectors.InstanceDisabled()
          const after = yield* mappings.update(sql, organizationId, id, settings)
          if (after === undefined) return yield* new Operations.MappingNotFound()
          if (pluginOfMapping(before) !== pluginOfMapping(settings)) {
            yield* mappings.endMemberships(sql, organizationId, id)
            const plugin = pluginOfMapping(settings)
            const bound = yield* mappings.bindingsOf(sql, organizationId, id)
            yield* objects.addMemberships(
              sql,
              organizationId,
              plugin === null ? [] : bound.map((each) => mappings.newMembership(plugin, each.config_object_id, id)),
              membershipOf(caller)
            )
          }
          if (before.selector !== settings.selector || before.objectType !== settings.objectType) {
            yield* sync.queue(instance, targetId, "mapping")
          }
          return { before, settings, after }
        }),
        ({ before, settings }) => ({
          target: id,
          before: { connectorInstanceId: instanceId, ...auditOf(before) },
          after: { connectorInstanceId: instanceId, ...auditOf(settings) },
          describedObjects: changesAny ? [instanceId] : []
        })
      ).pipe(Effect.map(({ after }) => repo.mappingToWire(after)))
    })

    /** Other mappings of the branch that import the same files into the same plugin. */
    const heirsOf = Effect.fnUntraced(function* (organizationId: Id<"org">, row: repo.MappingRow) {
      const bound = yield* mappings.bindingsOf(sql, organizationId, row.id)
      const owner = pluginOfMapping(row)
      if (owner === null) return { bound, heirs: [] }
      const others = (yield* repo.allMappings(sql, organizationId, row.connector_target_id)).filter(
        (other) => other.id !== row.id && pluginOfMapping(other) === owner
      )
      const files = yield* inTimeSlices(
        importedFiles(
          others.map((other) => ({ ...other, pointer: null })),
          bound.map(({ blob_sha, path }) => ({ path, kind: "file" as const, sha: blob_sha, size: 0 }))
        )
      )
      const byFile = new Map(files.map((file) => [JSON.stringify([file.path, file.objectType]), file.mappingId]))
      const heirs = bound.flatMap(({ config_object_id: objectId, object_type, path }) => {
        const mappingId = byFile.get(JSON.stringify([path, object_type]))
        return mappingId === undefined ? [] : [{ objectId, mappingId }]
      })
      return { bound, heirs }
    })

    /** The objects of a mapping that no other mapping imports, and those that another one imports. */
    const deletionOf = Effect.fnUntraced(function* (organizationId: Id<"org">, row: repo.MappingRow) {
      const { bound, heirs } = yield* heirsOf(organizationId, row)
      const inherited = new Set(heirs.map(({ objectId }) => objectId))
      const ids = [...new Set(bound.map((each) => each.config_object_id))]
      const elsewhere = yield* mappings.boundElsewhere(sql, organizationId, row.id, ids)
      return {
        bound,
        heirs,
        deletions: ids.filter((id) => !inherited.has(id) && !elsewhere.has(id)),
        count: ids.length
      }
    })

    /** Previews `remove`. */
    const impact = Effect.fnUntraced(function* (caller: Member, id: Id<"cmp">) {
      const row = yield* demand(caller, id, "viewer")
      const { bound, count, deletions } = yield* deletionOf(caller.organizationId, row)
      const deleted = new Set(deletions)
      const pluginId = pluginOfMapping(row)
      const [plugin = null] = pluginId === null ? [] : yield* visiblePlugins(sql, caller, [pluginId])
      return {
        objectsDeleted: deletions.length,
        objectsKept: count - deletions.length,
        deleted: deletedObjects(
          bound.filter((each) => deleted.has(each.config_object_id)),
          () => plugin
        )
      } satisfies MappingImpact
    })

    /** Deletes a mapping and, in the same transaction, the objects imported only through it. No sync is needed. */
    const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"cmp">) {
      const { organizationId } = caller
      const { connector_instance_id: instanceId } = yield* demand(caller, id, "manager")
      yield* mutate(
        caller,
        "connector.delete_mapping",
        Effect.gen(function* () {
          yield* lockInstance(sql, caller, instanceId, noMapping)
          const row = yield* mappings.find(sql, organizationId, id)
          if (row === undefined) return yield* new Operations.MappingNotFound()
          const target = yield* targets.find(sql, organizationId, row.connector_target_id)
          const { deletions, heirs } = yield* deletionOf(organizationId, row)
          yield* mappings.rebind(sql, organizationId, id, heirs)
          yield* mappings.unbind(sql, organizationId, id)
          yield* repo.removeMappings(sql, organizationId, [id])
          yield* events.remapMemberships(
            sql,
            organizationId,
            heirs.map(({ mappingId, objectId }) => ({ connector_mapping_id: mappingId, config_object_id: objectId }))
          )
          yield* objects.deleteMany(
            sql,
            organizationId,
            deletions.map((objectId) => ({ objectId, versionId: makeId("cov") })),
            {
              syncEventId: null,
              revision: target?.last_sync_cursor ?? null,
              deletedBy: membershipOf(caller)
            }
          )
          return { before: settingsOf(row), deleted: deletions.length }
        }),
        ({ before, deleted }) => ({
          target: id,
          before: { connectorInstanceId: instanceId, ...auditOf(before), deletedConfigObjects: deleted },
          describedObjects: [instanceId]
        })
      )
    })

    return { list, create, update, remove, impact } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
