/** Single sign-on: an organization's members sign in through its identity provider. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { RoleName } from "./members.ts"
import { NewSession } from "./sessions.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { badGatewayWith, conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { callbackQuery, callbackSuccess, ReturnTo } from "./shared/oauth.ts"
import { Email, Text, Timestamp } from "./shared/values.ts"
import { User } from "./users.ts"

// Entities

/**
 * The reasons for a failed sign-in. The list is closed. The browser, the program that started the sign-in, and the
 * audit log receive the reason.
 */
export const ssoRefusals = {
  access_denied: "The identity provider denied access.",
  provider_unreachable: "The identity provider did not respond. Try again later.",
  provider_invalid: "The published configuration of the identity provider is invalid.",
  code_refused: "The identity provider rejected the authorization code that it issued.",
  token_invalid: "The ID token is malformed, or its key or signing method is not one of the identity provider's.",
  nonce_mismatch: "The ID token was issued for another sign-in.",
  issuer_mismatch: "The response has a different issuer than configured.",
  audience_mismatch: "The response was issued for another application.",
  not_yet_valid: "The response is not valid yet. Check that the clocks of both servers are correct.",
  expired: "The response has expired. Start the sign-in again.",
  signature_missing:
    "Neither the SAML response nor its assertion is signed. Enable signing in the identity provider's settings.",
  signature_invalid: "The signature does not match the configured certificates, or does not cover the assertion.",
  destination_mismatch:
    "The destination of the SAML response is not this server's ACS URL. Check the ACS URL in the identity provider's settings.",
  response_unsolicited: "The SAML response does not belong to a sign-in in progress. Start the sign-in again.",
  response_replayed: "The SAML assertion has already been used. Start the sign-in again.",
  response_invalid: "The SAML response is malformed.",
  assertion_encrypted:
    "The SAML assertion is encrypted. Configure the identity provider to sign it without encryption.",
  subject_missing: "The response does not identify a user.",
  email_missing:
    "The response has no email address, and the subject is unknown. Configure the identity provider to send an email address.",
  email_not_verified: "The identity provider reports that the email address is not verified.",
  domain_not_verified: "The email address is not in a verified domain of the organization.",
  not_a_member:
    "The user is not a member, and the connection does not add new members. Ask an administrator for an invitation.",
  person_mismatch: "The subject and the email address belong to different users.",
  connection_disabled: "Single sign-on was disabled, or changed since the sign-in started. Start the sign-in again."
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

/**
 * The values to configure in the identity provider. They belong to the organization and do not depend on a connection.
 */
export const SsoServiceProvider = Schema.Struct({
  redirectUri: Schema.String.annotate({ description: "The redirect URI of this organization for OpenID Connect." }),
  entityId: Schema.String.annotate({ description: "The SAML entity id, and the audience of the assertions." }),
  acsUrl: Schema.String.annotate({ description: "The URL that receives SAML responses by POST." }),
  metadataUrl: Schema.String.annotate({
    description: "The URL of the SAML metadata, which contains the entity id and the ACS URL."
  })
}).annotate({ identifier: "SsoServiceProvider" })

/** The SSO connection. An organization has at most one. */
export const SsoConnection = Schema.Struct({
  id: Ids.SsoConnectionId,
  organizationId: Ids.OrganizationId,
  protocol: Schema.Literals(["oidc", "saml"]),
  enabled: Schema.Boolean,
  enforced: Schema.Boolean.annotate({
    description: "Whether members must sign in through SSO. The owners in `breakGlass` can also use an email code."
  }),
  breakGlass: Schema.Array(Ids.OrgMembershipId),
  jit: Schema.Struct({ enabled: Schema.Boolean, role: Schema.String }).annotate({
    description: "Whether users with an email address in a verified domain become members on first sign-in."
  }),
  oidc: Schema.NullOr(OidcSettings),
  saml: Schema.NullOr(SamlSettings),
  serviceProvider: SsoServiceProvider,
  lastTest: Schema.NullOr(SsoTest).annotate({
    description:
      "The last test of the current settings. Cleared when the provider changes, or when certificates or attributes change while SSO is disabled."
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
      role: Schema.optionalKey(
        RoleName.annotate({ description: "The role of new members; `owner` is not allowed. Default: `member`." })
      )
    }).annotate({
      description:
        "JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings."
    })
  )
}

export const PutOidc = Schema.Struct({
  issuer: Text(8, 1024).annotate({
    description: "The issuer, `https://…`. The discovery document is fetched during this request."
  }),
  clientId: Text(1, 512).annotate({ description: "The client id from the identity provider." }),
  clientSecret: Schema.optionalKey(
    Text(1, 2048).annotate({
      description: "If omitted, the current secret is kept, as long as the issuer and client do not change."
    })
  ),
  scopes: Schema.optionalKey(
    Schema.Array(Text(1, 128))
      .check(Schema.isMaxLength(16))
      .annotate({ description: "The scopes to request. Default: `openid email profile`." })
  ),
  ...jit
}).annotate({ identifier: "PutOidc" })

/** Either `metadata`, or `idpEntityId`, `ssoUrl` and `certificates`. */
export const PutSaml = Schema.Struct({
  metadata: Schema.optionalKey(
    Text(1, 262_144).annotate({ description: "The SAML metadata of the identity provider, as XML." })
  ),
  idpEntityId: Schema.optionalKey(
    Text(1, 1024).annotate({ description: "The entity id of the identity provider. Required without `metadata`." })
  ),
  ssoUrl: Schema.optionalKey(
    Text(8, 2048).annotate({
      description: "The sign-in URL of the identity provider (HTTP-Redirect binding). Required without `metadata`."
    })
  ),
  certificates: Schema.optionalKey(
    Schema.Array(Text(1, 16_384)).check(Schema.isMinLength(1), Schema.isMaxLength(8)).annotate({
      description:
        "The signing certificates of the identity provider: PEM, or its base64 content. Required without `metadata`. To rotate a certificate without downtime, include both the old and the new one."
    })
  ),
  attributes: Schema.optionalKey(
    Schema.Struct({
      email: Schema.optionalKey(Text(1, 255)),
      name: Schema.optionalKey(Text(1, 255))
    }).annotate({
      description:
        "The SAML attributes that contain the email address and the name. Default: common names such as `email`, `mail`, `displayName` and their URN and claim URI forms."
    })
  ),
  ...jit
}).annotate({ identifier: "PutSaml" })

export const EnforceSso = Schema.Struct({
  breakGlass: Schema.Array(Ids.OrgMembershipId).check(Schema.isMinLength(1), Schema.isMaxLength(10)).annotate({
    description: "Owners who can still sign in with an email code when the identity provider is unavailable."
  })
}).annotate({ identifier: "EnforceSso" })

const CodeChallenge = Schema.String.check(
  Schema.isPattern(/^[\w-]{43}$/u, { message: "must be the SHA-256 of the verifier, in base64url" })
)

/** Exactly one of `email` and `organizationId` identifies the organization. */
export const StartSso = Schema.Struct({
  email: Schema.optionalKey(
    Email.annotate({ description: "An email address whose domain identifies the organization." })
  ),
  organizationId: Schema.optionalKey(
    Ids.OrganizationId.annotate({
      description: "The organization to sign in to. Exactly one of `email` and `organizationId` is required."
    })
  ),
  codeChallenge: CodeChallenge.annotate({
    description:
      "The SHA-256 of the code verifier, in base64url. Only the caller with the verifier receives the session."
  }),
  returnTo: Schema.optionalKey(ReturnTo)
})
  .check(
    Schema.makeFilter((start: { readonly email?: string; readonly organizationId?: string }) =>
      (start.email === undefined) === (start.organizationId === undefined)
        ? "must include exactly one of: email, organizationId"
        : undefined
    )
  )
  .annotate({ identifier: "StartSso" })

export const TestSso = Schema.Struct({ returnTo: Schema.optionalKey(ReturnTo) }).annotate({ identifier: "TestSso" })

export const CompleteSso = Schema.Struct({
  state: Text(1, 128).annotate({ description: "The `state` that `sso.start` returned." }),
  code: Text(1, 128).annotate({
    description: "The code that the callback returned to the browser. Valid for two minutes. Can be used once."
  }),
  codeVerifier: Text(43, 128).annotate({
    description: "The code verifier whose SHA-256 was sent to `sso.start` as `codeChallenge`."
  })
}).annotate({ identifier: "CompleteSso" })

export const StartedSso = Schema.Struct({
  url: Schema.String.annotate({ description: "The identity provider's page to open in a browser." }),
  state: Schema.String.annotate({ description: "Included in the callback's redirect to `returnTo`." }),
  expiresAt: Timestamp
}).annotate({ identifier: "StartedSso" })

const samlFormBytesMax = 262_144

export const SamlResponseForm = Schema.Struct({
  SAMLResponse: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(samlFormBytesMax))),
  RelayState: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(samlFormBytesMax)))
}).annotate({ identifier: "SamlResponseForm" })

// Errors

/**
 * The organization has no SSO connection. For a sign-in, also: the domain or organization does not exist, or SSO is
 * disabled. All cases return the same response.
 */
export class SsoConnectionNotFound extends notFound("sso_connection")<SsoConnectionNotFound>() {}
export class SsoNotTested extends conflict(
  "sso_not_tested",
  "These settings have not been tested successfully. Test them first."
)<SsoNotTested>() {}
export class SsoNotEnabled extends conflict(
  "sso_not_enabled",
  "Single sign-on is not enabled. Enable it first."
)<SsoNotEnabled>() {}
export class SsoEnforced extends conflict(
  "sso_enforced",
  "Single sign-on is enforced. Disable single sign-on first."
)<SsoEnforced>() {}
/** 502: the identity provider's configuration cannot be fetched or used. */
export class SsoProviderFailed extends badGatewayWith(
  "sso_provider_failed",
  "The request to the identity provider failed, or its configuration is invalid. See code for the cause.",
  {
    code: SsoRefusalCode
  }
)<SsoProviderFailed>() {}

// Operations

const read = Access.permission("sso:read")
const write = Access.permission("sso:write")
const manage = Access.permission("sso:manage")
const Response = Schema.Struct({ sso: SsoConnection })

export const group = HttpApiGroup.make("sso")
  .annotateMerge(
    OpenApi.annotations({ title: "SSO", description: "Single sign-on through the organization's identity provider." })
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/sso", { success: Response, error: SsoConnectionNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Get the SSO connection" })
    ),
    HttpApiEndpoint.get("serviceProvider", "/v1/sso/service-provider", {
      success: Schema.Struct({ serviceProvider: SsoServiceProvider })
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get the values to configure in the identity provider",
        description:
          "Available before a connection exists. The values belong to the organization: they stay the same when the connection is changed or recreated."
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/sso", {
      success: NoContent,
      error: [SsoConnectionNotFound, SsoEnforced]
    }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "sso.remove",
        summary: "Remove the SSO connection",
        description: "Ends the sessions of everyone who signed in through it."
      })
    ),
    HttpApiEndpoint.put("putOidc", "/v1/sso/oidc", {
      payload: PutOidc,
      success: Response,
      error: [SsoProviderFailed, SsoEnforced]
    }).pipe(
      endpointMetadata({
        access: write,
        plan: "sso",
        versioned: true,
        audited: "sso.put_oidc",
        summary: "Set an OpenID Connect connection",
        description:
          "After a change, SSO is disabled until the connection is tested and enabled again. Changing only the secret, scopes or JIT settings does not disable it. Changing the provider ends all sessions that were created through the previous provider, except the one making this request."
      })
    ),
    HttpApiEndpoint.put("putSaml", "/v1/sso/saml", {
      payload: PutSaml,
      success: Response,
      error: SsoEnforced
    }).pipe(
      endpointMetadata({
        access: write,
        plan: "sso",
        versioned: true,
        audited: "sso.put_saml",
        summary: "Set a SAML 2.0 connection",
        description:
          "After a change, SSO is disabled until the connection is tested and enabled again. Changing only certificates, attributes or JIT settings does not disable it, so you can rotate a certificate without interrupting sign-in. While SSO is enabled, only an owner can change certificates and attributes; while it is disabled, changing them clears the last test. Changing the provider ends all sessions that were created through the previous provider, except the one making this request."
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
        summary: "Test the SSO connection",
        description:
          "Starts a sign-in that creates no session. `lastTest` contains the result. Not available to API keys."
      })
    ),
    HttpApiEndpoint.post("enable", "/v1/sso/enable", {
      success: Response,
      error: [SsoConnectionNotFound, SsoNotTested]
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        plan: "sso",
        audited: "sso.enable",
        summary: "Enable the SSO connection",
        description:
          "The connection must have been tested successfully. Only owners can enable it, because the identity provider then authenticates every member, including owners."
      })
    ),
    HttpApiEndpoint.post("disable", "/v1/sso/disable", { success: Response, error: SsoConnectionNotFound }).pipe(
      endpointMetadata({
        access: manage,
        audited: "sso.disable",
        summary: "Disable the SSO connection",
        description:
          "Members can no longer sign in through it, and it is no longer enforced. Existing sessions continue."
      })
    ),
    HttpApiEndpoint.post("enforce", "/v1/sso/enforce", {
      payload: EnforceSso,
      success: Response,
      error: [SsoConnectionNotFound, SsoNotEnabled]
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        plan: "sso",
        audited: "sso.enforce",
        summary: "Enforce single sign-on",
        description:
          "Members who signed in another way are rejected, except the owners in `breakGlass`. Sessions created by an API key or the host application are not affected, and API keys continue to work."
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
        summary: "Start a sign-in through an organization's identity provider",
        description: "The sign-in must be completed within ten minutes."
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
        summary: "Complete a sign-in through an organization's identity provider",
        description:
          "Returns a session that is valid for that organization only. If the code is incorrect, already used or expired, returns 400 with a detail for `body.code`."
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
        summary: "Receive the redirect from an OpenID Connect provider",
        description:
          "Each organization has its own URL, so that a code from one provider cannot be used for another organization."
      })
    ),
    HttpApiEndpoint.post("samlAcs", "/v1/sso/saml/:organizationId/acs", {
      params: { organizationId: Ids.OrganizationId },
      payload: SamlResponseForm.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: callbackSuccess
    }).pipe(
      endpointMetadata({
        access: Access.state,
        idempotency: "none",
        audited: "sso.callback",
        bodyBytesMax: samlFormBytesMax,
        summary: "Receive the SAML response from an identity provider"
      })
    ),
    HttpApiEndpoint.get("samlMetadata", "/v1/sso/saml/:organizationId/metadata", {
      params: { organizationId: Ids.OrganizationId },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/samlmetadata+xml" }))
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        summary: "Get the SAML metadata of an organization",
        description: "Returns XML. The response is the same whether or not the organization exists."
      })
    )
  )
