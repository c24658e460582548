/**
 * The configuration file: the options of `ControlPlane.make` that JSON can express, and the settings of the program. Each
 * field sets an environment variable, so that both are checked in the same way and the environment can override the file.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { invalidRequest } from "../http/validation-details.ts"
import { closest } from "./closest.ts"
import { invalidJsonPosition } from "./json-position.ts"
import { optionRanges, type Range } from "./ranges.ts"
import { retentionNames, retentionSettings } from "./retention.ts"
import { type VariableName, variables } from "./variables.ts"

/** A field of the file. */
interface Field {
  readonly schema: Schema.Codec<unknown>
  /** The environment variable that it sets. A field without one is an option that has no variable. */
  readonly variable?: VariableName
  /** The value as the variable has it. */
  readonly toText: (value: unknown) => string
}
interface Fields {
  readonly [name: string]: Field | Fields
}

const isField = (entry: Field | Fields): entry is Field => typeof entry["toText"] === "function"

const field = (
  variable: VariableName,
  schema: Schema.Codec<unknown>,
  toText: (value: unknown) => string = String
): Field => ({ variable, schema: schema.annotate({ description: variables[variable] }), toText })

/** An option without an environment variable. */
const option = (description: string, schema: Schema.Codec<unknown>): Field => ({
  schema: schema.annotate({ description }),
  toText: String
})

const Text = Schema.String.check(Schema.isMinLength(1))
const text = (variable: VariableName) => field(variable, Text)
const whole = (variable: VariableName, [minimum, maximum]: Range) =>
  field(variable, Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const Item = Schema.String.check(
  Schema.isPattern(/^[^,]*[^\s,][^,]*$/, { message: "must be a string without commas that is not empty" })
)
/** The variable separates the items by commas. */
const list = (variable: VariableName) =>
  field(variable, Schema.Array(Item), (items) => (items as ReadonlyArray<string>).join(","))

/** The variable separates a plan from its quota by an equals sign, and the plans by commas. */
const PlanName = Schema.String.check(Schema.isPattern(/^[^,=\s](?:[^,=]{0,62}[^,=\s])?$/u))

const choice = (variable: VariableName, ...values: readonly [string, ...Array<string>]) =>
  field(variable, Schema.Literals(values))

const oauth = (variable: VariableName) =>
  field(
    variable,
    Schema.Struct({
      authorizationUrl: Text,
      tokenUrl: Text,
      clientId: Text,
      clientSecret: Schema.optionalKey(Text),
      scopes: Schema.optionalKey(Schema.Array(Text)),
      revocationUrl: Schema.optionalKey(Text),
      issuer: Schema.optionalKey(Text),
      authorizationParameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
    }),
    (value) => JSON.stringify(value)
  )

/** At least as long as in the variable, in which the words `open` and `off` are no tokens. */
const BootstrapToken = Schema.String.check(Schema.isMinLength(16))
const tokenOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "token" in value ? String(value.token) : String(value)

const fields: Fields = {
  $schema: option("The JSON Schema of this file, for editors. It has no effect.", Text),
  host: text("ORGPLANE_HOST"),
  port: whole("ORGPLANE_PORT", [0, 65_535]),
  seed: choice("ORGPLANE_SEED", "demo", "none"),
  drainSeconds: whole("ORGPLANE_DRAIN_SECONDS", [0, 600]),
  shutdownSeconds: whole("ORGPLANE_SHUTDOWN_SECONDS", [1, 3600]),
  database: {
    kind: option(
      "pglite is the embedded database, and postgres a PostgreSQL server, which requires url. Default: postgres if url or ORGPLANE_DATABASE_URL is set, otherwise pglite.",
      Schema.Literals(["pglite", "postgres"])
    ),
    dataDir: text("ORGPLANE_DATA_DIR"),
    url: text("ORGPLANE_DATABASE_URL"),
    schema: text("ORGPLANE_DATABASE_SCHEMA"),
    migrations: choice("ORGPLANE_MIGRATIONS", "run", "check"),
    waitSeconds: whole("ORGPLANE_DATABASE_WAIT_SECONDS", optionRanges.databaseWaitSeconds),
    maxConnections: option(
      "Maximum number of connections to a PostgreSQL server. Default: 10.",
      Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 1000 }))
    )
  },
  databaseTimeoutSeconds: whole("ORGPLANE_DATABASE_TIMEOUT_SECONDS", optionRanges.databaseTimeoutSeconds),
  diskFreeMinMiB: whole("ORGPLANE_DISK_FREE_MIN_MIB", optionRanges.diskFreeMinMiB),
  publicUrl: text("ORGPLANE_PUBLIC_URL"),
  pathPrefix: text("ORGPLANE_PATH_PREFIX"),
  console: field("ORGPLANE_CONSOLE", Schema.Boolean),
  hosts: option("Additional host names accepted in the Host header. Default: none.", Schema.Array(Text)),
  links: {
    signIn: option("URL of your own page for sign-in links.", Text),
    invitation: option("URL of your own page for invitation links.", Text),
    claim: option("URL of your own page for links to claim a workspace.", Text)
  },
  secretKeys: list("ORGPLANE_SECRET_KEYS"),
  signingKeys: list("ORGPLANE_SIGNING_KEYS"),
  bootstrap: field(
    "ORGPLANE_BOOTSTRAP",
    Schema.Union([Schema.Literals(["open", "off"]), Schema.Struct({ token: BootstrapToken })]),
    tokenOf
  ),
  defaultPlan: text("ORGPLANE_DEFAULT_PLAN"),
  platformAdmins: list("ORGPLANE_PLATFORM_ADMINS"),
  metricsToken: text("ORGPLANE_METRICS_TOKEN"),
  webhookSecrets: list("ORGPLANE_WEBHOOK_SECRET"),
  reconcileSeconds: whole("ORGPLANE_RECONCILE_SECONDS", optionRanges.reconcileSeconds),
  pluginBounds: {
    fileBytesMax: whole("ORGPLANE_PLUGIN_FILE_BYTES", optionRanges.pluginFileBytesMax),
    filesMax: whole("ORGPLANE_PLUGIN_FILES", optionRanges.pluginFilesMax),
    bytesMax: whole("ORGPLANE_PLUGIN_BYTES", optionRanges.pluginBytesMax)
  },
  telemetry: {
    types: list("ORGPLANE_TELEMETRY_TYPES"),
    retentionDays: whole("ORGPLANE_TELEMETRY_RETENTION", optionRanges.retentionDays)
  },
  retention: Object.fromEntries(
    retentionNames.map((name) => [name, whole(retentionSettings[name].variable, retentionSettings[name].range)])
  ),
  storageQuotas: field(
    "ORGPLANE_STORAGE_QUOTAS",
    Schema.Record(Schema.String, Schema.String.check(Schema.isMinLength(1))).check(
      Schema.isPropertyNames(PlanName, {
        message:
          "must be the name of a plan: 1 to 64 characters, without commas and equals signs, and without spaces at its start and end"
      })
    ),
    (value) =>
      Object.entries(value as Readonly<Record<string, string>>)
        .map(([plan, quota]) => `${plan}=${quota}`)
        .join(",")
  ),
  workers: option(
    "false leaves background work, such as syncs and worker runtimes, to other servers on the same database. Default: true.",
    Schema.Boolean
  ),
  git: {
    localRoots: list("ORGPLANE_GIT_LOCAL_ROOTS"),
    systemGit: option(
      "Whether the system's git may read local repositories. Default: auto.",
      Schema.Union([Schema.Boolean, Schema.Literal("auto")])
    ),
    workDir: option("Directory for fetched packs. Default: the system's temporary directory.", Text)
  },
  codeHostApp: {
    url: text("ORGPLANE_CODEHOST_URL"),
    webUrl: text("ORGPLANE_CODEHOST_WEB_URL"),
    appId: text("ORGPLANE_CODEHOST_APP_ID"),
    privateKey: text("ORGPLANE_CODEHOST_PRIVATE_KEY"),
    clientId: text("ORGPLANE_CODEHOST_CLIENT_ID"),
    clientSecret: text("ORGPLANE_CODEHOST_CLIENT_SECRET")
  },
  suites: {
    "suite-a": { url: text("ORGPLANE_SUITE_A_URL"), oauth: oauth("ORGPLANE_SUITE_A_OAUTH") },
    "suite-b": { url: text("ORGPLANE_SUITE_B_URL"), oauth: oauth("ORGPLANE_SUITE_B_OAUTH") },
    timeoutMillis: option(
      "Maximum total duration of one call to a suite, in milliseconds. Default: 30000.",
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600_000 }))
    )
  },
  remoteSources: list("ORGPLANE_REMOTE_SOURCES"),
  modelsUrl: text("ORGPLANE_MODELS_URL"),
  embeddings: {
    url: text("ORGPLANE_EMBEDDINGS_URL"),
    model: text("ORGPLANE_EMBEDDINGS_MODEL"),
    apiKey: text("ORGPLANE_EMBEDDINGS_KEY")
  },
  outbound: {
    allowCidrs: list("ORGPLANE_OUTBOUND_ALLOW"),
    allowHttp: list("ORGPLANE_OUTBOUND_ALLOW_HTTP"),
    proxy: text("ORGPLANE_OUTBOUND_PROXY"),
    ca: text("ORGPLANE_OUTBOUND_CA")
  },
  provisioner: {
    command: field("ORGPLANE_WORKER_COMMAND", Schema.Array(Schema.String).check(Schema.isMinLength(1)), (value) =>
      JSON.stringify(value)
    )
  },
  workerHeartbeatSeconds: whole("ORGPLANE_WORKER_HEARTBEAT_SECONDS", optionRanges.workerHeartbeatSeconds),
  dnsServers: list("ORGPLANE_DNS_SERVERS"),
  mailer: { smtpUrl: text("ORGPLANE_SMTP_URL") },
  corsOrigins: list("ORGPLANE_CORS_ORIGINS"),
  trustedProxies: list("ORGPLANE_TRUSTED_PROXIES"),
  logLevel: choice("ORGPLANE_LOG_LEVEL", "none", "error", "warn", "info", "debug"),
  otlpUrl: text("ORGPLANE_OTLP_URL"),
  traceSampleRatio: field(
    "ORGPLANE_TRACE_SAMPLE_RATIO",
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  )
}

const schemaOf = (entries: Fields): Schema.Codec<unknown> =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        name,
        Schema.optionalKey(isField(entry) ? entry.schema : schemaOf(entry))
      ])
    )
  )

/** The schema of the file. */
export const ConfigFile = schemaOf(fields)

/** The JSON Schema of the file, as the package contains it. */
export const configFileJsonSchema = (): Readonly<Record<string, unknown>> => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Configuration file of orgplane-server",
  description: "Read from the path in --config or ORGPLANE_CONFIG_FILE. Environment variables override its fields.",
  ...Schema.toJsonSchemaDocument(ConfigFile, { onExcessProperty: "error" }).schema
})

export interface FileSettings {
  /** The values of environment variables. */
  readonly texts: Partial<Readonly<Record<VariableName, string>>>
  /** The fields that set the variables, such as `database.url`. */
  readonly names: Partial<Readonly<Record<VariableName, string>>>
  /** The options that have no environment variable. */
  readonly options: Readonly<Record<string, unknown>>
}

type JsonObject = Readonly<Record<string, unknown>>

const settingsOf = (value: JsonObject, entries: Fields, path: string): FileSettings => {
  const texts: Partial<Record<VariableName, string>> = {}
  const names: Partial<Record<VariableName, string>> = {}
  const options: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(entries)) {
    const inner = value[name]
    if (inner === undefined || name === "$schema") continue
    if (!isField(entry)) {
      const nested = settingsOf(inner as JsonObject, entry, `${path}${name}.`)
      Object.assign(texts, nested.texts)
      Object.assign(names, nested.names)
      if (Object.keys(nested.options).length > 0) options[name] = nested.options
    } else if (entry.variable === undefined) {
      options[name] = inner
    } else {
      texts[entry.variable] = entry.toText(inner)
      names[entry.variable] = `${path}${name}`
    }
  }
  return { texts, names, options }
}

/** The names of the other fields of the same object, for suggestions. */
const namesAt = (path: ReadonlyArray<string | number>): ReadonlyArray<string> => {
  let entries: Fields = fields
  for (const name of path.slice(0, -1)) {
    const entry = entries[name]
    if (entry === undefined || isField(entry)) return []
    entries = entry
  }
  return Object.keys(entries)
}

/** The settings of a file's content, or its faults, one sentence for each field. */
export const parseConfigFile = (content: string): FileSettings | { readonly faults: ReadonlyArray<string> } => {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    const { column, line } = invalidJsonPosition(content)
    return { faults: [`The content is not valid JSON at line ${line}, column ${column}.`] }
  }
  const decoded = Schema.decodeUnknownResult(ConfigFile)(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(decoded)) return settingsOf(value as JsonObject, fields, "")
  return {
    faults: invalidRequest("file", decoded.failure.issue).details.map((detail) => {
      const path = detail.path.slice(1)
      if (path.length === 0) return "The content must be a JSON object."
      const shown = path.join(".")
      if (detail.message !== "is not a known field") return `${shown} ${detail.message}.`
      const suggestion = closest(String(path.at(-1)), namesAt(path))
      const advice = suggestion === undefined ? "" : ` Did you mean ${[...path.slice(0, -1), suggestion].join(".")}?`
      return `${shown} is not a known field.${advice}`
    })
  }
}
