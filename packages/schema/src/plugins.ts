/** Plugins: sets of related config objects. */
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
import { CapabilitiesQuery, PluginCapabilities } from "./plugin-capabilities.ts"
import * as Access from "./shared/auth.ts"
import { updatedResponse, createdResponse, NoContent, itemResponse, endpointMetadata } from "./shared/endpoint.ts"
import { notFound, Unavailable } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Name } from "./shared/names.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"

/** The manifest of a plugin, in normalized form. */
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
    description:
      "When it was archived. An archived plugin is hidden from lists and marketplaces, and so are its contents."
  }),
  deletedAt: Schema.NullOr(Timestamp),
  memberCount: Schema.Int.annotate({ description: "The number of config objects in it." }),
  marketplaces: Schema.Array(Schema.Struct({ id: Ids.MarketplaceId, name: Schema.String })).annotate({
    description: "The marketplaces that contain it and that the caller can see."
  }),
  pendingReleaseId: Schema.NullOr(Ids.PluginReleaseId).annotate({
    description:
      "The latest release, if it is pending approval. Only for callers who can edit the plugin or have the permission `approvals:read`; null for other callers."
  }),
  extension: Schema.NullOr(Extension)
}

export const Plugin = Schema.Struct(members).annotate({ identifier: "Plugin" })
export type Plugin = typeof Plugin.Type
export const pluginMembers = members

/** The membership of a config object in a plugin. */
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
    OpenApi.annotations({
      title: "Plugins",
      description: "Sets of config objects, imported from repositories or created through the API."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/plugins", {
      payload: CreatePlugin,
      success: createdResponse(Plugin)
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.create",
        summary: "Create a plugin",
        description: "The new plugin is empty and private."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/plugins", {
      query: {
        ...pageQuery,
        marketplaceId: Schema.optionalKey(
          Ids.MarketplaceId.annotate({ description: "Only plugins in this marketplace." })
        ),
        configObjectId: Schema.optionalKey(
          Ids.ConfigObjectId.annotate({
            description:
              "Only plugins that contain this config object. For plugins of which the caller reads only the served release, that release must also contain the config object."
          })
        ),
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." })),
        archived: Schema.optionalKey(
          QueryFlag.annotate({ description: "`true` includes archived plugins. Default: `false`." })
        )
      },
      success: Page(Plugin)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List plugins",
        description: "Returns the plugins that the caller can see."
      })
    ),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: itemResponse(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        versioned: "match",
        access: read,
        specified: true,
        summary: "Get a plugin"
      })
    ),
    HttpApiEndpoint.get("capabilities", `${at}/capabilities`, {
      params: one,
      query: CapabilitiesQuery,
      success: itemResponse(PluginCapabilities),
      error: [
        PluginNotFound,
        Archives.PluginArchiveNotFound,
        Archives.PluginArchiveRefused,
        Archives.PluginArchiveTooLarge
      ]
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get the capabilities of a plugin",
        description:
          "Returns what the plugin can do on a member's machine: hooks, servers, executables, tools, hosts and settings, computed from the files of its archive. Fields and files that orgplane does not recognize are included. Signals mark parts that a reviewer should read."
      })
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
        summary: "List the config objects of a plugin",
        description: "Includes the latest version of each config object."
      })
    ),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(PluginGrant),
      error: PluginNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the access grants of a plugin" })),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [createdResponse(PluginGrant), updatedResponse(PluginGrant)],
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "plugin.grant",
        summary: "Grant access to a plugin",
        description:
          "The grant covers the contents of the plugin. Returns 200 instead of 201 when the recipient already had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("pag") },
      success: NoContent,
      error: [PluginNotFound, PluginGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "plugin.revoke",
        summary: "Revoke access to a plugin",
        description: "The revoked grant is kept as history."
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdatePlugin,
      success: updatedResponse(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "plugin.update",
        summary: "Update a plugin",
        description: "Changes the name or description. Plugins managed by a connector cannot be updated."
      })
    ),
    HttpApiEndpoint.post("archive", `${at}/archive`, {
      params: one,
      success: updatedResponse(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.archive",
        summary: "Archive a plugin",
        description: "Hides the plugin and its contents from lists and marketplaces. Its grants are kept."
      })
    ),
    HttpApiEndpoint.post("restore", `${at}/restore`, {
      params: one,
      success: updatedResponse(Plugin),
      error: PluginNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.restore",
        summary: "Restore an archived plugin",
        description: "The plugin appears in lists and in its marketplaces again."
      })
    ),
    HttpApiEndpoint.post("addObject", `${at}/config-objects`, {
      params: one,
      payload: AddObject,
      success: [createdResponse(PluginMembership), updatedResponse(PluginMembership)],
      error: [PluginNotFound, ConfigObjectArchived]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.add_object",
        summary: "Add a config object to a plugin",
        description:
          "Requires editor access to the plugin and manager access to the object, because everyone who can see the plugin can then see the object. Returns 200 instead of 201 when the object is already in the plugin."
      })
    ),
    HttpApiEndpoint.delete("removeObject", `${at}/config-objects/:configObjectId`, {
      params: { ...one, configObjectId: Ids.ConfigObjectId },
      success: NoContent,
      error: [PluginNotFound, ConfigObjectNotFound, ObjectNotInPlugin]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "plugin.remove_object",
        summary: "Remove a config object from a plugin",
        description: "The config object itself is kept."
      })
    ),
    HttpApiEndpoint.get("download", `${at}/archive`, {
      params: one,
      query: {
        format: Schema.optionalKey(
          Archives.ArchiveFormat.annotate({ description: "The archive format. Default: `tar.gz`." })
        )
      },
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
        summary: "Download a plugin as an archive",
        description: Archives.archiveDescription
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
        summary: "Download a plugin through a signed link",
        description: Archives.archiveDescription
      })
    )
  )
