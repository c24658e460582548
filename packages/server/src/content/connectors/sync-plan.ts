import type { Id } from "@orgplane/schema/shared/ids"
import { makeId } from "../../infra/ids.ts"
import type { TreeEntry } from "../../infra/ports/code-host.ts"
import { flatMapSteps, jsonSteps, type Steps } from "../../infra/time-slices.ts"
import { manifestPathsOf } from "./discovery/assemble.ts"
import type { Discovery, PlannedCandidate } from "./discovery/candidate.ts"
import { marketplacePath } from "./discovery/from-marketplace.ts"
import { treeSteps, type Tree } from "./discovery/tree.ts"
import type { MappingSettings } from "./mappings-repo.ts"
import { compareFiles, type FileChange, importedFiles, type ImportedMapping, planMappings, pointerOf } from "./plan.ts"
import { isOfRemotes } from "./remote-plan.ts"
import type { InstanceRow, MappingRow, NewMapping, TargetRow } from "./repo.ts"
import type { BindingRow, TargetPluginRow } from "./sync-repo.ts"

/** The state of a branch in the organization, and the branch's content at a commit. */
export interface SyncState {
  readonly instanceId: Id<"cin">
  readonly targetId: Id<"ctg">
  readonly isAutoImporting: boolean
  readonly plugins: ReadonlyArray<Pick<TargetPluginRow, "id" | "candidate_key">>
  readonly mappings: ReadonlyArray<MappingRow>
  readonly bindings: ReadonlyArray<BindingRow>
  readonly discovery: Discovery
  readonly entries: ReadonlyArray<TreeEntry>
}

export interface AddedPlugin {
  readonly id: Id<"plg">
  readonly candidate: PlannedCandidate
}

export interface SyncPlan {
  readonly pluginIds: ReadonlyMap<string, Id<"plg">>
  readonly renamed: ReadonlyArray<{ readonly id: Id<"plg">; readonly key: string }>
  readonly added: ReadonlyArray<AddedPlugin>
  readonly imported: ReadonlyArray<PlannedCandidate>
  readonly removedPluginIds: ReadonlyArray<Id<"plg">>
  readonly newMappings: ReadonlyArray<NewMapping>
  readonly removedMappings: ReadonlyArray<MappingRow>
  readonly changes: ReadonlyArray<FileChange>
  readonly removals: ReadonlyArray<BindingRow>
  /** The bindings of the last publication. */
  readonly bindings: ReadonlyArray<BindingRow>
  /** Bindings that stay unchanged because their plugin is in another source that currently cannot be read. */
  readonly frozen: ReadonlyArray<BindingRow>
}

/** The state of a branch without content, as one text. A publication must find the same state as its plan. */
export const basisOf = function* (
  instance: InstanceRow,
  target: TargetRow,
  plugins: ReadonlyArray<TargetPluginRow>,
  mappings: ReadonlyArray<MappingRow>
): Steps<string> {
  return JSON.stringify([
    instance.remote_id,
    target.branch,
    target.last_sync_cursor,
    instance.auto_import_new_plugins,
    yield* jsonSteps(plugins, (row) => [row.id, row.candidate_key]),
    yield* jsonSteps(mappings, (row) => [row.id, row.selector, row.object_type, pluginOfMapping(row)])
  ])
}

/** The plugin that a mapping adds objects to. */
export const pluginOfMapping = (
  mapping: Pick<MappingRow, "auto_add_to_plugin" | "plugin_id"> | Pick<MappingSettings, "autoAddToPlugin" | "pluginId">
): Id<"plg"> | null => {
  if ("plugin_id" in mapping) return mapping.auto_add_to_plugin ? mapping.plugin_id : null
  return mapping.autoAddToPlugin ? mapping.pluginId : null
}

/** Computes which plugins, mappings and files differ at a commit. Deterministic for the same state. */
export const planSync = function* (state: SyncState): Steps<SyncPlan> {
  const { bindings, entries, discovery, mappings } = state
  const byKey = new Map(state.plugins.map((row) => [row.candidate_key, row.id]))
  const keys = new Set(discovery.candidates.map((candidate) => candidate.key))
  const renamed: Array<{ id: Id<"plg">; key: string }> = []
  for (const candidate of discovery.candidates) {
    yield
    const previous = byKey.has(candidate.key)
      ? undefined
      : candidate.previousKeys.find((key) => byKey.has(key) && !keys.has(key))
    const id = previous === undefined ? undefined : byKey.get(previous)
    if (previous === undefined || id === undefined) continue
    byKey.delete(previous)
    byKey.set(candidate.key, id)
    renamed.push({ id, key: candidate.key })
  }
  const isKept = unreadableHere(yield* treeSteps(entries), discovery, keys)
  const isAdding = state.isAutoImporting && !isKept(marketplaceKey)
  const added = yield* flatMapSteps(isAdding ? discovery.candidates : [], (candidate): ReadonlyArray<AddedPlugin> => {
    if (!candidate.supported || !candidate.selectedByDefault || byKey.has(candidate.key)) return []
    const id = makeId("plg")
    byKey.set(candidate.key, id)
    return [{ candidate, id }]
  })
  const imported = discovery.candidates.filter((candidate) => byKey.has(candidate.key))
  const listedPluginIds = new Set(discovery.candidates.map((candidate) => byKey.get(candidate.key)))
  const removedPluginIds = discovery.tree.truncated
    ? []
    : state.plugins.filter((row) => !listedPluginIds.has(row.id) && !isKept(row.candidate_key))
  const renamedIds = new Map(renamed.map((row) => [row.id, row.key]))
  const named = mappings.map((row) =>
    row.plugin_id !== null && renamedIds.has(row.plugin_id) && row.config_json !== null
      ? { ...row, config_json: { ...row.config_json, candidateKey: renamedIds.get(row.plugin_id) ?? null } }
      : row
  )
  const planned = yield* planMappings(imported, named, (key) => discovery.tree.truncated || isKept(key))
  const newMappings = yield* flatMapSteps(planned.added, (mapping) => {
    const pluginId = byKey.get(mapping.candidateKey)
    return pluginId === undefined ? [] : [newMapping(state, mapping, pluginId)]
  })
  const removedIds = new Set(planned.removed.map((row) => row.id))
  const isFrozen = isOfRemotes(discovery, byKey, isKept(marketplaceKey))
  const live = [
    ...(yield* flatMapSteps(mappings, (row) =>
      removedIds.has(row.id) || isFrozen(row.plugin_id, row.selector)
        ? []
        : [
            {
              id: row.id,
              plugin_id: pluginOfMapping(row),
              selector: row.selector,
              object_type: row.object_type,
              pointer: pointerOf(row)
            }
          ]
    )),
    ...newMappings.map((row) => ({
      id: row.id,
      plugin_id: row.pluginId,
      selector: row.selector,
      object_type: row.objectType,
      pointer: row.config.pointer
    }))
  ]
  const owners = new Map<string, string>(mappings.map((row) => [row.id, pluginOfMapping(row) ?? row.id]))
  const pluginIds = new Map(mappings.map((row) => [row.id, row.plugin_id]))
  const frozen: Array<BindingRow> = []
  const freeBindings: Array<BindingRow> = []
  for (const row of bindings) {
    yield
    const isHere = !isFrozen(pluginIds.get(row.connector_mapping_id) ?? null, row.path)
    ;(isHere ? freeBindings : frozen).push(row)
  }
  const { changes, gone: removals } = yield* compareFiles(
    yield* importedFiles(live, entries),
    freeBindings,
    (id) => owners.get(id) ?? id,
    // A truncated listing does not show which files were removed.
    discovery.tree.truncated
  )
  return {
    pluginIds: byKey,
    renamed,
    added,
    imported,
    removedPluginIds: removedPluginIds.map((row) => row.id),
    newMappings,
    removedMappings: planned.removed,
    changes,
    removals,
    bindings,
    frozen
  }
}

/** The objects that are no longer imported from the branch. */
export const deletionsOf = ({
  changes,
  removals
}: Pick<SyncPlan, "changes" | "removals">): ReadonlyArray<Id<"cob">> => {
  const keptObjectIds = new Set(changes.flatMap((change) => (change.kind === "added" ? [] : [change.objectId])))
  return [...new Set(removals.map((row) => row.config_object_id))].filter((id) => !keptObjectIds.has(id))
}

export const newMapping = (
  place: Pick<SyncState, "instanceId" | "targetId">,
  mapping: ImportedMapping,
  pluginId: Id<"plg">
): NewMapping => ({
  id: makeId("cmp"),
  instanceId: place.instanceId,
  targetId: place.targetId,
  selector: mapping.selector,
  objectType: mapping.objectType,
  pluginId,
  config: { candidateKey: mapping.candidateKey, pointer: mapping.pointer, component: mapping.component }
})

const marketplaceKey = "marketplace:"

/**
 * The keys of plugins that cannot be read at a commit although their manifest exists. A broken manifest does not show
 * which plugins were removed.
 */
const unreadableHere =
  (tree: Tree, discovery: Discovery, keys: ReadonlySet<string>) =>
  (key: string): boolean => {
    if (discovery.marketplace !== null) return false
    if (key.startsWith(marketplaceKey)) return tree.file(marketplacePath) !== undefined
    return !keys.has(key) && manifestPathsOf(key === "." ? "" : key).some((path) => tree.file(path) !== undefined)
  }
