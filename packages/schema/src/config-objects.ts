/** Config objects: the skills, agents, commands and other files agents work with, each with its versions. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ObjectType } from "./connectors.ts"
import * as Access from "./shared/auth.ts"
import { changed, created, Done, found, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"
import { VersionDiff } from "./version-diff.ts"

export const SourceMode = Schema.Literals(["cloud", "import", "connector"]).annotate({
  identifier: "SourceMode",
  description: "Where the content comes from: written here, imported once, or kept in step by a connector."
})

/** What an object was at one time; never changed after. */
export const Version = Schema.Struct({
  id: Ids.ConfigObjectVersionId,
  configObjectId: Ids.ConfigObjectId,
  ordinal: Schema.Int.annotate({ description: "1 for the first version, then one more each." }),
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

/** Bytes of one text, in UTF-8. */
export const textBytesMax = 1_048_576
const encoder = new TextEncoder()

/** What a version holds, as a caller states it. */
export const statedContent = {
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
      description: "`title`, `description`, `fileName` and `relativePath` are used; the rest is not kept."
    })
  )
}

export const isStated = Schema.makeFilter(
  (input: { readonly rawSourceText?: string; readonly normalizedPayloadJson?: object }) =>
    input.rawSourceText === undefined && input.normalizedPayloadJson === undefined
      ? "give rawSourceText, normalizedPayloadJson, or both"
      : undefined
)

const Input = Schema.Struct({
  type: ObjectType,
  sourceMode: Schema.optionalKey(
    SourceMode.annotate({ description: "`cloud` unless told; `connector` is refused, only a sync makes those." })
  ),
  ...statedContent
}).check(isStated)

export const CreateConfigObject = Schema.Struct({
  input: Input,
  pluginIds: Schema.optionalKey(
    Schema.Array(Ids.PluginId).check(Schema.isMaxLength(100)).annotate({ description: "Plugins to put it in." })
  )
}).annotate({ identifier: "CreateConfigObject" })
export type CreateConfigObject = typeof CreateConfigObject.Type

export const CreateConfigObjectVersion = Schema.Struct({
  input: Schema.Struct(statedContent)
    .check(isStated)
    .annotate({ description: "The whole new content: what is not stated is not in it." })
}).annotate({ identifier: "CreateConfigObjectVersion" })
export type CreateConfigObjectVersion = typeof CreateConfigObjectVersion.Type

/** A config object's place in a plugin. */
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
  "A workspace that nobody has claimed stores 50 MB at most."
)<StorageQuotaExceeded>() {}
export class ConfigObjectNotFound extends notFound("config_object")<ConfigObjectNotFound>() {}
export class VersionNotFound extends notFound("config_object_version")<VersionNotFound>() {}
export class ConfigObjectGrantNotFound extends notFound("config_object_grant")<ConfigObjectGrantNotFound>() {}
/** The content of an archived object stays as it is, and it goes into no plugin. */
export class ConfigObjectArchived extends conflict(
  "config_object_archived",
  "The config object is archived; restore it first."
)<ConfigObjectArchived>() {}
/** Both are there and visible, and the one is not in the other. */
export class ObjectNotInPlugin extends notFound("plugin_membership")<ObjectNotInPlugin>() {}
/** Here, because the group of plugins builds on this one. */
export class PluginNotFound extends notFound("plugin")<PluginNotFound>() {}

const skillRule =
  "The text of a skill begins with front matter as SKILL.md has it: a `name` of at most 64 lower-case letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise 400, with a detail whose `code` is `invalid_skill_front_matter` for each fault."

const one = { configObjectId: Ids.ConfigObjectId }
const at = "/v1/config-objects/:configObjectId"
const read = Access.permission("configObjects:read")
const write = Access.permission("configObjects:write")

export const group = HttpApiGroup.make("configObjects")
  .annotateMerge(
    OpenApi.annotations({
      title: "Config objects",
      description: "Versioned skills, agents, commands, hooks and other content, and who may use them."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/config-objects", {
      payload: CreateConfigObject,
      success: created(ConfigObject),
      error: StorageQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: write,
        specified: true,
        audited: "configObject.create",
        bodyBytesMax: 8 * 1_048_576,
        summary: "Creates a private config object and its first version.",
        description: skillRule
      })
    ),
    HttpApiEndpoint.get("list", "/v1/config-objects", {
      query: {
        ...pageQuery,
        type: Schema.optionalKey(ObjectType),
        pluginId: Schema.optionalKey(Ids.PluginId),
        connectorInstanceId: Schema.optionalKey(Ids.ConnectorInstanceId),
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the title, in any case." })),
        archived: Schema.optionalKey(QueryFlag.annotate({ description: "`true` shows archived ones too." }))
      },
      success: Page(ConfigObject)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the config objects the caller can see." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: found(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Gets one config object with its latest version." })
    ),
    HttpApiEndpoint.get("listVersions", `${at}/versions`, {
      params: one,
      query: pageQuery,
      success: Page(Version),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the versions of a config object, newest first." })
    ),
    HttpApiEndpoint.get("getVersion", `${at}/versions/:versionId`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      success: found(Version),
      error: [ConfigObjectNotFound, VersionNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Gets one version." })),
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
        summary: "Lists the direct, team and organization-wide grants of a config object."
      })
    ),
    HttpApiEndpoint.post("grantAccess", `${at}/access`, {
      params: one,
      payload: Grants.CreateGrant,
      success: [created(ConfigObjectGrant), changed(ConfigObjectGrant)],
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        audited: "configObject.grant",
        summary: "Grants access to a config object; 200 when the receiver had a grant."
      })
    ),
    HttpApiEndpoint.delete("revokeAccess", `${at}/access/:grantId`, {
      params: { ...one, grantId: Ids.TypeId("coa") },
      success: Done,
      error: [ConfigObjectNotFound, ConfigObjectGrantNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        specified: true,
        audited: "configObject.revoke",
        summary: "Revokes one grant; it is kept as history."
      })
    ),
    HttpApiEndpoint.post("archive", `${at}/archive`, {
      params: one,
      success: changed(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.archive",
        summary: "Hides a config object from lists and plugins; it keeps its versions and grants."
      })
    ),
    HttpApiEndpoint.post("restore", `${at}/restore`, {
      params: one,
      success: changed(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.restore",
        summary: "Shows an archived config object again, where it was."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: ConfigObjectNotFound }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "configObject.remove",
        summary: "Removes a config object from every plugin and list; its grants end."
      })
    ),
    HttpApiEndpoint.post("createVersion", `${at}/versions`, {
      params: one,
      payload: CreateConfigObjectVersion,
      success: [created(Version), changed(Version)],
      error: [ConfigObjectNotFound, ConfigObjectArchived, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.create_version",
        bodyBytesMax: 8 * 1_048_576,
        summary:
          "Writes a new version; the same content as the latest is answered with 200, and no version is written.",
        description: skillRule
      })
    ),
    HttpApiEndpoint.post("restoreVersion", `${at}/versions/:versionId/restore`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      success: [created(Version), changed(Version)],
      error: [ConfigObjectNotFound, VersionNotFound, ConfigObjectArchived, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.restore_version",
        summary:
          "Writes a new version with the content of an earlier one; 200 and no version when the latest has that content."
      })
    ),
    HttpApiEndpoint.get("diffVersions", `${at}/versions/:versionId/diff`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      query: {
        against: Schema.optionalKey(
          Ids.ConfigObjectVersionId.pipe(
            Schema.annotate({ description: "Another version of the object; the one before unless told." })
          )
        )
      },
      success: found(VersionDiff),
      error: [ConfigObjectNotFound, VersionNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Compares a version with another: its text and its payload." })),
    HttpApiEndpoint.post("attachPlugin", `${at}/plugins`, {
      params: one,
      payload: AttachPlugin,
      success: [created(PluginPlacement), changed(PluginPlacement)],
      error: [ConfigObjectNotFound, ConfigObjectArchived]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.attach_plugin",
        summary: "Puts a config object into a plugin; 200 when it is in there.",
        description:
          "Whoever sees the plugin sees it then: this takes a manager of the object and an editor of the plugin."
      })
    ),
    HttpApiEndpoint.delete("detachPlugin", `${at}/plugins/:pluginId`, {
      params: { ...one, pluginId: Ids.PluginId },
      success: Done,
      error: [ConfigObjectNotFound, PluginNotFound, ObjectNotInPlugin]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "configObject.detach_plugin",
        summary: "Takes a config object out of a plugin, as the object's manager."
      })
    )
  )
