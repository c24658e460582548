import type { SsoRefusal } from "@orgplane/schema/sso"
import * as oauth from "oauth4webapi"
import { OutboundFailed } from "../../ports/outbound.ts"
import { SsoRefused } from "../../ports/sso.ts"

/** The step of a sign-in that failed, which the library's own codes do not include. */
export type Step = "discovery" | "keys" | "code" | "token" | "signature"

export const refused = (code: SsoRefusal, message: string) => new SsoRefused({ code, message })

/** The failure code for an unusable response if nothing more specific is known. */
const fallbackCodes: Readonly<Record<Step, SsoRefusal>> = {
  discovery: "provider_invalid",
  keys: "provider_invalid",
  code: "code_refused",
  token: "token_invalid",
  signature: "token_invalid"
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

const ofClaim = (claim: unknown): SsoRefusal => {
  switch (claim) {
    case "nonce":
      return "nonce_mismatch"
    case "iss":
      return "issuer_mismatch"
    case "aud":
    case "azp":
      return "audience_mismatch"
    case "exp":
      return "expired"
    case "nbf":
      return "not_yet_valid"
    default:
      return "token_invalid"
  }
}

/** Maps a failure of the library to a code; no part of a response body is kept. */
export const refusalOf = (cause: unknown, step: Step): SsoRefused => {
  if (cause instanceof SsoRefused) return cause
  if (cause instanceof OutboundFailed) {
    return cause.code === "too_large" || cause.code === "too_many_redirects"
      ? refused("provider_invalid", cause.message)
      : refused("provider_unreachable", cause.message)
  }
  if (cause instanceof oauth.ResponseBodyError || cause instanceof oauth.WWWAuthenticateChallengeError) {
    return cause.status >= 500
      ? refused("provider_unreachable", `The provider responded with status ${cause.status}.`)
      : refused(fallbackCodes[step], `The provider responded to the ${step} request with status ${cause.status}.`)
  }
  if (cause instanceof oauth.OperationProcessingError) {
    const response = cause.cause
    if (response instanceof Response) {
      return response.status >= 500
        ? refused("provider_unreachable", `The provider responded with status ${response.status}.`)
        : refused(fallbackCodes[step], `The provider responded to the ${step} request with status ${response.status}.`)
    }
    if (cause.code === oauth.JWT_CLAIM_COMPARISON || cause.code === oauth.JWT_TIMESTAMP_CHECK) {
      const claim = memberOf(cause.cause, "claim")
      return refused(
        ofClaim(claim),
        `The claim ${typeof claim === "string" ? claim : "?"} does not have the expected value.`
      )
    }
    if (cause.code === oauth.JSON_ATTRIBUTE_COMPARISON && step === "discovery") {
      return refused("issuer_mismatch", "The discovery document contains a different issuer.")
    }
  }
  // The library's messages name the problem and contain no data from the response.
  const reason = cause instanceof oauth.OperationProcessingError || cause instanceof oauth.UnsupportedOperationError
  return refused(fallbackCodes[step], reason ? cause.message : `The response to the ${step} request cannot be used.`)
}
