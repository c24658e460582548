import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * Why there are no vectors. The message contains no part of the texts, the response or the key. `refused`: because of
 * the texts, so the same texts may be accepted one by one; `unavailable`: may be temporary.
 */
export class EmbedderFailed extends Data.TaggedError("EmbedderFailed")<{
  readonly code: "refused" | "unavailable"
  readonly message: string
}> {}

/** Computes vectors of texts, which are close to each other when the texts have a similar meaning. */
export class Embedder extends Context.Service<
  Embedder,
  {
    /** The model with which vectors are computed. Stored vectors from another model are recomputed. */
    readonly model: string
    /** A vector for each text, in order, all of one dimension (1 to 4096). Has a timeout. */
    readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderFailed>
  }
>()("@orgplane/server/ports/Embedder") {}
