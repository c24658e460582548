import type { TestCode } from "@orgplane/schema/llm-connect"
import type { ApiFormat } from "@orgplane/schema/llm-providers"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** The API formats that are supported. */
export type SpokenFormat = Exclude<ApiFormat, "other">

/** The header of a provider's API key, by format. */
export const keyHeaders: Readonly<Record<SpokenFormat, { readonly header: string; readonly scheme: string | null }>> = {
  openai_compatible: { header: "authorization", scheme: "Bearer" },
  anthropic: { header: "x-api-key", scheme: null },
  google: { header: "x-goog-api-key", scheme: null },
  azure_openai: { header: "api-key", scheme: null }
}

export interface LlmTarget {
  /** The organization whose share of sockets is used. */
  readonly organizationId: string
  readonly baseUrl: string
  readonly apiFormat: SpokenFormat
  /** Additional headers without secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for a provider that requires no key. */
  readonly apiKey: Redacted.Redacted | null
}

export interface LlmListing {
  readonly status: number
  /** As the provider returned them: they may contain secrets. */
  readonly models: ReadonlyArray<string>
  /** False when there are further pages. */
  readonly isWhole: boolean
}

/** Why there is no list; contains no data from the provider's response. */
export class LlmEndpointFailed extends Data.TaggedError("LlmEndpointFailed")<{
  readonly code: Exclude<TestCode, "not_testable">
  readonly status: number | null
}> {}

/** The APIs of model providers, limited to operations that are free of charge. */
export class LlmEndpoints extends Context.Service<
  LlmEndpoints,
  {
    /** The IDs of the provider's models; takes at most 15 seconds. */
    readonly listModels: (target: LlmTarget) => Effect.Effect<LlmListing, LlmEndpointFailed>
  }
>()("@orgplane/server/ports/LlmEndpoints") {}
