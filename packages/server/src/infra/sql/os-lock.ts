/** A lock that the operating system holds for this process, and releases when the process ends for any reason. */
export interface OsLock {
  readonly release: () => void
}

/** SQLite's result code when another connection, of this process or another, has the lock. */
const busyCode = 5

const loadSqlite = () => {
  // Older supported versions of Node warn that this module is experimental; only its lock is used.
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } catch {
    return undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Locks a file with an exclusive SQLite transaction, which Node.js includes and which takes a lock of the operating
 * system (`fcntl`, `LockFileEx`). It excludes every process on this kernel, in any PID namespace, even while this
 * process is paused. The file stays empty. Nothing else in this process may open it: closing any descriptor would
 * release the lock.
 *
 * `unsupported` where Node is built without SQLite or the file system has no locks.
 */
export const takeOsLock = (path: string): OsLock | "busy" | "unsupported" => {
  const sqlite = loadSqlite()
  if (sqlite === undefined) return "unsupported"
  let database: InstanceType<typeof sqlite.DatabaseSync> | undefined
  try {
    database = new sqlite.DatabaseSync(path, { timeout: 0 })
    database.exec("PRAGMA journal_mode = MEMORY")
    database.exec("BEGIN EXCLUSIVE")
    const held = database
    return { release: () => held.close() }
  } catch (cause) {
    database?.close()
    return cause instanceof Error && "errcode" in cause && cause.errcode === busyCode ? "busy" : "unsupported"
  }
}
