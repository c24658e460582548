import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import type { Destination, Outbound } from "../../infra/ports/outbound.ts"
import { networkFailure } from "./failure.ts"

const documentBytesMax = 256 * 1024
const documentMillis = 5000

export type JsonDocument = Readonly<Record<string, unknown>>

export type DocumentResult =
  | { readonly kind: "document"; readonly document: JsonDocument }
  /** No document at this location; the next location is tried. */
  | { readonly kind: "absent" }
  /** A response that is not a usable document. */
  | { readonly kind: "unreadable"; readonly reason: string }

export interface DocumentLocation {
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
 * Reads one JSON object of at most 256 KiB within 5 seconds. Only its top-level members are read, so its nesting depth
 * does not matter. An unreachable server is a failure, because the next document is on the same server.
 */
export const readDocument = (
  outbound: Outbound["Service"],
  location: DocumentLocation
): Effect.Effect<DocumentResult, McpFailed> =>
  Effect.gen(function* () {
    const result = yield* outbound
      .request({
        destination: location.destination,
        url: location.url,
        headers: { accept: "application/json" },
        timeoutMillis: documentMillis,
        bodyBytesMax: documentBytesMax,
        organizationId: location.organizationId
      })
      .pipe(Effect.result)
    if (Result.isFailure(result)) {
      const { code, message } = result.failure
      return code === "too_large" || code === "too_many_redirects"
        ? { kind: "unreadable" as const, reason: message }
        : yield* networkFailure(result.failure)
    }
    const { body, status } = result.success
    if (status >= 500) return { kind: "unreadable" as const, reason: `The server returned ${status}.` }
    if (status !== 200) return { kind: "absent" as const }
    const document = parse(body)
    return document === undefined
      ? { kind: "unreadable" as const, reason: "The response is not a JSON object." }
      : { kind: "document" as const, document }
  })

/**
 * URLs and identifiers in OAuth metadata are visible ASCII. URL parsers drop or repair other characters, so the stored,
 * compared and displayed text would differ from the requested one; PostgreSQL rejects some of them.
 */
const isWord = (value: unknown): value is string => typeof value === "string" && /^[\x21-\x7E]{1,2048}$/.test(value)

export const textOf = (document: JsonDocument, member: string): string | null => {
  const value = document[member]
  return isWord(value) ? value : null
}

const wordsMax = 64

/** The strings of an array; null when the member is not an array. */
export const textsOf = (document: JsonDocument, member: string): ReadonlyArray<string> | null => {
  const value = document[member]
  return Array.isArray(value) ? value.filter(isWord).slice(0, wordsMax) : null
}
