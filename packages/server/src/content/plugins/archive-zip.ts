import { crc32 } from "node:zlib"
import { Deflate } from "fflate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ArchiveFile } from "./archive-bytes.ts"

const compression = 6
/** Bytes compressed before the event loop runs other work. */
const sliceBytes = 65_536
/** Installers reject an archive that expands more than 50-fold as a zip bomb, so such files are stored uncompressed. */
const ratioMax = 40

const stored = 0
const deflated = 8
/**
 * Entries have UTF-8 names. They are marked as created on Unix by version 2.0, so that readers restore the mode from
 * the external attributes.
 */
const utf8Names = 0x0800
const madeBy = (3 << 8) | 20
const versionNeeded = 20
/** January 1, 1980, the first date that a zip can store. */
const dosDate = (1 << 5) | 1

interface Entry {
  readonly name: Uint8Array
  readonly mode: number
  readonly method: number
  readonly crc: number
  readonly compressedBytes: number
  readonly bytes: number
  readonly offset: number
}

const encoder = new TextEncoder()

/** The common fields of a local header and a directory entry, from the version to the length of the name. */
const writeShared = (view: DataView, at: number, { bytes, compressedBytes, crc, method, name }: Entry) => {
  view.setUint16(at, versionNeeded, true)
  view.setUint16(at + 2, utf8Names, true)
  view.setUint16(at + 4, method, true)
  view.setUint16(at + 8, dosDate, true)
  view.setUint32(at + 10, crc, true)
  view.setUint32(at + 14, compressedBytes, true)
  view.setUint32(at + 18, bytes, true)
  view.setUint16(at + 22, name.length, true)
}

const localHeader = (entry: Entry): Uint8Array => {
  const header = new Uint8Array(30 + entry.name.length)
  const view = new DataView(header.buffer)
  view.setUint32(0, 0x04034b50, true)
  writeShared(view, 4, entry)
  header.set(entry.name, 30)
  return header
}

const directoryEntry = (entry: Entry): Uint8Array => {
  const header = new Uint8Array(46 + entry.name.length)
  const view = new DataView(header.buffer)
  view.setUint32(0, 0x02014b50, true)
  view.setUint16(4, madeBy, true)
  writeShared(view, 6, entry)
  view.setUint32(38, entry.mode * 0x10000, true)
  view.setUint32(42, entry.offset, true)
  header.set(entry.name, 46)
  return header
}

const endOfDirectory = (count: number, bytes: number, offset: number): Uint8Array => {
  const end = new Uint8Array(22)
  const view = new DataView(end.buffer)
  view.setUint32(0, 0x06054b50, true)
  view.setUint16(8, count, true)
  view.setUint16(10, count, true)
  view.setUint32(12, bytes, true)
  view.setUint32(16, offset, true)
  return end
}

/** Compresses one file, in slices. */
const deflate = Effect.fnUntraced(function* (content: Uint8Array) {
  const parts: Array<Uint8Array> = []
  const stream = new Deflate({ level: compression }, (bytes) => {
    if (bytes.length > 0) parts.push(bytes)
  })
  for (let at = 0; at === 0 || at < content.length; at += sliceBytes) {
    stream.push(content.subarray(at, at + sliceBytes), at + sliceBytes >= content.length)
    yield* Effect.yieldNow
  }
  return parts
})

const lengthOf = (parts: ReadonlyArray<Uint8Array>) => parts.reduce((sum, part) => sum + part.length, 0)

/**
 * Writes files as a zip, in the given order, with one file in memory at a time. The same files produce the same bytes
 * on every machine. Sizes are written before the data, so that streaming readers can unpack it too. The caller enforces
 * the limits (10,000 files, 100 MB), so Zip64 is not needed.
 */
export const zipOf = <E, R>(files: Stream.Stream<ArchiveFile, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    const entries: Array<Entry> = []
    let offset = 0
    const parts = files.pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* ({ content, isExecutable, path }) {
          const compressed = yield* deflate(content)
          const length = lengthOf(compressed)
          const isStored = length >= content.length || length * ratioMax < content.length
          const entry: Entry = {
            name: encoder.encode(path),
            mode: isExecutable ? 0o100755 : 0o100644,
            method: isStored ? stored : deflated,
            crc: crc32(content),
            compressedBytes: isStored ? content.length : length,
            bytes: content.length,
            offset
          }
          entries.push(entry)
          const header = localHeader(entry)
          offset += header.length + entry.compressedBytes
          return [header, ...(isStored ? [content] : compressed)].filter((part) => part.length > 0)
        })
      ),
      Stream.flatMap((some) => Stream.fromIterable(some))
    )
    const directory = Stream.suspend(() => {
      const headers = entries.map(directoryEntry)
      return Stream.fromIterable([...headers, endOfDirectory(entries.length, lengthOf(headers), offset)])
    })
    return Stream.concat(parts, directory)
  })
