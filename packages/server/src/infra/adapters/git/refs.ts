/** The refs of a local or remote repository. */
export interface RefList {
  /** The target of HEAD, when it is a branch. */
  readonly headTarget: string | undefined
  readonly headSha: string | undefined
  /** By full name; for an annotated tag the commit it points to, if the host reports it. */
  readonly refs: ReadonlyMap<string, string>
}

const branchPrefix = "refs/heads/"

/** The rules of `git check-ref-format`. Every valid ref name is a path inside the `refs` directory. */
export const isRefName = (name: string): boolean =>
  name.startsWith("refs/") &&
  name.length <= 1024 &&
  // eslint-disable-next-line no-control-regex
  !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/.test(name) &&
  name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock")) &&
  !name.endsWith(".")

/** The full name of a branch; `refs/heads/…` and `refs/tags/…` are unchanged. Undefined for an invalid name. */
export const refNameOf = (branch: string): string | undefined => {
  const name = /^refs\/(heads|tags)\//.test(branch) ? branch : branchPrefix + branch
  return branch !== "" && isRefName(name) ? name : undefined
}

export const hasBranches = (list: RefList): boolean => {
  for (const name of list.refs.keys()) if (name.startsWith(branchPrefix)) return true
  return false
}

/**
 * The branch of HEAD. If it does not exist, or HEAD is detached: a branch at the same commit, then the usual names,
 * then the first branch. Null when there is no branch.
 */
export const defaultBranchOf = ({ headTarget, headSha, refs }: RefList): string | null => {
  if (headTarget?.startsWith(branchPrefix) === true && refs.has(headTarget)) {
    return headTarget.slice(branchPrefix.length)
  }
  const branches = [...refs.keys()].filter((name) => name.startsWith(branchPrefix)).sort()
  const usual = [`${branchPrefix}main`, `${branchPrefix}master`]
  const branch =
    branches.find((name) => headTarget === undefined && refs.get(name) === headSha) ??
    usual.find((name) => refs.has(name)) ??
    branches[0]
  return branch?.slice(branchPrefix.length) ?? null
}
