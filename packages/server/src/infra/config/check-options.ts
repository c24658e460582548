import { closest } from "./closest.ts"
import type { ControlPlaneOptions, Database } from "../options.ts"
import type { SuiteOAuth, SuiteSettings } from "../ports/suites.ts"
import { checkRanges } from "./ranges.ts"

/** The options of an object, each with the options inside it. The type requires that none is missing. */
type Names<A> = { readonly [K in keyof Required<A>]: Tree | null }
interface Tree {
  readonly [name: string]: Tree | null
}
type Given<K extends keyof ControlPlaneOptions> = NonNullable<ControlPlaneOptions[K]>
type Kind<K extends Database["kind"]> = Extract<Database, { readonly kind: K }>

const oauthNames = {
  authorizationUrl: null,
  tokenUrl: null,
  clientId: null,
  clientSecret: null,
  scopes: null,
  revocationUrl: null,
  issuer: null,
  authorizationParameters: null
} satisfies Names<SuiteOAuth>

const suiteNames = { url: null, oauth: oauthNames } satisfies Names<SuiteSettings>

const databaseNames = {
  pglite: { kind: null, dataDir: null, snapshot: null, schema: null, thread: null } satisfies Names<Kind<"pglite">>,
  postgres: {
    kind: null,
    url: null,
    password: null,
    tls: null,
    maxConnections: null,
    schema: null,
    migrations: null,
    waitSeconds: null
  } satisfies Names<Kind<"postgres">>
}

const optionNames = {
  database: null,
  databaseTimeoutSeconds: null,
  diskFreeMinMiB: null,
  publicUrl: null,
  links: { signIn: null, invitation: null, claim: null } satisfies Names<Given<"links">>,
  pathPrefix: null,
  hosts: null,
  secretKeys: null,
  bootstrap: null,
  defaultPlan: null,
  platformAdmins: null,
  metricsToken: null,
  webhookSecrets: null,
  reconcileSeconds: null,
  pluginBounds: { fileBytesMax: null, filesMax: null, bytesMax: null } satisfies Names<Given<"pluginBounds">>,
  telemetry: { types: null, retentionDays: null } satisfies Names<Given<"telemetry">>,
  workers: null,
  authenticator: null,
  personOf: null,
  git: { localRoots: null, systemGit: null, workDir: null } satisfies Names<Given<"git">>,
  codeHostApp: {
    url: null,
    webUrl: null,
    appId: null,
    privateKey: null,
    clientId: null,
    clientSecret: null
  } satisfies Names<Given<"codeHostApp">>,
  suites: { "suite-a": suiteNames, "suite-b": suiteNames, timeoutMillis: null } satisfies Names<Given<"suites">>,
  remoteSources: null,
  modelsUrl: null,
  embeddings: { url: null, model: null, apiKey: null } satisfies Names<Given<"embeddings">>,
  outbound: { allowCidrs: null, allowHttp: null, proxy: null, ca: null } satisfies Names<Given<"outbound">>,
  provisioner: {
    command: null,
    directory: null,
    environment: null,
    controlPlaneUrl: null
  } satisfies Names<Given<"provisioner">>,
  workerHeartbeatSeconds: null,
  dnsServers: null,
  mailer: { smtpUrl: null, outboxFile: null, send: null },
  corsOrigins: null,
  trustedProxies: null,
  logLevel: null,
  logger: null,
  otlpUrl: null,
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
    const own = names[name]
    if (own !== null && own !== undefined && inner !== undefined) checkNames(inner, own, at)
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
