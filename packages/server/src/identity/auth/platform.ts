import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Person } from "./principals.ts"

/** A platform administrator must have signed in within this time. */
const provedMillisMax = 12 * 3_600_000

/** Whether the operator has listed this address, which the user has verified, as that of a platform administrator. */
export const isListedAdmin = (verifiedEmail: string | null, admins: ReadonlySet<string>): boolean =>
  verifiedEmail !== null && admins.has(verifiedEmail.toLowerCase())

/**
 * Why a user is not a platform administrator now; undefined when they are. Their email address must be one of those
 * that the operator configured, and verified by an email code or by the host's own sign-in: statements of an
 * organization's identity provider or API key about a user are trusted only in that organization.
 */
export const notPlatformAdmin = (person: Person, admins: ReadonlySet<string>, now: number): Forbidden | undefined => {
  if (!isListedAdmin(person.verifiedEmail, admins)) {
    return new Forbidden({
      reason: "permission_required",
      message: "This requires a platform administrator."
    })
  }
  const isOwnProof = person.sessionKind === "email" || person.sessionKind === null
  const isFresh = person.signedInAt !== null && now - person.signedInAt < provedMillisMax
  return isOwnProof && isFresh
    ? undefined
    : new Forbidden({
        reason: "session_required",
        message: "This requires a sign-in by email code within the last 12 hours. Sign in again."
      })
}
