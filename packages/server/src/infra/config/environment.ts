import { readFileSync } from "node:fs"
import * as Data from "effect/Data"
import { join, resolve } from "node:path"
import { parseSmtpUrl } from "../adapters/mailer-smtp.ts"
import { readAppKey } from "../adapters/rest/index.ts"
import { parseRemoteSource } from "../adapters/remote/index.ts"
import { isEndpointUrl, parseSuiteOAuth } from "../adapters/suites/index.ts"
import { isLoopbackHost, isOrigin } from "../http/headers.ts"
import type { ControlPlaneOptions, Database } from "../options.ts"
import { parseDnsServer, parsePlainHttp, parseRange } from "../outbound/index.ts"
import type { SuiteSettings } from "../ports/suites.ts"
import { isPathPrefix } from "./check-options.ts"
import { optionRanges, type Range } from "./ranges.ts"
import { schemaNameFault } from "../sql/schema.ts"
import { parsePostgresUrl } from "../sql/postgres-url.ts"

/** An environment variable is malformed. The message names the variable and never contains its value. */
export class Misconfigured extends Data.TaggedError("Misconfigured")<{ readonly message: string }> {}

/** The configuration of the server program, read from its environment. */
export interface Configuration {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly seed: "demo" | "none"
  /** How long to drain after SIGTERM, and the maximum time until the process exits. */
  readonly stop: { readonly drainMillis: number; readonly limitMillis: number }
  readonly options: ControlPlaneOptions
}

/** The environment variables and their descriptions, as `orgplane-server --help` and `config` print them. */
export const variables = {
  ORGPLANE_HOST: "Address to listen on. Default: 127.0.0.1.",
  ORGPLANE_PORT: "Port to listen on. Default: 8787.",
  ORGPLANE_DATA_DIR: "Data directory for the embedded database. Default: .orgplane.",
  ORGPLANE_DATABASE_URL:
    "PostgreSQL connection URL. If unset, the embedded database is used. With multiple hosts, the server connects to the one that accepts writes: postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write.",
  ORGPLANE_DATABASE_SCHEMA:
    "Schema for all orgplane tables; it is created if it is missing. Default: orgplane, or the schema in which an earlier release created the tables.",
  ORGPLANE_MIGRATIONS:
    "What the server does at startup if schema migrations are pending: run runs them, check exits with an error; run orgplane-server migrate first. Default: run.",
  ORGPLANE_DATABASE_TIMEOUT_SECONDS:
    "Timeout for each database statement of a request, in seconds, 1 to 300. On timeout, the server returns 503 and closes the database connection. Default: 10.",
  ORGPLANE_DISK_FREE_MIN_MIB:
    "Minimum free disk space for the embedded database, in MiB. Below it, GET /v1/ready reports the disk as failed. Default: 256.",
  ORGPLANE_DATABASE_WAIT_SECONDS:
    "How long the server waits at startup for a PostgreSQL server that is unreachable or read-only, in seconds, 0 to 3600. Default: 60.",
  ORGPLANE_DRAIN_SECONDS:
    "After SIGTERM, how long new connections are still accepted while GET /v1/ready returns 503, in seconds, 0 to 600. Default: 5.",
  ORGPLANE_SHUTDOWN_SECONDS:
    "Maximum time from SIGTERM or SIGINT until the process exits, including the drain, in seconds, 1 to 3600. Default: 25.",
  ORGPLANE_SEED:
    "Whether the server creates a demo workspace: demo or none. Default: demo if the embedded database is used and ORGPLANE_HOST is loopback, otherwise none.",
  ORGPLANE_BOOTSTRAP:
    "Who can create unclaimed workspaces: open (everyone), off (no one), or a token that the request must send. Default: open when ORGPLANE_HOST is loopback, otherwise off.",
  ORGPLANE_PUBLIC_URL:
    "URL at which clients reach the server, also used to build links. If it has no path, ORGPLANE_PATH_PREFIX is appended. Default: http:// with the host and port.",
  ORGPLANE_PATH_PREFIX: "Path under which the server is mounted, such as /orgplane. Default: none.",
  ORGPLANE_SECRET_KEYS:
    "Encryption and signing keys, newest first, comma-separated, at least 32 characters each. Required with PostgreSQL; the embedded database generates one. Within an hour of startup, values encrypted with an older key are re-encrypted with the newest key. Keep an older key for as long as you need to verify audit events that were signed with it.",
  ORGPLANE_DEFAULT_PLAN: "Plan for new organizations. Default: enterprise.",
  ORGPLANE_PLATFORM_ADMINS: "Comma-separated email addresses of platform administrators. Default: none.",
  ORGPLANE_METRICS_TOKEN: "Bearer token required by GET /v1/metrics. If unset, GET /v1/metrics returns 404.",
  ORGPLANE_SMTP_URL:
    "Mail server: smtp://user:password@host:587?from=sender%40host, or smtps. Default: the embedded database writes emails to an outbox file; with PostgreSQL no email is sent.",
  ORGPLANE_GIT_LOCAL_ROOTS: "Comma-separated directories whose repositories can be connected by path. Default: none.",
  ORGPLANE_WEBHOOK_SECRET:
    "Secret with which the code host signs its webhooks, at least 16 characters. During a rotation, set two secrets separated by a comma or a line break. If unset, webhooks are rejected.",
  ORGPLANE_RECONCILE_SECONDS:
    "How often connected branches are checked for pushes that no webhook reported, in seconds. Set to 0 to disable the check. Default: 900.",
  ORGPLANE_CODEHOST_URL:
    "Base URL of the code host's REST API, such as https://api.example.com or https://git.example.com/api/v3. It may be a private address. Requires ORGPLANE_CODEHOST_APP_ID, _PRIVATE_KEY, _CLIENT_ID and _CLIENT_SECRET.",
  ORGPLANE_CODEHOST_WEB_URL: "URL of the code host's website. Default: derived from ORGPLANE_CODEHOST_URL.",
  ORGPLANE_CODEHOST_APP_ID: "ID or client ID of the app on the code host.",
  ORGPLANE_CODEHOST_PRIVATE_KEY: "The app's private RSA key: PEM text, or the path of a PEM file.",
  ORGPLANE_CODEHOST_CLIENT_ID:
    "The app's client ID, used to verify that a user is an administrator of an app installation.",
  ORGPLANE_CODEHOST_CLIENT_SECRET: "The app's client secret.",
  ORGPLANE_SUITE_A_URL:
    "Base URL of the mail suite's API, including its version. It may be a private address. Requires ORGPLANE_SUITE_A_OAUTH.",
  ORGPLANE_SUITE_A_OAUTH:
    "OAuth app registered with the mail suite: JSON with authorizationUrl, tokenUrl and clientId, and optionally clientSecret, scopes, revocationUrl, issuer and authorizationParameters.",
  ORGPLANE_SUITE_B_URL:
    "Base URL of the calendar suite's API, including its version. It may be a private address. Requires ORGPLANE_SUITE_B_OAUTH.",
  ORGPLANE_SUITE_B_OAUTH:
    "OAuth app registered with the calendar suite, in the same JSON format as ORGPLANE_SUITE_A_OAUTH.",
  ORGPLANE_REMOTE_SOURCES:
    "Comma-separated hosts from which marketplace plugins are fetched at their pinned revision. Example: github.com. For a mirror: github.com=https://mirror.example/git. For the npm registry: npm=https://npm.example. Default: none.",
  ORGPLANE_PLUGIN_FILE_BYTES: "Maximum size of a single plugin file, in bytes. Default: 5242880 (5 MiB).",
  ORGPLANE_PLUGIN_FILES: "Maximum number of files in a plugin. Default: 2000.",
  ORGPLANE_PLUGIN_BYTES: "Maximum total size of a plugin's files, in bytes. Default: 52428800 (50 MiB).",
  ORGPLANE_TELEMETRY_TYPES:
    "Comma-separated event types that are accepted in addition to the standard types, such as plugin.used. Default: none.",
  ORGPLANE_TELEMETRY_RETENTION: "How long telemetry events are kept, in days, 1 to 3650. Default: 400.",
  ORGPLANE_WORKER_COMMAND:
    "Program that starts the runtime of a cloud worker: a path, or a JSON array of a program and its arguments. If unset, cloud workers cannot be created.",
  ORGPLANE_WORKER_HEARTBEAT_SECONDS:
    "Heartbeat interval for workers, in seconds, 1 to 3600. A worker that misses three heartbeats is marked as failed. Default: 30.",
  ORGPLANE_MODELS_URL:
    "URL of the public model catalog; it may be a private address. Set to off to disable the catalog. Default: https://models.dev/api.json.",
  ORGPLANE_EMBEDDINGS_URL:
    "Embeddings endpoint for memories and search queries, such as https://api.openai.com/v1/embeddings. It may be a private address. Memory texts and search queries are sent to it. Requires ORGPLANE_EMBEDDINGS_MODEL. If unset, no text is sent.",
  ORGPLANE_EMBEDDINGS_MODEL:
    "Model name sent to the embeddings endpoint. If you change the model, existing vectors are recomputed.",
  ORGPLANE_EMBEDDINGS_KEY: "Bearer token for the embeddings endpoint. Default: none.",
  ORGPLANE_OUTBOUND_ALLOW:
    "Comma-separated private address ranges that URLs supplied by callers may resolve to. Default: none.",
  ORGPLANE_OUTBOUND_ALLOW_HTTP:
    "Comma-separated address ranges and host names that the server may reach over plain http, such as 127.0.0.0/8 or mcp.internal. Private addresses also need ORGPLANE_OUTBOUND_ALLOW. Default: none.",
  ORGPLANE_OUTBOUND_PROXY:
    "Proxy for all outbound requests. The server resolves and checks host names, and passes IP addresses to the proxy.",
  ORGPLANE_OUTBOUND_CA: "Additional CA certificates for outbound requests, in PEM format.",
  ORGPLANE_DNS_SERVERS:
    "Comma-separated name servers for outbound requests and domain verification, such as 127.0.0.1:5353 or [2001:db8::1]. Default: the operating system's resolver.",
  ORGPLANE_CORS_ORIGINS: "Comma-separated origins allowed by CORS, such as https://app.example. Default: none.",
  ORGPLANE_TRUSTED_PROXIES:
    "Comma-separated addresses or ranges of proxies whose x-forwarded-for header is trusted. Default: none.",
  ORGPLANE_LOG_LEVEL: "Minimum level of log messages: none, error, warn, info or debug. Default: info.",
  ORGPLANE_OTLP_URL:
    "Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON) that receives traces, metrics and logs, such as http://127.0.0.1:4318. Default: none."
} as const

type Name = keyof typeof variables
const secretNames: ReadonlySet<Name> = new Set([
  "ORGPLANE_DATABASE_URL",
  "ORGPLANE_SECRET_KEYS",
  "ORGPLANE_METRICS_TOKEN",
  "ORGPLANE_SMTP_URL",
  "ORGPLANE_WEBHOOK_SECRET",
  "ORGPLANE_OUTBOUND_PROXY",
  "ORGPLANE_CODEHOST_PRIVATE_KEY",
  "ORGPLANE_CODEHOST_CLIENT_SECRET",
  "ORGPLANE_SUITE_A_OAUTH",
  "ORGPLANE_SUITE_B_OAUTH",
  "ORGPLANE_EMBEDDINGS_KEY"
])

/** The variables that must be set to use a code host app. */
const appNames = [
  "ORGPLANE_CODEHOST_URL",
  "ORGPLANE_CODEHOST_APP_ID",
  "ORGPLANE_CODEHOST_PRIVATE_KEY",
  "ORGPLANE_CODEHOST_CLIENT_ID",
  "ORGPLANE_CODEHOST_CLIENT_SECRET"
] as const satisfies ReadonlyArray<Name>

/** Reads a private key: PEM text, in which `\\n` may replace line breaks, or the path of a PEM file. */
const pemOf = (value: string): string | undefined => {
  if (value.includes("-----BEGIN")) return value.replaceAll("\\n", "\n")
  try {
    return readFileSync(value, "utf8")
  } catch {
    return undefined
  }
}

/** The environment variables that a worker runtime inherits. None of them are orgplane's own. */
const inheritedNames = ["PATH", "HOME", "LANG", "TMPDIR", "TZ"]

/** A program with its arguments: a path, or a JSON array. */
const parseCommand = (value: string): ReadonlyArray<string> | undefined => {
  if (!value.startsWith("[")) return [value]
  try {
    const parsed: unknown = JSON.parse(value)
    const isCommand = Array.isArray(parsed) && parsed.length > 0 && parsed.every((part) => typeof part === "string")
    return isCommand && parsed[0] !== "" ? parsed : undefined
  } catch {
    return undefined
  }
}

const logLevels = ["none", "error", "warn", "info", "debug"] as const

/** Reads the environment; throws `Misconfigured` with a message about the first malformed variable. */
export const readEnvironment = (environment: Readonly<Record<string, string | undefined>>): Configuration => {
  const text = (name: Name): string | undefined => {
    const value = environment[name]?.trim()
    return value === undefined || value === "" ? undefined : value
  }
  const list = (name: Name) =>
    (text(name) ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  const fail = (name: Name, problem: string): never => {
    throw new Misconfigured({ message: `${name} ${problem}.` })
  }
  const ranges = (name: Name) => {
    for (const range of list(name))
      if (parseRange(range) === undefined) fail(name, "must list addresses or ranges like 10.0.0.0/8")
    return list(name)
  }
  const url = (name: Name): string | undefined => {
    const value = text(name)
    if (value !== undefined && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
      fail(name, "must be an http or https URL")
    return value
  }

  const host = text("ORGPLANE_HOST") ?? "127.0.0.1"
  const port = Number(text("ORGPLANE_PORT") ?? 8787)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail("ORGPLANE_PORT", "must be a port from 0 to 65535")
  const dataDir = text("ORGPLANE_DATA_DIR") ?? ".orgplane"
  const databaseUrl = text("ORGPLANE_DATABASE_URL")
  const databaseTarget = databaseUrl === undefined ? undefined : parsePostgresUrl(databaseUrl)
  if (typeof databaseTarget === "string") fail("ORGPLANE_DATABASE_URL", databaseTarget)
  const whole = (name: Name, ifUnset: number, [min, max]: Range, unit: string): number => {
    const value = Number(text(name) ?? ifUnset)
    return Number.isInteger(value) && value >= min && value <= max
      ? value
      : fail(name, `must be a whole number of ${unit} from ${min} to ${max}`)
  }
  const databaseTimeoutSeconds = whole(
    "ORGPLANE_DATABASE_TIMEOUT_SECONDS",
    10,
    optionRanges.databaseTimeoutSeconds,
    "seconds"
  )
  const diskFreeMinMiB = whole("ORGPLANE_DISK_FREE_MIN_MIB", 256, optionRanges.diskFreeMinMiB, "MiB")
  const isEmbedded = databaseUrl === undefined
  const waitSeconds = whole("ORGPLANE_DATABASE_WAIT_SECONDS", 60, optionRanges.databaseWaitSeconds, "seconds")
  const shutdownSeconds = whole("ORGPLANE_SHUTDOWN_SECONDS", 25, [1, 3600], "seconds")
  const drainSeconds = whole(
    "ORGPLANE_DRAIN_SECONDS",
    Math.min(5, Math.floor(shutdownSeconds / 2)),
    [0, 600],
    "seconds"
  )
  if (drainSeconds >= shutdownSeconds) fail("ORGPLANE_DRAIN_SECONDS", "must be less than ORGPLANE_SHUTDOWN_SECONDS")
  const isLoopback = isLoopbackHost(host)
  const seed = text("ORGPLANE_SEED") ?? (isEmbedded && isLoopback ? "demo" : "none")
  if (seed !== "demo" && seed !== "none") fail("ORGPLANE_SEED", "must be demo or none")
  const bootstrap = text("ORGPLANE_BOOTSTRAP") ?? (isLoopback ? "open" : "off")
  const logLevel = text("ORGPLANE_LOG_LEVEL") ?? "info"
  const validLevel = logLevels.find((level) => level === logLevel)
  if (validLevel === undefined) return fail("ORGPLANE_LOG_LEVEL", `must be one of ${logLevels.join(", ")}`)
  const pathPrefix = text("ORGPLANE_PATH_PREFIX")
  if (pathPrefix !== undefined && !isPathPrefix(pathPrefix)) {
    return fail("ORGPLANE_PATH_PREFIX", "must be a path such as /orgplane, without a trailing slash")
  }
  const secretKeys = list("ORGPLANE_SECRET_KEYS")
  if (secretKeys.some((secret) => secret.length < 32))
    fail("ORGPLANE_SECRET_KEYS", "must list keys of at least 32 characters each")
  if (!isEmbedded && secretKeys.length === 0)
    fail("ORGPLANE_SECRET_KEYS", "must be set when ORGPLANE_DATABASE_URL is set")
  if (bootstrap !== "open" && bootstrap !== "off" && bootstrap.length < 16) {
    fail("ORGPLANE_BOOTSTRAP", "must be open, off, or a token of at least 16 characters")
  }
  const corsOrigins = list("ORGPLANE_CORS_ORIGINS")
  if (!corsOrigins.every(isOrigin)) {
    fail("ORGPLANE_CORS_ORIGINS", "must list origins like https://app.example, without a path or a wildcard")
  }
  const remoteSources = list("ORGPLANE_REMOTE_SOURCES")
  if (remoteSources.some((source) => parseRemoteSource(source) === undefined)) {
    fail(
      "ORGPLANE_REMOTE_SOURCES",
      "must list hosts like github.com, mirrors like github.com=https://mirror.example/git, or the npm registry as npm=https://npm.example"
    )
  }
  const dnsServers = list("ORGPLANE_DNS_SERVERS")
  if (dnsServers.some((server) => parseDnsServer(server) === undefined)) {
    fail("ORGPLANE_DNS_SERVERS", "must list addresses like 10.0.0.53, 127.0.0.1:5353 or [2001:db8::1]:53")
  }
  const plainHttp = list("ORGPLANE_OUTBOUND_ALLOW_HTTP")
  if (parsePlainHttp(plainHttp) === undefined) {
    fail(
      "ORGPLANE_OUTBOUND_ALLOW_HTTP",
      "must list addresses, ranges like 127.0.0.0/8 or host names like mcp.internal, without a scheme, a port or a path"
    )
  }
  const proxy = url("ORGPLANE_OUTBOUND_PROXY")
  const ca = text("ORGPLANE_OUTBOUND_CA")
  const smtpUrl = text("ORGPLANE_SMTP_URL")
  if (smtpUrl !== undefined && parseSmtpUrl(smtpUrl) === undefined) {
    fail("ORGPLANE_SMTP_URL", "must be an smtp:// or smtps:// URL")
  }
  const webhookSecrets = (text("ORGPLANE_WEBHOOK_SECRET") ?? "")
    .split(/[,\r\n]/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "")
  if (webhookSecrets.length > 2 || webhookSecrets.some((secret) => secret.length < 16)) {
    fail("ORGPLANE_WEBHOOK_SECRET", "must be one or two secrets of at least 16 characters each")
  }
  const reconcileSeconds = whole("ORGPLANE_RECONCILE_SECONDS", 900, optionRanges.reconcileSeconds, "seconds")
  const pluginBounds = {
    fileBytesMax: whole("ORGPLANE_PLUGIN_FILE_BYTES", 5_242_880, optionRanges.pluginFileBytesMax, "bytes"),
    filesMax: whole("ORGPLANE_PLUGIN_FILES", 2000, optionRanges.pluginFilesMax, "files"),
    bytesMax: whole("ORGPLANE_PLUGIN_BYTES", 52_428_800, optionRanges.pluginBytesMax, "bytes")
  }
  const telemetryTypes = list("ORGPLANE_TELEMETRY_TYPES")
  if (!telemetryTypes.every((type) => /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/.test(type) && type.length <= 64)) {
    fail("ORGPLANE_TELEMETRY_TYPES", "must list types like plugin.used, of at most 64 characters")
  }
  const retentionDays = whole("ORGPLANE_TELEMETRY_RETENTION", 400, optionRanges.retentionDays, "days")
  const codeHostUrl = url("ORGPLANE_CODEHOST_URL")
  const codeHostWebUrl = url("ORGPLANE_CODEHOST_WEB_URL")
  for (const [name, value] of [
    ["ORGPLANE_CODEHOST_URL", codeHostUrl],
    ["ORGPLANE_CODEHOST_WEB_URL", codeHostWebUrl]
  ] as const) {
    if (value !== undefined && !/^https?:\/\/[^@?#]+$/i.test(value))
      fail(name, "must not contain credentials, a query string or a fragment")
  }
  const isApp = codeHostWebUrl !== undefined || appNames.some((name) => text(name) !== undefined)
  const requiredText = (name: (typeof appNames)[number]) =>
    text(name) ?? fail(name, "must be set when another ORGPLANE_CODEHOST_ variable is set")
  const appKey = isApp ? pemOf(requiredText("ORGPLANE_CODEHOST_PRIVATE_KEY")) : undefined
  if (isApp && (appKey === undefined || readAppKey(appKey) === undefined)) {
    fail("ORGPLANE_CODEHOST_PRIVATE_KEY", "must be a private RSA key as PEM, or the path of a PEM file")
  }
  const suite = (suiteLetter: "A" | "B"): SuiteSettings | undefined => {
    const [urlName, oauthName] = [`ORGPLANE_SUITE_${suiteLetter}_URL`, `ORGPLANE_SUITE_${suiteLetter}_OAUTH`] as const
    const [base, app] = [text(urlName), text(oauthName)]
    if (base === undefined && app === undefined) return undefined
    if (base === undefined) return fail(urlName, `must be set when ${oauthName} is set`)
    if (app === undefined) return fail(oauthName, `must be set when ${urlName} is set`)
    if (!isEndpointUrl(base) || base.includes("?"))
      fail(urlName, "must be an http or https URL without credentials, a query string or a fragment")
    const oauth = parseSuiteOAuth(app)
    return "malformed" in oauth ? fail(oauthName, oauth.malformed) : { url: base, oauth }
  }
  const [suiteA, suiteB] = [suite("A"), suite("B")]
  const platformAdmins = list("ORGPLANE_PLATFORM_ADMINS")
  if (platformAdmins.some((email) => !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/u.test(email))) {
    fail("ORGPLANE_PLATFORM_ADMINS", "must list email addresses")
  }
  const workerCommand = text("ORGPLANE_WORKER_COMMAND")
  const command = workerCommand === undefined ? undefined : parseCommand(workerCommand)
  if (workerCommand !== undefined && command === undefined) {
    fail("ORGPLANE_WORKER_COMMAND", "must be a path, or a JSON array of a program and its arguments")
  }
  const heartbeatSeconds = whole(
    "ORGPLANE_WORKER_HEARTBEAT_SECONDS",
    30,
    optionRanges.workerHeartbeatSeconds,
    "seconds"
  )
  const modelsUrl = text("ORGPLANE_MODELS_URL")
  if (modelsUrl !== undefined && modelsUrl !== "off" && !isEndpointUrl(modelsUrl)) {
    fail("ORGPLANE_MODELS_URL", "must be off, or an http or https URL without credentials or a fragment")
  }
  const embeddings = (): ControlPlaneOptions["embeddings"] => {
    const [address, model, apiKey] = [
      text("ORGPLANE_EMBEDDINGS_URL"),
      text("ORGPLANE_EMBEDDINGS_MODEL"),
      text("ORGPLANE_EMBEDDINGS_KEY")
    ]
    if (address === undefined && model === undefined && apiKey === undefined) return undefined
    if (address === undefined)
      return fail("ORGPLANE_EMBEDDINGS_URL", "must be set when another ORGPLANE_EMBEDDINGS_ variable is set")
    if (model === undefined) return fail("ORGPLANE_EMBEDDINGS_MODEL", "must be set when ORGPLANE_EMBEDDINGS_URL is set")
    if (!isEndpointUrl(address)) {
      fail("ORGPLANE_EMBEDDINGS_URL", "must be an http or https URL without credentials or a fragment")
    }
    if (model.length > 255) fail("ORGPLANE_EMBEDDINGS_MODEL", "must have at most 255 characters")
    if (apiKey !== undefined && !/^[\x21-\x7e]{1,4096}$/.test(apiKey)) {
      fail("ORGPLANE_EMBEDDINGS_KEY", "must be a token without spaces")
    }
    return { url: address, model, ...(apiKey === undefined ? {} : { apiKey }) }
  }
  const embedder = embeddings()
  const metricsToken = text("ORGPLANE_METRICS_TOKEN")
  const otlpUrl = url("ORGPLANE_OTLP_URL")
  const defaultPlan = text("ORGPLANE_DEFAULT_PLAN")
  const schema = text("ORGPLANE_DATABASE_SCHEMA")
  const schemaFault = schema === undefined ? undefined : schemaNameFault(schema)
  if (schemaFault !== undefined) fail("ORGPLANE_DATABASE_SCHEMA", schemaFault)
  const migrations = text("ORGPLANE_MIGRATIONS") ?? "run"
  if (migrations !== "run" && migrations !== "check") return fail("ORGPLANE_MIGRATIONS", "must be one of: run, check")
  const named = schema === undefined ? {} : { schema }
  const database: Database =
    databaseUrl === undefined
      ? { kind: "pglite", dataDir, ...named }
      : { kind: "postgres", url: databaseUrl, waitSeconds, migrations, ...named }
  const publicUrl = url("ORGPLANE_PUBLIC_URL") ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`

  return {
    host,
    port,
    dataDir,
    seed: seed === "demo" ? "demo" : "none",
    stop: { drainMillis: drainSeconds * 1000, limitMillis: shutdownSeconds * 1000 },
    options: {
      database,
      databaseTimeoutSeconds,
      diskFreeMinMiB,
      publicUrl,
      bootstrap: bootstrap === "open" || bootstrap === "off" ? bootstrap : { token: bootstrap },
      ...(appKey === undefined
        ? {}
        : {
            codeHostApp: {
              url: requiredText("ORGPLANE_CODEHOST_URL"),
              appId: requiredText("ORGPLANE_CODEHOST_APP_ID"),
              privateKey: appKey,
              clientId: requiredText("ORGPLANE_CODEHOST_CLIENT_ID"),
              clientSecret: requiredText("ORGPLANE_CODEHOST_CLIENT_SECRET"),
              ...(codeHostWebUrl === undefined ? {} : { webUrl: codeHostWebUrl })
            }
          }),
      suites: {
        ...(suiteA === undefined ? {} : { "suite-a": suiteA }),
        ...(suiteB === undefined ? {} : { "suite-b": suiteB })
      },
      git: { localRoots: list("ORGPLANE_GIT_LOCAL_ROOTS") },
      remoteSources,
      ...(modelsUrl === undefined ? {} : { modelsUrl }),
      ...(embedder === undefined ? {} : { embeddings: embedder }),
      outbound: {
        allowCidrs: ranges("ORGPLANE_OUTBOUND_ALLOW"),
        allowHttp: plainHttp,
        ...(proxy === undefined ? {} : { proxy }),
        ...(ca === undefined ? {} : { ca })
      },
      ...(dnsServers.length === 0 ? {} : { dnsServers }),
      ...(command === undefined
        ? {}
        : {
            provisioner: {
              command,
              directory: join(resolve(dataDir), "workers"),
              environment: Object.fromEntries(
                inheritedNames.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]))
              )
            }
          }),
      workerHeartbeatSeconds: heartbeatSeconds,
      trustedProxies: ranges("ORGPLANE_TRUSTED_PROXIES"),
      corsOrigins,
      reconcileSeconds,
      pluginBounds,
      telemetry: { types: telemetryTypes, retentionDays },
      ...(webhookSecrets.length === 0 ? {} : { webhookSecrets }),
      ...(secretKeys.length === 0 ? {} : { secretKeys }),
      ...(smtpUrl === undefined ? {} : { mailer: { smtpUrl } }),
      ...(pathPrefix === undefined ? {} : { pathPrefix }),
      ...(platformAdmins.length === 0 ? {} : { platformAdmins }),
      ...(metricsToken === undefined ? {} : { metricsToken }),
      ...(defaultPlan === undefined ? {} : { defaultPlan }),
      ...(otlpUrl === undefined ? {} : { otlpUrl }),
      logLevel: validLevel
    }
  }
}

/** The output of `orgplane-server --help`. */
export const helpText = [
  "Usage: orgplane-server [command]",
  "",
  "Run the orgplane control plane. Without a command the server starts and runs until SIGTERM or SIGINT.",
  "",
  "Commands:",
  "  config       Print every environment variable with its value and description. Secrets are printed as (set).",
  "  migrate      Create or upgrade the tables, and exit.",
  "  move-schema  Move the tables of an earlier release to the schema of ORGPLANE_DATABASE_SCHEMA (default: orgplane),",
  "               and exit. Stop all servers first.",
  "",
  "Options:",
  "  -h, --help   Print this help.",
  "  --version    Print the version.",
  "",
  "Exit codes: 0 stopped normally, 1 cannot start or did not stop in time, 2 usage or configuration error.",
  "",
  "Configuration is read from environment variables:",
  "",
  ...Object.entries(variables).map(([name, description]) => `  ${name}\n      ${description}`)
].join("\n")

/** The output of `orgplane-server config`: each variable, its value (secrets only as `(set)`) and its description. */
export const describeEnvironment = (environment: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(variables)
    .map(([name, description]) => {
      const value = environment[name]
      const shown = value === undefined ? "" : secretNames.has(name as Name) ? " = (set)" : ` = ${value}`
      return `${name}${shown}\n    ${description}`
    })
    .join("\n")
