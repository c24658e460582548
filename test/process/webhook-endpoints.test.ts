/** Webhook endpoints whose senders and receiver are killed: every event arrives at least once, and in order if asked. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect, it, vi } from "vitest"
import { startPostgres } from "../postgres/start.ts"
import { ask, makeFolder, makeWorkspace, type Running, startServer, until } from "./server.fixture.ts"

// A killed process keeps its lease for 30 seconds.
vi.setConfig({ testTimeout: 480_000 })

const postgres = await startPostgres({ maxConnections: 100 })
afterAll(() => postgres.stop())

interface Arrival {
  readonly id: string
  readonly sequence: number
  readonly body: string
}

const responseMillis = 5

/** A receiver that can be killed. It records the requests that it accepted, by path. */
const makeReceiver = async () => {
  const accepted: Readonly<Record<"/ordered" | "/parallel", Array<Arrival>>> = { "/ordered": [], "/parallel": [] }
  let server: Server = createServer()
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("error", () => {})
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () =>
          setTimeout(() => {
            // After it was killed, nothing is accepted.
            if (request.socket.destroyed) return
            const body = Buffer.concat(chunks).toString()
            const { sequence } = JSON.parse(body).data
            accepted[request.url === "/ordered" ? "/ordered" : "/parallel"].push({
              id: String(request.headers["webhook-id"]),
              sequence,
              body
            })
            response.writeHead(204).end()
          }, responseMillis)
        )
      }).listen(port, "127.0.0.1", resolve)
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  const kill = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  afterAll(kill)
  return { accepted, url: `http://127.0.0.1:${port}`, kill, restart: () => listen(port) }
}

it("sends every event to both endpoints, and in order to the ordered one, while servers and the receiver are killed", async () => {
  const receiver = await makeReceiver()
  const environment = {
    ORGPLANE_DATABASE_URL: await postgres.createDatabase("webhook_endpoints"),
    ORGPLANE_DATA_DIR: makeFolder(),
    ORGPLANE_SEED: "none",
    ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
    ORGPLANE_OUTBOUND_ALLOW: "127.0.0.0/8",
    ORGPLANE_OUTBOUND_ALLOW_HTTP: "127.0.0.0/8"
  }
  const startBoth = () => Promise.all([startServer(environment), startServer(environment)])
  let servers: ReadonlyArray<Running> = await startBoth()
  const baseUrl = () => servers[0]?.baseUrl ?? ""
  const token = await makeWorkspace(baseUrl())
  const send = (method: string, path: string, body?: unknown) => ask(baseUrl(), token, method, path, body)

  let plugins = 0
  /** Creates plugins. A request that fails because the server was killed may have created one or not. */
  const createPlugins = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      plugins += 1
      await send("POST", "/v1/plugins", { name: `Plugin ${plugins}` }).catch(() => undefined)
    }
  }
  const endpoints: Array<string> = []
  for (const ordering of ["ordered", "parallel"]) {
    const input = { name: ordering, url: `${receiver.url}/${ordering}`, ordering, types: ["plugin.create"] }
    const { body } = await send("POST", "/v1/webhook-endpoints", input)
    endpoints.push(`/v1/webhook-endpoints/${body.item.id}`)
    await send("POST", `${endpoints.at(-1)}/pause`)
  }
  const resumeAll = async () => {
    for (const path of endpoints) expect((await send("POST", `${path}/resume`, {})).status).toBe(200)
  }
  const ordered = receiver.accepted["/ordered"]
  const parallel = receiver.accepted["/parallel"]
  await createPlugins(150)
  await until(
    async () => Promise.all(endpoints.map(async (path) => (await send("GET", path)).body.item.pendingCount)),
    (counts) => counts.every((count) => count === 150)
  )
  await resumeAll()
  for (const moment of [20, 60, 100]) {
    const creating = createPlugins(20)
    await until(
      () => Promise.resolve(ordered.length),
      (count) => count >= moment
    )
    for (const server of servers) server.signal("SIGKILL")
    await Promise.all(servers.map(({ ended }) => ended))
    // It was killed while it was sending.
    expect(new Set(ordered.map(({ id }) => id)).size).toBeLessThan(150)
    servers = await startBoth()
    await creating
  }
  // The receiver is killed while it receives, and returns.
  const before = ordered.length
  await until(
    () => Promise.resolve(ordered.length),
    (count) => count > before
  )
  await receiver.kill()
  await createPlugins(20)
  await until(
    async () => (await send("GET", endpoints[0] ?? "")).body.item.failingSince,
    (failingSince) => failingSince !== null
  )
  await receiver.restart()
  await resumeAll()

  await until(
    async () => Promise.all(endpoints.map(async (path) => (await send("GET", path)).body.item.pendingCount)),
    (counts) => counts.every((count) => count === 0)
  )
  const events: Array<{ readonly id: string; readonly sequence: number }> = []
  for (let after = 0; ;) {
    const { items } = (await send("GET", `/v1/events?types=plugin.create&limit=100&after=${after}`)).body
    if (items.length === 0) break
    events.push(...items)
    after = items.at(-1).sequence
  }
  expect(events.length).toBeGreaterThanOrEqual(170)
  const sequences = events.map(({ sequence }) => sequence)
  for (const arrivals of [ordered, parallel]) {
    const firstOf = new Map<string, Arrival>()
    for (const arrival of arrivals) {
      const first = firstOf.get(arrival.id)
      if (first === undefined) firstOf.set(arrival.id, arrival)
      // A repetition has the same bytes.
      else expect(arrival.body).toBe(first.body)
    }
    const received = [...firstOf.values()].map(({ sequence }) => sequence)
    expect(received.toSorted((a, b) => a - b)).toEqual(sequences)
    if (arrivals === ordered) expect(received).toEqual(sequences)
  }
})
