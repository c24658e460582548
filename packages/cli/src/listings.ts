/** The lists of the objects that a command line can identify by name. */
import { textAt } from "./output/value.ts"

export interface Listing {
  /** The name of the kind of object, for messages. */
  readonly noun: string
  /** IDs have this prefix, and are never looked up. */
  readonly prefix: string
  readonly path: string
  /** Names are looked up with the query parameter `q`. Earlier servers do not have it in the other lists. */
  readonly searchable: boolean
  readonly command: string
  /** The field of a row that contains its name. */
  readonly nameField: string
  /** Other query parameters of the list. */
  readonly query: Readonly<Record<string, string>>
  /** Values that are never looked up as names. */
  readonly words: ReadonlyArray<string>
  /** Whether a row can be the object of the command. */
  readonly includes: (row: unknown) => boolean
}

const listing = (
  noun: string,
  prefix: string,
  path: string,
  command: string,
  options: Partial<Pick<Listing, "nameField" | "query" | "searchable" | "words">> = {}
): Listing => ({
  noun,
  prefix,
  path,
  searchable: true,
  command: `orgplane ${command}`,
  nameField: "name",
  query: {},
  words: [],
  includes: () => true,
  ...options
})

const archived = { query: { archived: "true" } }

/** The archived objects of a list, for the command that restores one. */
const onlyArchived = (list: Listing): Listing => ({
  ...list,
  ...archived,
  noun: `archived ${list.noun}`,
  command: `${list.command} --archived`,
  includes: (row) => textAt(row, "archivedAt") !== undefined || textAt(row, "status") === "archived"
})

// Not by name: people choose their own name, and it could be the email address of another person.
const members = listing("member", "om", "/v1/members", "members list", { nameField: "email" })
const teams = listing("team", "tem", "/v1/teams", "teams list")
export const builtInRoles = ["owner", "admin", "member"] as const
const roles = listing("role", "rol", "/v1/roles", "roles list", { searchable: false, words: builtInRoles })
const plugins = listing("plugin", "plg", "/v1/plugins", "plugins list")
const marketplaces = listing("marketplace", "mkt", "/v1/marketplaces", "marketplaces list")
const configObjects = listing("config object", "cob", "/v1/config-objects", "config-objects list", {
  nameField: "title"
})
const mcpConnections = listing("MCP connection", "emc", "/v1/mcp-connections", "mcp-connections list")
const connectors = listing("connector", "cin", "/v1/connector-instances", "connectors list")
const llmProviders = listing("LLM provider", "llm", "/v1/llm-providers", "llm-providers list")
const invitations = listing("invitation", "inv", "/v1/invitations", "invitations list", {
  nameField: "email",
  searchable: false
})
const pendingInvitations: Listing = {
  ...invitations,
  noun: "pending invitation",
  command: `${invitations.command} --status pending`,
  query: { status: "pending" }
}

/** A plugin has at most one open rollout. */
const openRollouts: Listing = {
  ...listing("open rollout", "rlo", "/v1/rollouts", "rollouts list", {
    nameField: "pluginName",
    searchable: false
  }),
  includes: (row) => ["scheduled", "active", "paused"].includes(textAt(row, "state") ?? "")
}

/**
 * The listings by request field. A field of one group or of one operation takes precedence: `workers.id`,
 * `plugins.restore.pluginId`.
 */
const listings: Readonly<Record<string, Listing>> = {
  orgMembershipId: members,
  memberIds: members,
  breakGlass: members,
  teamId: teams,
  teamIds: teams,
  roleId: roles,
  "members.role": roles,
  "invitations.role": roles,
  "scim.role": roles,
  pluginId: plugins,
  pluginIds: plugins,
  "plugins.restore.pluginId": onlyArchived(plugins),
  marketplaceId: marketplaces,
  "marketplaces.restore.marketplaceId": onlyArchived(marketplaces),
  configObjectId: configObjects,
  "configObjects.restore.configObjectId": onlyArchived(configObjects),
  connectionId: mcpConnections,
  connectorInstanceId: connectors,
  // Also restores an archived instance.
  "connectors.enable.connectorInstanceId": { ...connectors, ...archived },
  llmProviderId: llmProviders,
  apiKeyId: listing("API key", "key", "/v1/api-keys", "api-keys list", { searchable: false }),
  // A plugin has at most one pending release.
  releaseId: listing("pending release", "rel", "/v1/approvals", "approvals list", { searchable: false }),
  rolloutId: openRollouts,
  assignmentId: listing("assignment", "asg", "/v1/assignments", "assignments list", { searchable: false }),
  connectorAccountId: listing("connector account", "cac", "/v1/connector-accounts", "connectors list-accounts", {
    searchable: false
  }),
  desktopPolicyId: listing("desktop policy", "dpo", "/v1/desktop-policies", "desktop-policies list", {
    nameField: "policyName"
  }),
  domainId: listing("domain", "dom", "/v1/sso/domains", "sso domains list", {
    nameField: "domain",
    searchable: false
  }),
  invitationId: invitations,
  "invitations.cancel.invitationId": pendingInvitations,
  "invitations.resend.invitationId": pendingInvitations,
  scimDirectoryId: listing("SCIM directory", "scd", "/v1/scim/directories", "scim list-directories", {
    searchable: false
  }),
  templateId: listing("template", "tpl", "/v1/templates", "templates list"),
  "workers.id": listing("worker", "wrk", "/v1/workers", "workers list", { searchable: false })
}

/** The list of the objects that a request field of an operation identifies. */
export const listingOf = (operationId: string, member: string): Listing | undefined => {
  const [group = ""] = operationId.split(".")
  const key = [`${operationId}.${member}`, `${group}.${member}`, member].find((each) => Object.hasOwn(listings, each))
  return key === undefined ? undefined : listings[key]
}

/** The kinds of objects that grants give access to. */
export const grantedObjects: Readonly<Record<string, Listing>> = {
  connectorInstance: connectors,
  configObject: configObjects,
  plugin: plugins,
  marketplace: marketplaces,
  mcpConnection: mcpConnections,
  llmProvider: llmProviders
}

/** Fields that show a person which object a row is. The email address is first, because people choose their names. */
const labelFields = ["email", "name", "displayName", "title", "policyName", "domain"]

/** The label of a row in a list, for display. */
export const labelOf = (row: unknown): string =>
  labelFields.map((path) => textAt(row, path)).find((label) => label !== undefined) ?? ""
