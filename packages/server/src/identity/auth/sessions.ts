import type { Session } from "@orgplane/schema/sessions"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { EndpointMetadata } from "./endpoint-metadata.ts"

/** What a kind of session is good for. */
interface SessionEndpoint {
  /** An organization's sign-in or key speaks for the person: good there only, and not for what is the person's own. */
  readonly bound: boolean
  /** Ends with the membership it was made for; others stay good for the person's other organizations. */
  readonly ends: boolean
  /** Lives on while it is used. */
  readonly sliding: boolean
}

/**
 * Whether a credential is good in an organization that has its people sign in by its identity provider: such a session,
 * one that its own key vouches for, a person of the host application's, and a mailed code of the owners that it names.
 */
export const isBesideSso = (kind: Session["kind"] | null, breaksGlass: boolean): boolean =>
  kind === null || kind === "sso" || kind === "minted" || (kind === "email" && breaksGlass)

/** Every kind of session there is; a new one has to say here what it is good for. */
const sessionEndpoint = {
  email: { bound: false, ends: false, sliding: true },
  sso: { bound: true, ends: true, sliding: true },
  seed: { bound: false, ends: true, sliding: true },
  bootstrap: { bound: false, ends: true, sliding: false },
  minted: { bound: true, ends: true, sliding: false }
} as const satisfies Record<Session["kind"], SessionEndpoint>

export const isBound = (kind: Session["kind"]): boolean => sessionEndpoint[kind].bound
export const endsWithMembership = (kind: Session["kind"]): boolean => sessionEndpoint[kind].ends

const kindsThat = (is: (metadata: SessionEndpoint) => boolean) =>
  Object.entries(sessionEndpoint).flatMap(([kind, metadata]) => (is(metadata) ? [kind] : []))
export const slidingKinds = kindsThat((metadata) => metadata.sliding)
export const boundKinds = kindsThat((metadata) => metadata.bound)
export const endingKinds = kindsThat((metadata) => metadata.ends)

/**
 * What a session that a key made of a member cannot touch, reading included: whoever holds such a key would otherwise
 * make itself lasting rights out of short ones. This is the one table; a group of credentials or people added later
 * belongs into it.
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

/** Signing itself out is all that such a session may do to sessions. */
const openToMinted: ReadonlySet<string> = new Set(["sessions.revokeCurrent"])

/** What is the person's own, and not an organization's that signed them in; their services look again. */
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

/** Why a session of this kind may not call the operation; undefined when it may. Judged before the permissions. */
export const refusedTo = (kind: Session["kind"] | null, metadata: EndpointMetadata): Forbidden | undefined => {
  if (kind !== null && isBound(kind) && closedToBound.has(metadata.operation)) {
    return new Forbidden({
      reason: "session_required",
      message: "This session is good for one organization only; sign in by e-mail for this."
    })
  }
  if (kind !== "minted") return undefined
  const [group = ""] = metadata.operation.split(".")
  const isClosed = metadata.access.kind === "owner" || metadata.access.kind === "platform" || closedToMinted.has(group)
  return isClosed && !openToMinted.has(metadata.operation)
    ? new Forbidden({ reason: "session_required", message: "A session made by exchange may not do this; sign in." })
    : undefined
}
