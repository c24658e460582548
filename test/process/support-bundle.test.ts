/** `orgplane-server support-bundle` with a running server, a stopped one, an unreachable database and a bad configuration. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { sha256 } from "../../packages/server/src/infra/crypto/digest.ts"
import { secretNames } from "../../packages/server/src/infra/config/variables.ts"
import { freePort } from "../free-port.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, runServer, startServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

interface Manifest {
  readonly files: ReadonlyArray<{ readonly name: string; readonly bytes: number; readonly sha256: string }>
  readonly omitted: ReadonlyArray<{ readonly file: string; readonly reason: string }>
}

const collect = async (environment: Record<string, string>, ...options: ReadonlyArray<string>) => {
  const to = join(makeFolder(), "bundle.tar.gz")
  const ended = await runServer(environment, { arguments: ["support-bundle", "--to", to, ...options] })
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
  it("contains the state of a running server and of its machine", async () => {
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
    await makeWorkspace(server.baseUrl)
    const { code, stderr, stdout, to } = await collect(environment)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(?:[A-Z][^\n]*\n)*$/u)])
    expect(stdout).toContain(`Wrote ${to} (`)
    expect(stdout).toContain("Without database.json: A running server uses the embedded database.")
    expect(stdout).toContain("Without log.txt: Not requested. Add --log-file FILE.")
    expect(statSync(to).mode & 0o777).toBe(0o600)
    const { files, json, manifest } = unpack(to)
    expect(manifest.omitted.map(({ file }) => file)).toEqual(["database.json", "log.txt"])
    expect(files.get("metrics.txt")).toContain("orgplane_build_info")
    expect(json("ready.json")).toMatchObject({ status: "ready", details: expect.any(Array) })
    expect(json("doctor.json")).toMatchObject({ findings: expect.any(Array) })
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

    // A bundle never replaces a file.
    const before = readFileSync(to)
    const again = await runServer(environment, { arguments: ["support-bundle", "--to", to] })
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`${to} already exists.`) })
    expect(readFileSync(to).equals(before)).toBe(true)
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
      ORGPLANE_DATABASE_URL: `postgres://ada:${encodeURIComponent(secret("database"))}@127.0.0.1:1/orgplane`,
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
    const log = join(makeFolder(), "server.log")
    const forms = plain.flatMap((text) => [
      text,
      encodeURIComponent(text),
      JSON.stringify(text).slice(1, -1),
      Buffer.from(text).toString("base64")
    ])
    // As in the header of basic authentication.
    for (const name of ["database", "mail", "proxy", "collector"]) {
      forms.push(Buffer.from(`ada:${secret(name)}`).toString("base64"))
    }
    writeFileSync(
      log,
      [
        "kept before",
        ...Object.values(values),
        ...forms,
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
        `authorization: Bearer opk_${"a1".repeat(30)}`,
        "mail to grace@example.com",
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
        expect([...plain, ...forms, "MIIEvQ", "grace@", "opk_"].filter((part) => text.includes(part))).toEqual([])
      }
    }
    expect(unpack(whole.to).files.get("log.txt")).toMatch(/^kept before\n[^]*\nkept after$/u)
    const { json, manifest } = unpack(whole.to)
    expect(json("configuration.json")).toMatchObject({ unknownVariables: ["ORGPLANE_SMPT_PASSWORD"] })
    expect(manifest.omitted).toContainEqual({
      file: "doctor.json",
      reason: "The configuration is not valid. See faults in configuration.json."
    })
    const { manifest: second } = unpack(examined.to)
    expect(second.omitted).toContainEqual({ file: "database.json", reason: expect.stringContaining("127.0.0.1:1") })
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

    const directory = join(makeFolder(), "missing", "bundle.tar.gz")
    const nowhere = await runServer({}, { arguments: ["support-bundle", "--to", directory] })
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining(`Cannot write ${directory} (ENOENT).`) })
    expect(existsSync(directory)).toBe(false)
    const unknown = await runServer({}, { arguments: ["support-bundle", "--output", "x"] })
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("--output") })
  })
})
