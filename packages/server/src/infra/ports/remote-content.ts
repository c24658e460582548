import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TreeEntry } from "./code-host.ts"

/** Immutable content, pinned by commit, integrity or digest. URLs are as the document states them. */
export type RemotePlace =
  | { readonly kind: "git"; readonly cloneUrl: string; readonly commit: string }
  | {
      readonly kind: "npm"
      /** Base URL of the registry, without a trailing slash. */
      readonly registry: string
      readonly name: string
      readonly version: string
      /** Subresource integrity, as in lock files. */
      readonly integrity: string
    }
  | { readonly kind: "archive"; readonly url: string; readonly sha256: string }

/** Fetched content, verified against its pin and bounded in size; deleted with its scope. */
export interface RemoteTree {
  /** Paths are not validated: validate them before use. */
  readonly entries: ReadonlyArray<TreeEntry>
  /** Warnings about content that is not among the entries. */
  readonly warnings: ReadonlyArray<string>
  /** Approximate disk usage. */
  readonly bytes: number
  /** Contents by blob SHA, at most 64 MiB at once; files that are not listed or larger than 5 MiB are omitted. */
  readonly read: (shas: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Uint8Array>, RemoteFailed>
}

/** Why there is no content. The message contains no secret and no blocked address. */
export class RemoteFailed extends Data.TaggedError("RemoteFailed")<{
  readonly code: "not_allowed" | "blocked" | "not_found" | "pin_mismatch" | "too_large" | "damaged" | "unreachable"
  readonly message: string
}> {}

/** Read-only content from the hosts that the operator allows, without a credential. */
export class RemoteContent extends Context.Service<
  RemoteContent,
  {
    /** The host includes its port unless it is the default. */
    readonly allows: (host: string) => boolean
    /** A version of the rules, so that results from other rules can be recognized; "" without rules. */
    readonly fingerprint: string
    readonly open: (place: RemotePlace, organizationId: string) => Effect.Effect<RemoteTree, RemoteFailed, Scope.Scope>
  }
>()("@orgplane/server/ports/RemoteContent") {}
