/**
 * Sends requests with `node:http`, because loading `fetch` takes longer than most commands. An `import` of `node:http`
 * would load `fetch` too, because it reads every export.
 */
import type { ClientRequest, IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { type ReceivedResponse, type Send, type SentRequest, sendWithFetch } from "@orgplane/client/transport"
import { readAll } from "./io.ts"

type HeaderReader = Pick<Headers, "get">

// The limits of `fetch`.
const connectMillisMax = 10_000
const idleMillisMax = 300_000

/** The connection failed before the response was complete. The cause is the error of the socket. */
class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed"
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

const isEncoded = (encoding: string | undefined) => encoding === "gzip" || encoding === "deflate" || encoding === "br"

const contentOf = (message: IncomingMessage): Readable => {
  const encoding = message.headers["content-encoding"]
  if (!isEncoded(encoding)) return message
  const { createBrotliDecompress, createUnzip } = process.getBuiltinModule("node:zlib")
  const { pipeline } = process.getBuiltinModule("node:stream")
  // The reader of the content gets the errors of both streams.
  return pipeline(message, encoding === "br" ? createBrotliDecompress() : createUnzip(), () => {})
}

const limitWaiting = (request: ClientRequest) => {
  request.setTimeout(connectMillisMax, () => {
    if (request.socket?.connecting !== false) request.destroy(new Error(`no connection within ${connectMillisMax} ms`))
    else request.setTimeout(idleMillisMax - connectMillisMax, () => request.destroy(new Error("the server is silent")))
  })
}

const receive = ({ body, headers, method, signal, url }: SentRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http")
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const sent = request(url, {
      method,
      headers: { "accept-encoding": "gzip, deflate, br", ...headers, ...length },
      signal
    })
    limitWaiting(sent)
    sent.on("response", resolve)
    sent.on("error", reject)
    sent.end(body)
  })

const sendWithHttp = async (request: SentRequest): Promise<ReceivedResponse<HeaderReader>> => {
  const failed = (error: unknown): never => {
    throw request.signal.aborted ? error : new ConnectionFailed(error)
  }
  const message = await receive(request).catch(failed)
  const content = contentOf(message)
  const bytes = () => readAll(content).catch(failed)
  const textOf = (value: string | ReadonlyArray<string> | undefined) =>
    value === undefined ? null : typeof value === "string" ? value : value.join(", ")
  const received = {
    get: (name: string) => textOf(message.headers[name]),
    *[Symbol.iterator]() {
      for (const [name, value] of Object.entries(message.headers)) yield [name, textOf(value) ?? ""] as const
    }
  }
  return {
    status: message.statusCode ?? 0,
    headers: received,
    get body() {
      return toWeb(content)
    },
    arrayBuffer: async () => {
      const { buffer, byteLength, byteOffset } = await bytes()
      return buffer.slice(byteOffset, byteOffset + byteLength)
    },
    text: async () => new TextDecoder().decode(await bytes())
  }
}

/** A stream that fails if the connection does. */
const toWeb = (content: Readable): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const chunks = content.iterator() as AsyncIterator<Uint8Array<ArrayBuffer>>
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      cancel: async () => {
        content.destroy()
      }
    },
    { highWaterMark: 0 }
  )
}

/** Whether the proxy settings of Node, or a module loaded with `--import`, decide how `fetch` connects. */
const isFetchConfigured = () => Symbol.for("undici.globalDispatcher.1") in globalThis

export const send: Send<HeaderReader> = (request) => {
  if (isFetchConfigured()) return sendWithFetch()(request)
  const { validateHeaderValue } = process.getBuiltinModule("node:http")
  for (const [name, value] of Object.entries(request.headers)) validateHeaderValue(name, value)
  return sendWithHttp(request)
}
