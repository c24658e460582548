/** Directories that provision people and groups by SCIM 2.0, as an admin sees them; the protocol is in `scim-protocol`. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { RoleName } from "./members.ts"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { QueryFlag, Text, Timestamp } from "./shared/values.ts"

// Entities

export const ScimToken = Schema.Struct({
  id: Ids.ScimTokenId,
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "To the hour." })
}).annotate({ identifier: "ScimToken" })

export const ScimProvider = Schema.Literals(["okta", "entra", "google", "other"]).annotate({
  identifier: "ScimProvider",
  description: "For people to read; all are answered alike."
})

export const ScimDirectory = Schema.Struct({
  id: Ids.ScimDirectoryId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  provider: ScimProvider,
  baseUrl: Schema.String.annotate({ description: "The SCIM address for the identity provider." }),
  tokens: Schema.Array(ScimToken).annotate({ description: "The live ones; several overlap while one is rotated." }),
  users: Schema.Struct({ active: Schema.Int, inactive: Schema.Int }),
  groups: Schema.Int,
  pendingHoldId: Schema.NullOr(Ids.ScimHoldId),
  lastRequestAt: Schema.NullOr(Timestamp).annotate({ description: "To the hour." }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ScimDirectory" })
export type ScimDirectory = typeof ScimDirectory.Type

/** A group of a directory: the team it is, and the role it gives. */
export const ScimGroup = Schema.Struct({
  teamId: Ids.TeamId,
  displayName: Schema.String,
  externalId: Schema.NullOr(Schema.String),
  role: Schema.NullOr(Schema.String).annotate({ description: "What its members are made; null gives none." }),
  memberCount: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "ScimGroup" })
export type ScimGroup = typeof ScimGroup.Type

export const scimDecisions = ["read", "created", "updated", "unchanged", "deleted", "held", "refused"] as const
export const ScimDecision = Schema.Literals(scimDecisions).annotate({ identifier: "ScimDecision" })
export type ScimDecision = (typeof scimDecisions)[number]

/** One attribute that a request made another. */
export const ScimDifference = Schema.Struct({
  path: Schema.String.annotate({ description: "As SCIM writes it: `name.familyName`, `members`." }),
  before: Schema.Json,
  after: Schema.Json
}).annotate({
  identifier: "ScimDifference",
  description: "Of members of a group only those that came or went; long values are cut."
})
export type ScimDifference = typeof ScimDifference.Type

export const ScimLogEntry = Schema.Struct({
  id: Ids.ScimLogEntryId,
  directoryId: Ids.ScimDirectoryId,
  tokenId: Schema.NullOr(Ids.ScimTokenId),
  requestId: Schema.String,
  method: Schema.String,
  path: Schema.String.annotate({ description: "With the query, below `/v1/scim/v2`." }),
  status: Schema.Int,
  decision: ScimDecision,
  scimType: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String).annotate({ description: "Why it was refused or held, in words." }),
  resourceType: Schema.NullOr(Schema.Literals(["User", "Group"])),
  resourceId: Schema.NullOr(Schema.String),
  displayName: Schema.NullOr(Schema.String).annotate({ description: "userName or displayName of the resource." }),
  differences: Schema.Array(ScimDifference),
  userAgent: Schema.NullOr(Schema.String),
  createdAt: Timestamp
}).annotate({ identifier: "ScimLogEntry" })
export type ScimLogEntry = typeof ScimLogEntry.Type

export const ScimHold = Schema.Struct({
  id: Ids.ScimHoldId,
  directoryId: Ids.ScimDirectoryId,
  status: Schema.Literals(["pending", "approved", "rejected"]),
  count: Schema.Int.annotate({ description: "Memberships that end when it is approved." }),
  activeBefore: Schema.Int.annotate({ description: "Active users of the directory when it began." }),
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

/** What a reconciliation found, and mended where it could. */
export const ScimReconciliation = Schema.Struct({
  linked: Schema.Int.annotate({
    description: "Users given the membership they lacked: their domain is verified by now."
  }),
  ended: Schema.Int.annotate({ description: "Memberships ended whose user is inactive or gone." }),
  teamMembersAdded: Schema.Int,
  teamMembersRemoved: Schema.Int,
  rolesChanged: Schema.Int,
  unlinked: Schema.Int.annotate({ description: "Active users whose address is in no verified domain." })
}).annotate({ identifier: "ScimReconciliation" })

// Requests

export const CreateScimDirectory = Schema.Struct({
  name: Text(1, 120),
  provider: Schema.optionalKey(ScimProvider),
  tokenExpiresAt: Schema.optionalKey(Schema.NullOr(Timestamp))
}).annotate({ identifier: "CreateScimDirectory" })

export const RotateScimToken = Schema.Struct({
  graceSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_592_000 })).annotate({
      description: "How long the live tokens stay good beside the new one: 86400 unless told, 30 days at most."
    })
  ),
  expiresAt: Schema.optionalKey(Schema.NullOr(Timestamp))
}).annotate({ identifier: "RotateScimToken" })

export const SetScimGroupRole = Schema.Struct({
  role: Schema.NullOr(RoleName).annotate({
    description: "Never `owner`. Of several groups `admin` wins, then the role of the oldest group."
  })
}).annotate({ identifier: "SetScimGroupRole" })

// Errors

export class ScimDirectoryNotFound extends notFound("scim_directory")<ScimDirectoryNotFound>() {}
export class ScimTokenNotFound extends notFound("scim_token")<ScimTokenNotFound>() {}
export class ScimGroupNotFound extends notFound("scim_group")<ScimGroupNotFound>() {}
export class ScimHoldNotFound extends notFound("scim_hold")<ScimHoldNotFound>() {}
export class ScimHoldNotPending extends conflict(
  "scim_hold_not_pending",
  "The hold was decided before."
)<ScimHoldNotPending>() {}

export class ScimDirectoryQuotaExceeded extends conflict(
  "quota_exceeded",
  "There are as many as there may be; remove one first."
)<ScimDirectoryQuotaExceeded>() {}

// Operations

/** A group has the id of the team that it is. */
const GroupId = Ids.TeamId.annotate({ identifier: "SCIMGroupId", description: "Identifies one group: the team it is." })
const one = { scimDirectoryId: Ids.ScimDirectoryId }
const at = "/v1/scim/directories/:scimDirectoryId"
const hold = { ...one, scimHoldId: Ids.ScimHoldId }
const read = Access.permission("scim:read")
const manage = Access.permission("scim:manage")
const Answer = Schema.Struct({ directory: ScimDirectory })
const WithToken = Schema.Struct({
  directory: ScimDirectory,
  token: Schema.String.annotate({ description: "`opd_…`, answered this once." })
})
const HoldAnswer = Schema.Struct({ hold: ScimHold })

export const group = HttpApiGroup.make("scim")
  .annotateMerge(
    OpenApi.annotations({
      title: "SCIM",
      description: "Directories that provision people and groups, their requests, and what of those is held."
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
        summary: "Makes a directory and the token an identity provider provisions it with.",
        description: "At most 10 an organization."
      })
    ),
    HttpApiEndpoint.get("listDirectories", "/v1/scim/directories", {
      query: pageQuery,
      success: Page(ScimDirectory)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists the organization's directories." })),
    HttpApiEndpoint.get("getDirectory", at, { params: one, success: Answer, error: ScimDirectoryNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Gets one directory." })
    ),
    HttpApiEndpoint.delete("removeDirectory", at, {
      params: one,
      query: {
        members: Schema.optionalKey(
          Schema.Literals(["keep", "end"]).annotate({
            description:
              "What becomes of the members it provisioned: `keep`, unless told, leaves them to the organization."
          })
        )
      },
      success: Done,
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.remove_directory",
        summary: "Removes a directory: its tokens end, its groups become teams like any other.",
        description:
          "Roles that its groups gave stay as they are. The last owner stays whatever is told, and every owner unless an owner removes it."
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
        summary: "Makes another token; the ones before stay good for a while.",
        description:
          "At most 5 are good at once: of more the oldest end now. Whoever holds a token decides who is in a group: nobody makes one who may not give the roles that the directory's groups give. Owners are deactivated only by a token that an owner made."
      })
    ),
    HttpApiEndpoint.delete("revokeToken", `${at}/tokens/:scimTokenId`, {
      params: { ...one, scimTokenId: Ids.ScimTokenId },
      success: Done,
      error: [ScimDirectoryNotFound, ScimTokenNotFound]
    }).pipe(endpointMetadata({ access: manage, audited: "scim.revoke_token", summary: "Ends one token now." })),
    HttpApiEndpoint.get("listGroups", `${at}/groups`, {
      params: one,
      query: pageQuery,
      success: Page(ScimGroup),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists a directory's groups with the roles they give." })
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
        summary: "Lets a group give its members a role, now and from now on.",
        description: "Nobody gives what they lack. Owners stay owners."
      })
    ),
    HttpApiEndpoint.get("log", `${at}/log`, {
      params: one,
      query: {
        ...pageQuery,
        decision: Schema.optionalKey(ScimDecision),
        resourceId: Schema.optionalKey(Text(1, 64)),
        changesOnly: Schema.optionalKey(QueryFlag.annotate({ description: "`true` leaves out what only looked." }))
      },
      success: Page(ScimLogEntry),
      error: ScimDirectoryNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "Lists the requests of a directory: what was decided, and what became another by it.",
        description:
          "Kept for 30 days, also when the directory is removed. Requests that only look are written down within seconds, and not at all if the process dies."
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
        summary: "Brings memberships, teams and roles to what the directory last said.",
        description: "What is held stays held. Twice changes nothing."
      })
    ),
    HttpApiEndpoint.get("listHolds", `${at}/holds`, {
      params: one,
      query: pageQuery,
      success: Page(ScimHold),
      error: ScimDirectoryNotFound
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists a directory's held deactivations." })),
    HttpApiEndpoint.get("getHold", `${at}/holds/:scimHoldId`, {
      params: hold,
      success: HoldAnswer,
      error: [ScimDirectoryNotFound, ScimHoldNotFound]
    }).pipe(endpointMetadata({ access: read, summary: "Gets one hold." })),
    HttpApiEndpoint.get("listHeldUsers", `${at}/holds/:scimHoldId/users`, {
      params: hold,
      query: pageQuery,
      success: Page(ScimHeldUser),
      error: [ScimDirectoryNotFound, ScimHoldNotFound]
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "Lists whom a hold is about." })),
    HttpApiEndpoint.post("approveHold", `${at}/holds/:scimHoldId/approve`, {
      params: hold,
      success: Schema.Struct({
        hold: ScimHold,
        keptOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
          description:
            "An owner whose membership goes on although the hold was about them: the last one, or any when it is no owner who approves."
        })
      }),
      error: [ScimDirectoryNotFound, ScimHoldNotFound, ScimHoldNotPending]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.approve_hold",
        summary: "Ends the memberships that a hold is about; the last owner stays."
      })
    ),
    HttpApiEndpoint.post("rejectHold", `${at}/holds/:scimHoldId/reject`, {
      params: hold,
      success: HoldAnswer,
      error: [ScimDirectoryNotFound, ScimHoldNotFound, ScimHoldNotPending]
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "scim.reject_hold",
        summary: "Leaves the memberships as they are, and makes their users active again.",
        description:
          "The identity provider finds them active when it looks next. Where the directory has made another user of the same name since, that one stays."
      })
    )
  )
