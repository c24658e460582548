import type { TreeEntry } from "../../ports/code-host.ts"
import { isRemotePath, survey } from "./paths.ts"

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

export const treeOf = (entries: ReadonlyArray<TreeEntry>): Tree => {
  const known = surveyed.get(entries)
  if (known !== undefined) return known
  const { accepted, warnings } = survey(entries)
  const byPath = new Map(accepted.map((entry) => [entry.path, entry]))
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
