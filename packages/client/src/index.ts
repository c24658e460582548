/** The client of the orgplane control plane for every JavaScript runtime with `fetch`. It needs nothing else. */
import { type Operations, routes } from "./generated/operations.ts"
import { type Call, type ClientOptions, makeTransport, type RawOptions } from "./transport.ts"

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
export {
  createTelemetry,
  type Telemetry,
  type TelemetryClient,
  type TelemetryDropReason,
  type TelemetryOptions,
  type TrackedDimension,
  type TrackedEvent
} from "./telemetry.ts"
export type { Answer, Call, ClientOptions, RawOptions, RequestOptions, ResponseInfo } from "./transport.ts"

/** Every operation of the control plane, by group. */
export interface OrgplaneClient extends Operations {
  /**
   * Sends any request with the client's credential, retries and errors, for what has no operation here.
   * `path` begins with a slash and is put after `baseUrl`. The answer is not unwrapped.
   */
  request<Data = unknown>(method: string, path: string, options?: RawOptions): Call<Data>
}

/**
 * Makes a client. It holds no connection and no state besides its options.
 *
 * Every operation takes the ids of its path in order, then one `input` with the members of query and body, then
 * `options`. It answers the thing itself where the body is `{ item }` or `{ ok, item }`, `undefined` where there is no
 * body, and the body in all other cases. It fails with a subclass of `OrgplaneError`.
 *
 * ```ts
 * const client = createClient({ baseUrl: "https://orgplane.example", apiKey: process.env.ORGPLANE_API_KEY })
 * const plugin = await client.plugins.create({ name: "Reviewer" })
 * for await (const member of client.members.list({ role: "admin" })) console.log(member.email)
 * ```
 */
export const createClient = (options: ClientOptions): OrgplaneClient => {
  const { operation, request } = makeTransport(options)
  const groups = Object.entries(routes).map(([group, operations]) => [
    group,
    Object.fromEntries(Object.entries(operations).map(([name, route]) => [name, operation(`${group}.${name}`, route)]))
  ])
  return { ...(Object.fromEntries(groups) as unknown as Operations), request }
}
