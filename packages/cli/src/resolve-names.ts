/** Finds the IDs of objects that the command line names: `plugins get "Incident review"`, `--member ada@acme.example`. */
import type { Connection } from "./connection.ts"
import { exit } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { FlagValue, OperationInvocation } from "./invocation.ts"
import { escapeControls } from "./output/escape.ts"
import { listAt, textAt } from "./output/value.ts"

interface Listing {
  /** The name of the kind of object, for messages. */
  readonly noun: string
  /** IDs have this prefix, and are never looked up. */
  readonly prefix: string
  readonly path: string
  /** The list has the query parameter `q`. */
  readonly searchable: boolean
  readonly command: string
  /** The member of a row that is its name. */
  readonly nameMember: string
}

const listing = (
  noun: string,
  prefix: string,
  path: string,
  command: string,
  { nameMember = "name", searchable = true }: { readonly nameMember?: string; readonly searchable?: boolean } = {}
): Listing => ({ noun, prefix, path, searchable, command: `orgplane ${command}`, nameMember })

// Not by name: people choose their own name, and it could be the email address of another person.
const members = listing("member", "om", "/v1/members", "members list", { nameMember: "email" })
const teams = listing("team", "tem", "/v1/teams", "teams list")
const roles = listing("role", "rol", "/v1/roles", "roles list", { searchable: false })
const plugins = listing("plugin", "plg", "/v1/plugins", "plugins list")

/** Where the objects are listed that a member of a request identifies. */
const listings: Readonly<Record<string, Listing>> = {
  orgMembershipId: members,
  memberIds: members,
  teamId: teams,
  teamIds: teams,
  roleId: roles,
  pluginId: plugins,
  pluginIds: plugins,
  apiKeyId: listing("API key", "key", "/v1/api-keys", "api-keys list", { searchable: false }),
  configObjectId: listing("config object", "cob", "/v1/config-objects", "config-objects list", { nameMember: "title" }),
  connectionId: listing("MCP connection", "emc", "/v1/mcp-connections", "mcp-connections list"),
  connectorAccountId: listing("connector account", "cac", "/v1/connector-accounts", "connectors list-accounts", {
    searchable: false
  }),
  connectorInstanceId: listing("connector", "cin", "/v1/connector-instances", "connectors list"),
  desktopPolicyId: listing("desktop policy", "dpo", "/v1/desktop-policies", "desktop-policies list", {
    nameMember: "policyName"
  }),
  domainId: listing("domain", "dom", "/v1/sso/domains", "sso domains list", {
    nameMember: "domain",
    searchable: false
  }),
  llmProviderId: listing("LLM provider", "llm", "/v1/llm-providers", "llm-providers list"),
  marketplaceId: listing("marketplace", "mkt", "/v1/marketplaces", "marketplaces list"),
  scimDirectoryId: listing("SCIM directory", "scd", "/v1/scim/directories", "scim list-directories", {
    searchable: false
  }),
  templateId: listing("template", "tpl", "/v1/templates", "templates list")
}

/** The path of the list of the objects that a member of a request identifies. */
export const listingPathOf = (member: string): string | undefined =>
  Object.hasOwn(listings, member) ? listings[member]?.path : undefined

/** Members that show a person which object a row is. The email address is first, because people choose their names. */
const labelMembers = ["email", "name", "displayName", "title", "policyName", "domain"]

const pageMax = 100
/** A list without a search is read up to here. */
const pagesMax = 10

const rowsOf = async (connection: Connection, { noun, path, searchable }: Listing, name: string) => {
  const rows: Array<unknown> = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const body = await connection.send({
      method: "GET",
      path,
      query: {
        limit: String(pageMax),
        ...(searchable ? { q: name } : {}),
        ...(cursor === undefined ? {} : { cursor })
      },
      body: undefined
    })
    rows.push(...listAt(body, "items"))
    const next = textAt(body, "nextCursor")
    if (next === undefined || next === cursor) return rows
    cursor = next
  }
  // Another object of the same name could be among those that were not read.
  throw usage(`Cannot find the ${noun} '${escapeControls(name)}' by name, because the list is too long. Use the ID.`)
}

/** The label of a row in a list, for display. */
export const labelOf = (row: unknown): string =>
  labelMembers.map((path) => textAt(row, path)).find((label) => label !== undefined) ?? ""

const idOf = async (connection: Connection, list: Listing, name: string): Promise<string> => {
  const isNamed = (row: unknown) => textAt(row, list.nameMember)?.toLowerCase() === name.toLowerCase()
  const rows = (await rowsOf(connection, list, name)).filter(isNamed)
  const [first, ...others] = rows
  const property = list.nameMember === "email" ? "has the email address" : "is named"
  if (first === undefined) {
    throw new Failure(exit.notFound, `No ${list.noun} ${property} '${escapeControls(name)}'. Run '${list.command}'.`)
  }
  if (others.length > 0) {
    const lines = rows.slice(0, 5).map((row) => `  ${textAt(row, "id") ?? ""}  ${escapeControls(labelOf(row))}`)
    throw usage(
      [
        `The ${list.noun} name '${escapeControls(name)}' is ambiguous: ${rows.length} objects have it. Use an ID:`,
        ...lines
      ].join("\n")
    )
  }
  const id = textAt(first, "id")
  if (id === undefined) throw new Failure(exit.failure, `The ${list.noun} '${escapeControls(name)}' has no ID.`)
  return id
}

const builtInRoles = new Set(["owner", "admin", "member"])

/** The list that names a value, if the value is a name. */
const listingOf = (groupId: string, member: string, value: string): Listing | undefined => {
  const isRole = member === "role" && (groupId === "members" || groupId === "invitations") && !builtInRoles.has(value)
  const list = isRole ? roles : Object.hasOwn(listings, member) ? listings[member] : undefined
  return list === undefined || value === "" || value.startsWith(`${list.prefix}_`) ? undefined : list
}

/** Replaces names by IDs in the arguments and flags of a command. Each different name costs one request. */
export const resolveNames = async (
  connection: Connection,
  invocation: OperationInvocation
): Promise<OperationInvocation> => {
  const { ids, operation, values } = invocation
  const [groupId = ""] = operation.id.split(".")
  const lookups = new Map<string, Promise<string>>()
  const resolved = (member: string, value: string): Promise<string> | string => {
    const list = listingOf(groupId, member, value)
    if (list === undefined) return value
    const key = `${list.path} ${value}`
    const pending = lookups.get(key) ?? idOf(connection, list, value)
    lookups.set(key, pending)
    return pending
  }
  const valueOf = async (member: string, value: FlagValue): Promise<FlagValue> => {
    if (typeof value === "string") return resolved(member, value)
    if (typeof value !== "object") return value
    const items: Array<string | number> = []
    for (const item of value) items.push(typeof item === "string" ? await resolved(member, item) : item)
    return items
  }
  const newIds: Array<string> = []
  for (const [index, value] of ids.entries()) newIds.push(await resolved(operation.ids[index]?.member ?? "", value))
  const newValues: Record<string, FlagValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const member = operation.flags.find((flag) => flag.name === name)?.member ?? ""
    newValues[name] = await valueOf(member, value)
  }
  return { ...invocation, ids: newIds, values: newValues }
}
