import * as Context from "effect/Context"

/**
 * What the layers below the wire want said in the head of the answer under way. One object a request, made at the edge
 * and read there again when the answer leaves.
 */
export interface AnswerHead {
  readonly headers: Record<string, string>
  readonly requestId: string
  readonly address: string
  /** `group.endpoint`, once the route is known. */
  operation: string | undefined
}

export class Answer extends Context.Service<Answer, AnswerHead>()("@orgplane/server/http/Answer") {}
