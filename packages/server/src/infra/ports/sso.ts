import type { SsoRefusal } from "@orgplane/schema/sso"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** What an identity provider says of whoever signed in. It is believed of the provider's own organization only. */
export interface Asserted {
  /** The provider's own lasting name for the person. */
  readonly subject: string
  readonly email: string | null
  /** Null where the provider does not say. */
  readonly emailVerified: boolean | null
  readonly name: string | null
}

/** A sign-in that came to nothing. The message is for the log and holds nothing secret. */
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

/** What a sign-in was begun with. */
export interface OidcBegun {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: Redacted.Redacted
}

/** OpenID Connect providers, over the guarded outbound client. */
export class OidcProviders extends Context.Service<
  OidcProviders,
  {
    /** Reads discovery document and keys: whether the settings can be used at all. */
    readonly check: (connection: OidcConnection) => Effect.Effect<void, SsoRefused>
    /** The address for a browser: authorization code, S256, state and nonce. */
    readonly begin: (connection: OidcConnection, begun: OidcBegun) => Effect.Effect<string, SsoRefused>
    /** Exchanges what the browser brought, and judges the ID token. */
    readonly finish: (
      connection: OidcConnection,
      begun: OidcBegun,
      brought: { readonly code: string; readonly iss: string | undefined }
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
  /** PEM; any of them may have signed. */
  readonly certificates: ReadonlyArray<string>
  readonly attributes: { readonly email: string | null; readonly name: string | null }
}

export interface SamlAsserted extends Asserted {
  readonly assertionId: string
  /** Until when the assertion could be used again, clock skew included. */
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

/** SAML 2.0, Web Browser SSO: request by HTTP-Redirect, response by HTTP-POST. It asks nobody over the network. */
export class SamlProviders extends Context.Service<
  SamlProviders,
  {
    /** Our own metadata, as XML. */
    readonly metadata: (provider: SamlServiceProvider) => string
    /** What an identity provider's metadata says. */
    readonly read: (
      metadata: string
    ) => Effect.Effect<
      { readonly idpEntityId: string; readonly ssoUrl: string; readonly certificates: ReadonlyArray<string> },
      SamlMetadataInvalid
    >
    /** A certificate as PEM or its base64 alone. */
    readonly readCertificate: (text: string) => Effect.Effect<SamlCertificate, SamlMetadataInvalid>
    /** The address for a browser. */
    readonly begin: (
      provider: SamlServiceProvider,
      connection: SamlConnection,
      request: { readonly id: string; readonly relayState: string; readonly at: Date }
    ) => Effect.Effect<string, SsoRefused>
    /** Judges a response; `requestId` is the request that this sign-in made, and the only one it may answer. */
    readonly finish: (
      provider: SamlServiceProvider,
      connection: SamlConnection,
      response: { readonly samlResponse: string; readonly requestId: string; readonly at: Date }
    ) => Effect.Effect<SamlAsserted, SsoRefused>
  }
>()("@orgplane/server/ports/SamlProviders") {}
