import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A person that the host application has authenticated. */
export interface HostIdentity {
  /** The host application's stable ID of the person; 1 to 255 characters. */
  readonly subject: string
  readonly email: string | null
  /**
   * True only when the host application has verified the email address: claims and invitations are matched against it.
   */
  readonly emailVerified: boolean
  readonly name: string | null
  /**
   * When the person last authenticated to the host application. Required only for platform administrators, for whom it
   * must be within twelve hours.
   */
  readonly authenticatedAt?: Date
}

/**
 * The host application's own sign-in. Called for every request without an orgplane credential; `null` means that the
 * host does not know the caller either. It reads headers, never a body.
 */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    readonly identify: (request: Request) => Effect.Effect<HostIdentity | null>
    /** The person of this subject, if the organization may add them as a member without an invitation. */
    readonly find: (subject: string, organizationId: string) => Effect.Effect<HostIdentity | null>
  }
>()("@orgplane/server/ports/Authenticator") {}
