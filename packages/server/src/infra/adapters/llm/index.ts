import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import {
  keyHeaders,
  LlmEndpointFailed,
  LlmEndpoints,
  type LlmListing,
  type LlmTarget,
  type SpokenFormat
} from "../../ports/llm-endpoints.ts"
import { Outbound, type OutboundFailed } from "../../ports/outbound.ts"
import { withoutTrailing } from "../../normalize.ts"

const timeoutMillis = 15_000
const bytesMax = 4 * 1024 * 1024
const redirectsMax = 3
const idLengthMax = 255

const failed = (code: LlmEndpointFailed["code"], status: number | null = null) =>
  new LlmEndpointFailed({ code, status })

type Members = Readonly<Record<string, unknown>>
const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {}

/** The text of a member of each entry in a list; undefined when it is not such a list. */
const textsIn = (list: unknown, name: string): ReadonlyArray<string> | undefined => {
  if (!Array.isArray(list)) return undefined
  const texts = list.map((entry) => membersOf(entry)[name])
  return texts.every((text) => typeof text === "string")
    ? texts.filter((text) => text.length <= idLengthMax && /^\S+$/.test(text) && text.isWellFormed())
    : undefined
}

/** How a format lists its models: path, headers and response. */
interface Listing {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly idsIn: (json: unknown) => ReadonlyArray<string> | undefined
  readonly isWhole: (json: unknown) => boolean
}

const openai: Listing = {
  path: "/models",
  // Some servers return only the list.
  idsIn: (json) => textsIn(Array.isArray(json) ? json : membersOf(json)["data"], "id"),
  isWhole: () => true
}

const listings: Readonly<Record<SpokenFormat, Listing>> = {
  openai_compatible: openai,
  azure_openai: openai,
  anthropic: {
    path: "/models?limit=1000",
    headers: { "anthropic-version": "2023-06-01" },
    idsIn: (json) => textsIn(membersOf(json)["data"], "id"),
    isWhole: (json) => membersOf(json)["has_more"] !== true
  },
  google: {
    path: "/models?pageSize=1000",
    idsIn: (json) => textsIn(membersOf(json)["models"], "name")?.map((name) => name.replace(/^models\//, "")),
    isWhole: (json) => (membersOf(json)["nextPageToken"] ?? "") === ""
  }
}

const ofOutbound = ({ code }: OutboundFailed): LlmEndpointFailed => {
  switch (code) {
    case "blocked":
    case "invalid_url":
      return failed("destination_blocked")
    case "too_large":
      return failed("answer_too_large")
    default:
      return failed(code)
  }
}

/** Google reports an invalid key as 400 with a reason. */
const isKeyRefused = (format: SpokenFormat, status: number, text: string) =>
  format === "google" && status === 400 && text.includes("API_KEY_INVALID")

const refusal = (format: SpokenFormat, status: number, text: string): LlmEndpointFailed => {
  if (status === 401 || isKeyRefused(format, status, text)) return failed("unauthorized", status)
  if (status === 403) return failed("forbidden", status)
  if (status === 404 || status === 405 || status === 410) return failed("not_found", status)
  if (status === 429) return failed("rate_limited", status)
  return failed(status >= 500 ? "server_error" : "http_error", status)
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const keyOf = ({ apiFormat, apiKey }: LlmTarget): Readonly<Record<string, string>> => {
  if (apiKey === null) return {}
  const { header, scheme } = keyHeaders[apiFormat]
  const key = Redacted.value(apiKey)
  return { [header]: scheme === null ? key : `${scheme} ${key}` }
}

/** Requests a provider's API. Neither the key nor any of these headers is sent to another origin after a redirect. */
export const layerLlmEndpoints = Layer.effect(
  LlmEndpoints,
  Effect.gen(function* () {
    const outbound = yield* Outbound
    const listModels = Effect.fn("LlmEndpoints.listModels")(function* (target: LlmTarget) {
      const { apiFormat, baseUrl, organizationId } = target
      const listing = listings[apiFormat]
      const { body, status } = yield* outbound
        .request({
          destination: "supplied",
          url: withoutTrailing(baseUrl, "/") + listing.path,
          headers: {
            accept: "application/json",
            "user-agent": "orgplane",
            ...listing.headers,
            ...lowered(target.headers),
            ...keyOf(target)
          },
          redirectsMax,
          timeoutMillis,
          bodyBytesMax: bytesMax,
          organizationId
        })
        .pipe(Effect.mapError(ofOutbound))
      const text = new TextDecoder().decode(body)
      if (status < 200 || status > 299) return yield* refusal(apiFormat, status, text)
      const json = yield* Effect.try({
        try: (): unknown => JSON.parse(text),
        catch: () => failed("unexpected_answer", status)
      })
      const models = listing.idsIn(json)
      if (models === undefined) return yield* failed("unexpected_answer", status)
      return { status, models: [...new Set(models)], isWhole: listing.isWhole(json) } satisfies LlmListing
    })
    return { listModels }
  })
)
