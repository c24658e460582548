import { expect, it } from "vitest"
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

it("ControlPlane.make requires an object of options", async () => {
  await expect(start(null)).rejects.toThrow("ControlPlane.make requires an object of options.")
})
