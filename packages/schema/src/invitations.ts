/** Invitations: people asked into an organization. */
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

/** The link, where it is answered instead of mailed. */
const Link = Schema.NullOr(
  Schema.Struct({ token: Schema.String, url: Schema.String }).annotate({ identifier: "InvitationLink" })
)

export const CreateInvitation = Schema.Struct({
  email: Email,
  role: Schema.optionalKey(RoleName.annotate({ description: "`member` unless told; nothing the caller lacks." })),
  teamIds: Schema.optionalKey(Schema.Array(Ids.TeamId).check(Schema.isMaxLength(100))),
  send: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "`false` answers the link instead of mailing it; needs `invitations:link`."
    })
  )
}).annotate({ identifier: "CreateInvitation" })

export const InvitationToken = Schema.Struct({ token: Text(1, 512) }).annotate({ identifier: "InvitationToken" })

export const InvitationPreview = Schema.Struct({
  organizationName: Schema.String,
  email: Schema.String,
  role: Schema.String,
  expiresAt: Timestamp
}).annotate({ identifier: "InvitationPreview" })

/** Absent, of another organization; for a token: unknown, used, cancelled or over. */
export class InvitationNotFound extends notFound("invitation")<InvitationNotFound>() {}
export class InvitationNotPending extends conflict(
  "invitation_not_pending",
  "The invitation was accepted, cancelled, or is over."
)<InvitationNotPending>() {}
export class InviteeIsMember extends conflict(
  "member_exists",
  "Somebody with this address is a member already."
)<InviteeIsMember>() {}

const one = { invitationId: Ids.InvitationId }
const at = "/v1/invitations/:invitationId"
const read = Access.permission("invitations:read")
const write = Access.permission("invitations:write")
const WithLink = Schema.Struct({ invitation: Invitation, link: Link }).annotate({ identifier: "InvitationWithLink" })

export const group = HttpApiGroup.make("invitations")
  .annotateMerge(OpenApi.annotations({ title: "Invitations", description: "People asked into the organization." }))
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
        summary: "Invites an address by mail; good for seven days.",
        description: "A second invitation of an address replaces the first one's link."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/invitations", {
      query: { ...pageQuery, status: Schema.optionalKey(InvitationStatus) },
      success: Page(Invitation)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the organization's invitations." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: Schema.Struct({ invitation: Invitation }),
      error: InvitationNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Gets one invitation." })),
    HttpApiEndpoint.post("resend", `${at}/resend`, {
      params: one,
      success: Schema.Struct({ invitation: Invitation }),
      error: [InvitationNotFound, InvitationNotPending]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "invitation.resend",
        summary: "Mails a new link for another seven days; the old one ends."
      })
    ),
    HttpApiEndpoint.post("cancel", `${at}/cancel`, {
      params: one,
      success: Schema.Struct({ invitation: Invitation }),
      error: [InvitationNotFound, InvitationNotPending]
    }).pipe(endpointMetadata({ access: write, audited: "invitation.cancel", summary: "Takes an invitation back." })),
    HttpApiEndpoint.post("preview", "/v1/invitations/preview", {
      payload: InvitationToken,
      success: InvitationPreview,
      error: InvitationNotFound
    }).pipe(
      endpointMetadata({
        access: Access.anyone,
        idempotency: "none",
        summary: "Tells what an invitation would give, without using it."
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
        summary: "Joins an organization; only the invited, verified address can."
      })
    )
  )
