import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import type { ObjectType } from "./candidate.ts"
import { type Tree, treeOf } from "./tree.ts"

export interface MappedFile {
  readonly path: string
  readonly sha: string
  readonly size: number
  readonly objectType: ObjectType
  readonly pointer: string | null
}

export interface FileMapping {
  readonly selector: string
  readonly objectType: ObjectType
  readonly pointer?: string | null
}

/**
 * The repository files that a mapping imports at a revision: sorted, without duplicates, and all inside the selector's
 * folder. A selector is a file, a folder, or "." for the whole repository.
 */
export const filesOf = (mapping: FileMapping, entries: ReadonlyArray<TreeEntry>): ReadonlyArray<MappedFile> =>
  filesIn(treeOf(entries), mapping)

export const filesIn = (tree: Tree, mapping: FileMapping): ReadonlyArray<MappedFile> => {
  const pointer = mapping.pointer ?? null
  const selector = mapping.selector.replace(/^(?:\.\/+)+/u, "").replace(/(?<=[^/])\/+$/u, "")
  const folder = selector === "." || selector === "" ? "" : selector
  const as =
    (objectType: ObjectType) =>
    (entry: TreeEntry): MappedFile => ({
      path: entry.path,
      sha: entry.sha,
      size: entry.size,
      objectType,
      pointer
    })
  const file = tree.file(selector)
  if (file !== undefined) {
    const rest = mapping.objectType === "skill" && pointer === null ? beside(tree, selector) : []
    return [as(mapping.objectType)(file), ...rest.map(as("context"))].sort(byPath)
  }
  if (pointer !== null) return []
  const below = tree.under(folder)
  const inside = (path: string) => (folder === "" ? path : path.slice(folder.length + 1))
  switch (mapping.objectType) {
    case "skill":
      return skills(tree, folder, below).map(({ entry, objectType }) => as(objectType)(entry))
    case "agent":
    case "command":
      return below.filter(({ path }) => isMarkdown(path)).map(as(mapping.objectType))
    case "hook":
    case "mcp":
    case "custom":
      return below
        .filter(({ path }) => /\.json$/iu.test(path) && !inside(path).includes("/"))
        .map(as(mapping.objectType))
    default:
      return below.map(as(mapping.objectType))
  }
}

const byPath = (a: MappedFile, b: MappedFile): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

export const isMarkdown = (path: string): boolean => /\.(?:md|mdx|markdown)$/iu.test(path)

/** `<folder>/SKILL.md` makes the folder one skill; otherwise each `<folder>/<name>/SKILL.md` is a skill. */
const skills = (
  tree: Tree,
  folder: string,
  below: ReadonlyArray<TreeEntry>
): ReadonlyArray<{ readonly entry: TreeEntry; readonly objectType: ObjectType }> => {
  const at = (path: string) => (folder === "" ? path : `${folder}/${path}`)
  const single = tree.file(at("SKILL.md")) !== undefined
  return below.flatMap((entry): ReadonlyArray<{ entry: TreeEntry; objectType: "skill" | "context" }> => {
    const inside = folder === "" ? entry.path : entry.path.slice(folder.length + 1)
    const slash = inside.indexOf("/")
    if (!single && (slash === -1 || tree.file(at(`${inside.slice(0, slash)}/SKILL.md`)) === undefined)) return []
    const local = single ? inside : inside.slice(slash + 1)
    if (local === "SKILL.md") return [{ entry, objectType: "skill" }]
    return isText(local) ? [{ entry, objectType: "context" }] : []
  })
}

/**
 * A SKILL.md that is selected as a file is in a folder with other content (usually a plugin's root), so only the
 * conventional folders of supporting files are included.
 */
const beside = (tree: Tree, path: string): ReadonlyArray<TreeEntry> => {
  if (path !== "SKILL.md" && !path.endsWith("/SKILL.md")) return []
  const folder = path.slice(0, -"SKILL.md".length)
  return ["assets", "examples", "references", "resources", "scripts", "templates"].flatMap((name) =>
    tree.under(`${folder}${name}`).filter((entry) => isText(entry.path))
  )
}

const textExtensions = new Set(
  (
    "md mdx markdown txt rst adoc json jsonl json5 yaml yml toml ini cfg conf properties csv tsv xml xsd html htm css " +
    "scss svg js mjs cjs jsx ts mts cts tsx vue py rb php pl lua r go rs java kt kts scala swift c h cc cpp hpp cs fs " +
    "ex exs erl hs clj sh bash zsh fish ps1 bat sql graphql gql proto tf hcl rego cue nix tmpl tpl j2 jinja mustache " +
    "hbs liquid tex bib diff patch http log"
  ).split(" ")
)

/** By name only. The content is checked when it is read. */
const isText = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  if (dot > 0) return textExtensions.has(name.slice(dot + 1).toLowerCase())
  return /^(?:README|LICENSE|LICENCE|NOTICE|CHANGELOG|Dockerfile|Makefile|Justfile|Procfile)$/u.test(name)
}
