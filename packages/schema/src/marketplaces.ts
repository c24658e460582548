/** Marketplaces: the sets of plugins that people are offered. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { MarketplaceManifest } from "./marketplace-manifest.ts"
import { ArchiveFormat } from "./plugin-archives.ts"
import { Plugin, pluginMembers, PluginNotFound } from "./plugins.ts"
import * as Access from "./shared/auth.ts"
import { changed, created, Done, found, endpointMetadata } from "./shared/endpoint.ts"
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
    description: "Since when it is hidden from lists, and shows nobody its plugins."
  }),
  deletedAt: Schema.NullOr(Timestamp),
  canDelete: Schema.Boolean.annotate({
    description: "The caller manages it and no connector drives it."
  }),
  pluginCount: Schema.Int
}).annotate({ identifier: "Marketplace" })
export type Marketplace = typeof Marketplace.Type

/** A plugin in a marketplace. */
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

/** An MCP server that a plugin asks for, and how far the caller is from using it. */
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
  nextAction: Schema.NullOr(Schema.String).annotate({ description: "What to do to get it ready, in one sentence." }),
  hasInstructional: Schema.Boolean.annotate({ description: "Holds skills, agents, commands or context." }),
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

const LogoUrl = Text(1, 2048)
  .check(
    Schema.makeFilter((url: string) =>
      url.startsWith("https://") && URL.canParse(url)
        ? undefined
        : "must be the address of an image, beginning with https://"
    )
  )
  .annotate({ description: "The https address of an image." })

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

/** Both are there and visible, and the one is not in the other. */
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
      description: "Sets of plugins, who is offered them, what is missing."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/marketplaces", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255)),
        archived: Schema.optionalKey(QueryFlag.annotate({ description: "`true` shows archived ones too." }))
      },
      success: Page(Marketplace)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the marketplaces the caller can see." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: found(Marketplace),
      error: MarketplaceNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Gets one marketplace." })),
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
        summary: "Lists the plugins of a marketplace."
      })
    ),
    HttpApiEndpoint.get("resolved", `${at}/resolved`, {
      params: one,
      success: changed(ResolvedMarketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        summary: "Gets a marketplace with its plugins, where they come from, and what each still needs."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(MarketplaceGrant),
      error: MarketplaceNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the grants of a marketplace." })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [created(MarketplaceGrant), changed(MarketplaceGrant)],
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "marketplace.grant",
        summary: "Grants access to a marketplace and all in it; 200 when the receiver had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("mag") },
      success: Done,
      error: [MarketplaceNotFound, MarketplaceGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        audited: "marketplace.revoke",
        summary: "Revokes one grant; it is kept as history."
      })
    ),
    HttpApiEndpoint.post("create", "/v1/marketplaces", {
      payload: CreateMarketplace,
      success: created(Marketplace)
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.create",
        summary: "Creates an empty private marketplace."
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateMarketplace,
      success: changed(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "marketplace.update",
        summary: "Renames or describes a marketplace, or changes its logo.",
        description:
          "Name and description of one that a connector made are the repository's: 403 `managed_by_connector`."
      })
    ),
    HttpApiEndpoint.post("archive", `${at}/archive`, {
      params: one,
      success: changed(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.archive",
        summary: "Hides a marketplace from lists; it shows nobody its plugins, and keeps them and its grants."
      })
    ),
    HttpApiEndpoint.post("restore", `${at}/restore`, {
      params: one,
      success: changed(Marketplace),
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.restore",
        summary: "Offers an archived marketplace again to whom it was shared with."
      })
    ),
    HttpApiEndpoint.post("addPlugin", `${at}/plugins`, {
      params: one,
      payload: AddPlugin,
      success: [created(MarketplaceMembership), changed(MarketplaceMembership)],
      error: MarketplaceNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.add_plugin",
        summary: "Puts a plugin into a marketplace; 200 when it is in there.",
        description:
          "Whoever sees the marketplace sees it then: this takes an editor of the marketplace and a manager of the plugin."
      })
    ),
    HttpApiEndpoint.delete("removePlugin", `${at}/plugins/:pluginId`, {
      params: { ...one, pluginId: Ids.PluginId },
      success: Done,
      error: [MarketplaceNotFound, PluginNotFound, PluginNotInMarketplace]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "marketplace.remove_plugin",
        summary: "Takes a plugin out of a marketplace; the plugin stays."
      })
    ),
    HttpApiEndpoint.get("manifest", `${at}/marketplace.json`, {
      params: one,
      query: {
        format: Schema.optionalKey(
          ArchiveFormat.annotate({ description: "The format of the linked archives. Default: zip." })
        )
      },
      success: MarketplaceManifest,
      error: [MarketplaceNotFound, Unavailable]
    }).pipe(
      endpointMetadata({
        access: read,
        versioned: true,
        summary: "A marketplace as agents read it, each plugin with a link to its archive.",
        description:
          "The links need no credential, are good for 55 to 60 minutes, and end when the caller no longer sees the plugin or its content changes. A plugin of which no archive can be made is left out. Where many archives are made for the first time it is 503 with `Retry-After`, and the next request goes on."
      })
    )
  )
