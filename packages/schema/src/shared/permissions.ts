/** All permissions, and the permissions of each built-in role. */

const groups = {
  connectors: "repository connections: accounts, instances, targets, mappings and syncs",
  configObjects: "config objects and their versions",
  plugins: "plugins and their contents",
  marketplaces: "marketplaces and their plugins",
  approvals: "plugin releases and their approvals",
  assignments: "assignments of plugins and marketplaces",
  delivery: "devices and the plugins that they have installed",
  rollouts: "rollouts of releases to rings",
  desktopPolicies: "desktop policies",
  mcpConnections: "external MCP connections",
  llmProviders: "LLM providers",
  templates: "templates",
  workers: "workers",
  telemetry: "telemetry events",
  organizations: "the organization",
  members: "members",
  teams: "teams",
  roles: "custom roles",
  invitations: "invitations",
  apiKeys: "API keys",
  sso: "single sign-on and domains",
  scim: "SCIM directories",
  webhooks: "webhook deliveries",
  webhookEndpoints: "webhook endpoints",
  eventStreams: "event streams"
} as const

const verbs = { read: "View", write: "Create and change", manage: "Remove and administer" } as const

/** Effects of a permission that its name does not convey. */
const notes: Readonly<Record<string, string>> = {
  "approvals:write": "Allows approving and rejecting releases.",
  "approvals:manage": "Allows changing delivery modes and four-eyes approval.",
  "delivery:manage": "Allows removing devices.",
  "rollouts:manage":
    "Allows changing the rollout settings, withdrawing releases, and releasing to all members at once.",
  "plugins:read": "Includes the contents of their config objects.",
  "teams:write":
    "Members of a team have all access granted to it, so a caller with this permission can give anyone the access of any team.",
  "members:manage": "Includes changing and removing admins. Only an owner can change or remove an owner."
}

type Group = keyof typeof groups
type Verb = keyof typeof verbs

const special = {
  "mcp:resolve": "Resolve a URL or a name to an MCP server.",
  "mcp:call": "Run one tool of an MCP connection for diagnosis.",
  "sessions:mint": "Use an API key to create a short-lived session for a member. Only an owner can create such a key.",
  "invitations:link": "Get an invitation as a link instead of sending it by email.",
  "access:read": "Explain what other members can access, and why.",
  "audit:read": "Read the audit log.",
  "events:read": "Read the events of resources that the caller has the read permission for.",
  "analytics:read": "Read usage analytics and metrics."
} as const

export type Permission = `${Group}:${Verb}` | keyof typeof special

/** Every permission with a description, in a fixed order. */
export const catalog: ReadonlyArray<{ readonly permission: Permission; readonly description: string }> = [
  ...Object.entries(groups).flatMap(([group, what]) =>
    Object.entries(verbs).map(([verb, does]) => ({
      permission: `${group as Group}:${verb as Verb}` as const,
      description: [`${does} ${what}.`, notes[`${group}:${verb}`]].filter((part) => part !== undefined).join(" ")
    }))
  ),
  ...Object.entries(special).map(([permission, description]) => ({
    permission: permission as keyof typeof special,
    description
  }))
]

const all = catalog.map((row) => row.permission)
const ownerOnly: ReadonlyArray<Permission> = ["sessions:mint", "organizations:manage"]

/**
 * The permissions of each built-in role. Permissions allow the use of an operation; grants determine the objects that
 * it covers. With `connectors:read`, for example, a member sees only the connectors that were shared with them.
 */
export const builtInRoles = {
  owner: all,
  admin: all.filter((permission) => !ownerOnly.includes(permission)),
  member: [
    "connectors:read",
    "configObjects:read",
    "configObjects:write",
    "plugins:read",
    "plugins:write",
    "marketplaces:read",
    "mcpConnections:read",
    "llmProviders:read",
    "templates:read",
    "workers:read",
    "workers:write",
    "organizations:read",
    "members:read",
    "teams:read"
  ]
} as const satisfies Record<string, ReadonlyArray<Permission>>

export type BuiltInRole = keyof typeof builtInRoles
