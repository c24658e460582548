import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Where an address comes from. `supplied`: a caller, a document or a redirect named it, so only public addresses over
 * https are reached. `configured`: the operator named exactly this origin, so it may be private. `loopback`: a process that
 * this server started on this machine said that it answers there; nothing but plain http on 127.0.0.1 is reached.
 */
export type Destination = "supplied" | "configured" | "loopback"

export interface OutboundRequest {
  readonly destination: Destination
  readonly url: string
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** 0-5; 5 unless told; 0 fails on any redirect. Each hop is judged again; across origins only neutral headers go. */
  readonly redirectsMax?: number
  /** Whether a redirect may lead there; the guard judges it as well. Anywhere it allows unless told. */
  readonly mayFollow?: (url: URL) => boolean
  /** The whole exchange, from the wait for a free socket to the last byte; 10 000 unless told, an hour at most. */
  readonly timeoutMillis?: number
  /** From the beginning to the head of the answer, within `timeoutMillis`: a stream may run long, its head may not. */
  readonly headTimeoutMillis?: number
  /** The longest silence while the body is read, within `timeoutMillis`; time the reader takes for itself is not counted. */
  readonly idleTimeoutMillis?: number
  /** Bytes of body after decompression; 1 MiB unless told. */
  readonly bodyBytesMax?: number
  /** Whose share of the sockets this uses (16 at once); absent for the process's own work. */
  readonly organizationId?: string
}

/** The wait for a free socket, the name, TCP (with the proxy's tunnel), TLS, the request up to the answer's head, its body. */
export type OutboundPhase = "wait" | "lookup" | "connect" | "secure" | "head" | "body"

/** What each phase took, redirects summed up; 0 for one that was not reached, and a literal address has no lookup. */
export type OutboundPhaseMillis = Readonly<Record<OutboundPhase, number>>

/** Name and value as they stood on the wire, in that order, repeated ones apart. */
export type OutboundRawHeaders = ReadonlyArray<readonly [name: string, value: string]>

export interface OutboundHead {
  readonly status: number
  readonly statusText: string
  /** The address that answered, after redirects. */
  readonly url: string
  /** Names in lower case; repeated ones joined by a comma. `content-encoding` is gone when the body was decompressed. */
  readonly headers: Readonly<Record<string, string>>
  /** The answer's headers as received. May hold secrets, as all of `sent` may: redact before keeping them. */
  readonly rawHeaders: OutboundRawHeaders
  /** The request that was answered: the last one, after redirects. */
  readonly sent: { readonly method: string; readonly rawHeaders: OutboundRawHeaders }
  /** A stream's `body` is 0: its reader is the one who takes the time. */
  readonly phaseMillis: OutboundPhaseMillis
}

export interface OutboundResponse extends OutboundHead {
  readonly body: Uint8Array
}

export interface OutboundStream extends OutboundHead {
  /** Each chunk as it comes, decompressed. Ends with an `OutboundFailed` rejection when a bound is passed. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Why no answer came. `blocked` has one message whatever was blocked, and no phase, so that it cannot be used to map a
 * network.
 */
export class OutboundFailed extends Data.TaggedError("OutboundFailed")<{
  readonly code: "blocked" | "invalid_url" | "unreachable" | "timeout" | "too_large" | "too_many_redirects" | "busy"
  readonly message: string
  /** Where an exchange that had begun broke off. */
  readonly phase?: OutboundPhase
  readonly phaseMillis?: OutboundPhaseMillis
}> {}

/**
 * The one way out of the process over HTTP: nothing else opens a connection.
 *
 * `request` reads the whole answer. `stream` answers at its head and lends the body until the scope closes, which ends the
 * connection and gives its place back; interruption does too. For events that come over minutes:
 * `stream({ …, headTimeoutMillis: 10_000, idleTimeoutMillis: 60_000, timeoutMillis: 300_000, bodyBytesMax: 4_194_304 })`.
 */
export class Outbound extends Context.Service<
  Outbound,
  {
    readonly request: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailed>
    readonly stream: (request: OutboundRequest) => Effect.Effect<OutboundStream, OutboundFailed, Scope.Scope>
  }
>()("@orgplane/server/ports/Outbound") {}

/** An answer in the shape of the platform, for libraries that fetch. */
export const toResponse = ({ body, headers, status }: OutboundResponse): Response =>
  new Response([204, 205, 304].includes(status) || body.byteLength === 0 ? null : new Uint8Array(body), {
    status,
    headers
  })

/** As `application/x-www-form-urlencoded` has it, which leaves `*`, `-`, `.` and `_` as they are. */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/**
 * `client_secret_basic` (RFC 6749, section 2.3.1). Libraries that also percent-encode `-`, `.` and `_` are refused by
 * authorization servers that compare the credentials without decoding them.
 */
export const basicAuthorization = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString("base64")}`

/** The text of a body that such a library sends. */
export const bodyTextOf = (body: unknown): string | undefined =>
  body instanceof URLSearchParams ? body.toString() : typeof body === "string" ? body : undefined
