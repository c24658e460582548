import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { CurrentCaller } from "./caller.ts"
import * as Errors from "./errors.ts"

/**
 * Who calls, judged before anything of the request is decoded: one plain middleware, because the framework's security
 * middleware tries scheme after scheme and answers with the error of the last.
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

/** Path, query and body against the schemas, with every fault named. */
export class Validation extends HttpApiMiddleware.Service<Validation>()("@orgplane/schema/Validation", {
  error: Errors.InvalidRequest
}) {}
