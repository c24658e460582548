/** Single sign-on: the identity provider by which the people of an organization sign in. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { RoleName } from "./members.ts"
import { NewSession } from "./sessions.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { badGatewayWith, conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { callbackQuery, callbackSuccess, ReturnTo } from "./shared/oauth.ts"
import { Email, Text, Timestamp } from "./shared/values.ts"
import { User } from "./users.ts"

// Entities

/** Why a sign-in came to nothing: a closed list, told to the browser, the program that began it, and the audit. */
export const ssoRefusals = {
  access_denied: "The identity provider refused the person.",
  provider_unreachable: "The identity provider did not answer.",
  provider_invalid: "What the identity provider publishes of itself cannot be used.",
  code_refused: "The identity provider did not accept its own code.",
  token_invalid: "The ID token cannot be read, or is signed by no key or method of the provider's.",
  nonce_mismatch: "The ID token was made for another sign-in.",
  issuer_mismatch: "The answer is of another issuer.",
  audience_mismatch: "The answer is for another application.",
  not_yet_valid: "The answer is not valid yet: compare the clocks.",
  expired: "The answer is over.",
  signature_missing: "Neither the response nor its assertion is signed.",
  signature_invalid: "The signature is by none of the certificates that are kept, or not of what is said.",
  destination_mismatch: "The response is addressed to another place.",
  response_unsolicited: "The response answers no sign-in that is under way here.",
  response_replayed: "The assertion was used before.",
  response_invalid: "The response cannot be read.",
  assertion_encrypted: "The assertion is encrypted; have it signed only.",
  subject_missing: "The answer names nobody.",
  email_missing: "The answer says no e-mail address, and the person is not known by their subject.",
  email_not_verified: "The identity provider says that the address is not verified.",
  domain_not_verified: "The address is in no domain that the organization has verified.",
  not_a_member: "The person is no member, and the connection takes in nobody new.",
  person_mismatch: "The subject and the address belong to two different people here.",
  connection_disabled: "Single sign-on is off, or was changed since the sign-in began."
} as const
export type SsoRefusal = keyof typeof ssoRefusals
export const ssoRefusalCodes = Object.keys(ssoRefusals) as ReadonlyArray<SsoRefusal>
export const SsoRefusalCode = Schema.Literals(ssoRefusalCodes).annotate({ identifier: "SsoRefusal" })

const OidcSettings = Schema.Struct({
  issuer: Schema.String,
  clientId: Schema.String,
  scopes: Schema.Array(Schema.String),
  hasClientSecret: Schema.Boolean
}).annotate({ identifier: "OidcSettings" })

const SamlCertificate = Schema.Struct({
  sha256: Schema.String.annotate({ description: "The fingerprint, in hexadecimal." }),
  subject: Schema.String,
  notBefore: Timestamp,
  notAfter: Timestamp
}).annotate({ identifier: "SamlCertificate" })

const SamlSettings = Schema.Struct({
  idpEntityId: Schema.String,
  ssoUrl: Schema.String,
  certificates: Schema.Array(SamlCertificate),
  attributes: Schema.Struct({ email: Schema.NullOr(Schema.String), name: Schema.NullOr(Schema.String) })
}).annotate({ identifier: "SamlSettings" })

const SsoTest = Schema.Struct({
  ok: Schema.Boolean,
  at: Timestamp,
  by: Ids.OrgMembershipId,
  code: Schema.NullOr(SsoRefusalCode),
  subject: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SsoTest" })

/** What the identity provider has to be told of us: the organization's, whatever connection there is or is not. */
export const SsoServiceProvider = Schema.Struct({
  redirectUri: Schema.String.annotate({ description: "OpenID Connect's, the same for every organization." }),
  entityId: Schema.String.annotate({ description: "Who we are in SAML, and the audience of what is said to us." }),
  acsUrl: Schema.String.annotate({ description: "Where a SAML response is posted to." }),
  metadataUrl: Schema.String.annotate({ description: "Where both can be read, as metadata." })
}).annotate({ identifier: "SsoServiceProvider" })

/** An organization has one. */
export const SsoConnection = Schema.Struct({
  id: Ids.SsoConnectionId,
  organizationId: Ids.OrganizationId,
  protocol: Schema.Literals(["oidc", "saml"]),
  enabled: Schema.Boolean,
  enforced: Schema.Boolean.annotate({
    description: "Members sign in by it and no other way; the owners named in `breakGlass` may still use a mailed code."
  }),
  breakGlass: Schema.Array(Ids.OrgMembershipId),
  jit: Schema.Struct({ enabled: Schema.Boolean, role: Schema.String }).annotate({
    description: "Whether whoever signs in for the first time, with an address in a verified domain, becomes a member."
  }),
  oidc: Schema.NullOr(OidcSettings),
  saml: Schema.NullOr(SamlSettings),
  serviceProvider: SsoServiceProvider,
  lastTest: Schema.NullOr(SsoTest).annotate({
    description: "Of these settings: another provider, or other certificates and attributes while it is off, forget it."
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "SsoConnection" })
export type SsoConnection = typeof SsoConnection.Type

// Requests

const jit = {
  jit: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.Boolean,
      role: Schema.optionalKey(RoleName.annotate({ description: "`member` unless told; never `owner`." }))
    })
  )
}

export const PutOidc = Schema.Struct({
  issuer: Text(8, 1024).annotate({ description: "`https://…`; its discovery document is read now." }),
  clientId: Text(1, 512),
  clientSecret: Schema.optionalKey(
    Text(1, 2048).annotate({ description: "Kept as it is when left out for the same issuer and client." })
  ),
  scopes: Schema.optionalKey(
    Schema.Array(Text(1, 128))
      .check(Schema.isMaxLength(16))
      .annotate({ description: "`openid email profile` unless told." })
  ),
  ...jit
}).annotate({ identifier: "PutOidc" })

/** Either the provider's metadata, or what stands in it. */
export const PutSaml = Schema.Struct({
  metadata: Schema.optionalKey(Text(1, 262_144).annotate({ description: "The identity provider's metadata, as XML." })),
  idpEntityId: Schema.optionalKey(Text(1, 1024)),
  ssoUrl: Schema.optionalKey(Text(8, 2048).annotate({ description: "Where a browser is sent, by HTTP-Redirect." })),
  certificates: Schema.optionalKey(
    Schema.Array(Text(1, 16_384))
      .check(Schema.isMinLength(1), Schema.isMaxLength(8))
      .annotate({ description: "PEM, or its base64 alone. Several at once let a certificate roll over." })
  ),
  attributes: Schema.optionalKey(
    Schema.Struct({
      email: Schema.optionalKey(Text(1, 255)),
      name: Schema.optionalKey(Text(1, 255))
    }).annotate({ description: "By which attributes address and name are told; the usual ones unless told." })
  ),
  ...jit
}).annotate({ identifier: "PutSaml" })

export const EnforceSso = Schema.Struct({
  breakGlass: Schema.Array(Ids.OrgMembershipId)
    .check(Schema.isMinLength(1), Schema.isMaxLength(10))
    .annotate({ description: "Owners who may still sign in by a mailed code when the identity provider is away." })
}).annotate({ identifier: "EnforceSso" })

const secrets43 = Schema.String.check(
  Schema.isPattern(/^[\w-]{43}$/u, { message: "must be the SHA-256 of the verifier, in base64url" })
)

/** Exactly one of the two names the organization. */
export const StartSso = Schema.Struct({
  email: Schema.optionalKey(Email.annotate({ description: "Whose domain says which organization." })),
  organizationId: Schema.optionalKey(Ids.OrganizationId),
  codeChallenge: secrets43.annotate({
    description: "SHA-256 of a secret of the caller's, in base64url: only who has it gets the session."
  }),
  returnTo: Schema.optionalKey(ReturnTo)
})
  .check(
    Schema.makeFilter((start: { readonly email?: string; readonly organizationId?: string }) =>
      (start.email === undefined) === (start.organizationId === undefined)
        ? "name exactly one of email and organizationId"
        : undefined
    )
  )
  .annotate({ identifier: "StartSso" })

export const TestSso = Schema.Struct({ returnTo: Schema.optionalKey(ReturnTo) }).annotate({ identifier: "TestSso" })

export const CompleteSso = Schema.Struct({
  state: Text(1, 128),
  code: Text(1, 128).annotate({ description: "What our callback gave the browser; good for two minutes, and once." }),
  codeVerifier: Text(43, 128)
}).annotate({ identifier: "CompleteSso" })

export const StartedSso = Schema.Struct({
  url: Schema.String.annotate({ description: "The identity provider's page: open it in a browser." }),
  state: Schema.String.annotate({ description: "Comes back with the browser." }),
  expiresAt: Timestamp
}).annotate({ identifier: "StartedSso" })

const samlFormBytesMax = 262_144

export const SamlAnswer = Schema.Struct({
  SAMLResponse: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(samlFormBytesMax))),
  RelayState: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(samlFormBytesMax)))
}).annotate({ identifier: "SamlAnswer" })

// Errors

/** No connection; for a sign-in also: no such domain or organization, or it is off. All answer the same bytes. */
export class SsoConnectionNotFound extends notFound("sso_connection")<SsoConnectionNotFound>() {}
export class SsoNotTested extends conflict(
  "sso_not_tested",
  "Nobody has signed in with these settings: test them first."
)<SsoNotTested>() {}
export class SsoNotEnabled extends conflict("sso_not_enabled", "Single sign-on is not enabled.")<SsoNotEnabled>() {}
export class SsoEnforced extends conflict(
  "sso_enforced",
  "Single sign-on is enforced: end that first."
)<SsoEnforced>() {}
/** 502: the identity provider's documents cannot be read or used. */
export class SsoProviderFailed extends badGatewayWith("sso_provider_failed", "The identity provider cannot be used.", {
  code: SsoRefusalCode
})<SsoProviderFailed>() {}

// Operations

const read = Access.permission("sso:read")
const write = Access.permission("sso:write")
const manage = Access.permission("sso:manage")
const Answer = Schema.Struct({ sso: SsoConnection })

export const group = HttpApiGroup.make("sso")
  .annotateMerge(
    OpenApi.annotations({ title: "SSO", description: "Signing in by the organization's own identity provider." })
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/sso", { success: Answer, error: SsoConnectionNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Gets the organization's SSO connection." })
    ),
    HttpApiEndpoint.get("serviceProvider", "/v1/sso/service-provider", {
      success: Schema.Struct({ serviceProvider: SsoServiceProvider })
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Tells what the identity provider has to know of us, before there is a connection too.",
        description: "It is of the organization: it stays the same when the connection is changed or set anew."
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/sso", { success: Done, error: [SsoConnectionNotFound, SsoEnforced] }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "sso.remove",
        summary: "Removes the connection; whoever is signed in by it is signed out."
      })
    ),
    HttpApiEndpoint.put("putOidc", "/v1/sso/oidc", {
      payload: PutOidc,
      success: Answer,
      error: [SsoProviderFailed, SsoEnforced]
    }).pipe(
      endpointMetadata({
        access: write,
        plan: "sso",
        versioned: true,
        audited: "sso.put_oidc",
        summary: "Sets the connection to an OpenID Connect provider.",
        description:
          "It is off until it is tested and enabled, unless only secret, scopes or JIT change. Whom another provider signed in before is signed out, but for the session that sets this one."
      })
    ),
    HttpApiEndpoint.put("putSaml", "/v1/sso/saml", {
      payload: PutSaml,
      success: Answer,
      error: SsoEnforced
    }).pipe(
      endpointMetadata({
        access: write,
        plan: "sso",
        versioned: true,
        audited: "sso.put_saml",
        summary: "Sets the connection to a SAML 2.0 identity provider.",
        description:
          "It is off until it is tested and enabled, unless only certificates, attributes or JIT change: so a certificate rolls over while people sign in. While it is on, only an owner changes what is believed: certificates and attributes; while it is off, changing that forgets the test. Whom another provider signed in before is signed out, but for the session that sets this one."
      })
    ),
    HttpApiEndpoint.post("test", "/v1/sso/test", {
      payload: TestSso,
      success: StartedSso,
      error: [SsoConnectionNotFound, SsoProviderFailed]
    }).pipe(
      endpointMetadata({
        access: Access.permission("sso:write"),
        plan: "sso",
        idempotency: "fact",
        audited: "sso.test",
        holdsSecret: true,
        summary: "Begins a sign-in that signs nobody in: `lastTest` tells what came of it.",
        description: "In person: a key cannot sign in."
      })
    ),
    HttpApiEndpoint.post("enable", "/v1/sso/enable", {
      success: Answer,
      error: [SsoConnectionNotFound, SsoNotTested]
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        plan: "sso",
        audited: "sso.enable",
        summary: "Lets people sign in by the connection, once a test of it held.",
        description: "From then on the identity provider says who is who, owners too: so an owner decides."
      })
    ),
    HttpApiEndpoint.post("disable", "/v1/sso/disable", { success: Answer, error: SsoConnectionNotFound }).pipe(
      endpointMetadata({
        access: manage,
        audited: "sso.disable",
        summary: "Lets nobody sign in by the connection, and ends its being enforced; sessions go on."
      })
    ),
    HttpApiEndpoint.post("enforce", "/v1/sso/enforce", {
      payload: EnforceSso,
      success: Answer,
      error: [SsoConnectionNotFound, SsoNotEnabled]
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        plan: "sso",
        audited: "sso.enforce",
        summary: "Refuses members who signed in another way, but for the owners named.",
        description: "Sessions that a key or the host application vouches for are not concerned, and keys go on."
      })
    ),
    HttpApiEndpoint.post("start", "/v1/sso/sign-in", {
      payload: StartSso,
      success: StartedSso,
      error: [SsoConnectionNotFound, SsoProviderFailed]
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        audited: "sso.start",
        holdsSecret: true,
        summary: "Begins a sign-in by an organization's identity provider.",
        description: "Good for ten minutes."
      })
    ),
    HttpApiEndpoint.post("complete", "/v1/sso/sign-in/complete", {
      payload: CompleteSso,
      success: Schema.Struct({ session: NewSession, user: User, organizationId: Ids.OrganizationId }).pipe(
        HttpApiSchema.status(201)
      )
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        audited: "session.create",
        holdsSecret: true,
        summary: "Signs in with what the browser brought back; the session is good for that organization.",
        description: "A code that is wrong, used or over is 400 at `body.code`."
      })
    ),
    HttpApiEndpoint.get("oidcCallback", "/v1/sso/oidc/:organizationId/callback", {
      params: { organizationId: Ids.OrganizationId },
      query: callbackQuery,
      success: callbackSuccess
    }).pipe(
      endpointMetadata({
        access: Access.state,
        audited: "sso.callback",
        summary: "Where an OpenID Connect provider sends the browser back to.",
        description: "An address for each organization: what one's provider gives out is no use at another's."
      })
    ),
    HttpApiEndpoint.post("samlAcs", "/v1/sso/saml/:organizationId/acs", {
      params: { organizationId: Ids.OrganizationId },
      payload: SamlAnswer.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: callbackSuccess
    }).pipe(
      endpointMetadata({
        access: Access.state,
        idempotency: "none",
        audited: "sso.callback",
        bodyBytesMax: samlFormBytesMax,
        summary: "Where a SAML identity provider's page posts its response to."
      })
    ),
    HttpApiEndpoint.get("samlMetadata", "/v1/sso/saml/:organizationId/metadata", {
      params: { organizationId: Ids.OrganizationId },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/samlmetadata+xml" }))
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        summary: "What a SAML identity provider has to know of us, as XML.",
        description: "The same whether there is such an organization or not."
      })
    )
  )
