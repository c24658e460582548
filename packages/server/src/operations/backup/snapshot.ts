/** A consistent copy of an embedded database in its data directory, and its manifest. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { constants, createReadStream } from "node:fs"
import { copyFile, mkdir, readdir, rm, stat, statfs } from "node:fs/promises"
import { join, resolve } from "node:path"
import { startSha256 } from "../../infra/crypto/digest.ts"
import { pathExists } from "../../infra/path-exists.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Pglite } from "../../infra/sql/pglite.ts"
import { schemaOf } from "../../infra/sql/schema.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { version } from "../../infra/version.ts"
import { failed } from "./failure.ts"
import { databaseName, decodeFacts, format, type Manifest, type Part, secretKeyName } from "./manifest.ts"
import * as repo from "./repo.ts"

/** The name of the copy in the data directory, while a backup runs. */
export const snapshotName = "backup.making"

/** Files that describe the running engine. */
const excluded = new Set(["postmaster.pid", "postmaster.opts"])

const copiesAtOnce = 4
const mebibyte = 1024 * 1024

interface Listing {
  readonly directories: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

/** Everything below a directory, by its path from the root, in order. */
const listingOf = async (root: string, name: string): Promise<Listing> => {
  const entries = await readdir(join(root, name), { withFileTypes: true })
  const directories: Array<string> = [name]
  const files: Array<string> = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${name}/${entry.name}`
    if (entry.isDirectory()) {
      const below = await listingOf(root, path)
      directories.push(...below.directories)
      files.push(...below.files)
    } else if (entry.isFile() && !excluded.has(entry.name)) files.push(path)
  }
  return { directories, files }
}

const bytesOf = async (root: string, { files }: Listing): Promise<number> => {
  let bytes = 0
  for (const name of files) bytes += (await stat(join(root, name)).catch(() => undefined))?.size ?? 0
  return bytes
}

const checkSpace = async (dataDir: string, freeMinMiB: number) => {
  const bytes = await bytesOf(dataDir, await listingOf(dataDir, databaseName))
  const { bavail, bsize } = await statfs(dataDir)
  const missing = Math.ceil(bytes / mebibyte) + freeMinMiB - Math.floor((bavail * bsize) / mebibyte)
  if (missing > 0) {
    throw failed(
      `A backup copies the database in ${dataDir} first, and the disk has ${missing} MiB too little free space. Free disk space, and run it again.`
    )
  }
}

const attempt = <A>(task: () => Promise<A>) => Effect.tryPromise({ try: task, catch: (cause) => cause })

/** The copy is instant on file systems that share blocks between files, such as XFS and Btrfs. */
const copyDatabase = Effect.fnUntraced(function* (dataDir: string, target: string, signal: AbortSignal) {
  const listing = yield* attempt(() => listingOf(dataDir, databaseName))
  for (const name of listing.directories) yield* attempt(() => mkdir(join(target, name), { mode: 0o700 }))
  yield* Effect.forEach(
    listing.files,
    (name) =>
      attempt(async () => {
        signal.throwIfAborted()
        await copyFile(join(dataDir, name), join(target, name), constants.COPYFILE_FICLONE)
      }),
    { concurrency: copiesAtOnce, discard: true }
  )
  return listing
})

const partOf = async (root: string, name: string, signal: AbortSignal): Promise<Part> => {
  const digest = startSha256()
  let bytes = 0
  for await (const chunk of createReadStream(join(root, name), { highWaterMark: 256 * 1024, signal })) {
    digest.update(chunk as Uint8Array)
    bytes += (chunk as Uint8Array).length
  }
  return { name, bytes, sha256: digest.digest() }
}

export interface Snapshot {
  readonly directory: string
  readonly manifest: Manifest
  /** How long requests waited. */
  readonly pausedMillis: number
}

export interface SnapshotOptions {
  readonly dataDir: string
  /** Space that a backup leaves free, in MiB. */
  readonly freeMinMiB: number
  readonly signal: AbortSignal
}

const take = Effect.fnUntraced(function* ({ dataDir, freeMinMiB, signal }: SnapshotOptions, directory: string) {
  const sql = yield* SqlDatabase
  const pglite = yield* Pglite
  const statement = yield* repo.factsStatement(sql)
  if (statement === undefined) return yield* failed(`The database in ${dataDir} has no tables of orgplane.`)
  yield* attempt(() => checkSpace(dataDir, freeMinMiB))
  yield* attempt(() => mkdir(directory, { mode: 0o700 }))
  const { createdAt, facts, listing, pausedMillis } = yield* pglite.atRest((read) =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const facts = yield* attempt(async () => decodeFacts(JSON.parse((await read(statement)) ?? "")))
      const listing = yield* copyDatabase(dataDir, directory, signal)
      return { createdAt: began, facts, listing, pausedMillis: (yield* Clock.currentTimeMillis) - began }
    })
  )
  const hasKey = yield* attempt(() => pathExists(join(dataDir, secretKeyName)))
  if (hasKey) yield* attempt(() => copyFile(join(dataDir, secretKeyName), join(directory, secretKeyName)))
  const parts = yield* Effect.forEach([...(hasKey ? [secretKeyName] : []), ...listing.files], (name) =>
    attempt(() => partOf(directory, name, signal))
  )
  const manifest: Manifest = {
    format,
    orgplane: version,
    createdAt: iso(new Date(createdAt)),
    schema: schemaOf(sql) ?? null,
    ...facts,
    directories: listing.directories,
    parts
  }
  return { directory, manifest, pausedMillis } satisfies Snapshot
})

/** Takes a snapshot, and deletes it after its use. */
export const withSnapshot = <A, E, R>(
  options: SnapshotOptions,
  use: (snapshot: Snapshot) => Effect.Effect<A, E, R>
) => {
  const dataDir = resolve(options.dataDir)
  const directory = join(dataDir, snapshotName)
  const clear = Effect.promise(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }))
  // A killed backup leaves its copy.
  return Effect.andThen(clear, Effect.flatMap(take({ ...options, dataDir }, directory), use)).pipe(
    Effect.ensuring(clear)
  )
}
