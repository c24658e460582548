import type { ObjectType } from "@orgplane/schema/connectors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { TreeEntry } from "../../infra/ports/code-host.ts"
import type { Steps } from "../../infra/time-slices.ts"
import type { PlannedCandidate } from "./discovery/candidate.ts"
import { filesIn, type MappedFile } from "./discovery/files.ts"
import { treeSteps } from "./discovery/tree.ts"
import type { MappingRow } from "./repo.ts"
import type { BindingRow } from "./sync-repo.ts"

/** The identity of an imported mapping. It is stable as long as its plugin declares the same component. */
export interface ImportedMapping {
  readonly candidateKey: string
  readonly selector: string
  readonly objectType: ObjectType
  readonly pointer: string | null
  readonly component: string
}

const keyOf = (mapping: Omit<ImportedMapping, "component">) =>
  JSON.stringify([mapping.candidateKey, mapping.selector, mapping.objectType, mapping.pointer])

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

const importedKey = (row: MappingRow): string | null => {
  const candidateKey = text(row.config_json?.["candidateKey"])
  return candidateKey === null
    ? null
    : keyOf({
        candidateKey,
        selector: row.selector,
        objectType: row.object_type,
        pointer: text(row.config_json?.["pointer"])
      })
}

/** Whether an import created the mapping; otherwise it is manual. */
export const isImported = (row: Pick<MappingRow, "config_json">): boolean =>
  text(row.config_json?.["candidateKey"]) !== null

export const pointerOf = (row: MappingRow): string | null => text(row.config_json?.["pointer"])

/**
 * Compares the mappings that imported plugins need with the existing ones. Manual mappings are not changed, and a
 * plugin that cannot be read at this commit, or only partly, keeps its mappings.
 */
export const planMappings = function* (
  candidates: ReadonlyArray<PlannedCandidate>,
  rows: ReadonlyArray<MappingRow>,
  isKept: (candidateKey: string) => boolean
): Steps<{ readonly added: ReadonlyArray<ImportedMapping>; readonly removed: ReadonlyArray<MappingRow> }> {
  const wantedMappings = new Map<string, ImportedMapping>()
  const unreadable = new Set<string>()
  for (const candidate of candidates) {
    yield
    if (!candidate.supported) unreadable.add(candidate.key)
    for (const { component, objectType, pointer, selector } of candidate.plan) {
      const mapping = { candidateKey: candidate.key, selector, objectType, pointer, component }
      wantedMappings.set(keyOf(mapping), mapping)
    }
  }
  const removed: Array<MappingRow> = []
  for (const row of rows) {
    yield
    const key = importedKey(row)
    if (key === null) continue
    const candidateKey = text(row.config_json?.["candidateKey"]) ?? ""
    if (wantedMappings.delete(key) || isKept(candidateKey) || unreadable.has(candidateKey)) continue
    removed.push(row)
  }
  return { added: [...wantedMappings.values()], removed }
}

/** A file to import through a mapping. */
export interface ImportedFile extends MappedFile {
  readonly mappingId: Id<"cmp">
  readonly pluginId: Id<"plg"> | null
}

/**
 * Every file that the mappings import at a commit. A file that several mappings of a plugin select is imported once.
 */
export const importedFiles = function* (
  mappings: ReadonlyArray<{
    readonly id: Id<"cmp">
    readonly plugin_id: Id<"plg"> | null
    readonly selector: string
    readonly object_type: ObjectType
    readonly pointer: string | null
  }>,
  entries: ReadonlyArray<TreeEntry>
): Steps<ReadonlyArray<ImportedFile>> {
  const tree = yield* treeSteps(entries)
  const seen = new Set<string>()
  const files: Array<ImportedFile> = []
  for (const { id, object_type: objectType, plugin_id: pluginId, pointer, selector } of mappings) {
    yield
    for (const file of filesIn(tree, { selector, objectType, pointer })) {
      yield
      const key = JSON.stringify([pluginId ?? id, file.path, file.pointer, file.objectType])
      if (seen.has(key)) continue
      seen.add(key)
      const { path, sha, size } = file
      files.push({ path, sha, size, objectType: file.objectType, pointer: file.pointer, mappingId: id, pluginId })
    }
  }
  return files
}

/** The change that a sync makes for one file. */
export type FileChange =
  | { readonly kind: "unchanged"; readonly file: ImportedFile; readonly objectId: Id<"cob"> }
  | { readonly kind: "moved"; readonly file: ImportedFile; readonly objectId: Id<"cob"> }
  | { readonly kind: "changed"; readonly file: ImportedFile; readonly objectId: Id<"cob"> }
  | { readonly kind: "added"; readonly file: ImportedFile }

/** An entry of a marketplace identifies the same plugin at any position of the list. */
const inEntry = (pointer: string) => pointer.replace(/^\/plugins\/\d+\//u, "/plugins/-/")

const place = (owner: string, path: string, pointer: string, objectType: string) =>
  JSON.stringify([owner, path, inEntry(pointer), objectType])

/**
 * Compares the files of a commit with the bindings by blob: the same path with the same blob is unchanged, the same
 * path with another blob is a new version, and a new path with a blob that was just removed from the plugin is a
 * rename. A truncated listing cannot show which files were removed.
 */
export const compareFiles = function* (
  files: ReadonlyArray<ImportedFile>,
  bindings: ReadonlyArray<BindingRow>,
  ownerOf: (mappingId: Id<"cmp">) => string,
  isTruncated: boolean
): Steps<{ readonly changes: ReadonlyArray<FileChange>; readonly gone: ReadonlyArray<BindingRow> }> {
  const bound = new Map<string, BindingRow>()
  for (const row of bindings) {
    bound.set(place(ownerOf(row.connector_mapping_id), row.path, row.pointer, row.object_type), row)
    yield
  }
  const fresh: Array<ImportedFile> = []
  const changes: Array<FileChange> = []
  for (const file of files) {
    yield
    const key = place(file.pluginId ?? file.mappingId, file.path, file.pointer ?? "", file.objectType)
    const row = bound.get(key)
    if (row === undefined) {
      fresh.push(file)
      continue
    }
    bound.delete(key)
    changes.push({
      kind: row.blob_sha === file.sha ? "unchanged" : "changed",
      file,
      objectId: row.config_object_id
    })
  }
  const left = new Map<string, Array<BindingRow>>()
  for (const row of isTruncated ? [] : bound.values()) {
    yield
    const key = place(ownerOf(row.connector_mapping_id), row.blob_sha, row.pointer, row.object_type)
    const same = left.get(key)
    if (same === undefined) left.set(key, [row])
    else same.push(row)
  }
  for (const file of fresh) {
    yield
    const moved = left
      .get(place(file.pluginId ?? file.mappingId, file.sha, file.pointer ?? "", file.objectType))
      ?.shift()
    if (moved === undefined) changes.push({ kind: "added", file })
    else {
      bound.delete(place(ownerOf(moved.connector_mapping_id), moved.path, moved.pointer, moved.object_type))
      changes.push({ kind: "moved", file, objectId: moved.config_object_id })
    }
  }
  return { changes, gone: isTruncated ? [] : [...bound.values()] }
}

/** Whether a removal requires approval: more than 30% of the objects, and more than five. */
export const needsReview = (removed: number, present: number): boolean => removed > 5 && removed > present * 0.3
