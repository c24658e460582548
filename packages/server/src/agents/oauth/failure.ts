import { McpFailed } from "../../infra/ports/mcp-servers.ts"
import type { OutboundFailed } from "../../infra/ports/outbound.ts"

/** Why a server could not be asked, as a failure of a connection. */
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

/** An authorization server is not what it has to be; `message` begins with the name of the warning. */
export const serverInvalid = (code: string, message: string, retryable = false): McpFailed =>
  new McpFailed({
    category: "authentication",
    code: "authorization_server_invalid",
    message: `${code}: ${message}`,
    retryable
  })
