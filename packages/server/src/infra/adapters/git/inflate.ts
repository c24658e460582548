import { Readable } from "node:stream"
import { constants, createInflate, inflateSync } from "node:zlib"
import { corrupt } from "./failure.ts"
import type { FileBytes } from "./pack-file.ts"

export interface Inflated {
  readonly data: Buffer
  /** Bytes of the compressed stream, known only from its end: a pack does not store it. */
  readonly consumed: number
}

/** Larger objects are inflated in time slices. */
const syncBytesMax = 1024 * 1024
const chunkBytes = 256 * 1024

const damaged = () => corrupt("compressed data cannot be read")

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Inflates a small object without yielding. Inflating stops if the object exceeds its declared size. */
const inflateSmall = (file: FileBytes, offset: number, size: number): Inflated => {
  // Deflate barely expands incompressible bytes. The loop is for unusual compressors.
  for (let length = size + (size >>> 3) + 256; ; length *= 8) {
    const input = file.view(offset, length)
    try {
      const { buffer, engine } = inflateSync(input, {
        info: true,
        maxOutputLength: Math.max(size, 1),
        chunkSize: Math.max(size, 64)
      }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
      if (buffer.length !== size) throw damaged()
      return { data: buffer, consumed: engine.bytesWritten }
    } catch (cause) {
      const mayRetry = codeOf(cause) === "Z_BUF_ERROR" && input.length === length && length < 8 * size + chunkBytes
      if (!mayRetry) throw damaged()
    }
  }
}

function* chunksOf(file: FileBytes, offset: number): Generator<Buffer> {
  for (let at = offset; at < file.size; at += chunkBytes) yield file.view(at, chunkBytes)
}

/** Calls back with each piece, so that large objects need little memory. Returns the number of bytes consumed. */
export const inflateEach = async (
  file: FileBytes,
  offset: number,
  size: number,
  signal: AbortSignal,
  each: (piece: Buffer) => void
): Promise<number> => {
  const source = Readable.from(chunksOf(file, offset), { objectMode: false })
  const inflate = createInflate({ chunkSize: chunkBytes })
  source.on("error", (cause) => inflate.destroy(cause))
  source.pipe(inflate)
  let count = 0
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      count += piece.length
      if (count > size) throw damaged()
      each(piece)
    }
  } catch (cause) {
    throw codeOf(cause).startsWith("Z_") ? damaged() : cause
  } finally {
    source.destroy()
    inflate.destroy()
  }
  if (count !== size) throw damaged()
  return inflate.bytesWritten
}

export const inflateAt = async (
  file: FileBytes,
  offset: number,
  size: number,
  signal: AbortSignal
): Promise<Inflated> => {
  if (size <= syncBytesMax) return inflateSmall(file, offset, size)
  const data = Buffer.allocUnsafe(size)
  let at = 0
  const consumed = await inflateEach(file, offset, size, signal, (piece) => {
    at += piece.copy(data, at)
  })
  return { data, consumed }
}

/** The first bytes of a stream, at most a few hundred thousand, for a header. */
export const inflatePrefix = (input: Buffer): Buffer => {
  try {
    return inflateSync(input, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    throw damaged()
  }
}

/** A whole stream in memory; fails as soon as it is longer than the maximum. */
export const inflateAll = (input: Buffer, bytesMax: number): Buffer => {
  try {
    return inflateSync(input, { maxOutputLength: bytesMax })
  } catch {
    throw damaged()
  }
}
