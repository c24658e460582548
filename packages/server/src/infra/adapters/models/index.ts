import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Catalog, type CatalogResponse, ModelCatalog, ModelCatalogFailed } from "../../ports/model-catalog.ts"
import { Outbound, type OutboundFailed } from "../../ports/outbound.ts"
import { inTimeSlices } from "../../time-slices.ts"
import { parseSteps } from "./parse.ts"

/** The default catalog, which is public. */
export const publicCatalogUrl = "https://models.dev/api.json"

const bytesMax = 8 * 1024 * 1024
const timeoutMillis = 15_000
const etagLengthMax = 512

const failed = (message: string) => Effect.fail(new ModelCatalogFailed({ message }))

const reasons: Readonly<Record<OutboundFailed["code"], string>> = {
  blocked: "The configured URL is not allowed.",
  invalid_url: "The configured URL is not allowed.",
  unreachable: "The server is unreachable or closed the connection.",
  timeout: "The server did not respond in time.",
  too_large: "The response is larger than 8 MiB.",
  too_many_redirects: "The server redirects too many times.",
  busy: "Too many outbound requests are in progress."
}

/** The catalog at the operator's URL, or none. */
export const layerModelCatalog = (options: { readonly address: string | null }) =>
  Layer.effect(
    ModelCatalog,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const { address } = options

      const parse = Effect.fnUntraced(function* (text: string) {
        const json = yield* Effect.try({
          try: (): unknown => JSON.parse(text),
          catch: () => new ModelCatalogFailed({ message: "The response is not JSON." })
        })
        const catalog: Catalog | undefined = yield* inTimeSlices(parseSteps(json))
        return catalog ?? (yield* failed("The response is not a model catalog."))
      })

      const read = Effect.fn("ModelCatalog.read")(function* (etag: string | null) {
        if (address === null) return yield* failed("The model catalog is turned off (ORGPLANE_MODELS_URL=off).")
        const { body, headers, status } = yield* outbound
          .request({
            destination: "configured",
            url: address,
            headers: {
              accept: "application/json",
              "user-agent": "orgplane",
              ...(etag === null ? {} : { "if-none-match": etag })
            },
            redirectsMax: 3,
            timeoutMillis,
            bodyBytesMax: bytesMax
          })
          .pipe(Effect.catchTag("OutboundFailed", ({ code }) => failed(reasons[code])))
        if (status === 304 && etag !== null) return { kind: "unchanged" } satisfies CatalogResponse
        if (status !== 200) return yield* failed(`The server responded with status ${status}.`)
        const text = yield* Effect.try({
          try: () => new TextDecoder("utf-8", { fatal: true }).decode(body),
          catch: () => new ModelCatalogFailed({ message: "The response is not UTF-8." })
        })
        yield* parse(text)
        const tag = headers["etag"] ?? ""
        const isTag = tag.length <= etagLengthMax && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag)
        return { kind: "read", text, etag: isTag ? tag : null } satisfies CatalogResponse
      })

      return { address, read, parse }
    })
  )
