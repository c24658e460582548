/**
 * The client as an Effect service, derived from the contract: every operation of `OrgplaneApi` with its schemas and its
 * errors as classes to catch by tag. Needs `effect` and `@orgplane/schema`, and an `HttpClient` from the caller.
 */
import * as Context from "effect/Context"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { OrgplaneApi } from "@orgplane/schema/api"

/** Where the control plane is, and who calls. */
export interface OrgplaneOptions {
  /** A path in it is kept: `https://example.com/orgplane`. */
  readonly baseUrl: string | URL
  /** The token of a session. */
  readonly token?: string | undefined
  /** A key of the organization; instead of `token`. */
  readonly apiKey?: string | undefined
  /** The organization to act in, for a person who is in several. */
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
 * The control plane, operation by operation: `orgplane.connectors.enable({ params: { connectorInstanceId } })`.
 *
 * Answers are the bodies as the contract has them, not unwrapped. Nothing is tried again and no idempotency key is made:
 * both are the caller's `HttpClient`'s to do.
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
      throw new TypeError("Orgplane.layer: give a token or an apiKey, not both")
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
