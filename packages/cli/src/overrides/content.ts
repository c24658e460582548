/** Overrides of the commands for config objects, plugins and marketplaces. */
import { isSame } from "../output/version-diff.ts"
import type { Override } from "../override.ts"
import { grantColumns, revokeGrant } from "./grants.ts"

const pluginColumns = ["id", "name", "description", "memberCount", "marketplaces", "archivedAt", "updatedAt"]
const marketplaceColumns = ["id", "name", "description", "logoUrl", "pluginCount", "archivedAt", "updatedAt"]
const objectColumns = ["id", "title", "objectType", "status", "latestVersion.id", "updatedAt"]
const versionColumns = ["id", "ordinal", "createdVia", "contentDigest", "createdAt"]
/** The columns of a list of capabilities of a plugin. */
export const capabilityColumns = ["kind", "summary", "path", "line"]

export const contentOverrides = {
  "configObjects.create": {
    flatten: "input",
    flags: {
      rawSourceText: { name: "source", file: true, help: "File with the source text, such as a SKILL.md" },
      pluginIds: { name: "plugin-id" }
    },
    columns: ["id", "title", "objectType", "status", "sourceMode", "latestVersion.id", "createdAt"],
    examples: [
      {
        command: "orgplane config-objects create --type skill --source SKILL.md",
        description: "Create a skill from a file"
      }
    ]
  },
  "configObjects.list": {
    columns: ["id", "title", "objectType", "status", "sourceMode", "updatedAt"],
    examples: [{ command: "orgplane config-objects list --type skill --search review", description: "Search skills" }]
  },
  "configObjects.get": {
    columns: [
      "id",
      "title",
      "description",
      "objectType",
      "sourceMode",
      "status",
      "currentRelativePath",
      "connectorInstanceId",
      "latestVersion.id",
      "latestVersion.ordinal",
      "latestVersion.contentDigest",
      "createdAt",
      "updatedAt"
    ]
  },
  "configObjects.listVersions": { columns: ["id", "ordinal", "createdVia", "contentDigest", "createdAt"] },
  "configObjects.listAccess": { columns: grantColumns },
  "configObjects.revokeAccess": revokeGrant,
  "plugins.list": {
    columns: ["id", "name", "memberCount", "description", "updatedAt", "pendingReleaseId"],
    sparse: ["pendingReleaseId"]
  },
  "plugins.capabilities": {
    rows: "item.elements",
    columns: capabilityColumns,
    examples: [
      { command: "orgplane plugins capabilities plg_…", description: "List what a plugin can do on a machine" },
      {
        command: "orgplane plugins capabilities plg_… --jq .item.signals",
        description: "Show only the parts that a reviewer should read"
      }
    ]
  },
  "plugins.listObjects": {
    columns: ["configObject.id", "configObject.title", "configObject.objectType", "configObject.status", "createdAt"],
    subject: "configObject"
  },
  "plugins.listAccess": { columns: grantColumns },
  "plugins.revokeAccess": revokeGrant,
  "plugins.download": {
    archive: true,
    examples: [
      {
        command: "orgplane plugins download plg_… --to reviewer.tar.gz",
        description: "Download, verify and save an archive"
      },
      { command: "orgplane plugins download plg_… | tar -tz", description: "List the files in an archive" }
    ]
  },
  "marketplaces.list": { columns: ["id", "name", "pluginCount", "canDelete", "updatedAt"] },
  "marketplaces.listPlugins": {
    columns: ["plugin.id", "plugin.name", "plugin.memberCount", "createdAt"],
    subject: "plugin"
  },
  "marketplaces.resolved": {
    draw: "readiness",
    rows: "item.plugins",
    columns: ["id", "name", "memberCount", "cloudReadiness.state", "cloudReadiness.nextAction"],
    examples: [
      {
        command: "orgplane marketplaces resolved mkt_…",
        description: "Show the status of each plugin and the next steps"
      }
    ]
  },
  "marketplaces.manifest": {
    rows: "plugins",
    columns: ["name", "version", "description", "source.sha256"],
    examples: [
      {
        command: "orgplane marketplaces manifest mkt_… -o json > marketplace.json",
        description: "Save the manifest that agents read. Its links expire after an hour"
      }
    ]
  },
  "marketplaces.listAccess": { columns: grantColumns },
  "marketplaces.grantAccess": {
    examples: [
      {
        command: "orgplane marketplaces grant-access mkt_… --org-wide --role viewer",
        description: "Share a marketplace with every member"
      }
    ]
  },
  "marketplaces.revokeAccess": revokeGrant,
  "configObjects.archive": { columns: objectColumns },
  "configObjects.restore": { columns: objectColumns },
  "configObjects.remove": {
    confirm: (ids) => `Remove ${ids[0] ?? ""} from every plugin and delete every grant on it?`,
    examples: [
      { command: "orgplane config-objects archive cob_…", description: "Hide it instead, so that it can be restored" }
    ]
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
        description: "Add a config object. Everyone with access to the plugin can use it"
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
        description: "Add a plugin to a marketplace"
      }
    ]
  },
  "marketplaces.removePlugin": { confirm: (ids) => `Remove ${ids[1] ?? ""} from ${ids[0] ?? ""}?` }
} satisfies Readonly<Record<string, Override>>
