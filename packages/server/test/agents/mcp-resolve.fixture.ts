/** Servers for tests of `resolve`: OAuth in every layout, broken servers, and host names for them. */
import type { Resolution } from "@orgplane/schema/mcp-resolve"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { layerOutbound, type OutboundOptions } from "../../src/infra/outbound/index.ts"
import { Outbound } from "../../src/infra/ports/index.ts"
import type { TestResponse, Person } from "../harness.ts"

export const resolve = (person: Pick<Person, "call">, query: unknown): Promise<TestResponse> =>
  person.call("POST", "/v1/mcp-connections/resolve", { query })

/** The response to a resolve request, which is always 200. */
export const resolved = async (person: Pick<Person, "call">, query: string): Promise<Resolution> => {
  const result = await resolve(person, query)
  if (result.status !== 200) throw new Error(`${result.status} ${result.text}`)
  return result.body
}

export interface Site {
  readonly origin: string
  /** Method and path of each request, in order. */
  readonly seen: Array<string>
  /** Headers of each request, in order. */
  readonly heads: Array<IncomingMessage["headers"]>
  readonly close: () => Promise<void>
}

/** A server on loopback over plain http. */
export const site = async (listenerFor: (origin: string) => RequestListener): Promise<Site> => {
  const seen: Array<string> = []
  const heads: Array<IncomingMessage["headers"]> = []
  let listener: RequestListener = (_, response) => response.writeHead(503).end()
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    heads.push(request.headers)
    listener(request, response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  listener = listenerFor(origin)
  return {
    origin,
    seen,
    heads,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

export const sendJson = (response: ServerResponse, document: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document))

/** Complete authorization server metadata. */
export const metadataOf = (issuer: string, more: Record<string, unknown> = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  scopes_supported: ["read", "write"],
  ...more
})

type Documents = Readonly<Record<string, unknown>>

/** Requires a credential for every path below `/mcp` and serves these documents; 404 otherwise. */
export const guarded =
  (documents: (origin: string) => Documents, challenge?: (origin: string) => string) =>
  (origin: string): RequestListener =>
  (request, response) => {
    const path = new URL(request.url ?? "/", origin).pathname
    const document = documents(origin)[path]
    if (request.method === "GET" && document !== undefined) {
      if (typeof document === "function") return document(response)
      return sendJson(response, document)
    }
    if (!path.startsWith("/mcp")) return response.writeHead(404).end()
    return response.writeHead(401, challenge === undefined ? {} : { "www-authenticate": challenge(origin) }).end()
  }

/**
 * The real outbound HTTP client with custom name resolution: `names` maps host names to names of the certificate, whose
 * addresses are checked and dialed.
 */
export const layerRenamed = (names: ReadonlyMap<string, string>, options: OutboundOptions): Layer.Layer<Outbound> =>
  Layer.effect(
    Outbound,
    Effect.map(Outbound, (real) => {
      const renamed = (text: string, from: ReadonlyMap<string, string>): string => {
        const url = URL.parse(text)
        const name = url === null ? undefined : from.get(url.hostname)
        if (url === null || name === undefined) return text
        url.hostname = name
        return url.href
      }
      return Outbound.of({
        request: (request) => real.request({ ...request, url: renamed(request.url, names) }),
        start: (request, bytes) => real.start({ ...request, url: renamed(request.url, names) }, bytes),
        stream: (request) => real.stream({ ...request, url: renamed(request.url, names) }),
        closeIdle: real.closeIdle
      })
    })
  ).pipe(Layer.provide(Layer.orDie(layerOutbound(options))))
