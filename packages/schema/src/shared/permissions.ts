/** The one table of who may do what: every permission, and which of them each built-in role holds. */

const groups = {
  connectors: "repository connections: accounts, instances, targets, mappings and syncs",
  configObjects: "config objects and their versions",
  plugins: "plugins and their contents",
  marketplaces: "marketplaces and their plugins",
  desktopPolicies: "desktop policies",
  mcpConnections: "external MCP connections",
  llmProviders: "LLM providers",
  templates: "templates",
  workers: "workers",
  telemetry: "usage events",
  organizations: "the organization itself",
  members: "members",
  teams: "teams",
  roles: "custom roles",
  invitations: "invitations",
  apiKeys: "API keys",
  sso: "single sign-on and domains",
  scim: "directory provisioning",
  webhooks: "webhook deliveries"
} as const

const verbs = { read: "Sees", write: "Creates and changes", manage: "Removes, and decides about," } as const

/** What a permission gives beyond what its name says. */
const notes: Readonly<Record<string, string>> = {
  "plugins:read": "The texts of what is in them too.",
  "teams:write": "Whoever is in a team has what it was granted, so this gives away all that any team has.",
  "members:manage": "Admins too; owners are only an owner's to change."
}

type Group = keyof typeof groups
type Verb = keyof typeof verbs

const special = {
  "mcp:resolve": "Resolves an address or a name to an MCP server.",
  "mcp:call": "Runs one tool of an MCP connection for diagnosis.",
  "sessions:mint": "Exchanges a key for a short session of a member; only an owner can make such a key.",
  "invitations:link": "Gets an invitation as a link instead of sending it by mail.",
  "access:read": "Explains what other members can reach, and why.",
  "audit:read": "Reads the audit trail.",
  "analytics:read": "Reads usage analytics and metrics."
} as const

export type Permission = `${Group}:${Verb}` | keyof typeof special

/** Every permission with one sentence about it, in a fixed order. */
export const catalogue: ReadonlyArray<{ readonly permission: Permission; readonly description: string }> = [
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

const all = catalogue.map((row) => row.permission)
const ownerOnly: ReadonlyArray<Permission> = ["sessions:mint", "organizations:manage"]

/**
 * What each built-in role holds. A member's permissions open an operation; which objects it then reaches is decided by
 * grants, so `connectors:read` shows a member only what was shared.
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
