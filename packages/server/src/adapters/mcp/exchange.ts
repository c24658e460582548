import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { McpExchange, McpFailed, McpTarget } from "../../ports/mcp-servers.ts"
import type { Outbound, OutboundStream } from "../../ports/outbound.ts"
import { version } from "../../version.ts"
import { Capture, captureOf } from "./capture.ts"
import { amended, failed, ofOutbound, ofStatus, withoutCode } from "./failure.ts"
import type { Id, Incoming } from "./message.ts"
import { type Answered, readAnswer, readRefusal } from "./read-answer.ts"

/** What is asked of one server, from the first message to the last. */
export interface Course {
  readonly outbound: Outbound["Service"]
  readonly target: McpTarget
  /** When all of it has to be over. */
  readonly deadlineMillis: number
  /** Numbers the requests, so that no two of one course have the same id. */
  lastId: number
}

export interface Asked {
  readonly method: string
  readonly params: JsonObject
  /** Of this message, besides those of every one. */
  readonly headers: Readonly<Record<string, string>>
  readonly answerBytesMax: number
}

export type Answer = Extract<Incoming, { kind: "result" | "error" }>

export interface Reply {
  readonly answer: Answer
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Of the answer's body. */
  readonly bytes: number
  readonly exchange: McpExchange
}

/** The guard's bound is above ours, so that an answer that is too large still shows its head and its beginning. */
const guardBytesMax = 64 * 1024 * 1024
const sideTimeoutMillis = 5_000
const sideAnswerBytesMax = 64 * 1024

const isSameServer = (target: McpTarget) => {
  const own = URL.parse(target.url)
  // What is sent is somebody's: another server gets none of it, whatever the first one says.
  return (url: URL): boolean => own !== null && url.host === own.host
}

export const headersOf = ({ credential }: McpTarget): Record<string, string> => ({
  accept: "application/json, text/event-stream",
  "user-agent": `orgplane/${version}`,
  ...(credential === null ? {} : { [credential.header.toLowerCase()]: Redacted.value(credential.value) })
})

export const millisLeft = (course: Course) => Effect.map(Clock.currentTimeMillis, (now) => course.deadlineMillis - now)

/** A message whose answer nobody waits for: it may fail. */
const tell = Effect.fnUntraced(function* (
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
      bodyBytesMax: sideAnswerBytesMax,
      organizationId: course.target.organizationId
    })
    .pipe(Effect.ignore)
})

/** Ends a session that the server keeps for us; it may refuse to. */
export const endSession = (course: Course, headers: Readonly<Record<string, string>>) => tell(course, "DELETE", headers)

const requestIdNames = ["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"]
const requestIdOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  requestIdNames
    .map((name) => headers[name])
    .find((value): value is string => value !== undefined && /^[\w.:/+=-]{1,128}$/.test(value))

const send = Effect.fnUntraced(function* (course: Course, asked: Asked, id: Id | null) {
  const { target } = course
  const startedAtMillis = yield* Clock.currentTimeMillis
  const body = Buffer.from(
    JSON.stringify({
      jsonrpc: "2.0",
      ...(id === null ? {} : { id }),
      method: asked.method,
      ...(Object.keys(asked.params).length === 0 ? {} : { params: asked.params })
    })
  )
  const headers = { ...headersOf(target), "content-type": "application/json", ...asked.headers }
  const request = (names: ReadonlyArray<readonly [string, string]>, method: string): McpExchange["request"] => ({
    method,
    url: target.url,
    startedAtMillis,
    headers: names.map(([name, value]) => ({ name, value })),
    // A redirect may have made it a request for a page.
    body: method === "POST" ? captureOf(body, body.byteLength) : captureOf(Buffer.alloc(0), 0)
  })
  const exchange: McpExchange = { request: request(Object.entries(headers), "POST") }
  const left = course.deadlineMillis - startedAtMillis
  if (left <= 0) return yield* failed("timeout", "The server did not finish its answers in time.", { exchange })
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
      organizationId: target.organizationId
    })
    .pipe(Effect.mapError((failure) => ofOutbound(failure, { exchange })))
  const capture = new Capture()
  const exchangeNow = Effect.map(Clock.currentTimeMillis, (now): McpExchange => ({
    request: { ...request(stream.sent.rawHeaders, stream.sent.method), url: stream.url },
    response: {
      status: stream.status,
      statusText: stream.statusText,
      durationMillis: Math.max(0, now - startedAtMillis),
      headers: stream.rawHeaders.map(([name, value]) => ({ name, value })),
      body: capture.read()
    }
  }))
  return { stream, capture, exchangeNow }
})

const repeatedLengthMin = 4

/** Whether a server's word is what it was let in with: such a word is told to nobody, and seen by more than have it. */
const repeats = ({ credential }: McpTarget, word: string | undefined): boolean => {
  if (credential === null || word === undefined || word.length < repeatedLengthMin) return false
  const value = Redacted.value(credential.value)
  const secret = value.slice(value.indexOf(" ") + 1)
  return value.includes(word) || (secret.length >= repeatedLengthMin && word.includes(secret))
}

const isRedirected = ({ sent }: OutboundStream): boolean => sent.method !== "POST"

/** What the exchange adds to whatever went wrong while its answer was read. */
const told =
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

/** Asks one thing and reads the answer to it, whatever else comes with it. A refusal in JSON-RPC is an answer. */
export const ask = Effect.fnUntraced(function* (course: Course, asked: Asked) {
  const id = (course.lastId += 1)
  const { capture, exchangeNow, stream } = yield* send(course, asked, id)
  const hasSession = asked.headers["mcp-session-id"] !== undefined
  const answered: Answered = {
    id,
    capture,
    answerBytesMax: asked.answerBytesMax,
    respond: (message) => tell(course, "POST", asked.headers, message)
  }
  const reading = Effect.gen(function* () {
    if (isRedirected(stream)) {
      return yield* failed("not_mcp", "The server sends MCP messages on to a page.")
    }
    if (stream.status >= 200 && stream.status < 300) return yield* readAnswer(stream, answered)
    const refusal = yield* readRefusal(stream, answered)
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
  const answer = yield* reading.pipe(told(course.target, stream, exchangeNow))
  const reply: Reply = {
    answer,
    status: stream.status,
    headers: stream.headers,
    bytes: capture.bytes,
    exchange: yield* exchangeNow
  }
  return reply
}, Effect.scoped)

/** Tells the server something; a server that does not care for it may say so. */
export const notify = Effect.fnUntraced(function* (course: Course, asked: Asked) {
  const { exchangeNow, stream } = yield* send(course, asked, null)
  const { status } = stream
  const matters = status === 401 || status === 403 || status === 404 || status === 429 || status >= 500
  if (!matters) return
  const hasSession = asked.headers["mcp-session-id"] !== undefined
  return yield* told(
    course.target,
    stream,
    exchangeNow
  )(Effect.fail(ofStatus(status, stream.headers["www-authenticate"], hasSession, {})))
}, Effect.scoped)
