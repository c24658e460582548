import { closest } from "./closest.ts"
import type { ControlPlaneOptions, Database } from "../options.ts"
import type { SuiteOAuth, SuiteSettings } from "../ports/suites.ts"
import { checkRanges } from "./ranges.ts"

/** What the value of an option must be. */
type Kind = "boolean" | "text" | "texts"
/** The options inside an option, the kind of its value, or null if it is checked elsewhere. */
type Entry = Tree | Kind | null
interface Tree {
  readonly [name: string]: Entry
}
type EntryOf<A> = [A] extends [boolean]
  ? "boolean"
  : [A] extends [ReadonlyArray<string>]
    ? "texts"
    : [A] extends [string]
      ? "text" | null
      : Tree | null
/** The options of an object. The type requires that none is missing. */
type Names<A> = { readonly [K in keyof Required<A>]: EntryOf<Required<A>[K]> }
type Given<K extends keyof ControlPlaneOptions> = NonNullable<ControlPlaneOptions[K]>
type DatabaseOf<K extends Database["kind"]> = Extract<Database, { readonly kind: K }>

const oauthNames = {
  authorizationUrl: "text",
  tokenUrl: "text",
  clientId: "text",
  clientSecret: "text",
  scopes: "texts",
  revocationUrl: "text",
  issuer: "text",
  authorizationParameters: null
} satisfies Names<SuiteOAuth>

const suiteNames = { url: "text", oauth: oauthNames } satisfies Names<SuiteSettings>

const databaseNames = {
  pglite: { kind: null, dataDir: "text", snapshot: null, schema: "text", thread: null } satisfies Names<
    DatabaseOf<"pglite">
  >,
  postgres: {
    kind: null,
    url: "text",
    password: null,
    tls: null,
    maxConnections: null,
    schema: "text",
    migrations: null,
    waitSeconds: null
  } satisfies Names<DatabaseOf<"postgres">>
}

const optionNames = {
  database: null,
  databaseTimeoutSeconds: null,
  diskFreeMinMiB: null,
  publicUrl: "text",
  links: { signIn: "text", invitation: "text", claim: "text" } satisfies Names<Given<"links">>,
  pathPrefix: null,
  hosts: "texts",
  secretKeys: "texts",
  bootstrap: null,
  defaultPlan: "text",
  platformAdmins: "texts",
  metricsToken: "text",
  webhookSecrets: "texts",
  reconcileSeconds: null,
  pluginBounds: { fileBytesMax: null, filesMax: null, bytesMax: null } satisfies Names<Given<"pluginBounds">>,
  telemetry: { types: "texts", retentionDays: null } satisfies Names<Given<"telemetry">>,
  workers: "boolean",
  authenticator: null,
  personOf: null,
  git: { localRoots: "texts", systemGit: null, workDir: "text" } satisfies Names<Given<"git">>,
  codeHostApp: {
    url: "text",
    webUrl: "text",
    appId: "text",
    privateKey: "text",
    clientId: "text",
    clientSecret: "text"
  } satisfies Names<Given<"codeHostApp">>,
  suites: { "suite-a": suiteNames, "suite-b": suiteNames, timeoutMillis: null } satisfies Names<Given<"suites">>,
  remoteSources: "texts",
  modelsUrl: "text",
  embeddings: { url: "text", model: "text", apiKey: "text" } satisfies Names<Given<"embeddings">>,
  outbound: { allowCidrs: "texts", allowHttp: null, proxy: "text", ca: "text" } satisfies Names<Given<"outbound">>,
  provisioner: {
    command: "texts",
    directory: "text",
    environment: null,
    controlPlaneUrl: "text"
  } satisfies Names<Given<"provisioner">>,
  workerHeartbeatSeconds: null,
  dnsServers: "texts",
  mailer: { smtpUrl: "text", outboxFile: "text", send: null },
  corsOrigins: "texts",
  trustedProxies: "texts",
  logLevel: null,
  logger: null,
  otlpUrl: "text",
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
  text: { phrase: "a string", holds: (value) => typeof value === "string" },
  texts: {
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

const checkDatabase = (database: unknown): void => {
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

/** Throws an error that names the first option that is unknown or malformed, before anything is opened. */
export const checkOptions = (options: ControlPlaneOptions): void => {
  if (!isObject(options)) throw new TypeError("ControlPlane.make requires an object of options.")
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
  checkRanges(options)
}
