/** Members: people in an organization. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
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

/** A role as a request names it: the word of a built-in one, or the id of a custom one. */
export const RoleName = Schema.Union([Schema.Literals(["owner", "admin", "member"]), Ids.RoleId]).annotate({
  identifier: "RoleName"
})
export type RoleName = typeof RoleName.Type

/** Exactly one says who: somebody of the host application, which is asked, or of a verified domain; others are invited. */
export const AddMember = Schema.Struct({
  subject: Schema.optionalKey(
    Text(1, 255).annotate({ description: "The host application's own name for the person." })
  ),
  email: Schema.optionalKey(
    Email.annotate({ description: "An address in a domain that the organization has verified." })
  ),
  role: Schema.optionalKey(RoleName)
})
  .check(
    Schema.makeFilter((person: { readonly subject?: string; readonly email?: string }) =>
      (person.subject === undefined) === (person.email === undefined)
        ? "name exactly one of subject and email"
        : undefined
    )
  )
  .annotate({ identifier: "AddMember" })

export const UpdateMember = Schema.Struct({ role: RoleName }).annotate({ identifier: "UpdateMember" })

const BatchItem = Schema.Union([
  Schema.Struct({ action: Schema.Literal("setRole"), orgMembershipId: Ids.OrgMembershipId, role: RoleName }),
  Schema.Struct({ action: Schema.Literal("remove"), orgMembershipId: Ids.OrgMembershipId })
])

export const MemberBatch = Schema.Struct({
  items: Schema.Array(BatchItem).check(Schema.isMinLength(1), Schema.isMaxLength(100))
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

export class MemberNotFound extends notFound("member")<MemberNotFound>() {}
export class MemberExists extends conflict("member_exists", "The person is a member already.")<MemberExists>() {}

const one = { orgMembershipId: Ids.OrgMembershipId }
const at = "/v1/members/:orgMembershipId"
const read = Access.permission("members:read")
const write = Access.permission("members:write")
const manage = Access.permission("members:manage")
const MemberAnswer = Schema.Struct({ member: Member })

export const group = HttpApiGroup.make("members")
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "The people of the organization." }))
  .add(
    HttpApiEndpoint.post("add", "/v1/members", {
      payload: AddMember,
      success: MemberAnswer.pipe(HttpApiSchema.status(201)),
      error: MemberExists
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "member.add",
        summary: "Adds a person of the host application or of a verified domain; anybody else is invited.",
        description:
          "The host application says whether the organization may have them, and who they are; an address is taken where the organization has verified its domain. Otherwise it is 400."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/members", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of name or e-mail, in any case." })),
        role: Schema.optionalKey(Text(1, 64)),
        teamId: Schema.optionalKey(Ids.TeamId)
      },
      success: Page(Member)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the members of the organization." })),
    HttpApiEndpoint.get("get", at, { params: one, success: MemberAnswer, error: MemberNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Gets one member." })
    ),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateMember,
      success: MemberAnswer,
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "member.update",
        summary: "Gives a member another role; nobody gives what they lack, and the last owner stays."
      })
    ),
    HttpApiEndpoint.delete("remove", at, {
      params: one,
      query: {
        revokeKeys: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({ description: "`true` also revokes the API keys they made." })
        )
      },
      success: Done,
      error: MemberNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "member.remove",
        summary: "Removes a member: sessions and grants end with the membership.",
        description: "The last owner stays. A person who comes back starts empty."
      })
    ),
    HttpApiEndpoint.post("batch", "/v1/members/batch", { payload: MemberBatch, success: MemberBatchResult }).pipe(
      endpointMetadata({
        access: manage,
        audited: "member.batch",
        summary: "Changes or removes up to a hundred members; each has its own result."
      })
    )
  )
