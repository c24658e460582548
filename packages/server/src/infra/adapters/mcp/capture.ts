import { isUtf8 } from "node:buffer"
import type { CapturedBody } from "../../ports/mcp-servers.ts"

/** What is kept of a body for whoever asked for the call. */
export const capturedBytesMax = 512 * 1024

/** A character cut in two at the end is left out. */
const wholeCharacters = (bytes: Buffer): Buffer => {
  for (let cut = 0; cut < 4 && cut <= bytes.length; cut++) {
    const shorter = bytes.subarray(0, bytes.length - cut)
    if (isUtf8(shorter)) return shorter
  }
  return bytes
}

export const captureOf = (body: Buffer, bytes: number, isCut = false): CapturedBody => {
  const truncated = isCut || bytes > capturedBytesMax
  const kept = wholeCharacters(body.subarray(0, capturedBytesMax))
  const isText = kept.length > 0 && isUtf8(kept) && !kept.includes(0)
  return { text: isText ? kept.toString("utf8") : "", bytes, truncated, unavailable: !isText }
}

/** Counts a body while it comes and keeps its beginning. */
export class Capture {
  readonly #chunks: Array<Uint8Array> = []
  #kept = 0
  bytes = 0
  /** Reading stopped before the end. */
  isCut = false

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    if (this.#kept >= capturedBytesMax) return
    this.#chunks.push(chunk.subarray(0, capturedBytesMax - this.#kept))
    this.#kept += chunk.byteLength
  }

  read(): CapturedBody {
    return captureOf(Buffer.concat(this.#chunks), this.bytes, this.isCut)
  }
}
