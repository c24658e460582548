/** What a person needs beyond the contract of directories that provision people by SCIM. */
import { member, textAt } from "./output/cell.ts"
import type { Override } from "./overrides.ts"

export const scimBranches: Readonly<Record<string, string>> = {
  "scim directories": "The directories that provision people and groups.",
  "scim tokens": "The tokens that an identity provider provisions a directory with.",
  "scim groups": "The groups of a directory, and the roles they give.",
  "scim holds": "Deactivations that wait to be decided, because they are many at once."
}

const directory = [
  "id",
  "name",
  "provider",
  "baseUrl",
  "users.active",
  "users.inactive",
  "groups",
  "pendingHoldId",
  "lastRequestAt",
  "tokens"
]

/** Where the two values belong, in the provider's own words. */
const places: Readonly<Record<string, string>> = {
  okta: "Okta: in the app's Provisioning tab, Integration: SCIM connector base URL is the base URL, Unique identifier field is userName, Authentication Mode is HTTP Header with the token.",
  entra:
    "Entra ID: in the enterprise application's Provisioning, Admin Credentials: Tenant URL is the base URL, Secret Token is the token; then Test Connection.",
  google: "Google Workspace: in the app's Auto-provisioning: Endpoint URL is the base URL, Access token is the token.",
  other: "Give the identity provider the base URL, and the token as a bearer token."
}

const withToken = {
  subject: "directory",
  secret: "token",
  columns: ["directory.id", "directory.name", "directory.provider", "directory.baseUrl", "token"],
  note: (body) =>
    `The token is not shown again.\n${places[textAt(body, "directory.provider") ?? "other"] ?? places["other"] ?? ""}`
} satisfies Override

const tokenExpiry = {
  moment: "ahead",
  help: "When the token ends, a moment or from now on: 365d. Never unless told"
} as const

const pending = (body: unknown): string | undefined => {
  const [id, hold] = [textAt(body, "directory.id"), textAt(body, "directory.pendingHoldId")]
  return id === undefined || hold === undefined
    ? undefined
    : `Deactivations wait to be decided: orgplane scim holds get ${id} ${hold}`
}

const hold = ["id", "status", "count", "activeBefore", "createdAt", "decidedAt", "decidedBy"]
const waits = (rows: ReadonlyArray<unknown>): string | undefined => {
  const found = rows.find((row) => textAt(row, "status") === "pending")
  const [id, directoryId] = [textAt(found, "id"), textAt(found, "directoryId")]
  return id === undefined || directoryId === undefined
    ? undefined
    : `One waits to be decided: orgplane scim holds get ${directoryId} ${id}`
}

const decide = (body: unknown): string | undefined => {
  const [id, directoryId] = [textAt(body, "hold.id"), textAt(body, "hold.directoryId")]
  return textAt(body, "hold.status") !== "pending" || id === undefined || directoryId === undefined
    ? undefined
    : `Decide with: orgplane scim holds approve ${directoryId} ${id}, or reject`
}

export const scimOverrides: Readonly<Record<string, Override>> = {
  "scim.createDirectory": {
    ...withToken,
    command: "directories create",
    flags: { tokenExpiresAt: { name: "token-expires", ...tokenExpiry } },
    examples: [
      {
        command: "orgplane scim directories create --name Okta --provider okta",
        description: "Prints the address and, this once, the token for the identity provider"
      },
      { command: "orgplane scim directories create --name Okta -q > scim.token", description: "Only the token" }
    ]
  },
  "scim.listDirectories": {
    command: "directories list",
    columns: ["id", "name", "provider", "users.active", "users.inactive", "groups", "pendingHoldId", "lastRequestAt"]
  },
  "scim.getDirectory": { command: "directories get", columns: directory, note: pending },
  "scim.removeDirectory": {
    command: "directories remove",
    confirm: (ids) =>
      `Remove the directory ${ids[0] ?? ""}? Its tokens end, and nothing is provisioned by it any more.`,
    examples: [
      { command: "orgplane scim directories remove scd_… --members end", description: "With everybody it provisioned" }
    ]
  },
  "scim.rotateToken": {
    ...withToken,
    command: "tokens rotate",
    flags: { expiresAt: { name: "expires", ...tokenExpiry } },
    examples: [
      {
        command: "orgplane scim tokens rotate scd_… --grace-seconds 86400",
        description: "A new token; the old ones stay good for a day, to change over"
      }
    ]
  },
  "scim.revokeToken": {
    command: "tokens revoke",
    confirm: (ids) => `End the token ${ids[1] ?? ""} now? Whoever still uses it provisions nobody any more.`
  },
  "scim.listGroups": {
    command: "groups list",
    id: "teamId",
    columns: ["teamId", "displayName", "role", "memberCount", "externalId", "updatedAt"]
  },
  "scim.setGroupRole": {
    command: "groups set-role",
    columns: ["teamId", "displayName", "role", "memberCount"],
    confirm: (ids) => `Change the role that the group ${ids[1] ?? ""} gives? Its members have it at once.`,
    examples: [
      { command: "orgplane scim groups set-role scd_… tem_… --role admin", description: "Its members become admins" }
    ]
  },
  "scim.log": {
    draw: "scimLog",
    follow: true,
    columns: ["createdAt", "decision", "status", "method", "path", "displayName", "scimType", "detail"],
    examples: [
      { command: "orgplane scim log scd_… --changes-only", description: "What became another, and from what" },
      { command: "orgplane scim log scd_… --follow", description: "Watch the identity provider at work" },
      {
        command: "orgplane scim log scd_… --decision refused --all -o ndjson",
        description: "What was refused, and why"
      }
    ]
  },
  "scim.reconcile": {
    columns: ["linked", "ended", "teamMembersAdded", "teamMembersRemoved", "rolesChanged", "unlinked"],
    confirm: (ids) => `Bring memberships, teams and roles to what the directory ${ids[0] ?? ""} last said?`,
    note: (body) => {
      const count = member(body, "reconciliation.unlinked")
      return typeof count === "number" && count > 0
        ? `${count} active ${count === 1 ? "user has an address" : "users have addresses"} in no verified domain: orgplane sso domains list`
        : undefined
    }
  },
  "scim.listHolds": { command: "holds list", columns: hold, total: waits },
  "scim.getHold": {
    command: "holds get",
    columns: hold,
    note: decide,
    beside: { path: "/users", columns: ["userName", "action", "orgMembershipId", "createdAt"] },
    examples: [{ command: "orgplane scim holds get scd_… sch_…", description: "A hold, and whom it is about" }]
  },
  "scim.listHeldUsers": {
    command: "holds users",
    id: "scimUserId",
    columns: ["userName", "action", "scimUserId", "orgMembershipId", "createdAt"]
  },
  "scim.approveHold": {
    command: "holds approve",
    columns: [...hold.map((column) => `hold.${column}`), "keptOrgMembershipId"],
    subject: "hold",
    confirm: (ids) => `End the memberships that the hold ${ids[1] ?? ""} is about? They do not come back by themselves.`
  },
  "scim.rejectHold": {
    command: "holds reject",
    columns: hold,
    confirm: (ids) => `Leave the memberships as they are, and make the users of ${ids[1] ?? ""} active again?`
  }
}
