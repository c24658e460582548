/** Invitations to an organization. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Member, RoleName } from "./members.ts"
import { Organization } from "./organizations.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { conflict, Forbidden, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Email, Text, Timestamp } from "./shared/values.ts"

export const InvitationStatus = Schema.Literals(["pending", "accepted", "cancelled", "expired"]).annotate({
  identifier: "InvitationStatus"
})

export const Invitation = Schema.Struct({
  id: Ids.InvitationId,
  organizationId: Ids.OrganizationId,
  email: Schema.String,
  role: Schema.String,
  teamIds: Schema.Array(Ids.TeamId),
  status: InvitationStatus,
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  acceptedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type

/** The link, when it is returned instead of sent by email. */
const Link = Schema.NullOr(
  Schema.Struct({ token: Schema.String, url: Schema.String }).annotate({ identifier: "InvitationLink" })
)

export const CreateInvitation = Schema.Struct({
  email: Email.annotate({ description: "The email address to invite." }),
  role: Schema.optionalKey(
    RoleName.annotate({
      description: "The role of the new member. The caller must have all permissions of the role. Default: `member`."
    })
  ),
  teamIds: Schema.optionalKey(
    Schema.Array(Ids.TeamId)
      .check(Schema.isMaxLength(100))
      .annotate({ description: "The teams that the new member joins. Default: none." })
  ),
  send: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "If `false`, returns the link instead of sending it by email, which requires `invitations:link`. Default: `true`."
    })
  )
}).annotate({ identifier: "CreateInvitation" })

/** An invitation of a batch. It is always sent by email. */
const BatchItem = Schema.Struct({
  email: Text(1, 320).annotate({ description: "The email address to invite." }),
  role: CreateInvitation.fields.role,
  teamIds: CreateInvitation.fields.teamIds
})

export const InvitationBatch = Schema.Struct({
  items: Schema.Array(BatchItem)
    .check(Schema.isMinLength(1), Schema.isMaxLength(100))
    .annotate({ description: "The invitations, one per email address." })
}).annotate({ identifier: "InvitationBatch" })

export const InvitationBatchResult = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      ok: Schema.Boolean,
      email: Schema.String,
      invitation: Schema.NullOr(Invitation),
      error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String }))
    })
  )
}).annotate({ identifier: "InvitationBatchResult" })

export const InvitationToken = Schema.Struct({
  token: Text(1, 512).annotate({ description: "The token from the invitation link." })
}).annotate({ identifier: "InvitationToken" })

export const InvitationPreview = Schema.Struct({
  organizationName: Schema.String,
  email: Schema.String,
  role: Schema.String,
  expiresAt: Timestamp
}).annotate({ identifier: "InvitationPreview" })

/**
 * The invitation does not exist or belongs to another organization. For a token: it is unknown, used, canceled or
 * expired.
 */
export class InvitationNotFound extends notFound("invitation")<InvitationNotFound>() {}
export class InvitationNotPending extends conflict(
  "invitation_not_pending",
  "The invitation has been accepted or canceled, or has expired. Create a new invitation."
)<InvitationNotPending>() {}
export class InviteeIsMember extends conflict(
  "member_exists",
  "A user with this email address is already a member."
)<InviteeIsMember>() {}

const one = { invitationId: Ids.InvitationId }
const at = "/v1/invitations/:invitationId"
const read = Access.permission("invitations:read")
const write = Access.permission("invitations:write")
const WithLink = Schema.Struct({ invitation: Invitation, link: Link }).annotate({ identifier: "InvitationWithLink" })

export const group = HttpApiGroup.make("invitations")
  .annotateMerge(OpenApi.annotations({ title: "Invitations", description: "Invitations to an organization." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/invitations", {
      payload: CreateInvitation,
      success: WithLink.pipe(HttpApiSchema.status(201)),
      error: InviteeIsMember
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "invitation.create",
        holdsSecret: true,
        idempotency: "fact",
        summary: "Invite a person by email",
        description:
          "The invitation is valid for seven days. Inviting the same email address again replaces the previous link."
      })
    ),
    HttpApiEndpoint.post("batch", "/v1/invitations/batch", {
      payload: InvitationBatch,
      success: InvitationBatchResult
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "invitation.batch",
        summary: "Invite several people by email",
        description:
          "At most 100 invitations. Each item has its own result: an invitation that is refused or exceeds a limit does not prevent the others. Inviting the same email address again replaces the previous link."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/invitations", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(
          Text(1, 255).annotate({ description: "Filter by part of the email address. Case-insensitive." })
        ),
        status: Schema.optionalKey(InvitationStatus.annotate({ description: "Only invitations with this status." }))
      },
      success: Page(Invitation)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List invitations" })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: Schema.Struct({ invitation: Invitation }),
      error: InvitationNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get an invitation" })),
    HttpApiEndpoint.post("resend", `${at}/resend`, {
      params: one,
      success: Schema.Struct({ invitation: Invitation }),
      error: [InvitationNotFound, InvitationNotPending]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "invitation.resend",
        summary: "Resend an invitation",
        description: "Sends a new link that is valid for seven days. The old link stops working."
      })
    ),
    HttpApiEndpoint.post("cancel", `${at}/cancel`, {
      params: one,
      success: Schema.Struct({ invitation: Invitation }),
      error: [InvitationNotFound, InvitationNotPending]
    }).pipe(endpointMetadata({ access: write, audited: "invitation.cancel", summary: "Cancel an invitation" })),
    HttpApiEndpoint.post("preview", "/v1/invitations/preview", {
      payload: InvitationToken,
      success: InvitationPreview,
      error: InvitationNotFound
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        summary: "Preview an invitation",
        description: "Returns the organization and the role that the invitation grants, without accepting it."
      })
    ),
    HttpApiEndpoint.post("accept", "/v1/invitations/accept", {
      payload: InvitationToken,
      success: Schema.Struct({ organization: Organization, member: Member }),
      error: [InvitationNotFound, InviteeIsMember, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "invitation.accept",
        idempotency: "none",
        summary: "Accept an invitation",
        description:
          "Adds the caller to the organization. The caller must have the invited email address, and it must be verified."
      })
    )
  )
