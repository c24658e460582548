// Written by `pnpm codegen`; change the contract or the overrides instead.
import type { CommandTable } from "../table.ts"

export const commands: CommandTable = [
  {
    "name": "system",
    "id": "system",
    "summary": "Health, readiness, version and documents.",
    "operations": [
      {
        "name": "health",
        "id": "system.health",
        "method": "GET",
        "path": "/v1/health",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Says that the process answers; touches nothing."
      },
      {
        "name": "ready",
        "id": "system.ready",
        "method": "GET",
        "path": "/v1/ready",
        "ids": [],
        "flags": [],
        "answers": 503,
        "public": true,
        "summary": "Says whether database and queue answer; 503 when one does not."
      },
      {
        "name": "version",
        "id": "system.version",
        "method": "GET",
        "path": "/v1/version",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Tells the versions of server, interface and database."
      },
      {
        "name": "keys",
        "id": "system.keys",
        "method": "GET",
        "path": "/v1/keys",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "The public keys that check this installation's signatures, newest first."
      },
      {
        "name": "openapi",
        "id": "system.openapi",
        "method": "GET",
        "path": "/v1/openapi.json",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "The OpenAPI 3.1 document of this interface."
      },
      {
        "name": "docs",
        "id": "system.docs",
        "method": "GET",
        "path": "/v1/docs",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "The interface as a page for people."
      }
    ]
  },
  {
    "name": "bootstrap",
    "id": "bootstrap",
    "summary": "A provisional workspace first, its people later.",
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
            "required": true
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
            "help": "One claim link each; there is always one for an owner."
          },
          {
            "name": "owner-email",
            "member": "ownerEmail",
            "in": "body",
            "type": "string",
            "help": "Only this address can use the owner's claim."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Creates a provisional workspace with a session and links to claim it.",
        "description": "Provisional: one connector instance, no keys, no mail; gone after 24 hours unless an owner claims it. Five an hour and address."
      },
      {
        "name": "preview-claim",
        "id": "bootstrap.previewClaim",
        "method": "POST",
        "path": "/v1/bootstrap/claims/preview",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "token",
            "required": true
          }
        ],
        "body": true,
        "public": true,
        "summary": "Tells what a claim link would give, without using it."
      },
      {
        "name": "accept-claim",
        "id": "bootstrap.acceptClaim",
        "method": "POST",
        "path": "/v1/bootstrap/claims/accept",
        "ids": [],
        "flags": [],
        "json": [
          {
            "member": "token",
            "required": true
          }
        ],
        "body": true,
        "summary": "Joins a workspace by its claim link; the first owner makes it permanent.",
        "description": "Needs a verified e-mail address, and the one the link was made for if it names one. The first owner's claim ends the session of the agent that made the workspace, and the other owner links."
      }
    ]
  },
  {
    "name": "sessions",
    "id": "sessions",
    "summary": "Where the caller is signed in.",
    "operations": [
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the caller's live sessions."
      },
      {
        "name": "revoke-current",
        "id": "sessions.revokeCurrent",
        "method": "DELETE",
        "path": "/v1/sessions/current",
        "ids": [],
        "flags": [],
        "summary": "Signs out: ends the session of this request."
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
            "help": "Identifies one session."
          }
        ],
        "flags": [],
        "summary": "Ends one of the caller's sessions."
      }
    ]
  },
  {
    "name": "organizations",
    "id": "organizations",
    "summary": "The organization of the caller.",
    "operations": [
      {
        "name": "get",
        "id": "organizations.get",
        "method": "GET",
        "path": "/v1/organization",
        "ids": [],
        "flags": [],
        "summary": "Gets the caller's organization."
      }
    ]
  },
  {
    "name": "members",
    "id": "members",
    "summary": "The people of the organization.",
    "operations": [
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of name or e-mail, in any case."
          },
          {
            "name": "role",
            "member": "role",
            "in": "query",
            "type": "string"
          }
        ],
        "pageMax": 100,
        "summary": "Lists the members of the organization."
      },
      {
        "name": "get",
        "id": "members.get",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId",
        "ids": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "help": "Identifies one organization membership."
          }
        ],
        "flags": [],
        "summary": "Gets one member."
      }
    ]
  },
  {
    "name": "audit",
    "id": "audit",
    "summary": "Every change, written with the change itself.",
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "action",
            "member": "action",
            "in": "query",
            "type": "string"
          },
          {
            "name": "actor-id",
            "member": "actorId",
            "in": "query",
            "type": "string"
          },
          {
            "name": "target-id",
            "member": "targetId",
            "in": "query",
            "type": "string"
          }
        ],
        "pageMax": 100,
        "summary": "Lists audit events, newest first."
      }
    ]
  },
  {
    "name": "connectors",
    "id": "connectors",
    "summary": "Repositories, what was found in them, and how it is kept in step.",
    "operations": [
      {
        "name": "setup",
        "id": "connectors.setup",
        "method": "POST",
        "path": "/v1/connectors/codehost/setup",
        "ids": [],
        "flags": [
          {
            "name": "clone-url",
            "member": "cloneUrl",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "An https address, or a path under the roots that the operator allows."
          },
          {
            "name": "branch",
            "member": "branch",
            "in": "body",
            "type": "string",
            "help": "The repository's default branch unless told."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Unique in the organization."
          }
        ],
        "json": [
          {
            "member": "credential",
            "help": "Sealed, sent to that origin only, never answered."
          }
        ],
        "constants": {
          "adapter": "git"
        },
        "body": true,
        "idempotent": true,
        "summary": "Connects a branch of a repository.",
        "description": "Reads the repository once, so a wrong address, branch or credential is told at once."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string"
          }
        ],
        "pageMax": 100,
        "summary": "Lists the connector instances the caller can see."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "summary": "Gets one connector instance."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "remote-id",
            "member": "remoteId",
            "in": "body",
            "type": "string"
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string"
          }
        ],
        "json": [
          {
            "member": "config"
          }
        ],
        "body": true,
        "summary": "Updates one connector instance.",
        "description": "A new `remoteId` is read at the next sync."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Activates a connector instance and queues a sync."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Stops a connector instance: what it imported stays, pushes are ignored."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Removes a connector instance and everything that only it feeds.",
        "description": "Plugins, mappings, config objects and bindings go in one transaction; the counts are answered."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Queues a sync of the repository's head; one that waits already is answered again."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
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
            ]
          }
        ],
        "pageMax": 100,
        "summary": "Lists the syncs of a connector instance."
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
            "help": "Identifies one connector sync event."
          }
        ],
        "flags": [],
        "summary": "Gets one sync with its counts and warnings."
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
            "help": "Identifies one connector sync event."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Approves a sync that was held because it removes much, and queues it again.",
        "description": "The approval is for the revision it was held at; when the branch has moved, its head is judged anew."
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
            "help": "Identifies one connector sync event."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Rejects a sync that was held: nothing is imported until the branch moves."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "summary": "Analyses the repository and answers the plugins it holds.",
        "description": "Waits up to 30 seconds; a larger repository answers 503 `discovery_in_progress` while it is read."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string"
          },
          {
            "name": "prefix",
            "member": "prefix",
            "in": "query",
            "type": "string",
            "help": "Only paths that begin so."
          }
        ],
        "pageMax": 500,
        "summary": "Pages through the repository tree that discovery used, sorted by path.",
        "description": "A page stays on the revision its cursor began with."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "select",
            "member": "selectedKeys",
            "in": "body",
            "type": "string",
            "many": true,
            "required": true
          },
          {
            "name": "auto-import-new-plugins",
            "member": "autoImportNewPlugins",
            "in": "body",
            "type": "boolean",
            "help": "Import plugins that appear later without being asked; what is imported is kept in step either way."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "body",
            "type": "string",
            "help": "Where the plugins are listed; a marketplace of their own unless told."
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
            "help": "`orgWide` lets every member see the marketplace; `private`, the default, only who is granted."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Imports the selected plugins and keeps them in step.",
        "description": "Plugins, mappings and the marketplace are made in one transaction; the content follows by a sync that is waited for up to 20 seconds (`wait=0` does not wait)."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the direct, team and organization-wide grants of a connector instance."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "Identifies one organization membership."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "Identifies one team."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean"
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
            "help": "viewer sees, editor changes the content, manager decides about grants and removal."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grants access to a connector instance; 200 when the receiver had a grant."
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
            "help": "Identifies one connector instance."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "Identifies one connector instance access grant."
          }
        ],
        "flags": [],
        "summary": "Revokes one grant; it is kept as history."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the branches of a connector instance."
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
            "help": "Identifies one connector target."
          }
        ],
        "flags": [],
        "summary": "Gets one branch."
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
            "help": "Identifies one connector target."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
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
            ]
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
            "help": "What a config object is to an agent."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Identifies one plugin."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of the selector, in any case."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the mappings of a branch."
      }
    ]
  },
  {
    "name": "config-objects",
    "id": "configObjects",
    "summary": "Versioned skills, agents, commands, hooks and other content, and who may use them.",
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
            "help": "What a config object is to an agent.",
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
            "help": "`cloud` unless told; `connector` is refused, only a sync makes those.",
            "nested": true
          },
          {
            "name": "source",
            "member": "rawSourceText",
            "in": "body",
            "type": "string",
            "file": true,
            "help": "The text of it, such as a SKILL.md",
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
            "help": "Plugins to put it in."
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
            "help": "`title`, `description`, `fileName` and `relativePath` are used; the rest is not kept."
          }
        ],
        "flatten": "input",
        "body": true,
        "idempotent": true,
        "summary": "Creates a private config object and its first version."
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
            "help": "The `nextCursor` of the page before."
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
            "help": "What a config object is to an agent."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "query",
            "type": "string",
            "help": "Identifies one plugin."
          },
          {
            "name": "connector-instance-id",
            "member": "connectorInstanceId",
            "in": "query",
            "type": "string",
            "help": "Identifies one connector instance."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of the title, in any case."
          },
          {
            "name": "archived",
            "member": "archived",
            "in": "query",
            "type": "boolean",
            "help": "`true` shows archived ones too."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the config objects the caller can see."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [],
        "summary": "Gets one config object with its latest version."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the versions of a config object, newest first."
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
            "help": "Identifies one config object."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "Identifies one config object version."
          }
        ],
        "flags": [],
        "summary": "Gets one version."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the direct, team and organization-wide grants of a config object."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "Identifies one organization membership."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "Identifies one team."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean"
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
            "help": "viewer sees, editor changes the content, manager decides about grants and removal."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grants access to a config object; 200 when the receiver had a grant."
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
            "help": "Identifies one config object."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "Identifies one config object access grant."
          }
        ],
        "flags": [],
        "summary": "Revokes one grant; it is kept as history."
      }
    ]
  },
  {
    "name": "plugins",
    "id": "plugins",
    "summary": "Sets of config objects, imported or made here.",
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
        "summary": "Creates an empty private plugin."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "marketplace-id",
            "member": "marketplaceId",
            "in": "query",
            "type": "string",
            "help": "Identifies one marketplace."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of the name, in any case."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the plugins the caller can see."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [],
        "summary": "Gets one plugin when the caller can see it."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists what is in a plugin, with each config object and its latest version."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the grants of a plugin."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "Identifies one organization membership."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "Identifies one team."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean"
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
            "help": "viewer sees, editor changes the content, manager decides about grants and removal."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grants access to a plugin and what is in it; 200 when the receiver had a grant."
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
            "help": "Identifies one plugin."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "Identifies one plugin access grant."
          }
        ],
        "flags": [],
        "summary": "Revokes one grant; it is kept as history."
      }
    ]
  },
  {
    "name": "marketplaces",
    "id": "marketplaces",
    "summary": "Sets of plugins, who is offered them, what is missing.",
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string"
          }
        ],
        "pageMax": 100,
        "summary": "Lists the marketplaces the caller can see."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [],
        "summary": "Gets one marketplace."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the plugins of a marketplace."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [],
        "summary": "Gets a marketplace with its plugins, where they come from, and what each still needs."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [
          {
            "name": "cursor",
            "member": "cursor",
            "in": "query",
            "type": "string",
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the grants of a marketplace."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "Identifies one organization membership."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "body",
            "type": "string",
            "help": "Identifies one team."
          },
          {
            "name": "org-wide",
            "member": "orgWide",
            "in": "body",
            "type": "boolean"
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
            "help": "viewer sees, editor changes the content, manager decides about grants and removal."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Grants access to a marketplace and all in it; 200 when the receiver had a grant."
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
            "help": "Identifies one marketplace."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "Identifies one marketplace access grant."
          }
        ],
        "flags": [],
        "summary": "Revokes one grant; it is kept as history."
      }
    ]
  }
]
