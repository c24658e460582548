import { diagnosticCategories, type DiagnosticCode, diagnosticCodes } from "@orgplane/schema/mcp-connections"
import { McpFailed } from "../../ports/mcp-servers.ts"
import type { OutboundFailed } from "../../ports/outbound.ts"

/** Failures that may be temporary or may not occur in a new session. All others require a change first. */
const passing: ReadonlySet<DiagnosticCode> = new Set([
  "unreachable",
  "timeout",
  "busy",
  "rate_limited",
  "server_error",
  "closed_early",
  "session_lost"
])

const categoryOf = (code: DiagnosticCode) =>
  diagnosticCategories.find((category) => (diagnosticCodes[category] as ReadonlyArray<string>).includes(code)) ??
  "protocol"

type More = Omit<ConstructorParameters<typeof McpFailed>[0], "category" | "code" | "message" | "retryable">

export const failed = (code: DiagnosticCode, message: string, more: More = {}): McpFailed =>
  new McpFailed({ ...more, category: categoryOf(code), code, message, retryable: passing.has(code) })

const ofGuard: Record<OutboundFailed["code"], DiagnosticCode> = {
  blocked: "destination_blocked",
  invalid_url: "destination_blocked",
  unreachable: "unreachable",
  timeout: "timeout",
  too_large: "response_too_large",
  too_many_redirects: "too_many_redirects",
  busy: "busy"
}

/** A server that had started its response was reached, and closed the connection. */
export const ofOutbound = ({ code, message, phase }: OutboundFailed, more: More = {}): McpFailed =>
  code === "unreachable" && phase === "body"
    ? failed("closed_early", "The server closed the connection before the response was complete.", more)
    : failed(ofGuard[code], message, more)

const statusMessages: ReadonlyArray<readonly [DiagnosticCode, string]> = [
  ["unauthorized", "The server rejects the credential, or requires one."],
  ["insufficient_scope", "The credential does not have the required permission."],
  ["not_found", "The server has no MCP endpoint at this URL."],
  ["session_lost", "The server no longer recognizes the session."],
  ["not_mcp", "The server does not accept MCP messages at this URL."],
  ["rate_limited", "The server's rate limit is exceeded."],
  ["server_error", "The server failed with an internal error."],
  ["http_error", "The server rejected the request."]
]

const codeOfStatus = (status: number, hasChallenge: boolean, hasSession: boolean): DiagnosticCode => {
  if (status === 401) return "unauthorized"
  // A 403 without a challenge is not about scopes. It may come from a proxy, or from a server that
  // does not accept the host.
  if (status === 403) return hasChallenge ? "insufficient_scope" : "http_error"
  if (status === 404 || status === 410) return hasSession ? "session_lost" : "not_found"
  if (status === 405) return "not_mcp"
  if (status === 429) return "rate_limited"
  return status >= 500 ? "server_error" : "http_error"
}

/** The failure of a status other than success. */
export const ofStatus = (status: number, challenge: string | undefined, hasSession: boolean, more: More): McpFailed => {
  const code = codeOfStatus(status, challenge !== undefined, hasSession)
  const message = statusMessages.find(([name]) => name === code)?.[1] ?? "The server rejected the request."
  const error = /\berror="?([a-z0-9_.-]{1,64})/i.exec(challenge ?? "")?.[1]
  return failed(code, message, {
    ...more,
    providerStatus: status,
    ...(challenge === undefined || (status !== 401 && status !== 403) ? {} : { challenge }),
    ...(error === undefined ? {} : { providerCode: error })
  })
}

/** The additional members of a failure. */
const moreOf = (failure: McpFailed): More => {
  const { challenge, exchange, jsonRpcCode, payloadBytes, providerCode, providerRequestId, providerStatus } = failure
  return {
    ...(challenge === undefined ? {} : { challenge }),
    ...(exchange === undefined ? {} : { exchange }),
    ...(jsonRpcCode === undefined ? {} : { jsonRpcCode }),
    ...(payloadBytes === undefined ? {} : { payloadBytes }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(providerRequestId === undefined ? {} : { providerRequestId }),
    ...(providerStatus === undefined ? {} : { providerStatus })
  }
}

/** The same failure, with the fields that only the surrounding exchange provides. */
export const amended = (failure: McpFailed, more: More): McpFailed =>
  failed(failure.code, failure.message, { ...more, ...moreOf(failure) })

/** The same failure without its exchange, which only the caller of a tool may see. */
export const unseen = (failure: McpFailed): McpFailed => {
  const { exchange: _, ...more } = moreOf(failure)
  return failed(failure.code, failure.message, more)
}

/** The same failure without the server's own code. */
export const withoutCode = (failure: McpFailed): McpFailed => {
  const { providerCode: _, ...more } = moreOf(failure)
  return failed(failure.code, failure.message, more)
}
