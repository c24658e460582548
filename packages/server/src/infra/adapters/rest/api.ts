import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { CodeHostFailed } from "../../ports/code-host.ts"
import type { InstallationRef } from "../../ports/code-host-app.ts"
import { Outbound, type OutboundRequest, type OutboundResponse } from "../../ports/outbound.ts"
import { failed, ofOutbound } from "../git/failure.ts"
import { readAppKey, signAppToken } from "./app-key.ts"
import { pauseAfter, pauseOf } from "./limits.ts"
import { makeCache } from "./cache.ts"
import * as shapes from "./shapes.ts"

export interface AppOptions {
  /** Base URL of the host's API, such as `https://api.example.com` or `https://git.example.com/api/v3`. */
  readonly url: string
  /** URL of the host's website. Default: derived from `url`. */
  readonly webUrl?: string
  /** The app's ID or client ID, whichever signs its tokens. */
  readonly appId: string
  /** The app's private RSA key, as PEM. */
  readonly privateKey: Redacted.Redacted
  /** For verifying that the person who connects an installation administers it. */
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** The principal of a request: the app, an installation of it, or a person during a verification. */
export type ApiPrincipal =
  | { readonly kind: "app"; readonly organizationId: string }
  | ({ readonly kind: "installation" } & InstallationRef)
  | { readonly kind: "user"; readonly token: Redacted.Redacted; readonly organizationId: string }

export interface ApiResponse {
  readonly status: number
  readonly headers: OutboundResponse["headers"]
  /** Undefined when the response is not JSON. */
  readonly json: unknown
}

interface RequestOptions {
  readonly method?: "GET" | "POST"
  readonly body?: unknown
  /** Default: 1 MiB. */
  readonly bodyBytesMax?: number
  /** Caches the response and revalidates it next time, which does not count toward the rate limit. */
  readonly conditional?: true
}

interface Token {
  readonly value: Redacted.Redacted
  /** The time from which a new token is requested. */
  readonly renewAt: number
}

interface CachedResponse {
  readonly etag: string
  readonly json: unknown
}

const requestTimeoutMillis = 30_000
/** Pauses before each retry if the host failed or the connection was lost. */
const retryPausesMillis = [250, 1000] as const
/** A token is renewed this long before it expires, so that a sync that starts with it can complete. */
const renewMillis = 300_000
const cachedMax = 2000
const cachedBytesMax = 16 * 1024 * 1024
/** Maximum size of one cached response. */
const cachedResponseBytesMax = 256 * 1024

const unexpected = () => failed("unreachable", "The code host's response is not in the format of its API.")
const unavailable = () => failed("unreachable", "The code host failed with an internal error. Retry later.")

const jsonOf = ({ body, headers }: OutboundResponse): unknown => {
  if (!/[/+]json\b/.test(headers["content-type"] ?? "")) return undefined
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

const messageOf = (json: unknown): string =>
  typeof json === "object" && json !== null && "message" in json && typeof json.message === "string" ? json.message : ""

/** The decoded JSON of a response. If it does not match, the error does not contain the host's text. */
export const decoded = <A, I>(schema: Schema.Codec<A, I>, json: unknown): Effect.Effect<A, CodeHostFailed> =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(json), unexpected)

/** The website URL for an API URL, by the usual URL conventions of code hosts. */
export const webUrlOf = ({ url, webUrl }: Pick<AppOptions, "url" | "webUrl">): string => {
  if (webUrl !== undefined) return webUrl.replace(/\/+$/, "")
  const base = new URL(url)
  return base.hostname.startsWith("api.") ? `${base.protocol}//${base.host.slice(4)}` : base.origin
}

/** The origins that the outbound HTTP client must treat as `configured`. */
export const originsOf = (options: Pick<AppOptions, "url" | "webUrl">): ReadonlyArray<string> => [
  new URL(options.url).origin,
  new URL(webUrlOf(options)).origin
]

/** The host's API: signs requests, caches tokens, respects rate limits, and retries where that helps. */
export const makeApi = Effect.fnUntraced(function* (options: AppOptions) {
  const outbound = yield* Outbound
  const scope = yield* Scope.Scope
  const base = options.url.replace(/\/+$/, "")
  const webUrl = webUrlOf(options)
  const key = readAppKey(Redacted.value(options.privateKey))
  if (key === undefined)
    return yield* Effect.die(new Error("The code host app's private key must be an RSA key as PEM."))

  /** For each principal, the time until which no request may be sent. */
  const paused = new Map<string, number>()
  const tokens = new Map<string, Token>()
  const fetching = new Map<string, Deferred.Deferred<Token, CodeHostFailed>>()
  const cached = makeCache<CachedResponse>(cachedMax, cachedBytesMax)
  const principalKey = (principal: ApiPrincipal) =>
    principal.kind === "installation" ? `installation/${principal.installationId}` : principal.kind

  const limited = (millis: number) => failed("rate_limited", "The code host's rate limit is exceeded.", millis)

  const demandOpen = Effect.fnUntraced(function* (key: string) {
    const until = paused.get(key)
    if (until === undefined) return
    const now = yield* Clock.currentTimeMillis
    if (until <= now) paused.delete(key)
    else return yield* limited(until - now)
  })

  const pause = (key: string, now: number, millis: number) =>
    Effect.sync(() => {
      // A user's rate limits are dropped with their token.
      if (key !== "user") paused.set(key, Math.max(paused.get(key) ?? 0, now + millis))
    })

  /** Sends one request, and retries it if the host fails. A response that requires a pause is a failure. */
  const send = Effect.fnUntraced(function* (principalKey: string, request: OutboundRequest) {
    for (let attempt = 0; ; attempt++) {
      yield* demandOpen(principalKey)
      const exchanged = yield* outbound.request(request).pipe(Effect.result)
      const pauseMillis = retryPausesMillis[attempt]
      if (exchanged._tag === "Failure") {
        if (exchanged.failure.code !== "unreachable" || pauseMillis === undefined) {
          return yield* ofOutbound(exchanged.failure)
        }
        yield* Effect.sleep(pauseMillis)
        continue
      }
      const response = exchanged.success
      const now = yield* Clock.currentTimeMillis
      if (new URL(response.url).origin !== new URL(request.url).origin) {
        return yield* failed("blocked", "The code host redirects to another origin, which is not followed.")
      }
      const json = jsonOf(response)
      const wait = pauseOf(response, messageOf(json), now)
      if (wait !== undefined) {
        yield* pause(principalKey, now, wait)
        return yield* limited(wait)
      }
      if (response.status >= 500) {
        if (pauseMillis === undefined) return yield* unavailable()
        yield* Effect.sleep(pauseMillis)
        continue
      }
      const rest = pauseAfter(response, now)
      if (rest !== undefined) yield* pause(principalKey, now, rest)
      if (response.status < 300 && json === undefined && response.status !== 204) return yield* unexpected()
      return { status: response.status, headers: response.headers, json } satisfies ApiResponse
    }
  })

  const appToken = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return Redacted.make(yield* Effect.promise(() => signAppToken(options.appId, key, now)))
  })

  const neutral = {
    accept: "application/vnd.github+json",
    "user-agent": "orgplane",
    "x-github-api-version": "2022-11-28"
  }

  const ofApp = Effect.fnUntraced(function* (organizationId: string, path: string, method: "GET" | "POST") {
    const token = yield* appToken
    const response = yield* send("app", {
      destination: "configured",
      url: base + path,
      method,
      headers: { ...neutral, authorization: `Bearer ${Redacted.value(token)}` },
      redirectsMax: method === "GET" ? 3 : 0,
      timeoutMillis: requestTimeoutMillis,
      organizationId
    })
    if (response.status === 401) {
      return yield* failed(
        "unauthorized",
        "The code host rejects this server's app. Check the app's ID and private key."
      )
    }
    return response
  })

  const requestToken = Effect.fnUntraced(function* ({ installationId, organizationId }: InstallationRef) {
    const response = yield* ofApp(organizationId, `/app/installations/${installationId}/access_tokens`, "POST")
    if (response.status === 404)
      return yield* failed("unauthorized", "The app is no longer installed on the code host.")
    if (response.status === 403) return yield* failed("unauthorized", "The installation is suspended on the code host.")
    if (response.status !== 201) return yield* unexpected()
    const { expires_at, token } = yield* decoded(shapes.AccessToken, response.json)
    const now = yield* Clock.currentTimeMillis
    const lifetime = Date.parse(expires_at) - now
    if (Number.isNaN(lifetime)) return yield* unexpected()
    const renewAt = now + Math.max(lifetime - renewMillis, lifetime / 2)
    return { value: Redacted.make(token), renewAt } satisfies Token
  })

  /** The installation's token; concurrent callers wait for the same request. */
  const installationToken = Effect.fnUntraced(function* (ref: InstallationRef) {
    const now = yield* Clock.currentTimeMillis
    const cachedToken = tokens.get(ref.installationId)
    if (cachedToken !== undefined && cachedToken.renewAt > now) return cachedToken
    const inFlight = fetching.get(ref.installationId)
    if (inFlight !== undefined) return yield* Deferred.await(inFlight)
    const deferred = Deferred.makeUnsafe<Token, CodeHostFailed>()
    fetching.set(ref.installationId, deferred)
    yield* requestToken(ref).pipe(
      Effect.tap((token) =>
        Effect.sync(() => {
          // Expired tokens are removed.
          for (const [id, { renewAt }] of tokens) if (renewAt <= now) tokens.delete(id)
          tokens.set(ref.installationId, token)
        })
      ),
      Effect.exit,
      Effect.flatMap((exit) => {
        fetching.delete(ref.installationId)
        return Deferred.done(deferred, exit)
      }),
      // The first caller may be interrupted, but the others still need the token.
      Effect.forkIn(scope)
    )
    return yield* Deferred.await(deferred)
  })

  const asBearer = Effect.fnUntraced(function* (
    principal: Exclude<ApiPrincipal, { readonly kind: "app" }>,
    token: Redacted.Redacted,
    path: string,
    request: RequestOptions
  ) {
    const key = principalKey(principal)
    const cacheKey = `${key} ${path}`
    const before = request.conditional === true ? cached.get(cacheKey) : undefined
    const response = yield* send(key, {
      destination: "configured",
      url: base + path,
      method: request.method ?? "GET",
      headers: {
        ...neutral,
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        authorization: `Bearer ${Redacted.value(token)}`,
        ...(before === undefined ? {} : { "if-none-match": before.etag })
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirectsMax: request.body === undefined ? 3 : 0,
      timeoutMillis: requestTimeoutMillis,
      organizationId: principal.organizationId,
      ...(request.bodyBytesMax === undefined ? {} : { bodyBytesMax: request.bodyBytesMax })
    })
    if (response.status === 304 && before !== undefined) return { ...response, status: 200, json: before.json }
    const etag = response.headers["etag"]
    if (request.conditional === true && response.status === 200 && etag !== undefined) {
      const size = Number(response.headers["content-length"] ?? JSON.stringify(response.json).length)
      if (size <= cachedResponseBytesMax) cached.put(cacheKey, { etag, json: response.json }, size)
    }
    return response
  })

  /** Sends a request to the API; a revoked token is replaced once. */
  const request = Effect.fnUntraced(function* (principal: ApiPrincipal, path: string, options: RequestOptions = {}) {
    if (principal.kind === "app") return yield* ofApp(principal.organizationId, path, options.method ?? "GET")
    if (principal.kind === "user") return yield* asBearer(principal, principal.token, path, options)
    const token = yield* installationToken(principal)
    const response = yield* asBearer(principal, token.value, path, options)
    if (response.status !== 401) return response
    if (tokens.get(principal.installationId) === token) tokens.delete(principal.installationId)
    const renewed = yield* installationToken(principal)
    const again = yield* asBearer(principal, renewed.value, path, options)
    if (again.status === 401) return yield* failed("unauthorized", "The code host rejects the app's token.")
    return again
  })

  /** Exchanges a user's authorization code for a token; undefined if the host rejects the code. */
  const userToken = Effect.fnUntraced(function* (organizationId: string, code: string) {
    const response = yield* send("user", {
      destination: "configured",
      url: `${webUrl}/login/oauth/access_token`,
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json", "user-agent": "orgplane" },
      body: JSON.stringify({
        client_id: options.clientId,
        client_secret: Redacted.value(options.clientSecret),
        code
      }),
      redirectsMax: 0,
      timeoutMillis: requestTimeoutMillis,
      organizationId
    })
    const refused = Schema.decodeUnknownOption(shapes.Refusal)(response.json)
    if (refused._tag === "Some") {
      if (refused.value.error === "bad_verification_code") return undefined
      return yield* failed("unauthorized", "The code host rejects this server's client ID or client secret.")
    }
    if (response.status !== 200) return yield* unexpected()
    return Redacted.make((yield* decoded(shapes.UserToken, response.json)).access_token)
  })

  /** Revokes a user's token at the host when it is no longer needed. */
  const endUserToken = (organizationId: string, token: Redacted.Redacted) =>
    Effect.ignore(
      outbound.request({
        destination: "configured",
        url: `${base}/applications/${encodeURIComponent(options.clientId)}/token`,
        method: "DELETE",
        headers: {
          ...neutral,
          "content-type": "application/json",
          authorization: `Basic ${Buffer.from(`${options.clientId}:${Redacted.value(options.clientSecret)}`).toString("base64")}`
        },
        body: JSON.stringify({ access_token: Redacted.value(token) }),
        redirectsMax: 0,
        timeoutMillis: requestTimeoutMillis,
        organizationId
      })
    )

  return { request, userToken, endUserToken, webUrl, unexpected }
})

export type Api = Effect.Success<ReturnType<typeof makeApi>>
