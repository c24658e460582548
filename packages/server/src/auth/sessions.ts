import type { Session } from "@orgplane/schema/sessions"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { EndpointManners } from "./manners.ts"

/** What a kind of session is good for. */
interface SessionManners {
  /** Good for its own organization only; otherwise a person may name another of theirs. */
  readonly bound: boolean
  /** Lives on while it is used. */
  readonly sliding: boolean
}

/** Every kind of session there is; a new one has to say here what it is good for. */
const sessionManners = {
  email: { bound: false, sliding: true },
  sso: { bound: true, sliding: true },
  seed: { bound: true, sliding: true },
  bootstrap: { bound: true, sliding: false },
  minted: { bound: true, sliding: false }
} as const satisfies Record<Session["kind"], SessionManners>

export const isBound = (kind: Session["kind"]): boolean => sessionManners[kind].bound

const kindsThat = (is: (manners: SessionManners) => boolean) =>
  Object.entries(sessionManners).flatMap(([kind, manners]) => (is(manners) ? [kind] : []))
export const slidingKinds = kindsThat((manners) => manners.sliding)
export const boundKinds = kindsThat((manners) => manners.bound)

/**
 * What a session that a key made of a member cannot touch, reading included: whoever holds such a key would otherwise
 * make itself lasting rights out of short ones. This is the one table; a group of credentials or people added later
 * belongs into it.
 */
const closedToMinted: ReadonlySet<string> = new Set([
  "apiKeys",
  "roles",
  "sso",
  "scim",
  "sessions",
  "members",
  "invitations"
])

/** Signing itself out is all that such a session may do to sessions. */
const openToMinted: ReadonlySet<string> = new Set(["sessions.revokeCurrent"])

/** Why a session of this kind may not call the operation; undefined when it may. Judged before the permissions. */
export const refusedTo = (kind: Session["kind"] | null, manners: EndpointManners): Forbidden | undefined => {
  if (kind !== "minted") return undefined
  const [group = ""] = manners.operation.split(".")
  const isClosed = manners.access.kind === "owner" || manners.access.kind === "platform" || closedToMinted.has(group)
  return isClosed && !openToMinted.has(manners.operation)
    ? new Forbidden({ reason: "session_required", message: "A session made by exchange may not do this; sign in." })
    : undefined
}
