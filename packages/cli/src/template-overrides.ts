/** The same as in `overrides.ts`, for templates. */
import { isSame } from "./output/diff.ts"
import type { Override } from "./overrides.ts"

const columns = ["id", "name", "description", "latestVersion.ordinal", "latestVersion.objectCount", "updatedAt"]
const versionColumns = ["id", "ordinal", "objectCount", "variableCount", "contentDigest", "createdAt"]
const whole = ["template.id", "template.name", "template.description", "version.id", "version.ordinal"]
const asked = {
  versionId: { name: "version-id" },
  variables: { name: "var", pairs: true, help: "A value, as name=value; once for each variable" }
} as const

export const templateOverrides = {
  "templates.create": {
    subject: "template",
    columns: whole,
    examples: [
      {
        command: "orgplane templates create --name Reviewer --input template.json",
        description: 'The file holds {"content": {"plugin": …, "objects": […], "variables": […]}}'
      }
    ]
  },
  "templates.list": { columns },
  "templates.get": { subject: "template", columns: whole },
  "templates.update": { subject: "template", columns },
  "templates.remove": {
    confirm: (ids) => `Remove the template ${ids[0] ?? ""} with its versions? What was made of it stays.`
  },
  "templates.listVersions": { alias: "versions", columns: versionColumns },
  "templates.getVersion": { subject: "version", columns: versionColumns },
  "templates.createVersion": {
    subject: "version",
    columns: versionColumns,
    examples: [
      { command: "orgplane templates create-version tpl_… --input content.json", description: "The whole new content" }
    ]
  },
  "templates.restoreVersion": { subject: "version", columns: versionColumns },
  "templates.diffVersions": {
    alias: "diff",
    draw: "diff",
    subject: "diff.to",
    note: (body) => (isSame(body) ? "Nothing differs." : undefined),
    examples: [{ command: "orgplane templates diff tpl_… tpv_…", description: "What a version changed" }]
  },
  "templates.preview": {
    draw: "preview",
    flags: asked,
    columns: ["plugin.name", "plugin.description", "configObjects", "template.ordinal"],
    examples: [
      {
        command: "orgplane templates preview tpl_… --var team=Payments --var slug=payments-review",
        description: "What would be made; nothing is"
      }
    ]
  },
  "templates.instantiate": {
    flags: asked,
    subject: "plugin",
    columns: ["plugin.id", "plugin.name", "plugin.memberCount", "template.id", "template.ordinal"],
    examples: [
      {
        command: "orgplane templates instantiate tpl_… --var team=Payments --var slug=payments-review",
        description: "A private plugin of your own"
      }
    ]
  },
  "templates.listInstances": {
    alias: "instances",
    subject: "plugin",
    columns: ["plugin.id", "plugin.name", "version.ordinal", "createdByOrgMembershipId", "createdAt"]
  }
} satisfies Readonly<Record<string, Override>>
