/** Overrides of generated commands: names, columns, prompts, examples. An operation without one works unchanged. */
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
  /** The value is a file name. `line`: the file contains one line, such as a token. */
  readonly file?: true | "line"
  /** The value may be a duration from now or before now: `90d`. */
  readonly moment?: "ahead" | "ago"
  /** The member is an object of strings, set by repeating the flag with `name=value`. */
  readonly pairs?: true
  readonly help?: string
}

/** A body member, or a query parameter if there is no body, that is a positional argument. */
export interface ArgumentOverride {
  readonly name: string
  readonly member: string
  /** The ID of an object of any kind. Its prefix determines the kind. */
  readonly object?: true
  readonly help?: string
}

/** Flag overrides by member, for every command: `-q` is `--quiet`. */
export const defaultFlags: Readonly<Record<string, FlagOverride>> = { q: { name: "search" } }

/** Groups that are nested below another group or renamed. */
export const groupNames: Readonly<Record<string, string>> = { ssoDomains: "sso domains" }

/** Summaries of the words on a command path that are neither a group nor a command. */
export const branches: Readonly<Record<string, string>> = scimBranches

export interface Override {
  /** The name of the command, if it differs from the operation. Several words nest it: `tokens rotate`. */
  readonly command?: string
  /** An additional name. */
  readonly alias?: string
  /** Columns of a table, or rows of a single object: dotted member paths. */
  readonly columns?: ReadonlyArray<string>
  /** The list inside the response whose rows are printed like those of a page. */
  readonly rows?: string
  /** A custom rendering for terminals instead of columns. */
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
  /** The response is an archive for a file or a pipe, kept only after verification. */
  readonly archive?: true
  /** Printed to stderr on a terminal, after the response. */
  readonly note?: (body: unknown) => string | undefined
  /** Printed to stderr on a terminal after the rows of all fetched pages. */
  readonly total?: (rows: ReadonlyArray<unknown>) => string | undefined
  /** Whether a successful response means failure, and the exit code. */
  readonly fails?: (body: unknown) => boolean | ExitCode
  /** A secret that appears only in this response. `--quiet` prints it instead of the ID. */
  readonly secret?: string
  /** What `--quiet` prints for a response without an ID. */
  readonly text?: (body: unknown) => string
  /** The list grows over time: adds `--follow`. */
  readonly follow?: true
  /** A second list below the path of the operation, printed after the response on a terminal. */
  readonly beside?: { readonly path: string; readonly columns: ReadonlyArray<string> }
  /** The member that identifies a row, if it is not `id`. */
  readonly id?: string
  /** A list inside the response that is printed as a separate table on a terminal. */
  readonly list?: { readonly member: string; readonly columns: ReadonlyArray<string> }
  /** The path of the object whose ID `--quiet` prints, if it is not `item`. */
  readonly subject?: string
  /** The confirmation prompt of a destructive command. */
  readonly confirm?: (ids: ReadonlyArray<string>) => string
  /** The progress that the command shows while it runs. */
  readonly progress?: "discovery" | "apply" | "sync" | "worker"
  /** Adds `--file` with one item per line. Each line has its own result. */
  readonly lines?: true
  /** Members that are positional arguments. */
  readonly arguments?: ReadonlyArray<ArgumentOverride>
  /** Members that the command sets itself. */
  readonly hide?: ReadonlyArray<string>
  /** The body member whose own members become flags. */
  readonly flatten?: string
  /** Flag overrides by member. */
  readonly flags?: Readonly<Record<string, FlagOverride>>
  /** Default values of required members. */
  readonly defaults?: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description: string }>
}

const grantColumns = ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"]
const keyColumns = ["id", "name", "hint", "permissions", "expiresAt", "lastUsedAt", "revokedAt"]
const keyWithSecret = {
  subject: "apiKey",
  secret: "key",
  columns: ["key", "apiKey.id", "apiKey.name", "apiKey.permissions", "apiKey.expiresAt"],
  note: () => "The key is not shown again."
} satisfies Override
const expires = {
  expiresAt: { name: "expires", moment: "ahead", help: "ISO 8601 time, or duration from now: 90d, 12h" }
} as const
const timeRange = {
  since: { moment: "ago", help: "Events since this ISO 8601 time, or duration before now: 24h, 7d" },
  until: { moment: "ago", help: "Events before this ISO 8601 time, or duration before now" }
} as const
const invitationToken = {
  token: { file: "line", help: "File with the token or the full link. `-` prompts, or reads stdin" }
} as const
const revokeGrant = {
  confirm: (ids: ReadonlyArray<string>) => `Revoke the grant ${ids[1] ?? ""}?`
} satisfies Override

export const overrides: Readonly<Record<string, Override>> = {
  "bootstrap.workspace": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "session.token", "session.expiresAt", "claimLinks"],
    examples: [
      {
        command: "orgplane bootstrap workspace --workspace-name Acme",
        description: "Create a workspace without an account"
      }
    ]
  },
  "bootstrap.previewClaim": { flags: invitationToken },
  "bootstrap.acceptClaim": { flags: invitationToken },
  "sessions.startEmail": {
    examples: [
      { command: "orgplane sessions start-email --email ada@acme.example", description: "Get a sign-in code by email" }
    ]
  },
  "sessions.verifyEmail": {
    subject: "session",
    columns: ["session.id", "session.token", "session.expiresAt", "user.id", "user.email"],
    examples: [
      {
        command: "orgplane sessions verify-email --challenge-id … --code ABCD-2345",
        description: "Sign in with the code. Set ORGPLANE_TOKEN to the token"
      }
    ]
  },
  "sessions.exchange": { subject: "session", columns: ["session.id", "session.token", "session.expiresAt"] },
  "sessions.revokeCurrent": { alias: "sign-out" },
  "sessions.list": { columns: ["id", "kind", "current", "createdAt", "expiresAt"] },
  "sessions.revoke": { confirm: (ids) => `Revoke the session ${ids[0] ?? ""}?` },
  "users.get": { subject: "user" },
  "users.update": { subject: "user" },
  "users.remove": { confirm: () => "Delete your user with all memberships, grants and sessions?" },
  "users.organizations": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "role", "active", "orgMembershipId"]
  },
  "users.setActiveOrganization": {
    subject: "organization",
    examples: [
      {
        command: "orgplane users set-active-organization --organization-id org_…",
        description: "Switch this session to an organization"
      }
    ]
  },
  "organizations.create": { subject: "organization" },
  "organizations.get": { subject: "organization" },
  "organizations.update": { subject: "organization" },
  "organizations.remove": { confirm: () => "Delete the organization and everything in it?" },
  "organizations.transferOwnership": {
    subject: "organization",
    confirm: () => "Transfer ownership to another member?"
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
        description: "Send an invitation email"
      }
    ]
  },
  "invitations.list": {
    columns: ["id", "email", "role", "status", "createdAt", "expiresAt"],
    examples: [{ command: "orgplane invitations list --status pending", description: "List open invitations" }]
  },
  "invitations.get": { subject: "invitation" },
  "invitations.resend": { subject: "invitation" },
  "invitations.cancel": { subject: "invitation", confirm: (ids) => `Cancel the invitation ${ids[0] ?? ""}?` },
  "invitations.preview": { columns: ["organizationName", "email", "role", "expiresAt"], flags: invitationToken },
  "invitations.accept": {
    subject: "organization",
    columns: ["organization.id", "organization.name", "member.id", "member.role"],
    flags: invitationToken,
    examples: [
      { command: "orgplane invitations accept --token -", description: "Join an organization. Prompts for the link" }
    ]
  },
  "members.get": { subject: "member" },
  "members.list": {
    columns: ["id", "name", "email", "role", "createdAt"],
    examples: [{ command: "orgplane members list --role owner", description: "List the owners" }]
  },
  "members.batch": {
    lines: true,
    rows: "results",
    columns: ["index", "ok", "orgMembershipId", "error.code", "error.message"],
    fails: (body) => listAt(body, "results").some((row) => member(row, "ok") !== true),
    examples: [
      {
        command: "orgplane members batch --file leavers.csv",
        description: "Lines such as `om_…,setRole,admin` or `om_…,remove`, or JSON objects"
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
        description: "Create a custom role"
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
  "teams.remove": { confirm: (ids) => `Remove the team ${ids[0] ?? ""} and all its grants?` },
  "teams.addMember": { subject: "team" },
  "teams.listMembers": { columns: ["id", "name", "email", "role", "createdAt"] },
  "apiKeys.create": {
    ...keyWithSecret,
    flags: { permissions: { name: "permission" }, ...expires },
    defaults: { name: "orgplane command line" },
    examples: [
      {
        command: "orgplane api-keys create --permission connectors:read --expires 90d",
        description: "Create a key for a script. The key is shown only once"
      },
      {
        command: "orgplane api-keys create --name ci --permission plugins:read -q > ci.key",
        description: "Save only the key"
      }
    ]
  },
  "apiKeys.rotate": {
    ...keyWithSecret,
    confirm: (ids) => `Rotate the API key ${ids[0] ?? ""}? The old secret stops working after the grace period.`
  },
  "apiKeys.list": { columns: keyColumns },
  "apiKeys.get": { subject: "apiKey" },
  "apiKeys.current": { subject: "apiKey" },
  "apiKeys.update": { subject: "apiKey", flags: { permissions: { name: "permission" }, ...expires } },
  "apiKeys.revoke": { confirm: (ids) => `Revoke the API key ${ids[0] ?? ""}?` },
  "access.explain": {
    draw: "chain",
    arguments: [{ name: "object-id", member: "object", object: true, help: "For example plg_… or mkt_…" }],
    flags: { orgMembershipId: { name: "member" } },
    defaults: { action: "view" },
    examples: [
      { command: "orgplane access explain plg_…", description: "Explain why you can see a plugin" },
      {
        command: "orgplane access explain cob_… --member om_… --action edit",
        description: "Explain why a member can edit a skill, or what is missing"
      }
    ]
  },
  "access.impact": {
    arguments: [{ name: "grant-id", member: "grantId" }],
    rows: "impact.losses",
    columns: ["orgMembershipId", "from", "to", "object.kind", "object.name"],
    note: (body) => {
      const count = member(body, "impact.memberCount")
      const memberCount = typeof count === "number" ? count : 0
      const more = member(body, "impact.truncated") === true ? " The list is incomplete." : ""
      return memberCount === 0
        ? "No member would lose access."
        : `${memberCount} ${memberCount === 1 ? "member" : "members"} would lose access or have a lower level.${more}`
    },
    examples: [{ command: "orgplane access impact mag_…", description: "Preview what revoking a grant would change" }]
  },
  "audit.export": {
    flags: timeRange,
    examples: [
      {
        command: "orgplane audit export --format csv --since 30d > audit.csv",
        description: "Export the last 30 days for a spreadsheet"
      }
    ]
  },
  "audit.verify": {
    columns: ["valid", "eventCount", "sealedThrough", "firstInvalidSequence", "reason"],
    fails: (body) => member(body, "verification.valid") !== true,
    examples: [
      { command: "orgplane audit verify && echo intact", description: "Fail if an event was changed or is missing" }
    ]
  },
  "audit.checkpoints": { columns: ["sequence", "hash", "keyId", "createdAt"] },
  "audit.list": {
    flags: timeRange,
    columns: ["createdAt", "action", "actorKind", "actorId", "targetId", "address"],
    examples: [
      {
        command: "orgplane audit list --action connector.remove --all -o ndjson",
        description: "Every removal as JSON lines"
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
        description: 'Connect a private repository. The file contains {"credential": {"token": "…"}}'
      },
      {
        command:
          "orgplane connectors setup --adapter rest --connector-account-id cac_… --repository-full-name acme/plugins",
        description: "Connect a repository of an app installation"
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
  "connectors.remove": {
    confirm: (ids) => `Remove ${ids[0] ?? ""} and everything imported through it?`,
    examples: [
      { command: "orgplane connectors remove cin_… --yes", description: "Remove without confirmation, in a script" }
    ]
  },
  "connectors.sync": {
    progress: "sync",
    columns: ["id", "status", "trigger", "revision", "counts", "warnings", "error"],
    examples: [{ command: "orgplane connectors sync cin_… --watch", description: "Sync now and wait until it ends" }]
  },
  "connectors.listSyncEvents": { columns: ["id", "status", "trigger", "revision", "attempt", "createdAt", "endedAt"] },
  "connectors.discovery": {
    progress: "discovery",
    columns: ["repositoryFullName", "sourceRevisionRef", "discoveredPlugins", "treeSummary", "warnings"],
    list: {
      member: "discoveredPlugins",
      columns: ["key", "displayName", "componentKinds", "selectedByDefault", "supported", "warnings"]
    },
    examples: [
      { command: "orgplane connectors discovery cin_…", description: "Discover the plugins in the repository" }
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
        description: "Apply exactly the plan of `connectors plan`, or fail"
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

  "plugins.list": { columns: ["id", "name", "memberCount", "description", "updatedAt"] },
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
        description: "Show what is ready, what is missing and what to do next"
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
        description: "Share it with every member"
      }
    ]
  },
  "marketplaces.revokeAccess": revokeGrant,
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
