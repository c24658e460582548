import { createHash } from "node:crypto"
import { Agent, request } from "node:http"
import pg from "pg"
import { makeToken } from "../packages/server/src/infra/crypto/tokens.ts"
import { cpuMicros, openDatabase, say, startCandidate } from "./harness.ts"

export interface DesiredStateOptions {
  /** Devices that poll, each with its own member and session. */
  readonly devices: number
  readonly plugins: number
  /** Seconds without requests, to measure what the server needs anyway. */
  readonly idle: number
}

/** 5,000 devices that poll once a minute. */
const pollsPerSecond = 5000 / 60
/** One response in a hundred contains the state. */
const fullEvery = 100

const numbered = (prefix: string, n: number) => `${prefix}_01k5qdz${String(n).padStart(19, "0")}`
const setOf = (prefix: string) => `'${prefix}_01k5qdz' || lpad(i::text, 19, '0')`
const organization = numbered("org", 1)

/** One organization; every device has a session of its own member. The first member is the owner. */
const fill = async (client: pg.Client, tokens: ReadonlyArray<string>) => {
  await client.query(
    "INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, 'Acme', 'enterprise', now(), now())",
    [organization]
  )
  await client.query(
    `INSERT INTO users (id, name, created_at, updated_at)
     SELECT ${setOf("usr")}, 'A member', now(), now() FROM generate_series(1, $1::int) i`,
    [tokens.length]
  )
  await client.query(
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
     SELECT $1, ${setOf("om")}, ${setOf("usr")}, CASE WHEN i = 1 THEN 'owner' ELSE 'member' END, now(), now()
     FROM generate_series(1, $2::int) i`,
    [organization, tokens.length]
  )
  await client.query(
    `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
     SELECT ${setOf("ses")}, decode(d.digest, 'hex'), ${setOf("usr")}, $1, 'email', now(), now() + interval '30 days'
     FROM unnest($2::text[]) WITH ORDINALITY AS d(digest, i)`,
    [organization, tokens.map((token) => createHash("sha256").update(token).digest("hex"))]
  )
  await client.query("ANALYZE")
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

interface Reply {
  readonly status: number
  readonly etag: string
  readonly body: string
}

const ask = (port: number, method: string, path: string, headers: Record<string, string>, body?: object) =>
  new Promise<Reply>((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type =
      text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
    const sent = request(
      { port, method, path, agent, host: "127.0.0.1", headers: { ...headers, ...type } },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const { etag = "" } = response.headers
          resolve({ status: response.statusCode ?? 0, etag, body: Buffer.concat(chunks).toString() })
        })
      }
    )
    sent.on("error", reject)
    sent.end(text)
  })

const idOf = (body: string): string => /"item":\{"id":"([^"]+)"/.exec(body)?.[1] ?? ""
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const one = (value: number) => value.toFixed(1)

/** The installed plugins in a report, from the body of a desired state. */
const installedOf = (body: string) => {
  const { plugins } = JSON.parse(body) as {
    plugins: ReadonlyArray<{ pluginId: string; digest: string | null; archive: { sha256: string } | null }>
  }
  return plugins.flatMap(({ archive, digest, pluginId }) =>
    archive === null ? [] : [{ pluginId, digest, sha256: archive.sha256, state: "installed", failure: null }]
  )
}

/** Measures the CPU time of the server while devices poll their desired state and report, and that of their status. */
export const desiredState = async ({ devices, idle, plugins }: DesiredStateOptions): Promise<string> => {
  const database = await openDatabase()
  const tokens = Array.from({ length: devices }, () => makeToken("ops"))
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await fill(client, tokens)
    const server = await startCandidate(
      { name: "orgplane", file: new URL("./http/orgplane.ts", import.meta.url) },
      database.url
    )
    try {
      const headersOf = (index: number) => ({ authorization: `Bearer ${tokens[index % devices] ?? ""}` })
      const owner = headersOf(0)
      let pluginId = ""
      for (let index = 0; index < plugins; index += 1) {
        const { body } = await ask(server.port, "POST", "/v1/plugins", owner, { name: `Plugin ${index}` })
        pluginId = idOf(body)
        const access = `/v1/plugins/${pluginId}/access`
        const granted = await ask(server.port, "POST", access, owner, { role: "viewer", orgWide: true })
        if (granted.status !== 201) throw new Error(`${granted.status}: ${granted.body}`)
        const assigned = await ask(server.port, "POST", "/v1/assignments", owner, { pluginId, mode: "required" })
        if (assigned.status !== 201) throw new Error(`${assigned.status}: ${assigned.body}`)
      }
      const etags: Array<string> = []
      const states: Array<string> = []
      const get = (index: number, etag = "") =>
        ask(server.port, "GET", "/v1/me/desired-state", {
          ...headersOf(index),
          ...(etag === "" ? {} : { "if-none-match": etag })
        })
      const firstCpu = cpuMicros(server.pid)
      for (let index = 0; index < devices; index += 1) {
        const { body, etag, status } = await get(index)
        if (status !== 200) throw new Error(`${status}: ${body}`)
        etags[index] = etag
        states[index] = body
      }
      const fullMicros = (cpuMicros(server.pid) - firstCpu) / devices
      say(`${devices} devices received the state: ${one(fullMicros)} µs each.`)

      const idleCpu = cpuMicros(server.pid)
      await pause(idle * 1000)
      const idleMicros = idle === 0 ? 0 : (cpuMicros(server.pid) - idleCpu) / idle

      /** Sends requests at the rate of 5,000 devices. */
      const paced = async (requests: number, send: (index: number) => Promise<Reply>) => {
        const statuses = new Map<number, number>()
        const [began, cpu] = [performance.now(), cpuMicros(server.pid)]
        const open: Array<Promise<void>> = []
        for (let index = 0; index < requests; index += 1) {
          const wait = began + (index * 1000) / pollsPerSecond - performance.now()
          if (wait > 0) await pause(wait)
          open.push(send(index).then(({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1)))
        }
        await Promise.all(open)
        const seconds = (performance.now() - began) / 1000
        const micros = cpuMicros(server.pid) - cpu
        const responses = [...statuses].toSorted().map(([status, number]) => `${number} × ${status}`)
        return { core: (micros / seconds / 1e6) * 100, micros: micros / requests, responses: responses.join(", ") }
      }

      /** Polls the first `count` devices in turn. */
      const poll = (count: number, polls: number) =>
        paced(polls, async (index) => {
          const device = index % count
          const reply = await get(device, index % fullEvery === fullEvery - 1 ? "" : etags[device])
          // The state is renewed every six hours, for each device at a different time.
          if (reply.status === 200) etags[device] = reply.etag
          return reply
        })

      const few = Math.min(devices, 100)
      const warm = Math.min(devices, 2000)
      await poll(few, Math.min(devices, 500))
      const health = await paced(Math.min(devices, 1000), () => ask(server.port, "GET", "/v1/health", {}))
      const plugin = await paced(Math.min(devices, 1000), (index) =>
        ask(server.port, "GET", `/v1/plugins/${pluginId}`, headersOf(index % few))
      )
      // Credentials are cached for 30 s. The first devices poll more often than that, all devices less often.
      const cached = await poll(few, warm)
      await pause(Math.min(31_000, devices * 20))
      const uncached = await poll(devices, devices)
      const report = (index: number, sequence: number, isFailed: boolean) => {
        const plugins = installedOf(states[index % devices] ?? "{}")
        const failed = { state: "failed", failure: "integrity" }
        return ask(server.port, "POST", "/v1/delivery/reports", headersOf(index), {
          deviceId: `device-${numbered("dev", index % devices)}`,
          sequence,
          agent: "claude-code",
          platform: "linux",
          revision: null,
          plugins: isFailed
            ? plugins.map((plugin, place) => (place === 0 ? { ...plugin, ...failed } : plugin))
            : plugins
        })
      }
      const reports = await paced(devices, (index) => report(index, 1, false))
      const repeated = await paced(Math.min(devices, 1000), (index) => report(index, 2, false))
      const failing = Math.max(1, Math.round(devices / 128))
      await paced(failing, (index) => report(index, 3, true))
      const offline = Math.max(1, Math.round(devices / 56))
      await client.query(
        `UPDATE devices SET last_seen_at = now() - interval '3 days' WHERE (organization_id, membership_id, id) IN
           (SELECT organization_id, membership_id, id FROM devices ORDER BY membership_id DESC LIMIT $1)`,
        [offline]
      )
      const statuses: Array<number> = []
      const statusCpu = cpuMicros(server.pid)
      let status = ""
      for (let round = 0; round < 5; round += 1) {
        const began = performance.now()
        const { body } = await ask(server.port, "GET", "/v1/delivery/status", owner)
        statuses.push(performance.now() - began)
        status = JSON.stringify((JSON.parse(body) as { item: { installations: unknown } }).item.installations)
      }
      const statusMillis = (cpuMicros(server.pid) - statusCpu) / statuses.length / 1000
      const row = (name: string, { core, micros, responses }: Awaited<ReturnType<typeof paced>>) =>
        `| ${name} | ${responses} | ${micros.toFixed(0)} | ${one(core)} % |`
      return [
        `${devices} devices, ${plugins} plugins, ${one(pollsPerSecond)} polls per second (5,000 devices per minute).`,
        "",
        "| requests | responses | CPU µs per request | of one core |",
        "|---|---|---:|---:|",
        row("polls, credentials cached", cached),
        row("polls, credentials not cached", uncached),
        row("reports of all devices, the first of each", reports),
        row("reports without a change", repeated),
        row("for comparison: `GET /v1/health`", health),
        row("for comparison: one plugin", plugin),
        "",
        `A first response with the state: ${fullMicros.toFixed(0)} µs. The server without requests: ${one(idleMicros / 10_000)} % of one core.`,
        "",
        `\`GET /v1/delivery/status\` of ${devices} devices: ${one(statuses.toSorted((a, b) => a - b)[2] ?? 0)} ms (median of 5), ${one(statusMillis)} ms of CPU time of the server. Installations: ${status}.`
      ].join("\n")
    } finally {
      await server.stop()
    }
  } finally {
    await client.end()
    await database.stop()
    agent.destroy()
  }
}
