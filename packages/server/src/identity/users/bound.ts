import type { SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"

/** Fails for a session that is bound to one organization: its sign-in or API key is trusted only there. */
export const demandUnbound = (caller: SignedIn): Effect.Effect<void, Forbidden> =>
  caller.boundTo === null
    ? Effect.void
    : Effect.fail(
        new Forbidden({
          reason: "session_required",
          message: "This session is valid for one organization only. Sign in with an email code to do this."
        })
      )
