import * as Errors from "@orgplane/schema/shared/errors"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as SqlError from "effect/sql/SqlError"
import { makeCountedIds } from "../ids.ts"
import { levels } from "../logger.ts"
import { recordServed } from "../tracing.ts"
import { StatementMillisMax } from "../sql/statement-timeout.ts"
import { Share } from "../sql/share.ts"
import { isCrowded, isPassing } from "../sql/unavailable.ts"
import { CurrentResponse, type ResponseState } from "./current-response.ts"
import { addressOf, type TrustedProxies } from "./client-address.ts"
import { requestMetricsOf } from "./request-metrics.ts"
import { asScim, isScim } from "./scim-error.ts"
import { type HeaderOptions, securityHeaders, isForeignPage, isLoopbackHost, preflightOf, policyOf } from "./headers.ts"

export interface EdgeOptions {
  /** Host names that this server accepts, besides loopback. */
  readonly hosts: ReadonlySet<string>
  readonly trustedProxies: TrustedProxies
  readonly headers: HeaderOptions
  /** Timeout of one statement of a request. */
  readonly statementMillisMax: number
}

const makeRequestId = makeCountedIds("req")
const saneRequestId = /^[A-Za-z0-9._:/+=-]{8,128}$/
const json = (schema: Schema.Top & { readonly EncodingServices: never }, error: unknown, status: number) =>
  HttpServerResponse.jsonUnsafe(Schema.encodeUnknownSync(schema)(error), { status })

const invalid = (path: ReadonlyArray<string>, message: string) =>
  json(Errors.InvalidRequest, Errors.InvalidRequest.at(path, message), 400)
const tooLarge = () => json(Errors.PayloadTooLarge, new Errors.PayloadTooLarge(), 413)
export const internal = () => json(Errors.InternalError, new Errors.InternalError(), 500)
export const unavailable = () =>
  HttpServerResponse.setHeader(json(Errors.Unavailable, new Errors.Unavailable(), 503), "retry-after", "2")
export const routeNotFound = () => json(Errors.RouteNotFound, new Errors.RouteNotFound(), 404)

const isBodyTooLarge = ({ reason }: HttpServerError.HttpServerError) =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

/** Replaces an error response of the framework with the matching error of the contract. */
const translated = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400) return response
  const type = "contentType" in response.body ? response.body.contentType : response.headers["content-type"]
  if (type?.startsWith("application/json") || type?.startsWith("application/scim+json")) return response
  // The framework writes no HTML pages; all of them are orgplane's own.
  if (type?.startsWith("text/html")) return response
  switch (response.status) {
    case 413:
      return tooLarge()
    case 415:
      return invalid(["header", "content-type"], "must be application/json")
    case 404:
      return routeNotFound()
    case 503:
      return unavailable()
    default:
      return response.status < 500 ? invalid(["path"], "cannot be read") : internal()
  }
}

/**
 * The response to a request that failed with a defect. Unknown defects are logged with their cause, which is not sent.
 */
const responseToDefect = (cause: Cause.Cause<unknown>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const defect = Cause.squash(cause)
  if (SqlError.isSqlError(defect) && isPassing(defect)) {
    // An organization that sends too many statements at once receives a 503. This is not logged as an error, because
    // the operator does not have to act.
    const logged = isCrowded(defect)
      ? Effect.logDebug(
          "Too many statements from one organization or source IP address are waiting for the embedded database."
        )
      : Effect.logError("The database is unavailable.", cause)
    return Effect.as(logged, unavailable())
  }
  if (HttpServerError.isHttpServerError(defect)) {
    if (defect.reason._tag === "RouteNotFound") return Effect.succeed(routeNotFound())
    if (isBodyTooLarge(defect)) return Effect.succeed(tooLarge())
    if (defect.reason._tag === "RequestParseError") return Effect.succeed(invalid(["body"], "cannot be read"))
  }
  if (HttpServerRespondable.isRespondable(defect)) {
    return Effect.map(HttpServerRespondable.toResponse(defect), translated)
  }
  return Effect.as(Effect.logError("A request failed unexpectedly.", cause), internal())
}

/** The response to a request that failed, whose log lines bear its ID. */
export const responseToFailure = (cause: Cause.Cause<unknown>, { requestId }: ResponseState) =>
  Effect.annotateLogs(responseToDefect(cause), { requestId })

const isReadable = (url: string) => {
  if (!url.includes("%")) return true
  try {
    decodeURIComponent(url.split("?", 1)[0] ?? "")
    return true
  } catch {
    return false
  }
}

/** The host that a request specifies; undefined if it specifies none, such as an in-process request. */
const hostOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  request.headers["host"] ?? (/^https?:/i.test(request.url) ? new URL(request.url).host : undefined)

/**
 * Probes and scrapers connect to the IP address of a process, and send it as `Host`. A page that reaches this server by DNS
 * rebinding learns nothing from these paths: without the token, they return only whether the server works.
 */
const monitoringPaths: ReadonlySet<string> = new Set(["/v1/live", "/v1/ready", "/v1/metrics"])
const isMonitoring = ({ method, url }: HttpServerRequest.HttpServerRequest) =>
  (method === "GET" || method === "HEAD") && monitoringPaths.has(url.split("?", 1)[0] ?? "")

/** Whether an `If-None-Match` header names the `ETag`, or any. */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined && (header === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

/** The access log. */
const logServed = (
  context: Context.Context<never>,
  requestId: string,
  fields: Readonly<Record<string, string | number | undefined>>
) => Effect.runSyncWith(context)(Effect.annotateLogs(Effect.logDebug("Served a request.", fields), { requestId }))

/** A response, and the headers that it lacks. */
export interface Sent {
  readonly response: HttpServerResponse.HttpServerResponse
  readonly headers: Readonly<Record<string, string>>
}

const withHeaders = ({ headers, response }: Sent) => HttpServerResponse.setHeaders(response, headers)

const headersOf = (response: HttpServerResponse.HttpServerResponse, { headers }: ResponseState) => {
  const policy = policyOf(response)
  if (policy !== undefined) headers["content-security-policy"] ??= policy
  return headers
}

const finish = (
  request: HttpServerRequest.HttpServerRequest,
  state: ResponseState,
  response: HttpServerResponse.HttpServerResponse
): Sent => {
  const etag = state.headers["etag"]
  const isUnchanged =
    etag !== undefined &&
    !state.isEtagPartial &&
    response.status === 200 &&
    (request.method === "GET" || request.method === "HEAD") &&
    matchesEtag(request.headers["if-none-match"], etag)
  const withStatus =
    state.status === undefined || response.status >= 300
      ? response
      : HttpServerResponse.setStatus(response, state.status)
  return {
    response: isUnchanged ? HttpServerResponse.empty({ status: 304 }) : withStatus,
    headers: headersOf(response, state)
  }
}

const cachedHostsMax = 1000
const cachedHostLengthMax = 255

/** Checks whether a `Host` header names this server. The results are cached: most servers receive only one header. */
const hostCheck = (hosts: ReadonlySet<string>) => {
  const cache = new Map<string, boolean>()
  return (header: string): boolean => {
    const cached = cache.get(header)
    if (cached !== undefined) return cached
    const host = header.replace(/:\d+$/, "")
    const isOurs = isLoopbackHost(host) || hosts.has(host.toLowerCase())
    if (header.length <= cachedHostLengthMax) {
      if (cache.size >= cachedHostsMax) cache.clear()
      cache.set(header, isOurs)
    }
    return isOurs
  }
}

/** One request between its arrival and its response. */
export interface Exchange {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly state: ResponseState
  /** The time of arrival in milliseconds since the epoch. */
  readonly began: number
}

/**
 * What happens to every request before and after its operation: it receives an ID, its host is checked, and only
 * responses from the API contract are sent. `layerEdge` applies it to the router, the entrance to requests of
 * `node:http`.
 */
export const makeEdge = (options: EdgeOptions) => {
  const isOurHost = hostCheck(options.hosts)

  const begin = (request: HttpServerRequest.HttpServerRequest, began: number): Exchange => {
    const given = request.headers["x-request-id"]
    const requestId = given !== undefined && saneRequestId.test(given) ? given : makeRequestId(began)
    const state: ResponseState = {
      requestId,
      address: addressOf(request, options.trustedProxies),
      foreignPage: isForeignPage(options.headers, request),
      headers: securityHeaders(options.headers, request, requestId),
      status: undefined,
      isEtagPartial: false,
      operation: undefined,
      onSend: undefined,
      onRefusal: undefined
    }
    return { request, state, began }
  }

  // SCIM clients receive every error in SCIM's format, whichever layer rejects the request.
  const formatOf = (request: HttpServerRequest.HttpServerRequest) => (isScim(request.url) ? asScim : identity)

  /** The response to a request that no operation may see, and to a preflight request. */
  const refusalOf = ({ request, state }: Exchange): Sent | undefined => {
    const host = hostOf(request)
    const response =
      host !== undefined && !isOurHost(host) && !isMonitoring(request)
        ? json(Errors.MisdirectedRequest, new Errors.MisdirectedRequest(), 421)
        : // The router would respond that the route does not exist.
          !isReadable(request.url)
          ? invalid(["path"], "is not percent-encoded UTF-8")
          : preflightOf(options.headers, request)
    if (response === undefined) return undefined
    const refusal = formatOf(request)(response)
    return { response: refusal, headers: headersOf(refusal, state) }
  }

  /** The response as it is sent; counts it in the metrics. */
  const complete = (
    { began, request, state }: Exchange,
    response: HttpServerResponse.HttpServerResponse,
    nowMillis: number,
    context: Context.Context<never>
  ): Sent => {
    const sent = finish(request, state, formatOf(request)(translated(response)))
    const { operation, requestId } = state
    const { status } = sent.response
    if (status === 401 || status === 403 || status === 429) state.onRefusal?.(sent.response, nowMillis)
    requestMetricsOf(context)(operation ?? "unknown", status, (nowMillis - began) / 1000)
    recordServed(context, { request, requestId, operation, status, beganMillis: began, endedMillis: nowMillis })
    if (Context.get(context, References.MinimumLogLevel) === levels.debug) {
      logServed(context, requestId, { operation, method: request.method, status, durationMs: nowMillis - began })
    }
    return sent
  }

  /** Adds what is the same for all requests. */
  const commonContext = <R>(context: Context.Context<R>): Context.Context<R> =>
    Context.add(context, StatementMillisMax, options.statementMillisMax)

  /**
   * The context of an operation, on top of `commonContext`. Statements are charged to `share`, by default the source
   * address. Adding to a context is cheap, while merging two contexts copies both.
   */
  const contextOf = <R>(
    context: Context.Context<R>,
    { state }: Exchange,
    share = `address ${state.address}`
  ): Context.Context<R | CurrentResponse> =>
    context.pipe(
      Context.add(CurrentResponse, state),
      Context.add(References.CurrentLogAnnotations, {
        ...Context.get(context, References.CurrentLogAnnotations),
        requestId: state.requestId
      }),
      Context.add(Share, share)
    )

  return { begin, refusalOf, complete, commonContext, contextOf }
}

export type Edge = ReturnType<typeof makeEdge>

/** The edge as the outermost layer of every request that the router handles. */
export const layerEdge = (edge: Edge) =>
  HttpRouter.middleware(
    (handled) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const exchange = edge.begin(request, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
        const refusal = edge.refusalOf(exchange)
        if (refusal !== undefined) return Effect.succeed(withHeaders(refusal))
        const { state } = exchange
        const send = (response: HttpServerResponse.HttpServerResponse) => {
          const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
          const sent = withHeaders(edge.complete(exchange, response, now, fiber.context))
          return state.onSend === undefined ? Effect.succeed(sent) : Effect.as(state.onSend(sent), sent)
        }
        return handled.pipe(
          Effect.updateContext((context: Context.Context<never>) =>
            edge.contextOf(edge.commonContext(context), exchange)
          ),
          Effect.matchCauseEffect({
            onSuccess: send,
            onFailure: (cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause)
                : Effect.flatMap(responseToFailure(cause, state), send)
          })
        )
      }),
    { global: true }
  )
