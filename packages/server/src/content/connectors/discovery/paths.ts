import { normalize } from "../../../infra/normalize.ts"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { runToEnd, sortedSteps, type Steps } from "../../../infra/time-slices.ts"
import { pathLengthMax } from "./limits.ts"

/** A path for use in a warning: invisible characters and those that reorder text are escaped. */
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
  // A backslash separates folders when a repository is checked out on Windows.
  ['it contains a ".." segment', (path) => /(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(path)],
  ["it has an empty segment", (path) => path.endsWith("/") || path.includes("//")],
  ['it has a segment "."', (path) => /(?:^|\/)\.(?:\/|$)/u.test(path)],
  // In a checkout, such a file could become a Git hook.
  ["it is in a .git folder", (path) => /(?:^|[/\\])\.git(?:[/\\]|$)/iu.test(path)]
]

/** Paths of common characters whose segments do not start with a dot: no rule above can match. */
const plain = /^[\w@+-][\w@+.-]*(?:\/[\w@+-][\w@+.-]*)*$/

/** Why a path is invalid, regardless of its type; undefined if it is valid. */
export const reasonAgainst = (path: string): string | undefined =>
  path.length <= pathLengthMax && plain.test(path) ? undefined : reasons.find(([, holds]) => holds(path))?.[0]

/** Why a path of a tree is not used, as a warning; null if it is valid. */
export const refuse = (path: string, kind: TreeEntry["kind"]): string | null => {
  const reason =
    reasonAgainst(path) ??
    (kind === "symlink" ? "it is a symbolic link" : kind === "submodule" ? "it is a submodule" : null)
  return reason === null ? null : `Ignored ${showPath(path)}: ${reason}.`
}

/** Equal for two paths that are the same file on file systems that ignore case or normalize names. */
export const fold = (path: string): string =>
  /[^ -~]/u.test(path) ? normalize(normalize(path, "NFC").toLowerCase(), "NFC") : path.toLowerCase()

/**
 * The root of plugins that a marketplace takes from other sources: each is shown in its own folder, as if it were part
 * of the repository. Files of the repository itself below this path are rejected, so that neither can be mistaken for
 * the other.
 */
export const remoteRoot = "@remote"

export const isRemotePath = (path: string): boolean => {
  // No other character folds to "@".
  if (!path.startsWith("@")) return false
  const folded = fold(path)
  return folded === remoteRoot || folded.startsWith(`${remoteRoot}/`)
}

const byPath = (a: TreeEntry, b: TreeEntry): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : a.sha < b.sha ? -1 : a.sha > b.sha ? 1 : 0

/**
 * Entries that have the same path after case folding and normalization, with the conflicting path. A file that is also
 * a folder of another entry conflicts too: only one of them can be checked out.
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
  // With the separator sorted lowest, everything below a name follows it directly.
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
  /** Valid files, sorted by path. */
  readonly accepted: ReadonlyArray<TreeEntry>
  readonly warnings: ReadonlyArray<string>
}

/** Splits a listing into usable files and reasons why others are not used. The order of the entries does not matter. */
export const survey = (entries: ReadonlyArray<TreeEntry>): Survey => runToEnd(surveySteps(entries))

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
      // A link with a valid path still occupies its name.
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
      warnings.push(`Ignored ${showPath(entry.path)}: ${how}.`)
    }
  }
  return { accepted, warnings }
}

export type Resolved = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string }

/** Resolves a path from a manifest relative to the repository. The result is always inside `root`. */
export const resolveInside = (root: string, reference: string): Resolved => {
  const path = reference.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}(?=\/|$)/u, ".")
  if (path !== "." && !path.startsWith("./")) return { ok: false, reason: 'must start with "./"' }
  const parts = path.split("/").filter((part) => part !== "" && part !== ".")
  const inside = parts.join("/")
  const refusal = inside === "" ? null : reasons.find(([, holds]) => holds(inside))
  if (refusal) return { ok: false, reason: `is not a valid path: ${refusal[0]}` }
  if (root === "" && isRemotePath(inside)) return { ok: false, reason: "is reserved for plugins from other sources" }
  return { ok: true, path: root === "" ? inside : inside === "" ? root : `${root}/${inside}` }
}
