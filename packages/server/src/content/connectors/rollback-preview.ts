import { type PlannedObject, plannedObjectsMax, type RollbackPlan } from "@orgplane/schema/connector-previews"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { pluginsWithMore, visiblePlugins } from "./plan-repo.ts"
import type { PublishedFile } from "./publications-repo.ts"
import type { TargetRow } from "./repo.ts"
import { readRollback } from "./rollback-state.ts"
import { pluginOfMapping } from "./sync-plan.ts"
import type { BindingRow } from "./sync-repo.ts"

const first = <A>(all: ReadonlyArray<A>) => all.slice(0, plannedObjectsMax)

const byPath = (one: BindingRow, other: BindingRow) =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : one.pointer < other.pointer ? -1 : 1

/** The first of the given bindings as objects that would be deleted. */
export const deletedObjects = (
  bindings: ReadonlyArray<BindingRow>,
  pluginOf: (row: BindingRow) => PlannedObject["plugin"]
): ReadonlyArray<PlannedObject> => {
  // An object can have several bindings.
  const rows = new Map(bindings.toSorted(byPath).map((row) => [row.config_object_id, row]))
  return first([...rows.values()]).map((row) => ({
    configObjectId: row.config_object_id,
    objectType: row.object_type,
    path: row.path,
    was: null,
    pointer: row.pointer === "" ? null : row.pointer,
    plugin: pluginOf(row)
  }))
}

/** Previews the rollback of a branch with the functions that its sync uses. Returns an error code if it is not possible. */
export const previewRollback = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  target: TargetRow,
  revision: string
) {
  const { organizationId } = caller
  const read = yield* readRollback(sql, organizationId, target.id, revision)
  if (typeof read === "string") return read
  const { bindings, files, mappings, planned, plugins } = read
  const restoredPluginIds = new Map(planned.mappings.map((mapping) => [mapping.id, pluginOfMapping(mapping)]))
  const currentPlugins = new Map(mappings.map((row) => [row.id, pluginOfMapping(row)]))

  const restoredIds = new Set(planned.restored.map((file) => file.config_object_id))
  const movedIds = new Set(
    [
      ...planned.moved.map((file) => file.config_object_id),
      ...planned.memberships.map(({ objectId }) => objectId)
    ].filter((id) => !restoredIds.has(id))
  )
  const moved = [
    ...new Map(
      files.flatMap((file) => (movedIds.has(file.config_object_id) ? [[file.config_object_id, file] as const] : []))
    ).values()
  ]
  const nonEmptyPlugins = yield* pluginsWithMore(
    sql,
    organizationId,
    planned.removedPluginIds,
    planned.deletions,
    planned.memberships.map(({ objectId }) => objectId)
  )
  const removedIds = new Set(planned.removedPluginIds.filter((id) => !nonEmptyPlugins.has(id)))
  const revivedIds = new Set(planned.revivedPluginIds)
  const removedPlugins = plugins.flatMap(({ id, name }) => (removedIds.has(id) ? [{ id, name }] : []))
  const restoredPlugins = planned.plugins.flatMap(({ id, name }) => (revivedIds.has(id) ? [{ id, name }] : []))

  const foreignIds = new Set(
    [...restoredPluginIds.values(), ...currentPlugins.values()].flatMap((id) => (id === null ? [] : [id]))
  )
  const names = new Map<Id<"plg">, string>([
    ...(yield* visiblePlugins(sql, caller, [...foreignIds])).map(({ id, name }) => [id, name] as const),
    // The caller can read these in the repository.
    ...plugins.map(({ id, name }) => [id, name] as const),
    ...planned.plugins.map(({ id, name }) => [id, name] as const)
  ])
  const named = (id: Id<"plg"> | null) => {
    const name = id === null ? undefined : names.get(id)
    return id === null || name === undefined ? null : { id, name }
  }
  const object = (file: PublishedFile): PlannedObject => ({
    configObjectId: file.config_object_id,
    objectType: file.object_type,
    path: file.path,
    was: file.is_live && file.now_path !== file.path ? file.now_path : null,
    pointer: file.pointer === "" ? null : file.pointer,
    plugin: named(restoredPluginIds.get(file.connector_mapping_id) ?? null)
  })
  const restored = planned.restored.filter((file) => !file.is_live)
  const changed = planned.restored.filter((file) => file.is_live)
  const deletions = new Set(planned.deletions)
  return {
    connectorTargetId: target.id,
    revision,
    baseRevision: target.last_sync_cursor,
    counts: { ...planned.counts, objectsMoved: moved.length, pluginsRemoved: removedPlugins.length },
    removed: deletedObjects(
      bindings.filter((row) => deletions.has(row.config_object_id)),
      (row) => named(currentPlugins.get(row.connector_mapping_id) ?? null)
    ),
    restored: first(restored).map(object),
    changed: first(changed).map(object),
    moved: first(moved).map(object),
    removedPlugins: first(removedPlugins),
    restoredPlugins: first(restoredPlugins),
    truncated: [planned.deletions, restored, changed, moved, removedPlugins, restoredPlugins].some(
      ({ length }) => length > plannedObjectsMax
    )
  } satisfies RollbackPlan
})
