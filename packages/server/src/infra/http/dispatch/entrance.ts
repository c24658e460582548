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
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { choose, CurrentSampler, exportsSpans, isSampled, parentOf } from "../../tracing.ts"
import { type Edge, internal, responseToFailure, type Sent, unavailable } from "../edge.ts"
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
      out.writeHead(status, lines)
      if (body.text === undefined) out.end(body.body)
      // The text is ASCII, because each character is one byte. Writing it as latin1 is cheaper than encoding UTF-8.
      else if (body.text.length === body.contentLength) out.end(body.text, "latin1")
      else out.end(body.text)
      return
    default:
      throw new Error(`A prepared endpoint returned a body of kind ${body._tag}.`)
  }
}

/** Writes head and body at once; nothing to a client that has closed the connection. Returns why it could not. */
const writeFault = (out: ServerResponse, sent: Sent): { readonly cause: unknown } | undefined => {
  if (out.destroyed) return undefined
  try {
    writeUnsafe(out, sent)
    return undefined
  } catch (cause) {
    // Node rejects a header with characters that are not allowed.
    if (out.headersSent) out.destroy()
    else out.writeHead(500).end()
    return { cause }
  }
}

type AnyFiber = Fiber.Fiber<unknown, unknown>

/** The fibers of open requests, by connection: one, unless the client sends requests without waiting for responses. */
type FibersBySocket = Map<Socket, Array<AnyFiber>>

const interrupt = (fibers: Iterable<AnyFiber>) => {
  for (const each of [...fibers]) each.interruptUnsafe(undefined, ClientAbort.annotation)
}

/** Adds a fiber, which is interrupted when the client closes the connection. */
const track = (running: FibersBySocket, socket: Socket, fiber: AnyFiber) => {
  const existing = running.get(socket)
  if (existing !== undefined) existing.push(fiber)
  else {
    const fibers = [fiber]
    running.set(socket, fibers)
    socket.once("close", () => {
      if (fibers.length === 0) running.delete(socket)
      interrupt(fibers)
    })
  }
  // The event does not occur again.
  if (socket.closed) interrupt([fiber])
}

/** Removes a fiber that has ended. Fibers of a closed connection stay until then, so that the server waits for them. */
const untrack = (running: FibersBySocket, socket: Socket, fiber: AnyFiber) => {
  const fibers = running.get(socket)
  const last = fibers?.pop()
  if (fibers === undefined || last === undefined) return
  const index = last === fiber ? -1 : fibers.indexOf(fiber)
  if (index >= 0) fibers[index] = last
  else if (last !== fiber) fibers.push(last)
  if (fibers.length === 0 && socket.closed) running.delete(socket)
}

/**
 * The short way of a request from `node:http` to a prepared endpoint: the same edge, route and handler as through the
 * framework's server and router, but one context is built, at most one fiber runs, and head and body are written once.
 * Where the credential is cached, even authentication and decoding need no fiber.
 *
 * Everything else is left to the framework: HEAD and OPTIONS, large or chunked bodies, upgrades, link tokens, unknown
 * routes, and the requests that are traced.
 */
const makeEntrance = (
  { edge, prepared, routed }: Served,
  running: FibersBySocket,
  services: Context.Context<never>
): Entrance => {
  const isTracing = exportsSpans(services)
  const sampler = Context.get(services, CurrentSampler)
  const clock = Context.get(services, Clock.Clock)
  // Only requests that are not traced reach this point.
  const common = edge.commonContext(Context.add(services, References.TracerEnabled, false))
  const runDetached = Effect.runForkWith(services)

  /** Runs an effect as the fiber of a request; `settle` is called with its exit, once. */
  const start = <A, E>(
    effect: Effect.Effect<A, E, unknown>,
    context: Context.Context<never>,
    socket: Socket,
    uninterruptible: boolean,
    settle: (exit: Exit.Exit<A, E>) => void
  ) => {
    const fiber = Effect.runForkWith(context as Context.Context<unknown>)(effect, { uninterruptible })
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return settle(exit)
    track(running, socket, fiber)
    fiber.addObserver((exit) => {
      untrack(running, socket, fiber)
      settle(exit)
    })
  }

  return (source, out) => {
    const { method, url } = source
    if (method === undefined || url === undefined || !isPlain(source) || !url.startsWith("/") || holdsLinkToken(url)) {
      return false
    }
    const path = routed(url)
    const match = prepared.find(method, path)
    const preparedRoute = match?.handler
    if (match === undefined || preparedRoute === undefined || preparedRoute === null) return false
    const { admission, direct, endpoint, route } = preparedRoute
    const http = new NodeRequest(source, path)
    const parent = parentOf(http.headers)
    if (isTracing && isSampled(parent, sampler)) {
      choose(source)
      return false
    }
    const exchange = edge.begin(http, clock.currentTimeMillisUnsafe())
    const { state } = exchange
    const refusal = edge.refusalOf(exchange)
    if (refusal !== undefined) {
      writeFault(out, refusal)
      return true
    }

    let scope: Scope.Closeable | undefined
    const withRequest = (share?: string) => {
      scope ??= Scope.makeUnsafe()
      const context = edge
        .contextOf(common, exchange, share)
        .pipe(Context.add(HttpServerRequest.HttpServerRequest, http), Context.add(Scope.Scope, scope))
      return parent === undefined ? context : Context.add(context, Tracer.ParentSpan, parent)
    }
    /** The log lines of a request contain the trace of its caller. */
    const withParent = () => (parent === undefined ? services : Context.add(services, Tracer.ParentSpan, parent))
    const send = (response: HttpServerResponse.HttpServerResponse) => {
      const sent = edge.complete(exchange, response, clock.currentTimeMillisUnsafe(), withParent())
      const fault = writeFault(out, sent)
      if (fault !== undefined) runDetached(Effect.logError("A response could not be written.", fault.cause))
      if (state.onSend !== undefined) runDetached(state.onSend(sent.response))
      if (scope !== undefined && scope.state._tag !== "Empty") runDetached(Scope.close(scope, Exit.void))
    }
    const fail = (cause: Cause.Cause<unknown>) => {
      // Either the client has closed the connection, or the server closes.
      if (Cause.hasInterruptsOnly(cause)) return send(unavailable())
      start(responseToFailure(cause, state), withParent(), source.socket, true, (exit) =>
        send(Exit.isSuccess(exit) ? exit.value : internal())
      )
    }
    const settle = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>) =>
      Exit.isSuccess(exit) ? send(exit.value) : fail(exit.cause)

    const caller = direct === undefined ? undefined : admission.admit(state, http.headers, exchange.began)
    if (direct === undefined || caller === undefined || !direct.accepts(caller)) {
      const context = withRequest().pipe(
        Context.add(HttpServerRequest.ParsedSearchParams, match.searchParams),
        Context.add(HttpRouter.RouteContext, { route, params: match.params })
      )
      start(route.handler, context, source.socket, route.uninterruptible, settle)
      return true
    }

    const settleDirect = (exit: Exit.Exit<unknown, unknown>) => {
      if (Exit.isSuccess(exit)) {
        let response: HttpServerResponse.HttpServerResponse
        try {
          response = endpoint.encode(exit.value)
        } catch (defect) {
          return fail(Cause.die(defect))
        }
        return send(response)
      }
      if (Cause.hasInterruptsOnly(exit.cause)) return fail(exit.cause)
      const error = Effect.catch(direct.fail(caller, exit.cause), endpoint.encodeError)
      start(error, withRequest(), source.socket, true, settle)
    }
    let decoded: Effect.Effect<unknown, unknown, unknown>
    try {
      decoded = endpoint.decode({ http, params: match.params, query: match.searchParams, state }, (request) =>
        direct.handle(caller, request)
      )
    } catch (defect) {
      fail(Cause.die(defect))
      return true
    }
    const checked = admission.checkBody(http)
    if (checked === undefined && Exit.isExit(decoded)) {
      settleDirect(decoded)
      return true
    }
    const context = withRequest("organizationId" in caller ? caller.organizationId : undefined)
    start(
      checked === undefined ? decoded : Effect.andThen(checked, decoded),
      // The body of a GET request is never read.
      method === "GET" ? context : Context.add(context, HttpIncomingMessage.MaxBodySize, admission.bodySizeMax),
      source.socket,
      route.uninterruptible,
      settleDirect
    )
    return true
  }
}

/** Serves requests of `node:http` in the short way where possible, otherwise through the framework's server. */
export const serveNode = Effect.fnUntraced(function* (node: Server, served: Served) {
  // They are interrupted after the framework's server has closed, which waits for open requests.
  const running = yield* Effect.acquireRelease(
    Effect.sync((): FibersBySocket => new Map()),
    (fibers) => Fiber.interruptAll([...fibers.values()].flat())
  )
  const earlier = new Set(node.listeners("request"))
  yield* HttpServer.serveEffect(served.app)
  const entrance = makeEntrance(served, running, yield* Effect.context())
  for (const listener of node.listeners("request")) {
    if (earlier.has(listener)) continue
    node.removeListener("request", listener as RequestListener)
    node.on("request", (request, response) => {
      if (!entrance(request, response)) listener.call(node, request, response)
    })
  }
})
