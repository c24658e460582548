import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TreeEntry } from "./code-host.ts"

/** Content that cannot change: its name says what it holds. Addresses are as a document states them. */
export type RemotePlace =
  | { readonly kind: "git"; readonly cloneUrl: string; readonly commit: string }
  | {
      readonly kind: "npm"
      /** Base address of the registry, without a slash at its end. */
      readonly registry: string
      readonly name: string
      readonly version: string
      /** Subresource integrity, as lock files have it. */
      readonly integrity: string
    }
  | { readonly kind: "archive"; readonly url: string; readonly sha256: string }

/** One place, fetched, compared with its pin and bounded; gone with its scope. */
export interface RemoteTree {
  /** Names are as they were found: whoever uses them as paths must judge them. */
  readonly entries: ReadonlyArray<TreeEntry>
  /** What of it is not among the entries, in sentences. */
  readonly warnings: ReadonlyArray<string>
  /** About how much of the disk it holds. */
  readonly bytes: number
  /** Contents by blob sha, 64 MiB at once at most; what is not listed or over 5 MiB is left out. */
  readonly read: (shas: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, RemoteFailed>
}

/** Why there is no content. The message holds no secret and no address that was blocked. */
export class RemoteFailed extends Data.TaggedError("RemoteFailed")<{
  readonly code: "not_allowed" | "blocked" | "not_found" | "pin_mismatch" | "too_large" | "damaged" | "unreachable"
  readonly message: string
}> {}

/** Content from the places that the operator allows, read only and without a credential. */
export class RemoteContent extends Context.Service<
  RemoteContent,
  {
    /** By host, with its port where that is not the usual one. */
    readonly allows: (host: string) => boolean
    /** Another text for other rules, so that what was found under them can be told apart; "" without any. */
    readonly fingerprint: string
    readonly open: (place: RemotePlace, organizationId: string) => Effect.Effect<RemoteTree, RemoteFailed, Scope.Scope>
  }
>()("@orgplane/server/ports/RemoteContent") {}
