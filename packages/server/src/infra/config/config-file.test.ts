import { Ajv2020 } from "ajv/dist/2020.js"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { configFileJsonSchema, parseConfigFile } from "./config-file.ts"
import { readEnvironment } from "./environment.ts"
import { configurationFaults, readConfiguration, readSources } from "./read-configuration.ts"
import { variables } from "./variables.ts"

const folder = mkdtempSync(join(tmpdir(), "orgplane-config-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, "config.json")
const sourcesOf = (content: unknown, environment: Readonly<Record<string, string>> = {}) => {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return readSources(environment, path)
}
const read = (content: unknown, environment: Readonly<Record<string, string>> = {}) =>
  readConfiguration(sourcesOf(content, environment))

const oauth = {
  authorizationUrl: "https://id.example/authorize",
  tokenUrl: "https://id.example/token",
  clientId: "client",
  scopes: ["mail"]
}
const secret = "a secret for tests only and long enough to be one"
/** Every field that sets a variable, except those of a code host app, which need a key. */
const complete = {
  $schema: "./config.schema.json",
  host: "0.0.0.0",
  port: 9000,
  seed: "none",
  drainSeconds: 1,
  shutdownSeconds: 20,
  database: {
    kind: "postgres",
    url: "postgres://user@db.internal/orgplane",
    dataDir: "/var/lib/orgplane",
    schema: "tools",
    migrations: "check",
    waitSeconds: 5
  },
  databaseTimeoutSeconds: 20,
  diskFreeMinMiB: 512,
  publicUrl: "https://orgplane.example",
  pathPrefix: "/orgplane",
  console: false,
  secretKeys: [secret, `${secret} as well`],
  signingKeys: [`${secret} that signs`],
  bootstrap: { token: "a token that is long enough" },
  defaultPlan: "free",
  platformAdmins: ["ada@acme.example"],
  metricsToken: "token",
  webhookSecrets: ["a webhook secret for tests"],
  reconcileSeconds: 60,
  pluginBounds: { fileBytesMax: 1000, filesMax: 10, bytesMax: 10_000 },
  telemetry: { types: ["plugin.used"], retentionDays: 30 },
  retention: {
    auditDays: 365,
    credentialDays: 7,
    deliveryDays: 8,
    deviceDays: 45,
    invitationDays: 90,
    removedDays: 60,
    scimLogDays: 14,
    syncsMax: 200,
    workerActivityDays: 3
  },
  storageQuotas: { free: "1.5 GB", enterprise: "unlimited" },
  git: { localRoots: ["/srv/git"] },
  suites: {
    "suite-a": { url: "https://mail.example/v1", oauth },
    "suite-b": { url: "https://calendar.example/v3", oauth }
  },
  remoteSources: ["github.com", "npm=https://npm.example"],
  modelsUrl: "off",
  embeddings: { url: "https://models.example/v1/embeddings", model: "small", apiKey: "key" },
  outbound: { allowCidrs: ["10.0.0.0/8"], allowHttp: ["mcp.internal"], proxy: "http://proxy.internal:3128", ca: "PEM" },
  provisioner: { command: ["node", "runtime.js", "--flag=a,b"] },
  workerHeartbeatSeconds: 10,
  dnsServers: ["10.0.0.53"],
  mailer: { smtpUrl: "smtps://mail.example?from=orgplane%40acme.example" },
  corsOrigins: ["https://app.example"],
  trustedProxies: ["10.0.0.0/8"],
  logLevel: "warn",
  otlpUrl: "http://127.0.0.1:4318",
  traceSampleRatio: 0.25
}

describe("the configuration file", () => {
  it("has a field for each environment variable, with the same result", () => {
    const settings = parseConfigFile(JSON.stringify(complete))
    if ("faults" in settings) throw new Error(settings.faults.join(" "))
    const others = Object.keys(variables).filter(
      (name) => name !== "ORGPLANE_CONFIG_FILE" && !name.startsWith("ORGPLANE_CODEHOST_")
    )
    expect(Object.keys(settings.texts).toSorted()).toEqual(others.toSorted())
    expect(read(complete)).toEqual(readEnvironment(settings.texts))
    expect(read(complete).options).toMatchObject({
      database: complete.database.kind === "postgres" ? { kind: "postgres", url: complete.database.url } : {},
      bootstrap: complete.bootstrap,
      secretKeys: complete.secretKeys,
      signingKeys: complete.signingKeys,
      remoteSources: complete.remoteSources,
      outbound: complete.outbound,
      provisioner: complete.provisioner,
      suites: { "suite-a": complete.suites["suite-a"] }
    })
  })

  it("is overridden by the environment, but not by an empty variable", () => {
    const file = { port: 9000, logLevel: "warn" }
    expect(read(file, { ORGPLANE_PORT: "9001", ORGPLANE_LOG_LEVEL: " " })).toMatchObject({
      port: 9001,
      options: { logLevel: "warn" }
    })
  })

  it("sets options that have no environment variable", () => {
    const { options } = read({
      database: { url: "postgres://u@h/d", maxConnections: 20 },
      secretKeys: [secret],
      hosts: ["orgplane.internal"],
      workers: false,
      git: { systemGit: false, localRoots: ["/srv/git"] }
    })
    expect(options).toMatchObject({
      database: { kind: "postgres", maxConnections: 20, waitSeconds: 60 },
      hosts: ["orgplane.internal"],
      workers: false,
      git: { systemGit: false, localRoots: ["/srv/git"] }
    })
  })

  it("is rejected with each unknown or malformed field, without its value", () => {
    const faultsOf = (content: unknown) => {
      const settings = parseConfigFile(typeof content === "string" ? content : JSON.stringify(content))
      return "faults" in settings ? settings.faults : []
    }
    expect(faultsOf("{")).toEqual(["The content is not valid JSON at line 1, column 2."])
    expect(faultsOf([])).toEqual(["The content must be a JSON object."])
    expect(
      faultsOf({ pubicUrl: "canary", port: "canary", seed: "canary", database: { ulr: "canary" }, secretKeys: ["a,b"] })
    ).toEqual([
      "pubicUrl is not a known field. Did you mean publicUrl?",
      "port must be an integer.",
      "seed must be one of: demo, none.",
      "database.ulr is not a known field. Did you mean database.url?",
      "secretKeys.0 must be a string without commas that is not empty."
    ])
    expect(() => read({ port: "canary" })).toThrow(
      `The configuration file ${path} is not valid. port must be an integer.`
    )
    expect(() => readSources({}, join(folder, "missing.json"))).toThrow(
      /^Cannot read the configuration file .*missing\.json \(ENOENT\)\. Check --config or ORGPLANE_CONFIG_FILE\.$/
    )
  })

  it.each([
    ["a trailing comma", '{\n  "port": 1,\n}', 3, 1],
    ["a comment", '{\n  // canary\n  "port": 1\n}', 2, 3],
    ["single quotes", "{ 'port': 1 }", 1, 3],
    ["a missing comma", '{\r\n  "port": 1\r\n  "host": "canary"\r\n}', 3, 3],
    ["a missing colon", '{\n"port" 1 }', 2, 8],
    ["a string that does not end", '{\n"host": "canary\n}', 2, 16],
    ["an unknown escape", String.raw`{"host": "a\canary"}`, 1, 12],
    ["an unknown word", '{"workers": True}', 1, 13],
    ["a leading zero", '{"port": 080}', 1, 11],
    ["a bracket of the other kind", '{"hosts": ["a"}', 1, 15],
    ["text after the end", "{}\n\n}", 3, 1],
    ["no content", "", 1, 1],
    ["a missing end", '{"git": {"localRoots": []}\n', 2, 1],
    ["a byte order mark", "\uFEFF{}", 1, 1]
  ])("that is not valid JSON is rejected with the line and the column: %s", (_, content, line, column) => {
    expect(parseConfigFile(content)).toEqual({
      faults: [`The content is not valid JSON at line ${line}, column ${column}.`]
    })
  })

  it("accepts only plan names that the variable can express", () => {
    const rule =
      "must be the name of a plan: 1 to 64 characters, without commas and equals signs, and without spaces at its start and end."
    for (const name of ["free=1GB,enterprise", "a=b", " free", "", "x".repeat(65)]) {
      expect(parseConfigFile(JSON.stringify({ storageQuotas: { [name]: "1GB" } }))).toEqual({
        faults: [`storageQuotas.${name} ${rule}`]
      })
    }
    expect(read({ storageQuotas: { "Équipe 2.0 (new)": "1GB", x: "unlimited" } }).options.storageQuotas).toEqual({
      "Équipe 2.0 (new)": 1_000_000_000,
      x: "unlimited"
    })
  })

  it("names the field of the file or the variable, whichever is malformed", () => {
    const file = { publicUrl: "orgplane.example" }
    expect(() => read(file)).toThrow(`${path}: publicUrl (ORGPLANE_PUBLIC_URL) must be an http or https URL.`)
    expect(() => read(file, { ORGPLANE_PUBLIC_URL: "canary" })).toThrow(
      /^ORGPLANE_PUBLIC_URL must be an http or https URL\.$/
    )
    expect(() => read({ database: { kind: "postgres" } })).toThrow(
      `${path}: database.url or ORGPLANE_DATABASE_URL must be set for PostgreSQL.`
    )
    expect(() => read({ database: { maxConnections: 20 } })).toThrow(
      `${path}: database.maxConnections is not allowed with the embedded database.`
    )
    expect(() => read({ database: { kind: "pglite", url: "postgres://h/d" }, secretKeys: [secret] })).toThrow(
      "database.url is not allowed with the embedded database."
    )
  })

  it("and the environment are checked completely, not only up to the first fault", () => {
    const sources = sourcesOf({ publicUrl: "orgplane.example" }, { ORGPLANE_PORT: "http", ORGPLANE_LOG_LEVEL: "loud" })
    expect(configurationFaults(sources)).toEqual([
      "ORGPLANE_PORT must be a port from 0 to 65535.",
      "ORGPLANE_LOG_LEVEL must be one of none, error, warn, info, debug.",
      `${path}: publicUrl (ORGPLANE_PUBLIC_URL) must be an http or https URL.`
    ])
    expect(configurationFaults(sourcesOf({}))).toEqual([])
  })

  it("has a JSON Schema that accepts the same files", () => {
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configFileJsonSchema())
    expect(validate(complete)).toBe(true)
    for (const file of [{ pubicUrl: "" }, { port: "9000" }, { database: { ulr: "" } }, { bootstrap: {} }]) {
      expect([file, validate(file)]).toEqual([file, false])
    }
  })
})
