/** Config objects: versioned skills, agents, commands and other files that agents work with. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ObjectType } from "./connectors.ts"
import { CapabilitiesQuery } from "./plugin-capabilities.ts"
import * as Access from "./shared/auth.ts"
import { updatedResponse, createdResponse, NoContent, itemResponse, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"
import { VersionDiff } from "./version-diff.ts"

export const SourceMode = Schema.Literals(["cloud", "import", "connector"]).annotate({
  identifier: "SourceMode",
  description:
    "Where the content comes from. `cloud`: written through the API. `import`: imported once. `connector`: synced from a repository."
})

/** The content of a config object at a point in time. Immutable. */
export const Version = Schema.Struct({
  id: Ids.ConfigObjectVersionId,
  configObjectId: Ids.ConfigObjectId,
  ordinal: Schema.Int.annotate({ description: "The version number: 1 for the first version, increasing by one." }),
  schemaVersion: Schema.NullOr(Schema.String),
  normalizedPayloadJson: Schema.NullOr(JsonObject),
  rawSourceText: Schema.NullOr(Schema.String),
  contentDigest: Schema.String.annotate({ description: "SHA-256 of the content, in hex." }),
  createdVia: SourceMode,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  connectorSyncEventId: Schema.NullOr(Ids.ConnectorSyncEventId),
  sourceRevisionRef: Schema.NullOr(Schema.String),
  isDeletedVersion: Schema.Boolean,
  createdAt: Timestamp
}).annotate({ identifier: "ConfigObjectVersion" })
export type Version = typeof Version.Type

export const ConfigObject = Schema.Struct({
  id: Ids.ConfigObjectId,
  organizationId: Ids.OrganizationId,
  objectType: ObjectType,
  sourceMode: SourceMode,
  status: Schema.Literals(["active", "archived", "deleted", "ingestion_error"]),
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  searchText: Schema.NullOr(Schema.String),
  currentFileName: Schema.NullOr(Schema.String),
  currentFileExtension: Schema.NullOr(Schema.String),
  currentRelativePath: Schema.NullOr(Schema.String),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  connectorInstanceId: Schema.NullOr(Ids.ConnectorInstanceId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: Schema.NullOr(Timestamp),
  latestVersion: Schema.NullOr(Version)
}).annotate({ identifier: "ConfigObject" })
export type ConfigObject = typeof ConfigObject.Type

export const ConfigObjectGrant = Grants.Grant("coa", "ConfigObjectGrant")

/** Maximum size of one text, in bytes of UTF-8. */
export const textBytesMax = 1_048_576
const encoder = new TextEncoder()

/** The content of a version, as sent by a caller. */
export const contentFields = {
  rawSourceText: Schema.optionalKey(
    Text(1, textBytesMax).check(
      Schema.makeFilter((text: string) =>
        text.length * 3 <= textBytesMax || encoder.encode(text).length <= textBytesMax
          ? undefined
          : "must be at most 1048576 bytes in UTF-8"
      )
    )
  ),
  normalizedPayloadJson: Schema.optionalKey(JsonInput),
  parserMode: Schema.optionalKey(Text(1, 64)),
  schemaVersion: Schema.optionalKey(Text(1, 64)),
  metadata: Schema.optionalKey(
    JsonInput.annotate({
      description: "`title`, `description`, `fileName` and `relativePath` are used; other fields are not stored."
    })
  )
}

export const hasContent = Schema.makeFilter(
  (input: { readonly rawSourceText?: string; readonly normalizedPayloadJson?: object }) =>
    input.rawSourceText === undefined && input.normalizedPayloadJson === undefined
      ? "must include rawSourceText, normalizedPayloadJson, or both"
      : undefined
)

const Input = Schema.Struct({
  type: ObjectType,
  sourceMode: Schema.optionalKey(
    SourceMode.annotate({
      description:
        "Where the content comes from. Default: `cloud`. `connector` is not allowed, because only a sync creates such objects."
    })
  ),
  ...contentFields
}).check(hasContent)

export const CreateConfigObject = Schema.Struct({
  input: Input.annotate({
    description: "The type and the content. Requires `rawSourceText`, `normalizedPayloadJson`, or both."
  }),
  pluginIds: Schema.optionalKey(
    Schema.Array(Ids.PluginId)
      .check(Schema.isMaxLength(100))
      .annotate({ description: "Plugins to add the config object to." })
  )
}).annotate({ identifier: "CreateConfigObject" })
export type CreateConfigObject = typeof CreateConfigObject.Type

export const CreateConfigObjectVersion = Schema.Struct({
  input: Schema.Struct(contentFields)
    .check(hasContent)
    .annotate({ description: "The complete new content. Fields that are omitted are not part of the new version." })
}).annotate({ identifier: "CreateConfigObjectVersion" })
export type CreateConfigObjectVersion = typeof CreateConfigObjectVersion.Type

/** The membership of a config object in a plugin. */
export const pluginPlacement = {
  id: Ids.PluginMembershipId,
  pluginId: Ids.PluginId,
  configObjectId: Ids.ConfigObjectId,
  connectorMappingId: Schema.NullOr(Ids.ConnectorMappingId),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp)
}
export const PluginPlacement = Schema.Struct(pluginPlacement).annotate({ identifier: "PluginPlacement" })
export type PluginPlacement = typeof PluginPlacement.Type

export const AttachPlugin = Schema.Struct({ pluginId: Ids.PluginId }).annotate({ identifier: "AttachPlugin" })

export class StorageQuotaExceeded extends conflict(
  "quota_exceeded",
  "The organization would store more than its limit. Delete content that is not needed."
)<StorageQuotaExceeded>() {}
export class ConfigObjectNotFound extends notFound("config_object")<ConfigObjectNotFound>() {}
export class VersionNotFound extends notFound("config_object_version")<VersionNotFound>() {}
export class ConfigObjectGrantNotFound extends notFound("config_object_grant")<ConfigObjectGrantNotFound>() {}
/** An archived config object cannot be changed or added to a plugin. */
export class ConfigObjectArchived extends conflict(
  "config_object_archived",
  "The config object is archived. Restore it first."
)<ConfigObjectArchived>() {}
/** The config object and the plugin exist and are visible, but the object is not in the plugin. */
export class ObjectNotInPlugin extends notFound("plugin_membership")<ObjectNotInPlugin>() {}
/** Declared here because the plugins group imports this module. */
export class PluginNotFound extends notFound("plugin")<PluginNotFound>() {}

const skillRule =
  "A skill must begin with SKILL.md front matter: a `name` of at most 64 lowercase letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise, returns 400 with one detail per problem, each with the `code` `invalid_skill_front_matter`."

const one = { configObjectId: Ids.ConfigObjectId }
const at = "/v1/config-objects/:configObjectId"
const read = Access.permission("configObjects:read")
const write = Access.permission("configObjects:write")

export const group = HttpApiGroup.make("configObjects")
  .annotateMerge(
    OpenApi.annotations({
      title: "Config objects",
      description: "Versioned skills, agents, commands, hooks and other content, and access to them."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/config-objects", {
      payload: CreateConfigObject,
      success: createdResponse(ConfigObject),
      error: StorageQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        audited: "configObject.create",
        bodyBytesMax: 8 * 1_048_576,
        summary: "Create a config object",
        description: `The new config object is private. ${skillRule}`
      })
    ),
    HttpApiEndpoint.get("list", "/v1/config-objects", {
      query: {
        ...pageQuery,
        type: Schema.optionalKey(ObjectType.annotate({ description: "Only config objects of this type." })),
        pluginId: Schema.optionalKey(Ids.PluginId.annotate({ description: "Only config objects in this plugin." })),
        connectorInstanceId: Schema.optionalKey(
          Ids.ConnectorInstanceId.annotate({
            description: "Only config objects imported through this connector instance."
          })
        ),
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the title. Case-insensitive." })),
        archived: Schema.optionalKey(
          QueryFlag.annotate({ description: "`true` includes archived config objects. Default: `false`." })
        )
      },
      success: Page(ConfigObject)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List config objects",
        description: "Returns the config objects that the caller can see."
      })
    ),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: itemResponse(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        versioned: true,
        summary: "Get a config object",
        description: "Includes its latest version."
      })
    ),
    HttpApiEndpoint.get("listVersions", `${at}/versions`, {
      params: one,
      query: pageQuery,
      success: Page(Version),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the versions of a config object",
        description: "Newest first."
      })
    ),
    HttpApiEndpoint.get("getVersion", `${at}/versions/:versionId`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      success: itemResponse(Version),
      error: [ConfigObjectNotFound, VersionNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Get a version of a config object" })),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(ConfigObjectGrant),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        paged: true,
        summary: "List the access grants of a config object",
        description: "Includes direct, team and organization-wide grants."
      })
    ),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [createdResponse(ConfigObjectGrant), updatedResponse(ConfigObjectGrant)],
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "configObject.grant",
        summary: "Grant access to a config object",
        description: "Returns 200 instead of 201 when the recipient already had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("coa") },
      success: NoContent,
      error: [ConfigObjectNotFound, ConfigObjectGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        audited: "configObject.revoke",
        summary: "Revoke access to a config object",
        description: "The revoked grant is kept as history."
      })
    ),
    HttpApiEndpoint.post("archive", `${at}/archive`, {
      params: one,
      success: updatedResponse(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.archive",
        summary: "Archive a config object",
        description: "Hides the config object from lists and plugins. Its versions and grants are kept."
      })
    ),
    HttpApiEndpoint.post("restore", `${at}/restore`, {
      params: one,
      success: updatedResponse(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.restore",
        summary: "Restore an archived config object",
        description: "The config object appears in lists and in its plugins again."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: ConfigObjectNotFound }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "configObject.remove",
        summary: "Remove a config object",
        description: "Removes the config object from every plugin and list, and revokes its grants."
      })
    ),
    HttpApiEndpoint.post("createVersion", `${at}/versions`, {
      params: one,
      payload: CreateConfigObjectVersion,
      success: [createdResponse(Version), updatedResponse(Version)],
      error: [ConfigObjectNotFound, ConfigObjectArchived, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.create_version",
        bodyBytesMax: 8 * 1_048_576,
        summary: "Create a version of a config object",
        description: `Returns 200 and creates no version when the content is the same as in the latest version. ${skillRule}`
      })
    ),
    HttpApiEndpoint.post("restoreVersion", `${at}/versions/:versionId/restore`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      success: [createdResponse(Version), updatedResponse(Version)],
      error: [ConfigObjectNotFound, VersionNotFound, ConfigObjectArchived, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.restore_version",
        summary: "Restore an earlier version of a config object",
        description:
          "Creates a new version with the content of the earlier one. Returns 200 and creates no version when the latest version has the same content."
      })
    ),
    HttpApiEndpoint.get("diffVersions", `${at}/versions/:versionId/diff`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      query: {
        against: Schema.optionalKey(
          Ids.ConfigObjectVersionId.pipe(
            Schema.annotate({ description: "The version to compare with. Default: the previous version." })
          )
        ),
        ...CapabilitiesQuery
      },
      success: itemResponse(VersionDiff),
      error: [ConfigObjectNotFound, VersionNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Compare two versions of a config object",
        description: "Compares the text, the payload and the capabilities."
      })
    ),
    HttpApiEndpoint.post("attachPlugin", `${at}/plugins`, {
      params: one,
      payload: AttachPlugin,
      success: [createdResponse(PluginPlacement), updatedResponse(PluginPlacement)],
      error: [ConfigObjectNotFound, ConfigObjectArchived]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.attach_plugin",
        summary: "Add a config object to a plugin",
        description:
          "Requires manager access to the config object and editor access to the plugin, because everyone who can see the plugin can then see the object. Returns 200 instead of 201 when the object is already in the plugin."
      })
    ),
    HttpApiEndpoint.delete("detachPlugin", `${at}/plugins/:pluginId`, {
      params: { ...one, pluginId: Ids.PluginId },
      success: NoContent,
      error: [ConfigObjectNotFound, PluginNotFound, ObjectNotInPlugin]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.detach_plugin",
        summary: "Remove a config object from a plugin",
        description: "Requires manager access to the config object."
      })
    )
  )
