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
  /** Headers of the response; `:status` selects the status of an operation with several success responses. */
  readonly responseHeaders: Record<string, string>
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

/** A worker of an organization: what it may do is said by the operations that let workers in. */
export interface WorkerCaller {
  readonly kind: "worker"
  readonly organizationId: Id<"org">
  readonly workerId: Id<"wrk">
  readonly tokenId: Id<"wkt">
  /** Whose worker it is. */
  readonly createdByMembershipId: Id<"om">
  readonly createdByUserId: Id<"usr">
  readonly plan: string
  readonly request: CallerRequest
}

/** A directory of an organization, by one of its SCIM tokens: it acts on what it provisioned itself, and on nothing else. */
export interface DirectoryCaller {
  readonly kind: "directory"
  readonly organizationId: Id<"org">
  readonly directoryId: Id<"scd">
  readonly tokenId: Id<"sct">
  readonly plan: string
  readonly request: CallerRequest
}

/** An administrator of the whole installation, who has proved who they are within hours. */
export interface PlatformAdmin {
  readonly kind: "platform"
  readonly userId: Id<"usr">
  /** Null for a person of the host application. */
  readonly sessionId: Id<"ses"> | null
  readonly request: CallerRequest
}

export type Caller = Anonymous | SignedIn | Member | WorkerCaller | DirectoryCaller | PlatformAdmin

/** The caller of the request under way; handlers pass it on, nothing deeper reads it. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("@orgplane/schema/CurrentCaller") {}
