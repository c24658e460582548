import type { CallerResponse } from "@orgplane/schema/shared/caller"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

/**
 * The status, the response headers and the metadata that inner layers set for a request. There is one object per
 * request: the edge creates it, and reads it when the response is sent.
 */
export interface ResponseState extends CallerResponse {
  readonly requestId: string
  readonly address: string
  /**
   * A browser sent the request on behalf of a page of another site whose origin is not listed, so its cookies are not
   * trusted.
   */
  readonly foreignPage: boolean
  /** `group.endpoint`, once the route is known. */
  operation: string | undefined
  /** Called with the response before it is sent. */
  onSend: ((response: HttpServerResponse) => Effect.Effect<void>) | undefined
  /** Called with a response that refuses the request: with 401, 403 or 429. */
  onRefusal: ((response: HttpServerResponse, nowMillis: number) => void) | undefined
}

export class CurrentResponse extends Context.Service<CurrentResponse, ResponseState>()(
  "@orgplane/server/http/CurrentResponse"
) {}
