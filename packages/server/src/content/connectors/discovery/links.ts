import * as Effect from "effect/Effect"
import type { Snapshot, TreeEntry } from "../../../infra/ports/code-host.ts"

/** Maximum number of links followed in one tree; others are rejected. */
const linksMax = 500
const targetBytesMax = 1024
/** Maximum length of a chain of links. */
const depthMax = 8
/** Maximum total number of files behind links to folders. */
const linkedFilesMax = 5000

/** The target of a link as a path in the tree; undefined if it is outside the tree. */
export const linkedPath = (path: string, target: string): string | undefined => {
  if (target === "" || target.startsWith("/") || target.includes("\\") || target.includes("\u0000")) return undefined
  const parts = path.split("/").slice(0, -1)
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join("/")
}

/**
 * A listing in which each symbolic link to a file of the tree is replaced by that file under the link's name, and a
 * link to a folder by the folder's files. Other links stay and are rejected later.
 */
export const withLinks = Effect.fnUntraced(function* <E, R>(
  entries: ReadonlyArray<TreeEntry>,
  read: (shas: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, E, R>
) {
  const links = entries
    .filter(({ kind, sha, size }) => kind === "symlink" && sha !== "" && size > 0 && size <= targetBytesMax)
    .slice(0, linksMax)
  if (links.length === 0) return entries
  const contents = yield* read([...new Set(links.map(({ sha }) => sha))])
  const targets = new Map<string, string>()
  for (const { path, sha } of links) {
    const bytes = contents.get(sha)
    const target = bytes === undefined ? undefined : linkedPath(path, new TextDecoder().decode(bytes))
    if (target !== undefined) targets.set(path, target)
  }
  const files = new Map<string, TreeEntry>()
  for (const entry of entries) if (entry.kind === "file") files.set(entry.path, entry)
  const prefixes = new Set([...targets.values()].map((target) => `${target}/`))
  const folders = new Map<string, Array<TreeEntry>>()
  for (const entry of files.values()) {
    for (let at = entry.path.indexOf("/"); at !== -1; at = entry.path.indexOf("/", at + 1)) {
      const prefix = entry.path.slice(0, at + 1)
      if (!prefixes.has(prefix)) continue
      const inside = folders.get(prefix)
      if (inside === undefined) folders.set(prefix, [entry])
      else inside.push(entry)
    }
  }
  /** The path after resolving links, including links among its parent folders. */
  const followed = (path: string): string | undefined => {
    let at: string | undefined = path
    for (let depth = 0; at !== undefined && depth < depthMax; depth += 1) {
      if (files.has(at) || folders.has(`${at}/`)) return at
      const current: string = at
      const link = current
        .split("/")
        .map((_, index, parts) => parts.slice(0, index + 1).join("/"))
        .find((parent) => targets.has(parent))
      if (link === undefined) return undefined
      at = `${targets.get(link) ?? ""}${current.slice(link.length)}`
    }
    return undefined
  }
  const linked = new Map<string, ReadonlyArray<TreeEntry>>()
  let count = 0
  for (const [path, target] of targets) {
    const at = followed(target)
    if (at === undefined || path === at || path.startsWith(`${at}/`)) continue
    const file = files.get(at)
    const inside = file === undefined ? (folders.get(`${at}/`) ?? []) : [file]
    count += inside.length
    if (inside.length === 0 || count > linkedFilesMax) continue
    linked.set(
      path,
      inside.map((entry) => ({ ...entry, path: `${path}${entry.path.slice(at.length)}`, linkTo: entry.path }))
    )
  }
  return linked.size === 0
    ? entries
    : entries.flatMap((entry) => (entry.kind === "symlink" ? (linked.get(entry.path) ?? [entry]) : [entry]))
})

/** A snapshot with its links followed. */
export const snapshotWithLinks = (snapshot: Snapshot) =>
  Effect.map(withLinks(snapshot.entries, snapshot.read), (entries) => ({ ...snapshot, entries }))
