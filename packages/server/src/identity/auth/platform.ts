import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Person } from "./principals.ts"

/** Who administers the whole installation has proved who they are within so long. */
const provedMillisMax = 12 * 3_600_000

/**
 * Why a person does not administer the installation now; undefined when they do. Their address must be one of those
 * that the operator names, and proved by a code sent to it or by the host's own sign-in: what an organization's identity
 * provider or key says of a person is that organization's word only.
 */
export const notPlatformAdmin = (person: Person, admins: ReadonlySet<string>, now: number): Forbidden | undefined => {
  if (person.verifiedEmail === null || !admins.has(person.verifiedEmail.toLowerCase())) {
    return new Forbidden({
      reason: "permission_required",
      message: "Only an administrator of the installation may do this."
    })
  }
  const isOwnProof = person.sessionKind === "email" || person.sessionKind === null
  const isFresh = person.signedInAt !== null && now - person.signedInAt < provedMillisMax
  return isOwnProof && isFresh
    ? undefined
    : new Forbidden({
        reason: "session_required",
        message: "Administering the installation takes a sign-in by e-mail code within twelve hours."
      })
}
