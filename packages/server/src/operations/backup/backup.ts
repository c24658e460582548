/** Writes a backup of the embedded database to a file, through a running server or from the data directory itself. */
import * as Effect from "effect/Effect"
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { askServer } from "../../infra/operator-channel/index.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { onEmbeddedDatabase } from "../../infra/sql/database.ts"
import { DataDirLocked, isLockFile } from "../../infra/sql/data-dir.ts"
import { inspectDataDir } from "../../infra/sql/data-dir-state.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import { archiveOf } from "./archive.ts"
import { type Credentials, encryptionOf } from "./encryption.ts"
import { BackupFailed, failed } from "./failure.ts"
import { backupPath, freeMinMiBOf, type ServedSummary, summaryHeader } from "./index.ts"
import { databaseName, secretKeyName, summaryOf } from "./manifest.ts"
import type { Progress } from "../progress.ts"
import { snapshotName, withSnapshot } from "./snapshot.ts"

export interface BackupRequest {
  readonly to: string
  readonly credentials: Credentials
  readonly options: ControlPlaneOptions
  readonly progress: Progress
  readonly signal: AbortSignal
}

export interface BackupResult extends ServedSummary {
  readonly file: string
  readonly dataDir: string
  /** The size of the file, which is larger than the archive if it is encrypted. */
  readonly fileBytes: number
  readonly isEncrypted: boolean
  /** Whether a running server made it. */
  readonly isOnline: boolean
}

const attempt = <A>(task: () => Promise<A>) => Effect.tryPromise({ try: task, catch: (cause) => cause })

type Encrypt = Awaited<ReturnType<typeof encryptionOf>>

const synced = async (path: string) => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isDisconnect = (cause: unknown) =>
  ["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"].includes(codeOf(cause) ?? "")
const serverStopped = () =>
  failed("The server stopped before the backup was complete. Nothing was written. Run it again.")

/** Writes a temporary file beside the target, and replaces the target when the file is complete and on the disk. */
const writeFile = async (
  { progress, signal, to }: BackupRequest,
  encrypt: Encrypt,
  archive: Readable,
  archiveBytes: number
): Promise<number> => {
  const target = resolve(to)
  const partial = join(dirname(target), `.${basename(target)}.${process.pid}.partial`)
  let file: FileHandle | undefined
  let bytes = 0
  let read = 0
  async function* counted() {
    for await (const chunk of archive as AsyncIterable<Uint8Array>) {
      read += chunk.length
      progress.show("Writing the backup", read, archiveBytes)
      yield chunk
    }
  }
  try {
    // Left by a backup that was killed. In a container, the next one has the same process ID.
    await rm(partial, { force: true })
    file = await open(partial, "wx", 0o600)
    const content = Readable.from(counted(), { objectMode: false })
    const written = encrypt === undefined ? content : await encrypt(content)
    for await (const chunk of written as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted()
      await file.writeFile(chunk)
      bytes += chunk.length
    }
    if (read !== archiveBytes) throw failed(`The backup ended after ${read} of ${archiveBytes} bytes. Run it again.`)
    await file.sync()
    await file.close()
    file = undefined
    await rename(partial, target)
    await synced(dirname(target))
    return bytes
  } catch (cause) {
    await file?.close().catch(() => {})
    await rm(partial, { force: true })
    archive.destroy()
    if (cause instanceof BackupFailed || signal.aborted) throw cause
    if (isDisconnect(cause)) throw serverStopped()
    const code = codeOf(cause)
    throw failed(`Cannot write ${target} (${code ?? (cause instanceof Error ? cause.message : String(cause))}).`)
  }
}

/** Files of the installation. A backup would replace them, and the key file is lost then. */
const namesInDataDir = new Set([databaseName, secretKeyName, snapshotName, "operator.sock", "seed.json"])

const checkTarget = async (to: string, dataDir: string) => {
  const target = resolve(to)
  const real = (path: string) => realpath(path).catch(() => path)
  const [first = ""] = relative(await real(dataDir), join(await real(dirname(target)), basename(target))).split(sep)
  if (namesInDataDir.has(first) || isLockFile(first)) {
    throw failed(`${target} belongs to the installation that is backed up. Set --to to another file.`)
  }
  const existing = await stat(target).catch(() => undefined)
  if (existing !== undefined && !existing.isFile())
    throw failed(`${target} is not a file. Set --to to the path of a file.`)
  const folder = await stat(dirname(target)).catch(() => undefined)
  if (folder?.isDirectory() !== true)
    throw failed(`The directory ${dirname(target)} does not exist. Create it, or check --to.`)
}

const refusalOf = async (response: IncomingMessage): Promise<BackupFailed> => {
  const body = await text(response).catch(() => "")
  try {
    return failed((JSON.parse(body) as { readonly message: string }).message)
  } catch {
    return failed(`The server responded with status ${response.statusCode}.`)
  }
}

const isEmptyOrMissing = async (dataDir: string): Promise<boolean> => {
  try {
    return (await inspectDataDir(dataDir)) === "empty"
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return true
    throw cause
  }
}

const summaryIn = (response: IncomingMessage): ServedSummary => {
  const header = response.headers[summaryHeader]
  if (typeof header !== "string") throw failed("The server is of another release. Use its own orgplane-server backup.")
  // Both ends of this channel are from the same installation.
  return JSON.parse(header) as ServedSummary
}

/** Without a server, this process opens the database, and holds the lock of its directory until the end. */
const backupStopped = (request: BackupRequest, dataDir: string, schema: string | undefined, encrypt: Encrypt) =>
  onEmbeddedDatabase(
    { dataDir, ...(schema === undefined ? {} : { schema }) },
    withSnapshot(
      { dataDir, freeMinMiB: freeMinMiBOf(request.options), signal: request.signal },
      ({ directory, manifest }) =>
        Effect.tryPromise({
          try: async () => {
            const summary = summaryOf(manifest)
            const archive = archiveOf(directory, manifest, request.signal)
            return { summary, fileBytes: await writeFile(request, encrypt, archive, summary.bytes) }
          },
          catch: (cause) => cause
        })
    )
  )

/** Fails with `BackupFailed`, or with the failure to open the database. */
export const backup = Effect.fnUntraced(function* (request: BackupRequest) {
  const { options, progress, signal, to } = request
  const { database } = options
  if (database.kind === "postgres" || database.dataDir === "memory") {
    return yield* failed("There is no data directory to back up.")
  }
  const dataDir = resolve(database.dataDir)
  yield* attempt(() => checkTarget(to, dataDir))
  const encrypt = yield* attempt(() => encryptionOf(request.credentials))
  const common = { file: resolve(to), dataDir, isEncrypted: encrypt !== undefined }
  progress.show("Waiting for the snapshot")
  const response = yield* attempt(() => askServer(dataDir, backupPath, signal)).pipe(
    Effect.mapError((cause) => (isDisconnect(cause) ? serverStopped() : cause))
  )
  if (response !== undefined) {
    if (response.statusCode !== 200) return yield* yield* attempt(() => refusalOf(response))
    const summary = summaryIn(response)
    const fileBytes = yield* attempt(() => writeFile(request, encrypt, response, summary.bytes))
    return { ...common, ...summary, fileBytes, isOnline: true } satisfies BackupResult
  }
  const isMissing = yield* attempt(() => isEmptyOrMissing(dataDir))
  if (isMissing) return yield* failed(`${dataDir} contains no database. Check --data-dir or ORGPLANE_DATA_DIR.`)
  const { fileBytes, summary } = yield* backupStopped(request, dataDir, database.schema, encrypt).pipe(
    Effect.catchIf(
      (error) => error instanceof DataDirLocked,
      (error) =>
        failed(`${error.message} It does not listen on operator.sock, so stop it before you run the backup again.`)
    )
  )
  return { ...common, ...summary, pausedMillis: 0, fileBytes, isOnline: false } satisfies BackupResult
})
