import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Catalog, type CatalogAnswer, ModelCatalog, ModelCatalogFailed } from "../../ports/model-catalog.ts"
import { Outbound, type OutboundFailed } from "../../ports/outbound.ts"
import { inTimeSlices } from "../../time-slices.ts"
import { parseSteps } from "./parse.ts"

/** The public one, which anybody may ask. */
export const publicCatalogUrl = "https://models.dev/api.json"

const bytesMax = 8 * 1024 * 1024
const timeoutMillis = 15_000
const etagLengthMax = 512

const failed = (message: string) => Effect.fail(new ModelCatalogFailed({ message }))

const reasons: Readonly<Record<OutboundFailed["code"], string>> = {
  blocked: "Its address is not one that this server may reach.",
  invalid_url: "Its address is not one that this server may reach.",
  unreachable: "It cannot be reached, or broke off.",
  timeout: "It gave no answer in time.",
  too_large: "Its answer is larger than 8 MiB.",
  too_many_redirects: "It sends us on without end.",
  busy: "Too many requests are under way."
}

/** The catalogue at an address of the operator's, or none. */
export const layerModelCatalog = (options: { readonly address: string | null }) =>
  Layer.effect(
    ModelCatalog,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const { address } = options

      const parse = Effect.fnUntraced(function* (text: string) {
        const json = yield* Effect.try({
          try: (): unknown => JSON.parse(text),
          catch: () => new ModelCatalogFailed({ message: "Its answer is not JSON." })
        })
        const catalog: Catalog | undefined = yield* inTimeSlices(parseSteps(json))
        return catalog ?? (yield* failed("Its answer is not a catalogue of models."))
      })

      const read = Effect.fn("ModelCatalog.read")(function* (etag: string | null) {
        if (address === null) return yield* failed("It is turned off.")
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
        if (status === 304 && etag !== null) return { kind: "unchanged" } satisfies CatalogAnswer
        if (status !== 200) return yield* failed(`It answered ${status}.`)
        const text = yield* Effect.try({
          try: () => new TextDecoder("utf-8", { fatal: true }).decode(body),
          catch: () => new ModelCatalogFailed({ message: "Its answer is not UTF-8." })
        })
        yield* parse(text)
        const tag = headers["etag"] ?? ""
        const isTag = tag.length <= etagLengthMax && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag)
        return { kind: "read", text, etag: isTag ? tag : null } satisfies CatalogAnswer
      })

      return { address, read, parse }
    })
  )
