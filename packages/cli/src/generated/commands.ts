// Written by `pnpm codegen`; change the contract or the overrides instead.
import type { CommandTable } from "../command-table.ts"

export const commands: CommandTable = [
  {
    "name": "sessions",
    "id": "sessions",
    "section": "Identity and access",
    "summary": "Sign in, and manage the caller's sessions.",
    "operations": [
      {
        "name": "start-email",
        "id": "sessions.startEmail",
        "method": "POST",
        "path": "/v1/sessions/email",
        "ids": [],
        "flags": [
          {
            "name": "email",
            "member": "email",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The email address to send the code to."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Send a sign-in code by email",
        "description": "The response is the same for known and unknown email addresses. The code is valid for ten minutes and five attempts. Limits per hour: 5 requests per combination of source IP address and email address, 60 per source IP address, and 20 per email address."
      },
      {
        "name": "verify-email",
        "id": "sessions.verifyEmail",
        "method": "POST",
        "path": "/v1/sessions/email/verify",
        "ids": [],
        "flags": [
          {
            "name": "challenge-id",
            "member": "challengeId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The `challengeId` that `sessions.startEmail` returned."
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The code from the email."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Sign in with an email code",
        "description": "On first sign-in, creates the user, who does not belong to an organization yet. If the code is incorrect, already used or expired, returns 400 with a detail for `body.code`."
      },
      {
        "name": "exchange",
        "id": "sessions.exchange",
        "method": "POST",
        "path": "/v1/sessions/exchange",
        "ids": [],
        "flags": [
          {
            "name": "subject",
            "member": "subject",
            "in": "body",
            "type": "string",
            "help": "The user's id in the host application. Exactly one of `subject` and `orgMembershipId` is required."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "expires-in-seconds",
            "member": "expiresInSeconds",
            "in": "body",
            "type": "integer",
            "help": "How long the session is valid, in seconds. Default: 3600."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a session for a member",
        "description": "Intended for host applications, which authenticate with an API key. The session is valid for at most an hour and cannot read or manage API keys, roles, SSO, SCIM, other sessions, members or invitations."
      },
      {
        "name": "list",
        "id": "sessions.list",
        "method": "GET",
        "path": "/v1/sessions",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the caller's sessions",
        "description": "Returns the sessions that are still valid."
      },
      {
        "name": "revoke-current",
        "id": "sessions.revokeCurrent",
        "method": "DELETE",
        "path": "/v1/sessions/current",
        "ids": [],
        "flags": [],
        "summary": "Sign out",
        "description": "Revokes the session that made this request."
      },
      {
        "name": "revoke",
        "id": "sessions.revoke",
        "method": "DELETE",
        "path": "/v1/sessions/:sessionId",
        "ids": [
          {
            "name": "session-id",
            "member": "sessionId",
            "help": "The id of the session."
          }
        ],
        "flags": [],
        "summary": "Revoke one of the caller's sessions"
      }
    ]
  },
  {
    "name": "users",
    "id": "users",
    "section": "Identity and access",
    "summary": "The signed-in user, across organizations.",
    "operations": [
      {
        "name": "get",
        "id": "users.get",
        "method": "GET",
        "path": "/v1/me",
        "ids": [],
        "flags": [],
        "summary": "Get the signed-in user"
      },
      {
        "name": "update",
        "id": "users.update",
        "method": "PATCH",
        "path": "/v1/me",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "The user's name. Null removes it."
          }
        ],
        "body": true,
        "summary": "Update the signed-in user",
        "description": "Changes the name."
      },
      {
        "name": "remove",
        "id": "users.remove",
        "method": "DELETE",
        "path": "/v1/me",
        "ids": [],
        "flags": [],
        "summary": "Remove the signed-in user",
        "description": "Ends all memberships and sessions, revokes all grants, and deletes the user's memories. Not allowed while the user is the last owner of an organization."
      },
      {
        "name": "organizations",
        "id": "users.organizations",
        "method": "GET",
        "path": "/v1/me/organizations",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the organizations of the signed-in user"
      },
      {
        "name": "leave-organization",
        "id": "users.leaveOrganization",
        "method": "DELETE",
        "path": "/v1/me/organizations/:organizationId",
        "ids": [
          {
            "name": "organization-id",
            "member": "organizationId",
            "help": "The id of the organization."
          }
        ],
        "flags": [],
        "summary": "Leave an organization",
        "description": "Ends the membership, its team memberships and its sessions, and revokes its grants. Resources that the user created stay with the organization. Not allowed for the last owner."
      },
      {
        "name": "set-active-organization",
        "id": "users.setActiveOrganization",
        "method": "PUT",
        "path": "/v1/me/active-organization",
        "ids": [],
        "flags": [
          {
            "name": "organization-id",
            "member": "organizationId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The id of the organization."
          }
        ],
        "body": true,
        "summary": "Set the active organization of the session"
      },
      {
        "name": "desktop-policy",
        "id": "users.desktopPolicy",
        "method": "GET",
        "path": "/v1/me/desktop-policy",
        "ids": [],
        "flags": [
          {
            "name": "explain",
            "member": "explain",
            "in": "query",
            "type": "boolean",
            "help": "If `true`, the response explains which policy won for each setting and why the others lost. Default: `false`."
          }
        ],
        "summary": "Get the caller's effective desktop policy",
        "description": "With `explain`, also returns the policy that determines each setting. Switches that no policy sets default to `true`. Policy names are included only if the caller can read desktop policies."
      },
      {
        "name": "library",
        "id": "users.library",
        "method": "GET",
        "path": "/v1/me/library",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "kind",
            "member": "kind",
            "in": "query",
            "type": "enum",
            "values": [
              "plugin",
              "configObject"
            ],
            "help": "Only items of this kind."
          }
        ],
        "pageMax": 100,
        "summary": "List the plugins and config objects that the caller can use",
        "description": "Each item includes the source of the caller's access: a grant, a team, a marketplace, a plugin or the caller's role."
      },
      {
        "name": "export",
        "id": "users.export",
        "method": "GET",
        "path": "/v1/me/export",
        "ids": [],
        "flags": [],
        "streams": true,
        "summary": "Export the data of the signed-in user",
        "description": "Streams NDJSON lines of `{ kind, item }`: the user, their ids in host applications (`subject`), memberships, memories and sessions. Resources that the user created belong to the organizations and are part of their exports. The last line has the kind `end` and contains the number of preceding lines."
      }
    ]
  },
  {
    "name": "organizations",
    "id": "organizations",
    "section": "Identity and access",
    "summary": "The caller's organization.",
    "operations": [
      {
        "name": "create",
        "id": "organizations.create",
        "method": "POST",
        "path": "/v1/organizations",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create an organization",
        "description": "The caller becomes its owner. Requires a verified email address. Limit: 10 organizations per owner. Not available to sessions that are bound to an organization."
      },
      {
        "name": "get",
        "id": "organizations.get",
        "method": "GET",
        "path": "/v1/organization",
        "ids": [],
        "flags": [],
        "summary": "Get the caller's organization"
      },
      {
        "name": "update",
        "id": "organizations.update",
        "method": "PATCH",
        "path": "/v1/organization",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "summary": "Rename the organization"
      },
      {
        "name": "remove",
        "id": "organizations.remove",
        "method": "DELETE",
        "path": "/v1/organization",
        "ids": [],
        "flags": [],
        "summary": "Remove the organization",
        "description": "Also removes everything in it. Sessions and API keys lose access to it immediately. The data is purged after 30 days."
      },
      {
        "name": "transfer-ownership",
        "id": "organizations.transferOwnership",
        "method": "POST",
        "path": "/v1/organization/transfer-ownership",
        "ids": [],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "keep",
            "member": "keep",
            "in": "body",
            "type": "enum",
            "values": [
              "owner",
              "admin",
              "member"
            ],
            "help": "The caller's role after the transfer. Default: `admin`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Transfer ownership of the organization",
        "description": "Makes another member an owner, and gives the caller the role in `keep`."
      },
      {
        "name": "get-storage",
        "id": "organizations.getStorage",
        "method": "GET",
        "path": "/v1/organization/storage",
        "ids": [],
        "flags": [],
        "summary": "Get the storage usage of the organization",
        "description": "A change or a sync that would exceed the limit fails with `quota_exceeded` or `limit_exceeded` and changes nothing. Deleted content no longer counts once it is purged."
      },
      {
        "name": "export",
        "id": "organizations.export",
        "method": "GET",
        "path": "/v1/organization/export",
        "ids": [],
        "flags": [],
        "streams": true,
        "summary": "Export the organization",
        "description": "Streams everything the organization owns as NDJSON lines of `{ kind, item }`. Kinds are read one after another, so the export is not a snapshot of a single point in time. Credentials are excluded. The last line has the kind `end` and contains the number of preceding lines. The audit log has its own export."
      }
    ]
  },
  {
    "name": "members",
    "id": "members",
    "section": "Identity and access",
    "summary": "The members of an organization.",
    "operations": [
      {
        "name": "add",
        "id": "members.add",
        "method": "POST",
        "path": "/v1/members",
        "ids": [],
        "flags": [
          {
            "name": "subject",
            "member": "subject",
            "in": "body",
            "type": "string",
            "help": "The user's id in the host application."
          },
          {
            "name": "email",
            "member": "email",
            "in": "body",
            "type": "string",
            "help": "An email address in a domain that the organization has verified."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "help": "The role of the new member. The caller must have all permissions of the role. Default: `member`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Add a member",
        "description": "Adds either a user of the host application, if the application allows it, or a user whose email address is in one of the organization's verified domains. For any other user, returns 400; invite them instead."
      },
      {
        "name": "list",
        "id": "members.list",
        "method": "GET",
        "path": "/v1/members",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name or email address. Case-insensitive."
          },
          {
            "name": "role",
            "member": "role",
            "in": "query",
            "type": "string",
            "help": "Only members with this role: `owner`, `admin`, `member`, or the id of a custom role."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only members of this team."
          }
        ],
        "pageMax": 100,
        "summary": "List members"
      },
      {
        "name": "get",
        "id": "members.get",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [],
        "summary": "Get a member"
      },
      {
        "name": "update",
        "id": "members.update",
        "method": "PATCH",
        "path": "/v1/members/:orgMembershipId",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The new role: `owner`, `admin`, `member`, or the id of a custom role."
          }
        ],
        "body": true,
        "summary": "Change the role of a member",
        "description": "The caller must have all permissions of the new role. The role of the last owner cannot be changed."
      },
      {
        "name": "remove",
        "id": "members.remove",
        "method": "DELETE",
        "path": "/v1/members/:orgMembershipId",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [
          {
            "name": "revoke-keys",
            "member": "revokeKeys",
            "in": "query",
            "type": "boolean",
            "help": "`true` also revokes the API keys that the member created. Default: `false`."
          }
        ],
        "summary": "Remove a member",
        "description": "Ends the member's sessions and revokes their grants. The last owner cannot be removed. A user who joins again starts without their previous access."
      },
      {
        "name": "impact",
        "id": "members.impact",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId/impact",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [],
        "summary": "Preview the impact of removing a member",
        "description": "Counts what ends with the membership, and lists the objects that are granted to the member. Makes no changes."
      },
      {
        "name": "batch",
        "id": "members.batch",
        "method": "POST",
        "path": "/v1/members/batch",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "items",
            "required": true,
            "help": "The changes, one per member: `setRole` with the new role, or `remove`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Change or remove several members",
        "description": "At most 100 members. Each item has its own result."
      }
    ]
  },
  {
    "name": "invitations",
    "id": "invitations",
    "section": "Identity and access",
    "summary": "Invitations to an organization.",
    "operations": [
      {
        "name": "create",
        "id": "invitations.create",
        "method": "POST",
        "path": "/v1/invitations",
        "ids": [],
        "flags": [
          {
            "name": "email",
            "member": "email",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The email address to invite."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "help": "The role of the new member. The caller must have all permissions of the role. Default: `member`."
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The teams that the new member joins. Default: none."
          },
          {
            "name": "send",
            "member": "send",
            "in": "body",
            "type": "boolean",
            "help": "If `false`, returns the link instead of sending it by email, which requires `invitations:link`. Default: `true`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Invite a person by email",
        "description": "The invitation is valid for seven days. Inviting the same email address again replaces the previous link."
      },
      {
        "name": "batch",
        "id": "invitations.batch",
        "method": "POST",
        "path": "/v1/invitations/batch",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "items",
            "required": true,
            "help": "The invitations, one per email address."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Invite several people by email",
        "description": "At most 100 invitations. Each item has its own result: an invitation that is refused or exceeds a limit does not prevent the others. Inviting the same email address again replaces the previous link."
      },
      {
        "name": "list",
        "id": "invitations.list",
        "method": "GET",
        "path": "/v1/invitations",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the email address. Case-insensitive."
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "pending",
              "accepted",
              "cancelled",
              "expired"
            ],
            "help": "Only invitations with this status."
          }
        ],
        "pageMax": 100,
        "summary": "List invitations"
      },
      {
        "name": "get",
        "id": "invitations.get",
        "method": "GET",
        "path": "/v1/invitations/:invitationId",
        "ids": [
          {
            "name": "invitation-id",
            "member": "invitationId",
            "help": "ID or email address of the invitation."
          }
        ],
        "flags": [],
        "summary": "Get an invitation"
      },
      {
        "name": "resend",
        "id": "invitations.resend",
        "method": "POST",
        "path": "/v1/invitations/:invitationId/resend",
        "ids": [
          {
            "name": "invitation-id",
            "member": "invitationId",
            "help": "ID or email address of the invitation."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Resend an invitation",
        "description": "Sends a new link that is valid for seven days. The old link stops working."
      },
      {
        "name": "cancel",
        "id": "invitations.cancel",
        "method": "POST",
        "path": "/v1/invitations/:invitationId/cancel",
        "ids": [
          {
            "name": "invitation-id",
            "member": "invitationId",
            "help": "ID or email address of the invitation."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Cancel an invitation"
      },
      {
        "name": "preview",
        "id": "invitations.preview",
        "method": "POST",
        "path": "/v1/invitations/preview",
        "ids": [],
        "flags": [
          {
            "name": "token",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token or the full link. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "body": true,
        "public": true,
        "summary": "Preview an invitation",
        "description": "Returns the organization and the role that the invitation grants, without accepting it."
      },
      {
        "name": "accept",
        "id": "invitations.accept",
        "method": "POST",
        "path": "/v1/invitations/accept",
        "ids": [],
        "flags": [
          {
            "name": "token",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token or the full link. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "body": true,
        "summary": "Accept an invitation",
        "description": "Adds the caller to the organization. The caller must have the invited email address, and it must be verified."
      }
    ]
  },
  {
    "name": "teams",
    "id": "teams",
    "section": "Identity and access",
    "summary": "Groups of members that are granted access together.",
    "operations": [
      {
        "name": "create",
        "id": "teams.create",
        "method": "POST",
        "path": "/v1/teams",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Must be unique in the organization."
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a team",
        "description": "The new team has no members."
      },
      {
        "name": "list",
        "id": "teams.list",
        "method": "GET",
        "path": "/v1/teams",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "query",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          }
        ],
        "pageMax": 100,
        "summary": "List teams"
      },
      {
        "name": "get",
        "id": "teams.get",
        "method": "GET",
        "path": "/v1/teams/:teamId",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          }
        ],
        "flags": [],
        "summary": "Get a team"
      },
      {
        "name": "update",
        "id": "teams.update",
        "method": "PATCH",
        "path": "/v1/teams/:teamId",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "summary": "Update a team"
      },
      {
        "name": "remove",
        "id": "teams.remove",
        "method": "DELETE",
        "path": "/v1/teams/:teamId",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          }
        ],
        "flags": [],
        "summary": "Remove a team",
        "description": "Also revokes all grants to the team."
      },
      {
        "name": "impact",
        "id": "teams.impact",
        "method": "GET",
        "path": "/v1/teams/:teamId/impact",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          }
        ],
        "flags": [],
        "summary": "Preview the impact of removing a team",
        "description": "Counts what ends with the team, and lists the objects that are granted to the team with the number of members who would lose access. Makes no changes."
      },
      {
        "name": "list-members",
        "id": "teams.listMembers",
        "method": "GET",
        "path": "/v1/teams/:teamId/members",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the members of a team"
      },
      {
        "name": "add-member",
        "id": "teams.addMember",
        "method": "PUT",
        "path": "/v1/teams/:teamId/members/:orgMembershipId",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [],
        "summary": "Add a member to a team",
        "description": "Idempotent."
      },
      {
        "name": "remove-member",
        "id": "teams.removeMember",
        "method": "DELETE",
        "path": "/v1/teams/:teamId/members/:orgMembershipId",
        "ids": [
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The id of the team."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [],
        "summary": "Remove a member from a team"
      }
    ]
  },
  {
    "name": "roles",
    "id": "roles",
    "section": "Identity and access",
    "summary": "Custom sets of permissions, and the list of all permissions.",
    "operations": [
      {
        "name": "permissions",
        "id": "roles.permissions",
        "method": "GET",
        "path": "/v1/roles/permissions",
        "ids": [],
        "flags": [],
        "summary": "List all permissions",
        "description": "Includes the built-in roles that have each permission."
      },
      {
        "name": "create",
        "id": "roles.create",
        "method": "POST",
        "path": "/v1/roles",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Must be unique in the organization and must not be the name of a built-in role."
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          },
          {
            "name": "permission",
            "member": "permissions",
            "in": "body",
            "type": "enum",
            "values": [
              "connectors:read",
              "connectors:write",
              "connectors:manage",
              "configObjects:read",
              "configObjects:write",
              "configObjects:manage",
              "plugins:read",
              "plugins:write",
              "plugins:manage",
              "marketplaces:read",
              "marketplaces:write",
              "marketplaces:manage",
              "approvals:read",
              "approvals:write",
              "approvals:manage",
              "assignments:read",
              "assignments:write",
              "assignments:manage",
              "delivery:read",
              "delivery:write",
              "delivery:manage",
              "rollouts:read",
              "rollouts:write",
              "rollouts:manage",
              "desktopPolicies:read",
              "desktopPolicies:write",
              "desktopPolicies:manage",
              "mcpConnections:read",
              "mcpConnections:write",
              "mcpConnections:manage",
              "llmProviders:read",
              "llmProviders:write",
              "llmProviders:manage",
              "templates:read",
              "templates:write",
              "templates:manage",
              "workers:read",
              "workers:write",
              "workers:manage",
              "telemetry:read",
              "telemetry:write",
              "telemetry:manage",
              "organizations:read",
              "organizations:write",
              "organizations:manage",
              "members:read",
              "members:write",
              "members:manage",
              "teams:read",
              "teams:write",
              "teams:manage",
              "roles:read",
              "roles:write",
              "roles:manage",
              "invitations:read",
              "invitations:write",
              "invitations:manage",
              "apiKeys:read",
              "apiKeys:write",
              "apiKeys:manage",
              "sso:read",
              "sso:write",
              "sso:manage",
              "scim:read",
              "scim:write",
              "scim:manage",
              "webhooks:read",
              "webhooks:write",
              "webhooks:manage",
              "webhookEndpoints:read",
              "webhookEndpoints:write",
              "webhookEndpoints:manage",
              "eventStreams:read",
              "eventStreams:write",
              "eventStreams:manage",
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "events:read",
              "analytics:read"
            ],
            "many": true,
            "required": true,
            "help": "The permissions of the role. The caller must have each of them."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a role",
        "description": "The caller must have all permissions of the role."
      },
      {
        "name": "list",
        "id": "roles.list",
        "method": "GET",
        "path": "/v1/roles",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List the custom roles"
      },
      {
        "name": "get",
        "id": "roles.get",
        "method": "GET",
        "path": "/v1/roles/:roleId",
        "ids": [
          {
            "name": "role-id",
            "member": "roleId",
            "help": "The id of the role."
          }
        ],
        "flags": [],
        "summary": "Get a custom role"
      },
      {
        "name": "update",
        "id": "roles.update",
        "method": "PATCH",
        "path": "/v1/roles/:roleId",
        "ids": [
          {
            "name": "role-id",
            "member": "roleId",
            "help": "The id of the role."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization and must not be the name of a built-in role."
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          },
          {
            "name": "permission",
            "member": "permissions",
            "in": "body",
            "type": "enum",
            "values": [
              "connectors:read",
              "connectors:write",
              "connectors:manage",
              "configObjects:read",
              "configObjects:write",
              "configObjects:manage",
              "plugins:read",
              "plugins:write",
              "plugins:manage",
              "marketplaces:read",
              "marketplaces:write",
              "marketplaces:manage",
              "approvals:read",
              "approvals:write",
              "approvals:manage",
              "assignments:read",
              "assignments:write",
              "assignments:manage",
              "delivery:read",
              "delivery:write",
              "delivery:manage",
              "rollouts:read",
              "rollouts:write",
              "rollouts:manage",
              "desktopPolicies:read",
              "desktopPolicies:write",
              "desktopPolicies:manage",
              "mcpConnections:read",
              "mcpConnections:write",
              "mcpConnections:manage",
              "llmProviders:read",
              "llmProviders:write",
              "llmProviders:manage",
              "templates:read",
              "templates:write",
              "templates:manage",
              "workers:read",
              "workers:write",
              "workers:manage",
              "telemetry:read",
              "telemetry:write",
              "telemetry:manage",
              "organizations:read",
              "organizations:write",
              "organizations:manage",
              "members:read",
              "members:write",
              "members:manage",
              "teams:read",
              "teams:write",
              "teams:manage",
              "roles:read",
              "roles:write",
              "roles:manage",
              "invitations:read",
              "invitations:write",
              "invitations:manage",
              "apiKeys:read",
              "apiKeys:write",
              "apiKeys:manage",
              "sso:read",
              "sso:write",
              "sso:manage",
              "scim:read",
              "scim:write",
              "scim:manage",
              "webhooks:read",
              "webhooks:write",
              "webhooks:manage",
              "webhookEndpoints:read",
              "webhookEndpoints:write",
              "webhookEndpoints:manage",
              "eventStreams:read",
              "eventStreams:write",
              "eventStreams:manage",
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "events:read",
              "analytics:read"
            ],
            "many": true,
            "help": "Replaces the permissions of the role. The caller must have each of them."
          }
        ],
        "body": true,
        "summary": "Update a custom role",
        "description": "Members with this role get the new permissions immediately."
      },
      {
        "name": "remove",
        "id": "roles.remove",
        "method": "DELETE",
        "path": "/v1/roles/:roleId",
        "ids": [
          {
            "name": "role-id",
            "member": "roleId",
            "help": "The id of the role."
          }
        ],
        "flags": [],
        "summary": "Remove a custom role",
        "description": "The role must not be assigned to a member, a SCIM group or a pending invitation."
      }
    ]
  },
  {
    "name": "api-keys",
    "id": "apiKeys",
    "section": "Identity and access",
    "summary": "Organization credentials for automation.",
    "operations": [
      {
        "name": "create",
        "id": "apiKeys.create",
        "method": "POST",
        "path": "/v1/api-keys",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "A label for the key."
          },
          {
            "name": "permission",
            "member": "permissions",
            "in": "body",
            "type": "enum",
            "values": [
              "connectors:read",
              "connectors:write",
              "connectors:manage",
              "configObjects:read",
              "configObjects:write",
              "configObjects:manage",
              "plugins:read",
              "plugins:write",
              "plugins:manage",
              "marketplaces:read",
              "marketplaces:write",
              "marketplaces:manage",
              "approvals:read",
              "approvals:write",
              "approvals:manage",
              "assignments:read",
              "assignments:write",
              "assignments:manage",
              "delivery:read",
              "delivery:write",
              "delivery:manage",
              "rollouts:read",
              "rollouts:write",
              "rollouts:manage",
              "desktopPolicies:read",
              "desktopPolicies:write",
              "desktopPolicies:manage",
              "mcpConnections:read",
              "mcpConnections:write",
              "mcpConnections:manage",
              "llmProviders:read",
              "llmProviders:write",
              "llmProviders:manage",
              "templates:read",
              "templates:write",
              "templates:manage",
              "workers:read",
              "workers:write",
              "workers:manage",
              "telemetry:read",
              "telemetry:write",
              "telemetry:manage",
              "organizations:read",
              "organizations:write",
              "organizations:manage",
              "members:read",
              "members:write",
              "members:manage",
              "teams:read",
              "teams:write",
              "teams:manage",
              "roles:read",
              "roles:write",
              "roles:manage",
              "invitations:read",
              "invitations:write",
              "invitations:manage",
              "apiKeys:read",
              "apiKeys:write",
              "apiKeys:manage",
              "sso:read",
              "sso:write",
              "sso:manage",
              "scim:read",
              "scim:write",
              "scim:manage",
              "webhooks:read",
              "webhooks:write",
              "webhooks:manage",
              "webhookEndpoints:read",
              "webhookEndpoints:write",
              "webhookEndpoints:manage",
              "eventStreams:read",
              "eventStreams:write",
              "eventStreams:manage",
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "events:read",
              "analytics:read"
            ],
            "many": true,
            "required": true,
            "help": "The permissions of the key. The caller must have each of them. An empty list grants no permissions."
          },
          {
            "name": "expires",
            "member": "expiresAt",
            "in": "body",
            "type": "string",
            "time": "future",
            "help": "ISO 8601 time, or duration from now: 90d, 12h"
          },
          {
            "name": "requests-per-minute",
            "member": "requestsPerMinute",
            "in": "body",
            "type": "integer",
            "help": "The rate limit of the key. Default: 1200."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create an API key",
        "description": "Returns the secret once. Only a signed-in member can create a key: API keys cannot create or rotate API keys. Only an owner can grant `sessions:mint`."
      },
      {
        "name": "list",
        "id": "apiKeys.list",
        "method": "GET",
        "path": "/v1/api-keys",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name or the hint. Case-insensitive."
          },
          {
            "name": "revoked",
            "member": "revoked",
            "in": "query",
            "type": "boolean",
            "help": "`true`: only revoked keys. `false`: only keys that are not revoked. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List API keys"
      },
      {
        "name": "current",
        "id": "apiKeys.current",
        "method": "GET",
        "path": "/v1/api-keys/current",
        "ids": [],
        "flags": [],
        "summary": "Get the API key used for this request",
        "description": "Returns 404 if the request was not made with an API key."
      },
      {
        "name": "get",
        "id": "apiKeys.get",
        "method": "GET",
        "path": "/v1/api-keys/:apiKeyId",
        "ids": [
          {
            "name": "api-key-id",
            "member": "apiKeyId",
            "help": "The id of the API key."
          }
        ],
        "flags": [],
        "summary": "Get an API key"
      },
      {
        "name": "update",
        "id": "apiKeys.update",
        "method": "PATCH",
        "path": "/v1/api-keys/:apiKeyId",
        "ids": [
          {
            "name": "api-key-id",
            "member": "apiKeyId",
            "help": "The id of the API key."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "A label for the key."
          },
          {
            "name": "permission",
            "member": "permissions",
            "in": "body",
            "type": "enum",
            "values": [
              "connectors:read",
              "connectors:write",
              "connectors:manage",
              "configObjects:read",
              "configObjects:write",
              "configObjects:manage",
              "plugins:read",
              "plugins:write",
              "plugins:manage",
              "marketplaces:read",
              "marketplaces:write",
              "marketplaces:manage",
              "approvals:read",
              "approvals:write",
              "approvals:manage",
              "assignments:read",
              "assignments:write",
              "assignments:manage",
              "delivery:read",
              "delivery:write",
              "delivery:manage",
              "rollouts:read",
              "rollouts:write",
              "rollouts:manage",
              "desktopPolicies:read",
              "desktopPolicies:write",
              "desktopPolicies:manage",
              "mcpConnections:read",
              "mcpConnections:write",
              "mcpConnections:manage",
              "llmProviders:read",
              "llmProviders:write",
              "llmProviders:manage",
              "templates:read",
              "templates:write",
              "templates:manage",
              "workers:read",
              "workers:write",
              "workers:manage",
              "telemetry:read",
              "telemetry:write",
              "telemetry:manage",
              "organizations:read",
              "organizations:write",
              "organizations:manage",
              "members:read",
              "members:write",
              "members:manage",
              "teams:read",
              "teams:write",
              "teams:manage",
              "roles:read",
              "roles:write",
              "roles:manage",
              "invitations:read",
              "invitations:write",
              "invitations:manage",
              "apiKeys:read",
              "apiKeys:write",
              "apiKeys:manage",
              "sso:read",
              "sso:write",
              "sso:manage",
              "scim:read",
              "scim:write",
              "scim:manage",
              "webhooks:read",
              "webhooks:write",
              "webhooks:manage",
              "webhookEndpoints:read",
              "webhookEndpoints:write",
              "webhookEndpoints:manage",
              "eventStreams:read",
              "eventStreams:write",
              "eventStreams:manage",
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "events:read",
              "analytics:read"
            ],
            "many": true,
            "help": "A subset of the key's current permissions."
          },
          {
            "name": "expires",
            "member": "expiresAt",
            "in": "body",
            "type": "string",
            "time": "future",
            "help": "ISO 8601 time, or duration from now: 90d, 12h"
          },
          {
            "name": "requests-per-minute",
            "member": "requestsPerMinute",
            "in": "body",
            "type": "integer",
            "help": "The new rate limit of the key. It cannot be higher than the current one."
          }
        ],
        "body": true,
        "summary": "Rename or restrict an API key",
        "description": "An update cannot add permissions or extend the expiry."
      },
      {
        "name": "rotate",
        "id": "apiKeys.rotate",
        "method": "POST",
        "path": "/v1/api-keys/:apiKeyId/rotate",
        "ids": [
          {
            "name": "api-key-id",
            "member": "apiKeyId",
            "help": "The id of the API key."
          }
        ],
        "flags": [
          {
            "name": "grace-seconds",
            "member": "graceSeconds",
            "in": "body",
            "type": "integer",
            "help": "How many seconds the old secret stays valid. Default: 0."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Rotate the secret of an API key",
        "description": "Returns the new secret once. The old secret stays valid for `graceSeconds`."
      },
      {
        "name": "revoke",
        "id": "apiKeys.revoke",
        "method": "DELETE",
        "path": "/v1/api-keys/:apiKeyId",
        "ids": [
          {
            "name": "api-key-id",
            "member": "apiKeyId",
            "help": "The id of the API key."
          }
        ],
        "flags": [],
        "summary": "Revoke an API key",
        "description": "The key stops working immediately. Its record is kept for the audit log."
      }
    ]
  },
  {
    "name": "access",
    "id": "access",
    "section": "Identity and access",
    "summary": "Get the caller's permissions, explain why a member has access to an object, and preview the effects of revoking a grant.",
    "operations": [
      {
        "name": "permissions",
        "id": "access.permissions",
        "method": "GET",
        "path": "/v1/access/permissions",
        "ids": [],
        "flags": [],
        "summary": "Get the caller's permissions",
        "description": "Returns the permissions of the caller in the organization of the request. An operation can also require a grant on its object, a plan or a session."
      },
      {
        "name": "explain",
        "id": "access.explain",
        "method": "POST",
        "path": "/v1/access/explain",
        "ids": [],
        "arguments": [
          {
            "name": "object-id",
            "member": "object",
            "object": true,
            "help": "ID or name of the object"
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "The member whose access is explained. Default: the caller. Explaining another member's access requires `access:read`."
          },
          {
            "name": "action",
            "member": "action",
            "in": "body",
            "type": "enum",
            "values": [
              "view",
              "edit",
              "manage"
            ],
            "help": "The action that the member wants to perform: `view` requires the grant role `viewer`, `edit` requires `editor`, `manage` requires `manager`."
          }
        ],
        "body": true,
        "summary": "Explain a member's access to an object",
        "description": "Returns the paths that give the member access and, if the action is not allowed, the missing grant or permission. Explaining another member's access requires `access:read`. Steps that the caller cannot see have the kind `hidden`. Makes no changes."
      },
      {
        "name": "impact",
        "id": "access.impact",
        "method": "POST",
        "path": "/v1/access/impact",
        "ids": [],
        "arguments": [
          {
            "name": "grant-id",
            "member": "grantId"
          }
        ],
        "flags": [],
        "body": true,
        "summary": "Preview the impact of revoking a grant",
        "description": "Lists the members who would lose access or be left with a lower role. Makes no changes."
      }
    ]
  },
  {
    "name": "audit",
    "id": "audit",
    "section": "Identity and access",
    "summary": "The audit log: every change, recorded in the same transaction as the change itself.",
    "operations": [
      {
        "name": "list",
        "id": "audit.list",
        "method": "GET",
        "path": "/v1/audit-events",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "action",
            "member": "action",
            "in": "query",
            "type": "string",
            "help": "Only events with this action. Accepts the current name, such as `api_key.create`, and the older stored name, such as `apiKey.create`."
          },
          {
            "name": "actor-id",
            "member": "actorId",
            "in": "query",
            "type": "string",
            "help": "Only events with this `actorId`."
          },
          {
            "name": "target-id",
            "member": "targetId",
            "in": "query",
            "type": "string",
            "help": "Only events that affected the resource with this id."
          },
          {
            "name": "since",
            "member": "since",
            "in": "query",
            "type": "string",
            "time": "past",
            "help": "Events since this ISO 8601 time, or duration before now: 24h, 7d"
          },
          {
            "name": "until",
            "member": "until",
            "in": "query",
            "type": "string",
            "time": "past",
            "help": "Events before this ISO 8601 time, or duration before now"
          },
          {
            "name": "after",
            "member": "after",
            "in": "query",
            "type": "string",
            "help": "Return events in ascending order, starting after this event. Use it to follow new events."
          },
          {
            "name": "member",
            "member": "actorId",
            "in": "query",
            "type": "string",
            "help": "Only actions by this member: ID or email address.",
            "names": "orgMembershipId"
          }
        ],
        "pageMax": 100,
        "summary": "List audit events",
        "description": "Newest first, or oldest first if `after` is set. The `action` filter accepts both an action's current name and the older name stored in existing events."
      },
      {
        "name": "export",
        "id": "audit.export",
        "method": "GET",
        "path": "/v1/audit-events/export",
        "ids": [],
        "flags": [
          {
            "name": "action",
            "member": "action",
            "in": "query",
            "type": "string",
            "help": "Only events with this action. Accepts the current name, such as `api_key.create`, and the older stored name, such as `apiKey.create`."
          },
          {
            "name": "actor-id",
            "member": "actorId",
            "in": "query",
            "type": "string",
            "help": "Only events with this `actorId`."
          },
          {
            "name": "target-id",
            "member": "targetId",
            "in": "query",
            "type": "string",
            "help": "Only events that affected the resource with this id."
          },
          {
            "name": "since",
            "member": "since",
            "in": "query",
            "type": "string",
            "time": "past",
            "help": "Events since this ISO 8601 time, or duration before now: 24h, 7d"
          },
          {
            "name": "until",
            "member": "until",
            "in": "query",
            "type": "string",
            "time": "past",
            "help": "Events before this ISO 8601 time, or duration before now"
          },
          {
            "name": "format",
            "member": "format",
            "in": "query",
            "type": "enum",
            "values": [
              "ndjson",
              "csv"
            ],
            "help": "The format of the export. Default: `ndjson`."
          },
          {
            "name": "member",
            "member": "actorId",
            "in": "query",
            "type": "string",
            "help": "Only actions by this member: ID or email address.",
            "names": "orgMembershipId"
          }
        ],
        "streams": true,
        "summary": "Export audit events",
        "description": "Streams events in order as NDJSON or CSV. In CSV, cells that a spreadsheet would interpret as a formula are escaped with a leading apostrophe."
      },
      {
        "name": "verify",
        "id": "audit.verify",
        "method": "POST",
        "path": "/v1/audit-events/verify",
        "ids": [],
        "flags": [
          {
            "name": "sequence",
            "member": "sequence",
            "in": "query",
            "type": "integer",
            "help": "The sequence number of a checkpoint that you stored elsewhere. Requires `hash`."
          },
          {
            "name": "hash",
            "member": "hash",
            "in": "query",
            "type": "string",
            "help": "The hash of that checkpoint, in hex."
          }
        ],
        "summary": "Verify the integrity of the audit log",
        "description": "Detects changed, missing and added events. An attacker with access to the database but not to the secret keys cannot change events undetected, but could delete the latest events together with their checkpoints. Pass a checkpoint that you stored elsewhere to detect that too. If the operator has set a retention for audit events, older events are deleted, and `truncatedThrough` is the sequence number of the last deleted event. `eventCount` is the number of events that were verified."
      },
      {
        "name": "checkpoints",
        "id": "audit.checkpoints",
        "method": "GET",
        "path": "/v1/audit-events/checkpoints",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the signed checkpoints of the audit log"
      },
      {
        "name": "get",
        "id": "audit.get",
        "method": "GET",
        "path": "/v1/audit-events/:auditEventId",
        "ids": [
          {
            "name": "audit-event-id",
            "member": "auditEventId",
            "help": "The id of the audit event."
          }
        ],
        "flags": [],
        "summary": "Get an audit event"
      }
    ]
  },
  {
    "name": "events",
    "id": "events",
    "section": "Identity and access",
    "summary": "Every change in the organization, in order: as a list, as a live stream, and as webhooks.",
    "operations": [
      {
        "name": "list",
        "id": "events.list",
        "method": "GET",
        "path": "/v1/events",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "types",
            "member": "types",
            "in": "query",
            "type": "string",
            "help": "Only these types, separated by commas, at most 50. A prefix with an asterisk selects all types of a resource: `plugin.*`."
          },
          {
            "name": "actor-id",
            "member": "actorId",
            "in": "query",
            "type": "string",
            "help": "Only events of this actor."
          },
          {
            "name": "object-id",
            "member": "objectId",
            "in": "query",
            "type": "string",
            "help": "Only events about this object."
          },
          {
            "name": "since",
            "member": "since",
            "in": "query",
            "type": "string",
            "time": "past",
            "help": "Events since this ISO 8601 time, or duration before now: 24h, 7d"
          },
          {
            "name": "until",
            "member": "until",
            "in": "query",
            "type": "string",
            "time": "past",
            "help": "Events before this ISO 8601 time, or duration before now"
          },
          {
            "name": "after",
            "member": "after",
            "in": "query",
            "type": "integer",
            "help": "Only events after this sequence number, oldest first. Default: the newest events, newest first."
          }
        ],
        "pageMax": 100,
        "summary": "List events",
        "description": "Returns the events of resources that the caller has the read permission for. An event is in the list within a second of its change."
      },
      {
        "name": "types",
        "id": "events.types",
        "method": "GET",
        "path": "/v1/event-types",
        "ids": [],
        "flags": [],
        "summary": "List the types of events"
      },
      {
        "name": "stream",
        "id": "events.stream",
        "method": "GET",
        "path": "/v1/events/stream",
        "ids": [],
        "flags": [
          {
            "name": "types",
            "member": "types",
            "in": "query",
            "type": "string",
            "help": "Only these types, separated by commas, at most 50. A prefix with an asterisk selects all types of a resource: `plugin.*`."
          },
          {
            "name": "actor-id",
            "member": "actorId",
            "in": "query",
            "type": "string",
            "help": "Only events of this actor."
          },
          {
            "name": "object-id",
            "member": "objectId",
            "in": "query",
            "type": "string",
            "help": "Only events about this object."
          },
          {
            "name": "after",
            "member": "after",
            "in": "query",
            "type": "integer",
            "help": "Starts after this sequence number. Default: only events that happen later."
          }
        ],
        "streams": true,
        "summary": "Stream events",
        "description": "Server-sent events: `id` is the sequence number, `event` the type, and `data` the event as JSON. A comment is sent every 15 seconds. The stream ends when the credential is revoked or its permissions change. To resume, send the last `id` in the header `Last-Event-ID`, which replaces `after`."
      },
      {
        "name": "checkpoints",
        "id": "events.checkpoints",
        "method": "GET",
        "path": "/v1/events/checkpoints",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the signed checkpoints of the events",
        "description": "Newest first. Each checkpoint signs the chain over the lines that event streams send, up to its sequence number. `orgplane events verify` verifies received lines with the checkpoints among them and the keys of `GET /v1/keys`."
      },
      {
        "name": "get",
        "id": "events.get",
        "method": "GET",
        "path": "/v1/events/:eventId",
        "ids": [
          {
            "name": "event-id",
            "member": "eventId",
            "help": "The id of the audit event."
          }
        ],
        "flags": [],
        "summary": "Get an event"
      }
    ]
  },
  {
    "name": "webhook-endpoints",
    "id": "webhookEndpoints",
    "section": "Identity and access",
    "summary": "Send events to other systems, signed according to the Standard Webhooks specification.",
    "operations": [
      {
        "name": "list",
        "id": "webhookEndpoints.list",
        "method": "GET",
        "path": "/v1/webhook-endpoints",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name or the URL. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List webhook endpoints"
      },
      {
        "name": "create",
        "id": "webhookEndpoints.create",
        "method": "POST",
        "path": "/v1/webhook-endpoints",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "url",
            "member": "url",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The URL that receives events with POST. It must use https and a public address. Redirects are not followed."
          },
          {
            "name": "types",
            "member": "types",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Types of events, or `<resource>.*`. Default: all types that it can see."
          },
          {
            "name": "permissions",
            "member": "permissions",
            "in": "body",
            "type": "enum",
            "values": [
              "connectors:read",
              "connectors:write",
              "connectors:manage",
              "configObjects:read",
              "configObjects:write",
              "configObjects:manage",
              "plugins:read",
              "plugins:write",
              "plugins:manage",
              "marketplaces:read",
              "marketplaces:write",
              "marketplaces:manage",
              "approvals:read",
              "approvals:write",
              "approvals:manage",
              "assignments:read",
              "assignments:write",
              "assignments:manage",
              "delivery:read",
              "delivery:write",
              "delivery:manage",
              "rollouts:read",
              "rollouts:write",
              "rollouts:manage",
              "desktopPolicies:read",
              "desktopPolicies:write",
              "desktopPolicies:manage",
              "mcpConnections:read",
              "mcpConnections:write",
              "mcpConnections:manage",
              "llmProviders:read",
              "llmProviders:write",
              "llmProviders:manage",
              "templates:read",
              "templates:write",
              "templates:manage",
              "workers:read",
              "workers:write",
              "workers:manage",
              "telemetry:read",
              "telemetry:write",
              "telemetry:manage",
              "organizations:read",
              "organizations:write",
              "organizations:manage",
              "members:read",
              "members:write",
              "members:manage",
              "teams:read",
              "teams:write",
              "teams:manage",
              "roles:read",
              "roles:write",
              "roles:manage",
              "invitations:read",
              "invitations:write",
              "invitations:manage",
              "apiKeys:read",
              "apiKeys:write",
              "apiKeys:manage",
              "sso:read",
              "sso:write",
              "sso:manage",
              "scim:read",
              "scim:write",
              "scim:manage",
              "webhooks:read",
              "webhooks:write",
              "webhooks:manage",
              "webhookEndpoints:read",
              "webhookEndpoints:write",
              "webhookEndpoints:manage",
              "eventStreams:read",
              "eventStreams:write",
              "eventStreams:manage",
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "events:read",
              "analytics:read"
            ],
            "many": true,
            "help": "Read permissions of the endpoint, each of which the caller must have. Default: all read permissions of the caller."
          },
          {
            "name": "ordering",
            "member": "ordering",
            "in": "body",
            "type": "enum",
            "values": [
              "ordered",
              "parallel"
            ],
            "help": "Default: `ordered`."
          },
          {
            "name": "signature",
            "member": "signature",
            "in": "body",
            "type": "enum",
            "values": [
              "hmac",
              "ed25519"
            ],
            "help": "Default: `hmac`."
          },
          {
            "name": "after",
            "member": "after",
            "in": "body",
            "type": "integer",
            "help": "Starts after this sequence number. Default: sends only events that happen later."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a webhook endpoint",
        "description": "Returns the secret once. The endpoint sees events with its own permissions, which do not change with those of its creator."
      },
      {
        "name": "get",
        "id": "webhookEndpoints.get",
        "method": "GET",
        "path": "/v1/webhook-endpoints/:webhookEndpointId",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [],
        "summary": "Get a webhook endpoint"
      },
      {
        "name": "update",
        "id": "webhookEndpoints.update",
        "method": "PATCH",
        "path": "/v1/webhook-endpoints/:webhookEndpointId",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          },
          {
            "name": "url",
            "member": "url",
            "in": "body",
            "type": "string",
            "help": "The URL that receives events with POST. It must use https and a public address. Redirects are not followed."
          },
          {
            "name": "types",
            "member": "types",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Replaces the types, for events that are queued later."
          },
          {
            "name": "permissions",
            "member": "permissions",
            "in": "body",
            "type": "enum",
            "values": [
              "connectors:read",
              "connectors:write",
              "connectors:manage",
              "configObjects:read",
              "configObjects:write",
              "configObjects:manage",
              "plugins:read",
              "plugins:write",
              "plugins:manage",
              "marketplaces:read",
              "marketplaces:write",
              "marketplaces:manage",
              "approvals:read",
              "approvals:write",
              "approvals:manage",
              "assignments:read",
              "assignments:write",
              "assignments:manage",
              "delivery:read",
              "delivery:write",
              "delivery:manage",
              "rollouts:read",
              "rollouts:write",
              "rollouts:manage",
              "desktopPolicies:read",
              "desktopPolicies:write",
              "desktopPolicies:manage",
              "mcpConnections:read",
              "mcpConnections:write",
              "mcpConnections:manage",
              "llmProviders:read",
              "llmProviders:write",
              "llmProviders:manage",
              "templates:read",
              "templates:write",
              "templates:manage",
              "workers:read",
              "workers:write",
              "workers:manage",
              "telemetry:read",
              "telemetry:write",
              "telemetry:manage",
              "organizations:read",
              "organizations:write",
              "organizations:manage",
              "members:read",
              "members:write",
              "members:manage",
              "teams:read",
              "teams:write",
              "teams:manage",
              "roles:read",
              "roles:write",
              "roles:manage",
              "invitations:read",
              "invitations:write",
              "invitations:manage",
              "apiKeys:read",
              "apiKeys:write",
              "apiKeys:manage",
              "sso:read",
              "sso:write",
              "sso:manage",
              "scim:read",
              "scim:write",
              "scim:manage",
              "webhooks:read",
              "webhooks:write",
              "webhooks:manage",
              "webhookEndpoints:read",
              "webhookEndpoints:write",
              "webhookEndpoints:manage",
              "eventStreams:read",
              "eventStreams:write",
              "eventStreams:manage",
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "events:read",
              "analytics:read"
            ],
            "many": true,
            "help": "Replaces the permissions, for events that are queued later. The caller must have each of them. If one is removed, pending deliveries are skipped."
          },
          {
            "name": "ordering",
            "member": "ordering",
            "in": "body",
            "type": "enum",
            "values": [
              "ordered",
              "parallel"
            ],
            "help": "`ordered`: an event is sent only after the previous one was delivered. `parallel`: up to 8 events are sent at a time, and a failed one does not delay the others."
          }
        ],
        "body": true,
        "summary": "Update a webhook endpoint",
        "description": "To change the URL or the permissions, the caller must have all permissions of the endpoint."
      },
      {
        "name": "remove",
        "id": "webhookEndpoints.remove",
        "method": "DELETE",
        "path": "/v1/webhook-endpoints/:webhookEndpointId",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [],
        "summary": "Remove a webhook endpoint",
        "description": "Deletes its deliveries. No further events are sent."
      },
      {
        "name": "rotate-secret",
        "id": "webhookEndpoints.rotateSecret",
        "method": "POST",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/rotate-secret",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [
          {
            "name": "overlap-seconds",
            "member": "overlapSeconds",
            "in": "body",
            "type": "integer",
            "help": "How long deliveries are also signed with the old secret. Default: 86,400 (a day)."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Rotate the secret of a webhook endpoint",
        "description": "Returns the new secret once. Until the overlap ends, `webhook-signature` contains a signature with each secret."
      },
      {
        "name": "test",
        "id": "webhookEndpoints.test",
        "method": "POST",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/test",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [],
        "summary": "Send a test to a webhook endpoint",
        "description": "Sends an event of the type `webhook.test` immediately, even to a paused endpoint, and returns the outcome. It is not retried."
      },
      {
        "name": "pause",
        "id": "webhookEndpoints.pause",
        "method": "POST",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/pause",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Pause a webhook endpoint",
        "description": "Events wait until it is resumed."
      },
      {
        "name": "resume",
        "id": "webhookEndpoints.resume",
        "method": "POST",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/resume",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [
          {
            "name": "skip",
            "member": "skip",
            "in": "body",
            "type": "boolean",
            "help": "Whether to skip the pending events. They can be delivered later with `redeliver`. Default: false."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Resume a webhook endpoint",
        "description": "Pending deliveries are sent immediately. Their three days of retries start again."
      },
      {
        "name": "redeliver",
        "id": "webhookEndpoints.redeliver",
        "method": "POST",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/redeliver",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [
          {
            "name": "from",
            "member": "from",
            "in": "body",
            "type": "integer",
            "required": true,
            "help": "The first sequence number."
          },
          {
            "name": "to",
            "member": "to",
            "in": "body",
            "type": "integer",
            "required": true,
            "help": "The last sequence number, at most 9999 after `from`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Redeliver events",
        "description": "Queues every event of the range that the endpoint selects and can see, including those that it never received. Their `webhook-id` is the same as before."
      },
      {
        "name": "list-messages",
        "id": "webhookEndpoints.listMessages",
        "method": "GET",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/messages",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "state",
            "member": "state",
            "in": "query",
            "type": "enum",
            "values": [
              "pending",
              "delivered",
              "failed",
              "skipped"
            ],
            "help": "Only this state."
          }
        ],
        "pageMax": 100,
        "summary": "List deliveries of a webhook endpoint",
        "description": "Newest first. Deliveries are kept for 30 days."
      },
      {
        "name": "get-message",
        "id": "webhookEndpoints.getMessage",
        "method": "GET",
        "path": "/v1/webhook-endpoints/:webhookEndpointId/messages/:webhookMessageId",
        "ids": [
          {
            "name": "webhook-endpoint-id",
            "member": "webhookEndpointId",
            "help": "The id of the webhook endpoint."
          },
          {
            "name": "webhook-message-id",
            "member": "webhookMessageId",
            "help": "The id of the webhook message."
          }
        ],
        "flags": [],
        "summary": "Get a delivery of a webhook endpoint",
        "description": "Includes the exact body, and each attempt with its response. Both require every permission that the endpoint has had."
      }
    ]
  },
  {
    "name": "event-streams",
    "id": "eventStreams",
    "section": "Identity and access",
    "summary": "Send every event to an HTTPS endpoint, S3-compatible object storage or an OpenTelemetry collector, so that receivers can verify that it is complete.",
    "operations": [
      {
        "name": "list",
        "id": "eventStreams.list",
        "method": "GET",
        "path": "/v1/event-streams",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List event streams"
      },
      {
        "name": "create",
        "id": "eventStreams.create",
        "method": "POST",
        "path": "/v1/event-streams",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "types",
            "member": "types",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Types of events, or `<resource>.*`. Default: all types."
          },
          {
            "name": "after",
            "member": "after",
            "in": "body",
            "type": "integer",
            "help": "Starts after this sequence number. Default: sends only events that happen later."
          }
        ],
        "json": [
          {
            "member": "destination",
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create an event stream"
      },
      {
        "name": "get",
        "id": "eventStreams.get",
        "method": "GET",
        "path": "/v1/event-streams/:eventStreamId",
        "ids": [
          {
            "name": "event-stream-id",
            "member": "eventStreamId",
            "help": "The id of the event stream."
          }
        ],
        "flags": [],
        "summary": "Get an event stream"
      },
      {
        "name": "update",
        "id": "eventStreams.update",
        "method": "PATCH",
        "path": "/v1/event-streams/:eventStreamId",
        "ids": [
          {
            "name": "event-stream-id",
            "member": "eventStreamId",
            "help": "The id of the event stream."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          },
          {
            "name": "types",
            "member": "types",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Replaces the types, for events that are sent later."
          }
        ],
        "json": [
          {
            "member": "destination",
            "help": "Replaces the destination."
          }
        ],
        "body": true,
        "summary": "Update an event stream"
      },
      {
        "name": "remove",
        "id": "eventStreams.remove",
        "method": "DELETE",
        "path": "/v1/event-streams/:eventStreamId",
        "ids": [
          {
            "name": "event-stream-id",
            "member": "eventStreamId",
            "help": "The id of the event stream."
          }
        ],
        "flags": [],
        "summary": "Remove an event stream",
        "description": "Deletes its position and its secret. No further events are sent."
      },
      {
        "name": "pause",
        "id": "eventStreams.pause",
        "method": "POST",
        "path": "/v1/event-streams/:eventStreamId/pause",
        "ids": [
          {
            "name": "event-stream-id",
            "member": "eventStreamId",
            "help": "The id of the event stream."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Pause an event stream",
        "description": "Events wait until it is resumed."
      },
      {
        "name": "resume",
        "id": "eventStreams.resume",
        "method": "POST",
        "path": "/v1/event-streams/:eventStreamId/resume",
        "ids": [
          {
            "name": "event-stream-id",
            "member": "eventStreamId",
            "help": "The id of the event stream."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Resume an event stream",
        "description": "Sends the undelivered events. A failing stream retries immediately."
      },
      {
        "name": "test",
        "id": "eventStreams.test",
        "method": "POST",
        "path": "/v1/event-streams/:eventStreamId/test",
        "ids": [
          {
            "name": "event-stream-id",
            "member": "eventStreamId",
            "help": "The id of the event stream."
          }
        ],
        "flags": [],
        "summary": "Send a test to an event stream",
        "description": "Sends a line with the kind `test` immediately, even if the stream is paused, and returns the outcome. It is not retried."
      }
    ]
  },
  {
    "name": "bootstrap",
    "id": "bootstrap",
    "section": "Identity and access",
    "summary": "Create a workspace without an account, and claim it later.",
    "operations": [
      {
        "name": "workspace",
        "id": "bootstrap.workspace",
        "method": "POST",
        "path": "/v1/bootstrap/workspace",
        "ids": [],
        "flags": [
          {
            "name": "workspace-name",
            "member": "workspaceName",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The name of the workspace."
          },
          {
            "name": "claim-roles",
            "member": "claimRoles",
            "in": "body",
            "type": "enum",
            "values": [
              "owner",
              "admin",
              "member"
            ],
            "many": true,
            "help": "Creates one claim link for each role in the list. A link for an owner is always created."
          },
          {
            "name": "owner-email",
            "member": "ownerEmail",
            "in": "body",
            "type": "string",
            "help": "Restricts the owner claim link to the user with this verified email address."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Create an unclaimed workspace",
        "description": "Returns a session and links to claim the workspace. An unclaimed workspace can have one connector instance, cannot have API keys or send email, and is deleted after 24 hours unless an owner claims it. Limit: 5 per hour per source IP address."
      },
      {
        "name": "preview-claim",
        "id": "bootstrap.previewClaim",
        "method": "POST",
        "path": "/v1/bootstrap/claims/preview",
        "ids": [],
        "flags": [
          {
            "name": "token",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token or the full link. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "body": true,
        "public": true,
        "summary": "Preview a claim link",
        "description": "Returns the organization and the role that the link grants. The link can still be used afterward."
      },
      {
        "name": "accept-claim",
        "id": "bootstrap.acceptClaim",
        "method": "POST",
        "path": "/v1/bootstrap/claims/accept",
        "ids": [],
        "flags": [
          {
            "name": "token",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token or the full link. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "json": [
          {
            "member": "keepAgent",
            "help": "Creates an API key with these permissions, so that the agent can continue to manage what it created. Allowed only with an owner claim link. The secret of the key is returned once."
          }
        ],
        "body": true,
        "summary": "Accept a claim link",
        "description": "Adds the caller to the workspace. Requires a verified email address. If the link is restricted to an email address, the caller's address must match it. The first owner's claim makes the workspace permanent, ends the session of the agent that created it, and invalidates the other owner links. `keepAgent` creates an API key that replaces the agent's session."
      }
    ]
  },
  {
    "name": "mcp-connections",
    "id": "mcpConnections",
    "section": "Agents",
    "summary": "Discover, connect, monitor and test MCP servers.",
    "operations": [
      {
        "name": "create",
        "id": "mcpConnections.create",
        "method": "POST",
        "path": "/v1/mcp-connections",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Must be unique in the organization."
          },
          {
            "name": "url",
            "member": "url",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "An https URL. Plain http is accepted only if the operator allows it."
          },
          {
            "name": "preset-id",
            "member": "presetId",
            "in": "body",
            "type": "string",
            "help": "The id of a well-known server from `mcpConnections.listPresets`."
          },
          {
            "name": "auth-type",
            "member": "authType",
            "in": "body",
            "type": "enum",
            "values": [
              "oauth",
              "apikey",
              "none"
            ],
            "required": true,
            "help": "How the server authenticates its callers: OAuth 2.1, an API key in a header, or not at all."
          },
          {
            "name": "credential-mode",
            "member": "credentialMode",
            "in": "body",
            "type": "enum",
            "values": [
              "shared",
              "per_member"
            ],
            "help": "`shared`: one credential for everyone with a grant. `per_member`: each member's own credential. Default: `per_member` for OAuth, otherwise `shared`."
          },
          {
            "name": "scope",
            "member": "scopes",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested."
          },
          {
            "name": "api-key-header",
            "member": "apiKeyHeader",
            "in": "body",
            "type": "string",
            "help": "For `apikey`: the header that contains the key. Default: `authorization`."
          },
          {
            "name": "api-key-scheme",
            "member": "apiKeyScheme",
            "in": "body",
            "type": "string",
            "help": "For `apikey`: the authentication scheme before the key. Default: `Bearer` in the `authorization` header, none in any other header."
          }
        ],
        "json": [
          {
            "member": "oauthClient",
            "help": "An OAuth client that you have already registered with the authorization server."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create an MCP connection",
        "description": "The connection is private, and the server is not contacted yet."
      },
      {
        "name": "list",
        "id": "mcpConnections.list",
        "method": "GET",
        "path": "/v1/mcp-connections",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name or of the URL. Case-insensitive."
          },
          {
            "name": "url",
            "member": "url",
            "in": "query",
            "type": "string",
            "help": "Only connections to the server with this URL. A trailing slash is ignored."
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "not_connected",
              "ready",
              "reconnect_required",
              "review_required"
            ],
            "help": "Only connections with this status for the caller."
          }
        ],
        "pageMax": 100,
        "summary": "List MCP connections",
        "description": "Returns the connections that the caller can see."
      },
      {
        "name": "get",
        "id": "mcpConnections.get",
        "method": "GET",
        "path": "/v1/mcp-connections/:connectionId",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Get an MCP connection"
      },
      {
        "name": "update",
        "id": "mcpConnections.update",
        "method": "PATCH",
        "path": "/v1/mcp-connections/:connectionId",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          },
          {
            "name": "url",
            "member": "url",
            "in": "body",
            "type": "string",
            "help": "An https URL. Plain http is accepted only if the operator allows it."
          },
          {
            "name": "auth-type",
            "member": "authType",
            "in": "body",
            "type": "enum",
            "values": [
              "oauth",
              "apikey",
              "none"
            ],
            "help": "How the server authenticates its callers: OAuth 2.1, an API key in a header, or not at all."
          },
          {
            "name": "credential-mode",
            "member": "credentialMode",
            "in": "body",
            "type": "enum",
            "values": [
              "shared",
              "per_member"
            ],
            "help": "`shared`: one credential for everyone with a grant. `per_member`: each member's own credential."
          },
          {
            "name": "scope",
            "member": "scopes",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The scopes to request when connecting by OAuth. If null, the scopes that the server requires are requested."
          },
          {
            "name": "api-key-header",
            "member": "apiKeyHeader",
            "in": "body",
            "type": "string",
            "help": "For `apikey`: the header that contains the key. Default: `authorization`."
          },
          {
            "name": "api-key-scheme",
            "member": "apiKeyScheme",
            "in": "body",
            "type": "string",
            "help": "For `apikey`: the authentication scheme before the key. Default: `Bearer` in the `authorization` header, none in any other header."
          }
        ],
        "json": [
          {
            "member": "oauthClient",
            "help": "An OAuth client that you have already registered with the authorization server."
          }
        ],
        "body": true,
        "summary": "Update an MCP connection",
        "description": "Requires manager access. Changing the URL, authentication type or credential mode deletes its credentials and the approved state of the server."
      },
      {
        "name": "remove",
        "id": "mcpConnections.remove",
        "method": "DELETE",
        "path": "/v1/mcp-connections/:connectionId",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Remove an MCP connection",
        "description": "Also deletes its credentials and revokes its grants."
      },
      {
        "name": "list-access",
        "id": "mcpConnections.listAccess",
        "method": "GET",
        "path": "/v1/mcp-connections/:connectionId/access",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the access grants of an MCP connection"
      },
      {
        "name": "grant-access",
        "id": "mcpConnections.grantAccess",
        "method": "POST",
        "path": "/v1/mcp-connections/:connectionId/access",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team to grant access to."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean",
            "help": "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "enum",
            "values": [
              "viewer",
              "editor",
              "manager"
            ],
            "required": true,
            "help": "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grant access to an MCP connection",
        "description": "Returns 200 instead of 201 when the recipient already had a grant. The role of owner or admin is not enough to use the tools: owners and admins also need a grant for themselves, for one of their teams, or for the whole organization."
      },
      {
        "name": "revoke-access",
        "id": "mcpConnections.revokeAccess",
        "method": "DELETE",
        "path": "/v1/mcp-connections/:connectionId/access/:grantId",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "The id of the MCP connection access grant."
          }
        ],
        "flags": [],
        "summary": "Revoke access to an MCP connection",
        "description": "The revoked grant is kept as history."
      },
      {
        "name": "list-tools",
        "id": "mcpConnections.listTools",
        "method": "GET",
        "path": "/v1/mcp-connections/:connectionId/tools",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "refresh",
            "member": "refresh",
            "in": "query",
            "type": "boolean",
            "help": "If `true`, contacts the server now. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List the tools of an MCP connection",
        "description": "Ordered by name. The server is contacted at most once every five minutes, unless `refresh` is `true`. Requires a grant that includes the caller, even if the caller is an owner or admin, because the request uses the connection's credential."
      },
      {
        "name": "get-tool-policy",
        "id": "mcpConnections.getToolPolicy",
        "method": "GET",
        "path": "/v1/mcp-connections/:connectionId/tool-policy",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Get the tool policy of an MCP connection",
        "description": "The policy determines which tools may be called."
      },
      {
        "name": "set-tool-policy",
        "id": "mcpConnections.setToolPolicy",
        "method": "PUT",
        "path": "/v1/mcp-connections/:connectionId/tool-policy",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "mode",
            "member": "mode",
            "in": "body",
            "type": "enum",
            "values": [
              "all",
              "read_only",
              "listed"
            ],
            "required": true,
            "help": "The rule for tools that are in neither `allowed` nor `denied`. `all` allows them, `read_only` allows those with the read-only hint, `listed` allows none."
          },
          {
            "name": "allow",
            "member": "allowed",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Tools that may be called, regardless of `mode`."
          },
          {
            "name": "deny",
            "member": "denied",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Takes precedence over `allowed`."
          }
        ],
        "body": true,
        "summary": "Set the tool policy of an MCP connection",
        "description": "Requires manager access. The policy can name tools that do not exist yet."
      },
      {
        "name": "get-review",
        "id": "mcpConnections.getReview",
        "method": "GET",
        "path": "/v1/mcp-connections/:connectionId/review",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Show how an MCP server differs from its approved state",
        "description": "New and changed tools are blocked until a manager accepts them. If the issuer, the authorization endpoint or the token endpoint changes, the whole connection is blocked."
      },
      {
        "name": "decide-review",
        "id": "mcpConnections.decideReview",
        "method": "POST",
        "path": "/v1/mcp-connections/:connectionId/review",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "fingerprint",
            "member": "fingerprint",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The fingerprint of the review. If it has changed since, the response is 409 `stale_revision`."
          },
          {
            "name": "decision",
            "member": "decision",
            "in": "body",
            "type": "enum",
            "values": [
              "accept",
              "reject"
            ],
            "required": true,
            "help": "`accept`: approves the server's current state. `reject`: keeps the changes blocked."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Accept or reject changes to an MCP server",
        "description": "Requires manager access. Rejected changes stay blocked."
      },
      {
        "name": "call-tool",
        "id": "mcpConnections.callTool",
        "method": "POST",
        "path": "/v1/mcp-connections/:connectionId/tools/call",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "arguments": [
          {
            "name": "tool",
            "member": "toolName"
          }
        ],
        "flags": [],
        "json": [
          {
            "member": "arguments",
            "required": true,
            "help": "The arguments of the call, as the tool's input schema defines them."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Make a diagnostic call to a tool",
        "description": "Runs one tool and returns the HTTP exchange with secrets redacted. The exchange is not stored. Takes at most 60 seconds. Limit: 60 calls per minute per organization. Requires a grant that includes the caller. Returns 403 `policy_blocked` if the policy denies the tool, and 403 `tool_review_required` if the tool is new or changed and has not been accepted."
      },
      {
        "name": "start-connect",
        "id": "mcpConnections.startConnect",
        "method": "POST",
        "path": "/v1/mcp-connections/:connectionId/connect/start",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Start the OAuth flow of an MCP connection",
        "description": "Not available to API keys. Open `url` in a browser. The authorization server redirects the browser to the callback, which stores nothing. Pass `state`, `code` and `iss` to `mcpConnections.completeConnect` within ten minutes, in the same session. Connecting a shared credential requires manager access; connecting your own requires viewer access."
      },
      {
        "name": "complete-connect",
        "id": "mcpConnections.completeConnect",
        "method": "POST",
        "path": "/v1/mcp-connections/:connectionId/connect/complete",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "state",
            "member": "state",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The `state` from the redirect."
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the code. `-` prompts on a terminal and reads stdin otherwise"
          },
          {
            "name": "iss",
            "member": "iss",
            "in": "body",
            "type": "string",
            "help": "The issuer, if the authorization server returned one."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Complete the OAuth flow of an MCP connection",
        "description": "Exchanges the authorization code for a credential and stores it encrypted."
      },
      {
        "name": "set-api-key",
        "id": "mcpConnections.setApiKey",
        "method": "PUT",
        "path": "/v1/mcp-connections/:connectionId/api-key",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "api-key-file",
            "member": "apiKey",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the API key. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "body": true,
        "summary": "Set the API key of an MCP connection",
        "description": "Setting a shared key requires manager access; any member with a grant can set their own key. The key is checked once with the MCP server. If the server rejects it, returns 400 and does not store the key."
      },
      {
        "name": "disconnect",
        "id": "mcpConnections.disconnect",
        "method": "POST",
        "path": "/v1/mcp-connections/:connectionId/disconnect",
        "ids": [
          {
            "name": "connection-id",
            "member": "connectionId",
            "help": "The id of the external MCP connection."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Disconnect an MCP connection",
        "description": "Deletes the shared credential, or the caller's own if `credentialMode` is `per_member`. Idempotent."
      },
      {
        "name": "client-metadata",
        "id": "mcpConnections.clientMetadata",
        "method": "GET",
        "path": "/v1/mcp-connections/client-metadata.json",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Get the OAuth client metadata document",
        "description": "The client id is the URL of this document."
      },
      {
        "name": "list-presets",
        "id": "mcpConnections.listPresets",
        "method": "GET",
        "path": "/v1/mcp-connections/presets",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name, id or host. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List the well-known MCP servers",
        "description": "Ordered by name."
      },
      {
        "name": "resolve",
        "id": "mcpConnections.resolve",
        "method": "POST",
        "path": "/v1/mcp-connections/resolve",
        "ids": [],
        "arguments": [
          {
            "name": "query",
            "member": "query",
            "help": "URL, host, or product name"
          }
        ],
        "flags": [],
        "body": true,
        "summary": "Find the MCP server for a URL, host or product name",
        "description": "Also returns the server's requirements. Does not create or store anything, and does not register an OAuth client. Tries at most five URLs, for up to 8 seconds each and 15 seconds in total. Limit per organization: 30 queries per minute and 3 concurrent queries. A query that is queued for more than 30 seconds returns 503."
      }
    ]
  },
  {
    "name": "llm-providers",
    "id": "llmProviders",
    "section": "Agents",
    "summary": "Model providers shared with members, chosen from the catalog or defined by a URL.",
    "operations": [
      {
        "name": "create",
        "id": "llmProviders.create",
        "method": "POST",
        "path": "/v1/llm-providers",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Must be unique in the organization."
          },
          {
            "name": "provider-id",
            "member": "providerId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "An id from the catalog, or `custom` for your own URL."
          },
          {
            "name": "credential-mode",
            "member": "credentialMode",
            "in": "body",
            "type": "enum",
            "values": [
              "shared",
              "per_member",
              "none"
            ],
            "help": "`shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key. Default: `shared`."
          },
          {
            "name": "address",
            "member": "baseUrl",
            "in": "body",
            "type": "string",
            "help": "An https URL, such as `https://llm.example/v1`. Plain http is accepted only if the operator allows it."
          },
          {
            "name": "api-format",
            "member": "apiFormat",
            "in": "body",
            "type": "enum",
            "values": [
              "openai_compatible",
              "anthropic",
              "google",
              "azure_openai",
              "other"
            ],
            "help": "The provider's API format. It also determines the header that carries the key: `authorization` with Bearer, `x-api-key`, `x-goog-api-key` or `api-key`. `other` requires the provider's own library and cannot be tested."
          },
          {
            "name": "env",
            "member": "env",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The environment variables from which the provider's library reads the key."
          }
        ],
        "json": [
          {
            "member": "models",
            "help": "The models that can be used. Null allows all models of the provider. Default: null."
          },
          {
            "member": "headers",
            "help": "Additional headers to send with every request, at most 16. Must not contain secrets."
          },
          {
            "member": "options",
            "help": "Options for the provider's library: at most 16 KiB of JSON. Must not contain secrets."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create an LLM provider",
        "description": "The provider is private and is not contacted yet. For a provider from the catalog, the URL, API format and environment variables default to the catalog's values."
      },
      {
        "name": "list",
        "id": "llmProviders.list",
        "method": "GET",
        "path": "/v1/llm-providers",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List LLM providers",
        "description": "Returns the providers that the caller can see."
      },
      {
        "name": "get",
        "id": "llmProviders.get",
        "method": "GET",
        "path": "/v1/llm-providers/:llmProviderId",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [],
        "summary": "Get an LLM provider"
      },
      {
        "name": "update",
        "id": "llmProviders.update",
        "method": "PATCH",
        "path": "/v1/llm-providers/:llmProviderId",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          },
          {
            "name": "provider-id",
            "member": "providerId",
            "in": "body",
            "type": "string",
            "help": "An id from the catalog, or `custom` for your own URL."
          },
          {
            "name": "credential-mode",
            "member": "credentialMode",
            "in": "body",
            "type": "enum",
            "values": [
              "shared",
              "per_member",
              "none"
            ],
            "help": "`shared`: one key for everyone with a grant. `per_member`: each member's own key. `none`: no key."
          },
          {
            "name": "address",
            "member": "baseUrl",
            "in": "body",
            "type": "string",
            "help": "An https URL, such as `https://llm.example/v1`. Plain http is accepted only if the operator allows it."
          },
          {
            "name": "api-format",
            "member": "apiFormat",
            "in": "body",
            "type": "enum",
            "values": [
              "openai_compatible",
              "anthropic",
              "google",
              "azure_openai",
              "other"
            ],
            "help": "The provider's API format. It also determines the header that carries the key: `authorization` with Bearer, `x-api-key`, `x-goog-api-key` or `api-key`. `other` requires the provider's own library and cannot be tested."
          },
          {
            "name": "env",
            "member": "env",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The environment variables from which the provider's library reads the key."
          }
        ],
        "json": [
          {
            "member": "models",
            "help": "The models that can be used. Null allows all models of the provider. Default: null."
          },
          {
            "member": "headers",
            "help": "Additional headers to send with every request, at most 16. Must not contain secrets."
          },
          {
            "member": "options",
            "help": "Options for the provider's library: at most 16 KiB of JSON. Must not contain secrets."
          }
        ],
        "body": true,
        "summary": "Update an LLM provider",
        "description": "Requires manager access. Changing the provider, URL or credential mode deletes its keys."
      },
      {
        "name": "remove",
        "id": "llmProviders.remove",
        "method": "DELETE",
        "path": "/v1/llm-providers/:llmProviderId",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [],
        "summary": "Remove an LLM provider",
        "description": "Also deletes its keys and revokes its grants."
      },
      {
        "name": "list-access",
        "id": "llmProviders.listAccess",
        "method": "GET",
        "path": "/v1/llm-providers/:llmProviderId/access",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the access grants of an LLM provider"
      },
      {
        "name": "grant-access",
        "id": "llmProviders.grantAccess",
        "method": "POST",
        "path": "/v1/llm-providers/:llmProviderId/access",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team to grant access to."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean",
            "help": "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "enum",
            "values": [
              "viewer",
              "editor",
              "manager"
            ],
            "required": true,
            "help": "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grant access to an LLM provider",
        "description": "Returns 200 instead of 201 when the recipient already had a grant. To receive the key, owners and admins also need a grant that includes them."
      },
      {
        "name": "revoke-access",
        "id": "llmProviders.revokeAccess",
        "method": "DELETE",
        "path": "/v1/llm-providers/:llmProviderId/access/:grantId",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "The id of the LLM provider access grant."
          }
        ],
        "flags": [],
        "summary": "Revoke access to an LLM provider",
        "description": "The revoked grant is kept as history."
      },
      {
        "name": "list-catalog",
        "id": "llmProviders.listCatalog",
        "method": "GET",
        "path": "/v1/llm-providers/catalog",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of an id or name. Case-insensitive."
          },
          {
            "name": "provider-id",
            "member": "providerId",
            "in": "query",
            "type": "string",
            "help": "Only models of this provider."
          },
          {
            "name": "capability",
            "member": "capability",
            "in": "query",
            "type": "enum",
            "values": [
              "attachment",
              "reasoning",
              "tool_call",
              "temperature",
              "structured_output",
              "open_weights"
            ],
            "help": "Only models with this capability."
          }
        ],
        "pageMax": 100,
        "summary": "List the models of the public catalog",
        "description": "Ordered by provider and id. The server fetches the catalog at most once an hour for all organizations and sends none of your data. Returns 409 if the operator has turned the catalog off, and 503 until the catalog has been fetched once."
      },
      {
        "name": "list-catalog-providers",
        "id": "llmProviders.listCatalogProviders",
        "method": "GET",
        "path": "/v1/llm-providers/catalog/providers",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of an id or name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List the providers of the public catalog",
        "description": "Ordered by id."
      },
      {
        "name": "set-credential",
        "id": "llmProviders.setCredential",
        "method": "PUT",
        "path": "/v1/llm-providers/:llmProviderId/credential",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [
          {
            "name": "api-key-file",
            "member": "apiKey",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the API key. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "body": true,
        "summary": "Set the credential of an LLM provider",
        "description": "Stores the key encrypted and replaces the previous one. Setting a shared key requires manager access; any member with a grant can set their own key. The key is not checked against the provider; use `test` for that."
      },
      {
        "name": "remove-credential",
        "id": "llmProviders.removeCredential",
        "method": "DELETE",
        "path": "/v1/llm-providers/:llmProviderId/credential",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [],
        "summary": "Delete the credential of an LLM provider",
        "description": "Deletes the shared key, or the caller's own if `credentialMode` is `per_member`."
      },
      {
        "name": "connect",
        "id": "llmProviders.connect",
        "method": "POST",
        "path": "/v1/llm-providers/:llmProviderId/connect",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Get everything needed to use an LLM provider",
        "description": "Returns the connection settings, including the key. Requires a grant that includes the caller, even if the caller is an owner or admin, because the response contains the key (403 `grant_required` otherwise). Returns 409 if no key is set for the caller."
      },
      {
        "name": "test",
        "id": "llmProviders.test",
        "method": "POST",
        "path": "/v1/llm-providers/:llmProviderId/test",
        "ids": [
          {
            "name": "llm-provider-id",
            "member": "llmProviderId",
            "help": "The id of the LLM provider."
          }
        ],
        "flags": [],
        "summary": "Test the connection to an LLM provider",
        "description": "Lists the provider's models with the caller's key; spends no tokens. Takes at most 15 seconds. Limit: 30 tests per minute per organization. If the test fails, returns 200 with `ok: false` and the cause."
      }
    ]
  },
  {
    "name": "capabilities",
    "id": "capabilities",
    "section": "Agents",
    "summary": "Create mail drafts, read mail messages and add meeting links on behalf of the calling member. Mail is never sent.",
    "operations": [
      {
        "name": "create-mail-draft",
        "id": "capabilities.createMailDraft",
        "method": "POST",
        "path": "/v1/capabilities/suite-a/mail-drafts",
        "ids": [],
        "flags": [
          {
            "name": "to",
            "member": "to",
            "in": "body",
            "type": "string",
            "many": true,
            "required": true,
            "help": "The recipients: 1 to 50 email addresses."
          },
          {
            "name": "subject",
            "member": "subject",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The subject, on one line."
          },
          {
            "name": "body-file",
            "member": "body",
            "in": "body",
            "type": "string",
            "required": true,
            "file": true,
            "help": "File with the text of the email. `-` reads stdin"
          },
          {
            "name": "cc",
            "member": "cc",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "At most 50 email addresses."
          },
          {
            "name": "bcc",
            "member": "bcc",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "At most 50 email addresses."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a mail draft",
        "description": "Creates a draft in the caller's mailbox. The draft is never sent."
      },
      {
        "name": "get-mail-message",
        "id": "capabilities.getMailMessage",
        "method": "GET",
        "path": "/v1/capabilities/suite-a/mail-message/:messageId",
        "ids": [
          {
            "name": "message-id",
            "member": "messageId",
            "help": "The suite's id for the message."
          }
        ],
        "flags": [],
        "summary": "Read a mail message",
        "description": "Returns one message from the caller's mailbox. The body is requested as plain text."
      },
      {
        "name": "update-calendar-event",
        "id": "capabilities.updateCalendarEvent",
        "method": "PATCH",
        "path": "/v1/capabilities/suite-b/calendar-event/:eventId",
        "ids": [
          {
            "name": "event-id",
            "member": "eventId",
            "help": "The suite's id for the event."
          }
        ],
        "flags": [
          {
            "name": "create-meet-link",
            "member": "createMeetLink",
            "in": "body",
            "type": "boolean",
            "required": true,
            "help": "If `true`, adds a video meeting. If `false`, returns the event unchanged."
          }
        ],
        "body": true,
        "summary": "Add a video meeting to a calendar event",
        "description": "Updates an event on the caller's primary calendar. If the event already has a video meeting, it is kept."
      },
      {
        "name": "list-connections",
        "id": "capabilities.listConnections",
        "method": "GET",
        "path": "/v1/capabilities/connections",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the caller's suite connections",
        "description": "Returns one connection for each suite."
      },
      {
        "name": "get-connection",
        "id": "capabilities.getConnection",
        "method": "GET",
        "path": "/v1/capabilities/connections/:suite",
        "ids": [
          {
            "name": "suite",
            "member": "suite",
            "help": "`suite-a` is the mail suite, `suite-b` the calendar suite."
          }
        ],
        "flags": [],
        "summary": "Get the caller's connection to a suite"
      },
      {
        "name": "start-connect",
        "id": "capabilities.startConnect",
        "method": "POST",
        "path": "/v1/capabilities/connections/:suite/start",
        "ids": [
          {
            "name": "suite",
            "member": "suite",
            "help": "`suite-a` is the mail suite, `suite-b` the calendar suite."
          }
        ],
        "flags": [
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Start connecting the caller's account to a suite",
        "description": "Open `url` in a browser. The suite redirects the browser to the callback, which stores nothing. Pass `state` and `code` to `capabilities.completeConnect` within ten minutes, in the same session."
      },
      {
        "name": "complete-connect",
        "id": "capabilities.completeConnect",
        "method": "POST",
        "path": "/v1/capabilities/connections/:suite/complete",
        "ids": [
          {
            "name": "suite",
            "member": "suite",
            "help": "`suite-a` is the mail suite, `suite-b` the calendar suite."
          }
        ],
        "flags": [
          {
            "name": "state",
            "member": "state",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The `state` from the redirect."
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the code. `-` prompts on a terminal and reads stdin otherwise"
          },
          {
            "name": "iss",
            "member": "iss",
            "in": "body",
            "type": "string",
            "help": "The issuer, if the redirect included one."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Finish connecting the caller's account to a suite",
        "description": "Exchanges the authorization code for a credential and stores it, encrypted, for the caller."
      },
      {
        "name": "disconnect",
        "id": "capabilities.disconnect",
        "method": "POST",
        "path": "/v1/capabilities/connections/:suite/disconnect",
        "ids": [
          {
            "name": "suite",
            "member": "suite",
            "help": "`suite-a` is the mail suite, `suite-b` the calendar suite."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Disconnect the caller's account from a suite",
        "description": "Deletes the caller's credential for the suite. Idempotent."
      }
    ]
  },
  {
    "name": "workers",
    "id": "workers",
    "section": "Agents",
    "summary": "Programs that run agents for members.",
    "operations": [
      {
        "name": "create",
        "id": "workers.create",
        "method": "POST",
        "path": "/v1/workers",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          },
          {
            "name": "destination",
            "member": "destination",
            "in": "body",
            "type": "enum",
            "values": [
              "local",
              "cloud"
            ],
            "required": true,
            "help": "`local`: the member starts it with the worker's own token. `cloud`: this server's provisioner starts it."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a worker",
        "description": "The worker belongs to the caller; a cloud worker is started by the provisioner in the background. A worker stops when its owner leaves the organization. API keys are not members and cannot create workers (403 `session_required`). Limit: 50 workers per member. An unclaimed workspace can have one cloud worker; creating another returns 403 `provisional_organization`."
      },
      {
        "name": "list",
        "id": "workers.list",
        "method": "GET",
        "path": "/v1/workers",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          },
          {
            "name": "mine",
            "member": "mine",
            "in": "query",
            "type": "boolean",
            "help": "`true`: only the caller's own workers. `false`: only the workers of others."
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "provisioning",
              "healthy",
              "failed",
              "stopped"
            ],
            "help": "Only workers with this status."
          },
          {
            "name": "destination",
            "member": "destination",
            "in": "query",
            "type": "enum",
            "values": [
              "local",
              "cloud"
            ],
            "help": "`local`: the member starts it with the worker's own token. `cloud`: this server's provisioner starts it."
          }
        ],
        "pageMax": 100,
        "summary": "List workers"
      },
      {
        "name": "get",
        "id": "workers.get",
        "method": "GET",
        "path": "/v1/workers/:id",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [],
        "summary": "Get a worker",
        "description": "Includes its latest instance."
      },
      {
        "name": "update",
        "id": "workers.update",
        "method": "PATCH",
        "path": "/v1/workers/:id",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "summary": "Update a worker",
        "description": "Changes the name or description. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "remove",
        "id": "workers.remove",
        "method": "DELETE",
        "path": "/v1/workers/:id",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [],
        "summary": "Remove a worker",
        "description": "Its tokens stop working immediately, and its runtime is stopped. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "create-token",
        "id": "workers.createToken",
        "method": "POST",
        "path": "/v1/workers/:id/tokens",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [
          {
            "name": "grace-seconds",
            "member": "graceSeconds",
            "in": "body",
            "type": "integer",
            "help": "How many seconds the worker's other tokens stay valid. If omitted, their expiration is unchanged."
          },
          {
            "name": "expires-in-seconds",
            "member": "expiresInSeconds",
            "in": "body",
            "type": "integer",
            "help": "How many seconds the token is valid. If omitted, the token does not expire."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a token for a local worker",
        "description": "If `graceSeconds` is set, the worker's other tokens expire after that many seconds. A worker has at most five valid tokens. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "list-tokens",
        "id": "workers.listTokens",
        "method": "GET",
        "path": "/v1/workers/:id/tokens",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the valid tokens of a worker",
        "description": "Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "revoke-token",
        "id": "workers.revokeToken",
        "method": "DELETE",
        "path": "/v1/workers/:id/tokens/:workerTokenId",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          },
          {
            "name": "worker-token-id",
            "member": "workerTokenId",
            "help": "The id of the worker token."
          }
        ],
        "flags": [],
        "summary": "Revoke a token of a worker",
        "description": "The token stops working immediately. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "get-runtime",
        "id": "workers.getRuntime",
        "method": "GET",
        "path": "/v1/workers/:id/runtime",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [],
        "summary": "Get the state of a worker's runtime",
        "description": "Forwards the request to the runtime and returns its response unchanged. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "upgrade-runtime",
        "id": "workers.upgradeRuntime",
        "method": "POST",
        "path": "/v1/workers/:id/runtime/upgrade",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Upgrade a worker's runtime",
        "description": "Forwards the request to the runtime once and returns its response. The runtime must respond within 30 seconds, with at most 1 MiB. Responses with 2xx, 400, 404, 409 or 422 are returned unchanged; any other response returns 502 `worker_runtime_error`. Requests are not retried. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      },
      {
        "name": "heartbeat",
        "id": "workers.heartbeat",
        "method": "POST",
        "path": "/v1/workers/:id/heartbeat",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [
          {
            "name": "image-version",
            "member": "imageVersion",
            "in": "body",
            "type": "string"
          },
          {
            "name": "workspace-path",
            "member": "workspacePath",
            "in": "body",
            "type": "string"
          },
          {
            "name": "sandbox-backend",
            "member": "sandboxBackend",
            "in": "body",
            "type": "string"
          },
          {
            "name": "detail",
            "member": "detail",
            "in": "body",
            "type": "string",
            "help": "The state of the worker, shown as `statusReason`."
          },
          {
            "name": "stopping",
            "member": "stopping",
            "in": "body",
            "type": "boolean",
            "help": "Set to `true` when the worker is stopping, so that missed heartbeats do not count as a failure."
          }
        ],
        "body": true,
        "summary": "Send a worker heartbeat",
        "description": "Reports that the worker is running and updates its state. Omitted fields keep their values."
      },
      {
        "name": "report-activity",
        "id": "workers.reportActivity",
        "method": "POST",
        "path": "/v1/workers/:id/activity",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [
          {
            "name": "kind",
            "member": "kind",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A name for the activity, chosen by the worker, such as `task.started`."
          },
          {
            "name": "message",
            "member": "message",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A description of the activity, for people to read."
          },
          {
            "name": "session-id",
            "member": "sessionId",
            "in": "body",
            "type": "string",
            "help": "The worker's id for the session in which the activity occurred."
          },
          {
            "name": "occurred-at",
            "member": "occurredAt",
            "in": "body",
            "type": "string",
            "help": "When the activity occurred: at most a day ago, and at most five minutes ahead of this server's clock. Default: the time of the request."
          }
        ],
        "body": true,
        "summary": "Report a worker activity",
        "description": "Activities are kept for 30 days."
      },
      {
        "name": "list-activity",
        "id": "workers.listActivity",
        "method": "GET",
        "path": "/v1/workers/:id/activity",
        "ids": [
          {
            "name": "id",
            "member": "id",
            "help": "The id of the worker. An unknown id returns 404."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the activities of a worker",
        "description": "Newest first. Only the worker's owner, an owner or admin of the organization, or an API key with `workers:manage` can do this; other callers get 403 `not_creator`."
      }
    ]
  },
  {
    "name": "memory",
    "id": "memory",
    "section": "Agents",
    "summary": "Personal memories. Only the person who saved a memory can read it; owners, admins, API keys and organization exports cannot.",
    "operations": [
      {
        "name": "save",
        "id": "memory.save",
        "method": "POST",
        "path": "/v1/memory",
        "ids": [],
        "arguments": [
          {
            "name": "content",
            "member": "content",
            "help": "Text to save"
          }
        ],
        "flags": [
          {
            "name": "tag",
            "member": "tags",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Labels that searches and the `tag` filter match. Duplicate tags are stored once."
          }
        ],
        "json": [
          {
            "member": "contexts",
            "help": "The conversations that the memory comes from."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Save a memory",
        "description": "The server sets `source` and `scope`; values in the request are ignored. Limit: 10,000 memories and 100,000 indexed words per user per organization."
      },
      {
        "name": "search",
        "id": "memory.search",
        "method": "GET",
        "path": "/v1/memory/search",
        "ids": [],
        "arguments": [
          {
            "name": "question",
            "member": "q",
            "help": "Question or words"
          }
        ],
        "flags": [
          {
            "name": "results",
            "member": "limit",
            "in": "query",
            "type": "integer",
            "help": "Maximum number of results. Default: 20."
          },
          {
            "name": "organizations",
            "member": "organization",
            "in": "query",
            "type": "enum",
            "values": [
              "current",
              "all"
            ],
            "help": "`all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`."
          },
          {
            "name": "tag",
            "member": "tag",
            "in": "query",
            "type": "string",
            "help": "Only memories with this tag. Case-insensitive."
          }
        ],
        "summary": "Search the caller's memories",
        "description": "Searches content, tags and snippets. Best matches first; equal matches newest first. Returns an empty list if nothing matches the query."
      },
      {
        "name": "export",
        "id": "memory.export",
        "method": "GET",
        "path": "/v1/memory/export",
        "ids": [],
        "flags": [
          {
            "name": "organizations",
            "member": "organization",
            "in": "query",
            "type": "enum",
            "values": [
              "current",
              "all"
            ],
            "help": "`all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`."
          }
        ],
        "streams": true,
        "summary": "Export the caller's memories",
        "description": "Streams NDJSON lines of `{ kind, item }`: first a `memories` line with the user id and the organization ids, then one `memory` line per memory with its contexts, newest first. The last line has the kind `end` and contains the number of preceding lines."
      },
      {
        "name": "list",
        "id": "memory.list",
        "method": "GET",
        "path": "/v1/memory",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "organizations",
            "member": "organization",
            "in": "query",
            "type": "enum",
            "values": [
              "current",
              "all"
            ],
            "help": "`all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`."
          },
          {
            "name": "tag",
            "member": "tag",
            "in": "query",
            "type": "string",
            "help": "Only memories with this tag. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List the caller's memories"
      },
      {
        "name": "get",
        "id": "memory.get",
        "method": "GET",
        "path": "/v1/memory/:memoryId",
        "ids": [
          {
            "name": "memory-id",
            "member": "memoryId",
            "help": "The id of the memory."
          }
        ],
        "flags": [],
        "summary": "Get a memory",
        "description": "Includes its contexts."
      },
      {
        "name": "delete",
        "id": "memory.delete",
        "method": "DELETE",
        "path": "/v1/memory/:memoryId",
        "ids": [
          {
            "name": "memory-id",
            "member": "memoryId",
            "help": "The id of the memory."
          }
        ],
        "flags": [],
        "summary": "Delete a memory",
        "description": "Permanent and immediate."
      },
      {
        "name": "delete-all",
        "id": "memory.deleteAll",
        "method": "DELETE",
        "path": "/v1/memory",
        "ids": [],
        "flags": [],
        "summary": "Delete all of the caller's memories in the organization",
        "description": "Permanent and immediate."
      }
    ]
  },
  {
    "name": "telemetry",
    "id": "telemetry",
    "section": "Agents",
    "summary": "Events that the desktop app and workers send for members.",
    "operations": [
      {
        "name": "ingest",
        "id": "telemetry.ingest",
        "method": "POST",
        "path": "/v1/telemetry/ingest",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "events",
            "required": true,
            "help": "1 to 50 events. Each event is validated separately: an event that is not a valid `TelemetryEvent` is dropped or stored without its invalid fields, and the response is 204."
          }
        ],
        "body": true,
        "summary": "Ingest a batch of telemetry events",
        "description": "Responds after the events are stored durably. The organization and member come only from the credential. Events with a missing or invalid `type`, `timestamp` or `source` are dropped, and fields that are not allowed are removed. Neither causes an error; the ledger counts both under the request's `x-request-id`. If each event has an `id`, you can retry the batch after any failure: no event is counted twice."
      },
      {
        "name": "describe",
        "id": "telemetry.describe",
        "method": "GET",
        "path": "/v1/telemetry/schema",
        "ids": [],
        "flags": [],
        "summary": "Get the accepted telemetry events and fields",
        "description": "Includes their limits."
      },
      {
        "name": "ledger",
        "id": "telemetry.ledger",
        "method": "GET",
        "path": "/v1/telemetry/ledger",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "request-id",
            "member": "requestId",
            "in": "query",
            "type": "string",
            "help": "Only the batch with this request id."
          }
        ],
        "pageMax": 100,
        "summary": "List the results of telemetry batches",
        "description": "Covers the last 30 days."
      },
      {
        "name": "dimensions",
        "id": "telemetry.dimensions",
        "method": "GET",
        "path": "/v1/telemetry/dimensions",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "type",
            "member": "type",
            "in": "query",
            "type": "string",
            "help": "Only dimensions of this type."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the value or label. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List event dimensions",
        "description": "Returns dimension types and their values, with the number of events and the time of the latest one. Values are sorted by when the server first stored them, newest first. Events past the retention period are not counted."
      },
      {
        "name": "adoption",
        "id": "telemetry.adoption",
        "method": "GET",
        "path": "/v1/telemetry/adoption",
        "ids": [],
        "flags": [
          {
            "name": "from",
            "member": "from",
            "in": "query",
            "type": "string",
            "help": "First day in UTC, for example 2026-03-01"
          },
          {
            "name": "to",
            "member": "to",
            "in": "query",
            "type": "string",
            "help": "Last day in UTC"
          },
          {
            "name": "interval",
            "member": "interval",
            "in": "query",
            "type": "enum",
            "values": [
              "day",
              "week"
            ],
            "help": "The length of each step. Weeks start on Monday. Default: `day`."
          },
          {
            "name": "source",
            "member": "source",
            "in": "query",
            "type": "enum",
            "values": [
              "app",
              "worker"
            ],
            "help": "Only events from this source."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only current members of this team."
          },
          {
            "name": "dimension-type",
            "member": "dimensionType",
            "in": "query",
            "type": "string",
            "help": "Also returns the number of members who use each value of this dimension, such as `skill` or `model`."
          }
        ],
        "summary": "Get adoption metrics",
        "description": "Counts active, new and returning members by day or week, source, team and dimension. At most 400 days or weeks. Only current members are counted."
      },
      {
        "name": "analytics",
        "id": "telemetry.analytics",
        "method": "GET",
        "path": "/v1/telemetry/analytics",
        "ids": [],
        "flags": [
          {
            "name": "measure",
            "member": "measure",
            "in": "query",
            "type": "enum",
            "values": [
              "events",
              "users",
              "tasksStarted",
              "tasksCompleted",
              "tasksFailed",
              "taskSuccessRate",
              "successRate",
              "durationSum",
              "durationAverage",
              "durationP50",
              "durationP95"
            ],
            "help": "What to measure. The percentiles `durationP50` (the median) and `durationP95` are accurate to within 4%. Default: `events`."
          },
          {
            "name": "group-by",
            "member": "groupBy",
            "in": "query",
            "type": "string",
            "help": "The field to group by: `type`, `source`, `team`, `member`, or `dimension:<type>`."
          },
          {
            "name": "interval",
            "member": "interval",
            "in": "query",
            "type": "enum",
            "values": [
              "day",
              "week"
            ],
            "help": "The length of each step. Weeks start on Monday. Default: `day`."
          },
          {
            "name": "from",
            "member": "from",
            "in": "query",
            "type": "string",
            "help": "First day in UTC, for example 2026-03-01"
          },
          {
            "name": "to",
            "member": "to",
            "in": "query",
            "type": "string",
            "help": "Last day in UTC"
          },
          {
            "name": "type",
            "member": "type",
            "in": "query",
            "type": "string",
            "help": "Only events of this type."
          },
          {
            "name": "source",
            "member": "source",
            "in": "query",
            "type": "enum",
            "values": [
              "app",
              "worker"
            ],
            "help": "Only events from this source."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only events of current members of this team."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "query",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "dimension-type",
            "member": "dimensionType",
            "in": "query",
            "type": "string",
            "help": "Only events with this dimension. Requires `dimensionValue`."
          },
          {
            "name": "dimension-value",
            "member": "dimensionValue",
            "in": "query",
            "type": "string",
            "help": "Only events with this value. Requires `dimensionType`."
          },
          {
            "name": "top",
            "member": "top",
            "in": "query",
            "type": "integer",
            "help": "Maximum number of groups, largest first. Default: 10."
          }
        ],
        "summary": "Get event analytics",
        "description": "Measures events by day or week, in total or by group, with filters. At most 400 days or weeks. Percentiles by team or member, and grouping by one dimension while filtering by another, are not supported (400)."
      }
    ]
  },
  {
    "name": "connectors",
    "id": "connectors",
    "section": "Content",
    "summary": "Repositories, the plugins found in them, and their syncs.",
    "operations": [
      {
        "name": "setup",
        "id": "connectors.setup",
        "method": "POST",
        "path": "/v1/connectors/codehost/setup",
        "ids": [],
        "flags": [
          {
            "name": "adapter",
            "member": "adapter",
            "in": "body",
            "type": "enum",
            "values": [
              "git",
              "rest"
            ],
            "help": "`git`: reads the repository from its clone URL. `rest`: uses the API of the code host through an app installation."
          },
          {
            "name": "clone-url",
            "member": "cloneUrl",
            "in": "body",
            "type": "string",
            "help": "Required for `git`: an https URL, or a path below a directory that the operator allows."
          },
          {
            "name": "repository-full-name",
            "member": "repositoryFullName",
            "in": "body",
            "type": "string",
            "help": "Required for `rest`: `owner/name`."
          },
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "in": "body",
            "type": "string",
            "help": "Required for `rest`. For `git`, must be the account for the host of `cloneUrl`, if set."
          },
          {
            "name": "branch",
            "member": "branch",
            "in": "body",
            "type": "string",
            "help": "The branch to connect. Default: the repository's default branch."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          }
        ],
        "json": [
          {
            "member": "credential",
            "help": "Stored encrypted, sent only to the origin of `cloneUrl`, and never returned."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Connect a branch of a repository",
        "description": "Creates a connector account if needed, a connector instance and a target. Reads the repository to check the URL, branch and credential immediately."
      },
      {
        "name": "list-instances",
        "id": "connectors.listInstances",
        "method": "GET",
        "path": "/v1/connector-instances",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          },
          {
            "name": "archived",
            "member": "archived",
            "in": "query",
            "type": "boolean",
            "help": "`true` includes archived instances. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List connector instances",
        "description": "Returns the instances that the caller can see."
      },
      {
        "name": "get-instance",
        "id": "connectors.getInstance",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "summary": "Get a connector instance"
      },
      {
        "name": "update-instance",
        "id": "connectors.updateInstance",
        "method": "PATCH",
        "path": "/v1/connector-instances/:connectorInstanceId",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "remote-id",
            "member": "remoteId",
            "in": "body",
            "type": "string",
            "help": "The repository: its id on the code host, or its clone URL for plain Git."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          }
        ],
        "json": [
          {
            "member": "config",
            "help": "A custom JSON object, returned as `instanceConfigJson`."
          }
        ],
        "body": true,
        "summary": "Update a connector instance",
        "description": "If `remoteId` changes, the next sync reads the new repository."
      },
      {
        "name": "enable",
        "id": "connectors.enable",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/enable",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Enable a connector instance",
        "description": "Activates the instance and queues a sync. Also restores an archived instance."
      },
      {
        "name": "disable",
        "id": "connectors.disable",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/disable",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Disable a connector instance",
        "description": "Imported content is kept. Pushes are ignored until the instance is enabled."
      },
      {
        "name": "remove",
        "id": "connectors.remove",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/remove",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Remove a connector instance",
        "description": "In one transaction, deletes the plugins, mappings and config objects that come only from this instance. Returns the number of deleted mappings and config objects."
      },
      {
        "name": "sync",
        "id": "connectors.sync",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/sync",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "query",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          }
        ],
        "idempotent": true,
        "summary": "Queue a sync of a connector instance",
        "description": "Imports the head of the branch. If a sync is already queued, returns it instead. If the branch was pinned by a rollback, the pin is removed and the branch head is imported."
      },
      {
        "name": "list-sync-events",
        "id": "connectors.listSyncEvents",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId/sync-events",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "queued",
              "running",
              "completed",
              "partial",
              "failed",
              "ignored",
              "review_required",
              "rejected"
            ],
            "help": "Only syncs with this status."
          }
        ],
        "pageMax": 100,
        "summary": "List the syncs of a connector instance"
      },
      {
        "name": "get-sync-event",
        "id": "connectors.getSyncEvent",
        "method": "GET",
        "path": "/v1/connector-sync-events/:connectorSyncEventId",
        "ids": [
          {
            "name": "connector-sync-event-id",
            "member": "connectorSyncEventId",
            "help": "The id of the connector sync event."
          }
        ],
        "flags": [],
        "summary": "Get a sync",
        "description": "Includes its counts and warnings."
      },
      {
        "name": "approve-sync",
        "id": "connectors.approveSync",
        "method": "POST",
        "path": "/v1/connector-sync-events/:connectorSyncEventId/approve",
        "ids": [
          {
            "name": "connector-sync-event-id",
            "member": "connectorSyncEventId",
            "help": "The id of the connector sync event."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Approve a sync",
        "description": "Queues a sync that is pending approval because it would remove more than 5 config objects and more than 30% of those on the branch. The approval applies to that revision only: if the branch has changed, its new head is checked again."
      },
      {
        "name": "reject-sync",
        "id": "connectors.rejectSync",
        "method": "POST",
        "path": "/v1/connector-sync-events/:connectorSyncEventId/reject",
        "ids": [
          {
            "name": "connector-sync-event-id",
            "member": "connectorSyncEventId",
            "help": "The id of the connector sync event."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Reject a sync",
        "description": "Rejects a sync that is pending approval. Nothing is imported until the branch changes."
      },
      {
        "name": "discovery",
        "id": "connectors.discovery",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId/discovery",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "query",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          }
        ],
        "summary": "Discover the plugins in a repository",
        "description": "Waits up to 30 seconds for the repository to be read. If that takes longer, returns 503 `discovery_in_progress` until it has been read."
      },
      {
        "name": "tree",
        "id": "connectors.tree",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId/discovery/tree",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "prefix",
            "member": "prefix",
            "in": "query",
            "type": "string",
            "help": "Only paths that start with this prefix."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "query",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          }
        ],
        "pageMax": 500,
        "summary": "List the repository tree used for discovery",
        "description": "Sorted by path. All pages show the same revision as the first page."
      },
      {
        "name": "apply",
        "id": "connectors.apply",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/discovery/apply",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "select",
            "member": "selectedKeys",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The keys of the plugins to import, as returned by `connectors.discovery`."
          },
          {
            "name": "auto-import-new-plugins",
            "member": "autoImportNewPlugins",
            "in": "body",
            "type": "boolean",
            "help": "Whether plugins that appear later are imported automatically. Imported plugins are kept up to date either way."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "body",
            "type": "string",
            "help": "The marketplace that lists the plugins. Default: the branch's existing marketplace, or a new one."
          },
          {
            "name": "share",
            "member": "share",
            "in": "body",
            "type": "enum",
            "values": [
              "private",
              "orgWide"
            ],
            "help": "`orgWide` shows the marketplace to every member; `private` only to members with a grant. Default: `private`."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          },
          {
            "name": "plan-digest",
            "member": "planDigest",
            "in": "body",
            "type": "string",
            "help": "The digest of a reviewed plan. If the import would now make different changes, the request fails and changes nothing."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Import the selected plugins",
        "description": "In one transaction, creates the plugins and mappings and, if needed, a marketplace. The plugins are kept up to date from then on. A sync imports the content; the request waits up to 20 seconds for the sync, or not at all if `wait` is `0`. With `planDigest`, the sync imports the planned revision."
      },
      {
        "name": "list-access",
        "id": "connectors.listAccess",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId/access",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the access grants of a connector instance",
        "description": "Includes direct, team and organization-wide grants."
      },
      {
        "name": "grant-access",
        "id": "connectors.grantAccess",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/access",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team to grant access to."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean",
            "help": "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "enum",
            "values": [
              "viewer",
              "editor",
              "manager"
            ],
            "required": true,
            "help": "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grant access to a connector instance",
        "description": "Returns 200 instead of 201 when the recipient already had a grant."
      },
      {
        "name": "revoke-access",
        "id": "connectors.revokeAccess",
        "method": "DELETE",
        "path": "/v1/connector-instances/:connectorInstanceId/access/:grantId",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "The id of the connector instance access grant."
          }
        ],
        "flags": [],
        "summary": "Revoke access to a connector instance",
        "description": "The revoked grant is kept as history."
      },
      {
        "name": "list-targets",
        "id": "connectors.listTargets",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId/targets",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the branches of a connector instance"
      },
      {
        "name": "get-target",
        "id": "connectors.getTarget",
        "method": "GET",
        "path": "/v1/connector-targets/:connectorTargetId",
        "ids": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "help": "The id of the connector target."
          }
        ],
        "flags": [],
        "summary": "Get a branch of a connector instance"
      },
      {
        "name": "list-mappings",
        "id": "connectors.listMappings",
        "method": "GET",
        "path": "/v1/connector-targets/:connectorTargetId/mappings",
        "ids": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "help": "The id of the connector target."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "mapping-kind",
            "member": "mappingKind",
            "in": "query",
            "type": "enum",
            "values": [
              "path",
              "api",
              "custom"
            ],
            "help": "Only mappings of this kind."
          },
          {
            "name": "object-type",
            "member": "objectType",
            "in": "query",
            "type": "enum",
            "values": [
              "skill",
              "agent",
              "command",
              "tool",
              "mcp",
              "hook",
              "context",
              "custom"
            ],
            "help": "Only mappings to config objects of this type."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only mappings that add config objects to this plugin."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the selector. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List the mappings of a branch"
      },
      {
        "name": "archive",
        "id": "connectors.archive",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/archive",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Archive a connector instance",
        "description": "Hides the instance from lists and ignores pushes. Imported content is kept, and the instance's name stays reserved. Enabling the instance restores it."
      },
      {
        "name": "configuration",
        "id": "connectors.configuration",
        "method": "GET",
        "path": "/v1/connector-instances/:connectorInstanceId/configuration",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "summary": "Get the configuration of a connector instance",
        "description": "Returns its branches, imported plugins, mappings, and the last sync of each branch."
      },
      {
        "name": "set-auto-import",
        "id": "connectors.setAutoImport",
        "method": "PUT",
        "path": "/v1/connector-instances/:connectorInstanceId/auto-import",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "enabled",
            "member": "enabled",
            "in": "body",
            "type": "boolean",
            "required": true,
            "help": "Whether new plugins are imported automatically."
          }
        ],
        "body": true,
        "summary": "Set whether new plugins are imported automatically",
        "description": "Takes effect on the next sync. Imported plugins are kept up to date either way."
      },
      {
        "name": "create-target",
        "id": "connectors.createTarget",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/targets",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "branch",
            "member": "branch",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The name of the branch."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Add a branch to a connector instance",
        "description": "At most 50 branches per instance. The repository is read once to check that the branch exists. Nothing is imported until an apply or a mapping selects content."
      },
      {
        "name": "update-target",
        "id": "connectors.updateTarget",
        "method": "PATCH",
        "path": "/v1/connector-targets/:connectorTargetId",
        "ids": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "help": "The id of the connector target."
          }
        ],
        "flags": [
          {
            "name": "branch",
            "member": "branch",
            "in": "body",
            "type": "string",
            "help": "The name of the branch."
          }
        ],
        "json": [
          {
            "member": "config",
            "help": "A custom JSON object, returned as `targetConfigJson`. It replaces the stored object."
          }
        ],
        "body": true,
        "summary": "Update a branch of a connector instance",
        "description": "Changes which branch the target imports, or the configuration of the target. A new branch is checked immediately and imported by the next sync."
      },
      {
        "name": "resync",
        "id": "connectors.resync",
        "method": "POST",
        "path": "/v1/connector-targets/:connectorTargetId/resync",
        "ids": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "help": "The id of the connector target."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Queue a full resync of a branch",
        "description": "Reads every file again, including unchanged files. No new version is created for unchanged content. If the branch was pinned by a rollback, the pin is removed and the branch head is imported."
      },
      {
        "name": "create-mapping",
        "id": "connectors.createMapping",
        "method": "POST",
        "path": "/v1/connector-targets/:connectorTargetId/mappings",
        "ids": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "help": "The id of the connector target."
          }
        ],
        "flags": [
          {
            "name": "selector",
            "member": "selector",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A file or folder in the repository, such as `skills/review`, or `.` for the whole repository."
          },
          {
            "name": "object-type",
            "member": "objectType",
            "in": "body",
            "type": "enum",
            "values": [
              "skill",
              "agent",
              "command",
              "tool",
              "mcp",
              "hook",
              "context",
              "custom"
            ],
            "required": true,
            "help": "The kind of a config object."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "body",
            "type": "string",
            "help": "The plugin that config objects from the mapping are added to."
          },
          {
            "name": "auto-add-to-plugin",
            "member": "autoAddToPlugin",
            "in": "body",
            "type": "boolean",
            "help": "Whether config objects from the mapping are added to the plugin. Default: `true` if `pluginId` is set."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a mapping",
        "description": "Maps a file or folder of a branch to config objects and queues a sync that imports it. At most 1,000 mappings per branch. Imports do not change the mapping. On a branch that is pinned by a rollback, the content is imported after the pin is removed, for example by a manual sync."
      },
      {
        "name": "update-mapping",
        "id": "connectors.updateMapping",
        "method": "PATCH",
        "path": "/v1/connector-mappings/:connectorMappingId",
        "ids": [
          {
            "name": "connector-mapping-id",
            "member": "connectorMappingId",
            "help": "The id of the connector mapping."
          }
        ],
        "flags": [
          {
            "name": "selector",
            "member": "selector",
            "in": "body",
            "type": "string",
            "help": "A file or folder in the repository, such as `skills/review`, or `.` for the whole repository."
          },
          {
            "name": "object-type",
            "member": "objectType",
            "in": "body",
            "type": "enum",
            "values": [
              "skill",
              "agent",
              "command",
              "tool",
              "mcp",
              "hook",
              "context",
              "custom"
            ],
            "help": "The kind of a config object."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "body",
            "type": "string",
            "help": "The plugin that config objects from the mapping are added to."
          },
          {
            "name": "auto-add-to-plugin",
            "member": "autoAddToPlugin",
            "in": "body",
            "type": "boolean",
            "help": "Whether config objects from the mapping are added to the plugin. `true` requires a plugin."
          }
        ],
        "body": true,
        "summary": "Update a manual mapping",
        "description": "A new plugin takes effect immediately; a new selector or type takes effect with the sync that is queued. Mappings created by an import cannot be changed (403 `managed_by_connector`)."
      },
      {
        "name": "delete-mapping",
        "id": "connectors.deleteMapping",
        "method": "DELETE",
        "path": "/v1/connector-mappings/:connectorMappingId",
        "ids": [
          {
            "name": "connector-mapping-id",
            "member": "connectorMappingId",
            "help": "The id of the connector mapping."
          }
        ],
        "flags": [],
        "summary": "Delete a manual mapping",
        "description": "Also immediately deletes the config objects that come only from this mapping."
      },
      {
        "name": "mapping-impact",
        "id": "connectors.mappingImpact",
        "method": "GET",
        "path": "/v1/connector-mappings/:connectorMappingId/impact",
        "ids": [
          {
            "name": "connector-mapping-id",
            "member": "connectorMappingId",
            "help": "The id of the connector mapping."
          }
        ],
        "flags": [],
        "summary": "Preview the impact of deleting a mapping",
        "description": "Lists the config objects that come only from the mapping and would be deleted with it. Makes no changes."
      },
      {
        "name": "plan",
        "id": "connectors.plan",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/discovery/plan",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "disabled-rules",
            "member": "disabledRules",
            "in": "query",
            "type": "string",
            "help": "Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none."
          },
          {
            "name": "select",
            "member": "selectedKeys",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The keys of the plugins to import, as returned by `connectors.discovery`."
          },
          {
            "name": "auto-import-new-plugins",
            "member": "autoImportNewPlugins",
            "in": "body",
            "type": "boolean",
            "help": "Whether plugins that appear later are imported automatically. Imported plugins are kept up to date either way."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "body",
            "type": "string",
            "help": "The marketplace that lists the plugins. Default: the branch's existing marketplace, or a new one."
          },
          {
            "name": "share",
            "member": "share",
            "in": "body",
            "type": "enum",
            "values": [
              "private",
              "orgWide"
            ],
            "help": "`orgWide` shows the marketplace to every member; `private` only to members with a grant. Default: `private`."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          }
        ],
        "body": true,
        "summary": "Preview the changes an apply would make",
        "description": "Takes the same request body as `apply` and makes no changes. Returns the plugins, mappings and objects to add, change and remove. Waits up to 30 seconds for the repository to be read. If that takes longer, returns 503 `discovery_in_progress` until it has been read. The changes are computed from file names and digests; the sync reports files that are not text. For each plugin with changes, `capabilities` lists the capabilities that would grow, change and shrink, computed from the contents of its files. No file is executed."
      },
      {
        "name": "retry-sync",
        "id": "connectors.retrySync",
        "method": "POST",
        "path": "/v1/connector-sync-events/:connectorSyncEventId/retry",
        "ids": [
          {
            "name": "connector-sync-event-id",
            "member": "connectorSyncEventId",
            "help": "The id of the connector sync event."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Retry a sync",
        "description": "Queues a new run of a sync that failed or skipped files. The new run imports the current branch head. If the failed run was a rollback, it restores the same revision."
      },
      {
        "name": "rollback",
        "id": "connectors.rollback",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/rollback",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "revision",
            "member": "revision",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A revision that was previously imported from this branch."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Roll back a branch to an earlier revision",
        "description": "Restores the content of the revision as new versions and pins the branch to it. Uses the stored versions, so it works even if the commit no longer exists. Grants that were revoked because their object was deleted are not restored. Pushes and reconciliation do not change the imported content until a manual sync, resync, retry or apply removes the pin."
      },
      {
        "name": "plan-rollback",
        "id": "connectors.planRollback",
        "method": "POST",
        "path": "/v1/connector-instances/:connectorInstanceId/rollback/plan",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "revision",
            "member": "revision",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A revision that was previously imported from this branch."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "The branch to use, if the instance has more than one. Default: the first branch."
          }
        ],
        "body": true,
        "summary": "Preview the changes a rollback would make",
        "description": "Takes the same request body as `rollback` and makes no changes. Lists the config objects and plugins to remove, restore, change and move. The repository is not read. If a sync is published after the preview, the rollback can make other changes."
      },
      {
        "name": "list-accounts",
        "id": "connectors.listAccounts",
        "method": "GET",
        "path": "/v1/connector-accounts",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name or the remote ID. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List connector accounts",
        "description": "Callers without the permission to connect repositories see only the accounts of instances that they can see."
      },
      {
        "name": "get-account",
        "id": "connectors.getAccount",
        "method": "GET",
        "path": "/v1/connector-accounts/:connectorAccountId",
        "ids": [
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "help": "The id of the connector account."
          }
        ],
        "flags": [],
        "summary": "Get a connector account"
      },
      {
        "name": "create-account",
        "id": "connectors.createAccount",
        "method": "POST",
        "path": "/v1/connector-accounts",
        "ids": [],
        "flags": [
          {
            "name": "url",
            "member": "url",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The origin of the host, such as `https://git.example`."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "The name of the account. Default: the host name."
          }
        ],
        "constants": {
          "adapter": "git"
        },
        "body": true,
        "idempotent": true,
        "summary": "Create a connector account for plain Git",
        "description": "To create an account that uses a code host's API, install the app on the code host."
      },
      {
        "name": "disconnect-account",
        "id": "connectors.disconnectAccount",
        "method": "POST",
        "path": "/v1/connector-accounts/:connectorAccountId/disconnect",
        "ids": [
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "help": "The id of the connector account."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Disconnect a connector account",
        "description": "The account must not be in use by any instance. Nothing changes on the code host; the app stays installed. An installation can then be connected to another organization."
      },
      {
        "name": "start-install",
        "id": "connectors.startInstall",
        "method": "POST",
        "path": "/v1/connectors/codehost/install/start",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Start installing the code host app",
        "description": "Not available to API keys. Open `url` in a browser. The code host redirects the browser back with `state`, `code` and `installation_id`. Pass them to `connectors.completeInstall` within ten minutes, in the same session."
      },
      {
        "name": "complete-install",
        "id": "connectors.completeInstall",
        "method": "POST",
        "path": "/v1/connectors/codehost/install/complete",
        "ids": [],
        "flags": [
          {
            "name": "state",
            "member": "state",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The `state` from the redirect."
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the code. `-` prompts on a terminal and reads stdin otherwise"
          },
          {
            "name": "installation-id",
            "member": "installationId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The `installation_id` from the redirect."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Finish installing the code host app",
        "description": "Creates a connector account for the installation; returns 200 instead of 201 when the organization already has it. On the code host, the caller must be an administrator of every repository in the installation. An installation belongs to one organization."
      },
      {
        "name": "list-repositories",
        "id": "connectors.listRepositories",
        "method": "GET",
        "path": "/v1/connector-accounts/:connectorAccountId/repositories",
        "ids": [
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "help": "The id of the connector account."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the repositories of a connector account",
        "description": "Returned in the code host's order. The `limit` of the first request applies to all pages."
      },
      {
        "name": "list-branches",
        "id": "connectors.listBranches",
        "method": "GET",
        "path": "/v1/connector-accounts/:connectorAccountId/branches",
        "ids": [
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "help": "The id of the connector account."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "remote-id",
            "member": "remoteId",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The repository's id on the code host."
          }
        ],
        "pageMax": 100,
        "summary": "List the branches of a repository",
        "description": "Returned in the code host's order. The `limit` of the first request applies to all pages."
      },
      {
        "name": "create-instance",
        "id": "connectors.createInstance",
        "method": "POST",
        "path": "/v1/connector-instances",
        "ids": [],
        "flags": [
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The account through which the repository is read."
          },
          {
            "name": "remote-id",
            "member": "remoteId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The repository: its id on the code host, or its clone URL for plain Git."
          },
          {
            "name": "branch",
            "member": "branch",
            "in": "body",
            "type": "string",
            "help": "The branch to connect. Default: the repository's default branch."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          }
        ],
        "json": [
          {
            "member": "config",
            "help": "A custom JSON object, returned as `instanceConfigJson`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a connector instance",
        "description": "Connects one branch of a repository through an existing account. Reads the repository to check the id and branch immediately."
      },
      {
        "name": "set-credential",
        "id": "connectors.setCredential",
        "method": "PUT",
        "path": "/v1/connector-instances/:connectorInstanceId/credential",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "username",
            "member": "username",
            "in": "body",
            "type": "string",
            "help": "The user name that is sent with the token. Default: `git`."
          },
          {
            "name": "token-file",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token. `-` prompts on a terminal and reads stdin otherwise"
          }
        ],
        "body": true,
        "summary": "Set the credential of a connector instance",
        "description": "Replaces the access token of a plain Git repository, for example before it expires. Reads the repository to check the new token immediately; if the host rejects it, the stored token is kept. The next sync uses the new token. Not available for instances that use the app of a code host."
      }
    ]
  },
  {
    "name": "plugins",
    "id": "plugins",
    "section": "Content",
    "summary": "Sets of config objects, imported from repositories or created through the API.",
    "operations": [
      {
        "name": "create",
        "id": "plugins.create",
        "method": "POST",
        "path": "/v1/plugins",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a plugin",
        "description": "The new plugin is empty and private."
      },
      {
        "name": "list",
        "id": "plugins.list",
        "method": "GET",
        "path": "/v1/plugins",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "query",
            "type": "string",
            "help": "Only plugins in this marketplace."
          },
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "in": "query",
            "type": "string",
            "help": "Only plugins that contain this config object. For plugins of which the caller reads only the served release, that release must also contain the config object."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          },
          {
            "name": "archived",
            "member": "archived",
            "in": "query",
            "type": "boolean",
            "help": "`true` includes archived plugins. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List plugins",
        "description": "Returns the plugins that the caller can see."
      },
      {
        "name": "get",
        "id": "plugins.get",
        "method": "GET",
        "path": "/v1/plugins/:pluginId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "summary": "Get a plugin"
      },
      {
        "name": "capabilities",
        "id": "plugins.capabilities",
        "method": "GET",
        "path": "/v1/plugins/:pluginId/capabilities",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "disabled-rules",
            "member": "disabledRules",
            "in": "query",
            "type": "string",
            "help": "Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none."
          }
        ],
        "summary": "Get the capabilities of a plugin",
        "description": "Returns what the plugin can do on a member's machine: hooks, servers, executables, tools, hosts and settings, computed from the files of its archive. Fields and files that orgplane does not recognize are included. Signals mark parts that a reviewer should read."
      },
      {
        "name": "list-objects",
        "id": "plugins.listObjects",
        "method": "GET",
        "path": "/v1/plugins/:pluginId/config-objects",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the config objects of a plugin",
        "description": "Includes the latest version of each config object."
      },
      {
        "name": "list-access",
        "id": "plugins.listAccess",
        "method": "GET",
        "path": "/v1/plugins/:pluginId/access",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the access grants of a plugin"
      },
      {
        "name": "grant-access",
        "id": "plugins.grantAccess",
        "method": "POST",
        "path": "/v1/plugins/:pluginId/access",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team to grant access to."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean",
            "help": "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "enum",
            "values": [
              "viewer",
              "editor",
              "manager"
            ],
            "required": true,
            "help": "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grant access to a plugin",
        "description": "The grant covers the contents of the plugin. Returns 200 instead of 201 when the recipient already had a grant."
      },
      {
        "name": "revoke-access",
        "id": "plugins.revokeAccess",
        "method": "DELETE",
        "path": "/v1/plugins/:pluginId/access/:grantId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "The id of the plugin access grant."
          }
        ],
        "flags": [],
        "summary": "Revoke access to a plugin",
        "description": "The revoked grant is kept as history."
      },
      {
        "name": "update",
        "id": "plugins.update",
        "method": "PATCH",
        "path": "/v1/plugins/:pluginId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "summary": "Update a plugin",
        "description": "Changes the name or description. Plugins managed by a connector cannot be updated."
      },
      {
        "name": "archive",
        "id": "plugins.archive",
        "method": "POST",
        "path": "/v1/plugins/:pluginId/archive",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Archive a plugin",
        "description": "Hides the plugin and its contents from lists and marketplaces. Its grants are kept."
      },
      {
        "name": "restore",
        "id": "plugins.restore",
        "method": "POST",
        "path": "/v1/plugins/:pluginId/restore",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Restore an archived plugin",
        "description": "The plugin appears in lists and in its marketplaces again."
      },
      {
        "name": "add-object",
        "id": "plugins.addObject",
        "method": "POST",
        "path": "/v1/plugins/:pluginId/config-objects",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "arguments": [
          {
            "name": "config-object-id",
            "member": "configObjectId"
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Add a config object to a plugin",
        "description": "Requires editor access to the plugin and manager access to the object, because everyone who can see the plugin can then see the object. Returns 200 instead of 201 when the object is already in the plugin."
      },
      {
        "name": "remove-object",
        "id": "plugins.removeObject",
        "method": "DELETE",
        "path": "/v1/plugins/:pluginId/config-objects/:configObjectId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          },
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [],
        "summary": "Remove a config object from a plugin",
        "description": "The config object itself is kept."
      },
      {
        "name": "download",
        "id": "plugins.download",
        "method": "GET",
        "path": "/v1/plugins/:pluginId/archive",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "format",
            "member": "format",
            "in": "query",
            "type": "enum",
            "values": [
              "zip",
              "tar.gz"
            ],
            "help": "The archive format. Default: `tar.gz`."
          }
        ],
        "streams": true,
        "summary": "Download a plugin as an archive",
        "description": "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
      },
      {
        "name": "download-linked",
        "id": "plugins.downloadLinked",
        "method": "GET",
        "path": "/v1/plugin-archives/:pluginId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "format",
            "member": "format",
            "in": "query",
            "type": "enum",
            "values": [
              "zip",
              "tar.gz"
            ],
            "help": "The archive format. Default: `tar.gz`."
          },
          {
            "name": "organization-id",
            "member": "organizationId",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The id of the organization."
          },
          {
            "name": "holder",
            "member": "holder",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The member or API key that received the link. The link is valid only while they can see the plugin."
          },
          {
            "name": "sha256",
            "member": "sha256",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The digest of the archive for which the link was created."
          },
          {
            "name": "expires",
            "member": "expires",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "When the link expires, as a Unix timestamp in seconds."
          },
          {
            "name": "signature",
            "member": "signature",
            "in": "query",
            "type": "string",
            "required": true
          }
        ],
        "streams": true,
        "public": true,
        "summary": "Download a plugin through a signed link",
        "description": "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
      }
    ]
  },
  {
    "name": "config-objects",
    "id": "configObjects",
    "section": "Content",
    "summary": "Versioned skills, agents, commands, hooks and other content, and access to them.",
    "operations": [
      {
        "name": "create",
        "id": "configObjects.create",
        "method": "POST",
        "path": "/v1/config-objects",
        "ids": [],
        "flags": [
          {
            "name": "type",
            "member": "type",
            "in": "body",
            "type": "enum",
            "values": [
              "skill",
              "agent",
              "command",
              "tool",
              "mcp",
              "hook",
              "context",
              "custom"
            ],
            "required": true,
            "help": "The kind of a config object.",
            "nested": true
          },
          {
            "name": "source-mode",
            "member": "sourceMode",
            "in": "body",
            "type": "enum",
            "values": [
              "cloud",
              "import",
              "connector"
            ],
            "help": "Where the content comes from. Default: `cloud`. `connector` is not allowed, because only a sync creates such objects.",
            "nested": true
          },
          {
            "name": "source",
            "member": "rawSourceText",
            "in": "body",
            "type": "string",
            "file": true,
            "help": "File with the source text, such as a SKILL.md",
            "nested": true
          },
          {
            "name": "parser-mode",
            "member": "parserMode",
            "in": "body",
            "type": "string",
            "nested": true
          },
          {
            "name": "schema-version",
            "member": "schemaVersion",
            "in": "body",
            "type": "string",
            "nested": true
          },
          {
            "name": "plugin-id",
            "member": "pluginIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Plugins to add the config object to."
          }
        ],
        "json": [
          {
            "member": "normalizedPayloadJson",
            "nested": true
          },
          {
            "member": "metadata",
            "nested": true,
            "help": "`title`, `description`, `fileName` and `relativePath` are used; other fields are not stored."
          }
        ],
        "flatten": "input",
        "body": true,
        "idempotent": true,
        "summary": "Create a config object",
        "description": "The new config object is private. A skill must begin with SKILL.md front matter: a `name` of at most 64 lowercase letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise, returns 400 with one detail per problem, each with the `code` `invalid_skill_front_matter`."
      },
      {
        "name": "list",
        "id": "configObjects.list",
        "method": "GET",
        "path": "/v1/config-objects",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "type",
            "member": "type",
            "in": "query",
            "type": "enum",
            "values": [
              "skill",
              "agent",
              "command",
              "tool",
              "mcp",
              "hook",
              "context",
              "custom"
            ],
            "help": "Only config objects of this type."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only config objects in this plugin."
          },
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "in": "query",
            "type": "string",
            "help": "Only config objects imported through this connector instance."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the title. Case-insensitive."
          },
          {
            "name": "archived",
            "member": "archived",
            "in": "query",
            "type": "boolean",
            "help": "`true` includes archived config objects. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List config objects",
        "description": "Returns the config objects that the caller can see."
      },
      {
        "name": "get",
        "id": "configObjects.get",
        "method": "GET",
        "path": "/v1/config-objects/:configObjectId",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [],
        "summary": "Get a config object",
        "description": "Includes its latest version."
      },
      {
        "name": "list-versions",
        "id": "configObjects.listVersions",
        "method": "GET",
        "path": "/v1/config-objects/:configObjectId/versions",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the versions of a config object",
        "description": "Newest first."
      },
      {
        "name": "get-version",
        "id": "configObjects.getVersion",
        "method": "GET",
        "path": "/v1/config-objects/:configObjectId/versions/:versionId",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "The id of the config object version."
          }
        ],
        "flags": [],
        "summary": "Get a version of a config object"
      },
      {
        "name": "list-access",
        "id": "configObjects.listAccess",
        "method": "GET",
        "path": "/v1/config-objects/:configObjectId/access",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the access grants of a config object",
        "description": "Includes direct, team and organization-wide grants."
      },
      {
        "name": "grant-access",
        "id": "configObjects.grantAccess",
        "method": "POST",
        "path": "/v1/config-objects/:configObjectId/access",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team to grant access to."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean",
            "help": "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "enum",
            "values": [
              "viewer",
              "editor",
              "manager"
            ],
            "required": true,
            "help": "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grant access to a config object",
        "description": "Returns 200 instead of 201 when the recipient already had a grant."
      },
      {
        "name": "revoke-access",
        "id": "configObjects.revokeAccess",
        "method": "DELETE",
        "path": "/v1/config-objects/:configObjectId/access/:grantId",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "The id of the config object access grant."
          }
        ],
        "flags": [],
        "summary": "Revoke access to a config object",
        "description": "The revoked grant is kept as history."
      },
      {
        "name": "archive",
        "id": "configObjects.archive",
        "method": "POST",
        "path": "/v1/config-objects/:configObjectId/archive",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Archive a config object",
        "description": "Hides the config object from lists and plugins. Its versions and grants are kept."
      },
      {
        "name": "restore",
        "id": "configObjects.restore",
        "method": "POST",
        "path": "/v1/config-objects/:configObjectId/restore",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Restore an archived config object",
        "description": "The config object appears in lists and in its plugins again."
      },
      {
        "name": "remove",
        "id": "configObjects.remove",
        "method": "DELETE",
        "path": "/v1/config-objects/:configObjectId",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [],
        "summary": "Remove a config object",
        "description": "Removes the config object from every plugin and list, and revokes its grants."
      },
      {
        "name": "create-version",
        "id": "configObjects.createVersion",
        "method": "POST",
        "path": "/v1/config-objects/:configObjectId/versions",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "flags": [
          {
            "name": "source",
            "member": "rawSourceText",
            "in": "body",
            "type": "string",
            "file": true,
            "help": "File with the source text, such as a SKILL.md",
            "nested": true
          },
          {
            "name": "parser-mode",
            "member": "parserMode",
            "in": "body",
            "type": "string",
            "nested": true
          },
          {
            "name": "schema-version",
            "member": "schemaVersion",
            "in": "body",
            "type": "string",
            "nested": true
          }
        ],
        "json": [
          {
            "member": "normalizedPayloadJson",
            "nested": true
          },
          {
            "member": "metadata",
            "nested": true,
            "help": "`title`, `description`, `fileName` and `relativePath` are used; other fields are not stored."
          }
        ],
        "flatten": "input",
        "body": true,
        "idempotent": true,
        "summary": "Create a version of a config object",
        "description": "Returns 200 and creates no version when the content is the same as in the latest version. A skill must begin with SKILL.md front matter: a `name` of at most 64 lowercase letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise, returns 400 with one detail per problem, each with the `code` `invalid_skill_front_matter`."
      },
      {
        "name": "restore-version",
        "id": "configObjects.restoreVersion",
        "method": "POST",
        "path": "/v1/config-objects/:configObjectId/versions/:versionId/restore",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "The id of the config object version."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Restore an earlier version of a config object",
        "description": "Creates a new version with the content of the earlier one. Returns 200 and creates no version when the latest version has the same content."
      },
      {
        "name": "diff-versions",
        "id": "configObjects.diffVersions",
        "method": "GET",
        "path": "/v1/config-objects/:configObjectId/versions/:versionId/diff",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "The id of the config object version."
          }
        ],
        "flags": [
          {
            "name": "against",
            "member": "against",
            "in": "query",
            "type": "string",
            "help": "The version to compare with. Default: the previous version."
          },
          {
            "name": "disabled-rules",
            "member": "disabledRules",
            "in": "query",
            "type": "string",
            "help": "Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none."
          }
        ],
        "summary": "Compare two versions of a config object",
        "description": "Compares the text, the payload and the capabilities."
      },
      {
        "name": "attach-plugin",
        "id": "configObjects.attachPlugin",
        "method": "POST",
        "path": "/v1/config-objects/:configObjectId/plugins",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          }
        ],
        "arguments": [
          {
            "name": "plugin-id",
            "member": "pluginId"
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Add a config object to a plugin",
        "description": "Requires manager access to the config object and editor access to the plugin, because everyone who can see the plugin can then see the object. Returns 200 instead of 201 when the object is already in the plugin."
      },
      {
        "name": "detach-plugin",
        "id": "configObjects.detachPlugin",
        "method": "DELETE",
        "path": "/v1/config-objects/:configObjectId/plugins/:pluginId",
        "ids": [
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "The id of the config object."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "summary": "Remove a config object from a plugin",
        "description": "Requires manager access to the config object."
      }
    ]
  },
  {
    "name": "marketplaces",
    "id": "marketplaces",
    "section": "Content",
    "summary": "Collections of plugins, access to them, and the setup that each plugin still requires.",
    "operations": [
      {
        "name": "list",
        "id": "marketplaces.list",
        "method": "GET",
        "path": "/v1/marketplaces",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          },
          {
            "name": "archived",
            "member": "archived",
            "in": "query",
            "type": "boolean",
            "help": "`true` includes archived marketplaces. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List marketplaces",
        "description": "Returns the marketplaces that the caller can see."
      },
      {
        "name": "get",
        "id": "marketplaces.get",
        "method": "GET",
        "path": "/v1/marketplaces/:marketplaceId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [],
        "summary": "Get a marketplace"
      },
      {
        "name": "list-plugins",
        "id": "marketplaces.listPlugins",
        "method": "GET",
        "path": "/v1/marketplaces/:marketplaceId/plugins",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the plugins of a marketplace"
      },
      {
        "name": "resolved",
        "id": "marketplaces.resolved",
        "method": "GET",
        "path": "/v1/marketplaces/:marketplaceId/resolved",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [],
        "summary": "Get a marketplace with its plugins",
        "description": "Includes the repository that the marketplace was imported from, and the setup that each plugin still requires."
      },
      {
        "name": "list-access",
        "id": "marketplaces.listAccess",
        "method": "GET",
        "path": "/v1/marketplaces/:marketplaceId/access",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the access grants of a marketplace"
      },
      {
        "name": "grant-access",
        "id": "marketplaces.grantAccess",
        "method": "POST",
        "path": "/v1/marketplaces/:marketplaceId/access",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team to grant access to."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean",
            "help": "Grants access to every member of the organization. Exactly one of `orgMembershipId`, `teamId` and `orgWide` is required."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "enum",
            "values": [
              "viewer",
              "editor",
              "manager"
            ],
            "required": true,
            "help": "`viewer`: can read. `editor`: can also change the content. `manager`: can also manage grants and remove the object."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grant access to a marketplace",
        "description": "The grant covers everything in the marketplace. Returns 200 instead of 201 when the recipient already had a grant."
      },
      {
        "name": "revoke-access",
        "id": "marketplaces.revokeAccess",
        "method": "DELETE",
        "path": "/v1/marketplaces/:marketplaceId/access/:grantId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "The id of the marketplace access grant."
          }
        ],
        "flags": [],
        "summary": "Revoke access to a marketplace",
        "description": "The revoked grant is kept as history."
      },
      {
        "name": "create",
        "id": "marketplaces.create",
        "method": "POST",
        "path": "/v1/marketplaces",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          },
          {
            "name": "logo-url",
            "member": "logoUrl",
            "in": "body",
            "type": "string",
            "help": "The https URL of an image."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a marketplace",
        "description": "The new marketplace is empty and private."
      },
      {
        "name": "update",
        "id": "marketplaces.update",
        "method": "PATCH",
        "path": "/v1/marketplaces/:marketplaceId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          },
          {
            "name": "logo-url",
            "member": "logoUrl",
            "in": "body",
            "type": "string",
            "help": "The https URL of an image."
          }
        ],
        "body": true,
        "summary": "Update a marketplace",
        "description": "Changes the name, description or logo. If a connector created the marketplace, its name and description come from the repository and cannot be changed (403 `managed_by_connector`)."
      },
      {
        "name": "archive",
        "id": "marketplaces.archive",
        "method": "POST",
        "path": "/v1/marketplaces/:marketplaceId/archive",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Archive a marketplace",
        "description": "Hides the marketplace from lists; its plugins are not visible through it. Its plugins and grants are kept."
      },
      {
        "name": "restore",
        "id": "marketplaces.restore",
        "method": "POST",
        "path": "/v1/marketplaces/:marketplaceId/restore",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Restore an archived marketplace",
        "description": "Makes the marketplace visible again to everyone it is shared with."
      },
      {
        "name": "add-plugin",
        "id": "marketplaces.addPlugin",
        "method": "POST",
        "path": "/v1/marketplaces/:marketplaceId/plugins",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "arguments": [
          {
            "name": "plugin-id",
            "member": "pluginId"
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Add a plugin to a marketplace",
        "description": "Requires editor access to the marketplace and manager access to the plugin, because everyone who can see the marketplace can then see the plugin. Returns 200 instead of 201 when the plugin is already in the marketplace."
      },
      {
        "name": "remove-plugin",
        "id": "marketplaces.removePlugin",
        "method": "DELETE",
        "path": "/v1/marketplaces/:marketplaceId/plugins/:pluginId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "summary": "Remove a plugin from a marketplace",
        "description": "The plugin itself is kept."
      },
      {
        "name": "manifest",
        "id": "marketplaces.manifest",
        "method": "GET",
        "path": "/v1/marketplaces/:marketplaceId/marketplace.json",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "format",
            "member": "format",
            "in": "query",
            "type": "enum",
            "values": [
              "zip",
              "tar.gz"
            ],
            "help": "The format of the linked archives. Default: `zip`."
          }
        ],
        "summary": "Get the marketplace manifest (`marketplace.json`) for Claude Code",
        "description": "Each plugin has a link to its archive. The links require no credential, are valid for 55 to 60 minutes, and stop working when the caller can no longer see the plugin or its content changes. Plugins for which no archive file can be created are omitted. If many archives must be created first, the response is 503 with `Retry-After`; the next request continues where this one stopped."
      },
      {
        "name": "create-link",
        "id": "marketplaces.createLink",
        "method": "POST",
        "path": "/v1/marketplaces/:marketplaceId/links",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A label for the link, such as the device that uses it."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "The team whose access the link uses. Only managers of the marketplace can set it. Default: your own access."
          },
          {
            "name": "expires-at",
            "member": "expiresAt",
            "in": "body",
            "type": "string",
            "help": "When the link expires: a date-time in the future, with an offset or `Z`. Default: never."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a marketplace link",
        "description": "The link gives an agent read access to the marketplace. Anyone with the link can read the marketplace and its plugins with your access, or with a team's; access is checked on each request. Only managers of the marketplace can create a link for a team. A link is valid until it expires or is revoked, or until its creator leaves the organization. API keys cannot create links."
      },
      {
        "name": "list-links",
        "id": "marketplaces.listLinks",
        "method": "GET",
        "path": "/v1/marketplaces/:marketplaceId/links",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the links of a marketplace",
        "description": "Managers of the marketplace see all links; other members see their own. Revoked and expired links are included."
      },
      {
        "name": "revoke-link",
        "id": "marketplaces.revokeLink",
        "method": "DELETE",
        "path": "/v1/marketplaces/:marketplaceId/links/:linkId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          },
          {
            "name": "link-id",
            "member": "linkId",
            "help": "The id of the marketplace link."
          }
        ],
        "flags": [],
        "summary": "Revoke a marketplace link",
        "description": "You can revoke your own links; managers of the marketplace can revoke any link."
      },
      {
        "name": "manifest-linked",
        "id": "marketplaces.manifestLinked",
        "method": "GET",
        "path": "/v1/marketplace-links/:token/marketplace.json",
        "ids": [
          {
            "name": "token",
            "member": "token",
            "help": "The token of a marketplace link."
          }
        ],
        "flags": [],
        "public": true,
        "summary": "Get a marketplace through a marketplace link",
        "description": "Requires no credential. Returns the plugins that the link's member or team can see now. Plugins are zip archives; their URLs contain the same token and are valid for as long as the link is."
      },
      {
        "name": "download-linked",
        "id": "marketplaces.downloadLinked",
        "method": "GET",
        "path": "/v1/marketplace-links/:token/plugins/:pluginId",
        "ids": [
          {
            "name": "token",
            "member": "token",
            "help": "The token of a marketplace link."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "streams": true,
        "public": true,
        "summary": "Download a plugin through a marketplace link",
        "description": "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
      }
    ]
  },
  {
    "name": "approvals",
    "id": "approvals",
    "section": "Content",
    "summary": "Plugin releases that are pending approval, and their decisions. Agents and members receive the served release of a plugin until a newer one is approved.",
    "operations": [
      {
        "name": "list",
        "id": "approvals.list",
        "method": "GET",
        "path": "/v1/approvals",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the plugin's name in the release. Case-insensitive."
          },
          {
            "name": "state",
            "member": "state",
            "in": "query",
            "type": "enum",
            "values": [
              "pending",
              "approved",
              "rejected",
              "superseded",
              "all"
            ],
            "help": "Only releases with this state. `all` returns releases in every state. Default: `pending`."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only releases of this plugin."
          }
        ],
        "pageMax": 100,
        "summary": "List the releases of plugins",
        "description": "Returns pending releases by default, from all plugins of the organization, newest first. With `state=all`, returns the history: all releases with their decisions."
      },
      {
        "name": "get",
        "id": "approvals.get",
        "method": "GET",
        "path": "/v1/approvals/:releaseId",
        "ids": [
          {
            "name": "release-id",
            "member": "releaseId",
            "help": "The id of the plugin release."
          }
        ],
        "flags": [],
        "summary": "Get a release of a plugin",
        "description": "Includes how its capabilities differ from the release that was served when it was created, and how its name, its description, its config objects and its files differ from the release that is served now."
      },
      {
        "name": "capabilities",
        "id": "approvals.capabilities",
        "method": "GET",
        "path": "/v1/approvals/:releaseId/capabilities",
        "ids": [
          {
            "name": "release-id",
            "member": "releaseId",
            "help": "The id of the plugin release."
          }
        ],
        "flags": [
          {
            "name": "disabled-rules",
            "member": "disabledRules",
            "in": "query",
            "type": "string",
            "help": "Signal rules to turn off, separated by commas. Rules: `secret_in_file`, `invisible_unicode`, `bidirectional_control`, `encoded_shell`, `download_to_shell`, `look_alike_name`, `changed_host`, `hidden_instructions`. Default: none."
          }
        ],
        "summary": "Get the capabilities of a release",
        "description": "Returns everything that the release can do on a member's machine, and not only the changes. Available for releases whose files are stored: the latest release of a plugin, the served release, and releases that an assignment pins. For other releases, the response is 404 `plugin_archive_not_found`."
      },
      {
        "name": "approve",
        "id": "approvals.approve",
        "method": "POST",
        "path": "/v1/approvals/approve",
        "ids": [],
        "flags": [
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string"
          },
          {
            "name": "starts-at",
            "member": "startsAt",
            "in": "body",
            "type": "string",
            "help": "When the releases are delivered: each release starts a rollout at this time, at most 366 days from now. If several members must approve, the time of the last approval counts. Default: at once."
          }
        ],
        "json": [
          {
            "member": "releases",
            "required": true,
            "help": "At most 100 releases. If one of them cannot be decided, the request changes nothing."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Approve releases of plugins",
        "description": "An approved release starts a rollout. Without rings, all members get it at once, or when the current freeze ends. The first release of a plugin is served at once, without a rollout. If more approvals are required, the release stays pending. Each digest must be that of the release that you reviewed."
      },
      {
        "name": "reject",
        "id": "approvals.reject",
        "method": "POST",
        "path": "/v1/approvals/reject",
        "ids": [],
        "flags": [
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The reason for the rejection, for the maintainers of the plugin."
          }
        ],
        "json": [
          {
            "member": "releases",
            "required": true,
            "help": "At most 100 releases. If one of them cannot be decided, the request changes nothing."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Reject releases of plugins",
        "description": "The served release does not change. A rejected release can still be approved until the plugin changes again."
      },
      {
        "name": "get-settings",
        "id": "approvals.getSettings",
        "method": "GET",
        "path": "/v1/approval-settings",
        "ids": [],
        "flags": [],
        "summary": "Get the approval settings of the organization"
      },
      {
        "name": "update-settings",
        "id": "approvals.updateSettings",
        "method": "PATCH",
        "path": "/v1/approval-settings",
        "ids": [],
        "flags": [
          {
            "name": "delivery-mode",
            "member": "deliveryMode",
            "in": "body",
            "type": "enum",
            "values": [
              "auto",
              "hold_growth",
              "hold_all"
            ],
            "help": "`auto`: every change is served at once. `hold_growth`: a release with new or changed capabilities is held for approval; other releases are approved automatically. `hold_all`: every release is held for approval."
          },
          {
            "name": "four-eyes",
            "member": "fourEyes",
            "in": "body",
            "type": "boolean"
          }
        ],
        "body": true,
        "summary": "Update the approval settings of the organization",
        "description": "The strictest delivery mode of the organization, the connector instance and the marketplaces of a plugin applies. If the mode of a plugin was `auto` and becomes stricter, its current content counts as approved. If the mode becomes `auto`, its pending release is approved and served."
      },
      {
        "name": "get-instance-mode",
        "id": "approvals.getInstanceMode",
        "method": "GET",
        "path": "/v1/approval-settings/connector-instances/:connectorInstanceId",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [],
        "summary": "Get the delivery mode of a connector instance"
      },
      {
        "name": "set-instance-mode",
        "id": "approvals.setInstanceMode",
        "method": "PUT",
        "path": "/v1/approval-settings/connector-instances/:connectorInstanceId",
        "ids": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "help": "The id of the connector instance."
          }
        ],
        "flags": [
          {
            "name": "delivery-mode",
            "member": "deliveryMode",
            "in": "body",
            "type": "enum",
            "values": [
              "auto",
              "hold_growth",
              "hold_all"
            ],
            "required": true,
            "help": "`auto`: every change is served at once. `hold_growth`: a release with new or changed capabilities is held for approval; other releases are approved automatically. `hold_all`: every release is held for approval."
          }
        ],
        "body": true,
        "summary": "Set the delivery mode of a connector instance",
        "description": "Applies to all plugins from the instance. Default of a new instance: `hold_growth`."
      },
      {
        "name": "get-marketplace-mode",
        "id": "approvals.getMarketplaceMode",
        "method": "GET",
        "path": "/v1/approval-settings/marketplaces/:marketplaceId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [],
        "summary": "Get the delivery mode of a marketplace"
      },
      {
        "name": "set-marketplace-mode",
        "id": "approvals.setMarketplaceMode",
        "method": "PUT",
        "path": "/v1/approval-settings/marketplaces/:marketplaceId",
        "ids": [
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "help": "The id of the marketplace."
          }
        ],
        "flags": [
          {
            "name": "delivery-mode",
            "member": "deliveryMode",
            "in": "body",
            "type": "enum",
            "values": [
              "auto",
              "hold_growth",
              "hold_all"
            ],
            "required": true,
            "help": "`auto`: every change is served at once. `hold_growth`: a release with new or changed capabilities is held for approval; other releases are approved automatically. `hold_all`: every release is held for approval."
          }
        ],
        "body": true,
        "summary": "Set the delivery mode of a marketplace",
        "description": "Applies to all plugins in the marketplace, and to plugins that are added later. A plugin that is added without an approved release is held for approval. Default: `auto`."
      }
    ]
  },
  {
    "name": "assignments",
    "id": "assignments",
    "section": "Content",
    "summary": "Plugins and marketplaces that are required, on by default, available or blocked for members, teams or the whole organization.",
    "operations": [
      {
        "name": "create",
        "id": "assignments.create",
        "method": "POST",
        "path": "/v1/assignments",
        "ids": [],
        "flags": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "body",
            "type": "string",
            "help": "The plugin to assign."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "body",
            "type": "string",
            "help": "The marketplace to assign: all its plugins, including those that are added later."
          },
          {
            "name": "mode",
            "member": "mode",
            "in": "body",
            "type": "enum",
            "values": [
              "required",
              "default_on",
              "available",
              "blocked"
            ],
            "required": true,
            "help": "`required`: the plugin is on, and members cannot turn it off. `default_on`: it is on, and members may turn it off. `available`: it is off, and members may turn it on. `blocked`: members cannot use it."
          },
          {
            "name": "priority",
            "member": "priority",
            "in": "body",
            "type": "integer",
            "help": "The assignment with the highest priority wins. Default: 0."
          },
          {
            "name": "pinned-digest",
            "member": "pinnedDigest",
            "in": "body",
            "type": "string",
            "help": "The digest of an approved release of the plugin. The files of the release must still be stored: orgplane keeps those of the served release and of pinned releases. Default: null, the latest approved release."
          },
          {
            "name": "member",
            "member": "memberIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "ID or email address of a member."
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The teams whose members it applies to."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Assign a plugin or a marketplace",
        "description": "The assignment applies to the specified members and teams, or to the whole organization if none are specified. It takes effect immediately. It does not grant access: members without a grant on the plugin do not receive it. Duplicate ids are ignored."
      },
      {
        "name": "list",
        "id": "assignments.list",
        "method": "GET",
        "path": "/v1/assignments",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name of the plugin or marketplace. Case-insensitive. Finds only names that the caller can read."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only assignments of this plugin, without those of its marketplaces."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "query",
            "type": "string",
            "help": "Only assignments of this marketplace."
          },
          {
            "name": "mode",
            "member": "mode",
            "in": "query",
            "type": "enum",
            "values": [
              "required",
              "default_on",
              "available",
              "blocked"
            ],
            "help": "`required`: the plugin is on, and members cannot turn it off. `default_on`: it is on, and members may turn it off. `available`: it is off, and members may turn it on. `blocked`: members cannot use it."
          }
        ],
        "pageMax": 100,
        "summary": "List assignments",
        "description": "Includes assignments of removed plugins and marketplaces until these are deleted permanently. They apply again if a sync restores the plugin."
      },
      {
        "name": "simulate",
        "id": "assignments.simulate",
        "method": "POST",
        "path": "/v1/assignments/simulate",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "create",
            "help": "Create an assignment."
          },
          {
            "member": "patch",
            "help": "Update one assignment."
          },
          {
            "member": "delete",
            "help": "Remove one assignment."
          }
        ],
        "body": true,
        "summary": "Preview the effects of an assignment change",
        "description": "Returns the plugins whose mode or pinned digest would change for each member, regardless of the member's access. Makes no changes. Returns the same errors as the change itself would."
      },
      {
        "name": "effective",
        "id": "assignments.effective",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId/assignments",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only this plugin."
          },
          {
            "name": "explain",
            "member": "explain",
            "in": "query",
            "type": "boolean",
            "help": "If `true`, the response explains which assignment won for each plugin and why the others lost. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List the effective assignments of a member",
        "description": "Returns the plugins that an assignment names for the member or that the member has turned on or off. All other plugins are `available`. With `explain`, also returns the assignments that determine each mode."
      },
      {
        "name": "own",
        "id": "assignments.own",
        "method": "GET",
        "path": "/v1/me/assignments",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only this plugin."
          },
          {
            "name": "explain",
            "member": "explain",
            "in": "query",
            "type": "boolean",
            "help": "If `true`, the response explains which assignment won for each plugin and why the others lost. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List the caller's effective assignments",
        "description": "Returns the plugins that an assignment names for the caller or that the caller has turned on or off, if the caller can see them. All other plugins are `available`."
      },
      {
        "name": "set-choice",
        "id": "assignments.setChoice",
        "method": "PUT",
        "path": "/v1/me/plugin-choices/:pluginId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [
          {
            "name": "enabled",
            "member": "enabled",
            "in": "body",
            "type": "boolean",
            "required": true,
            "help": "Whether the plugin is on."
          }
        ],
        "body": true,
        "summary": "Turn a plugin on or off",
        "description": "Applies to the caller only. Possible if the mode of the plugin is `default_on` or `available`. orgplane keeps the choice if the mode changes later."
      },
      {
        "name": "reset-choice",
        "id": "assignments.resetChoice",
        "method": "DELETE",
        "path": "/v1/me/plugin-choices/:pluginId",
        "ids": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "summary": "Reset a plugin to its assigned state",
        "description": "Deletes the caller's choice. The plugin is then on if its mode is `default_on`, and off if it is `available`."
      },
      {
        "name": "get",
        "id": "assignments.get",
        "method": "GET",
        "path": "/v1/assignments/:assignmentId",
        "ids": [
          {
            "name": "assignment-id",
            "member": "assignmentId",
            "help": "The id of the assignment."
          }
        ],
        "flags": [],
        "summary": "Get an assignment"
      },
      {
        "name": "update",
        "id": "assignments.update",
        "method": "PATCH",
        "path": "/v1/assignments/:assignmentId",
        "ids": [
          {
            "name": "assignment-id",
            "member": "assignmentId",
            "help": "The id of the assignment."
          }
        ],
        "flags": [
          {
            "name": "mode",
            "member": "mode",
            "in": "body",
            "type": "enum",
            "values": [
              "required",
              "default_on",
              "available",
              "blocked"
            ],
            "help": "`required`: the plugin is on, and members cannot turn it off. `default_on`: it is on, and members may turn it off. `available`: it is off, and members may turn it on. `blocked`: members cannot use it."
          },
          {
            "name": "priority",
            "member": "priority",
            "in": "body",
            "type": "integer",
            "help": "The assignment with the highest priority wins."
          },
          {
            "name": "pinned-digest",
            "member": "pinnedDigest",
            "in": "body",
            "type": "string",
            "help": "The digest of an approved release of the plugin. The files of the release must still be stored: orgplane keeps those of the served release and of pinned releases. Null for the latest approved release."
          },
          {
            "name": "member",
            "member": "memberIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "ID or email address of a member."
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Replaces all teams."
          }
        ],
        "body": true,
        "summary": "Update an assignment",
        "description": "`memberIds` and `teamIds` replace the previous values. To assign another plugin or marketplace, create another assignment."
      },
      {
        "name": "remove",
        "id": "assignments.remove",
        "method": "DELETE",
        "path": "/v1/assignments/:assignmentId",
        "ids": [
          {
            "name": "assignment-id",
            "member": "assignmentId",
            "help": "The id of the assignment."
          }
        ],
        "flags": [],
        "summary": "Remove an assignment",
        "description": "Takes effect immediately."
      }
    ]
  },
  {
    "name": "desired-state",
    "id": "desiredState",
    "section": "Content",
    "summary": "Everything that a device of a member, or a worker, should have installed and configured.",
    "operations": [
      {
        "name": "get",
        "id": "desiredState.get",
        "method": "GET",
        "path": "/v1/me/desired-state",
        "ids": [],
        "flags": [],
        "summary": "Get the caller's desired state",
        "description": "Returns the policy, plugins, marketplaces, MCP connections and models of the calling member. A worker gets the state of the member who created it. Poll with `If-None-Match`: the response is 304 until the state changes or is renewed. The body is canonical JSON (RFC 8785), and `ETag` is its SHA-256 in hex. `x-desired-state-signature` is the base64 Ed25519 signature of the text `orgplane desired state`, the organization's id, the id of the worker or member, the revision and the hex digest, each followed by a line feed; `x-desired-state-key-id` identifies the key in `GET /v1/keys`. API keys are not allowed."
      },
      {
        "name": "get-member",
        "id": "desiredState.getMember",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId/desired-state",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [],
        "summary": "Get the desired state of a member",
        "description": "Returns what the devices of the member should have, and why, without signature, archive links and settings of LLM providers. Objects that the caller cannot see are left out. Does not change the revision of the member's state."
      }
    ]
  },
  {
    "name": "delivery",
    "id": "delivery",
    "section": "Content",
    "summary": "Compare the plugins installed on members' devices with their desired states.",
    "operations": [
      {
        "name": "report",
        "id": "delivery.report",
        "method": "POST",
        "path": "/v1/delivery/reports",
        "ids": [],
        "flags": [
          {
            "name": "device-id",
            "member": "deviceId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The id of the device: 16-64 letters, digits, hyphens or underscores. The device generates it at random when it reports for the first time, and keeps it. It does not identify the hardware."
          },
          {
            "name": "sequence",
            "member": "sequence",
            "in": "body",
            "type": "integer",
            "required": true,
            "help": "Must increase with each report of the device. A report whose sequence is not higher than the last accepted one is ignored, so reports can be retried and can arrive in any order."
          },
          {
            "name": "agent",
            "member": "agent",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The agent whose plugins are reported, such as `claude-code`."
          },
          {
            "name": "client-version",
            "member": "clientVersion",
            "in": "body",
            "type": "string",
            "help": "The version of the program that reports. Default: null."
          },
          {
            "name": "platform",
            "member": "platform",
            "in": "body",
            "type": "enum",
            "values": [
              "linux",
              "macos",
              "windows",
              "other"
            ],
            "required": true
          },
          {
            "name": "revision",
            "member": "revision",
            "in": "body",
            "type": "integer",
            "required": true,
            "help": "The revision of the desired state that the device has applied. Null before the first one."
          },
          {
            "name": "failure",
            "member": "failure",
            "in": "body",
            "type": "enum",
            "values": [
              "download",
              "integrity",
              "content",
              "storage",
              "settings",
              "other"
            ],
            "help": "Why the desired state could not be applied at all. Default: null (it was applied)."
          },
          {
            "name": "removed",
            "member": "removed",
            "in": "body",
            "type": "boolean",
            "help": "Whether the plugins were removed from the device permanently. If true, the device is deleted; only its sequence is kept. Default: `false`."
          }
        ],
        "json": [
          {
            "member": "plugins",
            "required": true,
            "help": "All plugins that are installed or failed, at most 2000. They replace those of the last report."
          }
        ],
        "body": true,
        "summary": "Report the plugins of a device",
        "description": "Each report contains the complete state of the device and replaces the previous one. Safe to retry: a repeated report is ignored. The device belongs to the member whose credential is used; for a worker, to the member who created it. A member has at most 50 devices: an additional device replaces the one that has not reported for the longest time. API keys are not allowed."
      },
      {
        "name": "status",
        "id": "delivery.status",
        "method": "GET",
        "path": "/v1/delivery/status",
        "ids": [],
        "flags": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only installations of this plugin."
          },
          {
            "name": "digest",
            "member": "digest",
            "in": "query",
            "type": "string",
            "help": "Only installations that should have this release."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only members of this team."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "query",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          }
        ],
        "summary": "Get the delivery status of plugins",
        "description": "Compares the last report of each device with the latest desired state that was issued for its member or worker. `devices` and `memberCount` are not filtered by `pluginId` and `digest`. Devices that have never reported are not counted."
      },
      {
        "name": "list-teams",
        "id": "delivery.listTeams",
        "method": "GET",
        "path": "/v1/delivery/teams",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only installations of this plugin."
          },
          {
            "name": "digest",
            "member": "digest",
            "in": "query",
            "type": "string",
            "help": "Only installations that should have this release."
          }
        ],
        "pageMax": 100,
        "summary": "List the delivery status of teams",
        "description": "A member of several teams is counted in each of them. Teams without devices are included."
      },
      {
        "name": "list-members",
        "id": "delivery.listMembers",
        "method": "GET",
        "path": "/v1/delivery/members",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only installations of this plugin."
          },
          {
            "name": "digest",
            "member": "digest",
            "in": "query",
            "type": "string",
            "help": "Only installations that should have this release."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only members of this team."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "query",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "state",
            "member": "state",
            "in": "query",
            "type": "enum",
            "values": [
              "running",
              "behind",
              "missing",
              "failed",
              "offline"
            ],
            "help": "Only members with an installation in this state."
          }
        ],
        "pageMax": 100,
        "summary": "List the delivery status of members",
        "description": "Returns members with at least one device. With `pluginId`, `digest` or `state`, returns only those with an installation that matches these filters. Unwanted installations do not match."
      },
      {
        "name": "list-devices",
        "id": "delivery.listDevices",
        "method": "GET",
        "path": "/v1/delivery/devices",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only installations of this plugin."
          },
          {
            "name": "digest",
            "member": "digest",
            "in": "query",
            "type": "string",
            "help": "Only installations that should have this release."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only members of this team."
          },
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "query",
            "type": "string",
            "help": "ID or email address of the member.",
            "former": "org-membership-id"
          },
          {
            "name": "state",
            "member": "state",
            "in": "query",
            "type": "enum",
            "values": [
              "running",
              "behind",
              "missing",
              "failed",
              "offline"
            ],
            "help": "Only devices with an installation in this state."
          },
          {
            "name": "failure",
            "member": "failure",
            "in": "query",
            "type": "enum",
            "values": [
              "download",
              "integrity",
              "content",
              "storage",
              "settings",
              "other"
            ],
            "help": "Only devices with an installation that failed for this reason."
          },
          {
            "name": "agent",
            "member": "agent",
            "in": "query",
            "type": "string",
            "help": "Only devices with this agent."
          },
          {
            "name": "platform",
            "member": "platform",
            "in": "query",
            "type": "enum",
            "values": [
              "linux",
              "macos",
              "windows",
              "other"
            ]
          }
        ],
        "pageMax": 100,
        "summary": "List devices",
        "description": "With `pluginId`, `digest`, `state` or `failure`, returns only devices with an installation that matches these filters. Unwanted installations do not match."
      },
      {
        "name": "get-device",
        "id": "delivery.getDevice",
        "method": "GET",
        "path": "/v1/delivery/members/:orgMembershipId/devices/:deviceId",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          },
          {
            "name": "device-id",
            "member": "deviceId",
            "help": "The id of the device: 16-64 letters, digits, hyphens or underscores. The device generates it at random when it reports for the first time, and keeps it. It does not identify the hardware."
          }
        ],
        "flags": [],
        "summary": "Get a device",
        "description": "Includes the state of each plugin."
      },
      {
        "name": "remove-device",
        "id": "delivery.removeDevice",
        "method": "DELETE",
        "path": "/v1/delivery/members/:orgMembershipId/devices/:deviceId",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          },
          {
            "name": "device-id",
            "member": "deviceId",
            "help": "The id of the device: 16-64 letters, digits, hyphens or underscores. The device generates it at random when it reports for the first time, and keeps it. It does not identify the hardware."
          }
        ],
        "flags": [],
        "summary": "Remove a device",
        "description": "Deletes the last report of the device. Makes no changes on the device itself. If the device reports again with a higher sequence, it is listed again."
      },
      {
        "name": "history",
        "id": "delivery.history",
        "method": "GET",
        "path": "/v1/delivery/history",
        "ids": [],
        "flags": [
          {
            "name": "from",
            "member": "from",
            "in": "query",
            "type": "string",
            "help": "The first UTC date, such as 2026-03-01. Default: 29 days before --to."
          },
          {
            "name": "to",
            "member": "to",
            "in": "query",
            "type": "string",
            "help": "The last UTC date, inclusive. Default: today."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only installations of this plugin."
          },
          {
            "name": "digest",
            "member": "digest",
            "in": "query",
            "type": "string",
            "help": "Only installations that should have this release."
          }
        ],
        "summary": "Get the delivery status of past days",
        "description": "Returns the recorded days in the range, at most 400 days. Without `pluginId`, all plugins are counted. Separate records exist for at most 500 plugins per day: those with the most installations that are not running."
      },
      {
        "name": "usage",
        "id": "delivery.usage",
        "method": "GET",
        "path": "/v1/delivery/usage",
        "ids": [],
        "flags": [
          {
            "name": "from",
            "member": "from",
            "in": "query",
            "type": "string",
            "help": "The first UTC date, such as 2026-03-01. Default: 29 days before --to."
          },
          {
            "name": "to",
            "member": "to",
            "in": "query",
            "type": "string",
            "help": "The last UTC date, inclusive. Default: today."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only installations of this plugin."
          }
        ],
        "summary": "Get the usage of plugins and their releases",
        "description": "Counts telemetry events with the dimensions `plugin` (the plugin id), `plugin_release` (the digest of the release) and `config_object` (the id of a config object). Also returns installed plugins without events, and config objects with the same content in several installed plugins."
      }
    ]
  },
  {
    "name": "rollouts",
    "id": "rollouts",
    "section": "Content",
    "summary": "Deliver approved releases ring by ring, and pause a rollout if its release fails more often than the previous one.",
    "operations": [
      {
        "name": "list",
        "id": "rollouts.list",
        "method": "GET",
        "path": "/v1/rollouts",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the plugin's name in the release. Case-insensitive."
          },
          {
            "name": "state",
            "member": "state",
            "in": "query",
            "type": "enum",
            "values": [
              "scheduled",
              "active",
              "paused",
              "completed",
              "rolled_back",
              "superseded",
              "cancelled"
            ],
            "help": "`scheduled`: no ring has started yet. `active`: at least one ring has the release. `paused`: rings that have the release keep it, and no further ring starts. `completed`: all members receive it, except members with a pinned release. `rolled_back`: all members receive the previous release again. `superseded`: another release of the plugin was rolled out or served. `cancelled`: the release was withdrawn, no release of the plugin is served, the plugin was removed, or its delivery mode became `auto`."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Only rollouts of this plugin."
          }
        ],
        "pageMax": 100,
        "summary": "List rollouts"
      },
      {
        "name": "create",
        "id": "rollouts.create",
        "method": "POST",
        "path": "/v1/rollouts",
        "ids": [],
        "flags": [
          {
            "name": "release-id",
            "member": "releaseId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "An approved release whose files are stored."
          },
          {
            "name": "starts-at",
            "member": "startsAt",
            "in": "body",
            "type": "string",
            "help": "When the first ring starts, at most 366 days from now. Default: as soon as no freeze applies."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Start a rollout of an approved release",
        "description": "Use this for a release that was rolled back, or for an earlier release whose files are stored. Approved releases start their rollout automatically. The open rollout of the plugin becomes `superseded`. Without `startsAt`, the first ring starts at once, or when the current freeze ends. Without rings, all members get the release at that time. If no release is served and `startsAt` is not set, all members get the release at once, even during a freeze."
      },
      {
        "name": "get-settings",
        "id": "rollouts.getSettings",
        "method": "GET",
        "path": "/v1/rollout-settings",
        "ids": [],
        "flags": [],
        "summary": "Get the rollout settings of the organization"
      },
      {
        "name": "update-settings",
        "id": "rollouts.updateSettings",
        "method": "PATCH",
        "path": "/v1/rollout-settings",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "rings",
            "help": "The rings in their order, at most 10. If empty, all members get an approved release at once, or when the freeze that applies ends. Default: empty."
          },
          {
            "member": "thresholds"
          },
          {
            "member": "freezes",
            "help": "Times in which no rollout starts, and no further ring starts automatically, at most 50. `start`, `promote` and `release` are possible during a freeze. Default: empty."
          }
        ],
        "body": true,
        "summary": "Update the rollout settings of the organization",
        "description": "Fields that are absent keep their value. Open rollouts keep the rings that they were created with; thresholds and freezes apply to them at once. Removed teams and members in a ring are ignored."
      },
      {
        "name": "preview",
        "id": "rollouts.preview",
        "method": "POST",
        "path": "/v1/rollouts/preview",
        "ids": [],
        "flags": [
          {
            "name": "release-id",
            "member": "releaseId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The id of the plugin release."
          }
        ],
        "json": [
          {
            "member": "rings",
            "help": "Default: the rings of the organization."
          }
        ],
        "body": true,
        "summary": "Preview a rollout",
        "description": "Returns how many members and devices each ring would reach, and when. Makes no changes."
      },
      {
        "name": "withdraw",
        "id": "rollouts.withdraw",
        "method": "POST",
        "path": "/v1/rollouts/withdraw",
        "ids": [],
        "flags": [
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The id of the plugin."
          },
          {
            "name": "digest",
            "member": "digest",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The reason, for the maintainers of the plugin."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Withdraw a release",
        "description": "Removes all releases with the digest from the desired states of all members at once, including pinned ones: their pins are removed. Rollouts of these releases are canceled. If one of them was served, the latest earlier approved release that was served to all members and whose files are stored is served instead. If there is none, members do not receive the plugin, and all rollouts of the plugin are canceled. The digest is not served again until an approver approves it."
      },
      {
        "name": "explain",
        "id": "rollouts.explain",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId/plugins/:pluginId/delivery",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "The id of the plugin."
          }
        ],
        "flags": [],
        "summary": "Explain which release of a plugin a member receives",
        "description": "Also returns the newer release, if there is one, why the member does not receive it yet, and when the member receives it."
      },
      {
        "name": "get",
        "id": "rollouts.get",
        "method": "GET",
        "path": "/v1/rollouts/:rolloutId",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [],
        "summary": "Get a rollout",
        "description": "Includes its rings, its steps, and the comparisons that can pause it."
      },
      {
        "name": "start",
        "id": "rollouts.start",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/start",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Start a scheduled rollout now",
        "description": "Starts the first ring, even during a freeze."
      },
      {
        "name": "schedule",
        "id": "rollouts.schedule",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/schedule",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [
          {
            "name": "starts-at",
            "member": "startsAt",
            "in": "body",
            "type": "string",
            "required": true,
            "time": "future",
            "help": "ISO 8601 time, or duration from now: 2h. To start as soon as no freeze applies, use --input with {\"startsAt\":null}"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Schedule the start of a rollout",
        "description": "Possible before the first ring starts. If a freeze applies at this time, the rollout starts when the freeze ends."
      },
      {
        "name": "promote",
        "id": "rollouts.promote",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/promote",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [
          {
            "name": "ring",
            "member": "ring",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The current `ring` of the rollout. If another member has promoted it since, the request fails, so two simultaneous requests start only one ring."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Start the next ring of a rollout now",
        "description": "Skips the rest of the soak time, and is possible during a freeze. After the last ring, all members get the release, and the rollout is completed."
      },
      {
        "name": "pause",
        "id": "rollouts.pause",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/pause",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Pause a rollout",
        "description": "Rings that have the release keep it. No further ring starts. The rollout stays paused until it is resumed, released, rolled back, superseded or canceled. If it was paused automatically, `pauseReason` becomes `manual`. If it is already paused manually, a different comment replaces the earlier one; otherwise, the request makes no changes."
      },
      {
        "name": "resume",
        "id": "rollouts.resume",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/resume",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Resume a paused rollout",
        "description": "The soak time of the current ring starts again. Earlier results no longer count; later results can pause the rollout again."
      },
      {
        "name": "roll-back",
        "id": "rollouts.rollBack",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/roll-back",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The reason. It is shown in the rollout."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Roll back a rollout",
        "description": "All members get the release that was served before the rollout. Also possible after it was completed, until a newer rollout of the plugin starts."
      },
      {
        "name": "release",
        "id": "rollouts.release",
        "method": "POST",
        "path": "/v1/rollouts/:rolloutId/release",
        "ids": [
          {
            "name": "rollout-id",
            "member": "rolloutId",
            "help": "The id of the rollout."
          }
        ],
        "flags": [
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The reason. It is shown in the rollout."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Release to all members now",
        "description": "For emergencies: skips all rings, soak times, freezes and a pause. Owners and admins with a verified email address get an email (at most 50), and the rollout shows the comment."
      }
    ]
  },
  {
    "name": "templates",
    "id": "templates",
    "section": "Content",
    "summary": "Versioned blueprints for plugins and their config objects. Create plugins from them.",
    "operations": [
      {
        "name": "create",
        "id": "templates.create",
        "method": "POST",
        "path": "/v1/templates",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Must be unique in the organization."
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "json": [
          {
            "member": "content",
            "required": true,
            "help": "The plugin, its config objects and the variables."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a template",
        "description": "A placeholder `{{ name }}` is replaced by the value of a declared variable; `{{{{` is replaced by `{{`. Placeholders can be used in text content, in string values of `normalizedPayloadJson` and `metadata`, and in the plugin's name and description, but not in field names. In JSON, a placeholder must be inside a string; in front matter and YAML, inside a value. Values are escaped or quoted, so they are always inserted as text and cannot change the structure. Any other use of `{{` is rejected."
      },
      {
        "name": "list",
        "id": "templates.list",
        "method": "GET",
        "path": "/v1/templates",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List templates"
      },
      {
        "name": "get",
        "id": "templates.get",
        "method": "GET",
        "path": "/v1/templates/:templateId",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [],
        "summary": "Get a template",
        "description": "Includes its latest version."
      },
      {
        "name": "update",
        "id": "templates.update",
        "method": "PATCH",
        "path": "/v1/templates/:templateId",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization."
          },
          {
            "name": "description",
            "member": "description",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "summary": "Update a template",
        "description": "Changes the name or description. To change the content, create a version."
      },
      {
        "name": "remove",
        "id": "templates.remove",
        "method": "DELETE",
        "path": "/v1/templates/:templateId",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [],
        "summary": "Remove a template",
        "description": "Also removes its versions. Plugins created from it are kept."
      },
      {
        "name": "list-versions",
        "id": "templates.listVersions",
        "method": "GET",
        "path": "/v1/templates/:templateId/versions",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the versions of a template",
        "description": "Newest first, without their content."
      },
      {
        "name": "get-version",
        "id": "templates.getVersion",
        "method": "GET",
        "path": "/v1/templates/:templateId/versions/:versionId",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "The id of the template version."
          }
        ],
        "flags": [],
        "summary": "Get a version of a template",
        "description": "Includes its content."
      },
      {
        "name": "create-version",
        "id": "templates.createVersion",
        "method": "POST",
        "path": "/v1/templates/:templateId/versions",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [],
        "json": [
          {
            "member": "content",
            "required": true,
            "help": "The complete new content. Fields that are omitted are not part of the new version."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a version of a template",
        "description": "Returns 200 and creates no version when the content is the same as in the latest version. A placeholder `{{ name }}` is replaced by the value of a declared variable; `{{{{` is replaced by `{{`. Placeholders can be used in text content, in string values of `normalizedPayloadJson` and `metadata`, and in the plugin's name and description, but not in field names. In JSON, a placeholder must be inside a string; in front matter and YAML, inside a value. Values are escaped or quoted, so they are always inserted as text and cannot change the structure. Any other use of `{{` is rejected."
      },
      {
        "name": "restore-version",
        "id": "templates.restoreVersion",
        "method": "POST",
        "path": "/v1/templates/:templateId/versions/:versionId/restore",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "The id of the template version."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Restore an earlier version of a template",
        "description": "Creates a new version with the content of the earlier one. Returns 200 and creates no version when the latest version has the same content."
      },
      {
        "name": "diff-versions",
        "id": "templates.diffVersions",
        "method": "GET",
        "path": "/v1/templates/:templateId/versions/:versionId/diff",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "The id of the template version."
          }
        ],
        "flags": [
          {
            "name": "against",
            "member": "against",
            "in": "query",
            "type": "string",
            "help": "The version to compare with. Default: the previous version."
          }
        ],
        "summary": "Compare two versions of a template"
      },
      {
        "name": "preview",
        "id": "templates.preview",
        "method": "POST",
        "path": "/v1/templates/:templateId/preview",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [
          {
            "name": "version-id",
            "member": "versionId",
            "in": "body",
            "type": "string",
            "help": "The version to use. Default: the latest version."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "The name of the plugin. Default: the name from the template."
          },
          {
            "name": "var",
            "member": "variables",
            "in": "body",
            "type": "string",
            "many": true,
            "pairs": true,
            "help": "Value of a variable, as name=value"
          }
        ],
        "body": true,
        "summary": "Preview a plugin from a template",
        "description": "Returns the plugin that `templates.instantiate` would create with these values, or the same validation errors. Makes no changes."
      },
      {
        "name": "instantiate",
        "id": "templates.instantiate",
        "method": "POST",
        "path": "/v1/templates/:templateId/instantiate",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [
          {
            "name": "version-id",
            "member": "versionId",
            "in": "body",
            "type": "string",
            "help": "The version to use. Default: the latest version."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "The name of the plugin. Default: the name from the template."
          },
          {
            "name": "var",
            "member": "variables",
            "in": "body",
            "type": "string",
            "many": true,
            "pairs": true,
            "help": "Value of a variable, as name=value"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a plugin from a template",
        "description": "Creates a private plugin with its config objects in one transaction. The caller becomes their manager. They are kept when the template changes or is removed."
      },
      {
        "name": "list-instances",
        "id": "templates.listInstances",
        "method": "GET",
        "path": "/v1/templates/:templateId/instances",
        "ids": [
          {
            "name": "template-id",
            "member": "templateId",
            "help": "The id of the template."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the plugins created from a template",
        "description": "Returns the plugins that the caller can see."
      }
    ]
  },
  {
    "name": "webhooks",
    "id": "webhooks",
    "section": "Content",
    "summary": "Signed deliveries from the code host, and their results.",
    "operations": [
      {
        "name": "list-deliveries",
        "id": "webhooks.listDeliveries",
        "method": "GET",
        "path": "/v1/webhook-deliveries",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "event",
            "member": "event",
            "in": "query",
            "type": "enum",
            "values": [
              "push",
              "create",
              "delete",
              "installation",
              "installation_repositories",
              "repository",
              "ping"
            ],
            "help": "Only deliveries of this event."
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "accepted",
              "ignored"
            ],
            "help": "Only deliveries with this status."
          }
        ],
        "pageMax": 100,
        "summary": "List webhook deliveries",
        "description": "Returns the deliveries of the last 30 days that concern the organization."
      },
      {
        "name": "get-delivery",
        "id": "webhooks.getDelivery",
        "method": "GET",
        "path": "/v1/webhook-deliveries/:webhookDeliveryId",
        "ids": [
          {
            "name": "webhook-delivery-id",
            "member": "webhookDeliveryId",
            "help": "The id of the webhook delivery."
          }
        ],
        "flags": [],
        "summary": "Get a webhook delivery"
      },
      {
        "name": "redeliver",
        "id": "webhooks.redeliver",
        "method": "POST",
        "path": "/v1/webhook-deliveries/:webhookDeliveryId/redeliver",
        "ids": [
          {
            "name": "webhook-delivery-id",
            "member": "webhookDeliveryId",
            "help": "The id of the webhook delivery."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Process a webhook delivery again",
        "description": "Uses the stored fields of the delivery."
      }
    ]
  },
  {
    "name": "sso",
    "id": "sso",
    "section": "Enterprise",
    "summary": "Single sign-on through the organization's identity provider.",
    "operations": [
      {
        "name": "get",
        "id": "sso.get",
        "method": "GET",
        "path": "/v1/sso",
        "ids": [],
        "flags": [],
        "summary": "Get the SSO connection"
      },
      {
        "name": "service-provider",
        "id": "sso.serviceProvider",
        "method": "GET",
        "path": "/v1/sso/service-provider",
        "ids": [],
        "flags": [],
        "summary": "Get the values to configure in the identity provider",
        "description": "Available before a connection exists. The values belong to the organization: they stay the same when the connection is changed or recreated."
      },
      {
        "name": "remove",
        "id": "sso.remove",
        "method": "DELETE",
        "path": "/v1/sso",
        "ids": [],
        "flags": [],
        "summary": "Remove the SSO connection",
        "description": "Ends the sessions of everyone who signed in through it."
      },
      {
        "name": "put-oidc",
        "id": "sso.putOidc",
        "method": "PUT",
        "path": "/v1/sso/oidc",
        "ids": [],
        "flags": [
          {
            "name": "issuer",
            "member": "issuer",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The issuer, `https://…`. The discovery document is fetched during this request."
          },
          {
            "name": "client-id",
            "member": "clientId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The client id from the identity provider."
          },
          {
            "name": "client-secret-file",
            "member": "clientSecret",
            "in": "body",
            "type": "string",
            "file": "line",
            "help": "File with the client secret. `-` prompts on a terminal and reads stdin otherwise"
          },
          {
            "name": "scope",
            "member": "scopes",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The scopes to request. Default: `openid email profile`."
          }
        ],
        "json": [
          {
            "member": "jit",
            "help": "JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings."
          }
        ],
        "body": true,
        "summary": "Set an OpenID Connect connection",
        "description": "After a change, SSO is disabled until the connection is tested and enabled again. Changing only the secret, scopes or JIT settings does not disable it. Changing the provider ends all sessions that were created through the previous provider, except the one making this request."
      },
      {
        "name": "put-saml",
        "id": "sso.putSaml",
        "method": "PUT",
        "path": "/v1/sso/saml",
        "ids": [],
        "flags": [
          {
            "name": "metadata",
            "member": "metadata",
            "in": "body",
            "type": "string",
            "file": true,
            "help": "XML file with the identity provider's metadata"
          },
          {
            "name": "idp-entity-id",
            "member": "idpEntityId",
            "in": "body",
            "type": "string",
            "help": "The entity id of the identity provider. Required without `metadata`."
          },
          {
            "name": "sso-url",
            "member": "ssoUrl",
            "in": "body",
            "type": "string",
            "help": "The sign-in URL of the identity provider (HTTP-Redirect binding). Required without `metadata`."
          },
          {
            "name": "certificate",
            "member": "certificates",
            "in": "body",
            "type": "string",
            "many": true,
            "file": true,
            "help": "PEM file with a certificate"
          }
        ],
        "json": [
          {
            "member": "attributes",
            "help": "The SAML attributes that contain the email address and the name. Default: common names such as `email`, `mail`, `displayName` and their URN and claim URI forms."
          },
          {
            "member": "jit",
            "help": "JIT provisioning: whether users with an email address in a verified domain become members on first sign-in, and their role. If omitted, keeps the current settings."
          }
        ],
        "body": true,
        "summary": "Set a SAML 2.0 connection",
        "description": "After a change, SSO is disabled until the connection is tested and enabled again. Changing only certificates, attributes or JIT settings does not disable it, so you can rotate a certificate without interrupting sign-in. While SSO is enabled, only an owner can change certificates and attributes; while it is disabled, changing them clears the last test. Changing the provider ends all sessions that were created through the previous provider, except the one making this request."
      },
      {
        "name": "test",
        "id": "sso.test",
        "method": "POST",
        "path": "/v1/sso/test",
        "ids": [],
        "flags": [
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Test the SSO connection",
        "description": "Starts a sign-in that creates no session. `lastTest` contains the result. Not available to API keys."
      },
      {
        "name": "enable",
        "id": "sso.enable",
        "method": "POST",
        "path": "/v1/sso/enable",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Enable the SSO connection",
        "description": "The connection must have been tested successfully. Only owners can enable it, because the identity provider then authenticates every member, including owners."
      },
      {
        "name": "disable",
        "id": "sso.disable",
        "method": "POST",
        "path": "/v1/sso/disable",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Disable the SSO connection",
        "description": "Members can no longer sign in through it, and it is no longer enforced. Existing sessions continue."
      },
      {
        "name": "enforce",
        "id": "sso.enforce",
        "method": "POST",
        "path": "/v1/sso/enforce",
        "ids": [],
        "flags": [
          {
            "name": "break-glass",
            "member": "breakGlass",
            "in": "body",
            "type": "string",
            "many": true,
            "required": true,
            "help": "Owners who can still sign in with an email code when the identity provider is unavailable."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Enforce single sign-on",
        "description": "Members who signed in another way are rejected, except the owners in `breakGlass`. Sessions created by an API key or the host application are not affected, and API keys continue to work."
      },
      {
        "name": "start",
        "id": "sso.start",
        "method": "POST",
        "path": "/v1/sso/sign-in",
        "ids": [],
        "flags": [
          {
            "name": "email",
            "member": "email",
            "in": "body",
            "type": "string",
            "help": "An email address whose domain identifies the organization."
          },
          {
            "name": "organization-id",
            "member": "organizationId",
            "in": "body",
            "type": "string",
            "help": "The organization to sign in to. Exactly one of `email` and `organizationId` is required."
          },
          {
            "name": "code-challenge",
            "member": "codeChallenge",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The SHA-256 of the code verifier, in base64url. Only the caller with the verifier receives the session."
          },
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Start a sign-in through an organization's identity provider",
        "description": "The sign-in must be completed within ten minutes."
      },
      {
        "name": "complete",
        "id": "sso.complete",
        "method": "POST",
        "path": "/v1/sso/sign-in/complete",
        "ids": [],
        "flags": [
          {
            "name": "state",
            "member": "state",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The `state` that `sso.start` returned."
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "The code that the callback returned to the browser. Valid for two minutes. Can be used once."
          },
          {
            "name": "code-verifier",
            "member": "codeVerifier",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "The code verifier whose SHA-256 was sent to `sso.start` as `codeChallenge`."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Complete a sign-in through an organization's identity provider",
        "description": "Returns a session that is valid for that organization only. If the code is incorrect, already used or expired, returns 400 with a detail for `body.code`."
      },
      {
        "name": "saml-metadata",
        "id": "sso.samlMetadata",
        "method": "GET",
        "path": "/v1/sso/saml/:organizationId/metadata",
        "ids": [
          {
            "name": "organization-id",
            "member": "organizationId",
            "help": "The id of the organization."
          }
        ],
        "flags": [],
        "public": true,
        "summary": "Get the SAML metadata of an organization",
        "description": "Returns XML. The response is the same whether or not the organization exists."
      }
    ]
  },
  {
    "name": "sso domains",
    "id": "ssoDomains",
    "section": "Enterprise",
    "summary": "Email domains and their verification.",
    "operations": [
      {
        "name": "create",
        "id": "ssoDomains.create",
        "method": "POST",
        "path": "/v1/sso/domains",
        "ids": [],
        "arguments": [
          {
            "name": "domain",
            "member": "domain",
            "help": "Domain name, such as acme.com"
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Add a domain",
        "description": "Returns the TXT record that verifies the domain. Limit: 50 domains per organization. Several organizations can add the same domain; it belongs to the first one that verifies it. Subdomains are separate domains."
      },
      {
        "name": "list",
        "id": "ssoDomains.list",
        "method": "GET",
        "path": "/v1/sso/domains",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List domains"
      },
      {
        "name": "get",
        "id": "ssoDomains.get",
        "method": "GET",
        "path": "/v1/sso/domains/:domainId",
        "ids": [
          {
            "name": "domain-id",
            "member": "domainId",
            "help": "The id of the domain."
          }
        ],
        "flags": [],
        "summary": "Get a domain"
      },
      {
        "name": "remove",
        "id": "ssoDomains.remove",
        "method": "DELETE",
        "path": "/v1/sso/domains/:domainId",
        "ids": [
          {
            "name": "domain-id",
            "member": "domainId",
            "help": "The id of the domain."
          }
        ],
        "flags": [],
        "summary": "Remove a domain",
        "description": "New users with email addresses in it can no longer sign in through SSO or be provisioned. Existing members are kept."
      },
      {
        "name": "verify",
        "id": "ssoDomains.verify",
        "method": "POST",
        "path": "/v1/sso/verify-domain",
        "ids": [],
        "flags": [],
        "summary": "Verify all unverified domains",
        "description": "Checks the TXT records of all domains that are not verified. Returns 204 if all of them are verified or there are none to verify. Otherwise returns 400 with one detail per failed domain, with the `code` of the failure and the `path` `[\"domains\", \"<domain>\"]`. The other domains are marked as verified. Returns `organization_not_found` if the organization has neither domains nor an SSO connection. Takes up to 15 seconds. Limit: 10 requests per minute per organization."
      }
    ]
  },
  {
    "name": "scim",
    "id": "scim",
    "section": "Enterprise",
    "summary": "Directories that provision users and groups, the log of their requests, and holds: sets of deactivations that must be approved or rejected.",
    "operations": [
      {
        "name": "directories create",
        "id": "scim.createDirectory",
        "method": "POST",
        "path": "/v1/scim/directories",
        "ids": [],
        "flags": [
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A label for the directory."
          },
          {
            "name": "provider",
            "member": "provider",
            "in": "body",
            "type": "enum",
            "values": [
              "okta",
              "entra",
              "google",
              "other"
            ],
            "help": "A label. It does not change how requests are handled."
          },
          {
            "name": "token-expires",
            "member": "tokenExpiresAt",
            "in": "body",
            "type": "string",
            "time": "future",
            "help": "When the token expires: ISO 8601 time, or duration from now such as 365d. Default: never"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a SCIM directory",
        "description": "Returns the token for the identity provider once. Limit: 10 directories per organization."
      },
      {
        "name": "directories list",
        "id": "scim.listDirectories",
        "method": "GET",
        "path": "/v1/scim/directories",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List SCIM directories"
      },
      {
        "name": "directories get",
        "id": "scim.getDirectory",
        "method": "GET",
        "path": "/v1/scim/directories/:scimDirectoryId",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [],
        "summary": "Get a SCIM directory"
      },
      {
        "name": "directories remove",
        "id": "scim.removeDirectory",
        "method": "DELETE",
        "path": "/v1/scim/directories/:scimDirectoryId",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [
          {
            "name": "members",
            "member": "members",
            "in": "query",
            "type": "enum",
            "values": [
              "keep",
              "end"
            ],
            "help": "Whether the members that the directory provisioned are kept (`keep`) or removed (`end`). Default: `keep`."
          }
        ],
        "summary": "Remove a SCIM directory",
        "description": "Its tokens stop working, and its groups become regular teams. Members keep the roles that its groups assigned. The last owner is never removed; other owners are removed only if an owner calls this operation."
      },
      {
        "name": "tokens rotate",
        "id": "scim.rotateToken",
        "method": "POST",
        "path": "/v1/scim/directories/:scimDirectoryId/tokens",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [
          {
            "name": "grace-seconds",
            "member": "graceSeconds",
            "in": "body",
            "type": "integer",
            "help": "How many seconds the existing tokens stay valid. Maximum: 2592000 (30 days). Default: 86400."
          },
          {
            "name": "expires",
            "member": "expiresAt",
            "in": "body",
            "type": "string",
            "time": "future",
            "help": "When the token expires: ISO 8601 time, or duration from now such as 365d. Default: never"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create another token for a SCIM directory",
        "description": "Returns the token once. Existing tokens stay valid for `graceSeconds`. At most 5 tokens are valid at the same time; beyond that, the oldest expire immediately. A token can change group members, so the caller must be allowed to assign every role that the directory's groups assign. Only a token that an owner created can deactivate owners."
      },
      {
        "name": "tokens revoke",
        "id": "scim.revokeToken",
        "method": "DELETE",
        "path": "/v1/scim/directories/:scimDirectoryId/tokens/:scimTokenId",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          },
          {
            "name": "scim-token-id",
            "member": "scimTokenId",
            "help": "The id of the SCIM token."
          }
        ],
        "flags": [],
        "summary": "Revoke a SCIM token",
        "description": "The token stops working immediately."
      },
      {
        "name": "groups list",
        "id": "scim.listGroups",
        "method": "GET",
        "path": "/v1/scim/directories/:scimDirectoryId/groups",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the groups of a SCIM directory",
        "description": "Includes the role that each group assigns to its members."
      },
      {
        "name": "groups set-role",
        "id": "scim.setGroupRole",
        "method": "PUT",
        "path": "/v1/scim/directories/:scimDirectoryId/groups/:teamId/role",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "help": "The group, identified by the id of its team."
          }
        ],
        "flags": [
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The role that the group assigns to its members. Null for no role. Cannot be `owner`. If a user is in several groups, `admin` takes precedence; otherwise, the oldest group with a role applies."
          }
        ],
        "body": true,
        "summary": "Set the role that a group assigns to its members",
        "description": "Applies to current and future members. The caller must have all permissions of the role. Owners keep the `owner` role."
      },
      {
        "name": "log",
        "id": "scim.log",
        "method": "GET",
        "path": "/v1/scim/directories/:scimDirectoryId/log",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "decision",
            "member": "decision",
            "in": "query",
            "type": "enum",
            "values": [
              "read",
              "created",
              "updated",
              "unchanged",
              "deleted",
              "held",
              "refused"
            ],
            "help": "Only requests with this decision."
          },
          {
            "name": "resource-id",
            "member": "resourceId",
            "in": "query",
            "type": "string",
            "help": "Only requests for the SCIM user or group with this id."
          },
          {
            "name": "changes-only",
            "member": "changesOnly",
            "in": "query",
            "type": "boolean",
            "help": "If `true`, excludes read-only requests. Default: `false`."
          }
        ],
        "pageMax": 100,
        "summary": "List the requests of a SCIM directory",
        "description": "Includes the decision on each request and the changes it made. Entries are kept for 30 days, even after the directory is removed. Read requests are recorded within seconds; the most recent ones can be lost if the process crashes."
      },
      {
        "name": "reconcile",
        "id": "scim.reconcile",
        "method": "POST",
        "path": "/v1/scim/directories/:scimDirectoryId/reconcile",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Reconcile a SCIM directory",
        "description": "Restores memberships, teams and roles to the state that the directory last sent. Deactivations held for approval are not changed. Idempotent."
      },
      {
        "name": "holds list",
        "id": "scim.listHolds",
        "method": "GET",
        "path": "/v1/scim/directories/:scimDirectoryId/holds",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the deactivations held for approval",
        "description": "A hold is a set of deactivations that take effect only after they are approved."
      },
      {
        "name": "holds get",
        "id": "scim.getHold",
        "method": "GET",
        "path": "/v1/scim/directories/:scimDirectoryId/holds/:scimHoldId",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "The id of the SCIM hold."
          }
        ],
        "flags": [],
        "summary": "Get a hold"
      },
      {
        "name": "holds users",
        "id": "scim.listHeldUsers",
        "method": "GET",
        "path": "/v1/scim/directories/:scimDirectoryId/holds/:scimHoldId/users",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "The id of the SCIM hold."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          }
        ],
        "pageMax": 100,
        "summary": "List the users in a hold"
      },
      {
        "name": "holds approve",
        "id": "scim.approveHold",
        "method": "POST",
        "path": "/v1/scim/directories/:scimDirectoryId/holds/:scimHoldId/approve",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "The id of the SCIM hold."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Approve the deactivations in a hold",
        "description": "Ends the memberships of its users. The last owner is kept; other owners are removed only if the approver is an owner."
      },
      {
        "name": "holds reject",
        "id": "scim.rejectHold",
        "method": "POST",
        "path": "/v1/scim/directories/:scimDirectoryId/holds/:scimHoldId/reject",
        "ids": [
          {
            "name": "scim-directory-id",
            "member": "scimDirectoryId",
            "help": "The id of the SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "The id of the SCIM hold."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Reject the deactivations in a hold",
        "description": "Keeps the memberships and reactivates their users. The identity provider sees them as active on its next request. A user is not reactivated if the directory has since created another user with the same `userName` or membership."
      }
    ]
  },
  {
    "name": "desktop-policies",
    "id": "desktopPolicies",
    "section": "Enterprise",
    "summary": "Desktop app settings for members, teams or the whole organization.",
    "operations": [
      {
        "name": "create",
        "id": "desktopPolicies.create",
        "method": "POST",
        "path": "/v1/desktop-policies",
        "ids": [],
        "flags": [
          {
            "name": "allow-custom-providers",
            "member": "allowCustomProviders",
            "in": "body",
            "type": "boolean",
            "help": "Whether members may add their own model providers.",
            "nested": true
          },
          {
            "name": "allow-partner-model",
            "member": "allowPartnerModel",
            "in": "body",
            "type": "boolean",
            "help": "Whether members may use the partner's models.",
            "nested": true
          },
          {
            "name": "allow-multiple-workspaces",
            "member": "allowMultipleWorkspaces",
            "in": "body",
            "type": "boolean",
            "help": "Whether members may open more than one workspace.",
            "nested": true
          },
          {
            "name": "allow-control-settings",
            "member": "allowControlSettings",
            "in": "body",
            "type": "boolean",
            "help": "Whether members may change the settings of the app.",
            "nested": true
          },
          {
            "name": "allow-manage-extensions",
            "member": "allowManageExtensions",
            "in": "body",
            "type": "boolean",
            "help": "Whether members may install and remove extensions.",
            "nested": true
          },
          {
            "name": "allow-built-in-extensions",
            "member": "allowBuiltInExtensions",
            "in": "body",
            "type": "boolean",
            "help": "Whether built-in extensions run.",
            "nested": true
          },
          {
            "name": "allow-alpha-updates",
            "member": "allowAlphaUpdates",
            "in": "body",
            "type": "boolean",
            "help": "Whether the app may update to alpha releases.",
            "nested": true
          },
          {
            "name": "show-welcome-page",
            "member": "showWelcomePage",
            "in": "body",
            "type": "boolean",
            "help": "Whether the app shows its welcome page at startup.",
            "nested": true
          },
          {
            "name": "onboarding-prompt",
            "member": "onboardingPrompts",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "At most three prompts, shown when a member opens the app for the first time. An empty list means no prompts, and overrides policies with a lower priority.",
            "nested": true
          },
          {
            "name": "onboarding-prompt-description",
            "member": "onboardingPromptDescriptions",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "One description per prompt, in the same order. Default: empty descriptions.",
            "nested": true
          },
          {
            "name": "policy-name",
            "member": "policyName",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Must be unique in the organization. Case-insensitive."
          },
          {
            "name": "priority",
            "member": "priority",
            "in": "body",
            "type": "integer",
            "help": "The policy with the highest priority wins. Default: 0."
          },
          {
            "name": "is-enabled",
            "member": "isEnabled",
            "in": "body",
            "type": "boolean",
            "help": "Whether the policy applies. Default: true."
          },
          {
            "name": "member",
            "member": "memberIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "ID or email address of a member.",
            "former": "member-id"
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "The teams whose members it applies to."
          }
        ],
        "flatten": "policy",
        "body": true,
        "idempotent": true,
        "summary": "Create a desktop policy",
        "description": "The policy applies to the specified members and teams, or to the whole organization if none are specified. It takes effect immediately. Duplicate ids are ignored."
      },
      {
        "name": "list",
        "id": "desktopPolicies.list",
        "method": "GET",
        "path": "/v1/desktop-policies",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List desktop policies"
      },
      {
        "name": "simulate",
        "id": "desktopPolicies.simulate",
        "method": "POST",
        "path": "/v1/desktop-policies/simulate",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "create",
            "help": "Create a policy."
          },
          {
            "member": "patch",
            "help": "Update one policy."
          },
          {
            "member": "delete",
            "help": "Remove one policy."
          },
          {
            "member": "reorder",
            "help": "Change the priorities of several policies at the same time."
          }
        ],
        "body": true,
        "summary": "Preview the effects of a desktop policy change",
        "description": "Returns the settings that would change for each member. Makes no changes. Returns the same errors as the change itself would."
      },
      {
        "name": "effective",
        "id": "desktopPolicies.effective",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId/desktop-policy",
        "ids": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "help": "ID or email address of the member."
          }
        ],
        "flags": [
          {
            "name": "explain",
            "member": "explain",
            "in": "query",
            "type": "boolean",
            "help": "If `true`, the response explains which policy won for each setting and why the others lost. Default: `false`."
          }
        ],
        "summary": "Get the effective desktop policy of a member",
        "description": "With `explain`, also returns the policy that determines each setting."
      },
      {
        "name": "get",
        "id": "desktopPolicies.get",
        "method": "GET",
        "path": "/v1/desktop-policies/:desktopPolicyId",
        "ids": [
          {
            "name": "desktop-policy-id",
            "member": "desktopPolicyId",
            "help": "The id of the desktop policy."
          }
        ],
        "flags": [],
        "summary": "Get a desktop policy"
      },
      {
        "name": "update",
        "id": "desktopPolicies.update",
        "method": "PATCH",
        "path": "/v1/desktop-policies/:desktopPolicyId",
        "ids": [
          {
            "name": "desktop-policy-id",
            "member": "desktopPolicyId",
            "help": "The id of the desktop policy."
          }
        ],
        "flags": [
          {
            "name": "policy-name",
            "member": "policyName",
            "in": "body",
            "type": "string",
            "help": "Must be unique in the organization. Case-insensitive."
          },
          {
            "name": "priority",
            "member": "priority",
            "in": "body",
            "type": "integer",
            "help": "The policy with the highest priority wins."
          },
          {
            "name": "is-enabled",
            "member": "isEnabled",
            "in": "body",
            "type": "boolean",
            "help": "Whether the policy applies."
          },
          {
            "name": "member",
            "member": "memberIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "ID or email address of a member.",
            "former": "member-id"
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Replaces all assigned teams."
          }
        ],
        "json": [
          {
            "member": "policy",
            "help": "Replaces all settings of the policy."
          }
        ],
        "body": true,
        "summary": "Update a desktop policy",
        "description": "`policy`, `memberIds` and `teamIds` replace the previous values."
      },
      {
        "name": "remove",
        "id": "desktopPolicies.remove",
        "method": "DELETE",
        "path": "/v1/desktop-policies/:desktopPolicyId",
        "ids": [
          {
            "name": "desktop-policy-id",
            "member": "desktopPolicyId",
            "help": "The id of the desktop policy."
          }
        ],
        "flags": [],
        "summary": "Remove a desktop policy",
        "description": "The name becomes available for another policy."
      }
    ]
  },
  {
    "name": "attention",
    "id": "attention",
    "section": "Operations",
    "summary": "Everything in the organization that waits for a decision, fails, or expires soon.",
    "operations": [
      {
        "name": "list",
        "id": "attention.list",
        "method": "GET",
        "path": "/v1/attention",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "kind",
            "member": "kind",
            "in": "query",
            "type": "enum",
            "values": [
              "sync_approval",
              "release_approval",
              "rollout_promotion",
              "rollout_paused",
              "mcp_review",
              "scim_approval",
              "configuration_approval",
              "sync_failed",
              "connector_failed",
              "connector_account_failed",
              "rollout_failing",
              "configuration_failed",
              "mcp_connection_disconnected",
              "llm_provider_disconnected",
              "webhook_endpoint_failing",
              "event_stream_failing",
              "sso_failed",
              "sso_domain_failing",
              "scim_failing",
              "api_key_expiring",
              "invitation_expiring",
              "scim_token_expiring",
              "saml_certificate_expiring",
              "marketplace_link_expiring",
              "worker_token_expiring"
            ],
            "help": "Only items of this kind."
          },
          {
            "name": "severity",
            "member": "severity",
            "in": "query",
            "type": "enum",
            "values": [
              "decision",
              "failing",
              "expiring"
            ],
            "help": "Only items with this severity."
          }
        ],
        "pageMax": 100,
        "summary": "List what needs attention",
        "description": "Returns the items that the caller can see and act on: a kind is included if the caller has the permissions to list its objects and to resolve its items, and an object with grants if the caller's level on it is high enough. Callers without these permissions get an empty list. Sorted by severity, then by kind, then oldest first. At most 100 items of each kind are listed. A credential, a link or an invitation expires soon when less than a quarter of its lifetime remains, and at most 30 days before it expires."
      }
    ]
  },
  {
    "name": "search",
    "id": "search",
    "section": "Operations",
    "summary": "Find objects of several kinds by name.",
    "operations": [
      {
        "name": "objects",
        "id": "search.objects",
        "method": "GET",
        "path": "/v1/search",
        "ids": [],
        "arguments": [
          {
            "name": "text",
            "member": "q",
            "help": "Part of a name or title, or of the email address of a member"
          }
        ],
        "flags": [
          {
            "name": "kind",
            "member": "kind",
            "in": "query",
            "type": "enum",
            "values": [
              "plugin",
              "configObject",
              "marketplace",
              "connectorInstance",
              "mcpConnection",
              "member",
              "team",
              "template",
              "role",
              "apiKey",
              "desktopPolicy",
              "worker",
              "llmProvider"
            ],
            "help": "Only objects of this kind."
          },
          {
            "name": "per-kind",
            "member": "limit",
            "in": "query",
            "type": "integer",
            "help": "Maximum number of objects of each kind. Default: 5."
          }
        ],
        "summary": "Search objects by name",
        "description": "Searches the objects that the caller can see: each kind requires the permission of its list, and kinds without it are left out. Archived objects and revoked API keys are not found. Names that equal the text come first, then names that start with it, then the others; within these, in the order of the kinds, newest first."
      }
    ]
  },
  {
    "name": "configuration",
    "id": "configuration",
    "section": "Operations",
    "summary": "The configuration of an organization as a document: export, plan and apply.",
    "operations": [
      {
        "name": "export",
        "id": "configuration.export",
        "method": "GET",
        "path": "/v1/configuration",
        "ids": [],
        "flags": [
          {
            "name": "kinds",
            "member": "kinds",
            "in": "query",
            "type": "string",
            "help": "Only these kinds, separated by commas: `organization,teams`. Default: all kinds."
          }
        ],
        "summary": "Export the configuration",
        "description": "Objects without a key appear with a key derived from their name, which an apply or `adopt` stores. For each kind in the document, the caller needs the permissions that the kind's own operations require."
      },
      {
        "name": "plan",
        "id": "configuration.plan",
        "method": "POST",
        "path": "/v1/configuration/plan",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "document",
            "required": true,
            "help": "Describes objects by stable keys. Kinds that are omitted are not changed, and neither are fields that are omitted from an object."
          },
          {
            "member": "secrets",
            "help": "The values of the secrets that the document refers to, by the name of the environment variable or the file; at most 500. They are stored encrypted and never returned."
          }
        ],
        "body": true,
        "summary": "Preview the changes an apply would make",
        "description": "Makes all changes in a transaction and rolls it back, so the plan has the same problems as the apply. Unknown fields are errors. For each kind in the document, the caller needs the permissions that the kind's own operations require."
      },
      {
        "name": "apply",
        "id": "configuration.apply",
        "method": "POST",
        "path": "/v1/configuration/apply",
        "ids": [],
        "flags": [
          {
            "name": "plan-digest",
            "member": "planDigest",
            "in": "body",
            "type": "string",
            "help": "The digest of the plan. Required if the document removes objects. Default: apply the current plan."
          }
        ],
        "json": [
          {
            "member": "document",
            "required": true,
            "help": "Describes objects by stable keys. Kinds that are omitted are not changed, and neither are fields that are omitted from an object."
          },
          {
            "member": "secrets",
            "help": "The values of the secrets that the document refers to, by the name of the environment variable or the file; at most 500. They are stored encrypted and never returned."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Apply a configuration document",
        "description": "Makes all changes in one transaction, and returns the plan that it applied. If one change fails, nothing is changed, and the response is 400 with its location in the document. Each change is audited as if it were made by its own operation. For each kind in the document, the caller needs the permissions that the kind's own operations require."
      },
      {
        "name": "adopt",
        "id": "configuration.adopt",
        "method": "POST",
        "path": "/v1/configuration/adopt",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "adoptions",
            "help": "The objects and their keys. Default: all objects without a key get the key that the export shows."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Assign keys to existing objects",
        "description": "An object keeps its key, even if it is renamed. Objects that already have a key are skipped."
      },
      {
        "name": "schema",
        "id": "configuration.schema",
        "method": "GET",
        "path": "/v1/configuration/schema",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Get the JSON Schema of configuration documents",
        "description": "For editors that check and complete documents. Not specific to an organization."
      }
    ]
  },
  {
    "name": "configuration-source",
    "id": "configurationSource",
    "section": "Operations",
    "summary": "The repository whose configuration files are planned or applied when they change.",
    "operations": [
      {
        "name": "get",
        "id": "configurationSource.get",
        "method": "GET",
        "path": "/v1/configuration/source",
        "ids": [],
        "flags": [],
        "summary": "Get the configuration source"
      },
      {
        "name": "set",
        "id": "configurationSource.set",
        "method": "PUT",
        "path": "/v1/configuration/source",
        "ids": [],
        "flags": [
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The id of the connector instance."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "A branch of the connector. Default: its first branch."
          },
          {
            "name": "path",
            "member": "path",
            "in": "body",
            "type": "string",
            "help": "A file, or a folder whose files *.yaml, *.yml and *.json are one document. Default: `orgplane.yaml`."
          },
          {
            "name": "mode",
            "member": "mode",
            "in": "body",
            "type": "enum",
            "values": [
              "plan",
              "apply"
            ],
            "help": "`plan`: only reports differences. `apply`: also applies the files. Default: `plan`."
          },
          {
            "name": "is-enabled",
            "member": "isEnabled",
            "in": "body",
            "type": "boolean",
            "help": "Whether pushes start runs. Default: true."
          }
        ],
        "body": true,
        "summary": "Set the configuration source",
        "description": "Replaces the current source, of which an organization has at most one, and starts a run if the source is enabled. Requires the role `manager` on the connector. API keys cannot set a source. Everyone who can push to the branch can make the changes that this member can make."
      },
      {
        "name": "remove",
        "id": "configurationSource.remove",
        "method": "DELETE",
        "path": "/v1/configuration/source",
        "ids": [],
        "flags": [],
        "summary": "Remove the configuration source",
        "description": "Runs that have not ended and held runs become `superseded`. Applied changes are kept."
      },
      {
        "name": "run",
        "id": "configurationSource.run",
        "method": "POST",
        "path": "/v1/configuration/source/run",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Start a run of the configuration source",
        "description": "Reads the head of the branch, even if its commit was read before. If a run is already queued, returns that run. Requires the role `editor` on the connector."
      }
    ]
  },
  {
    "name": "configuration-runs",
    "id": "configurationRuns",
    "section": "Operations",
    "summary": "Runs of the configuration source, each with the changes and the problems of a commit. Runs that remove many objects require approval.",
    "operations": [
      {
        "name": "list",
        "id": "configurationRuns.list",
        "method": "GET",
        "path": "/v1/configuration/runs",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "queued",
              "running",
              "unchanged",
              "planned",
              "applied",
              "held",
              "rejected",
              "superseded",
              "failed"
            ],
            "help": "Only runs with this status."
          }
        ],
        "pageMax": 100,
        "summary": "List configuration runs",
        "description": "Newest first. The newest 1000 runs are kept."
      },
      {
        "name": "get",
        "id": "configurationRuns.get",
        "method": "GET",
        "path": "/v1/configuration/runs/:configurationRunId",
        "ids": [
          {
            "name": "configuration-run-id",
            "member": "configurationRunId",
            "help": "The id of the configuration run."
          }
        ],
        "flags": [],
        "summary": "Get a configuration run",
        "description": "Includes its changes and its problems."
      },
      {
        "name": "approve",
        "id": "configurationRuns.approve",
        "method": "POST",
        "path": "/v1/configuration/runs/:configurationRunId/approve",
        "ids": [
          {
            "name": "configuration-run-id",
            "member": "configurationRunId",
            "help": "The id of the configuration run."
          }
        ],
        "flags": [
          {
            "name": "plan-digest",
            "member": "planDigest",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The digest of the plan that you reviewed."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Approve a configuration run",
        "description": "Queues a held run for the same commit. Requires the role `manager` on the connector, as for a sync. If the plan has changed since and still removes too many objects, the run is held again."
      },
      {
        "name": "reject",
        "id": "configurationRuns.reject",
        "method": "POST",
        "path": "/v1/configuration/runs/:configurationRunId/reject",
        "ids": [
          {
            "name": "configuration-run-id",
            "member": "configurationRunId",
            "help": "The id of the configuration run."
          }
        ],
        "flags": [
          {
            "name": "comment",
            "member": "comment",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Reject a configuration run",
        "description": "Nothing is applied until the branch has a new commit or a run is started. Requires the role `manager` on the connector."
      }
    ]
  },
  {
    "name": "admin",
    "id": "admin",
    "section": "Operations",
    "summary": "Metrics and lists for organization and platform administrators.",
    "operations": [
      {
        "name": "metrics",
        "id": "admin.metrics",
        "method": "GET",
        "path": "/v1/admin/metrics",
        "ids": [],
        "flags": [],
        "summary": "Get the metrics of the organization",
        "description": "Returns counts of users, workers, activity and invitations, and a daily series. A platform administrator who does not specify an organization gets the totals across all organizations."
      },
      {
        "name": "overview",
        "id": "admin.overview",
        "method": "GET",
        "path": "/v1/admin/overview",
        "ids": [],
        "flags": [],
        "summary": "Get an overview of the organization",
        "description": "Returns resource counts, the syncs and connections that need attention, and the most recent changes."
      },
      {
        "name": "list-platform-users",
        "id": "admin.listPlatformUsers",
        "method": "GET",
        "path": "/v1/admin/platform/users",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of a name or email address. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List all users of the installation"
      },
      {
        "name": "list-platform-organizations",
        "id": "admin.listPlatformOrganizations",
        "method": "GET",
        "path": "/v1/admin/platform/organizations",
        "ids": [],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the previous page."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Filter by part of the name. Case-insensitive."
          }
        ],
        "pageMax": 100,
        "summary": "List all organizations of the installation"
      },
      {
        "name": "update-plan",
        "id": "admin.updatePlan",
        "method": "PATCH",
        "path": "/v1/admin/platform/organizations/:organizationId",
        "ids": [
          {
            "name": "organization-id",
            "member": "organizationId",
            "help": "The id of the organization."
          }
        ],
        "flags": [
          {
            "name": "plan",
            "member": "plan",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "`enterprise` includes every feature. Any other plan excludes the features that require the enterprise plan."
          }
        ],
        "body": true,
        "summary": "Change the plan of an organization",
        "description": "Each server process applies the new plan to all subsequent requests."
      }
    ]
  },
  {
    "name": "system",
    "id": "system",
    "section": "Operations",
    "summary": "Health, readiness, version and API documents.",
    "operations": [
      {
        "name": "health",
        "id": "system.health",
        "method": "GET",
        "path": "/v1/health",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Check that the process responds",
        "description": "Does not access the database."
      },
      {
        "name": "live",
        "id": "system.live",
        "method": "GET",
        "path": "/v1/live",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Check that the process is alive",
        "description": "For liveness probes. Does not access the database, so an unavailable database does not restart the process."
      },
      {
        "name": "ready",
        "id": "system.ready",
        "method": "GET",
        "path": "/v1/ready",
        "ids": [],
        "flags": [],
        "declaredFailure": 503,
        "public": true,
        "summary": "Check that the service is ready",
        "description": "Checks that the database is reachable and writable, and checks the queue and the disk. Returns 503 when a check fails, and while the server shuts down. With the operator's `ORGPLANE_METRICS_TOKEN` as bearer token, the response contains the details of each check."
      },
      {
        "name": "version",
        "id": "system.version",
        "method": "GET",
        "path": "/v1/version",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Get the versions of the server, the API and the database"
      },
      {
        "name": "keys",
        "id": "system.keys",
        "method": "GET",
        "path": "/v1/keys",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "List the public signing keys",
        "description": "The keys that verify this installation's signatures, newest first."
      },
      {
        "name": "openapi",
        "id": "system.openapi",
        "method": "GET",
        "path": "/v1/openapi.json",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Get the OpenAPI 3.1 document"
      },
      {
        "name": "docs",
        "id": "system.docs",
        "method": "GET",
        "path": "/v1/docs",
        "ids": [],
        "flags": [
          {
            "name": "group",
            "member": "group",
            "in": "query",
            "type": "string",
            "help": "The group whose operations are shown in full, such as `plugins`. Default: a list of all operations."
          }
        ],
        "public": true,
        "summary": "Get a page of the API reference as HTML"
      }
    ]
  }
]
