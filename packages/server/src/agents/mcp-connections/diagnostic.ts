import { type Diagnostic, McpServerFailed } from "@orgplane/schema/mcp-connections"
import type { Member } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { McpFailed } from "../../infra/ports/mcp-servers.ts"
import type { Row } from "./repo.ts"

const actions: Readonly<Record<Diagnostic["category"], string>> = {
  network: "See to it that the server's address is right and can be reached from here.",
  http: "Look at whether the address is the server's endpoint, and whether the server is well.",
  authentication: "Connect it again; when that does not help, look at the client and the scopes.",
  protocol: "Tell whoever runs the server: what it answers is not the protocol.",
  tool: "Look at the arguments, and at what the tool says."
}

const scopeActions = {
  connect: "Connect again. The sign-in requests the missing scopes.",
  settings: "Ask a manager of the connection to add the scopes to it, then connect again.",
  none: "Ask the administrator of the server for access; connecting again does not help."
} as const

/** A failure of a connection's server as people are told it: the layer, the server's words, what to do. */
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
  const way = connection.auth_type === "apikey" ? "api-key" : "connect/start"
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
      ? { connectUrl: `/v1/mcp-connections/${connection.id}/${way}` }
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

/** 502 with the diagnostic; the log finds it by the request's id and holds nothing the server sent. */
export const serverFailed = (failure: McpFailed, connection: Pick<Row, "id" | "url" | "auth_type">, caller: Member) =>
  Effect.gen(function* () {
    const diagnostic = diagnosticOf(failure, connection, caller.request.requestId)
    const { category, code, outbound, providerStatus } = diagnostic
    yield* Effect.logInfo("An MCP server failed.", { category, code, providerStatus, outbound })
    return yield* new McpServerFailed({ message: failure.message, diagnostic })
  })
