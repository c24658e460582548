import { bodyBytesMax } from "@orgplane/schema/scim-protocol"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The media type of SCIM (RFC 7644, 3.1). */
export const scimType = "application/scim+json"

const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error"

/** Whether a path, without the path prefix, belongs to SCIM. */
export const isScim = (url: string): boolean => /^\/v1\/scim\/v2(?:[/?]|$)/.test(url)

interface ErrorBody {
  readonly reason?: unknown
  readonly error?: unknown
  readonly message?: unknown
  readonly details?: unknown
  readonly scimType?: unknown
  readonly detail?: unknown
}

/** The contents of an error response in SCIM's format, for the request log. */
export const refusalIn = (response: HttpServerResponse.HttpServerResponse) => {
  const body = errorBodyOf(response)
  return {
    status: response.status,
    scimType: typeof body.scimType === "string" ? body.scimType : undefined,
    detail: typeof body.detail === "string" ? body.detail : undefined
  }
}

/** Why a response refuses the request: the reason or the code of its error. SCIM errors have neither. */
export const reasonIn = (response: HttpServerResponse.HttpServerResponse): string => {
  if (response.status === 429) return "rate_limited"
  const { error, reason } = errorBodyOf(response)
  const code = reason ?? error
  return typeof code === "string" ? code : response.status === 401 ? "unauthorized" : "forbidden"
}

const errorBodyOf = ({ body }: HttpServerResponse.HttpServerResponse): ErrorBody => {
  if (body._tag !== "Uint8Array") return {}
  try {
    const parsed: unknown = JSON.parse(body.text ?? new TextDecoder().decode(body.body))
    return typeof parsed === "object" && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

interface Violation {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}
const isViolation = (value: unknown): value is Violation =>
  typeof value === "object" && value !== null && "path" in value && Array.isArray(value.path) && "message" in value

/** Maximum length of `detail`, because the text may repeat parts of the request many times. */
const detailMax = 1000

/** RFC 7644, 3.7.4 requires the error to name the limit. */
const tooLarge = `The body is too large. The limit is maxPayloadSize (${bodyBytesMax} bytes) for group and bulk requests, and 1 MiB for other requests.`

const detailOf = (status: number, { details, error, message }: ErrorBody): string => {
  if (error === "payload_too_large") return tooLarge
  const violations = Array.isArray(details) ? details.filter(isViolation) : []
  if (violations.length > 0) return violations.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ")
  if (typeof message === "string") return message
  return status === 401 ? "A valid token of the SCIM directory is required." : "The request was rejected."
}

/** Only invalid requests have a `scimType` (RFC 7644, 3.12): for an invalid body, or an invalid parameter. */
const typeOf = ({ details, error }: ErrorBody): string | undefined => {
  if (error !== "invalid_request") return undefined
  const places = Array.isArray(details) ? details.filter(isViolation).map(({ path }) => path[0]) : []
  return places.every((place) => place === "body") ? "invalidSyntax" : "invalidValue"
}

/** Converts an error response of the contract to SCIM's format (RFC 7644, 3.12); other responses are unchanged. */
export const asScim = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body, status } = response
  if (status < 400 || ("contentType" in body && body.contentType?.startsWith(scimType) === true)) return response
  const parsed = errorBodyOf(response)
  const type = typeOf(parsed)
  const error = {
    schemas: [errorSchema],
    status: String(status),
    ...(type === undefined ? {} : { scimType: type }),
    detail: detailOf(status, parsed).slice(0, detailMax)
  }
  return HttpServerResponse.setBody(response, HttpBody.jsonUnsafe(error, scimType))
}
