import { type FileHandle, open } from "node:fs/promises"
import { blobHash } from "./integrity.ts"
import type { ArchiveBounds } from "./bounds.ts"
import { damaged, failed, tooLarge } from "./failure.ts"
import type { TreeEntry } from "../../ports/code-host.ts"

/** One entry of an archive. */
export interface ArchiveEntry {
  readonly name: string
  readonly kind: "file" | "folder" | "symlink" | "hardlink" | "special" | "encrypted"
  /** The declared size; a file has exactly as many bytes. */
  readonly size: number
  readonly isExecutable?: boolean
  readonly content: () => AsyncIterable<Uint8Array>
}

export interface Unpacked {
  readonly entries: ReadonlyArray<TreeEntry>
  readonly warnings: ReadonlyArray<string>
  readonly bytes: number
  readonly read: (shas: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Uint8Array>>
  readonly close: () => Promise<void>
}

const refusals = {
  hardlink: "it is a hard link",
  special: "it is a device, a pipe or a socket",
  encrypted: "it is encrypted"
} as const

const warningsMax = 20

/** A name for messages: truncated, and without characters that would rearrange the line. */
const shown = (name: string): string =>
  JSON.stringify(name.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD"))

/**
 * Writes the files of an archive one after another into a single file, so that no name of the archive ever becomes a
 * path on this machine.
 */
export const spool = async (
  path: string,
  archive: AsyncIterable<ArchiveEntry>,
  bounds: ArchiveBounds,
  signal: AbortSignal
): Promise<Unpacked> => {
  const file = await open(path, "wx+", 0o600)
  try {
    return await fill(file, archive, bounds, signal)
  } catch (cause) {
    await file.close()
    throw cause
  }
}

const fill = async (
  file: FileHandle,
  archive: AsyncIterable<ArchiveEntry>,
  bounds: ArchiveBounds,
  signal: AbortSignal
): Promise<Unpacked> => {
  const places = new Map<string, { readonly at: number; readonly size: number }>()
  const entries: Array<TreeEntry> = []
  const warnings: Array<string> = []
  let count = 0
  let named = 0
  let inflated = 0
  let end = 0
  for await (const { content, isExecutable, kind, name, size } of archive) {
    signal.throwIfAborted()
    if (++count > bounds.entriesMax) throw tooLarge(`more than ${bounds.entriesMax} entries`)
    if (kind === "folder") continue
    if (name.length > bounds.nameLengthMax) {
      if (warnings.length < warningsMax) {
        warnings.push(`Ignored ${shown(name)}: its name is longer than ${bounds.nameLengthMax} characters.`)
      }
      continue
    }
    named += name.length
    if (named > bounds.namesLengthMax) throw tooLarge(`more than ${bounds.namesLengthMax} characters of names`)
    if (kind === "symlink") {
      entries.push({ path: name, kind: "symlink", sha: "", size: 0 })
      continue
    }
    if (kind !== "file") {
      if (warnings.length < warningsMax) warnings.push(`Ignored ${shown(name)}: ${refusals[kind]}.`)
      continue
    }
    // Checked before anything is inflated: the content cannot exceed the declared size.
    if (inflated + size > bounds.inflatedBytesMax) throw tooLarge(`more than ${bounds.inflatedBytesMax} bytes unpacked`)
    const hash = blobHash(size)
    const isStored = size <= bounds.fileBytesMax
    let bytes = 0
    for await (const piece of content()) {
      signal.throwIfAborted()
      bytes += piece.byteLength
      if (bytes > size) throw damaged()
      hash.update(piece)
      if (isStored) await writeAll(file, piece, end + bytes - piece.byteLength)
    }
    if (bytes !== size) throw damaged()
    inflated += size
    const sha = hash.digest("hex")
    if (isStored && !places.has(sha)) {
      places.set(sha, { at: end, size })
      end += size
    }
    entries.push({ path: name, kind: "file", sha, size, ...(isExecutable === true ? { isExecutable } : {}) })
  }
  return {
    entries,
    warnings,
    bytes: end,
    read: async (shas) => {
      const contents = new Map<string, Uint8Array>()
      let total = 0
      for (const sha of new Set(shas)) {
        const place = places.get(sha)
        if (place === undefined) continue
        total += place.size
        if (total > bounds.readBytesMax) throw tooLarge("too much content is read at once")
        contents.set(sha, await readAll(file, place.at, place.size))
      }
      return contents
    },
    close: () => file.close()
  }
}

const writeAll = async (file: FileHandle, bytes: Uint8Array, at: number): Promise<void> => {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
  }
}

const readAll = async (file: FileHandle, at: number, size: number): Promise<Uint8Array> => {
  const bytes = Buffer.alloc(size)
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(bytes, done, size - done, at + done)
    if (bytesRead === 0) throw failed("damaged", "the unpacked content cannot be read from disk")
    done += bytesRead
  }
  return bytes
}
