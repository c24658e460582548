import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Destination } from "./outbound.ts"

/** A repository as an instance names it; `credential` goes to that origin only. */
export interface Repository {
  /**
   * As `normalise` answers it: `https://host/path` without user info, default port, query, trailing `/` or `.git`, or
   * `file:///real/path`. It is the identity; which spelling a host wants is the adapter's to find out.
   */
  readonly cloneUrl: string
  readonly credential: { readonly username: string; readonly token: Redacted.Redacted } | null
  /** Whose share of outbound sockets is used. */
  readonly organizationId: string
  /** Whose word the address is; a caller's (`supplied`) unless told. */
  readonly destination?: Destination
}

export interface RepositoryInfo {
  readonly cloneUrl: string
  /** `owner/name` where the path has both, else the last path segment. */
  readonly fullName: string
  /** Null when the repository has no commit yet. */
  readonly defaultBranch: string | null
}

/** One entry of a recursive tree; directories are not listed. */
export interface TreeEntry {
  /** With `/`, no leading slash. Lossy (U+FFFD) where the bytes are not UTF-8: refuse such a path. */
  readonly path: string
  readonly kind: "file" | "symlink" | "submodule"
  readonly sha: string
  /** Bytes, of a symlink those of its target; 0 for a submodule, and where the object is missing. */
  readonly size: number
  /** Git's mode is 100755. Absent: false. */
  readonly isExecutable?: boolean
  /** The entry is a symbolic link to this path of the tree; kind, sha and size are those of the file it leads to. */
  readonly linkTo?: string
}

/** One commit, fetched and bounded; gone with its scope. */
export interface Snapshot {
  readonly revision: string
  /** What the host calls the repository now, where it says so: renames are followed. */
  readonly fullName?: string
  /** Sorted by path in byte order. */
  readonly entries: ReadonlyArray<TreeEntry>
  /** True when the host cut the listing: then nothing may be inferred deleted. */
  readonly truncated: boolean
  readonly strategy: "git-tree-recursive" | "git-tree-walk"
  /** Each content read is a request to the host. Absent: false. */
  readonly isReadByRequest?: boolean
  /**
   * Contents by blob sha; a sha that is not listed, over the blob bound, missing or damaged is left out. Read in batches:
   * more bytes at once than the adapter allows (plain git: 256 MiB) is `limit_exceeded`.
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
  /** For the caller's eyes: no secret, no path outside the repository, no address that was blocked. */
  readonly message: string
  readonly retryAfterMillis?: number
}> {}

/** A host of git repositories, read only. */
export class CodeHost extends Context.Service<
  CodeHost,
  {
    /** Judges and normalises what a caller typed, without touching the network. */
    readonly normalise: (cloneUrl: string) => Effect.Effect<string, CodeHostFailed>
    readonly inspect: (repository: Repository) => Effect.Effect<RepositoryInfo, CodeHostFailed>
    /**
     * The commit a branch points to now. Here and in `snapshot` a branch is a short name, or a full one that starts with
     * `refs/heads/` or `refs/tags/`.
     */
    readonly head: (repository: Repository, branch: string) => Effect.Effect<string, CodeHostFailed>
    /** One commit, by sha where given, else the branch's head. */
    readonly snapshot: (
      repository: Repository,
      branch: string,
      revision?: string
    ) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
  }
>()("@orgplane/server/ports/CodeHost") {}
