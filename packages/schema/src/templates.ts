/** Templates: blueprints for plugins. Members create plugins from them by setting a few variables. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConfigObject, hasContent, contentFields, StorageQuotaExceeded } from "./config-objects.ts"
import { ObjectType } from "./connectors.ts"
import { Plugin } from "./plugins.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"
import { PayloadChange } from "./version-diff.ts"

export const objectsMax = 100
export const variablesMax = 50
export const valueLengthMax = 8000
const bodyBytesMax = 8 * 1_048_576

/** The name of a variable in a placeholder. */
const VariableName = Text(1, 64).check(
  Schema.isPattern(/^[A-Za-z][A-Za-z0-9_]*$/u, {
    message: "must start with a letter and contain only letters, digits and underscores"
  })
)
const Value = Text(0, valueLengthMax)

export const VariableFormat = Schema.Literals(["line", "text", "slug", "email", "url"]).annotate({
  identifier: "TemplateVariableFormat",
  description:
    "`line`: one line. `text`: any text, including several lines. `slug`: lowercase letters, digits and single hyphens, as in skill names. `email`: an email address. `url`: an http or https URL."
})

/** A variable, whose value is provided when a plugin is created from the template. */
export const VariableInput = Schema.Struct({
  name: VariableName.annotate({ description: "The name in placeholders: `{{ team }}`." }),
  label: Text(1, 120),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  required: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether a value is required. An optional variable with neither a value nor a default is empty. Default: `false`."
    })
  ),
  default: Schema.optionalKey(Schema.NullOr(Value)),
  format: Schema.optionalKey(VariableFormat.annotate({ description: "The format of the value. Default: `line`." })),
  options: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Text(1, 255)).check(Schema.isBetweenLength(1, 100)).annotate({ description: "The allowed values." })
    )
  )
}).annotate({ identifier: "TemplateVariableInput" })
export type VariableInput = typeof VariableInput.Type

export const Variable = Schema.Struct({
  name: Schema.String,
  label: Schema.String,
  description: Schema.NullOr(Schema.String),
  required: Schema.Boolean,
  default: Schema.NullOr(Schema.String),
  format: VariableFormat,
  options: Schema.NullOr(Schema.Array(Schema.String))
}).annotate({ identifier: "TemplateVariable" })
export type Variable = typeof Variable.Type

export const ObjectInput = Schema.Struct({ type: ObjectType, ...contentFields })
  .check(hasContent)
  .annotate({
    identifier: "TemplateObjectInput",
    description: "A config object as in `configObjects.create`. Its text can contain placeholders."
  })
export type ObjectInput = typeof ObjectInput.Type

export const TemplateObject = Schema.Struct({
  type: ObjectType,
  rawSourceText: Schema.NullOr(Schema.String),
  normalizedPayloadJson: Schema.NullOr(JsonObject),
  parserMode: Schema.NullOr(Schema.String),
  schemaVersion: Schema.NullOr(Schema.String),
  metadata: Schema.NullOr(JsonObject)
}).annotate({ identifier: "TemplateObject" })
export type TemplateObject = typeof TemplateObject.Type

export const ContentInput = Schema.Struct({
  plugin: Schema.Struct({
    name: Text(1, 255),
    description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
  }).annotate({ description: "The plugin to create. Both fields can contain placeholders." }),
  objects: Schema.Array(ObjectInput)
    .check(Schema.isMaxLength(objectsMax))
    .annotate({ description: "The config objects of the plugin." }),
  variables: Schema.optionalKey(Schema.Array(VariableInput).check(Schema.isMaxLength(variablesMax)))
}).annotate({ identifier: "TemplateContentInput" })
export type ContentInput = typeof ContentInput.Type

export const Content = Schema.Struct({
  plugin: Schema.Struct({ name: Schema.String, description: Schema.NullOr(Schema.String) }),
  objects: Schema.Array(TemplateObject),
  variables: Schema.Array(Variable)
}).annotate({ identifier: "TemplateContent" })
export type Content = typeof Content.Type

const versionMembers = {
  id: Ids.TemplateVersionId,
  templateId: Ids.TemplateId,
  ordinal: Schema.Int.annotate({ description: "The version number: 1 for the first version, increasing by one." }),
  contentDigest: Schema.String.annotate({ description: "SHA-256 of the content, in hex." }),
  objectCount: Schema.Int,
  variableCount: Schema.Int,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp
}

/** A version without its content, as in lists. */
export const VersionSummary = Schema.Struct(versionMembers).annotate({ identifier: "TemplateVersionSummary" })
export type VersionSummary = typeof VersionSummary.Type

/** The content of a template at a point in time. Immutable. */
export const Version = Schema.Struct({ ...versionMembers, content: Content }).annotate({
  identifier: "TemplateVersion"
})
export type Version = typeof Version.Type

export const Template = Schema.Struct({
  id: Ids.TemplateId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  latestVersion: VersionSummary
}).annotate({ identifier: "Template" })
export type Template = typeof Template.Type

export const CreateTemplate = Schema.Struct({
  name: Text(1, 120).annotate({ description: "Must be unique in the organization." }),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  content: ContentInput.annotate({ description: "The plugin, its config objects and the variables." })
}).annotate({ identifier: "CreateTemplate" })
export type CreateTemplate = typeof CreateTemplate.Type

export const UpdateTemplate = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120).annotate({ description: "Must be unique in the organization." })),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "UpdateTemplate" })

export const CreateTemplateVersion = Schema.Struct({
  content: ContentInput.annotate({
    description: "The complete new content. Fields that are omitted are not part of the new version."
  })
}).annotate({ identifier: "CreateTemplateVersion" })
export type CreateTemplateVersion = typeof CreateTemplateVersion.Type

export const InstantiateTemplate = Schema.Struct({
  versionId: Schema.optionalKey(
    Ids.TemplateVersionId.pipe(Schema.annotate({ description: "The version to use. Default: the latest version." }))
  ),
  name: Schema.optionalKey(
    Text(1, 255).annotate({ description: "The name of the plugin. Default: the name from the template." })
  ),
  variables: Schema.optionalKey(
    Schema.Record(VariableName, Value).annotate({
      description:
        "The values of the variables, by name. They are inserted into content that other members can read, so do not include secrets."
    })
  )
}).annotate({ identifier: "InstantiateTemplate" })
export type InstantiateTemplate = typeof InstantiateTemplate.Type

/** The template and version that a plugin was created from. */
const Provenance = Schema.Struct({
  id: Ids.TemplateId,
  versionId: Ids.TemplateVersionId,
  ordinal: Schema.Int
}).annotate({ identifier: "TemplateProvenance" })
export type Provenance = typeof Provenance.Type

/** The result of an instantiation. */
export const Instantiation = Schema.Struct({
  plugin: Plugin,
  configObjects: Schema.Array(ConfigObject).annotate({ description: "In the order of the template." }),
  template: Provenance
}).annotate({ identifier: "TemplateInstantiation" })
export type Instantiation = typeof Instantiation.Type

/** The plugin that an instantiation would create. */
export const Preview = Schema.Struct({
  plugin: Schema.Struct({ name: Schema.String, description: Schema.NullOr(Schema.String) }),
  configObjects: Schema.Array(
    Schema.Struct({
      objectType: ObjectType,
      title: Schema.String,
      description: Schema.NullOr(Schema.String),
      currentFileName: Schema.NullOr(Schema.String),
      currentRelativePath: Schema.NullOr(Schema.String),
      rawSourceText: Schema.NullOr(Schema.String),
      normalizedPayloadJson: JsonObject
    })
  ),
  template: Provenance
}).annotate({ identifier: "TemplatePreview" })
export type Preview = typeof Preview.Type

/** A plugin created from a template, if the caller can see it. */
export const Instance = Schema.Struct({
  plugin: Schema.Struct({ id: Ids.PluginId, name: Schema.String }),
  version: Schema.Struct({ id: Ids.TemplateVersionId, ordinal: Schema.Int }),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp
}).annotate({ identifier: "TemplateInstance" })
export type Instance = typeof Instance.Type

const Compared = Schema.Struct({ id: Ids.TemplateVersionId, ordinal: Schema.Int, createdAt: Timestamp }).annotate({
  identifier: "ComparedTemplateVersion"
})

export const Diff = Schema.Struct({
  templateId: Ids.TemplateId,
  from: Schema.NullOr(Compared).annotate({
    description: "The version that this version is compared with. Null for the first version, where everything is new."
  }),
  to: Compared,
  textDiff: Schema.String.annotate({
    description: "The text differences as unified diffs, in object order. Empty if the text is the same."
  }),
  changes: Schema.Array(PayloadChange).annotate({
    description: "The changes to all other fields, as JSON. At most 1,000 changes and 1 MiB of values."
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more changes than listed." })
}).annotate({ identifier: "TemplateDiff" })
export type Diff = typeof Diff.Type

export class TemplateNotFound extends notFound("template")<TemplateNotFound>() {}
export class TemplateVersionNotFound extends notFound("template_version")<TemplateVersionNotFound>() {}
export class TemplateExists extends conflict(
  "template_exists",
  "The organization already has a template with this name. Choose another name."
)<TemplateExists>() {}

const one = { templateId: Ids.TemplateId }
const oneVersion = { ...one, versionId: Ids.TemplateVersionId }
const at = "/v1/templates/:templateId"
const read = Access.permission("templates:read")
const write = Access.permission("templates:write")
const TemplateResponse = Schema.Struct({ template: Template })
const WholeResponse = Schema.Struct({ template: Template, version: Version })
const VersionResponse = Schema.Struct({ version: Version })

const grammar =
  "A placeholder `{{ name }}` is replaced by the value of a declared variable; `{{{{` is replaced by `{{`. Placeholders can be used in text content, in string values of `normalizedPayloadJson` and `metadata`, and in the plugin's name and description, but not in field names. In JSON, a placeholder must be inside a string; in front matter and YAML, inside a value. Values are escaped or quoted, so they are always inserted as text and cannot change the structure. Any other use of `{{` is rejected."

export const group = HttpApiGroup.make("templates")
  .annotateMerge(
    OpenApi.annotations({
      title: "Templates",
      description: "Versioned blueprints for plugins and their config objects. Create plugins from them."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/templates", {
      payload: CreateTemplate,
      success: WholeResponse.pipe(HttpApiSchema.status(201)),
      error: [TemplateExists, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "template.create",
        bodyBytesMax,
        summary: "Create a template",
        description: grammar
      })
    ),
    HttpApiEndpoint.get("list", "/v1/templates", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Filter by part of the name. Case-insensitive." }))
      },
      success: Page(Template)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List templates" })),
    HttpApiEndpoint.get("get", at, { params: one, success: WholeResponse, error: TemplateNotFound }).pipe(
      endpointMetadata({
        access: read,
        versioned: true,
        summary: "Get a template",
        description: "Includes its latest version."
      })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateTemplate,
      success: TemplateResponse,
      error: [TemplateNotFound, TemplateExists]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "template.update",
        summary: "Update a template",
        description: "Changes the name or description. To change the content, create a version."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: TemplateNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("templates:manage"),
        versioned: true,
        audited: "template.remove",
        summary: "Remove a template",
        description: "Also removes its versions. Plugins created from it are kept."
      })
    ),
    HttpApiEndpoint.get("listVersions", `${at}/versions`, {
      params: one,
      query: pageQuery,
      success: Page(VersionSummary),
      error: TemplateNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the versions of a template",
        description: "Newest first, without their content."
      })
    ),
    HttpApiEndpoint.get("getVersion", `${at}/versions/:versionId`, {
      params: oneVersion,
      success: VersionResponse,
      error: [TemplateNotFound, TemplateVersionNotFound]
    }).pipe(
      endpointMetadata({ access: read, summary: "Get a version of a template", description: "Includes its content." })
    ),
    HttpApiEndpoint.post("createVersion", `${at}/versions`, {
      params: one,
      payload: CreateTemplateVersion,
      success: [VersionResponse.pipe(HttpApiSchema.status(201)), VersionResponse],
      error: [TemplateNotFound, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "template.create_version",
        bodyBytesMax,
        summary: "Create a version of a template",
        description: `Returns 200 and creates no version when the content is the same as in the latest version. ${grammar}`
      })
    ),
    HttpApiEndpoint.post("restoreVersion", `${at}/versions/:versionId/restore`, {
      params: oneVersion,
      success: [VersionResponse.pipe(HttpApiSchema.status(201)), VersionResponse],
      error: [TemplateNotFound, TemplateVersionNotFound, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "template.restore_version",
        summary: "Restore an earlier version of a template",
        description:
          "Creates a new version with the content of the earlier one. Returns 200 and creates no version when the latest version has the same content."
      })
    ),
    HttpApiEndpoint.get("diffVersions", `${at}/versions/:versionId/diff`, {
      params: oneVersion,
      query: {
        against: Schema.optionalKey(
          Ids.TemplateVersionId.pipe(
            Schema.annotate({ description: "The version to compare with. Default: the previous version." })
          )
        )
      },
      success: Schema.Struct({ diff: Diff }),
      error: [TemplateNotFound, TemplateVersionNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Compare two versions of a template" })),
    HttpApiEndpoint.post("preview", `${at}/preview`, {
      params: one,
      payload: InstantiateTemplate,
      success: Schema.Struct({ preview: Preview }),
      error: TemplateNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        idempotency: "none",
        summary: "Preview a plugin from a template",
        description:
          "Returns the plugin that `templates.instantiate` would create with these values, or the same validation errors. Makes no changes."
      })
    ),
    HttpApiEndpoint.post("instantiate", `${at}/instantiate`, {
      params: one,
      payload: InstantiateTemplate,
      success: Instantiation.pipe(HttpApiSchema.status(201)),
      error: [TemplateNotFound, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: Access.permission("plugins:write", "configObjects:write", "templates:read"),
        audited: "template.instantiate",
        summary: "Create a plugin from a template",
        description:
          "Creates a private plugin with its config objects in one transaction. The caller becomes their manager. They are kept when the template changes or is removed."
      })
    ),
    HttpApiEndpoint.get("listInstances", `${at}/instances`, {
      params: one,
      query: pageQuery,
      success: Page(Instance),
      error: TemplateNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the plugins created from a template",
        description: "Returns the plugins that the caller can see."
      })
    )
  )
