import { once } from "node:events"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo, Server, Socket } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { addresses, NameServer } from "../../packages/server/src/infra/outbound/fixtures/name-server.ts"
import { makeFolder, runServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const ends: Array<() => unknown> = []
afterAll(async () => {
  for (const end of ends) await end()
})

const portOf = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => sockets.add(socket))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

interface Received {
  readonly target: string
  readonly authorization: string | undefined
  readonly body: string
}

interface Reply {
  readonly status: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server for all providers, and the requests that it received. */
const serve = async (reply: (path: string) => Reply | undefined) => {
  const received: Array<Received> = []
  const listener: RequestListener = (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const target = `${request.method} ${request.url}`
      const { authorization } = request.headers
      received.push({ target, authorization, body: Buffer.concat(chunks).toString() })
      const { body = "", headers = {}, status, type = "application/json" } = reply(request.url ?? "") ?? { status: 404 }
      response.writeHead(status, { "content-type": type, ...headers }).end(body)
    })
  }
  const port = await portOf(createServer(listener))
  return { host: `127.0.0.1:${port}`, received }
}

const oauthFor = (host: string) =>
  JSON.stringify({
    authorizationUrl: "https://login.example/authorize",
    tokenUrl: `http://${host}/token`,
    clientId: "app-1",
    clientSecret: "canary-client-secret"
  })

/** All providers at one host. */
const providersAt = (host: string): Record<string, string> => ({
  ORGPLANE_MODELS_URL: `http://${host}/api.json?key=canary`,
  ORGPLANE_EMBEDDINGS_URL: `http://${host}/v1/embeddings`,
  ORGPLANE_EMBEDDINGS_MODEL: "small",
  ORGPLANE_EMBEDDINGS_KEY: "canary-embeddings-key",
  ORGPLANE_SUITE_A_URL: `http://${host}/mail/v1`,
  ORGPLANE_SUITE_A_OAUTH: oauthFor(host),
  ORGPLANE_SUITE_B_URL: `http://${host}/calendar/v3/`,
  ORGPLANE_SUITE_B_OAUTH: oauthFor(host),
  ORGPLANE_OTLP_URL: `http://${host}`
})

const checks = ["model catalog", "embeddings", "mail suite", "calendar suite", "worker command", "otlp collector"]

/** The exit code, and the lines of the providers, without the padding between the columns. */
const check = async (environment: Record<string, string>) => {
  const ended = await runServer({ ORGPLANE_DATA_DIR: makeFolder(), ...environment }, { arguments: ["check-config"] })
  expect(ended.stderr).toBe("")
  expect(ended.stdout).not.toContain("canary")
  const lines = ended.stdout.split("\n").map((line) => line.replace(/ {2,}/g, " "))
  return {
    code: ended.code,
    lines: lines.filter((line) => checks.some((name) => line.split(" ").slice(1).join(" ").startsWith(name)))
  }
}

const catalog = JSON.stringify({
  acme: { name: "Acme", models: { small: { name: "Small" }, large: { name: "Large" } } }
})
const vector = JSON.stringify({ data: [{ index: 0, embedding: [0.1, 0.2, 0.3] }] })

const fixes = {
  catalog: "Check ORGPLANE_MODELS_URL.",
  embeddings: "Check the ORGPLANE_EMBEDDINGS_ variables.",
  mail: "Check ORGPLANE_SUITE_A_URL: the base URL of the API, including its version.",
  mailApp: "Check tokenUrl in ORGPLANE_SUITE_A_OAUTH.",
  calendar: "Check ORGPLANE_SUITE_B_URL: the base URL of the API, including its version.",
  calendarApp: "Check tokenUrl in ORGPLANE_SUITE_B_OAUTH.",
  collector: "Check ORGPLANE_OTLP_URL: the base URL of a collector that accepts OTLP over HTTP as JSON."
}

describe("check-config", () => {
  it("reads the model catalog, requests a vector, and checks the suites without an account", async () => {
    const { host, received } = await serve((path) => {
      if (path.startsWith("/api.json")) return { status: 200, body: catalog }
      if (path === "/v1/embeddings") return { status: 200, body: vector }
      if (path.startsWith("/mail/v1/me/messages/")) return { status: 401, body: "{}" }
      if (path.startsWith("/calendar/v3/calendars/primary/events/")) return { status: 403, body: "{}" }
      if (path === "/token") return { status: 400, body: '{"error":"invalid_grant"}' }
      return path === "/v1/traces" ? { status: 200, body: "{}" } : undefined
    })
    expect(await check({ ...providersAt(host), ORGPLANE_WORKER_COMMAND: process.execPath })).toEqual({
      code: 0,
      lines: [
        `ok model catalog ${host} returned a catalog with 2 models.`,
        `ok embeddings ${host} returned a vector with 3 dimensions for a short text.`,
        `ok mail suite The API at ${host} responds, and requires a token.`,
        `ok mail suite The token endpoint at ${host} does not reject the OAuth app.`,
        `ok calendar suite The API at ${host} responds, and requires a token.`,
        `ok calendar suite The token endpoint at ${host} does not reject the OAuth app.`,
        `ok worker command This user can execute ${process.execPath}.`,
        `ok otlp collector The collector ${host} accepts traces.`
      ]
    })
    const requestTo = (path: string) => received.filter(({ target }) => target.includes(path))
    expect(requestTo("/v1/embeddings")).toEqual([
      {
        target: "POST /v1/embeddings",
        authorization: "Bearer canary-embeddings-key",
        body: '{"model":"small","input":["orgplane check-config"]}'
      }
    ])
    for (const path of ["/mail/", "/calendar/"]) {
      expect(requestTo(path)).toMatchObject([{ target: expect.stringMatching(/^GET /), authorization: undefined }])
    }
    for (const { body } of requestTo("/token")) {
      expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
        grant_type: "refresh_token",
        refresh_token: "orgplane-check-config",
        client_id: "app-1",
        client_secret: "canary-client-secret"
      })
    }
    expect(received).toHaveLength(7)
  })

  it("reports providers that reject the credentials, without the text of their responses", async () => {
    const { host } = await serve((path) => {
      if (path === "/token") return { status: 401, body: '{"error":"invalid_client","error_description":"canary"}' }
      return path.startsWith("/mail/") || path.startsWith("/calendar/")
        ? { status: 404, body: '"canary"' }
        : { status: 401, body: '{"error":"canary"}' }
    })
    const apiStatus = "returned status 404 to a request without a token. Expected: 401."
    expect(await check(providersAt(host))).toEqual({
      code: 1,
      lines: [
        `failed model catalog Cannot read the model catalog of ${host}. The server responded with status 401. ${fixes.catalog}`,
        `failed embeddings Cannot use the embeddings endpoint ${host}. The server responded with status 401. ${fixes.embeddings}`,
        `warning mail suite The API at ${host} ${apiStatus} ${fixes.mail}`,
        `failed mail suite The token endpoint at ${host} rejects the OAuth app (invalid_client). Check clientId and clientSecret in ORGPLANE_SUITE_A_OAUTH.`,
        `warning calendar suite The API at ${host} ${apiStatus} ${fixes.calendar}`,
        `failed calendar suite The token endpoint at ${host} rejects the OAuth app (invalid_client). Check clientId and clientSecret in ORGPLANE_SUITE_B_OAUTH.`,
        "skipped worker command ORGPLANE_WORKER_COMMAND is not set. Cloud workers cannot be created.",
        `failed otlp collector The collector ${host} returned status 401 for traces. ${fixes.collector}`
      ]
    })
  })

  it("reports websites and other JSON at the URLs of providers", async () => {
    const site = await serve(() => ({ status: 200, type: "text/html", body: "<h1>canary</h1>" }))
    const api = "returned status 200 to a request without a token. Expected: 401."
    const token = "returned status 200 to an invalid refresh token, without an OAuth error in JSON."
    const { code, lines } = await check(providersAt(site.host))
    expect([code, lines.slice(0, 6)]).toEqual([
      1,
      [
        `failed model catalog Cannot read the model catalog of ${site.host}. The response is not JSON. ${fixes.catalog}`,
        `failed embeddings Cannot use the embeddings endpoint ${site.host}. The response is not JSON. ${fixes.embeddings}`,
        `failed mail suite The API at ${site.host} ${api} ${fixes.mail}`,
        `failed mail suite The token endpoint at ${site.host} ${token} ${fixes.mailApp}`,
        `failed calendar suite The API at ${site.host} ${api} ${fixes.calendar}`,
        `failed calendar suite The token endpoint at ${site.host} ${token} ${fixes.calendarApp}`
      ]
    ])
    const { host } = await serve(() => ({ status: 200, body: '{"canary":{"models":{}}}' }))
    expect((await check(providersAt(host))).lines.slice(0, 2)).toEqual([
      `failed model catalog Cannot read the model catalog of ${host}. The response is not a model catalog. ${fixes.catalog}`,
      `failed embeddings Cannot use the embeddings endpoint ${host}. The response does not contain one vector for each text. ${fixes.embeddings}`
    ])
  })

  it("ends when a provider accepts connections and does not respond", async () => {
    const host = `127.0.0.1:${await portOf(createServer(() => {}))}`
    const suite = "The server did not send a complete response in time."
    expect(await check(providersAt(host))).toEqual({
      code: 1,
      lines: [
        `failed model catalog Cannot read the model catalog of ${host}. The server did not respond in time. ${fixes.catalog}`,
        `failed embeddings Cannot use the embeddings endpoint ${host}. The server did not respond in time. ${fixes.embeddings}`,
        `failed mail suite Cannot use the API at ${host}. ${suite} ${fixes.mail}`,
        `failed mail suite Cannot use the token endpoint at ${host}. ${suite} ${fixes.mailApp}`,
        `failed calendar suite Cannot use the API at ${host}. ${suite} ${fixes.calendar}`,
        `failed calendar suite Cannot use the token endpoint at ${host}. ${suite} ${fixes.calendarApp}`,
        "skipped worker command ORGPLANE_WORKER_COMMAND is not set. Cloud workers cannot be created.",
        `failed otlp collector Cannot connect to the collector ${host} (no response). ${fixes.collector}`
      ]
    })
  })

  it("reports providers to which it cannot connect", async () => {
    const closed = createServer()
    const host = `127.0.0.1:${await portOf(closed)}`
    closed.close()
    await once(closed, "close")
    const reason = "The server is unreachable or closed the connection."
    expect(await check(providersAt(host))).toEqual({
      code: 1,
      lines: [
        `failed model catalog Cannot read the model catalog of ${host}. ${reason} ${fixes.catalog}`,
        `failed embeddings Cannot use the embeddings endpoint ${host}. ${reason} ${fixes.embeddings}`,
        `failed mail suite Cannot use the API at ${host}. ${reason} ${fixes.mail}`,
        `failed mail suite Cannot use the token endpoint at ${host}. ${reason} ${fixes.mailApp}`,
        `failed calendar suite Cannot use the API at ${host}. ${reason} ${fixes.calendar}`,
        `failed calendar suite Cannot use the token endpoint at ${host}. ${reason} ${fixes.calendarApp}`,
        "skipped worker command ORGPLANE_WORKER_COMMAND is not set. Cloud workers cannot be created.",
        `failed otlp collector Cannot connect to the collector ${host} (ECONNREFUSED). ${fixes.collector}`
      ]
    })
  })

  it("warns if the default model catalog cannot be read, and skips a catalog that is off", async () => {
    const names = new NameServer()
    await names.start()
    ends.push(() => names.close())
    const environment = { ORGPLANE_DNS_SERVERS: `127.0.0.1:${names.port}` }
    const { code, lines } = await check(environment)
    expect([code, lines[0]]).toEqual([
      0,
      "warning model catalog Cannot read the model catalog of models.dev. The server is unreachable or closed the connection. Allow requests to models.dev, set ORGPLANE_MODELS_URL to a mirror, or set it to off."
    ])
    const queries = names.queries.filter((query) => query.includes("models.dev")).length
    expect(queries).toBeGreaterThan(0)
    const off = await check({ ...environment, ORGPLANE_MODELS_URL: "off" })
    expect([off.code, off.lines]).toEqual([
      0,
      [
        "skipped model catalog ORGPLANE_MODELS_URL is off.",
        "skipped embeddings ORGPLANE_EMBEDDINGS_URL is not set. Memories are searched by words only.",
        "skipped mail suite ORGPLANE_SUITE_A_URL is not set.",
        "skipped calendar suite ORGPLANE_SUITE_B_URL is not set.",
        "skipped worker command ORGPLANE_WORKER_COMMAND is not set. Cloud workers cannot be created.",
        "skipped otlp collector ORGPLANE_OTLP_URL is not set."
      ]
    ])
    expect(names.queries.filter((query) => query.includes("models.dev"))).toHaveLength(queries)
  })

  it("follows no redirect to a private address that is not configured", async () => {
    const other = await serve(() => ({ status: 200, body: catalog }))
    const { host } = await serve(() => ({ status: 302, headers: { location: `http://${other.host}/api.json` } }))
    const { code, lines } = await check({ ORGPLANE_MODELS_URL: `http://${host}/api.json` })
    expect([code, lines[0], other.received]).toEqual([
      1,
      `failed model catalog Cannot read the model catalog of ${host}. The configured URL is not allowed. ${fixes.catalog}`,
      []
    ])
  })

  it("sends requests to providers with public addresses through the proxy", async () => {
    const names = new NameServer()
    names.zones.set("vectors.example", addresses("93.184.216.34"))
    names.zones.set("models.example", addresses("93.184.216.35"))
    await names.start()
    ends.push(() => names.close())
    const targets: Array<string> = []
    const proxy = createServer()
    proxy.on("connect", ({ headers, url }, socket) => {
      targets.push(`${url} ${headers["proxy-authorization"]}`)
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
    })
    const { lines } = await check({
      ORGPLANE_EMBEDDINGS_URL: "https://vectors.example/v1/embeddings",
      ORGPLANE_EMBEDDINGS_MODEL: "small",
      ORGPLANE_MODELS_URL: "https://models.example/api.json",
      ORGPLANE_DNS_SERVERS: `127.0.0.1:${names.port}`,
      ORGPLANE_OUTBOUND_PROXY: `http://ada:canary@127.0.0.1:${await portOf(proxy)}`
    })
    const reason = "The server is unreachable or closed the connection."
    expect(lines.slice(0, 2)).toEqual([
      `failed model catalog Cannot read the model catalog of models.example. ${reason} ${fixes.catalog}`,
      `failed embeddings Cannot use the embeddings endpoint vectors.example. ${reason} ${fixes.embeddings}`
    ])
    const credentials = `Basic ${Buffer.from("ada:canary").toString("base64")}`
    // The check of the proxy asks for a tunnel to the first host.
    expect(targets.sort()).toEqual([
      `93.184.216.34:443 ${credentials}`,
      `93.184.216.34:443 ${credentials}`,
      `93.184.216.35:443 ${credentials}`
    ])
  })

  it("reports a worker command that cannot be executed, and does not run it", async () => {
    const folder = makeFolder()
    const fileAt = (name: string, mode: number) => {
      const path = join(folder, name)
      writeFileSync(path, `#!/bin/sh\ntouch '${join(folder, "was-run")}'\n`)
      chmodSync(path, mode)
      return path
    }
    const program = fileAt("a runtime", 0o755)
    const data = fileAt("data", 0o644)
    const fix =
      "Set ORGPLANE_WORKER_COMMAND to the absolute path of an executable file, or to a JSON array of a program and its arguments."
    const relative = "is a relative path, but each worker runs in its own directory."
    const missing = "does not exist, or this user cannot access it."
    const notExecutable = "or it is not a file."
    for (const [command, code, line] of [
      [program, 0, `ok worker command This user can execute ${program}.`],
      ["sh", 0, expect.stringMatching(/^ok worker command This user can execute \/\S*\/sh\.$/)],
      [`["node",${JSON.stringify(data)}]`, 0, `ok worker command This user can execute ${process.execPath}.`],
      [`["node","--flag","x"]`, 0, `ok worker command This user can execute ${process.execPath}.`],
      [data, 1, `failed worker command This user cannot execute ${data}, ${notExecutable} ${fix}`],
      [folder, 1, `failed worker command This user cannot execute ${folder}, ${notExecutable} ${fix}`],
      [`${data}.gone`, 1, `failed worker command ${data}.gone ${missing} ${fix}`],
      ["./runtime", 1, `failed worker command ./runtime ${relative} ${fix}`],
      [`["node","runtime.js"]`, 1, `failed worker command runtime.js ${relative} ${fix}`],
      [`["node","${data}.gone"]`, 1, `failed worker command ${data}.gone ${missing} ${fix}`],
      [
        "orgplane-no-such-program",
        1,
        `failed worker command No directory in PATH contains an executable file orgplane-no-such-program. ${fix}`
      ]
    ] as const) {
      const result = await check({ ORGPLANE_MODELS_URL: "off", ORGPLANE_WORKER_COMMAND: command })
      expect([result.code, result.lines.find((text) => text.includes("worker command"))]).toEqual([code, line])
    }
    expect(existsSync(join(folder, "was-run"))).toBe(false)
  })
})
