import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { CurrentCaller } from "./caller.ts"
import * as Errors from "./errors.ts"

/**
 * Authenticates the caller before any part of the request is decoded. It is one plain middleware, because the
 * framework's security middleware tries one scheme after another and returns the error of the last one.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentCaller }>()(
  "@orgplane/schema/Authentication",
  {
    error: [
      Errors.InvalidRequest,
      Errors.Unauthorized,
      Errors.PlanRequired,
      Errors.Forbidden,
      Errors.OrganizationNotFound,
      Errors.IdempotencyKeyInUse,
      Errors.IdempotencyKeyReused,
      Errors.IdempotencyKeyCompleted,
      Errors.PreconditionFailed,
      Errors.PayloadTooLarge,
      Errors.RateLimited,
      Errors.InternalError,
      Errors.Unavailable
    ]
  }
) {}

/** Validates path, query and body with the schemas, and reports every invalid value. */
export class Validation extends HttpApiMiddleware.Service<Validation>()("@orgplane/schema/Validation", {
  error: Errors.InvalidRequest
}) {}
