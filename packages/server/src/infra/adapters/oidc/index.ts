import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import { basicAuthorization, bodyTextOf, Outbound, toResponse } from "../../ports/outbound.ts"
import { type Asserted, type OidcConnection, OidcProviders, type SsoRefused } from "../../ports/sso.ts"
import { refusalOf, refused, type Step } from "./failure.ts"

const requestMillis = 10_000
const responseBytesMax = 256 * 1024
/** How long a provider's documents are cached. If a key is missing, the keys are read again immediately. */
const documentMillis = 300_000
const documentsMax = 1000
const skewSeconds = 60

/** Signatures with a private key of the provider. Shared secrets and `none` are not accepted. */
const algorithms: ReadonlySet<string> = new Set([
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
])

const clientOf = (connection: OidcConnection): oauth.Client => ({
  client_id: connection.clientId,
  [oauth.clockTolerance]: skewSeconds
})

const authOf = (provider: oauth.AuthorizationServer, secret: Redacted.Redacted | null): oauth.ClientAuth => {
  if (secret === null) return oauth.None()
  const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
  const value = Redacted.value(secret)
  return methods.includes("client_secret_basic") || !methods.includes("client_secret_post")
    ? (_, client, __, headers) => headers.set("authorization", basicAuthorization(client.client_id, value))
    : oauth.ClientSecretPost(value)
}

const isAddress = (text: unknown): text is string => {
  const url = typeof text === "string" && /^[\x21-\x7E]{1,2048}$/.test(text) ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
}

const textOf = (value: unknown, max: number): string | null =>
  typeof value === "string" && value !== "" && value.length <= max && value.isWellFormed() && !/\p{Cc}/u.test(value)
    ? value
    : null

/** Some providers send the boolean as a string. */
const booleanOf = (value: unknown): boolean | null =>
  value === true || value === "true" ? true : value === false || value === "false" ? false : null

interface Profile {
  readonly email?: unknown
  readonly email_verified?: unknown
  readonly name?: unknown
}

interface Document {
  readonly issuer: string
  readonly provider: oauth.AuthorizationServer
  readonly until: number
}

const authMethods: ReadonlyArray<string> = ["client_secret_basic", "client_secret_post"]

/** The fields of a discovery document that are used. The others are dropped, because they may be large. */
const usedMembersOf = (document: oauth.AuthorizationServer): oauth.AuthorizationServer => {
  const { authorization_endpoint, issuer, jwks_uri, token_endpoint, userinfo_endpoint } = document
  const usable = (document.id_token_signing_alg_values_supported ?? []).filter((name) => algorithms.has(name))
  const methods = document.token_endpoint_auth_methods_supported
  return {
    issuer,
    ...(authorization_endpoint === undefined ? {} : { authorization_endpoint }),
    ...(token_endpoint === undefined ? {} : { token_endpoint }),
    ...(jwks_uri === undefined ? {} : { jwks_uri }),
    ...(isAddress(userinfo_endpoint) ? { userinfo_endpoint } : {}),
    ...(document.authorization_response_iss_parameter_supported === true
      ? { authorization_response_iss_parameter_supported: true }
      : {}),
    ...(methods === undefined
      ? {}
      : { token_endpoint_auth_methods_supported: authMethods.filter((name) => methods.includes(name)) }),
    id_token_signing_alg_values_supported: usable.length === 0 ? ["RS256"] : [...new Set(usable)]
  }
}

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const scope = yield* Effect.scope
  /** One per organization, so that an organization that tries many issuers occupies only one entry. */
  const documents = new Map<string, Document>()
  /** Documents that are being read, so that concurrent sign-ins share one request. */
  const pending = new Map<string, Deferred.Deferred<oauth.AuthorizationServer, SsoRefused>>()

  /** The outbound HTTP client as the library's fetch; redirects are not followed. */
  const optionsFor = (organizationId: string, signal: AbortSignal) => ({
    // The outbound HTTP client decides about plain http.
    [oauth.allowInsecureRequests]: true as const,
    [oauth.customFetch]: async (
      url: string,
      options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: unknown }
    ): Promise<Response> => {
      const text = bodyTextOf(options.body)
      const response = await Effect.runPromise(
        outbound.request({
          destination: "supplied",
          url,
          method: options.method === "POST" ? "POST" : "GET",
          headers: options.headers,
          ...(text === undefined ? {} : { body: text }),
          redirectsMax: 0,
          timeoutMillis: requestMillis,
          bodyBytesMax: responseBytesMax,
          organizationId
        }),
        { signal }
      )
      return toResponse(response)
    }
  })

  const ask = <A>(
    organizationId: string,
    step: Step,
    work: (options: ReturnType<typeof optionsFor>) => Promise<A>
  ): Effect.Effect<A, ReturnType<typeof refusalOf>> =>
    Effect.tryPromise({
      try: (signal) => work(optionsFor(organizationId, signal)),
      catch: (cause) => refusalOf(cause, step)
    })

  const keep = (connection: OidcConnection, provider: oauth.AuthorizationServer) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const { issuer, organizationId } = connection
      documents.delete(organizationId)
      const [oldest] = documents.keys()
      if (documents.size >= documentsMax && oldest !== undefined) documents.delete(oldest)
      documents.set(organizationId, { issuer, provider, until: now + documentMillis })
      return provider
    })

  /** Reads the discovery document, without the cache. */
  const read = Effect.fnUntraced(function* (connection: OidcConnection) {
    const { organizationId } = connection
    const issuer = URL.parse(connection.issuer)
    if (issuer === null || !isAddress(connection.issuer) || issuer.search !== "") {
      return yield* refused("provider_invalid", "The issuer must be a URL without a query or a fragment.")
    }
    const provider = yield* ask(organizationId, "discovery", async (options) =>
      oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" }))
    )
    const { authorization_endpoint, jwks_uri, token_endpoint } = provider
    if (![authorization_endpoint, token_endpoint, jwks_uri].every(isAddress)) {
      return yield* refused(
        "provider_invalid",
        "The discovery document has no valid authorization_endpoint, token_endpoint or jwks_uri."
      )
    }
    // Browsers are redirected there, which the outbound HTTP client cannot check.
    if (issuer.protocol === "https:" && !authorization_endpoint?.startsWith("https:")) {
      return yield* refused("provider_invalid", "The authorization endpoint must use https.")
    }
    const methods = provider.code_challenge_methods_supported
    if (methods !== undefined && !methods.includes("S256")) {
      return yield* refused("provider_invalid", "The provider does not support PKCE with S256.")
    }
    return yield* keep(connection, usedMembersOf(provider))
  })

  const providerOf = Effect.fnUntraced(function* (connection: OidcConnection) {
    const { issuer, organizationId } = connection
    const document = documents.get(organizationId)
    const now = yield* Clock.currentTimeMillis
    if (document !== undefined && document.issuer === issuer && document.until > now) return document.provider
    const key = `${organizationId}\n${issuer}`
    const inFlight = pending.get(key)
    if (inFlight !== undefined) return yield* Deferred.await(inFlight)
    const arriving = Deferred.makeUnsafe<oauth.AuthorizationServer, SsoRefused>()
    pending.set(key, arriving)
    // The first caller may be interrupted; the others still need the document.
    yield* read(connection).pipe(
      Effect.onExit((exit) => {
        pending.delete(key)
        return Deferred.done(arriving, exit)
      }),
      Effect.exit,
      Effect.forkIn(scope)
    )
    return yield* Deferred.await(arriving)
  })

  const check = Effect.fnUntraced(function* (connection: OidcConnection) {
    const provider = yield* read(connection)
    const keys = yield* ask(connection.organizationId, "keys", async (options) => {
      const response = await options[oauth.customFetch](provider.jwks_uri ?? "", {
        method: "GET",
        headers: { accept: "application/json" }
      })
      if (response.status >= 500)
        throw refused("provider_unreachable", `The provider's JWKS endpoint responded with status ${response.status}.`)
      const body: unknown = response.status === 200 ? await response.json() : undefined
      return typeof body === "object" && body !== null && "keys" in body ? body.keys : undefined
    })
    if (!Array.isArray(keys) || keys.length === 0) {
      return yield* refused("provider_invalid", "The provider publishes no keys.")
    }
  })

  const begin = Effect.fnUntraced(function* (
    connection: OidcConnection,
    begun: {
      readonly redirectUri: string
      readonly state: string
      readonly nonce: string
      readonly codeVerifier: Redacted.Redacted
    }
  ) {
    const provider = yield* providerOf(connection)
    const url = new URL(provider.authorization_endpoint ?? "")
    const challenge = yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(Redacted.value(begun.codeVerifier)))
    const parameters = {
      response_type: "code",
      client_id: connection.clientId,
      redirect_uri: begun.redirectUri,
      scope: connection.scopes.join(" "),
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256"
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  })

  /** Verifies the signature with a published key; when the provider has changed its keys, they are read again once. */
  const demandSigned = (connection: OidcConnection, provider: oauth.AuthorizationServer, response: Response) =>
    ask(connection.organizationId, "signature", (options) =>
      oauth.validateApplicationLevelSignature(provider, response, options)
    ).pipe(
      Effect.catchTag("SsoRefused", (first) => {
        if (first.code !== "token_invalid") return Effect.fail(first)
        // The library caches the keys with the document object, so a copy has none yet.
        const refreshed = { ...provider }
        return ask(connection.organizationId, "signature", (options) =>
          oauth.validateApplicationLevelSignature(refreshed, response, options)
        ).pipe(Effect.andThen(keep(connection, refreshed)))
      }),
      Effect.asVoid
    )

  /**
   * The userinfo response, requested if the ID token has no email address; empty if the provider does not return it.
   */
  const userInfo = (
    connection: OidcConnection,
    provider: oauth.AuthorizationServer,
    accessToken: string,
    subject: string
  ) =>
    isAddress(provider.userinfo_endpoint)
      ? ask(connection.organizationId, "token", async (options): Promise<Profile> => {
          const response = await oauth.userInfoRequest(provider, clientOf(connection), accessToken, options)
          if (response.status !== 200) return {}
          return oauth.processUserInfoResponse(provider, clientOf(connection), subject, response)
        })
      : Effect.succeed<Profile>({})

  const finish = Effect.fnUntraced(function* (
    connection: OidcConnection,
    begun: { readonly redirectUri: string; readonly nonce: string; readonly codeVerifier: Redacted.Redacted },
    authorization: { readonly code: string; readonly iss: string | undefined }
  ) {
    const { organizationId } = connection
    const provider = yield* providerOf(connection)
    const client = clientOf(connection)
    const callback = new URLSearchParams({
      code: authorization.code,
      ...(authorization.iss === undefined ? {} : { iss: authorization.iss })
    })
    const parameters = yield* Effect.try({
      try: () => oauth.validateAuthResponse(provider, client, callback, oauth.expectNoState),
      catch: () =>
        refused(
          "issuer_mismatch",
          "The issuer of the callback differs from the issuer that the sign-in was started with."
        )
    })
    const response = yield* ask(organizationId, "code", (options) =>
      oauth.authorizationCodeGrantRequest(
        provider,
        client,
        authOf(provider, connection.clientSecret),
        parameters,
        begun.redirectUri,
        Redacted.value(begun.codeVerifier),
        options
      )
    )
    // The library reports the error code of an unsuccessful response, and the problem of a successful one.
    const tokens = yield* ask(organizationId, response.status === 200 ? "token" : "code", () =>
      oauth.processAuthorizationCodeResponse(provider, client, response, {
        expectedNonce: begun.nonce,
        requireIdToken: true
      })
    )
    yield* demandSigned(connection, provider, response)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (claims === undefined) return yield* refused("token_invalid", "The response has no ID token.")
    const now = yield* Clock.currentTimeMillis
    if (claims.iat > now / 1000 + skewSeconds)
      return yield* refused("not_yet_valid", "The ID token was issued in the future.")
    if (!/^[\x20-\x7E]{1,255}$/.test(claims.sub))
      return yield* refused("subject_missing", "The subject must have 1 to 255 printable ASCII characters.")
    const profile: Profile =
      claims["email"] === undefined
        ? yield* userInfo(connection, provider, tokens.access_token, claims.sub)
        : { email: claims["email"], email_verified: claims["email_verified"], name: claims["name"] }
    const asserted: Asserted = {
      subject: claims.sub,
      email: textOf(profile.email, 320),
      emailVerified: booleanOf(profile.email_verified),
      name: textOf(profile.name ?? claims["name"], 255)
    }
    return asserted
  })

  return OidcProviders.of({ check, begin, finish })
})

/** OpenID Connect: authorization code with S256 and nonce, with the outbound HTTP client. */
export const layerOidc = Layer.effect(OidcProviders, make)
