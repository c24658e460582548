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
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as SqlError from "effect/sql/SqlError"
import { makeCountedIds } from "../ids.ts"
import { StatementMillisMax } from "../sql/patience.ts"
import { Share } from "../sql/share.ts"
import { isCrowded, isPassing } from "../sql/unavailable.ts"
import { Answer, type AnswerHead } from "./answer.ts"
import { addressOf, type TrustedProxies } from "./client-address.ts"
import { asScim, isScim } from "./scim-error.ts"
import { type HeadOptions, headOf, isForeignPage, isLoopbackHost, preflightOf, withPolicy } from "./head.ts"

export interface EdgeOptions {
  /** Host names this server answers for, besides loopback. */
  readonly hosts: ReadonlySet<string>
  readonly trustedProxies: TrustedProxies
  readonly head: HeadOptions
  /** How long one statement of a request may take. */
  readonly statementMillisMax: number
}

const makeRequestId = makeCountedIds("req")
const saneRequestId = /^[A-Za-z0-9._:/+=-]{8,128}$/
const requests = Metric.counter("orgplane_http_requests_total", {
  description: "Requests answered, by operation and status.",
  incremental: true
})
const duration = Metric.histogram("orgplane_http_request_duration_seconds", {
  description: "Time from the first byte of a request to its answer.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})

interface Series {
  readonly count: Metric.Metric<number, unknown>
  readonly time: Metric.Metric<number, unknown>
}
const series = new Map<string, Series>()

/** The metrics of one kind of answer: cheap to count with, but dear to make, so they are made once. */
const seriesOf = (operation: string, status: number): Series => {
  const key = `${status} ${operation}`
  const known = series.get(key)
  if (known !== undefined) return known
  const made: Series = {
    count: Metric.withAttributes(requests, { operation, status: String(status) }),
    time: Metric.withAttributes(duration, { operation })
  }
  series.set(key, made)
  return made
}

const json = (schema: Schema.Top & { readonly EncodingServices: never }, error: unknown, status: number) =>
  HttpServerResponse.jsonUnsafe(Schema.encodeUnknownSync(schema)(error), { status })

const invalid = (path: ReadonlyArray<string>, message: string) =>
  json(Errors.InvalidRequest, Errors.InvalidRequest.at(path, message), 400)
const tooLarge = () => json(Errors.PayloadTooLarge, new Errors.PayloadTooLarge(), 413)
const internal = () => json(Errors.InternalError, new Errors.InternalError(), 500)
const unavailable = () =>
  HttpServerResponse.setHeader(json(Errors.Unavailable, new Errors.Unavailable(), 503), "retry-after", "2")
export const routeNotFound = () => json(Errors.RouteNotFound, new Errors.RouteNotFound(), 404)

const isBodyTooLarge = ({ reason }: HttpServerError.HttpServerError) =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

/** The contract's answer to what the framework says in its own words, or in none. */
const translated = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.status < 400) return response
  const type = "contentType" in response.body ? response.body.contentType : response.headers["content-type"]
  if (type?.startsWith("application/json") || type?.startsWith("application/scim+json")) return response
  // The framework writes no HTML pages; all of them are ours.
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

/** What a request that died is answered; what we do not know is logged with its cause, and told nothing of. */
const answerDefect = (cause: Cause.Cause<unknown>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const defect = Cause.squash(cause)
  if (SqlError.isSqlError(defect) && isPassing(defect)) {
    // An organization that asks for too much at once is told so; its operator has nothing to mend.
    const noted = isCrowded(defect)
      ? Effect.logDebug("Too many statements of one organization or address are waiting for the embedded database.")
      : Effect.logError("The database cannot answer now.", cause)
    return Effect.as(noted, unavailable())
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

const isReadable = (url: string) => {
  if (!url.includes("%")) return true
  try {
    decodeURIComponent(url.split("?", 1)[0] ?? "")
    return true
  } catch {
    return false
  }
}

/** The host a request names; undefined when it names none, as one that was made in process. */
const hostOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  (request.headers["host"] ?? (/^https?:/i.test(request.url) ? new URL(request.url).host : undefined))?.replace(
    /:\d+$/,
    ""
  )

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
    (request.method === "GET" || request.method === "HEAD") &&
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
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const clock = fiber.getRef(Clock.Clock)
        const began = clock.currentTimeMillisUnsafe()
        const given = request.headers["x-request-id"]
        const requestId = given !== undefined && saneRequestId.test(given) ? given : makeRequestId(began)
        const answer: AnswerHead = {
          requestId,
          address: addressOf(request, options.trustedProxies),
          foreignPage: isForeignPage(options.head, request),
          headers: { ...headOf(options.head, request), "x-request-id": requestId },
          operation: undefined,
          left: undefined
        }
        // Who speaks SCIM is refused in SCIM, whoever of us refuses.
        const inForm = isScim(request.url) ? asScim : identity
        const refuse = (response: HttpServerResponse.HttpServerResponse) =>
          Effect.succeed(HttpServerResponse.setHeaders(withPolicy(inForm(response)), answer.headers))
        const host = hostOf(request)
        if (host !== undefined && !isLoopbackHost(host) && !options.hosts.has(host.toLowerCase())) {
          return refuse(json(Errors.MisdirectedRequest, new Errors.MisdirectedRequest(), 421))
        }
        // The router would say that there is no such route.
        if (!isReadable(request.url)) return refuse(invalid(["path"], "is not percent-encoded UTF-8"))
        const preflight = preflightOf(options.head, request)
        if (preflight !== undefined) return refuse(preflight)
        const leave = (response: HttpServerResponse.HttpServerResponse) => {
          const told = finish(request, answer, withPolicy(inForm(translated(response))))
          const { count, time } = seriesOf(answer.operation ?? "unknown", told.status)
          count.updateUnsafe(1, fiber.context)
          time.updateUnsafe((clock.currentTimeMillisUnsafe() - began) / 1000, fiber.context)
          return told
        }
        const leaveTold = (response: HttpServerResponse.HttpServerResponse) => {
          const told = leave(response)
          return answer.left === undefined ? Effect.succeed(told) : Effect.as(answer.left(told), told)
        }
        const annotations = { ...fiber.getRef(References.CurrentLogAnnotations), requestId }
        return handled.pipe(
          // Adding to a context is cheap; merging two copies both.
          Effect.updateContext((context: Context.Context<never>) =>
            context.pipe(
              Context.add(Answer, answer),
              Context.add(References.CurrentLogAnnotations, annotations),
              Context.add(StatementMillisMax, options.statementMillisMax),
              Context.add(Share, `address ${answer.address}`)
            )
          ),
          Effect.matchCauseEffect({
            onSuccess: leaveTold,
            onFailure: (cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause)
                : answerDefect(cause as Cause.Cause<unknown>).pipe(
                    Effect.annotateLogs({ requestId }),
                    Effect.flatMap(leaveTold)
                  )
          })
        )
      }),
    { global: true }
  )
