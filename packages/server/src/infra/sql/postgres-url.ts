import type { ConnectionOptions } from "node:tls"

export interface PostgresHost {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
}

/** A parsed `postgres://` URL. */
export interface PostgresTarget {
  /** In the order in which they are tried. */
  readonly hosts: ReadonlyArray<PostgresHost>
  readonly username: string | undefined
  readonly password: string | (() => string | Promise<string>) | undefined
  readonly database: string | undefined
  readonly applicationName: string | undefined
  readonly options: string | undefined
  /** Timeout of connecting to one host. */
  readonly connectMillis: number
  readonly tls: "off" | "optional" | "required"
  readonly tlsOptions?: ConnectionOptions
  /** The accepted servers: any, one that accepts writes, or one that is not in recovery. */
  readonly sessionAttrs: SessionAttrs
}

const sessionAttrs = ["any", "read-write", "primary"] as const
export type SessionAttrs = (typeof sessionAttrs)[number]

const tlsModes: Readonly<Record<string, PostgresTarget["tls"]>> = {
  disable: "off",
  allow: "optional",
  prefer: "optional",
  require: "required",
  "verify-ca": "required",
  "verify-full": "required"
}

const hostsMax = 16
const connectSecondsMax = 300
const connectMillisDefault = 5000

/** Why a URL cannot be used. The phrase follows the variable's name in a message, and contains no part of the URL. */
class Fault extends Error {}

const decoded = (text: string, part: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Fault(`must percent-encode its ${part} correctly`)
  }
}

const portOf = (text: string): number => {
  const port = text === "" ? 5432 : Number(text)
  if (!/^\d*$/.test(text) || port < 1 || port > 65_535) throw new Fault("must have ports from 1 to 65535")
  return port
}

const hostOf = (text: string): PostgresHost => {
  const [, address, name, port = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(text) ?? []
  if (address === undefined && name === undefined) {
    throw new Fault("must list hosts as host:port, and IPv6 addresses as [address]:port")
  }
  if (address !== undefined && !/^[\da-f:.]+(%[\w.-]+)?$/i.test(address)) {
    throw new Fault("must have an IPv6 address between brackets")
  }
  return { host: address ?? (decoded(name ?? "", "host") || "localhost"), port: portOf(port) }
}

/** Hosts in the query replace those before the path. One port applies to all hosts, or each has its own. */
const queriedHosts = (
  hosts: ReadonlyArray<PostgresHost>,
  named: string | null,
  ports: string | null
): ReadonlyArray<PostgresHost> => {
  const names = named === null ? hosts.map(({ host }) => host) : named.split(",").map((name) => name || "localhost")
  const numbers = ports === null ? undefined : ports.split(",").map(portOf)
  if (numbers !== undefined && numbers.length !== 1 && numbers.length !== names.length) {
    throw new Fault("must have one port for all hosts, or one for each")
  }
  return names.map((host, at) => ({
    host,
    port: numbers?.[numbers.length === 1 ? 0 : at] ?? (named === null ? hosts[at]?.port : undefined) ?? 5432
  }))
}

const connectMillisOf = (text: string | null): number => {
  if (text === null || text === "0") return connectMillisDefault
  const seconds = Number(text)
  if (!/^\d+$/.test(text) || seconds > connectSecondsMax) {
    throw new Fault(`must have a connect_timeout of 0 to ${connectSecondsMax} seconds`)
  }
  return seconds * 1000
}

const read = (url: string): PostgresTarget => {
  const [, authority, path = "", query = ""] =
    /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url.trim()) ?? []
  if (authority === undefined) throw new Fault("must be a postgres:// URL")
  const at = authority.lastIndexOf("@")
  const [user = "", ...password] = authority.slice(0, Math.max(0, at)).split(":")
  const parameters = new URLSearchParams(query)
  const text = (name: string) => parameters.get(name) ?? undefined
  const hosts = queriedHosts(
    authority
      .slice(at + 1)
      .split(",")
      .map(hostOf),
    parameters.get("host"),
    parameters.get("port")
  )
  if (hosts.length > hostsMax) throw new Fault(`must list at most ${hostsMax} hosts`)
  const tls = tlsModes[text("sslmode") ?? "disable"]
  if (tls === undefined) throw new Fault(`must have an sslmode of ${Object.keys(tlsModes).join(", ")}`)
  const wanted = text("target_session_attrs") ?? "any"
  const attrs = sessionAttrs.find((one) => one === wanted)
  if (attrs === undefined) {
    throw new Fault(
      `must have target_session_attrs of ${sessionAttrs.join(", ")}: this server requires a database that accepts writes`
    )
  }
  return {
    hosts,
    username: text("user") ?? (user === "" ? undefined : decoded(user, "user")),
    password: text("password") ?? (password.length === 0 ? undefined : decoded(password.join(":"), "password")),
    database: text("dbname") ?? (path === "" ? undefined : decoded(path, "database")),
    applicationName: text("application_name"),
    options: text("options"),
    connectMillis: connectMillisOf(parameters.get("connect_timeout")),
    tls,
    sessionAttrs: attrs
  }
}

/**
 * Reads `postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write`, or returns why it
 * cannot: a phrase such as "must have ports from 1 to 65535".
 */
export const parsePostgresUrl = (url: string): PostgresTarget | string => {
  try {
    return read(url)
  } catch (cause) {
    if (cause instanceof Fault) return cause.message
    throw cause
  }
}
