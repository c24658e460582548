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

/** One message for all cases, so that it does not reveal what exists outside the allowed folders. */
const outside = () =>
  failed(
    "blocked",
    "The path must be inside a directory that the server allows for local repositories (ORGPLANE_GIT_LOCAL_ROOTS)."
  )
const notRepository = (reason = "The path is not a git repository.") => failed("not_a_repository", reason)

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
    // Reported below.
  }
  throw outside()
}

/**
 * The real path, if it is in an allowed root. The nearest existing parent decides, since any component may be a link.
 */
const locate = (path: string, roots: ReadonlyArray<string>): { readonly path: string; readonly root: string } => {
  if (!isAbsolute(path) || path.includes("\0")) throw outside()
  const wanted = resolve(path)
  const realRoots = roots.map((root) => realpath(root))
  // If the text of the path is outside the allowed roots, the path is not accessed.
  if (
    ![...roots.map((root) => resolve(root)), ...realRoots].some((root) => root !== undefined && isInside(root, wanted))
  ) {
    throw outside()
  }
  let nearest = wanted
  let target = realpath(nearest)
  while (target === undefined) {
    // The path exists, but is a dangling link or a link that cannot be read.
    if (exists(nearest) || dirname(nearest) === nearest) throw outside()
    nearest = dirname(nearest)
    target = realpath(nearest)
  }
  const at = target
  const root = realRoots.find((candidate) => candidate !== undefined && isInside(candidate, at))
  if (root === undefined) throw outside()
  if (nearest !== wanted) throw notRepository()
  return { path: at, root }
}

const demandOwn = (gitDir: string, name: string): void => {
  const path = join(gitDir, name)
  if (exists(path) && realpath(path) !== path) {
    throw notRepository("The repository's objects or refs are behind a symbolic link. Symbolic links are not followed.")
  }
}

/** Checks only the settings that change how objects and refs are stored; the others have no effect here. */
const demandReadableFormat = (gitDir: string): void => {
  const config = readOwnFile(gitDir, "config", configBytesMax) ?? ""
  let section = ""
  for (const line of config.split("\n")) {
    section = /^\s*\[\s*([^\]\s"]+)/.exec(line)?.[1]?.toLowerCase() ?? section
    const [, key = "", value = ""] = /(?:^|\])\s*([A-Za-z]+)\s*=\s*"?([^"\s#;]*)/.exec(line) ?? []
    if (section !== "extensions") continue
    if (key.toLowerCase() === "objectformat" && value.toLowerCase() !== "sha1") {
      throw notRepository("The repository uses an object format other than SHA-1, which is not supported.")
    }
    if (key.toLowerCase() === "refstorage" && value.toLowerCase() !== "files") {
      throw notRepository("The repository stores its refs in a format that is not supported.")
    }
  }
}

/**
 * Checks the repository that a path or a `file:` URL refers to. Repeated at each use, because links may have changed.
 */
export const openLocalRepository = (pathOrUrl: string, roots: ReadonlyArray<string>): LocalRepository => {
  const { path, root } = locate(isLocalUrl(pathOrUrl) ? pathOf(pathOrUrl) : pathOrUrl, roots)
  const folder = basename(path) === ".git" && path !== root ? dirname(path) : path
  const inner = join(folder, ".git")
  if (exists(inner) && !isFolder(inner))
    throw notRepository("The path is a linked work tree. Use the path of its repository.")
  const gitDir = exists(inner) ? inner : folder
  if (realpath(gitDir) !== gitDir)
    throw notRepository("The repository is a symbolic link. Symbolic links are not followed.")
  if (!isFolder(join(gitDir, "objects")) || !isFolder(join(gitDir, "refs")) || !exists(join(gitDir, "HEAD"))) {
    throw notRepository()
  }
  for (const name of ["HEAD", "objects", "objects/pack", "objects/info", "refs", "refs/heads"]) demandOwn(gitDir, name)
  if (exists(join(gitDir, "commondir"))) {
    throw notRepository("The path is a linked work tree. Use the path of its repository.")
  }
  if (exists(join(gitDir, "objects/info/alternates"))) {
    throw notRepository("The repository uses objects of another repository (alternates), which is not supported.")
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
