import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A user that the host application has authenticated. */
export interface HostIdentity {
  /** The host application's stable ID for the user; 1 to 255 characters. */
  readonly subject: string
  readonly email: string | null
  /**
   * Set to true only if the host application has verified the email address, because claims and invitations are matched
   * against it.
   */
  readonly emailVerified: boolean
  readonly name: string | null
  /**
   * When the user last authenticated to the host application. Required only for platform administrators, for whom it
   * must be within twelve hours.
   */
  readonly authenticatedAt?: Date
}

/**
 * The host application's own sign-in. Called for every request without an orgplane credential; `null` means that the
 * host application does not recognize the caller either. The request has no body.
 */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    readonly identify: (request: Request) => Effect.Effect<HostIdentity | null>
    /** The user with this subject, if the organization may add them as a member without an invitation. */
    readonly find: (subject: string, organizationId: string) => Effect.Effect<HostIdentity | null>
  }
>()("@orgplane/server/ports/Authenticator") {}
