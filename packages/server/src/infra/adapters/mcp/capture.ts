import { isUtf8 } from "node:buffer"
import type { CapturedBody } from "../../ports/mcp-servers.ts"

/** Maximum bytes of a body that are kept for the caller of a tool. */
export const capturedBytesMax = 512 * 1024

/** Drops a character that is cut at the end. */
const wholeCharacters = (bytes: Buffer): Buffer => {
  for (let cut = 0; cut < 4 && cut <= bytes.length; cut++) {
    const shorter = bytes.subarray(0, bytes.length - cut)
    if (isUtf8(shorter)) return shorter
  }
  return bytes
}

export const captureOf = (body: Buffer, bytes: number, isCut = false): CapturedBody => {
  const truncated = isCut || bytes > capturedBytesMax
  const prefix = wholeCharacters(body.subarray(0, capturedBytesMax))
  const isText = prefix.length > 0 && isUtf8(prefix) && !prefix.includes(0)
  return { text: isText ? prefix.toString("utf8") : "", bytes, truncated, unavailable: !isText }
}

/** Counts the bytes of a body while it is read, and keeps its beginning. */
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
