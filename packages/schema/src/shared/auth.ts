import * as Context from "effect/Context"
import type { Permission } from "./permissions.ts"

/** Who may call an operation. Every operation declares exactly one of these. */
export type Access =
  /** Anybody. */
  | { readonly kind: "public" }
  /** A sender that signed the body: webhooks. */
  | { readonly kind: "signature" }
  /** A browser that comes back with a state we gave out: OAuth, SAML. */
  | { readonly kind: "state" }
  /** Any signed-in person, with or without an organization. */
  | { readonly kind: "user" }
  /** A member of the organization, or one of its API keys. */
  | { readonly kind: "member" }
  /** A member in person; an API key is refused. */
  | { readonly kind: "session" }
  /** A member or key that holds the permission, and the others that its work needs. */
  | { readonly kind: "permission"; readonly permission: Permission; readonly also?: ReadonlyArray<Permission> }
  /** An owner in person. */
  | { readonly kind: "owner" }
  /** A worker with its own token. */
  | { readonly kind: "worker" }
  /** A member, a key of the organization, or one of its workers. */
  | { readonly kind: "memberOrWorker" }
  /** A directory with its SCIM token. */
  | { readonly kind: "scim" }
  /** An administrator of the whole installation. */
  | { readonly kind: "platform" }
  /** A member or key that holds the permission; an administrator of the installation who names no organization. */
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
export const permission = (permission: Permission, ...also: ReadonlyArray<Permission>): Access => ({
  kind: "permission",
  permission,
  ...(also.length === 0 ? {} : { also })
})
export const permissionOrPlatform = (permission: Permission): Access => ({ kind: "permissionOrPlatform", permission })

/** Every permission that a member or key has to hold, in the order in which they are asked for. */
export const permissionsOf = (access: Access): ReadonlyArray<Permission> => {
  const first = permissionOf(access)
  return first === undefined ? [] : [first, ...(access.kind === "permission" ? (access.also ?? []) : [])]
}

/** The same, to be read: "the permissions `a` and `b`". */
export const permissionsText = (access: Access): string => {
  const quoted = permissionsOf(access).map((permission) => `\`${permission}\``)
  const last = quoted.at(-1) ?? ""
  return quoted.length < 2 ? `permission ${last}` : `permissions ${quoted.slice(0, -1).join(", ")} and ${last}`
}

/** The permission that a member or key has to hold, if it is any one. */
export const permissionOf = (access: Access): Permission | undefined =>
  access.kind === "permission" || access.kind === "permissionOrPlatform" ? access.permission : undefined

/** The features that need the enterprise plan. */
export const planFeatures = ["desktop_policies", "sso", "scim", "analytics"] as const
export type PlanFeature = (typeof planFeatures)[number]

/** How an `Idempotency-Key` is honoured: the answer is kept, only the fact is kept, or the key means nothing here. */
export type Idempotency = "answer" | "fact" | "none"

/** Who may call. */
export class AccessKind extends Context.Service<AccessKind, Access>()("@orgplane/schema/Access") {}
/** The plan feature an operation needs. */
export class RequiresPlan extends Context.Service<RequiresPlan, PlanFeature>()("@orgplane/schema/RequiresPlan") {}
/** The action written into the audit in the mutation's own transaction. */
export class Audited extends Context.Service<Audited, string>()("@orgplane/schema/Audited") {}
export class Idempotent extends Context.Service<Idempotent, Idempotency>()("@orgplane/schema/Idempotent") {}
/** The row has a version: `ETag` on the answer, `If-None-Match` and `If-Match` honoured. */
export class Versioned extends Context.Service<Versioned, true>()("@orgplane/schema/Versioned") {}
/** The answer is a page: the clients make it iterable. */
export class Paged extends Context.Service<Paged, true>()("@orgplane/schema/Paged") {}
/** The answer holds a secret: it is never stored, never cached. */
export class HoldsSecret extends Context.Service<HoldsSecret, true>()("@orgplane/schema/HoldsSecret") {}
/** Bytes of request body, 1 MiB unless told. */
export class BodyBytesMax extends Context.Service<BodyBytesMax, number>()("@orgplane/schema/BodyBytesMax") {}
/** Spec: shown there, exact there. */
export class FromSpecification extends Context.Service<FromSpecification, true>()(
  "@orgplane/schema/FromSpecification"
) {}
