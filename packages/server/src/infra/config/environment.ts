import { readFileSync } from "node:fs"
import * as Data from "effect/Data"
import { join, resolve } from "node:path"
import { parseSmtpUrl } from "../adapters/mailer-smtp.ts"
import { readAppKey } from "../adapters/rest/index.ts"
import { parseRemoteSource } from "../adapters/remote/index.ts"
import { isEndpointUrl, parseSuiteOAuth } from "../adapters/suites/index.ts"
import { isLoopbackHost, isOrigin } from "../http/headers.ts"
import { keyLengthMin, parseKeyList, signingKeysOf } from "../key-file.ts"
import type { ControlPlaneOptions, Database } from "../options.ts"
import { parseDnsServer, parsePlainHttp, parseRange } from "../outbound/index.ts"
import type { SuiteSettings } from "../ports/suites.ts"
import { isPathPrefix } from "./check-options.ts"
import { isRatio, optionRanges, type Range } from "./ranges.ts"
import { retentionNames, retentionSettings } from "./retention.ts"
import { parseStorageQuotas } from "./storage-quotas.ts"
import { schemaNameFault } from "../sql/schema.ts"
import { parsePostgresUrl } from "../sql/postgres-url.ts"
import { isSecretValue, type VariableName, variables } from "./variables.ts"

/** The configuration is malformed. The message names the variable or field and never contains its value. */
export class Misconfigured extends Data.TaggedError("Misconfigured")<{
  readonly message: string
  readonly variable?: VariableName
  /** The messages, if there are several. */
  readonly faults?: ReadonlyArray<string>
}> {}

export type Environment = Readonly<Record<string, string | undefined>>

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

/** The variables that must be set to use a code host app. */
const appNames = [
  "ORGPLANE_CODEHOST_URL",
  "ORGPLANE_CODEHOST_APP_ID",
  "ORGPLANE_CODEHOST_PRIVATE_KEY",
  "ORGPLANE_CODEHOST_CLIENT_ID",
  "ORGPLANE_CODEHOST_CLIENT_SECRET"
] as const satisfies ReadonlyArray<VariableName>

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
export const readEnvironment = (environment: Environment): Configuration => {
  const text = (name: VariableName): string | undefined => {
    const value = environment[name]?.trim()
    return value === undefined || value === "" ? undefined : value
  }
  const list = (name: VariableName) =>
    (text(name) ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  const fail = (name: VariableName, problem: string): never => {
    throw new Misconfigured({ variable: name, message: `${name} ${problem}.` })
  }
  const ranges = (name: VariableName) => {
    for (const range of list(name))
      if (parseRange(range) === undefined) fail(name, "must list addresses or ranges like 10.0.0.0/8")
    return list(name)
  }
  const url = (name: VariableName): string | undefined => {
    const value = text(name)
    if (value !== undefined && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
      fail(name, "must be an http or https URL")
    return value
  }

  const host = text("ORGPLANE_HOST") ?? "127.0.0.1"
  const port = Number(text("ORGPLANE_PORT") ?? 8787)
  if (/^[a-z]+:\/\//.test(text("ORGPLANE_PORT") ?? "")) {
    fail(
      "ORGPLANE_PORT",
      "must be a port from 0 to 65535. Kubernetes sets it for a service named orgplane, unless enableServiceLinks is false in the pod"
    )
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail("ORGPLANE_PORT", "must be a port from 0 to 65535")
  const dataDir = text("ORGPLANE_DATA_DIR") ?? ".orgplane"
  const databaseUrl = text("ORGPLANE_DATABASE_URL")
  const databaseTarget = databaseUrl === undefined ? undefined : parsePostgresUrl(databaseUrl)
  if (typeof databaseTarget === "string") fail("ORGPLANE_DATABASE_URL", databaseTarget)
  const whole = (name: VariableName, ifUnset: number, [min, max]: Range, unit: string): number => {
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
  const consoleText = text("ORGPLANE_CONSOLE") ?? "true"
  if (consoleText !== "true" && consoleText !== "false") fail("ORGPLANE_CONSOLE", "must be true or false")
  const weakKeys = "must list keys of at least 32 characters each"
  const listedSecrets = text("ORGPLANE_SECRET_KEYS")
  const keys = listedSecrets === undefined ? undefined : parseKeyList(listedSecrets)
  if (keys === "weak") return fail("ORGPLANE_SECRET_KEYS", weakKeys)
  if (keys === undefined && listedSecrets !== undefined)
    fail("ORGPLANE_SECRET_KEYS", "must list at least one key without verify:")
  if (!isEmbedded && keys === undefined) fail("ORGPLANE_SECRET_KEYS", "must be set when ORGPLANE_DATABASE_URL is set")
  const listedSigningKeys = list("ORGPLANE_SIGNING_KEYS")
  if (listedSigningKeys.some((key) => key.length < keyLengthMin)) fail("ORGPLANE_SIGNING_KEYS", weakKeys)
  const signingKeys = keys === undefined ? listedSigningKeys : signingKeysOf(keys, listedSigningKeys)
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
  const retention = Object.fromEntries(
    retentionNames.flatMap((name) => {
      const { range, unit, variable } = retentionSettings[name]
      return text(variable) === undefined ? [] : [[name, whole(variable, 0, range, unit)]]
    })
  )
  const storageQuotas = parseStorageQuotas(list("ORGPLANE_STORAGE_QUOTAS"))
  if (storageQuotas === undefined) {
    return fail(
      "ORGPLANE_STORAGE_QUOTAS",
      "must list plans and limits, such as free=1GB or enterprise=unlimited, each plan once, in kB, MB, GB or TB"
    )
  }
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
  const ratioText = text("ORGPLANE_TRACE_SAMPLE_RATIO")
  const traceSampleRatio = ratioText === undefined ? undefined : Number(ratioText)
  if (traceSampleRatio !== undefined && !isRatio(traceSampleRatio))
    fail("ORGPLANE_TRACE_SAMPLE_RATIO", "must be a number from 0 to 1")
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
      ...(Object.keys(retention).length === 0 ? {} : { retention }),
      ...(Object.keys(storageQuotas).length === 0 ? {} : { storageQuotas }),
      ...(webhookSecrets.length === 0 ? {} : { webhookSecrets }),
      ...(keys === undefined ? {} : { secretKeys: keys.secrets }),
      ...(signingKeys.length === 0 ? {} : { signingKeys }),
      ...(smtpUrl === undefined ? {} : { mailer: { smtpUrl } }),
      ...(pathPrefix === undefined ? {} : { pathPrefix }),
      console: consoleText === "true",
      ...(platformAdmins.length === 0 ? {} : { platformAdmins }),
      ...(metricsToken === undefined ? {} : { metricsToken }),
      ...(defaultPlan === undefined ? {} : { defaultPlan }),
      ...(otlpUrl === undefined ? {} : { otlpUrl }),
      ...(traceSampleRatio === undefined ? {} : { traceSampleRatio }),
      logLevel: validLevel
    }
  }
}

/** The output of `orgplane-server config`: each variable, its value (secrets only as `(set)`) and its description. */
export const describeEnvironment = (environment: Environment): string =>
  Object.entries(variables)
    .map(([name, description]) => {
      const value = environment[name]
      const shown = value === undefined ? "" : isSecretValue(name, value) ? " = (set)" : ` = ${value}`
      return `${name}${shown}\n    ${description}`
    })
    .join("\n")
