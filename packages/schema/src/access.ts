/** Access: why somebody can reach something, and who would lose what. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import { GrantRole } from "./shared/grants.ts"
import * as Ids from "./shared/ids.ts"
import { Text } from "./shared/values.ts"

export const ObjectKind = Schema.Literals([
  "connectorInstance",
  "configObject",
  "plugin",
  "marketplace",
  "mcpConnection",
  "llmProvider"
]).annotate({ identifier: "GrantedObjectKind" })

export const Explain = Schema.Struct({
  orgMembershipId: Schema.optionalKey(Ids.OrgMembershipId.annotate({ description: "Whom; the caller unless told." })),
  object: Schema.Struct({ kind: ObjectKind, id: Text(1, 64) }),
  action: Schema.Literals(["view", "edit", "manage"])
}).annotate({ identifier: "ExplainAccess" })

/** One step from the person to the object. */
export const AccessStep = Schema.Struct({
  kind: Schema.Literals(["member", "role", "team", "grant", "marketplace", "plugin", "object", "hidden"]),
  id: Schema.NullOr(Schema.String),
  label: Schema.String
}).annotate({ identifier: "AccessStep" })

export const AccessPath = Schema.Struct({
  level: GrantRole,
  steps: Schema.Array(AccessStep)
}).annotate({ identifier: "AccessPath" })

export const Explanation = Schema.Struct({
  allowed: Schema.Boolean,
  level: Schema.NullOr(GrantRole).annotate({ description: "The highest of all paths; null without one." }),
  needed: GrantRole,
  paths: Schema.Array(AccessPath).annotate({ description: "Highest first; at most fifty." }),
  missing: Schema.NullOr(Schema.String).annotate({ description: "The link that would be needed, in a sentence." })
}).annotate({ identifier: "AccessExplanation" })

export const Impact = Schema.Struct({ grantId: Text(1, 64) }).annotate({ identifier: "AccessImpact" })

export const ImpactResult = Schema.Struct({
  grantId: Schema.String,
  memberCount: Schema.Int.annotate({ description: "Members who would lose or lower access to the object." }),
  losses: Schema.Array(
    Schema.Struct({
      orgMembershipId: Ids.OrgMembershipId,
      object: Schema.Struct({ kind: ObjectKind, id: Schema.String, name: Schema.String }),
      from: GrantRole,
      to: Schema.NullOr(GrantRole)
    })
  ).annotate({ description: "The first five hundred." }),
  truncated: Schema.Boolean.annotate({
    description: "Whether there may be more: beyond five hundred losses, or two thousand things in the object."
  })
}).annotate({ identifier: "AccessImpactResult" })

export class GrantNotFound extends notFound("grant")<GrantNotFound>() {}
/** The object is absent, of another organization, or not visible to the caller. */
export class ObjectNotFound extends notFound("object")<ObjectNotFound>() {}

export const group = HttpApiGroup.make("access")
  .annotateMerge(
    OpenApi.annotations({
      title: "Access",
      description: "Why somebody can reach something, and what a revocation does."
    })
  )
  .add(
    HttpApiEndpoint.post("explain", "/v1/access/explain", {
      payload: Explain,
      success: Schema.Struct({ explanation: Explanation }),
      error: ObjectNotFound
    }).pipe(
      endpointMetadata({
        access: Access.member,
        idempotency: "none",
        summary: "Answers the chain of grants that lets somebody do something, or the link that is missing.",
        description: "About others it needs `access:read`; parts the caller may not see are `hidden`."
      })
    ),
    HttpApiEndpoint.post("impact", "/v1/access/impact", {
      payload: Impact,
      success: Schema.Struct({ impact: ImpactResult }),
      error: GrantNotFound
    }).pipe(
      endpointMetadata({
        access: Access.permission("access:read"),
        idempotency: "none",
        summary: "Answers who would lose what if a grant were revoked."
      })
    )
  )
