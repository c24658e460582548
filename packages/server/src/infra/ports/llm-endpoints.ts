import type { TestCode } from "@orgplane/schema/llm-connect"
import type { ApiFormat } from "@orgplane/schema/llm-providers"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** The formats that we speak. */
export type SpokenFormat = Exclude<ApiFormat, "other">

/** Where a provider's key goes, by the format. */
export const keyHeaders: Readonly<Record<SpokenFormat, { readonly header: string; readonly scheme: string | null }>> = {
  openai_compatible: { header: "authorization", scheme: "Bearer" },
  anthropic: { header: "x-api-key", scheme: null },
  google: { header: "x-goog-api-key", scheme: null },
  azure_openai: { header: "api-key", scheme: null }
}

export interface LlmTarget {
  /** Whose share of the sockets is used. */
  readonly organizationId: string
  readonly baseUrl: string
  readonly apiFormat: SpokenFormat
  /** Further headers, none of them secret. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for a provider that asks for none. */
  readonly apiKey: Redacted.Redacted | null
}

export interface LlmListing {
  readonly status: number
  /** The provider's words: nothing says that they hold no secret. */
  readonly models: ReadonlyArray<string>
  /** False when there is more than the first page. */
  readonly isWhole: boolean
}

/** Why there is no list; says nothing of what the provider said. */
export class LlmEndpointFailed extends Data.TaggedError("LlmEndpointFailed")<{
  readonly code: Exclude<TestCode, "not_testable">
  readonly status: number | null
}> {}

/** The interfaces of providers of models, as far as they cost nothing. */
export class LlmEndpoints extends Context.Service<
  LlmEndpoints,
  {
    /** The provider's models by their ids; at most 15 seconds. */
    readonly listModels: (target: LlmTarget) => Effect.Effect<LlmListing, LlmEndpointFailed>
  }
>()("@orgplane/server/ports/LlmEndpoints") {}
