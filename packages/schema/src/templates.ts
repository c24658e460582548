/** Templates: blueprints of plugins, from which members make their own by filling in a few values. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ConfigObject, isStated, statedContent, StorageQuotaExceeded } from "./config-objects.ts"
import { ObjectType } from "./connectors.ts"
import { Plugin } from "./plugins.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"
import { PayloadChange } from "./version-diff.ts"

export const objectsMax = 100
export const variablesMax = 50
export const valueLengthMax = 8000
const bodyBytesMax = 8 * 1_048_576

/** How a placeholder names its variable. */
const VariableName = Text(1, 64).check(
  Schema.isPattern(/^[A-Za-z][A-Za-z0-9_]*$/u, { message: "must be a letter, then letters, digits and underscores" })
)
const Value = Text(0, valueLengthMax)

export const VariableFormat = Schema.Literals(["line", "text", "slug", "email", "url"]).annotate({
  identifier: "TemplateVariableFormat",
  description:
    "`line`: one line. `text`: any text, several lines too. `slug`: lower-case letters, digits and single hyphens, as names of skills are. `email`: an e-mail address. `url`: an http or https address."
})

/** What whoever uses the template is asked for. */
export const VariableInput = Schema.Struct({
  name: VariableName.annotate({ description: "What placeholders call it: `{{ team }}`." }),
  label: Text(1, 120),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  required: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Must be filled in; `false` unless told. One that is not is empty where it has no default."
    })
  ),
  default: Schema.optionalKey(Schema.NullOr(Value)),
  format: Schema.optionalKey(VariableFormat.annotate({ description: "`line` unless told." })),
  options: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Text(1, 255)).check(Schema.isBetweenLength(1, 100)).annotate({ description: "The only values." })
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

export const ObjectInput = Schema.Struct({ type: ObjectType, ...statedContent })
  .check(isStated)
  .annotate({
    identifier: "TemplateObjectInput",
    description: "A config object as `configObjects.create` takes it, with placeholders in its texts."
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
  }).annotate({ description: "The plugin that is made; placeholders may stand in both." }),
  objects: Schema.Array(ObjectInput)
    .check(Schema.isMaxLength(objectsMax))
    .annotate({ description: "What is put into it." }),
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
  ordinal: Schema.Int.annotate({ description: "1 for the first version, then one more each." }),
  contentDigest: Schema.String.annotate({ description: "SHA-256 of the content, in hex." }),
  objectCount: Schema.Int,
  variableCount: Schema.Int,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp
}

/** A version without its content, as lists have it. */
export const VersionSummary = Schema.Struct(versionMembers).annotate({ identifier: "TemplateVersionSummary" })
export type VersionSummary = typeof VersionSummary.Type

/** What a template was at one time; never changed after. */
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
  name: Text(1, 120).annotate({ description: "Unique in the organization." }),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000))),
  content: ContentInput
}).annotate({ identifier: "CreateTemplate" })
export type CreateTemplate = typeof CreateTemplate.Type

export const UpdateTemplate = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120)),
  description: Schema.optionalKey(Schema.NullOr(Text(0, 2000)))
}).annotate({ identifier: "UpdateTemplate" })

export const CreateTemplateVersion = Schema.Struct({
  content: ContentInput.annotate({ description: "The whole new content: what is not stated is not in it." })
}).annotate({ identifier: "CreateTemplateVersion" })
export type CreateTemplateVersion = typeof CreateTemplateVersion.Type

export const InstantiateTemplate = Schema.Struct({
  versionId: Schema.optionalKey(
    Ids.TemplateVersionId.pipe(Schema.annotate({ description: "The latest version unless told." }))
  ),
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Of the plugin, instead of the template's." })),
  variables: Schema.optionalKey(
    Schema.Record(VariableName, Value).annotate({
      description:
        "A value for each variable, by its name. They end up in texts that others read: a secret has no place here."
    })
  )
}).annotate({ identifier: "InstantiateTemplate" })
export type InstantiateTemplate = typeof InstantiateTemplate.Type

/** Which template and version something was made of. */
const Provenance = Schema.Struct({
  id: Ids.TemplateId,
  versionId: Ids.TemplateVersionId,
  ordinal: Schema.Int
}).annotate({ identifier: "TemplateProvenance" })
export type Provenance = typeof Provenance.Type

/** What was made of a template. */
export const Made = Schema.Struct({
  plugin: Plugin,
  configObjects: Schema.Array(ConfigObject).annotate({ description: "In the template's order." }),
  template: Provenance
}).annotate({ identifier: "TemplateMade" })
export type Made = typeof Made.Type

/** What would be made. */
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

/** A plugin that was made of a template, as far as the caller sees it. */
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
    description: "The version compared with; `null` before the first, where everything is new."
  }),
  to: Compared,
  textDiff: Schema.String.annotate({
    description: "The texts as unified diffs, one object after another by their place; empty when they are the same."
  }),
  changes: Schema.Array(PayloadChange).annotate({
    description: "Of all but the texts, as of JSON: at most 1 000 changes and 1 MiB of values."
  }),
  truncated: Schema.Boolean.annotate({ description: "There are more changes than are told." })
}).annotate({ identifier: "TemplateDiff" })
export type Diff = typeof Diff.Type

export class TemplateNotFound extends notFound("template")<TemplateNotFound>() {}
export class TemplateVersionNotFound extends notFound("template_version")<TemplateVersionNotFound>() {}
export class TemplateExists extends conflict(
  "template_exists",
  "The organization has a template with this name."
)<TemplateExists>() {}

const one = { templateId: Ids.TemplateId }
const oneVersion = { ...one, versionId: Ids.TemplateVersionId }
const at = "/v1/templates/:templateId"
const read = Access.permission("templates:read")
const write = Access.permission("templates:write")
const TemplateAnswer = Schema.Struct({ template: Template })
const WholeAnswer = Schema.Struct({ template: Template, version: Version })
const VersionAnswer = Schema.Struct({ version: Version })

const grammar =
  "A placeholder `{{ name }}` stands for the value of a declared variable; `{{{{` stands for `{{`. Placeholders may stand in the texts, in the text values of payload and metadata, and in the plugin's name and description; not in names of members. In a JSON text they stand inside strings, in front matter and YAML inside values, and what is put there is quoted: a value is always text, and never changes the structure. Everything else with `{{` is refused."

export const group = HttpApiGroup.make("templates")
  .annotateMerge(
    OpenApi.annotations({
      title: "Templates",
      description: "Versioned blueprints of plugins with their config objects, and making plugins of them."
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/templates", {
      payload: CreateTemplate,
      success: WholeAnswer.pipe(HttpApiSchema.status(201)),
      error: [TemplateExists, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "template.create",
        bodyBytesMax,
        summary: "Creates a template and its first version.",
        description: grammar
      })
    ),
    HttpApiEndpoint.get("list", "/v1/templates", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of the name, in any case." }))
      },
      success: Page(Template)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the templates of the organization." })),
    HttpApiEndpoint.get("get", at, { params: one, success: WholeAnswer, error: TemplateNotFound }).pipe(
      endpointMetadata({ access: read, versioned: true, summary: "Gets one template with its latest version." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateTemplate,
      success: TemplateAnswer,
      error: [TemplateNotFound, TemplateExists]
    }).pipe(
      endpointMetadata({
        access: write,
        versioned: true,
        audited: "template.update",
        summary: "Renames or describes a template; its content changes by a new version."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: TemplateNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("templates:manage"),
        versioned: true,
        audited: "template.remove",
        summary: "Removes a template with its versions; what was made of it stays."
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
        summary: "Lists the versions of a template, newest first, without their content."
      })
    ),
    HttpApiEndpoint.get("getVersion", `${at}/versions/:versionId`, {
      params: oneVersion,
      success: VersionAnswer,
      error: [TemplateNotFound, TemplateVersionNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Gets one version of a template with its content." })),
    HttpApiEndpoint.post("createVersion", `${at}/versions`, {
      params: one,
      payload: CreateTemplateVersion,
      success: [VersionAnswer.pipe(HttpApiSchema.status(201)), VersionAnswer],
      error: [TemplateNotFound, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "template.create_version",
        bodyBytesMax,
        summary:
          "Writes a new version; the same content as the latest is answered with 200, and no version is written.",
        description: grammar
      })
    ),
    HttpApiEndpoint.post("restoreVersion", `${at}/versions/:versionId/restore`, {
      params: oneVersion,
      success: [VersionAnswer.pipe(HttpApiSchema.status(201)), VersionAnswer],
      error: [TemplateNotFound, TemplateVersionNotFound, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "template.restore_version",
        summary:
          "Writes a new version with the content of an earlier one; 200 and no version when the latest has that content."
      })
    ),
    HttpApiEndpoint.get("diffVersions", `${at}/versions/:versionId/diff`, {
      params: oneVersion,
      query: {
        against: Schema.optionalKey(
          Ids.TemplateVersionId.pipe(
            Schema.annotate({ description: "Another version of the template; the one before unless told." })
          )
        )
      },
      success: Schema.Struct({ diff: Diff }),
      error: [TemplateNotFound, TemplateVersionNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Compares a version of a template with another." })),
    HttpApiEndpoint.post("preview", `${at}/preview`, {
      params: one,
      payload: InstantiateTemplate,
      success: Schema.Struct({ preview: Preview }),
      error: TemplateNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        idempotency: "none",
        summary: "Shows what would be made of a template with these values; nothing is written.",
        description: "Refuses what `templates.instantiate` refuses, with the same details."
      })
    ),
    HttpApiEndpoint.post("instantiate", `${at}/instantiate`, {
      params: one,
      payload: InstantiateTemplate,
      success: Made.pipe(HttpApiSchema.status(201)),
      error: [TemplateNotFound, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: Access.permission("plugins:write", "configObjects:write", "templates:read"),
        audited: "template.instantiate",
        summary: "Makes a private plugin of a template, with its config objects; all of it or nothing.",
        description: "The caller becomes their manager. The template may change or go afterwards: what was made stays."
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
        summary: "Lists the plugins that were made of a template and that the caller can see."
      })
    )
  )
