/** Organizations. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, Forbidden } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const Organization = Schema.Struct({
  id: Ids.OrganizationId,
  name: Schema.String,
  plan: Schema.String,
  provisional: Schema.Boolean,
  provisionalExpiresAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Organization" })
export type Organization = typeof Organization.Type

export const CreateOrganization = Schema.Struct({ name: Text(2, 120) }).annotate({ identifier: "CreateOrganization" })
export const UpdateOrganization = Schema.Struct({ name: Schema.optionalKey(Text(2, 120)) }).annotate({
  identifier: "UpdateOrganization"
})
export const TransferOwnership = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId,
  keep: Schema.optionalKey(
    Schema.Literals(["owner", "admin", "member"]).annotate({
      description: "What the caller is afterwards; admin unless told."
    })
  )
}).annotate({ identifier: "TransferOwnership" })

export class OrganizationQuotaExceeded extends conflict(
  "quota_exceeded",
  "You own as many organizations as you may."
)<OrganizationQuotaExceeded>() {}

const OrganizationAnswer = Schema.Struct({ organization: Organization })

export const group = HttpApiGroup.make("organizations")
  .annotateMerge(OpenApi.annotations({ title: "Organizations", description: "The organization of the caller." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/organizations", {
      payload: CreateOrganization,
      success: OrganizationAnswer.pipe(HttpApiSchema.status(201)),
      error: [OrganizationQuotaExceeded, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "organization.create",
        summary: "Creates an organization whose owner is the caller; ten each.",
        description: "Needs a verified e-mail address. A session that is bound to an organization cannot."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/organization", { success: OrganizationAnswer }).pipe(
      endpointMetadata({ access: Access.member, versioned: true, summary: "Gets the caller's organization." })
    ),
    HttpApiEndpoint.patch("update", "/v1/organization", {
      payload: UpdateOrganization,
      success: OrganizationAnswer
    }).pipe(
      endpointMetadata({
        access: Access.permission("organizations:write"),
        versioned: true,
        audited: "organization.update",
        summary: "Renames the organization."
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/organization", { success: Done }).pipe(
      endpointMetadata({
        access: Access.owner,
        versioned: true,
        audited: "organization.remove",
        summary: "Removes the organization with everything in it; sessions and keys end at once.",
        description: "Purged after 30 days."
      })
    ),
    HttpApiEndpoint.post("transferOwnership", "/v1/organization/transfer-ownership", {
      payload: TransferOwnership,
      success: OrganizationAnswer
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        audited: "organization.transfer_ownership",
        summary: "Makes another member an owner, and the caller what they choose to be."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/organization/export", {
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" })
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        holdsSecret: true,
        summary: "Streams everything the organization owns, as NDJSON.",
        description:
          "Lines of `{ kind, item }`, each kind as it is when it is read; no credential is among them. The last line is `end` with the count of the others. The audit has an export of its own."
      })
    )
  )
