import type { Bounds } from "./bounds.ts"
import { formatBounds } from "./bounds.ts"
import { corrupt, limitExceeded } from "./failure.ts"
import { inflateAt, inflateEach } from "./inflate.ts"
import { checked, hashObject, type ObjectStore, type ObjectType, shaOf } from "./objects.ts"
import { readDeltaHeader } from "./delta.ts"
import { makeObjectCache, objectCountOf, type PackEntry, readEntry, readObjectAt } from "./pack-entry.ts"
import type { Pace } from "./pace.ts"
import type { FileBytes } from "./pack-file.ts"

const headerBytes = 12
const trailerBytes = 20
/** The header of an entry, and an empty compressed stream. */
const entryBytesMin = 9
const cacheBytesMax = 48 * 1024 * 1024
/** Larger blobs are hashed while they inflate, so that they are never completely in memory. */
const hashWholeBytesMax = 4 * 1024 * 1024

interface Named {
  readonly offset: number
  readonly size: number
}

/** A pack without its index: the bases of all deltas, from one pass. */
interface Survey {
  readonly whole: ReadonlyArray<{ readonly offset: number; readonly sha: string; readonly size: number }>
  readonly onOffset: ReadonlyMap<number, ReadonlyArray<number>>
  readonly onName: ReadonlyMap<string, ReadonlyArray<number>>
  readonly deltas: number
}

const append = <K>(lists: Map<K, Array<number>>, key: K, value: number): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** The SHA of a whole object, and the bytes that it occupies in the pack. */
const nameWhole = async (pack: FileBytes, entry: PackEntry, type: ObjectType, signal: AbortSignal) => {
  if (entry.size <= hashWholeBytesMax) {
    const { data, consumed } = await inflateAt(pack, entry.dataOffset, entry.size, signal)
    return { sha: shaOf({ type, data }), consumed }
  }
  const hash = hashObject(type, entry.size)
  const consumed = await inflateEach(pack, entry.dataOffset, entry.size, signal, (piece) => void hash.update(piece))
  return { sha: hash.digest("hex"), consumed }
}

/**
 * Every declared size is checked before anything is inflated, and inflating stops at the declared size, so that a small
 * pack that inflates endlessly costs no more than the limit.
 */
const survey = async (pack: FileBytes, bounds: Bounds, pace: Pace): Promise<Survey> => {
  const count = objectCountOf(pack.view(0, headerBytes))
  if (count > bounds.objectsMax) throw limitExceeded(`more than ${bounds.objectsMax} objects`)
  const end = pack.size - trailerBytes
  if (count * entryBytesMin > end) throw corrupt("a pack is shorter than it declares")

  const whole: Array<Survey["whole"][number]> = []
  const onOffset = new Map<number, Array<number>>()
  const onName = new Map<string, Array<number>>()
  let inflated = 0
  const spend = (bytes: number): void => {
    inflated += bytes
    if (inflated > bounds.inflatedBytesMax) throw limitExceeded(`more than ${bounds.inflatedBytesMax} bytes unpacked`)
  }

  let offset = headerBytes
  for (let index = 0; index < count; index++) {
    if (offset >= end) throw corrupt("a pack is truncated")
    const entry = readEntry(pack, offset)
    const { form } = entry
    spend(entry.size)
    if (form.kind === "whole") {
      const { sha, consumed } = await nameWhole(pack, entry, form.type, pace.signal)
      whole.push({ offset, sha, size: entry.size })
      offset = entry.dataOffset + consumed
    } else {
      if (entry.size > formatBounds.deltaBytesMax) throw limitExceeded("a delta is too large")
      const { data, consumed } = await inflateAt(pack, entry.dataOffset, entry.size, pace.signal)
      spend(readDeltaHeader(data).resultSize)
      if (form.kind === "offset") append(onOffset, form.base, offset)
      else append(onName, form.base, offset)
      offset = entry.dataOffset + consumed
    }
    await pace.step(entry.size)
  }
  if (offset !== end) throw corrupt("a pack is longer than it declares")
  return { whole, onOffset, onName, deltas: count - whole.length }
}

/**
 * The objects of a received pack, by the SHA of their content. The pack stays on disk; only SHAs and offsets are in
 * memory.
 */
export const indexReceivedPack = async (pack: FileBytes, bounds: Bounds, pace: Pace): Promise<ObjectStore> => {
  const { whole, onOffset, onName, deltas } = await survey(pack, bounds, pace)
  const byName = new Map<string, Named>()
  const cache = makeObjectCache(cacheBytesMax)
  const offsetOf = (sha: string): number | undefined => byName.get(sha)?.offset

  // Depth first, so that a base is still cached when its deltas are built.
  const ready: Array<{ readonly offset: number; readonly depth: number }> = []
  const add = (sha: string, offset: number, size: number, depth: number): void => {
    if (depth > formatBounds.deltaDepthMax) throw limitExceeded("a chain of deltas is too long")
    if (!byName.has(sha)) byName.set(sha, { offset, size })
    for (const child of onOffset.get(offset) ?? []) ready.push({ offset: child, depth: depth + 1 })
    if (offsetOf(sha) !== offset) return
    for (const child of onName.get(sha) ?? []) ready.push({ offset: child, depth: depth + 1 })
  }
  const packed = { pack, cache, offsetOf }
  let resolved = 0
  const settle = async (): Promise<void> => {
    for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
      const object = await readObjectAt(next.offset, formatBounds.deltaBytesMax, packed, pace)
      resolved++
      add(shaOf(object), next.offset, object.data.length, next.depth)
      await pace.step(object.data.length)
    }
  }
  for (const { sha, offset, size } of whole) {
    add(sha, offset, size, 0)
    await settle()
  }
  if (resolved !== deltas) throw corrupt("the base of a delta is missing")
  cache.clear()

  return {
    sizeOf: async (sha) => byName.get(sha)?.size,
    read: async (sha, bytesMax, pace) => {
      const offset = offsetOf(sha)
      return offset === undefined ? undefined : checked(sha, await readObjectAt(offset, bytesMax, packed, pace))
    }
  }
}
