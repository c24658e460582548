/** The public model catalog, as last read from the operator's URL. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { ApiFormat, Capability, ModelCatalogNotConfigured } from "./llm-providers.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { Unavailable } from "./shared/errors.ts"
import { pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

const dollars = (what: string) =>
  Schema.NullOr(Schema.Finite).annotate({ description: `US dollars per million ${what}.` })

export const ModelCost = Schema.Struct({
  input: dollars("input tokens"),
  output: dollars("output tokens"),
  cacheRead: dollars("tokens read from a cache"),
  cacheWrite: dollars("tokens written to a cache")
}).annotate({ identifier: "LlmModelCost" })
export type ModelCost = typeof ModelCost.Type

export const CatalogModel = Schema.Struct({
  providerId: Schema.String,
  id: Schema.String,
  name: Schema.String,
  capabilities: Schema.Array(Capability),
  inputModalities: Schema.Array(Schema.String),
  outputModalities: Schema.Array(Schema.String),
  cost: Schema.NullOr(ModelCost).annotate({ description: "Null when the catalog does not list it." }),
  contextLimit: Schema.NullOr(Schema.Int),
  outputLimit: Schema.NullOr(Schema.Int),
  releaseDate: Schema.NullOr(Schema.String).annotate({
    description: "The release date, such as `2026-11` or `2026-11-22`."
  }),
  lifecycle: Schema.NullOr(Schema.String).annotate({
    description: "The release status, such as `alpha`, `beta` or `deprecated`. Null for a regular model."
  })
}).annotate({ identifier: "CatalogModel" })
export type CatalogModel = typeof CatalogModel.Type

export const CatalogProvider = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  apiFormat: ApiFormat,
  baseUrl: Schema.NullOr(Schema.String).annotate({
    description: "Null if you must set it, or if it is built into the provider's library."
  }),
  env: Schema.Array(Schema.String),
  npm: Schema.NullOr(Schema.String),
  docUrl: Schema.NullOr(Schema.String),
  modelCount: Schema.Int
}).annotate({ identifier: "CatalogProvider" })
export type CatalogProvider = typeof CatalogProvider.Type

const page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    items: Schema.Array(item),
    nextCursor: Schema.NullOr(Schema.String.check(Schema.isBetweenCodePoints(1, 255))),
    generatedAt: Timestamp.annotate({ description: "When the catalog was last fetched or revalidated successfully." }),
    stale: Schema.Boolean.annotate({
      description:
        "Whether the catalog is more than an hour old because its source is unreachable or returns invalid data."
    })
  })

export const CatalogPage = page(CatalogModel).annotate({ identifier: "CatalogModelPage" })
export const CatalogProviderPage = page(CatalogProvider).annotate({ identifier: "CatalogProviderPage" })

const q = Schema.optionalKey(
  Text(1, 255).annotate({ description: "Filter by part of an id or name. Case-insensitive." })
)
const read = Access.permission("llmProviders:read")

/** More operations of the group `llmProviders`. */
export const endpoints = [
  HttpApiEndpoint.get("listCatalog", "/v1/llm-providers/catalog", {
    query: {
      ...pageQuery,
      q,
      providerId: Schema.optionalKey(Text(1, 64).annotate({ description: "Only models of this provider." })),
      capability: Schema.optionalKey(Capability.annotate({ description: "Only models with this capability." }))
    },
    success: CatalogPage,
    error: [ModelCatalogNotConfigured, Unavailable]
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "List the models of the public catalog",
      description:
        "Ordered by provider and id. The server fetches the catalog at most once an hour for all organizations and sends none of your data. Returns 409 if the operator has turned the catalog off, and 503 until the catalog has been fetched once."
    })
  ),
  HttpApiEndpoint.get("listCatalogProviders", "/v1/llm-providers/catalog/providers", {
    query: { ...pageQuery, q },
    success: CatalogProviderPage,
    error: [ModelCatalogNotConfigured, Unavailable]
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "List the providers of the public catalog",
      description: "Ordered by id."
    })
  )
] as const
