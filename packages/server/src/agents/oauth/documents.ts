import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import type { Destination, Outbound } from "../../infra/ports/outbound.ts"
import { networkFailure } from "./failure.ts"

const documentBytesMax = 256 * 1024
const documentMillis = 5000

export type JsonDocument = Readonly<Record<string, unknown>>

export type Found =
  | { readonly kind: "document"; readonly document: JsonDocument }
  /** Nothing is there: the next place is looked at. */
  | { readonly kind: "absent" }
  /** Something is there, and it is no document. */
  | { readonly kind: "unreadable"; readonly reason: string }

export interface Place {
  readonly url: string
  readonly destination: Destination
  readonly organizationId: string
}

const parse = (body: Uint8Array): JsonDocument | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads one JSON object, 256 KiB in 5 seconds at most. Only its own members are looked at, so how deep it is does not
 * matter. A server that cannot be reached is a failure: the next document lies there as well.
 */
export const readDocument = (outbound: Outbound["Service"], place: Place): Effect.Effect<Found, McpFailed> =>
  Effect.gen(function* () {
    const asked = yield* outbound
      .request({
        destination: place.destination,
        url: place.url,
        headers: { accept: "application/json" },
        timeoutMillis: documentMillis,
        bodyBytesMax: documentBytesMax,
        organizationId: place.organizationId
      })
      .pipe(Effect.result)
    if (Result.isFailure(asked)) {
      const { code, message } = asked.failure
      return code === "too_large" || code === "too_many_redirects"
        ? { kind: "unreadable" as const, reason: message }
        : yield* networkFailure(asked.failure)
    }
    const { body, status } = asked.success
    if (status >= 500) return { kind: "unreadable" as const, reason: `The server answered ${status}.` }
    if (status !== 200) return { kind: "absent" as const }
    const document = parse(body)
    return document === undefined
      ? { kind: "unreadable" as const, reason: "The answer is not a JSON object." }
      : { kind: "document" as const, document }
  })

/**
 * Addresses and names of the standard are visible ASCII. Readers of addresses drop or mend what else stands there, so it
 * would be another text that is kept, compared and shown than the one that is asked; a database refuses some of it.
 */
const isWord = (value: unknown): value is string => typeof value === "string" && /^[\x21-\x7E]{1,2048}$/.test(value)

export const textOf = (document: JsonDocument, member: string): string | null => {
  const value = document[member]
  return isWord(value) ? value : null
}

const wordsMax = 64

/** The texts of a list; null when the document has none. */
export const textsOf = (document: JsonDocument, member: string): ReadonlyArray<string> | null => {
  const value = document[member]
  return Array.isArray(value) ? value.filter(isWord).slice(0, wordsMax) : null
}
