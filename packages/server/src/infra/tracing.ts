/** Which requests and jobs are traced, and their spans. Spans are exported only if a collector is configured. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Headers } from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** Decides whether work without a parent is traced. */
export type Sampler = () => boolean

/** The share of the new traces that is recorded, from 0 to 1. */
export const makeSampler = (ratio: number, random = (): number => Math.random()): Sampler =>
  ratio >= 1 ? () => true : ratio <= 0 ? () => false : () => random() < ratio

export const CurrentSampler = Context.Reference<Sampler>("@orgplane/server/Sampler", { defaultValue: () => () => true })

/** Whether spans of this context are exported, if they are sampled. */
export const exportsSpans = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer && Context.get(context, References.TracerEnabled)

/** Work with a parent is traced if the parent is, so that no trace has gaps. */
export const isSampled = (parent: Tracer.AnySpan | undefined, sampler: Sampler): boolean => parent?.sampled ?? sampler()

/** The span of the caller, from the headers of W3C Trace Context or B3. */
export const parentOf = (headers: Headers): Tracer.ExternalSpan | undefined =>
  Option.getOrUndefined(HttpTraceContext.fromHeaders(headers))

/** The span of a context, its own or that of the caller. Spans that are not recorded are skipped. */
export const spanOf = (context: Context.Context<never>): Tracer.AnySpan | undefined => {
  let span = Context.getOrUndefined(context, Tracer.ParentSpan)
  while (span !== undefined && Context.get(span.annotations, Tracer.DisablePropagation)) {
    span = span._tag === "Span" ? Option.getOrUndefined(span.parent) : undefined
  }
  return span
}

/** A span as the value of the header `traceparent`. */
export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`

/** Runs work as a part of the caller's trace. If the caller does not record it, this work creates no spans either. */
export const withParent = <A, E, R>(work: Effect.Effect<A, E, R>, parent: Tracer.AnySpan) => {
  const inside = Effect.provideService(work, Tracer.ParentSpan, parent)
  return parent.sampled ? inside : Effect.withTracerEnabled(inside, false)
}

/** The requests for which the sampler has already decided. */
const chosen = new WeakSet<object>()
export const choose = (source: object): void => void chosen.add(source)

const failureOf = (status: number) => Exit.fail(new Error(`The response has the status ${status}.`))

/** The names of the parameters: their values contain signatures, one-time codes and search terms. */
const redactedQuery = (query: string): string =>
  [...new URLSearchParams(query).keys()].map((name) => `${name}=REDACTED`).join("&")

const requestAttributes = (request: HttpServerRequest, url: string): Readonly<Record<string, string>> => {
  const [path = "", query] = url.split("?", 2)
  const userAgent = request.headers["user-agent"]
  return {
    "http.request.method": request.method,
    "url.path": path,
    ...(query === undefined || query === "" ? {} : { "url.query": redactedQuery(query) }),
    ...(userAgent === undefined ? {} : { "user_agent.original": userAgent })
  }
}

/** Handles a request within its server span, if it is traced. */
export const withServerSpan = <E, R>(
  handled: Effect.Effect<HttpServerResponse, E, R>,
  request: HttpServerRequest,
  url: string
): Effect.Effect<HttpServerResponse, E, R> =>
  Effect.withFiber((fiber) => {
    const { context } = fiber
    const parent = spanOf(context) ?? parentOf(request.headers)
    const within = parent === undefined ? handled : Effect.provideService(handled, Tracer.ParentSpan, parent)
    if (!exportsSpans(context)) return within
    const isTraced = chosen.has(request.source) || isSampled(parent, Context.get(context, CurrentSampler))
    if (!isTraced) return Effect.withTracerEnabled(within, false)
    return Effect.flatMap(
      Effect.makeSpan(`http.server ${request.method}`, {
        kind: "server",
        sampled: true,
        attributes: requestAttributes(request, url),
        ...(parent === undefined ? { root: true } : { parent })
      }),
      (span) =>
        Effect.onExit(Effect.provideService(handled, Tracer.ParentSpan, span), (exit) =>
          Effect.clockWith((clock) =>
            Effect.sync(() => {
              const isFailure = Exit.isSuccess(exit) && exit.value.status >= 500
              span.end(clock.currentTimeNanosUnsafe(), isFailure ? failureOf(exit.value.status) : exit)
            })
          )
        )
    )
  })

/** A request when its response is sent. */
interface Served {
  readonly request: HttpServerRequest
  readonly requestId: string
  /** Undefined for a path without an operation. */
  readonly operation: string | undefined
  readonly status: number
  readonly beganMillis: number
  readonly endedMillis: number
}

const nanos = (millis: number): bigint => BigInt(Math.round(millis)) * 1_000_000n

/**
 * Adds the operation and the status to the server span. A request that failed has a server span even if it is not
 * traced: errors are rare, and the reason why people look at traces.
 */
export const recordServed = (context: Context.Context<never>, served: Served): void => {
  const { operation, request, requestId, status } = served
  const active = spanOf(context)
  const isTraced = active?._tag === "Span" && active.kind === "server" && active.sampled
  const tracer = Context.get(context, Tracer.Tracer)
  if (!isTraced && (status < 500 || tracer === Tracer.nativeTracer)) return
  const parent = isTraced ? undefined : (active ?? parentOf(request.headers))
  const span = isTraced
    ? active
    : tracer.span({
        name: "",
        parent: Option.fromUndefinedOr(parent),
        annotations: Context.empty(),
        links: [],
        startTime: nanos(served.beganMillis),
        kind: "server",
        root: parent === undefined,
        sampled: true
      })
  // The operation is known only after the span has begun.
  Object.assign(span, { name: operation ?? `http.server ${request.method}` })
  span.attribute("http.response.status_code", status)
  span.attribute("orgplane.request_id", requestId)
  if (isTraced) return
  for (const [name, value] of Object.entries(requestAttributes(request, request.url))) span.attribute(name, value)
  span.end(nanos(served.endedMillis), failureOf(status))
}
