/** Administration of SCIM 2.0 directories, which provision users and groups. The protocol is in `scim-protocol`. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { RoleName } from "./members.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Entities

export const ScimToken = Schema.Struct({
  id: Ids.ScimTokenId,
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "When the token was last used. Accurate to the hour." })
}).annotate({ identifier: "ScimToken" })

export const ScimProvider = Schema.Literals(["okta", "entra", "google", "other"]).annotate({
  identifier: "ScimProvider",
  description: "A label. It does not change how requests are handled."
})

export const ScimDirectory = Schema.Struct({
  id: Ids.ScimDirectoryId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  provider: ScimProvider,
  baseUrl: Schema.String.annotate({ description: "The SCIM URL to configure in the identity provider." }),
  tokens: Schema.Array(ScimToken).annotate({
    description: "The valid tokens. There can be several during a rotation."
  }),
  users: Schema.Struct({ active: Schema.Int, inactive: Schema.Int }),
  groups: Schema.Int,
  pendingHoldId: Schema.NullOr(Ids.ScimHoldId),
  lastRequestAt: Schema.NullOr(Timestamp).annotate({
    description: "When the last request was made. Accurate to the hour."
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ScimDirectory" })
export type ScimDirectory = typeof ScimDirectory.Type

/** A group of a directory: its team, and the role of its members. */
export const ScimGroup = Schema.Struct({
  teamId: Ids.TeamId,
  displayName: Schema.String,
  externalId: Schema.NullOr(Schema.String),
  role: Schema.NullOr(Schema.String).annotate({
    description: "The role that the group assigns to its members. Null if the group assigns no role."
  }),
  memberCount: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ScimGroup" })
export type ScimGroup = typeof ScimGroup.Type

export const scimDecisions = ["read", "created", "updated", "unchanged", "deleted", "held", "refused"] as const
export const ScimDecision = Schema.Literals(scimDecisions).annotate({ identifier: "ScimDecision" })
export type ScimDecision = (typeof scimDecisions)[number]

/** One attribute that a request changed. */
export const ScimDifference = Schema.Struct({
  path: Schema.String.annotate({ description: "The path in SCIM notation, such as `name.familyName` or `members`." }),
  before: Schema.Json,
  after: Schema.Json
}).annotate({
  identifier: "ScimDifference",
  description: "For group members, includes only those added or removed. Long values are truncated."
})
export type ScimDifference = typeof ScimDifference.Type

export const ScimLogEntry = Schema.Struct({
  id: Ids.ScimLogEntryId,
  directoryId: Ids.ScimDirectoryId,
  tokenId: Schema.NullOr(Ids.ScimTokenId),
  requestId: Schema.String,
  method: Schema.String,
  path: Schema.String.annotate({ description: "The path under `/v1/scim/v2`, with the query." }),
  status: Schema.Int,
  decision: ScimDecision,
  scimType: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String).annotate({ description: "Why the request was rejected or held for approval." }),
  resourceType: Schema.NullOr(Schema.Literals(["User", "Group"])),
  resourceId: Schema.NullOr(Schema.String),
  displayName: Schema.NullOr(Schema.String).annotate({ description: "The userName or displayName of the resource." }),
  differences: Schema.Array(ScimDifference),
  userAgent: Schema.NullOr(Schema.String),
  createdAt: Timestamp
}).annotate({ identifier: "ScimLogEntry" })
export type ScimLogEntry = typeof ScimLogEntry.Type

export const ScimHold = Schema.Struct({
  id: Ids.ScimHoldId,
  directoryId: Ids.ScimDirectoryId,
  status: Schema.Literals(["pending", "approved", "rejected"]),
  count: Schema.Int.annotate({ description: "The number of memberships that approving the hold would end." }),
  activeBefore: Schema.Int.annotate({
    description: "The number of active users in the directory when the hold was created."
  }),
  createdAt: Timestamp,
  decidedAt: Schema.NullOr(Timestamp),
  decidedBy: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ScimHold" })
export type ScimHold = typeof ScimHold.Type

export const ScimHeldUser = Schema.Struct({
  scimUserId: Ids.ScimUserId,
  orgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  userName: Schema.String,
  action: Schema.Literals(["deactivate", "delete"]),
  createdAt: Timestamp
}).annotate({ identifier: "ScimHeldUser" })
export type ScimHeldUser = typeof ScimHeldUser.Type

/** The differences that a reconciliation repaired, and those that remain. */
export const ScimReconciliation = Schema.Struct({
  linked: Schema.Int.annotate({
    description: "Users who were missing a membership and received one because their domain is now verified."
  }),
  ended: Schema.Int.annotate({
    description: "Memberships that were ended because their users are inactive or deleted."
  }),
  teamMembersAdded: Schema.Int,
  teamMembersRemoved: Schema.Int,
  rolesChanged: Schema.Int,
  unlinked: Schema.Int.annotate({ description: "Active users whose email address is not in a verified domain." })
}).annotate({ identifier: "ScimReconciliation" })

// Requests

export const CreateScimDirectory = Schema.Struct({
  name: Text(1, 120).annotate({ description: "A label for the directory." }),
  provider: Schema.optionalKey(ScimProvider),
  tokenExpiresAt: Schema.optionalKey(
    Schema.NullOr(Timestamp).annotate({ description: "When the token expires. Must be in the future. Default: never." })
  )
}).annotate({ identifier: "CreateScimDirectory" })

export const RotateScimToken = Schema.Struct({
  graceSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_592_000 })).annotate({
      description: "How many seconds the existing tokens stay valid. Maximum: 2592000 (30 days). Default: 86400."
    })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(Timestamp).annotate({
      description: "When the new token expires. Must be in the future. Default: never."
    })
  )
}).annotate({ identifier: "RotateScimToken" })

export const SetScimGroupRole = Schema.Struct({
  role: Schema.NullOr(RoleName).annotate({
    description:
      "The role that the group assigns to its members. Null for no role. Cannot be `owner`. If a user is in several groups, `admin` takes precedence; otherwise, the oldest group with a role applies."
  })
}).annotate({ identifier: "SetScimGroupRole" })

// Errors

export class ScimDirectoryNotFound extends notFound("scim_directory")<ScimDirectoryNotFound>() {}
export class ScimTokenNotFound extends notFound("scim_token")<ScimTokenNotFound>() {}
export class ScimGroupNotFound extends notFound("scim_group")<ScimGroupNotFound>() {}
export class ScimHoldNotFound extends notFound("scim_hold")<ScimHoldNotFound>() {}
export class ScimHoldNotPending extends conflict(
  "scim_hold_not_pending",
  "The hold has already been approved or rejected."
)<ScimHoldNotPending>() {}

export class ScimDirectoryQuotaExceeded extends conflict(
  "quota_exceeded",
  "The organization has reached its limit of 10 SCIM directories. Remove one first."
)<ScimDirectoryQuotaExceeded>() {}

// Operations

/** A group has the id of its team. */
const GroupId = Ids.TeamId.annotate({
  identifier: "SCIMGroupId",
  description: "The group, identified by the id of its team."
})
const one = { scimDirectoryId: Ids.ScimDirectoryId }
const at = "/v1/scim/directories/:scimDirectoryId"
const hold = { ...one, scimHoldId: Ids.ScimHoldId }
const read = Access.permission("scim:read")
const manage = Access.permission("scim:manage")
const Response = Schema.Struct({ directory: ScimDirectory })
const WithToken = Schema.Struct({
  directory: ScimDirectory,
  token: Schema.String.annotate({ description: "The token, `opd_…`. Returned only in this response." })
})
const HoldResponse = Schema.Struct({ hold: ScimHold })

export const group = HttpApiGroup.make("scim")
  .annotateMerge(
    OpenApi.annotations({
      title: "SCIM",
      description:
        "Directories that provision users and groups, the log of their requests, and holds: sets of deactivations that must be approved or rejected."
    })
  )
  .add(
    HttpApiEndpoint.post("createDirectory", "/v1/scim/directories", {
      payload: CreateScimDirectory,
      success: WithToken.pipe(HttpApiSchema.status(201)),
      error: ScimDirectoryQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: manage,
        plan: "scim",
        idempotency: "fact",
        audited: "scim.create_directory",
        holdsSecret: true,
        summary: "Create a SCIM directory",
        description: "Returns the token for the identity provider once. Limit: 10 directories per organization."
      })
    ),
    HttpApiEndpoint.get("listDirectories", "/v1/scim/directories", {
      query: { ...pageQuery, q: search() },
      success: Page(ScimDirectory)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List SCIM directories" })),
    HttpApiEndpoint.get("getDirectory", at, { params: one, success: Response, error: ScimDirectoryNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Get a SCIM directory" })
    ),
    HttpApiEndpoint.delete("removeDirectory", at, {
      params: one,
      query: {
        members: Schema.optionalKey(
          Schema.Literals(["keep", "end"]).annotate({
            description:
              "Whether the members that the directory provisioned are kept (`keep`) or removed (`end`). Default: `keep`."
          })
        )
      },
      success: NoContent,
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.remove_directory",
        summary: "Remove a SCIM directory",
        description:
          "Its tokens stop working, and its groups become regular teams. Members keep the roles that its groups assigned. The last owner is never removed; other owners are removed only if an owner calls this operation."
      })
    ),
    HttpApiEndpoint.post("rotateToken", `${at}/tokens`, {
      params: one,
      payload: RotateScimToken,
      success: WithToken.pipe(HttpApiSchema.status(201)),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        plan: "scim",
        idempotency: "fact",
        audited: "scim.rotate_token",
        holdsSecret: true,
        summary: "Create another token for a SCIM directory",
        description:
          "Returns the token once. Existing tokens stay valid for `graceSeconds`. At most 5 tokens are valid at the same time; beyond that, the oldest expire immediately. A token can change group members, so the caller must be allowed to assign every role that the directory's groups assign. Only a token that an owner created can deactivate owners."
      })
    ),
    HttpApiEndpoint.delete("revokeToken", `${at}/tokens/:scimTokenId`, {
      params: { ...one, scimTokenId: Ids.ScimTokenId },
      success: NoContent,
      error: [ScimDirectoryNotFound, ScimTokenNotFound]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.revoke_token",
        summary: "Revoke a SCIM token",
        description: "The token stops working immediately."
      })
    ),
    HttpApiEndpoint.get("listGroups", `${at}/groups`, {
      params: one,
      query: pageQuery,
      success: Page(ScimGroup),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the groups of a SCIM directory",
        description: "Includes the role that each group assigns to its members."
      })
    ),
    HttpApiEndpoint.put("setGroupRole", `${at}/groups/:teamId/role`, {
      params: { ...one, teamId: GroupId },
      payload: SetScimGroupRole,
      success: Schema.Struct({ group: ScimGroup }),
      error: [ScimDirectoryNotFound, ScimGroupNotFound]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.set_group_role",
        summary: "Set the role that a group assigns to its members",
        description:
          "Applies to current and future members. The caller must have all permissions of the role. Owners keep the `owner` role."
      })
    ),
    HttpApiEndpoint.get("log", `${at}/log`, {
      params: one,
      query: {
        ...pageQuery,
        decision: Schema.optionalKey(ScimDecision.annotate({ description: "Only requests with this decision." })),
        resourceId: Schema.optionalKey(
          Text(1, 64).annotate({ description: "Only requests for the SCIM user or group with this id." })
        ),
        changesOnly: Schema.optionalKey(
          QueryFlag.annotate({ description: "If `true`, excludes read-only requests. Default: `false`." })
        )
      },
      success: Page(ScimLogEntry),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the requests of a SCIM directory",
        description:
          "Includes the decision on each request and the changes it made. Entries are kept for 30 days, even after the directory is removed. Read requests are recorded within seconds; the most recent ones can be lost if the process crashes."
      })
    ),
    HttpApiEndpoint.post("reconcile", `${at}/reconcile`, {
      params: one,
      success: Schema.Struct({ reconciliation: ScimReconciliation }),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.reconcile",
        summary: "Reconcile a SCIM directory",
        description:
          "Restores memberships, teams and roles to the state that the directory last sent. Deactivations held for approval are not changed. Idempotent."
      })
    ),
    HttpApiEndpoint.get("listHolds", `${at}/holds`, {
      params: one,
      query: pageQuery,
      success: Page(ScimHold),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the deactivations held for approval",
        description: "A hold is a set of deactivations that take effect only after they are approved."
      })
    ),
    HttpApiEndpoint.get("getHold", `${at}/holds/:scimHoldId`, {
      params: hold,
      success: HoldResponse,
      error: [ScimDirectoryNotFound, ScimHoldNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Get a hold" })),
    HttpApiEndpoint.get("listHeldUsers", `${at}/holds/:scimHoldId/users`, {
      params: hold,
      query: pageQuery,
      success: Page(ScimHeldUser),
      error: [ScimDirectoryNotFound, ScimHoldNotFound]
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the users in a hold" })),
    HttpApiEndpoint.post("approveHold", `${at}/holds/:scimHoldId/approve`, {
      params: hold,
      success: Schema.Struct({
        hold: ScimHold,
        keptOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
          description:
            "An owner whose membership was kept: the last owner, or any owner when the approver is not an owner."
        })
      }),
      error: [ScimDirectoryNotFound, ScimHoldNotFound, ScimHoldNotPending]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.approve_hold",
        summary: "Approve the deactivations in a hold",
        description:
          "Ends the memberships of its users. The last owner is kept; other owners are removed only if the approver is an owner."
      })
    ),
    HttpApiEndpoint.post("rejectHold", `${at}/holds/:scimHoldId/reject`, {
      params: hold,
      success: HoldResponse,
      error: [ScimDirectoryNotFound, ScimHoldNotFound, ScimHoldNotPending]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.reject_hold",
        summary: "Reject the deactivations in a hold",
        description:
          "Keeps the memberships and reactivates their users. The identity provider sees them as active on its next request. A user is not reactivated if the directory has since created another user with the same `userName` or membership."
      })
    )
  )
