/** Credentials of MCP connections: OAuth in a browser, or an API key. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import {
  at,
  ConnectionResponse,
  ConnectionNotFound,
  ConnectionNotReady,
  McpServerFailed,
  one
} from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { callbackQuery, callbackSuccess, ReturnTo, StartedConnect } from "./shared/oauth.ts"
import { Text } from "./shared/values.ts"

/** The client metadata that an authorization server reads when the client id is the URL of this document. */
export const ClientMetadata = Schema.Struct({
  client_id: Schema.String.annotate({ description: "The URL of this document." }),
  client_name: Schema.String,
  client_uri: Schema.String,
  redirect_uris: Schema.Array(Schema.String),
  grant_types: Schema.Array(Schema.String),
  response_types: Schema.Array(Schema.String),
  token_endpoint_auth_method: Schema.Literal("none")
}).annotate({ identifier: "McpClientMetadata" })

export const CompleteConnect = Schema.Struct({
  state: Text(1, 255).annotate({ description: "The `state` from the redirect." }),
  code: Text(1, 4096).annotate({ description: "The authorization code from the redirect." }),
  iss: Schema.optionalKey(
    Text(1, 2048).annotate({ description: "The issuer, if the authorization server returned one." })
  )
}).annotate({ identifier: "CompleteConnect" })

export const SetApiKey = Schema.Struct({
  apiKey: Text(1, 4096)
    .check(Schema.isPattern(/^[\x21-\x7E]+$/u, { message: "must be printable ASCII without spaces" }))
    .annotate({ description: "Stored encrypted; never returned." })
}).annotate({ identifier: "SetMcpApiKey" })

const read = Access.permission("mcpConnections:read")

/** More operations of the group `mcpConnections`. */
export const endpoints = [
  HttpApiEndpoint.post("startConnect", `${at}/connect/start`, {
    params: one,
    payload: Schema.Struct({ returnTo: Schema.optionalKey(ReturnTo) }).annotate({ identifier: "StartMcpConnect" }),
    success: Schema.Struct({ connect: StartedConnect }),
    error: [ConnectionNotFound, ConnectionNotReady, McpServerFailed]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.start_connect",
      idempotency: "fact",
      holdsSecret: true,
      summary: "Start the OAuth flow of an MCP connection",
      description:
        "Not available to API keys. Open `url` in a browser. The authorization server redirects the browser to the callback, which stores nothing. Pass `state`, `code` and `iss` to `mcpConnections.completeConnect` within ten minutes, in the same session. Connecting a shared credential requires manager access; connecting your own requires viewer access."
    })
  ),
  HttpApiEndpoint.post("completeConnect", `${at}/connect/complete`, {
    params: one,
    payload: CompleteConnect,
    success: ConnectionResponse,
    error: [ConnectionNotFound, ConnectionNotReady, McpServerFailed]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.connect",
      summary: "Complete the OAuth flow of an MCP connection",
      description: "Exchanges the authorization code for a credential and stores it encrypted."
    })
  ),
  HttpApiEndpoint.put("setApiKey", `${at}/api-key`, {
    params: one,
    payload: SetApiKey,
    success: ConnectionResponse,
    error: [ConnectionNotFound, ConnectionNotReady]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.connect",
      summary: "Set the API key of an MCP connection",
      description:
        "Setting a shared key requires manager access; any member with a grant can set their own key. The key is checked once with the MCP server. If the server rejects it, returns 400 and does not store the key."
    })
  ),
  HttpApiEndpoint.post("disconnect", `${at}/disconnect`, {
    params: one,
    success: ConnectionResponse,
    error: ConnectionNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.disconnect",
      summary: "Disconnect an MCP connection",
      description: "Deletes the shared credential, or the caller's own if `credentialMode` is `per_member`. Idempotent."
    })
  ),
  HttpApiEndpoint.get("callback", "/v1/mcp-connections/callback", {
    query: callbackQuery,
    success: callbackSuccess
  }).pipe(
    endpointMetadata({
      access: Access.state,
      summary: "Receive the browser's redirect from an authorization server",
      description:
        "Stores nothing. Redirects the browser to the `returnTo` URL from `startConnect` with the state, code and issuer. Without `returnTo`, shows the values to pass to `completeConnect`."
    })
  ),
  HttpApiEndpoint.get("clientMetadata", "/v1/mcp-connections/client-metadata.json", {
    success: ClientMetadata
  }).pipe(
    endpointMetadata({
      access: Access.anyone,
      summary: "Get the OAuth client metadata document",
      description: "The client id is the URL of this document."
    })
  )
] as const
