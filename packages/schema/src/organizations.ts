/** Organizations. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { manners } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Timestamp } from "./shared/values.ts"

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

export const group = HttpApiGroup.make("organizations")
  .annotateMerge(OpenApi.annotations({ title: "Organizations", description: "The organization of the caller." }))
  .add(
    HttpApiEndpoint.get("get", "/v1/organization", {
      success: Schema.Struct({ organization: Organization })
    }).pipe(manners({ access: Access.member, versioned: true, summary: "Gets the caller's organization." }))
  )
