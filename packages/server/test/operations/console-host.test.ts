/** What the host application's sign-in receives: the same request in each way of serving, and through the console. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { createServer, request as send, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import * as ControlPlane from "../../src/control-plane.ts"
import type { ControlPlaneOptions } from "../../src/infra/options.ts"
import { toNodeHandler } from "../../src/node-handler.ts"
import { makeControlPlane, makeDatabase } from "../harness.ts"

const received: Array<Request> = []
const bodies: Array<string> = []
const options = {
  workers: false,
  pathPrefix: "/orgplane",
  console: true,
  logLevel: "error",
  secretKeys: ["a secret for tests only, long enough to be one"],
  authenticator: async (request) => {
    received.push(request)
    bodies.push(await request.text())
    return request.headers.get("cookie") === "app=ada"
      ? { subject: "employee-1", name: "Ada", email: "ada@host.example", emailVerified: true }
      : null
  }
} satisfies Partial<ControlPlaneOptions>

const plane = await makeControlPlane(options)
const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const handlerServer = createServer(toNodeHandler(plane))
handlerServer.listen(0, "127.0.0.1")
await once(handlerServer, "listening")
afterAll(() => void handlerServer.close())

const layerServer = createServer()
const routes = ControlPlane.layer({ ...options, database: await makeDatabase() })
await Layer.build(
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => layerServer, { host: "127.0.0.1", port: 0 }))
  )
).pipe(Scope.provide(scope), Effect.runPromise)

interface Sample {
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}
/** Sends a request, and returns the status of the response and the origin that the client sees. */
type Send = (sample: Sample) => Promise<{ readonly status: number; readonly origin: string }>

const overNode =
  (server: Server): Send =>
  async ({ body, headers, method = "GET", path }) => {
    const { port } = server.address() as AddressInfo
    const outgoing = send({ port, host: "127.0.0.1", method, path, headers })
    outgoing.end(body)
    const [response] = await once(outgoing, "response")
    response.resume()
    return { status: response.statusCode, origin: `http://127.0.0.1:${port}` }
  }
const overFetch: Send = async ({ body, headers, method = "GET", path }) => {
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  const { status } = await plane.fetch(new Request(`http://localhost${path}`, init))
  return { status, origin: "http://localhost" }
}

const own = { "sec-fetch-site": "same-origin", "x-orgplane-console": "1" }
// A cookie that this installation did not encrypt has no session, so that the host application decides.
const cookie = "orgplane_console=forged.forged.forged; app=ada"

describe.each([
  ["fetch", overFetch],
  ["the handler for node:http", overNode(handlerServer)],
  ["the Effect layer", overNode(layerServer)]
])("the host application's sign-in, through %s", (_, sendTo) => {
  it.each<[string, Sample, string]>([
    ["to an operation", { path: "/orgplane/v1/me?a=b%20c", headers: { cookie: "app=ada" } }, "/orgplane/v1/me?a=b%20c"],
    [
      "of the console",
      { path: "/orgplane/console/api/v1/me?a=b%20c", headers: { ...own, cookie } },
      "/orgplane/v1/me?a=b%20c"
    ],
    [
      "of the console with a body",
      {
        method: "POST",
        path: "/orgplane/console/api/v1/organizations",
        headers: { ...own, cookie, "content-type": "application/json" },
        body: JSON.stringify({ name: "Acme" })
      },
      "/orgplane/v1/organizations"
    ]
  ])("receives a request %s with the operation's URL and its own cookies, without a body", async (_, sample, url) => {
    received.length = bodies.length = 0
    const { origin, status } = await sendTo(sample)
    expect(status).toBe(sample.method === "POST" ? 201 : 200)
    expect(received.map(({ headers, method, url }) => [method, url, headers.get("cookie")])).toEqual([
      [sample.method ?? "GET", origin + url, "app=ada"]
    ])
    expect(bodies).toEqual([""])
    const ofBody = ["content-length", "transfer-encoding", "content-encoding"]
    expect(received.flatMap(({ headers }) => ofBody.filter((name) => headers.has(name)))).toEqual([])
  })
})
