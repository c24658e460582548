import type { ErrorCode, ForbiddenReason, McpDiagnostic, McpInspection } from "./generated/types.ts"

/** One thing wrong with a request: where (`["body", "name"]`), and what. */
export interface InvalidDetail {
  readonly message: string
  readonly path: ReadonlyArray<string | number>
  /** What is wrong, for programs, where it has a name: `invalid_skill_front_matter`. */
  readonly code?: string
}

/** What is known of a failed call. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly body?: unknown
  readonly retryAfterMillis?: number | undefined
  readonly cause?: unknown
}

/**
 * Every failure of a call. Ask for the subclass, or for `code` where one status has several meanings:
 * `error instanceof ConflictError && error.code === "connector_instance_disabled"`.
 */
export class OrgplaneError extends Error {
  // Said by hand: a bundler may rename the class.
  override readonly name: string = "OrgplaneError"
  /** What happened: the `error` of the answer, `forbidden` for a refusal, or `http_<status>` for an answer not ours. */
  readonly code: ErrorCode | (string & {})
  /** Status of the answer; undefined when there was none. */
  readonly status: number | undefined
  /** Names the request in logs and audit of the server. */
  readonly requestId: string | undefined
  /** The answer: JSON where it was JSON, else text. */
  readonly body: unknown

  constructor(failure: Failure) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause })
    this.code = failure.code
    this.status = failure.status
    this.requestId = failure.requestId
    this.body = failure.body
  }
}

const member = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined

const textOf = (body: unknown, name: string): string => {
  const value = member(body, name)
  return typeof value === "string" ? value : ""
}

/** What the contract says is there; another server's answer may hold anything, but then it is no object. */
const objectOf = <A extends object>(body: unknown, name: string): A | undefined => {
  const value = member(body, name)
  return typeof value === "object" && value !== null ? (value as A) : undefined
}

/** 400: a member, the query, a cursor or an id is not what the operation takes; `details` names every fault. */
export class InvalidRequestError extends OrgplaneError {
  override readonly name = "InvalidRequestError"
  readonly details: ReadonlyArray<InvalidDetail>
  constructor(failure: Failure) {
    super(failure)
    const details = member(failure.body, "details")
    this.details = Array.isArray(details) ? (details as ReadonlyArray<InvalidDetail>) : []
  }
}

/** 401: no credential, or one that is unknown, expired or revoked. */
export class UnauthorizedError extends OrgplaneError {
  override readonly name = "UnauthorizedError"
}

/** 402: the organization's plan does not hold `feature`. */
export class PlanRequiredError extends OrgplaneError {
  override readonly name = "PlanRequiredError"
  readonly feature: string
  constructor(failure: Failure) {
    super(failure)
    this.feature = textOf(failure.body, "feature")
  }
}

/** 403: the caller is known and refused; `reason` says why. */
export class ForbiddenError extends OrgplaneError {
  override readonly name = "ForbiddenError"
  readonly reason: ForbiddenReason | (string & {})
  constructor(failure: Failure) {
    super(failure)
    this.reason = textOf(failure.body, "reason")
  }
}

/** 404: absent, of another organization, or not visible; the three cannot be told apart. */
export class NotFoundError extends OrgplaneError {
  override readonly name = "NotFoundError"
}

/** 409: the state of the thing does not allow it; `code` says which state. */
export class ConflictError extends OrgplaneError {
  override readonly name = "ConflictError"
}

/** 412: the row changed since the version in `ifMatch`. */
export class PreconditionFailedError extends OrgplaneError {
  override readonly name = "PreconditionFailedError"
}

/** 413: the body is larger than the operation takes. */
export class PayloadTooLargeError extends OrgplaneError {
  override readonly name = "PayloadTooLargeError"
}

/** 429: too many requests. */
export class RateLimitedError extends OrgplaneError {
  override readonly name = "RateLimitedError"
  /** How long the server asks to wait; undefined when it does not say. */
  readonly retryAfterMillis: number | undefined
  constructor(failure: Failure) {
    super(failure)
    this.retryAfterMillis = failure.retryAfterMillis
  }
}

/** 5xx: the server, or a system behind it, failed. */
export class ServerError extends OrgplaneError {
  override readonly name = "ServerError"
  /** How long the server asks to wait; undefined when it does not say. */
  readonly retryAfterMillis: number | undefined
  /** What went wrong at another server, at which layer, and what to do; undefined when the answer does not say. */
  readonly diagnostic: McpDiagnostic | undefined
  /** The exchange with it, of a tool that was called. */
  readonly inspection: McpInspection | undefined
  constructor(failure: Failure) {
    super(failure)
    this.retryAfterMillis = failure.retryAfterMillis
    this.diagnostic = objectOf<McpDiagnostic>(failure.body, "diagnostic")
    this.inspection = objectOf<McpInspection>(failure.body, "inspection")
  }
}

/** There was no whole answer: refused, reset, unknown host; `cause` is what `fetch` said. */
export class ConnectionError extends OrgplaneError {
  override readonly name = "ConnectionError"
}

/** The call was not over within `timeoutMillis`; a change may have happened all the same. */
export class TimeoutError extends OrgplaneError {
  override readonly name = "TimeoutError"
}

/** The caller's `signal` ended the call; `cause` is its reason. A change may have happened all the same. */
export class AbortedError extends OrgplaneError {
  override readonly name = "AbortedError"
}

/** 304: the row still has the version in `ifNoneMatch`. */
export class NotModifiedError extends OrgplaneError {
  override readonly name = "NotModifiedError"
}

const byStatus: { readonly [status: number]: new (failure: Failure) => OrgplaneError } = {
  304: NotModifiedError,
  400: InvalidRequestError,
  401: UnauthorizedError,
  402: PlanRequiredError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: PayloadTooLargeError,
  429: RateLimitedError
}

const faults = (body: unknown): string => {
  const details = member(body, "details")
  if (!Array.isArray(details)) return ""
  return (details as ReadonlyArray<unknown>)
    .map((detail) => {
      const path = member(detail, "path")
      return `${Array.isArray(path) ? path.join(".") : ""}: ${textOf(detail, "message")}`
    })
    .join("; ")
}

/** The `error` or, of a refusal, the word for it; undefined where the body is not one of ours. */
export const codeOf = (body: unknown): string | undefined =>
  textOf(body, "error") || (textOf(body, "reason") === "" ? undefined : "forbidden")

/** The error an answer stands for. */
export const errorOf = (
  status: number,
  body: unknown,
  requestId: string | undefined,
  retryAfterMillis: number | undefined
): OrgplaneError => {
  const code = codeOf(body) ?? (status === 304 ? "not_modified" : `http_${status}`)
  const Class = byStatus[status] ?? (status >= 500 ? ServerError : OrgplaneError)
  const said = textOf(body, "message") || faults(body)
  return new Class({
    code,
    status,
    body,
    requestId,
    retryAfterMillis,
    message: said === "" ? `${code} (${status})` : said
  })
}
