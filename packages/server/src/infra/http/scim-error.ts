import { bodyBytesMax } from "@orgplane/schema/scim-protocol"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** The type of everything that SCIM says (RFC 7644, 3.1). */
export const scimType = "application/scim+json"

const form = "urn:ietf:params:scim:api:messages:2.0:Error"

/** Whether a path, without the operator's prefix, is of the protocol. */
export const isScim = (url: string): boolean => /^\/v1\/scim\/v2(?:[/?]|$)/.test(url)

interface Said {
  readonly error?: unknown
  readonly message?: unknown
  readonly details?: unknown
  readonly scimType?: unknown
  readonly detail?: unknown
}

/** What a refusal in SCIM's form says, for whoever writes it down. */
export const refusalIn = (response: HttpServerResponse.HttpServerResponse) => {
  const said = saidIn(response)
  return {
    status: response.status,
    scimType: typeof said.scimType === "string" ? said.scimType : undefined,
    detail: typeof said.detail === "string" ? said.detail : undefined
  }
}

const saidIn = ({ body }: HttpServerResponse.HttpServerResponse): Said => {
  if (body._tag !== "Uint8Array") return {}
  try {
    const said: unknown = JSON.parse(body.text ?? new TextDecoder().decode(body.body))
    return typeof said === "object" && said !== null ? said : {}
  } catch {
    return {}
  }
}

interface Fault {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}
const isFault = (value: unknown): value is Fault =>
  typeof value === "object" && value !== null && "path" in value && Array.isArray(value.path) && "message" in value

/** Long enough for whoever reads it; what was sent may be in it many times. */
const detailMax = 1000

/** RFC 7644, 3.7.4 has it said which limit it was. */
const tooLarge = `The body is larger than maxPayloadSize (${bodyBytesMax} bytes) of groups and bulk requests, or 1 MiB of others.`

const detailOf = (status: number, { details, error, message }: Said): string => {
  if (error === "payload_too_large") return tooLarge
  const faults = Array.isArray(details) ? details.filter(isFault) : []
  if (faults.length > 0) return faults.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ")
  if (typeof message === "string") return message
  return status === 401 ? "A live token of the directory is needed." : "The request was refused."
}

/** Only what the contract calls an invalid request has a type (RFC 7644, 3.12): what the body was not, or a parameter. */
const typeOf = ({ details, error }: Said): string | undefined => {
  if (error !== "invalid_request") return undefined
  const places = Array.isArray(details) ? details.filter(isFault).map(({ path }) => path[0]) : []
  return places.every((place) => place === "body") ? "invalidSyntax" : "invalidValue"
}

/** A refusal in the contract's form, said in SCIM's (RFC 7644, 3.12); any other answer as it is. */
export const asScim = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body, status } = response
  if (status < 400 || ("contentType" in body && body.contentType?.startsWith(scimType) === true)) return response
  const said = saidIn(response)
  const type = typeOf(said)
  const error = {
    schemas: [form],
    status: String(status),
    ...(type === undefined ? {} : { scimType: type }),
    detail: detailOf(status, said).slice(0, detailMax)
  }
  return HttpServerResponse.setBody(response, HttpBody.jsonUnsafe(error, scimType))
}
