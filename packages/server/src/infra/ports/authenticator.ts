import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** A person the host application vouches for. */
export interface HostIdentity {
  /** The host's own, stable name for the person; 1-255 characters. */
  readonly subject: string
  readonly email: string | null
  /** True only when the host itself has proved it: claims and invitations are matched against it. */
  readonly emailVerified: boolean
  readonly name: string | null
  /**
   * When the person last proved to the host who they are. Only needed to administer the installation, for which that
   * must have been within twelve hours.
   */
  readonly authenticatedAt?: Date
}

/**
 * The host application's own sign-in. Asked for every request that carries no credential of ours; `null` means that the
 * host does not know the caller either. It reads headers, never a body.
 */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    readonly identify: (request: Request) => Effect.Effect<HostIdentity | null>
    /** The person of this subject, if the organization may have them as a member without asking them. */
    readonly find: (subject: string, organizationId: string) => Effect.Effect<HostIdentity | null>
  }
>()("@orgplane/server/ports/Authenticator") {}
