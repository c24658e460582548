import { createHash } from "node:crypto"
import { crc32, deflateRawSync, gzipSync } from "node:zlib"
import { packTar, type TarEntry } from "modern-tar"

/** Archives for tests, including names and types that no packer would write. */

export type Files = Readonly<Record<string, string | Uint8Array>>

const bytesOf = (content: string | Uint8Array) => Buffer.from(content as Uint8Array)

/** A gzipped tar of these files below a folder, and of additional entries. */
export const tarGz = async (files: Files, folder = "", more: ReadonlyArray<TarEntry> = []): Promise<Buffer> => {
  const entries = Object.entries(files).map(([path, content]): TarEntry => {
    const body = bytesOf(content)
    return {
      header: { name: folder + path, size: body.length, type: "file", mtime: new Date(0) },
      body: new Uint8Array(body)
    }
  })
  return gzipSync(await packTar([...entries, ...more]))
}

export interface ZipItem {
  readonly name: string | Uint8Array
  readonly content: string | Uint8Array
  /** The Unix mode with the file type: 0o120777 is a symbolic link. */
  readonly mode?: number
  /** The size in the directory. Default: the actual size. */
  readonly size?: number
  readonly flags?: number
}

/** A zip file with the given directory entries. */
export const zip = (items: ReadonlyArray<ZipItem>): Buffer => {
  const locals: Array<Buffer> = []
  const centrals: Array<Buffer> = []
  let at = 0
  for (const { content, flags = 0x800, mode = 0o100644, name, size } of items) {
    const raw = bytesOf(content)
    const packed = deflateRawSync(raw)
    const nameBytes = bytesOf(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(raw), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? raw.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, nameBytes, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(at, 10)
    centrals.push(Buffer.concat([Buffer.from("PK\x01\x02", "latin1"), Buffer.from([20, 3]), common, tail, nameBytes]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(items.length, 4)
  end.writeUInt16LE(items.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06", "latin1"), end])
}

export const zipOf = (files: Files, folder = ""): Buffer =>
  zip(Object.entries(files).map(([path, content]) => ({ name: folder + path, content })))

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export const integrityOf = (bytes: Uint8Array): string =>
  `sha512-${createHash("sha512").update(bytes).digest("base64")}`
