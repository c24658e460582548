/** Bootstrap: a workspace of its own for somebody who has no account yet, to be claimed by a person later. */
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
  url: Schema.String.annotate({ description: "For the person; the token is in its fragment and reaches no log." }),
  expiresAt: Timestamp
}).annotate({ identifier: "ClaimLink" })

export const Workspace = Schema.Struct({
  ok: Schema.Literal(true),
  organization: Organization,
  session: Schema.Struct({ token: Schema.String, expiresAt: Timestamp }),
  claimLinks: Schema.Array(ClaimLink)
}).annotate({ identifier: "BootstrapWorkspace" })

export const CreateWorkspace = Schema.Struct({
  workspaceName: Text(2, 120),
  claimRoles: Schema.optionalKey(
    Schema.Array(ClaimRole).check(Schema.isMaxLength(10)).annotate({
      description: "One claim link each; there is always one for an owner."
    })
  ),
  ownerEmail: Schema.optionalKey(Email.annotate({ description: "Only this address can use the owner's claim." }))
}).annotate({ identifier: "CreateWorkspace" })

const ClaimToken = Schema.Struct({ token: Text(1, 512) }).annotate({ identifier: "ClaimToken" })

export const AcceptClaim = Schema.Struct({
  token: Text(1, 512),
  keepAgent: Schema.optionalKey(
    Schema.Struct({
      name: Schema.optionalKey(Text(1, 120)),
      permissions: Schema.Array(Permission).check(Schema.isMaxLength(100))
    }).annotate({
      description:
        "With an owner's claim: what the agent made is from now on managed by an API key with these permissions, answered this once."
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
  apiKey: Schema.NullOr(ApiKey).annotate({ description: "The agent's, where `keepAgent` asked for it." }),
  key: Schema.NullOr(Schema.String).annotate({ description: "Its secret, shown this once." })
}).annotate({ identifier: "AcceptedClaim" })

/** The claim is unknown, used, or over: which of them is not told. */
export class ClaimNotFound extends notFound("claim")<ClaimNotFound>() {}
export class ClaimMemberExists extends conflict(
  "member_exists",
  "You are a member of this organization already."
)<ClaimMemberExists>() {}
export class BootstrapQuotaExceeded extends conflict(
  "quota_exceeded",
  "Too many workspaces wait to be claimed; try again later."
)<BootstrapQuotaExceeded>() {}

export const group = HttpApiGroup.make("bootstrap")
  .annotateMerge(
    OpenApi.annotations({ title: "Bootstrap", description: "A provisional workspace first, its people later." })
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
        summary: "Creates a provisional workspace with a session and links to claim it.",
        description:
          "Provisional: one connector instance, no keys, no mail; gone after 24 hours unless an owner claims it. Five an hour and address."
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
        summary: "Tells what a claim link would give, without using it."
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
        summary: "Joins a workspace by its claim link; the first owner makes it permanent.",
        description:
          "Needs a verified e-mail address, and the one the link was made for if it names one. The first owner's claim ends the session of the agent that made the workspace, and the other owner links; `keepAgent` makes an API key in the agent's place."
      })
    )
  )
