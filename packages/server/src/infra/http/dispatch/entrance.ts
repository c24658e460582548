import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { ClientAbort } from "effect/http/HttpServerError"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import { type Edge, responseToFailure, type Sent, unavailable } from "../edge.ts"
import { holdsLinkToken } from "../link-token.ts"
import type { PreparedRoutes } from "./layer.ts"
import { NodeRequest } from "./node-request.ts"

/** Longer bodies are left to the framework, which closes the connection instead of reading all of a refused body. */
const bodyBytesMax = 64 * 1024

/** What is served: the application for the framework, and the parts that the entrance uses without it. */
interface Served {
  readonly app: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
  readonly edge: Edge
  readonly prepared: PreparedRoutes
  /** The path for the router. */
  readonly routed: (url: string) => string
}

/** Serves a request of `node:http`; false, without any effect, for a request that the framework must serve. */
export type Entrance = (request: IncomingMessage, response: ServerResponse) => boolean

const isPlain = ({ headers, httpVersionMajor, method }: IncomingMessage) =>
  httpVersionMajor === 1 &&
  method !== "HEAD" &&
  method !== "OPTIONS" &&
  headers["transfer-encoding"] === undefined &&
  headers["expect"] === undefined &&
  headers.upgrade === undefined &&
  (headers["content-length"] === undefined || Number(headers["content-length"]) <= bodyBytesMax)

const writeUnsafe = (out: ServerResponse, { headers, response }: Sent) => {
  const { body, status } = response
  const lines: Array<string> = []
  for (const name in response.headers) if (!(name in headers)) lines.push(name, response.headers[name] ?? "")
  for (const name in headers) lines.push(name, headers[name] ?? "")
  switch (body._tag) {
    case "Empty":
      // Node would send an empty body in chunks.
      if (status !== 204 && status !== 304) lines.push("content-length", "0")
      out.writeHead(status, lines).end()
      return
    case "Uint8Array":
      out.writeHead(status, lines).end(body.text ?? body.body)
      return
    default:
      throw new Error(`A prepared endpoint returned a body of kind ${body._tag}.`)
  }
}

/** Writes head and body at once; nothing to a client that has closed the connection. */
const write = (out: ServerResponse, sent: Sent): Effect.Effect<void> => {
  if (out.destroyed) return Effect.void
  try {
    writeUnsafe(out, sent)
    return Effect.void
  } catch (defect) {
    // Node rejects a header with characters that are not allowed.
    if (out.headersSent) out.destroy()
    else out.writeHead(500).end()
    return Effect.logError("A response could not be written.", defect)
  }
}

/**
 * The short way of a request from `node:http` to a prepared endpoint: the same edge, route and handler as through the
 * framework's server and router, but one context is built, one fiber runs, and head and body are written once.
 *
 * Everything else is left to the framework: HEAD and OPTIONS, large or chunked bodies, upgrades, link tokens, unknown
 * routes, and all requests while traces are exported.
 */
const makeEntrance = (
  { edge, prepared, routed }: Served,
  scope: Scope.Scope,
  services: Context.Context<never>
): Entrance => {
  if (Context.get(services, Tracer.Tracer) !== Tracer.nativeTracer) return () => false
  const clock = Context.get(services, Clock.Clock)

  return (source, out) => {
    const { method, url } = source
    if (method === undefined || url === undefined || !isPlain(source) || !url.startsWith("/") || holdsLinkToken(url)) {
      return false
    }
    const path = routed(url)
    const match = prepared.find(method, path)
    const route = match?.handler
    if (match === undefined || route === undefined || route === null) return false
    const request = new NodeRequest(source, path)
    const exchange = edge.begin(request, clock.currentTimeMillisUnsafe())
    const refusal = edge.refusalOf(exchange)
    if (refusal !== undefined) {
      Effect.runForkWith(services)(write(out, refusal))
      return true
    }
    const requestScope = Scope.makeUnsafe()
    const context = edge
      .contextOf(services, exchange)
      .pipe(
        Context.add(HttpServerRequest.HttpServerRequest, request),
        Context.add(HttpServerRequest.ParsedSearchParams, match.searchParams),
        Context.add(HttpRouter.RouteContext, { route, params: match.params }),
        Context.add(Scope.Scope, requestScope)
      )
    const send = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<void> => {
      const sent = edge.complete(exchange, response, context)
      const written = write(out, sent)
      const { onSend } = exchange.state
      const noted = onSend === undefined ? written : Effect.andThen(written, onSend(sent.response))
      return requestScope.state._tag === "Empty" ? noted : Effect.ensuring(noted, Scope.close(requestScope, Exit.void))
    }
    const handled = route.uninterruptible ? route.handler : Effect.interruptible(route.handler)
    const served = Effect.matchCauseEffect(handled, {
      onSuccess: send,
      onFailure: (cause) =>
        // Either the client has closed the connection, or the server closes.
        Cause.hasInterruptsOnly(cause)
          ? send(unavailable())
          : Effect.flatMap(responseToFailure(cause, exchange.state), send)
    })
    const fiber = Effect.runForkWith(context as Context.Context<unknown>)(served, { uninterruptible: true })
    if (fiber.pollUnsafe() !== undefined) return true
    Fiber.runIn(fiber, scope)
    out.on("close", () => {
      if (!out.writableEnded) fiber.interruptUnsafe(undefined, ClientAbort.annotation)
    })
    return true
  }
}

/** Serves requests of `node:http` in the short way where possible, otherwise through the framework's server. */
export const serveNode = Effect.fnUntraced(function* (node: Server, served: Served) {
  // It closes after the framework's server, which waits for open requests.
  const scope = yield* Effect.flatMap(Effect.scope, (parent) => Scope.fork(parent, "parallel"))
  const earlier = new Set(node.listeners("request"))
  yield* HttpServer.serveEffect(served.app)
  const entrance = makeEntrance(served, scope, yield* Effect.context())
  for (const listener of node.listeners("request")) {
    if (earlier.has(listener)) continue
    node.removeListener("request", listener as RequestListener)
    node.on("request", (request, response) => {
      if (!entrance(request, response)) listener.call(node, request, response)
    })
  }
})
