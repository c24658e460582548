import { corrupt, limitExceeded } from "./failure.ts"

/** One line of git's wire protocol, or a special packet. */
export type Packet = Buffer | "flush" | "delimiter" | "end"

export const flush = "0000"
export const delimiter = "0001"

export const line = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text

const specials: Readonly<Record<number, Packet>> = { 0: "flush", 1: "delimiter", 2: "end" }

/** Fails when the stream ends within a packet. */
export async function* packetsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Packet> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    let at = 0
    while (rest.length - at >= 4) {
      const lengthText = rest.toString("latin1", at, at + 4)
      if (!/^[0-9a-fA-F]{4}$/.test(lengthText)) throw corrupt("the code host's response violates git's protocol")
      const length = Number.parseInt(lengthText, 16)
      if (length === 3) throw corrupt("the code host's response violates git's protocol")
      if (length < 3) {
        at += 4
        yield specials[length] ?? "flush"
        continue
      }
      if (rest.length - at < length) break
      yield rest.subarray(at + 4, at + length)
      at += length
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw corrupt("the code host's response is truncated")
}

export const isText = (packet: Packet | undefined): packet is Buffer => Buffer.isBuffer(packet)

/** The text without the newline that most lines end with. */
export const textOf = (packet: Buffer): string => packet.toString("utf8").replace(/\n$/, "")

/** The lines up to the next special packet, or to the end. */
export const linesUntilMark = async (packets: AsyncGenerator<Packet>, linesMax: number) => {
  const lines: Array<string> = []
  for (;;) {
    const next: IteratorResult<Packet, void> = await packets.next()
    if (next.done === true) return { lines, mark: undefined }
    const packet = next.value
    if (!isText(packet)) return { lines, mark: packet }
    if (lines.length >= linesMax) throw limitExceeded("it has too many branches and tags")
    lines.push(textOf(packet))
  }
}
