import { normalize } from "../../../infra/normalize.ts"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { atOnce, sortedSteps, type Steps } from "../../../infra/time-slices.ts"
import { pathLengthMax } from "./limits.ts"

/** A path as a warning shows it: what cannot be seen, or would rearrange the line, is spelled out. */
export const showPath = (path: string): string => {
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const visible = short
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029"\\]/gu, (char) =>
      char === '"' || char === "\\" ? `\\${char}` : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
    )
    .toWellFormed()
  return `"${visible}"`
}

const reasons: ReadonlyArray<readonly [reason: string, holds: (path: string) => boolean]> = [
  ["it is empty", (path) => path === ""],
  [`it is longer than ${pathLengthMax} characters`, (path) => path.length > pathLengthMax],
  ["it contains a NUL character", (path) => path.includes("\u0000")],
  ["it is not valid UTF-8", (path) => path.includes("\uFFFD") || !path.isWellFormed()],
  ["it contains a control character", (path) => /\p{Cc}/u.test(path)],
  ["it is absolute", (path) => /^(?:[/\\]|[A-Za-z]:[/\\])/u.test(path)],
  // A backslash separates folders where a checkout is unpacked on Windows.
  ['it contains a ".." segment', (path) => /(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(path)],
  ["it has an empty segment", (path) => path.endsWith("/") || path.includes("//")],
  ['it has a segment "."', (path) => /(?:^|\/)\.(?:\/|$)/u.test(path)],
  // Unpacked, such a file could become a git hook.
  ["it is in a .git folder", (path) => /(?:^|[/\\])\.git(?:[/\\]|$)/iu.test(path)]
]

/** Names of common characters, none of which begins with a dot: nothing of the above can hold. */
const plain = /^[\w@+-][\w@+.-]*(?:\/[\w@+-][\w@+.-]*)*$/

/** What speaks against a path, whatever it names; undefined when nothing does. */
export const reasonAgainst = (path: string): string | undefined =>
  path.length <= pathLengthMax && plain.test(path) ? undefined : reasons.find(([, holds]) => holds(path))?.[0]

/** Why a path of a tree is not used, as a warning; null when it is fine. */
export const refuse = (path: string, kind: TreeEntry["kind"]): string | null => {
  const reason =
    reasonAgainst(path) ??
    (kind === "symlink" ? "it is a symbolic link" : kind === "submodule" ? "it is a submodule" : null)
  return reason === null ? null : `Refused ${showPath(path)}: ${reason}.`
}

/** Equal for two paths that are one file where names ignore case or normalise. */
export const fold = (path: string): string =>
  /[^ -~]/u.test(path) ? normalize(normalize(path, "NFC").toLowerCase(), "NFC") : path.toLowerCase()

/**
 * Below it stand, as if the repository held them, the plugins that a marketplace takes from elsewhere: one folder each.
 * Whatever a repository itself has there is refused, so that neither can pass for the other.
 */
export const remoteRoot = "@remote"

export const isRemotePath = (path: string): boolean => {
  // Nothing else is "@" once it is folded.
  if (!path.startsWith("@")) return false
  const folded = fold(path)
  return folded === remoteRoot || folded.startsWith(`${remoteRoot}/`)
}

const byPath = (a: TreeEntry, b: TreeEntry): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : a.sha < b.sha ? -1 : a.sha > b.sha ? 1 : 0

/**
 * Entries that share a name once case and normalisation are ignored, by path, with the other side of the clash. A file
 * that is also a folder of another entry counts: only one of the two can be checked out.
 */
const collisions = function* (entries: ReadonlyArray<TreeEntry>): Steps<ReadonlyMap<TreeEntry, string>> {
  const files = new Map<string, Array<TreeEntry>>()
  for (const entry of entries) {
    const key = fold(entry.path)
    const same = files.get(key)
    if (same === undefined) files.set(key, [entry])
    else same.push(entry)
    yield
  }
  const clashes = new Map<TreeEntry, string>()
  const clash = (entry: TreeEntry, other: TreeEntry) => {
    if (!clashes.has(entry)) clashes.set(entry, other.path)
  }
  // Sorted with the separator lowest, whatever lies below a name follows it directly.
  const sorted: Array<{ readonly key: string; readonly same: ReadonlyArray<TreeEntry> }> = []
  for (const [key, same] of files) {
    sorted.push({ key: key.replaceAll("/", "\u0000"), same })
    yield
  }
  let above: { readonly prefix: string; readonly entry: TreeEntry } | null = null
  for (const { key, same } of yield* sortedSteps(sorted, (a, b) => (a.key < b.key ? -1 : 1))) {
    yield
    const [first, ...others] = same
    if (first === undefined) continue
    for (const other of others) {
      clash(first, other)
      clash(other, first)
    }
    if (above !== null && key.startsWith(above.prefix)) {
      clash(above.entry, first)
      for (const inside of same) clash(inside, above.entry)
    } else above = { prefix: `${key}\u0000`, entry: first }
  }
  return clashes
}

export interface Survey {
  /** Files that may be used, sorted by path. */
  readonly accepted: ReadonlyArray<TreeEntry>
  readonly warnings: ReadonlyArray<string>
}

/** Splits a listing into what may be used and why the rest may not; independent of the order of its entries. */
export const survey = (entries: ReadonlyArray<TreeEntry>): Survey => atOnce(surveySteps(entries))

export const surveySteps = function* (entries: ReadonlyArray<TreeEntry>): Steps<Survey> {
  const warnings: Array<string> = []
  const fine: Array<TreeEntry> = []
  const links: Array<TreeEntry> = []
  for (const entry of yield* sortedSteps(entries, byPath)) {
    yield
    const refusal = refuse(entry.path, entry.kind)
    if (refusal === null) fine.push(entry)
    else {
      warnings.push(refusal)
      // A link with a sound path still occupies its name.
      if (refuse(entry.path, "file") === null) links.push(entry)
    }
  }
  const clashes = yield* collisions(links.length === 0 ? fine : yield* sortedSteps([...fine, ...links], byPath))
  const accepted: Array<TreeEntry> = []
  for (const entry of fine) {
    yield
    const other = clashes.get(entry)
    if (other === undefined) accepted.push(entry)
    else {
      const how = other === entry.path ? "it is listed twice" : `its name collides with ${showPath(other)}`
      warnings.push(`Refused ${showPath(entry.path)}: ${how}.`)
    }
  }
  return { accepted, warnings }
}

export type Resolved = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string }

/** A path a manifest states, made relative to the repository; it never leaves `root`. */
export const resolveInside = (root: string, stated: string): Resolved => {
  const path = stated.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}(?=\/|$)/u, ".")
  if (path !== "." && !path.startsWith("./")) return { ok: false, reason: 'must start with "./"' }
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  const inside = parts.join("/")
  const refusal = inside === "" ? null : reasons.find(([, holds]) => holds(inside))
  if (refusal) return { ok: false, reason: `is not a valid path: ${refusal[0]}` }
  if (root === "" && isRemotePath(inside)) return { ok: false, reason: "is reserved for plugins from other sources" }
  return { ok: true, path: root === "" ? inside : inside === "" ? root : `${root}/${inside}` }
}
