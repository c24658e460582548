import { closest } from "./closest.ts"
import type { ControlPlaneOptions, Database } from "../options.ts"
import type { SuiteOAuth, SuiteSettings } from "../ports/suites.ts"
import { parsePostgresUrl } from "../sql/postgres-url.ts"
import { checkRanges } from "./ranges.ts"
import { checkStorageQuotas } from "./storage-quotas.ts"

/** What the value of an option must be. */
type Kind = "boolean" | "string" | "strings"
/** The options inside an option, the kind of its value, or null if it is checked elsewhere. */
type Entry = Tree | Kind | null
interface Tree {
  readonly [name: string]: Entry
}
type EntryOf<A> = [A] extends [boolean]
  ? "boolean"
  : [A] extends [ReadonlyArray<string>]
    ? "strings"
    : [A] extends [string]
      ? "string" | null
      : Tree | null
/** The options of an object. The type requires that none is missing. */
type Names<A> = { readonly [K in keyof Required<A>]: EntryOf<Required<A>[K]> }
type Given<K extends keyof ControlPlaneOptions> = NonNullable<ControlPlaneOptions[K]>
type DatabaseOf<K extends Database["kind"]> = Extract<Database, { readonly kind: K }>

const oauthNames = {
  authorizationUrl: "string",
  tokenUrl: "string",
  clientId: "string",
  clientSecret: "string",
  scopes: "strings",
  revocationUrl: "string",
  issuer: "string",
  authorizationParameters: null
} satisfies Names<SuiteOAuth>

const suiteNames = { url: "string", oauth: oauthNames } satisfies Names<SuiteSettings>

const databaseNames = {
  pglite: { kind: null, dataDir: "string", snapshot: null, schema: "string", thread: null } satisfies Names<
    DatabaseOf<"pglite">
  >,
  postgres: {
    kind: null,
    url: "string",
    password: null,
    tls: null,
    maxConnections: null,
    schema: "string",
    migrations: null,
    waitSeconds: null
  } satisfies Names<DatabaseOf<"postgres">>
}

const optionNames = {
  database: null,
  databaseTimeoutSeconds: null,
  diskFreeMinMiB: null,
  publicUrl: "string",
  links: { signIn: "string", invitation: "string", claim: "string" } satisfies Names<Given<"links">>,
  pathPrefix: null,
  hosts: "strings",
  secretKeys: "strings",
  signingKeys: "strings",
  bootstrap: null,
  defaultPlan: "string",
  platformAdmins: "strings",
  metricsToken: "string",
  webhookSecrets: "strings",
  reconcileSeconds: null,
  pluginBounds: { fileBytesMax: null, filesMax: null, bytesMax: null } satisfies Names<Given<"pluginBounds">>,
  telemetry: { types: "strings", retentionDays: null } satisfies Names<Given<"telemetry">>,
  retention: {
    auditDays: null,
    credentialDays: null,
    deliveryDays: null,
    deviceDays: null,
    invitationDays: null,
    removedDays: null,
    scimLogDays: null,
    syncsMax: null,
    workerActivityDays: null
  } satisfies Names<Given<"retention">>,
  storageQuotas: null,
  workers: "boolean",
  authenticator: null,
  personOf: null,
  git: { localRoots: "strings", systemGit: null, workDir: "string" } satisfies Names<Given<"git">>,
  codeHostApp: {
    url: "string",
    webUrl: "string",
    appId: "string",
    privateKey: "string",
    clientId: "string",
    clientSecret: "string"
  } satisfies Names<Given<"codeHostApp">>,
  suites: { "suite-a": suiteNames, "suite-b": suiteNames, timeoutMillis: null } satisfies Names<Given<"suites">>,
  remoteSources: "strings",
  modelsUrl: "string",
  embeddings: { url: "string", model: "string", apiKey: "string" } satisfies Names<Given<"embeddings">>,
  outbound: { allowCidrs: "strings", allowHttp: null, proxy: "string", ca: "string" } satisfies Names<
    Given<"outbound">
  >,
  provisioner: {
    command: "strings",
    directory: "string",
    environment: null,
    controlPlaneUrl: "string"
  } satisfies Names<Given<"provisioner">>,
  workerHeartbeatSeconds: null,
  dnsServers: "strings",
  mailer: { smtpUrl: "string", outboxFile: "string", send: null },
  console: null,
  corsOrigins: "strings",
  trustedProxies: "strings",
  logLevel: null,
  logger: null,
  otlpUrl: "string",
  traceSampleRatio: null,
  ports: {
    codeHost: null,
    codeHostApp: null,
    dnsText: null,
    embedder: null,
    mailer: null,
    outbound: null,
    provisioner: null
  } satisfies Names<Given<"ports">>
} satisfies Names<ControlPlaneOptions>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kinds: Readonly<Record<Kind, { readonly phrase: string; readonly holds: (value: unknown) => boolean }>> = {
  boolean: { phrase: "true or false", holds: (value) => typeof value === "boolean" },
  string: { phrase: "a string", holds: (value) => typeof value === "string" },
  strings: {
    phrase: "an array of strings",
    holds: (value) => Array.isArray(value) && value.every((element) => typeof element === "string")
  }
}

const checkNames = (value: unknown, names: Tree, path: string): void => {
  if (!isObject(value)) throw new TypeError(`The option ${path} must be an object.`)
  for (const [name, inner] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`
    if (!Object.hasOwn(names, name)) {
      const suggestion = closest(name, Object.keys(names))
      throw new TypeError(
        `Unknown option ${at}. ${
          suggestion === undefined
            ? `Allowed: ${Object.keys(names).join(", ")}.`
            : `Did you mean ${path === "" ? suggestion : `${path}.${suggestion}`}?`
        }`
      )
    }
    const entry = names[name]
    if (entry === null || entry === undefined || inner === undefined) continue
    if (typeof entry === "object") checkNames(inner, entry, at)
    else if (!kinds[entry].holds(inner)) throw new TypeError(`The option ${at} must be ${kinds[entry].phrase}.`)
  }
}

/** Throws an error that names the first setting of `database` that is unknown or malformed. */
export const checkDatabase = (database: unknown): void => {
  const fix = 'Use ControlPlane.pglite(dataDir), ControlPlane.pglite("memory") or ControlPlane.postgres(url).'
  if (database === undefined) throw new TypeError(`The option database is required. ${fix}`)
  if (!isObject(database)) throw new TypeError(`The option database must be an object. ${fix}`)
  const { kind } = database
  if (kind !== "pglite" && kind !== "postgres") {
    throw new TypeError(`The option database.kind must be one of: pglite, postgres. ${fix}`)
  }
  checkNames(database, databaseNames[kind], "database")
  const location = kind === "pglite" ? "dataDir" : "url"
  if (typeof database[location] !== "string" || database[location] === "") {
    throw new TypeError(`The option database.${location} must be a non-empty string.`)
  }
  // Messages do not contain the URL, which may contain a password.
  const fault = kind === "postgres" ? parsePostgresUrl(database[location]) : undefined
  if (typeof fault === "string") throw new TypeError(`The option database.${location} ${fault}.`)
  const { migrations } = database
  if (migrations !== undefined && migrations !== "run" && migrations !== "check") {
    throw new TypeError(
      `The option database.migrations is ${JSON.stringify(migrations)}; it must be one of: run, check.`
    )
  }
}

/** A path such as `/orgplane` or `/api/orgplane`. */
export const isPathPrefix = (value: string): value is `/${string}` => {
  const [first, ...segments] = value.split("/")
  return first === "" && segments.length > 0 && segments.every((segment) => /^[\w-][\w.-]*$/.test(segment))
}

const logLevels: ReadonlyArray<unknown> = ["none", "error", "warn", "info", "debug"]

const consoleNames = { signInUrl: "string" } satisfies Names<Exclude<Given<"console">, boolean>>

const checkConsole = (console: unknown): void => {
  if (console === undefined || typeof console === "boolean") return
  if (!isObject(console)) throw new TypeError("The option console must be true, false or an object.")
  checkNames(console, consoleNames, "console")
  const { signInUrl } = console
  if (typeof signInUrl !== "string" || /^\/(?![/\\])/.test(signInUrl)) return
  if (!/^https?:$/.test(URL.parse(signInUrl)?.protocol ?? "")) {
    throw new TypeError("The option console.signInUrl must be a path such as /login, or an http or https URL.")
  }
}

/** Throws an error that names the first option that is unknown or malformed, before anything is opened. */
export const checkOptions = (options: ControlPlaneOptions): void => {
  if (!isObject(options)) throw new TypeError("The options must be an object.")
  checkNames(options, optionNames, "")
  checkDatabase(options.database)
  const { logger, logLevel, pathPrefix } = options
  if (pathPrefix !== undefined && (typeof pathPrefix !== "string" || !isPathPrefix(pathPrefix))) {
    throw new TypeError(
      `The option pathPrefix is ${JSON.stringify(pathPrefix)}; it must be a path such as "/orgplane", without a trailing slash.`
    )
  }
  if (logLevel !== undefined && !logLevels.includes(logLevel)) {
    throw new TypeError(
      `The option logLevel is ${JSON.stringify(logLevel)}; it must be one of: ${logLevels.join(", ")}.`
    )
  }
  if (logger !== undefined && typeof logger !== "function") {
    throw new TypeError("The option logger must be a function that is called with each log entry.")
  }
  checkConsole(options.console)
  checkStorageQuotas(options.storageQuotas)
  checkRanges(options)
}
