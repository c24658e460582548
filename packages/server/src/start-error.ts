import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as SqlError from "effect/sql/SqlError"
import { namingOptions, SettingNames } from "./infra/config/setting-names.ts"
import type { Database } from "./infra/options.ts"
import { endpointOf } from "./infra/sql/await-postgres.ts"
import { codeOf, rootOf } from "./infra/sql/failure-code.ts"
import { poolerFix, poolerParametersFix } from "./infra/sql/pooler.ts"

export interface StartContext {
  readonly database: Database
  /** How settings are set. Default: by options. */
  readonly names?: "variables" | "options"
  /** The address that the program listens on; a host application opens its own listener. */
  readonly listen?: { readonly host: string; readonly port: number }
}

const place = (host: string, port: number) => `${host.includes(":") ? `[${host}]` : host}:${port}`

const listenSentence = ({ host, port }: { readonly host: string; readonly port: number }, cause: unknown): string => {
  const code = codeOf(cause)
  const where = `Cannot listen on ${place(host, port)} (${code ?? textOf(cause)}).`
  switch (code) {
    case "EADDRINUSE":
      return `${where} Another process is using this port. Stop it, or set ORGPLANE_PORT to a free port.`
    case "EACCES":
      return `${where} The current user is not allowed to bind this port. Set ORGPLANE_PORT to a port above 1023.`
    case "EADDRNOTAVAIL":
      return `${where} This machine does not have that address. Check ORGPLANE_HOST.`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${where} The host name cannot be resolved. Check ORGPLANE_HOST.`
    default:
      return `${where} Check ORGPLANE_HOST and ORGPLANE_PORT.`
  }
}

/** The cause and the fix for each SQLSTATE and system error of a start on PostgreSQL. */
const postgresReasons: Readonly<Record<string, string>> = {
  "08P01": poolerParametersFix,
  "26000": poolerFix,
  "42P05": poolerFix,
  "28P01": "The password is wrong or the user does not exist. Check ORGPLANE_DATABASE_URL.",
  "28000": "The server rejects connections by this user from this host. Check ORGPLANE_DATABASE_URL and pg_hba.conf.",
  "3D000": "The database does not exist. Create it, or check ORGPLANE_DATABASE_URL.",
  "42501": "The user is not allowed to change the schema. Grant the user CREATE on the database and its schema.",
  "25006": "The server is a standby or read-only. Connect to the primary.",
  "53100": "The server's disk is full. Free disk space on the server.",
  "53300": "The server has no free connections. Raise max_connections, or close other connections.",
  "57P03": "The server is still starting up or shutting down. Try again later.",
  ENOTFOUND: "The host name cannot be resolved. Check ORGPLANE_DATABASE_URL.",
  EAI_AGAIN: "The host name cannot be resolved at the moment. Check ORGPLANE_DATABASE_URL and the name server."
}

const postgresSentence = (url: string, error: SqlError.SqlError): string => {
  const cause = rootOf(error.reason.cause)
  const code = codeOf(cause)
  const why = code ?? textOf(cause)
  const isConnect = error.reason._tag === "ConnectionError" || error.reason._tag === "AuthenticationError"
  const what = isConnect ? "Cannot connect to PostgreSQL at" : "Cannot set up the database on PostgreSQL at"
  const detail = code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? `${code}: ${textOf(cause)}` : why
  const advice = postgresReasons[code ?? ""] ?? (isConnect ? "Check ORGPLANE_DATABASE_URL." : "Check the server's log.")
  return `${what} ${endpointOf(url)} (${detail}). ${advice}`
}

const diskFull = (what: string) => `${what}: no space left on the device (ENOSPC). Free disk space and start again.`

const embeddedSentence = (dataDir: string, error: SqlError.SqlError): string => {
  const cause = rootOf(error.reason.cause)
  const text = textOf(cause)
  const at = dataDir === "memory" ? "in memory" : `in ${dataDir}/database`
  if (codeOf(cause) === "ENOSPC" || /no space left|ENOSPC|53100/i.test(text)) {
    return diskFull(`Cannot open the embedded database ${at}`)
  }
  if (codeOf(cause) === "EACCES" || codeOf(cause) === "EROFS" || /EACCES|EROFS/.test(text)) {
    return `Cannot open the embedded database ${at}: its files cannot be written (${text}). Check their owner and permissions.`
  }
  // The engine's messages contain the name of its compiled program.
  const engine = text.replace(/^The embedded database cannot start: /, "").split(/\n|\. Build with/)[0]
  return (
    `Cannot open the embedded database ${at}: its files are damaged, incomplete, or were created by another PostgreSQL version ` +
    `(${engine}). Nothing was changed. Restore the directory from a backup, or set ORGPLANE_DATA_DIR to another directory.`
  )
}

const textOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message === "" ? cause.name : cause.message
  if (typeof cause === "string") return cause
  try {
    return JSON.stringify(cause) ?? String(cause)
  } catch {
    return "unknown error"
  }
}

const isSqlError = (value: unknown): value is SqlError.SqlError => SqlError.isSqlError(value)

/** The first error of a kind in a chain of causes. */
const findIn = <A>(error: unknown, is: (value: unknown) => value is A): A | undefined => {
  let at: unknown = error
  for (let depth = 0; depth < 10 && at !== undefined && at !== null; depth += 1) {
    if (is(at)) return at
    at = typeof at === "object" && "cause" in at ? at.cause : undefined
  }
  return undefined
}

const tagOf = (error: unknown) =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
    ? error._tag
    : undefined

/** Returns one line with the reason why a control plane could not start and the fix, without internal class names. */
export const startFailure = (cause: Cause.Cause<unknown>, context: StartContext): string => {
  const sentence = sentenceOf(cause, context)
  return context.names === "variables" ? sentence : namingOptions(sentence)
}

/** The same for a command of the program, whose settings are environment variables. */
export const programFailure = (cause: Cause.Cause<unknown>, context: Pick<StartContext, "database">): string =>
  startFailure(cause, { ...context, names: "variables" })

const sentenceOf = (cause: Cause.Cause<unknown>, { database, listen }: StartContext): string => {
  const error = Cause.squash(cause)
  if (tagOf(error) === "ServeError" && listen !== undefined) return listenSentence(listen, rootOf(error))
  const sqlError = findIn(error, isSqlError)
  if (sqlError !== undefined) {
    return database.kind === "postgres"
      ? postgresSentence(database.url, sqlError)
      : embeddedSentence(database.dataDir, sqlError)
  }
  if (tagOf(error) === "MigrationError") {
    return `The schema migration failed: ${textOf(rootOf(error))}. Completed migrations and steps are kept. Check the database's log, and run orgplane-server migrate again.`
  }
  if (codeOf(rootOf(error)) === "ENOSPC") return diskFull("Cannot write")
  return textOf(error).split("\n")[0] ?? "unknown error"
}

/** Runs a step that uses only the database. Rejects with one line, like a start. */
export const runStep = async <A>(step: Effect.Effect<A, unknown>, context: StartContext): Promise<A> => {
  const exit = await Effect.runPromiseExit(Effect.provideService(step, SettingNames, context.names ?? "options"))
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(startFailure(exit.cause, context), { cause: Cause.squash(exit.cause) })
}
