/** Members of an organization. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ObjectKind } from "./access.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import { GrantRole } from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Email, Text, Timestamp } from "./shared/values.ts"

export const Member = Schema.Struct({
  id: Ids.OrgMembershipId,
  organizationId: Ids.OrganizationId,
  userId: Ids.UserId,
  email: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  role: Schema.String.annotate({ description: "`owner`, `admin`, `member`, or the id of a custom role." }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

/** A role in a request: the name of a built-in role, or the id of a custom role. */
export const RoleName = Schema.Union([Schema.Literals(["owner", "admin", "member"]), Ids.RoleId]).annotate({
  identifier: "RoleName"
})
export type RoleName = typeof RoleName.Type

/**
 * Exactly one field identifies the user: `subject`, the user's id in the host application, or `email`, an email address
 * in a verified domain. Invite all other users instead.
 */
export const AddMember = Schema.Struct({
  subject: Schema.optionalKey(Text(1, 255).annotate({ description: "The user's id in the host application." })),
  email: Schema.optionalKey(
    Email.annotate({ description: "An email address in a domain that the organization has verified." })
  ),
  role: Schema.optionalKey(
    RoleName.annotate({
      description: "The role of the new member. The caller must have all permissions of the role. Default: `member`."
    })
  )
})
  .check(
    Schema.makeFilter((person: { readonly subject?: string; readonly email?: string }) =>
      (person.subject === undefined) === (person.email === undefined)
        ? "must include exactly one of: subject, email"
        : undefined
    )
  )
  .annotate({ identifier: "AddMember" })

export const UpdateMember = Schema.Struct({
  role: RoleName.annotate({ description: "The new role: `owner`, `admin`, `member`, or the id of a custom role." })
}).annotate({ identifier: "UpdateMember" })

const BatchItem = Schema.Union([
  Schema.Struct({ action: Schema.Literal("setRole"), orgMembershipId: Ids.OrgMembershipId, role: RoleName }),
  Schema.Struct({ action: Schema.Literal("remove"), orgMembershipId: Ids.OrgMembershipId })
])

export const MemberBatch = Schema.Struct({
  items: Schema.Array(BatchItem)
    .check(Schema.isMinLength(1), Schema.isMaxLength(100))
    .annotate({ description: "The changes, one per member: `setRole` with the new role, or `remove`." })
}).annotate({ identifier: "MemberBatch" })

export const MemberBatchResult = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      ok: Schema.Boolean,
      orgMembershipId: Ids.OrgMembershipId,
      error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String }))
    })
  )
}).annotate({ identifier: "MemberBatchResult" })

export const MemberImpact = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  managedByScim: Schema.Boolean.annotate({
    description: "Whether SCIM manages the membership, so that only the identity provider can end it."
  }),
  teamCount: Schema.Int.annotate({ description: "Teams that the member leaves." }),
  grantCount: Schema.Int.annotate({ description: "Grants to the member that are revoked." }),
  objects: Schema.Array(
    Schema.Struct({ kind: ObjectKind, id: Schema.String, name: Schema.String, role: GrantRole })
  ).annotate({
    description:
      "The objects of the first 50 of these grants, ordered by kind and ID. Objects that the caller cannot see are left out."
  }),
  assignmentCount: Schema.Int.annotate({ description: "Assignments that name the member." }),
  desktopPolicyCount: Schema.Int.annotate({ description: "Desktop policies that name the member." }),
  deviceCount: Schema.Int.annotate({ description: "Devices of the member that are removed." }),
  sessionCount: Schema.Int.annotate({
    description: "Sessions of the member in the organization. They end, or continue without the organization."
  }),
  connectionCount: Schema.Int.annotate({
    description: "The member's own sign-ins at MCP servers and at mail and calendar suites, which are deleted."
  }),
  workerCount: Schema.Int.annotate({ description: "Workers that the member created, which stop." }),
  workerTokenCount: Schema.Int.annotate({
    description: "Valid worker tokens that the member created, which are revoked."
  }),
  invitationCount: Schema.Int.annotate({
    description: "Pending invitations that the member created, which are canceled."
  }),
  apiKeyCount: Schema.Int.annotate({
    description: "Valid API keys that the member created. They keep working unless `revokeKeys` is `true`."
  })
}).annotate({ identifier: "MemberImpact" })
export type MemberImpact = typeof MemberImpact.Type

export class MemberNotFound extends notFound("member")<MemberNotFound>() {}
export class MemberExists extends conflict("member_exists", "The user is already a member.")<MemberExists>() {}

const one = { orgMembershipId: Ids.OrgMembershipId }
const at = "/v1/members/:orgMembershipId"
const read = Access.permission("members:read")
const write = Access.permission("members:write")
const manage = Access.permission("members:manage")
const MemberResponse = Schema.Struct({ member: Member })

export const group = HttpApiGroup.make("members")
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "The members of an organization." }))
  .add(
    HttpApiEndpoint.post("add", "/v1/members", {
      payload: AddMember,
      success: MemberResponse.pipe(HttpApiSchema.status(201)),
      error: MemberExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "member.add",
        summary: "Add a member",
        description:
          "Adds either a user of the host application, if the application allows it, or a user whose email address is in one of the organization's verified domains. For any other user, returns 400; invite them instead."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/members", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(
          Text(1, 255).annotate({ description: "Filter by part of the name or email address. Case-insensitive." })
        ),
        role: Schema.optionalKey(
          Text(1, 64).annotate({
            description: "Only members with this role: `owner`, `admin`, `member`, or the id of a custom role."
          })
        ),
        teamId: Schema.optionalKey(Ids.TeamId.annotate({ description: "Only members of this team." }))
      },
      success: Page(Member)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List members" })),
    HttpApiEndpoint.get("get", at, { params: one, success: MemberResponse, error: MemberNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Get a member" })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateMember,
      success: MemberResponse,
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "member.update",
        summary: "Change the role of a member",
        description:
          "The caller must have all permissions of the new role. The role of the last owner cannot be changed."
      })
    ),
    HttpApiEndpoint.delete("remove", at, {
      params: one,
      query: {
        revokeKeys: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true` also revokes the API keys that the member created. Default: `false`."
          })
        )
      },
      success: NoContent,
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "member.remove",
        summary: "Remove a member",
        description:
          "Ends the member's sessions and revokes their grants. The last owner cannot be removed. A user who joins again starts without their previous access."
      })
    ),
    HttpApiEndpoint.get("impact", `${at}/impact`, {
      params: one,
      success: Schema.Struct({ impact: MemberImpact }),
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        summary: "Preview the impact of removing a member",
        description:
          "Counts what ends with the membership, and lists the objects that are granted to the member. Makes no changes."
      })
    ),
    HttpApiEndpoint.post("batch", "/v1/members/batch", { payload: MemberBatch, success: MemberBatchResult }).pipe(
      endpointMetadata({
        access: manage,
        audited: "member.batch",
        summary: "Change or remove several members",
        description: "At most 100 members. Each item has its own result."
      })
    )
  )
