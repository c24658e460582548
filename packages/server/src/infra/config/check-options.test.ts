import { describe, expect, it } from "vitest"
import * as ControlPlane from "../../control-plane.ts"

const database = { kind: "pglite", dataDir: "memory" }

/** Options as a JavaScript program passes them, without types. */
const start = (options: unknown) => ControlPlane.make(JSON.parse(JSON.stringify(options)))

it.each<readonly [options: unknown, message: string]>([
  [{ database, pathPrefx: "/api" }, "Unknown option pathPrefx. Did you mean pathPrefix?"],
  [{ database, telemetry: { retention: 3 } }, "Unknown option telemetry.retention. Allowed: types, retentionDays."],
  [
    { database, suites: { "suite-a": { url: "https://a.example", oauth: { clientid: "a" } } } },
    "Unknown option suites.suite-a.oauth.clientid. Did you mean suites.suite-a.oauth.clientId?"
  ],
  [
    { database: { ...database, dataDirectory: "x" } },
    "Unknown option database.dataDirectory. Allowed: kind, dataDir, snapshot, schema, thread."
  ],
  [
    { database: { kind: "postgres", url: "postgres://a@localhost/b", wait: 1 } },
    "Unknown option database.wait. Allowed: kind, url, password, tls, maxConnections, schema, migrations, waitSeconds."
  ],
  [
    {},
    'The option database is required. Use ControlPlane.pglite(dataDir), ControlPlane.pglite("memory") or ControlPlane.postgres(url).'
  ],
  [
    { database: "memory" },
    'The option database must be an object. Use ControlPlane.pglite(dataDir), ControlPlane.pglite("memory") or ControlPlane.postgres(url).'
  ],
  [
    { database: { kind: "mysql" } },
    'The option database.kind must be one of: pglite, postgres. Use ControlPlane.pglite(dataDir), ControlPlane.pglite("memory") or ControlPlane.postgres(url).'
  ],
  [{ database: { kind: "pglite" } }, "The option database.dataDir must be a non-empty string."],
  [{ database: { kind: "postgres", url: "" } }, "The option database.url must be a non-empty string."],
  [{ database, git: [] }, "The option git must be an object."],
  [
    { database, logLevel: "verbose" },
    'The option logLevel is "verbose"; it must be one of: none, error, warn, info, debug.'
  ],
  [
    { database: { kind: "postgres", url: "postgres://a@localhost/b", migrations: "off" } },
    'The option database.migrations is "off"; it must be one of: run, check.'
  ],
  [{ database: { ...database, schema: 5 } }, "The option database.schema must be a string."],
  [{ database, workers: "false" }, "The option workers must be true or false."],
  [{ database, hosts: "app.example" }, "The option hosts must be an array of strings."],
  [{ database, secretKeys: null }, "The option secretKeys must be an array of strings."],
  [{ database, outbound: { allowCidrs: [1] } }, "The option outbound.allowCidrs must be an array of strings."],
  [{ database, publicUrl: 5 }, "The option publicUrl must be a string."],
  [{ database, logger: "pino" }, "The option logger must be a function that is called with each log entry."],
  ...["orgplane", "/", "", "/api/", "/a//b", "/a?b", "/../a", 5].map(
    (pathPrefix) =>
      [
        { database, pathPrefix },
        `The option pathPrefix is ${JSON.stringify(pathPrefix)}; it must be a path such as "/orgplane", without a trailing slash.`
      ] as const
  )
])("ControlPlane.make rejects %j by name", async (options, message) => {
  await expect(start(options)).rejects.toThrow(new TypeError(message))
})

it("rejects options that are not an object", async () => {
  await expect(start(null)).rejects.toThrow("The options must be an object.")
})

describe("the options of a PostgreSQL server", () => {
  const url = "postgres://someone:a-password@127.0.0.1:1/app"

  it("are checked before a connection is opened", async () => {
    expect(() => ControlPlane.postgres("nonsense")).toThrow(/^The option database\.url must be a postgres:\/\/ URL\.$/)
    expect(() => ControlPlane.postgres({ connectionString: "https://db.example" })).toThrow("must be a postgres:// URL")
    const misspelled = { scema: "tools" } as object
    expect(() => ControlPlane.postgres(url, misspelled)).toThrow(
      "Unknown option database.scema. Did you mean database.schema?"
    )
    for (const step of [ControlPlane.migrate, ControlPlane.moveSchema]) {
      const run = (options: object) => step(options as Parameters<typeof ControlPlane.migrate>[0])
      await expect(run({ database: { kind: "postgres", url, scema: "x" } })).rejects.toThrow(
        "Did you mean database.schema?"
      )
      await expect(run({ database: ControlPlane.postgres(url), foo: 1 })).rejects.toThrow("Unknown option foo.")
      await expect(run({ database: { kind: "postgres", url: "nonsense" } })).rejects.toThrow(
        "must be a postgres:// URL"
      )
    }
  })

  it("are named in messages for a host application, not the environment variables of the program", async () => {
    const database = ControlPlane.postgres(url, { waitSeconds: 0 })
    const message = /^Cannot connect to PostgreSQL at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check the option database\.$/
    const secretKeys = ["a secret for tests only, long enough to be one"]
    await expect(ControlPlane.make({ database, secretKeys, logLevel: "none" })).rejects.toThrow(message)
    await expect(ControlPlane.migrate({ database })).rejects.toThrow(message)
    await expect(ControlPlane.moveSchema({ database })).rejects.toThrow(message)
    const inFile = ControlPlane.pglite(import.meta.filename)
    await expect(ControlPlane.make({ database: inFile, logLevel: "none" })).rejects.toThrow(
      /^Cannot use the data directory .*Check the option database\.dataDir\.$/
    )
  })

  it("are named in the log while the server waits for the database", async () => {
    const entries: Array<string> = []
    const starting = ControlPlane.make({
      database: ControlPlane.postgres(url, { waitSeconds: 1 }),
      secretKeys: ["a secret for tests only, long enough to be one"],
      logger: ({ message }) => void entries.push(message)
    })
    await expect(starting).rejects.toThrow("Check the option database.")
    expect(entries.join("\n")).toMatch(/\(ECONNREFUSED\)\. Check the option database\. Retrying for up to 1 s\./)
    expect(entries.join("\n")).not.toMatch(/ORGPLANE_|a-password/)
  })
})
