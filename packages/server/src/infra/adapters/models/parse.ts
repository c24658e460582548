import type { CatalogModel, CatalogProvider, ModelCost } from "@orgplane/schema/llm-catalog"
import type { Capability } from "@orgplane/schema/llm-providers"
import type { Catalog } from "../../ports/model-catalog.ts"
import type { Steps } from "../../time-slices.ts"
import { protocolOf } from "./formats.ts"

/** Several times the current size; a larger document is not a model catalog. */
export const bounds = { providersMax: 1000, modelsMax: 20_000 } as const

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const isClean = (text: string) => text.isWellFormed() && !/[\u0000-\u001f\u007f]/u.test(text)

const textOf = (value: unknown, lengthMax: number): string | null =>
  typeof value === "string" && value !== "" && value.length <= lengthMax && isClean(value) ? value : null

const textsOf = (value: unknown, countMax: number, pattern: RegExp): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.slice(0, countMax).filter((one): one is string => typeof one === "string" && pattern.test(one))
    : []

const tokensOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null

const dollarsOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

const httpUrl = (value: unknown): string | null => {
  const text = textOf(value, 2048)
  const url = text === null ? null : URL.parse(text)
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
  return isPlain ? text : null
}

/** Null for a URL with a placeholder, for example for an account name. */
const baseUrlOf = (value: unknown): string | null => {
  const text = httpUrl(value)
  return text === null || /[${}?#]/.test(text) ? null : text
}

const costOf = (value: unknown): ModelCost | null => {
  if (!isMembers(value)) return null
  const cost = {
    input: dollarsOf(value["input"]),
    output: dollarsOf(value["output"]),
    cacheRead: dollarsOf(value["cache_read"]),
    cacheWrite: dollarsOf(value["cache_write"])
  }
  return Object.values(cost).every((dollars) => dollars === null) ? null : cost
}

const capabilities = [
  "attachment",
  "reasoning",
  "tool_call",
  "temperature",
  "structured_output",
  "open_weights"
] as const satisfies ReadonlyArray<Capability>

const modelIdLengthMax = 255
const word = /^[a-z][a-z0-9_-]{0,31}$/

const modelOf = (providerId: string, id: string, value: unknown): CatalogModel | undefined => {
  if (!isMembers(value) || id.length > modelIdLengthMax || !/^\S+$/.test(id) || !isClean(id)) return undefined
  const modalities = isMembers(value["modalities"]) ? value["modalities"] : {}
  const limit = isMembers(value["limit"]) ? value["limit"] : {}
  const releaseDate = textOf(value["release_date"], 10)
  return {
    providerId,
    id,
    name: textOf(value["name"], 255) ?? id,
    capabilities: capabilities.filter((name) => value[name] === true),
    inputModalities: textsOf(modalities["input"], 16, word),
    outputModalities: textsOf(modalities["output"], 16, word),
    cost: costOf(value["cost"]),
    contextLimit: tokensOf(limit["context"]),
    outputLimit: tokensOf(limit["output"]),
    releaseDate: releaseDate !== null && /^\d{4}(-\d\d){0,2}$/.test(releaseDate) ? releaseDate : null,
    lifecycle: textsOf([value["status"]], 1, word)[0] ?? null
  }
}

const providerOf = (id: string, value: Members, modelCount: number): CatalogProvider => {
  const npm = textOf(value["npm"], 214)
  const protocol = protocolOf(npm)
  return {
    id,
    name: textOf(value["name"], 255) ?? id,
    apiFormat: protocol.apiFormat,
    baseUrl: baseUrlOf(value["api"]) ?? protocol.baseUrl,
    env: textsOf(value["env"], 8, /^[A-Za-z_]\w{0,63}$/),
    npm,
    docUrl: httpUrl(value["doc"]),
    modelCount
  }
}

/**
 * Parses a catalog: `{ [providerId]: { name, env, npm, api, doc, models: { [id]: … } } }`. An invalid provider, model
 * or member is omitted, so that one mistake in the catalog does not hide the rest. Undefined when nothing valid is
 * left, or the catalog is too large.
 */
export const parseSteps = function* (json: unknown): Steps<Catalog | undefined> {
  if (!isMembers(json)) return undefined
  const entries = Object.entries(json)
  if (entries.length > bounds.providersMax) return undefined
  const providers: Array<CatalogProvider> = []
  const models: Array<CatalogModel> = []
  let seen = 0
  for (const [id, value] of entries) {
    yield
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id) || id === "custom") continue
    if (!isMembers(value) || !isMembers(value["models"])) continue
    const before = models.length
    for (const [modelId, entry] of Object.entries(value["models"])) {
      // Omitted models also take processing time.
      if (++seen % 64 === 0) yield
      const model = modelOf(id, modelId, entry)
      if (model === undefined) continue
      if (models.push(model) > bounds.modelsMax) return undefined
    }
    if (models.length > before) providers.push(providerOf(id, value, models.length - before))
  }
  return providers.length === 0 ? undefined : { providers, models }
}
