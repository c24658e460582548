import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { createParser } from "eventsource-parser"
import type { McpFailed } from "../../ports/mcp-servers.ts"
import { OutboundFailed, type OutboundStream } from "../../ports/outbound.ts"
import type { Capture } from "./capture.ts"
import { failed, ofOutbound } from "./failure.ts"
import { type Id, type Incoming, listOf, readJson, readMessage } from "./message.ts"

type Answer = Extract<Incoming, { kind: "result" | "error" }>

/** The delay before a stream is resumed when the server does not set one. */
export const retryMillisDefault = 1000

/** The stream ended before the response, and can be resumed after its last event. */
export interface Interrupted {
  readonly kind: "interrupted"
  readonly lastEventId: string
  readonly retryMillis: number
}

/** The state of reading a response; counts continue when its stream is resumed. */
export interface Answered {
  readonly id: Id
  /** Whether the revision supports resuming streams. */
  readonly canResume: boolean
  lastEventId: string | undefined
  retryMillis: number
  events: number
  responses: number
  hasOther: boolean
  readonly capture: Capture
  readonly answerBytesMax: number
  /** Answers what the server asks of us in the middle of its own answer. */
  readonly respond: (message: JsonObject) => Effect.Effect<void>
}

const eventsMax = 10_000
/** The id is sent back in a header. */
const eventId = /^[\x21-\x7e]{1,1024}$/
/** What a server may ask of us in one answer; more is left unanswered. */
const responsesMax = 16
const refusalBytesMax = 64 * 1024

const tooLarge = (stream: OutboundStream, bytes: number): McpFailed => {
  const declared = Number(stream.headers["content-length"] ?? Number.NaN)
  return failed("response_too_large", "The response exceeds the size limit.", {
    payloadBytes: Number.isSafeInteger(declared) && declared > bytes ? declared : bytes
  })
}

/** The body's next piece; undefined at its end. */
const pieces = (stream: OutboundStream, capture: Capture, bytesMax: number) => {
  const iterator = stream.body[Symbol.asyncIterator]()
  return Effect.tryPromise({
    try: () => iterator.next(),
    catch: (cause) =>
      cause instanceof OutboundFailed
        ? ofOutbound(cause)
        : failed("closed_early", "The server broke off in the middle of its answer.")
  }).pipe(
    Effect.flatMap((next) => {
      if (next.done === true) return Effect.succeed(undefined)
      capture.add(next.value)
      if (capture.bytes <= bytesMax) return Effect.succeed(next.value)
      capture.isCut = true
      return Effect.fail(tooLarge(stream, capture.bytes))
    })
  )
}

const readAll = Effect.fnUntraced(function* (stream: OutboundStream, capture: Capture, bytesMax: number) {
  const next = pieces(stream, capture, bytesMax)
  const chunks: Array<Uint8Array> = []
  for (let chunk = yield* next; chunk !== undefined; chunk = yield* next) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
})

const invalid = (message: string) => failed("invalid_message", message)

/** The message as the answer to a request. An error without an id is one to whatever was asked. */
const answerTo = (message: Incoming | undefined, id: Id): Answer | undefined => {
  if (message?.kind === "result") return message.id === id ? message : undefined
  return message?.kind === "error" && (message.id === id || message.id === null) ? message : undefined
}

/** Some servers put their one answer into a list, as 2025-03-26 allowed. */
const messagesOf = (value: Schema.Json): ReadonlyArray<Schema.Json> => listOf(value)?.slice(0, 100) ?? [value]

const readWhole = Effect.fnUntraced(function* (stream: OutboundStream, { answerBytesMax, capture, id }: Answered) {
  const text = yield* readAll(stream, capture, answerBytesMax)
  if (text === "") return yield* invalid("The server took the request and answered nothing.")
  const value = readJson(text)
  if (value === undefined) return yield* invalid("The answer is not valid JSON, or nested too deep.")
  const messages = messagesOf(value).map(readMessage)
  const answer = messages.map((message) => answerTo(message, id)).find((found) => found !== undefined)
  if (answer !== undefined) return answer
  const isOther = messages.some((message) => message?.kind === "result" || message?.kind === "error")
  return yield* isOther
    ? failed("id_mismatch", "The server answered a request that was not made.")
    : invalid("The answer is no JSON-RPC answer.")
})

/** What needs a person or a model on this side: nobody waits for either here. */
const wantsInput: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"])

const responseTo = ({ id, method }: Extract<Incoming, { kind: "request" }>): JsonObject =>
  method === "ping"
    ? { jsonrpc: "2.0", id, result: {} }
    : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }

const readEvents = Effect.fnUntraced(function* (stream: OutboundStream, answered: Answered) {
  const { answerBytesMax, capture, id, respond } = answered
  const next = pieces(stream, capture, answerBytesMax)
  const decoder = new TextDecoder()
  const waiting: Array<string> = []
  const parser = createParser({
    // Characters are never more than bytes, so the bound on bytes is the one that is met first.
    maxBufferSize: answerBytesMax + 16,
    onEvent: ({ data, event }) => {
      if (event === undefined || event === "message") waiting.push(data)
    },
    onId: (id) => (answered.lastEventId = eventId.test(id) ? id : undefined),
    onRetry: (millis) => (answered.retryMillis = millis)
  })

  const judge = Effect.fnUntraced(function* (message: Incoming) {
    const answer = answerTo(message, id)
    if (answer !== undefined) return answer
    if (message.kind === "result" || message.kind === "error") answered.hasOther = true
    if (message.kind !== "request") return undefined
    if (wantsInput.has(message.method)) {
      return yield* failed("input_required", "The tool asks for input that only a conversation can give.")
    }
    answered.responses += 1
    if (answered.responses <= responsesMax) yield* respond(responseTo(message))
    return undefined
  })

  const drain = Effect.fnUntraced(function* (isCut: boolean) {
    for (const data of waiting.splice(0)) {
      answered.events += 1
      if (answered.events > eventsMax) return yield* tooLarge(stream, capture.bytes)
      // The first event of a stream may only carry an id to resume it by.
      if (data === "") continue
      const value = readJson(data)
      if (value === undefined) {
        if (isCut) return undefined
        return yield* invalid("An event is not valid JSON, or nested too deep.")
      }
      for (const member of messagesOf(value)) {
        const message = readMessage(member)
        if (message === undefined) return yield* invalid("An event is no JSON-RPC message.")
        const answer = yield* judge(message)
        if (answer !== undefined) return answer
      }
    }
    return undefined
  })

  /** Undefined at the end of the stream, also when the connection broke and the stream can be resumed. */
  const chunk = next.pipe(
    Effect.catch((failure) =>
      failure.code === "closed_early" && answered.canResume && answered.lastEventId !== undefined
        ? Effect.succeed(undefined)
        : Effect.fail(failure)
    )
  )
  for (let piece = yield* chunk; piece !== undefined; piece = yield* chunk) {
    parser.feed(decoder.decode(piece, { stream: true }))
    const answer = yield* drain(false)
    if (answer !== undefined) return answer
  }
  // Some servers leave out the empty line after their last event.
  parser.feed("\n\n")
  const answer = yield* drain(true)
  if (answer !== undefined) return answer
  const { canResume, hasOther, lastEventId, retryMillis } = answered
  if (canResume && lastEventId !== undefined) {
    const interrupted: Interrupted = { kind: "interrupted", lastEventId, retryMillis }
    return interrupted
  }
  return yield* hasOther
    ? failed("id_mismatch", "The server answered a request that was not made.")
    : failed("closed_early", "The server ended its stream without an answer.")
})

/** The state of reading a listening stream. */
export interface Listening {
  readonly capture: Capture
  readonly bytesMax: number
  readonly respond: (message: JsonObject) => Effect.Effect<void>
}

/** Reads the server's requests from their separate stream until it ends; responses are not allowed there. */
export const readRequests = (stream: OutboundStream, { bytesMax, capture, respond }: Listening) =>
  readEvents(stream, {
    id: "",
    canResume: false,
    lastEventId: undefined,
    retryMillis: retryMillisDefault,
    events: 0,
    responses: 0,
    hasOther: false,
    capture,
    answerBytesMax: bytesMax,
    respond
  })

const isJson = (type: string): boolean =>
  type === "" || type === "application/json" || /^[^/]+\/[^/]+\+json$/.test(type)

const typeOf = (stream: OutboundStream): string =>
  (stream.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** The response of a successful exchange, or the event to resume its stream after. */
export const readAnswer = Effect.fnUntraced(function* (stream: OutboundStream, answered: Answered) {
  const type = typeOf(stream)
  if (type === "text/event-stream") return yield* readEvents(stream, answered)
  if (isJson(type)) return yield* readWhole(stream, answered)
  // Read for the inspection: it is mostly a page that says what is wrong.
  yield* readAll(stream, answered.capture, refusalBytesMax).pipe(Effect.ignore)
  return yield* failed("not_mcp", "The server answers with something that is no MCP message.")
})

/** The JSON-RPC error in a response that is no success, when there is one. */
export const readRefusal = (stream: OutboundStream, { capture, id }: Answered) =>
  readAll(stream, capture, refusalBytesMax).pipe(
    Effect.map((text) => {
      const answer = answerTo(readMessage(readJson(text)), id)
      return answer?.kind === "error" ? answer : undefined
    }),
    // The status says it already.
    Effect.catch(() => Effect.succeed(undefined))
  )
