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
  blocked: "Its address is not one that this server may reach.",
  invalid_url: "Its address is not one that this server may reach.",
  unreachable: "It cannot be reached, or broke off.",
  timeout: "It gave no answer in time.",
  too_large: "Its answer is larger than 8 MiB.",
  too_many_redirects: "It sends us elsewhere.",
  busy: "Too many requests are under way."
}

/** What is wrong with the texts themselves: one of them may be too long for the model. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422])

/** Asks the operator's own address, by the interface that most providers and local servers speak. */
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
        if (refusals.has(status)) return yield* failed(`It answered ${status}.`, "refused")
        if (status !== 200) return yield* failed(`It answered ${status}.`)
        const json = yield* Effect.try({
          try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
          catch: () => new EmbedderFailed({ code: "unavailable", message: "Its answer is not JSON." })
        })
        const vectors = yield* inTimeSlices(readVectors(json, texts.length))
        return vectors ?? (yield* failed("Its answer is not one vector for each text."))
      })
      return { model, embed }
    })
  )
