/** Plugins: sets of config objects that belong together. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConfigObject } from "./config-objects.ts"
import * as Archives from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { changed, created, Done, found, manners } from "./shared/endpoint.ts"
import { notFound, Unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

/** What a plugin says of itself, in our own form. */
export const Manifest = Schema.Struct({
  schemaVersion: Schema.Int,
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  source: Schema.Struct({ trusted: Schema.Boolean, reference: Schema.String }),
  resources: Schema.Array(JsonObject),
  contributions: Schema.Array(JsonObject),
  setup: JsonObject,
  lifecycle: JsonObject
}).annotate({ identifier: "PluginManifest" })
export type Manifest = typeof Manifest.Type

export const Extension = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  manifest: Manifest
}).annotate({ identifier: "PluginExtension" })

const members = {
  id: Ids.PluginId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: Schema.NullOr(Timestamp),
  memberCount: Schema.Int.annotate({ description: "Config objects in it." }),
  marketplaces: Schema.Array(Schema.Struct({ id: Ids.MarketplaceId, name: Schema.String })).annotate({
    description: "Those the caller can see."
  }),
  extension: Schema.NullOr(Extension)
}

export const Plugin = Schema.Struct(members).annotate({ identifier: "Plugin" })
export type Plugin = typeof Plugin.Type
export const pluginMembers = members

/** A config object in a plugin. */
export const PluginMembership = Schema.Struct({
  id: Ids.PluginMembershipId,
  pluginId: Ids.PluginId,
  configObjectId: Ids.ConfigObjectId,
  connectorMappingId: Schema.NullOr(Ids.ConnectorMappingId),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp),
  configObject: ConfigObject
}).annotate({ identifier: "PluginMembership" })
export type PluginMembership = typeof PluginMembership.Type

export const PluginGrant = Grants.Grant("pag", "PluginGrant")

export const CreatePlugin = Schema.Struct({
  name: Text(1, 255),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "CreatePlugin" })

export class PluginNotFound extends notFound("plugin")<PluginNotFound>() {}
export class PluginGrantNotFound extends notFound("plugin_grant")<PluginGrantNotFound>() {}

const one = { pluginId: Ids.PluginId }
const at = "/v1/plugins/:pluginId"
const read = Access.permission("plugins:read")
const write = Access.permission("plugins:write")

export const group = HttpApiGroup.make("plugins")
  .annotateMerge(
    OpenApi.annotations({ title: "Plugins", description: "Sets of config objects, imported or made here." })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/plugins", {
      payload: CreatePlugin,
      success: created(Plugin)
    }).pipe(manners({ access: write, audited: "plugin.create", summary: "Creates an empty private plugin." })),
    HttpApiEndpoint.get("list", "/v1/plugins", {
      query: {
        ...pageQuery,
        marketplaceId: Schema.optionalKey(Ids.MarketplaceId),
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the name, in any case." }))
      },
      success: Page(Plugin)
    }).pipe(manners({ access: read, paged: true, summary: "Lists the plugins the caller can see." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: found(Plugin),
      error: PluginNotFound
    }).pipe(manners({ access: read, specified: true, summary: "Gets one plugin when the caller can see it." })),
    HttpApiEndpoint.get("listObjects", `${at}/config-objects`, {
      params: one,
      query: pageQuery,
      success: Page(PluginMembership),
      error: PluginNotFound
    }).pipe(
      manners({
        access: read,
        specified: true,
        paged: true,
        summary: "Lists what is in a plugin, with each config object and its latest version."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(PluginGrant),
      error: PluginNotFound
    }).pipe(manners({ access: read, paged: true, summary: "Lists the grants of a plugin." })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [created(PluginGrant), changed(PluginGrant)],
      error: PluginNotFound
    }).pipe(
      manners({
        access: read,
        audited: "plugin.grant",
        summary: "Grants access to a plugin and what is in it; 200 when the receiver had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("pag") },
      success: Done,
      error: [PluginNotFound, PluginGrantNotFound]
    }).pipe(manners({ access: read, audited: "plugin.revoke", summary: "Revokes one grant; it is kept as history." })),
    HttpApiEndpoint.get("download", `${at}/archive`, {
      params: one,
      success: Archives.Archive,
      error: [PluginNotFound, Archives.PluginArchiveRefused, Archives.PluginArchiveTooLarge, Unavailable]
    }).pipe(
      manners({
        access: read,
        versioned: true,
        summary: "Downloads a plugin as agents install it, as a tar.gz.",
        description: Archives.described
      })
    ),
    HttpApiEndpoint.get("downloadLinked", "/v1/plugin-archives/:pluginId", {
      params: one,
      query: Archives.LinkQuery,
      success: Archives.Archive,
      error: [Archives.PluginArchiveNotFound, Unavailable]
    }).pipe(
      manners({
        access: Access.anyone,
        versioned: true,
        summary: "Downloads a plugin by a link of `marketplace.json`, without a credential.",
        description: Archives.described
      })
    )
  )
