/**
 * The client as an Effect service, derived from the API contract: every operation of `OrgplaneApi` with its
 * schemas, and its errors as classes to catch by tag. Requires `effect`, `@orgplane/schema` and an `HttpClient`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import {
  credentialOf,
  deprecationOf,
  type Provided,
  rootOf,
  shownWarningsMax,
  userAgentOf,
  withEnvironment,
  withoutLinkTokens
} from "../client-options.ts"
import { OrgplaneApi } from "@orgplane/schema/api"
import { version } from "../generated/version.ts"
import { tolerantApi } from "./tolerant.ts"

/** The control plane's URL and the caller's credential. */
export interface OrgplaneOptions {
  /**
   * May contain a path: `https://example.com/orgplane`. Default: the environment variable `ORGPLANE_BASE_URL`.
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * A session token, or a function that returns one before each request. `null` sends no credential. Default: the
   * environment variable `ORGPLANE_TOKEN`, for any `baseUrl`, if neither `token` nor `apiKey` is set.
   */
  readonly token?: Provided | null | undefined
  /** An API key of the organization, instead of `token`. Default: the environment variable `ORGPLANE_API_KEY`. */
  readonly apiKey?: string | undefined
  /** The organization to act in, for users who belong to several. */
  readonly organizationId?: string | undefined
}

const signed = (options: OrgplaneOptions) => {
  const credential = credentialOf(options)
  const agent = userAgentOf(version)
  const fixed: Record<string, string> = {
    ...(agent === undefined ? {} : { "user-agent": agent }),
    ...(options.organizationId === undefined ? {} : { "x-organization-id": options.organizationId })
  }
  return HttpClient.mapRequestEffect((request) =>
    Effect.map(
      Effect.promise(async () => credential()),
      (headers) => HttpClientRequest.setHeaders(request, { ...fixed, ...headers })
    )
  )
}

/** A redirect could carry the credential to another origin, so a redirect is an error. */
const rejectRedirects = HttpClient.transform(
  (send: Effect.Effect<HttpClientResponse, HttpClientError.HttpClientError>) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.provideService(send, FetchHttpClient.RequestInit, {
        ...Context.getOrUndefined(context as Context.Context<FetchHttpClient.RequestInit>, FetchHttpClient.RequestInit),
        redirect: "manual"
      })
    ).pipe(
      Effect.flatMap((response) =>
        // A browser hides the redirect and reports status 0.
        response.status === 0 || (response.status >= 300 && response.status < 400 && response.status !== 304)
          ? Effect.fail(
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.StatusCodeError({
                  request: response.request,
                  response,
                  description: "The server redirected the request. Redirects are not followed. Check baseUrl."
                })
              })
            )
          : Effect.succeed(response)
      )
    )
)

/** Logs one warning for each deprecated operation, identified by its method and its path without IDs. */
const warnOfDeprecations = () => {
  const shown = new Set<string>()
  return HttpClient.tap((response) => {
    const { headers, request } = response
    const deprecation = deprecationOf({ get: (name) => headers[name] ?? null })
    if (deprecation === undefined) return Effect.void
    const path = withoutLinkTokens(new URL(request.url).pathname)
    const key = `${request.method} ${path.replaceAll(/\/[a-z]+_[0-9a-z]+(?=\/|$)/g, "/:id")}`
    if (shown.has(key)) return Effect.void
    if (shown.size >= shownWarningsMax) shown.clear()
    shown.add(key)
    return Effect.logWarning(`orgplane: ${request.method} ${path}: ${deprecation.message}`)
  })
}

/**
 * All operations of the control plane: `orgplane.connectors.enable({ params: { connectorInstanceId } })`.
 *
 * Responses from a later release of the server are accepted: unknown fields are dropped, and an enumeration can have a value
 * that its type does not list.
 *
 * A deprecated operation logs one warning, with the date until which it works and the operation to use instead.
 *
 * Operations return response bodies without unwrapping them. Redirects are not followed: with `FetchHttpClient`, they are
 * errors. Do not add `HttpClient.followRedirects` to another `HttpClient`. There are no retries and no automatic idempotency keys.
 * Your `HttpClient` can add both.
 *
 * ```ts
 * const program = Effect.gen(function*() {
 *   const orgplane = yield* Orgplane
 *   const { items } = yield* orgplane.plugins.list({ query: { limit: 10 } })
 *   return items
 * }).pipe(Effect.catchTag("RateLimited", () => Effect.succeed([])))
 *
 * program.pipe(Effect.provide(Orgplane.layer({ baseUrl, apiKey })), Effect.provide(FetchHttpClient.layer))
 * ```
 */
export class Orgplane extends Context.Service<Orgplane, HttpApiClient.ForApi<typeof OrgplaneApi>>()(
  "@orgplane/client/Orgplane"
) {
  /** Throws a `TypeError` if an option is missing or malformed. */
  static readonly layer = (given: OrgplaneOptions = {}): Layer.Layer<Orgplane, never, HttpClient.HttpClient> => {
    const options = withEnvironment(given)
    const baseUrl = String(rootOf(options.baseUrl)).replace(/\/+$/, "")
    return Layer.effect(
      Orgplane,
      HttpApiClient.make(tolerantApi(OrgplaneApi), {
        baseUrl,
        transformClient: flow(rejectRedirects, warnOfDeprecations(), signed(options))
      })
    )
  }
}
