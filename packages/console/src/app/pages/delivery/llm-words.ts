/** Formats, modes and capabilities of LLM providers, in words. */
import type { LlmApiFormat, LlmCapability, LlmCredentialMode, LlmModelCost } from "@orgplane/client"

export const apiFormats: ReadonlyArray<readonly [LlmApiFormat, string]> = [
  ["openai_compatible", "OpenAI-compatible"],
  ["anthropic", "Anthropic"],
  ["google", "Google"],
  ["azure_openai", "Azure OpenAI"],
  ["other", "Other: cannot be tested"]
]

export const apiFormatOf = (text: string): LlmApiFormat | undefined => apiFormats.find(([value]) => value === text)?.[0]

export const credentialModes: Readonly<
  Record<LlmCredentialMode, { readonly short: string; readonly label: string; readonly meaning: string }>
> = {
  shared: {
    short: "shared",
    label: "One key for everyone",
    meaning: "A manager sets the key. Everyone with a grant, and API keys, use it."
  },
  per_member: {
    short: "per member",
    label: "Each member's own key",
    meaning: "Each member with a grant sets a key, which no other member uses."
  },
  none: { short: "none", label: "No key", meaning: "Everyone with a grant uses the provider without a key." }
}

export const credentialModeOf = (text: string): LlmCredentialMode =>
  text === "per_member" ? "per_member" : text === "none" ? "none" : "shared"

export const capabilities: ReadonlyArray<readonly [LlmCapability, string]> = [
  ["attachment", "attachments"],
  ["reasoning", "reasoning"],
  ["tool_call", "tool calls"],
  ["temperature", "temperature"],
  ["structured_output", "structured output"],
  ["open_weights", "open weights"]
]

export const capabilityLabel = (capability: LlmCapability): string =>
  capabilities.find(([value]) => value === capability)?.[1] ?? capability

const tokens = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 })

export const tokensText = (limit: number | null): string => (limit === null ? "" : tokens.format(limit))

/** US dollars per million tokens, input and output. */
export const costText = (cost: LlmModelCost | null): string => {
  if (cost === null) return ""
  const price = (value: number | null) => (value === null ? "–" : dollars.format(value))
  return `${price(cost.input)} / ${price(cost.output)}`
}
