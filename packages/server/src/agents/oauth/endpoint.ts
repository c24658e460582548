import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"
import { McpFailed } from "../../infra/ports/mcp-servers.ts"
import { basicAuthorization, bodyTextOf, Outbound, OutboundFailed, toResponse } from "../../infra/ports/outbound.ts"
import { scopesOf } from "./challenge.ts"
import type { AuthMethod, OAuthClient, Party, Tokens } from "./credential.ts"
import { AuthorizationDiscovery } from "./discovery.ts"
import { networkFailure, serverInvalid } from "./failure.ts"
import { type OAuthServer, sameServer } from "./server.ts"

const responseBytesMax = 256 * 1024
const exchangeMillis = 10_000
const revocationMillis = 5000
/** The maximum accepted token lifetime. The token is renewed before it ends. */
const lifetimeSecondsMax = 366 * 86_400

/** The server rejected the grant or the client, and a retry cannot succeed. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly error: string
  /** A sentence written by this server, not by the authorization server. */
  readonly reason: string
}> {}

const permanentReasons: Readonly<Record<string, string>> = {
  invalid_grant: "The authorization server no longer accepts the authorization.",
  invalid_client: "The authorization server rejected the client ID or the client secret.",
  unauthorized_client: "The authorization server does not allow this client to use this grant type.",
  unsupported_grant_type: "The authorization server does not support refresh tokens.",
  invalid_target: "The authorization server issues no tokens for this resource.",
  invalid_scope: "The authorization server does not grant the requested scopes."
}

/** The server metadata in the form of the OAuth library. */
const metadataOf = (server: OAuthServer): oauth.AuthorizationServer => ({
  issuer: server.issuer,
  authorization_endpoint: server.authorizationEndpoint,
  token_endpoint: server.tokenEndpoint,
  ...(server.registrationEndpoint === null ? {} : { registration_endpoint: server.registrationEndpoint }),
  ...(server.revocationEndpoint === null ? {} : { revocation_endpoint: server.revocationEndpoint }),
  authorization_response_iss_parameter_supported: server.issParameterSupported
})

const authOf = ({ authMethod, clientSecret }: OAuthClient): oauth.ClientAuth => {
  if (clientSecret === null || authMethod === "none") return oauth.None()
  const secret = Redacted.value(clientSecret)
  return authMethod === "client_secret_post"
    ? oauth.ClientSecretPost(secret)
    : (_, client, __, headers) => headers.set("authorization", basicAuthorization(client.client_id, secret))
}

/** The name of each request in the error message about its failure. */
const steps = {
  register: "the client registration",
  exchange: "the code exchange",
  refresh: "the token refresh",
  revoke: "the token revocation"
} as const
type Step = keyof typeof steps

/** Translates an error of the library. No part of the response is kept except the OAuth error code. */
const failureOf = (cause: unknown, step: Step): GrantRefused | McpFailed => {
  if (cause instanceof OutboundFailed) return networkFailure(cause)
  const stepName = steps[step]
  const failed = (message: string, retryable: boolean, provider: { status?: number; error?: string } = {}) =>
    new McpFailed({
      category: "authentication",
      code: step === "refresh" ? "refresh_failed" : "authorization_server_invalid",
      message: step === "register" ? `registration_failed: ${message}` : message,
      retryable,
      ...(provider.status === undefined ? {} : { providerStatus: provider.status }),
      ...(provider.error === undefined ? {} : { providerCode: provider.error })
    })
  if (cause instanceof oauth.ResponseBodyError) {
    // OAuth error codes match this pattern. Other text may contain parts of the request.
    const error = /^[a-z_]{1,64}$/.test(cause.error) ? cause.error : "unknown"
    const reason = permanentReasons[error]
    return reason === undefined
      ? failed(`The authorization server rejected ${stepName}.`, cause.status >= 500, { status: cause.status, error })
      : new GrantRefused({ error, reason })
  }
  if (cause instanceof oauth.WWWAuthenticateChallengeError) {
    return new GrantRefused({ error: "invalid_client", reason: permanentReasons["invalid_client"] ?? "" })
  }
  if (cause instanceof oauth.OperationProcessingError && cause.cause instanceof Response) {
    const { status } = cause.cause
    return failed(`The authorization server returned ${status} for ${stepName}.`, status >= 500 || status === 429, {
      status
    })
  }
  return failed(`The authorization server's response to ${stepName} does not conform to the OAuth standard.`, false)
}

/** The method with which the client authenticates at the token endpoint. */
export const authMethodFor = (server: OAuthServer, hasSecret: boolean): AuthMethod => {
  if (!hasSecret) return "none"
  const supported = server.tokenEndpointAuthMethodsSupported
  return supported.includes("client_secret_basic") || !supported.includes("client_secret_post")
    ? "client_secret_basic"
    : "client_secret_post"
}

/**
 * A registration in the form that the library expects. The standard requires status 201 and the expiry of a secret (0
 * for never); many servers return 200 or omit the expiry, and the official SDK accepts both.
 */
const asStandard = async (response: Response): Promise<Response> => {
  if (response.status !== 200 && response.status !== 201) return response
  const text = await response.text()
  const { headers } = response
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return new Response(text, { status: 201, headers })
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return new Response(text, { status: 201, headers })
  }
  const members = Object.entries(body).filter(
    ([name, value]) => !(value === null && (name === "client_secret" || name === "client_secret_expires_at"))
  )
  return new Response(JSON.stringify({ client_secret_expires_at: 0, ...Object.fromEntries(members) }), {
    status: 201,
    headers
  })
}

export interface Registration {
  readonly redirectUri: string
  readonly clientName: string
  readonly clientUri: string
}

export interface Registered {
  readonly client: OAuthClient
  /** When the client secret expires, as a Unix timestamp in seconds; null if it does not expire. */
  readonly expiresAt: number | null
}

/** OAuth requests to an authorization server, each through the outbound HTTP client. */
export class TokenEndpoint extends Context.Service<TokenEndpoint>()("@orgplane/server/oauth/TokenEndpoint", {
  make: Effect.gen(function* () {
    const outbound = yield* Outbound
    const discovery = yield* AuthorizationDiscovery

    /**
     * The outbound HTTP client as the `fetch` of the library. It follows no redirects, since requests carry secrets.
     */
    const fetchFor =
      (organizationId: string, isConfigured: boolean, timeoutMillis: number, signal: AbortSignal) =>
      async (
        url: string,
        options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: unknown }
      ): Promise<Response> => {
        const body = bodyTextOf(options.body)
        const response = await Effect.runPromise(
          outbound.request({
            destination: isConfigured ? "configured" : "supplied",
            url,
            method: "POST",
            headers: options.headers,
            ...(body === undefined ? {} : { body }),
            redirectsMax: 0,
            timeoutMillis,
            bodyBytesMax: responseBytesMax,
            organizationId
          }),
          { signal }
        )
        return toResponse(response)
      }

    const send = <A>(
      organizationId: string,
      isConfigured: boolean,
      step: Step,
      work: (options: {
        readonly [oauth.allowInsecureRequests]: true
        readonly [oauth.customFetch]: ReturnType<typeof fetchFor>
      }) => Promise<A>,
      timeoutMillis = exchangeMillis
    ): Effect.Effect<A, GrantRefused | McpFailed> =>
      Effect.tryPromise({
        try: (signal) =>
          work({
            // The outbound HTTP client decides whether plain http is allowed.
            [oauth.allowInsecureRequests]: true,
            [oauth.customFetch]: fetchFor(organizationId, isConfigured, timeoutMillis, signal)
          }),
        catch: (cause) => failureOf(cause, step)
      })

    const tokensOf = (response: oauth.TokenEndpointResponse): Effect.Effect<Tokens, McpFailed> => {
      const { access_token, expires_in, refresh_token, scope, token_type } = response
      if (token_type !== "bearer" || !/^[\x21-\x7E]{1,16384}$/.test(access_token)) {
        return Effect.fail(serverInvalid("token_not_bearer", "The authorization server returned no bearer token."))
      }
      return Effect.succeed({
        accessToken: Redacted.make(access_token),
        refreshToken: refresh_token === undefined ? null : Redacted.make(refresh_token),
        expiresInSeconds: expires_in === undefined ? null : Math.min(Math.floor(expires_in), lifetimeSecondsMax),
        scopes: scopesOf(scope ?? "")
      })
    }

    const additional = (resource: string | null) => (resource === null ? {} : { additionalParameters: { resource } })

    /**
     * Exchanges a code. Fails with `issuer_mismatch` when the browser returned with another issuer, or without one
     * although the server supports `iss`.
     */
    const exchange = Effect.fnUntraced(function* (
      organizationId: string,
      party: Party,
      callback: { readonly code: string; readonly iss?: string | undefined },
      proof: { readonly redirectUri: string; readonly verifier: Redacted.Redacted }
    ) {
      const { isConfigured, resource, server } = party
      const metadata = metadataOf(server)
      const client: oauth.Client = { client_id: party.client.clientId }
      const { code, iss } = callback
      const received = new URLSearchParams({ code, ...(iss === undefined ? {} : { iss }) })
      const parameters = yield* Effect.try({
        try: () => oauth.validateAuthResponse(metadata, client, received, oauth.expectNoState),
        catch: () =>
          serverInvalid(
            "issuer_mismatch",
            "The browser returned from an authorization server other than the one it was sent to."
          )
      })
      const response = yield* send(organizationId, isConfigured, "exchange", async (options) =>
        oauth.processAuthorizationCodeResponse(
          metadata,
          client,
          await oauth.authorizationCodeGrantRequest(
            metadata,
            client,
            authOf(party.client),
            parameters,
            proof.redirectUri,
            Redacted.value(proof.verifier),
            { ...options, ...additional(resource) }
          )
        )
      )
      return yield* tokensOf(response)
    })

    const refresh = Effect.fnUntraced(function* (
      organizationId: string,
      party: Party,
      refreshToken: Redacted.Redacted
    ) {
      const metadata = metadataOf(party.server)
      const client: oauth.Client = { client_id: party.client.clientId }
      const response = yield* send(organizationId, party.isConfigured, "refresh", async (options) =>
        oauth.processRefreshTokenResponse(
          metadata,
          client,
          await oauth.refreshTokenGrantRequest(metadata, client, authOf(party.client), Redacted.value(refreshToken), {
            ...options,
            ...additional(party.resource)
          })
        )
      )
      return yield* tokensOf(response)
    })

    /** Registers a client (RFC 7591). The server must have a registration endpoint. */
    const register = Effect.fnUntraced(function* (organizationId: string, server: OAuthServer, request: Registration) {
      const supported = server.tokenEndpointAuthMethodsSupported
      const wanted = supported.includes("none") ? "none" : authMethodFor(server, true)
      const isLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(request.redirectUri)
      const registration = yield* send(organizationId, false, "register", async (options) => {
        const response = await oauth.dynamicClientRegistrationRequest(
          metadataOf(server),
          {
            client_name: request.clientName,
            client_uri: request.clientUri,
            redirect_uris: [request.redirectUri],
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
            token_endpoint_auth_method: wanted,
            application_type: isLoopback ? "native" : "web"
          },
          options
        )
        return oauth.processDynamicClientRegistrationResponse(await asStandard(response))
      }).pipe(
        Effect.catchTag("GrantRefused", ({ error }) =>
          Effect.fail(
            serverInvalid(
              "registration_refused",
              `The authorization server rejected the client registration (${error}).`
            )
          )
        )
      )
      const method =
        registration.token_endpoint_auth_method ?? (registration.client_secret === undefined ? "none" : wanted)
      const isUsable =
        /^[\x20-\x7E]{1,2048}$/.test(registration.client_id) &&
        (method === "none" || typeof registration.client_secret === "string") &&
        (!Array.isArray(registration.redirect_uris) || registration.redirect_uris.includes(request.redirectUri))
      if (!isUsable || (method !== "none" && method !== "client_secret_basic" && method !== "client_secret_post")) {
        return yield* serverInvalid("registration_refused", "The registered client differs from the requested one.")
      }
      const expiresAt = registration.client_secret_expires_at
      const registered: Registered = {
        client: {
          clientId: registration.client_id,
          clientSecret:
            method !== "none" && typeof registration.client_secret === "string"
              ? Redacted.make(registration.client_secret)
              : null,
          registration: "dynamic",
          authMethod: method
        },
        expiresAt: typeof expiresAt === "number" && expiresAt > 0 ? expiresAt : null
      }
      return registered
    })

    /** Revokes a token if the server has a revocation endpoint. Failures are ignored. */
    const revoke = (organizationId: string, party: Party, token: Redacted.Redacted): Effect.Effect<void> =>
      party.server.revocationEndpoint === null
        ? Effect.void
        : send(
            organizationId,
            party.isConfigured,
            "revoke",
            async (options) =>
              oauth.processRevocationResponse(
                await oauth.revocationRequest(
                  metadataOf(party.server),
                  { client_id: party.client.clientId },
                  authOf(party.client),
                  Redacted.value(token),
                  options
                )
              ),
            revocationMillis
          ).pipe(Effect.ignore)

    /** Fails if the server's metadata has changed since the sign-in. */
    const demandUnchanged = Effect.fnUntraced(function* (organizationId: string, { isConfigured, server }: Party) {
      if (isConfigured) return
      const now = yield* discovery.inspectAgain(organizationId, server)
      if (now.server !== null) {
        if (sameServer(server, now.server)) return
        return yield* serverInvalid(
          "authorization_server_changed",
          "The authorization server's endpoints have changed since the sign-in. If that is expected, disconnect and connect again."
        )
      }
      return yield* now.refused.code === "unreachable"
        ? new McpFailed({ category: "network", code: "unreachable", message: now.refused.message, retryable: true })
        : serverInvalid(now.refused.code, now.refused.message, true)
    })

    return { exchange, refresh, register, revoke, demandUnchanged } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
