import * as Effect from "effect/Effect"
import type { TreeEntry } from "../../ports/code-host.ts"
import { atOnce, inTurns, type Steps } from "../../turns.ts"
import { isRemotePath, surveySteps } from "./paths.ts"

/** The usable files of a listing, found by path or by folder. */
export interface Tree {
  readonly files: ReadonlyArray<TreeEntry>
  readonly warnings: ReadonlyArray<string>
  readonly file: (path: string) => TreeEntry | undefined
  /** Everything below a folder; "" is the repository, without what is shown in it from other places. */
  readonly under: (folder: string) => ReadonlyArray<TreeEntry>
}

/** A listing is surveyed once, however many mappings are read from it. */
const surveyed = new WeakMap<ReadonlyArray<TreeEntry>, Tree>()

/** For few files; a whole repository's is made in turns, and is then known here. */
export const treeOf = (entries: ReadonlyArray<TreeEntry>): Tree => atOnce(treeSteps(entries))

export const treeInTurns = (entries: ReadonlyArray<TreeEntry>): Effect.Effect<Tree> =>
  Effect.suspend(() => {
    const known = surveyed.get(entries)
    return known === undefined ? inTurns(treeSteps(entries)) : Effect.succeed(known)
  })

export const treeSteps = function* (entries: ReadonlyArray<TreeEntry>): Steps<Tree> {
  const known = surveyed.get(entries)
  if (known !== undefined) return known
  const { accepted, warnings } = yield* surveySteps(entries)
  const byPath = new Map<string, TreeEntry>()
  for (const entry of accepted) {
    byPath.set(entry.path, entry)
    yield
  }
  const firstFrom = (bound: string): number => {
    let low = 0
    let high = accepted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((accepted[middle]?.path ?? "") < bound) low = middle + 1
      else high = middle
    }
    return low
  }
  const own = accepted.some(({ path }) => isRemotePath(path))
    ? accepted.filter(({ path }) => !isRemotePath(path))
    : accepted
  const tree: Tree = {
    files: accepted,
    warnings,
    file: (path) => byPath.get(path),
    // "0" follows "/" in code unit order, so the two bounds enclose exactly the folder.
    under: (folder) => (folder === "" ? own : accepted.slice(firstFrom(`${folder}/`), firstFrom(`${folder}0`)))
  }
  surveyed.set(entries, tree)
  return tree
}
