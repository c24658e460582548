import type { PluginBounds } from "../../../infra/config/settings.ts"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import type { Steps } from "../../../infra/time-slices.ts"
import { showPath } from "./paths.ts"
import type { Tree } from "./tree.ts"

/** A file of a plugin in its repository; paths are relative to the plugin's root. */
export interface FolderFile {
  readonly path: string
  readonly sha: string
  readonly size: number
  readonly isExecutable: boolean
}

const MiB = 1_048_576

/** File paths are index keys, which have a maximum length. */
const pathBytesMax = 1024
const linkWarningsMax = 10

export interface Folder {
  /** Empty if there is a problem. */
  readonly files: ReadonlyArray<FolderFile>
  readonly bytes: number
  /** Why the plugin has no archive; null if it has one. */
  readonly problem: string | null
  readonly warnings: ReadonlyArray<string>
}

const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, " ")
/** A limit in readable form and in bytes. */
const size = (bytes: number): string => (bytes % MiB === 0 ? `${bytes / MiB} MiB` : `${grouped(bytes)} bytes`)

const cut = (problem: string, fix: string): Folder => ({
  files: [],
  bytes: 0,
  problem: `The plugin has no archive: ${problem}. ${fix}`,
  warnings: []
})

/** Checks every file below a plugin's root, including nested plugins. */
export const folderSteps = function* (tree: Tree, root: string, bounds: PluginBounds): Steps<Folder> {
  const files: Array<FolderFile> = []
  const warnings: Array<string> = []
  let bytes = 0
  let escaping = 0
  const entries: ReadonlyArray<TreeEntry> = tree.withLinks(root)
  for (const entry of entries) {
    yield
    const path = root === "" ? entry.path : entry.path.slice(root.length + 1)
    if (Buffer.byteLength(path) > pathBytesMax) {
      warnings.push(`Ignored ${showPath(entry.path)}: its path is longer than ${pathBytesMax} bytes.`)
      continue
    }
    if (entry.linkTo !== undefined && root !== "" && !entry.linkTo.startsWith(`${root}/`)) {
      escaping += 1
      if (escaping <= linkWarningsMax) {
        warnings.push(
          `Ignored ${showPath(entry.path)}: it is a symbolic link to ${showPath(entry.linkTo)}, outside the plugin's folder. Copy the file into the plugin.`
        )
      }
      continue
    }
    if (entry.size > bounds.fileBytesMax) {
      return cut(
        `${showPath(entry.path)} has ${grouped(entry.size)} bytes, and the limit for a file is ${size(bounds.fileBytesMax)}`,
        "Make the file smaller, keep it elsewhere, or raise ORGPLANE_PLUGIN_FILE_BYTES."
      )
    }
    bytes += entry.size
    files.push({ path, sha: entry.sha, size: entry.size, isExecutable: entry.isExecutable === true })
  }
  if (files.length > bounds.filesMax) {
    return cut(
      `its folder has ${grouped(files.length)} files, and the limit is ${grouped(bounds.filesMax)}`,
      "Move files out of its folder, or raise ORGPLANE_PLUGIN_FILES."
    )
  }
  if (bytes > bounds.bytesMax) {
    return cut(
      `its folder has ${grouped(bytes)} bytes, and the limit is ${size(bounds.bytesMax)}`,
      "Move files out of its folder, or raise ORGPLANE_PLUGIN_BYTES."
    )
  }
  if (escaping > linkWarningsMax) {
    warnings.push(`${escaping - linkWarningsMax} more symbolic links point outside the plugin's folder.`)
  }
  return { files, bytes, problem: null, warnings }
}
