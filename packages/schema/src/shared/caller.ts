import * as Context from "effect/Context"
import type { Id } from "./ids.ts"
import type { Permission } from "./permissions.ts"

/** The status and headers of a response, which handlers and HTTP infrastructure set before it is sent. */
export interface CallerResponse {
  readonly headers: Record<string, string>
  /** Replaces the status of a success, in an operation that declares several. */
  status: number | undefined
  /** The `etag` header does not cover the whole response, so `If-None-Match` is not supported. */
  isEtagPartial: boolean
}

/** The request of a caller. */
export interface CallerRequest {
  readonly requestId: string
  /** The source IP address, after trusted proxies. */
  readonly address: string
  readonly userAgent: string | null
  /** `group.endpoint` of the operation. */
  readonly operation: string
  /**
   * The idempotency key, if the operation supports one, and what is stored with it: the response, or only the fact
   * that the request was completed.
   */
  readonly idempotency: { readonly key: string; readonly keeps: "response" | "fact" } | null
  /** Keyed digests of path, query and body, to which the idempotency key is bound: one for each signing key, newest first. */
  readonly digests: ReadonlyArray<string>
  readonly ifMatch: string | null
  /** Services return values and errors instead; their handlers set it. */
  readonly responseState: CallerResponse
}

export interface Anonymous {
  readonly kind: "anonymous"
  readonly request: CallerRequest
}

/** A signed-in user, in any organization or none. */
export interface SignedIn {
  readonly kind: "user"
  readonly userId: Id<"usr">
  readonly sessionId: Id<"ses"> | null
  /** The only organization that the session is valid for: its SSO, API key or bootstrap created the session. */
  readonly boundTo: Id<"org"> | null
  /** An email address that the user has verified. */
  readonly verifiedEmail: string | null
  readonly request: CallerRequest
}

/**
 * The principal of a member caller: a user with a session, a user authenticated by the host application, or an API key.
 */
export type Principal =
  | {
      readonly kind: "session"
      /** Null for a user of the host application. */
      readonly sessionId: Id<"ses"> | null
      readonly userId: Id<"usr">
      readonly membershipId: Id<"om">
    }
  | { readonly kind: "key"; readonly keyId: Id<"key"> }

/** A member of an organization, or one of its API keys. */
export interface Member {
  readonly kind: "member"
  readonly organizationId: Id<"org">
  readonly principal: Principal
  /** Whether the caller is an owner or admin, and therefore a manager of every object. */
  readonly isAdmin: boolean
  readonly isOwner: boolean
  readonly permissions: ReadonlySet<Permission>
  /** Whether the organization is an unclaimed workspace. */
  readonly provisional: boolean
  /** Whether a configuration document manages objects of the organization. */
  readonly hasManagedObjects: boolean
  readonly plan: string
  readonly request: CallerRequest
}

/** A worker of an organization. The operations that accept workers define what it can do. */
export interface WorkerCaller {
  readonly kind: "worker"
  readonly organizationId: Id<"org">
  readonly workerId: Id<"wrk">
  readonly tokenId: Id<"wkt">
  /** The owner of the worker. */
  readonly createdByMembershipId: Id<"om">
  readonly createdByUserId: Id<"usr">
  readonly plan: string
  readonly request: CallerRequest
}

/**
 * A SCIM directory of an organization, authenticated by one of its tokens. It can change only the users and groups
 * that it provisioned.
 */
export interface DirectoryCaller {
  readonly kind: "directory"
  readonly organizationId: Id<"org">
  readonly directoryId: Id<"scd">
  readonly tokenId: Id<"sct">
  readonly plan: string
  readonly request: CallerRequest
}

/** A platform administrator who signed in within the last 12 hours. */
export interface PlatformAdmin {
  readonly kind: "platform"
  readonly userId: Id<"usr">
  /** Null for a user of the host application. */
  readonly sessionId: Id<"ses"> | null
  readonly request: CallerRequest
}

export type Caller = Anonymous | SignedIn | Member | WorkerCaller | DirectoryCaller | PlatformAdmin

/** The caller of the current request. Handlers pass it on; services do not read it. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("@orgplane/schema/CurrentCaller") {}
