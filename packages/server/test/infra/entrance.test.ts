import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { createServer, request as send } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { serveNode } from "../../src/infra/http/dispatch/entrance.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"

const plane = await makeControlPlane({ corsOrigins: ["https://app.example"] })
const owner = await makeWorkspace(plane)
const node = createServer()
const scope = Scope.makeUnsafe()
/** The number of requests that the entrance left to the framework. */
let left = 0
const app = Effect.suspend(() => {
  left += 1
  return plane.served.app
})
await Effect.gen(function* () {
  const services = yield* Layer.build(NodeHttpServer.layer(() => node, { host: "127.0.0.1", port: 0 }))
  yield* serveNode(node, { ...plane.served, app }).pipe(Effect.provideContext(services))
}).pipe(Scope.provide(scope), Effect.runPromise)
const { port } = node.address() as AddressInfo
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

interface Sample {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const own = { authorization: `Bearer ${owner.token}` }
const json = { ...own, "content-type": "application/json" }
const requestId = "req_of_this_test"
/** Headers of a connection, and those that differ between two requests. */
const passing = new Set(["connection", "content-length", "date", "keep-alive", "ratelimit", "transfer-encoding"])
const lasting = (headers: Iterable<readonly [string, unknown]>) =>
  Object.fromEntries([...headers].filter(([name]) => !passing.has(name)).toSorted())
/** IDs and times differ between two requests that create something. */
const masked = (text: string) => text.replaceAll(/_[0-9a-hjkmnp-tv-z]{26}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")

const overNode = async ({ body, headers, method = "GET", path }: Sample) => {
  const outgoing = send({ port, host: "127.0.0.1", method, path, headers: { ...headers, "x-request-id": requestId } })
  outgoing.end(body)
  const [response] = await once(outgoing, "response")
  let text = ""
  for await (const chunk of response.setEncoding("utf8")) text += chunk
  return { status: response.statusCode, headers: lasting(Object.entries(response.headers)), text: masked(text) }
}
const overFetch = async ({ body, headers, method = "GET", path }: Sample) => {
  const response = await plane.fetch(
    new Request(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, "x-request-id": requestId },
      ...(body === undefined ? {} : { body })
    })
  )
  return { status: response.status, headers: lasting(response.headers), text: masked(await response.text()) }
}

const short: Readonly<Record<string, Sample>> = {
  "a public operation": { path: "/v1/health" },
  "a short name": { path: "/health" },
  "a path with a slash at the end": { path: "/v1/plugins/", headers: own },
  "a read": { path: "/v1/organization", headers: own },
  "a page with a filter": { path: "/v1/plugins?limit=5&q=caf%C3%A9", headers: own },
  "an invalid query": { path: "/v1/plugins?limit=0", headers: own },
  "an invalid path": { path: "/v1/plugins/plg_1", headers: own },
  "an absent resource": { path: "/v1/plugins/plg_01k5qdy0000000000000000000", headers: own },
  "no credential": { path: "/v1/plugins" },
  "an invalid credential": { path: "/v1/plugins", headers: { authorization: "Bearer ops_x" } },
  "a refused body": {
    method: "POST",
    path: "/v1/plugins",
    body: '{"name":"P"}',
    headers: { "content-type": "text/plain" }
  },
  "a created resource": { method: "POST", path: "/v1/plugins", body: '{"name":"Zoë"}', headers: json },
  "an invalid member": { method: "POST", path: "/v1/plugins", body: '{"name":""}', headers: json },
  "text that is not JSON": { method: "POST", path: "/v1/plugins", body: "{", headers: json },
  "an empty body": { method: "POST", path: "/v1/plugins", headers: json },
  "another content type": {
    method: "POST",
    path: "/v1/plugins",
    body: "a=1",
    headers: { ...own, "content-type": "text/plain" }
  },
  "another host": { path: "/v1/health", headers: { host: "evil.example" } },
  "a listed origin": { path: "/v1/health", headers: { origin: "https://app.example" } },
  "a response that is unchanged": { path: "/v1/openapi.json", headers: { "if-none-match": "*" } }
}
const long: Readonly<Record<string, Sample>> = {
  HEAD: { method: "HEAD", path: "/v1/health" },
  "a preflight request": {
    method: "OPTIONS",
    path: "/v1/plugins",
    headers: { origin: "https://app.example", "access-control-request-method": "POST" }
  },
  "a route that does not exist": { path: "/v1/nothing" },
  "a method that is not supported": { method: "DELETE", path: "/v1/health" },
  "a path that cannot be decoded": { path: "/v1/plugins/%ff", headers: own },
  "a link token": { path: `/v1/plugins/opl_${"a".repeat(40)}`, headers: own },
  "a chunked body": {
    method: "POST",
    path: "/v1/plugins",
    body: '{"name":""}',
    headers: { ...json, "transfer-encoding": "chunked" }
  },
  "a long body": {
    method: "POST",
    path: "/v1/plugins",
    body: JSON.stringify({ name: "P", description: "x".repeat(70_000) }),
    headers: json
  }
}

describe("a request of node:http", () => {
  it.each(Object.entries(short))("is served by the entrance as by the framework: %s", async (_, sample) => {
    left = 0
    const response = await overNode(sample)
    expect(left).toBe(0)
    expect(response).toEqual(await overFetch(sample))
  })

  it.each(Object.entries(long))("is left to the framework: %s", async (_, sample) => {
    left = 0
    const response = await overNode(sample)
    expect(left).toBe(1)
    const { headers, status } = await overFetch(sample)
    expect(response.status).toBe(status)
    expect(response.headers).toEqual(headers)
  })

  it("keeps its connection after a refusal whose body was not read", async () => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8")
    const next = async () => String((await once(socket, "data"))[0])
    socket.write(
      "POST /v1/plugins HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n"
    )
    expect(await next()).toContain("HTTP/1.1 401")
    socket.write('{"name":1GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n')
    expect(await next()).toContain("HTTP/1.1 200")
    socket.destroy()
  })

  it("reads a body that arrives in parts, without its byte order mark", async () => {
    const body = Buffer.from('\uFEFF{"name":"Caf\u00e9"}')
    // The second part begins within a character.
    const middle = body.indexOf(0xc3) + 1
    const socket = connect(port, "127.0.0.1").setEncoding("utf8")
    const arrived = once(node, "request")
    socket.write(
      `POST /v1/plugins HTTP/1.1\r\nhost: localhost\r\nauthorization: ${own.authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    )
    const [request] = await arrived
    const first = once(request, "data")
    socket.write(body.subarray(0, middle))
    await first
    socket.write(body.subarray(middle))
    const text = String((await once(socket, "data"))[0])
    expect(text).toContain("HTTP/1.1 201")
    expect(text).toContain('"name":"Caf\u00e9"')
    socket.destroy()
  })

  it("ends without a response when its client closes the connection within the body", async () => {
    const socket = connect(port, "127.0.0.1")
    const arrived = once(node, "request")
    socket.write(
      `POST /v1/plugins HTTP/1.1\r\nhost: localhost\r\nauthorization: ${own.authorization}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`
    )
    const [, response] = await arrived
    const closed = once(response, "close")
    socket.destroy()
    await closed
    expect(response.headersSent).toBe(false)
    expect((await overNode({ path: "/v1/health" })).status).toBe(200)
  })
})
