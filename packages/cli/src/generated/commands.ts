// Written by `pnpm codegen`; change the contract or the overrides instead.
import type { CommandTable } from "../command-table.ts"

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
        "declaredFailure": 503,
        "public": true,
        "summary": "Check the database, its writes, the queue and the disk; 503 when a check fails."
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
        "flags": [
          {
            "name": "token",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token or the full link. `-` prompts, or reads stdin"
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
        "flags": [
          {
            "name": "token",
            "member": "token",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the token or the full link. `-` prompts, or reads stdin"
          }
        ],
        "json": [
          {
            "member": "keepAgent",
            "help": "With an owner's claim: what the agent made is from now on managed by an API key with these permissions, answered this once."
          }
        ],
        "body": true,
        "summary": "Joins a workspace by its claim link; the first owner makes it permanent.",
        "description": "Needs a verified e-mail address, and the one the link was made for if it names one. The first owner's claim ends the session of the agent that made the workspace, and the other owner links; `keepAgent` makes an API key in the agent's place."
      }
    ]
  },
  {
    "name": "sessions",
    "id": "sessions",
    "summary": "Signing in, and where the caller is signed in.",
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
            "required": true
          }
        ],
        "body": true,
        "public": true,
        "summary": "Mails a sign-in code; the answer is the same for known and unknown addresses.",
        "description": "Five an hour from one place for one address. The code is good for ten minutes and five tries."
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
            "required": true
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true
          }
        ],
        "body": true,
        "public": true,
        "summary": "Signs in with the mailed code; makes the person known, without an organization.",
        "description": "A code that is wrong, used or over is 400 at `body.code`."
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
            "type": "string"
          },
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "Identifies one organization membership."
          },
          {
            "name": "expires-in-seconds",
            "member": "expiresInSeconds",
            "in": "body",
            "type": "integer",
            "help": "3600 unless told."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Makes a short session of a member, for a host application with a key.",
        "description": "At most an hour; it cannot touch keys, roles, SSO, SCIM, sessions or members."
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
    "name": "sso",
    "id": "sso",
    "summary": "Signing in by the organization's own identity provider.",
    "operations": [
      {
        "name": "get",
        "id": "sso.get",
        "method": "GET",
        "path": "/v1/sso",
        "ids": [],
        "flags": [],
        "summary": "Gets the organization's SSO connection."
      },
      {
        "name": "service-provider",
        "id": "sso.serviceProvider",
        "method": "GET",
        "path": "/v1/sso/service-provider",
        "ids": [],
        "flags": [],
        "summary": "Tells what the identity provider has to know of us, before there is a connection too.",
        "description": "It is of the organization: it stays the same when the connection is changed or set anew."
      },
      {
        "name": "remove",
        "id": "sso.remove",
        "method": "DELETE",
        "path": "/v1/sso",
        "ids": [],
        "flags": [],
        "summary": "Removes the connection; whoever is signed in by it is signed out."
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
            "help": "`https://…`; its discovery document is read now."
          },
          {
            "name": "client-id",
            "member": "clientId",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "client-secret-file",
            "member": "clientSecret",
            "in": "body",
            "type": "string",
            "file": "line",
            "help": "File with the client secret. `-` prompts, or reads stdin"
          },
          {
            "name": "scope",
            "member": "scopes",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "`openid email profile` unless told."
          }
        ],
        "json": [
          {
            "member": "jit"
          }
        ],
        "body": true,
        "summary": "Sets the connection to an OpenID Connect provider.",
        "description": "It is off until it is tested and enabled, unless only secret, scopes or JIT change. Whom another provider signed in before is signed out, but for the session that sets this one."
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
            "type": "string"
          },
          {
            "name": "sso-url",
            "member": "ssoUrl",
            "in": "body",
            "type": "string",
            "help": "Where a browser is sent, by HTTP-Redirect."
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
            "help": "By which attributes address and name are told; the usual ones unless told."
          },
          {
            "member": "jit"
          }
        ],
        "body": true,
        "summary": "Sets the connection to a SAML 2.0 identity provider.",
        "description": "It is off until it is tested and enabled, unless only certificates, attributes or JIT change: so a certificate rolls over while people sign in. While it is on, only an owner changes what is believed: certificates and attributes; while it is off, changing that forgets the test. Whom another provider signed in before is signed out, but for the session that sets this one."
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
            "help": "Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Begins a sign-in that signs nobody in: `lastTest` tells what came of it.",
        "description": "In person: a key cannot sign in."
      },
      {
        "name": "enable",
        "id": "sso.enable",
        "method": "POST",
        "path": "/v1/sso/enable",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Lets people sign in by the connection, once a test of it held.",
        "description": "From then on the identity provider says who is who, owners too: so an owner decides."
      },
      {
        "name": "disable",
        "id": "sso.disable",
        "method": "POST",
        "path": "/v1/sso/disable",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Lets nobody sign in by the connection, and ends its being enforced; sessions go on."
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
            "help": "Owners who may still sign in by a mailed code when the identity provider is away."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Refuses members who signed in another way, but for the owners named.",
        "description": "Sessions that a key or the host application vouches for are not concerned, and keys go on."
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
            "help": "Whose domain says which organization."
          },
          {
            "name": "organization-id",
            "member": "organizationId",
            "in": "body",
            "type": "string",
            "help": "Identifies one organization."
          },
          {
            "name": "code-challenge",
            "member": "codeChallenge",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "SHA-256 of a secret of the caller's, in base64url: only who has it gets the session."
          },
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in."
          }
        ],
        "body": true,
        "public": true,
        "summary": "Begins a sign-in by an organization's identity provider.",
        "description": "Good for ten minutes."
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
            "required": true
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "What our callback gave the browser; good for two minutes, and once."
          },
          {
            "name": "code-verifier",
            "member": "codeVerifier",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line"
          }
        ],
        "body": true,
        "public": true,
        "summary": "Signs in with what the browser brought back; the session is good for that organization.",
        "description": "A code that is wrong, used or over is 400 at `body.code`."
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
            "help": "Identifies one organization."
          }
        ],
        "flags": [],
        "public": true,
        "summary": "What a SAML identity provider has to know of us, as XML.",
        "description": "The same whether there is such an organization or not."
      }
    ]
  },
  {
    "name": "users",
    "id": "users",
    "summary": "The signed-in person, whatever the organization.",
    "operations": [
      {
        "name": "get",
        "id": "users.get",
        "method": "GET",
        "path": "/v1/me",
        "ids": [],
        "flags": [],
        "summary": "Gets the signed-in person."
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
            "type": "string"
          }
        ],
        "body": true,
        "summary": "Changes the signed-in person's name."
      },
      {
        "name": "remove",
        "id": "users.remove",
        "method": "DELETE",
        "path": "/v1/me",
        "ids": [],
        "flags": [],
        "summary": "Removes the signed-in person: memberships, grants and sessions end.",
        "description": "Their memories are deleted. Refused while the person is the last owner of an organization."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the organizations of the signed-in person."
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
            "help": "Identifies one organization."
          }
        ],
        "flags": [],
        "summary": "Ends the signed-in person's membership of an organization, with their teams, grants and sessions there.",
        "description": "Refused to its last owner. What they made stays with the organization."
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
            "help": "Identifies one organization."
          }
        ],
        "body": true,
        "summary": "Chooses the organization this session is about."
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
            "help": "`true` tells of every setting which policy won, and why the others lost."
          }
        ],
        "summary": "Gets what the organization's desktop policies let the caller do, and with `explain` why.",
        "description": "A switch that no policy states is true. Names of policies are for who may read them."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "kind",
            "member": "kind",
            "in": "query",
            "type": "enum",
            "values": [
              "plugin",
              "configObject"
            ]
          }
        ],
        "pageMax": 100,
        "summary": "Lists every plugin and config object the caller can use, with the edge that lets them."
      },
      {
        "name": "export",
        "id": "users.export",
        "method": "GET",
        "path": "/v1/me/export",
        "ids": [],
        "flags": [],
        "streams": true,
        "summary": "Streams everything that is kept of the caller, as NDJSON.",
        "description": "Lines of `{ kind, item }`: the person, how their host application knows them, memberships, memories, sessions. What they made belongs to the organizations, and is in their export. The last line is `end` with the count of the others."
      }
    ]
  },
  {
    "name": "organizations",
    "id": "organizations",
    "summary": "The organization of the caller.",
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
        "summary": "Creates an organization whose owner is the caller; ten each.",
        "description": "Needs a verified e-mail address. A session that is bound to an organization cannot."
      },
      {
        "name": "get",
        "id": "organizations.get",
        "method": "GET",
        "path": "/v1/organization",
        "ids": [],
        "flags": [],
        "summary": "Gets the caller's organization."
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
        "summary": "Renames the organization."
      },
      {
        "name": "remove",
        "id": "organizations.remove",
        "method": "DELETE",
        "path": "/v1/organization",
        "ids": [],
        "flags": [],
        "summary": "Removes the organization with everything in it; sessions and keys end at once.",
        "description": "Purged after 30 days."
      },
      {
        "name": "transfer-ownership",
        "id": "organizations.transferOwnership",
        "method": "POST",
        "path": "/v1/organization/transfer-ownership",
        "ids": [],
        "flags": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Identifies one organization membership."
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
            "help": "What the caller is afterwards; admin unless told."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Makes another member an owner, and the caller what they choose to be."
      },
      {
        "name": "export",
        "id": "organizations.export",
        "method": "GET",
        "path": "/v1/organization/export",
        "ids": [],
        "flags": [],
        "streams": true,
        "summary": "Streams everything the organization owns, as NDJSON.",
        "description": "Lines of `{ kind, item }`, each kind as it is when it is read; no credential is among them. The last line is `end` with the count of the others. The audit has an export of its own."
      }
    ]
  },
  {
    "name": "members",
    "id": "members",
    "summary": "The people of the organization.",
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
            "help": "The host application's own name for the person."
          },
          {
            "name": "email",
            "member": "email",
            "in": "body",
            "type": "string",
            "help": "An address in a domain that the organization has verified."
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Adds a person of the host application or of a verified domain; anybody else is invited.",
        "description": "The host application says whether the organization may have them, and who they are; an address is taken where the organization has verified its domain. Otherwise it is 400."
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
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Identifies one team."
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
      },
      {
        "name": "update",
        "id": "members.update",
        "method": "PATCH",
        "path": "/v1/members/:orgMembershipId",
        "ids": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "help": "Identifies one organization membership."
          }
        ],
        "flags": [
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "required": true
          }
        ],
        "body": true,
        "summary": "Gives a member another role; nobody gives what they lack, and the last owner stays."
      },
      {
        "name": "remove",
        "id": "members.remove",
        "method": "DELETE",
        "path": "/v1/members/:orgMembershipId",
        "ids": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "help": "Identifies one organization membership."
          }
        ],
        "flags": [
          {
            "name": "revoke-keys",
            "member": "revokeKeys",
            "in": "query",
            "type": "boolean",
            "help": "`true` also revokes the API keys they made."
          }
        ],
        "summary": "Removes a member: sessions and grants end with the membership.",
        "description": "The last owner stays. A person who comes back starts empty."
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
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Changes or removes up to a hundred members; each has its own result."
      }
    ]
  },
  {
    "name": "invitations",
    "id": "invitations",
    "summary": "People asked into the organization.",
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
            "required": true
          },
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "help": "`member` unless told; nothing the caller lacks."
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true
          },
          {
            "name": "send",
            "member": "send",
            "in": "body",
            "type": "boolean",
            "help": "`false` answers the link instead of mailing it; needs `invitations:link`."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Invites an address by mail; good for seven days.",
        "description": "A second invitation of an address replaces the first one's link."
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
            "help": "The `nextCursor` of the page before."
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
            ]
          }
        ],
        "pageMax": 100,
        "summary": "Lists the organization's invitations."
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
            "help": "Identifies one invitation."
          }
        ],
        "flags": [],
        "summary": "Gets one invitation."
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
            "help": "Identifies one invitation."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Mails a new link for another seven days; the old one ends."
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
            "help": "Identifies one invitation."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Takes an invitation back."
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
            "help": "File with the token or the full link. `-` prompts, or reads stdin"
          }
        ],
        "body": true,
        "public": true,
        "summary": "Tells what an invitation would give, without using it."
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
            "help": "File with the token or the full link. `-` prompts, or reads stdin"
          }
        ],
        "body": true,
        "summary": "Joins an organization; only the invited, verified address can."
      }
    ]
  },
  {
    "name": "roles",
    "id": "roles",
    "summary": "Named sets of permissions, and the table of all permissions.",
    "operations": [
      {
        "name": "permissions",
        "id": "roles.permissions",
        "method": "GET",
        "path": "/v1/roles/permissions",
        "ids": [],
        "flags": [],
        "summary": "Lists every permission and the built-in roles that hold it."
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
            "help": "Unique in the organization; not the word of a built-in role."
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
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "analytics:read"
            ],
            "many": true,
            "required": true,
            "help": "No more than the caller holds."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates a role that grants no more than the caller holds."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the custom roles of the organization."
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
            "help": "Identifies one role."
          }
        ],
        "flags": [],
        "summary": "Gets one custom role."
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
            "help": "Identifies one role."
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
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "analytics:read"
            ],
            "many": true
          }
        ],
        "body": true,
        "summary": "Updates a role; its members have the new permissions at once."
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
            "help": "Identifies one role."
          }
        ],
        "flags": [],
        "summary": "Removes a role that nobody has."
      }
    ]
  },
  {
    "name": "teams",
    "id": "teams",
    "summary": "Members who are granted things together.",
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
            "help": "Unique in the organization."
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
        "summary": "Creates a team without members."
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
            "help": "The `nextCursor` of the page before."
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
        "summary": "Lists the teams of the organization."
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
            "help": "Identifies one team."
          }
        ],
        "flags": [],
        "summary": "Gets one team."
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
            "help": "Identifies one team."
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
        "summary": "Updates a team."
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
            "help": "Identifies one team."
          }
        ],
        "flags": [],
        "summary": "Removes a team; every grant it held ends with it."
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
            "help": "Identifies one team."
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
        "summary": "Lists the members of a team."
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
            "help": "Identifies one team."
          },
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "help": "Identifies one organization membership."
          }
        ],
        "flags": [],
        "summary": "Puts a member into a team; twice changes nothing."
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
            "help": "Identifies one team."
          },
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "help": "Identifies one organization membership."
          }
        ],
        "flags": [],
        "summary": "Takes a member out of a team."
      }
    ]
  },
  {
    "name": "api-keys",
    "id": "apiKeys",
    "summary": "Credentials of the organization for automation.",
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
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "analytics:read"
            ],
            "many": true,
            "required": true,
            "help": "No more than the caller holds; none, no rights."
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
            "type": "integer"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates an API key; its secret is answered this once.",
        "description": "By a person: a key never creates, widens or renews a key. `sessions:mint` needs an owner."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "revoked",
            "member": "revoked",
            "in": "query",
            "type": "boolean"
          }
        ],
        "pageMax": 100,
        "summary": "Lists the organization's API keys."
      },
      {
        "name": "current",
        "id": "apiKeys.current",
        "method": "GET",
        "path": "/v1/api-keys/current",
        "ids": [],
        "flags": [],
        "summary": "Gets the API key of this request; 404 for a person."
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
            "help": "Identifies one API key."
          }
        ],
        "flags": [],
        "summary": "Gets one API key, without its secret."
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
            "help": "Identifies one API key."
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
              "mcp:resolve",
              "mcp:call",
              "sessions:mint",
              "invitations:link",
              "access:read",
              "audit:read",
              "analytics:read"
            ],
            "many": true,
            "help": "Some of those it has."
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
            "type": "integer"
          }
        ],
        "body": true,
        "summary": "Renames or narrows an API key."
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
            "help": "Identifies one API key."
          }
        ],
        "flags": [
          {
            "name": "grace-seconds",
            "member": "graceSeconds",
            "in": "body",
            "type": "integer",
            "help": "How long the old key still works; 0 unless told."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Gives an API key a new secret; the old one works for a grace."
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
            "help": "Identifies one API key."
          }
        ],
        "flags": [],
        "summary": "Revokes an API key; it is kept for the audit."
      }
    ]
  },
  {
    "name": "access",
    "id": "access",
    "summary": "Why somebody can reach something, and what a revocation does.",
    "operations": [
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
            "help": "For example plg_… or mkt_…"
          }
        ],
        "flags": [
          {
            "name": "member",
            "member": "orgMembershipId",
            "in": "body",
            "type": "string",
            "help": "Whom; the caller unless told."
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
            ]
          }
        ],
        "body": true,
        "summary": "Answers the chain of grants that lets somebody do something, or the link that is missing.",
        "description": "About others it needs `access:read`; parts the caller may not see are `hidden`."
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
        "summary": "Answers who would lose what if a grant were revoked."
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
            "help": "Ascending, from the event after this one: for a tail."
          }
        ],
        "pageMax": 100,
        "summary": "Lists audit events, newest first; ascending with `after`."
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
            ]
          }
        ],
        "streams": true,
        "summary": "Streams audit events in their order, as NDJSON or CSV; cells that a spreadsheet would run are quoted."
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
            "help": "Of a checkpoint that was kept elsewhere; with `hash`."
          },
          {
            "name": "hash",
            "member": "hash",
            "in": "query",
            "type": "string",
            "help": "Of that checkpoint, in hex."
          }
        ],
        "summary": "Checks the sealed order: a changed, lost or added event shows.",
        "description": "Whoever has the database and not the secret keys cannot change it unnoticed, but could take back its end with all that was signed for it: a checkpoint that was kept elsewhere shows that too."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the signed checkpoints of the sealed order."
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
            "name": "adapter",
            "member": "adapter",
            "in": "body",
            "type": "enum",
            "values": [
              "git",
              "rest"
            ],
            "help": "`git` reads a clone URL; `rest` speaks to the host's own interface through an installation."
          },
          {
            "name": "clone-url",
            "member": "cloneUrl",
            "in": "body",
            "type": "string",
            "help": "For git: an https address, or a path under the roots that the operator allows."
          },
          {
            "name": "repository-full-name",
            "member": "repositoryFullName",
            "in": "body",
            "type": "string",
            "help": "For rest: `owner/name`."
          },
          {
            "name": "connector-account-id",
            "member": "connectorAccountId",
            "in": "body",
            "type": "string",
            "help": "Needed for rest; for git the account of the address's host."
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
          },
          {
            "name": "archived",
            "member": "archived",
            "in": "query",
            "type": "boolean",
            "help": "Also those that are archived."
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
        "flags": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "query",
            "type": "string",
            "help": "Which branch, when the instance has several; the first one unless told."
          }
        ],
        "idempotent": true,
        "summary": "Queues a sync of the repository's head; one that waits already is answered again.",
        "description": "A branch that was rolled back follows its head again."
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
        "flags": [
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "query",
            "type": "string",
            "help": "Which branch, when the instance has several; the first one unless told."
          }
        ],
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
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "query",
            "type": "string",
            "help": "Which branch, when the instance has several; the first one unless told."
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
            "many": true
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
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "Which branch, when the instance has several; the first one unless told."
          },
          {
            "name": "plan-digest",
            "member": "planDigest",
            "in": "body",
            "type": "string",
            "help": "Of the plan that was looked at: nothing is applied when it would do anything else by now."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Imports the selected plugins and keeps them in step.",
        "description": "Plugins, mappings and the marketplace are made in one transaction; the content follows by a sync that is waited for up to 20 seconds (`wait=0` does not wait). With `planDigest` the sync imports the revision that was planned."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Archives a connector instance: it is hidden from lists, and pushes are ignored.",
        "description": "What it imported stays, and so does its name; `enable` brings it back."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [],
        "summary": "Shows what is set up: branches, imported plugins, mappings and the last sync of each branch."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "enabled",
            "member": "enabled",
            "in": "body",
            "type": "boolean",
            "required": true
          }
        ],
        "body": true,
        "summary": "Says whether plugins that appear later are imported without being asked.",
        "description": "From the next sync on; what is imported is kept in step either way."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "branch",
            "member": "branch",
            "in": "body",
            "type": "string",
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Adds a branch to a connector instance; at most 50.",
        "description": "The repository is asked for it once. Nothing is imported before an apply or a mapping says what."
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
            "help": "Identifies one connector target."
          }
        ],
        "flags": [
          {
            "name": "branch",
            "member": "branch",
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
        "summary": "Changes the branch or the configuration of a connector target.",
        "description": "Another branch is asked for once, and read at the next sync."
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
            "help": "Identifies one connector target."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Queues a sync that reads every file again, also those that did not change.",
        "description": "What is the same makes no new version. A branch that was rolled back follows its head again afterwards."
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
            "help": "Identifies one connector target."
          }
        ],
        "flags": [
          {
            "name": "selector",
            "member": "selector",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A file or folder of the repository, as `skills/review`, or `.` for all of it."
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
            "help": "What a config object is to an agent."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "body",
            "type": "string"
          },
          {
            "name": "auto-add-to-plugin",
            "member": "autoAddToPlugin",
            "in": "body",
            "type": "boolean",
            "help": "Put what is found into the plugin; true when one is named."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Maps a file or folder of a branch to config objects, and queues a sync that imports it.",
        "description": "At most 1 000 a branch. Imports leave it alone. On a branch that was rolled back it is read when that follows its head again."
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
            "help": "Identifies one connector mapping."
          }
        ],
        "flags": [
          {
            "name": "selector",
            "member": "selector",
            "in": "body",
            "type": "string",
            "help": "A file or folder of the repository, as `skills/review`, or `.` for all of it."
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
            "help": "What a config object is to an agent."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "in": "body",
            "type": "string"
          },
          {
            "name": "auto-add-to-plugin",
            "member": "autoAddToPlugin",
            "in": "body",
            "type": "boolean"
          }
        ],
        "body": true,
        "summary": "Changes a mapping that was made by hand.",
        "description": "The plugin changes at once; another selector or type is read by the sync that is queued. Mappings that an import made are its own: 403 `managed_by_connector`."
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
            "help": "Identifies one connector mapping."
          }
        ],
        "flags": [],
        "summary": "Deletes a mapping that was made by hand, and at once what only it feeds."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "select",
            "member": "selectedKeys",
            "in": "body",
            "type": "string",
            "many": true
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
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "Which branch, when the instance has several; the first one unless told."
          }
        ],
        "body": true,
        "summary": "Answers what an apply would do: plugins, mappings and objects it adds, changes and removes.",
        "description": "Takes the body of `apply` and writes nothing. Waits up to 30 seconds for the repository; a larger one answers 503 `discovery_in_progress` while it is read. Files are told by name and digest: one that turns out not to be text is told by the sync."
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
            "help": "Identifies one connector sync event."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Queues a new run of a sync that failed, or left files out.",
        "description": "It reads the branch as it is now; of a rollback it restores the same revision."
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
            "help": "Identifies one connector instance."
          }
        ],
        "flags": [
          {
            "name": "revision",
            "member": "revision",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "A revision that this branch has published before."
          },
          {
            "name": "connector-target-id",
            "member": "connectorTargetId",
            "in": "body",
            "type": "string",
            "help": "Which branch, when the instance has several; the first one unless told."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Restores what an earlier revision held, as new versions, and pins the branch to it.",
        "description": "From the versions that are kept, so the commit need not be there any more; grants that ended with a deletion do not come back. Pushes and reconciliation leave the branch alone until somebody syncs it by hand."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the organization's accounts at code hosts.",
        "description": "To callers who may not connect repositories only those behind an instance that they can see."
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
            "help": "Identifies one connector account."
          }
        ],
        "flags": [],
        "summary": "Gets one account at a code host."
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
            "help": "The host's origin, as https://git.example."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "The host's name unless told."
          }
        ],
        "constants": {
          "adapter": "git"
        },
        "body": true,
        "idempotent": true,
        "summary": "Makes an account for plain git at one host.",
        "description": "An account that speaks to a host's own interface comes from installing the app there."
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
            "help": "Identifies one connector account."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Forgets an account that no instance uses; at the host nothing changes.",
        "description": "An installation is free for another organization then."
      },
      {
        "name": "start-install",
        "id": "connectors.startInstall",
        "method": "POST",
        "path": "/v1/connectors/codehost/install/start",
        "ids": [],
        "flags": [],
        "idempotent": true,
        "summary": "Begins to install the app at the code host; a key cannot.",
        "description": "Open `url` in a browser. The host sends it back with `state`, `code` and `installation_id`; hand them to the completion within ten minutes, in the same session."
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
            "required": true
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the code. `-` prompts, or reads stdin"
          },
          {
            "name": "installation-id",
            "member": "installationId",
            "in": "body",
            "type": "string",
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Makes an installation of the app an account of the organization; 200 when it was one.",
        "description": "Whoever completes must administer, at the code host, every repository that the installation holds. One installation belongs to one organization."
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
            "help": "Identifies one connector account."
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
        "summary": "Lists the repositories that an installation holds, in the host's order.",
        "description": "Every page has as many rows as the first."
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
            "help": "Identifies one connector account."
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
            "name": "remote-id",
            "member": "remoteId",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The repository, by its id at the host."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the branches of a repository that an installation holds, in the host's order.",
        "description": "Every page has as many rows as the first."
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
            "help": "Identifies one connector account."
          },
          {
            "name": "remote-id",
            "member": "remoteId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "The repository: its id at the host, or its clone URL for plain git."
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
            "member": "config"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Connects a repository through an account that is there, with one branch.",
        "description": "Reads the repository once, so a wrong id or branch is told at once."
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
        "summary": "Creates a private config object and its first version.",
        "description": "The text of a skill begins with front matter as SKILL.md has it: a `name` of at most 64 lower-case letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise 400, with a detail whose `code` is `invalid_skill_front_matter` for each fault."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Hides a config object from lists and plugins; it keeps its versions and grants."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Shows an archived config object again, where it was."
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
            "help": "Identifies one config object."
          }
        ],
        "flags": [],
        "summary": "Removes a config object from every plugin and list; its grants end."
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
            "help": "Identifies one config object."
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
            "help": "`title`, `description`, `fileName` and `relativePath` are used; the rest is not kept."
          }
        ],
        "flatten": "input",
        "body": true,
        "idempotent": true,
        "summary": "Writes a new version; the same content as the latest is answered with 200, and no version is written.",
        "description": "The text of a skill begins with front matter as SKILL.md has it: a `name` of at most 64 lower-case letters, digits and single hyphens, and a `description` of 1 to 1024 characters. Otherwise 400, with a detail whose `code` is `invalid_skill_front_matter` for each fault."
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
            "help": "Identifies one config object."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "Identifies one config object version."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Writes a new version with the content of an earlier one; 200 and no version when the latest has that content."
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
            "help": "Identifies one config object."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "Identifies one config object version."
          }
        ],
        "flags": [
          {
            "name": "against",
            "member": "against",
            "in": "query",
            "type": "string",
            "help": "Another version of the object; the one before unless told."
          }
        ],
        "summary": "Compares a version with another: its text and its payload."
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
            "help": "Identifies one config object."
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
        "summary": "Puts a config object into a plugin; 200 when it is in there.",
        "description": "Whoever sees the plugin sees it then: this takes a manager of the object and an editor of the plugin."
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
            "help": "Identifies one config object."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "Identifies one plugin."
          }
        ],
        "flags": [],
        "summary": "Takes a config object out of a plugin, as the object's manager."
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
            "help": "Identifies one plugin."
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
        "summary": "Renames or describes a plugin that no connector drives."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Hides a plugin from lists and marketplaces, and what is in it with it; it keeps its grants."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Shows an archived plugin again, where it was."
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
            "help": "Identifies one plugin."
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
        "summary": "Puts a config object into a plugin; 200 when it is in there.",
        "description": "Whoever sees the plugin sees it then: this takes an editor of the plugin and a manager of the object."
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
            "help": "Identifies one plugin."
          },
          {
            "name": "config-object-id",
            "member": "configObjectId",
            "help": "Identifies one config object."
          }
        ],
        "flags": [],
        "summary": "Takes a config object out of a plugin; the object stays."
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
            "help": "Identifies one plugin."
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
            "help": "Default: tar.gz."
          }
        ],
        "streams": true,
        "summary": "Download a plugin as agents install it, as a tar.gz or zip.",
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
            "help": "Identifies one plugin."
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
            "help": "Default: tar.gz."
          },
          {
            "name": "organization-id",
            "member": "organizationId",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "Identifies one organization."
          },
          {
            "name": "holder",
            "member": "holder",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The member or API key that was given the link: it is good as long as they see the plugin."
          },
          {
            "name": "sha256",
            "member": "sha256",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "The digest of the archive that the link was made for."
          },
          {
            "name": "expires",
            "member": "expires",
            "in": "query",
            "type": "string",
            "required": true,
            "help": "Seconds since 1970."
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
        "summary": "Downloads a plugin by a link of `marketplace.json`, without a credential.",
        "description": "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
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
            "help": "The https address of an image."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates an empty private marketplace."
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
            "help": "Identifies one marketplace."
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
            "help": "The https address of an image."
          }
        ],
        "body": true,
        "summary": "Renames or describes a marketplace, or changes its logo.",
        "description": "Name and description of one that a connector made are the repository's: 403 `managed_by_connector`."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Hides a marketplace from lists; it shows nobody its plugins, and keeps them and its grants."
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
            "help": "Identifies one marketplace."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Offers an archived marketplace again to whom it was shared with."
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
            "help": "Identifies one marketplace."
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
        "summary": "Puts a plugin into a marketplace; 200 when it is in there.",
        "description": "Whoever sees the marketplace sees it then: this takes an editor of the marketplace and a manager of the plugin."
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
            "help": "Identifies one marketplace."
          },
          {
            "name": "plugin-id",
            "member": "pluginId",
            "help": "Identifies one plugin."
          }
        ],
        "flags": [],
        "summary": "Takes a plugin out of a marketplace; the plugin stays."
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
            "help": "Identifies one marketplace."
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
            "help": "The format of the linked archives. Default: zip."
          }
        ],
        "summary": "A marketplace as agents read it, each plugin with a link to its archive.",
        "description": "The links need no credential, are good for 55 to 60 minutes, and end when the caller no longer sees the plugin or its content changes. A plugin of which no archive can be made is left out. Where many archives are made for the first time it is 503 with `Retry-After`, and the next request goes on."
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
            "help": "Identifies one marketplace."
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
            "help": "The team whose access the link uses; requires a manager of the marketplace. Default: your own access."
          },
          {
            "name": "expires-at",
            "member": "expiresAt",
            "in": "body",
            "type": "string",
            "help": "When the link expires: a future time with an offset or Z. Default: the link does not expire."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Create a link that gives an agent read access to a marketplace.",
        "description": "Anyone with the link can read the marketplace and its plugins with your access, or with a team's; access is checked on each request. Only managers of the marketplace can create a link for a team. A link is valid until it expires, is revoked, or its creator leaves the organization. API keys cannot create links."
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
        "summary": "List the links of a marketplace.",
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
            "help": "Identifies one marketplace."
          },
          {
            "name": "link-id",
            "member": "linkId",
            "help": "Identifies one marketplace link."
          }
        ],
        "flags": [],
        "summary": "Revoke a marketplace link.",
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
        "summary": "Get a marketplace through a marketplace link, without a credential.",
        "description": "Returns the plugins that the link's member or team can see now. Plugins are zip archives; their URLs contain the same token and are valid for as long as the link is."
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
            "help": "Identifies one plugin."
          }
        ],
        "flags": [],
        "streams": true,
        "public": true,
        "summary": "Download a plugin through a marketplace link, as a zip.",
        "description": "A zip keeps the executable bit of files as Unix permissions. The archive is byte-identical for as long as the content is unchanged. `ETag` and `repr-digest` contain its SHA-256. `x-archive-signature` is the base64 Ed25519 signature of the text `orgplane plugin archive`, the plugin's id and the hex digest, each followed by a line feed; `x-archive-key-id` identifies the key in `GET /v1/keys`."
      }
    ]
  },
  {
    "name": "desktop-policies",
    "id": "desktopPolicies",
    "summary": "Switches of the desktop app, for members, teams or everybody.",
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
            "help": "Whether people may add model providers of their own.",
            "nested": true
          },
          {
            "name": "allow-partner-model",
            "member": "allowPartnerModel",
            "in": "body",
            "type": "boolean",
            "help": "Whether the partner's models may be chosen.",
            "nested": true
          },
          {
            "name": "allow-multiple-workspaces",
            "member": "allowMultipleWorkspaces",
            "in": "body",
            "type": "boolean",
            "help": "Whether more than one workspace may be open.",
            "nested": true
          },
          {
            "name": "allow-control-settings",
            "member": "allowControlSettings",
            "in": "body",
            "type": "boolean",
            "help": "Whether people may change the app's own settings.",
            "nested": true
          },
          {
            "name": "allow-manage-extensions",
            "member": "allowManageExtensions",
            "in": "body",
            "type": "boolean",
            "help": "Whether people may install and remove extensions.",
            "nested": true
          },
          {
            "name": "allow-built-in-extensions",
            "member": "allowBuiltInExtensions",
            "in": "body",
            "type": "boolean",
            "help": "Whether the extensions that come with the app run.",
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
            "help": "Whether the app opens with its welcome page.",
            "nested": true
          },
          {
            "name": "onboarding-prompt",
            "member": "onboardingPrompts",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "At most three, offered to who opens the app for the first time; [] states that there are none.",
            "nested": true
          },
          {
            "name": "onboarding-prompt-description",
            "member": "onboardingPromptDescriptions",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "One for each prompt, in their order; all empty when absent.",
            "nested": true
          },
          {
            "name": "policy-name",
            "member": "policyName",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Unique in the organization, in any case of letters."
          },
          {
            "name": "priority",
            "member": "priority",
            "in": "body",
            "type": "integer",
            "help": "The highest wins; 0 unless told."
          },
          {
            "name": "is-enabled",
            "member": "isEnabled",
            "in": "body",
            "type": "boolean",
            "help": "true unless told."
          },
          {
            "name": "member-id",
            "member": "memberIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Members it applies to; without members and teams it applies to the whole organization."
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Teams whose members it applies to."
          }
        ],
        "flatten": "policy",
        "body": true,
        "idempotent": true,
        "summary": "Creates a policy: for the members and teams it names, or else the whole organization.",
        "description": "It holds at once. An id that is named twice counts once."
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
            "help": "The `nextCursor` of the page before."
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
        "summary": "Lists the desktop policies of the organization."
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
            "member": "create"
          },
          {
            "member": "patch",
            "help": "One policy changed, as an update would."
          },
          {
            "member": "delete",
            "help": "One policy gone."
          },
          {
            "member": "reorder",
            "help": "Other priorities, of several policies at once."
          }
        ],
        "body": true,
        "summary": "Answers what a change would do, by member and setting; changes nothing.",
        "description": "What the change itself would be refused for, this is refused for."
      },
      {
        "name": "effective",
        "id": "desktopPolicies.effective",
        "method": "GET",
        "path": "/v1/members/:orgMembershipId/desktop-policy",
        "ids": [
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "help": "Identifies one organization membership."
          }
        ],
        "flags": [
          {
            "name": "explain",
            "member": "explain",
            "in": "query",
            "type": "boolean",
            "help": "`true` tells of every setting which policy won, and why the others lost."
          }
        ],
        "summary": "Gets what holds for a member, and with `explain` why."
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
            "help": "Identifies one desktop policy."
          }
        ],
        "flags": [],
        "summary": "Gets one desktop policy."
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
            "help": "Identifies one desktop policy."
          }
        ],
        "flags": [
          {
            "name": "policy-name",
            "member": "policyName",
            "in": "body",
            "type": "string"
          },
          {
            "name": "priority",
            "member": "priority",
            "in": "body",
            "type": "integer"
          },
          {
            "name": "is-enabled",
            "member": "isEnabled",
            "in": "body",
            "type": "boolean"
          },
          {
            "name": "member-id",
            "member": "memberIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "All members it is assigned to from now on. `[]` clears them; a policy whose last assignment is cleared applies to the whole organization."
          },
          {
            "name": "team-id",
            "member": "teamIds",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "All teams it is assigned to from now on."
          }
        ],
        "json": [
          {
            "member": "policy",
            "help": "All that it states from now on."
          }
        ],
        "body": true,
        "summary": "Updates a desktop policy; `policy`, `memberIds` and `teamIds` replace what was there."
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
            "help": "Identifies one desktop policy."
          }
        ],
        "flags": [],
        "summary": "Removes a desktop policy; its name is free."
      }
    ]
  },
  {
    "name": "templates",
    "id": "templates",
    "summary": "Versioned blueprints of plugins with their config objects, and making plugins of them.",
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
            "help": "Unique in the organization."
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
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates a template and its first version.",
        "description": "A placeholder `{{ name }}` stands for the value of a declared variable; `{{{{` stands for `{{`. Placeholders may stand in the texts, in the text values of payload and metadata, and in the plugin's name and description; not in names of members. In a JSON text they stand inside strings, in front matter and YAML inside values, and what is put there is quoted: a value is always text, and never changes the structure. Everything else with `{{` is refused."
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
            "help": "The `nextCursor` of the page before."
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
        "summary": "Lists the templates of the organization."
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
            "help": "Identifies one template."
          }
        ],
        "flags": [],
        "summary": "Gets one template with its latest version."
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
            "help": "Identifies one template."
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
        "summary": "Renames or describes a template; its content changes by a new version."
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
            "help": "Identifies one template."
          }
        ],
        "flags": [],
        "summary": "Removes a template with its versions; what was made of it stays."
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
            "help": "Identifies one template."
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
        "summary": "Lists the versions of a template, newest first, without their content."
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
            "help": "Identifies one template."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "Identifies one template version."
          }
        ],
        "flags": [],
        "summary": "Gets one version of a template with its content."
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
            "help": "Identifies one template."
          }
        ],
        "flags": [],
        "json": [
          {
            "member": "content",
            "required": true,
            "help": "The whole new content: what is not stated is not in it."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Writes a new version; the same content as the latest is answered with 200, and no version is written.",
        "description": "A placeholder `{{ name }}` stands for the value of a declared variable; `{{{{` stands for `{{`. Placeholders may stand in the texts, in the text values of payload and metadata, and in the plugin's name and description; not in names of members. In a JSON text they stand inside strings, in front matter and YAML inside values, and what is put there is quoted: a value is always text, and never changes the structure. Everything else with `{{` is refused."
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
            "help": "Identifies one template."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "Identifies one template version."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Writes a new version with the content of an earlier one; 200 and no version when the latest has that content."
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
            "help": "Identifies one template."
          },
          {
            "name": "version-id",
            "member": "versionId",
            "help": "Identifies one template version."
          }
        ],
        "flags": [
          {
            "name": "against",
            "member": "against",
            "in": "query",
            "type": "string",
            "help": "Another version of the template; the one before unless told."
          }
        ],
        "summary": "Compares a version of a template with another."
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
            "help": "Identifies one template."
          }
        ],
        "flags": [
          {
            "name": "version-id",
            "member": "versionId",
            "in": "body",
            "type": "string",
            "help": "The latest version unless told."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Of the plugin, instead of the template's."
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
        "summary": "Shows what would be made of a template with these values; nothing is written.",
        "description": "Refuses what `templates.instantiate` refuses, with the same details."
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
            "help": "Identifies one template."
          }
        ],
        "flags": [
          {
            "name": "version-id",
            "member": "versionId",
            "in": "body",
            "type": "string",
            "help": "The latest version unless told."
          },
          {
            "name": "name",
            "member": "name",
            "in": "body",
            "type": "string",
            "help": "Of the plugin, instead of the template's."
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
        "summary": "Makes a private plugin of a template, with its config objects; all of it or nothing.",
        "description": "The caller becomes their manager. The template may change or go afterwards: what was made stays."
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
            "help": "Identifies one template."
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
        "summary": "Lists the plugins that were made of a template and that the caller can see."
      }
    ]
  },
  {
    "name": "mcp-connections",
    "id": "mcpConnections",
    "summary": "Servers of tools: found, connected, watched, tried out.",
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
            "help": "Unique in the organization."
          },
          {
            "name": "url",
            "member": "url",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "https; plain http only where the operator allows it."
          },
          {
            "name": "preset-id",
            "member": "presetId",
            "in": "body",
            "type": "string"
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
            "help": "How the server knows its callers: OAuth 2.1, a key in a header, or not at all."
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
            "help": "`per_member` of OAuth and `shared` of the others, unless told."
          },
          {
            "name": "scope",
            "member": "scopes",
            "in": "body",
            "type": "string",
            "many": true
          },
          {
            "name": "api-key-header",
            "member": "apiKeyHeader",
            "in": "body",
            "type": "string",
            "help": "`authorization` unless told."
          },
          {
            "name": "api-key-scheme",
            "member": "apiKeyScheme",
            "in": "body",
            "type": "string",
            "help": "`Bearer` unless told, none in a header of another name."
          }
        ],
        "json": [
          {
            "member": "oauthClient",
            "help": "A client registered at the authorization server by hand."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates a private connection; nothing is asked of the server yet."
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
            "help": "The `nextCursor` of the page before."
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
        "summary": "Lists the connections the caller can see."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Gets one connection."
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
            "help": "Identifies one external MCP connection."
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
            "help": "https; plain http only where the operator allows it."
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
            "help": "How the server knows its callers: OAuth 2.1, a key in a header, or not at all."
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
            "help": "One credential that everybody with a grant uses, or each member's own."
          },
          {
            "name": "scope",
            "member": "scopes",
            "in": "body",
            "type": "string",
            "many": true
          },
          {
            "name": "api-key-header",
            "member": "apiKeyHeader",
            "in": "body",
            "type": "string",
            "help": "`authorization` unless told."
          },
          {
            "name": "api-key-scheme",
            "member": "apiKeyScheme",
            "in": "body",
            "type": "string",
            "help": "`Bearer` unless told, none in a header of another name."
          }
        ],
        "json": [
          {
            "member": "oauthClient",
            "help": "A client registered at the authorization server by hand."
          }
        ],
        "body": true,
        "summary": "Updates a connection; another address, kind of authentication or mode deletes its credentials.",
        "description": "What was accepted of the server is forgotten with them. Takes a manager."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Removes a connection with its credentials and grants."
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
            "help": "Identifies one external MCP connection."
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
        "summary": "Lists the grants of a connection."
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
            "help": "Identifies one external MCP connection."
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
        "summary": "Grants access to a connection; 200 when the receiver had a grant.",
        "description": "To use its tools takes a grant that names one, also of owners and admins."
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
            "help": "Identifies one external MCP connection."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "Identifies one MCP connection access grant."
          }
        ],
        "flags": [],
        "summary": "Revokes one grant; it is kept as history."
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
            "help": "Identifies one external MCP connection."
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
            "name": "refresh",
            "member": "refresh",
            "in": "query",
            "type": "boolean",
            "help": "`true` asks the server now."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the tools of a connection by name; asked of the server every five minutes at most.",
        "description": "Takes a grant that names the caller, also of owners and admins: it uses the credential."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Gets which tools may be called."
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
            "help": "Identifies one external MCP connection."
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
            "help": "What of the tools that neither list names: all, those that say they only read, or none."
          },
          {
            "name": "allow",
            "member": "allowed",
            "in": "body",
            "type": "string",
            "many": true
          },
          {
            "name": "deny",
            "member": "denied",
            "in": "body",
            "type": "string",
            "many": true,
            "help": "Stronger than `allowed`."
          }
        ],
        "body": true,
        "summary": "Says which tools may be called; a tool that is not there yet may be named. Takes a manager."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [],
        "summary": "Gets in what the server differs from what was accepted.",
        "description": "Tools that are new or changed are refused until somebody decides; after another issuer or endpoint the whole connection is."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "fingerprint",
            "member": "fingerprint",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Of the review: another one is 409 `stale_revision`."
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
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Accepts the server as it is now, or keeps refusing what changed. Takes a manager."
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
            "help": "Identifies one external MCP connection."
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
            "required": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Runs one tool and shows the exchange, for diagnosis; nothing of it is kept.",
        "description": "At most 60 seconds and 60 calls a minute in an organization. Takes a grant that names the caller. A tool that the policy denies is 403 `policy_blocked`, one that changed 403 `tool_review_required`."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Begins to connect by OAuth; a key cannot.",
        "description": "Open `url` in a browser. The authorization server sends it to our callback, which stores nothing: hand `state`, `code` and `iss` to the completion within ten minutes, in the same session. A shared credential takes a manager, one's own a viewer."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [
          {
            "name": "state",
            "member": "state",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the code. `-` prompts, or reads stdin"
          },
          {
            "name": "iss",
            "member": "iss",
            "in": "body",
            "type": "string",
            "help": "The issuer, where the browser brought one."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Exchanges what the browser brought back for a credential, and keeps it sealed."
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
            "help": "Identifies one external MCP connection."
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
            "help": "File with the API key. `-` prompts, or reads stdin"
          }
        ],
        "body": true,
        "summary": "Connects by a key: the shared one by a manager, their own by any member with a grant.",
        "description": "The server is asked once; a key that it refuses is 400 and not kept."
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
            "help": "Identifies one external MCP connection."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Deletes the shared credential, or the caller's own; twice changes nothing."
      },
      {
        "name": "client-metadata",
        "id": "mcpConnections.clientMetadata",
        "method": "GET",
        "path": "/v1/mcp-connections/client-metadata.json",
        "ids": [],
        "flags": [],
        "public": true,
        "summary": "Who we are to authorization servers: our client id is the address of this document."
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
        "summary": "Lists the servers that are known well, by name."
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
        "summary": "Finds the MCP server that an address, a host or a name means, and what it asks for.",
        "description": "Registers nothing, stores nothing, creates nothing. At most five addresses are tried, 8 seconds each and 15 in all, and 30 queries a minute in an organization, three of them at once; one that waits 30 seconds for its turn is 503."
      }
    ]
  },
  {
    "name": "llm-providers",
    "id": "llmProviders",
    "summary": "Where models come from: chosen from a catalogue or named by their address, shared, handed out.",
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
            "help": "Unique in the organization."
          },
          {
            "name": "provider-id",
            "member": "providerId",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Of the catalogue; `custom` for an address of your own."
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
            "help": "`shared` unless told."
          },
          {
            "name": "address",
            "member": "baseUrl",
            "in": "body",
            "type": "string",
            "help": "https; plain http only where the operator allows it. As `https://llm.example/v1`."
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
            "help": "How the provider is spoken to, and in which header its key goes: `authorization` with Bearer, `x-api-key`, `x-goog-api-key`, `api-key`. `other` is known to the provider's own library alone, and cannot be tested."
          },
          {
            "name": "env",
            "member": "env",
            "in": "body",
            "type": "string",
            "many": true
          }
        ],
        "json": [
          {
            "member": "models",
            "help": "Null for all, as unless told."
          },
          {
            "member": "headers",
            "help": "At most sixteen, none of them secret."
          },
          {
            "member": "options",
            "help": "At most 16 KiB, nothing of it secret."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates a private provider; nothing is asked of it yet.",
        "description": "Of a provider of the catalogue address, format and names of variables are taken from there unless told."
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
            "help": "The `nextCursor` of the page before."
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
        "summary": "Lists the providers the caller can see."
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
            "help": "Identifies one LLM provider."
          }
        ],
        "flags": [],
        "summary": "Gets one provider."
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
            "help": "Identifies one LLM provider."
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
            "name": "provider-id",
            "member": "providerId",
            "in": "body",
            "type": "string",
            "help": "Of the catalogue; `custom` for an address of your own."
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
            "help": "One key that everybody with a grant uses, each member's own, or none at all."
          },
          {
            "name": "address",
            "member": "baseUrl",
            "in": "body",
            "type": "string",
            "help": "https; plain http only where the operator allows it. As `https://llm.example/v1`."
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
            "help": "How the provider is spoken to, and in which header its key goes: `authorization` with Bearer, `x-api-key`, `x-goog-api-key`, `api-key`. `other` is known to the provider's own library alone, and cannot be tested."
          },
          {
            "name": "env",
            "member": "env",
            "in": "body",
            "type": "string",
            "many": true
          }
        ],
        "json": [
          {
            "member": "models",
            "help": "Null for all, as unless told."
          },
          {
            "member": "headers",
            "help": "At most sixteen, none of them secret."
          },
          {
            "member": "options",
            "help": "At most 16 KiB, nothing of it secret."
          }
        ],
        "body": true,
        "summary": "Updates a provider; another provider, address or mode deletes its keys.",
        "description": "Takes a manager."
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
            "help": "Identifies one LLM provider."
          }
        ],
        "flags": [],
        "summary": "Removes a provider with its keys and grants."
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
            "help": "Identifies one LLM provider."
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
        "summary": "Lists the grants of a provider."
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
            "help": "Identifies one LLM provider."
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
        "summary": "Grants access to a provider; 200 when the receiver had a grant.",
        "description": "To be handed its key takes a grant that names one, also of owners and admins."
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
            "help": "Identifies one LLM provider."
          },
          {
            "name": "grant-id",
            "member": "grantId",
            "help": "Identifies one LLM provider access grant."
          }
        ],
        "flags": [],
        "summary": "Revokes one grant; it is kept as history."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of an id or name, in any case."
          },
          {
            "name": "provider-id",
            "member": "providerId",
            "in": "query",
            "type": "string"
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
            ]
          }
        ],
        "pageMax": 100,
        "summary": "Lists the models of the public catalogue, by provider and id.",
        "description": "Read at most once an hour, for all organizations; nothing of yours is sent. 409 where the operator has turned it off, 503 while it has never been reached."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of an id or name, in any case."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the providers of the public catalogue, by id."
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
            "help": "Identifies one LLM provider."
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
            "help": "File with the API key. `-` prompts, or reads stdin"
          }
        ],
        "body": true,
        "summary": "Keeps a key sealed: the shared one by a manager, their own by any member with a grant.",
        "description": "In place of the one there was. The provider is not asked; `test` does that."
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
            "help": "Identifies one LLM provider."
          }
        ],
        "flags": [],
        "summary": "Deletes the shared key, or the caller's own."
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
            "help": "Identifies one LLM provider."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Hands out what a member's machine needs to use the provider, the key included.",
        "description": "Takes a grant that names the caller, also of owners and admins: 403 `grant_required` without one. 409 while there is no key for them."
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
            "help": "Identifies one LLM provider."
          }
        ],
        "flags": [],
        "summary": "Asks the provider for its models with the key the caller would use; spends nothing.",
        "description": "At most 15 seconds, and 30 tests a minute in an organization. A provider that refuses is an answer, not an error: 200 with `ok` false and what is wrong."
      }
    ]
  },
  {
    "name": "capabilities",
    "id": "capabilities",
    "summary": "Mail drafts, messages and meeting links, as the calling person. Never sends.",
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
            "required": true
          },
          {
            "name": "subject",
            "member": "subject",
            "in": "body",
            "type": "string",
            "required": true
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
            "many": true
          },
          {
            "name": "bcc",
            "member": "bcc",
            "in": "body",
            "type": "string",
            "many": true
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates a draft in the caller's mailbox; it is never sent."
      },
      {
        "name": "get-mail-message",
        "id": "capabilities.getMailMessage",
        "method": "GET",
        "path": "/v1/capabilities/suite-a/mail-message/:messageId",
        "ids": [
          {
            "name": "message-id",
            "member": "messageId"
          }
        ],
        "flags": [],
        "summary": "Reads one message of the caller's mailbox, its body as plain text."
      },
      {
        "name": "update-calendar-event",
        "id": "capabilities.updateCalendarEvent",
        "method": "PATCH",
        "path": "/v1/capabilities/suite-b/calendar-event/:eventId",
        "ids": [
          {
            "name": "event-id",
            "member": "eventId"
          }
        ],
        "flags": [
          {
            "name": "create-meet-link",
            "member": "createMeetLink",
            "in": "body",
            "type": "boolean",
            "required": true,
            "help": "`false` changes nothing and answers the event as it is."
          }
        ],
        "body": true,
        "summary": "Adds a video meeting to an event of the caller's primary calendar; one that has it keeps it."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the caller's connections, one for each suite."
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
            "help": "`suite-a` holds mail, `suite-b` the calendar."
          }
        ],
        "flags": [],
        "summary": "Gets the caller's connection to a suite."
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
            "help": "`suite-a` holds mail, `suite-b` the calendar."
          }
        ],
        "flags": [
          {
            "name": "return-to",
            "member": "returnTo",
            "in": "body",
            "type": "string",
            "help": "Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Begins to connect the caller's account at a suite.",
        "description": "Open `url` in a browser. The suite sends it to our callback, which stores nothing: hand `state` and `code` to the completion within ten minutes, in the same session."
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
            "help": "`suite-a` holds mail, `suite-b` the calendar."
          }
        ],
        "flags": [
          {
            "name": "state",
            "member": "state",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "code",
            "member": "code",
            "in": "body",
            "type": "string",
            "required": true,
            "file": "line",
            "help": "File with the code. `-` prompts, or reads stdin"
          },
          {
            "name": "iss",
            "member": "iss",
            "in": "body",
            "type": "string"
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Exchanges what the browser brought back for the caller's own credential, and keeps it sealed."
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
            "help": "`suite-a` holds mail, `suite-b` the calendar."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Deletes the caller's credential for a suite; twice changes nothing."
      }
    ]
  },
  {
    "name": "memory",
    "id": "memory",
    "summary": "What a person had remembered. Nobody else ever sees it: no owner, no admin, no API key, no export of the organization.",
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
            "help": "Words to find it by; the same tag twice is kept once."
          }
        ],
        "json": [
          {
            "member": "contexts",
            "help": "Where it was said."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Saves a memory that the calling person confirmed.",
        "description": "The server sets source and scope, whatever is sent. A person has at most 10 000 memories in an organization."
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
            "help": "At most so many results; 20 unless told."
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
            "help": "`all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told."
          },
          {
            "name": "tag",
            "member": "tag",
            "in": "query",
            "type": "string",
            "help": "Only memories with this tag, in any case."
          }
        ],
        "summary": "Searches the calling person's memories, the most relevant first.",
        "description": "Looks at content, tags and snippets. Nothing that matches is an empty list, whatever the text. Equals stand newest first."
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
            "help": "`all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told."
          }
        ],
        "streams": true,
        "summary": "Streams the calling person's memories with their contexts, as NDJSON.",
        "description": "Lines of `{ kind, item }`: first `memories` with what was asked for, then each `memory`, newest first. The last line is `end` with the count of the others."
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
            "help": "The `nextCursor` of the page before."
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
            "help": "`all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told."
          },
          {
            "name": "tag",
            "member": "tag",
            "in": "query",
            "type": "string",
            "help": "Only memories with this tag, in any case."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the calling person's memories."
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
            "help": "Identifies one memory."
          }
        ],
        "flags": [],
        "summary": "Gets one memory of the calling person, with where it comes from."
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
            "help": "Identifies one memory."
          }
        ],
        "flags": [],
        "summary": "Deletes a memory, at once and for good."
      },
      {
        "name": "delete-all",
        "id": "memory.deleteAll",
        "method": "DELETE",
        "path": "/v1/memory",
        "ids": [],
        "flags": [],
        "summary": "Deletes every memory the calling person has in the organization, at once and for good."
      }
    ]
  },
  {
    "name": "telemetry",
    "id": "telemetry",
    "summary": "What people and workers do, told by their programs.",
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
            "help": "1 to 50 events. Each event is validated separately: an event that is not a valid `TelemetryEvent` is dropped or stored without its invalid members, and the response is 204."
          }
        ],
        "body": true,
        "summary": "Takes a batch of events; answers once they are durable.",
        "description": "The authentication alone says whose the events are. An event without a known `type`, `timestamp` or `source` is dropped and a member that is not allowed is removed, without an error; the ledger counts both under the request's `x-request-id`. With an `id` on each event the same batch can be sent again after any failure: nothing is counted twice."
      },
      {
        "name": "describe",
        "id": "telemetry.describe",
        "method": "GET",
        "path": "/v1/telemetry/schema",
        "ids": [],
        "flags": [],
        "summary": "Tells which events and fields are kept, and their bounds."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "request-id",
            "member": "requestId",
            "in": "query",
            "type": "string",
            "help": "Only what this request brought."
          }
        ],
        "pageMax": 100,
        "summary": "Lists what became of each batch of the last 30 days."
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
            "help": "The `nextCursor` of the page before."
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
            "help": "Part of value or label, in any case."
          }
        ],
        "pageMax": 100,
        "summary": "Lists what events were marked with: types of dimensions, their values, how often and when last.",
        "description": "The values that were seen first last. What is past the retention of events is not counted."
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
            "help": "Weeks begin on Monday; `day` unless told."
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
            "help": "Only events of this source."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only members who are in this team now."
          },
          {
            "name": "dimension-type",
            "member": "dimensionType",
            "in": "query",
            "type": "string",
            "help": "Tells by how many members each of its values is used: `skill`, `model`."
          }
        ],
        "summary": "Tells how many of the members use what is there: by day or week, source, team and dimension.",
        "description": "At most 400 days or weeks. Everything is about those who are members now."
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
            "help": "What is measured; `events` unless told. Durations at the median (`durationP50`) and the 95th percentile are told to 4 %."
          },
          {
            "name": "group-by",
            "member": "groupBy",
            "in": "query",
            "type": "string",
            "help": "`type`, `source`, `team`, `member`, or `dimension:<type>`."
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
            "help": "Weeks begin on Monday; `day` unless told."
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
            "help": "Only events of this source."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "in": "query",
            "type": "string",
            "help": "Only events of who is in this team now."
          },
          {
            "name": "org-membership-id",
            "member": "orgMembershipId",
            "in": "query",
            "type": "string",
            "help": "Only events of this member, also of one who has left."
          },
          {
            "name": "dimension-type",
            "member": "dimensionType",
            "in": "query",
            "type": "string",
            "help": "Only events with this dimension; with `dimensionValue`."
          },
          {
            "name": "dimension-value",
            "member": "dimensionValue",
            "in": "query",
            "type": "string",
            "help": "Only events with this value; with `dimensionType`."
          },
          {
            "name": "top",
            "member": "top",
            "in": "query",
            "type": "integer",
            "help": "At most so many groups, the largest first; 10 unless told."
          }
        ],
        "summary": "Measures events by day or week, as one figure or by group, with filters.",
        "description": "At most 400 days or weeks. Percentiles are not told by team or member, and groups of one dimension not within another: both are refused with 400."
      }
    ]
  },
  {
    "name": "admin",
    "id": "admin",
    "summary": "Figures and lists for who administers an organization, or all.",
    "operations": [
      {
        "name": "metrics",
        "id": "admin.metrics",
        "method": "GET",
        "path": "/v1/admin/metrics",
        "ids": [],
        "flags": [],
        "summary": "Figures of the organization: people, workers, activity, invitations, day by day.",
        "description": "An administrator of the installation who names no organization gets the figures of all of them together."
      },
      {
        "name": "overview",
        "id": "admin.overview",
        "method": "GET",
        "path": "/v1/admin/overview",
        "ids": [],
        "flags": [],
        "summary": "What there is in the organization, what needs somebody, and what changed last."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "search",
            "member": "q",
            "in": "query",
            "type": "string",
            "help": "Part of a name or address, in any case."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the people of the installation."
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
            "help": "The `nextCursor` of the page before."
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
        "summary": "Lists the organizations of the installation."
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
            "help": "Identifies one organization."
          }
        ],
        "flags": [
          {
            "name": "plan",
            "member": "plan",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "`enterprise` holds every feature; any other word is a plan without those that need it."
          }
        ],
        "body": true,
        "summary": "Changes the plan of an organization; every process knows it at its next request."
      }
    ]
  },
  {
    "name": "scim",
    "id": "scim",
    "summary": "Directories that provision people and groups, their requests, and what of those is held.",
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
            "required": true
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
            "help": "For people to read; all are answered alike."
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
        "summary": "Makes a directory and the token an identity provider provisions it with.",
        "description": "At most 10 an organization."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the organization's directories."
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
            "help": "Identifies one SCIM directory."
          }
        ],
        "flags": [],
        "summary": "Gets one directory."
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
            "help": "Identifies one SCIM directory."
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
            "help": "What becomes of the members it provisioned: `keep`, unless told, leaves them to the organization."
          }
        ],
        "summary": "Removes a directory: its tokens end, its groups become teams like any other.",
        "description": "Roles that its groups gave stay as they are. The last owner stays whatever is told, and every owner unless an owner removes it."
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
            "help": "Identifies one SCIM directory."
          }
        ],
        "flags": [
          {
            "name": "grace-seconds",
            "member": "graceSeconds",
            "in": "body",
            "type": "integer",
            "help": "How long the live tokens stay good beside the new one: 86400 unless told, 30 days at most."
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
        "summary": "Makes another token; the ones before stay good for a while.",
        "description": "At most 5 are good at once: of more the oldest end now. Whoever holds a token decides who is in a group: nobody makes one who may not give the roles that the directory's groups give. Owners are deactivated only by a token that an owner made."
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
            "help": "Identifies one SCIM directory."
          },
          {
            "name": "scim-token-id",
            "member": "scimTokenId",
            "help": "Identifies one SCIM token."
          }
        ],
        "flags": [],
        "summary": "Ends one token now."
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
            "help": "Identifies one SCIM directory."
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
        "summary": "Lists a directory's groups with the roles they give."
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
            "help": "Identifies one SCIM directory."
          },
          {
            "name": "team-id",
            "member": "teamId",
            "help": "Identifies one group: the team it is."
          }
        ],
        "flags": [
          {
            "name": "role",
            "member": "role",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "Never `owner`. Of several groups `admin` wins, then the role of the oldest group."
          }
        ],
        "body": true,
        "summary": "Lets a group give its members a role, now and from now on.",
        "description": "Nobody gives what they lack. Owners stay owners."
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
            "help": "Identifies one SCIM directory."
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
            ]
          },
          {
            "name": "resource-id",
            "member": "resourceId",
            "in": "query",
            "type": "string"
          },
          {
            "name": "changes-only",
            "member": "changesOnly",
            "in": "query",
            "type": "boolean",
            "help": "`true` leaves out what only looked."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the requests of a directory: what was decided, and what became another by it.",
        "description": "Kept for 30 days, also when the directory is removed. Requests that only look are written down within seconds, and not at all if the process dies."
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
            "help": "Identifies one SCIM directory."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Brings memberships, teams and roles to what the directory last said.",
        "description": "What is held stays held. Twice changes nothing."
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
            "help": "Identifies one SCIM directory."
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
        "summary": "Lists a directory's held deactivations."
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
            "help": "Identifies one SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "Identifies one SCIM hold."
          }
        ],
        "flags": [],
        "summary": "Gets one hold."
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
            "help": "Identifies one SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "Identifies one SCIM hold."
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
        "summary": "Lists whom a hold is about."
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
            "help": "Identifies one SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "Identifies one SCIM hold."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Ends the memberships that a hold is about; the last owner stays."
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
            "help": "Identifies one SCIM directory."
          },
          {
            "name": "scim-hold-id",
            "member": "scimHoldId",
            "help": "Identifies one SCIM hold."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Leaves the memberships as they are, and makes their users active again.",
        "description": "The identity provider finds them active when it looks next. Where the directory has made another user of the same name since, that one stays."
      }
    ]
  },
  {
    "name": "webhooks",
    "id": "webhooks",
    "summary": "What the code host tells us, verified by its signature, and what came of it.",
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
            "help": "The `nextCursor` of the page before."
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
            ]
          },
          {
            "name": "status",
            "member": "status",
            "in": "query",
            "type": "enum",
            "values": [
              "accepted",
              "ignored"
            ]
          }
        ],
        "pageMax": 100,
        "summary": "Lists the deliveries of the last 30 days that concerned the organization."
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
            "help": "Identifies one webhook delivery."
          }
        ],
        "flags": [],
        "summary": "Gets one delivery."
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
            "help": "Identifies one webhook delivery."
          }
        ],
        "flags": [],
        "idempotent": true,
        "summary": "Acts upon a delivery again, from what was kept of it."
      }
    ]
  },
  {
    "name": "workers",
    "id": "workers",
    "summary": "What runs agents for people.",
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
            "help": "`local`: started by the person, with a token of its own. `cloud`: started by this server's provisioner."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Creates a worker of the caller's; the provisioner starts a cloud worker by and by.",
        "description": "A worker belongs to a person and ends with their membership, so a key makes none: 403 `session_required`. At most 50 a person; in a workspace that nobody has claimed one in the cloud: 403 `provisional_organization`."
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
            "help": "The `nextCursor` of the page before."
          },
          {
            "name": "mine",
            "member": "mine",
            "in": "query",
            "type": "boolean",
            "help": "`true`: the caller's own; `false`: the others'."
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
            "help": "`provisioning` until the first heartbeat; `failed` when it could not be started, ended by itself or has been silent for three heartbeats, and healthy again with the next one; `stopped` when it said goodbye or the person it belongs to left."
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
            "help": "`local`: started by the person, with a token of its own. `cloud`: started by this server's provisioner."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the workers of the organization."
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
            "help": "Of the worker; an unknown one is 404."
          }
        ],
        "flags": [],
        "summary": "Gets one worker with its latest instance."
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
            "help": "Of the worker; an unknown one is 404."
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
        "summary": "Renames or describes a worker.",
        "description": "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
          }
        ],
        "flags": [],
        "summary": "Removes a worker; its tokens end at once, its runtime is stopped.",
        "description": "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
          }
        ],
        "flags": [
          {
            "name": "grace-seconds",
            "member": "graceSeconds",
            "in": "body",
            "type": "integer",
            "help": "How long the worker's other tokens still work; unless told they are not touched."
          },
          {
            "name": "expires-in-seconds",
            "member": "expiresInSeconds",
            "in": "body",
            "type": "integer",
            "help": "When the token ends; never unless told."
          }
        ],
        "body": true,
        "idempotent": true,
        "summary": "Makes another token for a local worker, beside its others or in their place.",
        "description": "With `graceSeconds` the others end after it: that is how a token is rotated. At most five live ones. Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
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
        "summary": "Lists the live tokens of a worker.",
        "description": "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
          },
          {
            "name": "worker-token-id",
            "member": "workerTokenId",
            "help": "Identifies one worker token."
          }
        ],
        "flags": [],
        "summary": "Ends a token of a worker at once.",
        "description": "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
          }
        ],
        "flags": [],
        "summary": "Asks a worker's runtime how it is, and passes its answer on.",
        "description": "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Forwards an upgrade to a worker's runtime, once, and passes its answer on.",
        "description": "At most 30 seconds and 1 MiB. An answer of the runtime with 2xx, 400, 404, 409 or 422 is passed on as it is, every other end is 502 `worker_runtime_error`; nothing is tried again. Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
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
            "help": "Of the worker; an unknown one is 404."
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
            "help": "How it is, in words; shown as `statusReason`."
          },
          {
            "name": "stopping",
            "member": "stopping",
            "in": "body",
            "type": "boolean",
            "help": "`true` says goodbye: silence after it is no failure."
          }
        ],
        "body": true,
        "summary": "Says that the worker lives, and how; what is absent stays as it was told before."
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
            "help": "Of the worker; an unknown one is 404."
          }
        ],
        "flags": [
          {
            "name": "kind",
            "member": "kind",
            "in": "body",
            "type": "string",
            "required": true,
            "help": "In the worker's own words, as `task.started`."
          },
          {
            "name": "message",
            "member": "message",
            "in": "body",
            "type": "string",
            "required": true
          },
          {
            "name": "session-id",
            "member": "sessionId",
            "in": "body",
            "type": "string"
          },
          {
            "name": "occurred-at",
            "member": "occurredAt",
            "in": "body",
            "type": "string",
            "help": "Not older than a day and not ahead of this server's clock by more than five minutes."
          }
        ],
        "body": true,
        "summary": "Reports what the worker does; kept for 30 days."
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
            "help": "Of the worker; an unknown one is 404."
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
        "summary": "Lists what a worker reported, newest first.",
        "description": "Takes the person it belongs to, an owner or admin, or a key with `workers:manage`; else 403 `not_creator`."
      }
    ]
  },
  {
    "name": "sso domains",
    "id": "ssoDomains",
    "summary": "The domains an organization has proved to own.",
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
            "help": "For example acme.com"
          }
        ],
        "flags": [],
        "body": true,
        "idempotent": true,
        "summary": "Adds a domain, and says which TXT record proves it.",
        "description": "At most 50 an organization. Others may add the same one: it is of whoever proves it first. A domain below it is one of its own."
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
            "help": "The `nextCursor` of the page before."
          }
        ],
        "pageMax": 100,
        "summary": "Lists the organization's domains."
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
            "help": "Identifies one domain."
          }
        ],
        "flags": [],
        "summary": "Gets one domain."
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
            "help": "Identifies one domain."
          }
        ],
        "flags": [],
        "summary": "Removes a domain: nobody new is signed in or provisioned by it.",
        "description": "Whoever came in by it stays a member."
      },
      {
        "name": "verify",
        "id": "ssoDomains.verify",
        "method": "POST",
        "path": "/v1/sso/verify-domain",
        "ids": [],
        "flags": [],
        "summary": "Looks for the TXT records of the domains that are not verified, and marks those that hold.",
        "description": "204 when all of them hold, or there is nothing to prove. Otherwise 400 with one detail for each that does not: its `code`, and as its `path` `domains` and the domain; those that hold are marked all the same. An organization with neither domain nor SSO connection is answered as one that is not found. Ten times a minute for one organization; it may take 15 seconds."
      }
    ]
  }
]
