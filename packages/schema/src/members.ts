/** Members: people in an organization. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { manners } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

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

export class MemberNotFound extends notFound("member")<MemberNotFound>() {}

const read = Access.permission("members:read")

export const group = HttpApiGroup.make("members")
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "The people of the organization." }))
  .add(
    HttpApiEndpoint.get("list", "/v1/members", {
      query: {
        ...pageQuery,
        q: Schema.optionalKey(Text(1, 255).annotate({ description: "Part of name or e-mail, in any case." })),
        role: Schema.optionalKey(Text(1, 64))
      },
      success: Page(Member)
    }).pipe(manners({ access: read, paged: true, summary: "Lists the members of the organization." })),
    HttpApiEndpoint.get("get", "/v1/members/:orgMembershipId", {
      params: { orgMembershipId: Ids.OrgMembershipId },
      success: Schema.Struct({ member: Member }),
      error: MemberNotFound
    }).pipe(manners({ access: read, summary: "Gets one member." }))
  )
