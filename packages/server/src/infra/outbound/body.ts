import type { IncomingMessage } from "node:http"
import { pipeline, type Duplex } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import { failed } from "./failure.ts"

export const acceptEncoding = "gzip, deflate, br"

export type Coding = "identity" | "gzip" | "deflate" | "br"

/**
 * At most one coding is accepted. There is no legitimate reason to compress a body several times, and it could be a
 * decompression bomb.
 */
export const codingOf = (header: string | undefined): Coding => {
  const name = (header ?? "").trim().toLowerCase()
  if (name === "" || name === "identity") return "identity"
  if (name === "gzip" || name === "x-gzip") return "gzip"
  if (name === "deflate" || name === "br") return name
  throw failed("unreachable", "The response has an unsupported content encoding.")
}

const decoder = (coding: Exclude<Coding, "identity">, firstByte: number): Duplex => {
  if (coding === "gzip") return createGunzip()
  if (coding === "br") return createBrotliDecompress()
  // "deflate" means zlib, but some servers send raw deflate; the low bits of a zlib header are always 8.
  return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
}

async function* bounded(source: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw failed("too_large")
    if (chunk.byteLength > 0) yield chunk
  }
}

async function* decoded(
  source: AsyncGenerator<Uint8Array>,
  coding: Exclude<Coding, "identity">
): AsyncGenerator<Uint8Array> {
  const first = await source.next()
  if (first.done === true) return
  const stream = decoder(coding, first.value[0] ?? 0)
  const whole = async function* () {
    yield first.value
    yield* source
  }
  // A failure on either side destroys the other and is thrown by the loop below.
  pipeline(whole(), stream, () => undefined)
  yield* stream as AsyncIterable<Uint8Array>
}

/**
 * The body, read only as fast as it is consumed, so that a decompression bomb stops at the limit. The compressed bytes
 * are limited as well: a compressed stream can be endless and still decompress to nothing.
 */
export const readBody = (response: IncomingMessage, coding: Coding, bytesMax: number): AsyncGenerator<Uint8Array> => {
  if (coding === "identity") return bounded(response, bytesMax)
  return bounded(decoded(bounded(response, bytesMax * 2 + 64 * 1024), coding), bytesMax)
}
