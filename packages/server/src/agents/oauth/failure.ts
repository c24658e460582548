import { McpFailed } from "../../infra/ports/mcp-servers.ts"
import type { OutboundFailed } from "../../infra/ports/outbound.ts"

/** A network error as the error of a connection. */
export const networkFailure = (failure: OutboundFailed): McpFailed => {
  switch (failure.code) {
    case "blocked":
    case "invalid_url":
      return new McpFailed({
        category: "network",
        code: "destination_blocked",
        message: failure.message,
        retryable: false
      })
    case "too_large":
      return new McpFailed({
        category: "authentication",
        code: "authorization_server_invalid",
        message: failure.message,
        retryable: false
      })
    case "too_many_redirects":
      return new McpFailed({ category: "network", code: failure.code, message: failure.message, retryable: false })
    case "unreachable":
    case "timeout":
    case "busy":
      return new McpFailed({ category: "network", code: failure.code, message: failure.message, retryable: true })
  }
}

/** An authorization server that does not conform. `message` starts with the code of the warning. */
export const serverInvalid = (code: string, message: string, retryable = false): McpFailed =>
  new McpFailed({
    category: "authentication",
    code: "authorization_server_invalid",
    message: `${code}: ${message}`,
    retryable
  })
