import * as Effect from "effect/Effect"
import type { PluginBounds } from "../../../infra/config/settings.ts"
import { inTimeSlices } from "../../../infra/time-slices.ts"
import type { PlannedCandidate } from "./candidate.ts"
import { type Folder, type FolderFile, folderSteps } from "./folders.ts"
import { candidateWarningsMax } from "./limits.ts"
import type { Read } from "./manifests.ts"
import { showPath } from "./paths.ts"
import { isReferring, referenceBytesMax, referencesOf } from "./references.ts"
import type { Tree } from "./tree.ts"
import type { Warnings } from "./warnings.ts"

/** Maximum number of files that one discovery checks for references, and their total bytes. */
const referringFilesMax = 2000
/** The limits when each read is a request to the code host. */
const referringRequestsMax = 100
const referringBytesMax = 32 * 1_048_576
const batchFilesMax = 200
const batchBytesMax = 8 * 1_048_576
/** The maximum per plugin, so that warnings also cover other plugins. */
const brokenReferenceWarningsMax = 10

export interface FolderInput {
  readonly tree: Tree
  readonly bounds: PluginBounds
  readonly isReadByRequest: boolean
  readonly truncated: boolean
  readonly warnings: Warnings
}

/** References from a plugin's files to missing files; `contents` are the referring files, by path. */
export const brokenReferencesOf = (
  files: ReadonlyArray<Pick<FolderFile, "path">>,
  contents: ReadonlyMap<string, Uint8Array>
): ReadonlyArray<string> => {
  const there = new Set<string>()
  for (const { path } of files) {
    for (let at = path.length; at !== -1; at = path.lastIndexOf("/", at - 1)) {
      const name = path.slice(0, at)
      if (there.has(name)) break
      there.add(name)
      if (at === 0) break
    }
  }
  const brokenReferences: Array<string> = []
  const decoder = new TextDecoder()
  for (const [path, bytes] of contents) {
    for (const reference of referencesOf(path, decoder.decode(bytes))) {
      if (!there.has(reference)) {
        brokenReferences.push(`${showPath(path)} refers to ${showPath(reference)}, which is not in the plugin.`)
      }
    }
  }
  return brokenReferences.length <= brokenReferenceWarningsMax
    ? brokenReferences
    : [
        ...brokenReferences.slice(0, brokenReferenceWarningsMax),
        `${brokenReferences.length - brokenReferenceWarningsMax} more references point to files that are not in the plugin.`
      ]
}

/** The files that are checked for references. */
export const referringFiles = <A extends Pick<FolderFile, "path" | "size">>(
  files: ReadonlyArray<A>
): ReadonlyArray<A> => files.filter(({ path, size }) => size <= referenceBytesMax && isReferring(path))

/** Checks the folder of each plugin: whether it can be archived, and which references point to missing files. */
export const withFolders = Effect.fnUntraced(function* <E, R>(
  { bounds, isReadByRequest, tree, truncated, warnings }: FolderInput,
  candidates: ReadonlyArray<PlannedCandidate>,
  read: Read<E, R>
) {
  const folders = new Map<string, Folder>()
  const filesToRead: Array<{ readonly root: string; readonly path: string; readonly size: number }> = []
  for (const { remote, rootPath, supported } of candidates) {
    if (!supported || folders.has(rootPath)) continue
    const folder = truncated
      ? {
          files: [],
          bytes: 0,
          problem: "The plugin has no archive: the repository has too many files to list. Split the repository.",
          warnings: []
        }
      : yield* inTimeSlices(folderSteps(tree, rootPath, bounds))
    folders.set(rootPath, folder)
    // Plugins from other repositories were checked when they were listed.
    if (folder.problem !== null || remote !== null) continue
    for (const { path, size } of referringFiles(folder.files)) filesToRead.push({ root: rootPath, path, size })
  }
  const contents = new Map<string, Map<string, Uint8Array>>()
  let batch: Array<(typeof filesToRead)[number]> = []
  let [count, bytes, batchBytes] = [0, 0, 0]
  const flush = Effect.fnUntraced(function* () {
    const fullPathOf = ({ path, root }: (typeof filesToRead)[number]) => (root === "" ? path : `${root}/${path}`)
    const contentsRead =
      batch.length === 0 ? new Map<string, Uint8Array>() : yield* read([...new Set(batch.map(fullPathOf))])
    for (const one of batch) {
      const content = contentsRead.get(fullPathOf(one))
      if (content === undefined) continue
      const own = contents.get(one.root) ?? new Map<string, Uint8Array>()
      own.set(one.path, content)
      contents.set(one.root, own)
    }
    batch = []
    batchBytes = 0
  })
  const countMax = isReadByRequest ? referringRequestsMax : referringFilesMax
  for (const one of filesToRead) {
    if (count === countMax || bytes + one.size > referringBytesMax) break
    count += 1
    bytes += one.size
    if (batch.length === batchFilesMax || batchBytes + one.size > batchBytesMax) yield* flush()
    batch.push(one)
    batchBytes += one.size
  }
  yield* flush()
  const brokenReferences = new Map<string, ReadonlyArray<string>>()
  for (const [root, own] of contents) {
    brokenReferences.set(root, brokenReferencesOf(folders.get(root)?.files ?? [], own))
    yield* Effect.yieldNow
  }
  const seen = candidates.map((candidate): PlannedCandidate => {
    const folder = candidate.supported ? folders.get(candidate.rootPath) : undefined
    if (folder === undefined) return candidate
    const own = [
      ...(folder.problem === null ? [] : [folder.problem]),
      ...folder.warnings,
      ...(brokenReferences.get(candidate.rootPath) ?? [])
    ]
    for (const warning of own) warnings.add(`Plugin ${showPath(candidate.displayName)}: ${warning}`)
    return {
      ...candidate,
      folder: { fileCount: folder.files.length, bytes: folder.bytes, problem: folder.problem },
      warnings: [...candidate.warnings, ...own].slice(0, candidateWarningsMax)
    }
  })
  if (count < filesToRead.length) {
    warnings.add(
      `References to files were checked in only ${count} of ${filesToRead.length} files, because the repository exceeds the limit of this check.`
    )
  }
  return seen
})
