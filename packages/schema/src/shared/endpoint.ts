import * as Context from "effect/Context"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Auth from "./auth.ts"

/** What an operation says of itself besides its shapes; a test fails when one is forgotten. */
export interface EndpointOptions {
  /** Who may call. */
  readonly access: Auth.Access
  /** One sentence, for people: documents, client and command line show it. */
  readonly summary: string
  /** Limits, consequences, what differs by caller. */
  readonly description?: string
  /** The action in the audit: every change has one. */
  readonly audited?: string
  readonly plan?: Auth.PlanFeature
  /** `answer` for POST unless told, `none` for the rest. */
  readonly idempotency?: Auth.Idempotency
  readonly versioned?: true
  readonly holdsSecret?: true
  /** Unless told, 1 MiB. */
  readonly bodyBytesMax?: number
  /** Shown in the specification, and exact there. */
  readonly specified?: true
  /** The answer is a page. */
  readonly paged?: true
}

/** An endpoint, whatever its shapes: annotating does not change its type. */
interface Annotated {
  readonly method: string
  annotateMerge<I>(annotations: Context.Context<I>): unknown
}

/** Says an operation's endpointMetadata: `HttpApiEndpoint.get(…).pipe(endpointMetadata({ access, summary }))`. */
export const endpointMetadata =
  (said: EndpointOptions) =>
  <E extends Annotated>(endpoint: E): E => {
    const told: ReadonlyArray<Context.Context<never>> = [
      Context.make(Auth.AccessKind, said.access),
      Context.make(OpenApi.Summary, said.summary),
      Context.make(Auth.Idempotent, said.idempotency ?? (endpoint.method === "POST" ? "answer" : "none")),
      ...(said.description === undefined ? [] : [Context.make(OpenApi.Description, said.description)]),
      ...(said.audited === undefined ? [] : [Context.make(Auth.Audited, said.audited)]),
      ...(said.plan === undefined ? [] : [Context.make(Auth.RequiresPlan, said.plan)]),
      ...(said.versioned ? [Context.make(Auth.Versioned, true)] : []),
      ...(said.holdsSecret ? [Context.make(Auth.HoldsSecret, true)] : []),
      ...(said.bodyBytesMax === undefined ? [] : [Context.make(Auth.BodyBytesMax, said.bodyBytesMax)]),
      ...(said.specified ? [Context.make(Auth.FromSpecification, true)] : []),
      ...(said.paged ? [Context.make(Auth.Paged, true)] : [])
    ]
    return endpoint.annotateMerge(Context.mergeAll(...told)) as E
  }

/** 200 `{ item }`. */
export const found = <S extends Schema.Top>(item: S) => Schema.Struct({ item })

/** 200 `{ ok: true, item }`. */
export const changed = <S extends Schema.Top>(item: S) => Schema.Struct({ ok: Schema.Literal(true), item })

/** 201 `{ ok: true, item }`. */
export const created = <S extends Schema.Top>(item: S) => changed(item).pipe(HttpApiSchema.status(201))

/** 202 `{ ok: true, item }`: the work goes on. */
export const accepted = <S extends Schema.Top>(item: S) => changed(item).pipe(HttpApiSchema.status(202))

/** 204. */
export const Done = HttpApiSchema.NoContent
