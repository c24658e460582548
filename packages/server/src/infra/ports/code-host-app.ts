import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CodeHostFailed, Snapshot } from "./code-host.ts"

/** An account at the code host that has our app, and whose share of outbound sockets is used to speak for it. */
export interface InstallationRef {
  readonly installationId: string
  readonly organizationId: string
}

/** A repository by its id at the host, which survives renames and transfers. */
export interface InstalledRepository extends InstallationRef {
  readonly repositoryId: string
}

export interface InstalledInfo {
  readonly repositoryId: string
  /** `owner/name`, as it is called now. */
  readonly fullName: string
  /** Null when the repository has no commit yet. */
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
  /** Whose account it is: a person's or an organization's name at the host. */
  readonly accountName: string
  readonly isSuspended: boolean
}

/** What a code from the host's own page proved, or the member of the proof that proved nothing. */
export type Proof =
  | { readonly installation: Installation }
  | { readonly refused: "code" | "installationId"; readonly message: string }

/** A code host that is spoken to by its REST interface, as an app that accounts install. */
export class CodeHostApp extends Context.Service<
  CodeHostApp,
  {
    /** Where a person installs the app; the host sends the browser back with the state. */
    readonly installUrl: (organizationId: string, state: string) => Effect.Effect<string, CodeHostFailed>
    /** Who holds the code administers the installation: then what is installed, else which of the two proves nothing. */
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
    /** The repository of this name, when the installation holds it. */
    readonly find: (ref: InstallationRef, fullName: string) => Effect.Effect<InstalledInfo, CodeHostFailed>
    /** As `find`, by the repository's id. */
    readonly inspect: (repository: InstalledRepository) => Effect.Effect<InstalledInfo, CodeHostFailed>
    /** The installation as it is now; null when the app is no longer installed there. */
    readonly installation: (ref: InstallationRef) => Effect.Effect<Installation | null, CodeHostFailed>
    /** The repository as it is now. */
    readonly state: (repository: InstalledRepository) => Effect.Effect<RepositoryState, CodeHostFailed>
    /** As `CodeHost.head`. */
    readonly head: (repository: InstalledRepository, branch: string) => Effect.Effect<string, CodeHostFailed>
    /** As `CodeHost.snapshot`. */
    readonly snapshot: (
      repository: InstalledRepository,
      branch: string,
      revision?: string
    ) => Effect.Effect<Snapshot, CodeHostFailed, Scope.Scope>
  }
>()("@orgplane/server/ports/CodeHostApp") {}
