/** Sends the requests of a command to one server with one credential. */
import {
  type CallResult,
  makeTransport,
  type ReceivedResponse,
  type SentRequest,
  withoutLinkTokens
} from "@orgplane/client/transport"
import { exit } from "./exit-code.ts"
import { Failure } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import { type Io, notify } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import type { WireRequest } from "./request.ts"
import { resolveSettings, type Settings, warnAboutPlainHttp } from "./settings.ts"
import { version } from "./version.ts"

type ResponseHeaders = Pick<Headers, "get">

export interface SendOptions {
  /** Sends an `Idempotency-Key`, so that the request can be retried safely. */
  readonly idempotent?: boolean
  /** Retries after the first attempt. Default: the client's setting. */
  readonly retries?: number
  /** Timeout for the whole call. Default: the client's setting. */
  readonly timeoutMillis?: number
}

export interface Connection {
  /** Returns the response body, or `undefined` if there is none. */
  send(request: WireRequest, options?: SendOptions): Promise<unknown>
  /** Returns the response body as a stream. */
  stream(request: WireRequest): Promise<ReadableStream<Uint8Array>>
  /** Returns the response body as a stream, with status and headers. Fails with the status 304 if it has this `ETag`. */
  download(
    request: WireRequest,
    options?: { readonly ifNoneMatch?: string }
  ): Promise<CallResult<ReadableStream<Uint8Array>, ResponseHeaders>>
}

export const userAgent = `orgplane-cli/${version}`

/** Sends requests and logs each with its URL, status, duration and request ID. Credentials are never logged. */
export const withRequestLog = (io: Io, debug: boolean): Io["send"] => {
  if (!debug) return io.send
  const logged = async (
    request: SentRequest,
    pending: Promise<ReceivedResponse<ResponseHeaders>>
  ): Promise<ReceivedResponse<ResponseHeaders>> => {
    const started = io.now()
    const { pathname, search } = request.url
    const line = `orgplane: ${request.method} ${withoutLinkTokens(escapeControls(pathname + search))}`
    try {
      const response = await pending
      const id = response.headers.get("x-request-id")
      await notify(
        io,
        `${line} ${response.status} ${io.now() - started}ms${id === null ? "" : ` ${escapeControls(id)}`}`
      )
      return response
    } catch (error) {
      await notify(io, `${line} failed after ${io.now() - started}ms`)
      throw error
    }
  }
  return (request) => logged(request, io.send(request))
}

/** Shows a warning from the server, such as about unknown fields of the request that it ignored. */
export const showWarning = (io: Io, message: string): Promise<void> =>
  notify(io, `orgplane: warning: ${escapeControls(message)}`)

/** Shows that an operation is deprecated. */
export const showDeprecation = async (io: Io, { quiet }: Pick<Globals, "quiet">, message: string): Promise<void> => {
  if (!quiet) await showWarning(io, message)
}

export const connect = (io: Io, settings: Settings, globals: Pick<Globals, "debug" | "quiet">): Connection => {
  const { baseUrl, credential, organization } = settings
  const client = makeTransport(
    {
      baseUrl,
      token: credential?.kind === "session" ? credential.secret : undefined,
      apiKey: credential?.kind === "key" ? credential.secret : undefined,
      organizationId: organization,
      // Standard error may be closed, and the command still succeeds.
      onWarning: (message, { deprecation }) =>
        void (
          message === deprecation?.message ? showDeprecation(io, globals, message) : showWarning(io, message)
        ).catch(() => {})
    },
    withRequestLog(io, globals.debug)
  )
  const requestStream = ({ body, method, path, query }: WireRequest, ifNoneMatch?: string) =>
    client.request<ReadableStream<Uint8Array>>(method, path, {
      query,
      body,
      signal: io.signal,
      headers: { "user-agent": userAgent, accept: "*/*" },
      ifNoneMatch,
      streams: true
    })
  return {
    send: ({ body, method, path, query }, options = {}) =>
      client.request(method, path, {
        query,
        body,
        signal: io.signal,
        headers: { "user-agent": userAgent },
        retries: options.retries,
        timeoutMillis: options.timeoutMillis,
        idempotencyKey: options.idempotent ? crypto.randomUUID() : undefined
      }),
    stream: (request) => requestStream(request),
    download: (request, { ifNoneMatch } = {}) => requestStream(request, ifNoneMatch).withResponse()
  }
}

/** Connects with the resolved settings. Fails without a credential. */
export const connectSignedIn = async (io: Io, globals: Globals): Promise<Connection> => {
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(exit.notSignedIn, "Not signed in. Run 'orgplane login', or set ORGPLANE_TOKEN.")
  }
  await warnAboutPlainHttp(io, settings)
  return connect(io, settings, globals)
}
