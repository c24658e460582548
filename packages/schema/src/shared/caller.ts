import * as Context from "effect/Context"
import type { Id } from "./ids.ts"
import type { Permission } from "./permissions.ts"

/** What every caller carries: the request it makes. */
export interface CallerRequest {
  readonly requestId: string
  /** The address the request came from, after trusted proxies. */
  readonly address: string
  readonly userAgent: string | null
  /** `group.endpoint` of the operation. */
  readonly operation: string
  /** The caller's key, where the operation honours one, and whether the answer is kept with it or only the fact. */
  readonly idempotency: { readonly key: string; readonly keeps: "answer" | "fact" } | null
  /** SHA-256 of path, query and body: what an idempotency key stands for. Empty without a key. */
  readonly digest: string
  readonly ifMatch: string | null
  /** Headers the answer will carry; `:status` chooses among the successes of an operation that has several. */
  readonly head: Record<string, string>
}

export interface Anonymous {
  readonly kind: "anonymous"
  readonly request: CallerRequest
}

/** A signed-in person, whatever the organization. */
export interface SignedIn {
  readonly kind: "user"
  readonly userId: Id<"usr">
  readonly sessionId: Id<"ses"> | null
  /** The one organization the session is good for: it was made by that organization's sign-in, key or bootstrap. */
  readonly boundTo: Id<"org"> | null
  /** An address the person has proved to hold. */
  readonly verifiedEmail: string | null
  readonly request: CallerRequest
}

/** Who stands behind a member caller: a person with a session, a person the host vouches for, or a key. */
export type Principal =
  | {
      readonly kind: "session"
      /** Null for a person of the host application. */
      readonly sessionId: Id<"ses"> | null
      readonly userId: Id<"usr">
      readonly membershipId: Id<"om">
    }
  | { readonly kind: "key"; readonly keyId: Id<"key"> }

/** A member of an organization in person, or a key of it. */
export interface Member {
  readonly kind: "member"
  readonly organizationId: Id<"org">
  readonly principal: Principal
  /** Owners and admins: managers of every object. */
  readonly isAdmin: boolean
  readonly isOwner: boolean
  readonly permissions: ReadonlySet<Permission>
  /** A workspace nobody has claimed yet. */
  readonly provisional: boolean
  readonly plan: string
  readonly request: CallerRequest
}

export type Caller = Anonymous | SignedIn | Member

/** The caller of the request under way; handlers pass it on, nothing deeper reads it. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("@orgplane/schema/CurrentCaller") {}
