/** Overrides of the commands for SCIM directories. */
import { member, textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

export const scimBranches: Readonly<Record<string, string>> = {
  "scim directories": "SCIM directories that provision users and groups.",
  "scim tokens": "SCIM tokens that an identity provider authenticates with.",
  "scim groups": "Groups of a directory, and the roles they grant.",
  "scim holds": "Mass deactivations that are held for approval."
}

const directoryColumns = [
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

/** Where to enter the base URL and the token, in the terms of each provider. */
const setupHints: Readonly<Record<string, string>> = {
  okta: "Okta: in the app's Provisioning tab, under Integration, set SCIM connector base URL to the base URL, Unique identifier field to userName, and Authentication Mode to HTTP Header with the token.",
  entra:
    "Entra ID: in the enterprise application's Provisioning, under Admin Credentials, set Tenant URL to the base URL and Secret Token to the token, then select Test Connection.",
  google:
    "Google Workspace: in the app's Auto-provisioning, set Endpoint URL to the base URL and Access token to the token.",
  other: "In the identity provider, set the base URL, and the token as a bearer token."
}

const withToken = {
  subject: "directory",
  secret: "token",
  columns: ["directory.id", "directory.name", "directory.provider", "directory.baseUrl", "token"],
  note: (body) =>
    `The token is not shown again.\n${setupHints[textAt(body, "directory.provider") ?? "other"] ?? setupHints["other"] ?? ""}`
} satisfies Override

const tokenExpiry = {
  time: "future",
  help: "When the token expires: ISO 8601 time, or duration from now such as 365d. Default: never"
} as const

const directoryNote = (body: unknown): string | undefined => {
  const [id, hold] = [textAt(body, "directory.id"), textAt(body, "directory.pendingHoldId")]
  return id === undefined || hold === undefined
    ? undefined
    : `Deactivations are held for approval: orgplane scim holds get ${id} ${hold}`
}

const holdColumns = ["id", "status", "count", "activeBefore", "createdAt", "decidedAt", "decidedBy"]
const pendingNote = (rows: ReadonlyArray<unknown>): string | undefined => {
  const pendingHold = rows.find((row) => textAt(row, "status") === "pending")
  const [id, directoryId] = [textAt(pendingHold, "id"), textAt(pendingHold, "directoryId")]
  return id === undefined || directoryId === undefined
    ? undefined
    : `A hold is pending approval: orgplane scim holds get ${directoryId} ${id}`
}

const holdNote = (body: unknown): string | undefined => {
  const [id, directoryId] = [textAt(body, "hold.id"), textAt(body, "hold.directoryId")]
  return textAt(body, "hold.status") !== "pending" || id === undefined || directoryId === undefined
    ? undefined
    : `To decide: orgplane scim holds approve ${directoryId} ${id}, or reject`
}

export const scimOverrides: Readonly<Record<string, Override>> = {
  "scim.createDirectory": {
    ...withToken,
    command: "directories create",
    flags: { tokenExpiresAt: { name: "token-expires", ...tokenExpiry } },
    examples: [
      {
        command: "orgplane scim directories create --name Okta --provider okta",
        description: "Create a directory. Prints the base URL and the token, which is shown only once"
      },
      { command: "orgplane scim directories create --name Okta -q > scim.token", description: "Save only the token" }
    ]
  },
  "scim.listDirectories": {
    command: "directories list",
    columns: ["id", "name", "provider", "users.active", "users.inactive", "groups", "pendingHoldId", "lastRequestAt"]
  },
  "scim.getDirectory": { command: "directories get", columns: directoryColumns, note: directoryNote },
  "scim.removeDirectory": {
    command: "directories remove",
    confirm: (ids) => `Remove the directory ${ids[0] ?? ""}? Its tokens are revoked and it no longer provisions users.`,
    examples: [
      {
        command: "orgplane scim directories remove scd_… --members end",
        description: "Also end the memberships it provisioned"
      }
    ]
  },
  "scim.rotateToken": {
    ...withToken,
    command: "tokens rotate",
    flags: { expiresAt: { name: "expires", ...tokenExpiry } },
    examples: [
      {
        command: "orgplane scim tokens rotate scd_… --grace-seconds 86400",
        description: "Create a new token. Old tokens stay valid for a day"
      }
    ]
  },
  "scim.revokeToken": {
    command: "tokens revoke",
    confirm: (ids) =>
      `Revoke the token ${ids[1] ?? ""} now? An identity provider that still uses it can no longer provision users and groups.`
  },
  "scim.listGroups": {
    command: "groups list",
    id: "teamId",
    columns: ["teamId", "displayName", "role", "memberCount", "externalId", "updatedAt"]
  },
  "scim.setGroupRole": {
    command: "groups set-role",
    columns: ["teamId", "displayName", "role", "memberCount"],
    confirm: (ids) => `Change the role that the group ${ids[1] ?? ""} grants? Its members get the role immediately.`,
    examples: [
      { command: "orgplane scim groups set-role scd_… tem_… --role admin", description: "Make its members admins" }
    ]
  },
  "scim.log": {
    draw: "scimLog",
    follow: true,
    columns: ["createdAt", "decision", "status", "method", "path", "displayName", "scimType", "detail"],
    examples: [
      {
        command: "orgplane scim log scd_… --changes-only",
        description: "Show only changes, with values before and after"
      },
      { command: "orgplane scim log scd_… --follow", description: "Watch requests as they arrive" },
      {
        command: "orgplane scim log scd_… --decision refused --all -o ndjson",
        description: "List refused requests with the reason"
      }
    ]
  },
  "scim.reconcile": {
    columns: ["linked", "ended", "teamMembersAdded", "teamMembersRemoved", "rolesChanged", "unlinked"],
    confirm: (ids) =>
      `Reset memberships, teams and roles to the state last received from the directory ${ids[0] ?? ""}?`,
    note: (body) => {
      const count = member(body, "reconciliation.unlinked")
      return typeof count === "number" && count > 0
        ? `${count} active ${count === 1 ? "user has an email address" : "users have email addresses"} outside the verified domains: orgplane sso domains list`
        : undefined
    }
  },
  "scim.listHolds": { command: "holds list", columns: holdColumns, total: pendingNote },
  "scim.getHold": {
    command: "holds get",
    columns: holdColumns,
    note: holdNote,
    beside: { path: "/users", columns: ["userName", "action", "orgMembershipId", "createdAt"] },
    examples: [{ command: "orgplane scim holds get scd_… sch_…", description: "Show a hold and its users" }]
  },
  "scim.listHeldUsers": {
    command: "holds users",
    id: "scimUserId",
    columns: ["userName", "action", "scimUserId", "orgMembershipId", "createdAt"]
  },
  "scim.approveHold": {
    command: "holds approve",
    columns: [...holdColumns.map((column) => `hold.${column}`), "keptOrgMembershipId"],
    subject: "hold",
    confirm: (ids) => `End the memberships in the hold ${ids[1] ?? ""}? They are not restored automatically.`
  },
  "scim.rejectHold": {
    command: "holds reject",
    columns: holdColumns,
    confirm: (ids) => `Keep the memberships, and reactivate the users in the hold ${ids[1] ?? ""}?`
  }
}
