/** What a repository says of its branches, wherever it lies. */
export interface RefList {
  /** What HEAD names, when it names a branch. */
  readonly headTarget: string | undefined
  readonly headSha: string | undefined
  /** By full name; of an annotated tag the commit it leads to, where the host says it. */
  readonly refs: ReadonlyMap<string, string>
}

const branchPrefix = "refs/heads/"

/** As `git check-ref-format` judges: nothing else can exist, and nothing of it can leave the folder of the refs. */
export const isRefName = (name: string): boolean =>
  name.startsWith("refs/") &&
  name.length <= 1024 &&
  // eslint-disable-next-line no-control-regex
  !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/.test(name) &&
  name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock")) &&
  !name.endsWith(".")

/** A branch by its short name; `refs/heads/…` and `refs/tags/…` are taken as they are. Undefined for what cannot be one. */
export const refNameOf = (branch: string): string | undefined => {
  const name = /^refs\/(heads|tags)\//.test(branch) ? branch : branchPrefix + branch
  return branch !== "" && isRefName(name) ? name : undefined
}

export const hasBranches = (list: RefList): boolean => {
  for (const name of list.refs.keys()) if (name.startsWith(branchPrefix)) return true
  return false
}

/**
 * The branch HEAD names. Where that does not exist, or HEAD names none: one at the same commit, then the usual names,
 * then the first. Null when there is no branch at all.
 */
export const defaultBranchOf = ({ headTarget, headSha, refs }: RefList): string | null => {
  if (headTarget?.startsWith(branchPrefix) === true && refs.has(headTarget)) {
    return headTarget.slice(branchPrefix.length)
  }
  const branches = [...refs.keys()].filter((name) => name.startsWith(branchPrefix)).sort()
  const usual = [`${branchPrefix}main`, `${branchPrefix}master`]
  const found =
    branches.find((name) => headTarget === undefined && refs.get(name) === headSha) ??
    usual.find((name) => refs.has(name)) ??
    branches[0]
  return found?.slice(branchPrefix.length) ?? null
}
