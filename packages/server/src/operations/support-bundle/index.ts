/** Collects information for the people who help with a problem of an installation, without secrets and content. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { packTar, type TarEntry } from "modern-tar"
import { open, rm } from "node:fs/promises"
import { arch, availableParallelism, freemem, loadavg, platform, release, totalmem, uptime } from "node:os"
import { resolve } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Environment } from "../../infra/config/environment.ts"
import { configurationFaults, readConfiguration, type Sources } from "../../infra/config/read-configuration.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { Database } from "../../infra/options.ts"
import { onExistingDatabase } from "../../infra/sql/database.ts"
import { DataDirLocked } from "../../infra/sql/data-dir.ts"
import { inspectDataDir } from "../../infra/sql/data-dir-state.ts"
import { codeOf } from "../../infra/sql/failure-code.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { version } from "../../infra/version.ts"
import type { Progress } from "../progress.ts"
import { checkConfig } from "../check-config/index.ts"
import { examine } from "../doctor/index.ts"
import { type Finding, reportJson } from "../report.ts"
import { configurationOf } from "./configuration.ts"
import { logBytesMax, readLogTail } from "./log-tail.ts"
import { NoResponse, readOwnServer } from "./own-server.ts"
import { makeRedact, readKeyFile } from "./redact.ts"
import { type DatabaseReading, readDatabase } from "./repo.ts"
import { askIfEmbedded, type Served, withServed } from "./serve.ts"

export interface BundleRequest {
  /** Default: a name with the current time, in the working directory. */
  readonly to: string | undefined
  readonly logFile: string | undefined
  readonly sources: Sources
  /** The environment without the configuration file. */
  readonly environment: Environment
  /** Why the configuration file cannot be read. */
  readonly fileFaults: ReadonlyArray<string>
  readonly describe: (cause: Cause.Cause<unknown>, context: { readonly database: Database }) => string
  readonly progress: Progress
  readonly signal: AbortSignal
}

export interface BundleResult {
  readonly file: string
  readonly bytes: number
  readonly files: ReadonlyArray<string>
  /** The parts that could not be collected, each with the reason. */
  readonly omitted: ReadonlyArray<{ readonly file: string; readonly reason: string }>
}

/** The bundle was not written. The message states the cause. */
export class BundleFailed extends Error {}

const notSet = "Not requested. Add --log-file FILE."
const logName = "log.txt"

type Part = { readonly name: string } & ({ readonly text: string } | { readonly omitted: string })

const system = (now: number) => ({
  collectedAt: iso(new Date(now)),
  orgplane: version,
  node: process.versions.node,
  platform: platform(),
  arch: arch(),
  release: release(),
  processors: availableParallelism(),
  loadAverage: loadavg(),
  memoryBytes: { total: totalmem(), free: freemem(), limit: process.constrainedMemory() },
  uptimeSeconds: Math.round(uptime()),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone
})

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const attempt = (name: string, read: () => Promise<string>) =>
  Effect.promise((): Promise<Part> =>
    read().then(
      (text) => ({ name, text }),
      (cause: unknown) => ({
        name,
        omitted:
          cause instanceof NoResponse ? cause.message : `It could not be read (${codeOf(cause) ?? "unknown error"}).`
      })
    )
  )

/** A bundle does not wait for a database or another service that does not respond. */
const timeout = "30 seconds"

const reportPart = (name: string, findings: Effect.Effect<ReadonlyArray<Finding>>): Effect.Effect<Part> =>
  findings.pipe(
    Effect.map((all): Part => ({ name, text: `${reportJson(all)}\n` })),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed<Part>({ name, omitted: `The checks did not end within ${timeout}.` })
    })
  )

const databaseName = "database.json"

const partOf = (database: Database, reading: DatabaseReading): Part => ({
  name: databaseName,
  text: textOf({ engine: database.kind, ...reading })
})

/** The embedded database is only opened if it exists and no server uses it. */
const databasePart = (database: Database, describe: BundleRequest["describe"], served: Served) => {
  const omit = (omitted: string) => Effect.succeed<Part>({ name: databaseName, omitted })
  if (served !== undefined) {
    return "omitted" in served ? omit(served.omitted) : Effect.succeed(partOf(database, served.database))
  }
  const read = onExistingDatabase(database, readDatabase).pipe(
    Effect.map((reading) => partOf(database, reading)),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => omit(`The database did not respond within ${timeout}.`)
    }),
    Effect.catchCause((cause) =>
      omit(
        Cause.squash(cause) instanceof DataDirLocked
          ? "A running server uses the embedded database, and does not listen on operator.sock. Stop it to include this part."
          : describe(cause, { database })
      )
    )
  )
  if (database.kind === "postgres") return read
  if (database.dataDir === "memory") return omit("The embedded database is in memory.")
  return Effect.flatMap(
    Effect.promise(() => inspectDataDir(resolve(database.dataDir)).catch(() => "unusable" as const)),
    (state) => (state === "empty" || state === "unusable" ? omit("There is no database in the data directory.") : read)
  )
}

const collect = Effect.fnUntraced(function* (request: BundleRequest, now: number) {
  const { describe, environment, logFile, progress, signal, sources } = request
  const faults = [...request.fileFaults, ...configurationFaults(sources)]
  const parts: Array<Part> = [
    { name: "system.json", text: textOf(system(now)) },
    { name: "configuration.json", text: textOf(configurationOf(sources, environment, faults)) }
  ]
  if (faults.length > 0) {
    const omitted = "The configuration is not valid. See faults in configuration.json."
    parts.push(
      ...["check-config.json", "doctor.json", databaseName, "ready.json", "metrics.txt"].map((name) => ({
        name,
        omitted
      }))
    )
  } else {
    const configuration = readConfiguration(sources)
    const { database } = configuration.options
    progress.show("Reading from the running server")
    const served = yield* askIfEmbedded(database, signal)
    parts.push(
      ...(yield* Effect.all(
        [
          attempt("ready.json", () => readOwnServer(configuration, "/v1/ready", signal)),
          attempt("metrics.txt", () => readOwnServer(configuration, "/v1/metrics", signal))
        ],
        { concurrency: "unbounded" }
      ))
    )
    progress.show("Checking the configuration")
    parts.push(yield* reportPart("check-config.json", checkConfig(sources, describe)))
    progress.show("Examining the installation")
    const findings = Effect.map(examine(sources, describe), (own) => withServed(own, served))
    parts.push(yield* reportPart("doctor.json", findings))
    progress.show("Reading the state of the database")
    parts.push(yield* databasePart(database, describe, served))
  }
  progress.show("Reading the log")
  parts.push(
    logFile === undefined ? { name: logName, omitted: notSet } : yield* attempt(logName, () => readLogTail(logFile))
  )
  return parts
})

const contents: Readonly<Record<string, string>> = {
  "system.json": "Versions, processors and memory of this machine",
  "configuration.json": "The settings. Secrets, email addresses and commands are only marked as set",
  "check-config.json": "The result of orgplane-server check-config",
  "doctor.json": "The result of orgplane-server doctor",
  "ready.json": "The readiness of the running server, with details if the metrics token is set",
  "metrics.txt": "The metrics of the running server",
  [databaseName]:
    "Migrations, settings, sessions, states of the queues, and the number of rows and the size of each table. No rows",
  [logName]: `The last ${logBytesMax / 1_048_576} MiB of the log file`
}

const write = async (file: string, content: Uint8Array) => {
  const handle = await open(file, "wx", 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } catch (cause) {
    await rm(file, { force: true })
    throw cause
  } finally {
    await handle.close()
  }
}

/** Writes the bundle. An existing file is never replaced. */
export const writeBundle = Effect.fnUntraced(function* (request: BundleRequest) {
  const now = yield* Clock.currentTimeMillis
  const { environment, progress, signal, sources } = request
  const all = { ...environment, ...sources.environment }
  const redact = makeRedact(all, yield* Effect.promise(() => readKeyFile(all)))
  const parts = yield* collect(request, now)
  const files = parts.flatMap((part) =>
    "text" in part ? [{ name: part.name, text: redact[part.name === logName ? "log" : "text"](part.text) }] : []
  )
  const omitted = parts.flatMap((part) =>
    "text" in part ? [] : [{ file: part.name, reason: redact.text(part.omitted) }]
  )
  const stamp = iso(new Date(now)).replaceAll(/[-:]|\.\d+/gu, "")
  const manifest = {
    format: 1,
    createdAt: iso(new Date(now)),
    version,
    files: files.map(({ name, text }) => ({
      name,
      bytes: Buffer.byteLength(text),
      sha256: sha256(Buffer.from(text)),
      content: contents[name]
    })),
    omitted
  }
  const folder = `orgplane-support-${stamp}`
  const file = resolve(request.to ?? `${folder}.tar.gz`)
  const entries = [{ name: "manifest.json", text: textOf(manifest) }, ...files].map(({ name, text }): TarEntry => {
    const body = new Uint8Array(Buffer.from(text))
    return {
      header: { name: `${folder}/${name}`, size: body.length, type: "file", mode: 0o600, mtime: new Date(now) },
      body
    }
  })
  progress.show("Writing the bundle")
  const content = yield* Effect.promise(async () => promisify(gzip)(await packTar(entries)))
  if (signal.aborted) return yield* Effect.interrupt
  yield* Effect.tryPromise({
    try: () => write(file, content),
    catch: (cause) =>
      new BundleFailed(
        codeOf(cause) === "EEXIST"
          ? `${file} already exists. Remove it, or choose another name with --to.`
          : `Cannot write ${file} (${codeOf(cause) ?? "unknown error"}).`
      )
  })
  return {
    file,
    bytes: content.length,
    files: ["manifest.json", ...files.map(({ name }) => name)],
    omitted
  } satisfies BundleResult
})
