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
const answerBytesMax = 256 * 1024
/** For so long a provider's documents are believed; a key that is not among its keys is looked for at once. */
const documentMillis = 300_000
const documentsMax = 1000
const skewSeconds = 60

/** Signatures by a key that only the provider has. What a shared secret makes, or nothing, is none. */
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

/** Some providers write the boolean as a text. */
const booleanOf = (value: unknown): boolean | null =>
  value === true || value === "true" ? true : value === false || value === "false" ? false : null

interface Said {
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

/** What is used of a discovery document: the rest of it may be as long as an answer may be, and is kept nowhere. */
const usedOf = (document: oauth.AuthorizationServer): oauth.AuthorizationServer => {
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
  /** One for each organization: whoever sets one issuer after the other keeps no more than the last. */
  const documents = new Map<string, Document>()
  /** Documents on their way: anybody may begin a sign-in, and however many do, a provider is asked once. */
  const coming = new Map<string, Deferred.Deferred<oauth.AuthorizationServer, SsoRefused>>()

  /** Our way out in the shape of the library's; no redirect is followed. */
  const optionsFor = (organizationId: string, signal: AbortSignal) => ({
    // Plain http is the guard's to judge.
    [oauth.allowInsecureRequests]: true as const,
    [oauth.customFetch]: async (
      url: string,
      options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: unknown }
    ): Promise<Response> => {
      const text = bodyTextOf(options.body)
      const answer = await Effect.runPromise(
        outbound.request({
          destination: "supplied",
          url,
          method: options.method === "POST" ? "POST" : "GET",
          headers: options.headers,
          ...(text === undefined ? {} : { body: text }),
          redirectsMax: 0,
          timeoutMillis: requestMillis,
          bodyBytesMax: answerBytesMax,
          organizationId
        }),
        { signal }
      )
      return toResponse(answer)
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

  /** The discovery document, read now. */
  const read = Effect.fnUntraced(function* (connection: OidcConnection) {
    const { organizationId } = connection
    const issuer = URL.parse(connection.issuer)
    if (issuer === null || !isAddress(connection.issuer) || issuer.search !== "") {
      return yield* refused("provider_invalid", "The issuer is no address without query and fragment.")
    }
    const provider = yield* ask(organizationId, "discovery", async (options) =>
      oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" }))
    )
    const { authorization_endpoint, jwks_uri, token_endpoint } = provider
    if (![authorization_endpoint, token_endpoint, jwks_uri].every(isAddress)) {
      return yield* refused("provider_invalid", "The discovery document names no endpoints and keys.")
    }
    // A browser is sent there, and the guard judges only where we go ourselves.
    if (issuer.protocol === "https:" && !authorization_endpoint?.startsWith("https:")) {
      return yield* refused("provider_invalid", "The authorization endpoint is not https.")
    }
    const methods = provider.code_challenge_methods_supported
    if (methods !== undefined && !methods.includes("S256")) {
      return yield* refused("provider_invalid", "The provider does not know the challenge S256.")
    }
    return yield* keep(connection, usedOf(provider))
  })

  const known = Effect.fnUntraced(function* (connection: OidcConnection) {
    const { issuer, organizationId } = connection
    const document = documents.get(organizationId)
    const now = yield* Clock.currentTimeMillis
    if (document !== undefined && document.issuer === issuer && document.until > now) return document.provider
    const key = `${organizationId}\n${issuer}`
    const underWay = coming.get(key)
    if (underWay !== undefined) return yield* Deferred.await(underWay)
    const arriving = Deferred.makeUnsafe<oauth.AuthorizationServer, SsoRefused>()
    coming.set(key, arriving)
    // Whoever came first may go away; whoever waits with them does not.
    yield* read(connection).pipe(
      Effect.onExit((exit) => {
        coming.delete(key)
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
      if (response.status >= 500) throw refused("provider_unreachable", `The provider's keys: ${response.status}.`)
      const answer: unknown = response.status === 200 ? await response.json() : undefined
      return typeof answer === "object" && answer !== null && "keys" in answer ? answer.keys : undefined
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
    const provider = yield* known(connection)
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

  /** Signed by a key that the provider publishes; keys that it has changed are read again, once. */
  const demandSigned = (connection: OidcConnection, provider: oauth.AuthorizationServer, response: Response) =>
    ask(connection.organizationId, "signature", (options) =>
      oauth.validateApplicationLevelSignature(provider, response, options)
    ).pipe(
      Effect.catchTag("SsoRefused", (first) => {
        if (first.code !== "token_invalid") return Effect.fail(first)
        // The library keeps the keys beside the document, so another document has none yet.
        const anew = { ...provider }
        return ask(connection.organizationId, "signature", (options) =>
          oauth.validateApplicationLevelSignature(anew, response, options)
        ).pipe(Effect.andThen(keep(connection, anew)))
      }),
      Effect.asVoid
    )

  /** What userinfo says of the person, where the ID token names no address; a provider that will not say, says nothing. */
  const userInfo = (
    connection: OidcConnection,
    provider: oauth.AuthorizationServer,
    accessToken: string,
    subject: string
  ) =>
    isAddress(provider.userinfo_endpoint)
      ? ask(connection.organizationId, "token", async (options): Promise<Said> => {
          const response = await oauth.userInfoRequest(provider, clientOf(connection), accessToken, options)
          if (response.status !== 200) return {}
          return oauth.processUserInfoResponse(provider, clientOf(connection), subject, response)
        })
      : Effect.succeed<Said>({})

  const finish = Effect.fnUntraced(function* (
    connection: OidcConnection,
    begun: { readonly redirectUri: string; readonly nonce: string; readonly codeVerifier: Redacted.Redacted },
    brought: { readonly code: string; readonly iss: string | undefined }
  ) {
    const { organizationId } = connection
    const provider = yield* known(connection)
    const client = clientOf(connection)
    const told = new URLSearchParams({ code: brought.code, ...(brought.iss === undefined ? {} : { iss: brought.iss }) })
    const parameters = yield* Effect.try({
      try: () => oauth.validateAuthResponse(provider, client, told, oauth.expectNoState),
      catch: () => refused("issuer_mismatch", "The browser came back from another issuer than it was sent to.")
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
    // Of an answer that is no success the library says which error it is; of one that is, what is wrong with it.
    const tokens = yield* ask(organizationId, response.status === 200 ? "token" : "code", () =>
      oauth.processAuthorizationCodeResponse(provider, client, response, {
        expectedNonce: begun.nonce,
        requireIdToken: true
      })
    )
    yield* demandSigned(connection, provider, response)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (claims === undefined) return yield* refused("token_invalid", "There is no ID token.")
    const now = yield* Clock.currentTimeMillis
    if (claims.iat > now / 1000 + skewSeconds) return yield* refused("not_yet_valid", "The ID token is of the future.")
    if (!/^[\x20-\x7E]{1,255}$/.test(claims.sub)) return yield* refused("subject_missing", "The subject is no name.")
    const said: Said =
      claims["email"] === undefined
        ? yield* userInfo(connection, provider, tokens.access_token, claims.sub)
        : { email: claims["email"], email_verified: claims["email_verified"], name: claims["name"] }
    const asserted: Asserted = {
      subject: claims.sub,
      email: textOf(said.email, 320),
      emailVerified: booleanOf(said.email_verified),
      name: textOf(said.name ?? claims["name"], 255)
    }
    return asserted
  })

  return OidcProviders.of({ check, begin, finish })
})

/** OpenID Connect: authorization code with S256 and nonce, every request through the guard. */
export const layerOidc = Layer.effect(OidcProviders, make)
