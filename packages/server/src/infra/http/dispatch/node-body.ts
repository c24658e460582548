import * as Effect from "effect/Effect"
import { Buffer } from "node:buffer"
import type { IncomingMessage } from "node:http"

/** The reason that reading a body failed. */
export interface BodyFault {
  readonly isTooLarge: boolean
  readonly cause: Error
}

type Result = Effect.Effect<Buffer, BodyFault>

/**
 * Collects the body of a request once, for any number of readers. The framework creates a fiber and a cached effect for
 * each body, which take longer than reading a small one.
 */
export class NodeBody {
  readonly #chunks: Array<Buffer> = []
  readonly #waiting = new Set<(result: Result) => void>()
  readonly #bytesMax: number
  #size = 0
  #result: Result | undefined

  constructor(source: IncomingMessage, bytesMax: number) {
    this.#bytesMax = bytesMax
    // In this state, no event follows.
    if (source.destroyed || source.readableEnded) this.#refuse("The body has already been read or discarded.")
    source.on("data", (chunk: Buffer) => this.#add(chunk))
    source.once("end", () => this.#complete())
    source.once("error", (cause) => this.#settle(Effect.fail({ isTooLarge: false, cause })))
    source.once("close", () => this.#refuse("The connection was closed before the end of the body."))
  }

  /** Waits for the complete body and returns its bytes. */
  readonly bytes: Result = Effect.suspend(
    () =>
      this.#result ??
      Effect.callback<Buffer, BodyFault>((resume) => {
        this.#waiting.add(resume)
        return Effect.sync(() => this.#waiting.delete(resume))
      })
  )

  #add(chunk: Buffer) {
    // The rest of a body that is too large is discarded.
    if (this.#result !== undefined) return
    this.#size += chunk.length
    if (this.#size > this.#bytesMax) this.#refuse(`The body is longer than ${this.#bytesMax} bytes.`, true)
    else this.#chunks.push(chunk)
  }

  #complete() {
    const [first, ...others] = this.#chunks
    this.#settle(Effect.succeed(first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks)))
  }

  #refuse(message: string, isTooLarge = false) {
    // An error is expensive, and every body that was read completely is closed as well.
    if (this.#result === undefined) this.#settle(Effect.fail({ isTooLarge, cause: new Error(message) }))
  }

  /** Ignores every result after the first. */
  #settle(result: Result) {
    if (this.#result !== undefined) return
    this.#result = result
    this.#chunks.length = 0
    for (const resume of this.#waiting) resume(result)
    this.#waiting.clear()
  }
}
