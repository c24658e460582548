/** Marketplaces: sets of plugins that are offered to members. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { MarketplaceManifest } from "./marketplace-manifest.ts"
import { ArchiveFormat } from "./plugin-archives.ts"
import { Plugin, pluginMembers, PluginNotFound } from "./plugins.ts"
import * as Access from "./shared/auth.ts"
import { updatedResponse, createdResponse, NoContent, itemResponse, endpointMetadata } from "./shared/endpoint.ts"
import { notFound, Unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Name } from "./shared/names.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { QueryFlag, Text, Timestamp } from "./shared/values.ts"

export const Marketplace = Schema.Struct({
  id: Ids.MarketplaceId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  logoUrl: Schema.NullOr(Schema.String),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  archivedAt: Schema.NullOr(Timestamp).annotate({
    description:
      "When it was archived. An archived marketplace is hidden from lists, and its plugins are not visible through it."
  }),
  deletedAt: Schema.NullOr(Timestamp),
  canDelete: Schema.Boolean.annotate({
    description: "Whether the caller can delete the marketplace: a manager can, unless a connector manages it."
  }),
  pluginCount: Schema.Int
}).annotate({ identifier: "Marketplace" })
export type Marketplace = typeof Marketplace.Type

/** The membership of a plugin in a marketplace. */
export const MarketplaceMembership = Schema.Struct({
  id: Ids.MarketplaceMembershipId,
  marketplaceId: Ids.MarketplaceId,
  pluginId: Ids.PluginId,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp),
  plugin: Plugin
}).annotate({ identifier: "MarketplaceMembership" })
export type MarketplaceMembership = typeof MarketplaceMembership.Type

/** An MCP server that a plugin requires, and whether the caller can use it. */
export const ReadinessConnection = Schema.Struct({
  configObjectId: Ids.ConfigObjectId,
  id: Schema.NullOr(Ids.McpConnectionId),
  name: Schema.String,
  serverName: Schema.String,
  url: Schema.NullOr(Schema.String),
  authTypeMismatch: Schema.Boolean,
  connectedForMe: Schema.Boolean,
  oauthClientConfigured: Schema.Boolean,
  oauthClientRequired: Schema.Boolean
}).annotate({ identifier: "ReadinessConnection" })

export const CloudReadiness = Schema.Struct({
  state: Schema.Literals(["ready", "needs_signin", "needs_admin_setup", "desktop_only", "not_synced"]),
  nextAction: Schema.NullOr(Schema.String).annotate({ description: "How to make it ready, in one sentence." }),
  hasInstructional: Schema.Boolean.annotate({
    description: "Whether it contains skills, agents, commands or context."
  }),
  connections: Schema.Array(ReadinessConnection)
}).annotate({ identifier: "CloudReadiness" })

export const ComponentCounts = Schema.Struct({
  skill: Schema.Int,
  agent: Schema.Int,
  command: Schema.Int,
  tool: Schema.Int,
  mcp: Schema.Int,
  hook: Schema.Int,
  context: Schema.Int,
  custom: Schema.Int
}).annotate({ identifier: "ComponentCounts" })
export type ComponentCounts = typeof ComponentCounts.Type

export const ResolvedPlugin = Schema.Struct({
  ...pluginMembers,
  componentCounts: ComponentCounts,
  cloudReadiness: CloudReadiness
}).annotate({ identifier: "ResolvedPlugin" })
export type ResolvedPlugin = typeof ResolvedPlugin.Type

export const MarketplaceSource = Schema.Struct({
  connectorAccountId: Ids.ConnectorAccountId,
  connectorInstanceId: Ids.ConnectorInstanceId,
  accountLogin: Schema.String,
  repositoryFullName: Schema.String,
  branch: Schema.String
}).annotate({ identifier: "MarketplaceSource" })

export const ResolvedMarketplace = Schema.Struct({
  marketplace: Marketplace,
  plugins: Schema.Array(ResolvedPlugin),
  source: Schema.NullOr(MarketplaceSource)
}).annotate({ identifier: "ResolvedMarketplace" })
export type ResolvedMarketplace = typeof ResolvedMarketplace.Type

export const MarketplaceGrant = Grants.Grant("mag", "MarketplaceGrant")

export const LogoUrl = Text(1, 2048)
  .check(
    Schema.makeFilter((url: string) =>
      url.startsWith("https://") && URL.canParse(url)
        ? undefined
        : "must be the URL of an image and start with https://"
    )
  )
  .annotate({ description: "The https URL of an image." })

export const CreateMarketplace = Schema.Struct({
  name: Name(1, 255),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  logoUrl: Schema.optionalKey(Schema.NullOr(LogoUrl))
}).annotate({ identifier: "CreateMarketplace" })

export const UpdateMarketplace = Schema.Struct({
  name: Schema.optionalKey(Name(1, 255)),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  logoUrl: Schema.optionalKey(Schema.NullOr(LogoUrl))
}).annotate({ identifier: "UpdateMarketplace" })

export const AddPlugin = Schema.Struct({ pluginId: Ids.PluginId }).annotate({ identifier: "AddPlugin" })

/** The plugin and the marketplace exist and are visible, but the plugin is not in the marketplace. */
export class PluginNotInMarketplace extends notFound("marketplace_membership")<PluginNotInMarketplace>() {}
export class MarketplaceNotFound extends notFound("marketplace")<MarketplaceNotFound>() {}
export class MarketplaceGrantNotFound extends notFound("marketplace_grant")<MarketplaceGrantNotFound>() {}

const one = { marketplaceId: Ids.MarketplaceId }
const at = "/v1/marketplaces/:marketplaceId"
const read = Access.permission("marketplaces:read")
const write = Access.permission("marketplaces:write")

export const group = HttpApiGroup.make("marketplaces")
  .annotateMerge(
    OpenApi.annotations({
      title: "Marketplaces",
      description: "Collections of plugins, access to them, and the setup that each plugin still requires."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/marketplaces", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." })),
        archived: Schema.optionalKey(
          QueryFlag.annotate({ description: "`true` includes archived marketplaces. Default: `false`." })
        )
      },
      success: Page(Marketplace)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List marketplaces",
        description: "Returns the marketplaces that the caller can see."
      })
    ),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: itemResponse(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        versioned: "match",
        access: read,
        summary: "Get a marketplace"
      })
    ),
    HttpApiEndpoint.get("listPlugins", `${at}/plugins`, {
      params: one,
      query: pageQuery,
      success: Page(MarketplaceMembership),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        paged: true,
        summary: "List the plugins of a marketplace"
      })
    ),
    HttpApiEndpoint.get("resolved", `${at}/resolved`, {
      params: one,
      success: updatedResponse(ResolvedMarketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        summary: "Get a marketplace with its plugins",
        description:
          "Includes the repository that the marketplace was imported from, and the setup that each plugin still requires."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(MarketplaceGrant),
      error: MarketplaceNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the access grants of a marketplace" })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [createdResponse(MarketplaceGrant), updatedResponse(MarketplaceGrant)],
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "marketplace.grant",
        summary: "Grant access to a marketplace",
        description:
          "The grant covers everything in the marketplace. Returns 200 instead of 201 when the recipient already had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("mag") },
      success: NoContent,
      error: [MarketplaceNotFound, MarketplaceGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        audited: "marketplace.revoke",
        summary: "Revoke access to a marketplace",
        description: "The revoked grant is kept as history."
      })
    ),
    HttpApiEndpoint.post("create", "/v1/marketplaces", {
      payload: CreateMarketplace,
      success: createdResponse(Marketplace)
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.create",
        summary: "Create a marketplace",
        description: "The new marketplace is empty and private."
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateMarketplace,
      success: updatedResponse(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "marketplace.update",
        summary: "Update a marketplace",
        description:
          "Changes the name, description or logo. If a connector created the marketplace, its name and description come from the repository and cannot be changed (403 `managed_by_connector`)."
      })
    ),
    HttpApiEndpoint.post("archive", `${at}/archive`, {
      params: one,
      success: updatedResponse(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.archive",
        summary: "Archive a marketplace",
        description:
          "Hides the marketplace from lists; its plugins are not visible through it. Its plugins and grants are kept."
      })
    ),
    HttpApiEndpoint.post("restore", `${at}/restore`, {
      params: one,
      success: updatedResponse(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.restore",
        summary: "Restore an archived marketplace",
        description: "Makes the marketplace visible again to everyone it is shared with."
      })
    ),
    HttpApiEndpoint.post("addPlugin", `${at}/plugins`, {
      params: one,
      payload: AddPlugin,
      success: [createdResponse(MarketplaceMembership), updatedResponse(MarketplaceMembership)],
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.add_plugin",
        summary: "Add a plugin to a marketplace",
        description:
          "Requires editor access to the marketplace and manager access to the plugin, because everyone who can see the marketplace can then see the plugin. Returns 200 instead of 201 when the plugin is already in the marketplace."
      })
    ),
    HttpApiEndpoint.delete("removePlugin", `${at}/plugins/:pluginId`, {
      params: { ...one, pluginId: Ids.PluginId },
      success: NoContent,
      error: [MarketplaceNotFound, PluginNotFound, PluginNotInMarketplace]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.remove_plugin",
        summary: "Remove a plugin from a marketplace",
        description: "The plugin itself is kept."
      })
    ),
    HttpApiEndpoint.get("manifest", `${at}/marketplace.json`, {
      params: one,
      query: {
        format: Schema.optionalKey(
          ArchiveFormat.annotate({ description: "The format of the linked archives. Default: `zip`." })
        )
      },
      success: MarketplaceManifest,
      error: [MarketplaceNotFound, Unavailable]
    }).pipe(
      endpointMetadata({
        access: read,
        versioned: true,
        summary: "Get the marketplace manifest (`marketplace.json`) for Claude Code",
        description:
          "Each plugin has a link to its archive. The links require no credential, are valid for 55 to 60 minutes, and stop working when the caller can no longer see the plugin or its content changes. Plugins for which no archive file can be created are omitted. If many archives must be created first, the response is 503 with `Retry-After`; the next request continues where this one stopped."
      })
    )
  )
