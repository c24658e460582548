import type { ErrorCode, ForbiddenReason, McpDiagnostic, McpInspection } from "./generated/types.ts"

/** One validation error of a request, with its path (`["body", "name"]`). */
export interface InvalidDetail {
  readonly message: string
  readonly path: ReadonlyArray<string | number>
  /** Machine-readable code, if there is one: `invalid_skill_front_matter`. */
  readonly code?: string
}

/** Details of a failed call. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly body?: unknown
  readonly retryAfterMillis?: number | undefined
  /** The `www-authenticate` header of the response. */
  readonly challenge?: string | undefined
  readonly cause?: unknown
}

/**
 * The base class of all errors of a call. Check the subclass, or `code` if a status has several meanings:
 * `error instanceof ConflictError && error.code === "connector_instance_disabled"`.
 */
export class OrgplaneError extends Error {
  // Set explicitly, because a bundler may rename the class.
  override readonly name: string = "OrgplaneError"
  /** The `error` of the response body, `forbidden` for a 403 with a reason, or `http_<status>` for any other body. */
  readonly code: ErrorCode | (string & {})
  /** Status of the response; undefined if there was none. */
  readonly status: number | undefined
  /** Identifies the request in the server's logs and audit log. */
  readonly requestId: string | undefined
  /** The response body: parsed JSON, or text. */
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

/**
 * The value of a body field, if it is an object. Responses from other servers, such as proxies, may contain anything.
 */
const objectOf = <A extends object>(body: unknown, name: string): A | undefined => {
  const value = member(body, name)
  return typeof value === "object" && value !== null ? (value as A) : undefined
}

/** From the challenge of a 401: the server names an error only if it received a credential. */
const credentialOf = (challenge: string | undefined): "missing" | "invalid" | undefined =>
  challenge === undefined || !/^bearer\b/i.test(challenge)
    ? undefined
    : /\berror=/.test(challenge)
      ? "invalid"
      : "missing"

/** 400: a body member, query parameter, cursor or ID is invalid. `details` lists every error. */
export class InvalidRequestError extends OrgplaneError {
  override readonly name = "InvalidRequestError"
  readonly details: ReadonlyArray<InvalidDetail>
  constructor(failure: Failure) {
    super(failure)
    const details = member(failure.body, "details")
    this.details = Array.isArray(details) ? (details as ReadonlyArray<InvalidDetail>) : []
  }
}

/** 401: the credential is missing, unknown, expired or revoked. */
export class UnauthorizedError extends OrgplaneError {
  override readonly name = "UnauthorizedError"
  /** Whether the server received a credential. Undefined if the response does not say, such as one of a proxy. */
  readonly credential: "missing" | "invalid" | undefined
  constructor(failure: Failure) {
    super(failure)
    this.credential = credentialOf(failure.challenge)
  }
}

/** 402: the organization's plan does not include `feature`. */
export class PlanRequiredError extends OrgplaneError {
  override readonly name = "PlanRequiredError"
  readonly feature: string
  constructor(failure: Failure) {
    super(failure)
    this.feature = textOf(failure.body, "feature")
  }
}

/** 403: the caller is not allowed. `reason` is the cause. */
export class ForbiddenError extends OrgplaneError {
  override readonly name = "ForbiddenError"
  readonly reason: ForbiddenReason | (string & {})
  constructor(failure: Failure) {
    super(failure)
    this.reason = textOf(failure.body, "reason")
  }
}

/**
 * 404: the object does not exist, belongs to another organization, or is not visible. These cases are
 * indistinguishable.
 */
export class NotFoundError extends OrgplaneError {
  override readonly name = "NotFoundError"
}

/** 409: the object's state does not allow the operation. `code` is the cause. */
export class ConflictError extends OrgplaneError {
  override readonly name = "ConflictError"
}

/** 412: the object has changed since the version in `ifMatch`. */
export class PreconditionFailedError extends OrgplaneError {
  override readonly name = "PreconditionFailedError"
}

/** 413: the request body is too large. */
export class PayloadTooLargeError extends OrgplaneError {
  override readonly name = "PayloadTooLargeError"
}

/** 429: too many requests. */
export class RateLimitedError extends OrgplaneError {
  override readonly name = "RateLimitedError"
  /** From `Retry-After`; undefined if the response has none. */
  readonly retryAfterMillis: number | undefined
  constructor(failure: Failure) {
    super(failure)
    this.retryAfterMillis = failure.retryAfterMillis
  }
}

/** 5xx: the server or an upstream system failed. */
export class ServerError extends OrgplaneError {
  override readonly name = "ServerError"
  /** From `Retry-After`; undefined if the response has none. */
  readonly retryAfterMillis: number | undefined
  /** Diagnosis of a failure at an MCP server: layer, cause, next step. Undefined if the response has none. */
  readonly diagnostic: McpDiagnostic | undefined
  /** The HTTP exchange of a tool call with that server. */
  readonly inspection: McpInspection | undefined
  constructor(failure: Failure) {
    super(failure)
    this.retryAfterMillis = failure.retryAfterMillis
    this.diagnostic = objectOf<McpDiagnostic>(failure.body, "diagnostic")
    this.inspection = objectOf<McpInspection>(failure.body, "inspection")
  }
}

/** No complete response: connection refused, reset, unknown host. `cause` is the error from `fetch`. */
export class ConnectionError extends OrgplaneError {
  override readonly name = "ConnectionError"
}

/** The call did not finish within `timeoutMillis`. The server may still have made the change. */
export class TimeoutError extends OrgplaneError {
  override readonly name = "TimeoutError"
}

/** The caller's `signal` aborted the call. `cause` is its reason. The server may still have made the change. */
export class AbortedError extends OrgplaneError {
  override readonly name = "AbortedError"
}

/** 304: the object still has the version in `ifNoneMatch`. */
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

/** The `error` member, or `forbidden` for a body with a `reason`; undefined for any other body. */
export const codeOf = (body: unknown): string | undefined =>
  textOf(body, "error") || (textOf(body, "reason") === "" ? undefined : "forbidden")

const credentialFault = (challenge: string | undefined): string => {
  const credential = credentialOf(challenge)
  if (credential === undefined) return ""
  if (credential === "missing") return "No credential was sent."
  const description = /error_description="([^"]*)"/.exec(challenge ?? "")?.[1]
  return `The credential is not valid.${description === undefined ? "" : ` ${description}`}`
}

/** Creates the error for a failed response. */
export const errorOf = (
  status: number,
  body: unknown,
  requestId: string | undefined,
  retryAfterMillis: number | undefined,
  challenge?: string
): OrgplaneError => {
  const code = codeOf(body) ?? (status === 304 ? "not_modified" : `http_${status}`)
  const Class = byStatus[status] ?? (status >= 500 ? ServerError : OrgplaneError)
  const message = textOf(body, "message") || faults(body) || (status === 401 ? credentialFault(challenge) : "")
  return new Class({
    code,
    status,
    body,
    requestId,
    retryAfterMillis,
    challenge,
    message: message === "" ? `${code} (${status})` : message
  })
}
