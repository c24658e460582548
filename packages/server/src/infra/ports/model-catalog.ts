import type { CatalogModel, CatalogProvider } from "@orgplane/schema/llm-catalog"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** Models and their providers. */
export interface Catalog {
  readonly providers: ReadonlyArray<CatalogProvider>
  readonly models: ReadonlyArray<CatalogModel>
}

/** Why the catalog cannot be read; the message contains no data from the response. */
export class ModelCatalogFailed extends Data.TaggedError("ModelCatalogFailed")<{ readonly message: string }> {}

export type CatalogResponse =
  | { readonly kind: "unchanged" }
  | { readonly kind: "read"; readonly text: string; readonly etag: string | null }

/** The public model catalog at the URL that the operator configured. */
export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    /** Null when the operator has turned it off. */
    readonly address: string | null
    /** Reads the catalog, unless it still matches the `etag`. The returned text can be parsed. */
    readonly read: (etag: string | null) => Effect.Effect<CatalogResponse, ModelCatalogFailed>
    /** Parses a catalog, without the parts that are not used. */
    readonly parse: (text: string) => Effect.Effect<Catalog, ModelCatalogFailed>
  }
>()("@orgplane/server/ports/ModelCatalog") {}
