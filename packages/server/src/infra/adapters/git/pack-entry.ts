import { applyDelta, readDeltaHead } from "./delta.ts"
import { formatBounds } from "./bounds.ts"
import { corrupt, limitExceeded } from "./failure.ts"
import { inflateAt, inflatePrefix } from "./inflate.ts"
import type { GitObject, ObjectType } from "./objects.ts"
import type { Pace } from "./pace.ts"
import type { FileBytes } from "./pack-file.ts"

/** How one object lies in a pack. */
export interface PackEntry {
  readonly offset: number
  /** Of what is inflated: the object, or the delta. */
  readonly size: number
  readonly dataOffset: number
  readonly form:
    | { readonly kind: "whole"; readonly type: ObjectType }
    | { readonly kind: "offset"; readonly base: number }
    | { readonly kind: "name"; readonly base: string }
}

const types: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" }

const headBytesMax = 64

/** What the first twelve bytes of a pack declare. */
export const objectCountOf = (head: Buffer): number => {
  if (head.length < 12 || head.toString("latin1", 0, 4) !== "PACK") throw corrupt("what came is no pack")
  const version = head.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw corrupt("a pack of an unknown version")
  return head.readUInt32BE(8)
}

export const readEntry = (pack: FileBytes, offset: number): PackEntry => {
  const bytes = pack.view(offset, headBytesMax)
  let at = 0
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined) throw corrupt("a pack ends early")
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
    if (distance === 0 || distance > offset) throw corrupt("a delta builds on nothing")
    return { offset, size, dataOffset: offset + at, form: { kind: "offset", base: offset - distance } }
  }
  if (kind === 7) {
    const base = bytes.toString("hex", at, at + 20)
    if (base.length !== 40) throw corrupt("a pack ends early")
    return { offset, size, dataOffset: offset + at + 20, form: { kind: "name", base } }
  }
  throw corrupt("a pack holds an object of unknown kind")
}

/** The size of the object an entry stands for, without building it. */
export const sizeOfEntry = (pack: FileBytes, entry: PackEntry): number =>
  entry.form.kind === "whole" ? entry.size : readDeltaHead(inflatePrefix(pack.view(entry.dataOffset, 128))).resultSize

/** Objects that others may build on, the least recently used leaving first. */
export interface ObjectCache {
  readonly get: (offset: number) => GitObject | undefined
  readonly set: (offset: number, object: GitObject) => void
  readonly clear: () => void
}

export const makeObjectCache = (bytesMax: number): ObjectCache => {
  const kept = new Map<number, GitObject>()
  let bytes = 0
  return {
    get: (offset) => {
      const object = kept.get(offset)
      if (object !== undefined) {
        kept.delete(offset)
        kept.set(offset, object)
      }
      return object
    },
    set: (offset, object) => {
      if (kept.has(offset) || object.data.length > bytesMax / 4) return
      kept.set(offset, object)
      bytes += object.data.length
      for (const [oldest, old] of kept) {
        if (bytes <= bytesMax) break
        kept.delete(oldest)
        bytes -= old.data.length
      }
    },
    clear: () => {
      kept.clear()
      bytes = 0
    }
  }
}

export interface PackedObjects {
  readonly pack: FileBytes
  readonly cache: ObjectCache
  /** Where the object of that name lies in the same pack. */
  readonly offsetOf: (sha: string) => number | undefined
}

const demandBuildable = (size: number): void => {
  if (size > formatBounds.deltaBytesMax) throw limitExceeded("a very large file is stored as changes to another")
}

/** The object at an offset, its chain of deltas applied from the base up: a loop, since a chain may be long. */
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
    if (chain.length >= formatBounds.deltaDepthMax) throw limitExceeded("its changes build on too many others")
    chain.push(entry)
    const base = entry.form.kind === "offset" ? entry.form.base : offsetOf(entry.form.base)
    if (base === undefined) throw corrupt("a delta builds on nothing")
    at = base
  }
  for (const entry of chain.toReversed()) {
    demandBuildable(entry.size)
    const delta = (await inflateAt(pack, entry.dataOffset, entry.size, pace.signal)).data
    demandBuildable(readDeltaHead(delta).resultSize)
    object = { type: object.type, data: applyDelta(object.data, delta) }
    cache.set(entry.offset, object)
    await pace.step(entry.size + object.data.length)
  }
  return object
}
