/** What a person needs beyond the contract of the operations on connectors that are set up. */
import type { Override } from "./overrides.ts"

const syncColumns = ["id", "status", "trigger", "revision", "counts", "warnings", "error"]

export const connectorOverrides: Readonly<Record<string, Override>> = {
  "connectors.plan": {
    draw: "plan",
    progress: "discovery",
    hide: ["planDigest"],
    flags: { selectedKeys: { name: "select" } },
    // Nothing chosen: what is imported is kept in step.
    defaults: { autoImportNewPlugins: false, selectedKeys: [] },
    examples: [
      {
        command: "orgplane connectors plan cin_… --select marketplace:reviewer",
        description: "What importing a plugin would do, with the command that does exactly that"
      },
      { command: "orgplane connectors plan cin_…", description: "What the next sync of what is imported would do" }
    ]
  },
  "connectors.configuration": {
    subject: "item.connectorInstance",
    columns: [
      "connectorInstance.id",
      "connectorInstance.name",
      "connectorInstance.status",
      "autoImportNewPlugins",
      "connectorInstance.lastSyncedAt"
    ],
    list: {
      member: "targets",
      columns: [
        "connectorTarget.id",
        "connectorTarget.externalTargetRef",
        "connectorTarget.pinnedRevision",
        "marketplace",
        "mappings",
        "lastSyncEvent.status"
      ]
    }
  },
  "connectors.archive": {
    examples: [{ command: "orgplane connectors list --archived", description: "See what is archived, too" }]
  },
  "connectors.createTarget": {
    columns: ["id", "externalTargetRef", "remoteId", "createdAt"],
    examples: [
      { command: "orgplane connectors create-target cin_… --branch next", description: "Read another branch, too" }
    ]
  },
  "connectors.createMapping": {
    columns: ["id", "selector", "objectType", "mappingKind", "pluginId", "autoAddToPlugin"],
    examples: [
      {
        command:
          "orgplane connectors create-mapping ctg_… --selector docs/guides --object-type context --plugin-id plg_…",
        description: "Put a folder into a plugin"
      }
    ]
  },
  "connectors.deleteMapping": {
    confirm: (ids) => `Delete the mapping ${ids[0] ?? ""} and everything that only it feeds?`
  },
  "connectors.resync": { progress: "sync", columns: syncColumns },
  "connectors.retrySync": { progress: "sync", columns: syncColumns },
  "connectors.rollback": {
    progress: "sync",
    columns: syncColumns,
    confirm: (ids) => `Roll ${ids[0] ?? ""} back, and leave it there until somebody syncs it by hand?`,
    examples: [
      {
        command: "orgplane connectors rollback cin_… --revision 3f2a91c… --watch",
        description: "Go back to an earlier revision, and see it through"
      },
      { command: "orgplane connectors sync cin_…", description: "Follow the branch again" }
    ]
  }
}
