import { createReadStream } from "node:fs"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { createTarDecoder, type ParsedTarEntry } from "modern-tar"
import type { ArchiveBounds } from "./bounds.ts"
import { tooLarge } from "./failure.ts"
import type { ArchiveEntry } from "./spool.ts"

/** Headers and the padding of each entry are added to the size of the files. */
const overheadBytes = 2048

async function* inflated(path: string, bounds: ArchiveBounds, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  // A failure on either side ends the other, and is thrown by the loop below.
  pipeline(createReadStream(path), gunzip, () => undefined)
  const bytesMax = bounds.inflatedBytesMax + bounds.entriesMax * overheadBytes
  let bytes = 0
  try {
    for await (const piece of gunzip as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted()
      bytes += piece.byteLength
      if (bytes > bytesMax) throw tooLarge(`more than ${bounds.inflatedBytesMax} bytes unpacked`)
      yield piece
    }
  } finally {
    gunzip.destroy()
  }
}

const streamOf = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const next: IteratorResult<Uint8Array, unknown> = await pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => void (await pieces.return(undefined))
  })

const kindOf = (type: ParsedTarEntry["header"]["type"]): ArchiveEntry["kind"] => {
  switch (type) {
    case undefined:
    case "file":
      return "file"
    case "directory":
      return "folder"
    case "symlink":
      return "symlink"
    case "link":
      return "hardlink"
    default:
      return "special"
  }
}

/** The entries of a gzipped tar file, in order. */
export async function* tarEntries(
  path: string,
  bounds: ArchiveBounds,
  signal: AbortSignal
): AsyncGenerator<ArchiveEntry> {
  const decoder = createTarDecoder({ strict: true })
  const parsed = streamOf(inflated(path, bounds, signal)).pipeThrough(decoder)
  for await (const { body, header } of parsed as AsyncIterable<ParsedTarEntry>) {
    let isTaken = false
    yield {
      name: header.name,
      kind: kindOf(header.type),
      size: header.size,
      isExecutable: ((header.mode ?? 0) & 0o100) !== 0,
      content: () => {
        isTaken = true
        return body as AsyncIterable<Uint8Array>
      }
    }
    if (!isTaken) await body.cancel()
  }
}
