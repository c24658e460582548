/** Receivers of webhooks on loopback, which record each request and respond as configured. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect } from "vitest"
import { makeControlPlane, type Person, runSql, type TestPlane } from "../harness.ts"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of webhooks, checked by expect()
  readonly event: any
}

export interface Response {
  readonly status: number
  readonly body?: string
  readonly headers?: Record<string, string>
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** The requests that wait for a response over an open connection. */
  readonly waiting: ReadonlySet<Received>
  /** What the next requests get; `"never"` leaves them open. */
  respond: (request: Received, count: number) => Response | "never" | Promise<Response>
}

const closers: Array<() => void> = []
afterAll(() => {
  for (const close of closers) close()
})

export const serveReceiver = async (respond: Receiver["respond"] = () => ({ status: 204 })): Promise<Receiver> => {
  const received: Array<Received> = []
  const waiting = new Set<Received>()
  const receiver: { -readonly [K in keyof Receiver]: Receiver[K] } = { url: "", received, waiting, respond }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      const isJson = request.headers["content-type"] === "application/json"
      const one = { headers: request.headers, body, event: isJson ? JSON.parse(body) : undefined }
      received.push(one)
      waiting.add(one)
      response.on("close", () => waiting.delete(one))
      void (async () => {
        const result = await receiver.respond(one, received.length)
        if (result !== "never") response.writeHead(result.status, result.headers).end(result.body)
      })()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

export const makePlane = (): Promise<TestPlane> =>
  makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })

// oxlint-disable-next-line typescript/no-explicit-any -- members of responses, checked by expect()
export type Item = any

export interface Endpoint {
  readonly item: Item
  readonly secret: string
  readonly path: string
}

/** Creates an endpoint of all events that the person can read. */
export const createEndpoint = async (
  person: Pick<Person, "call">,
  url: string,
  input: object = {}
): Promise<Endpoint> => {
  const { body, status, text } = await person.call("POST", "/v1/webhook-endpoints", { name: "Hook", url, ...input })
  expect([status, text]).toEqual([201, text])
  return { ...body, path: `/v1/webhook-endpoints/${body.item.id}` }
}

export const getEndpoint = async (person: Pick<Person, "call">, { path }: Pick<Endpoint, "path">): Promise<Item> =>
  (await person.call("GET", path)).body.item

/** Waits until the last deliveries are recorded. */
export const settled = (person: Pick<Person, "call">, endpoint: Endpoint) =>
  expect.poll(async () => (await getEndpoint(person, endpoint)).pendingCount).toBe(0)

export const messagesOf = async (person: Pick<Person, "call">, { path }: Endpoint, query = ""): Promise<Array<Item>> =>
  (await person.call("GET", `${path}/messages?limit=100${query}`)).body.items

/** The signatures that are correct for the secret. */
export const isSignedWith = (secret: string, { body, headers }: Received): boolean => {
  const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64")
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`
  const expected = createHmac("sha256", key).update(signed).digest()
  return String(headers["webhook-signature"])
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => Buffer.from(signature.slice(3), "base64"))
    .some((bytes) => bytes.length === expected.length && timingSafeEqual(bytes, expected))
}

/** Creates plugins one after another, which are events of the type `plugin.create`. */
export const createPlugins = async (person: Person, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let index = 0; index < count; index += 1) {
    ids.push((await person.client.plugins.create({ name: `Plugin ${index} ${Math.random()}` })).id)
  }
  return ids
}

export const sequencesOf = ({ received }: Receiver): Array<number> => received.map(({ event }) => event.data.sequence)

/** Lets the time of the next attempts come. */
export const hurry = (plane: TestPlane, { item }: Endpoint) =>
  runSql(
    plane,
    (sql) => sql`WITH m AS (UPDATE webhook_messages SET next_attempt_at = now()
      WHERE endpoint_id = ${item.id} AND state = 'pending' AND next_attempt_at > now() RETURNING 1)
    UPDATE webhook_endpoints SET due_at = now() WHERE id = ${item.id} AND state = 'active'`
  )

/** Lets all attempts but the last one be over, after days without a delivery. */
export const exhaust = (plane: TestPlane, { item }: Endpoint) =>
  runSql(
    plane,
    (sql) => sql`WITH m AS (UPDATE webhook_messages SET next_attempt_at = now(), failures = 9
      WHERE endpoint_id = ${item.id} AND state = 'pending' RETURNING 1)
    UPDATE webhook_endpoints SET due_at = now(),
      failing_since = CASE WHEN failing_since IS NOT NULL THEN now() - interval '3 days' END
    WHERE id = ${item.id}`
  )
