import * as Errors from "@orgplane/schema/shared/errors"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerRespondable from "effect/http/HttpServerRespondable"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import * as SqlError from "effect/sql/SqlError"
import { makeId } from "../ids.ts"
import { Answer, type AnswerHead } from "./answer.ts"
import { addressOf, type TrustedProxies } from "./client-address.ts"
import { type HeadOptions, headOf, preflightOf, withPolicy } from "./head.ts"

export interface EdgeOptions {
  /** Host names this server answers for, besides loopback. */
  readonly hosts: ReadonlySet<string>
  readonly trustedProxies: TrustedProxies
  readonly head: HeadOptions
}

const saneRequestId = /^[A-Za-z0-9._:/+=-]{8,128}$/
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i

const requests = Metric.counter("orgplane_http_requests_total", {
  description: "Requests answered, by operation and status.",
  incremental: true
})
const duration = Metric.histogram("orgplane_http_request_duration_seconds", {
  description: "Time from the first byte of a request to its answer.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})

const json = (schema: Schema.Top & { readonly EncodingServices: never }, error: unknown, status: number) =>
  HttpServerResponse.jsonUnsafe(Schema.encodeUnknownSync(schema)(error), { status })

const invalid = (path: ReadonlyArray<string>, message: string) =>
  json(Errors.InvalidRequest, Errors.InvalidRequest.at(path, message), 400)
const tooLarge = () => json(Errors.PayloadTooLarge, new Errors.PayloadTooLarge(), 413)
const internal = () => json(Errors.InternalError, new Errors.InternalError(), 500)
const unavailable = () =>
  HttpServerResponse.setHeader(json(Errors.Unavailable, new Errors.Unavailable(), 503), "retry-after", "2")
export const routeNotFound = () => json(Errors.RouteNotFound, new Errors.RouteNotFound(), 404)

const isBodyTooLarge = (error: HttpServerError.HttpServerError) =>
  /too large|MaxBodySize|maximum/i.test(
    error.reason.cause instanceof Error ? error.reason.cause.message : error.message
  )

/** The contract's answer to what the framework says in its own words, or in none. */
const translated = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400) return response
  const type = "contentType" in response.body ? response.body.contentType : response.headers["content-type"]
  if (type?.startsWith("application/json") || type?.startsWith("application/scim+json")) return response
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

/** What a request that died is answered; what we do not know is logged with its cause, and told nothing of. */
const answerDefect = (cause: Cause.Cause<unknown>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const defect = Cause.squash(cause)
  if (SqlError.isSqlError(defect) && isConnectionTrouble(defect)) {
    return Effect.as(Effect.logError("The database cannot be reached.", cause), unavailable())
  }
  if (HttpServerError.isHttpServerError(defect)) {
    if (defect.reason._tag === "RouteNotFound") return Effect.succeed(routeNotFound())
    if (isBodyTooLarge(defect)) return Effect.succeed(tooLarge())
    if (defect.reason._tag === "RequestParseError") return Effect.succeed(invalid(["body"], "cannot be read"))
  }
  if (HttpServerRespondable.isRespondable(defect)) {
    return Effect.map(HttpServerRespondable.toResponse(defect), translated)
  }
  return Effect.as(Effect.logError("A request failed.", cause), internal())
}

const connectionTags = new Set(["ConnectionError", "LockTimeoutError", "AuthenticationError", "AuthorizationError"])
const isConnectionTrouble = (error: SqlError.SqlError) =>
  connectionTags.has(error.reason._tag) ||
  /connect|terminat|timeout|shut ?down|ended|closed/i.test(error.reason.message)

const matches = (header: string | undefined, etag: string) =>
  header !== undefined && (header === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

const finish = (
  request: HttpServerRequest.HttpServerRequest,
  answer: AnswerHead,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const etag = answer.headers["etag"]
  const isUnchanged =
    etag !== undefined &&
    response.status === 200 &&
    request.method === "GET" &&
    matches(request.headers["if-none-match"], etag)
  const { ":status": status, ...headers } = answer.headers
  const told =
    status === undefined || response.status >= 300 ? response : HttpServerResponse.setStatus(response, Number(status))
  return HttpServerResponse.setHeaders(isUnchanged ? HttpServerResponse.empty({ status: 304 }) : told, headers)
}

/**
 * The outermost layer of every request: names it, judges its host, and lets nothing leave that is not the contract's.
 */
export const layerEdge = (options: EdgeOptions) =>
  HttpRouter.middleware(
    (handled) =>
      Effect.withFiber((fiber) => {
        const request = fiber.context.mapUnsafe.get(
          HttpServerRequest.HttpServerRequest.key
        ) as HttpServerRequest.HttpServerRequest
        const given = request.headers["x-request-id"]
        const requestId = given !== undefined && saneRequestId.test(given) ? given : makeId("req")
        const answer: AnswerHead = {
          requestId,
          address: addressOf(request, options.trustedProxies),
          headers: { ...headOf(options.head, request), "x-request-id": requestId },
          operation: undefined
        }
        const host = (request.headers["host"] ?? new URL(request.url, "http://localhost").host).replace(/:\d+$/, "")
        if (!loopback.test(host) && !options.hosts.has(host.toLowerCase())) {
          const refused = json(Errors.MisdirectedRequest, new Errors.MisdirectedRequest(), 421)
          return Effect.succeed(HttpServerResponse.setHeaders(withPolicy(refused), answer.headers))
        }
        const preflight = preflightOf(options.head, request)
        if (preflight !== undefined) return Effect.succeed(HttpServerResponse.setHeaders(preflight, answer.headers))
        const began = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
        return handled.pipe(
          Effect.provideService(Answer, answer),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : answerDefect(cause as Cause.Cause<unknown>)
          ),
          Effect.map((response) => finish(request, answer, withPolicy(translated(response)))),
          Effect.tap((response) => {
            const labels = { operation: answer.operation ?? "unknown", status: String(response.status) }
            const seconds = (fiber.getRef(Clock.Clock).currentTimeMillisUnsafe() - began) / 1000
            return Effect.andThen(
              Metric.update(Metric.withAttributes(requests, labels), 1),
              Metric.update(Metric.withAttributes(duration, { operation: labels.operation }), seconds)
            )
          }),
          Effect.annotateLogs({ requestId })
        )
      }),
    { global: true }
  )
