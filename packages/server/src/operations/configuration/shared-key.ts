import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { OAuthTokens, Purpose } from "../../agents/oauth/index.ts"

/** The API key that everyone shares; undefined if there is none or it no longer works. */
export const sharedKey = (
  tokens: OAuthTokens["Service"],
  organizationId: Id<"org">,
  purpose: Purpose,
  subjectId: string
): Effect.Effect<Redacted.Redacted | undefined> =>
  // A key, unlike an OAuth token, is never renewed at its server.
  tokens
    .tokenFor({ organizationId, purpose, subjectId, membershipId: null })
    .pipe(
      Effect.catchTags({ TokenMissing: () => Effect.undefined, ReconnectRequired: () => Effect.undefined }),
      Effect.orDie
    )
