import * as Effect from "effect/Effect"
import { Buffer } from "node:buffer"
import type { IncomingMessage } from "node:http"

/** Why a body could not be read. */
export interface BodyFault {
  readonly reason: "BodyTooLarge" | "Parse"
  readonly cause: Error
}

type Result = Effect.Effect<Buffer, BodyFault>

const tooLarge = (bytesMax: number): BodyFault => ({
  reason: "BodyTooLarge",
  cause: new Error(`The body is longer than ${bytesMax} bytes.`)
})
const cutShort = (): BodyFault => ({
  reason: "Parse",
  cause: new Error("The connection was closed before the end of the body.")
})

/**
 * Collects the body of a request once, for any number of readers. The framework would create a fiber and a cached effect
 * for each body, which cost more than the bytes.
 */
export class NodeBody {
  readonly #chunks: Array<Buffer> = []
  readonly #waiting = new Set<(result: Result) => void>()
  #size = 0
  #result: Result | undefined

  constructor(source: IncomingMessage, bytesMax: number) {
    source.on("data", (chunk: Buffer) => {
      // The rest of a body that is too large is discarded.
      if (this.#result !== undefined) return
      this.#size += chunk.length
      if (this.#size > bytesMax) return this.#settle(Effect.fail(tooLarge(bytesMax)))
      this.#chunks.push(chunk)
    })
    source.once("end", () => this.#complete())
    source.once("error", (cause) => this.#settle(Effect.fail({ reason: "Parse", cause })))
    source.once("close", () => {
      // Also occurs after the end, where an error with its stack trace would be created for nothing.
      if (this.#result === undefined) this.#settle(Effect.fail(cutShort()))
    })
  }

  /** All bytes, once they have arrived. */
  readonly bytes: Result = Effect.suspend(
    () =>
      this.#result ??
      Effect.callback<Buffer, BodyFault>((resume) => {
        this.#waiting.add(resume)
        return Effect.sync(() => this.#waiting.delete(resume))
      })
  )

  #complete() {
    const [first, ...others] = this.#chunks
    this.#settle(Effect.succeed(first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks)))
  }

  /** Only the first result counts. */
  #settle(result: Result) {
    if (this.#result !== undefined) return
    this.#result = result
    this.#chunks.length = 0
    for (const resume of this.#waiting) resume(result)
    this.#waiting.clear()
  }
}
