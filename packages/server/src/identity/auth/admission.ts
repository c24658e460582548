import { type Access, permissionsOf } from "@orgplane/schema/shared/auth"
import type { Caller, CallerRequest } from "@orgplane/schema/shared/caller"
import { Forbidden, type ForbiddenReason, OrganizationNotFound, PlanRequired } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import type { Refused } from "../../infra/audit/refusals.ts"
import { type Limit, limits } from "../../infra/limits/index.ts"
import type { EndpointMetadata } from "./endpoint-metadata.ts"
import { apiKeyRefusal, keyLimit } from "./keys.ts"
import { isAdminRole } from "./permissions.ts"
import type { Credential } from "./principals.ts"
import { sessionPermissions, sessionRefusal } from "./sessions.ts"

type Kind = Credential["kind"]
type OfKind = { readonly [K in Kind]: Extract<Credential, { readonly kind: K }> }
export type Refusal = Forbidden | OrganizationNotFound | PlanRequired

/** The rights of a credential in its organization. Only members have a role. */
interface Rights {
  readonly role?: string
  readonly permissions: ReadonlySet<Permission>
  readonly plan: string
  readonly ssoRequired?: boolean
}

interface CredentialKind<C extends Credential> {
  /**
   * A worker or SCIM directory of the organization. It has no permissions, because its endpoints admit it by its kind.
   */
  readonly isProgram: boolean
  /** Why no credential of this kind may call the endpoint, regardless of its rights. */
  readonly refusal: (metadata: EndpointMetadata, credential: C) => Forbidden | undefined
  /** Whether the credential does not belong to the organization in the header (null for an invalid ID). */
  readonly isElsewhere: (credential: C, requestedId: Id<"org"> | null) => boolean
  /** Null without a membership in the organization. */
  readonly rights: (credential: C) => Rights | null
  readonly caller: (metadata: EndpointMetadata, credential: C, request: CallerRequest) => Caller
  /** The principal in the audit events of refused requests; undefined without an organization. */
  readonly refused: (credential: C) => Refused | undefined
  /** The rate limit that the requests count toward, and its key. */
  readonly limit: (credential: C) => Limit
  readonly limitKey: (credential: C) => string
}

const forbidden = (reason: ForbiddenReason, message: string) => new Forbidden({ reason, message })

const membersOnly: ReadonlySet<Access["kind"]> = new Set([
  "member",
  "session",
  "permission",
  "owner",
  "memberOrWorker",
  "sessionOrWorker",
  "permissionOrPlatform"
])
export const needsMember = (access: Access): boolean => membersOnly.has(access.kind)

const programsOnly: ReadonlySet<Access["kind"]> = new Set(["worker", "scim"])
export const needsProgram = (access: Access): boolean => programsOnly.has(access.kind)

const programRequired = ({ access }: EndpointMetadata): Forbidden | undefined =>
  access.kind === "worker"
    ? forbidden("permission_required", "This requires a worker token.")
    : access.kind === "scim"
      ? forbidden("permission_required", "This requires a SCIM token.")
      : undefined

/** All kinds of credentials, and everything that depends on the kind. */
const credentialKinds: { readonly [K in Kind]: CredentialKind<OfKind[K]> } = {
  person: {
    isProgram: false,
    refusal: (metadata, { sessionKind }) => programRequired(metadata) ?? sessionRefusal(sessionKind, metadata),
    // The membership already belongs to the organization in the header.
    isElsewhere: (_, requestedId) => requestedId === null,
    rights: ({ membership }) => membership,
    caller: (metadata, person, request) => {
      const { access } = metadata
      const { boundTo, membership, sessionId, sessionKind, userId, verifiedEmail } = person
      if (membership === null || !needsMember(access)) {
        return { kind: "user", userId, sessionId, boundTo, verifiedEmail, request }
      }
      return {
        kind: "member",
        organizationId: membership.organizationId,
        principal: { kind: "session", sessionId, userId, membershipId: membership.id },
        isAdmin: isAdminRole(membership.role),
        isOwner: membership.role === "owner",
        permissions: sessionPermissions(sessionKind, metadata, membership.permissions),
        provisional: membership.provisional,
        hasManagedObjects: membership.hasManagedObjects,
        plan: membership.plan,
        request
      }
    },
    refused: ({ membership, sessionId }) =>
      membership === null
        ? undefined
        : { organizationId: membership.organizationId, kind: "session", id: membership.id, credential: sessionId },
    limit: () => limits.session,
    limitKey: ({ sessionId, userId }) => sessionId ?? userId
  },
  key: {
    isProgram: false,
    refusal: (metadata) => programRequired(metadata) ?? apiKeyRefusal(metadata),
    isElsewhere: ({ organizationId }, requestedId) => organizationId !== requestedId,
    rights: (key) => key,
    // A key is never an admin: its access is limited to its permissions and grants, regardless of its creator.
    caller: (_, key, request) => ({
      kind: "member",
      organizationId: key.organizationId,
      principal: { kind: "key", keyId: key.keyId },
      isAdmin: false,
      isOwner: false,
      permissions: key.permissions,
      provisional: key.provisional,
      hasManagedObjects: key.hasManagedObjects,
      plan: key.plan,
      request
    }),
    refused: ({ keyId, organizationId }) => ({ organizationId, kind: "key", id: keyId, credential: keyId }),
    limit: ({ requestsPerMinute }) => keyLimit(requestsPerMinute),
    limitKey: ({ keyId }) => keyId
  },
  worker: {
    isProgram: true,
    refusal: ({ access }) =>
      access.kind === "worker" || access.kind === "memberOrWorker" || access.kind === "sessionOrWorker"
        ? undefined
        : forbidden("session_required", "Workers cannot do this. Sign in as a user."),
    isElsewhere: ({ organizationId }, requestedId) => organizationId !== requestedId,
    rights: () => null,
    caller: (_, worker, request) => ({
      kind: "worker",
      organizationId: worker.organizationId,
      workerId: worker.workerId,
      tokenId: worker.tokenId,
      createdByMembershipId: worker.membershipId,
      createdByUserId: worker.userId,
      plan: worker.plan,
      request
    }),
    refused: ({ organizationId, tokenId, workerId }) => ({
      organizationId,
      kind: "worker",
      id: workerId,
      credential: tokenId
    }),
    limit: () => limits.worker,
    limitKey: ({ workerId }) => workerId
  },
  directory: {
    isProgram: true,
    refusal: ({ access }) =>
      access.kind === "scim"
        ? undefined
        : forbidden("session_required", "SCIM tokens cannot do this. Sign in as a user."),
    isElsewhere: ({ organizationId }, requestedId) => organizationId !== requestedId,
    rights: () => null,
    caller: (_, directory, request) => ({
      kind: "directory",
      organizationId: directory.organizationId,
      directoryId: directory.directoryId,
      tokenId: directory.tokenId,
      plan: directory.plan,
      request
    }),
    refused: ({ directoryId, organizationId, tokenId }) => ({
      organizationId,
      kind: "directory",
      id: directoryId,
      credential: tokenId
    }),
    limit: () => limits.scim,
    limitKey: ({ directoryId }) => directoryId
  }
}

/** Operations that many devices poll. Their window is an hour, so that few of the polls reserve requests. */
const polledLimits: Readonly<Record<string, Limit>> = { "desiredState.get": limits.desiredState }

/** The rate limit that a request counts toward. */
export const limitOf = ({ operation }: EndpointMetadata, credential: Credential): Limit =>
  polledLimits[operation] ?? kindOf(credential).limit(credential)

/** The properties of a credential's kind. */
export const kindOf = <K extends Kind>(credential: OfKind[K]): CredentialKind<OfKind[K]> =>
  credentialKinds[credential.kind]

/** The permission or role that the operation requires and the caller lacks. */
const rightsRefusal = ({ access, plan }: EndpointMetadata, rights: Rights): Forbidden | PlanRequired | undefined => {
  if (access.kind === "owner" && rights.role !== "owner") {
    return forbidden("owner_required", "This requires the owner role.")
  }
  const missing = permissionsOf(access).find((permission) => !rights.permissions.has(permission))
  if (missing !== undefined) return forbidden("permission_required", `This requires the permission ${missing}.`)
  return plan !== undefined && rights.plan !== "enterprise" ? new PlanRequired({ feature: plan }) : undefined
}

/**
 * Why a credential may not call an endpoint; undefined when it may. The checks come in the same order for every
 * operation: organization, single sign-on, kind of credential, role, permissions, plan. Operations that concern no
 * organization check the kind only. Operations of platform administrators check those as well, see
 * `notPlatformAdmin`.
 */
export const refusalOf = (
  metadata: EndpointMetadata,
  credential: Credential,
  isElsewhere: boolean
): Refusal | undefined => {
  const kind = kindOf(credential)
  if (!kind.isProgram && !needsMember(metadata.access)) return kind.refusal(metadata, credential)
  if (isElsewhere) return new OrganizationNotFound()
  if (kind.isProgram) return kind.refusal(metadata, credential)
  const rights = kind.rights(credential)
  if (rights === null) return new OrganizationNotFound()
  if (rights.ssoRequired === true) {
    return forbidden("sso_required", "This organization requires single sign-on. Sign in with its identity provider.")
  }
  return kind.refusal(metadata, credential) ?? rightsRefusal(metadata, rights)
}
