/** The keys of LLM providers: kept, handed out to who may use them, tried out. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { ModelCost } from "./llm-catalog.ts"
import { ApiFormat, at, Capability, LlmProviderNotFound, one, ProviderAnswer } from "./llm-providers.ts"
import { ConnectionNotReady } from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { JsonObject, Text } from "./shared/values.ts"

export const SetLlmCredential = Schema.Struct({
  apiKey: Text(1, 16_384).annotate({
    description: "Kept sealed; answered by `connect` alone. Printable ASCII without spaces, of `other` any text."
  })
}).annotate({ identifier: "SetLlmCredential" })

export const ConnectedModel = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  capabilities: Schema.NullOr(Schema.Array(Capability)).annotate({ description: "Null where nobody has said." }),
  contextLimit: Schema.NullOr(Schema.Int),
  outputLimit: Schema.NullOr(Schema.Int),
  cost: Schema.NullOr(ModelCost)
}).annotate({ identifier: "ConnectedLlmModel" })
export type ConnectedModel = typeof ConnectedModel.Type

/** All that a member's own machine needs to use a provider. */
export const LlmConnection = Schema.Struct({
  llmProviderId: Ids.LlmProviderId,
  name: Schema.String,
  providerId: Schema.String,
  apiFormat: ApiFormat,
  baseUrl: Schema.NullOr(Schema.String),
  npm: Schema.NullOr(Schema.String),
  env: Schema.Array(Schema.String),
  headers: Schema.Record(Schema.String, Schema.String),
  options: JsonObject,
  models: Schema.NullOr(Schema.Array(ConnectedModel)).annotate({
    description: "What may be used, with what the catalogue knows of it; null: all, and only the provider knows which."
  }),
  credential: Schema.NullOr(
    Schema.Struct({
      apiKey: Schema.String,
      shared: Schema.Boolean.annotate({ description: "Everybody's with a grant; else the caller's own." }),
      header: Schema.NullOr(Schema.String).annotate({ description: "Where the key goes; null of `other`." }),
      scheme: Schema.NullOr(Schema.String).annotate({ description: "The word before it, as `Bearer`." })
    })
  ).annotate({ description: "Null of a provider without credentials." })
}).annotate({ identifier: "LlmConnection" })
export type LlmConnection = typeof LlmConnection.Type

/** What can be wrong, by what it is about. */
export const testCodes = {
  network: ["destination_blocked", "unreachable", "timeout", "too_many_redirects", "busy"],
  authentication: ["unauthorized", "forbidden"],
  provider: ["not_found", "rate_limited", "server_error", "http_error"],
  protocol: ["unexpected_answer", "answer_too_large"],
  configuration: ["not_testable"]
} as const
export type TestCategory = keyof typeof testCodes
export type TestCode = (typeof testCodes)[TestCategory][number]
export const testCategories = ["network", "authentication", "provider", "protocol", "configuration"] as const

export const LlmProviderTest = Schema.Struct({
  ok: Schema.Boolean,
  category: Schema.NullOr(Schema.Literals(testCategories)),
  code: Schema.NullOr(
    Schema.Literals([
      ...testCodes.network,
      ...testCodes.authentication,
      ...testCodes.provider,
      ...testCodes.protocol,
      ...testCodes.configuration
    ])
  ),
  message: Schema.String.annotate({ description: "What came of it and what to do, in words of ours." }),
  latencyMs: Schema.Int,
  providerStatus: Schema.NullOr(Schema.Int).annotate({ description: "The status that the provider answered." }),
  modelsSeen: Schema.NullOr(Schema.Int).annotate({ description: "How many models it listed; null without a list." }),
  models: Schema.Array(Schema.String).annotate({ description: "Their ids, the first five hundred." }),
  missingModels: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Models that are enabled and not on its list; null where that cannot be told."
  })
}).annotate({ identifier: "LlmProviderTest" })
export type LlmProviderTest = typeof LlmProviderTest.Type

/** Nobody has set it. */
export class LlmCredentialNotFound extends notFound("llm_credential")<LlmCredentialNotFound>() {}

const read = Access.permission("llmProviders:read")

/** Operations of the group `llmProviders`. */
export const endpoints = [
  HttpApiEndpoint.put("setCredential", `${at}/credential`, {
    params: one,
    payload: SetLlmCredential,
    success: ProviderAnswer,
    error: [LlmProviderNotFound, ConnectionNotReady]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "llm_provider.set_credential",
      summary: "Keeps a key sealed: the shared one by a manager, their own by any member with a grant.",
      description: "In place of the one there was. The provider is not asked; `test` does that."
    })
  ),
  HttpApiEndpoint.delete("removeCredential", `${at}/credential`, {
    params: one,
    success: Done,
    error: [LlmProviderNotFound, LlmCredentialNotFound]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "llm_provider.remove_credential",
      summary: "Deletes the shared key, or the caller's own."
    })
  ),
  HttpApiEndpoint.post("connect", `${at}/connect`, {
    params: one,
    success: Schema.Struct({ connection: LlmConnection }),
    error: [LlmProviderNotFound, ConnectionNotReady]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "llm_provider.connect",
      idempotency: "fact",
      holdsSecret: true,
      summary: "Hands out what a member's machine needs to use the provider, the key included.",
      description:
        "Takes a grant that names the caller, also of owners and admins: 403 `grant_required` without one. 409 while there is no key for them."
    })
  ),
  HttpApiEndpoint.post("test", `${at}/test`, {
    params: one,
    success: Schema.Struct({ test: LlmProviderTest }),
    error: [LlmProviderNotFound, ConnectionNotReady]
  }).pipe(
    endpointMetadata({
      access: read,
      idempotency: "none",
      summary: "Asks the provider for its models with the key the caller would use; spends nothing.",
      description:
        "At most 15 seconds, and 30 tests a minute in an organization. A provider that refuses is an answer, not an error: 200 with `ok` false and what is wrong."
    })
  )
] as const
