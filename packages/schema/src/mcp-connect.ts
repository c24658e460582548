/** How a connection gets its credential: OAuth in a browser, or a key. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import {
  at,
  ConnectionAnswer,
  ConnectionNotFound,
  ConnectionNotReady,
  McpServerFailed,
  one
} from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { callbackQuery, callbackSuccess, ReturnTo, StartedConnect } from "./shared/oauth.ts"
import { Text } from "./shared/values.ts"

/** What an authorization server reads of us when our client id is this document's address. */
export const ClientMetadata = Schema.Struct({
  client_id: Schema.String.annotate({ description: "The address of this document." }),
  client_name: Schema.String,
  client_uri: Schema.String,
  redirect_uris: Schema.Array(Schema.String),
  grant_types: Schema.Array(Schema.String),
  response_types: Schema.Array(Schema.String),
  token_endpoint_auth_method: Schema.Literal("none")
}).annotate({ identifier: "McpClientMetadata" })

export const CompleteConnect = Schema.Struct({
  state: Text(1, 255),
  code: Text(1, 4096),
  iss: Schema.optionalKey(Text(1, 2048).annotate({ description: "The issuer, where the browser brought one." }))
}).annotate({ identifier: "CompleteConnect" })

export const SetApiKey = Schema.Struct({
  apiKey: Text(1, 4096)
    .check(Schema.isPattern(/^[\x21-\x7E]+$/u, { message: "must be printable ASCII without spaces" }))
    .annotate({ description: "Kept sealed; never answered." })
}).annotate({ identifier: "SetMcpApiKey" })

const read = Access.permission("mcpConnections:read")

/** Operations of the group `mcpConnections`. */
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
      summary: "Begins to connect by OAuth; a key cannot.",
      description:
        "Open `url` in a browser. The authorization server sends it to our callback, which stores nothing: hand `state`, `code` and `iss` to the completion within ten minutes, in the same session. A shared credential takes a manager, one's own a viewer."
    })
  ),
  HttpApiEndpoint.post("completeConnect", `${at}/connect/complete`, {
    params: one,
    payload: CompleteConnect,
    success: ConnectionAnswer,
    error: [ConnectionNotFound, ConnectionNotReady, McpServerFailed]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.connect",
      summary: "Exchanges what the browser brought back for a credential, and keeps it sealed."
    })
  ),
  HttpApiEndpoint.put("setApiKey", `${at}/api-key`, {
    params: one,
    payload: SetApiKey,
    success: ConnectionAnswer,
    error: [ConnectionNotFound, ConnectionNotReady]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.connect",
      summary: "Connects by a key: the shared one by a manager, their own by any member with a grant.",
      description: "The server is asked once; a key that it refuses is 400 and not kept."
    })
  ),
  HttpApiEndpoint.post("disconnect", `${at}/disconnect`, {
    params: one,
    success: ConnectionAnswer,
    error: ConnectionNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "mcp_connection.disconnect",
      summary: "Deletes the shared credential, or the caller's own; twice changes nothing."
    })
  ),
  HttpApiEndpoint.get("callback", "/v1/mcp-connections/callback", {
    query: callbackQuery,
    success: callbackSuccess
  }).pipe(
    endpointMetadata({
      access: Access.state,
      summary: "Where a browser comes back to; stores nothing.",
      description:
        "Sends the browser on to the `returnTo` of the start with state, code and issuer, or shows what to hand to the completion."
    })
  ),
  HttpApiEndpoint.get("clientMetadata", "/v1/mcp-connections/client-metadata.json", {
    success: ClientMetadata
  }).pipe(
    endpointMetadata({
      access: Access.anyone,
      summary: "Who we are to authorization servers: our client id is the address of this document."
    })
  )
] as const
