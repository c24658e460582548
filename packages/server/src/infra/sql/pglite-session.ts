import { Buffer } from "node:buffer"
import { randomInt } from "node:crypto"
import { Duplex } from "node:stream"
import * as Wire from "./wire.ts"

/** The scheduler, as sessions use it. */
export interface Scheduler {
  /** The backend's response to a startup packet, without its key. */
  readonly startup: ReadonlyArray<Buffer>
  readonly ready: (session: PgliteSession) => void
  readonly left: (session: PgliteSession) => void
  readonly cancel: (processId: number, secret: number) => void
}

/** Maximum bytes of complete messages that wait in a session; beyond it, its writer is paused. */
const waitingBytesMax = 1024 * 1024

let lastProcessId = 0

/**
 * One virtual connection. It splits what the client writes into batches that end where the server would respond, and
 * returns the backend's responses.
 */
export class PgliteSession extends Duplex {
  readonly processId = ++lastProcessId
  readonly secret = randomInt(2 ** 31)
  /** The status of the last ReadyForQuery: idle, in a transaction, in a failed transaction. */
  status = "I"
  /** Whether messages were sent for which no ReadyForQuery has arrived. */
  open = false

  readonly #scheduler: Scheduler
  #started = false
  #incoming: Buffer = Buffer.alloc(0)
  #batches: Array<Buffer> = []
  #waitingBytes = 0
  #writer: (() => void) | undefined
  #outgoing: Array<Buffer> = []
  #reading = false

  constructor(scheduler: Scheduler) {
    super({ allowHalfOpen: false })
    this.#scheduler = scheduler
  }

  get hasBatch(): boolean {
    return this.#batches.length > 0
  }

  /** Whether no other session may use the backend until this one sends more. */
  get holds(): boolean {
    return this.status !== "I" || this.open
  }

  takeBatch(): Buffer | undefined {
    const batch = this.#batches.shift()
    if (batch === undefined) return undefined
    this.#waitingBytes -= batch.length
    if (this.#waitingBytes <= waitingBytesMax) {
      const writer = this.#writer
      this.#writer = undefined
      writer?.()
    }
    return batch
  }

  deliver(message: Buffer): void {
    if (this.destroyed) return
    this.#outgoing.push(message)
    this.#flush()
  }

  override _read(): void {
    this.#reading = true
    this.#flush()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#incoming = this.#incoming.length === 0 ? chunk : Buffer.concat([this.#incoming, chunk])
    this.#cut()
    if (this.#waitingBytes > waitingBytesMax) this.#writer = done
    else done()
  }

  override _final(done: () => void): void {
    done()
    this.destroy()
  }

  override _destroy(cause: Error | null, done: (cause: Error | null) => void): void {
    this.#batches = []
    this.#outgoing = []
    this.#scheduler.left(this)
    done(cause)
  }

  #flush(): void {
    while (this.#reading && this.#outgoing.length > 0) {
      const bytes = this.#outgoing.length === 1 ? this.#outgoing[0] : Buffer.concat(this.#outgoing)
      this.#outgoing = []
      this.#reading = this.push(bytes)
    }
  }

  #cut(): void {
    if (!this.#started && !this.#start()) return
    const { frames, rest } = Wire.splitFrames(this.#incoming)
    let batch: Array<Buffer> = []
    for (const message of frames) {
      if (message[0] === Wire.type.terminate) {
        this.destroy()
        return
      }
      batch.push(Wire.rewrite(message))
      // The server responds after these three; before them it may send nothing.
      if (message[0] === Wire.type.sync || message[0] === Wire.type.query || message[0] === Wire.type.flush) {
        const bytes = Buffer.concat(batch)
        batch = []
        this.#batches.push(bytes)
        this.#waitingBytes += bytes.length
      }
    }
    // An incomplete batch is kept, together with the bytes of the next message.
    this.#incoming = Buffer.concat([...batch, rest])
    if (this.hasBatch) this.#scheduler.ready(this)
  }

  /** Connecting does not need the backend: the response is always the same, except for the session's key. */
  #start(): boolean {
    const bytes = this.#incoming
    if (bytes.length < 8) return false
    const length = bytes.readInt32BE(0)
    if (bytes.length < length) return false
    this.#incoming = bytes.subarray(length)
    const code = bytes.readInt32BE(4)
    if (code === Wire.startupCode.cancel && length === 16) {
      this.#scheduler.cancel(bytes.readInt32BE(8), bytes.readInt32BE(12))
      this.destroy()
      return false
    }
    if (code === Wire.startupCode.ssl || code === Wire.startupCode.gssEncryption) {
      this.deliver(Buffer.from("N"))
      return this.#start()
    }
    this.#started = true
    for (const message of this.#scheduler.startup) this.deliver(message)
    this.deliver(Wire.backendKeyData(this.processId, this.secret))
    this.deliver(Wire.readyForQuery("I"))
    return true
  }
}
