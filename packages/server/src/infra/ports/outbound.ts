import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Where a URL comes from. `supplied`: from a caller, a document or a redirect, so only public addresses over https are
 * reached. `configured`: the operator configured exactly this origin, so it may be private. `loopback`: reported by a
 * process that this server started on this machine; only plain http on 127.0.0.1 is reached.
 */
export type Destination = "supplied" | "configured" | "loopback"

export interface OutboundRequest {
  readonly destination: Destination
  readonly url: string
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** 0 to 5; 0 fails on any redirect. Each hop is checked; only safe headers are sent to other origins. Default: 5. */
  readonly redirectsMax?: number
  /**
   * Whether a redirect to the URL may be followed, in addition to the client's own checks. Default: all redirects are
   * followed.
   */
  readonly mayFollow?: (url: URL) => boolean
  /** Timeout of the whole exchange, from waiting for a slot to the last byte; at most an hour. Default: 10,000. */
  readonly timeoutMillis?: number
  /** Timeout from the start to the response headers, within `timeoutMillis`, for streams that run long. */
  readonly headersTimeoutMillis?: number
  /** Maximum pause between chunks of the body, within `timeoutMillis`. Time that the reader takes is not counted. */
  readonly idleTimeoutMillis?: number
  /** Maximum size of the decompressed body in bytes. Default: 1 MiB. */
  readonly bodyBytesMax?: number
  /** The organization whose share of slots is used (16 at once); absent for the process's own requests. */
  readonly organizationId?: string
  /**
   * `deliveries` have slots and idle connections of their own (160 at once for an organization), so that receivers that do not respond delay
   * no other request. Default: `requests`.
   */
  readonly slots?: "requests" | "deliveries"
  /**
   * Keeps the connection after the response for a few seconds, for requests to the same origin with the same
   * organization, owner and credential. Both are opaque; `credential` is a digest of everything that authenticates the
   * request. Default: the connection is closed.
   */
  readonly reuse?: { readonly owner: string; readonly credential: string }
  /**
   * Whether the request may be sent again over a new connection if the server closes an idle one at that moment. Default:
   * true for GET, HEAD, PUT and DELETE.
   */
  readonly isIdempotent?: boolean
}

/**
 * Waiting for a slot, name lookup, TCP (with the proxy's tunnel), TLS, request up to response headers (`headers`), body.
 */
export type OutboundPhase = "wait" | "lookup" | "connect" | "secure" | "headers" | "body"

/** The time of each phase, including redirects; 0 for one that was not reached, and for the lookup of an IP address. */
export type OutboundPhaseMillis = Readonly<Record<OutboundPhase, number>>

/** Names and values as sent, in order. Repeated headers are listed separately. */
export type OutboundRawHeaders = ReadonlyArray<readonly [name: string, value: string]>

export interface OutboundMetadata {
  readonly status: number
  readonly statusText: string
  /** The URL of the response, after redirects. */
  readonly url: string
  /** Names in lower case; repeated headers joined by a comma. No `content-encoding` when the body was decompressed. */
  readonly headers: Readonly<Record<string, string>>
  /** The response headers as received. They may contain secrets, as `sent` may: redact them before storing them. */
  readonly rawHeaders: OutboundRawHeaders
  /** The request of this response: the last one, after redirects. */
  readonly sent: { readonly method: string; readonly rawHeaders: OutboundRawHeaders }
  /** For a stream, `body` is 0, because the reader determines the duration. */
  readonly phaseMillis: OutboundPhaseMillis
}

export type OutboundStart = Pick<OutboundMetadata, "status" | "headers"> & { readonly body: Uint8Array }

export interface OutboundResponse extends OutboundMetadata {
  readonly body: Uint8Array
}

export interface OutboundStream extends OutboundMetadata {
  /** Decompressed chunks as they arrive. Rejects with `OutboundFailed` when a limit is exceeded. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Why there is no response. `blocked` always has the same message and no phase, so that it cannot be used to map a
 * network.
 */
export class OutboundFailed extends Data.TaggedError("OutboundFailed")<{
  readonly code: "blocked" | "invalid_url" | "unreachable" | "timeout" | "too_large" | "too_many_redirects" | "busy"
  readonly message: string
  /** The phase in which a started exchange failed. */
  readonly phase?: OutboundPhase
  readonly phaseMillis?: OutboundPhaseMillis
}> {}

/**
 * The outbound HTTP client. No other code opens outbound connections.
 *
 * `request` reads the whole response, and `start` its start. `stream` returns after the headers, and its body can be read until the scope
 * closes, which closes the connection and releases its slot, as does interruption. For events that arrive over minutes:
 * `stream({ …, headersTimeoutMillis: 10_000, idleTimeoutMillis: 60_000, timeoutMillis: 300_000, bodyBytesMax: 4_194_304
 * })`.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    readonly request: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailed>
    readonly stream: (request: OutboundRequest) => Effect.Effect<OutboundStream, OutboundFailed, Scope.Scope>
    /**
     * Reads only the start of the body: the chunks up to this number of bytes, or what arrived before the connection broke. It
     * takes less time than the others, for many small requests.
     */
    readonly start: (request: OutboundRequest, bytes: number) => Effect.Effect<OutboundStart, OutboundFailed>
    /** Closes the idle connections of an owner, whose credentials have been removed or replaced. */
    readonly closeIdle: (organizationId: string, owner: string) => Effect.Effect<void>
  }
>()("@orgplane/server/ports/Outbound") {}

/** The response as a platform `Response`, for libraries that use fetch. */
export const toResponse = ({ body, headers, status }: OutboundResponse): Response =>
  new Response([204, 205, 304].includes(status) || body.byteLength === 0 ? null : new Uint8Array(body), {
    status,
    headers
  })

/** Encodes as `application/x-www-form-urlencoded`, which leaves `*`, `-`, `.` and `_` unchanged. */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/**
 * `client_secret_basic` (RFC 6749, section 2.3.1). Libraries that also percent-encode `-`, `.` and `_` are rejected by
 * authorization servers that compare the credentials without decoding them.
 */
export const basicAuthorization = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString("base64")}`

/** The text of the body of such a library's request. */
export const bodyTextOf = (body: unknown): string | undefined =>
  body instanceof URLSearchParams ? body.toString() : typeof body === "string" ? body : undefined
