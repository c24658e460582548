/** Organizations. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
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

export const OrganizationStorage = Schema.Struct({
  usedBytes: Schema.Int.annotate({
    description:
      "The uncompressed size of all versions of config objects and templates, plugin files and memories, plus 256 bytes for each of them."
  }),
  limitBytes: Schema.NullOr(Schema.Int).annotate({
    description: "The storage limit of the organization's plan. Null if the plan has no limit."
  })
}).annotate({ identifier: "OrganizationStorage" })

export const CreateOrganization = Schema.Struct({
  name: Text(2, 120)
}).annotate({ identifier: "CreateOrganization" })
export const UpdateOrganization = Schema.Struct({
  name: Schema.optionalKey(Text(2, 120))
}).annotate({
  identifier: "UpdateOrganization"
})
export const TransferOwnership = Schema.Struct({
  orgMembershipId: Ids.OrgMembershipId.annotate({ description: "The member who becomes an owner." }),
  keep: Schema.optionalKey(
    Schema.Literals(["owner", "admin", "member"]).annotate({
      description: "The caller's role after the transfer. Default: `admin`."
    })
  )
}).annotate({ identifier: "TransferOwnership" })

export class OrganizationQuotaExceeded extends conflict(
  "quota_exceeded",
  "You have reached the limit of 10 organizations per owner. Remove one first."
)<OrganizationQuotaExceeded>() {}

const OrganizationResponse = Schema.Struct({ organization: Organization })

export const group = HttpApiGroup.make("organizations")
  .annotateMerge(OpenApi.annotations({ title: "Organizations", description: "The caller's organization." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/organizations", {
      payload: CreateOrganization,
      success: OrganizationResponse.pipe(HttpApiSchema.status(201)),
      error: [OrganizationQuotaExceeded, Forbidden]
    }).pipe(
      endpointMetadata({
        access: Access.user,
        audited: "organization.create",
        summary: "Create an organization",
        description:
          "The caller becomes its owner. Requires a verified email address. Limit: 10 organizations per owner. Not available to sessions that are bound to an organization."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/organization", { success: OrganizationResponse }).pipe(
      endpointMetadata({ access: Access.member, versioned: true, summary: "Get the caller's organization" })
    ),
    HttpApiEndpoint.patch("update", "/v1/organization", {
      payload: UpdateOrganization,
      success: OrganizationResponse
    }).pipe(
      endpointMetadata({
        access: Access.permission("organizations:write"),
        versioned: true,
        audited: "organization.update",
        summary: "Rename the organization"
      })
    ),
    HttpApiEndpoint.delete("remove", "/v1/organization", { success: NoContent }).pipe(
      endpointMetadata({
        access: Access.owner,
        versioned: true,
        audited: "organization.remove",
        summary: "Remove the organization",
        description:
          "Also removes everything in it. Sessions and API keys lose access to it immediately. The data is purged after 30 days."
      })
    ),
    HttpApiEndpoint.post("transferOwnership", "/v1/organization/transfer-ownership", {
      payload: TransferOwnership,
      success: OrganizationResponse
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        audited: "organization.transfer_ownership",
        summary: "Transfer ownership of the organization",
        description: "Makes another member an owner, and gives the caller the role in `keep`."
      })
    ),
    HttpApiEndpoint.get("getStorage", "/v1/organization/storage", {
      success: Schema.Struct({ storage: OrganizationStorage })
    }).pipe(
      endpointMetadata({
        access: Access.permission("organizations:read"),
        summary: "Get the storage usage of the organization",
        description:
          "A change or a sync that would exceed the limit fails with `quota_exceeded` or `limit_exceeded` and changes nothing. Deleted content no longer counts once it is purged."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/organization/export", {
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" })
    }).pipe(
      endpointMetadata({
        access: Access.owner,
        holdsSecret: true,
        summary: "Export the organization",
        description:
          "Streams everything the organization owns as NDJSON lines of `{ kind, item }`. Kinds are read one after another, so the export is not a snapshot of a single point in time. Credentials are excluded. The last line has the kind `end` and contains the number of preceding lines. The audit log has its own export."
      })
    )
  )
