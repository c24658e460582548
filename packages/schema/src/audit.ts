/** Audit: who did what, when. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { manners } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

export const AuditEvent = Schema.Struct({
  id: Ids.AuditEventId,
  organizationId: Schema.NullOr(Ids.OrganizationId),
  action: Schema.String.annotate({ description: "`<thing>.<verb>`" }),
  actorKind: Schema.Literals(["session", "key", "system", "anonymous"]),
  actorId: Schema.NullOr(Schema.String).annotate({ description: "The membership, key or user; null for the system." }),
  targetId: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  before: Schema.NullOr(JsonObject),
  after: Schema.NullOr(JsonObject),
  createdAt: Timestamp
}).annotate({ identifier: "AuditEvent", description: "Texts of people are never in it: only their digest and length." })
export type AuditEvent = typeof AuditEvent.Type

export const group = HttpApiGroup.make("audit")
  .annotateMerge(OpenApi.annotations({ title: "Audit", description: "Every change, written with the change itself." }))
  .add(
    HttpApiEndpoint.get("list", "/v1/audit-events", {
      query: {
        ...pageQuery,
        action: Schema.optionalKey(Text(1, 128)),
        actorId: Schema.optionalKey(Text(1, 64)),
        targetId: Schema.optionalKey(Text(1, 64))
      },
      success: Page(AuditEvent)
    }).pipe(
      manners({ access: Access.permission("audit:read"), paged: true, summary: "Lists audit events, newest first." })
    )
  )
