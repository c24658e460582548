import { applyDelta, readDeltaHeader } from "./delta.ts"
import { formatBounds } from "./bounds.ts"
import { corrupt, limitExceeded } from "./failure.ts"
import { inflateAt, inflatePrefix } from "./inflate.ts"
import type { GitObject, ObjectType } from "./objects.ts"
import type { Pace } from "./pace.ts"
import type { FileBytes } from "./pack-file.ts"

/** The location and encoding of an object in a pack. */
export interface PackEntry {
  readonly offset: number
  /** The inflated size of the object or the delta. */
  readonly size: number
  readonly dataOffset: number
  readonly form:
    | { readonly kind: "whole"; readonly type: ObjectType }
    | { readonly kind: "offset"; readonly base: number }
    | { readonly kind: "name"; readonly base: string }
}

const types: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" }

const headerBytesMax = 64
/** The number of objects, from the first twelve bytes of a pack. */
export const objectCountOf = (header: Buffer): number => {
  if (header.length < 12 || header.toString("latin1", 0, 4) !== "PACK") throw corrupt("the response is not a pack")
  const version = header.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw corrupt("a pack has an unknown version")
  return header.readUInt32BE(8)
}

export const readEntry = (pack: FileBytes, offset: number): PackEntry => {
  const bytes = pack.view(offset, headerBytesMax)
  let at = 0
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined) throw corrupt("a pack is truncated")
    return byte
  }
  let byte = next()
  const kind = (byte >> 4) & 7
  let size = byte & 15
  for (let unit = 16; byte >= 0x80; unit *= 128) {
    if (unit > 2 ** 46) throw corrupt("an object declares an impossible size")
    byte = next()
    size += (byte & 0x7f) * unit
  }
  const type = types[kind]
  if (type !== undefined) return { offset, size, dataOffset: offset + at, form: { kind: "whole", type } }
  if (kind === 6) {
    byte = next()
    let distance = byte & 0x7f
    while (byte >= 0x80) {
      byte = next()
      distance = (distance + 1) * 128 + (byte & 0x7f)
    }
    if (distance === 0 || distance > offset) throw corrupt("the base of a delta is missing")
    return { offset, size, dataOffset: offset + at, form: { kind: "offset", base: offset - distance } }
  }
  if (kind === 7) {
    const base = bytes.toString("hex", at, at + 20)
    if (base.length !== 40) throw corrupt("a pack is truncated")
    return { offset, size, dataOffset: offset + at + 20, form: { kind: "name", base } }
  }
  throw corrupt("a pack contains an object of an unknown type")
}

/** The size of an entry's object, without building it. */
export const sizeOfEntry = (pack: FileBytes, entry: PackEntry): number =>
  entry.form.kind === "whole" ? entry.size : readDeltaHeader(inflatePrefix(pack.view(entry.dataOffset, 128))).resultSize

/** A least-recently-used cache of objects that deltas may be based on. */
export interface ObjectCache {
  readonly get: (offset: number) => GitObject | undefined
  readonly set: (offset: number, object: GitObject) => void
  readonly clear: () => void
}

export const makeObjectCache = (bytesMax: number): ObjectCache => {
  const cached = new Map<number, GitObject>()
  let bytes = 0
  return {
    get: (offset) => {
      const object = cached.get(offset)
      if (object !== undefined) {
        cached.delete(offset)
        cached.set(offset, object)
      }
      return object
    },
    set: (offset, object) => {
      if (cached.has(offset) || object.data.length > bytesMax / 4) return
      cached.set(offset, object)
      bytes += object.data.length
      for (const [oldest, old] of cached) {
        if (bytes <= bytesMax) break
        cached.delete(oldest)
        bytes -= old.data.length
      }
    },
    clear: () => {
      cached.clear()
      bytes = 0
    }
  }
}

export interface PackedObjects {
  readonly pack: FileBytes
  readonly cache: ObjectCache
  /** The offset of an object in the same pack, by SHA. */
  readonly offsetOf: (sha: string) => number | undefined
}

const demandBuildable = (size: number): void => {
  if (size > formatBounds.deltaBytesMax) throw limitExceeded("a very large file is stored as a delta")
}

/** The object at an offset, built from its chain of deltas iteratively, since a chain may be long. */
export const readObjectAt = async (
  offset: number,
  bytesMax: number,
  { pack, cache, offsetOf }: PackedObjects,
  pace: Pace
): Promise<GitObject> => {
  const chain: Array<PackEntry> = []
  let object: GitObject | undefined
  let at = offset
  while (object === undefined) {
    object = cache.get(at)
    if (object !== undefined) break
    const entry = readEntry(pack, at)
    if (entry.form.kind === "whole") {
      if (chain.length > 0) demandBuildable(entry.size)
      else if (entry.size > bytesMax) throw limitExceeded("an object is too large")
      object = { type: entry.form.type, data: (await inflateAt(pack, entry.dataOffset, entry.size, pace.signal)).data }
      cache.set(at, object)
      await pace.step(entry.size)
      break
    }
    if (chain.length === 0 && sizeOfEntry(pack, entry) > bytesMax) throw limitExceeded("an object is too large")
    if (chain.length >= formatBounds.deltaDepthMax) throw limitExceeded("a chain of deltas is too long")
    chain.push(entry)
    const base = entry.form.kind === "offset" ? entry.form.base : offsetOf(entry.form.base)
    if (base === undefined) throw corrupt("the base of a delta is missing")
    at = base
  }
  for (const entry of chain.toReversed()) {
    demandBuildable(entry.size)
    const delta = (await inflateAt(pack, entry.dataOffset, entry.size, pace.signal)).data
    demandBuildable(readDeltaHeader(delta).resultSize)
    object = { type: object.type, data: applyDelta(object.data, delta) }
    cache.set(entry.offset, object)
    await pace.step(entry.size + object.data.length)
  }
  return object
}
