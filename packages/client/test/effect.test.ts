import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Orgplane, type OrgplaneOptions } from "../src/effect/index.ts"
import { json } from "./server.ts"

const plugin = {
  id: "plg_01h455vb4pex5vsknk084sn02q",
  organizationId: "org_01h455vb4pex5vsknk084sn02q",
  name: "Reviewer",
  description: null,
  createdByOrgMembershipId: null,
  createdAt: "2026-03-01T09:30:00.000Z",
  updatedAt: "2026-03-01T09:30:00.000Z",
  archivedAt: null,
  deletedAt: null,
  memberCount: 0,
  marketplaces: [],
  pendingReleaseId: null,
  extension: null
}

const serving = (response: Response, options: Partial<OrgplaneOptions> = {}) => {
  const seen: Array<Request> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push(new Request(input, init))
    return response.clone()
  }
  const layer = Orgplane.layer({ baseUrl: "https://control.example/prefix/", ...options }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch))
  )
  return { layer, seen }
}

describe("Orgplane", () => {
  it.effect("sends an operation with the credential and decodes the response", () => {
    const { layer, seen } = serving(json(200, { items: [plugin], nextCursor: null }), {
      apiKey: "opk_1",
      organizationId: "org_1"
    })
    return Effect.gen(function* () {
      const orgplane = yield* Orgplane
      const page = yield* orgplane.plugins.list({ query: { limit: 5 } })
      assert.deepStrictEqual(
        page.items.map((item): unknown => item),
        [plugin]
      )
      assert.strictEqual(seen[0]?.url, "https://control.example/prefix/v1/plugins?limit=5")
      assert.strictEqual(seen[0]?.headers.get("x-api-key"), "opk_1")
      assert.strictEqual(seen[0]?.headers.get("x-organization-id"), "org_1")
    }).pipe(Effect.provide(layer))
  })

  it.effect("logs one warning for each deprecated operation", () => {
    const headers = {
      deprecation: "@1793491200",
      sunset: "Sat, 01 May 2027 00:00:00 GMT",
      link: '</openapi.json#operation/notes.get>; rel="successor-version"'
    }
    const lines: Array<unknown> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push([logLevel, message]))
    const { layer } = serving(json(404, { error: "plugin_not_found", message: "No." }, headers))
    return Effect.gen(function* () {
      const orgplane = yield* Orgplane
      for (const id of ["plg_01h455vb4pex5vsknk084sn02q", "plg_01h455vb4pex5vsknk084sn02r"] as const) {
        yield* Effect.ignore(orgplane.plugins.get({ params: { pluginId: id } }))
      }
      yield* Effect.ignore(orgplane.plugins.archive({ params: { pluginId: "plg_01h455vb4pex5vsknk084sn02q" } }))
      const path = "/prefix/v1/plugins/plg_01h455vb4pex5vsknk084sn02q"
      const notice = "This operation is deprecated and works until 2027-05-01. Use notes.get instead."
      assert.deepStrictEqual(lines, [
        ["Warn", [`orgplane: GET ${path}: ${notice}`]],
        ["Warn", [`orgplane: POST ${path}/archive: ${notice}`]]
      ])
    }).pipe(Effect.provide(Layer.merge(layer, Logger.layer([logger]))))
  })

  it.effect("returns a stream for a streaming operation", () => {
    const { layer } = serving(new Response("a\nb\n", { headers: { "content-type": "application/x-ndjson" } }))
    return Effect.gen(function* () {
      const orgplane = yield* Orgplane
      const stream = yield* orgplane.audit.export({ query: {} })
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(stream)), "a\nb\n")
    }).pipe(Effect.provide(layer))
  })

  it.effect("asks for the token before each request, and takes its options from the environment", () => {
    vi.stubEnv("ORGPLANE_BASE_URL", "https://from-environment.example/prefix/")
    let tokens = 0
    const { layer, seen } = serving(json(200, { items: [], nextCursor: null }), {
      baseUrl: undefined,
      token: () => Promise.resolve(`ops_${++tokens}`)
    })
    vi.unstubAllEnvs()
    return Effect.gen(function* () {
      const orgplane = yield* Orgplane
      yield* orgplane.plugins.list({ query: {} })
      yield* orgplane.plugins.list({ query: {} })
      assert.deepStrictEqual(
        seen.map(({ headers, url }) => [url, headers.get("authorization")]),
        ["ops_1", "ops_2"].map((token) => ["https://from-environment.example/prefix/v1/plugins", `Bearer ${token}`])
      )
      assert.match(seen[0]?.headers.get("user-agent") ?? "", /^orgplane-client\/\d/u)
    }).pipe(Effect.provide(layer))
  })

  it("rejects an empty credential and a malformed URL with a sentence", () => {
    assert.throws(() => Orgplane.layer({ baseUrl: "https://control.example", token: "" }), "token is empty")
    assert.throws(() => Orgplane.layer({ baseUrl: "control.example" }), "must be an absolute URL")
  })

  it.live("does not follow a redirect, which would carry the credential to another origin", () => {
    const seen: Array<string | undefined> = []
    const listening = (listener: RequestListener) =>
      Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close().closeAllConnections())
      )
    const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return Effect.gen(function* () {
      const other = yield* listening(({ headers }, response) => {
        seen.push(headers["x-api-key"] as string | undefined)
        response.end("{}")
      })
      const control = yield* listening((_, response) => response.writeHead(307, { location: originOf(other) }).end())
      const layer = Layer.provide(
        Orgplane.layer({ baseUrl: originOf(control), apiKey: "opk_1" }),
        Layer.merge(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.RequestInit, { redirect: "follow" }))
      )
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(Orgplane, (orgplane) => orgplane.plugins.list({ query: {} })),
          layer
        )
      )
      assert.include(error.message, "The server redirected the request. Redirects are not followed. Check baseUrl.")
      assert.deepStrictEqual(seen, [])
    }).pipe(Effect.scoped)
  })

  it("rejects two credentials", () => {
    assert.throws(
      () => Orgplane.layer({ baseUrl: "https://control.example", token: "ops_1", apiKey: "opk_1" }),
      "not both"
    )
  })

  it.effect("fails with error classes that can be caught by tag", () => {
    const { layer, seen } = serving(json(404, { error: "plugin_not_found", message: "No such plugin." }), {
      token: "ops_1"
    })
    return Effect.gen(function* () {
      const orgplane = yield* Orgplane
      const message = yield* orgplane.plugins.get({ params: { pluginId: "plg_01h455vb4pex5vsknk084sn02q" } }).pipe(
        Effect.map(() => "found"),
        Effect.catchTag("PluginNotFound", (error) => Effect.succeed(error.message))
      )
      assert.strictEqual(message, "No such plugin.")
      assert.strictEqual(seen[0]?.headers.get("authorization"), "Bearer ops_1")
    }).pipe(Effect.provide(layer))
  })
})
