import { OutboundFailed } from "../ports/outbound.ts"

type Code = OutboundFailed["code"]

/** `blocked` names neither the rule nor the address: the answer must not tell one private host from another. */
const messages: Record<Code, string> = {
  blocked: "The address may not be reached: only a public https address that resolves can be.",
  invalid_url: "The address is not a valid http or https URL.",
  unreachable: "The server could not be reached or broke off.",
  timeout: "The server did not finish its answer in time.",
  too_large: "The answer is larger than is accepted.",
  too_many_redirects: "The server redirected too many times.",
  busy: "Too many outbound requests are under way. Try again later."
}

export const failed = (code: Code, message: string = messages[code]): OutboundFailed =>
  new OutboundFailed({ code, message })

export const headTooLarge = (): OutboundFailed =>
  failed("too_large", "The head of the answer is larger than is accepted.")

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Nothing of a foreign error's text is kept: it names addresses, and sometimes what was sent. */
export const failureOf = (cause: unknown): OutboundFailed => {
  if (cause instanceof OutboundFailed) return cause
  const code = codeOf(cause)
  if (code === "HPE_HEADER_OVERFLOW") return headTooLarge()
  if (code === "ERR_INVALID_CHAR" || code === "ERR_INVALID_HTTP_TOKEN" || code === "ERR_UNESCAPED_CHARACTERS") {
    return failed("invalid_url", "The request holds a header or a path that HTTP cannot carry.")
  }
  if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || code.includes("CERT") || code.includes("SIGNATURE")) {
    return failed("unreachable", "The server's certificate was not accepted.")
  }
  return failed("unreachable")
}
