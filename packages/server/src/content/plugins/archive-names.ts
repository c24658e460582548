/** Names of files in an archive that are distinct on every file system and cannot leave the archive's folder. */

import { normalize } from "../../infra/normalize.ts"

const pathLengthMax = 1024
const manifestPath = ".claude-plugin/plugin.json"

const refusals: ReadonlyArray<readonly [reason: string, holds: (path: string) => boolean]> = [
  ["is empty", (path) => path === ""],
  [`is longer than ${pathLengthMax} characters`, (path) => path.length > pathLengthMax],
  ["is not well-formed text", (path) => !path.isWellFormed() || path.includes("\uFFFD")],
  ["contains a control character", (path) => /\p{Cc}/u.test(path)],
  ["is absolute", (path) => /^(?:[/\\]|[A-Za-z]:)/u.test(path)],
  // On systems where a backslash separates folders, such a name could leave the folder.
  ['has an empty, "." or ".." segment', (path) => path.split(/[/\\]/u).some((part) => /^\.{0,2}$/u.test(part))],
  // After unpacking, such a file could become a Git hook.
  ["is in a .git folder", (path) => path.split(/[/\\]/u).some((part) => /^\.git$/iu.test(part))]
]

/** Why a path is not allowed in an archive; undefined if it is allowed. */
export const refusalOf = (path: string): string | undefined => refusals.find(([, holds]) => holds(path))?.[0]

/** Equal for two paths that are the same file on file systems that ignore case or normalize names. */
const fold = (path: string): string => normalize(normalize(path, "NFC").toLowerCase(), "NFC")

const parentsOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join("/"))

/**
 * Assigns unique paths. A file's path also cannot be a parent folder of another file. The manifest's path is reserved.
 */
export const makeNames = () => {
  const files = new Map<string, string>()
  const folders = new Set<string>()

  /** Reserves a path; undefined if it was free, otherwise the conflicting file. */
  const take = (path: string): string | undefined => {
    const key = fold(path)
    const parents = parentsOf(key)
    const other = files.get(key) ?? parents.map((parent) => files.get(parent)).find((file) => file !== undefined)
    if (other !== undefined) return other
    if (folders.has(key)) return path
    files.set(key, path)
    for (const parent of parents) folders.add(parent)
    return undefined
  }

  take(manifestPath)
  return { take }
}

export type Names = ReturnType<typeof makeNames>

/** A kebab-case word of at most 64 characters for a file or plugin name; `fallback` if nothing remains. */
export const slug = (text: string, fallback: string): string => {
  const word = normalize(text, "NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/gu, "")
  return word === "" ? fallback : word
}

export { manifestPath }
