/** Overrides of the commands that change config objects, plugins and marketplaces. */
import { isSame } from "./output/diff.ts"
import type { Override } from "./overrides.ts"

const pluginColumns = ["id", "name", "description", "memberCount", "marketplaces", "archivedAt", "updatedAt"]
const marketplaceColumns = ["id", "name", "description", "logoUrl", "pluginCount", "archivedAt", "updatedAt"]
const objectColumns = ["id", "title", "objectType", "status", "latestVersion.id", "updatedAt"]
const versionColumns = ["id", "ordinal", "createdVia", "contentDigest", "createdAt"]

export const contentOverrides = {
  "configObjects.archive": { columns: objectColumns },
  "configObjects.restore": { columns: objectColumns },
  "configObjects.remove": {
    confirm: (ids) => `Remove ${ids[0] ?? ""} from every plugin and delete every grant on it?`,
    examples: [{ command: "orgplane config-objects archive cob_…", description: "Hide it instead. It can be restored" }]
  },
  "configObjects.createVersion": {
    flatten: "input",
    flags: { rawSourceText: { name: "source", file: true, help: "File with the source text, such as a SKILL.md" } },
    columns: versionColumns,
    examples: [
      {
        command: "orgplane config-objects create-version cob_… --source SKILL.md",
        description: "Create a version from a file"
      }
    ]
  },
  "configObjects.restoreVersion": {
    columns: versionColumns,
    examples: [
      {
        command: "orgplane config-objects restore-version cob_… cov_…",
        description: "Restore an earlier version as a new one"
      }
    ]
  },
  "configObjects.diffVersions": {
    alias: "diff",
    draw: "diff",
    subject: "item.to",
    note: (body) => (isSame(body) ? "The versions are identical." : undefined),
    examples: [
      { command: "orgplane config-objects diff cob_… cov_…", description: "Show what a version changed" },
      {
        command: "orgplane config-objects diff cob_… cov_… --against cov_… > skill.patch",
        description: "Save the difference between two versions as a patch"
      }
    ]
  },
  "configObjects.attachPlugin": {
    arguments: [{ name: "plugin-id", member: "pluginId" }],
    columns: ["id", "configObjectId", "pluginId", "createdAt"]
  },
  "configObjects.detachPlugin": { confirm: (ids) => `Remove ${ids[0] ?? ""} from ${ids[1] ?? ""}?` },

  "plugins.update": { columns: pluginColumns },
  "plugins.archive": { columns: pluginColumns },
  "plugins.restore": { columns: pluginColumns },
  "plugins.addObject": {
    arguments: [{ name: "config-object-id", member: "configObjectId" }],
    columns: ["id", "pluginId", "configObject.id", "configObject.title", "createdAt"],
    examples: [
      {
        command: "orgplane plugins add-object plg_… cob_…",
        description: "Everyone with access to the plugin gets access to it"
      }
    ]
  },
  "plugins.removeObject": { confirm: (ids) => `Remove ${ids[1] ?? ""} from ${ids[0] ?? ""}?` },

  "marketplaces.create": {
    columns: marketplaceColumns,
    examples: [{ command: "orgplane marketplaces create --name Tools", description: "Create an empty marketplace" }]
  },
  "marketplaces.update": { columns: marketplaceColumns },
  "marketplaces.archive": { columns: marketplaceColumns },
  "marketplaces.restore": { columns: marketplaceColumns },
  "marketplaces.addPlugin": {
    arguments: [{ name: "plugin-id", member: "pluginId" }],
    columns: ["id", "marketplaceId", "plugin.id", "plugin.name", "createdAt"],
    examples: [
      {
        command: "orgplane marketplaces add-plugin mkt_… plg_…",
        description: "Offer it to everyone with access to the marketplace"
      }
    ]
  },
  "marketplaces.removePlugin": { confirm: (ids) => `Remove ${ids[1] ?? ""} from ${ids[0] ?? ""}?` }
} satisfies Readonly<Record<string, Override>>
