import type { Bounds } from "./bounds.ts"
import { formatBounds } from "./bounds.ts"
import { failed, limitExceeded, unlessCorrupt } from "./failure.ts"
import { type Listing, listTree } from "./listing.ts"
import { type ObjectStore, taggedBy, treeOf } from "./objects.ts"
import type { Pace } from "./pace.ts"

/** Reads commits from any object storage. */
export interface SnapshotReader {
  /** The commit of a SHA, also through tags; undefined when there is none. */
  readonly commitAt: (sha: string, pace: Pace) => Promise<string | undefined>
  readonly list: (commit: string, pace: Pace) => Promise<Listing>
  /**
   * Contents of objects that were listed with an allowed size; an object that is not a blob, is missing or is damaged
   * is omitted.
   */
  readonly blobs: (shas: ReadonlyArray<string>, pace: Pace) => Promise<ReadonlyMap<string, Uint8Array>>
}

export const noSuchRevision = () => failed("branch_not_found", "The repository has no such revision.")

/** The built-in reader of an object store. */
export const makeSnapshotReader = (store: ObjectStore, bounds: Bounds): SnapshotReader => {
  const commitAt = async (sha: string, pace: Pace): Promise<string | undefined> => {
    let name = sha
    for (let depth = 0; depth <= formatBounds.peelMax; depth++) {
      const size = await store.sizeOf(name)
      if (size === undefined || size > formatBounds.metaBytesMax) return undefined
      const object = await store.read(name, formatBounds.metaBytesMax, pace)
      if (object?.type === "commit") return name
      if (object?.type !== "tag") return undefined
      name = taggedBy(object)
    }
    return undefined
  }

  return {
    commitAt,
    list: async (commit, pace) => {
      const object = await store.read(commit, formatBounds.metaBytesMax, pace)
      if (object?.type !== "commit") throw noSuchRevision()
      return listTree(store, treeOf(object), bounds, pace)
    },
    blobs: async (shas, pace) => {
      const contents = new Map<string, Uint8Array>()
      let bytes = 0
      for (const sha of shas) {
        const object = await unlessCorrupt(() => store.read(sha, bounds.blobBytesMax, pace))
        if (object?.type !== "blob") continue
        bytes += object.data.length
        if (bytes > bounds.readBytesMax) throw limitExceeded("too much content is read at once")
        contents.set(sha, object.data)
        await pace.step(object.data.length)
      }
      return contents
    }
  }
}
