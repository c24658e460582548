import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { planFeatures } from "./auth.ts"

/**
 * Errors are named by what happened. The tag is for code (`catchTag`), the `error` member for the wire; the status and
 * the code stand in the declaration, so an error passes from the service to the wire untranslated.
 */

/** Why a caller who is known is refused. Closed: a reason that is not here cannot be answered. */
export const forbiddenReasons = [
  "permission_required",
  "owner_required",
  "session_required",
  "grant_required",
  "not_creator",
  "last_owner",
  "exceeds_own_permissions",
  "email_not_verified",
  "email_mismatch",
  "managed_by_scim",
  "managed_by_connector",
  "policy_blocked",
  "tool_review_required",
  "sso_required",
  "provisional_organization"
] as const
export type ForbiddenReason = (typeof forbiddenReasons)[number]

/** Every code of the generic body with status 409: the request is right, the state is not. */
export const conflictCodes = [
  "connector_instance_exists",
  "connector_instance_disabled",
  "connector_mapping_exists",
  "plugin_exists",
  "marketplace_exists",
  "config_object_exists",
  "desktop_policy_exists",
  "mcp_connection_exists",
  "llm_provider_exists",
  "template_exists",
  "team_exists",
  "role_exists",
  "role_in_use",
  "domain_exists",
  "member_exists",
  "sync_in_progress",
  "sync_not_held",
  "plan_digest_mismatch",
  "stale_revision",
  "repository_empty",
  "invitation_not_pending",
  "claim_not_pending",
  "quota_exceeded",
  "single_owner_required",
  "provisioner_unavailable",
  "worker_runtime_unavailable",
  "idempotency_key_reused",
  "idempotency_key_in_use",
  "idempotency_key_completed",
  "config_object_archived",
  "connector_target_exists",
  "sync_not_failed",
  "connector_account_exists",
  "connector_account_in_use",
  "installation_taken",
  "codehost_not_configured",
  "repositories_not_listed",
  "plugin_archive_refused",
  "plugin_archive_too_large",
  "suite_not_configured",
  "worker_provided",
  "model_catalog_not_configured",
  "sso_not_tested",
  "sso_not_enabled",
  "sso_enforced",
  "scim_hold_not_pending"
] as const
export type ConflictCode = (typeof conflictCodes)[number]

type Pascal<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Capitalize<Head>}${Pascal<Rest>}`
  : Capitalize<S>

const pascal = <S extends string>(snake: S) =>
  snake.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase()) as Pascal<S>

const withDefault = (message: string) => Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(message)))

const generic =
  (status: number) =>
  <const Code extends string>(code: Code, message: string) =>
  <Self>() =>
    Schema.Error<Self>(pascal(code))(
      { _tag: Schema.tagDefaultOmit(pascal(code)), error: Schema.tag(code), message: withDefault(message) },
      { httpApiStatus: status }
    )

/** 404 `<resource>_not_found`: absent, of another organization, or not visible; the three answer the same bytes. */
export const notFound = <const Resource extends string>(resource: Resource) =>
  generic(404)(`${resource}_not_found`, `No such ${resource.replaceAll("_", " ")}.`)

/** 409: the state of the thing does not allow it. */
export const conflict = <const Code extends ConflictCode>(code: Code, message: string) => generic(409)(code, message)

/** 409: what the work needs to be connected to, is not. */
export const notConnected = <const Code extends "needs_connection" | "connection_not_ready">(
  code: Code,
  message: string
) => generic(409)(code, message)

/** 502: another system failed us. */
export const badGateway = generic(502)

/** 502 with more to say than the two members: what was asked and answered, for instance. */
export const badGatewayWith =
  <const Code extends string, const Fields extends Schema.Struct.Fields>(code: Code, message: string, fields: Fields) =>
  <Self>() =>
    Schema.Error<Self>(pascal(code))(
      { _tag: Schema.tagDefaultOmit(pascal(code)), error: Schema.tag(code), message: withDefault(message), ...fields },
      { httpApiStatus: 502 }
    )

/** 503: not now; the answer carries `Retry-After`. */
export const unavailable = generic(503)

/** Faults of a request that have a name: a program can tell them from others. */
export const detailCodes = [
  "invalid_skill_front_matter",
  "dns_unavailable",
  "record_missing",
  "record_mismatch",
  "domain_taken"
] as const

/** One thing wrong with a request: where, and what. */
export const InvalidDetail = Schema.Struct({
  message: Schema.String.annotate({ description: "What is wrong, in words." }),
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description:
      "Where: `body`, `query` or `path`, then the members and indexes down to the value; `domains` and the domain, of one whose proof does not hold."
  }),
  code: Schema.optionalKey(
    Schema.Literals(detailCodes).annotate({ description: "What is wrong, for programs, where it has a name." })
  )
}).annotate({ identifier: "InvalidDetail" })
export type InvalidDetail = typeof InvalidDetail.Type

/** 400: bad JSON, member, query, cursor, content type, or an id in a body that does not resolve. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  {
    _tag: Schema.tagDefaultOmit("InvalidRequest"),
    error: Schema.tag("invalid_request"),
    details: Schema.Array(InvalidDetail)
  },
  { httpApiStatus: 400 }
) {
  /** A request with one fault. */
  static at(path: ReadonlyArray<string | number>, message: string) {
    return new InvalidRequest({ details: [{ path: [...path], message }] })
  }
}

/** 401: no credential, or one that is unknown, expired or revoked. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  { _tag: Schema.tagDefaultOmit("Unauthorized"), error: Schema.tag("unauthorized") },
  { httpApiStatus: 401 }
) {}

/** 402: the organization's plan does not hold the feature. */
export class PlanRequired extends Schema.Error<PlanRequired>("PlanRequired")(
  {
    _tag: Schema.tagDefaultOmit("PlanRequired"),
    error: Schema.tag("enterprise_plan_required"),
    feature: Schema.Literals(planFeatures),
    message: withDefault("This needs the enterprise plan.")
  },
  { httpApiStatus: 402 }
) {}

/** 403: the caller is known and refused. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(
  {
    _tag: Schema.tagDefaultOmit("Forbidden"),
    reason: Schema.Literals(forbiddenReasons),
    message: Schema.String
  },
  { httpApiStatus: 403 }
) {}

/** 404: no organization is chosen, or the caller is not a member of the one named. */
export class OrganizationNotFound extends Schema.Error<OrganizationNotFound>("OrganizationNotFound")(
  { _tag: Schema.tagDefaultOmit("OrganizationNotFound"), error: Schema.tag("organization_not_found") },
  { httpApiStatus: 404 }
) {}

/** 404 for a path the contract does not know. */
export class RouteNotFound extends notFound("route")<RouteNotFound>() {}

/** 409: another request with this key is under way. */
export class IdempotencyKeyInUse extends conflict(
  "idempotency_key_in_use",
  "A request with this idempotency key is under way; try again when it has ended."
)<IdempotencyKeyInUse>() {}

/** 409: the key was used for a request with another body. */
export class IdempotencyKeyReused extends conflict(
  "idempotency_key_reused",
  "This idempotency key was used for another request."
)<IdempotencyKeyReused>() {}

/** 409: the request was done, and its answer held a secret that is not kept. */
export class IdempotencyKeyCompleted extends conflict(
  "idempotency_key_completed",
  "This request was completed before; its answer held a secret and was not kept."
)<IdempotencyKeyCompleted>() {}

/** 412: the row changed since the caller read it. */
export class PreconditionFailed extends generic(412)(
  "precondition_failed",
  "The resource has changed since it was read."
)<PreconditionFailed>() {}

/** 413: the body is larger than the route takes. */
export class PayloadTooLarge extends generic(413)(
  "payload_too_large",
  "The request body is too large."
)<PayloadTooLarge>() {}

/** 421: the request names a host that is not this server's. */
export class MisdirectedRequest extends generic(421)(
  "misdirected_request",
  "This server does not answer for that host."
)<MisdirectedRequest>() {}

/** 429: too many requests; `Retry-After` says when. */
export class RateLimited extends generic(429)("rate_limited", "Too many requests.")<RateLimited>() {}

/** 500: our fault. The request id finds it in the logs. */
export class InternalError extends generic(500)(
  "internal_error",
  "Something went wrong on our side. The request id finds it in the logs."
)<InternalError>() {}

/** 503: the service cannot answer now. */
export class Unavailable extends unavailable("unavailable", "The service cannot answer now.")<Unavailable>() {}
