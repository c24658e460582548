import type { ObjectType } from "@orgplane/schema/connectors"
import { makeNames, manifestPath, type Names, refusalOf, slug } from "./archive-names.ts"
import { componentPaths } from "./component-paths.ts"
import { withoutTrailing } from "../../infra/normalize.ts"

/**
 * Increase this when the same content would produce different bytes because of a new layout or a new version of a
 * library.
 */
export const archiveFormat = 2

export const filesMax = 10_000
export const bytesMax = 100_000_000
/** Maximum inline content, which is in memory at the same time. */
export const inlineBytesMax = 8 * 1_048_576

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** An object of a plugin, without its content. */
export interface ObjectRow {
  readonly object_id: string
  readonly version_id: string
  readonly object_type: ObjectType
  readonly title: string
  readonly file_name: string | null
  readonly relative_path: string | null
  /** Whether a mapping added it to the plugin. */
  readonly is_mapped: boolean
  /** The location in a manifest; null if it is a file. */
  readonly pointer: string | null
  readonly component: string | null
  readonly bytes: number
  readonly has_text: boolean
  readonly is_executable: boolean
}

/** A plugin as stored: its canonical manifest, or none if it was created manually. */
export interface PluginRow {
  readonly name: string
  readonly description: string | null
  readonly manifest_json: {
    readonly id?: unknown
    readonly resources?: unknown
    readonly setup?: unknown
    readonly lifecycle?: unknown
  } | null
}

/** The author's description of a plugin; members are absent if the author did not set them. */
export interface Described {
  readonly name: string
  readonly displayName?: string
  readonly description?: string
  readonly version?: string
  readonly author?: { readonly name: string; readonly email?: string; readonly url?: string }
  readonly homepage?: string
  readonly repository?: string
  readonly license?: string
  readonly category?: string
  readonly tags?: ReadonlyArray<string>
  readonly keywords?: ReadonlyArray<string>
}

const textMember = <K extends string>(name: K, value: unknown): { readonly [N in K]?: string } =>
  typeof value === "string" && value !== "" ? ({ [name]: value } as { readonly [N in K]: string }) : {}

const textListMember = <K extends string>(name: K, value: unknown): { readonly [N in K]?: ReadonlyArray<string> } => {
  const texts: ReadonlyArray<string> = Array.isArray(value) ? value.filter((item) => typeof item === "string") : []
  return texts.length === 0 ? {} : ({ [name]: texts } as { readonly [N in K]: ReadonlyArray<string> })
}

const authorOf = (value: unknown): Pick<Described, "author"> => {
  const { email, name, url } = objectOf(value)
  return typeof name === "string" ? { author: { name, ...textMember("email", email), ...textMember("url", url) } } : {}
}

/** The description members of a plugin, in the usual order of the public format. */
export const describedOf = (plugin: PluginRow): Described => {
  const metadata = objectOf(objectOf(plugin.manifest_json?.lifecycle)["metadata"])
  const statedName = typeof metadata["name"] === "string" ? metadata["name"] : plugin.name
  const name = slug(statedName, "plugin")
  return {
    name,
    ...(plugin.name === name ? {} : { displayName: plugin.name }),
    ...textMember("description", plugin.description),
    ...textMember("version", metadata["version"]),
    ...authorOf(metadata["author"]),
    ...textMember("homepage", metadata["homepage"]),
    ...textMember("repository", metadata["repository"]),
    ...textMember("license", metadata["license"]),
    ...textMember("category", metadata["category"]),
    ...textListMember("tags", metadata["tags"]),
    ...textListMember("keywords", metadata["keywords"])
  }
}

/** The folder of a plugin in its repository. "" is the repository itself, or a plugin that was created manually. */
export const rootOf = ({ manifest_json }: PluginRow): string => {
  const root = objectOf(manifest_json?.setup)["rootPath"]
  if (typeof root === "string") return root
  const key = manifest_json?.id
  return typeof key === "string" && key !== "." && !key.startsWith("marketplace:") ? key : ""
}

export const below = (root: string, path: string): string | undefined =>
  root === "" ? path : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined

const usual: Readonly<Record<string, string>> = componentPaths

const isFound = (component: string, path: string): boolean => {
  const folder = usual[component] ?? ""
  if (path === folder) return true
  if (!path.startsWith(`${folder}/`)) return false
  // Skills are found one level down, Markdown at any depth.
  return component === "skills"
    ? !path.slice(folder.length + 1).includes("/")
    : component === "agents" || component === "commands"
}

/** Components outside the default paths, as paths for the manifest, by member. */
export const listedPaths = (plugin: PluginRow, root: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const listed = new Map<string, Array<string>>()
  const resources = plugin.manifest_json?.resources
  for (const resource of Array.isArray(resources) ? resources : []) {
    const { component, pointer, selector } = objectOf(resource)
    if (typeof component !== "string" || typeof selector !== "string" || pointer !== null) continue
    if (!(component in usual)) continue
    const folder = component === "skills" ? selector.replace(/(?:^|\/)SKILL\.md$/u, "") : selector
    const path = folder === root || folder === "." || folder === "" ? "" : below(root, folder)
    if (path === undefined || isFound(component, path)) continue
    const paths = listed.get(component)
    if (paths === undefined) listed.set(component, [`./${path}`])
    else paths.push(`./${path}`)
  }
  return listed
}

/** The source of a file's bytes: a version of an object, a repository file by its digest, or a text. */
export type Source =
  | { readonly kind: "version"; readonly versionId: string }
  | { readonly kind: "blob"; readonly digest: string }
  | { readonly kind: "text"; readonly text: string }

/** A file of an archive. It is never a symbolic link: a link in a repository is written as a copy of its target. */
export interface LaidFile {
  readonly path: string
  readonly isExecutable: boolean
  /** The approximate number of bytes read for it. */
  readonly bytes: number
  readonly source: Source
}

/** A file of the plugin's folder in its repository; the path is relative to the plugin's root. */
export interface FolderFileRow {
  readonly path: string
  readonly is_executable: boolean
  readonly digest: string
  readonly bytes: number
}

/** The folder of a plugin from a repository. */
export interface FolderRows {
  readonly files: ReadonlyArray<FolderFileRow>
  /** Paths of archived objects, whose files are omitted. */
  readonly archived: ReadonlyArray<{ readonly path: string | null; readonly pointer: string | null }>
}

/** The content of an inline object. */
export interface Inline {
  readonly row: ObjectRow
  readonly text: string | null
  readonly payload: unknown
}

export type LayoutResult =
  | { readonly ok: true; readonly name: string; readonly files: ReadonlyArray<LaidFile> }
  | { readonly ok: false; readonly message: string }

/** Whether an object becomes a member of the manifest: an inline component, or manually created servers and hooks. */
export const isInline = (row: ObjectRow): boolean =>
  row.pointer !== null || (!row.is_mapped && (row.object_type === "mcp" || row.object_type === "hook"))

export const componentOf = (row: ObjectRow): string =>
  row.component ?? (row.object_type === "mcp" ? "mcpServers" : row.object_type === "hook" ? "hooks" : "settings")

const parsed = (text: string | null): unknown => {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value that an inline object adds to its member: servers by name, hooks by event, monitors as a list. */
export const valueOf = ({ payload, row, text }: Inline): Json | undefined => {
  const component = componentOf(row)
  const parsedText = parsed(text) as Json | undefined
  // The manifest contains the map directly; a separate file wraps it in a named member.
  const wrapped = component === "hooks" ? "hooks" : "mcpServers"
  if (component === "hooks" || component === "mcpServers") {
    const storedValue = objectOf(payload)[component === "hooks" ? "hooks" : "servers"]
    const own = isObject(parsedText) ? (parsedText[wrapped] ?? parsedText) : storedValue
    return isObject(own) ? own : undefined
  }
  return parsedText ?? (payload as Json | undefined)
}

/** Numbers duplicate names. The counter continues for each name, so that ten thousand equal names take linear time. */
export const makeFree = (isTaken: (name: string) => boolean) => {
  const counts = new Map<string, number>()
  return (name: string): string => {
    if (!isTaken(name)) return name
    for (let count = (counts.get(name) ?? 1) + 1; ; count += 1) {
      const candidate = `${name}-${count}`
      if (isTaken(candidate)) continue
      counts.set(name, count)
      return candidate
    }
  }
}

/** Merges several inline objects of one member without losing any. */
export const merged = (component: string, values: ReadonlyArray<Json>): Json => {
  if (component === "monitors")
    return values.flatMap((value) => (Array.isArray(value) ? (value as Array<Json>) : [value]))
  const result: Record<string, Json> = Object.create(null) as Record<string, Json>
  const free = makeFree((name) => name in result)
  const events = new Map<string, Array<Json>>()
  for (const value of values) {
    for (const [name, member] of Object.entries(objectOf(value))) {
      if (component === "hooks" && Array.isArray(member)) {
        const before = events.get(name)
        if (before !== undefined) {
          for (const one of member as ReadonlyArray<Json>) before.push(one)
          continue
        }
        if (!(name in result)) {
          const all = [...(member as ReadonlyArray<Json>)]
          events.set(name, all)
          result[name] = all
          continue
        }
      }
      result[component === "settings" ? name : free(name)] = member
    }
  }
  return result
}

/** Claude Code requires agents as a list of files and rejects a folder. */
const agentFiles = (listed: ReadonlyArray<string>, files: ReadonlyArray<LaidFile>): ReadonlyArray<string> =>
  listed.flatMap((path) => {
    if (path.endsWith(".md")) return [path]
    const folder = `${withoutTrailing(path, "/")}/`
    return files.map((file) => `./${file.path}`).filter((file) => file.startsWith(folder) && file.endsWith(".md"))
  })

export const manifestText = (
  plugin: PluginRow,
  root: string,
  inline: ReadonlyArray<Inline>,
  files: ReadonlyArray<LaidFile>
): string => {
  const { category: _category, tags: _tags, ...described } = describedOf(plugin)
  const listed = listedPaths(plugin, root)
  const inlineByComponent = Map.groupBy(inline, ({ row }) => componentOf(row))
  const members = Object.keys(usual).flatMap((component): ReadonlyArray<readonly [string, Json]> => {
    const values = (inlineByComponent.get(component) ?? []).flatMap((one) => valueOf(one) ?? [])
    const manifestPaths = listed.get(component) ?? []
    const paths = component === "agents" ? agentFiles(manifestPaths, files) : manifestPaths
    const mergedValue = values.length === 0 ? undefined : merged(component, values)
    if (mergedValue === undefined) return paths.length === 0 ? [] : [[component, paths]]
    return [[component, paths.length === 0 ? mergedValue : [...paths, mergedValue]]]
  })
  return `${JSON.stringify({ ...described, ...Object.fromEntries(members) }, null, 2)}\n`
}

/**
 * The path of an object without a repository path: its own file name, or a generated name for its type with the number
 * `count`.
 */
const placeOf = (row: ObjectRow, count: number): string => {
  const stem = slug(row.title, row.object_type)
  const word = count === 1 ? stem : `${stem}-${count}`
  const name = row.file_name ?? ""
  const isName = refusalOf(name) === undefined && !/[/\\]/u.test(name)
  const extension = /\.[A-Za-z0-9]{1,16}$/u.exec(isName ? name : "")?.[0] ?? (row.has_text ? ".md" : ".json")
  const file = isName && count === 1 ? name : `${word}${extension}`
  switch (row.object_type) {
    case "skill":
      return `skills/${word}/SKILL.md`
    case "agent":
      return `agents/${word}.md`
    case "command":
      return `commands/${word}.md`
    case "tool":
      return `tools/${file}`
    case "context":
      return `context/${file}`
    default:
      return `custom/${file}`
  }
}

const byId = (a: ObjectRow, b: ObjectRow): number => (a.object_id < b.object_id ? -1 : 1)

/** Rows that become files, in order of precedence. */
export const fileRows = (rows: ReadonlyArray<ObjectRow>): ReadonlyArray<ObjectRow> =>
  rows.filter((row) => !isInline(row)).sort(byId)

export const inlineInOrder = (inline: ReadonlyArray<Inline>): ReadonlyArray<Inline> =>
  [...inline].sort((a, b) => byId(a.row, b.row))

export const inPathOrder = (files: ReadonlyArray<LaidFile>): ReadonlyArray<LaidFile> =>
  [...files].sort((a, b) => (a.path < b.path ? -1 : 1))

export const textFile = (path: string, text: string): LaidFile => ({
  path,
  isExecutable: false,
  bytes: 0,
  source: { kind: "text", text }
})

const versionFile = (path: string, row: ObjectRow): LaidFile => ({
  path,
  isExecutable: row.is_executable,
  bytes: row.bytes,
  source: { kind: "version", versionId: row.version_id }
})

/** Places objects of the plugin's folder at their original paths; returns a message if two would have the same path. */
export const layOwn = (
  rows: ReadonlyArray<ObjectRow>,
  ownPath: (row: ObjectRow) => string | undefined,
  names: Names
): ReadonlyArray<LaidFile> | string => {
  const files: Array<LaidFile> = []
  const taken = new Set<string>()
  for (const row of rows) {
    const path = ownPath(row) ?? ""
    // One file can contain two types of object. The manifest is generated.
    if (taken.has(path) || path === manifestPath) continue
    taken.add(path)
    const refusal = refusalOf(path)
    if (refusal !== undefined) return `The path ${JSON.stringify(path)} ${refusal}.`
    const other = names.take(path)
    if (other !== undefined)
      return `The files ${JSON.stringify(path)} and ${JSON.stringify(other)} have the same path in the archive.`
    files.push(versionFile(path, row))
  }
  return files
}

/**
 * Places objects that were created manually or come from another repository in the folders where agents look for their
 * type.
 */
export const layOthers = (rows: ReadonlyArray<ObjectRow>, names: Names): ReadonlyArray<LaidFile> => {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const mappedPath = row.is_mapped || row.relative_path === null ? undefined : row.relative_path
    let path = mappedPath !== undefined && refusalOf(mappedPath) === undefined ? mappedPath : placeOf(row, 1)
    if (names.take(path) === undefined) return versionFile(path, row)
    // The counter continues for each word, so that ten thousand objects with the same word take linear time.
    const word = placeOf(row, 2)
    path = placeOf(row, 1)
    for (let count = counts.get(word) ?? 1; names.take(path) !== undefined; path = placeOf(row, count)) {
      count += 1
      counts.set(word, count)
    }
    return versionFile(path, row)
  })
}

/**
 * The path of every object of a plugin in its archive: objects of its own repository at their original paths, other
 * objects where agents find their type. Independent of the order of the rows.
 */
export const layOut = (
  plugin: PluginRow,
  rows: ReadonlyArray<ObjectRow>,
  inline: ReadonlyArray<Inline>
): LayoutResult => {
  const root = rootOf(plugin)
  const names = makeNames()
  const ownPath = (row: ObjectRow) => (row.relative_path === null ? undefined : below(root, row.relative_path))
  const isOwn = (row: ObjectRow) => row.is_mapped && ownPath(row) !== undefined
  const inOrder = fileRows(rows)
  const ownFiles = layOwn(inOrder.filter(isOwn), ownPath, names)
  if (typeof ownFiles === "string") return { ok: false, message: ownFiles }
  const others = layOthers(
    inOrder.filter((row) => !isOwn(row)),
    names
  )
  const files = inPathOrder([...ownFiles, ...others])
  const manifest = textFile(manifestPath, manifestText(plugin, root, inlineInOrder(inline), files))
  return { ok: true, name: describedOf(plugin).name, files: inPathOrder([...files, manifest]) }
}

/** The content of an object without a text: its payload as JSON, or as prose for types that agents read as prose. */
export const contentOf = (
  row: { readonly object_type: ObjectType; readonly title: string },
  payload: unknown
): string => {
  const json = JSON.stringify(payload ?? {}, null, 2)
  return row.object_type === "skill" || row.object_type === "agent" || row.object_type === "command"
    ? `# ${row.title}\n\n\`\`\`json\n${json}\n\`\`\`\n`
    : `${json}\n`
}
