import type { SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"

/**
 * Fails for a session that one organization made: its sign-in or its key speaks for the person there, and for nobody
 * anywhere else.
 */
export const demandUnbound = (caller: SignedIn): Effect.Effect<void, Forbidden> =>
  caller.boundTo === null
    ? Effect.void
    : Effect.fail(
        new Forbidden({
          reason: "session_required",
          message: "This session is good for one organization only; sign in by e-mail for this."
        })
      )
