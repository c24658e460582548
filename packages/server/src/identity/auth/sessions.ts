import type { Session } from "@orgplane/schema/sessions"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Permission } from "@orgplane/schema/shared/permissions"
import type { EndpointMetadata } from "./endpoint-metadata.ts"

/** The properties of a kind of session. */
interface SessionKind {
  /** Bound to the organization whose sign-in or key created it: not valid elsewhere, nor for the user's own account. */
  readonly bound: boolean
  /** Ends with the membership it was created for. Other sessions remain valid for the user's other organizations. */
  readonly ends: boolean
  /** Extended while it is used. */
  readonly sliding: boolean
}

/**
 * Whether a credential is accepted in an organization that requires single sign-on: an SSO session, a session created
 * by its own API key, a user of the host application, and an email code of the break-glass owners.
 */
export const satisfiesSso = (kind: Session["kind"] | null, breaksGlass: boolean): boolean =>
  kind === null || kind === "sso" || kind === "minted" || (kind === "email" && breaksGlass)

/** All kinds of session. A new kind must declare its properties here. */
const sessionKinds = {
  email: { bound: false, ends: false, sliding: true },
  sso: { bound: true, ends: true, sliding: true },
  seed: { bound: false, ends: true, sliding: true },
  bootstrap: { bound: false, ends: true, sliding: false },
  minted: { bound: true, ends: true, sliding: false }
} as const satisfies Record<Session["kind"], SessionKind>

export const isBound = (kind: Session["kind"]): boolean => sessionKinds[kind].bound
export const endsWithMembership = (kind: Session["kind"]): boolean => sessionKinds[kind].ends

const kindsThat = (is: (metadata: SessionKind) => boolean) =>
  Object.entries(sessionKinds).flatMap(([kind, metadata]) => (is(metadata) ? [kind] : []))
export const slidingKinds = kindsThat((metadata) => metadata.sliding)
export const boundKinds = kindsThat((metadata) => metadata.bound)
export const endingKinds = kindsThat((metadata) => metadata.ends)

/**
 * Groups that a session created by an API key cannot use, not even to read: otherwise a short-lived session could give
 * itself permanent access. This is the only such list; add new groups about credentials or users to it.
 */
const closedToMinted: ReadonlySet<string> = new Set([
  "apiKeys",
  "roles",
  "sso",
  "ssoDomains",
  "scim",
  "sessions",
  "members",
  "invitations"
])

/** Operations about all groups. Such a session uses them without the permissions of the groups that it cannot use. */
const aboutAllGroups: ReadonlySet<string> = new Set(["access.permissions", "attention.list", "search.objects"])

/** The permissions of a member that a session of this kind has for the operation. */
export const sessionPermissions = (
  kind: Session["kind"] | null,
  { operation }: Pick<EndpointMetadata, "operation">,
  permissions: ReadonlySet<Permission>
): ReadonlySet<Permission> =>
  kind === "minted" && aboutAllGroups.has(operation)
    ? new Set([...permissions].filter((permission) => !closedToMinted.has(permission.split(":")[0] ?? "")))
    : permissions

/** The only operation on sessions that such a session may call: signing itself out. */
const openToMinted: ReadonlySet<string> = new Set(["sessions.revokeCurrent"])

/** Operations on the user's own account, which an organization's sign-in does not open. Their services check again. */
const closedToBound: ReadonlySet<string> = new Set([
  "users.update",
  "users.remove",
  "users.export",
  "users.setActiveOrganization",
  "users.leaveOrganization",
  "organizations.create",
  "invitations.accept",
  "bootstrap.acceptClaim"
])

/** Why a session of this kind may not call the operation; undefined when it may. Checked before the permissions. */
export const sessionRefusal = (kind: Session["kind"] | null, metadata: EndpointMetadata): Forbidden | undefined => {
  if (kind !== null && isBound(kind) && closedToBound.has(metadata.operation)) {
    return new Forbidden({
      reason: "session_required",
      message: "This session is valid for one organization only. Sign in with an email code to do this."
    })
  }
  if (kind !== "minted") return undefined
  const [group = ""] = metadata.operation.split(".")
  const isClosed = metadata.access.kind === "owner" || metadata.access.kind === "platform" || closedToMinted.has(group)
  return isClosed && !openToMinted.has(metadata.operation)
    ? new Forbidden({
        reason: "session_required",
        message: "Sessions created with an API key cannot do this. Sign in as a user."
      })
    : undefined
}
