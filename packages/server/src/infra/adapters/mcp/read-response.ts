import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { createParser } from "eventsource-parser"
import type { McpFailed } from "../../ports/mcp-servers.ts"
import { OutboundFailed, type OutboundStream } from "../../ports/outbound.ts"
import type { Capture } from "./capture.ts"
import { failed, ofOutbound } from "./failure.ts"
import { type Id, type Incoming, listOf, readJson, readMessage } from "./message.ts"

type RpcResponse = Extract<Incoming, { kind: "result" | "error" }>

/** The delay before a stream is resumed when the server does not set one. */
export const retryMillisDefault = 1000

/** The stream ended before the response, and can be resumed after its last event. */
export interface Interrupted {
  readonly kind: "interrupted"
  readonly lastEventId: string
  readonly retryMillis: number
}

/** The state of reading a response; counts continue when its stream is resumed. */
export interface ResponseReading {
  readonly id: Id
  /** Whether the revision supports resuming streams. */
  readonly canResume: boolean
  lastEventId: string | undefined
  retryMillis: number
  events: number
  responses: number
  hasOther: boolean
  readonly capture: Capture
  readonly responseBytesMax: number
  /** Responds to requests that the server sends within its response. */
  readonly respond: (message: JsonObject) => Effect.Effect<void>
}

const eventsMax = 10_000
/** Event IDs are sent back in a header. */
const eventId = /^[\x21-\x7e]{1,1024}$/
/** Maximum number of server requests within one response that are responded to. */
const responsesMax = 16
const refusalBytesMax = 64 * 1024

const tooLarge = (stream: OutboundStream, bytes: number): McpFailed => {
  const declared = Number(stream.headers["content-length"] ?? Number.NaN)
  return failed("response_too_large", "The response exceeds the size limit.", {
    payloadBytes: Number.isSafeInteger(declared) && declared > bytes ? declared : bytes
  })
}

/** The next chunk of the body; undefined at its end. */
const pieces = (stream: OutboundStream, capture: Capture, bytesMax: number) => {
  const iterator = stream.body[Symbol.asyncIterator]()
  return Effect.tryPromise({
    try: () => iterator.next(),
    catch: (cause) =>
      cause instanceof OutboundFailed
        ? ofOutbound(cause)
        : failed("closed_early", "The server closed the connection before the response was complete.")
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

/** The message as the response to a request. An error without an ID belongs to the current request. */
const asResponseTo = (message: Incoming | undefined, id: Id): RpcResponse | undefined => {
  if (message?.kind === "result") return message.id === id ? message : undefined
  return message?.kind === "error" && (message.id === id || message.id === null) ? message : undefined
}

/** Some servers send their response in a list, as 2025-03-26 allowed. */
const messagesOf = (value: Schema.Json): ReadonlyArray<Schema.Json> => listOf(value)?.slice(0, 100) ?? [value]

const readWhole = Effect.fnUntraced(function* (
  stream: OutboundStream,
  { responseBytesMax, capture, id }: ResponseReading
) {
  const text = yield* readAll(stream, capture, responseBytesMax)
  if (text === "") return yield* invalid("The response is empty.")
  const value = readJson(text)
  if (value === undefined) return yield* invalid("The response is not valid JSON, or is nested too deeply.")
  const messages = messagesOf(value).map(readMessage)
  const response = messages.map((message) => asResponseTo(message, id)).find((candidate) => candidate !== undefined)
  if (response !== undefined) return response
  const isOther = messages.some((message) => message?.kind === "result" || message?.kind === "error")
  return yield* isOther
    ? failed("id_mismatch", "The server's response has the ID of another request.")
    : invalid("The response is not a JSON-RPC response.")
})

/** Requests that require a user or a model, which are not available here. */
const wantsInput: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage"])

const responseTo = ({ id, method }: Extract<Incoming, { kind: "request" }>): JsonObject =>
  method === "ping"
    ? { jsonrpc: "2.0", id, result: {} }
    : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }

const readEvents = Effect.fnUntraced(function* (stream: OutboundStream, reading: ResponseReading) {
  const { responseBytesMax, capture, id, respond } = reading
  const next = pieces(stream, capture, responseBytesMax)
  const decoder = new TextDecoder()
  const waiting: Array<string> = []
  const parser = createParser({
    // There are never more characters than bytes, so the byte limit applies first.
    maxBufferSize: responseBytesMax + 16,
    onEvent: ({ data, event }) => {
      if (event === undefined || event === "message") waiting.push(data)
    },
    onId: (id) => (reading.lastEventId = eventId.test(id) ? id : undefined),
    onRetry: (millis) => (reading.retryMillis = millis)
  })

  const judge = Effect.fnUntraced(function* (message: Incoming) {
    const response = asResponseTo(message, id)
    if (response !== undefined) return response
    if (message.kind === "result" || message.kind === "error") reading.hasOther = true
    if (message.kind !== "request") return undefined
    if (wantsInput.has(message.method)) {
      return yield* failed("input_required", "The tool requires input, which orgplane cannot provide.")
    }
    reading.responses += 1
    if (reading.responses <= responsesMax) yield* respond(responseTo(message))
    return undefined
  })

  const drain = Effect.fnUntraced(function* (isCut: boolean) {
    for (const data of waiting.splice(0)) {
      reading.events += 1
      if (reading.events > eventsMax) return yield* tooLarge(stream, capture.bytes)
      // The first event of a stream may be empty, only with an ID to resume after.
      if (data === "") continue
      const value = readJson(data)
      if (value === undefined) {
        if (isCut) return undefined
        return yield* invalid("An event is not valid JSON, or is nested too deeply.")
      }
      for (const member of messagesOf(value)) {
        const message = readMessage(member)
        if (message === undefined) return yield* invalid("An event is not a JSON-RPC message.")
        const response = yield* judge(message)
        if (response !== undefined) return response
      }
    }
    return undefined
  })

  /** Undefined at the end of the stream, and if the connection was lost and the stream can be resumed. */
  const chunk = next.pipe(
    Effect.catch((failure) =>
      failure.code === "closed_early" && reading.canResume && reading.lastEventId !== undefined
        ? Effect.succeed(undefined)
        : Effect.fail(failure)
    )
  )
  for (let piece = yield* chunk; piece !== undefined; piece = yield* chunk) {
    parser.feed(decoder.decode(piece, { stream: true }))
    const response = yield* drain(false)
    if (response !== undefined) return response
  }
  // Some servers omit the empty line after their last event.
  parser.feed("\n\n")
  const response = yield* drain(true)
  if (response !== undefined) return response
  const { canResume, hasOther, lastEventId, retryMillis } = reading
  if (canResume && lastEventId !== undefined) {
    const interrupted: Interrupted = { kind: "interrupted", lastEventId, retryMillis }
    return interrupted
  }
  return yield* hasOther
    ? failed("id_mismatch", "The server's response has the ID of another request.")
    : failed("closed_early", "The server ended its stream without a response.")
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
    responseBytesMax: bytesMax,
    respond
  })

const isJson = (type: string): boolean =>
  type === "" || type === "application/json" || /^[^/]+\/[^/]+\+json$/.test(type)

const typeOf = (stream: OutboundStream): string =>
  (stream.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** The response of a successful exchange, or the event to resume its stream after. */
export const readResponse = Effect.fnUntraced(function* (stream: OutboundStream, reading: ResponseReading) {
  const type = typeOf(stream)
  if (type === "text/event-stream") return yield* readEvents(stream, reading)
  if (isJson(type)) return yield* readWhole(stream, reading)
  // The body is read only for the recorded exchange. It is usually a page that describes the problem.
  yield* readAll(stream, reading.capture, refusalBytesMax).pipe(Effect.ignore)
  return yield* failed("not_mcp", "The response is not an MCP message.")
})

/** The JSON-RPC error in an unsuccessful response, if there is one. */
export const readRefusal = (stream: OutboundStream, { capture, id }: ResponseReading) =>
  readAll(stream, capture, refusalBytesMax).pipe(
    Effect.map((text) => {
      const response = asResponseTo(readMessage(readJson(text)), id)
      return response?.kind === "error" ? response : undefined
    }),
    // The status code is sufficient.
    Effect.catch(() => Effect.succeed(undefined))
  )
