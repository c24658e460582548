import type { SsoRefusal } from "@orgplane/schema/sso"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** The data that an identity provider asserts about a user. It is trusted only for the provider's own organization. */
export interface Asserted {
  /** The provider's stable ID for the user. */
  readonly subject: string
  readonly email: string | null
  /** Null when the provider does not report it. */
  readonly emailVerified: boolean | null
  readonly name: string | null
}

/** A failed sign-in. The message is for the log and contains no secret. */
export class SsoRefused extends Data.TaggedError("SsoRefused")<{
  readonly code: SsoRefusal
  readonly message: string
}> {}

export interface OidcConnection {
  readonly organizationId: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  readonly scopes: ReadonlyArray<string>
}

/** The parameters of a started sign-in. */
export interface OidcBegun {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: Redacted.Redacted
}

/** OpenID Connect providers, over the outbound HTTP client. */
export class OidcProviders extends Context.Service<
  OidcProviders,
  {
    /** Reads the discovery document and the keys, to check that the settings work. */
    readonly check: (connection: OidcConnection) => Effect.Effect<void, SsoRefused>
    /** The authorization URL: authorization code, S256, state and nonce. */
    readonly begin: (connection: OidcConnection, begun: OidcBegun) => Effect.Effect<string, SsoRefused>
    /** Exchanges the code from the callback and validates the ID token. */
    readonly finish: (
      connection: OidcConnection,
      begun: OidcBegun,
      callback: { readonly code: string; readonly iss: string | undefined }
    ) => Effect.Effect<Asserted, SsoRefused>
  }
>()("@orgplane/server/ports/OidcProviders") {}

export interface SamlServiceProvider {
  readonly entityId: string
  readonly acsUrl: string
}

export interface SamlConnection {
  readonly idpEntityId: string
  readonly ssoUrl: string
  /** PEM; each may have signed the response. */
  readonly certificates: ReadonlyArray<string>
  readonly attributes: { readonly email: string | null; readonly name: string | null }
}

export interface SamlAsserted extends Asserted {
  readonly assertionId: string
  /** The time until which the assertion could be replayed, including clock skew. */
  readonly usableUntil: Date
}

export interface SamlCertificate {
  readonly pem: string
  readonly sha256: string
  readonly subject: string
  readonly notBefore: Date
  readonly notAfter: Date
}

export class SamlMetadataInvalid extends Data.TaggedError("SamlMetadataInvalid")<{ readonly message: string }> {}

/** SAML 2.0, Web Browser SSO: request by HTTP-Redirect, response by HTTP-POST. It makes no network requests. */
export class SamlProviders extends Context.Service<
  SamlProviders,
  {
    /** This service provider's metadata, as XML. */
    readonly metadata: (provider: SamlServiceProvider) => string
    /** Reads an identity provider's metadata. */
    readonly read: (
      metadata: string
    ) => Effect.Effect<
      { readonly idpEntityId: string; readonly ssoUrl: string; readonly certificates: ReadonlyArray<string> },
      SamlMetadataInvalid
    >
    /** Reads a certificate, as PEM or only its base64. */
    readonly readCertificate: (text: string) => Effect.Effect<SamlCertificate, SamlMetadataInvalid>
    /** The URL that the browser is redirected to. */
    readonly begin: (
      provider: SamlServiceProvider,
      connection: SamlConnection,
      request: { readonly id: string; readonly relayState: string; readonly at: Date }
    ) => Effect.Effect<string, SsoRefused>
    /** Validates a response; `requestId` is the ID of this sign-in's request, which the response must refer to. */
    readonly finish: (
      provider: SamlServiceProvider,
      connection: SamlConnection,
      response: { readonly samlResponse: string; readonly requestId: string; readonly at: Date }
    ) => Effect.Effect<SamlAsserted, SsoRefused>
  }
>()("@orgplane/server/ports/SamlProviders") {}
