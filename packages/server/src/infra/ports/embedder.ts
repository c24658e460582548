import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/**
 * Why there are no vectors; a sentence of ours that holds nothing of the texts, the answer or the key. `refused`: it is
 * about what was sent, so that the same texts one by one may be taken; `unavailable`: it may go by itself.
 */
export class EmbedderFailed extends Data.TaggedError("EmbedderFailed")<{
  readonly code: "refused" | "unavailable"
  readonly message: string
}> {}

/** What makes texts into vectors that lie near to each other when the texts mean the same. */
export class Embedder extends Context.Service<
  Embedder,
  {
    /** What stored vectors were made by: those of another one are made anew. */
    readonly model: string
    /** A vector for each text, in their order, all of one dimension (1 to 4096). Ends in bounded time. */
    readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderFailed>
  }
>()("@orgplane/server/ports/Embedder") {}
