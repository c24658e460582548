import { readFileSync } from "node:fs"
import * as Data from "effect/Data"
import { join, resolve } from "node:path"
import { parseSmtpUrl } from "../adapters/mailer-smtp.ts"
import { readAppKey } from "../adapters/rest/index.ts"
import { parseRemoteSource } from "../adapters/remote/index.ts"
import { isPlace, parseSuiteOAuth } from "../adapters/suites/index.ts"
import { isLoopbackHost, isOrigin } from "../http/head.ts"
import type { ControlPlaneOptions, Database } from "../options.ts"
import { parseDnsServer, parsePlainHttp, parseRange } from "../outbound/index.ts"
import type { SuiteSettings } from "../ports/suites.ts"
import { optionRanges, type Range } from "./ranges.ts"
import { parsePostgresUrl } from "../sql/postgres-url.ts"

/** A variable is malformed; the sentence names it and never its value. */
export class Misconfigured extends Data.TaggedError("Misconfigured")<{ readonly message: string }> {}

/** Everything the program reads from its environment, in one place. */
export interface Configuration {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly seed: "demo" | "none"
  /** The drain after SIGTERM, and the maximum time until the process exits. */
  readonly stop: { readonly drainMillis: number; readonly limitMillis: number }
  readonly options: ControlPlaneOptions
}

/** The variables, what they mean, and what is there without them. */
export const variables = {
  ORGPLANE_HOST: "Address to listen on; 127.0.0.1.",
  ORGPLANE_PORT: "Port to listen on; 8787.",
  ORGPLANE_DATA_DIR: "Directory of the embedded database; .orgplane.",
  ORGPLANE_DATABASE_URL:
    "Use PostgreSQL instead of the embedded database. To list several hosts, of which one accepts writes: postgres://user:password@host1:5432,host2:5432/database?target_session_attrs=read-write.",
  ORGPLANE_DATABASE_TIMEOUT_SECONDS:
    "Timeout of one database statement of a request, in seconds, 1 to 300. After it the response is 503 and the connection is closed. Default: 10.",
  ORGPLANE_DISK_FREE_MIN_MIB:
    "Free space below which GET /v1/ready reports the embedded database's disk as failed, in MiB. Default: 256.",
  ORGPLANE_DATABASE_WAIT_SECONDS:
    "How long the server waits at startup for a PostgreSQL server that is unreachable or read-only, in seconds, 0 to 3600. Default: 60.",
  ORGPLANE_DRAIN_SECONDS:
    "After SIGTERM, how long new connections are still accepted while GET /v1/ready returns 503, in seconds, 0 to 600. Default: 5.",
  ORGPLANE_SHUTDOWN_SECONDS:
    "Maximum time from SIGTERM or SIGINT until the process exits, including the drain, in seconds, 1 to 3600. Default: 25.",
  ORGPLANE_SEED: "`none` makes no demo workspace.",
  ORGPLANE_BOOTSTRAP:
    "Who may make provisional workspaces: `open`, `off`, or a token; open on loopback only, else off.",
  ORGPLANE_PUBLIC_URL:
    "Where people reach the server; links are made from it. Without a path of its own, the path prefix is appended.",
  ORGPLANE_PATH_PREFIX: "Path the server is mounted below.",
  ORGPLANE_SECRET_KEYS:
    "Secrets that seal and sign, newest first, separated by commas; an embedded database makes one. Within an hour of a start what an older one sealed is sealed by the newest; it is still needed to verify the audit of its time.",
  ORGPLANE_DEFAULT_PLAN: "Plan of new organizations; enterprise.",
  ORGPLANE_PLATFORM_ADMINS:
    "E-mail addresses of those who administer the whole installation, separated by commas; nobody.",
  ORGPLANE_METRICS_TOKEN: "Bearer token of GET /v1/metrics; no such route without.",
  ORGPLANE_SMTP_URL:
    "Mail server, smtp://user:password@host:587?from=sender%40host or smtps; without one the embedded database keeps an outbox file.",
  ORGPLANE_GIT_LOCAL_ROOTS: "Directories whose repositories may be connected by path, separated by commas.",
  ORGPLANE_WEBHOOK_SECRET:
    "The secret that the code host signs its webhooks with, or two while one takes the other's place, separated by a comma or a line break; without it no webhook is taken.",
  ORGPLANE_RECONCILE_SECONDS:
    "How often the heads of connected branches are looked at for pushes nobody told of; 900, 0 for never.",
  ORGPLANE_CODEHOST_URL:
    "Base of a code host's REST interface, as https://api.example.com or https://git.example.com/api/v3; it may be private. The app's other variables are needed with it.",
  ORGPLANE_CODEHOST_WEB_URL: "Where people see the code host; made from ORGPLANE_CODEHOST_URL unless set.",
  ORGPLANE_CODEHOST_APP_ID: "Id of the app at the code host, or its client id.",
  ORGPLANE_CODEHOST_PRIVATE_KEY: "The app's private RSA key: PEM, or the path of a file that holds it.",
  ORGPLANE_CODEHOST_CLIENT_ID: "The app's client id, to prove who administers an installation.",
  ORGPLANE_CODEHOST_CLIENT_SECRET: "The app's client secret.",
  ORGPLANE_SUITE_A_URL: "Base of the mail suite's interface, with its version; it may be private. Needs its _OAUTH.",
  ORGPLANE_SUITE_A_OAUTH:
    "This server's app at the mail suite: JSON with authorizationUrl, tokenUrl, clientId, and if need be clientSecret, scopes, revocationUrl, issuer, authorizationParameters.",
  ORGPLANE_SUITE_B_URL:
    "Base of the calendar suite's interface, with its version; it may be private. Needs its _OAUTH.",
  ORGPLANE_SUITE_B_OAUTH: "This server's app at the calendar suite: the same JSON.",
  ORGPLANE_REMOTE_SOURCES:
    "Comma-separated hosts that plugins of marketplaces are read from at their pinned revision: github.com, a mirror as github.com=https://mirror.example/git, and the npm registry as npm=https://npm.example. Default: none.",
  ORGPLANE_PLUGIN_FILE_BYTES: "Maximum size of one file of a plugin, in bytes. Default: 5242880 (5 MiB).",
  ORGPLANE_PLUGIN_FILES: "Maximum number of files of a plugin. Default: 2000.",
  ORGPLANE_PLUGIN_BYTES: "Maximum total size of a plugin's files, in bytes. Default: 52428800 (50 MiB).",
  ORGPLANE_TELEMETRY_TYPES:
    "Types of events that are kept besides those that every server takes, as plugin.used, separated by commas; none.",
  ORGPLANE_TELEMETRY_RETENTION: "Days that events are kept, 1 to 3650; 400.",
  ORGPLANE_WORKER_COMMAND:
    "Program that runs the runtime of a cloud worker: a path, or a JSON array of a program and its arguments; without it there are no cloud workers.",
  ORGPLANE_WORKER_HEARTBEAT_SECONDS: "How often workers say that they live; 30. Three missed are a failure.",
  ORGPLANE_MODELS_URL:
    "Where the public catalogue of models is read from; it may be private, and `off` reads none. https://models.dev/api.json.",
  ORGPLANE_EMBEDDINGS_URL:
    "Where memories and questions to them are made into vectors, as https://api.openai.com/v1/embeddings; it may be private, and is sent their texts. Needs its _MODEL; without it nothing is sent.",
  ORGPLANE_EMBEDDINGS_MODEL: "The model there; vectors of another one are made anew.",
  ORGPLANE_EMBEDDINGS_KEY: "Bearer token for it, if it takes one.",
  ORGPLANE_OUTBOUND_ALLOW:
    "Address ranges that callers' addresses may lie in although not public, separated by commas.",
  ORGPLANE_OUTBOUND_ALLOW_HTTP:
    "Comma-separated address ranges and host names that the server may reach over plain http, such as 127.0.0.0/8 or mcp.internal. Private addresses also need ORGPLANE_OUTBOUND_ALLOW. Default: none.",
  ORGPLANE_OUTBOUND_PROXY: "Proxy for all outbound requests; it is given checked addresses.",
  ORGPLANE_OUTBOUND_CA: "Further certificate authorities, PEM.",
  ORGPLANE_DNS_SERVERS:
    "Name servers asked for outbound names and for the records of domains, as 127.0.0.1:5353 or [2001:db8::1], separated by commas; the machine's own lookup.",
  ORGPLANE_CORS_ORIGINS:
    "Origins whose pages may read answers in a browser, as https://app.example, separated by commas; none.",
  ORGPLANE_TRUSTED_PROXIES: "Ranges of proxies whose x-forwarded-for is believed, separated by commas.",
  ORGPLANE_LOG_LEVEL: "none, error, warn, info or debug; info.",
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

/** What an app at a code host cannot do without. */
const appNames = [
  "ORGPLANE_CODEHOST_URL",
  "ORGPLANE_CODEHOST_APP_ID",
  "ORGPLANE_CODEHOST_PRIVATE_KEY",
  "ORGPLANE_CODEHOST_CLIENT_ID",
  "ORGPLANE_CODEHOST_CLIENT_SECRET"
] as const satisfies ReadonlyArray<Name>

/** A key in one line with `\\n` for its line breaks, as some environments hold it, or in a file. */
const pemOf = (value: string): string | undefined => {
  if (value.includes("-----BEGIN")) return value.replaceAll("\\n", "\n")
  try {
    return readFileSync(value, "utf8")
  } catch {
    return undefined
  }
}

/** What a runtime finds of our environment: nothing of what is ours. */
const passedOn = ["PATH", "HOME", "LANG", "TMPDIR", "TZ"]

/** A program with its arguments: a path as it stands, or a JSON array. */
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

/** Reads the environment; throws `Misconfigured` with a sentence about the first variable that is malformed. */
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
  const fail = (name: Name, what: string): never => {
    throw new Misconfigured({ message: `${name} ${what}.` })
  }
  const ranges = (name: Name) => {
    for (const range of list(name))
      if (parseRange(range) === undefined) fail(name, "must list addresses or ranges like 10.0.0.0/8")
    return list(name)
  }
  const url = (name: Name): string | undefined => {
    const value = text(name)
    if (value !== undefined && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
      fail(name, "must be an http or https address")
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
  const knownLevel = logLevels.find((level) => level === logLevel)
  if (knownLevel === undefined) return fail("ORGPLANE_LOG_LEVEL", `must be one of ${logLevels.join(", ")}`)
  const pathPrefix = text("ORGPLANE_PATH_PREFIX")
  if (pathPrefix !== undefined && !/^\/[\w./-]*[\w.-]$/.test(pathPrefix)) {
    fail("ORGPLANE_PATH_PREFIX", "must begin with a slash and not end with one")
  }
  const secretKeys = list("ORGPLANE_SECRET_KEYS")
  if (secretKeys.some((secret) => secret.length < 32))
    fail("ORGPLANE_SECRET_KEYS", "must list secrets of 32 characters or more")
  if (!isEmbedded && secretKeys.length === 0) fail("ORGPLANE_SECRET_KEYS", "must be set when ORGPLANE_DATABASE_URL is")
  if (bootstrap !== "open" && bootstrap !== "off" && bootstrap.length < 16) {
    fail("ORGPLANE_BOOTSTRAP", "must be open, off, or a token of 16 characters or more")
  }
  const corsOrigins = list("ORGPLANE_CORS_ORIGINS")
  if (!corsOrigins.every(isOrigin)) {
    fail("ORGPLANE_CORS_ORIGINS", "must list origins like https://app.example, without a path or a star")
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
    fail("ORGPLANE_SMTP_URL", "must be an smtp:// or smtps:// address")
  }
  const webhookSecrets = (text("ORGPLANE_WEBHOOK_SECRET") ?? "")
    .split(/[,\r\n]/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "")
  if (webhookSecrets.length > 2 || webhookSecrets.some((secret) => secret.length < 16)) {
    fail("ORGPLANE_WEBHOOK_SECRET", "must be one or two secrets of 16 characters or more")
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
      fail(name, "must hold neither a user, a query nor a fragment")
  }
  const isApp = codeHostWebUrl !== undefined || appNames.some((name) => text(name) !== undefined)
  const needed = (name: (typeof appNames)[number]) =>
    text(name) ?? fail(name, "must be set when another variable of the code host's app is")
  const appKey = isApp ? pemOf(needed("ORGPLANE_CODEHOST_PRIVATE_KEY")) : undefined
  if (isApp && (appKey === undefined || readAppKey(appKey) === undefined)) {
    fail("ORGPLANE_CODEHOST_PRIVATE_KEY", "must be a private RSA key in PEM, or the path of a file that holds one")
  }
  const suite = (letter: "A" | "B"): SuiteSettings | undefined => {
    const [urlName, oauthName] = [`ORGPLANE_SUITE_${letter}_URL`, `ORGPLANE_SUITE_${letter}_OAUTH`] as const
    const [base, app] = [text(urlName), text(oauthName)]
    if (base === undefined && app === undefined) return undefined
    if (base === undefined) return fail(urlName, `must be set when ${oauthName} is`)
    if (app === undefined) return fail(oauthName, `must be set when ${urlName} is`)
    if (!isPlace(base) || base.includes("?")) fail(urlName, "must be an http or https address without user and query")
    const oauth = parseSuiteOAuth(app)
    return "malformed" in oauth ? fail(oauthName, oauth.malformed) : { url: base, oauth }
  }
  const [suiteA, suiteB] = [suite("A"), suite("B")]
  const platformAdmins = list("ORGPLANE_PLATFORM_ADMINS")
  if (platformAdmins.some((email) => !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/u.test(email))) {
    fail("ORGPLANE_PLATFORM_ADMINS", "must list e-mail addresses")
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
  if (modelsUrl !== undefined && modelsUrl !== "off" && !isPlace(modelsUrl)) {
    fail("ORGPLANE_MODELS_URL", "must be off, or an http or https address without a user and a fragment")
  }
  const embeddings = (): ControlPlaneOptions["embeddings"] => {
    const [address, model, apiKey] = [
      text("ORGPLANE_EMBEDDINGS_URL"),
      text("ORGPLANE_EMBEDDINGS_MODEL"),
      text("ORGPLANE_EMBEDDINGS_KEY")
    ]
    if (address === undefined && model === undefined && apiKey === undefined) return undefined
    if (address === undefined) return fail("ORGPLANE_EMBEDDINGS_URL", "must be set when another variable of it is")
    if (model === undefined) return fail("ORGPLANE_EMBEDDINGS_MODEL", "must be set when ORGPLANE_EMBEDDINGS_URL is")
    if (!isPlace(address)) {
      fail("ORGPLANE_EMBEDDINGS_URL", "must be an http or https address without a user and a fragment")
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
  const database: Database =
    databaseUrl === undefined ? { kind: "pglite", dataDir } : { kind: "postgres", url: databaseUrl, waitSeconds }
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
              url: needed("ORGPLANE_CODEHOST_URL"),
              appId: needed("ORGPLANE_CODEHOST_APP_ID"),
              privateKey: appKey,
              clientId: needed("ORGPLANE_CODEHOST_CLIENT_ID"),
              clientSecret: needed("ORGPLANE_CODEHOST_CLIENT_SECRET"),
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
                passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]))
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
      ...(pathPrefix === undefined ? {} : { pathPrefix: pathPrefix as `/${string}` }),
      ...(platformAdmins.length === 0 ? {} : { platformAdmins }),
      ...(metricsToken === undefined ? {} : { metricsToken }),
      ...(defaultPlan === undefined ? {} : { defaultPlan }),
      ...(otlpUrl === undefined ? {} : { otlpUrl }),
      logLevel: knownLevel
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
  "",
  "Options:",
  "  -h, --help   Print this help.",
  "  --version    Print the version.",
  "",
  "Exit codes: 0 stopped normally, 1 cannot start or did not stop in time, 2 usage or configuration error.",
  "",
  "Configuration is read from environment variables:",
  "",
  ...Object.entries(variables).map(([name, meaning]) => `  ${name}\n      ${meaning}`)
].join("\n")

/** What is set, for `server config`: secrets only as «set». */
export const describeEnvironment = (environment: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(variables)
    .map(([name, meaning]) => {
      const value = environment[name]
      const shown = value === undefined ? "" : secretNames.has(name as Name) ? " = (set)" : ` = ${value}`
      return `${name}${shown}\n    ${meaning}`
    })
    .join("\n")
