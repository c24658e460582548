import type { Suite } from "@orgplane/schema/capabilities"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { Beginner, CredentialRef, Party } from "../oauth/index.ts"
import type { SuiteSignIn } from "../../infra/ports/suites.ts"

export const purpose = "capability"

/** A person in their session: only they have a connection. */
export const personOf = ({ organizationId, principal }: Member): Effect.Effect<Beginner, Forbidden> =>
  principal.kind === "session"
    ? Effect.succeed({ organizationId, membershipId: principal.membershipId, sessionId: principal.sessionId })
    : Effect.fail(new Forbidden({ reason: "session_required", message: "A key is nobody: it has no account." }))

export const refOf = (person: Beginner, suite: Suite) =>
  ({
    organizationId: person.organizationId,
    purpose,
    subjectId: suite,
    membershipId: person.membershipId
  }) satisfies CredentialRef

/** The suite as the operator set it up, in the words of OAuth. */
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
