import * as Effect from "effect/Effect"
import type { CodeHostFailed } from "../../ports/code-host.ts"
import type { Bounds } from "../git/bounds.ts"
import { attempt, failed, limitExceeded } from "../git/failure.ts"
import { type Listing, makeListing } from "../git/listing.ts"
import { isSha } from "../git/objects.ts"
import type { Tree } from "./shapes.ts"

/** Maximum number of requests for one listing. Beyond it, the listing is truncated. */
const walkRequestsMax = 500
/** Maximum number of truncated responses, each of some megabytes. No tree within the limits has more. */
const truncatedListingsMax = 12

/** Reads one folder, or everything below it; undefined when there is no such tree. */
export type ReadTree = (sha: string, isRecursive: boolean) => Effect.Effect<Tree, CodeHostFailed>

const add = (listing: ReturnType<typeof makeListing>, prefix: string, entry: Tree["tree"][number]) =>
  listing.add({
    mode: Number.parseInt(entry.mode, 8),
    path: Buffer.from(prefix + entry.path),
    sha: entry.sha,
    size: entry.size ?? 0
  })

/** Turns the exceptions of the listing's limits into failures. */
const attemptAdd = (work: () => void): Effect.Effect<void, CodeHostFailed> =>
  attempt(() => {
    work()
    return Promise.resolve()
  })

/**
 * All entries below a tree. When the host truncates the response, the tree is read folder by folder: each subtree at
 * once if it is short enough, otherwise its folders one by one.
 */
export const listTree = Effect.fnUntraced(function* (read: ReadTree, root: string, bounds: Bounds) {
  const whole = yield* read(root, true)
  const listing = makeListing(bounds)
  const addAll = (prefix: string, tree: Tree) =>
    attemptAdd(() => {
      for (const entry of tree.tree) {
        if (!isSha(entry.sha)) throw failed("unreachable", "The code host returned an invalid object SHA.")
        add(listing, prefix, entry)
      }
    })
  if (!whole.truncated) {
    yield* addAll("", whole)
    return listing.finish()
  }
  const folders = [{ sha: root, prefix: "", rows: 0 }]
  let requests = 0
  let truncatedListings = 1
  let isCut = false
  /** Number of rows that are known to exist: those already added, and those in truncated responses. */
  let rows = 0
  for (let folder = folders.pop(); folder !== undefined && !isCut; folder = folders.pop()) {
    const here = yield* read(folder.sha, false)
    requests += 1
    rows += here.tree.length - folder.rows
    isCut = here.truncated
    yield* addAll(folder.prefix, here)
    for (const entry of here.tree) {
      if (entry.type !== "tree") continue
      if (requests >= walkRequestsMax || truncatedListings >= truncatedListingsMax || listing.isFull()) {
        isCut = true
        break
      }
      const prefix = `${folder.prefix}${entry.path}/`
      const below = yield* read(entry.sha, true)
      requests += 1
      rows += below.tree.length
      if (below.truncated) {
        truncatedListings += 1
        folders.push({ sha: entry.sha, prefix, rows: below.tree.length })
      } else yield* addAll(prefix, below)
      // A tree that contains itself many times is detected before it is walked.
      if (rows > bounds.objectsMax) return yield* limitExceeded(`more than ${bounds.objectsMax} files and folders`)
    }
  }
  const listed = listing.finish()
  return { entries: listed.entries, truncated: listed.truncated || isCut, isWalked: true } satisfies Listing & {
    readonly isWalked: true
  }
})
