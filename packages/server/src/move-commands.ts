/** The command `move` of `orgplane-server`. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { isSqlError } from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { addAbortSignal } from "node:stream"
import { Misconfigured } from "./infra/config/environment.ts"
import { readConfiguration, readSources } from "./infra/config/read-configuration.ts"
import { keyFileName, type Keys, KeysMalformed, parseKeyFile } from "./infra/key-file.ts"
import type { Database } from "./infra/options.ts"
import { codeOf, rootOf } from "./infra/sql/failure-code.ts"
import { move, MoveFailed, type MoveResult, placeOf, reopenDatabase } from "./operations/move/index.ts"
import { reportLines, statusOf } from "./operations/report.ts"
import { Canceled, type CommandInvocation, type Outcome, runCommand, usage } from "./operator-command.ts"
import { startFailure } from "./start-error.ts"

const isUrl = (to: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(to)

const lineLengthMax = 65_536

/** The first line of standard input, because other users can read the arguments of a process. */
const readLine = async (signal: AbortSignal): Promise<string> => {
  const input = addAbortSignal(signal, process.stdin.setEncoding("utf8"))
  const { isTTY: isTerminal } = process.stdin
  if (isTerminal) process.stderr.write("Target (a postgres:// URL or a data directory): ")
  let text = ""
  try {
    // Stops at the end of a line, because the input of a terminal does not end.
    for await (const chunk of input) {
      text += String(chunk)
      if (text.includes("\n") || text.length > lineLengthMax) break
    }
  } catch (cause) {
    if (signal.aborted) throw new Canceled(`${isTerminal ? "\n" : ""}The move was canceled. Nothing was changed.`)
    return usage(`Cannot read --to from standard input (${codeOf(cause) ?? "unknown error"}).`)
  }
  const [line = ""] = text.split("\n", 1)
  if (line.length > lineLengthMax) {
    return usage(
      `The first line of standard input is longer than ${lineLengthMax} characters. Pass a postgres:// URL or a data directory.`
    )
  }
  const target = line.trim()
  // An empty data directory would be the default one.
  if (target === "") {
    return usage("The first line of standard input is empty. It must be a postgres:// URL or a data directory.")
  }
  return target
}

/** The keys in the data directory, if it has a key file. */
const keysIn = (database: Database): Keys | undefined => {
  if (database.kind !== "pglite" || database.dataDir === "memory") return undefined
  const path = join(resolve(database.dataDir), keyFileName)
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return undefined
  }
  try {
    return parseKeyFile(text, path)
  } catch (error) {
    throw error instanceof KeysMalformed ? new Misconfigured({ message: error.message }) : error
  }
}

interface Plan {
  readonly from: Database
  readonly to: Database
  readonly secretKeys: ReadonlyArray<string>
  readonly signingKeys: ReadonlyArray<string>
  readonly keyFile: string | undefined
}

/** Both databases: the configured one, and the one of `--to` with the same settings otherwise. */
const planOf = ({ configFile, environment, options }: CommandInvocation, to: string): Plan => {
  const [toSchema] = options["to-schema"] ?? []
  const sources = readSources(environment, configFile)
  const source = readConfiguration(sources).options
  if (source.database.kind === "pglite" && source.database.dataDir === "memory") {
    throw new Misconfigured({ message: "A database in memory cannot be moved." })
  }
  const own = keysIn(source.database)
  const secretKeys = source.secretKeys ?? own?.secrets ?? []
  const { ORGPLANE_DATABASE_URL: _, ORGPLANE_DATA_DIR: __, ...others } = sources.environment
  const target = {
    ...others,
    // A server on PostgreSQL does not start without keys. The move itself only verifies with them.
    ...(secretKeys.length === 0 ? {} : { ORGPLANE_SECRET_KEYS: secretKeys.join(",") }),
    ...(isUrl(to) ? { ORGPLANE_DATABASE_URL: to } : { ORGPLANE_DATA_DIR: to }),
    ...(toSchema === undefined ? {} : { ORGPLANE_DATABASE_SCHEMA: toSchema })
  }
  let database: Database
  try {
    database = readConfiguration({ environment: target, file: undefined }).options.database
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    throw new Misconfigured({
      message: error.message
        .replaceAll(/ORGPLANE_(?:DATABASE_URL|DATA_DIR)/g, "--to")
        .replaceAll("ORGPLANE_DATABASE_SCHEMA", toSchema === undefined ? "ORGPLANE_DATABASE_SCHEMA" : "--to-schema")
    })
  }
  if (
    database.kind === source.database.kind &&
    placeOf(database) === placeOf(source.database) &&
    database.schema === source.database.schema
  ) {
    throw new Misconfigured({ message: `--to is the configured database (${placeOf(database)}).` })
  }
  return {
    from: source.database,
    to: database,
    secretKeys,
    signingKeys: [...(source.signingKeys ?? []), ...(source.secretKeys === undefined ? (own?.verifyOnly ?? []) : [])],
    keyFile:
      source.secretKeys === undefined && own !== undefined ? join(placeOf(source.database), keyFileName) : undefined
  }
}

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

const schemaSetting = ({ schema }: Database) =>
  schema === undefined ? "" : `, and ORGPLANE_DATABASE_SCHEMA to ${schema}`

const linesOf = (result: MoveResult, { keyFile, to }: Plan): string =>
  [
    `${result.isResumed ? "Continued the move" : "Moved"} from ${result.from} to ${result.to}: ${result.rows} rows in ${result.tables} tables, in ${seconds(result.millis)}.`,
    reportLines(result.findings),
    ...(statusOf(result.findings) === "failed"
      ? ["The move is not complete. Fix the problem, and run the command again."]
      : [
          to.kind === "postgres"
            ? `Before you start servers, set ORGPLANE_DATABASE_URL to the new database${schemaSetting(to)}.`
            : `Before you start the server, unset ORGPLANE_DATABASE_URL and set ORGPLANE_DATA_DIR to ${to.dataDir}${schemaSetting(to)}.`,
          keyFile === undefined
            ? "Keep ORGPLANE_SECRET_KEYS as it is."
            : `Set ORGPLANE_SECRET_KEYS to the content of ${keyFile}: it decrypts the secrets. If the file has several lines, separate them by commas.`,
          `Servers no longer start on ${result.from}. To use it again, run orgplane-server move --reopen with its configuration.`
        ])
  ].join("\n")

const reopened = (invocation: CommandInvocation) => {
  const { database } = readConfiguration(readSources(invocation.environment, invocation.configFile)).options
  return {
    databases: [database],
    effect: Effect.map(reopenDatabase(database), (): Outcome => ({
      lines: `Servers can use ${placeOf(database)} again.`,
      json: { reopened: placeOf(database) },
      exitCode: 0
    }))
  }
}

/** A failed connection has the address of PostgreSQL. Other failures of statements have only their message. */
const describe = (error: unknown, databases: ReadonlyArray<Database>): string => {
  const database = databases.find(({ kind }) => kind === "postgres") ?? databases[0]
  if (database === undefined) return String(error)
  if (isSqlError(error) && error.reason._tag !== "ConnectionError" && error.reason._tag !== "AuthenticationError") {
    const cause = rootOf(error.reason.cause)
    return `The move failed: ${cause instanceof Error ? cause.message : error.message}. Run it again to continue.`
  }
  return startFailure(Cause.fail(error), { database, names: "variables" })
}

export const runMoveCommand = (invocation: CommandInvocation) =>
  runCommand(invocation, async ({ progress, signal }) => {
    const [to] = invocation.options["to"] ?? []
    const isReopen = invocation.options["reopen"] !== undefined
    if (isReopen === (to !== undefined)) return usage("move requires either --to or --reopen.")
    if (to?.trim() === "") return usage("--to is empty. It must be a postgres:// URL, a data directory, or -.")
    const [toSchema] = invocation.options["to-schema"] ?? []
    const isRestarted = invocation.options["restart"] !== undefined
    if (isReopen && (toSchema !== undefined || isRestarted)) return usage("--to-schema and --restart require --to.")
    const command = async () => {
      if (to === undefined) return reopened(invocation)
      const plan = planOf(invocation, to === "-" ? await readLine(signal) : to)
      const { from, secretKeys, signingKeys } = plan
      process.stderr.write(
        `Moving from ${placeOf(from)} to ${placeOf(plan.to)}. Keep all servers stopped until the move is complete.\n`
      )
      return {
        databases: [from, plan.to],
        effect: Effect.map(
          move({ from, to: plan.to, secretKeys, signingKeys, isRestarted, progress, signal }),
          (result): Outcome => ({
            lines: linesOf(result, plan),
            json: result,
            exitCode: statusOf(result.findings) === "failed" ? 1 : 0
          })
        )
      }
    }
    const { databases, effect } = await command()
    return {
      effect,
      describe: (error, isCanceled) =>
        error instanceof MoveFailed
          ? { message: error.message, exitCode: isCanceled ? 130 : 1 }
          : { message: describe(error, databases), exitCode: 1 },
      isInterruptible: false
    }
  })
