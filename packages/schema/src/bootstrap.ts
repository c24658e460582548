/** Bootstrap: creates a workspace for an agent whose user has no account yet. A person claims it later. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ApiKey } from "./api-keys.ts"
import { Member } from "./members.ts"
import { Organization } from "./organizations.ts"
import { Permission } from "./roles.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { conflict, Forbidden, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Email, Text, Timestamp } from "./shared/values.ts"

export const ClaimRole = Schema.Literals(["owner", "admin", "member"]).annotate({ identifier: "ClaimRole" })

export const ClaimLink = Schema.Struct({
  id: Ids.InvitationId,
  role: ClaimRole,
  token: Schema.String,
  url: Schema.String.annotate({
    description:
      "The link for the person who claims the workspace. The token is in the URL fragment, so it is not written to logs."
  }),
  expiresAt: Timestamp
}).annotate({ identifier: "ClaimLink" })

export const Workspace = Schema.Struct({
  ok: Schema.Literal(true),
  organization: Organization,
  session: Schema.Struct({ token: Schema.String, expiresAt: Timestamp }),
  claimLinks: Schema.Array(ClaimLink)
}).annotate({ identifier: "BootstrapWorkspace" })

export const CreateWorkspace = Schema.Struct({
  workspaceName: Text(2, 120).annotate({ description: "The name of the workspace." }),
  claimRoles: Schema.optionalKey(
    Schema.Array(ClaimRole).check(Schema.isMaxLength(10)).annotate({
      description: "Creates one claim link for each role in the list. A link for an owner is always created."
    })
  ),
  ownerEmail: Schema.optionalKey(
    Email.annotate({ description: "Restricts the owner claim link to the user with this verified email address." })
  )
}).annotate({ identifier: "CreateWorkspace" })

const ClaimToken = Schema.Struct({
  token: Text(1, 512).annotate({ description: "The token from the claim link." })
}).annotate({ identifier: "ClaimToken" })

export const AcceptClaim = Schema.Struct({
  token: Text(1, 512).annotate({ description: "The token from the claim link." }),
  keepAgent: Schema.optionalKey(
    Schema.Struct({
      name: Schema.optionalKey(Text(1, 120)),
      permissions: Schema.Array(Permission).check(Schema.isMaxLength(100))
    }).annotate({
      description:
        "Creates an API key with these permissions, so that the agent can continue to manage what it created. Allowed only with an owner claim link. The secret of the key is returned once."
    })
  )
}).annotate({ identifier: "AcceptClaim" })

export const ClaimPreview = Schema.Struct({
  organizationName: Schema.String,
  role: ClaimRole,
  expiresAt: Timestamp
}).annotate({ identifier: "ClaimPreview" })

export const AcceptedClaim = Schema.Struct({
  ok: Schema.Literal(true),
  organization: Organization,
  member: Member,
  apiKey: Schema.NullOr(ApiKey).annotate({ description: "The API key of the agent, if `keepAgent` was set." }),
  key: Schema.NullOr(Schema.String).annotate({ description: "The secret of that key. Returned only in this response." })
}).annotate({ identifier: "AcceptedClaim" })

/** The claim is unknown, used or expired. The response does not reveal which. */
export class ClaimNotFound extends notFound("claim")<ClaimNotFound>() {}
export class ClaimMemberExists extends conflict(
  "member_exists",
  "You are already a member of this organization."
)<ClaimMemberExists>() {}
export class BootstrapQuotaExceeded extends conflict(
  "quota_exceeded",
  "Too many unclaimed workspaces exist. Try again later."
)<BootstrapQuotaExceeded>() {}

export const group = HttpApiGroup.make("bootstrap")
  .annotateMerge(
    OpenApi.annotations({
      title: "Bootstrap",
      description: "Create a workspace without an account, and claim it later."
    })
  )
  .add(
    HttpApiEndpoint.post("workspace", "/v1/bootstrap/workspace", {
      payload: CreateWorkspace,
      success: Workspace.pipe(HttpApiSchema.status(201)),
      error: [BootstrapQuotaExceeded, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        audited: "bootstrap.workspace",
        idempotency: "none",
        holdsSecret: true,
        summary: "Create an unclaimed workspace",
        description:
          "Returns a session and links to claim the workspace. An unclaimed workspace can have one connector instance, cannot have API keys or send email, and is deleted after 24 hours unless an owner claims it. Limit: 5 per hour per source IP address."
      })
    ),
    HttpApiEndpoint.post("previewClaim", "/v1/bootstrap/claims/preview", {
      payload: ClaimToken,
      success: ClaimPreview,
      error: ClaimNotFound
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        summary: "Preview a claim link",
        description: "Returns the organization and the role that the link grants. The link can still be used afterward."
      })
    ),
    HttpApiEndpoint.post("acceptClaim", "/v1/bootstrap/claims/accept", {
      payload: AcceptClaim,
      success: AcceptedClaim,
      error: [ClaimNotFound, ClaimMemberExists, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "bootstrap.claim",
        idempotency: "none",
        holdsSecret: true,
        summary: "Accept a claim link",
        description:
          "Adds the caller to the workspace. Requires a verified email address. If the link is restricted to an email address, the caller's address must match it. The first owner's claim makes the workspace permanent, ends the session of the agent that created it, and invalidates the other owner links. `keepAgent` creates an API key that replaces the agent's session."
      })
    )
  )
