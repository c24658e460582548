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
  /** Undefined where the object is missing; 0 for what has none. */
  readonly size: number | undefined
}

export interface Listing {
  readonly entries: ReadonlyArray<TreeEntry>
  readonly truncated: boolean
}

/** Takes the rows of a recursive listing, whoever makes them, and judges them in one way. */
export interface ListingBuilder {
  readonly add: (row: Row) => void
  /** From here on sizes are not looked at. */
  readonly isFull: () => boolean
  readonly finish: () => Listing
}

export type Kind = TreeEntry["kind"] | "directory"

/** As git reads modes: what is none of the known kinds counts as a commit of another repository. */
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
  const found: Array<{ readonly path: Buffer; readonly entry: TreeEntry }> = []
  let rows = 0
  let pathBytes = 0
  let truncated = false
  let isSorted = true

  const add = ({ mode, path, sha, size }: Row): void => {
    rows++
    pathBytes += path.length
    if (rows > bounds.objectsMax) throw limitExceeded(`more than ${bounds.objectsMax} files and folders`)
    if (pathBytes > formatBounds.pathBytesMax) throw limitExceeded("its paths are too long")
    const kind = kindOf(mode)
    if (kind === "directory") return
    if (found.length >= bounds.entriesMax) {
      truncated = true
      return
    }
    const last = found.at(-1)
    if (last !== undefined && Buffer.compare(last.path, path) > 0) isSorted = false
    found.push({
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
    isFull: () => found.length >= bounds.entriesMax,
    finish: () => {
      // Git keeps trees in this order; a tree written by hand may not.
      if (!isSorted) found.sort((left, right) => Buffer.compare(left.path, right.path))
      return { entries: found.map(({ entry }) => entry), truncated }
    }
  }
}

/** Walks from a tree down without recursion, in the order `git ls-tree -r -t` has. */
export const listTree = async (store: ObjectStore, root: string, bounds: Bounds, pace: Pace): Promise<Listing> => {
  const listing = makeListing(bounds)
  // A file may stand in many folders, and asking the disk each time is what a multiplying tree would want.
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
    if (inflated > bounds.inflatedBytesMax) throw limitExceeded("its folders are too long")
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
