/** MCP connections: MCP servers whose tools an organization's agents may use, and access to them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { badGatewayWith, conflict, notConnected, notFound } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

// Entities

export const AuthType = Schema.Literals(["oauth", "apikey", "none"]).annotate({
  identifier: "McpAuthType",
  description: "How the server authenticates its callers: OAuth 2.1, an API key in a header, or not at all."
})
export type AuthType = typeof AuthType.Type

export const CredentialMode = Schema.Literals(["shared", "per_member"]).annotate({
  identifier: "McpCredentialMode",
  description: "`shared`: one credential for everyone with a grant. `per_member`: each member's own credential."
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
    "The status for the caller. `not_connected`: no credential is set. `ready`: usable. `reconnect_required`: the credential no longer works. `review_required`: the server differs from its approved state; review the changes."
})
export type ConnectionStatus = typeof ConnectionStatus.Type

/** How the client id for the authorization server was obtained. */
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
  url: Schema.String.annotate({ description: "The URL of the server's endpoint." }),
  presetId: Schema.NullOr(Schema.String),
  authType: AuthType,
  credentialMode: CredentialMode,
  status: ConnectionStatus,
  statusReason: Schema.NullOr(Schema.String).annotate({
    description: "Why the connection is not ready, in one sentence."
  }),
  connectedForMe: Schema.Boolean.annotate({
    description:
      "Whether a credential is set for the caller: the shared one or their own. Always true for a connection without authentication."
  }),
  scopes: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description:
      "The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested."
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
  ).annotate({
    description: "The OAuth client that is used with the authorization server. Null until the first user connects."
  }),
  apiKeyHeader: Schema.NullOr(Schema.String).annotate({
    description: "For `apikey`: the header that contains the key."
  }),
  apiKeyScheme: Schema.NullOr(Schema.String).annotate({
    description: "For `apikey`: the authentication scheme before the key, such as `Bearer`. Null if there is no scheme."
  }),
  fingerprint: Schema.NullOr(Schema.String).annotate({
    description:
      "SHA-256 of the approved issuer, endpoints, scopes and tools. Null until the server has been inspected."
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
 * The endpoint of a server: an `https` URL, or another URL that the operator allows. It is checked again at every
 * request. The length limit applies to the percent-encoded URL, because servers are looked up by that form.
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
          : `must be at most ${urlLengthMax} characters after percent-encoding`
        : "must be an http or https URL without user info or a fragment"
    })
  )
  .annotate({ description: "An https URL. Plain http is accepted only if the operator allows it." })

const headerName = Text(1, 64).check(
  Schema.isPattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, { message: "must be a valid header name" }),
  Schema.makeFilter((name: string) =>
    /^(host|content-.*|transfer-encoding|connection|upgrade|accept|accept-encoding|cookie|origin|mcp-.*|proxy-.*)$/iu.test(
      name
    )
      ? "must not be a reserved header"
      : undefined
  )
)
const Scope = Text(1, 128).check(
  Schema.isPattern(/^[\x21\x23-\x5B\x5D-\x7E]+$/u, { message: "must be a single scope without spaces" })
)
const Scopes = Schema.Array(Scope).check(Schema.isMaxLength(64))

export const OAuthClientInput = Schema.Struct({
  clientId: Text(1, 2048),
  clientSecret: Schema.optionalKey(Text(1, 4096).annotate({ description: "Stored encrypted; never returned." }))
}).annotate({ identifier: "McpOAuthClientInput" })

const settings = {
  scopes: Schema.optionalKey(
    Schema.NullOr(Scopes).annotate({
      description:
        "The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested."
    })
  ),
  oauthClient: Schema.optionalKey(
    Schema.NullOr(OAuthClientInput).annotate({
      description: "An OAuth client that you have already registered with the authorization server."
    })
  ),
  apiKeyHeader: Schema.optionalKey(
    headerName.annotate({ description: "For `apikey`: the header that contains the key. Default: `authorization`." })
  ),
  apiKeyScheme: Schema.optionalKey(
    Schema.NullOr(Text(1, 32).check(Schema.isPattern(/^[A-Za-z0-9._-]+$/u))).annotate({
      description:
        "For `apikey`: the authentication scheme before the key. Default: `Bearer` in the `authorization` header, none in any other header."
    })
  )
}

export const CreateMcpConnection = Schema.Struct({
  name: Text(1, 255).annotate({ description: "Must be unique in the organization." }),
  url: EndpointUrl,
  presetId: Schema.optionalKey(
    Text(1, 64).annotate({
      description: "The id of a well-known server from `mcpConnections.listPresets`."
    })
  ),
  authType: AuthType,
  credentialMode: Schema.optionalKey(
    CredentialMode.annotate({
      description:
        "`shared`: one credential for everyone with a grant. `per_member`: each member's own credential. Default: `per_member` for OAuth, otherwise `shared`."
    })
  ),
  ...settings
}).annotate({ identifier: "CreateMcpConnection" })

export const UpdateMcpConnection = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Must be unique in the organization." })),
  url: Schema.optionalKey(EndpointUrl),
  authType: Schema.optionalKey(AuthType),
  credentialMode: Schema.optionalKey(CredentialMode),
  ...settings
}).annotate({ identifier: "UpdateMcpConnection" })

// Errors

/** The connection does not exist, belongs to another organization, or is not visible to the caller. */
export class ConnectionNotFound extends notFound("connection")<ConnectionNotFound>() {}
export class McpConnectionExists extends conflict(
  "mcp_connection_exists",
  "The organization already has an MCP connection with this name. Choose another name."
)<McpConnectionExists>() {}
export class McpConnectionGrantNotFound extends notFound("mcp_connection_grant")<McpConnectionGrantNotFound>() {}
/** 409: `message` begins with the cause: `not_connected`, `reconnect_required` or `review_required`. */
export class ConnectionNotReady extends notConnected(
  "connection_not_ready",
  "not_connected: The MCP connection has no credential. Connect it first."
)<ConnectionNotReady>() {}

/** The layers at which a server can fail. Each code belongs to one layer. */
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

/** A failure of another server: its cause, the layer, and what to do. */
export const Diagnostic = Schema.Struct({
  referenceId: Schema.String.annotate({
    description: "Identifies the entry in the server log. Contains no data from the call."
  }),
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
        "With `insufficient_scope`: the scopes that the server requires. `connectUrl` is present if reconnecting requests them."
    })
  ),
  connectUrl: Schema.optionalKey(
    Schema.String.annotate({ description: "The path of the operation that reconnects the connection." })
  ),
  httpStatus: Schema.optionalKey(Schema.Int.annotate({ description: "The status of this API's response." })),
  providerStatus: Schema.optionalKey(Schema.Int.annotate({ description: "The status that the MCP server returned." })),
  providerRequestId: Schema.optionalKey(Schema.String),
  providerCode: Schema.optionalKey(Schema.String),
  payloadBytes: Schema.optionalKey(Schema.Int),
  jsonRpcCode: Schema.optionalKey(Schema.Int),
  outbound: Schema.optionalKey(
    Schema.Struct({
      origin: Schema.String,
      pathHash: Schema.String.annotate({
        description: "SHA-256 of the path, 16 hex digits. The path itself could contain a secret."
      })
    })
  )
}).annotate({ identifier: "McpDiagnostic" })
export type Diagnostic = typeof Diagnostic.Type

/** 502: the MCP server or its authorization server failed. */
export class McpServerFailed extends badGatewayWith(
  "mcp_server_error",
  "The request to the MCP server failed. See diagnostic for the cause.",
  {
    diagnostic: Diagnostic
  }
)<McpServerFailed>() {}

// Operations

export const one = { connectionId: Ids.McpConnectionId }
export const at = "/v1/mcp-connections/:connectionId"
const read = Access.permission("mcpConnections:read")
const write = Access.permission("mcpConnections:write")
const manage = Access.permission("mcpConnections:manage")
export const ConnectionResponse = Schema.Struct({ mcpConnection: McpConnection })
const GrantResponse = Schema.Struct({ grant: McpConnectionGrant })

export const group = HttpApiGroup.make("mcpConnections")
  .annotateMerge(
    OpenApi.annotations({
      title: "MCP connections",
      description: "Discover, connect, monitor and test MCP servers."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/mcp-connections", {
      payload: CreateMcpConnection,
      success: ConnectionResponse.pipe(HttpApiSchema.status(201)),
      error: McpConnectionExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "mcp_connection.create",
        summary: "Create an MCP connection",
        description: "The connection is private, and the server is not contacted yet."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/mcp-connections", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(
          Text(1, 255).annotate({ description: "Filter by part of the name or of the URL. Case-insensitive." })
        ),
        url: Schema.optionalKey(
          EndpointUrl.annotate({
            description: "Only connections to the server with this URL. A trailing slash is ignored."
          })
        ),
        status: Schema.optionalKey(
          ConnectionStatus.annotate({ description: "Only connections with this status for the caller." })
        )
      },
      success: Page(McpConnection)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List MCP connections",
        description: "Returns the connections that the caller can see."
      })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: ConnectionResponse, error: ConnectionNotFound }).pipe(
      endpointMetadata({
        versioned: "match",
        access: read,
        summary: "Get an MCP connection"
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateMcpConnection,
      success: ConnectionResponse,
      error: [ConnectionNotFound, McpConnectionExists]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "mcp_connection.update",
        summary: "Update an MCP connection",
        description:
          "Requires manager access. Changing the URL, authentication type or credential mode deletes its credentials and the approved state of the server."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: ConnectionNotFound }).pipe(
      endpointMetadata({
        access: manage,
        versioned: true,
        audited: "mcp_connection.remove",
        summary: "Remove an MCP connection",
        description: "Also deletes its credentials and revokes its grants."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(McpConnectionGrant),
      error: ConnectionNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the access grants of an MCP connection" })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [GrantResponse.pipe(HttpApiSchema.status(201)), GrantResponse],
      error: ConnectionNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "mcp_connection.grant",
        summary: "Grant access to an MCP connection",
        description:
          "Returns 200 instead of 201 when the recipient already had a grant. The role of owner or admin is not enough to use the tools: owners and admins also need a grant for themselves, for one of their teams, or for the whole organization."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("emg") },
      success: NoContent,
      error: [ConnectionNotFound, McpConnectionGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "mcp_connection.revoke",
        summary: "Revoke access to an MCP connection",
        description: "The revoked grant is kept as history."
      })
    )
  )
