/** Overrides of the commands for sign-in, organizations, members, roles, teams and API keys. */
import type { Override } from "../override.ts"
import { listAt, member } from "../output/value.ts"

const keyColumns = ["id", "name", "hint", "permissions", "expiresAt", "lastUsedAt", "revokedAt"]
const keyWithSecret = {
  subject: "apiKey",
  secret: "key",
  columns: ["key", "apiKey.id", "apiKey.name", "apiKey.permissions", "apiKey.expiresAt"],
  note: () => "The key is not shown again."
} satisfies Override
const expires = {
  expiresAt: { name: "expires", time: "future", help: "ISO 8601 time, or duration from now: 90d, 12h" }
} as const
const invitationToken = {
  token: {
    file: "line",
    help: "File with the token or the full link. `-` prompts on a terminal and reads stdin otherwise"
  }
} as const

export const identityOverrides: Readonly<Record<string, Override>> = {
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
  "users.remove": { confirm: () => "Delete your user account and all its memberships, grants and sessions?" },
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
    examples: [{ command: "orgplane invitations list --status pending", description: "List pending invitations" }]
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
  "invitations.batch": {
    rows: "results",
    columns: ["index", "ok", "email", "error.code", "error.message"],
    fails: (body) => listAt(body, "results").some((row) => member(row, "ok") !== true),
    examples: [
      { command: "orgplane invitations batch --input invitations.json", description: "Invite everyone in a file" }
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
        description:
          "Apply one change per line, such as `ada@acme.example,setRole,admin` or `om_…,remove`, or a JSON object"
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
    confirm: (ids) => `Rotate the API key ${ids[0] ?? ""}? The current key stops working after the grace period.`
  },
  "apiKeys.list": { columns: keyColumns },
  "apiKeys.get": { subject: "apiKey" },
  "apiKeys.current": { subject: "apiKey" },
  "apiKeys.update": { subject: "apiKey", flags: { permissions: { name: "permission" }, ...expires } },
  "apiKeys.revoke": { confirm: (ids) => `Revoke the API key ${ids[0] ?? ""}?` }
}
