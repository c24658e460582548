import { createHash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import type { Bounds } from "./bounds.ts"
import { corrupt, limitExceeded } from "./failure.ts"
import { objectCountOf } from "./pack-entry.ts"

const trailerBytes = 20

const headBytes = 12

/** Before the rest is waited for. */
const judgeHead = (head: Buffer, bounds: Bounds): void => {
  if (objectCountOf(head) > bounds.objectsMax) throw limitExceeded(`more than ${bounds.objectsMax} objects`)
}

const writeAll = async (file: FileHandle, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

/** Writes a pack to a new file as it comes, counting its bytes and objects, and compares its checksum at the end. */
export const download = async (
  path: string,
  pieces: AsyncIterable<Buffer>,
  bounds: Bounds,
  signal: AbortSignal
): Promise<void> => {
  const file = await open(path, "wx", 0o600)
  try {
    const hash = createHash("sha1")
    let held: Buffer = Buffer.alloc(0)
    let head: Buffer = Buffer.alloc(0)
    let bytes = 0
    for await (const piece of pieces) {
      signal.throwIfAborted()
      bytes += piece.length
      if (bytes > bounds.packBytesMax) throw limitExceeded(`a pack of more than ${bounds.packBytesMax} bytes`)
      // The last bytes are the checksum, and nobody knows yet whether these are the last.
      const all = Buffer.concat([held, piece])
      const sure = Math.max(0, all.length - trailerBytes)
      hash.update(all.subarray(0, sure))
      await writeAll(file, all.subarray(0, sure))
      held = Buffer.from(all.subarray(sure))
      if (head.length < headBytes) {
        head = Buffer.concat([head, piece.subarray(0, headBytes - head.length)])
        if (head.length === headBytes) judgeHead(head, bounds)
      }
    }
    if (bytes < headBytes + trailerBytes) throw corrupt("a pack ends early")
    if (!hash.digest().equals(held)) throw corrupt("a pack does not match its checksum")
    await writeAll(file, held)
  } finally {
    await file.close()
  }
}
