/**
 * The headers of deprecated operations. No operation of the API is deprecated, so this API has its own, which the edge, the
 * authentication and the dispatch of the server serve on the services of a control plane.
 */
import { Authentication, Validation } from "@orgplane/schema/shared/access"
import { anyone, member } from "@orgplane/schema/shared/auth"
import { endpointMetadata } from "@orgplane/schema/shared/endpoint"
import { TeamNotFound } from "@orgplane/schema/teams"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.ts"
import { layerAuthentication, layerValidation } from "../../src/identity/auth/authentication.ts"
import { trustedProxies } from "../../src/infra/http/client-address.ts"
import { serveNode } from "../../src/infra/http/dispatch/entrance.ts"
import { layerEndpoints, type PreparedRoutes } from "../../src/infra/http/dispatch/layer.ts"
import { layerEdge, makeEdge } from "../../src/infra/http/edge.ts"
import { forAnyone, forMember } from "../../src/infra/http/handlers.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"

const deprecated = { since: "2026-11-01", sunset: "2027-05-01", instead: "notes.get" }
const success = Schema.Struct({ text: Schema.String })
const query = { missing: Schema.optionalKey(Schema.Literals(["yes", "no"])) }
const text = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown" }))

const group = HttpApiGroup.make("notes").add(
  HttpApiEndpoint.get("read", "/v1/note", { query, success, error: TeamNotFound }).pipe(
    endpointMetadata({ access: member, summary: "Read a note", deprecated })
  ),
  // The framework handles responses that are not JSON.
  HttpApiEndpoint.get("readText", "/v1/note-text", { query, success: text, error: TeamNotFound }).pipe(
    endpointMetadata({ access: member, summary: "Read the text of a note", deprecated })
  ),
  HttpApiEndpoint.get("readPublic", "/v1/public-note", { success }).pipe(
    endpointMetadata({ access: anyone, summary: "Read a public note", deprecated })
  ),
  HttpApiEndpoint.get("get", "/v1/notes", { success }).pipe(endpointMetadata({ access: member, summary: "Get a note" }))
)
const api = HttpApi.make("notes").add(group).middleware(Validation).middleware(Authentication)

type Input = { readonly query: { readonly missing?: "yes" | "no" } }
const note = { text: "A note." }
const noteOr404 = <A>(value: A, { query: { missing } }: Input) =>
  missing === "yes" ? Effect.fail(new TeamNotFound()) : Effect.succeed(value)
const handlers = HttpApiBuilder.group(api, "notes", (handlers) =>
  handlers.handleAll({
    read: forMember((_, request: Input) => noteOr404(note, request)),
    readText: forMember((_, request: Input) => noteOr404(note.text, request)),
    readPublic: forAnyone(() => Effect.succeed(note)),
    get: forMember(() => Effect.succeed(note))
  })
)

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const edge = makeEdge({
  hosts: new Set(),
  trustedProxies: trustedProxies([]),
  headers: { secure: false, corsOrigins: new Set(["https://app.example"]) },
  statementMillisMax: 10_000
})
const prepared: PreparedRoutes = FindMyWay.make({})
const node = createServer()
const app = await Effect.gen(function* () {
  const app = (yield* HttpRouter.toHttpEffect(
    Layer.mergeAll(
      layerEndpoints(api, prepared).pipe(
        Layer.provide(handlers),
        Layer.provide([layerAuthentication, layerValidation])
      ),
      layerEdge(edge)
    ).pipe(Layer.provide(HttpServer.layerServices))
  ).pipe(Effect.provideService(Layer.CurrentMemoMap, Layer.makeMemoMapUnsafe()))) as App
  const server = yield* Layer.build(NodeHttpServer.layer(() => node, { host: "127.0.0.1", port: 0 }))
  yield* serveNode(node, { app, edge, prepared, routed: (url) => url }).pipe(Effect.provideContext(server))
  return app
}).pipe(Effect.provideContext(plane.services), Scope.provide(scope), Effect.runPromise)

const inProcess = HttpEffect.toWebHandler(app)
const { port } = node.address() as AddressInfo
const transports = {
  "in process": (path: string, init: RequestInit) => inProcess(new Request(`http://localhost${path}`, init)),
  "through node:http": (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
}

const expected = {
  deprecation: "@1793491200",
  sunset: "Sat, 01 May 2027 00:00:00 GMT",
  link: '</openapi.json#operation/notes.get>; rel="successor-version"'
}
const headersOf = ({ headers }: Response) =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, headers.get(name)]))
const none = { deprecation: null, sunset: null, link: null }

describe.each(Object.entries(transports))("a deprecated operation, %s", (_, send) => {
  const bearer = { authorization: `Bearer ${owner.token}` }
  const statusAndHeaders = async (path: string, headers: Record<string, string> = bearer) => {
    const response = await send(path, { headers })
    await response.text()
    return [path, response.status, headersOf(response)]
  }

  it.each(["/v1/note", "/v1/note-text"])("declares its sunset in every response: %s", async (path) => {
    // The first request looks up the credential, and the second one finds it in the cache.
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await statusAndHeaders(path)).toEqual([path, 200, expected])
    }
    const missing = `${path}?missing=yes`
    expect(await statusAndHeaders(missing)).toEqual([missing, 404, expected])
    const invalid = `${path}?missing=perhaps`
    expect(await statusAndHeaders(invalid)).toEqual([invalid, 400, expected])
    expect(await statusAndHeaders(path, {})).toEqual([path, 401, expected])
  })

  it("declares its sunset without a credential too, if it needs none", async () => {
    expect(await statusAndHeaders("/v1/public-note", {})).toEqual(["/v1/public-note", 200, expected])
  })

  it("lets pages of other origins read the headers", async () => {
    const response = await send("/v1/note", { headers: { ...bearer, origin: "https://app.example" } })
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ")
    expect(exposed).toEqual(expect.arrayContaining(Object.keys(expected)))
  })

  it("differs from an operation that is not deprecated", async () => {
    expect(await statusAndHeaders("/v1/notes")).toEqual(["/v1/notes", 200, none])
    expect(await statusAndHeaders("/v1/notes", {})).toEqual(["/v1/notes", 401, none])
  })
})

it("serves operations with and without a prepared endpoint", () => {
  expect(prepared.find("GET", "/v1/note")?.handler).not.toBe(null)
  expect(prepared.find("GET", "/v1/note-text")?.handler).toBe(null)
})
