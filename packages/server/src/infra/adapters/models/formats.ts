import type { ApiFormat } from "@orgplane/schema/llm-providers"

interface Spoken {
  readonly apiFormat: ApiFormat
  /** Where the catalogue does not say it, because the package knows it by itself. */
  readonly baseUrl: string | null
}

const openai = (baseUrl: string | null): Spoken => ({ apiFormat: "openai_compatible", baseUrl })

/** The packages of the catalogue whose provider speaks one of our formats, with the address of its public interface. */
const packages: ReadonlyMap<string, Spoken> = new Map([
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

/** How the provider with this package is spoken to; what only the package knows is `other`. */
export const spokenBy = (npm: string | null): Spoken =>
  (npm === null ? undefined : packages.get(npm)) ?? { apiFormat: "other", baseUrl: null }
