import type { IncomingMessage } from "node:http"

const emptyLine = Buffer.from("\r\n\r\n")

/**
 * Follows the bytes of one response, to know whether any bytes follow it. Node's parser silently drops the beginning of
 * another response that arrives with the end of the first one.
 */
export class Wire {
  bytes = 0
  /** The bytes before the end of the headers has been reached. */
  #beginning: Array<Buffer> = []
  #message: IncomingMessage | undefined
  #bodyBytes = 0
  #last: Buffer = Buffer.alloc(0)
  #isExceeded = false

  /** Call it with each chunk, before the chunk is parsed. */
  add(chunk: Buffer): void {
    this.bytes += chunk.byteLength
    if (this.#message === undefined) this.#beginning.push(chunk)
    else if (this.#message.complete) this.#isExceeded = true
    else this.#bodyBytes += chunk.byteLength
    const last = chunk.byteLength < emptyLine.byteLength ? Buffer.concat([this.#last, chunk]) : chunk
    this.#last = last.subarray(-emptyLine.byteLength)
  }

  /** Call it while the chunk with the end of the headers is parsed. */
  begin(message: IncomingMessage): void {
    const beginning = Buffer.concat(this.#beginning)
    this.#beginning = []
    this.#message = message
    this.#bodyBytes = beginning.byteLength - beginning.indexOf(emptyLine) - emptyLine.byteLength
  }

  /**
   * Whether nothing follows the response, which must be complete. A response without a length, or without a body, ends
   * with an empty line. If more bytes came with its end, they end with an empty line only if they are all of another
   * response's headers, and then the parser closes the connection.
   */
  isExact(hasBody: boolean): boolean {
    const headers = this.#message?.headers
    if (headers === undefined || this.#isExceeded) return false
    const length = headers["content-length"]
    return hasBody && headers["transfer-encoding"] === undefined
      ? length !== undefined && this.#bodyBytes === Number(length)
      : this.#last.equals(emptyLine)
  }
}
