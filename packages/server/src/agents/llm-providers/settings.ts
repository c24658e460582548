import type { CatalogProvider } from "@orgplane/schema/llm-catalog"
import type { CreateLlmProvider, EnabledModel, EnableModel, UpdateLlmProvider } from "@orgplane/schema/llm-providers"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { Row, Settings } from "./repo.ts"

export type Input = typeof UpdateLlmProvider.Type & Partial<typeof CreateLlmProvider.Type>

/** A provider that the catalogue does not know: an address of one's own. */
export const custom = "custom"

const enabled = (models: ReadonlyArray<typeof EnableModel.Type>): ReadonlyArray<EnabledModel> =>
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

const unknown = { apiFormat: "openai_compatible", baseUrl: null, env: [], npm: null, docUrl: null } as const

/** What another provider is before anything is said of it but what the catalogue does. */
const beginning = (input: Input, before: Row | null, entry: CatalogProvider | undefined): Settings => {
  const { apiFormat, baseUrl, docUrl, env, npm } = entry ?? unknown
  return {
    name: before?.name ?? "",
    providerId: input.providerId ?? "",
    apiFormat,
    baseUrl,
    env,
    npm,
    docUrl,
    models: null,
    credentialMode: before?.credential_mode ?? "shared",
    headers: {},
    options: {}
  }
}

/** Whether it is said to be a provider that it was not: whatever was said of the former one is not of this one. */
export const isOther = (input: Input, before: Row | null): boolean =>
  before === null || (input.providerId !== undefined && input.providerId !== before.provider_id)

/**
 * What a provider is after somebody said this of it; `before` is null of a new one. `entry` is the catalogue's, of one
 * that is another than before.
 */
export const settingsOf = Effect.fnUntraced(function* (
  input: Input,
  before: Row | null,
  entry: CatalogProvider | undefined
) {
  if (isOther(input, before) && input.providerId !== custom && entry === undefined) {
    return yield* InvalidRequest.at(
      ["body", "providerId"],
      "is not a provider of the catalogue; `custom` is one with an address of your own"
    )
  }
  const kept = before !== null && !isOther(input, before) ? settingsOfRow(before) : beginning(input, before, entry)
  const settings: Settings = {
    ...kept,
    name: input.name ?? kept.name,
    apiFormat: input.apiFormat ?? kept.apiFormat,
    baseUrl: input.baseUrl ?? kept.baseUrl,
    env: input.env === undefined ? kept.env : [...new Set(input.env)],
    models: input.models === undefined ? kept.models : input.models === null ? null : enabled(input.models),
    credentialMode: input.credentialMode ?? kept.credentialMode,
    headers: input.headers ?? kept.headers,
    options: input.options ?? kept.options
  }
  if (settings.baseUrl === null && settings.apiFormat !== "other") {
    return yield* InvalidRequest.at(
      ["body", "baseUrl"],
      settings.providerId === custom
        ? "is needed for a provider of your own"
        : "is needed: the catalogue names no address of this provider"
    )
  }
  return settings
})

/** Whether the keys that were set for it as it was are worth nothing for what it is now. */
export const isAnother = (before: Row, after: Settings): boolean =>
  before.provider_id !== after.providerId ||
  before.base_url !== after.baseUrl ||
  before.credential_mode !== after.credentialMode

/** Of one value one text: the database does not keep the order of members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  )

export const isSame = (before: Row, after: Settings): boolean => canonical(settingsOfRow(before)) === canonical(after)
