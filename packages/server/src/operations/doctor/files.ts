/** The checks of the doctor that read files and file systems. */
import { lstat, readdir, stat, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Sources } from "../../infra/config/read-configuration.ts"
import { secretNames, type VariableName } from "../../infra/config/variables.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { pathExists } from "../../infra/path-exists.ts"
import { shellQuoted } from "../../infra/shell.ts"
import { isLockFile } from "../../infra/sql/data-dir.ts"
import { DataDirIncomplete, inspectDataDir } from "../../infra/sql/data-dir-state.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import type { Finding } from "../report.ts"

const reasonOf = (cause: unknown) => codeOf(cause) ?? "unknown error"

/** Permissions of the group and of others. */
const noneButOwner = 0o077
/** The group of the server's user may read a configuration file of root. */
const noneButGroup = 0o027
const modeText = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0")

/** A file or directory that other users of the machine can access. Windows has no such permissions. */
const openToOthers = async (
  check: string,
  path: string,
  wanted: string,
  forbidden = noneButOwner
): Promise<Finding | undefined> => {
  if (process.platform === "win32") return undefined
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined || (stats.mode & forbidden) === 0) return undefined
  return {
    check,
    status: "warning",
    message: `Other users of this machine can access ${path} (mode ${modeText(stats.mode)}).`,
    fix: `Run: chmod ${wanted} ${shellQuoted(path)}`
  }
}

/** Only the server's user and group may read a configuration file with secrets. */
export const checkConfigFile = async ({ file }: Sources): Promise<ReadonlyArray<Finding>> => {
  if (file === undefined) return []
  const names = Object.keys(file.settings.texts) as ReadonlyArray<VariableName>
  if (!names.some((name) => secretNames.has(name))) return []
  const finding = await openToOthers("configuration file", file.path, "640", noneButGroup)
  return finding === undefined ? [] : [finding]
}

export interface DataDirState {
  readonly findings: ReadonlyArray<Finding>
  /** Whether it contains a database that can be opened. */
  readonly hasDatabase: boolean
  /** The lock files of a running server, or of one that was killed. */
  readonly lockFiles: ReadonlyArray<string>
}

const check = "data directory"
const problem = (message: string, fix?: string): DataDirState => ({
  findings: [{ check, status: "failed", message, ...(fix === undefined ? {} : { fix }) }],
  hasDatabase: false,
  lockFiles: []
})

/** The directory of the embedded database, its files and their permissions. */
export const checkDataDir = async (directory: string): Promise<DataDirState> => {
  const names = await readdir(directory).catch((cause: unknown) => reasonOf(cause))
  if (names === "ENOENT") {
    return {
      findings: [{ check, status: "ok", message: `${directory} does not exist. The first start creates it.` }],
      hasDatabase: false,
      lockFiles: []
    }
  }
  if (typeof names === "string") {
    return problem(
      `Cannot read ${directory} (${names}).`,
      "Run this command as the user of the server, or check ORGPLANE_DATA_DIR and the permissions."
    )
  }
  const lockFiles = names.filter((name) => isLockFile(name) && name !== "orgplane.lock")
  let state: "complete" | "empty"
  try {
    state = await inspectDataDir(directory)
  } catch (error) {
    return error instanceof DataDirIncomplete
      ? problem(error.message)
      : problem(`Cannot read ${directory} (${reasonOf(error)}).`, "Run this command as the user of the server.")
  }
  const { uid } = await lstat(directory)
  const own = process.getuid?.() ?? uid
  // Opening the database creates files, which the server could not write to.
  if (uid !== own) {
    return problem(
      `${directory} belongs to user ${uid}, but this command runs as user ${own}.`,
      "Run this command as the user of the server."
    )
  }
  const findings = [
    await openToOthers(check, directory, "700"),
    await openToOthers(check, join(directory, "secret-key"), "600"),
    await openToOthers(check, join(directory, "seed.json"), "600")
  ].filter((finding) => finding !== undefined)
  const summary =
    state === "empty"
      ? `${directory} is empty. The first start creates the database.`
      : `${directory} contains a complete database.`
  return {
    findings: findings.length > 0 ? findings : [{ check, status: "ok", message: summary }],
    hasDatabase: state === "complete",
    lockFiles
  }
}

const mebibyte = 1024 * 1024

/** The free space of a file system, for a user without privileges. */
const checkSpace = async (name: string, directory: string, minMiB: number, variable: string): Promise<Finding> => {
  let free: number
  try {
    const { bavail, bsize } = await statfs(directory)
    free = Math.floor((bavail * bsize) / mebibyte)
  } catch (cause) {
    return {
      check: name,
      status: "warning",
      message: `Cannot read the free space of ${directory} (${reasonOf(cause)}).`
    }
  }
  const message = `${directory} has ${free} MiB free`
  if (free >= 2 * minMiB) return { check: name, status: "ok", message: `${message}.` }
  return {
    check: name,
    status: free < minMiB ? "failed" : "warning",
    message: `${message}; the minimum is ${minMiB} MiB${variable === "" ? "" : ` (${variable})`}.`,
    fix: "Free disk space, or enlarge the file system."
  }
}

/** Fetched packs and archives need space for temporary files. */
const temporaryMiBMin = 256

/** The disks that the server writes to. */
export const checkDisks = async (options: ControlPlaneOptions, dataDir: string): Promise<ReadonlyArray<Finding>> => {
  const { database, diskFreeMinMiB = 256, git } = options
  return [
    ...(database.kind === "pglite" && (await pathExists(dataDir))
      ? [await checkSpace("disk", dataDir, diskFreeMinMiB, "ORGPLANE_DISK_FREE_MIN_MIB")]
      : []),
    await checkSpace("temporary files", git?.workDir ?? tmpdir(), temporaryMiBMin, "")
  ]
}
