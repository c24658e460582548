/** The commands `backup` and `restore` of `orgplane-server`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ControlPlaneOptions } from "./infra/options.ts"
import { backup, type BackupResult } from "./operations/backup/backup.ts"
import type { Credentials } from "./operations/backup/encryption.ts"
import { BackupFailed } from "./operations/backup/failure.ts"
import type { Progress } from "./operations/progress.ts"
import { restore, type RestoreResult } from "./operations/backup/restore.ts"
import { verify } from "./operations/backup/verify.ts"
import { type Finding, reportLines, reportOf, statusOf } from "./operations/report.ts"
import { type CommandInvocation, optionsOf, type Outcome, runCommand, usage, UsageError } from "./operator-command.ts"
import { programFailure } from "./start-error.ts"

export interface BackupInvocation extends CommandInvocation {
  readonly command: "backup" | "restore"
  readonly operand: string | undefined
}

const refuse = (message: string): never => {
  throw new UsageError(message)
}

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

const resultOf = (lines: string, json: object): Outcome => ({ lines, json, exitCode: 0 })

const verified = (findings: ReadonlyArray<Finding>): Outcome => ({
  lines: reportLines(findings),
  json: reportOf(findings),
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
      verified
    )
  }
  if (dataDir === undefined) return usage("restore requires --data-dir DIR or --verify.")
  return Effect.map(restore(request, dataDir), (result) => resultOf(restoreLines(result), result))
}

export const runBackupCommand = (invocation: BackupInvocation) =>
  runCommand(invocation, ({ progress, signal }) => {
    const options = optionsOf(invocation)
    return {
      effect: commandOf(invocation, options, progress, signal),
      describe: (error, isCanceled) =>
        isCanceled
          ? { message: `The ${invocation.command} was canceled. Nothing was written.`, exitCode: 130 }
          : { message: describe(error, options), exitCode: 1 },
      isInterruptible: false
    }
  })
