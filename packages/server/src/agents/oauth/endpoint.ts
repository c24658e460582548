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

const answerBytesMax = 256 * 1024
const exchangeMillis = 10_000
const revocationMillis = 5000
/** A server that says more of a token's life is not believed; it is asked again by then. */
const lifetimeSecondsMax = 366 * 86_400

/** The server refuses what it was given, and will refuse it again. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly error: string
  /** A sentence of ours. */
  readonly reason: string
}> {}

const lasting: Readonly<Record<string, string>> = {
  invalid_grant: "The authorization server no longer accepts the authorization.",
  invalid_client: "The authorization server does not know our client, or not its secret.",
  unauthorized_client: "The authorization server does not let our client do this.",
  unsupported_grant_type: "The authorization server does not renew authorizations.",
  invalid_target: "The authorization server gives no tokens for this resource.",
  invalid_scope: "The authorization server does not grant the scopes."
}

/** What the library knows of a server: what we were told, by the standard's names. */
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
  register: "the registration of a client",
  exchange: "the exchange of the code",
  refresh: "the renewal",
  revoke: "the revocation"
} as const
type Step = keyof typeof steps

/** A failure of the library's as one of ours: nothing of the answer but the name of an OAuth error is kept. */
const failureOf = (cause: unknown, step: Step): GrantRefused | McpFailed => {
  if (cause instanceof OutboundFailed) return networkFailure(cause)
  const what = steps[step]
  const failed = (message: string, retryable: boolean, told: { status?: number; error?: string } = {}) =>
    new McpFailed({
      category: "authentication",
      code: step === "refresh" ? "refresh_failed" : "authorization_server_invalid",
      message: step === "register" ? `registration_failed: ${message}` : message,
      retryable,
      ...(told.status === undefined ? {} : { providerStatus: told.status }),
      ...(told.error === undefined ? {} : { providerCode: told.error })
    })
  if (cause instanceof oauth.ResponseBodyError) {
    // Names of OAuth's errors are words; what else stands there may be what we sent.
    const error = /^[a-z_]{1,64}$/.test(cause.error) ? cause.error : "unknown"
    const reason = lasting[error]
    return reason === undefined
      ? failed(`The authorization server refused ${what}.`, cause.status >= 500, { status: cause.status, error })
      : new GrantRefused({ error, reason })
  }
  if (cause instanceof oauth.WWWAuthenticateChallengeError) {
    return new GrantRefused({ error: "invalid_client", reason: lasting["invalid_client"] ?? "" })
  }
  if (cause instanceof oauth.OperationProcessingError && cause.cause instanceof Response) {
    const { status } = cause.cause
    return failed(`The authorization server answered ${status} to ${what}.`, status >= 500 || status === 429, {
      status
    })
  }
  return failed(`The authorization server's answer to ${what} is not what the standard says.`, false)
}

/** Which way a client of ours proves itself there. */
export const authMethodFor = (server: OAuthServer, hasSecret: boolean): AuthMethod => {
  if (!hasSecret) return "none"
  const supported = server.tokenEndpointAuthMethodsSupported
  return supported.includes("client_secret_basic") || !supported.includes("client_secret_post")
    ? "client_secret_basic"
    : "client_secret_post"
}

/**
 * A registration in the form that the library expects. The standard requires status 201 and the expiry of a secret (0
 * for never); many servers return 200 or leave the expiry out, and the official SDK accepts both.
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
  /** Seconds since 1970 when its secret ends; null for never. */
  readonly expiresAt: number | null
}

/** The requests of OAuth to an authorization server, each through the guard. */
export class TokenEndpoint extends Context.Service<TokenEndpoint>()("@orgplane/server/oauth/TokenEndpoint", {
  make: Effect.gen(function* () {
    const outbound = yield* Outbound
    const discovery = yield* AuthorizationDiscovery

    /** Our way out in the shape of the library's; no redirect is followed with a secret in hand. */
    const fetchFor =
      (organizationId: string, isConfigured: boolean, timeoutMillis: number, signal: AbortSignal) =>
      async (
        url: string,
        options: { readonly method: string; readonly headers: Record<string, string>; readonly body?: unknown }
      ): Promise<Response> => {
        const body = bodyTextOf(options.body)
        const answer = await Effect.runPromise(
          outbound.request({
            destination: isConfigured ? "configured" : "supplied",
            url,
            method: "POST",
            headers: options.headers,
            ...(body === undefined ? {} : { body }),
            redirectsMax: 0,
            timeoutMillis,
            bodyBytesMax: answerBytesMax,
            organizationId
          }),
          { signal }
        )
        return toResponse(answer)
      }

    const ask = <A>(
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
            // Plain http is the guard's to judge.
            [oauth.allowInsecureRequests]: true,
            [oauth.customFetch]: fetchFor(organizationId, isConfigured, timeoutMillis, signal)
          }),
        catch: (cause) => failureOf(cause, step)
      })

    const tokensOf = (answer: oauth.TokenEndpointResponse): Effect.Effect<Tokens, McpFailed> => {
      const { access_token, expires_in, refresh_token, scope, token_type } = answer
      if (token_type !== "bearer" || !/^[\x21-\x7E]{1,16384}$/.test(access_token)) {
        return Effect.fail(serverInvalid("token_not_bearer", "The authorization server gave no bearer token."))
      }
      return Effect.succeed({
        accessToken: Redacted.make(access_token),
        refreshToken: refresh_token === undefined ? null : Redacted.make(refresh_token),
        expiresInSeconds: expires_in === undefined ? null : Math.min(Math.floor(expires_in), lifetimeSecondsMax),
        scopes: scopesOf(scope ?? "")
      })
    }

    const additional = (resource: string | null) => (resource === null ? {} : { additionalParameters: { resource } })

    /** Exchanges a code. Fails with `issuer_mismatch` where the browser brought another issuer, or none that was promised. */
    const exchange = Effect.fnUntraced(function* (
      organizationId: string,
      party: Party,
      answer: { readonly code: string; readonly iss?: string | undefined },
      proof: { readonly redirectUri: string; readonly verifier: Redacted.Redacted }
    ) {
      const { isConfigured, resource, server } = party
      const metadata = metadataOf(server)
      const client: oauth.Client = { client_id: party.client.clientId }
      const told = new URLSearchParams({ code: answer.code, ...(answer.iss === undefined ? {} : { iss: answer.iss }) })
      const parameters = yield* Effect.try({
        try: () => oauth.validateAuthResponse(metadata, client, told, oauth.expectNoState),
        catch: () =>
          serverInvalid(
            "issuer_mismatch",
            "The browser came back from another authorization server than it was sent to."
          )
      })
      const response = yield* ask(organizationId, isConfigured, "exchange", async (options) =>
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
      const response = yield* ask(organizationId, party.isConfigured, "refresh", async (options) =>
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

    /** Registers a client by RFC 7591; the server must name a registration endpoint. */
    const register = Effect.fnUntraced(function* (organizationId: string, server: OAuthServer, wish: Registration) {
      const supported = server.tokenEndpointAuthMethodsSupported
      const wanted = supported.includes("none") ? "none" : authMethodFor(server, true)
      const isLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(wish.redirectUri)
      const made = yield* ask(organizationId, false, "register", async (options) => {
        const response = await oauth.dynamicClientRegistrationRequest(
          metadataOf(server),
          {
            client_name: wish.clientName,
            client_uri: wish.clientUri,
            redirect_uris: [wish.redirectUri],
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
            serverInvalid("registration_refused", `The authorization server registered no client (${error}).`)
          )
        )
      )
      const method = made.token_endpoint_auth_method ?? (made.client_secret === undefined ? "none" : wanted)
      const isUsable =
        /^[\x20-\x7E]{1,2048}$/.test(made.client_id) &&
        (method === "none" || typeof made.client_secret === "string") &&
        (!Array.isArray(made.redirect_uris) || made.redirect_uris.includes(wish.redirectUri))
      if (!isUsable || (method !== "none" && method !== "client_secret_basic" && method !== "client_secret_post")) {
        return yield* serverInvalid(
          "registration_refused",
          "The authorization server registered another client than the one asked for."
        )
      }
      const expiresAt = made.client_secret_expires_at
      const registered: Registered = {
        client: {
          clientId: made.client_id,
          clientSecret:
            method !== "none" && typeof made.client_secret === "string" ? Redacted.make(made.client_secret) : null,
          registration: "dynamic",
          authMethod: method
        },
        expiresAt: typeof expiresAt === "number" && expiresAt > 0 ? expiresAt : null
      }
      return registered
    })

    /** Tells the server that a token is not used any more, where it wants to know; whatever comes of it. */
    const revoke = (organizationId: string, party: Party, token: Redacted.Redacted): Effect.Effect<void> =>
      party.server.revocationEndpoint === null
        ? Effect.void
        : ask(
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

    /** Fails unless the server still is what it was when the person signed in there. */
    const demandUnchanged = Effect.fnUntraced(function* (organizationId: string, { isConfigured, server }: Party) {
      if (isConfigured) return
      const now = yield* discovery.inspectAgain(organizationId, server)
      if (now.server !== null) {
        if (sameServer(server, now.server)) return
        return yield* serverInvalid(
          "authorization_server_changed",
          "The authorization server's endpoints are not those at which the person signed in; disconnect and connect again if that is meant."
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
