/** Restores a backup into an empty data directory. */
import { chmod, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { join, resolve } from "node:path"
import { isLockFile, lockDataDir, lockFileName } from "../../infra/sql/data-dir.ts"
import { pathExists } from "../../infra/path-exists.ts"
import { restoringName } from "../../infra/sql/data-dir-state.ts"
import { schemaVersion } from "../../infra/sql/database.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import type { Credentials } from "./encryption.ts"
import { diskFullCode, failed } from "./failure.ts"
import { databaseName, type Manifest, secretKeyName, type Summary, summaryOf } from "./manifest.ts"
import type { Progress } from "../progress.ts"
import { unpack } from "./unpack.ts"

/**
 * An empty file in the directory of an unfinished restore that contains a key. It is created when all files are verified.
 * From then on, a key file beside that directory belongs to the restore, so the next restore can delete it.
 */
const verifiedName = "verified"

/** Entries that file systems and their tools create in every directory. */
const ignored = new Set(["lost+found", ".DS_Store"])

export interface RestoreRequest {
  readonly file: string
  readonly credentials: Credentials
  readonly progress: Progress
  readonly signal: AbortSignal
}

export interface RestoreResult extends Summary {
  readonly dataDir: string
  readonly orgplane: string
  readonly createdAt: string
}

const attempt = <A>(task: () => Promise<A>) => Effect.tryPromise({ try: task, catch: (cause) => cause })

export const sizeOf = async (file: string): Promise<number> => {
  const stats = await stat(file).catch((cause: unknown) => {
    throw failed(`Cannot read ${file} (${codeOf(cause) ?? "unknown error"}).`)
  })
  if (!stats.isFile()) throw failed(`${file} is not a file.`)
  return stats.size
}

const contentsOf = async (directory: string): Promise<ReadonlyArray<string>> => {
  try {
    return (await readdir(directory)).filter((name) => !ignored.has(name))
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return []
    throw failed(`Cannot restore into ${directory} (${codeOf(cause) ?? "unknown error"}).`)
  }
}

/** Whether a restore was killed after it had moved its key into the directory. */
const hasMovedKey = async (directory: string) => {
  const making = join(directory, restoringName)
  return (await pathExists(join(making, verifiedName))) && !(await pathExists(join(making, secretKeyName)))
}

/** Fails if the directory has content. The files of a killed restore and of the lock do not count. */
const demandEmpty = async (directory: string) => {
  const isOwnKey = await hasMovedKey(directory)
  const names = (await contentsOf(directory)).filter((name) => name !== restoringName && !isLockFile(name))
  if (isOwnKey && names.includes(databaseName)) {
    throw failed(
      `A restore into ${directory} was interrupted after it was complete. Nothing was changed. Start the server, or set --data-dir to an empty or a new directory.`
    )
  }
  if (names.every((name) => isOwnKey && name === secretKeyName)) return
  const listed = names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ")
  throw failed(
    `${directory} is not empty (${listed}). Nothing was changed. Set --data-dir to an empty or a new directory.`
  )
}

/** A newer schema than that of this release cannot be opened. */
export const demandSupported = (file: string, manifest: Manifest) => {
  if (manifest.schemaVersion <= schemaVersion) return
  throw failed(
    `${file} has schema version ${manifest.schemaVersion}, but this release supports versions up to ${schemaVersion}. Use orgplane ${manifest.orgplane} or a newer release.`
  )
}

const syncDirectory = async (path: string) => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Deletes an unfinished restore. It is not continued, because the next restore can be of another backup. */
const discardUnfinished = async (dataDir: string) => {
  const isUnfinished = (await hasMovedKey(dataDir)) && !(await pathExists(join(dataDir, databaseName)))
  // The key is deleted first: without the other directory, the next restore would treat it as content.
  if (isUnfinished) await rm(join(dataDir, secretKeyName), { force: true })
  await rm(join(dataDir, restoringName), { recursive: true, force: true })
}

const unpackInto = async (dataDir: string, { credentials, file, progress, signal }: RestoreRequest) => {
  const making = join(dataDir, restoringName)
  await discardUnfinished(dataDir)
  try {
    await mkdir(making, { mode: 0o700 })
    const total = await sizeOf(file)
    const manifest = await unpack({
      file,
      credentials,
      into: making,
      signal,
      onRead: (bytes) => progress.show("Restoring", bytes, total)
    })
    demandSupported(file, manifest)
    for (const name of manifest.directories) await syncDirectory(join(making, name))
    // The database comes last: without it, a server does not start on the directory.
    if (summaryOf(manifest).hasSecretKey) {
      await (await open(join(making, verifiedName), "wx", 0o600)).close()
      await syncDirectory(making)
      await rename(join(making, secretKeyName), join(dataDir, secretKeyName))
    }
    await rename(join(making, databaseName), join(dataDir, databaseName))
    await syncDirectory(dataDir)
    return manifest
  } catch (cause) {
    const code = diskFullCode(cause)
    if (code === undefined) throw cause
    throw failed(
      `The file system of ${dataDir} is full (${code}). Nothing was restored. Free disk space, or set --data-dir to a directory on another file system.`
    )
  } finally {
    await discardUnfinished(dataDir)
  }
}

/** Removes a directory that this command created, unless another process uses it. */
const removeUnused = async (directory: string) => {
  const names = await contentsOf(directory)
  if (names.some((name) => name !== lockFileName)) return
  await rm(join(directory, lockFileName), { force: true })
  await rmdir(directory).catch(() => {})
}

/** Fails with `BackupFailed`, or because another process uses the directory. */
export const restore = Effect.fnUntraced(function* (request: RestoreRequest, target: string) {
  const dataDir = resolve(target)
  const isNew = !(yield* attempt(() => pathExists(dataDir)))
  yield* attempt(() => sizeOf(request.file))
  yield* attempt(() => demandEmpty(dataDir))
  const manifest = yield* Effect.scoped(
    Effect.gen(function* () {
      yield* lockDataDir(dataDir)
      // Another process may have created a database before this one got the lock.
      yield* attempt(() => demandEmpty(dataDir))
      yield* attempt(() => chmod(dataDir, 0o700))
      return yield* attempt(() => unpackInto(dataDir, request))
    })
  ).pipe(Effect.tapError(() => (isNew ? Effect.promise(() => removeUnused(dataDir)) : Effect.void)))
  const { createdAt, orgplane } = manifest
  return { ...summaryOf(manifest), dataDir, orgplane, createdAt } satisfies RestoreResult
})
