import type { CatalogModel, CatalogProvider } from "@orgplane/schema/llm-catalog"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** What is known of models and of those who offer them. */
export interface Catalog {
  readonly providers: ReadonlyArray<CatalogProvider>
  readonly models: ReadonlyArray<CatalogModel>
}

/** Why there is nothing to be read; a sentence of ours that holds nothing of the answer. */
export class ModelCatalogFailed extends Data.TaggedError("ModelCatalogFailed")<{ readonly message: string }> {}

export type CatalogAnswer =
  | { readonly kind: "unchanged" }
  | { readonly kind: "read"; readonly text: string; readonly etag: string | null }

/** The public catalogue of models, at the address that the operator names. */
export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    /** Null where the operator has turned it off. */
    readonly address: string | null
    /** Asks for it, or whether it is what its `etag` says still. What is answered can be parsed. */
    readonly read: (etag: string | null) => Effect.Effect<CatalogAnswer, ModelCatalogFailed>
    /** What a text of the catalogue says, without what in it is of no use. */
    readonly parse: (text: string) => Effect.Effect<Catalog, ModelCatalogFailed>
  }
>()("@orgplane/server/ports/ModelCatalog") {}
