/** What a person needs beyond the contract of the operations on connectors, and what a code host tells. */
import type { Override } from "./overrides.ts"

const syncColumns = ["id", "status", "trigger", "revision", "counts", "warnings", "error"]

export const connectorOverrides: Readonly<Record<string, Override>> = {
  "connectors.listAccounts": { alias: "accounts", columns: ["id", "name", "adapter", "status", "remoteId"] },
  "connectors.getAccount": { alias: "account" },
  "connectors.createAccount": {
    defaults: { adapter: "git" },
    examples: [
      { command: "orgplane connectors create-account --url https://git.example", description: "A host of plain git" }
    ]
  },
  "connectors.disconnectAccount": {
    alias: "disconnect",
    confirm: (ids) => `Forget the account ${ids[0] ?? ""}? What is installed at the host stays there.`
  },
  "connectors.startInstall": {
    alias: "install",
    columns: ["url", "state", "expiresAt"],
    secret: "item.url",
    note: () =>
      "Open the address in a browser, and complete the installation in this session with what it brings back.",
    examples: [{ command: "orgplane connectors install", description: "Connect an organization of the code host" }]
  },
  "connectors.completeInstall": {
    columns: ["id", "name", "status", "remoteId"],
    flags: { code: { file: "line", help: "The code; `-` asks, or reads standard input" } },
    examples: [
      {
        command: "orgplane connectors complete-install --state … --installation-id 4711 --code -",
        description: "With what the browser brought back"
      }
    ]
  },
  "connectors.listRepositories": {
    alias: "repositories",
    columns: ["id", "fullName", "defaultBranch", "private"],
    examples: [{ command: "orgplane connectors repositories cac_…", description: "What can be connected" }]
  },
  "connectors.listBranches": { alias: "branches", columns: ["name", "revision"] },
  "connectors.createInstance": {
    alias: "create",
    examples: [
      {
        command: "orgplane connectors create --connector-account-id cac_… --remote-id 4711 --branch main",
        description: "Connect a repository by its id at the host"
      }
    ]
  },
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
  },
  "webhooks.listDeliveries": {
    alias: "deliveries",
    columns: ["id", "event", "action", "repositoryFullName", "ref", "status", "reason", "receivedAt"],
    examples: [
      { command: "orgplane webhooks deliveries --status ignored", description: "What the code host told in vain" }
    ]
  },
  "webhooks.getDelivery": { alias: "delivery" },
  "webhooks.redeliver": {
    columns: ["id", "event", "repositoryFullName", "ref", "status", "reason", "syncEventIds"],
    examples: [{ command: "orgplane webhooks redeliver dlv_…", description: "Act upon a delivery once more" }]
  }
}
