import { type Entry, openPromise } from "yauzl"
import type { ArchiveBounds } from "./bounds.ts"
import { tooLarge } from "./failure.ts"
import type { ArchiveEntry } from "./spool.ts"

const utf8 = new TextDecoder()

const encryptedFlag = 1
/** The system that made the archive: on Unix the upper half of the attributes is the mode. */
const unix = 3

const modeOf = (entry: Entry): number => (entry.versionMadeBy >>> 8 === unix ? entry.externalFileAttributes >>> 16 : 0)

const kindOf = (entry: Entry, name: string): ArchiveEntry["kind"] => {
  if ((entry.generalPurposeBitFlag & encryptedFlag) !== 0) return "encrypted"
  const type = modeOf(entry) & 0o170000
  if (type === 0o120000) return "symlink"
  if (type === 0o040000 || name.endsWith("/")) return "folder"
  return type === 0 || type === 0o100000 ? "file" : "special"
}

/** The entries of a zip file from its central directory; the local headers are ignored. */
export async function* zipEntries(
  path: string,
  bounds: ArchiveBounds,
  signal: AbortSignal
): AsyncGenerator<ArchiveEntry> {
  // Names are read as bytes: the library would fail on the first invalid one, while only that entry should be rejected.
  const zip = await openPromise(path, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: true
  })
  try {
    if (zip.entryCount > bounds.entriesMax) throw tooLarge(`more than ${bounds.entriesMax} entries`)
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted()
      const name = utf8.decode(entry.fileNameRaw)
      yield {
        name,
        kind: kindOf(entry, name),
        size: entry.uncompressedSize,
        isExecutable: (modeOf(entry) & 0o100) !== 0,
        content: () => contentOf(zip.openReadStreamPromise(entry))
      }
    }
  } finally {
    zip.close()
  }
}

async function* contentOf(opening: Promise<AsyncIterable<Uint8Array>>): AsyncGenerator<Uint8Array> {
  yield* await opening
}
