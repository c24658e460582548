import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { McpExchange, McpFailed, McpTarget } from "../../ports/mcp-servers.ts"
import type { Outbound, OutboundRequest, OutboundStream } from "../../ports/outbound.ts"
import { sha256 } from "../../crypto/digest.ts"
import { version } from "../../version.ts"
import { Capture, captureOf } from "./capture.ts"
import { amended, failed, ofOutbound, ofStatus, withoutCode } from "./failure.ts"
import type { Id, Incoming } from "./message.ts"
import {
  type ResponseReading,
  type Interrupted,
  readResponse,
  readRefusal,
  retryMillisDefault
} from "./read-response.ts"

/** A series of requests to one server. */
export interface Course {
  readonly outbound: Outbound["Service"]
  readonly target: McpTarget
  /** The time at which all requests must be complete. */
  readonly deadlineMillis: number
  /** Which connections the requests may share; undefined if none. */
  readonly reuse: OutboundRequest["reuse"]
  /** The last request ID, so that all IDs of a series are unique. */
  lastId: number
}

export interface McpRequest {
  readonly method: string
  readonly params: JsonObject
  /** Headers of this message, in addition to the common ones. */
  readonly headers: Readonly<Record<string, string>>
  readonly responseBytesMax: number
  /** Whether a stream that ends before the response is resumed: true for revisions with sessions. */
  readonly canResume: boolean
  /** Aborts the request by failing before the response arrives. */
  readonly unless?: Effect.Effect<never, McpFailed>
}

export type RpcResponse = Extract<Incoming, { kind: "result" | "error" }>

export interface Reply {
  readonly response: RpcResponse
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Size of the response body. */
  readonly bytes: number
  readonly exchange: McpExchange
}

/**
 * Above the limits used here, so that a response that is too large still has its headers and its beginning captured.
 */
const guardBytesMax = 64 * 1024 * 1024
const sideTimeoutMillis = 5_000
const sideResponseBytesMax = 64 * 1024

/** The connections that a target may share: those with the same URL, credential and version of the settings. */
export const reuseOf = ({ credential, reuse, url }: McpTarget): OutboundRequest["reuse"] => {
  if (reuse === undefined) return undefined
  const secret = credential === null ? null : [credential.header, Redacted.value(credential.value)]
  return { owner: reuse.owner, credential: sha256(JSON.stringify([url, reuse.version, secret])) }
}

const shared = ({ reuse }: Course) => (reuse === undefined ? {} : { reuse })

const isSameServer = (target: McpTarget) => {
  const own = URL.parse(target.url)
  // Requests contain credentials and arguments: they are sent to no other server, even if the first one redirects.
  return (url: URL): boolean => own !== null && url.host === own.host
}

export const headersOf = ({ credential }: McpTarget): Record<string, string> => ({
  accept: "application/json, text/event-stream",
  "user-agent": `orgplane/${version}`,
  ...(credential === null ? {} : { [credential.header.toLowerCase()]: Redacted.value(credential.value) })
})

export const millisLeft = (course: Course) => Effect.map(Clock.currentTimeMillis, (now) => course.deadlineMillis - now)

/** Sends a message without waiting for a result; failures are ignored. */
const sendOneWay = Effect.fnUntraced(function* (
  course: Course,
  method: "POST" | "DELETE",
  headers: Readonly<Record<string, string>>,
  body?: JsonObject
) {
  const left = yield* millisLeft(course)
  yield* course.outbound
    .request({
      destination: "supplied",
      url: course.target.url,
      method,
      headers: {
        ...headersOf(course.target),
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirectsMax: 0,
      timeoutMillis: Math.max(1000, Math.min(sideTimeoutMillis, left)),
      bodyBytesMax: sideResponseBytesMax,
      organizationId: course.target.organizationId,
      ...shared(course)
    })
    .pipe(Effect.ignore)
})

/** Responds to a request of the server. */
export const respondTo = (course: Course, headers: Readonly<Record<string, string>>, message: JsonObject) =>
  sendOneWay(course, "POST", headers, message)

/** Ends a session; the server may reject it. */
export const endSession = (course: Course, headers: Readonly<Record<string, string>>) =>
  sendOneWay(course, "DELETE", headers)

const requestIdNames = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"]
const requestIdOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  requestIdNames
    .map((name) => headers[name])
    .find((value): value is string => value !== undefined && /^[\w.:/+=-]{1,128}$/.test(value))

const send = Effect.fnUntraced(function* (
  course: Course,
  request: McpRequest,
  id: Id | null,
  capture: Capture = new Capture()
) {
  const { target } = course
  const { unless = Effect.never } = request
  const startedAtMillis = yield* Clock.currentTimeMillis
  const body = Buffer.from(
    JSON.stringify({
      jsonrpc: "2.0",
      ...(id === null ? {} : { id }),
      method: request.method,
      ...(Object.keys(request.params).length === 0 ? {} : { params: request.params })
    })
  )
  const headers = { ...headersOf(target), "content-type": "application/json", ...request.headers }
  const sentRequest = (names: ReadonlyArray<readonly [string, string]>, method: string): McpExchange["request"] => ({
    method,
    url: target.url,
    startedAtMillis,
    headers: names.map(([name, value]) => ({ name, value })),
    // A redirect may have changed the method to GET.
    body: method === "POST" ? captureOf(body, body.byteLength) : captureOf(Buffer.alloc(0), 0)
  })
  const exchange: McpExchange = { request: sentRequest(Object.entries(headers), "POST") }
  const left = course.deadlineMillis - startedAtMillis
  if (left <= 0) return yield* failed("timeout", "The server did not respond in time.", { exchange })
  const stream = yield* course.outbound
    .stream({
      destination: "supplied",
      url: target.url,
      method: "POST",
      headers,
      body,
      redirectsMax: 3,
      mayFollow: isSameServer(target),
      timeoutMillis: left,
      bodyBytesMax: guardBytesMax,
      organizationId: target.organizationId,
      ...shared(course),
      // A tool is never called twice, not even if its server closes an idle connection at that moment.
      isIdempotent: request.method !== "tools/call"
    })
    .pipe(
      Effect.mapError((failure) => ofOutbound(failure, { exchange })),
      Effect.raceFirst(Effect.mapError(unless, (failure) => amended(failure, { exchange })))
    )
  const exchangeNow = Effect.map(Clock.currentTimeMillis, (now): McpExchange => ({
    request: { ...sentRequest(stream.sent.rawHeaders, stream.sent.method), url: stream.url },
    response: {
      status: stream.status,
      statusText: stream.statusText,
      durationMillis: Math.max(0, now - startedAtMillis),
      headers: stream.rawHeaders.map(([name, value]) => ({ name, value })),
      body: capture.read()
    }
  }))
  return { stream, exchangeNow }
})

const repeatedLengthMin = 4

/** Whether a text of the server contains part of the credential, and so must not be passed on. */
const repeats = ({ credential }: McpTarget, word: string | undefined): boolean => {
  if (credential === null || word === undefined || word.length < repeatedLengthMin) return false
  const value = Redacted.value(credential.value)
  const secret = value.slice(value.indexOf(" ") + 1)
  return value.includes(word) || (secret.length >= repeatedLengthMin && word.includes(secret))
}

const isRedirected = ({ sent }: OutboundStream): boolean => sent.method !== "POST"

/** Adds the exchange to a failure while its response was read. */
const withExchange =
  (target: McpTarget, stream: OutboundStream, exchangeNow: Effect.Effect<McpExchange>) =>
  <A, R>(reading: Effect.Effect<A, McpFailed, R>): Effect.Effect<A, McpFailed, R> =>
    Effect.catch(reading, (failure) =>
      Effect.flatMap(exchangeNow, (exchange) => {
        const requestId = requestIdOf(stream.headers)
        const providerRequestId = repeats(target, requestId) ? undefined : requestId
        return Effect.fail(
          amended(repeats(target, failure.providerCode) ? withoutCode(failure) : failure, {
            exchange,
            providerStatus: stream.status,
            ...(providerRequestId === undefined ? {} : { providerRequestId })
          })
        )
      })
    )

const resumptionsMax = 20
const retryMillisMin = 100
const retryMillisMax = 10_000

/** Opens the stream of a session's messages: all new ones, or those after an event. */
export const openEvents = Effect.fnUntraced(function* (course: Course, headers: Readonly<Record<string, string>>) {
  const left = yield* millisLeft(course)
  if (left <= 0) return yield* failed("timeout", "The server did not respond in time.")
  return yield* course.outbound
    .stream({
      destination: "supplied",
      url: course.target.url,
      headers: { ...headersOf(course.target), ...headers, accept: "text/event-stream" },
      redirectsMax: 0,
      timeoutMillis: left,
      bodyBytesMax: guardBytesMax,
      organizationId: course.target.organizationId
    })
    .pipe(Effect.mapError((failure) => ofOutbound(failure)))
})

export const isEventStream = ({ headers, status }: OutboundStream): boolean =>
  status === 200 && /^text\/event-stream\s*(?:;|$)/i.test(headers["content-type"] ?? "")

/**
 * Resumes a stream after its last event each time the server ends it, until the response arrives. The tool is not
 * called again.
 */
const resumed = Effect.fnUntraced(function* (
  course: Course,
  request: McpRequest,
  reading: ResponseReading,
  first: Interrupted,
  sessionId: string | undefined
) {
  const headers = sessionId === undefined ? request.headers : { "mcp-session-id": sessionId, ...request.headers }
  let interrupted = first
  for (let resumption = 0; resumption < resumptionsMax; resumption += 1) {
    const wanted = Math.min(Math.max(interrupted.retryMillis, retryMillisMin), retryMillisMax)
    yield* Effect.sleep(Math.max(0, Math.min(wanted, yield* millisLeft(course))))
    const outcome = yield* Effect.gen(function* () {
      const stream = yield* openEvents(course, { ...headers, "last-event-id": interrupted.lastEventId })
      if (isEventStream(stream)) return yield* readResponse(stream, reading)
      const { status } = stream
      return yield* status === 401 || status === 403 || status === 404 || status === 429 || status >= 500
        ? ofStatus(status, stream.headers["www-authenticate"], headers["mcp-session-id"] !== undefined, {})
        : failed("closed_early", "The server ended its stream without a response, and does not resume it.")
    }).pipe(Effect.scoped)
    if (outcome.kind !== "interrupted") return outcome
    interrupted = outcome
  }
  return yield* failed("closed_early", `The server ended its stream ${resumptionsMax} times without a response.`)
})

/** Sends one request and reads its own response. */
const requestOnce = Effect.fnUntraced(function* (course: Course, request: McpRequest, reading: ResponseReading) {
  const { id } = reading
  const { exchangeNow, stream } = yield* send(course, request, id, reading.capture)
  const hasSession = request.headers["mcp-session-id"] !== undefined
  const result = Effect.gen(function* () {
    if (isRedirected(stream)) {
      return yield* failed("not_mcp", "The server redirects MCP messages to a page.")
    }
    if (stream.status >= 200 && stream.status < 300) return yield* readResponse(stream, reading)
    const refusal = yield* readRefusal(stream, reading)
    const failure = ofStatus(stream.status, stream.headers["www-authenticate"], hasSession, {
      ...(refusal === undefined ? {} : { jsonRpcCode: refusal.code })
    })
    const isOfTransport =
      failure.category === "authentication" ||
      failure.code === "rate_limited" ||
      failure.code === "server_error" ||
      (failure.code === "session_lost" && refusal?.code !== -32601)
    return refusal === undefined || isOfTransport ? yield* failure : refusal
  })
  return {
    exchangeNow,
    stream,
    outcome: yield* result.pipe(
      Effect.raceFirst(request.unless ?? Effect.never),
      withExchange(course.target, stream, exchangeNow)
    )
  }
})

/** Sends a request and reads its response, among other messages. A JSON-RPC error is a response. */
export const ask = Effect.fnUntraced(function* (course: Course, request: McpRequest) {
  const id = (course.lastId += 1)
  const capture = new Capture()
  const reading: ResponseReading = {
    id,
    canResume: request.canResume,
    lastEventId: undefined,
    retryMillis: retryMillisDefault,
    events: 0,
    responses: 0,
    hasOther: false,
    capture,
    responseBytesMax: request.responseBytesMax,
    respond: (message) => respondTo(course, request.headers, message)
  }
  // The first stream's connection is released before another one resumes it.
  const { exchangeNow, outcome, stream } = yield* requestOnce(course, request, reading).pipe(Effect.scoped)
  const response =
    outcome.kind === "interrupted"
      ? yield* resumed(course, request, reading, outcome, stream.headers["mcp-session-id"]).pipe(
          Effect.raceFirst(request.unless ?? Effect.never),
          withExchange(course.target, stream, exchangeNow)
        )
      : outcome
  const reply: Reply = {
    response,
    status: stream.status,
    headers: stream.headers,
    bytes: capture.bytes,
    exchange: yield* exchangeNow
  }
  return reply
})

/** Sends a notification. Its response is ignored unless its status is 401, 403, 404, 429 or 5xx. */
export const notify = Effect.fnUntraced(function* (course: Course, request: McpRequest) {
  const { exchangeNow, stream } = yield* send(course, request, null)
  const { status } = stream
  const matters = status === 401 || status === 403 || status === 404 || status === 429 || status >= 500
  if (!matters) return
  const hasSession = request.headers["mcp-session-id"] !== undefined
  return yield* withExchange(
    course.target,
    stream,
    exchangeNow
  )(Effect.fail(ofStatus(status, stream.headers["www-authenticate"], hasSession, {})))
}, Effect.scoped)
