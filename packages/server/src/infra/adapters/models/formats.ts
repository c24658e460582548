import type { ApiFormat } from "@orgplane/schema/llm-providers"

interface Protocol {
  readonly apiFormat: ApiFormat
  /** Null if the catalog does not contain it and only the package defines it. */
  readonly baseUrl: string | null
}

const openai = (baseUrl: string | null): Protocol => ({ apiFormat: "openai_compatible", baseUrl })

/** The catalog's packages whose provider supports one of our formats, with the base URL of its public API. */
const packages: ReadonlyMap<string, Protocol> = new Map([
  ["@ai-sdk/openai", openai("https://api.openai.com/v1")],
  ["@ai-sdk/openai-compatible", openai(null)],
  ["@ai-sdk/anthropic", { apiFormat: "anthropic", baseUrl: "https://api.anthropic.com/v1" }],
  ["@ai-sdk/google", { apiFormat: "google", baseUrl: "https://generativelanguage.googleapis.com/v1beta" }],
  ["@ai-sdk/azure", { apiFormat: "azure_openai", baseUrl: null }],
  ["@ai-sdk/cerebras", openai("https://api.cerebras.ai/v1")],
  ["@ai-sdk/deepinfra", openai("https://api.deepinfra.com/v1/openai")],
  ["@ai-sdk/groq", openai("https://api.groq.com/openai/v1")],
  ["@ai-sdk/mistral", openai("https://api.mistral.ai/v1")],
  ["@ai-sdk/perplexity", openai("https://api.perplexity.ai")],
  ["@ai-sdk/togetherai", openai("https://api.together.xyz/v1")],
  ["@ai-sdk/xai", openai("https://api.x.ai/v1")],
  ["@openrouter/ai-sdk-provider", openai("https://openrouter.ai/api/v1")]
])

/** The format and base URL of the provider with this package; `other` if only the package defines them. */
export const protocolOf = (npm: string | null): Protocol =>
  (npm === null ? undefined : packages.get(npm)) ?? { apiFormat: "other", baseUrl: null }
