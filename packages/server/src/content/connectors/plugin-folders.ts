import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import type { PluginBounds } from "../../infra/config/settings.ts"
import { startSha256 } from "../../infra/crypto/digest.ts"
import type { TreeEntry } from "../../infra/ports/code-host.ts"
import type { Steps } from "../../infra/time-slices.ts"
import type { PlannedCandidate } from "./discovery/candidate.ts"
import { type Folder, type FolderFile, folderSteps } from "./discovery/folders.ts"
import { treeSteps } from "./discovery/tree.ts"
import type { PluginFileChanges, PluginFileRow } from "./plugin-files-repo.ts"

/** Increase this when the same commit would produce different files. */
const readingFormat = 1

/** The version of the import rules for plugin files: a branch that was read with another version is read again. */
export const readingVersion = ({ bytesMax, fileBytesMax, filesMax }: PluginBounds): string =>
  `${readingFormat}/${fileBytesMax}/${filesMax}/${bytesMax}`

/** Maximum files of all plugins of a branch: plugins may share a folder, and each has a row per file. */
const filesInAllMax = 100_000

/** A file of a plugin that differs from what the branch has published. */
export interface FolderChange {
  readonly kind: "added" | "changed" | "removed"
  readonly pluginId: Id<"plg">
  /** From the plugin's root. */
  readonly path: string
  /** From the repository's. */
  readonly fullPath: string
  /** Absent if the file is removed. */
  readonly file?: FolderFile
}

/** The target content of each plugin's folder, for the plugins that were read. */
export interface WantedFolder {
  readonly files: ReadonlyArray<FolderFile>
  readonly problem: string | null
}

export interface FolderPlan {
  readonly wanted: ReadonlyMap<Id<"plg">, WantedFolder>
  readonly changes: ReadonlyArray<FolderChange>
  readonly rows: ReadonlyArray<PluginFileRow>
}

export interface FolderState {
  readonly imported: ReadonlyArray<PlannedCandidate>
  readonly pluginIds: ReadonlyMap<string, Id<"plg">>
  readonly removedPluginIds: ReadonlyArray<Id<"plg">>
  readonly entries: ReadonlyArray<TreeEntry>
  readonly truncated: boolean
  readonly bounds: PluginBounds
  /** The published files of the branch. */
  readonly rows: ReadonlyArray<PluginFileRow>
  /** Reads every file again, even when its git blob is unchanged. */
  readonly isReread: boolean
}

const join = (root: string, path: string) => (root === "" ? path : `${root}/${path}`)

/**
 * The differences between the folders of a commit and the published files of the branch. A plugin that cannot be read
 * at this commit keeps its files.
 */
export const planFolders = function* (state: FolderState): Steps<FolderPlan> {
  const { bounds, entries, imported, pluginIds: knownIds, rows, truncated } = state
  const tree = yield* treeSteps(entries)
  const before = new Map<string, Map<string, PluginFileRow>>()
  for (const row of rows) {
    yield
    const own = before.get(row.plugin_id)
    if (own === undefined) before.set(row.plugin_id, new Map([[row.path, row]]))
    else own.set(row.path, row)
  }
  const folders = new Map<string, Folder>()
  const wanted = new Map<Id<"plg">, WantedFolder>()
  const changes: Array<FolderChange> = []
  let total = 0
  const remove = function* (pluginId: Id<"plg">, root: string, left: ReadonlyMap<string, PluginFileRow> | undefined) {
    for (const path of left?.keys() ?? []) {
      yield
      changes.push({ kind: "removed", pluginId, path, fullPath: join(root, path) })
    }
  }
  for (const { key, rootPath, supported } of imported) {
    yield
    const pluginId = knownIds.get(key)
    // A truncated listing cannot show which files were removed.
    if (pluginId === undefined || !supported || truncated || wanted.has(pluginId)) continue
    const folder = folders.get(rootPath) ?? (yield* folderSteps(tree, rootPath, bounds))
    folders.set(rootPath, folder)
    const left = new Map(before.get(pluginId))
    total += folder.files.length
    const problem =
      folder.problem ??
      (total > filesInAllMax
        ? `The plugin has no archive: the plugins of the branch have more than ${filesInAllMax} files in total. List fewer plugins, or give each its own folder.`
        : null)
    wanted.set(pluginId, { files: problem === null ? folder.files : [], problem })
    for (const file of problem === null ? folder.files : []) {
      yield
      const row = left.get(file.path)
      left.delete(file.path)
      const isSame = !state.isReread && row?.blob_sha === file.sha && row.is_executable === file.isExecutable
      if (isSame) continue
      const kind = row === undefined ? ("added" as const) : ("changed" as const)
      changes.push({ kind, pluginId, path: file.path, fullPath: join(rootPath, file.path), file })
    }
    yield* remove(pluginId, rootPath, left)
  }
  for (const pluginId of state.removedPluginIds) {
    if (!wanted.has(pluginId)) yield* remove(pluginId, "", before.get(pluginId))
  }
  return { wanted, changes, rows }
}

export interface FolderOutcome {
  readonly changes: PluginFileChanges
  /** The file summaries for the manifests of the plugins that were read. */
  readonly fileSummaries: ReadonlyMap<Id<"plg">, JsonObject>
  readonly counts: { readonly filesAdded: number; readonly filesChanged: number; readonly filesRemoved: number }
}

/** Turns a plan into rows, once the contents are stored. `digests` maps git blob SHAs to content digests. */
export const resolveFolders = function* (
  { changes, rows, wanted }: FolderPlan,
  digests: ReadonlyMap<string, string>,
  /** Whether the change is counted as a change of a config object. */
  isCounted: (pluginId: Id<"plg">, fullPath: string) => boolean
): Steps<FolderOutcome> {
  const now = new Map<string, PluginFileRow>()
  const keyOf = (pluginId: string, path: string) => `${pluginId}\0${path}`
  for (const row of rows) {
    yield
    now.set(keyOf(row.plugin_id, row.path), row)
  }
  const closed: Array<PluginFileChanges["closed"][number]> = []
  const opened: Array<PluginFileRow> = []
  const counts = { filesAdded: 0, filesChanged: 0, filesRemoved: 0 }
  for (const { file, fullPath, path, pluginId } of changes) {
    yield
    const key = keyOf(pluginId, path)
    const row = now.get(key)
    const digest = file === undefined ? undefined : digests.get(file.sha)
    if (row === undefined && digest === undefined) continue
    const next: PluginFileRow | undefined =
      file === undefined || digest === undefined
        ? undefined
        : { plugin_id: pluginId, path, is_executable: file.isExecutable, blob_sha: file.sha, digest }
    if (
      row !== undefined &&
      next !== undefined &&
      row.digest === next.digest &&
      row.blob_sha === next.blob_sha &&
      row.is_executable === next.is_executable
    ) {
      continue
    }
    if (row !== undefined) closed.push({ plugin_id: pluginId, path })
    if (next === undefined) now.delete(key)
    else {
      opened.push(next)
      now.set(key, next)
    }
    if (isCounted(pluginId, fullPath)) continue
    if (row === undefined) counts.filesAdded += 1
    else if (next === undefined) counts.filesRemoved += 1
    else counts.filesChanged += 1
  }
  const fileSummaries = new Map<Id<"plg">, JsonObject>()
  for (const [pluginId, { files, problem }] of wanted) {
    yield
    if (problem !== null) {
      fileSummaries.set(pluginId, { problem })
      continue
    }
    const hash = startSha256()
    let count = 0
    let bytes = 0
    for (const { path, size } of files) {
      yield
      const row = now.get(keyOf(pluginId, path))
      if (row === undefined) continue
      count += 1
      bytes += size
      hash.update(new TextEncoder().encode(`${row.is_executable ? "100755" : "100644"} ${row.digest} ${path}\n`))
    }
    fileSummaries.set(pluginId, { count, bytes, digest: hash.digest() })
  }
  return { changes: { closed, opened }, fileSummaries, counts }
}

/** The changes that restore the files of a branch's plugins to a publication. */
export const restoreFolders = (
  now: ReadonlyArray<PluginFileRow>,
  then: ReadonlyArray<PluginFileRow>
): PluginFileChanges => {
  const keyOf = (row: PluginFileRow) => `${row.plugin_id}\0${row.path}`
  const left = new Map(now.map((row) => [keyOf(row), row]))
  const opened: Array<PluginFileRow> = []
  const closed: Array<PluginFileRow> = []
  for (const row of then) {
    const current = left.get(keyOf(row))
    left.delete(keyOf(row))
    if (
      current !== undefined &&
      current.digest === row.digest &&
      current.blob_sha === row.blob_sha &&
      current.is_executable === row.is_executable
    ) {
      continue
    }
    if (current !== undefined) closed.push(current)
    opened.push(row)
  }
  return { opened, closed: [...closed, ...left.values()] }
}
