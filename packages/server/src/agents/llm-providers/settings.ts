import type { CatalogProvider } from "@orgplane/schema/llm-catalog"
import type { CreateLlmProvider, EnabledModel, EnableModel, UpdateLlmProvider } from "@orgplane/schema/llm-providers"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import { canonicalJson } from "../../infra/canonical-json.ts"
import type { Row, Settings } from "./repo.ts"

export type Input = typeof UpdateLlmProvider.Type & Partial<typeof CreateLlmProvider.Type>

/** The provider ID of a provider outside the catalog, with its own base URL. */
export const custom = "custom"

const enabledModels = (models: ReadonlyArray<typeof EnableModel.Type>): ReadonlyArray<EnabledModel> =>
  models.map(({ capabilities = null, contextLimit = null, id, label = null, outputLimit = null }) => ({
    id,
    label,
    capabilities: capabilities === null ? null : [...new Set(capabilities)],
    contextLimit,
    outputLimit
  }))

const settingsOfRow = (row: Row): Settings => ({
  name: row.name,
  providerId: row.provider_id,
  apiFormat: row.api_format,
  baseUrl: row.base_url,
  env: row.env_json,
  npm: row.npm,
  docUrl: row.doc_url,
  models: row.models_json,
  credentialMode: row.credential_mode,
  headers: row.headers_json,
  options: row.options_json
})

const noEntry = { apiFormat: "openai_compatible", baseUrl: null, env: [], npm: null, docUrl: null } as const

/** The initial settings of a new provider ID, from the catalog entry. */
const initialSettings = (input: Input, existing: Row | null, entry: CatalogProvider | undefined): Settings => {
  const { apiFormat, baseUrl, docUrl, env, npm } = entry ?? noEntry
  return {
    name: existing?.name ?? "",
    providerId: input.providerId ?? "",
    apiFormat,
    baseUrl,
    env,
    npm,
    docUrl,
    models: null,
    credentialMode: existing?.credential_mode ?? "shared",
    headers: {},
    options: {}
  }
}

/** Whether the input changes the provider ID. If so, the previous settings do not apply. */
export const changesProvider = (input: Input, existing: Row | null): boolean =>
  existing === null || (input.providerId !== undefined && input.providerId !== existing.provider_id)

/**
 * The settings after the input is applied; `existing` is null for a new provider. `entry` is the catalog entry of a
 * changed provider ID.
 */
export const settingsOf = Effect.fnUntraced(function* (
  input: Input,
  existing: Row | null,
  entry: CatalogProvider | undefined
) {
  if (changesProvider(input, existing) && input.providerId !== custom && entry === undefined) {
    return yield* InvalidRequest.at(
      ["body", "providerId"],
      "must be a provider ID from the catalog, or `custom` for a provider with your own base URL"
    )
  }
  const base =
    existing !== null && !changesProvider(input, existing)
      ? settingsOfRow(existing)
      : initialSettings(input, existing, entry)
  const settings: Settings = {
    ...base,
    name: input.name ?? base.name,
    apiFormat: input.apiFormat ?? base.apiFormat,
    baseUrl: input.baseUrl ?? base.baseUrl,
    env: input.env === undefined ? base.env : [...new Set(input.env)],
    models: input.models === undefined ? base.models : input.models === null ? null : enabledModels(input.models),
    credentialMode: input.credentialMode ?? base.credentialMode,
    headers: input.headers ?? base.headers,
    options: input.options ?? base.options
  }
  if (settings.baseUrl === null && settings.apiFormat !== "other") {
    return yield* InvalidRequest.at(
      ["body", "baseUrl"],
      settings.providerId === custom
        ? "is required for providerId custom"
        : "is required: the catalog has no base URL for this provider"
    )
  }
  return settings
})

/** Whether the change makes the stored keys invalid. */
export const invalidatesKeys = (existing: Row, after: Settings): boolean =>
  existing.provider_id !== after.providerId ||
  existing.base_url !== after.baseUrl ||
  existing.credential_mode !== after.credentialMode

/** Compares canonical texts, because PostgreSQL does not keep the order of members. */
export const isSame = (existing: Row, after: Settings): boolean =>
  canonicalJson(settingsOfRow(existing)) === canonicalJson(after)
