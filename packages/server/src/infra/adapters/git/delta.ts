import { corrupt } from "./failure.ts"

interface DeltaHeader {
  readonly baseSize: number
  readonly resultSize: number
  /** Where the instructions start. */
  readonly at: number
}

const damaged = () => corrupt("a delta cannot be applied")

const readSize = (delta: Buffer, from: number): { readonly size: number; readonly at: number } => {
  let size = 0
  let unit = 1
  for (let at = from; at < delta.length && unit <= 2 ** 42; at++) {
    const byte = delta[at] ?? 0
    size += (byte & 0x7f) * unit
    unit *= 128
    if (byte < 0x80) return { size, at: at + 1 }
  }
  throw damaged()
}

/** The sizes that a delta declares; its first 20 bytes are enough. */
export const readDeltaHeader = (delta: Buffer): DeltaHeader => {
  const base = readSize(delta, 0)
  const result = readSize(delta, base.at)
  return { baseSize: base.size, resultSize: result.size, at: result.at }
}

/**
 * Every read and write is checked, because the instructions are untrusted. The caller has checked the result's size.
 */
export const applyDelta = (base: Buffer, delta: Buffer): Buffer => {
  const header = readDeltaHeader(delta)
  if (header.baseSize !== base.length) throw damaged()
  const result = Buffer.allocUnsafe(header.resultSize)
  let from = header.at
  let to = 0
  const next = (): number => {
    const byte = delta[from++]
    if (byte === undefined) throw damaged()
    return byte
  }
  while (from < delta.length) {
    const opcode = next()
    if (opcode === 0) throw damaged()
    if (opcode < 0x80) {
      if (from + opcode > delta.length || to + opcode > result.length) throw damaged()
      delta.copy(result, to, from, from + opcode)
      from += opcode
      to += opcode
      continue
    }
    let offset = 0
    let length = 0
    for (let bit = 0; bit < 4; bit++) if (opcode & (1 << bit)) offset += next() * 2 ** (8 * bit)
    for (let bit = 0; bit < 3; bit++) if (opcode & (0x10 << bit)) length += next() * 2 ** (8 * bit)
    if (length === 0) length = 0x10000
    if (offset + length > base.length || to + length > result.length) throw damaged()
    base.copy(result, to, offset, offset + length)
    to += length
  }
  if (to !== result.length) throw damaged()
  return result
}
