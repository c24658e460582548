import * as Data from "effect/Data"
import { lstat, mkdir, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { shellQuoted } from "../shell.ts"
import { isLockFile } from "./data-dir.ts"

/** The directory is not empty and does not contain a complete orgplane database. It was not changed. */
export class DataDirIncomplete extends Data.TaggedError("DataDirIncomplete")<{
  readonly directory: string
  readonly message: string
}> {}

/** Where the first start creates the database; it is renamed to `database` when it is complete. */
const makingName = "database.making"
/** The directory in which `orgplane-server restore` writes until the restore is complete. */
export const restoringName = "restore.making"
/** Entries that file systems and their tools create in every directory. */
const ignored = new Set(["lost+found", ".DS_Store"])

/** Files that every PostgreSQL data directory has; an interrupted copy or restore lacks some of them. */
const required = [
  "PG_VERSION",
  "global/pg_control",
  "global/pg_filenode.map",
  "global/1262",
  "base/1/PG_VERSION",
  "base/5/PG_VERSION",
  "pg_xact/0000",
  "pg_multixact/offsets/0000",
  "pg_multixact/members/0000",
  "pg_wal",
  "postgresql.conf"
]
const controlBytes = 8192

const namesIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  try {
    return await readdir(directory)
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return []
    throw cause
  }
}

const listed = (names: ReadonlyArray<string>) =>
  names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ")

const missingIn = async (database: string): Promise<ReadonlyArray<string>> => {
  const missing: Array<string> = []
  for (const name of required) {
    const stats = await stat(join(database, name)).catch(() => undefined)
    const isWhole = name !== "global/pg_control" || stats?.size === controlBytes
    if (stats === undefined || !isWhole) missing.push(`database/${name}`)
  }
  const segments = (await namesIn(join(database, "pg_wal"))).filter((name) => /^[0-9A-F]{24}$/.test(name))
  if (segments.length === 0 && !missing.includes("database/pg_wal")) missing.push("a segment in database/pg_wal")
  return missing
}

export const incomplete = (directory: string, problem: string) =>
  new DataDirIncomplete({
    directory,
    message:
      `The data directory ${directory} does not contain a complete orgplane database: ${problem}. Nothing was changed. ` +
      "If a copy or restore is unfinished, finish it; otherwise restore the whole directory from a backup. " +
      "To start with an empty database, set ORGPLANE_DATA_DIR to a new or empty directory."
  })

/** Whether the locked directory has a database or is empty; throws `DataDirIncomplete` for anything else. */
export const inspectDataDir = async (directory: string): Promise<"complete" | "empty"> => {
  const names = (await readdir(directory)).filter((name) => !isLockFile(name) && !ignored.has(name))
  const database = names.includes("database") ? await lstat(join(directory, "database")) : undefined
  // The engine does not follow symbolic links, and a dangling one can mean that a volume is not mounted.
  if (database?.isSymbolicLink() === true) {
    throw incomplete(
      directory,
      "database is a symbolic link, which cannot be used; ORGPLANE_DATA_DIR itself may be one"
    )
  }
  if (database?.isDirectory() === false) throw incomplete(directory, "database is not a directory")
  const hasDatabase = (await namesIn(join(directory, "database"))).length > 0
  if (hasDatabase) {
    const missing = await missingIn(join(directory, "database"))
    if (missing.length === 0) return "complete"
    throw incomplete(directory, `${listed(missing)} ${missing.length === 1 ? "is" : "are"} missing or truncated`)
  }
  if (names.includes(restoringName)) {
    throw new DataDirIncomplete({
      directory,
      message: `A restore into ${directory} was interrupted. Nothing was changed. Run the same command again: orgplane-server restore FILE --data-dir ${shellQuoted(directory)}.`
    })
  }
  const others = names.filter((name) => name !== makingName && name !== "database").toSorted()
  if (others.length === 0) return "empty"
  throw incomplete(directory, `database is missing, and the directory is not empty (${listed(others)})`)
}

/**
 * Creates a new database in a temporary directory, and renames it when it is complete. Leftovers of a killed first
 * start never contain acknowledged data, and are deleted.
 */
export const makeDatabase = async (directory: string, make: (path: string) => Promise<void>): Promise<void> => {
  const making = join(directory, makingName)
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  await make(making)
  // An empty directory at the target is replaced.
  await rename(making, join(directory, "database"))
}

/**
 * Deletes what a restore left that was killed after its database was complete. From now on the key file belongs to this
 * database, so a later restore must not take it for its own and delete it.
 */
export const removeRestored = (directory: string): Promise<void> =>
  rm(join(directory, restoringName), { recursive: true, force: true })
