import { failed } from "./failure.ts"
import type { Reply } from "./exchange.ts"
import type { McpFailed } from "../../ports/mcp-servers.ts"
import { listOf, member } from "./message.ts"

/** Error codes that the standard's revisions define; others are the server's own. */
export const rpcCodes = {
  sessionNotFound: -32001,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042
} as const

/** Servers distinguish these two errors only by their text. */
export const isUnknownTool = (text: string): boolean =>
  /\b(unknown tool|no such tool|tool\b.{0,300}\b(not found|disabled|does not exist|unknown))/is.test(
    text.slice(0, 1000)
  )

export const isInvalidInput = (text: string): boolean =>
  /\b(input validation error|invalid (input|arguments?|params)\b)/i.test(text.slice(0, 1000))

export const supportedVersionsOf = (reply: Reply): ReadonlyArray<string> | undefined => {
  if (reply.response.kind !== "error") return undefined
  const listed = listOf(member(reply.response.data, "supported"))
  return listed !== undefined && listed.length > 0
    ? listed.filter((version): version is string => typeof version === "string").slice(0, 50)
    : undefined
}

/**
 * The failure that corresponds to a JSON-RPC error. The error's text is only in the exchange, because it may contain
 * parts of the request.
 */
export const ofRpcError = (reply: Reply, method: string, hasSession: boolean): McpFailed => {
  const { response, exchange, status } = reply
  const code = response.kind === "error" ? response.code : 0
  const text = response.kind === "error" ? response.message : ""
  const more = { exchange, jsonRpcCode: code, providerStatus: status }
  if (code === rpcCodes.unsupportedVersion) {
    return failed("unsupported_version", "The server supports no version of MCP that orgplane supports.", more)
  }
  if (code === rpcCodes.missingClientCapability || code === rpcCodes.urlElicitationRequired) {
    return failed("input_required", "The tool requires input, which orgplane cannot provide.", more)
  }
  if (hasSession && /\bsession\b.{0,80}\b(not found|unknown|expired|invalid|terminated)/is.test(text.slice(0, 400))) {
    return failed("session_lost", "The server no longer recognizes the session.", more)
  }
  if (method === "tools/call" && (code === rpcCodes.invalidParams || isUnknownTool(text))) {
    return isUnknownTool(text)
      ? failed("tool_not_found", "The server has no tool with this name.", more)
      : failed("invalid_arguments", "The server rejected the arguments.", more)
  }
  return failed("json_rpc_error", `The server responded to ${method} with the JSON-RPC error ${code}.`, more)
}
