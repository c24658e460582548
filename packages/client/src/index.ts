/** The orgplane client for every JavaScript runtime with `fetch`. It has no dependencies. */
import { type ClientOptions, withEnvironment } from "./client-options.ts"
import { clientOf, type OrgplaneClient } from "./create.ts"

export type { Call, CallResult, ResponseInfo } from "./call.ts"
export {
  AbortedError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  type InvalidDetail,
  InvalidRequestError,
  NotFoundError,
  NotModifiedError,
  OrgplaneError,
  PayloadTooLargeError,
  PlanRequiredError,
  PreconditionFailedError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError
} from "./errors.ts"
export type { OrgplaneClient } from "./create.ts"
export type * from "./generated/operations.ts"
export type * from "./generated/types.ts"
export type { EventStream } from "./event-stream.ts"
export type { List, Page } from "./page.ts"
export { verifyEvents } from "./verify-events.ts"
export type {
  EventsKey,
  EventsProblem,
  EventsVerification,
  ReceivedLine,
  VerifiedOrganization,
  VerifyEventsOptions
} from "./verify-events.ts"
export { verifyWebhook, WebhookVerificationError } from "./verify-webhook.ts"
export type { ReceivedWebhook, VerifiedWebhook, VerifyWebhookOptions } from "./verify-webhook.ts"
export { createTelemetry } from "./telemetry.ts"
export type {
  Telemetry,
  TelemetryClient,
  TelemetryDropReason,
  TelemetryOptions,
  TrackedDimension,
  TrackedEvent
} from "./telemetry-api.ts"
export type {
  ClientLogger,
  ClientOptions,
  DeprecationNotice,
  Provided,
  RequestEvent,
  ResponseEvent,
  RetryEvent
} from "./client-options.ts"
export type { RawOptions, RequestOptions } from "./transport.ts"

/**
 * Creates a client. It keeps no connection and no state except its options and the warnings it has shown.
 *
 * Every operation takes its path IDs in order, then one `input` with the query parameters and body fields, then
 * `options`. If the response body contains one object, such as `{ item }`, `{ ok, item }` or `{ user }`, it returns that object.
 * Otherwise it returns the body, or `undefined` if there is none. It rejects with a subclass of `OrgplaneError`.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://orgplane.example", apiKey: process.env.ORGPLANE_API_KEY })
 * const plugin = await client.plugins.create({ name: "Reviewer" })
 * for await (const member of client.members.list({ role: "admin" })) console.log(member.email)
 * ```
 */
export const createClient = (options: ClientOptions = {}): OrgplaneClient => clientOf(withEnvironment(options))
