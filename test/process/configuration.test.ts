import { once } from "node:events"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { startMailServer } from "../../packages/server/src/infra/adapters/mail-server.fixture.ts"
import { addresses, NameServer } from "../../packages/server/src/infra/outbound/fixtures/name-server.ts"
import { app, appKey, serveCodeHost } from "../fixtures/code-host-server.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, beginServer, makeDataDir, makeFolder, runServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const fileOf = (content: unknown): string => {
  const path = join(makeFolder(), "config.json")
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

describe("a configuration file", () => {
  it("configures the server with --config or ORGPLANE_CONFIG_FILE, and the environment overrides it", async () => {
    const path = fileOf({
      seed: "none",
      defaultPlan: "free",
      pathPrefix: "/tools",
      database: { dataDir: makeDataDir() }
    })
    const server = beginServer({ ORGPLANE_PATH_PREFIX: "/orgplane" }, { arguments: ["start", "--config", path] })
    const baseUrl = await server.serves
    expect(baseUrl).toMatch(/\/orgplane$/)
    expect((await ask(baseUrl, undefined, "GET", "/v1/ready")).status).toBe(200)
    const { body } = await ask(baseUrl, undefined, "POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })
    const organization = await ask(baseUrl, body.session.token, "GET", "/v1/organization")
    expect([organization.status, organization.text]).toEqual([200, expect.stringContaining('"free"')])
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })

    const printed = await runServer({ ORGPLANE_CONFIG_FILE: path }, { arguments: ["config"] })
    expect(printed.stdout).toContain("ORGPLANE_DEFAULT_PLAN = free\n")
    expect(printed.stdout).toContain("ORGPLANE_PATH_PREFIX = /tools\n")
  })

  it("starts a server with unknown variables, which logs a warning for each of them", async () => {
    const server = beginServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_LOG_LEVEL: "warn",
      ORGPLANE_PUBLIC_URI: "https://orgplane.example",
      ORGPLANE_ZZZZZZZZ: "a-value-that-can-be-a-secret",
      // A variable of the client, in the same environment.
      ORGPLANE_API_KEY: "opk_1"
    })
    await server.serves
    server.signal("SIGTERM")
    const { code, stderr, stdout } = await server.ended
    const messages = `${stdout}\n${stderr}`
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => (JSON.parse(line) as { readonly message: string }).message)
    expect([code, messages]).toEqual([
      0,
      [
        "ORGPLANE_PUBLIC_URI is not a variable of orgplane-server. Did you mean ORGPLANE_PUBLIC_URL?",
        "ORGPLANE_ZZZZZZZZ is not a variable of orgplane-server. Remove it. orgplane-server config lists all variables."
      ]
    ])
  })

  it("that is not valid JSON, or has a plan name with a comma, is rejected with the position or the field", async () => {
    const path = fileOf('{\n  "port": 8080,\n  "metricsToken": "canary",\n}\n')
    expect(await runServer({}, { arguments: ["check-config", "--config", path] })).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("The content is not valid JSON at line 4, column 1."),
      stderr: ""
    })
    const quotas = fileOf({ storageQuotas: { "free=1GB,enterprise": "unlimited" } })
    const { code, stdout } = await runServer({}, { arguments: ["check-config", "--config", quotas] })
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining(
        "storageQuotas.free=1GB,enterprise must be the name of a plan: 1 to 64 characters, without commas and equals signs"
      )
    ])
  })

  it("with unknown or malformed fields is a configuration error", async () => {
    const path = fileOf({ databse: {}, port: 70_000 })
    expect(await runServer({}, { arguments: ["--config", path] })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `orgplane cannot start: The configuration file ${path} is not valid. databse is not a known field. Did you mean database? port must be between 0 and 65535.\n`
    })
    expect(await runServer({ ORGPLANE_CONFIG_FILE: "/missing.json" }, { arguments: ["migrate"] })).toMatchObject({
      code: 2,
      stderr:
        "orgplane cannot start: Cannot read the configuration file /missing.json (ENOENT). Check --config or ORGPLANE_CONFIG_FILE.\n"
    })
    expect(await runServer({}, { arguments: ["start", "--config"] })).toMatchObject({
      code: 2,
      stderr: "--config requires the path of a JSON file.\n"
    })
  })
})

const ends: Array<() => unknown> = []
afterAll(async () => {
  for (const end of ends) await end()
})

const portOf = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const secretKeys = "a canary secret key for tests only and long enough"

describe("check-config", () => {
  const check = async (environment: Record<string, string>, ...more: ReadonlyArray<string>) => {
    // check-providers.test.ts checks the default catalog.
    const ended = await runServer(
      { ORGPLANE_MODELS_URL: "off", ...environment },
      { arguments: ["check-config", ...more] }
    )
    expect(ended.stderr).toBe("")
    expect(ended.stdout).not.toContain("canary")
    return ended
  }

  it("connects to every service that is configured, and prints one line for each", async () => {
    const postgres = await startPostgres()
    ends.push(postgres.stop)
    const names = new NameServer()
    await names.start()
    ends.push(() => names.close())
    const codeHost = await serveCodeHost()
    ends.push(() => codeHost.close())
    let exports = 0
    const collector = await portOf(
      createServer((request, response) => {
        if (request.url === "/v1/traces") exports += 1
        response.end("{}")
      })
    )
    const dnsServer = `127.0.0.1:${names.port}`
    const { port } = new URL(postgres.url)
    const mailServer = await startMailServer({ user: "ada", password: "canary-password" })
    ends.push(mailServer.close)
    const mail = mailServer.port
    const environment = {
      ORGPLANE_DATABASE_URL: postgres.url,
      ORGPLANE_SECRET_KEYS: secretKeys,
      ORGPLANE_SMTP_URL: `smtp://ada:canary-password@127.0.0.1:${mail}`,
      ORGPLANE_DNS_SERVERS: dnsServer,
      ORGPLANE_CODEHOST_URL: codeHost.url,
      ORGPLANE_CODEHOST_APP_ID: app.appId,
      ORGPLANE_CODEHOST_PRIVATE_KEY: appKey,
      ORGPLANE_CODEHOST_CLIENT_ID: app.clientId,
      ORGPLANE_CODEHOST_CLIENT_SECRET: app.clientSecret,
      ORGPLANE_OTLP_URL: `http://127.0.0.1:${collector}`
    }
    const { host } = new URL(codeHost.url)
    const first = await check(environment)
    expect(first.stdout.trimEnd().split("\n")).toEqual([
      "ok       configuration   15 settings in the environment, and all are valid.",
      expect.stringMatching(
        new RegExp(
          `^ok {7}database {8}PostgreSQL [\\d.]+.* at 127\\.0\\.0\\.1:${port} has schema version 0\\. The next start runs \\d+ migrations\\.$`
        )
      ),
      `ok       smtp            The mail server 127.0.0.1:${mail} accepts the connection and the password.`,
      "skipped  outbound proxy  ORGPLANE_OUTBOUND_PROXY is not set.",
      `ok       dns             The name server ${dnsServer} responds.`,
      `ok       code host       ${host} accepts the key of the app ${app.slug}.`,
      "skipped  model catalog   ORGPLANE_MODELS_URL is off.",
      "skipped  embeddings      ORGPLANE_EMBEDDINGS_URL is not set. Memories are searched by words only.",
      "skipped  mail suite      ORGPLANE_SUITE_A_URL is not set.",
      "skipped  calendar suite  ORGPLANE_SUITE_B_URL is not set.",
      "skipped  worker command  ORGPLANE_WORKER_COMMAND is not set. Cloud workers cannot be created.",
      `ok       otlp collector  The collector 127.0.0.1:${collector} accepts traces.`
    ])
    expect([first.code, exports]).toEqual([0, 1])

    // The configured code host has a private address, so no request to it uses the proxy.
    const proxy = await portOf(createServer())
    const later = await check({
      ...environment,
      ORGPLANE_CODEHOST_APP_ID: "1",
      ORGPLANE_MIGRATIONS: "check",
      ORGPLANE_OUTBOUND_PROXY: `http://ada:canary@127.0.0.1:${proxy}`,
      ORGPLANE_SMTP_URL: `smtp://ada:canary-wrong@127.0.0.1:${mail}`
    })
    expect(later.code).toBe(1)
    expect(later.stdout).toMatch(
      /^failed {3}database .* has schema version 0, but this release requires \d+\. Run orgplane-server migrate\.$/m
    )
    expect(later.stdout).toMatch(
      /^failed {3}smtp .*\(EAUTH\)\. The mail server rejects the user or the password\. Check ORGPLANE_SMTP_URL\.$/m
    )
    expect(later.stdout).toContain(
      `ok       outbound proxy  The proxy 127.0.0.1:${proxy} accepts connections. CONNECT was not checked, because the configuration names no host with a public address.\n`
    )
    expect(later.stdout).toMatch(/^failed {3}code host .*Check the ORGPLANE_CODEHOST_ variables\.$/m)
  })

  it("asks the proxy for a tunnel to a configured host, and reports its status", async () => {
    const names = new NameServer()
    names.zones.set("models.example", addresses("93.184.216.34"))
    await names.start()
    ends.push(() => names.close())
    const received: Array<string> = []
    const proxy = createServer()
    const responses: Record<string, string> = {
      "Basic YWRhOmNhbmFyeQ==": "HTTP/1.1 200 Connection established\r\n\r\n",
      "Basic YWRhOndyb25n": "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
      "Basic YWRhOmJsb2NrZWQ=": "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"
    }
    proxy.on("connect", ({ headers, url }, socket) => {
      received.push(url ?? "")
      socket.on("data", (bytes) => received.push(String(bytes)))
      socket.end(responses[headers["proxy-authorization"] ?? ""] ?? "")
    })
    const port = await portOf(proxy)
    const findingFor = async (password: string) => {
      const { code, stdout } = await check({
        ORGPLANE_DATA_DIR: makeFolder(),
        // A host that check-config does not use otherwise.
        ORGPLANE_REMOTE_SOURCES: "github.com=https://models.example/git",
        ORGPLANE_DNS_SERVERS: `127.0.0.1:${names.port}`,
        ORGPLANE_OUTBOUND_PROXY: `http://ada:${password}@127.0.0.1:${port}`
      })
      return [code, stdout.split("\n").find((line) => line.includes("outbound proxy"))]
    }
    const target = "CONNECT to models.example:443 (93.184.216.34)"
    expect(await findingFor("canary")).toEqual([
      0,
      `ok       outbound proxy  The proxy 127.0.0.1:${port} returned status 200 for ${target}.`
    ])
    expect(await findingFor("wrong")).toEqual([
      1,
      `failed   outbound proxy  The proxy 127.0.0.1:${port} returned status 407 for ${target}. Check the user and the password in ORGPLANE_OUTBOUND_PROXY.`
    ])
    expect(await findingFor("blocked")).toEqual([
      1,
      `failed   outbound proxy  The proxy 127.0.0.1:${port} returned status 403 for ${target}. Allow CONNECT to this address in the proxy, or check ORGPLANE_OUTBOUND_PROXY and the log of the proxy.`
    ])
    expect(await findingFor("other")).toEqual([
      1,
      expect.stringContaining(`The proxy 127.0.0.1:${port} closed the connection for ${target}.`)
    ])
    // Nothing was sent through the tunnel.
    expect(received).toEqual(Array.from({ length: 4 }, () => "93.184.216.34:443"))
  })

  it("names unknown variables with suggestions, and every malformed setting", async () => {
    const ended = await check({
      ORGPLANE_DATABSE_URL: "postgres://canary",
      ORGPLANE_TOKEN: "canary",
      ORGPLANE_PUBLIC_URL: "canary",
      ORGPLANE_SHUTDOWN_SECONDS: "canary"
    })
    expect(ended.code).toBe(2)
    expect(ended.stdout.trimEnd().split("\n")).toEqual([
      "failed   configuration  ORGPLANE_DATABSE_URL is not a variable of orgplane-server. Did you mean ORGPLANE_DATABASE_URL?",
      "failed   configuration  ORGPLANE_SHUTDOWN_SECONDS must be a whole number of seconds from 1 to 3600.",
      "failed   configuration  ORGPLANE_PUBLIC_URL must be an http or https URL."
    ])
    const file = await check({}, "--config", fileOf({ databse: {}, port: "canary" }), "--json")
    expect([file.code, JSON.parse(file.stdout)]).toMatchObject([
      2,
      {
        status: "failed",
        findings: [
          { check: "configuration", status: "failed", message: expect.stringContaining("Did you mean database?") },
          { check: "configuration", status: "failed", message: expect.stringContaining("port must be an integer") }
        ]
      }
    ])
  })

  it("reports services that do not respond, without secrets", async () => {
    const closed = createServer()
    const port = await portOf(closed)
    closed.close()
    await once(closed, "close")
    const ended = await check(
      {
        ORGPLANE_DATABASE_URL: `postgres://ada:canary@127.0.0.1:${port}/db`,
        ORGPLANE_SECRET_KEYS: secretKeys,
        ORGPLANE_SMTP_URL: `smtp://ada:canary@127.0.0.1:${port}`,
        ORGPLANE_OUTBOUND_PROXY: `http://ada:canary@127.0.0.1:${port}`,
        ORGPLANE_DNS_SERVERS: `127.0.0.1:${port}`,
        ORGPLANE_OTLP_URL: `http://127.0.0.1:${port}`
      },
      "--json"
    )
    expect(ended.code).toBe(1)
    const { findings, status } = JSON.parse(ended.stdout) as {
      readonly status: string
      readonly findings: ReadonlyArray<{ readonly check: string; readonly status: string; readonly message: string }>
    }
    expect(status).toBe("failed")
    expect(findings.map((finding) => [finding.check, finding.status])).toEqual([
      ["configuration", "ok"],
      ["database", "failed"],
      ["smtp", "failed"],
      ["outbound proxy", "failed"],
      ["dns", "failed"],
      ["code host", "skipped"],
      ["model catalog", "skipped"],
      ["embeddings", "skipped"],
      ["mail suite", "skipped"],
      ["calendar suite", "skipped"],
      ["worker command", "skipped"],
      ["otlp collector", "failed"]
    ])
    for (const check of ["database", "smtp", "dns", "otlp collector"]) {
      expect(findings.find((finding) => finding.check === check)?.message).toContain("ECONNREFUSED")
    }
  })

  it("reports a data directory that the server could not use, and changes nothing", async () => {
    const folder = makeFolder()
    const fresh = await check({ ORGPLANE_DATA_DIR: join(folder, "new/data") })
    expect([fresh.code, fresh.stdout]).toEqual([
      0,
      expect.stringContaining(`The first start creates the embedded database in ${join(folder, "new/data")}.`)
    ])
    expect(existsSync(join(folder, "new"))).toBe(false)
    writeFileSync(join(folder, "notes.txt"), "")
    const other = await check({ ORGPLANE_DATA_DIR: folder })
    expect([other.code, other.stdout]).toEqual([
      1,
      expect.stringMatching(/^failed {3}database .*does not contain a complete orgplane database: database is missing/m)
    ])
    expect(readdirSync(folder)).toEqual(["notes.txt"])
  })
})
