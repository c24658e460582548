/** Reads the archive of a plugin. Nothing is written until the whole archive has been checked. */
import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { createTarDecoder } from "modern-tar"
import { fromBufferPromise } from "yauzl"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"

export interface UnpackedFile {
  readonly path: string
  readonly content: Uint8Array
  readonly isExecutable: boolean
}

// The limits of the server.
interface Limits {
  readonly filesMax: number
  readonly bytesMax: number
}
const serverLimits: Limits = { filesMax: 10_000, bytesMax: 100_000_000 }
const pathLengthMax = 1024

/** Names of devices on Windows, also with an extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu

const refusals: ReadonlyArray<readonly [reason: string, holds: (path: string) => boolean]> = [
  ["is empty or too long", (path) => path === "" || path.length > pathLengthMax],
  ["contains a control character", (path) => /\p{Cc}/u.test(path)],
  ["is absolute", (path) => /^(?:[/\\]|[A-Za-z]:)/u.test(path)],
  ['has an empty, "." or ".." segment', (path) => path.split(/[/\\]/u).some((part) => /^\.{0,2}$/u.test(part))],
  ["is in a .git folder", (path) => path.split(/[/\\]/u).some((part) => /^\.git$/iu.test(part))]
]

/** On Windows, such a name refers to a device or to a stream of a file. */
const isRefusedOnWindows = (path: string) =>
  path.split(/[/\\]/u).some((part) => device.test(part) || part.includes(":") || /[. ]$/u.test(part))

const refused = (plugin: string, reason: string) =>
  new Failure(exit.failure, `The archive of ${plugin} was refused: ${reason}. Nothing was changed.`)

/** Equal for two paths that are the same file on a file system that ignores case or normalizes names. */
const folded = (path: string): string => path.normalize("NFC").toLowerCase().normalize("NFC")

const parentsOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join("/"))

/** An entry of an archive, before it is checked. */
interface ArchiveEntry {
  readonly path: string
  readonly kind: "file" | "folder" | "other"
  readonly isExecutable: boolean
  readonly content: () => Promise<AsyncIterable<Uint8Array>>
}

const unix = 3
const typeMask = 0o170000
const regularFile = 0o100000

async function* zipEntries(archive: Buffer): AsyncGenerator<ArchiveEntry> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true, validateEntrySizes: true })
  for await (const entry of zip.eachEntry()) {
    const { externalFileAttributes, fileName, versionMadeBy } = entry
    // Archives that were not created on Unix have no mode.
    const mode = versionMadeBy >> 8 === unix ? externalFileAttributes >>> 16 : 0
    const type = mode & typeMask
    yield {
      path: fileName,
      kind: fileName.endsWith("/") ? "folder" : type === 0 || type === regularFile ? "file" : "other",
      isExecutable: (mode & 0o100) !== 0,
      content: () => zip.openReadStreamPromise(entry)
    }
  }
}

async function* tarEntries(archive: Buffer): AsyncGenerator<ArchiveEntry> {
  const tar = Readable.toWeb(Readable.from([archive]).pipe(createGunzip())) as ReadableStream<Uint8Array>
  for await (const { body, header } of tar.pipeThrough(createTarDecoder({ strict: true }))) {
    yield {
      path: header.name,
      kind: header.type === "directory" ? "folder" : header.type === "file" ? "file" : "other",
      isExecutable: ((header.mode ?? 0) & 0o100) !== 0,
      content: async () => body
    }
  }
}

const formats: Readonly<Record<string, (archive: Buffer) => AsyncGenerator<ArchiveEntry>>> = {
  zip: zipEntries,
  "tar.gz": tarEntries
}

/** Checks each path of an archive. */
const makePathCheck = (plugin: string, platform: NodeJS.Platform, filesMax: number) => {
  const files = new Set<string>()
  const folders = new Set<string>()
  return (path: string): void => {
    const shown = JSON.stringify(path)
    const refusal = refusals.find(([, holds]) => holds(path))
    if (refusal !== undefined) throw refused(plugin, `the path ${shown} ${refusal[0]}`)
    if (platform === "win32" && isRefusedOnWindows(path)) {
      throw refused(plugin, `the path ${shown} is not allowed on Windows`)
    }
    if (files.size === filesMax) throw refused(plugin, `it contains more than ${filesMax} files`)
    const key = folded(path)
    const parents = parentsOf(key)
    if (files.has(key) || folders.has(key) || parents.some((parent) => files.has(parent))) {
      throw refused(plugin, `the path ${shown} is the same as a different one`)
    }
    files.add(key)
    for (const parent of parents) folders.add(parent)
  }
}

/** The content of an entry. It is counted as it is read, because an archive can state a wrong size. */
const contentOf = async (entry: ArchiveEntry, left: number, plugin: string, { bytesMax }: Limits): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of await entry.content()) {
    bytes += chunk.length
    if (bytes > left) throw refused(plugin, `it contains more than ${bytesMax / 1_000_000} MB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The files of an archive. */
export const unpack = async (
  archive: Buffer,
  format: string,
  plugin: string,
  platform: NodeJS.Platform = process.platform,
  limits: Limits = serverLimits
): Promise<ReadonlyArray<UnpackedFile>> => {
  const entries = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (entries === undefined) throw refused(plugin, `it is a ${format}. Update the orgplane CLI, then try again`)
  const files: Array<UnpackedFile> = []
  const checkPath = makePathCheck(plugin, platform, limits.filesMax)
  let bytes = 0
  let folders = 0
  try {
    for await (const entry of entries(archive)) {
      const { isExecutable, kind, path } = entry
      // A tar is read in order, so the content of every entry must be read.
      const content = await contentOf(entry, limits.bytesMax - bytes, plugin, limits)
      if (kind === "folder") {
        folders += 1
        if (folders > limits.filesMax) throw refused(plugin, `it contains more than ${limits.filesMax} folders`)
        continue
      }
      if (kind === "other") throw refused(plugin, `${JSON.stringify(path)} is not a file`)
      checkPath(path)
      bytes += content.length
      files.push({ path, content, isExecutable })
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw refused(plugin, `it is not a valid ${format} file (${reason})`)
  }
  return files
}
