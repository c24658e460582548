import type { Access, Idempotency, PlanFeature } from "@orgplane/schema/shared/auth"
import * as Auth from "@orgplane/schema/shared/auth"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"

/** The metadata that an endpoint declares. Cached, because annotations are slow to look up on every request. */
export interface EndpointMetadata {
  readonly operation: string
  readonly access: Access
  readonly plan: PlanFeature | undefined
  readonly idempotency: Idempotency
  readonly versioned: boolean
  readonly holdsSecret: boolean
  /** The headers of every response, if the operation is deprecated: RFC 9745 and RFC 8594. */
  readonly deprecation: Readonly<Record<string, string>> | undefined
  /** The handler itself rejects a body that would take long to parse. */
  readonly checksBody: boolean
  /** Has a request body. The body of any other request is not read. */
  readonly hasBody: boolean
  readonly bodyBytesMax: number
  /** The same bound, in the form that the framework takes. */
  readonly bodySizeMax: ByteSize.ByteSize
}

/** `Deprecation` is a structured date in seconds, `Sunset` an HTTP date. The link leads to the operation to use instead. */
const deprecationHeaders = ({ instead, since, sunset }: Auth.Deprecation): Readonly<Record<string, string>> => ({
  deprecation: `@${Date.parse(since) / 1000}`,
  sunset: new Date(sunset).toUTCString(),
  link: `</openapi.json#operation/${instead}>; rel="successor-version"`
})

const bodyBytesMaxDefault = 1_048_576
const cache = new WeakMap<HttpApiEndpoint.Top, EndpointMetadata>()

export const metadataOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): EndpointMetadata => {
  const cached = cache.get(endpoint)
  if (cached !== undefined) return cached
  const annotations = endpoint.annotations
  const access = Context.getOrUndefined(annotations, Auth.AccessKind)
  if (access === undefined)
    throw new Error(`${group.identifier}.${endpoint.identifier} does not declare its kind of access.`)
  const deprecated = Context.getOrUndefined(annotations, Auth.Deprecated)
  const bodyBytesMax = Context.getOrUndefined(annotations, Auth.BodyBytesMax) ?? bodyBytesMaxDefault
  const metadata: EndpointMetadata = {
    operation: `${group.identifier}.${endpoint.identifier}`,
    access,
    plan: Context.getOrUndefined(annotations, Auth.RequiresPlan),
    idempotency: Context.getOrUndefined(annotations, Auth.Idempotent) ?? "none",
    versioned: Context.getOrUndefined(annotations, Auth.Versioned) === true,
    holdsSecret: Context.getOrUndefined(annotations, Auth.HoldsSecret) === true,
    deprecation: deprecated === undefined ? undefined : deprecationHeaders(deprecated),
    checksBody: Context.getOrUndefined(annotations, Auth.ChecksBody) === true,
    hasBody: endpoint.payload.size > 0,
    bodyBytesMax,
    bodySizeMax: ByteSize.bytes(bodyBytesMax)
  }
  cache.set(endpoint, metadata)
  return metadata
}
