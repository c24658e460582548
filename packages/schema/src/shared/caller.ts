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
  readonly idempotencyKey: string | null
  /** SHA-256 of path, query and body: what an idempotency key stands for. */
  readonly digest: string
  readonly ifMatch: string | null
}

export interface Anonymous {
  readonly kind: "anonymous"
  readonly request: CallerRequest
}

/** A signed-in person, whatever the organization. */
export interface SignedIn {
  readonly kind: "user"
  readonly userId: Id<"usr">
  readonly sessionId: Id<"ses">
  readonly request: CallerRequest
}

/** A member of an organization in person, or a key of it. */
export interface Member {
  readonly kind: "member"
  readonly organizationId: Id<"org">
  readonly principal:
    | {
      readonly kind: "session"
      readonly sessionId: Id<"ses">
      readonly userId: Id<"usr">
      readonly membershipId: Id<"om">
    }
    | { readonly kind: "key"; readonly keyId: Id<"key"> }
  /** True for owners and admins: managers of every object. */
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
