import type { Access, Idempotency, PlanFeature } from "@orgplane/schema/shared/auth"
import * as Auth from "@orgplane/schema/shared/auth"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"

/** What an endpoint declares about itself. Cached, because annotations are slow to look up on every request. */
export interface EndpointMetadata {
  readonly operation: string
  readonly access: Access
  readonly plan: PlanFeature | undefined
  readonly idempotency: Idempotency
  readonly versioned: boolean
  readonly holdsSecret: boolean
  /** Has a request body. The body of any other request is not read. */
  readonly hasBody: boolean
  readonly bodyBytesMax: number
  /** The same bound, in the form that the framework takes. */
  readonly bodySizeMax: ByteSize.ByteSize
}

const bodyBytesMaxDefault = 1_048_576
const known = new WeakMap<HttpApiEndpoint.Top, EndpointMetadata>()

export const metadataOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): EndpointMetadata => {
  const found = known.get(endpoint)
  if (found !== undefined) return found
  const said = endpoint.annotations
  const access = Context.getOrUndefined(said, Auth.AccessKind)
  if (access === undefined)
    throw new Error(`${group.identifier}.${endpoint.identifier} does not declare who may call it.`)
  const bodyBytesMax = Context.getOrUndefined(said, Auth.BodyBytesMax) ?? bodyBytesMaxDefault
  const metadata: EndpointMetadata = {
    operation: `${group.identifier}.${endpoint.identifier}`,
    access,
    plan: Context.getOrUndefined(said, Auth.RequiresPlan),
    idempotency: Context.getOrUndefined(said, Auth.Idempotent) ?? "none",
    versioned: Context.getOrUndefined(said, Auth.Versioned) === true,
    holdsSecret: Context.getOrUndefined(said, Auth.HoldsSecret) === true,
    hasBody: endpoint.payload.size > 0,
    bodyBytesMax,
    bodySizeMax: ByteSize.bytes(bodyBytesMax)
  }
  known.set(endpoint, metadata)
  return metadata
}
