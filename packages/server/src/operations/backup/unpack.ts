/** Reads a backup, and verifies every byte of it against its manifest. */
import { createTarDecoder, type ParsedTarEntry } from "modern-tar"
import { createReadStream } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { Readable, Transform } from "node:stream"
import { sha256, startSha256 } from "../../infra/crypto/digest.ts"
import { type Credentials, plainStreamOf } from "./encryption.ts"
import { BackupFailed, damaged, diskFullCode, failed } from "./failure.ts"
import { format, type Manifest, manifestDigestName, manifestName, parseManifest, type Part } from "./manifest.ts"

const manifestBytesMax = 64 * 1024 * 1024
/** A SHA-256 and the name of the manifest. */
const digestBytesMax = 512

/** The content of an entry, which is in memory and therefore bounded. */
const contentOf = async (file: string, entry: ParsedTarEntry, bytesMax: number): Promise<Buffer> => {
  if (entry.header.size > bytesMax) throw damaged(file, `${entry.header.name} is too large`)
  const chunks: Array<Uint8Array> = []
  for await (const chunk of entry.body as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Writes a file durably, and returns the digest of what it wrote. */
const writePart = async (path: string, entry: ParsedTarEntry): Promise<string> => {
  const digest = startSha256()
  const file = await open(path, "wx", 0o600)
  try {
    for await (const chunk of entry.body as AsyncIterable<Uint8Array>) {
      digest.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return digest.digest()
}

const writeErrors = new Set(["EACCES", "EROFS", "EEXIST", "EPERM", "EIO"])

export interface UnpackOptions {
  readonly file: string
  readonly credentials: Credentials
  /** An existing, empty directory. */
  readonly into: string
  readonly signal: AbortSignal
  /** Receives the number of bytes that were read from the file. */
  readonly onRead?: (bytes: number) => void
}

class Reader {
  readonly #file: string
  readonly #entries: AsyncIterator<ParsedTarEntry>

  constructor(file: string, entries: AsyncIterator<ParsedTarEntry>) {
    this.#file = file
    this.#entries = entries
  }

  async next(name: string): Promise<ParsedTarEntry> {
    const next: IteratorResult<ParsedTarEntry, unknown> = await this.#entries.next()
    if (next.done === true) throw damaged(this.#file, `${name} is missing`)
    if (next.value.header.name === name) return next.value
    if (name === manifestName)
      throw failed(`${this.#file} is not a backup of orgplane, or it is damaged. Nothing was restored.`)
    throw damaged(this.#file, `it contains ${next.value.header.name} instead of ${name}`)
  }

  async end(): Promise<void> {
    const next: IteratorResult<ParsedTarEntry, unknown> = await this.#entries.next()
    if (next.done !== true)
      throw damaged(this.#file, `it contains ${next.value.header.name}, which is not in its manifest`)
  }
}

const readManifest = async (file: string, reader: Reader): Promise<Manifest> => {
  const entry = await reader.next(manifestName)
  const content = await contentOf(file, entry, manifestBytesMax)
  const digestEntry = await reader.next(manifestDigestName)
  const digest = (await contentOf(file, digestEntry, digestBytesMax)).toString("utf8").slice(0, 64)
  if (digest !== sha256(content)) throw damaged(file, `the SHA-256 of ${manifestName} differs`)
  const manifest = parseManifest(content.toString("utf8"))
  if (manifest === undefined) throw damaged(file, `${manifestName} is malformed`)
  if ("otherFormat" in manifest) {
    throw failed(
      `${file} has format ${manifest.otherFormat}, but this release restores format ${format}. Use the release that made it, or a newer one.`
    )
  }
  return manifest
}

const unpackPart = async (file: string, part: Part, entry: ParsedTarEntry, into: string) => {
  // Before anything is written.
  const { size } = entry.header
  if (size !== part.bytes) throw damaged(file, `${part.name} has ${size} bytes instead of ${part.bytes}`)
  const digest = await writePart(join(into, part.name), entry)
  if (digest !== part.sha256) throw damaged(file, `the SHA-256 of ${part.name} differs`)
}

/**
 * Unpacks a backup into a directory. Fails unless the file is complete, and every part has the size and the SHA-256 of the
 * manifest. If the file system is full, it fails with the error of the operating system.
 */
export const unpack = async (options: UnpackOptions): Promise<Manifest> => {
  const { credentials, file, into, onRead, signal } = options
  let bytes = 0
  const counted = new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length
      onRead?.(bytes)
      done(null, chunk)
    }
  })
  const source = createReadStream(file, { highWaterMark: 256 * 1024 })
  source.on("error", (cause) => counted.destroy(cause))
  let plain: Readable | undefined
  try {
    plain = await plainStreamOf(file, source.pipe(counted), credentials)
    const decoder = createTarDecoder({ strict: true })
    const entries = (Readable.toWeb(plain) as unknown as ReadableStream<Uint8Array>).pipeThrough(
      decoder
    ) as unknown as AsyncIterable<ParsedTarEntry>
    const reader = new Reader(file, entries[Symbol.asyncIterator]())
    const manifest = await readManifest(file, reader)
    for (const name of manifest.directories) {
      const entry = await reader.next(`${name}/`)
      await entry.body.cancel()
      await mkdir(join(into, name), { mode: 0o700 })
    }
    for (const part of manifest.parts) {
      signal.throwIfAborted()
      await unpackPart(file, part, await reader.next(part.name), into)
    }
    await reader.end()
    return manifest
  } catch (cause) {
    // The caller states which file system is full.
    if (cause instanceof BackupFailed || signal.aborted || diskFullCode(cause) !== undefined) throw cause
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    if (writeErrors.has(code)) throw failed(`Cannot write to ${into} (${code}). Nothing was restored.`)
    throw damaged(file, cause instanceof Error ? cause.message : String(cause))
  } finally {
    source.destroy()
    counted.destroy()
    plain?.destroy()
  }
}
