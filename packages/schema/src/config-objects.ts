/** Config objects: the skills, agents, commands and other files agents work with, each with its versions. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ObjectType } from "./connectors.ts"
import * as Access from "./shared/auth.ts"
import { changed, created, Done, found, manners } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Grants from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonInput, JsonObject, QueryFlag, Text, Timestamp } from "./shared/values.ts"

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

const Input = Schema.Struct({
  type: ObjectType,
  sourceMode: Schema.optionalKey(
    SourceMode.annotate({ description: "`cloud` unless told; `connector` is refused, only a sync makes those." })
  ),
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
}).check(
  Schema.makeFilter((input: { readonly rawSourceText?: string; readonly normalizedPayloadJson?: object }) =>
    input.rawSourceText === undefined && input.normalizedPayloadJson === undefined
      ? "give rawSourceText, normalizedPayloadJson, or both"
      : undefined
  )
)

export const CreateConfigObject = Schema.Struct({
  input: Input,
  pluginIds: Schema.optionalKey(
    Schema.Array(Ids.PluginId).check(Schema.isMaxLength(100)).annotate({ description: "Plugins to put it in." })
  )
}).annotate({ identifier: "CreateConfigObject" })
export type CreateConfigObject = typeof CreateConfigObject.Type

export class StorageQuotaExceeded extends conflict(
  "quota_exceeded",
  "A workspace that nobody has claimed stores 50 MB at most."
)<StorageQuotaExceeded>() {}
export class ConfigObjectNotFound extends notFound("config_object")<ConfigObjectNotFound>() {}
export class VersionNotFound extends notFound("config_object_version")<VersionNotFound>() {}
export class ConfigObjectGrantNotFound extends notFound("config_object_grant")<ConfigObjectGrantNotFound>() {}

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
      manners({
        access: write,
        specified: true,
        audited: "configObject.create",
        bodyBytesMax: 8 * 1_048_576,
        summary: "Creates a private config object and its first version."
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
    }).pipe(manners({ access: read, paged: true, summary: "Lists the config objects the caller can see." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: found(ConfigObject),
      error: ConfigObjectNotFound
    }).pipe(manners({ access: read, versioned: true, summary: "Gets one config object with its latest version." })),
    HttpApiEndpoint.get("listVersions", `${at}/versions`, {
      params: one,
      query: pageQuery,
      success: Page(Version),
      error: ConfigObjectNotFound
    }).pipe(manners({ access: read, paged: true, summary: "Lists the versions of a config object, newest first." })),
    HttpApiEndpoint.get("getVersion", `${at}/versions/:versionId`, {
      params: { ...one, versionId: Ids.ConfigObjectVersionId },
      success: found(Version),
      error: [ConfigObjectNotFound, VersionNotFound]
    }).pipe(manners({ access: read, summary: "Gets one version." })),
    HttpApiEndpoint.get("listAccess", `${at}/access`, {
      params: one,
      query: pageQuery,
      success: Page(ConfigObjectGrant),
      error: ConfigObjectNotFound
    }).pipe(
      manners({
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
      manners({
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
      manners({
        access: read,
        specified: true,
        audited: "configObject.revoke",
        summary: "Revokes one grant; it is kept as history."
      })
    )
  )
