import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CodeHostFailed, CommitStatus, Snapshot } from "./code-host.ts"

/** An account on the code host on which the app is installed, and the organization whose share of sockets is used. */
export interface InstallationRef {
  readonly installationId: string
  readonly organizationId: string
}

/** A repository by its ID at the host, which does not change with renames and transfers. */
export interface InstalledRepository extends InstallationRef {
  readonly repositoryId: string
}

export interface InstalledInfo {
  readonly repositoryId: string
  /** The current `owner/name`. */
  readonly fullName: string
  /** Null if the repository has no commits yet. */
  readonly defaultBranch: string | null
}

/** The host's current state of a repository. */
export interface RepositoryState {
  readonly fullName: string
  readonly isArchived: boolean
  /** ISO 8601, by the host's clock. */
  readonly updatedAt: string | null
}

export interface ListedRepository {
  readonly id: string
  readonly fullName: string
  readonly defaultBranch: string | null
  readonly isPrivate: boolean
}

export interface ListedBranch {
  readonly name: string
  /** The commit it points to. */
  readonly revision: string
}

/** One page of a list at the host; `next` is the number of the page after it. */
export interface HostPage<A> {
  readonly items: ReadonlyArray<A>
  readonly next: number | null
}

export interface Installation {
  readonly id: string
  /** The account's name at the host: a person or an organization. */
  readonly accountName: string
  readonly isSuspended: boolean
}

/** The installation that a code from the host's page proves, or the argument that is invalid. */
export type Proof =
  | { readonly installation: Installation }
  | { readonly refused: "code" | "installationId"; readonly message: string }

/** A code host used through its REST API, as an app that accounts install. */
export class CodeHostApp extends Context.Service<
  CodeHostApp,
  {
    /** The URL where a user installs the app. The host redirects the browser back with the state. */
    readonly installUrl: (organizationId: string, state: string) => Effect.Effect<string, CodeHostFailed>
    /** Verifies that the code's owner administers the installation, and returns it, or the argument that is invalid. */
    readonly prove: (ref: InstallationRef, code: string) => Effect.Effect<Proof, CodeHostFailed>
    /** Pages are counted from 1. */
    readonly repositories: (
      ref: InstallationRef,
      page: number,
      perPage: number
    ) => Effect.Effect<HostPage<ListedRepository>, CodeHostFailed>
    readonly branches: (
      repository: InstalledRepository,
      page: number,
      perPage: number
    ) => Effect.Effect<HostPage<ListedBranch>, CodeHostFailed>
    /** The repository with this name, if the installation includes it. */
    readonly find: (ref: InstallationRef, fullName: string) => Effect.Effect<InstalledInfo, CodeHostFailed>
    /** Like `find`, by the repository's ID. */
    readonly inspect: (repository: InstalledRepository) => Effect.Effect<InstalledInfo, CodeHostFailed>
    /** The current state of the installation; null when the app is no longer installed. */
    readonly installation: (ref: InstallationRef) => Effect.Effect<Installation | null, CodeHostFailed>
    /** The current state of the repository. */
    readonly state: (repository: InstalledRepository) => Effect.Effect<RepositoryState, CodeHostFailed>
    /** Like `CodeHost.head`. */
    readonly head: (repository: InstalledRepository, branch: string) => Effect.Effect<string, CodeHostFailed>
    /** Like `CodeHost.snapshot`. */
    readonly snapshot: (
      repository: InstalledRepository,
      branch: string,
      revision?: string
    ) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
    /** Like `CodeHost.setCommitStatus`. */
    readonly setCommitStatus?: (
      repository: InstalledRepository,
      status: CommitStatus
    ) => Effect.Effect<boolean, CodeHostFailed>
  }
>()("@orgplane/server/ports/CodeHostApp") {}
