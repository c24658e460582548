import * as Effect from "effect/Effect"
import type { CodeHostFailed } from "../../ports/code-host.ts"
import type { Bounds } from "../git/bounds.ts"
import { attempt, failed, limitExceeded } from "../git/failure.ts"
import { type Listing, makeListing } from "../git/listing.ts"
import { isSha } from "../git/objects.ts"
import type { Tree } from "./shapes.ts"

/** Requests that one walk may cost; what is left then is said to be missing. */
const walkRequestsMax = 500
/** Answers that were cut and thrown away, some megabytes each: no tree within bounds has so many. */
const cutAnswersMax = 12

/** Reads one folder, or all below it; undefined when there is no such tree. */
export type ReadTree = (sha: string, isRecursive: boolean) => Effect.Effect<Tree, CodeHostFailed>

const add = (listing: ReturnType<typeof makeListing>, prefix: string, entry: Tree["tree"][number]) =>
  listing.add({
    mode: Number.parseInt(entry.mode, 8),
    path: Buffer.from(prefix + entry.path),
    sha: entry.sha,
    size: entry.size ?? 0
  })

/** The listing's own bounds are thrown. */
const taken = (work: () => void): Effect.Effect<void, CodeHostFailed> =>
  attempt(() => {
    work()
    return Promise.resolve()
  })

/**
 * All entries below a tree. A host that cuts a long answer is asked folder by folder: each subtree whole where that is
 * short enough, else its folders in turn.
 */
export const listTree = Effect.fnUntraced(function* (read: ReadTree, root: string, bounds: Bounds) {
  const whole = yield* read(root, true)
  const listing = makeListing(bounds)
  const addAll = (prefix: string, tree: Tree) =>
    taken(() => {
      for (const entry of tree.tree) {
        if (!isSha(entry.sha)) throw failed("unreachable", "The code host names an object in a way that git has not.")
        add(listing, prefix, entry)
      }
    })
  if (!whole.truncated) {
    yield* addAll("", whole)
    return listing.finish()
  }
  const folders = [{ sha: root, prefix: "", rows: 0 }]
  let requests = 0
  let cutAnswers = 1
  let isCut = false
  /** Rows that are known to be there: those taken, and those of answers that were cut. */
  let rows = 0
  for (let folder = folders.pop(); folder !== undefined && !isCut; folder = folders.pop()) {
    const here = yield* read(folder.sha, false)
    requests += 1
    rows += here.tree.length - folder.rows
    isCut = here.truncated
    yield* addAll(folder.prefix, here)
    for (const entry of here.tree) {
      if (entry.type !== "tree") continue
      if (requests >= walkRequestsMax || cutAnswers >= cutAnswersMax || listing.isFull()) {
        isCut = true
        break
      }
      const prefix = `${folder.prefix}${entry.path}/`
      const below = yield* read(entry.sha, true)
      requests += 1
      rows += below.tree.length
      if (below.truncated) {
        cutAnswers += 1
        folders.push({ sha: entry.sha, prefix, rows: below.tree.length })
      } else yield* addAll(prefix, below)
      // A tree that holds itself many times over is known for it before it is walked.
      if (rows > bounds.objectsMax) return yield* limitExceeded(`more than ${bounds.objectsMax} files and folders`)
    }
  }
  const listed = listing.finish()
  return { entries: listed.entries, truncated: listed.truncated || isCut, isWalked: true } satisfies Listing & {
    readonly isWalked: true
  }
})
