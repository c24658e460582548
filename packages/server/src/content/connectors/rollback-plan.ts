import type { SyncCounts } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import { isImported } from "./plan.ts"
import type { PluginFileChanges, PluginFileRow } from "./plugin-files-repo.ts"
import { restoreFolders } from "./plugin-folders.ts"
import type { PublishedFile, PublishedMapping, PublishedPlugin } from "./publications-repo.ts"
import type { MappingRow } from "./repo.ts"
import { pluginOfMapping } from "./sync-plan.ts"
import type { BindingRow, TargetPluginRow } from "./sync-repo.ts"

/** A publication of a branch, and the branch's current content. */
export interface RollbackState {
  readonly published: {
    readonly plugins: ReadonlyArray<PublishedPlugin>
    readonly mappings: ReadonlyArray<PublishedMapping>
    readonly files: ReadonlyArray<PublishedFile>
    readonly pluginFiles: ReadonlyArray<PluginFileRow>
  }
  readonly pluginFiles: ReadonlyArray<PluginFileRow>
  readonly plugins: ReadonlyArray<TargetPluginRow>
  readonly mappings: ReadonlyArray<MappingRow>
  readonly bindings: ReadonlyArray<BindingRow>
}

export interface RollbackPlan {
  readonly plugins: ReadonlyArray<PublishedPlugin>
  /** Plugins that did not exist at the publication. */
  readonly removedPluginIds: ReadonlyArray<Id<"plg">>
  /** Plugins that no longer exist. */
  readonly revivedPluginIds: ReadonlyArray<Id<"plg">>
  readonly mappings: ReadonlyArray<PublishedMapping>
  readonly removedMappings: ReadonlyArray<Id<"cmp">>
  readonly bindings: ReadonlyArray<BindingRow>
  /** Objects that changed or were deleted since; the published version is written again. */
  readonly restored: ReadonlyArray<PublishedFile>
  readonly moved: ReadonlyArray<PublishedFile>
  readonly deletions: ReadonlyArray<Id<"cob">>
  /** Objects that lost their membership through a mapping in the published plugin. */
  readonly memberships: ReadonlyArray<{
    readonly objectId: Id<"cob">
    readonly pluginId: Id<"plg"> | null
    readonly mappingId: Id<"cmp">
  }>
  readonly pluginFileChanges: PluginFileChanges
  readonly counts: SyncCounts
}

/** Computes the changes that restore a publication; none if the content is the same. */
export const planRollback = ({ bindings, mappings, pluginFiles, plugins, published }: RollbackState): RollbackPlan => {
  const wantedIds = new Set(published.plugins.map((plugin) => plugin.id))
  const liveIds = new Set(plugins.map((row) => row.id))
  const heirs = new Map(plugins.filter((row) => !wantedIds.has(row.id)).map((row) => [row.candidate_key, row.id]))
  // A plugin that was recreated with the same key takes the place of the old one: it may have grants.
  const identity = new Map(
    published.plugins.map(({ id, key }) => [id, liveIds.has(id) ? id : (heirs.get(key) ?? id)] as const)
  )
  const now = (id: Id<"plg"> | null) => (id === null ? null : (identity.get(id) ?? id))
  const wantedPlugins = published.plugins.map((plugin) => ({ ...plugin, id: now(plugin.id) ?? plugin.id }))
  const keptPluginIds = new Set(wantedPlugins.map((plugin) => plugin.id))

  const wantedMappings = published.mappings.map((mapping) => ({ ...mapping, pluginId: now(mapping.pluginId) }))
  const fedBy = new Map(wantedMappings.map((mapping) => [mapping.id, pluginOfMapping(mapping)]))
  const fedPlugins = new Map(mappings.map((row) => [row.id, pluginOfMapping(row)]))
  const bound = new Map(bindings.map((row) => [row.config_object_id, row.connector_mapping_id]))

  const files = [...new Map(published.files.map((file) => [file.config_object_id, file])).values()]
  const restored = files.filter((file) => !file.is_live || file.now_digest !== file.digest)
  const restoredFiles = new Set(restored)
  const moved = files.filter((file) => !restoredFiles.has(file) && file.now_path !== file.path)
  const wantedObjects = new Set(files.map((file) => file.config_object_id))
  const deletions = [...new Set(bindings.map((row) => row.config_object_id))].filter((id) => !wantedObjects.has(id))
  const thenFiles = published.pluginFiles.map((row) => ({ ...row, plugin_id: now(row.plugin_id) ?? row.plugin_id }))
  const pluginFileChanges = restoreFolders(pluginFiles, thenFiles)
  const keyOf = (row: Pick<PluginFileRow, "plugin_id" | "path">) => `${row.plugin_id}\0${row.path}`
  const endedKeys = new Set(pluginFileChanges.closed.map(keyOf))
  const begunKeys = new Set(pluginFileChanges.opened.map(keyOf))
  const changedCount = [...begunKeys].filter((key) => endedKeys.has(key)).length
  return {
    plugins: wantedPlugins,
    removedPluginIds: plugins.filter((row) => !keptPluginIds.has(row.id)).map((row) => row.id),
    revivedPluginIds: wantedPlugins.filter(({ id }) => !liveIds.has(id)).map(({ id }) => id),
    mappings: wantedMappings,
    // Mappings that were created manually since then are kept, but import nothing until the branch follows its head
    // again.
    removedMappings: mappings.filter((row) => isImported(row) && !fedBy.has(row.id)).map((row) => row.id),
    bindings: published.files.map((file) => ({
      connector_mapping_id: file.connector_mapping_id,
      path: file.path,
      pointer: file.pointer,
      object_type: file.object_type,
      config_object_id: file.config_object_id,
      blob_sha: file.blob_sha
    })),
    restored,
    moved,
    deletions,
    memberships: files.flatMap((file) => {
      const pluginId = fedBy.get(file.connector_mapping_id) ?? null
      const before = bound.get(file.config_object_id)
      const isSame = file.is_live && before !== undefined && (fedPlugins.get(before) ?? null) === pluginId
      // If an object did not change, a manual removal from its plugin is kept.
      return isSame ? [] : [{ objectId: file.config_object_id, pluginId, mappingId: file.connector_mapping_id }]
    }),
    counts: {
      filesScanned: published.files.length,
      objectsCreated: restored.filter((file) => !file.is_live).length,
      objectsUpdated: restored.filter((file) => file.is_live).length,
      objectsDeleted: deletions.length,
      objectsUnchanged: files.length - restored.length,
      pluginsCreated: wantedPlugins.filter(({ id }) => !liveIds.has(id)).length,
      filesAdded: begunKeys.size - changedCount,
      filesChanged: changedCount,
      filesRemoved: endedKeys.size - changedCount
    },
    pluginFileChanges
  }
}
