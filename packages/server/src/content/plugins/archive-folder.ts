import { jsonFault } from "../../infra/http/json-bounds.ts"
import {
  below,
  componentOf,
  describedOf,
  fileRows,
  type FolderRows,
  inlineInOrder,
  type Inline,
  inPathOrder,
  isObject,
  type Json,
  type JsonObject,
  type LayoutResult,
  type LaidFile,
  layOthers,
  layOwn,
  listedPaths,
  manifestText,
  merged,
  type ObjectRow,
  type PluginRow,
  rootOf,
  textFile,
  valueOf
} from "./archive-layout.ts"
import { makeNames, manifestPath, refusalOf } from "./archive-names.ts"
import { withoutTrailing } from "../../infra/normalize.ts"

/** Components from outside the folder that its manifest does not have. */
interface Additions {
  readonly paths: ReadonlyMap<string, ReadonlyArray<string>>
  readonly inline: ReadonlyArray<Inline>
}

const additionsOf = (plugin: PluginRow, inline: ReadonlyArray<Inline>): Additions => {
  const root = rootOf(plugin)
  const isInManifest = ({ row }: Inline) =>
    row.is_mapped && row.relative_path !== null && below(root, row.relative_path) === manifestPath
  return { paths: listedPaths(plugin, root), inline: inlineInOrder(inline).filter((one) => !isInManifest(one)) }
}

/** Whether a user archived an inline component of the manifest. */
const hasArchivedInline = (plugin: PluginRow, { archived }: FolderRows): boolean =>
  archived.some(
    ({ path, pointer }) => pointer !== null && path !== null && below(rootOf(plugin), path) === manifestPath
  )

/** The digest of the folder's manifest, when the archive depends on its text. */
export const manifestToRead = (
  plugin: PluginRow,
  folder: FolderRows,
  inline: ReadonlyArray<Inline>
): string | undefined => {
  const manifestFile = folder.files.find(({ path }) => path === manifestPath)
  if (manifestFile === undefined || hasArchivedInline(plugin, folder)) return undefined
  const { inline: added, paths } = additionsOf(plugin, inline)
  return added.length === 0 && paths.size === 0 ? undefined : manifestFile.digest
}

const plain = (path: string): string =>
  withoutTrailing(
    path
      .replace(/^\$\{CLAUDE_PLUGIN_ROOT\}\//u, "")
      .replace(/^(?:\.\/)+/u, "")
      .replace(/\/SKILL\.md$/u, ""),
    "/"
  )

const listOf = (value: Json | undefined): ReadonlyArray<Json> =>
  value === undefined || value === null ? [] : Array.isArray(value) ? (value as ReadonlyArray<Json>) : [value]

/** The repository's manifest merged with other components; undefined when it already contains all of them. */
const withAdditions = (manifest: JsonObject, { inline, paths }: Additions): string | undefined => {
  const inlineByComponent = Map.groupBy(inline, ({ row }) => componentOf(row))
  const changed: Record<string, Json> = {}
  for (const component of new Set([...paths.keys(), ...inlineByComponent.keys()])) {
    const before = listOf(manifest[component])
    const statedPaths = new Set(before.map((one) => (typeof one === "string" ? plain(one) : "")))
    const missingPaths = (paths.get(component) ?? []).filter((path) => !statedPaths.has(plain(path)))
    const values = (inlineByComponent.get(component) ?? []).flatMap((one) => valueOf(one) ?? [])
    if (missingPaths.length === 0 && values.length === 0) continue
    const inlineValue = values.length === 0 ? [] : [merged(component, values)]
    const all = [...before, ...missingPaths, ...inlineValue]
    const [only] = all
    changed[component] = all.length === 1 && isObject(only) ? only : all
  }
  return Object.keys(changed).length === 0 ? undefined : `${JSON.stringify({ ...manifest, ...changed }, null, 2)}\n`
}

/** The manifest as JSON; undefined if it is not an object, or has more values than may be parsed at once. */
const readManifest = (text: string | undefined): JsonObject | undefined => {
  if (text === undefined || jsonFault(new TextEncoder().encode(text)) !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Lays out the archive of a plugin from a repository: every file of its folder unchanged, then objects that members and
 * other repositories have added. The repository's manifest is used unchanged if it lists all components. Archived
 * objects are omitted.
 */
export const layFolder = (
  plugin: PluginRow,
  folder: FolderRows,
  rows: ReadonlyArray<ObjectRow>,
  inline: ReadonlyArray<Inline>,
  /** The text for `manifestToRead`. */
  manifest: string | undefined
): LayoutResult => {
  const root = rootOf(plugin)
  const names = makeNames()
  const ownPath = (row: ObjectRow) => (row.relative_path === null ? undefined : below(root, row.relative_path))
  const isOwn = (row: ObjectRow) => row.is_mapped && ownPath(row) !== undefined
  const inOrder = fileRows(rows)
  const alive = new Set(inOrder.filter(isOwn).map(ownPath))
  const archived = new Set(
    folder.archived.flatMap(({ path, pointer }) => {
      const archivedPath = path === null || pointer !== null ? undefined : below(root, path)
      return archivedPath === undefined || alive.has(archivedPath) ? [] : [archivedPath]
    })
  )
  const files: Array<LaidFile> = []
  let ownManifest: LaidFile | undefined
  const there = new Set<string>()
  for (const { bytes, digest, is_executable: isExecutable, path } of folder.files) {
    if (archived.has(path)) continue
    const file: LaidFile = { path, isExecutable, bytes, source: { kind: "blob", digest } }
    if (path === manifestPath) {
      ownManifest = file
      continue
    }
    const refusal = refusalOf(path)
    if (refusal !== undefined) return { ok: false, message: `The path ${JSON.stringify(path)} ${refusal}.` }
    const other = names.take(path)
    if (other !== undefined) {
      return {
        ok: false,
        message: `The files ${JSON.stringify(path)} and ${JSON.stringify(other)} have the same path in the archive.`
      }
    }
    there.add(path)
    files.push(file)
  }
  const ownFiles = layOwn(
    inOrder.filter((row) => isOwn(row) && !there.has(ownPath(row) ?? "")),
    ownPath,
    names
  )
  if (typeof ownFiles === "string") return { ok: false, message: ownFiles }
  const others = layOthers(
    inOrder.filter((row) => !isOwn(row)),
    names
  )
  const parsedManifest = readManifest(manifest)
  const allFiles = [...files, ...ownFiles, ...others]
  const text =
    ownManifest === undefined || hasArchivedInline(plugin, folder)
      ? manifestText(plugin, root, inlineInOrder(inline), allFiles)
      : parsedManifest === undefined
        ? undefined
        : withAdditions(parsedManifest, additionsOf(plugin, inline))
  const laidManifest = text === undefined ? ownManifest : textFile(manifestPath, text)
  return {
    ok: true,
    name: describedOf(plugin).name,
    files: inPathOrder(laidManifest === undefined ? allFiles : [...allFiles, laidManifest])
  }
}
