import { createHash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import type { Bounds } from "./bounds.ts"
import { corrupt, limitExceeded } from "./failure.ts"
import { objectCountOf } from "./pack-entry.ts"

const trailerBytes = 20

const headerBytes = 12
/** Checks the number of objects before the rest is downloaded. */
const checkHeader = (header: Buffer, bounds: Bounds): void => {
  if (objectCountOf(header) > bounds.objectsMax) throw limitExceeded(`more than ${bounds.objectsMax} objects`)
}

const writeAll = async (file: FileHandle, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

/** Streams a pack into a new file, counts its bytes and objects, and verifies its checksum at the end. */
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
    let header: Buffer = Buffer.alloc(0)
    let bytes = 0
    for await (const piece of pieces) {
      signal.throwIfAborted()
      bytes += piece.length
      if (bytes > bounds.packBytesMax) throw limitExceeded(`a pack of more than ${bounds.packBytesMax} bytes`)
      // The last bytes are the checksum, and these may be the last.
      const all = Buffer.concat([held, piece])
      const settled = Math.max(0, all.length - trailerBytes)
      hash.update(all.subarray(0, settled))
      await writeAll(file, all.subarray(0, settled))
      held = Buffer.from(all.subarray(settled))
      if (header.length < headerBytes) {
        header = Buffer.concat([header, piece.subarray(0, headerBytes - header.length)])
        if (header.length === headerBytes) checkHeader(header, bounds)
      }
    }
    if (bytes < headerBytes + trailerBytes) throw corrupt("a pack is truncated")
    if (!hash.digest().equals(held)) throw corrupt("a pack does not match its checksum")
    await writeAll(file, held)
  } finally {
    await file.close()
  }
}
