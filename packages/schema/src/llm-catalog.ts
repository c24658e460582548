/** The public catalogue of models, as the operator's address told it last. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { ApiFormat, Capability, ModelCatalogNotConfigured } from "./llm-providers.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { Unavailable } from "./shared/errors.ts"
import { pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

const dollars = (what: string) =>
  Schema.NullOr(Schema.Finite).annotate({ description: `US dollars for a million tokens ${what}.` })

export const ModelCost = Schema.Struct({
  input: dollars("of a request"),
  output: dollars("of an answer"),
  cacheRead: dollars("read from a cache"),
  cacheWrite: dollars("written to a cache")
}).annotate({ identifier: "LlmModelCost" })
export type ModelCost = typeof ModelCost.Type

export const CatalogModel = Schema.Struct({
  providerId: Schema.String,
  id: Schema.String,
  name: Schema.String,
  capabilities: Schema.Array(Capability),
  inputModalities: Schema.Array(Schema.String),
  outputModalities: Schema.Array(Schema.String),
  cost: Schema.NullOr(ModelCost).annotate({ description: "Null where the catalogue does not say." }),
  contextLimit: Schema.NullOr(Schema.Int),
  outputLimit: Schema.NullOr(Schema.Int),
  releaseDate: Schema.NullOr(Schema.String).annotate({ description: "As 2026-11 or 2026-11-22." }),
  lifecycle: Schema.NullOr(Schema.String).annotate({
    description: "As `alpha`, `beta`, `deprecated`; null of a usual one."
  })
}).annotate({ identifier: "CatalogModel" })
export type CatalogModel = typeof CatalogModel.Type

export const CatalogProvider = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  apiFormat: ApiFormat,
  baseUrl: Schema.NullOr(Schema.String).annotate({
    description: "Null where it has to be told, or its library knows it."
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
    generatedAt: Timestamp.annotate({ description: "When the catalogue's address last said that it is so." }),
    stale: Schema.Boolean.annotate({
      description: "That was more than an hour ago: its address cannot be reached, or answers nothing of use."
    })
  })

export const CatalogPage = page(CatalogModel).annotate({ identifier: "CatalogModelPage" })
export const CatalogProviderPage = page(CatalogProvider).annotate({ identifier: "CatalogProviderPage" })

const q = Schema.optionalKey(Text(1, 255).annotate({ description: "Part of an id or name, in any case." }))
const read = Access.permission("llmProviders:read")

/** Operations of the group `llmProviders`. */
export const endpoints = [
  HttpApiEndpoint.get("listCatalog", "/v1/llm-providers/catalog", {
    query: {
      ...pageQuery,
      q,
      providerId: Schema.optionalKey(Text(1, 64)),
      capability: Schema.optionalKey(Capability)
    },
    success: CatalogPage,
    error: [ModelCatalogNotConfigured, Unavailable]
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "Lists the models of the public catalogue, by provider and id.",
      description:
        "Read at most once an hour, for all organizations; nothing of yours is sent. 409 where the operator has turned it off, 503 while it has never been reached."
    })
  ),
  HttpApiEndpoint.get("listCatalogProviders", "/v1/llm-providers/catalog/providers", {
    query: { ...pageQuery, q },
    success: CatalogProviderPage,
    error: [ModelCatalogNotConfigured, Unavailable]
  }).pipe(
    endpointMetadata({ access: read, paged: true, summary: "Lists the providers of the public catalogue, by id." })
  )
] as const
