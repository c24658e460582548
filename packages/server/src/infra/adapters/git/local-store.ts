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

/** A pack with its index beside it, both read in place: neither is ever in memory whole. */
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
    throw failed("corrupt", "The index of a pack is of a version that is not read: repack the repository.")
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

interface LooseHead {
  readonly type: ObjectType
  readonly size: number
  readonly headBytes: number
}

const readLooseHead = (start: Buffer): LooseHead => {
  const found = /^([a-z]+) (0|[1-9][0-9]{0,14})\0/.exec(start.toString("latin1", 0, 64))
  const type = found?.[1] ?? ""
  if (found === null || !isObjectType(type)) throw corrupt("an object cannot be read")
  return { type, size: Number(found[2]), headBytes: found[0].length }
}

export interface LocalStore extends ObjectStore {
  readonly close: () => void
}

/** The objects of a repository on this machine. Other stores that it borrows from are not looked at. */
export const openLocalStore = (objectsDir: string): LocalStore => {
  let packs: ReadonlyMap<string, LocalPack> = new Map()

  /** Again when something is missing: a repack may have moved it since. */
  const scan = (): void => {
    const dir = join(objectsDir, "pack")
    const names = existsSync(dir) ? readdirSync(dir).filter((name) => /^pack-[0-9a-f]+\.pack$/.test(name)) : []
    if (names.length > packsMax) throw limitExceeded(`more than ${packsMax} packs; repack it`)
    const found = new Map(packs)
    for (const name of names.sort()) {
      const pack = found.get(name) ?? openPack(join(dir, name))
      if (pack !== undefined) found.set(name, pack)
    }
    packs = found
  }
  scan()

  const inPacks = (sha: string): { readonly pack: LocalPack; readonly offset: number } | undefined => {
    for (const pack of packs.values()) {
      const offset = pack.offsetOf(sha)
      if (offset !== undefined) return { pack, offset }
    }
    return undefined
  }

  const withLoose = <A>(sha: string, use: (file: FileBytes, head: LooseHead) => A): A | undefined => {
    const file = openIfThere(join(objectsDir, sha.slice(0, 2), sha.slice(2)))
    try {
      return file === undefined ? undefined : use(file, readLooseHead(inflatePrefix(file.view(0, 128))))
    } finally {
      file?.close()
    }
  }

  const readLoose = (sha: string, bytesMax: number): GitObject | undefined =>
    withLoose(sha, (file, { type, size, headBytes }) => {
      if (size > bytesMax) throw limitExceeded("an object is too large")
      const bytes = inflateAll(file.view(0, file.size), headBytes + size)
      if (bytes.length !== headBytes + size) throw corrupt("an object is not as long as it declares")
      return { type, data: bytes.subarray(headBytes) }
    })

  const twice = async <A>(find: () => Promise<A | undefined> | A | undefined): Promise<A | undefined> => {
    const found = await find()
    if (found !== undefined) return found
    scan()
    return find()
  }

  return {
    sizeOf: (sha) =>
      twice(() => {
        const packed = inPacks(sha)
        return packed === undefined
          ? withLoose(sha, (_, { size }) => size)
          : sizeOfEntry(packed.pack.pack, readEntry(packed.pack.pack, packed.offset))
      }),
    read: async (sha, bytesMax, pace) => {
      const object = await twice(async () => {
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
