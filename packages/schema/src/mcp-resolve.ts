/** Resolution of a URL, host or product name to an MCP server and its requirements. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { RegistrationMethod } from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { Unavailable } from "./shared/errors.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text } from "./shared/values.ts"

/** A well-known server from a curated, dated list. */
export const Preset = Schema.Struct({
  presetId: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  url: Schema.String,
  requiresOAuthClient: Schema.Boolean.annotate({
    description: "Whether you must register an OAuth client with the provider yourself."
  })
}).annotate({ identifier: "McpPreset" })
export type Preset = typeof Preset.Type

export const ListedPreset = Schema.Struct({
  ...Preset.fields,
  checkedOn: Schema.String.annotate({ description: "The date of the last check, such as `2026-11-22`." })
}).annotate({ identifier: "ListedMcpPreset" })
export type ListedPreset = typeof ListedPreset.Type

export const AuthorizationServer = Schema.Struct({
  issuer: Schema.String,
  authorizationEndpoint: Schema.String,
  tokenEndpoint: Schema.String,
  registrationEndpoint: Schema.NullOr(Schema.String),
  clientIdMetadataDocumentSupported: Schema.Boolean,
  scopesSupported: Schema.Array(Schema.String),
  grantTypesSupported: Schema.Array(Schema.String),
  codeChallengeMethodsSupported: Schema.Array(Schema.String),
  tokenEndpointAuthMethodsSupported: Schema.Array(Schema.String)
}).annotate({ identifier: "McpAuthorizationServer" })
export type AuthorizationServer = typeof AuthorizationServer.Type

export const Discovery = Schema.Struct({
  server: Schema.Struct({
    url: Schema.String,
    protocolVersion: Schema.NullOr(Schema.String).annotate({
      description: "Null when the server does not reveal it without a credential."
    })
  }),
  authentication: Schema.NullOr(
    Schema.Struct({
      authorizationServers: Schema.Array(AuthorizationServer),
      requiredScopes: Schema.Array(Schema.String),
      recommendedScopes: Schema.Array(Schema.String),
      availableRegistrationMethods: Schema.Array(RegistrationMethod),
      resource: Schema.NullOr(Schema.String),
      protectedResourceMetadataUrl: Schema.NullOr(Schema.String)
    })
  ).annotate({ description: "Null when the server does not require a credential." }),
  tools: Schema.NullOr(
    Schema.Struct({
      count: Schema.Int,
      items: Schema.Array(
        Schema.Struct({
          name: Schema.String,
          readOnlyHint: Schema.Boolean,
          destructiveHint: Schema.Boolean,
          openWorldHint: Schema.Boolean
        })
      )
    })
  ).annotate({ description: "At most 100 tools. Null when the server does not list them without a credential." }),
  manualRequirements: Schema.Array(
    Schema.Struct({
      code: Schema.String,
      label: Schema.String,
      reason: Schema.String,
      required: Schema.Boolean
    })
  ),
  warnings: Schema.Array(Schema.Struct({ code: Schema.String, message: Schema.String }))
}).annotate({ identifier: "McpDiscovery" })
export type Discovery = typeof Discovery.Type

export const Resolution = Schema.Struct({
  resolution: Schema.Literals(["preset", "discovered", "not_found"]),
  attempted: Schema.Array(Schema.String).annotate({
    description: "The URLs that were tried, in order, with the results: `https://mcp.example/mcp: 404`."
  }),
  attempts: Schema.Array(
    Schema.Struct({
      url: Schema.String.annotate({ description: "The URL. The values of its query parameters are removed." }),
      redirectedTo: Schema.NullOr(Schema.String).annotate({
        description: "The redirect target, if a server responded there."
      }),
      result: Schema.String.annotate({ description: "The result, such as `supports MCP 2026-07-28` or `404`." })
    })
  ).annotate({
    description: "The attempts in `attempted`, as objects. Empty if the query is not an allowed URL or host."
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why no server was found. Null if one was found." }),
  preset: Schema.optionalKey(Preset),
  match: Schema.optionalKey(
    Schema.Struct({
      url: Schema.String,
      suggestedName: Schema.String,
      discovery: Discovery
    })
  )
}).annotate({ identifier: "McpResolution" })
export type Resolution = typeof Resolution.Type

export const Resolve = Schema.Struct({
  query: Text(1, 200).annotate({ description: "A URL, a host, or the name of a product." })
}).annotate({ identifier: "ResolveMcp" })

/** More operations of the group `mcpConnections`. */
export const endpoints = [
  HttpApiEndpoint.get("listPresets", "/v1/mcp-connections/presets", {
    query: {
      ...pageQuery,
      q: Schema.optionalKey(
        Text(1, 255).annotate({ description: "Filter by part of the name, id or host. Case-insensitive." })
      )
    },
    success: Page(ListedPreset)
  }).pipe(
    endpointMetadata({
      access: Access.permission("mcpConnections:read"),
      paged: true,
      summary: "List the well-known MCP servers",
      description: "Ordered by name."
    })
  ),
  HttpApiEndpoint.post("resolve", "/v1/mcp-connections/resolve", {
    payload: Resolve,
    success: Resolution,
    error: Unavailable
  }).pipe(
    endpointMetadata({
      access: Access.permission("mcp:resolve"),
      specified: true,
      idempotency: "none",
      summary: "Find the MCP server for a URL, host or product name",
      description:
        "Also returns the server's requirements. Does not create or store anything, and does not register an OAuth client. Tries at most five URLs, for up to 8 seconds each and 15 seconds in total. Limit per organization: 30 queries per minute and 3 concurrent queries. A query that is queued for more than 30 seconds returns 503."
    })
  )
] as const
