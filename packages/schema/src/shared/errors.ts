import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { planFeatures } from "./auth.ts"

/**
 * Errors are named after what happened. Code matches them by tag (`catchTag`); clients match them by the `error` field.
 * The declaration has the status and the code, so an error passes from the service to the response unchanged.
 */

/** Why an authenticated caller is not allowed to do something. The list is closed: no other reason can be returned. */
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
  "managed_by_configuration",
  "policy_blocked",
  "tool_review_required",
  "sso_required",
  "provisional_organization"
] as const
export type ForbiddenReason = (typeof forbiddenReasons)[number]

/**
 * Every code of a generic error with status 409: the request is valid, but the state of the resource does not allow it.
 */
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
  "plan_digest_required",
  "configuration_key_taken",
  "configuration_too_large",
  "configuration_source_disabled",
  "configuration_run_not_held",
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
  "content_gone",
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
  "scim_hold_not_pending",
  "release_not_pending",
  "release_digest_mismatch",
  "approver_took_part",
  "plugin_choice_fixed",
  "rollout_ended",
  "rollout_paused",
  "rollout_not_paused",
  "rollout_started",
  "rollout_ring_changed",
  "rollout_not_revertible",
  "release_not_approved",
  "release_served",
  "release_not_stored",
  "delivery_mode_auto"
] as const
export type ConflictCode = (typeof conflictCodes)[number]

type Pascal<S extends string> = S extends `${infer Head}_${infer Rest}`
  ? `${Capitalize<Head>}${Pascal<Rest>}`
  : Capitalize<S>

const pascal = <S extends string>(snake: S) =>
  snake.replace(/(^|_)(\w)/g, (_, __, character: string) => character.toUpperCase()) as Pascal<S>

const withDefault = (message: string) => Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(message)))

const generic =
  (status: number) =>
  <const Code extends string>(code: Code, message: string) =>
  <Self>() =>
    Schema.Error<Self>(pascal(code))(
      { _tag: Schema.tagDefaultOmit(pascal(code)), error: Schema.tag(code), message: withDefault(message) },
      { httpApiStatus: status }
    )

const genericWith =
  (status: number) =>
  <const Code extends string, const Fields extends Schema.Struct.Fields>(code: Code, message: string, fields: Fields) =>
  <Self>() =>
    Schema.Error<Self>(pascal(code))(
      { _tag: Schema.tagDefaultOmit(pascal(code)), error: Schema.tag(code), message: withDefault(message), ...fields },
      { httpApiStatus: status }
    )

const acronyms: ReadonlySet<string> = new Set(["api", "llm", "mcp", "scim", "sso"])
const resourceName = (resource: string) =>
  resource
    .split("_")
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
    .join(" ")

/**
 * 404 `<resource>_not_found`: the resource does not exist, belongs to another organization, or is not visible. The
 * response is identical in all three cases.
 */
export const notFound = <const Resource extends string>(resource: Resource) =>
  generic(404)(`${resource}_not_found`, `No such ${resourceName(resource)}.`)

/** 409: the state of the resource does not allow the request. */
export const conflict = <const Code extends ConflictCode>(code: Code, message: string) => generic(409)(code, message)

/** 409 with fields besides `error` and `message`. */
export const conflictWith = <const Code extends ConflictCode, const Fields extends Schema.Struct.Fields>(
  code: Code,
  message: string,
  fields: Fields
) => genericWith(409)(code, message, fields)

/** 409: a connection that the operation needs is missing or not ready. */
export const notConnected = <const Code extends "needs_connection" | "connection_not_ready">(
  code: Code,
  message: string
) => generic(409)(code, message)

/** 502: another system failed. */
export const badGateway = generic(502)

/** 502 with fields besides `error` and `message`, such as a diagnostic. */
export const badGatewayWith = genericWith(502)

/** 503: temporarily unavailable. The response has `Retry-After`. */
export const unavailable = generic(503)

/** Codes of validation errors that programs can distinguish. */
export const detailCodes = [
  "invalid_skill_front_matter",
  "dns_unavailable",
  "record_missing",
  "record_mismatch",
  "domain_taken"
] as const

/** One validation error of a request: its location and message. */
export const InvalidDetail = Schema.Struct({
  message: Schema.String.annotate({
    description: "The problem, worded to follow the field name: `must be an email address`."
  }),
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description:
      "The location: `body`, `query` or `path`, then the fields and indexes down to the value. For a domain that could not be verified: `domains` and the domain."
  }),
  code: Schema.optionalKey(
    Schema.Literals(detailCodes).annotate({ description: "A machine-readable code, for errors that have one." })
  )
}).annotate({ identifier: "InvalidDetail" })
export type InvalidDetail = typeof InvalidDetail.Type

/** 400: invalid JSON, field, query, cursor or content type, or an id in a body that does not resolve. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  {
    _tag: Schema.tagDefaultOmit("InvalidRequest"),
    error: Schema.tag("invalid_request"),
    details: Schema.Array(InvalidDetail)
  },
  { httpApiStatus: 400 }
) {
  /** A request with one validation error. */
  static at(path: ReadonlyArray<string | number>, message: string) {
    return new InvalidRequest({ details: [{ path: [...path], message }] })
  }
}

/** 401: the credential is missing, unknown, expired or revoked. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  { _tag: Schema.tagDefaultOmit("Unauthorized"), error: Schema.tag("unauthorized") },
  { httpApiStatus: 401 }
) {}

/** 402: the organization's plan does not include the feature. */
export class PlanRequired extends Schema.Error<PlanRequired>("PlanRequired")(
  {
    _tag: Schema.tagDefaultOmit("PlanRequired"),
    error: Schema.tag("enterprise_plan_required"),
    feature: Schema.Literals(planFeatures),
    message: withDefault("This feature needs the enterprise plan.")
  },
  { httpApiStatus: 402 }
) {}

/** 403: the caller is authenticated but not allowed. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(
  {
    _tag: Schema.tagDefaultOmit("Forbidden"),
    reason: Schema.Literals(forbiddenReasons),
    message: Schema.String
  },
  { httpApiStatus: 403 }
) {}

/** 404: no organization is selected, or the caller is not a member of the selected one. */
export class OrganizationNotFound extends Schema.Error<OrganizationNotFound>("OrganizationNotFound")(
  { _tag: Schema.tagDefaultOmit("OrganizationNotFound"), error: Schema.tag("organization_not_found") },
  { httpApiStatus: 404 }
) {}

/** 404: the path is not part of the API. */
export class RouteNotFound extends notFound("route")<RouteNotFound>() {}

/** 409: another request with this key is in progress. */
export class IdempotencyKeyInUse extends conflict(
  "idempotency_key_in_use",
  "A request with this idempotency key is in progress. Retry after it has completed."
)<IdempotencyKeyInUse>() {}

/** 409: the key was used for a different request. */
export class IdempotencyKeyReused extends conflict(
  "idempotency_key_reused",
  "This idempotency key was already used for a different request. Use a new key."
)<IdempotencyKeyReused>() {}

/** 409: the request was completed, and its response contained a secret that is not stored. */
export class IdempotencyKeyCompleted extends conflict(
  "idempotency_key_completed",
  "A request with this idempotency key was already completed. Its response contained a secret and is not stored. To run the request again, use a new key."
)<IdempotencyKeyCompleted>() {}

/** 412: the resource has changed since the caller read it. */
export class PreconditionFailed extends generic(412)(
  "precondition_failed",
  "The resource has changed since you read it. Read it again, then retry."
)<PreconditionFailed>() {}

/** 413: the body exceeds the limit of the operation. */
export class PayloadTooLarge extends generic(413)(
  "payload_too_large",
  "The request body is too large."
)<PayloadTooLarge>() {}

/** 421: the `Host` header is not one of this server's hosts. */
export class MisdirectedRequest extends generic(421)(
  "misdirected_request",
  "The Host header is not one of this server's hosts. Check the URL, or ask the operator to add the host."
)<MisdirectedRequest>() {}

/** 429: the rate limit is exceeded. `Retry-After` has the time to wait. */
export class RateLimited extends generic(429)(
  "rate_limited",
  "Too many requests. Wait for the time in the Retry-After header, then retry."
)<RateLimited>() {}

/** 500: an internal error. The request id identifies it in the server log. */
export class InternalError extends generic(500)(
  "internal_error",
  "Internal error. If you report it, include the request id."
)<InternalError>() {}

/** 503: the service is temporarily unavailable. */
export class Unavailable extends unavailable(
  "unavailable",
  "The service is temporarily unavailable. Retry later."
)<Unavailable>() {}
