/**
 * The client as an Effect service, derived from the API contract: every operation of `OrgplaneApi` with its
 * schemas, and its errors as classes to catch by tag. Requires `effect`, `@orgplane/schema` and an `HttpClient`.
 */
import * as Context from "effect/Context"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { OrgplaneApi } from "@orgplane/schema/api"

/** The control plane's URL and the caller's credential. */
export interface OrgplaneOptions {
  /** May contain a path: `https://example.com/orgplane`. */
  readonly baseUrl: string | URL
  /** A session token. */
  readonly token?: string | undefined
  /** An API key of the organization, instead of `token`. */
  readonly apiKey?: string | undefined
  /** The organization to act in, for users who belong to several. */
  readonly organizationId?: string | undefined
}

const signed = (options: OrgplaneOptions) =>
  HttpClient.mapRequest((request) =>
    HttpClientRequest.setHeaders(request, {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.apiKey === undefined ? {} : { "x-api-key": options.apiKey }),
      ...(options.organizationId === undefined ? {} : { "x-organization-id": options.organizationId })
    })
  )

/**
 * All operations of the control plane: `orgplane.connectors.enable({ params: { connectorInstanceId } })`.
 *
 * Operations return response bodies without unwrapping them. There are no retries and no automatic idempotency keys.
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
  static readonly layer = (options: OrgplaneOptions): Layer.Layer<Orgplane, never, HttpClient.HttpClient> => {
    if (options.token !== undefined && options.apiKey !== undefined) {
      throw new TypeError("Orgplane.layer: set either token or apiKey, not both")
    }
    return Layer.effect(
      Orgplane,
      HttpApiClient.make(OrgplaneApi, {
        baseUrl: String(options.baseUrl).replace(/\/+$/, ""),
        transformClient: signed(options)
      })
    )
  }
}
