/** Plugins: sets of config objects that belong together. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  ConfigObject,
  ConfigObjectArchived,
  ConfigObjectNotFound,
  ObjectNotInPlugin,
  PluginNotFound,
  pluginPlacement
} from "./config-objects.ts"
import * as Archives from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { changed, created, Done, found, endpointMetadata } from "./shared/endpoint.ts"
import { notFound, Unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Name } from "./shared/names.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"

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
  archivedAt: Schema.NullOr(Timestamp).annotate({
    description: "Since when it is hidden from lists and marketplaces, and shows nobody what is in it."
  }),
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
  ...pluginPlacement,
  configObject: ConfigObject
}).annotate({ identifier: "PluginMembership" })
export type PluginMembership = typeof PluginMembership.Type

export { PluginNotFound }

export const PluginGrant = Grants.Grant("pag", "PluginGrant")

export const CreatePlugin = Schema.Struct({
  name: Name(1, 255),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "CreatePlugin" })

export const UpdatePlugin = Schema.Struct({
  name: Schema.optionalKey(Name(1, 255)),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "UpdatePlugin" })

export const AddObject = Schema.Struct({ configObjectId: Ids.ConfigObjectId }).annotate({ identifier: "AddObject" })

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
    }).pipe(endpointMetadata({ access: write, audited: "plugin.create", summary: "Creates an empty private plugin." })),
    HttpApiEndpoint.get("list", "/v1/plugins", {
      query: {
        ...pageQuery,
        marketplaceId: Schema.optionalKey(Ids.MarketplaceId),
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the name, in any case." })),
        archived: Schema.optionalKey(QueryFlag.annotate({ description: "`true` shows archived ones too." }))
      },
      success: Page(Plugin)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the plugins the caller can see." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: found(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({ access: read, specified: true, summary: "Gets one plugin when the caller can see it." })
    ),
    HttpApiEndpoint.get("listObjects", `${at}/config-objects`, {
      params: one,
      query: pageQuery,
      success: Page(PluginMembership),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
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
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the grants of a plugin." })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [created(PluginGrant), changed(PluginGrant)],
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "plugin.grant",
        summary: "Grants access to a plugin and what is in it; 200 when the receiver had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("pag") },
      success: Done,
      error: [PluginNotFound, PluginGrantNotFound]
    }).pipe(
      endpointMetadata({ access: read, audited: "plugin.revoke", summary: "Revokes one grant; it is kept as history." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdatePlugin,
      success: changed(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "plugin.update",
        summary: "Renames or describes a plugin that no connector drives."
      })
    ),
    HttpApiEndpoint.post("archive", `${at}/archive`, {
      params: one,
      success: changed(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.archive",
        summary: "Hides a plugin from lists and marketplaces, and what is in it with it; it keeps its grants."
      })
    ),
    HttpApiEndpoint.post("restore", `${at}/restore`, {
      params: one,
      success: changed(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.restore",
        summary: "Shows an archived plugin again, where it was."
      })
    ),
    HttpApiEndpoint.post("addObject", `${at}/config-objects`, {
      params: one,
      payload: AddObject,
      success: [created(PluginMembership), changed(PluginMembership)],
      error: [PluginNotFound, ConfigObjectArchived]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.add_object",
        summary: "Puts a config object into a plugin; 200 when it is in there.",
        description:
          "Whoever sees the plugin sees it then: this takes an editor of the plugin and a manager of the object."
      })
    ),
    HttpApiEndpoint.delete("removeObject", `${at}/config-objects/:configObjectId`, {
      params: { ...one, configObjectId: Ids.ConfigObjectId },
      success: Done,
      error: [PluginNotFound, ConfigObjectNotFound, ObjectNotInPlugin]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.remove_object",
        summary: "Takes a config object out of a plugin; the object stays."
      })
    ),
    HttpApiEndpoint.get("download", `${at}/archive`, {
      params: one,
      query: { format: Schema.optionalKey(Archives.ArchiveFormat.annotate({ description: "Default: tar.gz." })) },
      success: Archives.Archive,
      error: [
        PluginNotFound,
        Archives.PluginArchiveNotFound,
        Archives.PluginArchiveRefused,
        Archives.PluginArchiveTooLarge,
        Unavailable
      ]
    }).pipe(
      endpointMetadata({
        access: read,
        versioned: true,
        summary: "Download a plugin as agents install it, as a tar.gz or zip.",
        description: Archives.described
      })
    ),
    HttpApiEndpoint.get("downloadLinked", "/v1/plugin-archives/:pluginId", {
      params: one,
      query: Archives.LinkQuery,
      success: Archives.Archive,
      error: [Archives.PluginArchiveNotFound, Unavailable]
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        versioned: true,
        summary: "Downloads a plugin by a link of `marketplace.json`, without a credential.",
        description: Archives.described
      })
    )
  )
