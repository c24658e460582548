import type { Suite } from "@orgplane/schema/capabilities"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { SessionMember, CredentialRef, Party } from "../oauth/index.ts"
import type { SuiteSignIn } from "../../infra/ports/suites.ts"

export const purpose = "capability"

/** The member of a session; only members have connections. */
export const sessionMemberOf = ({ organizationId, principal }: Member): Effect.Effect<SessionMember, Forbidden> =>
  principal.kind === "session"
    ? Effect.succeed({ organizationId, membershipId: principal.membershipId, sessionId: principal.sessionId })
    : Effect.fail(
        new Forbidden({
          reason: "session_required",
          message: "This operation requires a member's session: an API key has no suite account."
        })
      )

export const refOf = (member: SessionMember, suite: Suite) =>
  ({
    organizationId: member.organizationId,
    purpose,
    subjectId: suite,
    membershipId: member.membershipId
  }) satisfies CredentialRef

/** The configured suite as an OAuth party. */
export const partyOf = (signIn: SuiteSignIn): Party => ({
  server: {
    issuer: signIn.issuer,
    authorizationEndpoint: signIn.authorizationUrl,
    tokenEndpoint: signIn.tokenUrl,
    registrationEndpoint: null,
    revocationEndpoint: signIn.revocationUrl,
    clientIdMetadataDocumentSupported: false,
    scopesSupported: [...signIn.scopes],
    grantTypesSupported: ["authorization_code", "refresh_token"],
    codeChallengeMethodsSupported: ["S256"],
    tokenEndpointAuthMethodsSupported: ["client_secret_post"],
    issParameterSupported: false
  },
  client: {
    clientId: signIn.clientId,
    clientSecret: signIn.clientSecret,
    registration: "pre_registered",
    authMethod: signIn.clientSecret === null ? "none" : "client_secret_post"
  },
  resource: null,
  isConfigured: true
})
