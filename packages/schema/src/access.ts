/** Access: the caller's permissions, why a member has access to an object, and the effects of revoking a grant. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Permission } from "./roles.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse } from "./shared/endpoint.ts"
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
  orgMembershipId: Schema.optionalKey(
    Ids.OrgMembershipId.annotate({
      description:
        "The member whose access is explained. Default: the caller. Explaining another member's access requires `access:read`."
    })
  ),
  object: Schema.Struct({ kind: ObjectKind, id: Text(1, 64) }).annotate({
    description: "The object to explain access to."
  }),
  action: Schema.Literals(["view", "edit", "manage"]).annotate({
    description:
      "The action that the member wants to perform: `view` requires the grant role `viewer`, `edit` requires `editor`, `manage` requires `manager`."
  })
}).annotate({ identifier: "ExplainAccess" })

/** One step on the path from the member to the object. */
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
  level: Schema.NullOr(GrantRole).annotate({
    description: "The highest role across all paths. Null if there is no path."
  }),
  needed: GrantRole,
  paths: Schema.Array(AccessPath).annotate({
    description: "The paths that give access, highest role first. At most 50."
  }),
  missing: Schema.NullOr(Schema.String).annotate({
    description: "A sentence that names the missing grant or permission. Null if access is allowed."
  })
}).annotate({ identifier: "AccessExplanation" })

export const Impact = Schema.Struct({
  grantId: Text(1, 64).annotate({ description: "The grant whose revocation is previewed." })
}).annotate({ identifier: "AccessImpact" })

export const ImpactResult = Schema.Struct({
  grantId: Schema.String,
  memberCount: Schema.Int.annotate({
    description: "Members who would lose access to the object or be left with a lower role."
  }),
  losses: Schema.Array(
    Schema.Struct({
      orgMembershipId: Ids.OrgMembershipId,
      object: Schema.Struct({ kind: ObjectKind, id: Schema.String, name: Schema.String }),
      from: GrantRole,
      to: Schema.NullOr(GrantRole)
    })
  ).annotate({ description: "The lost or lowered roles, at most 500." }),
  truncated: Schema.Boolean.annotate({
    description:
      "Whether the result is incomplete because more than 500 roles would be lost or lowered, or the object contains more than 2,000 items."
  })
}).annotate({ identifier: "AccessImpactResult" })

export const CallerPermissions = Schema.Struct({
  organizationId: Ids.OrganizationId,
  orgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({ description: "Null if the caller is an API key." }),
  apiKeyId: Schema.NullOr(Ids.ApiKeyId).annotate({ description: "Null if the caller is a member." }),
  isOwner: Schema.Boolean.annotate({ description: "Whether the caller is an owner." }),
  managesAllObjects: Schema.Boolean.annotate({
    description:
      "Whether the caller is an owner or an admin, and so a manager of every object. Other callers need grants on objects."
  }),
  permissions: Schema.Array(Permission).annotate({
    description: "The permissions of the member's role or of the API key, in the order of `roles.permissions`."
  })
}).annotate({ identifier: "CallerPermissions" })
export type CallerPermissions = typeof CallerPermissions.Type

export class GrantNotFound extends notFound("grant")<GrantNotFound>() {}
/** The object does not exist, belongs to another organization, or is not visible to the caller. */
export class ObjectNotFound extends notFound("object")<ObjectNotFound>() {}

export const group = HttpApiGroup.make("access")
  .annotateMerge(
    OpenApi.annotations({
      title: "Access",
      description:
        "Get the caller's permissions, explain why a member has access to an object, and preview the effects of revoking a grant."
    })
  )
  .add(
    HttpApiEndpoint.get("permissions", "/v1/access/permissions", { success: itemResponse(CallerPermissions) }).pipe(
      endpointMetadata({
        access: Access.member,
        summary: "Get the caller's permissions",
        description:
          "Returns the permissions of the caller in the organization of the request. An operation can also require a grant on its object, a plan or a session."
      })
    ),
    HttpApiEndpoint.post("explain", "/v1/access/explain", {
      payload: Explain,
      success: Schema.Struct({ explanation: Explanation }),
      error: ObjectNotFound
    }).pipe(
      endpointMetadata({
        access: Access.member,
        idempotency: "none",
        summary: "Explain a member's access to an object",
        description:
          "Returns the paths that give the member access and, if the action is not allowed, the missing grant or permission. Explaining another member's access requires `access:read`. Steps that the caller cannot see have the kind `hidden`. Makes no changes."
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
        summary: "Preview the impact of revoking a grant",
        description: "Lists the members who would lose access or be left with a lower role. Makes no changes."
      })
    )
  )
