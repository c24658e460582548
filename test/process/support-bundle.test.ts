/** `orgplane-server support-bundle` with a running server, a stopped one, an unreachable database and a bad configuration. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { sha256 } from "../../packages/server/src/infra/crypto/digest.ts"
import { secretNames } from "../../packages/server/src/infra/config/variables.ts"
import { freePort } from "../free-port.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, runServer, startServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

interface Manifest {
  readonly files: ReadonlyArray<{ readonly name: string; readonly bytes: number; readonly sha256: string }>
  readonly omitted: ReadonlyArray<{ readonly file: string; readonly reason: string }>
}

const collect = async (environment: Record<string, string>, ...options: ReadonlyArray<string>) => {
  const to = join(makeFolder(), "bundle.tar.gz")
  const ended = await runServer(
    { ORGPLANE_MODELS_URL: "off", ...environment },
    { arguments: ["support-bundle", "--to", to, ...options] }
  )
  return { ...ended, to }
}

/** The files of a bundle by name. Each has the size and the digest in the manifest. */
const unpack = (path: string) => {
  const folder = makeFolder()
  execFileSync("tar", ["-xzf", path, "-C", folder, "--strip-components=1"])
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]))
  const json = (name: string): unknown => JSON.parse(files.get(name) ?? "")
  const manifest = json("manifest.json") as Manifest
  for (const { bytes, name, sha256: digest } of manifest.files) {
    const content = Buffer.from(files.get(name) ?? "")
    expect([name, bytes, digest]).toEqual([name, content.length, sha256(content)])
  }
  expect([...files.keys()].toSorted()).toEqual(["manifest.json", ...manifest.files.map(({ name }) => name)].toSorted())
  return { files, manifest, json }
}

describe("a support bundle", () => {
  it("contains the state of a running server, of its embedded database and of its machine", async () => {
    const port = String(await freePort())
    const environment = {
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_PORT: port,
      ORGPLANE_METRICS_TOKEN: "token-of-the-metrics-in-this-test",
      ORGPLANE_PLATFORM_ADMINS: "ada@example.com",
      ORGPLANE_MODELS_URL: "off"
    }
    const server = await startServer(environment)
    const token = await makeWorkspace(server.baseUrl)
    const planted = ["Confidential plugin", "api-key-in-the-database"]
    expect(await ask(server.baseUrl, token, "POST", "/v1/plugins", { name: planted[0] })).toMatchObject({ status: 201 })
    const provider = await ask(server.baseUrl, token, "POST", "/v1/llm-providers", {
      name: planted[0],
      providerId: "custom",
      baseUrl: "https://192.0.2.1/v1",
      credentialMode: "shared"
    })
    expect(provider).toMatchObject({ status: 201 })
    const path = `/v1/llm-providers/${provider.body.llmProvider.id}/credential`
    expect(await ask(server.baseUrl, token, "PUT", path, { apiKey: planted[1] })).toMatchObject({ status: 200 })

    const { code, stderr, stdout, to } = await collect(environment)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(?:[A-Z][^\n]*\n)*$/u)])
    expect(stdout).toContain(`Wrote ${to} (`)
    expect(stdout).toContain("Without log.txt: Not requested. Add --log-file FILE.")
    expect(statSync(to).mode & 0o777).toBe(0o600)
    const { files, json, manifest } = unpack(to)
    expect(manifest.omitted.map(({ file }) => file)).toEqual(["log.txt"])
    expect(files.get("metrics.txt")).toContain("orgplane_build_info")
    expect(json("ready.json")).toMatchObject({ status: "ready", details: expect.any(Array) })
    expect(json("check-config.json")).toMatchObject({ findings: expect.any(Array) })
    expect(json("system.json")).toMatchObject({ node: process.versions.node, platform: process.platform })
    expect(json("configuration.json")).toMatchObject({
      faults: [],
      settings: expect.arrayContaining([
        { name: "ORGPLANE_PORT", from: "environment", value: port },
        { name: "ORGPLANE_METRICS_TOKEN", from: "environment", value: "(set)" },
        { name: "ORGPLANE_PLATFORM_ADMINS", from: "environment", value: "(1 addresses)" }
      ])
    })
    // The server runs the checks that the doctor skips, because no other process can open the database.
    const { findings } = json("doctor.json") as {
      readonly findings: ReadonlyArray<{ readonly check: string; readonly status: string }>
    }
    const statusOf = (check: string) => findings.filter((one) => one.check === check).map(({ status }) => status)
    expect(["lock", "database", "schema", "keys", "queue", "webhooks", "orphaned work"].map(statusOf)).toEqual(
      Array.from({ length: 7 }, () => ["ok"])
    )
    expect(json("database.json")).toMatchObject({
      engine: "pglite",
      pendingMigrations: [],
      queues: { webhooks: { waiting: 0, attemptsMax: 0, oldestSeconds: 0 } },
      tables: expect.arrayContaining([
        expect.objectContaining({ name: "plugins", rows: 1, isEstimate: false }),
        expect.objectContaining({ name: "llm_providers", rows: 1, isEstimate: false })
      ])
    })
    for (const text of files.values()) {
      const secrets = [
        ...planted,
        token,
        readFileSync(join(environment.ORGPLANE_DATA_DIR, "secret-key"), "utf8").trim()
      ]
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    }

    // A bundle never replaces a file.
    const before = readFileSync(to)
    const again = await runServer(environment, { arguments: ["support-bundle", "--to", to] })
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`${to} already exists.`) })
    expect(readFileSync(to).equals(before)).toBe(true)
  })

  it("names the reason if the running server runs another release or does not respond", async () => {
    const dataDir = makeDataDir()
    const server = createServer((_, response) => response.writeHead(404).end("{}"))
    await new Promise<void>((done) => server.listen(join(dataDir, "operator.sock"), done))
    const silent = createServer(() => {})
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done))
    const { port } = silent.address() as AddressInfo
    try {
      const { code, to } = await collect({ ORGPLANE_DATA_DIR: dataDir, ORGPLANE_PORT: String(port) })
      expect(code).toBe(0)
      for (const file of ["ready.json", "metrics.txt"]) {
        expect(unpack(to).manifest.omitted).toContainEqual({
          file,
          reason: `The server at 127.0.0.1:${port} did not respond within 10 s.`
        })
      }
      expect(unpack(to).manifest.omitted).toContainEqual({
        file: "database.json",
        reason: "The running server runs another release. Use the orgplane-server of that release."
      })
    } finally {
      server.close()
      silent.closeAllConnections()
      silent.close()
    }
  })

  it("contains the state of a PostgreSQL database, with the jobs of its queues", async () => {
    const postgres = await startPostgres()
    try {
      const environment = {
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: "a secret of this test that is long enough to be one",
        ORGPLANE_SEED: "none",
        ORGPLANE_PORT: String(await freePort()),
        ORGPLANE_MODELS_URL: "off"
      }
      const server = await startServer(environment)
      await makeWorkspace(server.baseUrl)
      const { code, stdout, to } = await collect(environment)
      expect(code).toBe(0)
      expect(stdout).toContain("Without metrics.txt: The server has no metrics: set ORGPLANE_METRICS_TOKEN.")
      const { json, manifest } = unpack(to)
      expect(manifest.omitted.map(({ file }) => file)).toEqual(["metrics.txt", "log.txt"])
      expect(json("ready.json")).toMatchObject({ status: "ready" })
      expect(json("database.json")).toMatchObject({
        engine: "postgres",
        isWritable: true,
        queues: { jobs: expect.any(Array), webhooks: { waiting: 0 } },
        tables: expect.arrayContaining([
          expect.objectContaining({ name: "organizations", rows: 1, isEstimate: false }),
          expect.objectContaining({ name: "audit_events", rows: 1, isEstimate: false })
        ]),
        settings: expect.arrayContaining([expect.objectContaining({ name: "max_connections" })])
      })
      server.signal("SIGTERM")
      await server.ended
    } finally {
      await postgres.stop()
    }
  })

  it("contains migrations, settings and table sizes of a stopped embedded database, but no rows", async () => {
    const environment = {
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_PORT: String(await freePort())
    }
    const server = await startServer(environment)
    const token = await makeWorkspace(server.baseUrl)
    const name = "Confidential plugin"
    expect(await ask(server.baseUrl, token, "POST", "/v1/plugins", { name })).toMatchObject({ status: 201 })
    server.signal("SIGTERM")
    await server.ended
    const { code, stdout, to } = await collect(environment, "--json")
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      file: to,
      files: expect.arrayContaining(["manifest.json", "database.json"])
    })
    const { files, json, manifest } = unpack(to)
    expect(manifest.omitted).toEqual([
      { file: "ready.json", reason: expect.stringContaining("No server responds") },
      { file: "metrics.txt", reason: expect.stringContaining("No server responds") },
      { file: "log.txt", reason: expect.any(String) }
    ])
    expect(json("database.json")).toMatchObject({
      engine: "pglite",
      pendingMigrations: [],
      migrations: expect.arrayContaining([expect.objectContaining({ id: 1, name: "identity" })]),
      tables: expect.arrayContaining([expect.objectContaining({ name: "organizations", bytes: expect.any(Number) })]),
      settings: expect.arrayContaining([expect.objectContaining({ name: "server_version" })])
    })
    for (const text of files.values()) expect(text).not.toContain(name)
  })

  it("contains no secret in any form", async () => {
    // Secret keys have at least 32 characters.
    const secret = (name: string) => `the+${name}/secret value of this test=&`
    const values: Record<string, string> = {
      ORGPLANE_DATABASE_URL: `postgres://ada:${encodeURIComponent(secret("database"))}@127.0.0.1:1,127.0.0.1:2/orgplane`,
      ORGPLANE_SECRET_KEYS: `${secret("first key")},${secret("second key")}`,
      ORGPLANE_SIGNING_KEYS: secret("signing key"),
      ORGPLANE_SMTP_URL: `smtp://ada:${encodeURIComponent(secret("mail"))}@127.0.0.1:1?from=a%40example.com`,
      ORGPLANE_OUTBOUND_PROXY: `http://ada:${encodeURIComponent(secret("proxy"))}@127.0.0.1:1`,
      ORGPLANE_BOOTSTRAP: secret("bootstrap"),
      ORGPLANE_OTLP_URL: `http://ada:${encodeURIComponent(secret("collector"))}@127.0.0.1:1`,
      // Misspelled.
      ORGPLANE_SMPT_PASSWORD: secret("misspelled")
    }
    for (const name of secretNames) values[name] ??= secret(name)
    const plain = [
      ...[
        "database",
        "first key",
        "second key",
        "signing key",
        "mail",
        "proxy",
        "bootstrap",
        "collector",
        "misspelled"
      ],
      ...[...secretNames].filter((name) => values[name] === secret(name))
    ].map(secret)
    const dataDir = makeFolder()
    plain.push(secret("key file"))
    writeFileSync(join(dataDir, "secret-key"), `${secret("key file")}\n`)
    values["ORGPLANE_DATA_DIR"] = dataDir
    const log = join(makeFolder(), "server.log")
    const forms = plain.flatMap((text) => [
      text,
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
      JSON.stringify(JSON.stringify(text)),
      encodeURIComponent(text).replaceAll("%20", "+"),
      encodeURIComponent(encodeURIComponent(text)),
      Buffer.from(text).toString("base64"),
      Buffer.from(text).toString("base64url"),
      Buffer.from(text).toString("hex"),
      Buffer.from(`1${text}`).toString("base64").slice(2),
      Buffer.from(`12${text}`).toString("base64").slice(3)
    ])
    // As in the header of basic authentication.
    for (const name of ["database", "mail", "proxy", "collector"]) {
      forms.push(Buffer.from(`ada:${secret(name)}`).toString("base64"))
    }
    writeFileSync(
      log,
      [
        // The log begins with the rest of a key.
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "-----END PRIVATE KEY-----",
        "kept before",
        ...Object.values(values),
        ...forms,
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
        `authorization: Bearer opk_${"a1".repeat(30)}`,
        "mail to grace@example.com",
        JSON.stringify({
          message: "A request failed.",
          fields: { password: "hunter-2", url: "https://x:hunter-3@a.example" }
        }),
        "GET /callback?access_token=hunter-4 ghp_hunter5hunter5hunter5",
        "kept after"
      ].join("\n")
    )
    // The malformed values prevent the checks; without them, the checks run.
    const whole = await collect(values, "--log-file", log)
    const {
      ORGPLANE_CODEHOST_PRIVATE_KEY: _,
      ORGPLANE_SUITE_A_OAUTH: __,
      ORGPLANE_SUITE_B_OAUTH: ___,
      ...valid
    } = values
    const { ORGPLANE_EMBEDDINGS_KEY: ____, ORGPLANE_CODEHOST_CLIENT_SECRET: _____, ...checked } = valid
    const examined = await collect({ ...checked, ORGPLANE_DATABASE_WAIT_SECONDS: "0" })
    for (const { code, stderr, stdout, to } of [whole, examined]) {
      expect(code).toBe(0)
      for (const text of [stdout, stderr, ...unpack(to).files.values()]) {
        expect(
          [...plain, ...forms, "MIIEvQ", "grace@", "opk_", "hunter"].filter((part) => text.includes(part))
        ).toEqual([])
      }
    }
    expect(unpack(whole.to).files.get("log.txt")).toMatch(/^REDACTED\nkept before\n[^]*\nkept after$/u)
    const { json, manifest } = unpack(whole.to)
    expect(json("configuration.json")).toMatchObject({ unknownVariables: ["ORGPLANE_SMPT_PASSWORD"] })
    expect(manifest.omitted).toContainEqual({
      file: "doctor.json",
      reason: "The configuration is not valid. See faults in configuration.json."
    })
    const { manifest: second } = unpack(examined.to)
    expect(second.omitted).toContainEqual({
      file: "database.json",
      reason: "Cannot connect to PostgreSQL at 127.0.0.1:1, 127.0.0.1:2 (ECONNREFUSED). Check ORGPLANE_DATABASE_URL."
    })
  })

  it("is written with a configuration file that cannot be read, and refuses wrong options", async () => {
    const config = join(makeFolder(), "config.json")
    writeFileSync(config, '{ "port": ')
    const { code, to } = await collect(
      { ORGPLANE_DATA_DIR: makeFolder() },
      "--config",
      config,
      "--log-file",
      makeFolder()
    )
    expect(code).toBe(0)
    const { json, manifest } = unpack(to)
    expect(json("configuration.json")).toMatchObject({ faults: [expect.stringContaining(config)] })
    expect(manifest.omitted.at(-1)).toMatchObject({ file: "log.txt" })

    // A named pipe that nobody writes to.
    const pipe = join(makeFolder(), "log")
    execFileSync("mkfifo", [pipe])
    const piped = await collect({}, "--config", config, "--log-file", pipe)
    expect(piped.code).toBe(0)
    expect(unpack(piped.to).manifest.omitted.at(-1)).toMatchObject({ file: "log.txt" })

    const directory = join(makeFolder(), "missing", "bundle.tar.gz")
    const nowhere = await runServer({}, { arguments: ["support-bundle", "--to", directory] })
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining(`Cannot write ${directory} (ENOENT).`) })
    expect(existsSync(directory)).toBe(false)
    const unknown = await runServer({}, { arguments: ["support-bundle", "--output", "x"] })
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("--output") })
  })
})
