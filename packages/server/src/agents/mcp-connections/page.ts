import * as Effect from "effect/Effect"
import type { Outbound } from "../../infra/ports/outbound.ts"

/** What an address is to a browser. */
export type Page =
  | { readonly kind: "redirect"; readonly url: string }
  /** The stream with which the transport of 2024-11-05 begins. */
  | { readonly kind: "older" }
  | { readonly kind: "other" }

interface Asked {
  readonly url: string
  readonly organizationId: string
  readonly timeoutMillis: number
}

const firstBytesMax = 4096

/** The beginning of a stream, as text: a server says at once where its messages go. */
const beginningOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= firstBytesMax || chunk.includes(10)) break
  }
  return Buffer.concat(chunks).subarray(0, firstBytesMax).toString("utf8")
}

/** Looks where an address leads without going there: whoever is sent on decides whether to ask that. */
export const lookAtPage = (outbound: Outbound["Service"], asked: Asked): Effect.Effect<Page> =>
  Effect.suspend(() => {
    let sentTo: string | undefined
    const looking = Effect.gen(function* () {
      const { body, headers, status } = yield* outbound.stream({
        ...asked,
        destination: "supplied",
        headers: { accept: "text/event-stream" },
        redirectsMax: 1,
        mayFollow: (url) => {
          sentTo = url.href
          return false
        }
      })
      if (status !== 200 || !/^text\/event-stream\b/iu.test(headers["content-type"] ?? "")) return false
      return /^event: ?endpoint\b/mu.test(yield* Effect.tryPromise(() => beginningOf(body)))
    }).pipe(
      Effect.scoped,
      Effect.orElseSucceed(() => false)
    )
    return Effect.map(looking, (isOlder): Page => {
      if (sentTo !== undefined && sentTo !== asked.url) return { kind: "redirect", url: sentTo }
      return isOlder ? { kind: "older" } : { kind: "other" }
    })
  })
