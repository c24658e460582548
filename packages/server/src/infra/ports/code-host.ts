import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Destination } from "./outbound.ts"

/** A repository of an instance; `credential` is sent only to its origin and, for a commit status, to the API of its host. */
export interface Repository {
  /**
   * As returned by `normalize`: `https://host/path` without user info, default port, query, trailing `/` or `.git`, or
   * `file:///real/path`. It identifies the repository. The adapter determines which URL the host expects.
   */
  readonly cloneUrl: string
  readonly credential: { readonly username: string; readonly token: Redacted.Redacted } | null
  /** The organization whose share of sockets is used. */
  readonly organizationId: string
  /** Where the URL comes from. Default: a caller (`supplied`). */
  readonly destination?: Destination
}

export interface RepositoryInfo {
  readonly cloneUrl: string
  /** `owner/name` when the path has both, otherwise the last path segment. */
  readonly fullName: string
  /** Null if the repository has no commits yet. */
  readonly defaultBranch: string | null
}

/** One entry of a recursive tree; directories are not listed. */
export interface TreeEntry {
  /** Separated by `/`, without a leading slash. Bytes that are not UTF-8 become U+FFFD: reject such a path. */
  readonly path: string
  readonly kind: "file" | "symlink" | "submodule"
  readonly sha: string
  /** In bytes; for a symlink, of its target path; 0 for a submodule and for a missing object. */
  readonly size: number
  /** Git's mode is 100755. Default: false. */
  readonly isExecutable?: boolean
  /** The entry is a symbolic link to this path of the tree; kind, sha and size are those of the target file. */
  readonly linkTo?: string
}

/** One fetched commit, bounded in size; deleted with its scope. */
export interface Snapshot {
  readonly revision: string
  /** The repository's current name at the host, if the host reports it: renames are followed. */
  readonly fullName?: string
  /** Sorted by path in byte order. */
  readonly entries: ReadonlyArray<TreeEntry>
  /** True when the host truncated the listing: then no file may be treated as deleted. */
  readonly truncated: boolean
  readonly strategy: "git-tree-recursive" | "git-tree-walk"
  /** Each file read is a request to the host. Default: false. */
  readonly isReadByRequest?: boolean
  /**
   * Contents by blob SHA. A SHA that is not listed, larger than the blob limit, missing or damaged is omitted. Read in
   * batches: a call for more bytes than the adapter allows (plain git: 256 MiB) fails with `limit_exceeded`.
   */
  readonly read: (shas: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, CodeHostFailed>
}

export class CodeHostFailed extends Data.TaggedError("CodeHostFailed")<{
  readonly code:
    | "not_a_repository"
    | "branch_not_found"
    | "empty_repository"
    | "unauthorized"
    | "blocked"
    | "unreachable"
    | "timeout"
    | "limit_exceeded"
    | "rate_limited"
    | "corrupt"
    | "not_configured"
  /** Shown to the caller: contains no secret, no path outside the repository, and no blocked address. */
  readonly message: string
  readonly retryAfterMillis?: number
}> {}

export type CommitState = "pending" | "success" | "failure"

/** A status that a code host shows beside a commit. Setting it again replaces the one with the same context. */
export interface CommitStatus {
  readonly revision: string
  readonly state: CommitState
  /** What the status is about, in a few words. */
  readonly context: string
  /** At most 140 characters. */
  readonly description: string
}

/** A host of git repositories. Reads only, except for commit statuses. */
export class CodeHost extends Context.Service<
  CodeHost,
  {
    /** Validates and normalizes a clone URL, without network access. */
    readonly normalize: (cloneUrl: string) => Effect.Effect<string, CodeHostFailed>
    readonly inspect: (repository: Repository) => Effect.Effect<RepositoryInfo, CodeHostFailed>
    /**
     * The commit that a branch points to. Here and in `snapshot` a branch is a short name, or a full one that starts
     * with `refs/heads/` or `refs/tags/`.
     */
    readonly head: (repository: Repository, branch: string) => Effect.Effect<string, CodeHostFailed>
    /** One commit: the given SHA, otherwise the branch's head. */
    readonly snapshot: (
      repository: Repository,
      branch: string,
      revision?: string
    ) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
    /** Returns false if the host does not support commit statuses. Undefined if no host does. */
    readonly setCommitStatus?: (repository: Repository, status: CommitStatus) => Effect.Effect<boolean, CodeHostFailed>
  }
>()("@orgplane/server/ports/CodeHost") {}
