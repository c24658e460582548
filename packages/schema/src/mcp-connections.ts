/** MCP connections: the servers of tools that an organization's agents may use, and who may use them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { badGatewayWith, conflict, notConnected, notFound } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

// Entities

export const AuthType = Schema.Literals(["oauth", "apikey", "none"]).annotate({
  identifier: "McpAuthType",
  description: "How the server knows its callers: OAuth 2.1, a key in a header, or not at all."
})
export type AuthType = typeof AuthType.Type

export const CredentialMode = Schema.Literals(["shared", "per_member"]).annotate({
  identifier: "McpCredentialMode",
  description: "One credential that everybody with a grant uses, or each member's own."
})
export type CredentialMode = typeof CredentialMode.Type

export const ConnectionStatus = Schema.Literals([
  "not_connected",
  "ready",
  "reconnect_required",
  "review_required"
]).annotate({
  identifier: "McpConnectionStatus",
  description:
    "For the caller: no credential yet; usable; the credential no longer works; the server is not what was accepted, and somebody has to decide."
})
export type ConnectionStatus = typeof ConnectionStatus.Type

/** How we got the client id that we ask an authorization server with. */
export const RegistrationMethod = Schema.Literals([
  "pre_registered",
  "client_id_metadata_document",
  "dynamic"
]).annotate({
  identifier: "McpRegistrationMethod"
})
export type RegistrationMethod = typeof RegistrationMethod.Type

export const McpConnection = Schema.Struct({
  id: Ids.McpConnectionId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  url: Schema.String.annotate({ description: "The server's endpoint." }),
  presetId: Schema.NullOr(Schema.String),
  authType: AuthType,
  credentialMode: CredentialMode,
  status: ConnectionStatus,
  statusReason: Schema.NullOr(Schema.String).annotate({ description: "Why it is not ready, in one sentence." }),
  connectedForMe: Schema.Boolean.annotate({
    description: "There is a credential the caller would use: the shared one, or their own. Always of one without."
  }),
  scopes: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "Asked for when connecting by OAuth; null: those that the server says it needs."
  }),
  missingScopes: Schema.Array(Schema.String).annotate({
    description:
      "Scopes that the server has required with 403 `insufficient_scope` since the caller's credential was connected. Connecting again requests them, unless `scopes` is set."
  }),
  oauthClient: Schema.NullOr(
    Schema.Struct({
      clientId: Schema.String,
      registration: RegistrationMethod,
      hasSecret: Schema.Boolean
    })
  ).annotate({ description: "What we are to its authorization server; null before anybody has connected." }),
  apiKeyHeader: Schema.NullOr(Schema.String).annotate({ description: "Of `apikey`: the header that holds the key." }),
  apiKeyScheme: Schema.NullOr(Schema.String).annotate({
    description: "Of `apikey`: the word before the key, as `Bearer`; null for none."
  }),
  fingerprint: Schema.NullOr(Schema.String).annotate({
    description: "SHA-256 of issuer, endpoints, scopes and tools as they were accepted; null before the first look."
  }),
  toolsCheckedAt: Schema.NullOr(Timestamp),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "McpConnection" })
export type McpConnection = typeof McpConnection.Type

export const McpConnectionGrant = Grants.Grant("emg", "McpConnectionGrant")

// Payloads

const urlLengthMax = 2048

/**
 * The endpoint of a server: `https`, or what the operator lets in; judged again whenever it is asked. As it is sent,
 * percent-encoded, it is no longer than as it is typed: a server is found by that spelling.
 */
export const EndpointUrl = Text(1, urlLengthMax)
  .check(
    Schema.makeFilter((text: string) => {
      const url = URL.parse(text)
      return url !== null &&
        (url.protocol === "https:" || url.protocol === "http:") &&
        url.username === "" &&
        url.password === "" &&
        url.hash === ""
        ? url.href.length <= urlLengthMax
          ? undefined
          : `must be at most ${urlLengthMax} characters long when it is percent-encoded`
        : "must be an http or https address without user info and fragment"
    })
  )
  .annotate({ description: "https; plain http only where the operator allows it." })

const headerName = Text(1, 64).check(
  Schema.isPattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, { message: "must be the name of a header" }),
  Schema.makeFilter((name: string) =>
    /^(host|content-.*|transfer-encoding|connection|upgrade|accept|accept-encoding|cookie|origin|mcp-.*|proxy-.*)$/iu.test(
      name
    )
      ? "must be a header that may hold a key"
      : undefined
  )
)
const Scope = Text(1, 128).check(
  Schema.isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/u, { message: "must be one scope, without spaces" })
)
const Scopes = Schema.Array(Scope).check(Schema.isMaxLength(64))

export const OAuthClientInput = Schema.Struct({
  clientId: Text(1, 2048),
  clientSecret: Schema.optionalKey(Text(1, 4096).annotate({ description: "Kept sealed; never answered." }))
}).annotate({ identifier: "McpOAuthClientInput" })

const settings = {
  scopes: Schema.optionalKey(Schema.NullOr(Scopes)),
  oauthClient: Schema.optionalKey(
    Schema.NullOr(OAuthClientInput).annotate({
      description: "A client registered at the authorization server by hand."
    })
  ),
  apiKeyHeader: Schema.optionalKey(headerName.annotate({ description: "`authorization` unless told." })),
  apiKeyScheme: Schema.optionalKey(
    Schema.NullOr(Text(1, 32).check(Schema.isPattern(/^[A-Za-z0-9._-]+$/u))).annotate({
      description: "`Bearer` unless told, none in a header of another name."
    })
  )
}

export const CreateMcpConnection = Schema.Struct({
  name: Text(1, 255).annotate({ description: "Unique in the organization." }),
  url: EndpointUrl,
  presetId: Schema.optionalKey(Text(1, 64)),
  authType: AuthType,
  credentialMode: Schema.optionalKey(
    CredentialMode.annotate({ description: "`per_member` of OAuth and `shared` of the others, unless told." })
  ),
  ...settings
}).annotate({ identifier: "CreateMcpConnection" })

export const UpdateMcpConnection = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  url: Schema.optionalKey(EndpointUrl),
  authType: Schema.optionalKey(AuthType),
  credentialMode: Schema.optionalKey(CredentialMode),
  ...settings
}).annotate({ identifier: "UpdateMcpConnection" })

// Errors

/** It is absent, of another organization, or no grant shows it to the caller. */
export class ConnectionNotFound extends notFound("connection")<ConnectionNotFound>() {}
export class McpConnectionExists extends conflict(
  "mcp_connection_exists",
  "The organization has a connection with this name."
)<McpConnectionExists>() {}
export class McpConnectionGrantNotFound extends notFound("mcp_connection_grant")<McpConnectionGrantNotFound>() {}
/** 409: `message` begins with the cause: `not_connected`, `reconnect_required` or `review_required`. */
export class ConnectionNotReady extends notConnected(
  "connection_not_ready",
  "not_connected: Connect it first."
)<ConnectionNotReady>() {}

/** The layers at which a server can fail; each code belongs to one. */
export const diagnosticCodes = {
  network: ["destination_blocked", "unreachable", "timeout", "too_many_redirects", "busy"],
  http: ["http_error", "not_found", "rate_limited", "server_error", "not_mcp"],
  authentication: ["unauthorized", "insufficient_scope", "refresh_failed", "authorization_server_invalid"],
  protocol: [
    "invalid_message",
    "id_mismatch",
    "closed_early",
    "unsupported_version",
    "session_lost",
    "json_rpc_error",
    "response_too_large"
  ],
  tool: ["tool_error", "tool_not_found", "invalid_arguments", "input_required"]
} as const
export type DiagnosticCategory = keyof typeof diagnosticCodes
export type DiagnosticCode = (typeof diagnosticCodes)[DiagnosticCategory][number]
export const diagnosticCategories = ["network", "http", "authentication", "protocol", "tool"] as const

/** What went wrong at another server, at which layer, and what to do. */
export const Diagnostic = Schema.Struct({
  referenceId: Schema.String.annotate({ description: "Finds the line in our log; holds nothing of the call." }),
  category: Schema.Literals(diagnosticCategories),
  code: Schema.Literals([
    ...diagnosticCodes.network,
    ...diagnosticCodes.http,
    ...diagnosticCodes.authentication,
    ...diagnosticCodes.protocol,
    ...diagnosticCodes.tool
  ]),
  message: Schema.String,
  retryable: Schema.Boolean,
  operatorAction: Schema.optionalKey(Schema.String.annotate({ description: "What to do, in one sentence." })),
  requiredScopes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "With `insufficient_scope`: the scopes that the server requires. `connectUrl` is present when signing in again requests them."
    })
  ),
  connectUrl: Schema.optionalKey(Schema.String.annotate({ description: "The operation that connects again." })),
  httpStatus: Schema.optionalKey(Schema.Int.annotate({ description: "Of our answer." })),
  providerStatus: Schema.optionalKey(Schema.Int.annotate({ description: "The status that the server answered." })),
  providerRequestId: Schema.optionalKey(Schema.String),
  providerCode: Schema.optionalKey(Schema.String),
  payloadBytes: Schema.optionalKey(Schema.Int),
  jsonRpcCode: Schema.optionalKey(Schema.Int),
  outbound: Schema.optionalKey(
    Schema.Struct({
      origin: Schema.String,
      pathHash: Schema.String.annotate({ description: "SHA-256 of the path, 16 hex digits: a path may hold a secret." })
    })
  )
}).annotate({ identifier: "McpDiagnostic" })
export type Diagnostic = typeof Diagnostic.Type

/** 502: the MCP server, or its authorization server, failed us. */
export class McpServerFailed extends badGatewayWith("mcp_server_error", "The MCP server cannot be used.", {
  diagnostic: Diagnostic
})<McpServerFailed>() {}

// Operations

export const one = { connectionId: Ids.McpConnectionId }
export const at = "/v1/mcp-connections/:connectionId"
const read = Access.permission("mcpConnections:read")
const write = Access.permission("mcpConnections:write")
const manage = Access.permission("mcpConnections:manage")
export const ConnectionAnswer = Schema.Struct({ mcpConnection: McpConnection })
const GrantAnswer = Schema.Struct({ grant: McpConnectionGrant })

export const group = HttpApiGroup.make("mcpConnections")
  .annotateMerge(
    OpenApi.annotations({
      title: "MCP connections",
      description: "Servers of tools: found, connected, watched, tried out."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/mcp-connections", {
      payload: CreateMcpConnection,
      success: ConnectionAnswer.pipe(HttpApiSchema.status(201)),
      error: McpConnectionExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "mcp_connection.create",
        summary: "Creates a private connection; nothing is asked of the server yet."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/mcp-connections", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the name, in any case." }))
      },
      success: Page(McpConnection)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the connections the caller can see." })),
    HttpApiEndpoint.get("get", at, { params: one, success: ConnectionAnswer, error: ConnectionNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Gets one connection." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateMcpConnection,
      success: ConnectionAnswer,
      error: [ConnectionNotFound, McpConnectionExists]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "mcp_connection.update",
        summary: "Updates a connection; another address, kind of authentication or mode deletes its credentials.",
        description: "What was accepted of the server is forgotten with them. Takes a manager."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: ConnectionNotFound }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "mcp_connection.remove",
        summary: "Removes a connection with its credentials and grants."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(McpConnectionGrant),
      error: ConnectionNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the grants of a connection." })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [GrantAnswer.pipe(HttpApiSchema.status(201)), GrantAnswer],
      error: ConnectionNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "mcp_connection.grant",
        summary: "Grants access to a connection; 200 when the receiver had a grant.",
        description: "To use its tools takes a grant that names one, also of owners and admins."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("emg") },
      success: Done,
      error: [ConnectionNotFound, McpConnectionGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "mcp_connection.revoke",
        summary: "Revokes one grant; it is kept as history."
      })
    )
  )
