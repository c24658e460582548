import { type Diagnostic, McpServerFailed } from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import type { Row } from "./repo.ts"

const actions: Readonly<Record<Diagnostic["category"], string>> = {
  network: "Check that the server's address is correct and reachable from this host.",
  http: "Check that the address is the server's MCP endpoint and that the server is running.",
  authentication: "Connect it again. If that does not help, check the OAuth client and the scopes.",
  protocol: "Contact the operator of the server: its responses do not conform to the MCP protocol.",
  tool: "Check the arguments and the tool's message."
}

const scopeActions = {
  connect: "Connect again. The sign-in requests the missing scopes.",
  settings: "Ask a manager of the connection to add the scopes to it, then connect again.",
  none: "Ask the server's administrator for access. Connecting again does not help."
} as const

/** A server failure as a diagnostic: the layer, the server's codes, and what to do. */
export const diagnosticOf = (
  failure: McpFailed,
  connection: Pick<Row, "id" | "url" | "auth_type">,
  referenceId: string
): Diagnostic => {
  const {
    category,
    code,
    demanded,
    jsonRpcCode,
    message,
    payloadBytes,
    providerCode,
    providerRequestId,
    providerStatus
  } = failure
  const url = new URL(connection.url)
  const connectPath = connection.auth_type === "apikey" ? "api-key" : "connect/start"
  return {
    referenceId,
    category,
    code,
    message,
    retryable: failure.retryable,
    operatorAction: demanded === undefined ? actions[category] : scopeActions[demanded.remedy],
    ...(demanded === undefined ? {} : { requiredScopes: demanded.scopes }),
    ...(category === "authentication" &&
    connection.auth_type !== "none" &&
    (demanded === undefined || demanded.remedy === "connect")
      ? { connectUrl: `/v1/mcp-connections/${connection.id}/${connectPath}` }
      : {}),
    httpStatus: 502,
    ...(providerStatus === undefined ? {} : { providerStatus }),
    ...(providerRequestId === undefined ? {} : { providerRequestId }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(payloadBytes === undefined ? {} : { payloadBytes }),
    ...(jsonRpcCode === undefined ? {} : { jsonRpcCode }),
    outbound: { origin: url.origin, pathHash: sha256(url.pathname).slice(0, 16) }
  }
}

/** Fails with 502 and the diagnostic. The log entry contains the request ID and no data from the server. */
export const serverFailed = (failure: McpFailed, connection: Pick<Row, "id" | "url" | "auth_type">, caller: Member) =>
  Effect.gen(function* () {
    const diagnostic = diagnosticOf(failure, connection, caller.request.requestId)
    const { category, code, outbound, providerStatus } = diagnostic
    yield* Effect.logInfo("MCP server request failed.", { category, code, providerStatus, outbound })
    return yield* new McpServerFailed({ message: failure.message, diagnostic })
  })
