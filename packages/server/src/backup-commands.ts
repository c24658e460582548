/** The commands `backup` and `restore` of `orgplane-server`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Environment, Misconfigured } from "./infra/config/environment.ts"
import { readConfiguration, readSources } from "./infra/config/read-configuration.ts"
import { layerLogger } from "./infra/logger.ts"
import type { ControlPlaneOptions } from "./infra/options.ts"
import { backup, type BackupResult } from "./operations/backup/backup.ts"
import type { Credentials } from "./operations/backup/encryption.ts"
import { BackupFailed } from "./operations/backup/failure.ts"
import { type Progress, terminalProgress } from "./operations/backup/progress.ts"
import { restore, type RestoreResult } from "./operations/backup/restore.ts"
import { verify } from "./operations/backup/verify.ts"
import { type Finding, reportJson, reportLines, statusOf } from "./operations/report.ts"
import { programFailure } from "./start-error.ts"

export interface BackupInvocation {
  readonly command: "backup" | "restore"
  readonly environment: Environment
  readonly configFile: string | undefined
  readonly json: boolean
  readonly operand: string | undefined
  readonly options: Readonly<Record<string, ReadonlyArray<string>>>
}

class UsageError extends Error {}

const refuse = (message: string): never => {
  throw new UsageError(message)
}
const usage = (message: string): never => refuse(`${message} Run orgplane-server --help for usage.`)

const mebibytes = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MiB`

const backupLines = (result: BackupResult): string =>
  [
    `Backed up ${result.dataDir} to ${result.file} (${mebibytes(result.fileBytes)}${result.isEncrypted ? ", encrypted" : ""}): ` +
      `${result.rows} rows in ${result.tables} tables, schema version ${result.schemaVersion}.`,
    result.isOnline
      ? `Requests to the running server waited for ${result.pausedMillis} ms.`
      : "No server was running on the data directory.",
    ...(result.hasSecretKey
      ? result.isEncrypted
        ? []
        : ["The file contains the secret key and is not encrypted. Keep it where only administrators can read it."]
      : ["The file does not contain the secret keys. Keep ORGPLANE_SECRET_KEYS in another place."])
  ].join("\n")

const restoreLines = (result: RestoreResult): string =>
  [
    `Restored the backup of ${result.createdAt} into ${result.dataDir}: ${result.rows} rows in ${result.tables} tables, ` +
      `schema version ${result.schemaVersion}.`,
    ...(result.hasSecretKey
      ? []
      : ["The backup does not contain the secret keys. Set ORGPLANE_SECRET_KEYS before you start the server."])
  ].join("\n")

interface Outcome {
  readonly lines: string
  readonly json: string
  readonly exitCode: number
}

const resultOf = (lines: string, value: object): Outcome => ({
  lines,
  json: JSON.stringify(value, null, 2),
  exitCode: 0
})

const reportOf = (findings: ReadonlyArray<Finding>): Outcome => ({
  lines: reportLines(findings),
  json: reportJson(findings),
  exitCode: statusOf(findings) === "failed" ? 1 : 0
})

const credentialsOf = (options: BackupInvocation["options"]): Credentials => {
  const [passphraseFile] = options["passphrase-file"] ?? []
  const [identityFile] = options["identity-file"] ?? []
  const { recipient: recipients } = options
  if (passphraseFile !== undefined && recipients !== undefined) {
    usage("--passphrase-file and --recipient cannot be combined.")
  }
  if (passphraseFile !== undefined && identityFile !== undefined) {
    usage("--passphrase-file and --identity-file cannot be combined.")
  }
  return {
    ...(passphraseFile === undefined ? {} : { passphraseFile }),
    ...(identityFile === undefined ? {} : { identityFile }),
    ...(recipients === undefined ? {} : { recipients })
  }
}

/** The configuration of the server that runs on the data directory. */
const optionsOf = ({ configFile, environment, options }: BackupInvocation): ControlPlaneOptions => {
  const [dataDir] = options["data-dir"] ?? []
  const own = dataDir === undefined ? environment : { ...environment, ORGPLANE_DATA_DIR: dataDir }
  return readConfiguration(readSources(own, configFile)).options
}

const describe = (error: unknown, { database }: ControlPlaneOptions): string =>
  error instanceof BackupFailed ? error.message : programFailure(Cause.fail(error), { database })

const postgresMessage =
  'The database is PostgreSQL, so back it up with pg_dump --schema=orgplane or point-in-time recovery, and keep ORGPLANE_SECRET_KEYS in another place (see the guide "Backup and restore").'

const commandOf = (
  invocation: BackupInvocation,
  options: ControlPlaneOptions,
  progress: Progress,
  signal: AbortSignal
): Effect.Effect<Outcome, unknown> => {
  const credentials = credentialsOf(invocation.options)
  const { operand } = invocation
  if (invocation.command === "backup") {
    const [to] = invocation.options["to"] ?? []
    if (to === undefined) return usage("backup requires --to FILE.")
    if (options.database.kind === "postgres") return refuse(postgresMessage)
    return Effect.map(backup({ to, credentials, options, progress, signal }), (result) =>
      resultOf(backupLines(result), result)
    )
  }
  const [dataDir] = invocation.options["data-dir"] ?? []
  if (operand === undefined) return usage("restore requires the file of a backup.")
  const request = { file: operand, credentials, progress, signal }
  if (invocation.options["verify"] !== undefined) {
    if (dataDir !== undefined) usage("--verify and --data-dir cannot be combined.")
    return Effect.map(
      verify(request, options, (error) => describe(error, { database: { kind: "pglite", dataDir: "the backup" } })),
      reportOf
    )
  }
  if (dataDir === undefined) return usage("restore requires --data-dir DIR or --verify.")
  return Effect.map(restore(request, dataDir), (result) => resultOf(restoreLines(result), result))
}

/** Runs a command, prints its result, and sets the exit code: 1 if it failed, 2 if it was called or configured wrongly. */
export const runBackupCommand = async (invocation: BackupInvocation) => {
  const canceled = new AbortController()
  const cancel = () => canceled.abort()
  process.on("SIGINT", cancel).on("SIGTERM", cancel)
  const progress = terminalProgress(process.stderr)
  const fail = (message: string, exitCode: number) => {
    progress.end()
    process.stderr.write(`${message}\n`)
    process.exitCode = exitCode
  }
  try {
    const options = optionsOf(invocation)
    const exit = await Effect.runPromiseExit(
      commandOf(invocation, options, progress, canceled.signal).pipe(Effect.provide(layerLogger("none")))
    )
    if (Exit.isFailure(exit)) {
      if (canceled.signal.aborted) return fail(`The ${invocation.command} was canceled. Nothing was written.`, 130)
      return fail(describe(Cause.squash(exit.cause), options), 1)
    }
    progress.end()
    process.stdout.write(`${invocation.json ? exit.value.json : exit.value.lines}\n`)
    process.exitCode = exit.value.exitCode
  } catch (error) {
    if (error instanceof UsageError || error instanceof Misconfigured) return fail(error.message, 2)
    throw error
  } finally {
    process.off("SIGINT", cancel).off("SIGTERM", cancel)
  }
}
