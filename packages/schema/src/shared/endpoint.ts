import * as Context from "effect/Context"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import type { StoredAuditAction } from "./audit-actions.ts"
import * as Auth from "./auth.ts"

/** The metadata of an operation besides its schemas. A test fails when a required field is missing. */
export interface EndpointOptions {
  /** The kind of caller that the operation accepts. */
  readonly access: Auth.Access
  /** An imperative phrase with an object and no final period. The documents, client and command line show it. */
  readonly summary: string
  /** Limits, side effects, permissions and defaults, in full sentences. */
  readonly description?: string
  /** The audit action. Every operation that changes something has one. */
  readonly audited?: StoredAuditAction
  readonly plan?: Auth.PlanFeature
  /** Default: `response` for POST, `none` for other methods. */
  readonly idempotency?: Auth.Idempotency
  /** `match`: the `ETag` of a GET is only for `If-Match`, because the response also contains unversioned data. */
  readonly versioned?: true | "match"
  readonly holdsSecret?: true
  /** Default: 1 MiB. */
  readonly bodyBytesMax?: number
  /** The handler itself rejects a body that would take long to parse. */
  readonly checksBody?: true
  /** Unknown fields that are ignored without a warning: the fields with these names, or all. */
  readonly ignoresUnknown?: true | ReadonlyArray<string>
  /** The operation is part of the specification and must match it exactly. */
  readonly specified?: true
  /** The response is a page. */
  readonly paged?: true
  /** The response is a stream of server-sent events with this schema. */
  readonly streams?: Schema.Top
  /** Responses have the headers `Deprecation` and `Sunset`. */
  readonly deprecated?: Auth.Deprecation
  /** The tag in the OpenAPI document. Default: the title of the group. */
  readonly tag?: string
}

/**
 * Fields that limit the effect of a request, such as the expiration of a grant. Without them, the request would do more than
 * its caller intends, so an operation that does not support them rejects them instead of ignoring them.
 */
export const limitingMembers: ReadonlySet<string> = new Set([
  "expiresAt",
  "expiresIn",
  "expiresInSeconds",
  "validUntil",
  "asOf",
  "dryRun"
])

/** An endpoint with any schemas. Annotating it does not change its type. */
interface Annotated {
  readonly method: string
  annotateMerge<I>(annotations: Context.Context<I>): unknown
}

/** Declares the metadata of an operation: `HttpApiEndpoint.get(…).pipe(endpointMetadata({ access, summary }))`. */
export const endpointMetadata =
  (options: EndpointOptions) =>
  <E extends Annotated>(endpoint: E): E => {
    const annotations: ReadonlyArray<Context.Context<never>> = [
      Context.make(Auth.AccessKind, options.access),
      Context.make(OpenApi.Summary, options.summary),
      Context.make(Auth.Idempotent, options.idempotency ?? (endpoint.method === "POST" ? "response" : "none")),
      ...(options.description === undefined ? [] : [Context.make(OpenApi.Description, options.description)]),
      ...(options.audited === undefined ? [] : [Context.make(Auth.Audited, options.audited)]),
      ...(options.plan === undefined ? [] : [Context.make(Auth.RequiresPlan, options.plan)]),
      ...(options.versioned === undefined ? [] : [Context.make(Auth.Versioned, options.versioned)]),
      ...(options.holdsSecret ? [Context.make(Auth.HoldsSecret, true)] : []),
      ...(options.bodyBytesMax === undefined ? [] : [Context.make(Auth.BodyBytesMax, options.bodyBytesMax)]),
      ...(options.checksBody ? [Context.make(Auth.ChecksBody, true)] : []),
      ...(options.ignoresUnknown === undefined ? [] : [Context.make(Auth.IgnoresUnknown, options.ignoresUnknown)]),
      ...(options.specified ? [Context.make(Auth.FromSpecification, true)] : []),
      ...(options.paged ? [Context.make(Auth.Paged, true)] : []),
      ...(options.streams === undefined ? [] : [Context.make(Auth.StreamedEvent, options.streams)]),
      ...(options.deprecated === undefined ? [] : [Context.make(Auth.Deprecated, options.deprecated)]),
      ...(options.tag === undefined ? [] : [Context.make(Auth.Tag, options.tag)])
    ]
    return endpoint.annotateMerge(Context.mergeAll(...annotations)) as E
  }

/** 200 `{ item }`. */
export const itemResponse = <S extends Schema.Top>(item: S) => Schema.Struct({ item })

/** 200 `{ ok: true, item }`. */
export const updatedResponse = <S extends Schema.Top>(item: S) => Schema.Struct({ ok: Schema.Literal(true), item })

/** 201 `{ ok: true, item }`. */
export const createdResponse = <S extends Schema.Top>(item: S) => updatedResponse(item).pipe(HttpApiSchema.status(201))

/** 202 `{ ok: true, item }`: the work continues after the response. */
export const acceptedResponse = <S extends Schema.Top>(item: S) => updatedResponse(item).pipe(HttpApiSchema.status(202))

/** 204. */
export const NoContent = HttpApiSchema.NoContent
