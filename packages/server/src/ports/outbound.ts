import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Where an address comes from. `supplied`: a caller, a document or a redirect named it, so only public addresses over
 * https are reached. `configured`: the operator named exactly this origin, so it may be private.
 */
export type Destination = "supplied" | "configured"

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
  /** The whole exchange, from the wait for a free socket to the last byte; 10 000 unless told. */
  readonly timeoutMillis?: number
  /** Bytes of body after decompression; 1 MiB unless told. */
  readonly bodyBytesMax?: number
  /** Whose share of the sockets this uses (16 at once); absent for the process's own work. */
  readonly organizationId?: string
}

export interface OutboundHead {
  readonly status: number
  readonly statusText: string
  /** The address that answered, after redirects. */
  readonly url: string
  /** Names in lower case; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
}

export interface OutboundResponse extends OutboundHead {
  readonly body: Uint8Array
}

export interface OutboundStream extends OutboundHead {
  /** Ends with an `OutboundFailed` rejection when a bound is passed. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Why no answer came. `blocked` has one message whatever was blocked, so that it cannot be used to map a network.
 */
export class OutboundFailed extends Data.TaggedError("OutboundFailed")<{
  readonly code: "blocked" | "invalid_url" | "unreachable" | "timeout" | "too_large" | "too_many_redirects" | "busy"
  readonly message: string
}> {}

/** The one way out of the process over HTTP: nothing else opens a connection. */
export class Outbound extends Context.Service<
  Outbound,
  {
    readonly request: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailed>
    readonly stream: (request: OutboundRequest) => Effect.Effect<OutboundStream, OutboundFailed, Scope.Scope>
  }
>()("@orgplane/server/ports/Outbound") {}
