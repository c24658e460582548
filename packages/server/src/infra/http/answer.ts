import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

/**
 * What the layers below the wire want said in the head of the answer under way. One object a request, made at the edge
 * and read there again when the answer leaves.
 */
export interface AnswerHead {
  readonly headers: Record<string, string>
  readonly requestId: string
  readonly address: string
  /** Sent by a browser for a page of another site that is not listed: what the browser added to it means nothing. */
  readonly foreignPage: boolean
  /** `group.endpoint`, once the route is known. */
  operation: string | undefined
  /** Told of the answer as it leaves. */
  left: ((response: HttpServerResponse) => Effect.Effect<void>) | undefined
}

export class Answer extends Context.Service<Answer, AnswerHead>()("@orgplane/server/http/Answer") {}
