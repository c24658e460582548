import * as Context from "effect/Context"
import type * as Schema from "effect/Schema"
import type { StoredAuditAction } from "./audit-actions.ts"
import type { Permission } from "./permissions.ts"

/** The kind of caller that an operation accepts. Every operation declares exactly one. */
export type Access =
  /** Everyone. */
  | { readonly kind: "public" }
  /** A sender that signed the body: webhooks. */
  | { readonly kind: "signature" }
  /** A browser redirected with a state that this server issued: OAuth, SAML. */
  | { readonly kind: "state" }
  /** Any signed-in user, with or without an organization. */
  | { readonly kind: "user" }
  /** A member of the organization, or one of its API keys. */
  | { readonly kind: "member" }
  /** A member with a session. API keys are not allowed. */
  | { readonly kind: "session" }
  /** A member or key with the permission, and with the other permissions that the operation needs. */
  | { readonly kind: "permission"; readonly permission: Permission; readonly also?: ReadonlyArray<Permission> }
  /** An owner with a session. API keys are not allowed. */
  | { readonly kind: "owner" }
  /** A worker with its own token. */
  | { readonly kind: "worker" }
  /** A member, a key of the organization, or one of its workers. */
  | { readonly kind: "memberOrWorker" }
  /** A member with a session, or a worker with its own token. API keys are not allowed. */
  | { readonly kind: "sessionOrWorker" }
  /** A SCIM directory with its token. */
  | { readonly kind: "scim" }
  /** A platform administrator. */
  | { readonly kind: "platform" }
  /** A member or key with the permission, or a platform administrator who does not specify an organization. */
  | { readonly kind: "permissionOrPlatform"; readonly permission: Permission }

export const anyone: Access = { kind: "public" }
export const signature: Access = { kind: "signature" }
export const state: Access = { kind: "state" }
export const user: Access = { kind: "user" }
export const member: Access = { kind: "member" }
export const session: Access = { kind: "session" }
export const owner: Access = { kind: "owner" }
export const worker: Access = { kind: "worker" }
export const scim: Access = { kind: "scim" }
export const platform: Access = { kind: "platform" }
export const memberOrWorker: Access = { kind: "memberOrWorker" }
export const sessionOrWorker: Access = { kind: "sessionOrWorker" }
export const permission = (permission: Permission, ...also: ReadonlyArray<Permission>): Access => ({
  kind: "permission",
  permission,
  ...(also.length === 0 ? {} : { also })
})
export const permissionOrPlatform = (permission: Permission): Access => ({ kind: "permissionOrPlatform", permission })

/** Every permission that a member or key needs, in the order in which they are checked. */
export const permissionsOf = (access: Access): ReadonlyArray<Permission> => {
  const first = permissionOf(access)
  return first === undefined ? [] : [first, ...(access.kind === "permission" ? (access.also ?? []) : [])]
}

/** The same as text: "permissions `a` and `b`". */
export const permissionsText = (access: Access): string => {
  const quoted = permissionsOf(access).map((permission) => `\`${permission}\``)
  const last = quoted.at(-1) ?? ""
  return quoted.length < 2 ? `permission ${last}` : `permissions ${quoted.slice(0, -1).join(", ")} and ${last}`
}

/** Who can call an operation, by its kind of access. */
export const callersOf: { readonly [kind in Access["kind"]]?: string } = {
  owner: "Only for owners with a session, not for API keys.",
  session: "Only for members with a session, not for API keys.",
  platform: "Only for platform administrators.",
  worker: "Only for workers, with a worker token.",
  scim: "Only for SCIM directories, with a SCIM token.",
  memberOrWorker: "For members, API keys and workers of the organization.",
  sessionOrWorker: "For members with a session and workers, not for API keys."
}

/** The (first) permission that a member or key needs, if any. */
export const permissionOf = (access: Access): Permission | undefined =>
  access.kind === "permission" || access.kind === "permissionOrPlatform" ? access.permission : undefined

/** The features that need the enterprise plan. */
export const planFeatures = ["desktop_policies", "sso", "scim", "analytics"] as const
export type PlanFeature = (typeof planFeatures)[number]

/** The data stored for an `Idempotency-Key`: the response, only the fact that the request was completed, or nothing. */
export type Idempotency = "response" | "fact" | "none"

/** The kind of caller. */
export class AccessKind extends Context.Service<AccessKind, Access>()("@orgplane/schema/Access") {}
/** The plan feature that an operation needs. */
export class RequiresPlan extends Context.Service<RequiresPlan, PlanFeature>()("@orgplane/schema/RequiresPlan") {}
/** The audit action, recorded in the same transaction as the change. */
export class Audited extends Context.Service<Audited, StoredAuditAction>()("@orgplane/schema/Audited") {}
export class Idempotent extends Context.Service<Idempotent, Idempotency>()("@orgplane/schema/Idempotent") {}
/** Unknown fields of the request that are ignored without a warning: the fields with these names, or all. */
export class IgnoresUnknown extends Context.Service<IgnoresUnknown, true | ReadonlyArray<string>>()(
  "@orgplane/schema/IgnoresUnknown"
) {}
/**
 * The resource has a version: responses have an `ETag`, and `If-None-Match` and `If-Match` are supported. `match`: the
 * response also contains unversioned data, so the `ETag` is only for `If-Match`.
 */
export class Versioned extends Context.Service<Versioned, true | "match">()("@orgplane/schema/Versioned") {}
/** The tag of the operation in the OpenAPI document, if it is not the title of its group. */
export class Tag extends Context.Service<Tag, string>()("@orgplane/schema/Tag") {}
/** The response is a page. The clients make it iterable. */
export class Paged extends Context.Service<Paged, true>()("@orgplane/schema/Paged") {}
/** The schema of the events of a streamed response. The clients make it iterable. */
export class StreamedEvent extends Context.Service<StreamedEvent, Schema.Top>()("@orgplane/schema/StreamedEvent") {}
/** The response contains a secret: it is never stored and never cached. */
export class HoldsSecret extends Context.Service<HoldsSecret, true>()("@orgplane/schema/HoldsSecret") {}
/** Maximum size of the request body in bytes. Default: 1 MiB. */
export class BodyBytesMax extends Context.Service<BodyBytesMax, number>()("@orgplane/schema/BodyBytesMax") {}
/** The handler itself rejects a body that would take long to parse. */
export class ChecksBody extends Context.Service<ChecksBody, true>()("@orgplane/schema/ChecksBody") {}
/** The dates of a deprecation, such as `2027-01-31`, and the operation to use instead, such as `plugins.create`. */
export interface Deprecation {
  readonly since: string
  /** The operation works at least until this date. */
  readonly sunset: string
  readonly instead: string
}
/** The operation will be removed after its sunset. */
export class Deprecated extends Context.Service<Deprecated, Deprecation>()("@orgplane/schema/Deprecated") {}
/** The sentence about a deprecation in the documents. */
export const deprecationText = ({ instead, since, sunset }: Deprecation): string =>
  `Deprecated since ${since}. Works until ${sunset}. Use \`${instead}\` instead.`
/** The operation is part of the specification and must match it exactly. */
export class FromSpecification extends Context.Service<FromSpecification, true>()(
  "@orgplane/schema/FromSpecification"
) {}
