/** From what people type to an MCP server and what it asks for. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { RegistrationMethod } from "./mcp-connections.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { Unavailable } from "./shared/errors.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text } from "./shared/values.ts"

/** A server that is known well; the list is curated and dated. */
export const Preset = Schema.Struct({
  presetId: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  url: Schema.String,
  requiresOAuthClient: Schema.Boolean.annotate({ description: "A client has to be registered there by hand." })
}).annotate({ identifier: "McpPreset" })
export type Preset = typeof Preset.Type

export const ListedPreset = Schema.Struct({
  ...Preset.fields,
  checkedOn: Schema.String.annotate({ description: "The day on which somebody looked, as 2026-11-22." })
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
      description: "Null where it tells nobody without a credential."
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
  ).annotate({ description: "Null: it answers without a credential." }),
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
  ).annotate({ description: "Null where they cannot be seen without a credential; at most 100 are shown." }),
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
    description: "What was tried, in order, with what came of it: `https://mcp.example/mcp: 404`."
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why nothing was found." }),
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
  query: Text(1, 200).annotate({ description: "An address, a host, or the name of a product." })
}).annotate({ identifier: "ResolveMcp" })

/** Operations of the group `mcpConnections`. */
export const endpoints = [
  HttpApiEndpoint.get("listPresets", "/v1/mcp-connections/presets", {
    query: { ...pageQuery, q: Schema.optionalKey(Text(1, 255)) },
    success: Page(ListedPreset)
  }).pipe(
    endpointMetadata({
      access: Access.permission("mcpConnections:read"),
      paged: true,
      summary: "Lists the servers that are known well, by name."
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
      summary: "Finds the MCP server that an address, a host or a name means, and what it asks for.",
      description:
        "Registers nothing, stores nothing, creates nothing. At most five addresses are tried, 8 seconds each and 15 in all, and 30 queries a minute in an organization, three of them at once; one that waits 30 seconds for its turn is 503."
    })
  )
] as const
