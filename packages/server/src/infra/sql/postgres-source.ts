import { userInfo } from "node:os"
import type { ConnectionOptions } from "node:tls"
import type { Database } from "../options.ts"

/** Connection settings with the names that node-postgres uses. */
export interface PostgresSettings {
  readonly connectionString?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly user?: string | undefined
  /** A function is called for each new connection, for passwords that expire. */
  readonly password?: string | (() => string | Promise<string>) | undefined
  readonly database?: string | undefined
  readonly ssl?: boolean | ConnectionOptions | undefined
}

/** A `pg.Pool`, of which only the settings are read. */
export interface PostgresPool {
  readonly options: PostgresSettings
}

/** Options of a PostgreSQL server, besides how to connect to it. */
export type PostgresDatabaseOptions = Omit<Extract<Database, { kind: "postgres" }>, "kind" | "url" | "password" | "tls">

const encoded = (text: string) => encodeURIComponent(text)

/** The URL without the password, which stays out of messages. */
const urlOf = ({ connectionString, database, host, port, ssl, user }: PostgresSettings): string => {
  if (connectionString !== undefined) return connectionString
  const { env } = process
  const name = user ?? env["PGUSER"] ?? userInfo().username
  const path = database ?? env["PGDATABASE"] ?? name
  const parameters = new URLSearchParams({
    host: host ?? env["PGHOST"] ?? "localhost",
    port: String(port ?? env["PGPORT"] ?? 5432),
    sslmode: ssl === undefined || ssl === false ? "disable" : "require"
  })
  return `postgres://${encoded(name)}@localhost/${encoded(path)}?${parameters}`
}

/** The database of a URL, of connection settings, or of an application's pool. */
export const postgresDatabase = (
  source: string | PostgresSettings | PostgresPool,
  options: PostgresDatabaseOptions = {}
): Database => {
  if (typeof source === "string") return { ...options, kind: "postgres", url: source }
  const settings = "options" in source ? source.options : source
  const { connectionString, ssl } = settings
  const password = settings.password ?? (connectionString === undefined ? process.env["PGPASSWORD"] : undefined)
  return {
    ...options,
    kind: "postgres",
    url: urlOf(settings),
    ...(password === undefined ? {} : { password }),
    ...(typeof ssl === "object" ? { tls: ssl } : ssl === true && connectionString !== undefined ? { tls: {} } : {})
  }
}
