import { userInfo } from "node:os"
import type { ConnectionOptions } from "node:tls"
import { closest } from "../config/closest.ts"
import type { Database } from "../options.ts"

/**
 * Connection settings with the names that node-postgres uses. Its settings for the size of a pool, timeouts and types are
 * accepted and not used. A member of `connectionString` takes precedence.
 */
export interface PostgresSettings {
  readonly connectionString?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly user?: string | undefined
  /** A function is called for each new connection, for passwords that expire. */
  readonly password?: string | (() => string | Promise<string>) | undefined
  readonly database?: string | undefined
  readonly ssl?: boolean | ConnectionOptions | undefined
  /** Options of the server's command line, such as `-c search_path=tools`. */
  readonly options?: string | undefined
  readonly application_name?: string | undefined
}

/** A `pg.Pool`, of which only the settings are read. */
export interface PostgresPool {
  readonly options: PostgresSettings
}

/** Options of a PostgreSQL server, besides how to connect to it. */
export type PostgresDatabaseOptions = Omit<Extract<Database, { kind: "postgres" }>, "kind" | "url" | "password" | "tls">

const encoded = (text: string) => encodeURIComponent(text)

/** Settings that are used, as names so that the type requires all of them. */
const usedSettings = {
  connectionString: true,
  host: true,
  port: true,
  user: true,
  password: true,
  database: true,
  ssl: true,
  options: true,
  application_name: true
} satisfies Record<keyof PostgresSettings, true>

/** Settings of node-postgres that do not change which database is used, or as whom. */
const unusedSettings = new Set([
  "Client",
  "Promise",
  "allowExitOnIdle",
  "binary",
  "client_encoding",
  "connectionTimeoutMillis",
  "enableChannelBinding",
  "fallback_application_name",
  "idleTimeoutMillis",
  "idle_in_transaction_session_timeout",
  "keepAlive",
  "keepAliveInitialDelayMillis",
  "lock_timeout",
  "log",
  "max",
  "maxLifetimeSeconds",
  "maxUses",
  "min",
  "onConnect",
  "query_timeout",
  "statement_timeout",
  "types",
  "verify"
])

const refuse = (problem: string): never => {
  throw new TypeError(`ControlPlane.postgres: ${problem}`)
}

/** Other settings could be misspelled, and would then be replaced by those of the environment. */
const checkSettings = (settings: PostgresSettings): void => {
  const used = Object.keys(usedSettings)
  for (const name of Object.keys(settings)) {
    if (used.includes(name) || unusedSettings.has(name)) continue
    const suggestion = closest(name, used)
    refuse(
      `unknown setting ${name}. ${suggestion === undefined ? `Allowed: ${used.join(", ")}.` : `Did you mean ${suggestion}?`}`
    )
  }
}

/** `options` is also the name of a text in the settings of a client. */
const isPool = (source: PostgresSettings | PostgresPool): source is PostgresPool =>
  typeof source.options === "object" && source.options !== null

const withParameters = (url: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = url.split("?")[1] ?? ""
  const stated = new URLSearchParams(query)
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "" && !stated.has(name)) added.set(name, value)
  }
  return added.size === 0 ? url : `${url}${url.includes("?") ? (query === "" ? "" : "&") : "?"}${added}`
}

/** The URL without the password, which stays out of messages. */
const urlOf = ({
  application_name,
  connectionString,
  database,
  host,
  options,
  port,
  ssl,
  user
}: PostgresSettings): string => {
  if (connectionString !== undefined) return withParameters(connectionString, { options, application_name })
  const { env } = process
  const name = user ?? env["PGUSER"] ?? userInfo().username
  const path = database ?? env["PGDATABASE"] ?? name
  return withParameters(`postgres://${encoded(name)}@localhost/${encoded(path)}`, {
    host: host ?? env["PGHOST"] ?? "localhost",
    port: String(port ?? env["PGPORT"] ?? 5432),
    sslmode: ssl === undefined || ssl === false ? "disable" : "require",
    options: options ?? env["PGOPTIONS"],
    application_name: application_name ?? env["PGAPPNAME"]
  })
}

/** The database of a URL, of connection settings, or of an application's pool. */
export const postgresDatabase = (
  source: string | PostgresSettings | PostgresPool,
  options: PostgresDatabaseOptions = {}
): Database => {
  if (typeof source === "string") return { ...options, kind: "postgres", url: source }
  if (typeof source !== "object" || source === null) {
    return refuse("the first argument must be a URL, connection settings, or a pg.Pool.")
  }
  const settings = isPool(source) ? source.options : source
  if (!isPool(source)) checkSettings(source)
  const { connectionString, ssl } = settings
  if (settings.options !== undefined && settings.options !== null && typeof settings.options !== "string") {
    return refuse("options must be a string such as -c search_path=tools.")
  }
  const password = settings.password ?? (connectionString === undefined ? process.env["PGPASSWORD"] : undefined)
  return {
    ...options,
    kind: "postgres",
    url: urlOf(settings),
    ...(password === undefined ? {} : { password }),
    ...(typeof ssl === "object" ? { tls: ssl } : ssl === true && connectionString !== undefined ? { tls: {} } : {})
  }
}
