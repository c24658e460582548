/** Restores a backup into an empty data directory. */
import { chmod, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { join, resolve } from "node:path"
import { isLockFile, lockDataDir, lockFileName } from "../../infra/sql/data-dir.ts"
import { schemaVersion } from "../../infra/sql/database.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import type { Credentials } from "./encryption.ts"
import { failed } from "./failure.ts"
import { databaseName, type Manifest, secretKeyName, type Summary, summaryOf } from "./manifest.ts"
import type { Progress } from "../progress.ts"
import { unpack } from "./unpack.ts"

/** Where the restore writes before it is complete. A server does not start on a directory that contains it. */
const restoringName = "restore.making"

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

/** The rest of a restore that was killed is not content, and neither are the files of the lock. */
const isContent = (name: string) => name !== restoringName && !isLockFile(name)

const demandEmpty = async (directory: string) => {
  const names = (await contentsOf(directory)).filter(isContent)
  if (names.length === 0) return
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

const unpackInto = async (dataDir: string, { credentials, file, progress, signal }: RestoreRequest) => {
  const making = join(dataDir, restoringName)
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  try {
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
    const summary = summaryOf(manifest)
    if (summary.hasSecretKey) await rename(join(making, secretKeyName), join(dataDir, secretKeyName))
    await rename(join(making, databaseName), join(dataDir, databaseName))
    await syncDirectory(dataDir)
    return manifest
  } finally {
    await rm(making, { recursive: true, force: true })
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
  const isNew = yield* attempt(() =>
    stat(dataDir).then(
      () => false,
      () => true
    )
  )
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
