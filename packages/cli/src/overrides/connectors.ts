/** Overrides of the commands for connectors and webhooks. */
import type { Override } from "../override.ts"
import { listAt, member, textAt } from "../output/value.ts"
import { grantColumns, revokeGrant } from "./grants.ts"

/** The keys of the plugins that can be imported, for `--select`. */
const importableKeys = (body: unknown): ReadonlyArray<string> =>
  listAt(body, "item.discoveredPlugins").flatMap((plugin) =>
    member(plugin, "supported") === false ? [] : (textAt(plugin, "key") ?? [])
  )

const syncColumns = ["id", "status", "trigger", "revision", "counts", "warnings", "error"]

export const connectorOverrides: Readonly<Record<string, Override>> = {
  "connectors.setup": {
    subject: "item.connectorInstance",
    defaults: { adapter: "git" },
    columns: [
      "connectorInstance.id",
      "connectorInstance.name",
      "connectorInstance.remoteId",
      "connectorInstance.status",
      "connectorTarget.id",
      "connectorTarget.externalTargetRef",
      "connectorAccount.id"
    ],
    examples: [
      {
        command: "orgplane connectors setup --clone-url https://git.example/acme/plugins.git --branch main",
        description: "Connect a public repository"
      },
      {
        command:
          "orgplane connectors setup --clone-url https://git.example/acme/private.git --input - < credential.json",
        description: 'Connect a private repository. The file contains {"credential": {"token": "…"}}'
      },
      {
        command:
          "orgplane connectors setup --adapter rest --connector-account-id cac_… --repository-full-name acme/plugins",
        description: "Connect a repository that an app installation can access"
      }
    ]
  },
  "connectors.listInstances": {
    alias: "list",
    columns: ["id", "name", "status", "remoteId", "lastSyncedAt"],
    examples: [{ command: "orgplane connectors list -q", description: "Print only IDs, for a script" }]
  },
  "connectors.getInstance": { alias: "get" },
  "connectors.updateInstance": { alias: "update" },
  "connectors.setCredential": {
    flags: {
      token: {
        name: "token-file",
        file: "line",
        help: "File with the token. `-` prompts on a terminal and reads stdin otherwise"
      }
    },
    examples: [
      {
        command: "orgplane connectors set-credential cin_… --token-file -",
        description: "Replace the token without exposing it in the process list"
      }
    ]
  },
  "connectors.remove": {
    confirm: (ids) => `Remove ${ids[0] ?? ""} and everything imported through it?`,
    examples: [
      { command: "orgplane connectors remove cin_… --yes", description: "Remove without confirmation, in a script" }
    ]
  },
  "connectors.sync": {
    progress: "sync",
    columns: ["id", "status", "trigger", "revision", "counts", "warnings", "error"],
    examples: [
      { command: "orgplane connectors sync cin_… --wait", description: "Sync now and wait for the sync to finish" }
    ]
  },
  "connectors.listSyncEvents": { columns: ["id", "status", "trigger", "revision", "attempt", "createdAt", "endedAt"] },
  "connectors.discovery": {
    progress: "discovery",
    columns: ["repositoryFullName", "sourceRevisionRef", "discoveredPlugins", "treeSummary", "warnings"],
    list: {
      member: "discoveredPlugins",
      columns: ["key", "displayName", "componentKinds", "selectedByDefault", "supported", "warnings"]
    },
    listInPipes: true,
    text: (body) => importableKeys(body).join("\n"),
    examples: [
      { command: "orgplane connectors discovery cin_…", description: "Discover the plugins in the repository" },
      {
        command: "orgplane connectors discovery cin_… -q",
        description: "Print only the keys of the plugins that can be imported"
      }
    ]
  },
  "connectors.tree": {
    columns: ["path", "size", "sha"],
    examples: [
      {
        command: "orgplane connectors tree cin_… --prefix plugins/ --all",
        description: "List every file in a directory"
      }
    ]
  },
  "connectors.apply": {
    progress: "apply",
    hide: ["wait"],
    flags: { selectedKeys: { name: "select" } },
    // Nothing selected: keep what is already imported in sync.
    defaults: { autoImportNewPlugins: false, selectedKeys: [] },
    subject: "item.syncEvent",
    columns: [
      "marketplace.id",
      "marketplace.name",
      "plugins",
      "autoImportNewPlugins",
      "sourceRevisionRef",
      "syncEvent"
    ],
    examples: [
      {
        command: "orgplane connectors apply cin_… --select reviewer --select release-notes --share orgWide",
        description: "Import two plugins and share them with the organization"
      },
      {
        command: "orgplane connectors apply cin_… --select reviewer --plan-digest 5d2f…",
        description: "Apply the plan printed by `connectors plan`. Fails if the plan has changed"
      }
    ]
  },
  "connectors.listAccess": { columns: grantColumns },
  "connectors.revokeAccess": revokeGrant,
  "connectors.listTargets": { columns: ["id", "externalTargetRef", "remoteId", "createdAt"] },
  "connectors.listMappings": {
    columns: ["id", "selector", "objectType", "mappingKind", "pluginId", "autoAddToPlugin"],
    examples: [
      {
        command: "orgplane connectors list-mappings ctg_… --object-type skill",
        description: "List the skill mappings of a branch"
      }
    ]
  },
  "connectors.listAccounts": { alias: "accounts", columns: ["id", "name", "adapter", "status", "remoteId"] },
  "connectors.getAccount": { alias: "account" },
  "connectors.createAccount": {
    defaults: { adapter: "git" },
    examples: [
      { command: "orgplane connectors create-account --url https://git.example", description: "Add a plain git host" }
    ]
  },
  "connectors.disconnectAccount": {
    alias: "disconnect",
    confirm: (ids) => `Disconnect the account ${ids[0] ?? ""}? The app stays installed on the code host.`
  },
  "connectors.startInstall": {
    alias: "install",
    columns: ["url", "state", "expiresAt"],
    secret: "item.url",
    note: () =>
      "Open the URL in a browser, then run 'orgplane connectors complete-install' with the values from the browser.",
    examples: [{ command: "orgplane connectors install", description: "Install the app on the code host" }]
  },
  "connectors.completeInstall": {
    columns: ["id", "name", "status", "remoteId"],
    flags: { code: { file: "line", help: "File with the code. `-` prompts on a terminal and reads stdin otherwise" } },
    examples: [
      {
        command: "orgplane connectors complete-install --state … --installation-id 4711 --code -",
        description: "Complete an installation with the values from the browser"
      }
    ]
  },
  "connectors.listRepositories": {
    alias: "repositories",
    columns: ["id", "fullName", "defaultBranch", "private"],
    examples: [
      { command: "orgplane connectors repositories cac_…", description: "List repositories that can be connected" }
    ]
  },
  "connectors.listBranches": { alias: "branches", columns: ["name", "revision"] },
  "connectors.createInstance": {
    alias: "create",
    examples: [
      {
        command: "orgplane connectors create --connector-account-id cac_… --remote-id 4711 --branch main",
        description: "Connect a repository by its ID on the code host"
      }
    ]
  },
  "connectors.plan": {
    draw: "plan",
    progress: "discovery",
    hide: ["planDigest"],
    flags: { selectedKeys: { name: "select" } },
    // Nothing selected: keep what is already imported in sync.
    defaults: { autoImportNewPlugins: false, selectedKeys: [] },
    examples: [
      {
        command: "orgplane connectors plan cin_… --select marketplace:reviewer",
        description: "Preview an import, with the command that applies exactly this plan"
      },
      { command: "orgplane connectors plan cin_…", description: "Preview the next sync" }
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
    examples: [{ command: "orgplane connectors list --archived", description: "List archived connectors too" }]
  },
  "connectors.createTarget": {
    columns: ["id", "externalTargetRef", "remoteId", "createdAt"],
    examples: [{ command: "orgplane connectors create-target cin_… --branch next", description: "Add another branch" }]
  },
  "connectors.createMapping": {
    columns: ["id", "selector", "objectType", "mappingKind", "pluginId", "autoAddToPlugin"],
    examples: [
      {
        command:
          "orgplane connectors create-mapping ctg_… --selector docs/guides --object-type context --plugin-id plg_…",
        description: "Map a directory to a plugin"
      }
    ]
  },
  "connectors.deleteMapping": {
    confirm: (ids) => `Delete the mapping ${ids[0] ?? ""} and everything imported only through it?`
  },
  "connectors.resync": { progress: "sync", columns: syncColumns },
  "connectors.retrySync": { progress: "sync", columns: syncColumns },
  "connectors.rollback": {
    progress: "sync",
    columns: syncColumns,
    confirm: (ids) => `Roll back ${ids[0] ?? ""} and pin it to the revision in --revision until the next manual sync?`,
    examples: [
      {
        command: "orgplane connectors rollback cin_… --revision 3f2a91c… --wait",
        description: "Roll back to an earlier revision and wait for the sync to finish"
      },
      { command: "orgplane connectors sync cin_…", description: "Unpin and follow the branch again" }
    ]
  },
  "connectors.planRollback": {
    columns: [
      "revision",
      "baseRevision",
      "counts.objectsDeleted",
      "counts.objectsCreated",
      "counts.objectsUpdated",
      "counts.objectsMoved",
      "removedPlugins",
      "restoredPlugins"
    ],
    list: { member: "removed", columns: ["path", "objectType", "plugin.name", "configObjectId"] },
    examples: [
      {
        command: "orgplane connectors plan-rollback cin_… --revision 3f2a91c…",
        description: "Preview a rollback, with the config objects that it would delete"
      }
    ]
  },
  "connectors.mappingImpact": {
    subject: "impact",
    columns: ["objectsDeleted", "objectsKept"],
    list: { member: "deleted", columns: ["path", "objectType", "plugin.name", "configObjectId"] }
  },
  "webhooks.listDeliveries": {
    alias: "deliveries",
    columns: ["id", "event", "action", "repositoryFullName", "ref", "status", "reason", "receivedAt"],
    priority: ["id", "status", "event", "repositoryFullName", "reason"],
    examples: [{ command: "orgplane webhooks deliveries --status ignored", description: "List ignored deliveries" }]
  },
  "webhooks.getDelivery": { alias: "delivery" },
  "webhooks.redeliver": {
    columns: ["id", "event", "repositoryFullName", "ref", "status", "reason", "syncEventIds"],
    examples: [{ command: "orgplane webhooks redeliver dlv_…", description: "Process a delivery again" }]
  }
}
