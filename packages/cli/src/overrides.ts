/** What a person needs beyond the contract; an operation that is not here works all the same. */
import { adminOverrides } from "./admin-overrides.ts"
import { capabilityOverrides } from "./capability-overrides.ts"
import { connectorOverrides } from "./connector-overrides.ts"
import { contentOverrides } from "./content-overrides.ts"
import type { ExitCode } from "./failure.ts"
import { llmOverrides } from "./llm-overrides.ts"
import { mcpOverrides } from "./mcp-overrides.ts"
import { memoryOverrides } from "./memory-overrides.ts"
import { listAt, member } from "./output/cell.ts"
import { policyOverrides } from "./policy-overrides.ts"
import { scimBranches, scimOverrides } from "./scim-overrides.ts"
import { ssoOverrides } from "./sso-overrides.ts"
import { telemetryOverrides } from "./telemetry-overrides.ts"
import { workerOverrides } from "./worker-overrides.ts"
import { templateOverrides } from "./template-overrides.ts"

export interface FlagOverride {
  readonly name?: string
  /** The value names a file; `line` for one that holds a line, as a token does, not a text. */
  readonly file?: true | "line"
  /** The value may be a duration, from now on or before now: `90d`. */
  readonly moment?: "ahead" | "ago"
  /** Of an object of texts: the flag is repeated, each time with `name=value`. */
  readonly pairs?: true
  readonly help?: string
}

/** A member of the body, or of the query where there is none, that is said by its place, as ids of the path are. */
export interface ArgumentOverride {
  readonly name: string
  readonly member: string
  /** An object of any kind, which the prefix of its id tells. */
  readonly object?: true
  readonly help?: string
}

/** By member, in every command: `-q` is `--quiet`. */
export const usualFlags: Readonly<Record<string, FlagOverride>> = { q: { name: "search" } }

/** Groups that are shown below another, or under another name. */
export const groupNames: Readonly<Record<string, string>> = { ssoDomains: "sso domains" }

/** What is below a word that is neither group nor command. */
export const branches: Readonly<Record<string, string>> = scimBranches

export interface Override {
  /** How the command is called, when not as its operation: words below each other, `tokens rotate`. */
  readonly command?: string
  /** Another name for the command. */
  readonly alias?: string
  /** Columns of the table, or rows of a single object: members, dotted where nested. */
  readonly columns?: ReadonlyArray<string>
  /** The list that the answer is about: its rows are printed, as those of a page. */
  readonly rows?: string
  /** Drawn for people instead of put into columns. */
  readonly draw?:
    | "analytics"
    | "call"
    | "chain"
    | "diff"
    | "memories"
    | "metrics"
    | "plan"
    | "policy"
    | "preview"
    | "readiness"
    | "resolution"
    | "review"
    | "scimLog"
    | "simulation"
    | "sso"
  /** The answer is an archive, for a file or a pipe: kept only when it is genuine. */
  readonly archive?: true
  /** Said on a terminal beside the answer. */
  readonly note?: (body: unknown) => string | undefined
  /** Said on a terminal after the rows of a list, which may be of several pages. */
  readonly total?: (rows: ReadonlyArray<unknown>) => string | undefined
  /** Whether an answer that came is a failure all the same, and which. */
  readonly fails?: (body: unknown) => boolean | ExitCode
  /** What is answered this once: `--quiet` prints it instead of the id. */
  readonly secret?: string
  /** What `--quiet` prints of an answer that has no id. */
  readonly text?: (body: unknown) => string
  /** The list grows while one looks: `--follow` shows what comes. */
  readonly follow?: true
  /** Rows of a list below the answer's own path, shown with it on a terminal. */
  readonly beside?: { readonly path: string; readonly columns: ReadonlyArray<string> }
  /** The member that names a row, when it is not `id`. */
  readonly id?: string
  /** A list inside the answer that gets a table of its own on a terminal. */
  readonly list?: { readonly member: string; readonly columns: ReadonlyArray<string> }
  /** Where the row is in the answer, when it is not `item`: what `--quiet` takes the id of. */
  readonly subject?: string
  /** The question before the command does what cannot be taken back. */
  readonly confirm?: (ids: ReadonlyArray<string>) => string
  /** What the command shows while it runs. */
  readonly progress?: "discovery" | "apply" | "sync" | "worker"
  /** Its items come from a file too, a line each; every line gets its own result. */
  readonly lines?: true
  /** Members that are said by their place. */
  readonly arguments?: ReadonlyArray<ArgumentOverride>
  /** Members the command says itself. */
  readonly hide?: ReadonlyArray<string>
  /** The body's member whose own members become flags. */
  readonly flatten?: string
  /** Names and kinds of single flags, by member. */
  readonly flags?: Readonly<Record<string, FlagOverride>>
  /** Values of members that are required and not told. */
  readonly defaults?: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description: string }>
}

const grants = ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"]
const keyColumns = ["id", "name", "hint", "permissions", "expiresAt", "lastUsedAt", "revokedAt"]
const newKey = {
  subject: "apiKey",
  secret: "key",
  columns: ["key", "apiKey.id", "apiKey.name", "apiKey.permissions", "apiKey.expiresAt"],
  note: () => "The key is not shown again."
} satisfies Override
const expires = { expiresAt: { name: "expires", moment: "ahead", help: "A moment, or from now on: 90d, 12h" } } as const
const between = {
  since: { moment: "ago", help: "Not before this moment, or so long ago: 24h, 7d" },
  until: { moment: "ago", help: "Before this moment, or so long ago" }
} as const
const invitationToken = {
  token: { file: "line", help: "The token or the whole link; `-` asks, or reads standard input" }
} as const
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
  "bootstrap.previewClaim": { flags: invitationToken },
  "bootstrap.acceptClaim": { flags: invitationToken },
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
  "invitations.preview": { columns: ["organizationName", "email", "role", "expiresAt"], flags: invitationToken },
  "invitations.accept": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "member.id", "member.role"],
    flags: invitationToken,
    examples: [{ command: "orgplane invitations accept --token -", description: "Join; asks for the link, unseen" }]
  },
  "members.get": { subject: "member" },
  "members.list": {
    columns: ["id", "name", "email", "role", "createdAt"],
    examples: [{ command: "orgplane members list --role owner", description: "Who decides here" }]
  },
  "members.batch": {
    lines: true,
    rows: "results",
    columns: ["index", "ok", "orgMembershipId", "error.code", "error.message"],
    fails: (body) => listAt(body, "results").some((row) => member(row, "ok") !== true),
    examples: [
      {
        command: "orgplane members batch --file leavers.csv",
        description: "Lines as `om_…,setRole,admin` or `om_…,remove`, or JSON objects; each gets its result"
      }
    ]
  },
  "roles.permissions": {
    rows: "permissions",
    columns: ["permission", "roles", "description"]
  },
  "roles.create": {
    subject: "role",
    flags: { permissions: { name: "permission" } },
    examples: [
      {
        command: "orgplane roles create --name Reader --permission connectors:read --permission plugins:read",
        description: "A role of your own"
      }
    ]
  },
  "roles.list": { columns: ["id", "name", "permissions", "updatedAt"] },
  "roles.get": { subject: "role" },
  "roles.update": { subject: "role", flags: { permissions: { name: "permission" } } },
  "roles.remove": { confirm: (ids) => `Remove the role ${ids[0] ?? ""}?` },
  "teams.create": { subject: "team" },
  "teams.list": { columns: ["id", "name", "memberCount", "updatedAt"] },
  "teams.get": { subject: "team" },
  "teams.update": { subject: "team" },
  "teams.remove": { confirm: (ids) => `Remove the team ${ids[0] ?? ""} with every grant it holds?` },
  "teams.addMember": { subject: "team" },
  "teams.listMembers": { columns: ["id", "name", "email", "role", "createdAt"] },
  "apiKeys.create": {
    ...newKey,
    flags: { permissions: { name: "permission" }, ...expires },
    defaults: { name: "orgplane command line" },
    examples: [
      {
        command: "orgplane api-keys create --permission connectors:read --expires 90d",
        description: "A key for a script; it is shown this once"
      },
      {
        command: "orgplane api-keys create --name ci --permission plugins:read -q > ci.key",
        description: "Only the key"
      }
    ]
  },
  "apiKeys.rotate": { ...newKey, confirm: (ids) => `Give the key ${ids[0] ?? ""} a new secret?` },
  "apiKeys.list": { columns: keyColumns },
  "apiKeys.get": { subject: "apiKey" },
  "apiKeys.current": { subject: "apiKey" },
  "apiKeys.update": { subject: "apiKey", flags: { permissions: { name: "permission" }, ...expires } },
  "apiKeys.revoke": { confirm: (ids) => `Revoke the key ${ids[0] ?? ""}?` },
  "access.explain": {
    draw: "chain",
    arguments: [{ name: "object-id", member: "object", object: true, help: "Such as plg_… or mkt_…" }],
    flags: { orgMembershipId: { name: "member" } },
    defaults: { action: "view" },
    examples: [
      { command: "orgplane access explain plg_…", description: "Why you can see a plugin" },
      {
        command: "orgplane access explain cob_… --member om_… --action edit",
        description: "Why somebody can edit a skill, or what is missing"
      }
    ]
  },
  "access.impact": {
    arguments: [{ name: "grant-id", member: "grantId" }],
    rows: "impact.losses",
    columns: ["orgMembershipId", "from", "to", "object.kind", "object.name"],
    note: (body) => {
      const count = member(body, "impact.memberCount")
      const lost = typeof count === "number" ? count : 0
      const more = member(body, "impact.truncated") === true ? " There are more than these." : ""
      return lost === 0
        ? "Nobody would lose anything."
        : `${lost} ${lost === 1 ? "member" : "members"} would lose access, or have less.${more}`
    },
    examples: [{ command: "orgplane access impact mag_…", description: "Who loses what if the grant is revoked" }]
  },
  "audit.export": {
    flags: between,
    examples: [
      {
        command: "orgplane audit export --format csv --since 30d > audit.csv",
        description: "The last month, for a sheet"
      }
    ]
  },
  "audit.verify": {
    columns: ["valid", "eventCount", "sealedThrough", "firstInvalidSequence", "reason"],
    fails: (body) => member(body, "verification.valid") !== true,
    examples: [
      { command: "orgplane audit verify && echo whole", description: "Fails when an event was changed or lost" }
    ]
  },
  "audit.checkpoints": { columns: ["sequence", "hash", "keyId", "createdAt"] },
  "audit.list": {
    flags: between,
    columns: ["createdAt", "action", "actorKind", "actorId", "targetId", "address"],
    examples: [
      {
        command: "orgplane audit list --action connector.remove --all -o ndjson",
        description: "Every removal, one JSON object a line"
      }
    ]
  },

  ...policyOverrides,
  ...memoryOverrides,
  ...connectorOverrides,
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
        description: 'A private one; the file holds {"credential": {"token": "…"}}'
      },
      {
        command:
          "orgplane connectors setup --adapter rest --connector-account-id cac_… --repository-full-name acme/plugins",
        description: "One that an installation of the app holds"
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
    // Nothing chosen: what is imported is kept in step.
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
        description: "Import two plugins for everybody"
      },
      {
        command: "orgplane connectors apply cin_… --select reviewer --plan-digest 5d2f…",
        description: "Do what `connectors plan` said, or nothing"
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
  "plugins.download": {
    archive: true,
    examples: [
      {
        command: "orgplane plugins download plg_… --to reviewer.tar.gz",
        description: "Checked before the file appears"
      },
      { command: "orgplane plugins download plg_… | tar -tz", description: "What is in it" }
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
        description: "What is ready, what is missing, what to do next"
      }
    ]
  },
  "marketplaces.manifest": {
    rows: "plugins",
    columns: ["name", "version", "description", "source.sha256"],
    examples: [
      {
        command: "orgplane marketplaces manifest mkt_… -o json > marketplace.json",
        description: "What an agent reads; its links are good for an hour"
      }
    ]
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
  "marketplaces.revokeAccess": revoke,
  ...adminOverrides,
  ...capabilityOverrides,
  ...contentOverrides,
  ...telemetryOverrides,
  ...mcpOverrides,
  ...workerOverrides,
  ...llmOverrides,
  ...templateOverrides,
  ...ssoOverrides,
  ...scimOverrides
}
