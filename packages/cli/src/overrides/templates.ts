/** Overrides of the commands for templates. */
import { isSame } from "../output/version-diff.ts"
import type { Override } from "../override.ts"

const columns = ["id", "name", "description", "latestVersion.ordinal", "latestVersion.objectCount", "updatedAt"]
const versionColumns = ["id", "ordinal", "objectCount", "variableCount", "contentDigest", "createdAt"]
const detailColumns = ["template.id", "template.name", "template.description", "version.id", "version.ordinal"]
const instantiationFlags = {
  versionId: { name: "version-id" },
  variables: { name: "var", pairs: true, help: "Value of a variable, as name=value" }
} as const

export const templateOverrides = {
  "templates.create": {
    subject: "template",
    columns: detailColumns,
    examples: [
      {
        command: "orgplane templates create --name Reviewer --input template.json",
        description: 'Create a template. The file contains {"content": {"plugin": …, "objects": […], "variables": […]}}'
      }
    ]
  },
  "templates.list": { columns },
  "templates.get": { subject: "template", columns: detailColumns },
  "templates.update": { subject: "template", columns },
  "templates.remove": {
    confirm: (ids) => `Remove the template ${ids[0] ?? ""} and its versions? Plugins created from it are kept.`
  },
  "templates.listVersions": { alias: "versions", columns: versionColumns },
  "templates.getVersion": { subject: "version", columns: versionColumns },
  "templates.createVersion": {
    subject: "version",
    columns: versionColumns,
    examples: [
      {
        command: "orgplane templates create-version tpl_… --input content.json",
        description: "Create a version from complete content"
      }
    ]
  },
  "templates.restoreVersion": { subject: "version", columns: versionColumns },
  "templates.diffVersions": {
    alias: "diff",
    draw: "diff",
    subject: "diff.to",
    note: (body) => (isSame(body) ? "The versions are identical." : undefined),
    examples: [{ command: "orgplane templates diff tpl_… tpv_…", description: "Show what a version changed" }]
  },
  "templates.preview": {
    draw: "preview",
    flags: instantiationFlags,
    columns: ["plugin.name", "plugin.description", "configObjects", "template.ordinal"],
    examples: [
      {
        command: "orgplane templates preview tpl_… --var team=Payments --var slug=payments-review",
        description: "Preview the plugin without creating it"
      }
    ]
  },
  "templates.instantiate": {
    flags: instantiationFlags,
    subject: "plugin",
    columns: ["plugin.id", "plugin.name", "plugin.memberCount", "template.id", "template.ordinal"],
    examples: [
      {
        command: "orgplane templates instantiate tpl_… --var team=Payments --var slug=payments-review",
        description: "Create a private plugin"
      }
    ]
  },
  "templates.listInstances": {
    alias: "instances",
    subject: "plugin",
    columns: ["plugin.id", "plugin.name", "version.ordinal", "createdByOrgMembershipId", "createdAt"]
  }
} satisfies Readonly<Record<string, Override>>
