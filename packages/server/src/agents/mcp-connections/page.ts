import * as Effect from "effect/Effect"
import type { Outbound } from "../../infra/ports/outbound.ts"

/** The response of a URL to a plain GET. */
export type Page =
  | { readonly kind: "redirect"; readonly url: string }
  /** The event stream of the 2024-11-05 transport. */
  | { readonly kind: "older" }
  | { readonly kind: "other" }

interface PageRequest {
  readonly url: string
  readonly organizationId: string
  readonly timeoutMillis: number
}

const firstBytesMax = 4096

/** The start of a stream as text. Servers send their message endpoint immediately. */
const readFirstLine = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= firstBytesMax || chunk.includes(10)) break
  }
  return Buffer.concat(chunks).subarray(0, firstBytesMax).toString("utf8")
}

/** Detects a redirect without following it; the caller decides whether to request the target. */
export const inspectPage = (outbound: Outbound["Service"], request: PageRequest): Effect.Effect<Page> =>
  Effect.suspend(() => {
    let redirectUrl: string | undefined
    const detectOlder = Effect.gen(function* () {
      const { body, headers, status } = yield* outbound.stream({
        ...request,
        destination: "supplied",
        headers: { accept: "text/event-stream" },
        redirectsMax: 1,
        mayFollow: (url) => {
          redirectUrl = url.href
          return false
        }
      })
      if (status !== 200 || !/^text\/event-stream\b/iu.test(headers["content-type"] ?? "")) return false
      return /^event: ?endpoint\b/mu.test(yield* Effect.tryPromise(() => readFirstLine(body)))
    }).pipe(
      Effect.scoped,
      Effect.orElseSucceed(() => false)
    )
    return Effect.map(detectOlder, (isOlder): Page => {
      if (redirectUrl !== undefined && redirectUrl !== request.url) return { kind: "redirect", url: redirectUrl }
      return isOlder ? { kind: "older" } : { kind: "other" }
    })
  })
