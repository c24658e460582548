import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { makeToken } from "../packages/server/src/infra/crypto/tokens.ts"
import { askHealth, cpuMicros, median, openDatabase, say, startCandidate } from "./harness.ts"
import { authority, directCall, leastMcpServer, silentServer } from "./mcp-servers.ts"

export interface McpOptions {
  /** Number of concurrent resolves, and of concurrent calls. */
  readonly atOnce: number
  readonly organizations: number
  /** Sequential calls, each paired with a direct call. The limit is 60 per minute and organization. */
  readonly calls: number
}

interface HttpResponse {
  readonly status: number
  readonly body: unknown
  readonly millis: number
}

type Call = (method: string, path: string, body?: object) => Promise<HttpResponse>

const makeCaller =
  (port: number, token: string): Call =>
  async (method, path, body) => {
    const began = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text === "" ? null : JSON.parse(text), millis: performance.now() - began }
  }

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value
  )

const numbered = (prefix: string, n: number) => `${prefix}_01k5qdy${String(n).padStart(19, "0")}`

/** Creates an organization with an owner's session for each token. */
const makeOrganizations = async (url: string, tokens: ReadonlyArray<string>) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const [index, token] of tokens.entries()) {
      const [organization, user] = [numbered("org", 500 + index), numbered("usr", 500 + index)]
      const digest = createHash("sha256").update(token).digest("hex")
      await client.query(
        "INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, $1, 'enterprise', now(), now())",
        [organization]
      )
      await client.query(
        "INSERT INTO users (id, email, email_verified, name, created_at, updated_at) VALUES ($1, $1 || '@example.com', true, $1, now(), now())",
        [user]
      )
      await client.query(
        "INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at) VALUES ($1, $2, $3, 'owner', now(), now())",
        [organization, numbered("om", 500 + index), user]
      )
      await client.query(
        `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
         VALUES ($1, decode($2, 'hex'), $3, $4, 'email', now(), now() + interval '1 day')`,
        [numbered("ses", 500 + index), digest, user, organization]
      )
    }
  } finally {
    await client.end()
  }
}

const percentile = (values: ReadonlyArray<number>, part: number) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const makeLoop = (pid: number, file: string) => async (): Promise<{ readonly p99: number; readonly max: number }> => {
  rmSync(file, { force: true })
  process.kill(pid, "SIGUSR2")
  for (let tries = 0; tries < 100; tries += 1) {
    await pause(100)
    try {
      return JSON.parse(readFileSync(file, "utf8"))
    } catch {
      // The server is still busy.
    }
  }
  throw new Error("The server did not report its event loop delay.")
}

/**
 * Sends requests concurrently with health checks. Returns the duration, the statuses, the latency of the health checks
 * and the event loop delay.
 */
const rush = async (
  port: number,
  loop: ReturnType<typeof makeLoop>,
  atOnce: number,
  asks: ReadonlyArray<() => Promise<HttpResponse>>
) => {
  await loop()
  const stop = await askHealth(port, 10)
  const began = performance.now()
  const responses: Array<HttpResponse> = []
  const left = asks.values()
  const askOn = async () => {
    for (const ask of left) responses.push(await ask())
  }
  await Promise.all(Array.from({ length: atOnce }, askOn))
  const seconds = (performance.now() - began) / 1000
  const health = await stop()
  const statuses = Object.entries(
    Object.groupBy(responses, ({ body, status }) => [status, at(body, "resolution")].filter(Boolean).join(" "))
  )
    .map(([status, all = []]) => `${all.length} × ${status}`)
    .join(", ")
  const good = responses.filter(({ status }) => status === 200)
  return { statuses, seconds, good, health, delay: await loop() }
}

const one = (value: number) => value.toFixed(1)

/** The rate limits per minute and organization, and the number of requests above each limit. */
const resolvesOfAMinute = 30
const callsOfAMinute = 60
const pastTheLimit = 3

/** Measures MCP server discovery and tool calls, and the effect of concurrent requests on the rest of the server. */
export const mcpBench = async ({ atOnce, calls, organizations }: McpOptions): Promise<string> => {
  const database = await openDatabase()
  const directory = mkdtempSync(join(tmpdir(), "orgplane-bench-"))
  const loopFile = join(directory, "loop.json")
  const [silent, mcp] = await Promise.all([silentServer(), leastMcpServer()])
  const tokens = Array.from({ length: organizations + 2 }, () => makeToken("ops"))
  try {
    const url = await database.createDatabase("mcp")
    const server = await startCandidate(
      { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
      url,
      ["--import", fileURLToPath(new URL("loop-probe.ts", import.meta.url))],
      { ORGPLANE_OUTBOUND_ALLOW: "127.0.0.0/8", ORGPLANE_OUTBOUND_CA: authority, BENCH_LOOP_FILE: loopFile }
    )
    try {
      // The server has created the tables.
      await makeOrganizations(url, tokens)
      const loop = makeLoop(server.pid, loopFile)
      const callers = tokens.map((token) => makeCaller(server.port, token))
      const [first, second] = [callers.at(-1), callers.at(-2)]
      if (first === undefined || second === undefined) throw new Error("No organization was created.")
      const many = callers.slice(0, -2)
      const demanded = async (pending: Promise<HttpResponse>, status: number): Promise<HttpResponse> => {
        const response = await pending
        if (response.status !== status)
          throw new Error(`${response.status} ${JSON.stringify(response.body).slice(0, 500)}`)
        return response
      }
      const resolve = (call: Call, query: string) => call("POST", "/v1/mcp-connections/resolve", { query })

      say("Five failing candidate URLs.")
      const dead = await demanded(resolve(first, silent.url), 200)
      if (at(dead.body, "resolution") !== "not_found") throw new Error("A silent server was reported as found.")

      say(`${atOnce} concurrent \`resolve\` requests.`)
      for (let warm = 0; warm < 10; warm += 1) {
        const response = await demanded(resolve(second, mcp.url), 200)
        if (at(response.body, "resolution") !== "discovered")
          throw new Error(JSON.stringify(response.body).slice(0, 1000))
      }
      const asks = (each: number, ask: (call: Call) => Promise<HttpResponse>) =>
        Array.from({ length: each * many.length }, (_, index) => () => ask(many[index % many.length] ?? first))
      const resolves = await rush(
        server.port,
        loop,
        atOnce,
        asks(resolvesOfAMinute + pastTheLimit, (call) => resolve(call, mcp.url))
      )

      say(`${atOnce} concurrent calls.`)
      const connect = async (call: Call) => {
        const connection = await demanded(
          call("POST", "/v1/mcp-connections", { name: "Bench", url: mcp.url, authType: "none" }),
          201
        )
        const id = String(at(connection.body, "mcpConnection", "id"))
        // The first list of tools is approved automatically.
        await demanded(call("GET", `/v1/mcp-connections/${id}/tools?refresh=true`), 200)
        return `/v1/mcp-connections/${id}/tools/call`
      }
      const paths = new Map<Call, string>()
      for (const call of [...many, first, second]) paths.set(call, await connect(call))
      const run = (call: Call, text: string) =>
        call("POST", paths.get(call) ?? "", { toolName: "echo", arguments: { text } })
      const ran = await rush(
        server.port,
        loop,
        atOnce,
        asks(callsOfAMinute + pastTheLimit, (call) => run(call, "once"))
      )

      say(`${calls} sequential calls, each paired with a direct call.`)
      for (let warm = 0; warm < 20; warm += 1) {
        await demanded(run(second, "warm"), 200)
        await directCall(mcp.url, "warm")
      }
      const ours: Array<number> = []
      const direct: Array<number> = []
      const before = cpuMicros(server.pid)
      for (let index = 0; index < calls; index += 1) {
        ours.push((await demanded(run(first, `call ${index}`), 200)).millis)
        const began = performance.now()
        await directCall(mcp.url, `call ${index}`)
        direct.push(performance.now() - began)
      }
      const cpu = (cpuMicros(server.pid) - before) / calls

      const row = (name: string, { delay, good, health, seconds, statuses }: Awaited<ReturnType<typeof rush>>) => {
        const times = good.map(({ millis }) => millis)
        return `| ${name} | ${statuses} | ${one(seconds)} | ${one(median(times))} / ${one(percentile(times, 0.99))} | ${one(median(health))} / ${one(percentile(health, 0.99))} (${health.length}) | ${one(delay.p99)} / ${one(delay.max)} |`
      }
      return [
        "| five failing candidate URLs | seconds | concurrent sockets |",
        "|---|---|---|",
        `| \`resolve\` | ${one(dead.millis / 1000)} | ${silent.most()} |`,
        "",
        `| ${atOnce} concurrent requests from ${organizations} organizations | responses | total, s | successful requests, p50 / p99 ms | concurrent health checks, p50 / p99 ms (count) | event loop delay of the server, p99 / max ms |`,
        "|---|---|---|---|---|---|",
        row("`resolve`", resolves),
        row("`tools/call`", ran),
        "",
        `| ${calls} sequential calls | p50, ms | p99, ms | CPU time of the server, µs |`,
        "|---|---|---|---|",
        `| through orgplane | ${one(median(ours))} | ${one(percentile(ours, 0.99))} | ${cpu.toFixed(0)} |`,
        `| direct | ${one(median(direct))} | ${one(percentile(direct, 0.99))} | |`,
        `| ratio | ${(median(ours) / median(direct)).toFixed(2)} | | |`
      ].join("\n")
    } finally {
      await server.stop()
    }
  } finally {
    silent.close()
    mcp.close()
    await database.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
