/** What a person needs beyond the contract; an operation that is not here works all the same. */

export interface FlagOverride {
  readonly name?: string
  readonly file?: true
  readonly help?: string
}

/** By member, in every command: `-q` is `--quiet`. */
export const usualFlags: Readonly<Record<string, FlagOverride>> = { q: { name: "search" } }

export interface Override {
  /** Another name for the command. */
  readonly alias?: string
  /** Columns of the table, or rows of a single object: members, dotted where nested. */
  readonly columns?: ReadonlyArray<string>
  /** A list inside the answer that gets a table of its own on a terminal. */
  readonly list?: { readonly member: string; readonly columns: ReadonlyArray<string> }
  /** Where the row is in the answer, when it is not `item`: what `--quiet` takes the id of. */
  readonly subject?: string
  /** The question before the command does what cannot be taken back. */
  readonly confirm?: (ids: ReadonlyArray<string>) => string
  /** What the command shows while it runs. */
  readonly progress?: "discovery" | "apply" | "sync"
  /** Members the command says itself. */
  readonly hide?: ReadonlyArray<string>
  /** The body's member whose own members become flags. */
  readonly flatten?: string
  /** Names and kinds of single flags, by member. */
  readonly flags?: Readonly<Record<string, FlagOverride>>
  /** Values of members that are required and not told. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description: string }>
}

const grants = ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"]
const revoke = {
  confirm: (ids: ReadonlyArray<string>) => `Revoke the grant ${ids[1] ?? ""}?`
} satisfies Override

export const overrides: Readonly<Record<string, Override>> = {
  "bootstrap.workspace": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "session.token", "session.expiresAt", "claimLinks"],
    examples: [
      { command: "orgplane bootstrap workspace --workspace-name Acme", description: "Try it out without an account" }
    ]
  },
  "sessions.startEmail": {
    examples: [
      { command: "orgplane sessions start-email --email ada@acme.example", description: "Get a sign-in code by mail" }
    ]
  },
  "sessions.verifyEmail": {
    subject: "session",
    columns: ["session.id", "session.token", "session.expiresAt", "user.id", "user.email"],
    examples: [
      {
        command: "orgplane sessions verify-email --challenge-id … --code ABCD-2345",
        description: "Sign in with the code; the token goes into ORGPLANE_TOKEN"
      }
    ]
  },
  "sessions.exchange": { subject: "session", columns: ["session.id", "session.token", "session.expiresAt"] },
  "sessions.revokeCurrent": { alias: "sign-out" },
  "sessions.list": { columns: ["id", "kind", "current", "createdAt", "expiresAt"] },
  "sessions.revoke": { confirm: (ids) => `End the session ${ids[0] ?? ""}?` },
  "users.get": { subject: "user" },
  "users.update": { subject: "user" },
  "users.remove": { confirm: () => "Remove you with all your memberships, grants and sessions?" },
  "users.organizations": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "role", "active", "orgMembershipId"]
  },
  "users.setActiveOrganization": {
    subject: "organization",
    examples: [
      {
        command: "orgplane users set-active-organization --organization-id org_…",
        description: "What this session is about from now on"
      }
    ]
  },
  "organizations.create": { subject: "organization" },
  "organizations.get": { subject: "organization" },
  "organizations.update": { subject: "organization" },
  "organizations.remove": { confirm: () => "Remove the organization with everything in it?" },
  "organizations.transferOwnership": {
    subject: "organization",
    confirm: () => "Make somebody else an owner?"
  },
  "invitations.create": {
    subject: "invitation",
    columns: [
      "invitation.id",
      "invitation.email",
      "invitation.role",
      "invitation.status",
      "invitation.expiresAt",
      "link.url"
    ],
    flags: { teamIds: { name: "team-id" } },
    examples: [
      {
        command: "orgplane invitations create --email ada@acme.example --role admin",
        description: "Mail somebody a link"
      }
    ]
  },
  "invitations.list": {
    columns: ["id", "email", "role", "status", "createdAt", "expiresAt"],
    examples: [{ command: "orgplane invitations list --status pending", description: "Who has not answered yet" }]
  },
  "invitations.get": { subject: "invitation" },
  "invitations.resend": { subject: "invitation" },
  "invitations.cancel": { subject: "invitation", confirm: (ids) => `Take the invitation ${ids[0] ?? ""} back?` },
  "invitations.preview": { columns: ["organizationName", "email", "role", "expiresAt"] },
  "invitations.accept": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "member.id", "member.role"],
    examples: [
      {
        command: "orgplane invitations accept --input - < invitation.json",
        description: 'Join; the file holds {"token": "…"}, what follows #token= in the link'
      }
    ]
  },
  "members.get": { subject: "member" },
  "members.list": {
    columns: ["id", "name", "email", "role", "createdAt"],
    examples: [{ command: "orgplane members list --role owner", description: "Who decides here" }]
  },
  "audit.list": {
    columns: ["createdAt", "action", "actorKind", "actorId", "targetId", "address"],
    examples: [
      {
        command: "orgplane audit list --action connector.remove --all -o ndjson",
        description: "Every removal, one JSON object a line"
      }
    ]
  },

  "connectors.setup": {
    subject: "item.connectorInstance",
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
        description: 'A private one; the file holds {"credential": {"token": "…"}}'
      }
    ]
  },
  "connectors.listInstances": {
    alias: "list",
    columns: ["id", "name", "status", "remoteId", "lastSyncedAt"],
    examples: [{ command: "orgplane connectors list -q", description: "Only the ids, for a script" }]
  },
  "connectors.getInstance": { alias: "get" },
  "connectors.updateInstance": { alias: "update" },
  "connectors.remove": {
    confirm: (ids) => `Remove ${ids[0] ?? ""} and everything imported through it?`,
    examples: [
      { command: "orgplane connectors remove cin_… --yes", description: "In a script, where nobody can be asked" }
    ]
  },
  "connectors.sync": {
    progress: "sync",
    columns: ["id", "status", "trigger", "revision", "counts", "warnings", "error"],
    examples: [{ command: "orgplane connectors sync cin_… --watch", description: "Sync now, and see it through" }]
  },
  "connectors.listSyncEvents": { columns: ["id", "status", "trigger", "revision", "attempt", "createdAt", "endedAt"] },
  "connectors.discovery": {
    progress: "discovery",
    columns: ["repositoryFullName", "sourceRevisionRef", "discoveredPlugins", "treeSummary", "warnings"],
    list: {
      member: "discoveredPlugins",
      columns: ["key", "displayName", "componentKinds", "selectedByDefault", "supported", "warnings"]
    },
    examples: [{ command: "orgplane connectors discovery cin_…", description: "See what the repository holds" }]
  },
  "connectors.tree": {
    columns: ["path", "size", "sha"],
    examples: [
      { command: "orgplane connectors tree cin_… --prefix plugins/ --all", description: "Every file below a folder" }
    ]
  },
  "connectors.apply": {
    progress: "apply",
    hide: ["wait"],
    flags: { selectedKeys: { name: "select" } },
    defaults: { autoImportNewPlugins: false },
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
        description: "Import two plugins for everybody"
      }
    ]
  },
  "connectors.listAccess": { columns: grants },
  "connectors.revokeAccess": revoke,
  "connectors.listTargets": { columns: ["id", "externalTargetRef", "remoteId", "createdAt"] },
  "connectors.listMappings": {
    columns: ["id", "selector", "objectType", "mappingKind", "pluginId", "autoAddToPlugin"],
    examples: [
      { command: "orgplane connectors list-mappings ctg_… --object-type skill", description: "The skills of a branch" }
    ]
  },

  "configObjects.create": {
    flatten: "input",
    flags: {
      rawSourceText: { name: "source", file: true, help: "The text of it, such as a SKILL.md" },
      pluginIds: { name: "plugin-id" }
    },
    columns: ["id", "title", "objectType", "status", "sourceMode", "latestVersion.id", "createdAt"],
    examples: [
      { command: "orgplane config-objects create --type skill --source SKILL.md", description: "A skill from a file" }
    ]
  },
  "configObjects.list": {
    columns: ["id", "title", "objectType", "status", "sourceMode", "updatedAt"],
    examples: [
      { command: "orgplane config-objects list --type skill --search review", description: "Look for a skill" }
    ]
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
  "configObjects.listAccess": { columns: grants },
  "configObjects.revokeAccess": revoke,

  "plugins.list": { columns: ["id", "name", "memberCount", "description", "updatedAt"] },
  "plugins.listObjects": {
    columns: ["configObject.id", "configObject.title", "configObject.objectType", "configObject.status", "createdAt"],
    subject: "configObject"
  },
  "plugins.listAccess": { columns: grants },
  "plugins.revokeAccess": revoke,

  "marketplaces.list": { columns: ["id", "name", "pluginCount", "canDelete", "updatedAt"] },
  "marketplaces.listPlugins": {
    columns: ["plugin.id", "plugin.name", "plugin.memberCount", "createdAt"],
    subject: "plugin"
  },
  "marketplaces.resolved": {
    subject: "item.marketplace",
    columns: ["marketplace.id", "marketplace.name", "source.repositoryFullName", "source.branch", "plugins"],
    list: {
      member: "plugins",
      columns: ["id", "name", "memberCount", "cloudReadiness.state", "cloudReadiness.nextAction"]
    }
  },
  "marketplaces.listAccess": { columns: grants },
  "marketplaces.grantAccess": {
    examples: [
      {
        command: "orgplane marketplaces grant-access mkt_… --org-wide --role viewer",
        description: "Offer it to every member"
      }
    ]
  },
  "marketplaces.revokeAccess": revoke
}
