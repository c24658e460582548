import * as Effect from "effect/Effect"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { runToEnd, inTimeSlices, type Steps } from "../../../infra/time-slices.ts"
import { isRemotePath, surveySteps } from "./paths.ts"

/** The usable files of a listing, indexed by path and folder. */
export interface Tree {
  readonly files: ReadonlyArray<TreeEntry>
  readonly warnings: ReadonlyArray<string>
  readonly file: (path: string) => TreeEntry | undefined
  /** All files below a folder. "" is the repository without plugins from other sources. */
  readonly under: (folder: string) => ReadonlyArray<TreeEntry>
  /** Like `under`, including symbolic links to files of the tree. */
  readonly withLinks: (folder: string) => ReadonlyArray<TreeEntry>
  /** `files` including the same links. */
  readonly all: ReadonlyArray<TreeEntry>
}

/** A listing is surveyed once, however many mappings read it. */
const surveyed = new WeakMap<ReadonlyArray<TreeEntry>, Tree>()

/** For small listings. The tree of a whole repository is built in time slices by `treeSteps` and cached here. */
export const treeOf = (entries: ReadonlyArray<TreeEntry>): Tree => runToEnd(treeSteps(entries))

export const treeInSlices = (entries: ReadonlyArray<TreeEntry>): Effect.Effect<Tree> =>
  Effect.suspend(() => {
    const cached = surveyed.get(entries)
    return cached === undefined ? inTimeSlices(treeSteps(entries)) : Effect.succeed(cached)
  })

export const treeSteps = function* (entries: ReadonlyArray<TreeEntry>): Steps<Tree> {
  const cached = surveyed.get(entries)
  if (cached !== undefined) return cached
  const { accepted: all, warnings } = yield* surveySteps(entries)
  // A link is part of its folder's files but never a component.
  const accepted = all.some(({ linkTo }) => linkTo !== undefined)
    ? all.filter(({ linkTo }) => linkTo === undefined)
    : all
  const byPath = new Map<string, TreeEntry>()
  for (const entry of accepted) {
    byPath.set(entry.path, entry)
    yield
  }
  const below = (sorted: ReadonlyArray<TreeEntry>) => {
    const firstFrom = (bound: string): number => {
      let low = 0
      let high = sorted.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((sorted[middle]?.path ?? "") < bound) low = middle + 1
        else high = middle
      }
      return low
    }
    const own = sorted.some(({ path }) => isRemotePath(path))
      ? sorted.filter(({ path }) => !isRemotePath(path))
      : sorted
    // "0" follows "/" in code unit order, so both bounds enclose exactly the folder.
    return (folder: string) => (folder === "" ? own : sorted.slice(firstFrom(`${folder}/`), firstFrom(`${folder}0`)))
  }
  const under = below(accepted)
  const tree: Tree = {
    files: accepted,
    warnings,
    file: (path) => byPath.get(path),
    under,
    withLinks: accepted === all ? under : below(all),
    all
  }
  surveyed.set(entries, tree)
  return tree
}
