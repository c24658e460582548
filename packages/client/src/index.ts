/** The orgplane client for every JavaScript runtime with `fetch`. It has no dependencies. */
import type { Call } from "./call.ts"
import { type Operations, routes } from "./generated/operations.ts"
import { type ClientOptions, withEnvironment } from "./client-options.ts"
import { makeTransport, operationWith, type RawOptions, sendWithFetch } from "./transport.ts"

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
export type * from "./generated/operations.ts"
export type * from "./generated/types.ts"
export type { List, Page } from "./page.ts"
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
  Provided,
  RequestEvent,
  ResponseEvent,
  RetryEvent
} from "./client-options.ts"
export type { RawOptions, RequestOptions } from "./transport.ts"

/** Every operation of the API, by group. */
export interface OrgplaneClient extends Operations {
  /**
   * Sends any request with the client's credential, retries and errors, for endpoints without an operation.
   * `path` starts with a slash and is appended to `baseUrl`. The response body is not unwrapped.
   */
  request<Data = unknown>(method: string, path: string, options?: RawOptions): Call<Data>
}

/**
 * Creates a client. It keeps no connection and no state except its options.
 *
 * Every operation takes its path IDs in order, then one `input` with the query parameters and body fields, then
 * `options`. If the response body has one object, such as `{ item }`, `{ ok, item }` or `{ user }`, it returns that object.
 * Otherwise it returns the body, or `undefined` if there is none. It rejects with a subclass of `OrgplaneError`.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://orgplane.example", apiKey: process.env.ORGPLANE_API_KEY })
 * const plugin = await client.plugins.create({ name: "Reviewer" })
 * for await (const member of client.members.list({ role: "admin" })) console.log(member.email)
 * ```
 */
export const createClient = (options: ClientOptions = {}): OrgplaneClient => {
  const { request, run } = makeTransport(withEnvironment(options), sendWithFetch(options.fetch))
  const operation = operationWith(run)
  const groups = Object.entries(routes).map(([group, operations]) => [
    group,
    Object.fromEntries(Object.entries(operations).map(([name, route]) => [name, operation(`${group}.${name}`, route)]))
  ])
  return { ...(Object.fromEntries(groups) as unknown as Operations), request }
}
