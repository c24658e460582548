/** API keys of LLM providers: stored, returned to members with a grant, and tested. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { ModelCost } from "./llm-catalog.ts"
import { ApiFormat, at, Capability, LlmProviderNotFound, one, ProviderResponse } from "./llm-providers.ts"
import { ConnectionNotReady } from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { JsonObject, Text } from "./shared/values.ts"

export const SetLlmCredential = Schema.Struct({
  apiKey: Text(1, 16_384).annotate({
    description:
      "Stored encrypted; only `connect` returns it. Must be printable ASCII without spaces, or any text if `apiFormat` is `other`."
  })
}).annotate({ identifier: "SetLlmCredential" })

export const ConnectedModel = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  capabilities: Schema.NullOr(Schema.Array(Capability)).annotate({ description: "Null when unknown." }),
  contextLimit: Schema.NullOr(Schema.Int),
  outputLimit: Schema.NullOr(Schema.Int),
  cost: Schema.NullOr(ModelCost)
}).annotate({ identifier: "ConnectedLlmModel" })
export type ConnectedModel = typeof ConnectedModel.Type

/** Everything that a member's machine needs to use a provider. */
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
    description:
      "The models that members may use, with catalog data. Null if all models are allowed; to list them, query the provider."
  }),
  credential: Schema.NullOr(
    Schema.Struct({
      apiKey: Schema.String,
      shared: Schema.Boolean.annotate({
        description: "True for the key that everyone with a grant uses; false for the caller's own key."
      }),
      header: Schema.NullOr(Schema.String).annotate({
        description: "The request header that carries the key. Null if `apiFormat` is `other`."
      }),
      scheme: Schema.NullOr(Schema.String).annotate({
        description: "The authentication scheme before the key, such as `Bearer`."
      })
    })
  ).annotate({ description: "Null for a provider without credentials." })
}).annotate({ identifier: "LlmConnection" })
export type LlmConnection = typeof LlmConnection.Type

/** Failure codes by category. */
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
  message: Schema.String.annotate({ description: "The result and, after a failure, what to do." }),
  latencyMs: Schema.Int,
  providerStatus: Schema.NullOr(Schema.Int).annotate({ description: "The HTTP status that the provider returned." }),
  modelsSeen: Schema.NullOr(Schema.Int).annotate({
    description: "The number of models that the provider listed. Null if it returned no list."
  }),
  models: Schema.Array(Schema.String).annotate({ description: "The ids of those models, at most 500." }),
  missingModels: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Enabled models that the provider did not list. Null if unknown."
  })
}).annotate({ identifier: "LlmProviderTest" })
export type LlmProviderTest = typeof LlmProviderTest.Type

/** No credential is set. */
export class LlmCredentialNotFound extends notFound("llm_credential")<LlmCredentialNotFound>() {}

const read = Access.permission("llmProviders:read")

/** More operations of the group `llmProviders`. */
export const endpoints = [
  HttpApiEndpoint.put("setCredential", `${at}/credential`, {
    params: one,
    payload: SetLlmCredential,
    success: ProviderResponse,
    error: [LlmProviderNotFound, ConnectionNotReady]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "llm_provider.set_credential",
      summary: "Set the credential of an LLM provider",
      description:
        "Stores the key encrypted and replaces the previous one. Setting a shared key requires manager access; any member with a grant can set their own key. The key is not checked against the provider; use `test` for that."
    })
  ),
  HttpApiEndpoint.delete("removeCredential", `${at}/credential`, {
    params: one,
    success: NoContent,
    error: [LlmProviderNotFound, LlmCredentialNotFound]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "llm_provider.remove_credential",
      summary: "Delete the credential of an LLM provider",
      description: "Deletes the shared key, or the caller's own if `credentialMode` is `per_member`."
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
      summary: "Get everything needed to use an LLM provider",
      description:
        "Returns the connection settings, including the key. Requires a grant that includes the caller, even if the caller is an owner or admin, because the response contains the key (403 `grant_required` otherwise). Returns 409 if no key is set for the caller."
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
      summary: "Test the connection to an LLM provider",
      description:
        "Lists the provider's models with the caller's key; spends no tokens. Takes at most 15 seconds. Limit: 30 tests per minute per organization. If the test fails, returns 200 with `ok: false` and the cause."
    })
  )
] as const
