import { type Dirent, readdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { formatBounds } from "./bounds.ts"
import { corrupt, limitExceeded } from "./failure.ts"
import { isSha } from "./objects.ts"
import { openFileBytes } from "./pack-file.ts"
import { isRefName, type RefList } from "./refs.ts"

const refFileBytesMax = 4096
const symbolicMax = 5

const isAbsent = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  typeof cause.code === "string" &&
  ["ENOENT", "ENOTDIR", "EISDIR", "ELOOP"].includes(cause.code)

/** Reads a small file of the repository itself; a link is treated as absent, wherever it leads. */
export const readOwnFile = (gitDir: string, name: string, bytesMax: number): string | undefined => {
  try {
    const path = join(gitDir, name)
    if (realpathSync(path) !== path) return undefined
    const file = openFileBytes(path)
    try {
      if (file.size > bytesMax) throw limitExceeded("its list of refs is too long")
      return file.view(0, file.size).toString("utf8")
    } finally {
      file.close()
    }
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    throw cause
  }
}

const readPackedRefs = (gitDir: string): Map<string, string> => {
  const refs = new Map<string, string>()
  const text = readOwnFile(gitDir, "packed-refs", formatBounds.refBytesMax) ?? ""
  for (const [, sha = "", name = ""] of text.matchAll(/^([0-9a-f]{40}) (refs\/\S+)$/gm)) refs.set(name, sha)
  return refs
}

type Value = { readonly sha: string } | { readonly target: string } | undefined

const readLooseRef = (gitDir: string, name: string): Value => {
  let text: string | undefined
  try {
    text = readOwnFile(gitDir, name, refFileBytesMax)?.trim()
  } catch {
    // A folder with this name, or a file that is not a ref: the branch does not exist.
    return undefined
  }
  if (text === undefined) return undefined
  if (isSha(text)) return { sha: text }
  const target = /^ref:\s*(\S+)$/.exec(text)?.[1]
  return target !== undefined && isRefName(target) ? { target } : undefined
}

/** Loose refs take precedence over packed ones; symbolic refs are followed. */
const resolve = (gitDir: string, packed: ReadonlyMap<string, string>, from: string): string | undefined => {
  let name = from
  for (let depth = 0; depth < symbolicMax; depth++) {
    const value = readLooseRef(gitDir, name)
    if (value === undefined) return packed.get(name)
    if ("sha" in value) return value.sha
    name = value.target
  }
  return undefined
}

export const resolveLocalRef = (gitDir: string, name: string): string | undefined =>
  resolve(gitDir, readPackedRefs(gitDir), name)

const looseNames = (gitDir: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  const folders = ["refs/heads"]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    let items: ReadonlyArray<Dirent>
    try {
      items = readdirSync(join(gitDir, folder), { withFileTypes: true })
    } catch (cause) {
      if (isAbsent(cause)) continue
      throw cause
    }
    for (const item of items) {
      const name = `${folder}/${item.name}`
      if (!isRefName(name)) continue
      // Links are skipped, because they could lead out of the repository.
      if (item.isDirectory()) folders.push(name)
      else if (item.isFile()) names.push(name)
    }
    if (names.length + folders.length > formatBounds.refsMax) throw limitExceeded("it has too many branches")
  }
  return names
}

export const listLocalRefs = (gitDir: string): RefList => {
  const packed = readPackedRefs(gitDir)
  const head = readLooseRef(gitDir, "HEAD")
  if (head === undefined) throw corrupt("its HEAD cannot be read")
  const refs = new Map([...packed].filter(([name]) => isRefName(name)))
  for (const name of looseNames(gitDir)) {
    const sha = resolve(gitDir, packed, name)
    if (sha === undefined) refs.delete(name)
    else refs.set(name, sha)
  }
  const headTarget = "target" in head ? head.target : undefined
  return { headTarget, headSha: resolve(gitDir, packed, "HEAD"), refs }
}
