import { Buffer } from "node:buffer"
import { randomInt } from "node:crypto"
import { Duplex } from "node:stream"
import * as Wire from "./wire.ts"

/** The scheduler as a session sees it. */
export interface Turns {
  /** The backend's own answer to a startup packet, without its key. */
  readonly startup: ReadonlyArray<Buffer>
  readonly ready: (session: PgliteSession) => void
  readonly left: (session: PgliteSession) => void
  readonly cancel: (processId: number, secret: number) => void
}

/** Bytes of complete messages a session may have waiting before its writer is held back. */
const waitingBytesMax = 1024 * 1024

let lastProcessId = 0

/**
 * One virtual connection: cuts what the client writes into batches that end where the server would answer,
 * and hands back what the backend said to them.
 */
export class PgliteSession extends Duplex {
  readonly processId = ++lastProcessId
  readonly secret = randomInt(2 ** 31)
  /** As of the last ReadyForQuery: idle, in a transaction, in a failed one. */
  status = "I"
  /** Whether messages went out to which no ReadyForQuery came back yet. */
  open = false

  readonly #turns: Turns
  #started = false
  #incoming: Buffer = Buffer.alloc(0)
  #batches: Array<Buffer> = []
  #waitingBytes = 0
  #writer: (() => void) | undefined
  #outgoing: Array<Buffer> = []
  #reading = false

  constructor(turns: Turns) {
    super({ allowHalfOpen: false })
    this.#turns = turns
  }

  get hasBatch(): boolean {
    return this.#batches.length > 0
  }

  /** Whether nobody else may use the backend before this session has said more. */
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
    this.#turns.left(this)
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
      // The server answers after these three; before them it may keep silent.
      if (message[0] === Wire.type.sync || message[0] === Wire.type.query || message[0] === Wire.type.flush) {
        const bytes = Buffer.concat(batch)
        batch = []
        this.#batches.push(bytes)
        this.#waitingBytes += bytes.length
      }
    }
    // A batch without its end stays, with whatever came of the next message.
    this.#incoming = Buffer.concat([...batch, rest])
    if (this.hasBatch) this.#turns.ready(this)
  }

  /** Connecting needs no turn on the backend: its answer is known, only the key is the session's own. */
  #start(): boolean {
    const bytes = this.#incoming
    if (bytes.length < 8) return false
    const length = bytes.readInt32BE(0)
    if (bytes.length < length) return false
    this.#incoming = bytes.subarray(length)
    const code = bytes.readInt32BE(4)
    if (code === Wire.startupCode.cancel && length === 16) {
      this.#turns.cancel(bytes.readInt32BE(8), bytes.readInt32BE(12))
      this.destroy()
      return false
    }
    if (code === Wire.startupCode.ssl || code === Wire.startupCode.gssEncryption) {
      this.deliver(Buffer.from("N"))
      return this.#start()
    }
    this.#started = true
    for (const message of this.#turns.startup) this.deliver(message)
    this.deliver(Wire.backendKeyData(this.processId, this.secret))
    this.deliver(Wire.readyForQuery("I"))
    return true
  }
}
