import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Embedder, EmbedderFailed } from "../../ports/embedder.ts"
import { Outbound, type OutboundFailed } from "../../ports/outbound.ts"
import { inTimeSlices } from "../../time-slices.ts"
import { readVectors } from "./read-vectors.ts"

export interface EmbeddingsOptions {
  readonly url: string
  readonly model: string
  readonly apiKey?: Redacted.Redacted | undefined
}

const timeoutMillis = 10_000
const bytesMax = 8 * 1024 * 1024

const failed = (message: string, code: EmbedderFailed["code"] = "unavailable") =>
  Effect.fail(new EmbedderFailed({ code, message }))

const reasons: Readonly<Record<OutboundFailed["code"], string>> = {
  blocked: "The configured URL is not allowed.",
  invalid_url: "The configured URL is not allowed.",
  unreachable: "The server is unreachable or closed the connection.",
  timeout: "The server did not respond in time.",
  too_large: "The response is larger than 8 MiB.",
  too_many_redirects: "The server redirects, and redirects are not followed.",
  busy: "Too many outbound requests are in progress."
}

/** Statuses that are about the texts: one of them may be too long for the model. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422])

/** The operator's embeddings endpoint, with the API that most providers and local servers support. */
export const layerEmbeddings = ({ apiKey, model, url }: EmbeddingsOptions) =>
  Layer.effect(
    Embedder,
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const embed = Effect.fn("Embedder.embed")(function* (texts: ReadonlyArray<string>) {
        if (texts.length === 0) return []
        const { body, status } = yield* outbound
          .request({
            destination: "configured",
            url,
            method: "POST",
            headers: {
              accept: "application/json",
              "content-type": "application/json",
              "user-agent": "orgplane",
              ...(apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` })
            },
            body: JSON.stringify({ model, input: texts }),
            redirectsMax: 0,
            timeoutMillis,
            bodyBytesMax: bytesMax
          })
          .pipe(Effect.catchTag("OutboundFailed", ({ code }) => failed(reasons[code])))
        if (refusals.has(status)) return yield* failed(`The server responded with status ${status}.`, "refused")
        if (status !== 200) return yield* failed(`The server responded with status ${status}.`)
        const json = yield* Effect.try({
          try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
          catch: () => new EmbedderFailed({ code: "unavailable", message: "The response is not JSON." })
        })
        const vectors = yield* inTimeSlices(readVectors(json, texts.length))
        return vectors ?? (yield* failed("The response does not contain one vector for each text."))
      })
      return { model, embed }
    })
  )
