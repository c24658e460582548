import { OutboundFailed } from "../ports/outbound.ts"

type Code = OutboundFailed["code"]

/** `blocked` names neither the rule nor the address, so that the error does not distinguish private hosts. */
const messages: Record<Code, string> = {
  blocked:
    "The URL is not allowed: it must be an https URL whose host resolves to public addresses, or one that the operator allows.",
  invalid_url: "The URL must be a valid http or https URL.",
  unreachable: "The server is unreachable or closed the connection.",
  timeout: "The server did not send a complete response in time.",
  too_large: "The response exceeds the size limit.",
  too_many_redirects: "The server redirected too many times.",
  busy: "Too many outbound requests are in progress. Retry later."
}

export const failed = (code: Code, message: string = messages[code]): OutboundFailed =>
  new OutboundFailed({ code, message })

export const headersTooLarge = (): OutboundFailed => failed("too_large", "The response headers exceed the size limit.")

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/**
 * The text of an error from a library or the system is dropped, because it contains addresses and sometimes parts of
 * the request.
 */
export const failureOf = (cause: unknown): OutboundFailed => {
  if (cause instanceof OutboundFailed) return cause
  const code = codeOf(cause)
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge()
  if (code === "ERR_INVALID_CHAR" || code === "ERR_INVALID_HTTP_TOKEN" || code === "ERR_UNESCAPED_CHARACTERS") {
    return failed("invalid_url", "The request has a header or a path with characters that HTTP does not allow.")
  }
  if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || code.includes("CERT") || code.includes("SIGNATURE")) {
    return failed("unreachable", "The server's certificate is invalid or not trusted.")
  }
  return failed("unreachable")
}
