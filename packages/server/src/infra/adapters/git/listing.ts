import type { TreeEntry } from "../../ports/code-host.ts"
import type { Bounds } from "./bounds.ts"
import { formatBounds } from "./bounds.ts"
import { corrupt, limitExceeded, unlessCorrupt } from "./failure.ts"
import { type ObjectStore, type TreeItem, treeItems } from "./objects.ts"
import type { Pace } from "./pace.ts"

export interface Row {
  readonly mode: number
  readonly path: Buffer
  readonly sha: string
  /** Undefined when the object is missing; 0 for entries without a size. */
  readonly size: number | undefined
}

export interface Listing {
  readonly entries: ReadonlyArray<TreeEntry>
  readonly truncated: boolean
}

/** Collects the rows of a recursive listing from any source, and checks them in one way. */
export interface ListingBuilder {
  readonly add: (row: Row) => void
  /** Whether the listing is full, so that the sizes of further rows are not needed. */
  readonly isFull: () => boolean
  readonly finish: () => Listing
}

export type Kind = TreeEntry["kind"] | "directory"

/** As git interprets modes: an unknown type counts as a submodule. */
export const kindOf = (mode: number): Kind => {
  switch (mode & 0o170000) {
    case 0o040000:
      return "directory"
    case 0o100000:
      return "file"
    case 0o120000:
      return "symlink"
    default:
      return "submodule"
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export const makeListing = (bounds: Bounds): ListingBuilder => {
  const collected: Array<{ readonly path: Buffer; readonly entry: TreeEntry }> = []
  let rows = 0
  let pathBytes = 0
  let truncated = false
  let isSorted = true

  const add = ({ mode, path, sha, size }: Row): void => {
    rows++
    pathBytes += path.length
    if (rows > bounds.objectsMax) throw limitExceeded(`more than ${bounds.objectsMax} files and folders`)
    if (pathBytes > formatBounds.pathBytesMax) throw limitExceeded("its paths are too long in total")
    const kind = kindOf(mode)
    if (kind === "directory") return
    if (collected.length >= bounds.entriesMax) {
      truncated = true
      return
    }
    const last = collected.at(-1)
    if (last !== undefined && Buffer.compare(last.path, path) > 0) isSorted = false
    collected.push({
      path,
      entry: {
        path: decoder.decode(path),
        kind,
        sha,
        // A missing object is listed, so that a warning can name the file.
        size: kind === "submodule" ? 0 : (size ?? 0),
        ...(kind === "file" && (mode & 0o100) !== 0 ? { isExecutable: true } : {})
      }
    })
  }

  return {
    add,
    isFull: () => collected.length >= bounds.entriesMax,
    finish: () => {
      // Git keeps trees in this order, but a manually created tree may not be.
      if (!isSorted) collected.sort((left, right) => Buffer.compare(left.path, right.path))
      return { entries: collected.map(({ entry }) => entry), truncated }
    }
  }
}

/** Walks a tree iteratively, in the order of `git ls-tree -r -t`. */
export const listTree = async (store: ObjectStore, root: string, bounds: Bounds, pace: Pace): Promise<Listing> => {
  const listing = makeListing(bounds)
  // A file may be in many folders, and reading its size each time would let a small tree cause many disk reads.
  const sizes = new Map<string, number | undefined>()
  const sizeOf = async (sha: string): Promise<number | undefined> => {
    if (!sizes.has(sha)) sizes.set(sha, await unlessCorrupt(() => store.sizeOf(sha)))
    return sizes.get(sha)
  }
  let inflated = 0
  const open = async (sha: string, prefix: Buffer) => {
    const tree = await store.read(sha, formatBounds.metaBytesMax, pace)
    if (tree?.type !== "tree") throw corrupt("a folder is missing")
    inflated += tree.data.length
    if (inflated > bounds.inflatedBytesMax) throw limitExceeded("its directory listings are too large in total")
    return { items: treeItems(tree.data), prefix }
  }
  const folders = [await open(root, Buffer.alloc(0))]
  for (let folder = folders.at(-1); folder !== undefined; folder = folders.at(-1)) {
    const next: IteratorResult<TreeItem, void> = folder.items.next()
    if (next.done === true) {
      folders.pop()
      continue
    }
    const item = next.value
    const path = Buffer.concat([folder.prefix, item.name])
    const kind = kindOf(item.mode)
    const hasSize = (kind === "file" || kind === "symlink") && !listing.isFull()
    listing.add({ mode: item.mode, path, sha: item.sha, size: hasSize ? await sizeOf(item.sha) : 0 })
    if (kind === "directory") folders.push(await open(item.sha, Buffer.concat([path, Buffer.from("/")])))
    await pace.step(path.length)
  }
  return listing.finish()
}
