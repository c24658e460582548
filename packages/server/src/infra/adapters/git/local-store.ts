import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { corrupt, failed, limitExceeded } from "./failure.ts"
import { inflateAll, inflatePrefix } from "./inflate.ts"
import { checked, type GitObject, isObjectType, type ObjectStore, type ObjectType } from "./objects.ts"
import { makeObjectCache, readEntry, readObjectAt, sizeOfEntry, type PackedObjects } from "./pack-entry.ts"
import { type FileBytes, openFileBytes } from "./pack-file.ts"

const packsMax = 256
const cacheBytesMax = 16 * 1024 * 1024

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")

const openIfThere = (path: string): FileBytes | undefined => {
  try {
    return openFileBytes(path)
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

interface LocalPack extends PackedObjects {
  readonly close: () => void
}

const fanoutAt = 8
const namesAt = fanoutAt + 256 * 4

/** A pack and its index, both read in place: neither is ever completely in memory. */
const openPack = (path: string): LocalPack | undefined => {
  const index = openIfThere(path.replace(/\.pack$/, ".idx"))
  if (index === undefined) return undefined
  const pack = openIfThere(path)
  if (pack === undefined) {
    index.close()
    return undefined
  }
  const close = (): void => {
    index.close()
    pack.close()
  }
  const uint32 = (at: number): number => {
    const bytes = index.view(at, 4)
    if (bytes.length < 4) throw corrupt("the index of a pack ends early")
    return bytes.readUInt32BE(0)
  }
  if (index.view(0, 4).toString("hex") !== "ff744f63" || uint32(4) !== 2) {
    close()
    throw failed("corrupt", "The index of a pack has an unsupported version. Repack the repository.")
  }
  const count = uint32(fanoutAt + 255 * 4)

  const offsetOf = (sha: string): number | undefined => {
    const first = Number.parseInt(sha.slice(0, 2), 16)
    let low = first === 0 ? 0 : uint32(fanoutAt + (first - 1) * 4)
    let high = Math.min(uint32(fanoutAt + first * 4), count)
    while (low < high) {
      const middle = (low + high) >>> 1
      const name = index.view(namesAt + middle * 20, 20).toString("hex")
      if (name === sha) {
        const offset = uint32(namesAt + count * 24 + middle * 4)
        if (offset < 0x80000000) return offset
        const long = namesAt + count * 28 + (offset - 0x80000000) * 8
        return uint32(long) * 2 ** 32 + uint32(long + 4)
      }
      if (name < sha) low = middle + 1
      else high = middle
    }
    return undefined
  }
  return { pack, cache: makeObjectCache(cacheBytesMax), offsetOf, close }
}

interface LooseHeader {
  readonly type: ObjectType
  readonly size: number
  readonly headerBytes: number
}

const readLooseHeader = (start: Buffer): LooseHeader => {
  const match = /^([a-z]+) (0|[1-9][0-9]{0,14})\0/.exec(start.toString("latin1", 0, 64))
  const type = match?.[1] ?? ""
  if (match === null || !isObjectType(type)) throw corrupt("an object cannot be read")
  return { type, size: Number(match[2]), headerBytes: match[0].length }
}

export interface LocalStore extends ObjectStore {
  readonly close: () => void
}

/** The objects of a local repository, without those of other repositories that it references. */
export const openLocalStore = (objectsDir: string): LocalStore => {
  let packs: ReadonlyMap<string, LocalPack> = new Map()

  /** Repeated when an object is missing: a repack may have moved it. */
  const scan = (): void => {
    const dir = join(objectsDir, "pack")
    const names = existsSync(dir) ? readdirSync(dir).filter((name) => /^pack-[0-9a-f]+\.pack$/.test(name)) : []
    if (names.length > packsMax) throw limitExceeded(`more than ${packsMax} packs; repack the repository`)
    const scanned = new Map(packs)
    for (const name of names.sort()) {
      const pack = scanned.get(name) ?? openPack(join(dir, name))
      if (pack !== undefined) scanned.set(name, pack)
    }
    packs = scanned
  }
  scan()

  const inPacks = (sha: string): { readonly pack: LocalPack; readonly offset: number } | undefined => {
    for (const pack of packs.values()) {
      const offset = pack.offsetOf(sha)
      if (offset !== undefined) return { pack, offset }
    }
    return undefined
  }

  const withLoose = <A>(sha: string, use: (file: FileBytes, header: LooseHeader) => A): A | undefined => {
    const file = openIfThere(join(objectsDir, sha.slice(0, 2), sha.slice(2)))
    try {
      return file === undefined ? undefined : use(file, readLooseHeader(inflatePrefix(file.view(0, 128))))
    } finally {
      file?.close()
    }
  }

  const readLoose = (sha: string, bytesMax: number): GitObject | undefined =>
    withLoose(sha, (file, { type, size, headerBytes }) => {
      if (size > bytesMax) throw limitExceeded("an object is too large")
      const bytes = inflateAll(file.view(0, file.size), headerBytes + size)
      if (bytes.length !== headerBytes + size) throw corrupt("an object's size differs from its declared size")
      return { type, data: bytes.subarray(headerBytes) }
    })

  const withRescan = async <A>(find: () => Promise<A | undefined> | A | undefined): Promise<A | undefined> => {
    const result = await find()
    if (result !== undefined) return result
    scan()
    return find()
  }

  return {
    sizeOf: (sha) =>
      withRescan(() => {
        const packed = inPacks(sha)
        return packed === undefined
          ? withLoose(sha, (_, { size }) => size)
          : sizeOfEntry(packed.pack.pack, readEntry(packed.pack.pack, packed.offset))
      }),
    read: async (sha, bytesMax, pace) => {
      const object = await withRescan(async () => {
        const packed = inPacks(sha)
        return packed === undefined
          ? readLoose(sha, bytesMax)
          : readObjectAt(packed.offset, bytesMax, packed.pack, pace)
      })
      return object === undefined ? undefined : checked(sha, object)
    },
    close: () => {
      for (const pack of packs.values()) pack.close()
    }
  }
}
