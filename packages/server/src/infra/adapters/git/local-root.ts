import { lstatSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { failed } from "./failure.ts"
import { readOwnFile } from "./local-refs.ts"

export interface LocalRepository {
  readonly cloneUrl: string
  readonly fullName: string
  readonly gitDir: string
  readonly objectsDir: string
}

/** One sentence for all: whether something is there is not told of what lies outside. */
const outside = () => failed("blocked", "The path is not inside a folder that repositories may be read from.")
const notOne = (why = "The path is not a git repository.") => failed("not_a_repository", why)

const configBytesMax = 1024 * 1024

const realpath = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

const exists = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

export const isLocalUrl = (cloneUrl: string): boolean => /^file:/i.test(cloneUrl)

const pathOf = (cloneUrl: string): string => {
  try {
    const url = new URL(cloneUrl)
    if ((url.host === "" || url.host === "localhost") && url.search === "" && url.hash === "") {
      url.host = ""
      return fileURLToPath(url)
    }
  } catch {
    // Said below.
  }
  throw outside()
}

/** The real path, if it lies in a root: the nearest thing that exists decides, since a link may stand anywhere on the way. */
const locate = (path: string, roots: ReadonlyArray<string>): { readonly path: string; readonly root: string } => {
  if (!isAbsolute(path) || path.includes("\0")) throw outside()
  const wanted = resolve(path)
  const real = roots.map((root) => realpath(root))
  // What is outside by its very spelling is not even looked at.
  if (![...roots.map((root) => resolve(root)), ...real].some((root) => root !== undefined && isInside(root, wanted))) {
    throw outside()
  }
  let nearest = wanted
  let found = realpath(nearest)
  while (found === undefined) {
    // There, but leading nowhere, or nowhere we may see.
    if (exists(nearest) || dirname(nearest) === nearest) throw outside()
    nearest = dirname(nearest)
    found = realpath(nearest)
  }
  const at = found
  const root = real.find((candidate) => candidate !== undefined && isInside(candidate, at))
  if (root === undefined) throw outside()
  if (nearest !== wanted) throw notOne()
  return { path: at, root }
}

const demandOwn = (gitDir: string, name: string): void => {
  const path = join(gitDir, name)
  if (exists(path) && realpath(path) !== path) {
    throw notOne("The repository keeps its objects or names elsewhere by a link, which is not followed.")
  }
}

/** Only what changes how objects and names are kept; of the rest of the configuration nothing has an effect. */
const demandReadableFormat = (gitDir: string): void => {
  const config = readOwnFile(gitDir, "config", configBytesMax) ?? ""
  let section = ""
  for (const line of config.split("\n")) {
    section = /^\s*\[\s*([^\]\s"]+)/.exec(line)?.[1]?.toLowerCase() ?? section
    const [, key = "", value = ""] = /(?:^|\])\s*([A-Za-z]+)\s*=\s*"?([^"\s#;]*)/.exec(line) ?? []
    if (section !== "extensions") continue
    if (key.toLowerCase() === "objectformat" && value.toLowerCase() !== "sha1") {
      throw notOne("The repository uses other object names than SHA-1, which are not read.")
    }
    if (key.toLowerCase() === "refstorage" && value.toLowerCase() !== "files") {
      throw notOne("The repository keeps its refs in a format that is not read.")
    }
  }
}

/** Judges a path or a `file:` URL by what it really leads to. Done again at each use: links may have changed since. */
export const openLocalRepository = (pathOrUrl: string, roots: ReadonlyArray<string>): LocalRepository => {
  const { path, root } = locate(isLocalUrl(pathOrUrl) ? pathOf(pathOrUrl) : pathOrUrl, roots)
  const folder = basename(path) === ".git" && path !== root ? dirname(path) : path
  const inner = join(folder, ".git")
  if (exists(inner) && !isFolder(inner))
    throw notOne("The path is a linked work tree: name the repository it belongs to.")
  const gitDir = exists(inner) ? inner : folder
  if (realpath(gitDir) !== gitDir) throw notOne("The repository is elsewhere by a link, which is not followed.")
  if (!isFolder(join(gitDir, "objects")) || !isFolder(join(gitDir, "refs")) || !exists(join(gitDir, "HEAD"))) {
    throw notOne()
  }
  for (const name of ["HEAD", "objects", "objects/pack", "objects/info", "refs", "refs/heads"]) demandOwn(gitDir, name)
  if (exists(join(gitDir, "commondir"))) {
    throw notOne("The path is a linked work tree: name the repository it belongs to.")
  }
  if (exists(join(gitDir, "objects/info/alternates"))) {
    throw notOne("The repository borrows objects from another one (alternates), which is not read.")
  }
  demandReadableFormat(gitDir)

  const names = relative(root, folder)
    .split(sep)
    .filter((part) => part !== "")
  const last = (names.pop() ?? basename(folder)).replace(/(.)\.git$/, "$1")
  const owner = names.pop()
  return {
    cloneUrl: pathToFileURL(folder).href,
    fullName: owner === undefined ? last : `${owner}/${last}`,
    gitDir,
    objectsDir: join(gitDir, "objects")
  }
}
